// SPDX-License-Identifier: MIT
// Functions of libsodium and of the C library leave pieces of keys on their stack and in registers,
// which a lazily bound call or a signal would put on a stack too. Call this behind them, in the
// same function.
#ifndef CKI_TRACES_H
#define CKI_TRACES_H

// Wipes the vector registers and CKI_TRACES_BYTES of stack below the caller's frame.
void cki_traces_wipe(void);

// More than any of the calls uses; a test looks through all memory for what is left.
enum { CKI_TRACES_BYTES = 2048 };

#endif
