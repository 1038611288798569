#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Which base ci/try chooses, what it says and how it exits, in small repositories of all kinds. The
# build and the measurement are stand-ins here: each case would build the project twice.
# Usage: try_reasons.sh SOURCE_DIR
set -u
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/try reasons.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --file "$work/gitconfig" user.name tester
git config --file "$work/gitconfig" user.email tester@example.org
failed=0

# The stand-in for cmake "builds" a ckbench that says what its base is, unless `broken` lies there.
mkdir "$work/bin"
cat >"$work/bin/cmake" <<'STUB'
#!/usr/bin/env bash
[ ! -e broken ] || { echo 'error: it is broken' && exit 1; }
mkdir -p build/gate/tools/ckbench
cat >build/gate/tools/ckbench/ckbench <<'INNER'
#!/usr/bin/env bash
[ "$1" != terrain ] || { echo "terrain over $3" && exit "$(cat terrain 2>/dev/null || echo 0)"; }
echo "head $(cat tag) base $(cat "$3/tag")"
[ "$(cat "$3/tag")" != strange ] || { printf 'x: incomparable\n  other compiler\nINCOMPLETE\n' && exit 3; }
[ "$(cat "$3/tag")" != old ] || { echo 'ckbench: the kit of base is older' >&2 && exit 3; }
exit "$(cat verdict)"
INNER
chmod +x build/gate/tools/ckbench/ckbench
STUB
chmod +x "$work/bin/cmake"

# commit TAG [VERDICT]: one more commit of a project that ci/try takes for its own.
commit() {
    echo "$1" >tag
    echo "${2:-0}" >verdict
    git add -A && git commit -qm "$1"
}
# project DIR: an empty project in a repository of its own, entered.
project() {
    mkdir -p "$work/$1/ci" && cd "$work/$1" || exit 3
    cp "$source/ci/try" "$source/ci/files" "$source/ci/setup" ci/
    echo build/ >.gitignore
    git init -q -b main .
}
# expect STATUS PATTERN...: runs ci/try and wants that status and each pattern in its output.
expect() {
    local out status pattern
    out=$(PATH=$work/bin:$PATH ci/try 2>&1 </dev/null)
    status=$?
    [ "$status" -eq "$1" ] || { echo "$PWD: exit status $status, not $1" && failed=1; }
    shift
    for pattern in "$@"; do
        grep -qE -- "$pattern" <<<"$out" || { printf '%s: no /%s/ in:\n%s\n' "$PWD" "$pattern" "$out" && failed=1; }
    done
}

project first
commit bare
expect 0 'copy of itself: HEAD has no parent commit' '^head bare base bare$' '^terrain over memory$' \
    '^Reports: .*build/reports/ir.json.*build/reports/terrain.html'
echo 3 >terrain
expect 3 'the terrain could not be recorded'
rm terrain
commit no-subject
touch ckbench.json
commit one
expect 0 'copy of itself: the parent .* has no subject' '^head one base one$'
commit two
expect 0 '^head two base one$' 'against its parent'
expect 0 '^head two base one$' # a second run
echo mine >tag
expect 0 'uncommitted changes' '^head mine base two$'
git checkout -q tag
touch note-that-git-does-not-know
expect 0 '^head two base one$'
commit old
commit new
expect 0 'the kit of base is older' 'copy of itself: the parent .* cannot be set against it: ' '^head new base new$'
commit strange
expect 0 '^head strange base new$'
commit newer
expect 0 'the parent .* cannot be set against it: other compiler$' '^head newer base newer$'
commit slow 1
expect 0 '^head slow base newer$'
commit unmeasured 3
expect 3 'could not measure'
commit interrupted 130
expect 130
touch broken && commit broken
expect 3 'it is broken' 'the head does not build'
git rm -q broken && commit mended
expect 0 'copy of itself: the parent .* does not build' '^head mended base mended$'
commit last

git clone -q --depth 1 "file://$work/first" "$work/shallow" && cd "$work/shallow" || exit 3
expect 0 'copy of itself: a shallow clone has no parent commit' '^head last base last$'
long=$(printf 'a long way/%.0s' {1..40})
mkdir -p "$work/$long" && git clone -q "$work/first" "$work/$long/here" && cd "$work/$long/here" || exit 3
expect 0 '^head last base mended$'
cp -r "$work/first" "$work/tarball" && cd "$work/tarball" && rm -rf .git || exit 3
expect 0 'copy of itself: this folder is no git checkout' '^head last base last$'
exit "$failed"
