# numpy's own tests, file by file, two at a time, by the pytest of the sandbox. Those of `_core` are left out: most of them use modules that are built for
# tests alone. With `real` nothing is run: what passes natively is upstream's to say. `MODULES` names some files in place of all (`lib/test_io`).
work=$cache/../scripts/python/work
source=$(ls -d "$work"/meson/numpy-[0-9]* 2> /dev/null) || { echo "build the guest first: cargo xtask guests python" >&2; exit 1; }
[ "$codepod" != real ] || { echo "these tests are run in the sandbox alone" >&2; exit 1; }

# Runs the file $1 and says what became of it.
run_file() {
    local log=$logs/${1//\//-} status counts
    "$codepod" run --no-hints --timeout 600 --profile large --mount "$source/numpy/${1%/*}/tests:/tests/of_${1%/*}" \
        -- 'cd /tests && python3 -m pytest -q --noconftest -p no:cacheprovider --tb=line "of_$1.py"' "$1" > "$log" 2>&1 < /dev/null
    status=$?
    counts=$(tail -n 1 "$log" | grep -aoE '[0-9]+ (passed|failed|skipped|xfailed|errors?)' | tr '\n' ' ')
    case $status in
        0) echo "pass $1 ($counts)" ;;
        5) echo "skip $1 (no tests)" ;;
        *) echo "fail $1 (${counts}status $status)" ;;
    esac
}
export -f run_file
export codepod source logs
(cd "$source/numpy" && ls {fft,lib,linalg,ma,matrixlib,polynomial,random}/tests/test_*.py | sed -E 's#/tests/#/#; s/\.py$//') > "$logs.modules"
[ -z "${MODULES:-}" ] || printf '%s\n' $MODULES > "$logs.modules"
xargs -P 2 -I {} bash -c 'run_file "$1"' bash {} < "$logs.modules" > "$logs.results"
sort -o "$logs.results" "$logs.results"
