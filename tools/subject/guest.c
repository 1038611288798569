// SPDX-License-Identifier: MIT
// What the processor says it is, as a digest. Under valgrind that is valgrind's made-up processor
// with a few bits of the host showing through; the C library picks its string functions by it, so
// two sides that see different ones do not compare.
#include "kit.h"

#if defined(__x86_64__) || defined(__i386__)
#    include <cpuid.h>
#else
#    include <sys/auxv.h>
#endif

static uint64_t ckbench_mix(uint64_t digest, uint32_t word)
{
    // FNV-1a, byte by byte.
    for (unsigned shift = 0; shift < 32; shift += 8) {
        digest = (digest ^ ((word >> shift) & 0xff)) * 0x100000001b3U;
    }
    return digest;
}

#if defined(__x86_64__) || defined(__i386__)
static uint64_t ckbench_guest_digest(uint64_t digest)
{
    // Leaf 1 EBX holds the number of the core that happened to answer in its top byte.
    static const struct {
        uint32_t leaf, subleaf, ebx_mask;
    } leaves[] = {
        {0, 0, ~0U},          {1, 0, 0x00ffffff},   {4, 0, ~0U},          {4, 1, ~0U},
        {4, 2, ~0U},          {4, 3, ~0U},          {7, 0, ~0U},          {7, 1, ~0U},
        {13, 0, ~0U},         {13, 1, ~0U},         {0x80000000, 0, ~0U}, {0x80000001, 0, ~0U},
        {0x80000002, 0, ~0U}, {0x80000003, 0, ~0U}, {0x80000004, 0, ~0U}, {0x80000008, 0, ~0U},
    };
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        uint32_t word[4] = {0};
        if (__get_cpuid_count(leaves[i].leaf, leaves[i].subleaf, &word[0], &word[1], &word[2],
                              &word[3]) == 0) {
            continue;
        }
        word[1] &= leaves[i].ebx_mask;
        digest = ckbench_mix(digest, leaves[i].leaf);
        for (size_t j = 0; j < 4; j++) {
            digest = ckbench_mix(digest, word[j]);
        }
    }
    return digest;
}
#else
static uint64_t ckbench_guest_digest(uint64_t digest)
{
    const unsigned long bits[] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    for (size_t i = 0; i < 2; i++) {
        digest = ckbench_mix(digest, (uint32_t)bits[i]);
        digest = ckbench_mix(digest, (uint32_t)((uint64_t)bits[i] >> 32));
    }
    return digest;
}
#endif

void ckbench_send_guest(void)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "guest");
    ckbench_line_hex(&line, "cpuid", ckbench_guest_digest(0xcbf29ce484222325U));
    (void)ckbench_line_send(&line);
}
