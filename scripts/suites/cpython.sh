# CPython's own tests, module by module, two at a time: `python3 -m test NAME`. With `real` the same source's native build is asked; a module
# that does not pass there is left out of what is counted (it needs a network, a display, or a library that was not built). `MODULES` names some
# modules in place of all, `LIMIT` how many seconds each has.
work=$cache/../scripts/python/work
source=$(ls -d "$work"/cpython 2> /dev/null) || { echo "build the guest first: cargo xtask guests python" >&2; exit 1; }
native=$cache/logs/cpython.native
. "$here/suites/regrtest.bash"

# Runs the module $1 and says what became of it.
run_module() {
    local status log=$logs/$1
    if [ "$codepod" = real ]; then
        (cd "$(mktemp -d)" && timeout "$limit" "$work/native/python" -m test -W "$1") > "$log" 2>&1 < /dev/null
    else
        "$codepod" run --no-hints --timeout "$limit" --profile large --mount "$source/Lib/test:/usr/lib/python3.14/test" \
            -- 'cd /tmp && python3 -m test -W "$1"' "$1" > "$log" 2>&1 < /dev/null
    fi
    status=$?
    regrtest_verdict "$1" $status "$log"
}
export -f run_module
limit=${LIMIT:-300}
export codepod work source logs limit

if [ "$codepod" = real ]; then
    (cd "$source/Lib/test" && ls -d test_* | sed 's/\.py$//') | sort -u > "$logs.modules"
elif [ -s "$native" ]; then
    grep '^pass' "$native" | cut -d ' ' -f 2 > "$logs.modules"
else
    echo "run \`scripts/suites.sh real cpython\` first: what passes natively is what is asked for" >&2
    exit 1
fi
[ -z "${MODULES:-}" ] || printf '%s\n' $MODULES > "$logs.modules"
xargs -P 2 -I {} bash -c 'run_module "$1"' bash {} < "$logs.modules" > "$logs.results"
sort -o "$logs.results" "$logs.results"
[ "$codepod" != real ] || [ -n "${MODULES:-}" ] || cp "$logs.results" "$native"
