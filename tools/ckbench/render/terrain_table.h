// SPDX-License-Identifier: MIT
// A recording as text. Layer: render.
#ifndef CKBENCH_TERRAIN_TABLE_H
#define CKBENCH_TERRAIN_TABLE_H

#include "render/table.h"
#include "stats/terrain_books.h"
#include "stats/terrain_figures.h"
#include "stats/terrain_recording.h"

enum { TERRAIN_TEXT_ROOM = 64 };

// "870 ns", "17.6 us", "20.1 ms", "1.40 s": three digits.
const char *terrain_ns_text(char out[TERRAIN_TEXT_ROOM], int64_t ns);

// "870 ns", "870 ns (810 ns to 1.02 us)", "-" when nothing is to be said.
const char *terrain_quantile_text(char out[TERRAIN_TEXT_ROOM * 2],
                                  const struct terrain_quantile *quantile);

// "12.3 %" of parts per million.
const char *terrain_ppm_text(char out[TERRAIN_TEXT_ROOM], int64_t ppm);

bool terrain_print(const struct terrain_recording *recording, const struct terrain_books *books,
                   FILE *stream, struct table_style style);

// Does its late policy hide how long callers waited? The remark that says so, without a full stop.
bool terrain_is_blind(const struct terrain_recording *r);
extern const char terrain_blind_remark[];

#endif
