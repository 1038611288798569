# needs: valgrind
# needs: seconds
# A commit as the base: fetched, built once, kept. The policy is its own: an acceptance that head
# gives itself counts for nothing, one in the base is taken.
. "$CKBENCH_SOURCE/tests/cli/repository"
accepted='{"accept": [{"path": "plant_ir", "metric": "total", "reason": "meant", "expires": "2999-12-31"}]}'
repository r
manifest plant-0 && commit cheap
manifest plant-0 "$accepted" && commit accepted
manifest plant-1000 "$accepted" && build
gate --base-rev HEAD~1 --report r.json
"$CKBENCH_SOURCE/tests/cli/valid" r.json && python3 -c '
import json, subprocess
report = json.load(open("r.json"))
commit = subprocess.check_output(["git", "rev-parse", "HEAD~1"], text=True).strip()
print(report["provenance"]["base"]["commit"] == commit, report["body"]["adoption"])'
gate --base-rev main

# From here on nothing is counted: a path that nobody has is refused once both sides are open.
reach() { gate --path nobody --base-rev "$@"; }
echo "kept, whatever the commit is called:"
reach "$(git rev-parse HEAD~1)"
touch -d 2001-01-01 "$HOME"/.cache/ckbench/base/*/complete
echo "at most six are kept, the latest used:"
for n in 1 2 3 4 5 6; do git commit -q --allow-empty -m "$n" && reach HEAD; done | sort | uniq -c
find "$HOME/.cache/ckbench/base" -mindepth 1 -maxdepth 1 -printf '%f\n' | sed -E 's/^[0-9a-f]+//' | sort | uniq -c
echo "one without its mark is built again:"
rm "$HOME"/.cache/ckbench/base/*/complete && reach HEAD
echo "so is one that another compiler would build:"
CFLAGS=-O1 reach HEAD
echo "in a part of a repository, and from a shallow clone:"
mkdir part && git mv ckbench.json part/ && commit moved && cd part && build && reach HEAD
git clone -q --depth 1 "file://${PWD%/part}" ../shallow && cp planted libplant.so ../shallow/part/
cd ../shallow/part && rm -r "$HOME/.cache" && reach HEAD && reach HEAD~1
