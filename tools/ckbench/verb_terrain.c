// SPDX-License-Identifier: MIT
// `ckbench terrain`: what each call of a layered cache cost, by the layer that answered. The
// subject runs the load and tells; here the books are checked before anything is shown.
#include "verb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/exit.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "measure/interrupt.h"
#include "measure/terrain_server.h"
#include "render/terrain_table.h"
#include "stats/terrain_cells.h"
#include "store/checkout.h"
#include "terrain_diffing.h"
#include "terrain_telling.h"

enum { WHERE_MAX = 200 };

struct terrain_work {
    struct terrain_telling telling;
    struct terrain_words words;
    struct scratch scratch;
    char trace[PATH_MAX], dump[PATH_MAX];
};

// One line per slice, while it runs.
static void show_slice(void *context, const struct terrain_recording *r)
{
    (void)context;
    const size_t at = r->slice_count - 2;
    const struct terrain_slice *slice = &r->slices[at];
    char line[256] = "";
    size_t len = 0;
    for (size_t row = 0; row < r->layer_count && len < sizeof line; row++) {
        uint64_t counts[TERRAIN_CELLS] = {0};
        char ns[TERRAIN_TEXT_ROOM] = "-";
        for (size_t c = slice->first_cell; c < slice->first_cell + slice->cell_count; c++) {
            if (r->cells[c].row == row && r->cells[c].time == TERRAIN_SERVICE) {
                counts[r->cells[c].cell] += r->cells[c].count;
            }
        }
        unsigned cell = terrain_cell_at(counts, terrain_rank((uint64_t)slice->n[row], 500));
        if (cell < TERRAIN_CELLS) {
            (void)terrain_ns_text(ns, (int64_t)terrain_cell_last(cell));
        }
        int added = snprintf(line + len, sizeof line - len, ", %s %lld p50 %s", r->layers[row],
                             (long long)slice->n[row], ns);
        len += added > 0 ? (size_t)added : 0;
    }
    say("%lld s: %lld calls%s%s%s", (long long)(slice->end_ns / 1000000000),
        (long long)terrain_started(slice), line, slice->dropped > 0 ? ", some dropped" : "",
        terrain_is_noisy(slice) ? ", noisy host" : "");
}

static bool check_words(const struct terrain_options *o, struct fault *fault)
{
    if (o->l2_where == NULL) {
        return fault_set(fault, "say where the second layer is: --l2-where \"in process\", "
                                "\"same host, TCP\", ...");
    }
    const char *const texts[] = {o->l2_where, o->harness};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i] == NULL) {
            continue;
        }
        if (strlen(texts[i]) > WHERE_MAX || strspn(texts[i], " ") == strlen(texts[i])) {
            return fault_set(fault, "--l2-where and --harness take up to %d bytes of words",
                             WHERE_MAX);
        }
    }
    return true;
}

// A file that cannot be written is better known before the run than after it.
static bool check_place(const char *path, struct fault *fault)
{
    struct stat st;
    char dir[PATH_MAX];
    if (path == NULL) {
        return true;
    }
    if (stat(path, &st) == 0) {
        return (!S_ISDIR(st.st_mode) && access(path, W_OK) == 0) ||
               fault_set(fault, "cannot write %s: %s", path,
                         S_ISDIR(st.st_mode) ? "it is a directory" : strerror(errno));
    }
    (void)snprintf(dir, sizeof dir, "%s", path);
    char *slash = strrchr(dir, '/');
    if (slash != NULL) {
        slash[slash == dir ? 1 : 0] = '\0';
    }
    return access(slash != NULL ? dir : ".", W_OK | X_OK) == 0 ||
           fault_set(fault, "cannot write %s: %s", path, strerror(errno));
}

// The subject works elsewhere and has no standard input: what `--trace -` brings goes into a file.
static bool fetch_stdin(struct terrain_work *w, struct fault *fault)
{
    char buffer[65536];
    size_t got;
    (void)snprintf(w->trace, sizeof w->trace, "%s/stdin", w->scratch.path);
    FILE *file = fopen(w->trace, "wbe");
    if (file == NULL) {
        return fault_set(fault, "cannot keep the trace: %s", strerror(errno));
    }
    while ((got = fread(buffer, 1, sizeof buffer, stdin)) > 0 && interrupt_seen() == 0) {
        (void)fwrite(buffer, 1, got, file);
    }
    bool is_good = ferror(stdin) == 0 && ferror(file) == 0;
    is_good = fclose(file) == 0 && is_good;
    return is_good || fault_set(fault, "the trace from standard input could not be kept");
}

static bool find_files(struct terrain_work *w, struct fault *fault)
{
    const struct terrain_options *o = w->telling.options;
    if (o->trace != NULL && strcmp(o->trace, "-") == 0) {
        if (!fetch_stdin(w, fault)) {
            return false;
        }
    } else if (o->trace != NULL && realpath(o->trace, w->trace) == NULL) {
        return fault_set(fault, "trace %s: %s", o->trace, strerror(errno));
    }
    if (o->dump != NULL && o->dump[0] != '/') {
        char here[PATH_MAX];
        int len = getcwd(here, sizeof here) != NULL
                      ? snprintf(w->dump, sizeof w->dump, "%s/%s", here, o->dump)
                      : -1;
        return (len > 0 && (size_t)len < sizeof w->dump) ||
               fault_set(fault, "--dump: the path is too long");
    }
    (void)snprintf(w->dump, sizeof w->dump, "%s", o->dump != NULL ? o->dump : "");
    return true;
}

static bool has_terrain(const struct subject *subject, const char *name, struct fault *fault)
{
    for (size_t i = 0; i < subject->terrains.count; i++) {
        if (strcmp(subject->terrains.items[i], name) == 0) {
            return true;
        }
    }
    return strcmp(name, "ckbench_self_null") == 0 ||
           fault_set(fault, "%s has no terrain %s: ckbench list shows what it has", subject->file,
                     name);
}

// Paths are of this machine; the recording says what the user said.
static bool name_files(struct terrain_work *w, struct fault *fault)
{
    struct terrain_recording *r = &w->telling.recording;
    const struct terrain_options *o = w->telling.options;
    for (size_t i = 0; i < r->setting_count; i++) {
        char *fresh = NULL;
        bool is_trace = o->trace != NULL && strncmp(r->settings[i], "trace=", 6) == 0;
        bool is_dump = o->dump != NULL && strncmp(r->settings[i], "dump=", 5) == 0;
        if (!is_trace && !is_dump) {
            continue;
        }
        if (asprintf(&fresh, "%s=%s", is_trace ? "trace" : "dump", is_trace ? o->trace : o->dump) <
            0) {
            return fault_set(fault, "out of memory");
        }
        free(r->settings[i]);
        r->settings[i] = fresh;
    }
    return true;
}

static int measure(struct terrain_work *w, const struct subject *subject)
{
    struct fault fault;
    struct host_ticks before, after;
    struct terrain_telling *t = &w->telling;
    struct progress progress;
    int code = EXIT_INCOMPLETE;
    progress_open(&progress, 0, false); // there is none; it knows whether somebody watches
    struct terrain_request request = {.subject = subject->file,
                                      .terrain = w->words.terrain,
                                      .word_count = w->words.count,
                                      .timeout_ms = t->options->timeout_ms,
                                      .on_slice = progress.is_shown ? show_slice : NULL};
    for (size_t i = 0; i < w->words.count; i++) {
        request.words[i] = w->words.texts[i];
    }
    host_read(&t->host);
    host_ticks_read(&before);
    t->started_s = (int64_t)time(NULL);
    const char *url = strcmp(w->words.terrain, "redis") == 0 ? t->options->l2 : NULL;
    t->recording.has_server = url != NULL;
    if (url != NULL) {
        (void)terrain_server_ask(url, &t->recording.before);
    }
    if (!terrain_run(&request, &w->scratch, &t->recording, &code, &fault) ||
        !name_files(w, &fault)) {
        return say_fault(code, &fault);
    }
    if (url != NULL) {
        (void)terrain_server_ask(url, &t->recording.after);
    }
    host_ticks_read(&after);
    t->steal_milli = host_steal_milli(&before, &after);
    terrain_books_check(&t->recording, &t->books);
    if (interrupt_seen() == 0) {
        interrupt_remove(); // a signal may end us while we wait for a reader
    }
    if (!terrain_tell(t, &fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    return terrain_books_are_good(&t->books)
               ? EXIT_GOOD
               : say_fail(EXIT_INCOMPLETE, "the books are %s: the figures are not to be trusted",
                          terrain_books_verdict(&t->books));
}

static int terrain_of(struct terrain_work *w, const struct subject *subject)
{
    struct fault fault;
    const struct terrain_options *o = w->telling.options;
    w->telling.subject = subject;
    w->telling.words = &w->words;
    if (subject->commit == NULL) {
        return say_fail(EXIT_INCOMPLETE,
                        "%s cannot say what it was built from: build it in a repository, with "
                        "ckbench_stamp()",
                        subject->file);
    }
    if (!check_place(o->out, &fault) || !check_place(o->html, &fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    if (!find_files(w, &fault) ||
        !terrain_ask(o, o->trace != NULL ? w->trace : NULL, o->dump != NULL ? w->dump : NULL,
                     &w->words, &fault) ||
        !has_terrain(subject, w->words.terrain, &fault)) {
        return say_fault(EXIT_USAGE, &fault);
    }
    return measure(w, subject);
}

static int terrain_in(struct terrain_work *w, const struct checkout *checkout)
{
    struct fault fault;
    struct subject subject = {0};
    if (!scratch_open(&w->scratch, &fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    int code = subject_open(checkout->subject, &w->scratch, &subject, &fault)
                   ? terrain_of(w, &subject)
                   : say_fault(EXIT_INCOMPLETE, &fault);
    subject_close(&subject);
    scratch_close(&w->scratch);
    return code;
}

static int terrain(const struct terrain_options *options, int argc, char **argv)
{
    struct fault fault;
    struct checkout checkout;
    if (!check_words(options, &fault)) {
        return say_fault(EXIT_USAGE, &fault);
    }
    struct terrain_work *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return say_fail(EXIT_INCOMPLETE, "out of memory");
    }
    int code = EXIT_INCOMPLETE;
    w->telling.options = options;
    w->telling.argc = argc;
    w->telling.argv = argv;
    terrain_recording_init(&w->telling.recording);
    if (checkout_open(".", options->subject, &checkout, &fault)) {
        code = terrain_in(w, &checkout);
        checkout_close(&checkout);
    } else {
        code = say_fault(EXIT_INCOMPLETE, &fault);
    }
    terrain_recording_release(&w->telling.recording);
    free(w);
    return code;
}

static int terrain_verb(int argc, char **argv)
{
    int code;
    struct fault fault;
    struct terrain_options options;
    if (argc > 1 && strcmp(argv[1], "diff") == 0) {
        return terrain_diff(argc - 1, argv + 1);
    }
    if (!opt_read(&terrain_table, argc, argv, &options, &code)) {
        return code;
    }
    if (!interrupt_install(&fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    code = terrain(&options, argc, argv);
    int signal = interrupt_seen();
    interrupt_remove();
    return signal != 0 ? exit_by_signal(signal) : code;
}

const struct verb verb_terrain = {"terrain", "what each call of a layered cache cost, by layer",
                                  terrain_verb};
