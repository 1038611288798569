// SPDX-License-Identifier: MIT
// Odd but honest paths. Each turns a loop of two instructions `rounds` times somewhere odd, and
// each is there twice: `NAME_same` always turns 500 times, `NAME` PLANT / 2 times more, so between
// two builds the one must move by exactly the difference of their PLANTs and the other by nothing.
#include <ckbench/subject.h>

#include <alloca.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PLANT
#    define PLANT 0
#endif

enum { ROUNDS = 500, DEPTH = 2000, COROUTINE_BYTES = 65536 };

#define STACK_BYTES ((size_t)6 << 20)

struct work {
    unsigned rounds;
    unsigned done;
};

static struct work *fresh(unsigned rounds)
{
    static struct work work;
    work = (struct work){rounds, 0};
    return &work;
}

static void *setup(void)
{
    return fresh(ROUNDS + PLANT / 2);
}

static void *setup_same(void)
{
    return fresh(ROUNDS);
}

static int verify(void *state)
{
    return ((struct work *)state)->done > 0 ? 0 : 1;
}

void ckhonest_turn(struct work *work);

__attribute__((noinline)) void ckhonest_turn(struct work *work)
{
    unsigned left = work->rounds;
    __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(left) : : "cc");
    work->done = 1;
}

static void turn(void *state)
{
    ckhonest_turn(state);
}

// What it costs is counted on fingers: 2 + 2 * rounds, and the ret.
void count_by_hand(void *state);
__asm__(".text\n"
        ".globl count_by_hand\n"
        ".type count_by_hand, @function\n"
        "count_by_hand:\n"
        "    movl $1, 4(%rdi)\n"
        "    movl (%rdi), %eax\n"
        "1:  decl %eax\n"
        "    jnz 1b\n"
        "    ret\n"
        ".size count_by_hand, . - count_by_hand\n");

static void *run_thread(void *state)
{
    turn(state);
    return state;
}

static void start_thread(void *state)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_thread, state) == 0) {
        (void)pthread_join(thread, NULL);
    }
}

static void use_large_stack(void *state)
{
    volatile char *block = alloca(STACK_BYTES);
    block[0] = 1;
    block[STACK_BYTES - 1] = 1;
    turn(state);
}

// The compiler cannot tell how deep it goes.
static unsigned descend(struct work *work, volatile unsigned depth)
{
    if (depth == 0) {
        turn(work);
        return 0;
    }
    return descend(work, depth - 1) + 1;
}

static void recurse(void *state)
{
    (void)descend(state, DEPTH);
}

static struct work *handled;

static void handle(int number)
{
    (void)number;
    turn(handled);
}

static void raise_signal(void *state)
{
    handled = state;
    (void)signal(SIGUSR1, handle);
    (void)raise(SIGUSR1);
}

static void jump(struct work *work, jmp_buf place)
{
    turn(work);
    longjmp(place, 1);
}

static void jump_back(void *state)
{
    jmp_buf place;
    if (setjmp(place) == 0) {
        jump(state, place);
    }
}

static ucontext_t main_context;

static void run_coroutine(void)
{
    turn(handled);
}

static void switch_stacks(void *state)
{
    static char stack[COROUTINE_BYTES];
    ucontext_t other;
    handled = state;
    if (getcontext(&other) == 0) {
        other.uc_stack.ss_sp = stack;
        other.uc_stack.ss_size = sizeof stack;
        other.uc_link = &main_context;
        makecontext(&other, run_coroutine, 0);
        (void)swapcontext(&main_context, &other);
    }
}

#ifndef IS_STATIC
static void load_library(void *state)
{
    void *library = dlopen("libm.so.6", RTLD_NOW);
    if (library != NULL) {
        turn(state);
        (void)dlclose(library);
    }
}
#endif

// Code that lies in no file.
static void run_made_code(void *state)
{
    static const unsigned char code[] = {
        0xc7, 0x47, 0x04, 0x01, 0x00, 0x00, 0x00, // movl $1, 4(%rdi)
        0x8b, 0x07,                               // movl (%rdi), %eax
        0xff, 0xc8, 0x75, 0xfc,                   // decl %eax; jnz back
        0xc3,
    };
    static void *made;
    if (made == NULL) {
        made = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(made, code, sizeof code);
    }
    void (*run)(void *);
    memcpy(&run, &made, sizeof run);
    run(state);
}

static void write_file(void *state)
{
    int fd = open("a file", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)!write(fd, "text", 4);
    (void)close(fd);
    (void)unlink("a file");
    turn(state);
}

void ckhonest_throw(void *state); // honest_throw.cpp

#define TWICE(name, about, op)                                                                     \
    CKBENCH_PATH(name, about, setup, op, verify, NULL)                                             \
    CKBENCH_PATH(name##_same, about, setup_same, op, verify, NULL)

TWICE(by_hand, "plain code", count_by_hand)
TWICE(coroutine, "another stack", switch_stacks)
TWICE(deep, "2,000 levels", recurse)
TWICE(files, "writes and removes a file", write_file)
TWICE(handler, "in a signal handler", raise_signal)
TWICE(jumps, "longjmp() out of a function", jump_back)
TWICE(large_stack, "6 MiB of stack", use_large_stack)
#ifndef IS_STATIC
TWICE(loads, "dlopen() and dlclose()", load_library)
#endif
TWICE(made_code, "code that it made itself", run_made_code)
TWICE(n345678901234567890123456789012345678901234567890123456_end, "a name of 59 bytes, and of 64",
      turn)
TWICE(threads, "in a thread of its own", start_thread)
#ifndef IS_STATIC
TWICE(throws, "a C++ exception", ckhonest_throw)
#endif
CKBENCH_MAIN
