# A stall of 20 ms each second, in virtual time: who queues sees it in the response, who drops sees it
# in the longest call and in what was dropped, and nowhere else.
run() {
    "$CKBENCH" terrain --subject "$CKBENCH_BUILD/workloads/ck-workloads" --clock virtual --l2 memory --keys 100 --l1-keys none \
        --rate 1000 --calls 100000 --warmup 2000 --miss-ms 1 --stall 20ms@1s --l2-where "in process" "$@" >table || cat table
}
run --late queue --out queue.json
run --late drop --out drop.json
"$CKBENCH_SOURCE/tests/cli/valid" queue.json drop.json
python3 - <<'END'
import json
for late in ("queue", "drop"):
    body = json.load(open(late + ".json"))["body"]
    l1 = body["results"][0]
    p50, p99, longest, total = l1["service"]["raw_p50_p99_max_sum_ns"]
    print(late, body["verdict"], "| service p99 below 2 us:", p99 < 2000, "| longest near 20 ms:", 19_000_000 < longest <= 20_001_000,
          "| response p99 over 5 ms:", l1["response"]["p99"]["ns"] > 5_000_000, "| dropped:", body["totals"]["dropped"] > 0)
    for row in body["results"]:
        for quantile in ("p50", "p99"):
            assert "service" not in row or row["response"][quantile]["ns"] is None or \
                row["response"][quantile]["ns"] >= row["service"][quantile]["ns"]
END
