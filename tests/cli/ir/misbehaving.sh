# needs: valgrind
# A path that misbehaves is named and shows no figure; its neighbours are measured all the same.
cp -r "$SUBJECTS/misbehaving" base
cp -r "$SUBJECTS/misbehaving" head
cd head || exit
only=$(printf -- ' --path %s' aborts behaves crashes crashes_in_setup crashes_in_teardown daemonises \
    execs exits_early exits_quietly exits_with_9 fails_setup fails_verify forks_and_leaves \
    forks_and_waits hangs_deaf prints_escapes sigill_avx512 sigill_ud2 stops_itself writes_garbage \
    zz_behaves)
"$CKBENCH" ir --base ../base $only --layouts 1 --child-timeout 0.05 --jobs 2 >out 2>messages
echo "exit $?"
awk '$1 ~ /:$/ { next }
     $NF == "error" && $2 != "-" { print "a figure of a failed path: " $0 }
     $NF == "error" || $NF == "ok" { print $1, $NF }' out
grep -A 1 ': error$' out | grep -v '^--' | sed -E 's/[0-9]+ (was|is) /N \1 /; s/0x[0-9A-F ]+/BYTES/'
tail -n 1 out
cat messages
