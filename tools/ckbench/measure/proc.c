// SPDX-License-Identifier: MIT
// One poll loop for all children: answers, output, news of the keepers, deadlines and signals meet
// here, so a flood of one kind cannot starve the others.
#include "measure/proc.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "measure/interrupt.h"
#include "measure/proc_child.h"
#include "measure/sweep.h"

enum { POLLS_A_CHILD = 4 };

struct proc_pool {
    size_t concurrent;
    struct proc_task *queue;
    size_t queue_first;
    size_t queue_end;
    size_t queue_room;
    struct child **running;
    pid_t *keepers; // room for one each
    size_t running_count;
    bool ending;
};

struct proc_pool *proc_pool_new(size_t concurrent)
{
    struct proc_pool *pool = calloc(1, sizeof *pool);
    size_t places = concurrent == 0 ? 1 : concurrent;
    if (pool == NULL) {
        return NULL;
    }
    pool->concurrent = places;
    pool->running = calloc(places, sizeof(struct child *));
    pool->keepers = calloc(places, sizeof *pool->keepers);
    if (pool->running == NULL || pool->keepers == NULL) {
        proc_pool_free(pool);
        return NULL;
    }
    return pool;
}

bool proc_pool_add(struct proc_pool *pool, const struct proc_task *task, struct fault *fault)
{
    if (pool->ending) {
        return true;
    }
    if (pool->queue_end == pool->queue_room) {
        size_t room = pool->queue_room == 0 ? 16 : 2 * pool->queue_room;
        struct proc_task *queue = realloc(pool->queue, room * sizeof *queue);
        if (queue == NULL) {
            return fault_set(fault, "out of memory");
        }
        pool->queue = queue;
        pool->queue_room = room;
    }
    pool->queue[pool->queue_end++] = *task;
    return true;
}

static void fill_polls(const struct proc_pool *pool, struct pollfd *polls)
{
    polls[0] = (struct pollfd){.fd = interrupt_fd(), .events = POLLIN};
    if (pool->ending && interrupt_seen() != 0) {
        polls[0].fd = -1; // it stays readable; while children end, the deadlines pace the loop
    }
    for (size_t i = 0; i < pool->running_count; i++) {
        const struct child *child = pool->running[i];
        struct pollfd *mine = polls + 1 + i * POLLS_A_CHILD;
        const int fds[POLLS_A_CHILD] = {child->control, child->answers, child->out.pipe,
                                        child->err.pipe};
        for (int k = 0; k < POLLS_A_CHILD; k++) {
            mine[k] = (struct pollfd){.fd = fds[k], .events = POLLIN};
        }
    }
}

static int next_wait_ms(const struct proc_pool *pool)
{
    enum { LOOK_ROUND_MS = 100 }; // a second interrupt is noticed within this
    int64_t now = sweep_now_ms();
    int64_t wait = pool->ending ? LOOK_ROUND_MS : 60 * 1000;
    for (size_t i = 0; i < pool->running_count; i++) {
        const struct child *child = pool->running[i];
        int64_t at = child->stopping ? child->give_up_ms : child->deadline_ms;
        wait = at - now < wait ? at - now : wait;
    }
    return wait < 0 ? 0 : (int)wait;
}

// Whoever is stopped for a while hears late what the children said: that is not their silence.
static void give_back_pause(struct proc_pool *pool, int wait_ms, int64_t took_ms)
{
    for (size_t i = 0; wait_ms >= 0 && took_ms > wait_ms + 500 && i < pool->running_count; i++) {
        struct child *child = pool->running[i];
        child->deadline_ms += child->deadline_ms < INT64_MAX - took_ms ? took_ms : 0;
    }
}

// Takes child `index` out of the pool and tells its owner.
static void finish_child(struct proc_pool *pool, size_t index)
{
    struct child *child = pool->running[index];
    pool->running[index] = pool->running[--pool->running_count];
    for (size_t i = 0; i < pool->running_count; i++) {
        pool->keepers[i] = pool->running[i]->keeper;
    }
    child_finish(child, pool->keepers, pool->running_count);
}

static void turn(struct proc_pool *pool, const struct pollfd *polls)
{
    for (size_t i = 0; i < pool->running_count; i++) {
        struct child *child = pool->running[i];
        const struct pollfd *mine = polls + 1 + i * POLLS_A_CHILD;
        if (mine[1].revents != 0) {
            child_read_answers(child);
        }
        if (mine[2].revents != 0 || mine[3].revents != 0) {
            child_read_output(child);
        }
        if (mine[0].revents != 0) {
            child_read_news(child);
        }
        child_check_clock(child);
    }
    for (size_t i = pool->running_count; i > 0; i--) {
        if (pool->running[i - 1]->finished) {
            finish_child(pool, i - 1);
        }
    }
}

// Nothing new starts any more, and what runs is told to end.
static void end_all(struct proc_pool *pool)
{
    pool->ending = true;
    pool->queue_first = pool->queue_end;
    bool hurry = interrupt_count() > 1;
    for (size_t i = 0; i < pool->running_count; i++) {
        struct child *child = pool->running[i];
        if (child->task.spec.is_asked_to_end && !hurry && child->result.pid > 0) {
            if (!child->asked) {
                (void)kill(-child->result.pid, SIGTERM);
                child->asked = true;
            }
        } else if (!child->stopping || (hurry && !child->hurried)) {
            child->hurried = hurry;
            child_stop(child, PROC_INTERRUPTED, hurry ? KEEPER_KILL : KEEPER_STOP);
        }
    }
}

static bool fill_places(struct proc_pool *pool, struct fault *fault)
{
    while (!pool->ending && pool->running_count < pool->concurrent &&
           pool->queue_first < pool->queue_end) {
        struct proc_task task = pool->queue[pool->queue_first++];
        struct child *child = child_start(&task, fault);
        if (child == NULL) {
            return false;
        }
        pool->running[pool->running_count++] = child;
    }
    return true;
}

static bool run_all(struct proc_pool *pool, struct pollfd *polls, struct fault *fault)
{
    bool ok = true;
    for (;;) {
        if (interrupt_seen() != 0) {
            if (!pool->ending) {
                char name[16];
                ok = fault_set(fault, "interrupted by %s",
                               proc_signal_text(interrupt_seen(), name, sizeof name));
            }
            end_all(pool);
        }
        if (ok && !fill_places(pool, fault)) {
            ok = false;
            end_all(pool);
        }
        if (pool->running_count == 0 && pool->queue_first == pool->queue_end) {
            return ok;
        }
        fill_polls(pool, polls);
        int wait_ms = next_wait_ms(pool);
        int64_t before_ms = sweep_now_ms();
        int ready = poll(polls, 1 + pool->running_count * POLLS_A_CHILD, wait_ms);
        give_back_pause(pool, wait_ms, sweep_now_ms() - before_ms);
        if (ready >= 0) {
            turn(pool, polls);
        }
    }
}

// Children have a fixed limit, and each costs ckbench some descriptors of its own.
static bool raise_open_files(size_t concurrent, struct fault *fault)
{
    enum { OWN = 64, A_CHILD = 8 };
    struct rlimit now;
    rlim_t own = OWN + A_CHILD * (rlim_t)concurrent;
    rlim_t wanted = own > PROC_OPEN_FILES ? own : PROC_OPEN_FILES;
    if (getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur >= wanted) {
        return true;
    }
    now.rlim_cur = wanted;
    return (now.rlim_max >= wanted && setrlimit(RLIMIT_NOFILE, &now) == 0) ||
           fault_set(fault,
                     "at most %llu files may be open, %llu are needed: raise it with ulimit -n, or "
                     "take fewer jobs",
                     (unsigned long long)now.rlim_max, (unsigned long long)wanted);
}

bool proc_pool_run(struct proc_pool *pool, struct fault *fault)
{
    int was_subreaper = 0;
    if (!raise_open_files(pool->concurrent, fault)) {
        pool->queue_first = 0;
        pool->queue_end = 0;
        return false;
    }
    struct pollfd *polls = calloc(1 + pool->concurrent * POLLS_A_CHILD, sizeof *polls);
    if (polls == NULL) {
        return fault_set(fault, "out of memory");
    }
    pool->ending = false;
    (void)prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    bool ok = run_all(pool, polls, fault);
    (void)prctl(PR_SET_CHILD_SUBREAPER, was_subreaper, 0, 0, 0);
    free(polls);
    pool->queue_first = 0;
    pool->queue_end = 0;
    return ok;
}

void proc_pool_free(struct proc_pool *pool)
{
    if (pool != NULL) {
        free(pool->running);
        free(pool->keepers);
        free(pool->queue);
        free(pool);
    }
}

struct single {
    const struct proc_task *task;
    struct proc_result *result;
};

static enum proc_word pass_line(void *context, const char *line, size_t length)
{
    const struct single *single = context;
    if (single->task->on_line == NULL) {
        return PROC_GO_ON;
    }
    return single->task->on_line(single->task->context, line, length);
}

static void keep_result(void *context, const struct proc_result *result)
{
    const struct single *single = context;
    *single->result = *result;
    if (single->task->on_end != NULL) {
        single->task->on_end(single->task->context, result);
    }
}

bool proc_run(const struct proc_task *task, struct proc_result *result, struct fault *fault)
{
    struct single single = {.task = task, .result = result};
    struct proc_task wrapped = {
        .spec = task->spec, .on_line = pass_line, .on_end = keep_result, .context = &single};
    struct proc_pool *pool = proc_pool_new(1);
    *result = (struct proc_result){.end = PROC_LOST};
    if (pool == NULL) {
        return fault_set(fault, "out of memory");
    }
    bool ok = proc_pool_add(pool, &wrapped, fault) && proc_pool_run(pool, fault);
    proc_pool_free(pool);
    return ok;
}
