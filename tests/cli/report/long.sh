# 2,000 paths, all failing for reasons that must be escaped: cut with a count, the verdict first.
cat >make.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from honest import document, path, seal, side
slow = [path(f"p{i:04d}", side(1020 + i, own=400), side(1000, own=400), ["<@|`> " * 60] * 3) for i in range(2000)]
open("shard-1.json", "w").write(seal(document(slow, shard="1/900")))
END
python3 -B make.py "$CKBENCH_SOURCE/tests/reports"
"$CKBENCH" report shard-1.json --markdown >out
echo "exit $?"
[ "$(wc -c <out)" -le 65000 ] || echo "too long: $(wc -c <out)"
head -n 1 out
grep -c '^| `p' out
grep -m 1 '^| `p' out
grep -E '^- and|not shown' out
tail -n 1 out | cut -c 1-50
