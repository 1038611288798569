#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Plants one breach after another into a copy of the tree; ci/layers must name each of them.
# Usage: layers_bite.sh SOURCE_DIR
set -u
source=$1
copy=$(mktemp -d "${TMPDIR:-/tmp}/layers.XXXXXX") || exit 3
trap 'rm -rf "$copy"' EXIT
"$source/ci/files" -C "$source" | tar -C "$source" -cf - -T - | tar -C "$copy" -xf - || exit 3
failed=0

if ! out=$("$copy/ci/layers"); then
    printf 'the tree itself is refused:\n%s\n' "$out"
    failed=1
fi
# plant FILE TEXT: a line at the end of FILE (made if absent) must turn ci/layers red.
plant() {
    local file=$copy/$1 was=
    mkdir -p "$(dirname "$file")"
    [ ! -e "$file" ] || was=$(cat "$file" && echo x)
    printf '%s\n' "$2" >>"$file"
    if out=$("$copy/ci/layers"); then
        echo "not seen: $1 with $2"
        failed=1
    elif ! grep -q "^$1:" <<<"$out"; then
        printf 'seen, but not named: %s with %s\n%s\n' "$1" "$2" "$out"
        failed=1
    fi
    if [ -n "$was" ]; then printf %s "${was%x}" >"$file"; else rm -f "$file"; fi
}
plant lib/include/cachekit/status.h '#include <xxhash.h>'
plant lib/include/cachekit/status.h '#include <unistd.h>'
plant lib/src/base/bytes.c '#include "value/reader.h"'
plant lib/src/base/bytes.c '# include <sodium.h>'
plant lib/src/value/planted.c '#include <lz4.h>'
plant lib/src/value/planted.c '#include "wire/envelope.h"'
plant lib/src/value/planted.c '#include "../wire/envelope.h"'
plant lib/src/value/planted.c '#include HEADER'
plant lib/src/base/bytes.c 'void f(void) { abort(); }'
plant tools/ckbench/measure/planted.c '#include "render/table.h"'
plant tools/ckbench/measure/planted.c 'void f(void) { printf("x"); }'
plant tools/ckbench/stats/median.c '#include "store/json.h"'
plant tools/ckbench/stats/median.c '#include <cjson/cJSON.h>'
plant tools/ckbench/stats/median.c '#include <cachekit/bytes.h>'
plant tools/ckbench/verb_planted.c '#include "verb_ir.h"'
plant tools/planted/planted.c '#include <stdio.h>'
plant workloads/planted.c '#include "base/num.h"'
plant README.md 'see ../''shared/design.md'
exit "$failed"
