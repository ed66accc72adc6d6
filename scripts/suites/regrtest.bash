# What CPython's own test runner said of one module, for the scripts that run its tests.

# Says what became of the module $1: the runner ended with the status $2 and left the log $3.
regrtest_verdict() {
    if grep -aqE '^1 test skipped:|^All 1 test.* skipped|^Result: SUCCESS, NO TESTS' "$3" || [ "$2" = 4 ]; then
        echo "skip $1 ($(grep -a -m 1 ' skipped -- ' "$3" | sed 's/.* skipped -- //'))"
    elif [ "$2" = 0 ]; then
        echo "pass $1"
    else
        echo "fail $1 ($(grep -aE '^(FAILED|Ran) |^Fatal|^test_.* (crashed|timed)' "$3" | tail -n 2 | tr '\n' ' ')status $2)"
    fi
}
export -f regrtest_verdict
