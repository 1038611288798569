// SPDX-License-Identifier: MIT
// Whatever is not one of the answers that a command can have closes the link, so that no later
// question can get an answer that was meant for an earlier one.
#include "backend/redis_ask.h"

#include <string.h>

#include <hiredis.h>

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
static cachekit_status format(const struct cki_command *command, cachekit_slice *out,
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
    cachekit_status status = format(command, &bytes, error);
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
    redisFreeCommand((char *)(uintptr_t)bytes.data);
    return status;
}
