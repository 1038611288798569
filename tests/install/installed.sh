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
[ -s "$work/moved/share/ckbench/schema/ckbench-ir-1.schema.json" ] || { echo 'no schemas' && exit 1; }
"$work/moved/bin/ckbench" --version | grep -F "$version" >/dev/null || { echo 'no ckbench' && exit 1; }
expect env -u LD_LIBRARY_PATH "$work/moved/bin/cachekit" --version

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
