for words in '--jsom' '--json=1' '--json --json' 'x' '--color' '--color=' '--color red' '-j' '--'; do
    [ "$words" = -- ] || "$CKBENCH" doctor $words
    echo $?
done
