#!/usr/bin/env bash
# The program for Windows under wine: commands, a pipeline, Python, a state that is kept, an error.
#
# Usage: scripts/windows.sh
#
# The guests have to be built (`cargo xtask guests`), and wine has to be there (Debian: package wine64). Prints how
# long each step takes.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
wine=$(command -v wine64 || command -v wine || true)
for place in /usr/lib/wine/wine64 /usr/lib/x86_64-linux-gnu/wine/wine64; do
    [ -n "$wine" ] || [ ! -x "$place" ] || wine=$place
done
[ -n "$wine" ] || { echo "error: wine is missing (Debian: package wine64)" >&2; exit 1; }
program=$(cargo xtask cross win32-x64 | tail -n 1)
work=$(mktemp -d "${TMPDIR:-/tmp}/codepod-windows.XXXXXX")
export WINEPREFIX=$work/prefix WINEDEBUG=-all
trap 'WINEPREFIX=$work/prefix wineserver -k 2>/dev/null || true; rm -rf "$work"' EXIT

fail() { echo "error: $*" >&2; exit 1; }

# Runs the program, and compares what it prints.
expect() { # what, output, arguments…
    local what=$1 wanted=$2 began printed
    shift 2
    began=$(date +%s%N)
    printed=$("$wine" "$program" "$@" 2>"$work/stderr" | tr -d '\r') || { cat "$work/stderr" >&2; fail "$what: codepod $* failed"; }
    [ "$printed" = "$wanted" ] || { cat "$work/stderr" >&2; fail "$what printed '$printed', not '$wanted'"; }
    printf '%-40s %6d ms\n' "$what" $((($(date +%s%N) - began) / 1000000))
}

"$wine" wineboot --init >/dev/null 2>&1 || fail "wine does not start"
expect "the version" "codepod $(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)" --version
expect "echo, the first time" hi run 'echo hi'
expect "echo, the second time" hi run 'echo hi'
expect "a pipeline" "3 a" run 'printf "a\nb\na\na\n" | sort | uniq -c | sort -rn | head -n 1 | sed "s/^ *//"'
expect "files and git" "1 commit" run 'mkdir r && cd r && git init -q && echo x > f && git add f && git -c user.name=a -c user.email=a@b commit -qm m && echo "$(git log --oneline | wc -l) commit"'
expect "python3 -c, the first time" 1 run 'python3 -c "print(1)"'
expect "python3 -c, the second time" 1 run 'python3 -c "print(1)"'
expect "a script of Python with modules" '{"a": [1, 2]}' run 'python3 -c "import json, re; print(json.dumps({\"a\": [int(x) for x in re.findall(r\"[0-9]\", \"1-2\")]}))"'
expect "a state that is written" "" run --state kept 'echo 42 > number; cd /tmp'
expect "a state that is read" "42 /tmp" run --state kept 'echo $(cat ~/number) $PWD'
if "$wine" "$program" run --mount 'C:\:/mnt' 'ls /mnt' >"$work/out" 2>&1; then
    fail "a host directory can be mounted, which Windows lacks"
fi
grep -qi 'mount' "$work/out" || fail "no reason is given for a mount that is refused: $(cat "$work/out")"
echo "a mount is refused: $(tr -d '\r' <"$work/out" | head -n 1)"
