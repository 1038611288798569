// SPDX-License-Identifier: MIT
// From a counted child's dump to the integers of its two windows, and to the conditions under which
// they were counted.
#include <stdio.h>
#include <string.h>

#include "measure/gate_inside.h"
#include "measure/interrupt.h"

enum { WORDS_SIZE = 208 };

static const char *const windows[] = {"n1", "n2"};

bool gate_dump_open(const struct gate_side *side, const struct count_result *counted,
                    struct callgrind_dump *dump, struct fault *fault)
{
    const struct callgrind_request request = {
        .windows = windows,
        .window_count = 2,
        .pid = counted->pid,
        .exe = side->input->subject->file,
        .class_of = objects_class,
        .context = side->objects,
    };
    struct fault why;
    if (interrupt_seen() != 0) {
        *dump = (struct callgrind_dump){.windows = NULL};
        return fault_set(fault, "interrupted");
    }
    if (callgrind_read(counted->out_file, &request, dump, &why)) {
        return true;
    }
    // The file is gone when this is read: its folder says nothing to anybody.
    size_t folder = (size_t)(strrchr(counted->out_file, '/') + 1 - counted->out_file);
    bool is_named = strncmp(why.text, counted->out_file, folder) == 0;
    return fault_set(fault, "%s: %s: layout %d: %s", counted->path, side->input->label,
                     counted->layout, why.text + (is_named ? folder : 0));
}

// Of several variants that one side executes the first in their order stands for all.
static bool note_ifunc(void *context, const char *root, const char *variant)
{
    (void)fingerprint_note(context, root, variant);
    return true;
}

static bool note_producers(struct gate_side *side, const struct profile_object *object,
                           const struct elf_image *image, struct fault *fault)
{
    for (size_t i = 0; i < image->producer_count; i++) {
        if (!fingerprint_producer(&side->fingerprint, image->producers[i])) {
            return fault_set(fault, "%s was built by too many compilers or flags to keep apart",
                             object->path);
        }
    }
    return true;
}

// An object is own when the rule says so of any function in it; the kit's own code aside.
static bool has_own_code(const struct profile *profile, size_t object, const struct own_rule *rule)
{
    for (size_t f = 0; f < profile->function_count; f++) {
        if (profile->functions[f].object == object && profile_is_own(profile, f, rule)) {
            return true;
        }
    }
    return false;
}

static bool note_object(struct gate_side *side, const struct profile *profile, size_t index,
                        struct fault *fault)
{
    const struct profile_object *object = &profile->objects[index];
    const struct elf_image *image = objects_image(side->objects, object->path, NULL);
    if (object->self_ir == 0 || image == NULL) {
        return true;
    }
    if (!snapshot_add(&side->snapshot, object->path, fault)) {
        return false;
    }
    if (has_own_code(profile, index, &side->own)) {
        return note_producers(side, object, image, fault);
    }
    if (strcmp(object->class_name, "exe") != 0 && image->build_id[0] != '\0' &&
        !fingerprint_note(&side->fingerprint.objects, object->class_name, image->build_id)) {
        return fault_set(fault, "%s executed in two versions", object->class_name);
    }
    return true;
}

static bool note_conditions(struct gate_side *side, const struct profile *profile,
                            struct fault *fault)
{
    for (size_t i = 0; i < profile->object_count; i++) {
        if (!note_object(side, profile, i, fault)) {
            return false;
        }
    }
    return profile_ifuncs(profile, note_ifunc, &side->fingerprint.ifuncs);
}

static struct gate_window window_of(const struct gate_side *side, const struct profile *profile)
{
    uint64_t own = 0;
    bool known = profile_own(profile, &side->own, &own);
    return (struct gate_window){
        .total_ir = (int64_t)profile->total_ir,
        .own_ir = known ? (int64_t)own : OWN_UNKNOWN,
        .allocs = (int64_t)profile_allocations(profile),
        .syscalls = (int64_t)profile->sys_count,
        .cycles = (int64_t)profile_cycles(profile),
        .loop_ir = gate_loop_ir(side, profile),
        .beside_ir = gate_beside_ir(profile),
    };
}

bool gate_windows(struct gate_side *side, const struct count_result *counted, bool note,
                  struct gate_window *n1, struct gate_window *n2, struct fault *fault)
{
    struct callgrind_dump dump;
    bool ok = gate_dump_open(side, counted, &dump, fault) &&
              (!note || note_conditions(side, &dump.windows[1], fault));
    if (ok && side->loop.name[0] == '\0' && strcmp(counted->path, gate_empty_path) == 0) {
        gate_loop_learn(side, &dump.windows[1], counted->n2);
    }
    if (ok) {
        *n1 = window_of(side, &dump.windows[0]);
        *n2 = window_of(side, &dump.windows[1]);
        ok = n2->total_ir > n1->total_ir ||
             fault_set(fault, "%s: %lld calls cost no more than %lld: %s", counted->path,
                       (long long)counted->n2, (long long)counted->n1,
                       n1->beside_ir > 0 ? "other threads ran beside them"
                                         : "the loop was not counted");
    }
    callgrind_release(&dump);
    return ok;
}

// The last line that is the subject's own and not valgrind's.
static void last_words(const char *tail, char words[WORDS_SIZE])
{
    words[0] = '\0';
    for (const char *line = tail; line != NULL && *line != '\0';) {
        size_t len = strcspn(line, "\n");
        if (len > 0 && strncmp(line, "==", 2) != 0) {
            (void)snprintf(words, WORDS_SIZE, "%.*s", (int)(len < 200 ? len : 200), line);
        }
        line += len + (line[len] == '\n');
    }
}

void gate_blame(const struct gate_side *side, const struct count_result *result,
                struct fault *fault)
{
    char words[WORDS_SIZE];
    last_words(result->tail, words);
    if (words[0] != '\0' && strstr(result->reason, words) != NULL) {
        words[0] = '\0';
    }
    fault_set(fault, "%s: layout %d: %s%s%s%s%s", side->input->label, result->layout, result->step,
              result->step[0] != '\0' ? ": " : "", result->reason,
              words[0] != '\0' ? "; it said: " : "", words);
}
