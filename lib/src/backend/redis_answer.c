// SPDX-License-Identifier: MIT
// hiredis's reader asks these functions for objects. They hand out none: the one object is the
// answer itself, so a reply costs no allocation but the room of its bytes, and a reply that nobody
// wants costs nothing however large it claims to be.
#include "backend/redis_answer.h"

#include <string.h>

#include <hiredis.h>

void cki_answer_reset(struct cki_answer *answer)
{
    answer->kind = CKI_ANSWER_NONE;
    answer->number = 0;
    answer->item_count = 0;
    answer->refused = CACHEKIT_OK;
    answer->line[0] = '\0';
    if (answer->bulk != NULL) {
        answer->bulk->len = 0;
    }
    if (answer->items != NULL) {
        answer->items->len = 0;
    }
}

// NULL makes the reader give up.
static void *refuse(struct cki_answer *answer, cachekit_status why)
{
    answer->refused = why;
    return NULL;
}

static void *add(const redisReadTask *task, struct cki_answer_item item)
{
    struct cki_answer *answer = task->privdata;
    if (task->parent == NULL) {
        answer->kind = item.kind;
        answer->number = item.number;
        return answer;
    }
    if (++answer->item_count > CKI_ANSWER_ITEMS_MAX) {
        return refuse(answer, CACHEKIT_E_UNKNOWN);
    }
    return cachekit_buffer_append(answer->items, &item, sizeof item) == CACHEKIT_OK
               ? answer
               : refuse(answer, CACHEKIT_E_NOMEM);
}

static void *add_line(const redisReadTask *task, enum cki_answer_kind kind, const char *text,
                      size_t len)
{
    struct cki_answer *answer = task->privdata;
    if (task->parent != NULL) {
        return refuse(answer, CACHEKIT_E_UNKNOWN);
    }
    answer->kind = kind;
    size_t kept = len < CKI_ANSWER_LINE_ROOM - 1 ? len : CKI_ANSWER_LINE_ROOM - 1;
    memcpy(answer->line, text, kept);
    answer->line[kept] = '\0';
    return answer;
}

static void *create_string(const redisReadTask *task, char *text, size_t len)
{
    struct cki_answer *answer = task->privdata;
    if (task->type != REDIS_REPLY_STRING) {
        return add_line(task,
                        task->type == REDIS_REPLY_ERROR ? CKI_ANSWER_ERROR : CKI_ANSWER_STATUS,
                        text, len);
    }
    struct cki_answer_item item = {CKI_ANSWER_BULK, 0, 0, len};
    if (answer->bulk != NULL) {
        item.offset = answer->bulk->len;
        if (cachekit_buffer_append(answer->bulk, text, len) != CACHEKIT_OK) {
            return refuse(answer, CACHEKIT_E_NOMEM);
        }
    }
    return add(task, item);
}

// hiredis counts in int, later in size_t.
#if HIREDIS_MAJOR < 1
static void *create_array(const redisReadTask *task, int elements)
#else
static void *create_array(const redisReadTask *task, size_t elements)
#endif
{
    struct cki_answer *answer = task->privdata;
    if (answer->items == NULL || (size_t)elements > CKI_ANSWER_ITEMS_MAX) {
        return refuse(answer, CACHEKIT_E_UNKNOWN);
    }
    return add(task, (struct cki_answer_item){CKI_ANSWER_ARRAY, (int64_t)elements, 0, 0});
}

static void *create_integer(const redisReadTask *task, long long number)
{
    return add(task, (struct cki_answer_item){CKI_ANSWER_INTEGER, number, 0, 0});
}

static void *create_nil(const redisReadTask *task)
{
    return add(task, (struct cki_answer_item){CKI_ANSWER_NIL, 0, 0, 0});
}

static void free_object(void *object)
{
    (void)object;
}

// hiredis takes it without const and does not write it.
static redisReplyObjectFunctions functions = {
    .createString = create_string,
    .createArray = create_array,
    .createInteger = create_integer,
    .createNil = create_nil,
    .freeObject = free_object,
};

struct redisReader *cki_answer_reader_new(void)
{
    redisReader *reader = redisReaderCreateWithFunctions(&functions);
    if (reader != NULL) {
        reader->maxbuf = 0; // keep the room between replies
    }
    return reader;
}
