mkdir bin
work=$PWD
cd "$SUBJECTS/plant-0" || exit
try() {
    printf '#!/bin/sh\n%s\n' "$1" >"$work/bin/valgrind"
    chmod +x "$work/bin/valgrind"
    PATH=$work/bin:$PATH "$CKBENCH" ir --base ../plant-1 --path plant_ir 2>&1 | sed "s:$work:WORK:g"
    echo "${PIPESTATUS[0]}"
}
try 'echo nonsense'
try 'exit 0'
try 'if [ "$1" = --version ]; then echo valgrind-3.19.0; else echo "valgrind: Unknown option" >&2; exit 1; fi'
