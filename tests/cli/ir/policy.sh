# needs: valgrind
# The policy is the base's: what head grants itself does not count. An acceptance of base turns its
# own metric of its own path only, until its day, up to its ceiling.
cp -r "$SUBJECTS/plant-1000" head
cp -r "$SUBJECTS/plant-0" base
cd head || exit
gate() {
    "$CKBENCH" ir --base ../base --path plant_ir --layouts 1 | grep -E '^(plant_ir .*|PASS|FAIL|  accepted)' |
        sed -E 's/^plant_ir .* //'
}
manifest() {
    printf '{"schema":"ckbench/manifest/1","subject":"planted","own":["libplant.so"],"gate":%s}' "$2" \
        >"$1/ckbench.json"
}
manifest . '{"fail_pct":50.0,"warn_pct":40.0}'
gate
manifest ../base '{"fail_pct":50.0,"warn_pct":40.0}'
gate
manifest ../base '{"paths":{"plant_ir":{"fail_pct":11.0,"warn_pct":0.2}}}'
gate
accept() {
    manifest ../base "{\"accept\":[{\"path\":\"$1\",\"metric\":\"$2\",\"reason\":\"meant\",\"expires\":\"$3\"$4}]}"
    gate
}
accept plant_ir total 9999-12-31 ''
accept plant_ir total 2020-01-01 ''
accept plant_ir total 9999-12-31 ',"max":10999'
accept plant_ir total 9999-12-31 ',"max":11000'
accept plant_ir allocs 9999-12-31 ''
accept plant_alloc total 9999-12-31 ''
