# needs: valgrind
# What the caller's shell hands down neither breaks a count nor leaves a file behind.
cp -r "$SUBJECTS/plant-0" head
cp -r "$SUBJECTS/plant-0" base
cd head || exit
count() {
    echo "$1"
    "$CKBENCH" ir --base ../base --path plant_ir --layouts 1 --jobs 2 2>&1 |
        grep -E '^(plant_ir|ckbench)' | sed "s:$TMPDIR:TMPDIR:"
}
(trap '' INT TERM HUP CHLD PIPE && count 'signals ignored')
(umask 0777 && count 'umask 0777')
(ulimit -S -n 20 && count 'few descriptors')
(ulimit -n 100 && count 'too few descriptors')
(ulimit -S -f 0 && count 'no files') | cat
(exec 5</dev/null 6<. 99</dev/null && count 'open descriptors')
echo 'variables, none of them'
variables=(LD_BIND_NOT=1 MALLOC_ARENA_MAX=7 MALLOC_PERTURB_=1 LC_ALL=de_DE.UTF-8 TZ=:/nowhere CKBENCH_FD=77
    GLIBC_TUNABLES=glibc.malloc.tcache_count=0 VALGRIND_LIB=/nowhere VALGRIND_OPTS=--help)
env "${variables[@]}" "$CKBENCH" ir --base ../base --path plant_ir --layouts 1 | grep ^plant_ir
env -i "$CKBENCH" ir --base ../base --path plant_ir --layouts 1 | grep ^plant_ir
