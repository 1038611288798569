// SPDX-License-Identifier: MIT
// Places where a test may hold a thread up, to make it lose races that it nearly always wins. They
// are nothing unless CACHEKIT_YIELD is defined; then the program brings the function.
#ifndef CKI_YIELD_H
#define CKI_YIELD_H

#ifdef CACHEKIT_YIELD
void cki_yield(void);
#    define CKI_YIELD() cki_yield()
#else
#    define CKI_YIELD() ((void)0)
#endif

#endif
