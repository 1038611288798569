"$CKBENCH" list --json --subject "$SUBJECTS/misbehaving/misbehaving" | "$CKBENCH_SOURCE/tests/cli/valid" -
