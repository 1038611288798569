// SPDX-License-Identifier: MIT
// Two documents of a kind that caches hold all day: rows of a query, and one small object. The
// small one has each kind of value once, so that no case of the codec is left unmeasured.

#include "gen/records.h"

void records_make(pack *out, uint16_t records)
{
    static const char *const states[] = {"new", "paid", "packed", "shipped", "returned"};
    pack_array(out, records);
    for (unsigned id = 0; id < records; id++) {
        pack_map(out, 6);
        pack_text(out, "id");
        pack_int(out, 1000 + id);
        pack_text(out, "customer");
        pack_text(out, "Customer %u", id * 7 % 31);
        pack_text(out, "state");
        pack_text(out, "%s", states[id % 5]);
        pack_text(out, "items");
        pack_int(out, 1 + id % 9);
        pack_text(out, "price");
        pack_float(out, 4.99 + 0.25 * id);
        pack_text(out, "express");
        pack_bool(out, id % 3 == 0);
    }
}

void small_make(pack *out)
{
    pack_map(out, 7);
    pack_text(out, "id");
    pack_int(out, 123456789);
    pack_text(out, "name");
    pack_text(out, "Zo\xc3\xab \"Z\" M\xc3\xbcller");
    pack_text(out, "active");
    pack_bool(out, true);
    pack_text(out, "balance");
    pack_float(out, -1234.56);
    pack_text(out, "referrer");
    pack_nil(out);
    pack_text(out, "tags");
    pack_array(out, 3);
    pack_text(out, "admin");
    pack_text(out, "author");
    pack_text(out, "tester");
    pack_text(out, "limits");
    pack_map(out, 2);
    pack_text(out, "low");
    pack_int(out, -300);
    pack_text(out, "high");
    pack_int(out, 90000);
}
