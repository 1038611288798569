#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Which ckbench ci/gate-shard lets judge, what it passes on and what it keeps from it, on two folders whose
# builds are stand-ins. Usage: gate_shard_picks.sh SOURCE_DIR
set -u
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gate shard.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
failed=0
complain() { printf '%s\n' "$*" && failed=1; }

# The stand-in for cmake "builds" a ckbench that tells who it is, what it was asked and what it knows.
mkdir bin
cat >bin/cmake <<'STUB'
#!/usr/bin/env bash
env >cmake.env
[ ! -e broken ] || { echo 'error: it is broken' && exit 1; }
mkdir -p build/gate/tools/ckbench
cat >build/gate/tools/ckbench/ckbench <<'INNER'
#!/usr/bin/env bash
tool=$(cd "${0%/*}/../../../.." && pwd)
[ "$*" != 'ir --help' ] || { [ -e "$tool/old" ] || echo '  --run TEXT'; exit; }
printf '%s|' "${tool##*/}" "${PWD##*/}" "$@" >../told
env >../ckbench.env
for ((i = 1; i <= $#; i++)); do
    [ "${!i}" != --report ] || { i=$((i + 1)) && echo '{}' >"${!i}"; }
done
exit "$(cat verdict 2>/dev/null || echo 0)"
INNER
chmod +x build/gate/tools/ckbench/ckbench
STUB
chmod +x bin/cmake
for side in head base; do
    mkdir -p "$side/ci"
    printf '#!/bin/sh\n' >"$side/ci/setup"
    chmod +x "$side/ci/setup"
done

# run ARGUMENT...: ci/gate-shard with a workflow's variables around it
run() {
    rm -f told ./*.env
    PATH=$work/bin:$PATH GITHUB_RUN_ID=77 GITHUB_RUN_ATTEMPT=2 GITHUB_TOKEN=ghs_secret ACTIONS_RUNTIME_TOKEN=ghs_secret \
        AWS_SECRET_ACCESS_KEY=ghs_secret CFLAGS=-O0 CKBENCH_SUBJECT=x "$source/ci/gate-shard" "$@" >out 2>&1 </dev/null
}
# expect STATUS WHAT ARGUMENT...
expect() {
    local wanted=$1 what=$2 status
    shift 2
    run "$@"
    status=$?
    [ "$status" -eq "$wanted" ] || complain "$what: exit status $status, not $wanted: $(cat out)"
}
both=(--head head --base base --report reports/shard-3.json)

expect 0 'the base judges' "${both[@]}" --shard 3/4
[ "$(cat told)" = "base|head|ir|--base|$work/base|--shard|3/4|--run|77-2|--report|$work/reports/shard-3.json|" ] ||
    complain "told: $(cat told)"
[ -s reports/shard-3.json ] || complain 'no report'
for file in ckbench.env head/cmake.env base/cmake.env; do
    grep -HE 'ghs_|^(GITHUB|ACTIONS|AWS|CKBENCH)_|^CFLAGS' "$file" && complain "$file holds more than it should"
    grep -q '^PATH=' "$file" || complain "$file has no PATH"
done
expect 0 'options of ckbench ir, and another run' "${both[@]}" --run 5-1 -- --path l1_hit
grep -qF '|--shard|1/1|--run|5-1|--report|' told || complain "told: $(cat told)"
grep -q '|--path|l1_hit|$' told || complain "told: $(cat told)"
touch base/old
expect 0 'an old base' "${both[@]}" --shard 1/4
grep -q '^head|head|ir|' told || complain "an old base judges: $(cat told)"
grep -q "the head's judges" out || complain 'does not say who judges'
rm base/old
for verdict in 1 3 143; do
    echo "$verdict" >head/verdict
    expect "$verdict" "verdict $verdict" "${both[@]}"
done
rm head/verdict
for side in head base; do
    touch "$side/broken"
    echo '{"of": "an earlier run"}' >reports/shard-3.json
    expect 3 "a broken $side" "${both[@]}"
    grep -q "the $side does not build" out || complain "a broken $side: $(cat out)"
    [ ! -e reports/shard-3.json ] || complain "a broken $side leaves an old report"
    [ ! -e told ] || complain "a broken $side is measured"
    rm "$side/broken"
done
expect 3 'no such folder' --head nowhere --base base --report r.json
expect 2 'no arguments'
expect 2 'no base' --head head --report r.json
expect 2 'no report' --head head --base base
expect 2 'no value' "${both[@]}" --shard
expect 2 'another option' "${both[@]}" --jobs 3
exit "$failed"
