// SPDX-License-Identifier: MIT
// Counts calls into the allocator, in a process whose time nobody reads: every place from which an
// object of the program calls it, or keeps its address, is turned to a function that counts and
// passes on. So processes that are timed hold no counter, and the allocator is the one they use.
#include "kit.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__aarch64__)
enum { TO_CALL = R_AARCH64_JUMP_SLOT, TO_READ = R_AARCH64_GLOB_DAT, TO_KEEP = R_AARCH64_ABS64 };
#else
enum { TO_CALL = R_X86_64_JUMP_SLOT, TO_READ = R_X86_64_GLOB_DAT, TO_KEEP = R_X86_64_64 };
#endif

static uint64_t ckbench_allocated;

static void ckbench_count_one(void)
{
    (void)__atomic_fetch_add(&ckbench_allocated, 1, __ATOMIC_RELAXED);
}

uint64_t ckbench_allocations(void)
{
    return __atomic_load_n(&ckbench_allocated, __ATOMIC_RELAXED);
}

static void *(*ckbench_real_malloc)(size_t);
static void *(*ckbench_real_calloc)(size_t, size_t);
static void *(*ckbench_real_realloc)(void *, size_t);
static void *(*ckbench_real_reallocarray)(void *, size_t, size_t);
static void *(*ckbench_real_aligned_alloc)(size_t, size_t);
static void *(*ckbench_real_memalign)(size_t, size_t);
static void *(*ckbench_real_valloc)(size_t);
static void *(*ckbench_real_pvalloc)(size_t);
static int (*ckbench_real_posix_memalign)(void **, size_t, size_t);

static void *ckbench_counted_malloc(size_t size)
{
    ckbench_count_one();
    return ckbench_real_malloc(size);
}

static void *ckbench_counted_calloc(size_t count, size_t size)
{
    ckbench_count_one();
    return ckbench_real_calloc(count, size);
}

static void *ckbench_counted_realloc(void *block, size_t size)
{
    ckbench_count_one();
    return ckbench_real_realloc(block, size);
}

static void *ckbench_counted_reallocarray(void *block, size_t count, size_t size)
{
    ckbench_count_one();
    return ckbench_real_reallocarray(block, count, size);
}

static void *ckbench_counted_aligned_alloc(size_t alignment, size_t size)
{
    ckbench_count_one();
    return ckbench_real_aligned_alloc(alignment, size);
}

static void *ckbench_counted_memalign(size_t alignment, size_t size)
{
    ckbench_count_one();
    return ckbench_real_memalign(alignment, size);
}

static void *ckbench_counted_valloc(size_t size)
{
    ckbench_count_one();
    return ckbench_real_valloc(size);
}

static void *ckbench_counted_pvalloc(size_t size)
{
    ckbench_count_one();
    return ckbench_real_pvalloc(size);
}

static int ckbench_counted_posix_memalign(void **block, size_t alignment, size_t size)
{
    ckbench_count_one();
    return ckbench_real_posix_memalign(block, alignment, size);
}

#define CKBENCH_HOOK(name)                                                                         \
    {                                                                                              \
#        name, (ckbench_any)ckbench_counted_##name, &ckbench_real_##name                           \
    }

static const struct ckbench_hook {
    const char *name;
    ckbench_any counted;
    void *real;
} ckbench_hooks[] = {
    CKBENCH_HOOK(malloc),         CKBENCH_HOOK(calloc),        CKBENCH_HOOK(realloc),
    CKBENCH_HOOK(reallocarray),   CKBENCH_HOOK(aligned_alloc), CKBENCH_HOOK(memalign),
    CKBENCH_HOOK(posix_memalign), CKBENCH_HOOK(valloc),        CKBENCH_HOOK(pvalloc),
};
enum { HOOKS = sizeof ckbench_hooks / sizeof *ckbench_hooks };

// False where the program brings the allocator itself, or has no dynamic linker to ask.
static bool ckbench_find_real(void)
{
    Dl_info own, other;
    if (dladdr(&ckbench_allocated, &own) == 0) {
        return false;
    }
    for (size_t i = 0; i < HOOKS; i++) {
        void *real = dlsym(RTLD_DEFAULT, ckbench_hooks[i].name);
        if (real == NULL || dladdr(real, &other) == 0 || own.dli_fbase == other.dli_fbase) {
            return false;
        }
        memcpy(ckbench_hooks[i].real, &real, sizeof real);
    }
    return true;
}

static void *ckbench_pointer(uintptr_t place)
{
    void *pointer;
    memcpy(&pointer, &place, sizeof pointer);
    return pointer;
}

struct ckbench_object {
    ElfW(Addr) base;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * tables[2];
    size_t bytes[2];
};

static void ckbench_turn(const struct ckbench_object *o, const ElfW(Rela) * entry)
{
    unsigned long type = ELF64_R_TYPE(entry->r_info);
    const char *name = o->names + o->symbols[ELF64_R_SYM(entry->r_info)].st_name;
    if (type != TO_CALL && type != TO_READ && (type != TO_KEEP || entry->r_addend != 0)) {
        return;
    }
    for (size_t i = 0; i < HOOKS; i++) {
        uintptr_t place = o->base + entry->r_offset, page = (uintptr_t)sysconf(_SC_PAGESIZE);
        if (strcmp(ckbench_hooks[i].name, name) == 0 &&
            mprotect(ckbench_pointer(place & ~(page - 1)), page, PROT_READ | PROT_WRITE) == 0) {
            memcpy(ckbench_pointer(place), &ckbench_hooks[i].counted, sizeof(ckbench_any));
        }
    }
}

static void ckbench_read_dynamic(const ElfW(Dyn) * at, struct ckbench_object *o)
{
    for (; at->d_tag != DT_NULL; at++) {
        const void *there = ckbench_pointer(at->d_un.d_ptr);
        switch (at->d_tag) {
        case DT_SYMTAB:
            o->symbols = there;
            break;
        case DT_STRTAB:
            o->names = there;
            break;
        case DT_RELA:
            o->tables[0] = there;
            break;
        case DT_RELASZ:
            o->bytes[0] = at->d_un.d_val;
            break;
        case DT_JMPREL:
            o->tables[1] = there;
            break;
        case DT_PLTRELSZ:
            o->bytes[1] = at->d_un.d_val;
            break;
        default:
            break;
        }
    }
}

static int ckbench_turn_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct ckbench_object o = {.base = info->dlpi_addr};
    (void)size;
    (void)context;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            ckbench_read_dynamic(ckbench_pointer(o.base + info->dlpi_phdr[i].p_vaddr), &o);
        }
    }
    for (size_t table = 0; table < 2 && o.symbols != NULL && o.names != NULL; table++) {
        for (size_t i = 0; o.tables[table] != NULL && i < o.bytes[table] / sizeof(ElfW(Rela));
             i++) {
            ckbench_turn(&o, &o.tables[table][i]);
        }
    }
    return 0;
}

bool ckbench_allocations_start(void)
{
    return ckbench_find_real() && dl_iterate_phdr(ckbench_turn_object, NULL) == 0;
}
