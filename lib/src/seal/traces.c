// SPDX-License-Identifier: MIT
// The stack is wiped from here downwards, which is where the frames of the caller's other calls
// were. libsodium's AES uses the lower 16 vector registers, the C library's copies the upper 16
// where there are such, and neither clears them. This room is compiled with -fno-plt, so that none
// of its own calls is bound lazily while they hold a key.
#include "seal/traces.h"

#include <sodium.h>

#ifdef __x86_64__
#    define ZERO_LOW(a, b) "pxor %%xmm" #    a ", %%xmm" #    a "\n\tpxor %%xmm" #    b ", %%xmm" #    b "\n\t"
#    define ZERO_HIGH(a)   "vpxord %%zmm" #    a ", %%zmm" #    a ", %%zmm" #    a "\n\t"

__attribute__((target("avx512f"))) static void wipe_upper_registers(void)
{
    __asm__ volatile(
        ZERO_HIGH(16) ZERO_HIGH(17) ZERO_HIGH(18) ZERO_HIGH(19) ZERO_HIGH(20) ZERO_HIGH(21)
            ZERO_HIGH(22) ZERO_HIGH(23) ZERO_HIGH(24) ZERO_HIGH(25) ZERO_HIGH(26) ZERO_HIGH(27)
                ZERO_HIGH(28) ZERO_HIGH(29) ZERO_HIGH(30) ZERO_HIGH(31)::
                    : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",
                      "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}

static void wipe_registers(void)
{
    __asm__ volatile(ZERO_LOW(0, 1) ZERO_LOW(2, 3) ZERO_LOW(4, 5) ZERO_LOW(6, 7) ZERO_LOW(8, 9)
                         ZERO_LOW(10, 11) ZERO_LOW(12, 13) ZERO_LOW(14, 15)::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                               "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                               "xmm15");
    if (__builtin_cpu_supports("avx512f")) {
        wipe_upper_registers();
    }
}
#else
static void wipe_registers(void)
{
}
#endif

void cki_traces_wipe(void)
{
    wipe_registers();
    sodium_stackzero(CKI_TRACES_BYTES);
}
