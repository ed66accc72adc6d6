#!/usr/bin/env bash
# Installs what `cargo xtask dist` has made as users would, from registries on this machine, and runs the
# README's examples with it. Prints how long each step takes.
#
# Usage: scripts/try-packages.sh [python|npm|rust|archive|roots|image|cargo-install]…
#
# Nothing of the checkout but `dist` and the README is used. It installs from PyPI (uv), npm (verdaccio) and
# crates.io what it needs itself. Every step begins with empty caches of ours. `cargo-install` compiles everything
# for release, which takes a quarter of an hour, and is done only when it is named.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dist=$root/dist
readme=$root/README.md
work=$(mktemp -d "${TMPDIR:-/tmp}/codepod-packages.XXXXXX")
servers=()
leave() {
    kill "${servers[@]}" 2>/dev/null || true
    umount "$work"/*/proc 2>/dev/null || true
    rm -rf "$work"
}
trap leave EXIT
[ -f "$dist/SHA256SUMS" ] || { echo "error: there is nothing in dist: run \`cargo xtask dist\`" >&2; exit 1; }
unset CODEPOD_BIN CODEPOD_PARTS CODEPOD_GUESTS_DIR PYTHONPATH

fail() { echo "error: $*" >&2; exit 1; }

# Runs a command, compares its output, and says how long it took.
expect() { # what, output, command…
    local what=$1 wanted=$2 began printed
    shift 2
    began=$(date +%s%N)
    printed=$("$@" 2>"$work/stderr") || { cat "$work/stderr" >&2; fail "$what: $* failed"; }
    [ "$printed" = "$wanted" ] || fail "$what printed '$printed', not '$wanted'"
    printf '%-58s %6d ms\n' "$what" $((($(date +%s%N) - began) / 1000000))
}

# Fails if what is run opens a socket of the Internet, or asks for a name.
without_network() { # what, command…
    local what=$1
    shift
    strace --follow-forks --output="$work/trace" -e trace=%network "$@" >/dev/null
    ! grep -E 'AF_INET|AF_NETLINK|connect\(' "$work/trace" || fail "$what uses the network"
    printf '%-58s no network\n' "$what"
}

# The first block of the language $1 in the README, or what is printed below it.
block() { # language, what follows: code or output
    awk -v language="$1" -v wanted="$2" '
        $0 == "```" language && !seen { inside = "code"; seen = 1; next }
        $0 == "```text" && seen == 1 { inside = "output"; seen = 2; next }
        $0 == "```" { inside = ""; next }
        inside == wanted' "$readme"
}

# The line of the README's first section that begins with these words, as it stands there.
line() { # words
    local found
    found=$(block sh code | sed 's/  *# .*//' | grep "^$1 ") || fail "the README installs nothing with $1"
    [ "$(wc -l <<<"$found")" = 1 ] || fail "the README installs twice with $1"
    echo "$found"
}

# A home that has never seen codepod.
new_home() {
    HOME=$work/home-$RANDOM$RANDOM
    mkdir -p "$HOME"
    export HOME XDG_CACHE_HOME=$HOME/.cache XDG_DATA_HOME=$HOME/.local/share
}

serve() { # a command that prints its address first; sets $address
    coproc server { exec "$@"; }
    servers+=("$server_PID")
    read -r address <&"${server[0]}" || fail "$1 does not serve"
}

# An index as PyPI's: a directory for each project, which is listed.
python_index() {
    local wheel project
    for wheel in "$dist"/*.whl; do
        project=$(basename "$wheel")
        project=${project%%-*}
        mkdir -p "$work/simple/${project//_/-}"
        ln -f "$wheel" "$work/simple/${project//_/-}/" 2>/dev/null || cp "$wheel" "$work/simple/${project//_/-}/"
    done
    serve python3 -u -c '
import functools, http.server, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[1]))
print(f"http://127.0.0.1:{server.server_port}/simple/")
server.serve_forever()' "$work"
}

bring_uv() {
    [ ! -x "$work/uv/bin/uvx" ] || return 0
    python3 -m venv "$work/uv"
    "$work/uv/bin/pip" install --quiet --disable-pip-version-check uv
}

try_python() {
    python_index
    local index=(--index-url "$address" --disable-pip-version-check --quiet)
    bring_uv
    local here=(env UV_NO_CONFIG=1 UV_CACHE_DIR="$work/uv-cache" UV_DEFAULT_INDEX="$address" PIP_INDEX_URL="$address"
        PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1)
    new_home
    expect "$(line uvx)" hi "${here[@]}" PATH="$work/uv/bin:$PATH" sh -c "$(line uvx)"
    expect "uvx, the second time" hi "${here[@]}" PATH="$work/uv/bin:$PATH" sh -c "$(line uvx)"
    new_home
    python3 -m venv "$work/venv"
    expect "$(line pip)" "" "${here[@]}" PATH="$work/venv/bin:$PATH" sh -c "$(line pip)"
    expect "codepod run 'echo hi', the first time" hi "$work/venv/bin/codepod" run 'echo hi'
    expect "codepod run 'echo hi', the second time" hi "$work/venv/bin/codepod" run 'echo hi'
    block python code >"$work/example.py"
    expect "the README's example" "$(block python output)" "$work/venv/bin/python" "$work/example.py"
    without_network "codepod run" "$work/venv/bin/codepod" run 'seq 3 | sort'
    without_network "codepod doctor" "$work/venv/bin/codepod" doctor
    without_network "codepod parts" "$work/venv/bin/codepod" parts
    without_network "codepod mcp" sh -c '"$0" mcp </dev/null' "$work/venv/bin/codepod"
    without_network "the package for Python" "$work/venv/bin/python" "$work/example.py"
    "$work/venv/bin/codepod" run 'python3 -c "print(1)"' >"$work/out" 2>&1 && fail "python3 runs without its part"
    grep -q 'in the part .python.' "$work/out" || fail "a missing part is not told of: $(cat "$work/out")"
    expect "pip install codepod[python]" "" "$work/venv/bin/pip" install "${index[@]}" 'codepod[python]'
    expect "python3 -c 'print(1)', the first time" 1 "$work/venv/bin/codepod" run 'python3 -c "print(1)"'
    expect "python3 -c 'print(1)', the second time" 1 "$work/venv/bin/codepod" run 'python3 -c "print(1)"'
    expect "pip install codepod[science]" "" "$work/venv/bin/pip" install "${index[@]}" 'codepod[science]'
    local script='python3 -c "import pandas; print(pandas.DataFrame({1: [2]})[1].sum())"'
    expect "import pandas, the first time" 2 "$work/venv/bin/codepod" run "$script"
    expect "import pandas, the second time" 2 "$work/venv/bin/codepod" run "$script"
}

# A real registry of npm. Anybody may publish there; nothing is asked of another.
npm_registry() {
    local port=$((20000 + RANDOM % 20000))
    mkdir -p "$work/verdaccio"
    # It asks for a version of node-fetch by a tag, which mirrors of npm do not have.
    echo '{"overrides": {"node-fetch": "2.6.7"}}' >"$work/verdaccio/package.json"
    (cd "$work/verdaccio" && npm install --silent --no-audit --no-fund verdaccio@6.0.5) || fail "npm cannot install verdaccio"
    cat >"$work/verdaccio/config.yaml" <<YAML
storage: $work/verdaccio/storage
max_body_size: 200mb
auth: {htpasswd: {file: $work/verdaccio/htpasswd}}
packages: {'**': {access: \$all, publish: \$all}}
log: {type: stdout, format: pretty, level: warn}
YAML
    "$work/verdaccio/node_modules/.bin/verdaccio" --config "$work/verdaccio/config.yaml" --listen "127.0.0.1:$port" >"$work/verdaccio/log" 2>&1 &
    servers+=($!)
    address=http://127.0.0.1:$port/
    for _ in {1..100}; do
        ! curl --silent --fail "${address}-/ping" >/dev/null || return 0
        sleep 0.2
    done
    cat "$work/verdaccio/log" >&2
    fail "verdaccio does not serve"
}

# Publishes the packages for npm; the home knows the registry then.
publish_npm() {
    printf '%s\n' "registry=$address" "//${address#http://}:_authToken=anybody" audit=false fund=false update-notifier=false >"$HOME/.npmrc"
    local package
    for package in "$dist"/*.tgz; do
        npm publish --silent --access public "$package" >/dev/null || fail "npm publish $package"
    done
}

try_npm() {
    npm_registry
    new_home
    publish_npm
    rm -rf "$HOME/.npm"
    mkdir -p "$work/npx" "$work/npm"
    cd "$work/npx"
    expect "$(line npx)" hi sh -c "$(line npx) </dev/null"
    expect "npx, the second time" hi sh -c "$(line npx) </dev/null"
    cd "$work/npm"
    npm init --yes >/dev/null
    rm -rf "$HOME/.npm" "$HOME/.cache"
    expect "$(line npm)" "" env npm_config_loglevel=silent sh -c "$(line npm)"
    block js code >example.mjs
    expect "the README's example" "$(block js output)" node example.mjs
    expect "npm install @codepod/python" "" npm install --silent @codepod/python
    expect "python3 -c 'print(1)', the first time" 1 npx codepod run 'python3 -c "print(1)"'
    cd "$root"
}

# A registry of cargo, and a home of cargo that has nothing. The compiler is the machine's.
rust_registry() {
    serve python3 -u "$root/scripts/local-registry.py" "$dist/crates"
    new_home
    export RUSTUP_HOME=${RUSTUP_HOME:-$(rustup show home)} CARGO_HOME=$work/cargo CARGO_TARGET_DIR=$work/target
    export CARGO_REGISTRIES_LOCAL_INDEX=$address CARGO_REGISTRY_DEFAULT=local
    mkdir -p "$CARGO_HOME"
    cp "$real_cargo_home"/config.toml "$CARGO_HOME" 2>/dev/null || true
}

try_rust() {
    rust_registry
    cd "$work"
    cargo new --quiet x
    cd x
    expect "$(line 'cargo add')" "" env CARGO_TERM_QUIET=true sh -c "$(line 'cargo add')"
    expect "cargo fetch" "" cargo fetch --quiet
    block rust code >src/main.rs
    expect "cargo build" "" cargo build --quiet
    expect "the README's example, the first time" "" "$CARGO_TARGET_DIR/debug/x"
    expect "the README's example, the second time" "" "$CARGO_TARGET_DIR/debug/x"
    expect "cargo add codepod --features python" "" cargo add --quiet codepod --features python
    cat >src/main.rs <<'RUST'
fn main() -> Result<(), codepod::Error> {
    let sandbox = codepod::Sandbox::create(codepod::Options::default())?;
    let result = sandbox.run_blocking("python3 -c 'print(1)'")?;
    print!("{}{}", String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr));
    Ok(())
}
RUST
    expect "cargo build" "" cargo build --quiet
    expect "python3 -c 'print(1)', the first time" 1 "$CARGO_TARGET_DIR/debug/x"
    expect "python3 -c 'print(1)', the second time" 1 "$CARGO_TARGET_DIR/debug/x"
    cd "$root"
}

try_cargo_install() {
    rust_registry
    expect "$(line 'cargo install')" "" env CARGO_TERM_QUIET=true sh -c "$(line 'cargo install')"
    expect "codepod run 'echo hi'" hi "$CARGO_HOME/bin/codepod" run 'echo hi'
}

# The image, as nobody and without a network.
try_image() {
    command -v podman >/dev/null || fail "podman is missing (Debian: package podman)"
    cd "$dist"
    expect "$(line podman)" hi sh -c "$(line podman | sed 's/ run / run --network none /')"
    cd "$root"
}

# A root that has nothing but what `debootstrap` puts there, and the packages that are named.
clean_root() { # directory, package…
    local clean=$1 packages
    shift
    packages=$(IFS=, && echo "xz-utils${*:+,$*}")
    command -v debootstrap >/dev/null || fail "debootstrap is missing (Debian: package debootstrap)"
    debootstrap --variant=minbase --include="$packages" stable "$clean" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$work/debootstrap.log" 2>&1 ||
        { tail -n 5 "$work/debootstrap.log" >&2; fail "debootstrap: set DEBIAN_MIRROR"; }
    chroot "$clean" sh -c '! command -v cc && ! command -v cargo' || fail "the root is not clean"
    mount -t proc proc "$clean/proc"
    inside=(chroot "$clean" /usr/bin/env -i HOME=/root PATH=/root/venv/bin:/root/.local/bin:/usr/local/bin:/usr/bin:/bin)
}

# The commands of the README's first block for a terminal, as a script that prints what that block shows.
terminal() {
    block console code | sed -n "s/'/'\\\\''/g; s/^\$ \(.*\)/\1/p" | while IFS= read -r command; do
        printf "printf '\$ %%s\\n' '%s'\n%s\n" "$command" "${command//"'\\''"/"'"}"
    done
}

try_archive() {
    local machine
    machine=$(uname -m)
    machine=linux-${machine/x86_64/x64}
    machine=${machine/aarch64/arm64}
    clean_root "$work/root"
    cp "$dist/install.sh" "$dist/SHA256SUMS" "$dist"/codepod-*-"$machine".tar.xz "$dist"/*-"$machine".part.zst "$work/root/root"
    expect "$(line 'sh install.sh') in a clean root" "" "${inside[@]}" sh -c "cd /root && $(line 'sh install.sh') >install.log"
    expect "codepod run 'echo hi'" hi "${inside[@]}" codepod run 'echo hi'
    expect "codepod run 'echo hi', the second time" hi "${inside[@]}" codepod run 'echo hi'
    terminal >"$work/root/root/terminal.sh"
    expect "the README's examples" "$(block console code)" "${inside[@]}" sh /root/terminal.sh
}

# The packages, in roots with Python or Node and no compiler.
try_roots() {
    python_index
    clean_root "$work/python-root" python3-pip python3-venv
    block python code >"$work/python-root/root/example.py"
    bring_uv
    cp "$work"/uv/bin/uv{,x} "$work/python-root/usr/local/bin"
    inside+=(UV_DEFAULT_INDEX="$address" PIP_INDEX_URL="$address" PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1)
    expect "$(line uvx) in a clean root" hi "${inside[@]}" sh -c "$(line uvx)"
    "${inside[@]}" python3 -m venv /root/venv
    expect "$(line pip) in a clean root" "" "${inside[@]}" sh -c "$(line pip)"
    expect "codepod run 'echo hi'" hi "${inside[@]}" codepod run 'echo hi'
    expect "the README's example" "$(block python output)" "${inside[@]}" python /root/example.py
    expect "pip install codepod[python]" "" "${inside[@]}" pip install 'codepod[python]'
    expect "python3 -c 'print(1)', the first time" 1 "${inside[@]}" codepod run 'python3 -c "print(1)"'
    npm_registry
    new_home
    publish_npm
    clean_root "$work/npm-root" nodejs npm
    block js code >"$work/npm-root/root/example.mjs"
    inside+=(npm_config_registry="$address" npm_config_loglevel=silent)
    expect "$(line npx) in a clean root" hi "${inside[@]}" sh -c "cd /root && $(line npx) </dev/null"
    expect "$(line npm) in a clean root" "" "${inside[@]}" sh -c "cd /root && $(line npm)"
    expect "the README's example" "$(block js output)" "${inside[@]}" sh -c 'cd /root && node example.mjs'
    expect "npm install @codepod/python" "" "${inside[@]}" sh -c 'cd /root && npm install @codepod/python'
    expect "python3 -c 'print(1)', the first time" 1 "${inside[@]}" sh -c "cd /root && npx codepod run 'python3 -c \"print(1)\"'"
}

# The compiler that codepod is made for, also outside of the checkout.
if command -v rustup >/dev/null; then
    RUSTUP_TOOLCHAIN=$(cd "$root" && rustup show active-toolchain | cut -d' ' -f1)
    export RUSTUP_TOOLCHAIN
fi
real_cargo_home=${CARGO_HOME:-$HOME/.cargo}
export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
PATH=$real_cargo_home/bin:$PATH
[ $# -gt 0 ] || set -- python npm rust archive roots image
for what; do
    case $what in
    python | npm | rust | archive | roots | image | cargo-install)
        echo "== $what"
        "try_${what//-/_}"
        ;;
    *) fail "there is no \`$what\`: it is python, npm, rust, archive, roots, image or cargo-install" ;;
    esac
done
