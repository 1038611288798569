// SPDX-License-Identifier: MIT
// What `ckbench time` says of its runs: the table and the document.
#ifndef CKBENCH_TIME_TELLING_H
#define CKBENCH_TIME_TELLING_H

#include "fault.h"
#include "measure/host.h"
#include "measure/throttle.h"
#include "measure/time_session.h"
#include "store/json_out.h"

struct time_telling {
    const struct time_session *session;
    const char *against; // NULL: none; else the name of the path the others are compared with
    bool is_markdown;    // the table
    struct host host;
    struct throttle throttle;  // before the runs
    struct throttle throttled; // during them
    int64_t steal_milli;       // of the time that the runs took; -1: unknown
};

void time_put_body(struct json_out *out, const struct time_telling *telling);
// One line of what the runs will meet, before they are made.
void time_print_host(const struct time_telling *telling);
bool time_print_table(const struct time_telling *telling, struct fault *fault);

#endif
