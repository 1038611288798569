// SPDX-License-Identifier: MIT
#ifndef CKI_FILE_DIR_H
#define CKI_FILE_DIR_H

#include <cachekit/allocator.h>
#include <cachekit/status.h>

// Makes the directory if it is not there and opens it, or says why it cannot be trusted. All later
// work goes through `*dir_fd`: whoever renames the path or plants a link cannot lead it elsewhere.
CACHEKIT_MUST_CHECK cachekit_status cki_file_dir_open(const char *path,
                                                      const cachekit_allocator *allocator,
                                                      int *dir_fd, cachekit_error *error);

#endif
