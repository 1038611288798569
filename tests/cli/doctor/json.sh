# needs: valgrind
"$CKBENCH" doctor --json >one && "$CKBENCH_SOURCE/tests/cli/valid" one || exit
"$CKBENCH" doctor --json >two || exit
# What is measured twice on one host is the same twice.
grep '^"body_sha256' one >hash_one
grep '^"body_sha256' two >hash_two
cmp hash_one hash_two
