// SPDX-License-Identifier: MIT
// The library for programs in other languages: one command a line, its fields separated by tabs;
// one line of answer, `ok` and what it gave or `no`, the status and why. Bytes are hexadecimal,
// values tagged JSON (json.h), arguments as the `cachekit` command takes them. Public API only.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cachekit/envelope.h>
#include <cachekit/interop.h>
#include <cachekit/json.h>
#include <cachekit/key.h>
#include <cachekit/seal.h>

#include "arg_json.h"
#include "driver_call.h"

enum { FIELDS_MAX = 10 };

struct session {
    char *fields[FIELDS_MAX]; // the first is the command's name
    cachekit_arena arena;
    cachekit_buffer in;  // bytes of a field
    cachekit_buffer out; // bytes of a result
    cachekit_error error;
};

static void give_up(const char *text)
{
    fprintf(stderr, "driver: %s\n", text);
    exit(2);
}

// ---- fields and answers ----

static cachekit_slice text_of(const struct session *session, int field)
{
    const char *text = session->fields[field];
    return (cachekit_slice){(const uint8_t *)text, strlen(text)};
}

static const char *text_or_null(const struct session *session, int field)
{
    return session->fields[field][0] != '\0' ? session->fields[field] : NULL;
}

static unsigned digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    if (at == NULL) {
        give_up("bytes are pairs of lower-case hexadecimal digits");
        return 0;
    }
    return (unsigned)(at - digits);
}

static cachekit_slice bytes_of(struct session *session, int field)
{
    const char *text = session->fields[field];
    cachekit_buffer *in = &session->in;
    in->len = 0;
    if (cachekit_buffer_reserve(in, strlen(text) / 2 + 1) != CACHEKIT_OK) {
        give_up("out of memory");
    }
    for (; *text != '\0'; text += 2) {
        in->data[in->len++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
    }
    return (cachekit_slice){in->data, in->len};
}

static void answer_hex(const cachekit_buffer *bytes)
{
    printf("ok\t");
    for (size_t i = 0; i < bytes->len; i++) {
        printf("%02x", bytes->data[i]);
    }
}

static void answer_refusal(cachekit_status status, const cachekit_error *error)
{
    printf("no\t%s\t%s", cachekit_status_name(status), error->text);
}

static void answer_bytes(struct session *session, cachekit_status status)
{
    if (status < 0) {
        answer_refusal(status, &session->error);
    } else {
        answer_hex(&session->out);
    }
}

static void answer_text(const struct session *session, cachekit_status status, const char *text)
{
    if (status < 0) {
        answer_refusal(status, &session->error);
    } else {
        printf("ok\t%s", text);
    }
}

// ---- values and envelopes ----

// encode JSON
static void do_encode(struct session *session)
{
    cachekit_value value;
    cachekit_status status = cachekit_json_decode(text_of(session, 1), CACHEKIT_JSON_BORROW,
                                                  &session->arena, &value, &session->error);
    if (status == CACHEKIT_OK) {
        status = cachekit_interop_encode(&value, &session->out, &session->error);
    }
    answer_bytes(session, status);
}

// decode HEX
static void do_decode(struct session *session)
{
    cachekit_value value;
    cachekit_status status =
        cachekit_interop_decode(bytes_of(session, 1), 0, &session->arena, &value, &session->error);
    if (status == CACHEKIT_OK) {
        status = cachekit_json_encode(&value, 0, &session->out, &session->error);
    }
    if (status == CACHEKIT_OK) {
        status = cachekit_buffer_append(&session->out, "", 1);
    }
    answer_text(session, status, (const char *)session->out.data);
}

// envelope HEX
static void do_envelope(struct session *session)
{
    answer_bytes(session, cachekit_envelope_encode(bytes_of(session, 1), NULL, &session->out,
                                                   &session->error));
}

// payload HEX
static void do_payload(struct session *session)
{
    answer_bytes(session, cachekit_envelope_decode(bytes_of(session, 1), 0, &session->out, NULL,
                                                   &session->error));
}

// ---- keys ----

// key NAMESPACE OPERATION ARGS
static void do_key(struct session *session)
{
    char key[CACHEKIT_KEY_INTEROP_ROOM] = "";
    struct arg_list args;
    cachekit_status status =
        arg_json_read(text_of(session, 3), &session->arena, &args, &session->error);
    if (status == CACHEKIT_OK) {
        status = cachekit_key_interop(session->fields[1], session->fields[2], args.items,
                                      args.count, key, &session->error);
    }
    answer_text(session, status, key);
}

// auto NAMESPACE FUNCTION CODE 0|1 ARGS KWARGS
static void do_auto(struct session *session)
{
    char key[CACHEKIT_KEY_AUTO_ROOM] = "";
    struct arg_list args, named;
    const cachekit_key_auto_parts parts = {text_or_null(session, 1), session->fields[2],
                                           text_or_null(session, 3), session->fields[4][0] == '0'};
    cachekit_status status =
        arg_json_read(text_of(session, 5), &session->arena, &args, &session->error);
    if (status == CACHEKIT_OK) {
        status = arg_json_read_named(text_of(session, 6), &session->arena, &named, &session->error);
    }
    if (status == CACHEKIT_OK) {
        status = cachekit_key_auto(&parts, args.items, args.count, named.items, named.count, key,
                                   &session->error);
    }
    answer_text(session, status, key);
}

// ---- sealed bytes ----

// MASTER RETIRED TENANT, from the second field on.
static cachekit_keyring *open_keyring(struct session *session)
{
    cachekit_keyring *keyring = NULL;
    const char *retired = text_or_null(session, 2);
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = session->fields[1];
    options.retired_keys = &retired;
    options.retired_count = retired != NULL;
    options.tenant = session->fields[3];
    options.allow_unlocked = true;
    cachekit_status status = cachekit_keyring_new(&options, &keyring, &session->error);
    if (status != CACHEKIT_OK) {
        answer_refusal(status, &session->error);
    }
    return keyring;
}

// CACHE_KEY FORMAT True|False ORIGINAL_TYPE, behind those.
static cachekit_binding binding_of(const struct session *session)
{
    return (cachekit_binding){text_of(session, 4), session->fields[5],
                              strcmp(session->fields[6], "True") == 0, text_or_null(session, 7)};
}

// seal MASTER RETIRED TENANT CACHE_KEY FORMAT True|False ORIGINAL_TYPE HEX
static void do_seal(struct session *session)
{
    cachekit_keyring *keyring = open_keyring(session);
    if (keyring == NULL) {
        return;
    }
    const cachekit_binding binding = binding_of(session);
    answer_bytes(session, cachekit_seal(keyring, &binding, bytes_of(session, 8), &session->out,
                                        &session->error));
    cachekit_keyring_free(keyring);
}

// open, with the fields of seal; the answer's second field says which key opened.
static void do_open(struct session *session)
{
    size_t index = 0;
    cachekit_keyring *keyring = open_keyring(session);
    if (keyring == NULL) {
        return;
    }
    const cachekit_binding binding = binding_of(session);
    cachekit_status status = cachekit_open(keyring, &binding, bytes_of(session, 8), &session->out,
                                           &index, &session->error);
    answer_bytes(session, status);
    if (status == CACHEKIT_OK) {
        printf("\t%zu", index);
    }
    cachekit_keyring_free(keyring);
}

// fingerprint MASTER RETIRED TENANT
static void do_fingerprint(struct session *session)
{
    char text[CACHEKIT_FINGERPRINT_ROOM];
    cachekit_keyring *keyring = open_keyring(session);
    if (keyring == NULL) {
        return;
    }
    answer_text(session, cachekit_keyring_fingerprint(keyring, 0, text), text);
    cachekit_keyring_free(keyring);
}

// ---- calls ----

// call URL NAMESPACE NAME SHAPE MASTER TENANT ARGS JSON: who answered (2: Redis, 3: the loader,
// which gives JSON), and what.
static void do_call(struct session *session)
{
    struct arg_list args;
    cachekit_value value;
    cachekit_layer layer = CACHEKIT_LAYER_MISS;
    char *const *fields = session->fields;
    struct driver_call call = {fields[1], fields[2], fields[3], fields[4], fields[5],
                               fields[6], NULL,      0,         &value};
    cachekit_status status =
        arg_json_read(text_of(session, 7), &session->arena, &args, &session->error);
    if (status == CACHEKIT_OK) {
        status = cachekit_json_decode(text_of(session, 8), CACHEKIT_JSON_BORROW, &session->arena,
                                      &value, &session->error);
    }
    if (status == CACHEKIT_OK) {
        call.args = args.items;
        call.count = args.count;
        session->out.len = 0;
        status = driver_call(&call, &layer, &session->out, &session->error);
    }
    if (status != CACHEKIT_OK) {
        answer_refusal(status, &session->error);
        return;
    }
    printf("ok\t%d\t%.*s", (int)layer, (int)session->out.len, (const char *)session->out.data);
}

static const struct command {
    const char *name;
    int fields;
    void (*run)(struct session *session);
} commands[] = {
    {"encode", 2, do_encode},   {"decode", 2, do_decode}, {"envelope", 2, do_envelope},
    {"payload", 2, do_payload}, {"key", 4, do_key},       {"auto", 7, do_auto},
    {"seal", 9, do_seal},       {"open", 9, do_open},     {"fingerprint", 4, do_fingerprint},
    {"call", 9, do_call},
};

static int split(struct session *session, char *line)
{
    int count = 0;
    line[strcspn(line, "\n")] = '\0';
    while (line != NULL && count < FIELDS_MAX) {
        char *tab = strchr(line, '\t');
        session->fields[count++] = line;
        line = tab != NULL ? tab + 1 : NULL;
        if (tab != NULL) {
            *tab = '\0';
        }
    }
    return count;
}

static void run(struct session *session, char *line)
{
    int count = split(session, line);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].name, session->fields[0]) == 0 && commands[i].fields == count) {
            cachekit_arena_reset(&session->arena);
            session->error = (cachekit_error){.text = ""};
            commands[i].run(session);
            putchar('\n');
            return;
        }
    }
    give_up("no such command, or not with so many fields");
}

int main(void)
{
    struct session session = {
        .arena = CACHEKIT_ARENA_INIT, .in = CACHEKIT_BUFFER_INIT, .out = CACHEKIT_BUFFER_INIT};
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        run(&session, line);
        if (fflush(stdout) != 0) {
            give_up("the answer cannot be written");
        }
    }
    free(line);
    cachekit_buffer_release(&session.out);
    cachekit_buffer_release(&session.in);
    cachekit_arena_release(&session.arena);
    return 0;
}
