#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Which commit ci/ir-base picks, in clones of a bare repository. Usage: ir_base_picks.sh SOURCE_DIR
set -u
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/ir base.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --file "$work/gitconfig" user.name tester
git config --file "$work/gitconfig" user.email tester@example.org
git config --file "$work/gitconfig" init.defaultBranch main
unset GITHUB_BASE_REF GITHUB_HEAD_REF IR_BASE_REMOTE
failed=0

commit() { git commit -q --allow-empty -m "$1" && git rev-parse HEAD; }
# wants STATUS TEXT [ARGUMENT...]: its stdout must be TEXT, or on failure its line on stderr hold it.
wants() {
    local status=$1 text=$2 said
    shift 2
    said=$("$source/ci/ir-base" "$@" 2>"$work/err")
    if [ "$?" -ne "$status" ]; then
        echo "ir-base $*: another status than $status" && cat "$work/err"
    elif [ "$status" -eq 0 ]; then
        [ "$said" = "$text" ] && [ ! -s "$work/err" ] && return
        echo "ir-base $*: '$said' is not '$text'"
    else
        [ -z "$said" ] && [ "$(wc -l <"$work/err")" -eq 1 ] && grep -qF -- "$text" "$work/err" && return
        echo "ir-base $*: does not say '$text': $said" && cat "$work/err"
    fi
    failed=1
}

git init -q --bare "$work/remote" && git clone -q "$work/remote" "$work/author" 2>/dev/null
cd "$work/author" || exit 3
git checkout -q -b main
first=$(commit first) && git tag v0.9.0
ninth=$(commit ninth) && git tag -a -m annotated v0.10.0
old=$(git rev-parse HEAD) && git branch old
commit later >/dev/null && git tag v0.11.0-rc1 && git tag vain
git checkout -q -b side && commit aside >/dev/null && git tag v0.12.0 && git checkout -q main
git push -q --all && git push -q --tags

git clone -q "$work/remote" "$work/clone" && cd "$work/clone" || exit 3
# shellcheck disable=SC2016
git checkout -q -b 'topic/$(touch${IFS}x);`y`' # never to be run
tip=$(git -C "$work/author" rev-parse main)
wants 0 "$tip"
wants 0 "$tip" main topic
wants 0 "$old" old topic
moved=$(cd "$work/author" && commit moved) && git -C "$work/author" push -q
wants 0 "$moved"
GITHUB_BASE_REF=old GITHUB_HEAD_REF=topic wants 0 "$old"
GITHUB_HEAD_REF=release-1 wants 0 "$ninth" # not the candidate, not the one beside, and 10 is above 9
wants 0 "$moved" main not-release-1
git -C "$work/author" push -q origin :refs/tags/v0.10.0
wants 0 "$first" main release-1
git checkout -q -b release-2 && wants 0 "$first"
[ -z "$(git status --porcelain)" ] || { echo 'the clone was changed' && failed=1; }
[ "$(git tag | wc -l)" -eq 5 ] || { echo 'the clone has other tags' && failed=1; }

wants 3 'refs/heads/nowhere cannot be fetched from origin' nowhere
wants 2 'cannot be the name of a branch' 'a..b'
wants 2 'cannot be the name of a branch' 'a branch'
wants 2 'usage:' a b c
IR_BASE_REMOTE=gone wants 3 'cannot be fetched from gone'
# A tag that is listed and cannot be fetched: its object is missing on the other side.
printf '%040d\n' 7 >"$work/remote/refs/tags/v0.9.5"
wants 3 'v0.9.5 cannot be fetched' main release-1
rm "$work/remote/refs/tags/v0.9.5"
for tag in v0.9.0 v0.12.0; do git -C "$work/author" push -q origin ":refs/tags/$tag"; done
wants 3 'contains no release' main release-1
git clone -q --depth 1 "file://$work/remote" "$work/shallow" && cd "$work/shallow" || exit 3
wants 0 "$moved" main topic
wants 3 'shallow' main release-1
cd "$work" && wants 3 'no git checkout'
exit "$failed"
