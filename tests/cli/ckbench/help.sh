"$CKBENCH" --help >one && "$CKBENCH" -h >two && "$CKBENCH" help >three &&
    cmp one two && cmp one three && cat one
