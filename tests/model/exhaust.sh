#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the model to exhaustion: no error as it is, and one for each rule that is broken.
# Usage: exhaust.sh MODEL
set -eu
model=$(realpath -- "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/model.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

check() { # EXPECTED [DEFINE]: errors are expected to be 0, or 1 or more
    spin -a ${2:+-D"$2"} "$model" >said 2>&1 || { cat said && exit 1; }
    cc -O2 -w -DSAFETY -DCOLLAPSE -o pan pan.c
    ./pan -m1000000 >said 2>&1 || { cat said && exit 1; }
    errors=$(sed -nE 's/.*errors: ([0-9]+).*/\1/p' said)
    states=$(sed -nE 's/^ *([0-9]+) states, stored.*/\1/p' said)
    if grep -q 'Search not completed' said && [ "$1" = 0 ]; then
        cat said
        exit 1
    fi
    if [ "$1" = 0 ] && [ "$errors" != 0 ] || [ "$1" != 0 ] && [ "$errors" = 0 ]; then
        cat said
        echo "${2:-the model} has $errors errors"
        exit 1
    fi
    echo "${2:-as it is}: $errors errors, $states states"
}

check 0
for rule in NO_SECOND_LOOK PIN_LATE NO_SCAN RETURNS_EARLY; do
    check 1 "$rule"
done
