#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The project as strangers configure it: without the tools, and as a part of another project, which
# then builds the library only, here without encryption. Usage: options.sh SOURCE_DIR
set -eu
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/options.XXXXXX")
trap 'rm -rf "$work"' EXIT
unset CFLAGS CXXFLAGS LDFLAGS
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log" && echo "failed: $*" && exit 1; }; }

quiet cmake -S "$source" -B "$work/library" -G Ninja -DCACHEKIT_BUILD_TOOLS=OFF
ninja -C "$work/library" -t targets all >"$work/targets"
grep -q 'test_reader' "$work/targets" || { echo 'the tests of the library are missing' && exit 1; }
! grep -m 1 'ckbench' "$work/targets" || { echo 'tools were switched off' && exit 1; }

mkdir "$work/parent"
cat >"$work/parent/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES C)
set(CACHEKIT_WITH_SEAL OFF)
add_subdirectory($source cachekit EXCLUDE_FROM_ALL)
add_executable(use_c $source/tests/install/consumer/use_c.c)
target_link_libraries(use_c PRIVATE cachekit::cachekit)
EOF
quiet cmake -S "$work/parent" -B "$work/build" -G Ninja
quiet cmake --build "$work/build"
"$work/build/use_c"
if find "$work/build" -name '*ckbench*' -o -name 'test_*' | grep .; then
    echo 'a part of another project builds more than the library'
    exit 1
fi
