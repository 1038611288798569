cd "$SUBJECTS/foreign" && "$CKBENCH" list
