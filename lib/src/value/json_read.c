// SPDX-License-Identifier: MIT
// The grammar as a machine of five states over a stack of nodes, because no thread stack holds a
// recursion of a thousand levels. Finished nodes wait on the stack until their collection closes,
// which then moves them into the arena, all at once and exactly as many as there are.
#include "value/json_reader.h"

#include <string.h>

#include "base/status.h"
#include "value/sentinel.h"

static const uint32_t NO_FRAME = UINT32_MAX;

enum {
    // A "$map" is one level of the tree and three of the text; inside the last level there may
    // still be a tag that is none.
    NESTING_MAX = 3 * CACHEKIT_VALUE_DEPTH_MAX + 1,
};

enum state {
    FIRST_ITEM, // an item or the end of the array
    FIRST_KEY,  // a key or the end of the object
    ITEM,
    KEY,
    NEXT, // behind a value
};

cachekit_status cki_json_refuse(struct cki_json_reader *reader, cachekit_status status,
                                const uint8_t *at, const char *text)
{
    uint64_t position = (uint64_t)(at - reader->start);
    return cki_fail(reader->error, status, position, "%s, at byte %llu", text,
                    (unsigned long long)position);
}

static cachekit_status out_of_memory(struct cki_json_reader *reader)
{
    return cki_json_refuse(reader, CACHEKIT_E_NOMEM, reader->at, "out of memory for the values");
}

static cachekit_status refuse_here(struct cki_json_reader *reader, const char *text)
{
    return cki_json_refuse(reader, CACHEKIT_E_DECODE, reader->at, text);
}

static void skip_space(struct cki_json_reader *reader)
{
    const uint8_t *at = reader->at;
    while (at < reader->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
        at++;
    }
    reader->at = at;
}

static cachekit_status push(struct cki_json_reader *reader, const cachekit_value *node)
{
    if (reader->used == reader->room) {
        cachekit_value *stack =
            cachekit_arena_alloc(reader->arena, 2 * reader->room * sizeof *stack);
        if (stack == NULL) {
            return out_of_memory(reader);
        }
        memcpy(stack, reader->stack, reader->used * sizeof *stack);
        reader->stack = stack;
        reader->room *= 2;
    }
    reader->stack[reader->used++] = *node;
    return CACHEKIT_OK;
}

// An open collection on the stack: its type, the height of its tallest item so far as length, and
// as number the frame around it and the place of its bracket. Both fit: an input below 4 GiB has
// fewer nodes than bytes.
static cachekit_status open_collection(struct cki_json_reader *reader, cachekit_type type)
{
    unsigned limit =
        (reader->flags & CACHEKIT_JSON_PLAIN) != 0 ? CACHEKIT_VALUE_DEPTH_MAX : NESTING_MAX;
    if (reader->nesting == limit) {
        return refuse_here(reader, "more than 1024 levels");
    }
    cachekit_value frame = {.type = type};
    frame.as.u64 = (uint64_t)reader->frame << 32 | (uint64_t)(reader->at - reader->start);
    reader->frame = (uint32_t)reader->used;
    reader->nesting++;
    reader->at++;
    return push(reader, &frame);
}

static cachekit_status keep_items(struct cki_json_reader *reader, const cachekit_value *items,
                                  size_t count, const cachekit_value **kept)
{
    *kept = NULL;
    if (count == 0) {
        return CACHEKIT_OK;
    }
    cachekit_value *copy = cachekit_arena_alloc(reader->arena, count * sizeof *copy);
    if (copy == NULL) {
        return out_of_memory(reader);
    }
    memcpy(copy, items, count * sizeof *copy);
    *kept = copy;
    return CACHEKIT_OK;
}

// The node of a collection that closes, with its items on the stack.
static cachekit_status make_node(struct cki_json_reader *reader, const cachekit_value *frame,
                                 uint32_t *height, cachekit_value *node)
{
    const cachekit_value *items = frame + 1;
    size_t count = reader->used - reader->frame - 1;
    bool is_map = frame->type == CACHEKIT_MAP;
    *height = frame->len + 1;
    if (is_map && (reader->flags & CACHEKIT_JSON_PLAIN) == 0) {
        if (count == 2 && items[0].len > 0 && items[0].as.text[0] == '$') {
            *height = frame->len;
            const uint8_t *bracket = reader->start + (uint32_t)frame->as.u64;
            return cki_json_read_tag(reader, items, bracket, height, node);
        }
        *node = cachekit_value_map(items, count / 2);
        if (cki_sentinel_revive(node)) {
            return CACHEKIT_OK;
        }
    }
    const cachekit_value *kept;
    cachekit_status status = keep_items(reader, items, count, &kept);
    *node = is_map ? cachekit_value_map(kept, count / 2) : cachekit_value_array(kept, count);
    return status;
}

static cachekit_status close_collection(struct cki_json_reader *reader)
{
    const cachekit_value *frame = &reader->stack[reader->frame];
    uint32_t height;
    cachekit_value node;
    cachekit_status status = make_node(reader, frame, &height, &node);
    if (status < 0) {
        return status;
    }
    bool is_map = frame->type == CACHEKIT_MAP;
    uint32_t outer = (uint32_t)(frame->as.u64 >> 32);
    // Whether an array is a level of the tree or a part of a "$map" is known outside of it.
    if (height > CACHEKIT_VALUE_DEPTH_MAX && (is_map || outer == NO_FRAME)) {
        return refuse_here(reader, "more than 1024 levels");
    }
    reader->at++;
    reader->nesting--;
    reader->used = reader->frame;
    reader->frame = outer;
    if (reader->frame != NO_FRAME && reader->stack[reader->frame].len < height) {
        reader->stack[reader->frame].len = height;
    }
    reader->stack[reader->used++] = node; // where the frame was
    return CACHEKIT_OK;
}

static cachekit_status read_word(struct cki_json_reader *reader)
{
    static const struct {
        char word[6];
        uint8_t len;
        cachekit_value node;
    } words[] = {
        {"null", 4, {.type = CACHEKIT_NIL}},
        {"true", 4, {.type = CACHEKIT_BOOL, .as.boolean = true}},
        {"false", 5, {.type = CACHEKIT_BOOL}},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if ((size_t)(reader->end - reader->at) >= words[i].len &&
            memcmp(reader->at, words[i].word, words[i].len) == 0) {
            reader->at += words[i].len;
            return push(reader, &words[i].node);
        }
    }
    return refuse_here(reader, "no value");
}

static cachekit_status read_key(struct cki_json_reader *reader)
{
    if (*reader->at != '"') {
        return refuse_here(reader, "no key");
    }
    reader->at++;
    cachekit_value key;
    cachekit_status status = cki_json_read_text(reader, &key);
    if (status < 0) {
        return status;
    }
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != ':') {
        return refuse_here(reader, "no colon behind a key");
    }
    reader->at++;
    return push(reader, &key);
}

// A value, or the beginning of one; `*state` is what must follow.
static cachekit_status read_item(struct cki_json_reader *reader, enum state *state)
{
    cachekit_value node;
    cachekit_status status;
    uint8_t c = *reader->at;
    *state = NEXT;
    if (c == '"') {
        reader->at++;
        status = cki_json_read_text(reader, &node);
    } else if (c == '{') {
        *state = FIRST_KEY;
        return open_collection(reader, CACHEKIT_MAP);
    } else if (c == '[') {
        *state = FIRST_ITEM;
        return open_collection(reader, CACHEKIT_ARRAY);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        status = cki_json_read_number(reader, &node);
    } else {
        return read_word(reader);
    }
    return status < 0 ? status : push(reader, &node);
}

static cachekit_status read_next(struct cki_json_reader *reader, enum state *state)
{
    bool is_map = reader->stack[reader->frame].type == CACHEKIT_MAP;
    if (*reader->at == ',') {
        reader->at++;
        *state = is_map ? KEY : ITEM;
        return CACHEKIT_OK;
    }
    if (*reader->at == (is_map ? '}' : ']')) {
        return close_collection(reader);
    }
    return refuse_here(reader, is_map ? "no comma and no } behind a pair"
                                      : "no comma and no ] behind an item");
}

static cachekit_status step(struct cki_json_reader *reader, enum state *state)
{
    uint8_t c = *reader->at;
    if ((*state == FIRST_ITEM && c == ']') || (*state == FIRST_KEY && c == '}')) {
        *state = NEXT;
        return close_collection(reader);
    }
    switch (*state) {
    case FIRST_KEY:
    case KEY:
        *state = ITEM;
        return read_key(reader);
    case FIRST_ITEM:
    case ITEM:
        return read_item(reader, state);
    default:
        return read_next(reader, state);
    }
}

static cachekit_status read_document(struct cki_json_reader *reader, cachekit_value *root)
{
    enum state state = ITEM;
    while (state != NEXT || reader->frame != NO_FRAME) {
        skip_space(reader);
        if (reader->at == reader->end) {
            return refuse_here(reader, "the document ends too early");
        }
        cachekit_status status = step(reader, &state);
        if (status < 0) {
            return status;
        }
    }
    skip_space(reader);
    if (reader->at != reader->end) {
        return refuse_here(reader, "bytes behind the document");
    }
    *root = reader->stack[0];
    return CACHEKIT_OK;
}

cachekit_status cachekit_json_decode(cachekit_slice input, unsigned flags, cachekit_arena *arena,
                                     cachekit_value *root, cachekit_error *error)
{
    *root = cachekit_value_nil();
    if ((flags & ~(unsigned)(CACHEKIT_JSON_COPY | CACHEKIT_JSON_PLAIN)) != 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "unknown flags %#x", flags);
    }
    if (input.len > UINT32_MAX) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "the document is over 4 GiB");
    }
    if (input.len == 0) {
        return cki_fail(error, CACHEKIT_E_DECODE, 0, "empty input");
    }
    struct cki_json_reader reader;
    reader.start = input.data;
    reader.at = input.data;
    reader.end = input.data + input.len;
    reader.flags = flags;
    reader.arena = arena;
    reader.error = error;
    reader.stack = reader.first;
    reader.used = 0;
    reader.room = CKI_JSON_STACK_FIRST;
    reader.frame = NO_FRAME;
    reader.nesting = 0;
    return read_document(&reader, root);
}
