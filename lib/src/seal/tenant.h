// SPDX-License-Identifier: MIT
#ifndef CKI_TENANT_H
#define CKI_TENANT_H

#include <stdbool.h>

// 1 to 1,024 bytes of strict UTF-8.
bool cki_tenant_is_valid(const char *tenant);

#endif
