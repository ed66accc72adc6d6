#!/usr/bin/env bash
# Tests and conformance cases as on Linux on arm64: static programs, cross-compiled guests, under qemu.
#
# Usage: scripts/arm64.sh [tests | spec [FILTER]…]
#
# The guests have to be built (`cargo xtask guests`), and qemu-aarch64-static has to be there (Debian: package
# qemu-user-static). What is built stays in the target directory. qemu takes ten times as long as a machine.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
target=${CARGO_TARGET_DIR:-$root/target}
tools=$target/arm64-tools
platform=aarch64-unknown-linux-musl
command -v qemu-aarch64-static >/dev/null || { echo "error: qemu-aarch64-static is missing (Debian: package qemu-user-static)" >&2; exit 1; }
[ -f guests/dist/guests.toml ] || { echo "error: no guests are built: run \`cargo xtask guests\`" >&2; exit 1; }

[ -x "$tools/bin/cargo-zigbuild" ] || {
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check -r scripts/dist-requirements.txt
}
PATH=$tools/bin:$PATH
rustup target add "$platform"

# Crates that need no guests. One test starts its own program, which needs qemu registered with the system.
run_tests() {
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=qemu-aarch64-static \
        cargo-zigbuild test --no-fail-fast --target "$platform" -p codepod-abi -p codepod-kernel -p codepod-vfs -p codepod-store
}

# The guests with machine code for arm64, compiled again when one has changed.
bring_guests() {
    guests=$target/arm64-guests
    local state
    state=$(cat guests/dist/*.wasm | sha256sum)
    [ "$(cat "$guests/.state" 2>/dev/null)" = "$state" ] && return
    rm -rf "$guests"
    mkdir -p "$guests"
    tar -C guests/dist --exclude='*.cwasm' --exclude=./parts -cf - . | tar -C "$guests" -xf -
    cargo run --quiet --bin codepod-precompile --features codepod-wasmtime/cross -- guests/dist aarch64-unknown-linux-gnu "$guests"
    echo "$state" >"$guests/.state"
}

run_spec() {
    local filter
    bring_guests
    CODEPOD_GUESTS_DIR=$guests cargo-zigbuild zigbuild --quiet --target "$platform" --bin codepod-spec
    [ $# -gt 0 ] || set -- shell/ tools/
    for filter; do
        CARGO_MANIFEST_DIR=$root/crates/codepod-spec qemu-aarch64-static "$target/$platform/debug/codepod-spec" run "$filter"
    done
}

case ${1:-} in
'') run_tests && run_spec ;;
tests) run_tests ;;
spec) shift && run_spec "$@" ;;
*) echo "error: there is no \`$1\`: it is tests or spec" >&2; exit 2 ;;
esac
