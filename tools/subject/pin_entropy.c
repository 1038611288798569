// SPDX-License-Identifier: MIT
// The entropy of a measured child: one seeded stream, the same in every run and every layout.
// libsodium asks the kernel by itself, so it is handed a source of ours where it is loaded.
#include "kit.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GETRANDOM_MOST = (1 << 25) - 1, GETENTROPY_MOST = 256 };

// Not in every C library's headers.
uint32_t arc4random(void);
void arc4random_buf(void *bytes, size_t len);
uint32_t arc4random_uniform(uint32_t bound);

static uint64_t ckbench_entropy_state = 0x636b62656e636821U;

static uint64_t ckbench_entropy_word(void)
{
    uint64_t mixed =
        __atomic_add_fetch(&ckbench_entropy_state, 0x9e3779b97f4a7c15U, __ATOMIC_RELAXED);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
}

static void ckbench_entropy_fill(void *bytes, size_t len)
{
    unsigned char *at = bytes;
    (void)__atomic_fetch_add(&ckbench_read_counts.entropy, 1, __ATOMIC_RELAXED);
    while (len > 0) {
        uint64_t word = ckbench_entropy_word();
        size_t part = len < sizeof word ? len : sizeof word;
        memcpy(at, &word, part);
        at += part;
        len -= part;
    }
}

static ssize_t ckbench_pinned_getrandom(void *bytes, size_t len, unsigned flags)
{
    if ((flags & ~(unsigned)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE)) != 0) {
        errno = EINVAL;
        return -1;
    }
    if (bytes == NULL && len > 0) {
        errno = EFAULT;
        return -1;
    }
    size_t given = len < GETRANDOM_MOST ? len : GETRANDOM_MOST;
    ckbench_entropy_fill(bytes, given);
    return (ssize_t)given;
}

static int ckbench_pinned_getentropy(void *bytes, size_t len)
{
    if (len > GETENTROPY_MOST || (bytes == NULL && len > 0)) {
        errno = len > GETENTROPY_MOST ? EIO : EFAULT;
        return -1;
    }
    ckbench_entropy_fill(bytes, len);
    return 0;
}

static void ckbench_pinned_arc4random_buf(void *bytes, size_t len)
{
    ckbench_entropy_fill(bytes, len);
}

static uint32_t ckbench_pinned_arc4random(void)
{
    uint32_t word;
    ckbench_entropy_fill(&word, sizeof word);
    return word;
}

// High half of a product: even enough for a stream that is not random to begin with.
static uint32_t ckbench_pinned_arc4random_uniform(uint32_t bound)
{
    return (uint32_t)(((uint64_t)ckbench_pinned_arc4random() * bound) >> 32);
}

static ssize_t ckbench_raw_getrandom(void *bytes, size_t len, unsigned flags)
{
    return (ssize_t)syscall(SYS_getrandom, bytes, len, flags);
}

static int ckbench_raw_getentropy(void *bytes, size_t len)
{
    if (len > GETENTROPY_MOST) {
        errno = EIO;
        return -1;
    }
    return ckbench_raw_getrandom(bytes, len, 0) == (ssize_t)len ? 0 : -1;
}

static void ckbench_raw_arc4random_buf(void *bytes, size_t len)
{
    unsigned char *at = bytes;
    while (len > 0) {
        ssize_t got = ckbench_raw_getrandom(at, len, 0);
        if (got > 0) {
            at += got;
            len -= (size_t)got;
        }
    }
}

static uint32_t ckbench_raw_arc4random(void)
{
    uint32_t word;
    ckbench_raw_arc4random_buf(&word, sizeof word);
    return word;
}

static uint32_t ckbench_raw_arc4random_uniform(uint32_t bound)
{
    // Draws below the remainder are dropped, or small results would come too often.
    uint32_t remainder = bound < 2 ? 0 : -bound % bound;
    uint32_t word;
    do {
        word = ckbench_raw_arc4random();
    } while (word < remainder);
    return bound < 2 ? 0 : word % bound;
}

static ssize_t (*ckbench_to_getrandom)(void *, size_t, unsigned);
static int (*ckbench_to_getentropy)(void *, size_t);
static void (*ckbench_to_arc4random_buf)(void *, size_t);
static uint32_t (*ckbench_to_arc4random)(void);
static uint32_t (*ckbench_to_arc4random_uniform)(uint32_t);

#define CKBENCH_PIN(name, glibc_minor)                                                             \
    {                                                                                              \
#        name, glibc_minor, &ckbench_to_##name, (ckbench_any)ckbench_raw_##name,                   \
            (ckbench_any)ckbench_pinned_##name                                                     \
    }

const struct ckbench_pin ckbench_entropy_pins[] = {
    CKBENCH_PIN(getrandom, 25),          CKBENCH_PIN(getentropy, 25),
    CKBENCH_PIN(arc4random, 36),         CKBENCH_PIN(arc4random_buf, 36),
    CKBENCH_PIN(arc4random_uniform, 36), {NULL, 0, NULL, NULL, NULL},
};

CKBENCH_SEEN ssize_t getrandom(void *bytes, size_t len, unsigned flags)
{
    return CKBENCH_READY(getrandom)(bytes, len, flags);
}

CKBENCH_SEEN int getentropy(void *bytes, size_t len)
{
    return CKBENCH_READY(getentropy)(bytes, len);
}

CKBENCH_SEEN uint32_t arc4random(void)
{
    return CKBENCH_READY(arc4random)();
}

CKBENCH_SEEN void arc4random_buf(void *bytes, size_t len)
{
    CKBENCH_READY(arc4random_buf)(bytes, len);
}

CKBENCH_SEEN uint32_t arc4random_uniform(uint32_t bound)
{
    return CKBENCH_READY(arc4random_uniform)(bound);
}

// The layout of libsodium's randombytes_implementation, which is part of its public face.
struct ckbench_sodium_source {
    const char *(*name)(void);
    uint32_t (*word)(void);
    void (*stir)(void);
    uint32_t (*uniform)(uint32_t bound);
    void (*fill)(void *bytes, size_t len);
    int (*close)(void);
};

static const char *ckbench_sodium_name(void)
{
    return "ckbench";
}

static int ckbench_is_sodium(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    return info->dlpi_name != NULL && strstr(info->dlpi_name, "/libsodium.") != NULL;
}

void ckbench_pin_sodium(void)
{
    static struct ckbench_sodium_source source = {ckbench_sodium_name,
                                                  ckbench_pinned_arc4random,
                                                  NULL,
                                                  ckbench_pinned_arc4random_uniform,
                                                  ckbench_entropy_fill,
                                                  NULL};
    // Asked first, because a dlsym() that fails leaves a message in the heap, as long as the
    // program's path.
    if (dl_iterate_phdr(ckbench_is_sodium, NULL) == 0) {
        return;
    }
    int (*hand_over)(struct ckbench_sodium_source *) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "randombytes_set_implementation");
    memcpy(&hand_over, &found, sizeof hand_over);
    if (hand_over != NULL) {
        (void)hand_over(&source);
    }
}
