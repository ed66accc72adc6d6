#!/usr/bin/env bash
# Runs the fixed tenth of test262 with the engine of node, compiled for this machine from the sources that the guest is built of.
# What fails must be what test262/known-failures.txt names. The last line of the output is the figure.
#
# Usage: scripts/test262.sh [arguments of test262.py in place of --tenth --known]
#
# Needs clang with the C++ library of this machine, python3 and what test262.py needs; the sources are there once
# `cargo xtask guests --only node` has built the guest. What is compiled stays in the cache directory.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
node=${XDG_CACHE_HOME:-$HOME/.cache}/codepod/scripts/node
if [ ! -d "$node/sources" ]; then
    echo "error: the sources of node are not in $node" >&2
    echo "hint: \`cargo xtask guests --only node\` fetches and builds it" >&2
    exit 1
fi
SOURCES=$node/sources "$here/../guests/runtimes/node/build.sh" --native "$node/native" "$node/native/out" >&2
[ $# -gt 0 ] || set -- --tenth --known
"$here/test262.py" "$node/native/out/node" "$@"
