#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Configures, builds and tests another preset, as its workflow says; prints the end of the output,
# all of it when something is red. Usage: nested.sh SOURCE_DIR PRESET
set -u
cd -- "$1" || exit 3
# Under ctest's own variables the inner ctest would be silent or interactive in another way.
unset CTEST_INTERACTIVE_DEBUG_MODE CTEST_OUTPUT_ON_FAILURE CTEST_PARALLEL_LEVEL MAKEFLAGS
log=$(mktemp "${TMPDIR:-/tmp}/preset.XXXXXX") || exit 3
trap 'rm -f "$log"' EXIT
if cmake --workflow --preset "$2" >"$log" 2>&1 </dev/null; then
    tail -n 12 "$log"
    exit 0
fi
cat "$log"
exit 1
