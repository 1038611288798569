# needs: valgrind
"$CKBENCH" doctor --json >one && "$CKBENCH_SOURCE/tests/cli/valid" one || exit
# The same host gives the same body; what changes, such as the load, is provenance.
for name in load steal tmpdir; do
    sed -n '/^"body"/,/^"provenance"/p' one | grep "^{\"name\":\"$name\""
done
"$CKBENCH" doctor --json >two || exit
grep '^"body_sha256' one >hash_one
grep '^"body_sha256' two >hash_two
cmp hash_one hash_two
