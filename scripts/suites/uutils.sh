# uutils' own tests of coreutils' tools, run outside with a `coreutils` that calls the sandbox: a second opinion on ours.
# UUTILS may name the tools that are wanted; otherwise it is all of them, which takes long.
version=0.12
tools="basename cksum comm cp csplit cut dircolors dirname echo expand expr factor false fmt join link ln mv nl numfmt od
    pathchk pr printenv printf ptx pwd readlink realpath rm rmdir seq shred shuf sleep split sum tee tr true truncate tsort
    unexpand uniq unlink"
crate=$cache/uutils
mkdir -p "$crate/src"

# A crate of its own has the tests as its target and nothing else to compile: the crate `coreutils` is only fetched.
: > "$crate/src/lib.rs"
cat > "$crate/build.rs" << 'EOF'
fn main() {
    println!("cargo::rustc-env=CARGO_BIN_EXE_coreutils=coreutils");
}
EOF
manifest() {
    cat << EOF
[package]
name = "suite"
version = "0.0.0"
edition = "2024"
autotests = false

[workspace]

[lints.rust]
unexpected_cfgs = "allow"

[features]
default = [$(printf '"%s", ' $tools)]
fetched = ["dep:coreutils"]
$(printf '%s = []\n' $tools)

[profile.dev]
debug = false

[dependencies]
coreutils = { version = "$version", default-features = false, optional = true }
EOF
}
manifest > "$crate/Cargo.toml"
cargo fetch --quiet --manifest-path "$crate/Cargo.toml" || exit
source=$(cargo metadata --quiet --format-version 1 --features fetched --manifest-path "$crate/Cargo.toml" |
    jq -r '.packages[] | select(.name == "coreutils").manifest_path | rtrimstr("/Cargo.toml")')
{
    manifest
    printf '\n[[test]]\nname = "tests"\npath = "tests/tests.rs"\n\n'
    # Two of the tests need a part of uucore that the other crates of the workspace ask for.
    awk '/^\[/ { on = /dev-dependencies/ } on { print } /^    "mode",/ && on { print "    \"perms\"," }' "$source/Cargo.toml"
} > "$crate/Cargo.toml"
rm -rf "$crate/tests"
cp -r "$source/tests" "$crate/tests"
chmod -R u+w "$crate/tests"
nice cargo test --quiet --no-run --test tests --manifest-path "$crate/Cargo.toml" --target-dir "$crate/target" || exit

TMPDIR=$(mktemp -d)
export TMPDIR
chmod 777 "$TMPDIR"
wrapper=$TMPDIR/coreutils
if [ "$codepod" = real ]; then
    printf '#!/bin/sh\nexec "$@"\n' > "$wrapper"
else
    cat > "$wrapper" << EOF
#!/bin/bash
mapfile -d '' variables < <(env -0)
options=()
for variable in "\${variables[@]}"; do options+=(--env "\$variable"); done
# Compiled modules are found by the caller's home, which the tests take away.
HOME=$HOME exec "$codepod" exec --mount "$TMPDIR:$TMPDIR:rw" --cwd "\$PWD" "\${options[@]}" --env PATH=/bin -- "\$@"
EOF
fi
chmod +x "$wrapper"
for tool in ${UUTILS:-$tools}; do
    test=$tool
    (cd "$crate" && UUTESTS_BINARY_PATH=$wrapper timeout 900 cargo test --quiet --manifest-path "$crate/Cargo.toml" \
        --target-dir "$crate/target" -- "test_$tool::" --test-threads 4 --format pretty) > "$logs/$tool" 2>&1 < /dev/null
    sed -nE 's/^test (.*) \.\.\. ok$/pass \1/p; s/^test (.*) \.\.\. FAILED$/fail \1/p; s/^test (.*) \.\.\. ignored.*/skip \1/p' \
        "$logs/$tool" >> "$logs.results"
done
rm -rf "$TMPDIR"
