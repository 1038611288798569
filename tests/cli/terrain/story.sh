# What the recording says is what the script counted: cells, ranks and shares by another program.
story=$CKBENCH_SOURCE/tests/subjects/terrain_script.py
"$CKBENCH" terrain --subject "$story" --terrain story --option slices=40 --l2-where "in a script" --harness "test of ours" \
    --option "url=redis://user:secret@host:1/0" --out t.json --json >u.json
"$CKBENCH_SOURCE/tests/cli/valid" t.json u.json
cmp t.json u.json && echo "--json is --out"
grep -c secret t.json
python3 - t.json <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
body, provenance = document["body"], document["provenance"]
print(provenance["l2_where"], "|", provenance["harness"], "|", provenance["subject"]["commit"], provenance["subject"]["dirty"])
print([word for word in provenance["request"] if word.startswith("url")])


def first(cell):
    return cell if cell < 64 else (1 << cell // 32 + 4) + (cell % 32 << cell // 32 - 1)


def bins_of(cells):
    bins = {}
    for cell, count in cells.items():
        middle = (first(cell) + first(cell + 1)) // 2
        bin = -1
        while bin < 112 and middle >= 100 * 10 ** ((bin + 1) / 16):
            bin += 1
        bins[bin] = bins.get(bin, 0) + count
    return bins


for result in body["results"]:
    for time in ("service", "wait", "response"):
        if time not in result:
            continue
        whole = {}
        for piece in body["slices"]:
            for cells in piece["cells"]:
                if (cells["layer"], cells["time"]) == (result["layer"], time):
                    pairs = cells["bins_16_per_decade"]
                    assert dict(zip(pairs[::2], pairs[1::2])) == bins_of(dict(zip(cells["cell"], cells["count"]))), cells
                    for cell, count in zip(cells["cell"], cells["count"]):
                        whole[cell] = whole.get(cell, 0) + count
        n = sum(whole.values())
        assert n == result[time]["n"]
        pairs = result[time]["bins_16_per_decade"]
        assert dict(zip(pairs[::2], pairs[1::2])) == bins_of(whole), (result["layer"], time)
        quantiles = result[time]["p50"], result[time]["p99"]
        for permille, quantile in zip((500, 990), quantiles):
            rank, below = -(-n * permille // 1000), 0
            for cell in sorted(whole):
                below += whole[cell]
                if below >= rank:
                    assert quantile["ns"] is None or first(cell) <= quantile["ns"] < first(cell + 1)
                    break
        print(result["layer"], time, n, result["calls_ppm"], *quantiles)
print(body["totals"]["overall"], body["totals"]["busiest_slice"])
END
