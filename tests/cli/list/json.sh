"$CKBENCH" list --json --subject "$SUBJECTS/foreign/foreign" >out && "$CKBENCH_SOURCE/tests/cli/valid" out &&
    sed 's/^"provenance.*/"provenance":.../; s/^"body_sha256.*/"body_sha256":.../' out
