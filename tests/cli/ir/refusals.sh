for words in '--bse x' '--layouts 0' '--layouts 65' '--layouts 5x' '--layouts 5 --layouts 5' '--jobs' '--jobs=' \
    '--shard 3/2' '--shard 0/1' '--repeat -1' '--child-timeout 0' '--child-timeout 15m' '--no-base' '--json=yes' \
    '--self-test heap' '--self-test stack=1' '--self-test env=30001' '--update --base .' '--allow-increase' extra; do
    "$CKBENCH" ir $words
    echo "$? $words"
done
