# All of its files or none, never over one that is there, and what it writes is sound.
list() { find . -mindepth 1 -printf '%y %m %p\n' | sort; }
umask 022
mkdir empty && cd empty && "$CKBENCH" init && list
"$CKBENCH_SOURCE/tests/cli/valid" ckbench.json
sh -n bench/gate
python3 -c '
import re, yaml
text = open(".github/workflows/ckbench.yml").read()
flow = yaml.safe_load(text)
print(flow["permissions"], sorted(flow[True]), sorted(flow["jobs"]))
steps = flow["jobs"]["gate"]["steps"]
print(all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", s["uses"]) for s in steps if "uses" in s))
print([s["with"]["persist-credentials"] for s in steps if "checkout" in s.get("uses", "")])
print([s["run"] for s in steps if "${{" in s.get("run", "")], "pull_request_target" in text, "secrets" in text)
print(next(s["with"]["repository"] for s in steps if "repository" in s.get("with", {})))'
echo "in C++, from a repository of one's own:"
mkdir ../other && cd ../other && touch CMakeLists.txt && "$CKBENCH" init --lang c++ --source me/ckbench | tail -n 4
grep -n 'CXX\|SOURCES =' bench/Makefile
grep -n 'repository: me/ckbench' .github/workflows/ckbench.yml
for file in ckbench.json bench/Makefile bench/paths.c bench/.gitignore bench/gate .github/workflows/ckbench.yml; do
    rm -rf ../full && mkdir ../full && cd ../full && mkdir -p "$(dirname $file)" && ln -s nowhere "$file"
    "$CKBENCH" init 2>&1
    echo "$file: $?, $(find . -type f | wc -l) files"
done
echo "where it cannot write:"
rm -rf ../full && mkdir ../full && cd ../full && touch .github
"$CKBENCH" init 2>&1
echo "$?" && list
for source in me /ckbench me/ -a/b 'a/b c' a/b/c '${{x}}/y'; do "$CKBENCH" init --source="$source" 2>&1; done
"$CKBENCH" init --lang rust 2>&1
"$CKBENCH" init somewhere 2>&1
