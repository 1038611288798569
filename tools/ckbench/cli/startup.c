// SPDX-License-Identifier: MIT
// What was handed down to a program may not cost it its own files.
#include "cli/startup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

// A closed descriptor would be handed to the next file that is opened, and our text with it. Read
// only, so that writing to a closed stdout still fails.
static void fill_closed_descriptors(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            (void)open("/dev/null", O_RDONLY);
        }
    }
}

void startup(void)
{
    fill_closed_descriptors();
    (void)umask(umask(077) & 077);
    (void)signal(SIGXFSZ, SIG_IGN);
}
