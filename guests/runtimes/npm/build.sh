#!/usr/bin/env bash
# Packs npm for the sandbox: what it needs of its package, and the program that starts node with it.
#
# Usage: build.sh WORK OUT
#
# In the environment: CLANG (for wasm32-wasip1) and SOURCES (a directory with a link to each source). OUT gets npm.wasm and the
# directory npm. WORK stays from build to build.
set -euo pipefail

: "${CLANG:?}" "${SOURCES:?}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The C library on the kernel's calls is Python's.
posix=$(cd "$here/../python/posix" && pwd)
work=$(realpath -m "$1")
out=$(realpath -m "$2")
flags=(-std=gnu2x -Os -DNDEBUG -D_GNU_SOURCE "-ffile-prefix-map=$here=/guest" "-ffile-prefix-map=$posix=/posix" -mbulk-memory
    -mnontrapping-fptoint -msign-ext -isystem "$posix/include" "-I$posix")
mkdir -p "$work" "$out"

# Without -O when it links: with it clang sends the module through wasm-opt.
objects=()
for file in "$posix"/*.c "$here/src/main.c"; do
    object=$work/$(basename "$file" .c).o
    "$CLANG" "${flags[@]}" -c "$file" -o "$object"
    objects+=("$object")
done
"$CLANG" "${objects[@]}" -o "$out/npm.wasm" -Wl,--gc-sections -Wl,--strip-all -Wl,--fatal-warnings

# Code, data and licences. Manual pages, documentation, types, what is for Windows, and the sources of gyp (there is no compiler)
# stay out.
rm -rf "$out/npm"
mkdir -p "$out/npm"
(cd "$SOURCES/npm" && find . -type f \( -name '*.js' -o -name '*.cjs' -o -name '*.mjs' -o -name '*.json' -o -iname 'licen[cs]e*' \) \
    -not -path './docs/*' -not -path './man/*' -not -path '*/gyp/*' -print0 | sort -z | xargs -0 cp --parents -t "$out/npm")
chmod -R u+w "$out/npm"
cp "$here/npmrc" "$out/npm/npmrc"
