# Colour is for the state word. stdout is no terminal here, so only "always" gives any.
mkdir empty
escape=$(printf '\033')
for words in '' '--color auto' '--color never' '--color always'; do
    PATH=$PWD/empty "$CKBENCH" doctor $words >out
    grep -c "$escape" out >count
    [ "$(cat count)" -eq 0 ] && echo "none: $words" || echo "some: $words"
done
sed -n "s/^callgrind  *$escape\\[31mmissing$escape\\[0m.*/red: missing/p" out
NO_COLOR=1 PATH=$PWD/empty "$CKBENCH" doctor --color=always | grep -c "$escape" >count
[ "$(cat count)" -eq 0 ] || echo "--color wins over NO_COLOR"
