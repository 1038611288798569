// SPDX-License-Identifier: MIT
// A subject is not trusted: each line that is out of its grammar or place is refused with its name.
#include <criterion/criterion.h>

#include <string.h>

#include "measure/terrain_lines.h"

#define START                                                                                      \
    "{'type':'terrain_start','terrain':'t','layers':['l1','miss'],'pid':1,'clock':'real',"         \
    "'regime':'paced','granule_ns':1,'clock_cost_ps':1,'seed':1,'namespace':'n','keys':1,"         \
    "'floor_p50_ns':1,'floor_p99_ns':1,'settings':['namespace=n','keys=1']}"
#define SLICE(index, n)                                                                            \
    "{'type':'slice','index':" index ",'start_ns':0,'end_ns':1,'asked':1,'dropped':0,'late':0,"    \
    "'failed':0,'unattributed':0,'steal_ticks':0,'run_delay_ns':0,'kit_ns':0,'n':" n "}"
#define CELLS(layer, time, cell, count)                                                            \
    "{'type':'cells','slice':0,'layer':'" layer "','time':'" time "','cell':" cell                 \
    ",'count':" count "}"

// Takes the lines, with " for '; the last one's fault, NULL: all were taken.
static const char *take(const char *const *lines, struct terrain_recording *r)
{
    static struct fault fault;
    static struct flat_object object;
    struct terrain_lines state = {.recording = r, .terrain = "t"};
    terrain_recording_init(r);
    for (; *lines != NULL; lines++) {
        char text[1024];
        size_t len = strlen(*lines);
        for (size_t i = 0; i <= len; i++) {
            text[i] = (*lines)[i] == '\'' ? '"' : (*lines)[i];
        }
        cr_assert(flat_read(text, len, &object, &fault), "%s", fault.text);
        if (!terrain_take_line(&state, &object, &fault)) {
            return fault.text;
        }
    }
    return NULL;
}

Test(terrain_lines, become_a_recording)
{
    struct terrain_recording r;
    static const char *const lines[] = {START,
                                        "{'type':'from_the_future','x':1}",
                                        SLICE("0", "[1,0]"),
                                        CELLS("l1", "service", "[3,1279]", "[1,4000000000]"),
                                        SLICE("1", "[0,0]"),
                                        NULL};
    const char *fault = take(lines, &r);
    cr_assert_null(fault, "%s", fault);
    cr_assert_eq(r.layer_count, 2);
    cr_assert_eq(r.setting_count, 1); // a namespace is fresh in each run
    cr_assert_str_eq(r.settings[0], "keys=1");
    cr_assert_eq(r.slice_count, 2);
    cr_assert_eq(r.cell_count, 2);
    cr_assert_eq(r.slices[0].cell_count, 2);
    cr_assert_eq(r.cells[1].count, 4000000000);
    terrain_recording_release(&r);
}

Test(terrain_lines, out_of_grammar_or_place_are_refused)
{
    static const struct {
        const char *lines[4];
        const char *fault;
    } rows[] = {
        {{SLICE("0", "[1,0]")}, "before the start"},
        {{START, START}, "something else than the terrain"},
        {{"{'type':'terrain_start','terrain':'other'}"}, "something else than the terrain"},
        {{START, SLICE("1", "[1,0]")}, "do not follow one another"},
        {{START, SLICE("0", "[1]")}, "\"n\""},
        {{START, SLICE("0", "[1,-1]")}, "\"n\""},
        {{START, SLICE("-1", "[1,0]")}, "\"index\""},
        {{START, CELLS("l1", "service", "[1]", "[1]")}, "slice before it"},
        {{START, SLICE("0", "[1,0]"), CELLS("l3", "service", "[1]", "[1]")}, "names the layer l3"},
        {{START, SLICE("0", "[1,0]"), CELLS("l1", "sleep", "[1]", "[1]")}, "\"time\""},
        {{START, SLICE("0", "[1,0]"), CELLS("l1", "wait", "[2,1]", "[1,1]")}, "\"cell\""},
        {{START, SLICE("0", "[1,0]"), CELLS("l1", "wait", "[2,2]", "[1,1]")}, "\"cell\""},
        {{START, SLICE("0", "[1,0]"), CELLS("l1", "wait", "[1280]", "[1]")}, "\"cell\""},
        {{START, SLICE("0", "[1,0]"), CELLS("l1", "wait", "[1]", "[0]")}, "\"cell\""},
        {{START, SLICE("0", "[1,0]"), CELLS("l1", "wait", "[1,2]", "[1]")}, "\"count\""},
        {{START, SLICE("0", "[1,0]"), CELLS("l1", "wait", "[]", "[]")}, "\"cell\""},
        {{START, "{'type':'books','layer':'unattributed','calls':1,'counted':1}"}, "\"layer\""},
        {{START, "{'type':'books','layer':'l1','calls':1.5,'counted':1}"}, "\"calls\""},
        {{START, "{'type':'exact','layer':'l1','time':'wait','n':1}"}, "\"from\""},
        {{START, "{'type':'zipf','top':[1],'asked_ppm':[1],'drawn_ppm':[1,2]}"}, "\"top\""},
        {{START, "{'type':'counts','name':['a'],'count':[1,2]}"}, "\"count\""},
        {{START, "{'type':'counts','name':['a','a'],'count':[1,2]}"}, "\"name\""},
        {{START, "{'type':'counts','name':['A'],'count':[1]}"}, "\"name\""},
        {{START, "{'type':'counts','name':[],'count':[]}"}, "\"name\""},
        {{START, "{'type':'terrain_end','stopped':1}"}, "\"stopped\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct terrain_recording r;
        const char *fault = take(rows[i].lines, &r);
        cr_assert(fault != NULL && strstr(fault, rows[i].fault) != NULL, "row %zu: %s", i,
                  fault != NULL ? fault : "taken");
        terrain_recording_release(&r);
    }
}
