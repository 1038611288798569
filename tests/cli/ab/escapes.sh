# A comma in a value is written \,; words up to the next option are shapes.
"$CKBENCH" ab --subject "$CKBENCH_SOURCE/tests/cli/ab/teller" --path told --shapes small large --ops get --blocks 6 \
    --arm 'list:A=1\,2,B=3' --json | python3 -c '
import json, sys
body = json.load(sys.stdin)["body"]
print(body["arms"][2]["settings"], body["arms"][2]["proof"], [cell["shape"] for cell in body["cells"]])'
