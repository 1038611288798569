// SPDX-License-Identifier: MIT
// Recorded requests, read whole before the run, so that a bad file is refused before anything is
// measured and no reading happens between calls. Keys that are texts become 64-bit numbers.
#include "terrain_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES_MAX = 65536,
    RECORD_BYTES = 24,
    RECORDS_MAX = 100000000,
    TWITTER_COLUMNS = 7,
    SECONDS_MAX = 1000000000
};

struct ckbench_reading {
    FILE *file;
    struct ckbench_trace *trace;
    size_t room;
    size_t line;
    int64_t first_s, last_s;
    const char *fault;
};

// Of the request that was added last.
static bool ckbench_trace_time(struct ckbench_reading *reading, int64_t seconds)
{
    struct ckbench_trace *trace = reading->trace;
    if (trace->count == 1) {
        reading->first_s = reading->last_s = seconds;
    }
    if (seconds < reading->last_s || seconds - reading->first_s > SECONDS_MAX) {
        trace->is_out_of_order = true;
        seconds = reading->last_s;
    }
    reading->last_s = seconds;
    trace->times_ns[trace->count - 1] = (seconds - reading->first_s) * CKBENCH_NS_PER_S;
    return true;
}

static bool ckbench_trace_add(struct ckbench_reading *reading, uint64_t key, bool has_bytes,
                              uint64_t bytes)
{
    struct ckbench_trace *trace = reading->trace;
    if (trace->count == RECORDS_MAX) {
        reading->fault = "has more than 100,000,000 requests";
        return false;
    }
    if (trace->count == reading->room) {
        size_t room = reading->room != 0 ? 2 * reading->room : 4096;
        uint64_t *keys = realloc(trace->keys, room * sizeof *keys);
        trace->keys = keys != NULL ? keys : trace->keys;
        uint32_t *sizes = has_bytes ? realloc(trace->bytes, room * sizeof *sizes) : NULL;
        trace->bytes = sizes != NULL ? sizes : trace->bytes;
        int64_t *times = has_bytes ? realloc(trace->times_ns, room * sizeof *times) : NULL;
        trace->times_ns = times != NULL ? times : trace->times_ns;
        if (keys == NULL || (has_bytes && (sizes == NULL || times == NULL))) {
            reading->fault = "does not fit into memory";
            return false;
        }
        reading->room = room;
    }
    if (has_bytes) {
        bytes = bytes > 0 ? bytes : 1;
        trace->bytes[trace->count] =
            (uint32_t)(bytes < CKBENCH_VALUE_MAX ? bytes : CKBENCH_VALUE_MAX);
    }
    trace->keys[trace->count++] = key;
    return true;
}

// Numbers stay what they are; FNV-1a and a finalizer for all else.
static uint64_t ckbench_trace_key(const char *text, size_t len)
{
    if (len < 19 && strspn(text, "0123456789") >= len && (len == 1 || text[0] != '0')) {
        return strtoull(text, NULL, 10);
    }
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    }
    return ckbench_mix(hash);
}

static bool ckbench_read_key_line(struct ckbench_reading *reading, const char *text, size_t len)
{
    return len == 0 || ckbench_trace_add(reading, ckbench_trace_key(text, len), false, 0);
}

// time, key, key size, value size, client, operation, life. Keys may hold commas: columns count
// from the end.
static bool ckbench_read_twitter_line(struct ckbench_reading *reading, const char *text, size_t len)
{
    const char *comma[TWITTER_COLUMNS - 1];
    size_t found = 0;
    for (const char *at = text + len; at > text && found < TWITTER_COLUMNS - 2; at--) {
        if (at[-1] == ',') {
            comma[found++] = at - 1;
        }
    }
    const char *first = strchr(text, ',');
    if (len == 0) {
        return true;
    }
    if (found < TWITTER_COLUMNS - 2 || first == NULL || first >= comma[4] || first == text ||
        comma[4] == first + 1 || strspn(text, "0123456789") != (size_t)(first - text) ||
        strspn(comma[3] + 1, "0123456789") != (size_t)(comma[2] - comma[3] - 1)) {
        reading->fault = "is not of seven columns: time,key,key size,value size,client,operation,"
                         "life";
        return false;
    }
    return ckbench_trace_add(reading, ckbench_trace_key(first + 1, (size_t)(comma[4] - first - 1)),
                             true, strtoull(comma[3] + 1, NULL, 10)) &&
           ckbench_trace_time(reading, strtoll(text, NULL, 10));
}

// One line without its end, by characters: a zero byte among them must be seen. False at the end.
static bool ckbench_next_line(struct ckbench_reading *reading, char *line, size_t *len)
{
    int c = getc_unlocked(reading->file);
    *len = 0;
    if (c == EOF) {
        return false;
    }
    reading->line++;
    for (; c != EOF && c != '\n'; c = getc_unlocked(reading->file)) {
        if ((c < 0x20 && c != '\t' && c != '\r') || *len == LINE_BYTES_MAX - 1) {
            reading->fault = *len == LINE_BYTES_MAX - 1 ? "holds a line of more than 65,535 bytes"
                                                        : "holds bytes that are no text";
            return false;
        }
        line[(*len)++] = (char)c;
    }
    *len -= *len > 0 && line[*len - 1] == '\r';
    line[*len] = '\0';
    return true;
}

static bool ckbench_read_lines(struct ckbench_reading *reading,
                               bool (*take)(struct ckbench_reading *, const char *, size_t))
{
    static char line[LINE_BYTES_MAX];
    size_t len;
    while (ckbench_next_line(reading, line, &len)) {
        if (!take(reading, line, len)) {
            return false;
        }
    }
    return reading->fault == NULL;
}

static uint64_t ckbench_little(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i > 0; i--) {
        value = value << 8 | at[i - 1];
    }
    return value;
}

// Little-endian: seconds (4), object (8), size (4), next access (8).
static bool ckbench_take_oracle(struct ckbench_reading *reading, const unsigned char *record)
{
    return ckbench_trace_add(reading, ckbench_little(record + 4, 8), true,
                             ckbench_little(record + 12, 4)) &&
           ckbench_trace_time(reading, (int64_t)ckbench_little(record, 4));
}

static bool ckbench_take_cache2k(struct ckbench_reading *reading, const unsigned char *record)
{
    uint64_t key = (uint64_t)record[0] << 24 | (uint64_t)record[1] << 16 |
                   (uint64_t)record[2] << 8 | record[3];
    return ckbench_trace_add(reading, key, false, 0);
}

static bool ckbench_read_records(struct ckbench_reading *reading, size_t bytes,
                                 bool (*take)(struct ckbench_reading *, const unsigned char *))
{
    unsigned char record[RECORD_BYTES];
    for (;;) {
        size_t got = fread(record, 1, bytes, reading->file);
        if (got == 0) {
            return true;
        }
        if (got < bytes) {
            reading->fault = "is cut: its length is no multiple of its records'";
            return false;
        }
        if (!take(reading, record)) {
            return false;
        }
    }
}

static bool ckbench_read_format(struct ckbench_reading *reading, enum ckbench_trace_format format)
{
    switch (format) {
    case CKBENCH_TRACE_ORACLE:
        return ckbench_read_records(reading, RECORD_BYTES, ckbench_take_oracle);
    case CKBENCH_TRACE_CACHE2K:
        return ckbench_read_records(reading, 4, ckbench_take_cache2k);
    case CKBENCH_TRACE_TWITTER:
        return ckbench_read_lines(reading, ckbench_read_twitter_line);
    case CKBENCH_TRACE_KEYS:
    default:
        return ckbench_read_lines(reading, ckbench_read_key_line);
    }
}

bool ckbench_trace_read(const char *path, enum ckbench_trace_format format,
                        struct ckbench_trace *trace, char *fault, size_t room)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct ckbench_reading reading = {.file = is_stdin ? stdin : fopen(path, "rbe"),
                                      .trace = trace};
    if (reading.file == NULL) {
        snprintf(fault, room, "trace '%.80s' cannot be read: %s", path, strerror(errno));
        return false;
    }
    bool good = ckbench_read_format(&reading, format);
    if (good && ferror(reading.file)) {
        reading.fault = "could not be read to its end";
    } else if (good && trace->count == 0) {
        reading.fault = "is empty";
    }
    if (!is_stdin) {
        (void)fclose(reading.file);
    }
    if (reading.fault != NULL) {
        char where[32] = "";
        if (reading.line > 0 && trace->count > 0) {
            snprintf(where, sizeof where, " (line %zu)", reading.line);
        }
        snprintf(fault, room, "trace '%.80s'%s %s", path, where, reading.fault);
    }
    return reading.fault == NULL;
}

void ckbench_trace_spread(struct ckbench_trace *trace, struct ckbench_random *random)
{
    for (size_t at = 0, end; trace->times_ns != NULL && at < trace->count; at = end) {
        double into = 0;
        for (end = at + 1; end < trace->count && trace->times_ns[end] == trace->times_ns[at];) {
            end++;
        }
        // The least of as many as are left, uniform in what is left of the second, again and again.
        for (size_t i = end; i-- > at;) {
            double left = 1 - pow(ckbench_random_unit(random), 1 / (double)(i - at + 1));
            into += (1 - into) * left;
            trace->times_ns[end - 1 - (i - at)] += (int64_t)(into * (double)CKBENCH_NS_PER_S);
        }
    }
}

void ckbench_trace_free(struct ckbench_trace *trace)
{
    free(trace->times_ns);
    free(trace->keys);
    free(trace->bytes);
}
