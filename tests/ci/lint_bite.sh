#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A tiny tree that ci/lint takes, and one breach after another that it must name.
# Usage: lint_bite.sh SOURCE_DIR
set -u
tree=$(mktemp -d "${TMPDIR:-/tmp}/lint.XXXXXX") || exit 3
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/ci" "$tree/lib/src" "$tree/lib/other" "$tree/build"
cp "$1/ci/lint" "$1/ci/files" "$tree/ci/"
cp "$1/.clang-format" "$1/.clang-tidy" "$tree/"
failed=0

good() {
    cat >"$tree/lib/src/good.c" <<'C'
// SPDX-License-Identifier: MIT
int twice(int number);

int twice(int number)
{
    return 2 * number;
}
C
    cat >"$tree/build/compile_commands.json" <<JSON
[{
  "directory": "$tree/build",
  "command": "gcc -std=c11 -c $tree/lib/src/good.c",
  "file": "$tree/lib/src/good.c"
}]
JSON
}
# expect STATUS PATTERN: ci/lint ends so and says so.
expect() {
    local out status
    out=$("$tree/ci/lint" "$tree/build" 2>&1)
    status=$?
    if [ "$status" -ne "$1" ] || ! grep -qE -- "$2" <<<"$out"; then
        printf 'wanted %s and /%s/, got %s and:\n%s\n' "$1" "$2" "$status" "$out"
        failed=1
    fi
    good
}
append() { printf '%s\n' "$1" >>"$tree/lib/src/good.c"; }

good
expect 0 'nothing to complain about'
append 'int  badly ( void ) ;'
expect 1 'code should be clang-formatted'
append '// TO''DO later'
expect 1 'leftovers'
append '// see /home/''someone/notes'
expect 1 'a path of one machine'
sed -i 1d "$tree/lib/src/good.c"
expect 1 'does not begin with its licence line'
yes '' | head -n 500 >>"$tree/lib/src/good.c"
expect 1 '500 is the ceiling'
append '
int wrong(const char *text);

int wrong(const char *text)
{
    const char *none = 0;
    return text == 0 ? *none : 0;
}'
expect 1 'Dereference of null pointer'
append "
int many(int a, int b, int c, int d, int e, int f, int g);
$(printf 'int many(int a, int b, int c, int d, int e, int f, int g)\n{\n    return a + b + c + d + e + f + g;\n}')"
expect 1 '7 parameters'
cp "$tree/lib/src/good.c" "$tree/lib/other/"
expect 1 'two files are called good.c'
rm "$tree/lib/other/good.c"
# shellcheck disable=SC2016 # the planted script shall not expand here
printf '#!/usr/bin/env bash\nrm -rf $1/x\n' >"$tree/ci/planted"
expect 1 'SC2086'
rm "$tree/ci/planted"
echo '[]' >"$tree/build/compile_commands.json"
expect 1 'clang-tidy was given no file'
rm "$tree/build/compile_commands.json"
expect 1 'is not configured'
exit "$failed"
