// SPDX-License-Identifier: MIT
// Two pieces that may overlap copy a short text and say if it is ASCII, without a loop or a call.
#ifndef CKI_COPY_ENDS_H
#define CKI_COPY_ENDS_H

#include <stdint.h>
#include <string.h>

// Returns from the function around it. `len` is from one `piece` to two.
#define CKI_COPY_ENDS(piece, to, text, len)                                                        \
    do {                                                                                           \
        piece first, last;                                                                         \
        memcpy(&first, text, sizeof first);                                                        \
        memcpy(&last, (text) + (len) - sizeof last, sizeof last);                                  \
        memcpy(to, &first, sizeof first);                                                          \
        memcpy((to) + (len) - sizeof last, &last, sizeof last);                                    \
        return ((first | last) & (piece)UINT64_C(0x8080808080808080)) == 0;                        \
    } while (0)

#endif
