#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Gives ci/mutants one mutant of each kind and reads its verdicts.
# Usage: mutants_bite.sh SOURCE_DIR
set -u
table=$(mktemp "${TMPDIR:-/tmp}/mutants.XXXXXX") || exit 3
trap 'rm -f "$table"' EXIT
block() {
    printf 'name: %s\nfile: lib/src/base/bytes.c\nold: %s\nnew: %s\ntest: %s\n\n' "$@" >>"$table"
}
block planted-killed 'need <= buffer->room' 'true || need <= buffer->room' 'test_bytes'
block planted-survivor 'FIRST_ROOM = 64' 'FIRST_ROOM = 65' 'test_bytes'
block planted-stale 'this stands nowhere' '' 'test_bytes'
block planted-twice 'buffer->room' 'buffer->len' 'test_bytes'
block planted-untested 'FIRST_ROOM = 64' 'FIRST_ROOM = 66' 'test_byte'
block planted-broken 'FIRST_ROOM = 64' 'FIRST_ROOM = ' 'test_bytes'
block planted-hung 'if (need <= buffer->room) {' 'while (need > 0) { } if (need == 0) {' 'test_bytes'
out=$("$1/ci/mutants" --table "$table" 2>&1)
status=$?
failed=0
expect() {
    grep -qE -- "$1" <<<"$out" || { echo "missing: $1" && failed=1; }
}
expect '^killed +planted-killed '
expect '^SURVIVED +planted-survivor '
expect '^does not apply +planted-stale '
expect '^does not apply +planted-twice '
expect '^does not apply +planted-untested '
expect '^does not build +planted-broken '
expect '^killed \(hung\) +planted-hung '
expect '^mutants: 2 of 7 killed$'
left=$(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$1/build/mutants/*" 2>/dev/null)
[ -z "$left" ] || { echo "left alive: $left" && failed=1; }
[ "$status" -eq 1 ] || { echo "exit status $status, not 1" && failed=1; }
# The quick run tries the first, and finds those whose place is gone.
out=$("$1/ci/mutants" --quick --table "$table" 2>&1)
expect '^killed +planted-killed '
expect '^does not apply +planted-stale '
expect '^does not apply +planted-twice '
expect '^mutants: 1 of 3 killed$'
[ "$failed" -eq 0 ] || printf '%s\n' "$out"
exit "$failed"
