// SPDX-License-Identifier: MIT
// `cachekit get`, `put`, `del` and `ttl`: one call of a backend each, with the form around its
// bytes. Keys are used as they are: no name space and no tenant is put before them.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cachekit/backends.h>
#include <cachekit/cache.h>

#include "cli/opt.h"
#include "cli/say.h"
#include "command.h"
#include "complain.h"
#include "form.h"
#include "stream.h"

static const uint64_t ttl_max_ms = (uint64_t)315360000 * 1000; // ten years, as the file backend

struct store {
    struct form form; // first: its option rows are written for it
    const char *backend;
    unsigned timeout_ms;
    const char *ttl_ms;
    struct opt_texts keys;
};

// A call that is ready: what remains is the one thing that the verb does.
struct call {
    const struct store *store;
    cachekit_backend *backend;
    cachekit_slice key;
    int64_t deadline_ns;
    int64_t ttl_ms;
};

typedef cachekit_status do_call(const struct call *call, cachekit_buffer *out,
                                cachekit_error *error);

static const struct store store_defaults = {.timeout_ms = 5000};

#define STORE_ROWS                                                                                 \
    OPT_TEXT(struct store, backend, "backend", 'b', "ADDRESS",                                     \
             "redis://[user:password@]host[:port][/db], unix:///path[?db=N], "                     \
             "redis+cluster://host[:port] or file:DIR; CACHEKIT_REDIS_URL if it is not given"),    \
        OPT_COUNT(struct store, timeout_ms, "timeout-ms", 0, 1, 600000, "N",                       \
                  "milliseconds that the backend may take"),                                       \
        OPT_OPERANDS(struct store, keys, 1, 1, "KEY", "the key, as `cachekit key` prints it")

#define BOUND_TO "the key that sealed bytes are bound to, if it is not KEY"

static const struct opt get_rows[] = {FORM_FORMAT(form_words_raw), FORM_ROWS(BOUND_TO), STORE_ROWS};
static const struct opt put_rows[] = {
    FORM_FORMAT(form_words_raw), FORM_ROWS(BOUND_TO),
    OPT_TEXT(struct store, ttl_ms, "ttl-ms", 't', "N",
             "life in milliseconds, 1 to 315360000000, or none; must be given"),
    STORE_ROWS};
static const struct opt bare_rows[] = {STORE_ROWS};

#define STORE_TABLE(name, says, from, statuses, like)                                              \
    {                                                                                              \
        .verb = name, .about = says, .rows = from, .row_count = OPT_ROWS(from),                    \
        .defaults = &store_defaults, .size = sizeof store_defaults, .exits = statuses,             \
        .example = like, .is_discreet = true                                                       \
    }
#define ABSENT "0 done; 1 there is no such key; 2 wrong arguments; 3 refused or failed"

static const struct opt_table get_table = STORE_TABLE(
    "get", "print what lies under KEY as one line of JSON; with --format raw, the bytes", get_rows,
    ABSENT, "cachekit get --backend file:/var/cache/app KEY");
static const struct opt_table put_table =
    STORE_TABLE("put", "store JSON from stdin under KEY; with --format raw, the bytes", put_rows,
                "0 stored; 2 wrong arguments; 3 refused or failed",
                "echo '[1]' | cachekit put --backend unix:///run/redis.sock --ttl-ms none KEY");
static const struct opt_table del_table = STORE_TABLE(
    "del", "remove KEY", bare_rows, ABSENT, "cachekit del --backend redis://localhost KEY");
static const struct opt_table ttl_table =
    STORE_TABLE("ttl", "print how many milliseconds of KEY's life are left, or none for no end",
                bare_rows, ABSENT, "cachekit ttl --backend redis://localhost KEY");

static cachekit_status do_get(const struct call *call, cachekit_buffer *out, cachekit_error *error)
{
    cachekit_buffer stored = CACHEKIT_BUFFER_INIT;
    cachekit_status status =
        call->backend->ops->get(call->backend, call->key, call->deadline_ns, &stored, error);
    if (status == CACHEKIT_OK) {
        status =
            form_decode(&call->store->form, (cachekit_slice){stored.data, stored.len}, out, error);
    }
    cachekit_buffer_release(&stored);
    return status;
}

static cachekit_status do_put(const struct call *call, cachekit_buffer *out, cachekit_error *error)
{
    cachekit_buffer in = CACHEKIT_BUFFER_INIT;
    cachekit_buffer stored = CACHEKIT_BUFFER_INIT;
    cachekit_status status = stream_read(NULL, CACHEKIT_ENVELOPE_MAX_BYTES, &in, error);
    (void)out;
    if (status >= 0) {
        status = form_encode(&call->store->form, (cachekit_slice){in.data, in.len}, &stored, error);
    }
    if (status >= 0) {
        // Not from the start: whoever types a value at a terminal takes their time.
        status = call->backend->ops->set(call->backend, call->key,
                                         (cachekit_slice){stored.data, stored.len}, call->ttl_ms,
                                         cachekit_deadline_ns(call->store->timeout_ms), error);
    }
    cachekit_buffer_release(&in);
    cachekit_buffer_release(&stored);
    return status;
}

static cachekit_status do_del(const struct call *call, cachekit_buffer *out, cachekit_error *error)
{
    (void)out;
    return call->backend->ops->remove(call->backend, call->key, call->deadline_ns, error);
}

static cachekit_status do_ttl(const struct call *call, cachekit_buffer *out, cachekit_error *error)
{
    int64_t left_ms = 0;
    char line[32] = "none\n";
    if (call->backend->ops->ttl == NULL) {
        return complaint_set(error, CACHEKIT_E_CONFIG, "this backend does not tell lives");
    }
    cachekit_status status =
        call->backend->ops->ttl(call->backend, call->key, call->deadline_ns, &left_ms, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    if (left_ms != CACHEKIT_FOREVER_MS) {
        (void)snprintf(line, sizeof line, "%lld\n", (long long)left_ms);
    }
    return cachekit_buffer_append(out, line, strlen(line));
}

static bool read_ttl(const char *text, int64_t *out)
{
    uint64_t value = 0;
    if (strcmp(text, "none") == 0) {
        *out = CACHEKIT_FOREVER_MS;
        return true;
    }
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || value > ttl_max_ms) {
            return false;
        }
        value = value * 10 + (uint64_t)(*at - '0');
    }
    *out = (int64_t)value;
    return value >= 1 && value <= ttl_max_ms;
}

// NULL, or what is wrong with the options beyond what their rows say.
static const char *settle(struct store *store, const struct opt_table *table, int64_t *ttl_ms)
{
    if (store->backend == NULL) {
        store->backend = getenv("CACHEKIT_REDIS_URL");
    }
    if (store->backend == NULL || store->backend[0] == '\0') {
        return "--backend is missing, and CACHEKIT_REDIS_URL is not set";
    }
    if (strncmp(store->backend, "memory:", strlen("memory:")) == 0) {
        return "--backend: memory: is of one process, so there is nothing to look at";
    }
    if (table->rows == put_rows && store->ttl_ms == NULL) {
        return "--ttl-ms is missing: a number of milliseconds, or none";
    }
    if (store->ttl_ms != NULL && !read_ttl(store->ttl_ms, ttl_ms)) {
        return "--ttl-ms is neither 1 to 315360000000 nor none";
    }
    if (!store->form.encrypt && store->form.cache_key != NULL) {
        return "--cache-key means nothing without --encrypt";
    }
    if (table->rows == get_rows && store->form.format == FORM_RAW && isatty(STDOUT_FILENO) == 1) {
        return "stdout is a terminal; send the bytes to a file or a pipe";
    }
    if (store->form.cache_key == NULL) {
        store->form.cache_key = store->keys.items[0];
    }
    return form_check(&store->form);
}

// The library makes a directory that is not there; who only looks wants to hear of the typo.
static cachekit_status check_directory(const struct store *store, const struct opt_table *table,
                                       cachekit_error *error)
{
    struct stat found;
    static const char scheme[] = "file:";
    bool is_file = strncmp(store->backend, scheme, sizeof scheme - 1) == 0;
    if (is_file && table->rows != put_rows &&
        stat(store->backend + sizeof scheme - 1, &found) != 0) {
        return complaint_set(error, CACHEKIT_E_CONFIG, "--backend: there is no such directory");
    }
    return CACHEKIT_OK;
}

static int run(const struct opt_table *table, do_call *act, int argc, char **argv)
{
    int code;
    struct store store;
    struct call call = {.store = &store};
    cachekit_error error = {.text = ""};
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    if (!opt_read(table, argc, argv, &store, &code)) {
        return code;
    }
    const char *wrong = settle(&store, table, &call.ttl_ms);
    if (wrong != NULL) {
        return say_fail(COMMAND_USAGE, "%s (see cachekit %s --help)", wrong, table->verb);
    }
    cachekit_status status = check_directory(&store, table, &error);
    if (status == CACHEKIT_OK) {
        status = cachekit_backend_open(store.backend, &call.backend, &error);
    }
    if (status == CACHEKIT_OK) {
        call.key =
            (cachekit_slice){(const uint8_t *)store.keys.items[0], strlen(store.keys.items[0])};
        call.deadline_ns = cachekit_deadline_ns(store.timeout_ms);
        status = act(&call, &out, &error);
    }
    if (status == CACHEKIT_OK) {
        status = stream_write((cachekit_slice){out.data, out.len}, &error);
    }
    cachekit_backend_free(call.backend);
    cachekit_buffer_release(&out);
    return status == CACHEKIT_OK ? COMMAND_DONE : complain(status, &error, table->verb);
}

static int get_run(int argc, char **argv)
{
    return run(&get_table, do_get, argc, argv);
}

static int put_run(int argc, char **argv)
{
    return run(&put_table, do_put, argc, argv);
}

static int del_run(int argc, char **argv)
{
    return run(&del_table, do_del, argc, argv);
}

static int ttl_run(int argc, char **argv)
{
    return run(&ttl_table, do_ttl, argc, argv);
}

const struct command command_get = {"get", "what lies under a key", get_run};
const struct command command_put = {"put", "store a value under a key", put_run};
const struct command command_del = {"del", "remove a key", del_run};
const struct command command_ttl = {"ttl", "how long a key lives on", ttl_run};
