// SPDX-License-Identifier: MIT
// The table of all inputs. The earthquakes are part of the executable, so that a subject that was
// moved or copied still measures the bytes it was built with.

#include "gen/inputs.h"

#include <string.h>

#include "gen/address.h"
#include "gen/json_filler.h"
#include "gen/records.h"
#include "gen/users.h"

/* Assembler, because a C array of 360 KB costs seconds to compile. */
__asm__(".pushsection .rodata\n"
        "usgs_begin: .incbin \"usgs.json\"\n"
        "usgs_end: .byte 0\n"
        ".popsection\n");
extern const uint8_t usgs_begin[] __attribute__((visibility("hidden")));
extern const uint8_t usgs_end[] __attribute__((visibility("hidden")));

static void make_users_4(pack *out)
{
    users_make(out, 4);
}

static void make_users_100(pack *out)
{
    users_make(out, 100);
}

static void make_records_100(pack *out)
{
    records_make(out, 100);
}

static void make_text_40(pack *out)
{
    pack_raw(out, "status=ok;status=ok;status=ok;status=ok;", 40);
}

static void make_address_64k(pack *out)
{
    address_make(out, 65536);
}

static void make_json_64k(pack *out)
{
    json_filler_make(out, 65536);
}

static void make_random_64k(pack *out)
{
    random_make(out, 65536);
}

static void make_usgs(pack *out)
{
    pack_raw(out, usgs_begin, (size_t)(usgs_end - usgs_begin));
}

const input_row inputs[] = {
    {"small", "one small map, each kind of value once (MessagePack)", small_make},
    {"records_100", "100 records of six fields (MessagePack)", make_records_100},
    {"users_4", "user document, 4 users (MessagePack)", make_users_4},
    {"users_100", "user document, 100 users (MessagePack)", make_users_100},
    {"text_40", "40 bytes of repetitive text", make_text_40},
    {"address_64k", "65,536 bytes of address-like text", make_address_64k},
    {"json_64k", "65,536 bytes of JSON-like text", make_json_64k},
    {"random_64k", "65,536 random bytes", make_random_64k},
    {"usgs", "500 earthquakes (GeoJSON)", make_usgs},
};
const size_t inputs_count = sizeof inputs / sizeof *inputs;

bool input_make(const char *name, pack *out)
{
    for (size_t i = 0; i < inputs_count; i++) {
        if (strcmp(inputs[i].name, name) == 0) {
            inputs[i].make(out);
            return !out->failed;
        }
    }
    return false;
}
