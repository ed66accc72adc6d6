#!/usr/bin/env bash
# Makes guests/runtimes/python/profile.txt anew: which parts of CPython are hot, as upstream's own training tells (`python -m test --pgo`, what distributions
# build theirs with). Wanted after a change of CPython's version; without it a build goes on with the old profile, whose changed functions are ignored.
#
# usage: scripts/python-profile.sh SOURCE [WORK]
#
#   SOURCE  CPython's unpacked source, as the guest's build has left it (cpython in its work directory)
#   WORK    where the instrumented interpreter is built and run (default: ./python-profile); eight minutes on two cores
#
# Needs clang-19, llvm-19 and libclang-rt-19-dev. The interpreter's loop is built as in the sandbox, with one switch: counts belong to the shape of the source.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
source=$(cd "$1" && pwd)
result=$(cd "$(dirname "$0")/.." && pwd)/guests/runtimes/python/profile.txt
work=$(mkdir -p "${2:-python-profile}" && cd "${2:-python-profile}" && pwd)
llvm=/usr/lib/llvm-19/bin
cd "$work"

instrument=-fprofile-instr-generate
"$source/configure" --quiet --disable-test-modules --with-ensurepip=no CC=$llvm/clang \
    CFLAGS="-O1 $instrument -DUSE_COMPUTED_GOTOS=0" LDFLAGS=$instrument >configure.log 2>&1
make -s -j "$(nproc)" all >make.log 2>&1
rm -rf counts
LLVM_PROFILE_FILE=$work/counts/%p.profraw ./python -m test --pgo --timeout=600 >train.log 2>&1
$llvm/llvm-profdata merge --sparse --text -o all.txt counts/*.profraw

# What is rare is left out, and the rest told in thousands: that is all the compiler decides by.
python3 - all.txt >"$result" <<'PYTHON'
import sys

for block in open(sys.argv[1]).read().split("\n\n"):
    name, digest, size, *counts = [line for line in block.splitlines() if line and line[0] not in "#:"] or [None] * 3
    counts = [int(count) for count in counts[: int(size or 0)]]
    if counts and max(counts) >= 1_000_000:
        print(name, digest, size, *(-(-count // 1000) for count in counts), "", sep="\n")
PYTHON
echo "$result: $(grep -c '^$' "$result") functions"
