// SPDX-License-Identifier: MIT
// What a Redis server says of itself, asked before and after a run by our own few lines of RESP: a
// witness that neither the library nor the terrain can talk to. Layer: measure.
#ifndef CKBENCH_TERRAIN_SERVER_H
#define CKBENCH_TERRAIN_SERVER_H

#include <stdbool.h>

#include "stats/terrain_recording.h"

// `url` is redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]. False: it did not answer; `info` is empty.
bool terrain_server_ask(const char *url, struct terrain_server_info *info);

#endif
