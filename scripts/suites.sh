#!/bin/bash
# The tools' own test suites, run with the tools of the sandbox: what passes of what, and what does not.
# usage: scripts/suites.sh [CODEPOD] [NAME…]
#
# CODEPOD is the command `codepod`, built with the guests; `real` in its place runs the same tests with the machine's
# own tools, which tells a fault of ours from one of the test. NAME is a file of scripts/suites, all of them otherwise.
# The suites come from Debian's source packages or from the registry of crates into the cache directory; nothing
# of them is ever part of this repository. What a test said is kept there in `logs`.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(dirname "$here")
codepod=${1:-codepod}
shift || true
[ "$codepod" = real ] || codepod=$(command -v "$codepod") || { echo "there is no program \`$codepod\`" >&2; exit 2; }
[ "$codepod" = real ] || codepod=$(realpath "$codepod")
cache=${CODEPOD_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/codepod}/suites
mkdir -p "$cache/sources"
export LC_ALL=C.UTF-8

# Unpacks the source package $1 of the Debian suite $2 (bookworm otherwise) and sets `source` to its directory.
debian_source() {
    local package=$1 suite=${2:-bookworm} apt=$cache/apt-${2:-bookworm} keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    source=$cache/sources/$package-$suite
    [ -d "$source" ] && return
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -E '/debian/?$' | head -n 1)
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/download"
    echo "deb-src [signed-by=$keyring] $mirror $suite main" > "$apt/sources.list"
    # A configuration of its own: the machine's lists and packages stay as they are.
    local options=(-qq -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
    [ -n "$(ls "$apt"/lists/*Sources* 2> /dev/null)" ] || apt-get "${options[@]}" update || return
    (cd "$apt/download" && apt-get "${options[@]}" source --download-only "$package" > /dev/null \
        && dpkg-source --no-check --extract "$package"_*.dsc "$source" > /dev/null)
}

# Runs the script $2 with the arguments after it, in the directory `source`, which it finds as $root and may change
# without leaving a trace; it has $1 seconds. What it says goes to the log of `test`.
inside() {
    local seconds=$1 script=$2
    shift 2
    if [ "$codepod" = real ]; then
        local copy
        copy=$(mktemp -d)
        cp -a "$source" "$copy/suite"
        (cd "$copy/suite" && export root=$copy/suite HOME=$copy && timeout "$seconds" bash -c "$script" "$@")
    else
        "$codepod" run --no-hints --timeout "$seconds" --mount "$source:/suite:overlay" --cwd /suite \
            --env root=/suite --env LC_ALL="$LC_ALL" -- "$script" "${@:2}"
    fi > "$logs/${test//\//-}" 2>&1 < /dev/null
    local status=$?
    [ "$codepod" != real ] || rm -rf "$copy"
    return $status
}

# Counts the test $2 as $1: pass, fail or skip; $3 may say why.
verdict() {
    echo "$1 $2${3:+ ($3)}" >> "$logs.results"
}

. "$here/suites/gnu.bash"
names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(cd "$here/suites" && ls -- *.sh | sed 's/\.sh$//')
for name in "${names[@]}"; do
    logs=$cache/logs/$name
    rm -rf "$logs" "$logs.results"
    mkdir -p "$logs"
    : > "$logs.results"
    (. "$here/suites/$name.sh") || { echo "$name: could not be run"; continue; }
    passed=$(grep -c '^pass' "$logs.results")
    failed=$(grep -c '^fail' "$logs.results")
    skipped=$(grep -c '^skip' "$logs.results")
    echo "$name: $passed of $((passed + failed)) passed, $skipped skipped"
    grep '^fail' "$logs.results" | sed 's/^fail/    fails:/'
    grep '^skip' "$logs.results" | sed 's/^skip/    skipped:/'
done
