#!/usr/bin/env bash
# Builds CPython for the sandbox from the sources that guest.toml names and what lies beside this file.
#
# Usage: build.sh WORK OUT
#
# What is in the environment, see interpreter.bash. OUT gets python.wasm and the files that guest.toml names.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/interpreter.bash"
here=$python

step_link() {
    mkdir -p "$work/linked-python"
    : >"$work/linked-python/modules.h"
    link_interpreter python
}

# The image without a package says which build it is.
step_snapshot() {
    snapshot python "$root"
    image python "$root" ""
}

run_interpreter_steps
run_step link "$here/src" "$here/posix" "$cptls"/cptls.{c,h} "$RUST_LIBRARY"
inputs_before+=$library_key
run_step snapshot "$PREINIT"
cp "$SOURCES/certifi/certifi/cacert.pem" "$out/ca-certificates.crt"
for name in jiter pydantic_core; do echo "$name==$(version_of "$SOURCES/$name")"; done >"$out/pip-constraints.txt"
cp -r "$work"/{python.wasm,python-cold-start,.image} "$root"/usr/lib/{python314.zip,python3.14/packages.zip} "$here"/{packages.pth,pip.conf} "$out"
