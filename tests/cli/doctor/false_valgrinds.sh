mkdir bin
try() {
    printf '#!/bin/sh\n%s\n' "$1" >bin/valgrind
    chmod +x bin/valgrind
    PATH=$PWD/bin:$PATH "$CKBENCH" doctor >out
    echo "$? $(grep '^callgrind: ' out | sed "s:$PWD:WORK:g")"
}
try 'echo nonsense'
try 'exit 0'
try 'echo valgrind-3.10.0'
try 'exit 1'
try 'kill -SEGV $$'
try 'if [ "$1" = --version ]; then echo valgrind-3.19.0; else exit 1; fi'
try 'if [ "$1" = --version ]; then echo valgrind-3.19.0; else exit 0; fi'
