# Pure projects in Python from their source archives, as people begin to work on them: an environment, `pip install -e .`, and their own tests by
# pytest. The archives are those that the machine's pip finds. `MODULES` names some projects in place of all.
[ "$codepod" != real ] || { echo "these are run in the sandbox alone" >&2; exit 1; }
# Each with the file in the registry, the backend it is built with, and what is left out of its tests, as options of pytest.
projects=(
    "click-8.5.1.tar.gz flit"
    "iniconfig-2.3.1.tar.gz setuptools, setuptools-scm"
    "markdown-3.11.3.tar.gz setuptools"
    "pluggy-1.7.0.tar.gz setuptools, setuptools-scm"
    "tomlkit-0.9.2.tar.gz poetry-core"
    "attrs-26.1.0.tar.gz hatchling, hatch-vcs, hatch-fancy-pypi-readme"
)
script='set -e; cp -r /suite ~/project; cd ~/project; python3 -m venv .venv; . .venv/bin/activate; pip install -e .; ls .venv/lib/python3.14/site-packages
    python -m pytest -q -p no:cacheprovider --tb=short'
for project in "${projects[@]}"; do
    file=${project%% *} backend=${project#* }
    test=${file%.tar.gz}
    case " ${MODULES:-$test} " in *" $test "*) ;; *) continue ;; esac
    source=$cache/sources/$test
    if [ ! -d "$source" ]; then
        python3 "$checkout/xtask/src/sources/pypi.py" "$file" "$cache/sources/$file" && tar -xzf "$cache/sources/$file" -C "$cache/sources" || exit 1
    fi
    inside 600 "$script"
    status=$?
    counts=$(tail -n 1 "$logs/$test" | grep -aoE '[0-9]+ (passed|failed|skipped|xfailed|errors?)' | tr '\n' ' ')
    [ $status = 0 ] && verdict pass "$test" "$backend: ${counts% }" || verdict fail "$test" "$backend: ${counts% }, status $status"
done
