# Pure projects in Python from their source archives, as people begin to work on them: an environment, `pip install -e .`, and their own tests.
# The archives are those that the machine's pip finds, and so is what tests need on the machine. `MODULES` names some projects in place of all.
needs=
[ "$codepod" != real ] || needs='pytest hypothesis pyyaml'
pytest='python -m pytest -q -p no:cacheprovider --tb=short'
# The archive, the backend that builds it, its tests. Left out: a test that fails with any Python since 3.13.
projects=(
    "attrs-26.1.0|hatchling, hatch-vcs, hatch-fancy-pypi-readme|$pytest"
    "click-8.5.1|flit|$pytest"
    "iniconfig-2.3.1|setuptools, setuptools-scm|$pytest"
    "markdown-3.11.3|setuptools|python -m unittest discover tests"
    "pluggy-1.7.0|setuptools, setuptools-scm|$pytest"
    "tomlkit-0.9.2|poetry-core|$pytest --deselect tests/test_items.py::test_dates_behave_like_dates"
)
for project in "${projects[@]}"; do
    IFS='|' read -r test backend tests <<< "$project"
    case " ${MODULES:-$test} " in *" $test "*) ;; *) continue ;; esac
    source=$cache/sources/$test
    if [ ! -d "$source" ]; then
        python3 "$checkout/xtask/src/sources/pypi.py" "$test.tar.gz" "$source.tar.gz" && tar -xzf "$source.tar.gz" -C "$cache/sources" || exit 1
    fi
    inside 600 "set -e; cp -r \$root ~/project; cd ~/project; python3 -m venv .venv; . .venv/bin/activate; pip install -e . $needs; $tests"
    status=$?
    counts=$(tail -n 30 "$logs/$test" | grep -aoE '[0-9]+ (passed|failed|skipped|xfailed|errors?)|Ran [0-9]+ tests' | tr '\n' ' ')
    [ $status = 0 ] && verdict pass "$test" "$backend: ${counts% }" || verdict fail "$test" "$backend: ${counts% }, status $status"
done
grep '^pass' "$logs.results" | sed 's/^pass/    passed:/'
