#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every public header compiles alone, and twice in one file, as C11, C17, C++11 and C++20, with gcc
# and clang under strict flags. Usage: alone.sh SOURCE_DIR
set -u
cd -- "$1" || exit 3
flags=(-fsyntax-only -Werror -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual
    -Ilib/include -Itools/subject/include)
failed=0 compiled=0
check() { # HEADER LANGUAGE STANDARD COMPILER FLAG...
    local header=$1 language=$2 standard=$3 compiler=$4
    shift 4
    printf '#include <%s>\n#include <%s>\nextern int alone;\n' "$header" "$header" |
        "$compiler" -x "$language" -std="$standard" "${flags[@]}" "$@" - || {
        echo "<$header> is no clean $standard for $compiler"
        failed=1
    }
    compiled=$((compiled + 1))
}
for file in lib/include/cachekit/*.h tools/subject/include/ckbench/*.h; do
    header=${file#*/include/}
    for standard in c11 c17; do
        check "$header" c "$standard" gcc -Wstrict-prototypes -Wmissing-prototypes -Wc++-compat
        check "$header" c "$standard" clang -Wstrict-prototypes -Wmissing-prototypes
    done
    for standard in c++11 c++20; do
        check "$header" c++ "$standard" g++
        check "$header" c++ "$standard" clang++
    done
done
echo "$compiled compilations"
[ "$compiled" -ge 80 ] || { echo 'too few: were the headers found?' && exit 1; }
exit "$failed"
