#!/bin/bash
# Packages of npm as they are published, each used by a short program: with native Node and inside
# a sandbox. Prints a line for each: version, status and time of both, and whether output is equal.
# usage: scripts/node-packages.sh [CODEPOD] [NAME…]
#
# CODEPOD is the command `codepod`, built with the guests. `native` in its place runs the native
# side twice, which shows the programs whose output is not always the same. NAME is a program of
# node-packages without its ending, all of them otherwise. NODE is the native Node 24, NPM its npm.
# The packages are installed once, into the cache directory; nothing of them is part of this
# repository. Install scripts are not run, and no package needs one.
# Fails when a program fails natively or when outputs differ.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)/node-packages
codepod=${1:-codepod}
shift || true
node=$(command -v "${NODE:-node}") || { echo "error: there is no native node: set NODE" >&2; exit 1; }
npm=${NPM:-npm}
cache=${CODEPOD_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/codepod}/node-packages
[[ $("$node" --version) = v24.* ]] || { echo "error: outputs are those of Node 24, and $node is $("$node" --version)" >&2; exit 1; }

if ! cmp -s "$here/package.json" "$cache/package.json"; then
    rm -rf "$cache"
    mkdir -p "$cache/new"
    cp "$here/package.json" "$cache/new"
    # npm runs on the Node that is measured, which packages see as their engine.
    (cd "$cache/new" && PATH=$(dirname "$node"):$PATH "$npm" install --silent --ignore-scripts --no-audit --no-fund)
    mv "$cache"/new/{node_modules,package-lock.json} "$cache"
    mv "$cache/new/package.json" "$cache"
fi
find "$cache" -maxdepth 1 -name '*.[cm]js' -delete
cp "$here"/*.[cm]js "$cache"

names=("$@")
# The others are what the programs share.
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(cd "$here" && ls -- *.[cm]js | grep -v '^tree\|^server' | sed 's/\.[cm]js$//')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The version of the package that a program is called after.
version() { # name
    local package=$1
    case $1 in
    babel-core) package=@babel/core ;;
    vitest) package=@vitest/runner ;;
    esac
    "$node" -p 'JSON.parse(fs.readFileSync(process.argv[1])).version' "$cache/node_modules/$package/package.json"
}

# Runs a command, keeps its output and messages, and sets $status and $took.
timed() { # where, command…
    local where=$1 began=${EPOCHREALTIME/[^0-9]/}
    shift
    status=0
    "$@" > "$work/$where" 2> "$work/$where.errors" < /dev/null || status=$?
    took=$(((${EPOCHREALTIME/[^0-9]/} - began) / 1000))
}

outside() { # where, program
    timed "$1" env -i -C "$cache" PATH="$PATH" HOME="$work" TZ=UTC LANG=C.UTF-8 timeout 120 "$node" "$2"
}

inside() { # program
    timed inside "$codepod" run --no-hints --timeout 120 --memory 1024 --mount "$cache:/project" --env TZ=UTC -- \
        'cd /project && exec node "$1"' "$1"
}

equal=0
printf '%-14s %-10s %14s %14s  %s\n' program version native inside output
for name in "${names[@]}"; do
    program=$(cd "$cache" && ls -- "$name".[cm]js)
    outside native "$program"
    native="$status ${took} ms"
    natively=$status
    if [ "$codepod" = native ]; then outside inside "$program"; else inside "$program"; fi
    same=differs
    if [ "$natively" != 0 ]; then
        same='fails natively'
    elif [ "$status" = 0 ] && cmp -s "$work/native" "$work/inside"; then
        same=equal
        equal=$((equal + 1))
    fi
    printf '%-14s %-10s %14s %14s  %s\n' "$name" "$(version "$name")" "$native" "$status ${took} ms" "$same"
    [ "$same" = equal ] || {
        diff "$work/native" "$work/inside" > "$work/why" || true
        cat "$work/native.errors" "$work/inside.errors" >> "$work/why"
        sed -n '1,6s/^/    /p' "$work/why"
    }
done
echo "$equal of ${#names[@]} equal"
[ "$equal" = ${#names[@]} ]
