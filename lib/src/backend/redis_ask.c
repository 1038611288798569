// SPDX-License-Identifier: MIT
// Whatever is not one of the answers that a command can have closes the link, so that no later
// question can get an answer that was meant for an earlier one.
#include "backend/redis_ask.h"

#include <string.h>

#include <hiredis.h>

#include "backend/instant.h"
#include "backend/redis_error.h"
#include "backend/redis_pool.h"
#include "base/status.h"

static cachekit_status judge_error(const struct cki_answer *answer, enum cki_outcome *outcome,
                                   cachekit_error *error)
{
    const struct cki_redis_error *row = cki_redis_error_find(answer->line);
    if (row->is_at_the_door) {
        *outcome = CKI_REFUSED;
    } else if (row->moves_on) {
        *outcome = CKI_MOVE_ON;
    } else {
        *outcome = row->keeps_link ? CKI_KEEP : CKI_CLOSE;
    }
    return cki_redis_error_tell(row, error);
}

static bool is_wanted(const struct cki_command *command, const struct cki_answer *answer)
{
    if (((unsigned)answer->kind & command->wants) == 0) {
        return false;
    }
    if (answer->kind == CKI_ANSWER_STATUS) {
        return strcmp(answer->line, "OK") == 0 || strcmp(answer->line, "PONG") == 0;
    }
    return answer->kind != CKI_ANSWER_INTEGER ||
           (answer->number >= command->least && answer->number <= command->most);
}

static cachekit_status judge(const struct cki_command *command, const struct cki_answer *answer,
                             enum cki_outcome *outcome, cachekit_error *error)
{
    if (answer->kind == CKI_ANSWER_ERROR) {
        return judge_error(answer, outcome, error);
    }
    if (is_wanted(command, answer)) {
        *outcome = CKI_KEEP;
        return CACHEKIT_OK;
    }
    *outcome = CKI_CLOSE;
    return cki_fail(error, CACHEKIT_E_UNKNOWN, 0,
                    "redis: the answer is of a kind that does not belong to the question");
}

// hiredis writes no more than an int can count; values are bounded before.
cachekit_status cki_format(const struct cki_command *command, cachekit_slice *out,
                           cachekit_error *error)
{
    char *bytes = NULL;
    const char **argv = command->many;
    const char *copy[sizeof command->argv / sizeof command->argv[0]];
    if (argv == NULL) {
        memcpy(copy, command->argv, sizeof copy);
        argv = copy;
    }
    int len = redisFormatCommandArgv(&bytes, command->argc, argv,
                                     command->many != NULL ? command->many_lens : command->lens);
    if (len < 0) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for a command");
    }
    *out = (cachekit_slice){(const uint8_t *)bytes, (size_t)len};
    return CACHEKIT_OK;
}

void cki_unformat(cachekit_slice bytes)
{
    redisFreeCommand((char *)(uintptr_t)bytes.data);
}

static cachekit_status ask_asking(const struct cki_redis *self, struct cki_link *link,
                                  int64_t deadline_ns, enum cki_outcome *outcome,
                                  cachekit_error *error)
{
    static const char bytes[] = "*1\r\n$6\r\nASKING\r\n";
    static const struct cki_command command = {.wants = CKI_ANSWER_STATUS};
    struct cki_answer answer = {.bulk = NULL};
    cachekit_slice slice = {(const uint8_t *)bytes, sizeof bytes - 1};
    cachekit_status status =
        cki_wire_ask(link, slice, &answer, self->answer_max, deadline_ns, error);
    return status == CACHEKIT_OK ? judge(&command, &answer, outcome, error) : status;
}

static cachekit_status ask_link(const struct cki_redis *self, struct cki_link *link,
                                const struct cki_command *command, cachekit_slice bytes,
                                struct cki_answer *answer, int64_t deadline_ns,
                                enum cki_outcome *outcome, cachekit_error *error)
{
    cachekit_status status =
        cki_wire_ask(link, bytes, answer, self->answer_max, deadline_ns, error);
    return status == CACHEKIT_OK ? judge(command, answer, outcome, error) : status;
}

cachekit_status cki_ask(struct cki_redis *self, const struct cki_command *command, uint32_t node,
                        enum cki_ask_how how, struct cki_answer *answer, int64_t deadline_ns,
                        cachekit_error *error)
{
    struct cki_taken taken;
    cachekit_slice bytes;
    enum cki_outcome outcome = CKI_BROKEN;
    cki_answer_reset(answer);
    cachekit_status status = cki_format(command, &bytes, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    status = cki_pool_take(self, node, deadline_ns, &taken, error);
    if (status == CACHEKIT_OK) {
        if (how == CKI_ASK_ASKING) {
            status = ask_asking(self, taken.link, deadline_ns, &outcome, error);
        }
        if (status == CACHEKIT_OK) {
            outcome = CKI_BROKEN;
            status =
                ask_link(self, taken.link, command, bytes, answer, deadline_ns, &outcome, error);
        }
        cki_pool_give(self, taken, outcome, status, deadline_ns);
    }
    cki_unformat(bytes);
    return status;
}

struct batch {
    struct cki_asked *asked;
    enum cki_outcome outcome; // the worst
    cachekit_status first;    // failure
    cachekit_error *error;
};

static void judge_one(void *context, size_t number, const struct cki_answer *answer)
{
    struct batch *batch = context;
    struct cki_asked *asked = &batch->asked[number];
    const struct cki_command command = {.wants = CKI_ANSWER_INTEGER, .most = asked->most};
    enum cki_outcome outcome;
    asked->status =
        judge(&command, answer, &outcome, batch->first == CACHEKIT_OK ? batch->error : NULL);
    asked->is_sent_on = asked->status == CACHEKIT_E_CONFIG;
    batch->first = batch->first == CACHEKIT_OK ? asked->status : batch->first;
    batch->outcome = outcome > batch->outcome ? outcome : batch->outcome;
}

cachekit_status cki_ask_batch(struct cki_redis *self, uint32_t node, cachekit_slice commands,
                              struct cki_asked *asked, size_t count, int64_t deadline_ns,
                              cachekit_error *error)
{
    struct cki_taken taken;
    struct cki_answer answer = {.bulk = NULL};
    struct batch batch = {asked, CKI_KEEP, CACHEKIT_OK, error};
    const struct cki_questions questions = {commands, count, judge_one, &batch};
    cachekit_status status =
        deadline_ns > cki_instant_ns()
            ? cki_pool_take(self, node, deadline_ns, &taken, error)
            : cki_fail(error, CACHEKIT_E_TIMEOUT, 0, "redis: the deadline has passed");
    if (status == CACHEKIT_OK) {
        status = cki_wire_ask_many(taken.link, &questions, &answer, self->answer_max, deadline_ns,
                                   error);
        cki_pool_give(self, taken, status == CACHEKIT_OK ? batch.outcome : CKI_BROKEN, status,
                      deadline_ns);
    }
    for (size_t i = 0; i < count; i++) {
        if (status != CACHEKIT_OK) {
            asked[i].status = status;
            asked[i].is_sent_on = false;
        }
    }
    return status == CACHEKIT_OK ? batch.first : status;
}
