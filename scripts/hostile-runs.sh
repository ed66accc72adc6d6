#!/usr/bin/env bash
# Runs every test that carries an id of docs/security.md, many times in a row; in every second run all cores are kept busy by others.
#
# usage: scripts/hostile-runs.sh [RUNS]     (20)
#
# Prints a table with a line for each run, and the names of what failed. Ends with 1 when anything failed. Needs guests (`cargo xtask guests`).
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-20}
cores=$(nproc)
# By name, and what a comment gives an id to: whole files of such tests.
tests='test(/(^|::)(wm|fs|sn|sh|ap|nw|fl|pk)_[0-9][0-9]_/)'
files='binary(killing) | binary(threats) | binary(foreign) | binary(hostile_calls) | binary(shell_attacks) | binary(hostile) | binary(host_escape)'
filter="$tests | $files"
log=$(mktemp)
busy=()

idle() {
    for pid in "${busy[@]}"; do
        kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true
    done
    busy=()
}
trap 'idle; rm -f "$log"' EXIT

# As `cargo xtask test` does: glibc then gives large pieces back to the system when they are freed, which tests look at.
export MALLOC_MMAP_THRESHOLD_=65536 NO_COLOR=1
cargo nextest run --workspace --no-run -E "$filter"

failed=0
failures=()
printf '%-4s %-6s %8s %8s %8s %8s %8s\n' run cores tests passed failed retried seconds
for ((run = 1; run <= runs; run++)); do
    load=quiet
    if ((run % 2 == 0)); then
        load=busy
        for ((i = 0; i < cores; i++)); do
            (while :; do :; done) &
            busy+=($!)
        done
    fi
    status=0
    cargo nextest run --workspace --no-fail-fast -E "$filter" >"$log" 2>&1 || status=$?
    idle
    # Summary [  12.3s] 120 tests run: 119 passed (1 slow, 1 flaky), 1 failed, 900 skipped
    line=$(grep -E '^ *Summary \[' "$log" | tail -n 1 || true)
    count() { sed -nE "s/.*[^0-9]([0-9]+) $1.*/\1/p" <<<"$line"; }
    seconds=$(sed -nE 's/.*Summary \[ *([0-9.]+)s\].*/\1/p' <<<"$line")
    bad=$(($(count failed || true) + $(count 'timed out' || true) + 0))
    printf '%-4s %-6s %8s %8s %8s %8s %8s\n' "$run" "$load" "$(count 'tests? run')" "$(count passed)" "$bad" "$(($(count flaky) + 0))" "$seconds"
    if ((status != 0)); then
        failed=$((failed + 1))
        mapfile -t names < <(grep -E '^ *(FAIL|TIMEOUT|ABORT|SIG[A-Z]+) +\[' "$log" | sed -E 's/^ *([A-Z]+) +\[[^]]*\] *(\([^)]*\) *)?/\1 /' | sort -u)
        for name in "${names[@]}"; do
            failures+=("run $run ($load): $name")
            echo "     $name"
        done
        grep -A 2 -E "^ *thread '.*panicked at" "$log" | cut -c 1-600 || true
        if ((${#names[@]} == 0)); then
            tail -n 20 "$log"
        fi
    fi
done
echo
echo "$((runs - failed)) of $runs runs without a failure"
((${#failures[@]} == 0)) || printf '%s\n' "${failures[@]}"
((failed == 0))
