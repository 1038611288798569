// SPDX-License-Identifier: MIT
// Whatever is not one of the answers that a command can have closes the link, so that no later
// question can get an answer that was meant for an earlier one.
#include "backend/redis_ask.h"

#include <string.h>

#include <hiredis.h>

#include "backend/instant.h"
#include "backend/redis_error.h"
#include "backend/redis_pool.h"
#include "base/status.h"

static cachekit_status judge_error(const struct cki_answer *answer, enum cki_outcome *outcome,
                                   cachekit_error *error)
{
    const struct cki_redis_error *row = cki_redis_error_find(answer->line);
    if (row->is_at_the_door) {
        *outcome = CKI_REFUSED;
    } else if (row->moves_on) {
        *outcome = CKI_MOVE_ON;
    } else {
        *outcome = row->keeps_link ? CKI_KEEP : CKI_CLOSE;
    }
    return cki_redis_error_tell(row, error);
}

static bool is_wanted(const struct cki_command *command, const struct cki_answer *answer)
{
    if (((unsigned)answer->kind & command->wants) == 0) {
        return false;
    }
    if (answer->kind == CKI_ANSWER_STATUS) {
        return strcmp(answer->line, "OK") == 0 || strcmp(answer->line, "PONG") == 0;
    }
    return answer->kind != CKI_ANSWER_INTEGER ||
           (answer->number >= command->least && answer->number <= command->most);
}

static cachekit_status judge(const struct cki_command *command, const struct cki_answer *answer,
                             enum cki_outcome *outcome, cachekit_error *error)
{
    if (answer->kind == CKI_ANSWER_ERROR) {
        return judge_error(answer, outcome, error);
    }
    if (is_wanted(command, answer)) {
        *outcome = CKI_KEEP;
        return CACHEKIT_OK;
    }
    *outcome = CKI_CLOSE;
    return cki_fail(error, CACHEKIT_E_UNKNOWN, 0,
                    "redis: the answer is of a kind that does not belong to the question");
}

// hiredis writes no more than an int can count; values are bounded before.
cachekit_status cki_format(const struct cki_command *command, cachekit_slice *out,
                           cachekit_error *error)
{
    char *bytes = NULL;
    const char **argv = command->many;
    const char *copy[sizeof command->argv / sizeof command->argv[0]];
    if (argv == NULL) {
        memcpy(copy, command->argv, sizeof copy);
        argv = copy;
    }
    int len = redisFormatCommandArgv(&bytes, command->argc, argv,
                                     command->many != NULL ? command->many_lens : command->lens);
    if (len < 0) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for a command");
    }
    *out = (cachekit_slice){(const uint8_t *)bytes, (size_t)len};
    return CACHEKIT_OK;
}

void cki_unformat(cachekit_slice bytes)
{
    redisFreeCommand((char *)(uintptr_t)bytes.data);
}

static cachekit_status ask_asking(const struct cki_redis *self, struct cki_link *link,
                                  int64_t deadline_ns, enum cki_outcome *outcome,
                                  cachekit_error *error)
{
    static const char bytes[] = "*1\r\n$6\r\nASKING\r\n";
    static const struct cki_command command = {.wants = CKI_ANSWER_STATUS};
    struct cki_answer answer = {.bulk = NULL};
    cachekit_slice slice = {(const uint8_t *)bytes, sizeof bytes - 1};
    cachekit_status status =
        cki_wire_ask(link, slice, &answer, self->answer_max, deadline_ns, error);
    return status == CACHEKIT_OK ? judge(&command, &answer, outcome, error) : status;
}

struct question {
    const struct cki_command *command;
    cachekit_slice bytes;
    struct cki_place place;
    int64_t deadline_ns;
};

static cachekit_status ask_link(const struct cki_redis *self, struct cki_link *link,
                                const struct question *question, struct cki_answer *answer,
                                enum cki_outcome *outcome, cachekit_error *error)
{
    cachekit_status status = CACHEKIT_OK;
    *outcome = CKI_BROKEN;
    if (question->place.is_asked) {
        status = ask_asking(self, link, question->deadline_ns, outcome, error);
        if (status != CACHEKIT_OK) {
            return status;
        }
        *outcome = CKI_BROKEN;
    }
    status =
        cki_wire_ask(link, question->bytes, answer, self->answer_max, question->deadline_ns, error);
    return status == CACHEKIT_OK ? judge(question->command, answer, outcome, error) : status;
}

cachekit_status cki_ask(struct cki_redis *self, struct cki_place place,
                        const struct cki_command *command, struct cki_answer *answer,
                        int64_t deadline_ns, cachekit_error *error)
{
    struct cki_taken taken;
    enum cki_outcome outcome;
    struct question question = {command, {NULL, 0}, place, deadline_ns};
    cki_answer_reset(answer);
    cachekit_status status = cki_format(command, &question.bytes, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    status = cki_pool_take(self, place.node, deadline_ns, &taken, error);
    if (status == CACHEKIT_OK) {
        status = ask_link(self, taken.link, &question, answer, &outcome, error);
        cki_pool_give(self, taken, outcome, status, deadline_ns);
    }
    cki_unformat(question.bytes);
    return status;
}

struct judging {
    struct cki_asked *asked;
    enum cki_outcome outcome; // the worst
    cachekit_status first;    // failure
    cachekit_error *error;
};

static void judge_one(void *context, size_t number, const struct cki_answer *answer)
{
    struct judging *judging = context;
    struct cki_asked *asked = &judging->asked[number];
    const struct cki_command command = {.wants = CKI_ANSWER_INTEGER, .most = asked->most};
    enum cki_outcome outcome;
    bool is_first = judging->first == CACHEKIT_OK;
    asked->status = judge(&command, answer, &outcome, is_first ? judging->error : NULL);
    asked->is_sent_on = asked->status == CACHEKIT_E_CONFIG;
    judging->first = is_first ? asked->status : judging->first;
    judging->outcome = outcome > judging->outcome ? outcome : judging->outcome;
}

static cachekit_status ask_all(struct cki_redis *self, const struct cki_batch *batch,
                               struct judging *judging, int64_t deadline_ns, cachekit_error *error)
{
    struct cki_taken taken;
    struct cki_answer answer = {.bulk = NULL};
    const struct cki_questions questions = {batch->commands, batch->count, judge_one, judging};
    if (deadline_ns <= cki_instant_ns()) {
        return cki_fail(error, CACHEKIT_E_TIMEOUT, 0, "redis: the deadline has passed");
    }
    cachekit_status status = cki_pool_take(self, batch->node, deadline_ns, &taken, error);
    if (status == CACHEKIT_OK) {
        status = cki_wire_ask_many(taken.link, &questions, &answer, self->answer_max, deadline_ns,
                                   error);
        cki_pool_give(self, taken, status == CACHEKIT_OK ? judging->outcome : CKI_BROKEN, status,
                      deadline_ns);
    }
    return status;
}

cachekit_status cki_ask_batch(struct cki_redis *self, const struct cki_batch *batch,
                              int64_t deadline_ns, cachekit_error *error)
{
    struct judging judging = {batch->asked, CKI_KEEP, CACHEKIT_OK, error};
    cachekit_status status = ask_all(self, batch, &judging, deadline_ns, error);
    for (size_t i = 0; status != CACHEKIT_OK && i < batch->count; i++) {
        batch->asked[i].status = status;
        batch->asked[i].is_sent_on = false;
    }
    return status == CACHEKIT_OK ? judging.first : status;
}
