// SPDX-License-Identifier: MIT
// With --expect-shards a file that cannot be read is a shard without a result; without it, it is an
// error.
#include "report_shards.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit.h"
#include "store/ir_reader.h"
#include "store/ir_report.h"

// Characters of an address that mean nothing to Markdown, HTML or a shell inside quotes.
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "-._~:/?#&+,;=%";

// "K=URL"; what is printable but not plain is percent-encoded.
static bool read_link(const char *text, size_t *number, char link[GATE_LINK], struct fault *fault)
{
    char *end = NULL;
    unsigned long k = isdigit((unsigned char)text[0]) ? strtoul(text, &end, 10) : 0;
    if (k < 1 || k > GATE_SHARDS_MAX || *end != '=') {
        return fault_set(fault, "--shard-link %.100s: K=URL is wanted, K from 1 to %d", text,
                         GATE_SHARDS_MAX);
    }
    const char *url = end + 1;
    size_t len = 0;
    if (strncmp(url, "https://", 8) != 0 || url[8] == '\0') {
        return fault_set(fault, "--shard-link %.100s: only https:// addresses are linked", text);
    }
    for (; *url != '\0'; url++) {
        if (*url <= 0x20 || *url > 0x7e || len + 4 > GATE_LINK) {
            return fault_set(fault, "--shard-link %.100s: too long, or not printable ASCII", text);
        }
        len += (size_t)snprintf(link + len, GATE_LINK - len,
                                strchr(plain, *url) != NULL ? "%c" : "%%%02X", *url);
    }
    *number = k;
    return true;
}

static bool put_links(const struct report_options *o, struct gate_merge *merge, struct fault *fault)
{
    for (size_t i = 0; i < o->links.count; i++) {
        char link[GATE_LINK];
        size_t number = 0;
        if (!read_link(o->links.items[i], &number, link, fault)) {
            return false;
        }
        if (number <= merge->shards) {
            memcpy(merge->slots[number - 1].link, link, sizeof link);
        }
    }
    return true;
}

static bool read_all(const struct report_options *o, struct report_shards *shards,
                     struct fault *fault)
{
    shards->items = calloc(o->files.count, sizeof *shards->items);
    if (shards->items == NULL) {
        return fault_set(fault, "out of memory");
    }
    for (size_t i = 0; i < o->files.count; i++) {
        struct gate_shard *shard = &shards->items[shards->count++];
        if (!ir_report_read(o->files.items[i], shard) && o->expect_shards == 0) {
            *fault = shard->unread;
            return false;
        }
    }
    return true;
}

bool report_shards_open(const struct report_options *o, struct report_shards *shards,
                        int *exit_code, struct fault *fault)
{
    const struct gate_expected expected = {o->expect_shards, o->expect_head, o->expect_base,
                                           o->expect_run};
    *shards = (struct report_shards){0};
    *exit_code = EXIT_INCOMPLETE;
    if (!read_all(o, shards, fault)) {
        return false;
    }
    if (!gate_merge_make(shards->items, shards->count, &expected, &shards->merge)) {
        return fault_set(fault, "out of memory");
    }
    for (size_t i = 0; i < shards->merge.print_count; i++) {
        struct gate_print *print = &shards->merge.prints[i];
        if (print->id[0] == '\0' && !ir_fingerprint_id(&print->print, print->id)) {
            return fault_set(fault, "out of memory");
        }
    }
    *exit_code = EXIT_USAGE;
    return put_links(o, &shards->merge, fault);
}

void report_shards_close(struct report_shards *shards)
{
    for (size_t i = 0; i < shards->count; i++) {
        gate_shard_release(&shards->items[i]);
    }
    free(shards->items);
    gate_merge_release(&shards->merge);
}
