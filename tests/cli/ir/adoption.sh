# needs: valgrind
# needs: seconds
# A base from before the manifest is built with head's subject laid over it; when that fails nothing
# was compared, and the report says which kind of nothing.
. "$CKBENCH_SOURCE/tests/cli/repository"
repository r
echo bench/built >>.gitignore && echo plant-0 >library && commit "a library"
echo 'no library' >library && commit "a worse one"
mkdir bench && cat >bench/build <<BUILD && chmod +x bench/build
#!/bin/sh
from=$SUBJECTS/\$(cat library)
[ -e "\$from/planted" ] || { echo 'it does not fit' && exit 1; }
exec cp "\$from/planted" "\$from/libplant.so" .
BUILD
manifest() {
    printf '{"schema":"ckbench/manifest/1","subject":"planted","build":"bench/build","own":["libplant.so"],"subject_files":[%s]}' \
        "$1" >ckbench.json
}
verdict() {
    "$CKBENCH_SOURCE/tests/cli/valid" r.json && python3 -c '
import json
body = json.load(open("r.json"))["body"]
print(body["verdict"], body["adoption"], [path["verdict"] for path in body["paths"]])'
    rm r.json
}
echo plant-1000 >library && bench/build && cp "$SUBJECTS/plant-0/planted" bench/built
manifest '"bench"'
echo "not known to git:"
gate --base-rev HEAD~1
git add -A
echo "laid over sources that it fits:"
gate --base-rev HEAD~1 --report r.json
verdict
echo "over sources that it does not fit:"
gate --base-rev HEAD --report r.json
verdict
"$CKBENCH" ab --base-rev HEAD --path plant_ir 2>&1 | plain | sed 's/; see.*//'
echo "what was built in head stays there, what is not listed too:"
find "$HOME"/.cache/ckbench/base/*/tree -name .git -prune -o -type f -printf '%P\n' | sort | paste -sd ' '
manifest ''
gate --path nobody --base-rev HEAD~1 | sed 's/ended with 127.*see/ended with 127; see/'
echo "a path that fails is no adoption:"
manifest '"bench"' && cp "$SUBJECTS/misbehaving/misbehaving" planted && rm -f libplant.so
"$CKBENCH" ir --path aborts --path behaves --layouts 1 --base-rev HEAD --report r.json 2>/dev/null | tail -n 1
verdict
echo "no manifest on either side:"
git rm -q --cached ckbench.json && rm ckbench.json
"$CKBENCH" ir --subject planted --base-rev HEAD 2>&1 | plain
