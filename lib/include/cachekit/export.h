// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_EXPORT_H
#define CACHEKIT_EXPORT_H

/* Marks what the shared library exports; ci/symbols.txt is the reviewed list. */
#if defined(__GNUC__)
#    define CACHEKIT_API        __attribute__((visibility("default")))
#    define CACHEKIT_MUST_CHECK __attribute__((warn_unused_result))
#else
#    define CACHEKIT_API
#    define CACHEKIT_MUST_CHECK
#endif

#ifdef __cplusplus
#    define CACHEKIT_BEGIN_DECLS extern "C" {
#    define CACHEKIT_END_DECLS   }
#else
#    define CACHEKIT_BEGIN_DECLS
#    define CACHEKIT_END_DECLS
#endif

#endif
