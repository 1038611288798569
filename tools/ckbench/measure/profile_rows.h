// SPDX-License-Identifier: MIT
// What a builder has collected, and how it is put in order. Layer: measure, private.
#ifndef CKBENCH_PROFILE_ROWS_H
#define CKBENCH_PROFILE_ROWS_H

#include "measure/profile_builder.h"

struct profile_row {
    struct profile_place place;
    struct profile_function function; // object is filled at the end
};

struct profile_builder {
    struct profile_row *rows;
    size_t row_count, row_cap;
    uint32_t *slots; // index of a row plus 1; 0: free
    size_t slot_count;
    struct profile_edge *edges;
    size_t edge_count, edge_cap;
    struct profile_line *lines;
    size_t line_count, line_cap;
    struct profile_thread *threads;
    size_t thread_count, thread_cap;
};

// Makes objects and functions of the rows, in order, and gives edges and lines their new numbers.
bool profile_rows_order(struct profile_builder *builder, struct profile *out);
// Sort, and sum what is alike. False: a sum over 2^64.
bool profile_rows_merge_edges(struct profile_builder *builder);
void profile_rows_merge_lines(struct profile_builder *builder);
bool profile_rows_sum_threads(struct profile_builder *builder, struct profile *out);

#endif
