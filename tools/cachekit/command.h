// SPDX-License-Identifier: MIT
// A verb of the `cachekit` command: one row in main.c, one function. The program uses the library's
// public headers only.
#ifndef CACHEKIT_COMMAND_H
#define CACHEKIT_COMMAND_H

enum command_exit {
    COMMAND_DONE = 0,
    COMMAND_ABSENT = 1,  // no live entry under the key
    COMMAND_USAGE = 2,   // wrong arguments, those of the cached function included
    COMMAND_REFUSED = 3, // data, keys or ciphertext refused; no memory; could not read or write
};

struct command {
    const char *name;
    const char *about; // one line for `cachekit --help`

    // argv[0] is the verb's name. Returns a command_exit. A result reaches stdout whole or not at
    // all, and only with COMMAND_DONE.
    int (*run)(int argc, char **argv);
};

extern const struct command command_key;
extern const struct command command_encode;
extern const struct command command_decode;
extern const struct command command_inspect;
extern const struct command command_get;
extern const struct command command_put;
extern const struct command command_del;
extern const struct command command_ttl;

#endif
