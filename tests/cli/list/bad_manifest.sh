tell() {
    printf "$1" >ckbench.json
    "$CKBENCH" list 2>&1 | sed "s:$PWD:WORK:"
    echo "${PIPESTATUS[0]}"
}
tell ''
tell '{"schema": "ckbench/manifest/1", "subject": "a"'
tell '{"schema": "ckbench/manifest/1", "subject": "a", "subject": "b"}'
tell '{"schema": "ckbench/manifest/1", "subject": "a"} x'
tell '{"schema": "ckbench/manifest/1",\n "subject": "a",\n "gate": {"fail_pct": 9007199254740993}}'
tell '{"schema": "ckbench/manifest/1", "subject": "../a"}'
tell '{"schema": "ckbench/manifest/7", "subject": "a"}'
tell '\xef\xbb\xbf{}'
rm ckbench.json
mkfifo ckbench.json
"$CKBENCH" list 2>&1 | sed "s:$PWD:WORK:"
