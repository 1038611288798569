# needs: valgrind
# needs: seconds
# From nothing to a working gate, with what was installed: the same source passes, 2 % more is red and
# says where, the change that brings the subject is let through once and nothing else is.
. "$CKBENCH_SOURCE/tests/cli/repository"
cmake --install "$CKBENCH_BUILD" --prefix "$PWD/installed" >log 2>&1 || cat log
PATH=$PWD/installed/bin:$PATH
PKG_CONFIG_PATH=$(dirname "$(find "$PWD/installed" -name ckbench-subject.pc)")
export PATH PKG_CONFIG_PATH
gate() {
    bench/gate "$@" --layouts 1 2>err >out
    local status=$?
    grep -v '^make\|^mkdir\|^cc\|^pkg-config\|^rm' err | plain
    grep -A3 '^[a-z0-9_]*: [A-Z]' out
    echo "exit $status"
    rm -f err out
}
repository project
commit nothing
ckbench init >/dev/null && commit "a first path"
echo "unchanged:"
gate HEAD
mkdir ../cxx && (cd ../cxx && ckbench init --lang c++ >/dev/null && make -s -C bench 2>/dev/null && ckbench list)
echo "2 % more:"
sed -i 's/BYTES = 1000/BYTES = 1020/' bench/paths.c
gate HEAD
echo "the change that brings the subject, when it does not fit what was there:"
git checkout -q --orphan again && git rm -rqf --cached . && commit nothing >/dev/null 2>&1
git rm -rqf --cached . && git commit -q -m nothing
mkdir src && echo 'enum { BYTES = 1000 };' >src/size.h && sed -i 's/^enum { BYTES.*/#include "size.h"/' bench/paths.c
git add -A && gate HEAD
echo "it is not let through for any other reason:"
gate HEAD --path nobody
TMPDIR=/nowhere gate HEAD
commit "a first path"
echo "and never again:"
echo '#error broken' >src/size.h && commit broken && echo 'enum { BYTES = 1000 };' >src/size.h
gate HEAD
gate nobody
