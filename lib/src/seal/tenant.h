// SPDX-License-Identifier: MIT
#ifndef CKI_TENANT_H
#define CKI_TENANT_H

#include <stddef.h>

// Its length; 0 when it is not 1 to 1,024 bytes of strict UTF-8.
size_t cki_tenant_len(const char *tenant);

#endif
