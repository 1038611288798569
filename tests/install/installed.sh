#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the project into a staged tree, moves that tree, and builds strangers' programs against
# it in C and C++, by find_package and by pkg-config. Usage: installed.sh SOURCE_DIR static|shared
set -eu
source=$1 kind=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/install.XXXXXX")
trap 'rm -rf "$work"' EXIT
unset DESTDIR CFLAGS CXXFLAGS LDFLAGS PKG_CONFIG_LIBDIR
shared=OFF
[ "$kind" = static ] || shared=ON

quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log" && echo "failed: $*" && exit 1; }; }
version=$(sed -nE 's/^#define CACHEKIT_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' \
    "$source/lib/include/cachekit/version.h" | paste -sd .)
expect() { # COMMAND...: runs it and wants the version
    local said
    said=$("$@") || { echo "failed: $*" && exit 1; }
    [ "$said" = "cachekit $version" ] || { echo "$* says $said, not $version" && exit 1; }
}

quiet cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DBUILD_SHARED_LIBS=$shared -DCACHEKIT_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr
quiet cmake --build "$work/build"
DESTDIR=$work/stage quiet cmake --install "$work/build"
mv "$work/stage/usr" "$work/moved"
lib=$(dirname "$(find "$work/moved" -name 'libcachekit.*' | head -n 1)")
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
cd "$source/tests/install/consumer"

quiet cmake -S . -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_C_FLAGS=-O1
quiet cmake --build "$work/consumer"
expect "$work/consumer/use_c"
expect "$work/consumer/use_cxx"

flags=$(pkg-config --cflags --libs cachekit)
kit_flags=$(pkg-config --cflags --libs ckbench-subject)
# shellcheck disable=SC2086 # flags are words
{
    quiet cc -std=c11 -Wall -Wextra -Werror -o "$work/pc_c" use_c.c $flags
    quiet c++ -std=c++11 -Wall -Wextra -Werror -o "$work/pc_cxx" use_cxx.cc $flags
    quiet cc -std=c11 -Wall -Wextra -Werror -o "$work/pc_subject_c" subject_c.c $kit_flags
    quiet c++ -std=c++11 -Wall -Wextra -Werror -o "$work/pc_subject_cxx" subject_cxx.cc $kit_flags
}
expect "$work/pc_c"
expect "$work/pc_cxx"

# The README's example of a cached function, as it stands there.
awk '/^## Cache a function/{on = 1} on && /^```$/{exit} on && inside{print} on && /^```c$/{inside = 1}' \
    "$source/README.md" >"$work/example.c"
cp "$work/example.c" "$work/example.cc"
# shellcheck disable=SC2086 # flags are words
{
    quiet cc -std=c11 -Wall -Wextra -o "$work/example_c" "$work/example.c" $flags
    quiet c++ -std=c++11 -Wall -Wextra -o "$work/example_cxx" "$work/example.cc" $flags
}
for example in "$work/example_c" "$work/example_cxx"; do
    [ "$("$example" | paste -sd ' ')" = 'computing 144 144 144' ] || { echo "$example failed" && exit 1; }
done
# That in Redis is run by tests/redis/example.py.
awk -f "$source/tests/redis/example.awk" "$source/README.md" >"$work/users.c"
cp "$work/users.c" "$work/users.cc"
# shellcheck disable=SC2086 # flags are words
{
    quiet cc -std=c11 -Wall -Wextra -o "$work/users_c" "$work/users.c" $flags
    quiet c++ -std=c++11 -Wall -Wextra -o "$work/users_cxx" "$work/users.cc" $flags
}

for subject in "$work/consumer/subject_c" "$work/consumer/subject_cxx" "$work"/pc_subject_c*; do
    CKBENCH_FD=3 "$subject" list 3>"$work/list" || { echo "$subject list failed" && exit 1; }
    grep -q '"name":"stranger_counts' "$work/list" || { cat "$work/list" && exit 1; }
done
CKBENCH_FD=3 "$work/consumer/subject_c" list 3>"$work/list"
grep -qF '"flags":"-O1"' "$work/list" || { cat "$work/list" && echo 'no stamp' && exit 1; }
for file in ckbench/schema/ckbench-ir-1.schema.json man/man1/ckbench.1 man/man1/cachekit.1; do
    [ -s "$work/moved/share/$file" ] || { echo "no $file" && exit 1; }
done
"$work/moved/bin/ckbench" --version | grep -F "$version" >/dev/null || { echo 'no ckbench' && exit 1; }
expect env -u LD_LIBRARY_PATH "$work/moved/bin/cachekit" --version

# The installed instrument on strangers' subjects: in C++ with the kit, in C++ without it, in Python.
measures() { # WORDS COMMAND...: exit 0, and WORDS on stdout
    local words=$1
    shift
    env -u LD_LIBRARY_PATH "$work/moved/bin/ckbench" "$@" >"$work/result" 2>"$work/log" ||
        { cat "$work/log" "$work/result" && echo "failed: ckbench $*" && exit 1; }
    grep -qE "$words" "$work/result" || { cat "$work/result" && echo "ckbench $* does not say $words" && exit 1; }
}
if [ "$kind" = static ]; then
    mkdir "$work/head" "$work/base"
    quiet c++ -O2 -g -x c++ -o "$work/head/kitless" "$source/tests/subjects/foreign.c"
    cp "$work/consumer/subject_cxx" subject.py "$work/head"
    cp "$work/head/"* "$work/base"
    measures '^stranger_counts_cxx .* copies 100' list --subject "$work/head/subject_cxx"
    measures '^PASS: 1 ok$' ir --subject "$work/head/subject_cxx" --base-subject "$work/base/subject_cxx" --layouts 1
    measures '^PASS: 1 ok$' ir --subject "$work/head/kitless" --base-subject "$work/base/kitless" --layouts 1
    measures '^terrain dictionary$' list --subject "$work/head/subject.py"
    measures '^parse_list .*2 x 5 x [0-9]+$' time --subject "$work/head/subject.py" --path parse_list --runs 2 --samples 5
    measures '^books: balanced, [0-9]+ equations, 0 wrong' terrain --subject "$work/head/subject.py" \
        --terrain dictionary --l2-where none --minutes 0.005
    code=0
    "$work/moved/bin/ckbench" ir --subject "$work/head/subject.py" --base-subject "$work/base/subject.py" \
        >"$work/result" 2>"$work/log" || code=$?
    [ "$code" = 3 ] || { cat "$work/log" && echo "counting a script ends with $code" && exit 1; }
    quiet /usr/bin/python3 -B "$source/tests/docs/run_pages.py" "$work/moved" "$source"/docs/*.md
fi

if [ "$kind" = shared ]; then
    readelf -d "$lib/libcachekit.so" >"$work/dynamic"
    for words in 'SONAME.*\[libcachekit\.so\.0\]' 'NODELETE' 'Flags:.*NOW'; do
        grep -qE "$words" "$work/dynamic" || { echo "the library lacks $words" && exit 1; }
    done
    quiet cc -std=c11 -Wall -Wextra -Werror -o "$work/load" load_at_run_time.c -ldl
    expect "$work/load"
    quiet cc -std=c11 -Wall -Wextra -Werror -I"$work/moved/include" -o "$work/load_in_thread" \
        load_in_thread.c -ldl -lpthread
    expect "$work/load_in_thread"
    "$source/ci/symbols" "$lib/libcachekit.so"
elif find "$lib" -name 'libcachekit.so*' | grep .; then
    echo 'a static install holds a shared library'
    exit 1
fi
if grep -rIl -- "$source" "$work/moved" | grep -v '/bin/'; then
    echo 'installed text names the source folder'
    exit 1
fi
