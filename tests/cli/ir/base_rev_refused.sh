# needs: valgrind
# needs: seconds
# What is no base is one line and exit 2 or 3, and leaves no folder behind. Nothing is counted here.
. "$CKBENCH_SOURCE/tests/cli/repository"
cache=$HOME/.cache/ckbench/base
reach() { gate --path nobody --base-rev "$@"; }
building() { # BUILD: a commit whose build is that
    printf '{"schema":"ckbench/manifest/1","subject":"planted","build":"%s"}\n' "$1" >ckbench.json && commit "$1"
}
left() { find "$cache" -mindepth 1 -maxdepth 1 -type d | wc -l; }
cp -r "$SUBJECTS/plant-0" alone && cd alone && reach HEAD && cd ..
repository r
manifest plant-0 && build
reach HEAD
commit one
for rev in nobody -x HEAD^2 HEAD:ckbench.json 0123456789012345678901234567890123456789 'a b' HEAD..HEAD '$(date)'; do
    gate --path nobody --base-rev="$rev"
done
echo "options that contradict it:"
gate --base-rev HEAD --base .
gate --base-rev HEAD --base-subject planted
gate --base-rev HEAD --update
gate --base-rev HEAD --self-test env=1
echo "no git, no place:"
PATH=/nowhere "$CKBENCH" ab --base-rev HEAD --path plant_ir 2>&1
echo "exit $?"
HOME=nowhere reach HEAD
XDG_CACHE_HOME=/dev/null reach HEAD
echo "builds that fail:"
cp ckbench.json keep && building 'echo it broke; exit 7' && cp keep ckbench.json && reach HEAD
cat "$cache"/*.log
building true && cp keep ckbench.json && reach HEAD
building 'kill -9 $$' && cp keep ckbench.json && reach HEAD
echo '{}' >ckbench.json && commit odd && cp keep ckbench.json && reach HEAD
git update-index --add --cacheinfo 160000,"$(git rev-parse HEAD)",deps/other && git commit -q -m sub && reach HEAD
echo "folders left: $(left)"
echo "files of git-lfs:"
git rm -q --cached deps/other && echo '*.bin filter=lfs' >.gitattributes && : >large.bin
building "cp $SUBJECTS/plant-0/planted $SUBJECTS/plant-0/libplant.so ."
cp keep ckbench.json && reach HEAD
rm -r "$cache" .gitattributes large.bin
echo "what a build sees:"
building "env >seen; echo hook >ran; cp $SUBJECTS/plant-0/* ."
cp keep ckbench.json
printf '#!/bin/sh\necho ran >%s/hooked\n' "$PWD" >.git/hooks/post-checkout && chmod +x .git/hooks/post-checkout
GITHUB_TOKEN=secret ACTIONS_RUNTIME_TOKEN=secret CACHEKIT_MASTER_KEY=secret GIT_DIR=/nowhere CFLAGS=-O1 reach HEAD
grep -c secret "$cache"/*/tree/seen
sed -n 's/=.*//p' "$cache"/*/tree/seen | sort | paste -sd ' '
ls hooked 2>/dev/null
echo "two at once build it once:"
building "echo x >>$HOME/built; cp $SUBJECTS/plant-0/planted $SUBJECTS/plant-0/libplant.so ."
cp keep ckbench.json
for _ in 1 2 3; do "$CKBENCH" ir --path nobody --base-rev HEAD >/dev/null 2>&1 & done
wait
cat "$HOME/built"
echo "one that is interrupted:"
building "[ -e $HOME/go ] || sleep 1000 & [ -e $HOME/go ] || sleep 1000; cp $SUBJECTS/plant-0/* ."
cp keep ckbench.json && before=$(left)
begin() {
    : >err
    "$CKBENCH" ir --path nobody --base-rev HEAD 2>err &
    until grep -q building err; do sleep 0.05; done
    sleep 0.2
}
begin
kill -TERM $! && wait $!
echo "exit $?, folders more: $(($(left) - before))" && tail -n 1 err
echo "one that is killed leaves a folder, which is not taken for a base:"
begin
kill -KILL $! && wait $! 2>/dev/null
rm -rf "$TMPDIR"/ckbench-* && echo "folders more: $(($(left) - before))"
touch "$HOME/go" && reach HEAD
