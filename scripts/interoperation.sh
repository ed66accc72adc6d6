#!/bin/bash
# Archives, databases, patches and repositories made in the sandbox are read by the machine's own programs, and the other way round.
# usage: scripts/interoperation.sh [CODEPOD]    the command `codepod`, built with the guests
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
codepod=${1:-codepod}
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
# Files made inside belong to the sandbox's user, whoever runs this.
chmod 777 "$top"
export HOME=$top LC_ALL=C.UTF-8 GIT_CONFIG_NOSYSTEM=1
git config --global user.name Tester
git config --global user.email tester@example.com
git config --global init.defaultBranch main
git config --global advice.detachedHead false
git config --global safe.directory '*'
failed=0

# Runs a script in the sandbox, in the directory at hand.
inside() {
    "$codepod" run --no-hints --timeout 300 --mount "$work:/mnt:rw,unguarded" --cwd /mnt "$1"
}

# Runs a command and says whether it did well.
check() {
    if "${@:2}" > "$top/out" 2>&1; then echo "ok: $1"; else echo "FAILED: $1"; cat "$top/out"; failed=1; fi
}

# Whether two texts are the same; tells where not.
same() {
    diff <(echo "$1") <(echo "$2")
}

for part in archives databases patches repositories; do
    work=$top/$part
    mkdir -m 777 "$work"
    cd "$work"
    . "$here/interoperation/$part.bash"
done
exit "$failed"
