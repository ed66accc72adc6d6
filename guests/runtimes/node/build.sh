#!/usr/bin/env bash
# Builds node for the sandbox from the sources that guest.toml names and what lies beside this file.
#
# Usage: build.sh WORK OUT
#
# In the environment: CLANG and AR (for wasm32-wasip1; CLANG with ++ behind it compiles C++), SOURCES (a directory with a link
# to each source) and PREINIT (the program codepod-preinit). OUT gets node.wasm and library. WORK stays from build to build:
# what is compiled from other people's sources is kept there by the digest of its inputs.
set -euo pipefail

: "${CLANG:?}" "${SOURCES:?}" "${PREINIT:?}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The C library on the kernel's calls is Python's.
posix=$(cd "$here/../python/posix" && pwd)
work=$(realpath -m "$1")
out=$(realpath -m "$2")
merve=$SOURCES/nodejs/deps/merve
zlib=$SOURCES/libz-sys/src/zlib
flags=(-O3 -mbulk-memory -mnontrapping-fptoint -msign-ext -fwrapv -funsigned-char -DNDEBUG -D_GNU_SOURCE
    -isystem "$posix/include" "-ffile-prefix-map=$here=/guest" "-ffile-prefix-map=$posix=/posix"
    "-ffile-prefix-map=$SOURCES=/sources" "-ffile-prefix-map=$work=/node")
# The stack lies below everything else. JavaScript's own limit is half of it (src/context.c).
stack=$((8 << 20))
# The files that the snapshot is made with.
root=$work/root
mkdir -p "$work/objects" "$out"

# Compiles $2 to objects/$1.o with the flags that follow, unless that has been done with the same inputs.
object() {
    local name=$1 file=$2 compiler=("$CLANG" -std=gnu2x)
    shift 2
    [ "${file##*.}" = c ] || compiler=("$CLANG++" -std=c++20 -fno-exceptions)
    local key
    key=$("${compiler[@]}" "${flags[@]}" "$@" -E "$file" | cat - <(echo "${flags[*]} $* $("$CLANG" --version | head -n 1)") | sha256sum)
    [ "$(cat "$work/objects/$name.key" 2>/dev/null)" != "$key" ] || return 0
    "${compiler[@]}" "${flags[@]}" "$@" -c "$file" -o "$work/objects/$name.o"
    echo "$key" >"$work/objects/$name.key"
}

compile() {
    local file
    local engine=("-I$SOURCES/quickjs-ng")
    for file in libregexp libunicode dtoa; do object "$file" "$SOURCES/quickjs-ng/$file.c" "${engine[@]}" -w; done
    object ada "$SOURCES/ada-url/deps/ada.cpp" -O2 -w
    object merve "$merve/merve.cpp" -O2 -w "-I$merve"
    for file in adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil; do
        object "z-$file" "$zlib/$file.c" -DHAVE_UNISTD_H -DHAVE_STDARG_H -w
    done
    for file in "$posix"/*.c; do object "posix-$(basename "$file" .c)" "$file"; done
    engine+=(-include malloc.h "-I$zlib" "-I$SOURCES/ada-url/deps" "-I$merve" "-I$posix")
    object engine "$here/src/engine.c" "${engine[@]}" -w
    for file in "$here"/src/*.c; do
        [ "$(basename "$file")" = engine.c ] ||
            object "node-$(basename "$file" .c)" "$file" "${engine[@]}" -Wall -Wextra -Wno-unused-parameter
    done
}

# Without -O: with it clang sends the module through wasm-opt.
link() {
    "$CLANG++" "$work"/objects/*.o -o "$work/linked.wasm" -lc-printscan-long-double \
        -Wl,-z,stack-size="$stack" -Wl,--stack-first -Wl,--strip-all -Wl,--fatal-warnings
}

# Node's library, our bindings and the shapes of native node's, as one file.
pack_library() {
    local staged=$work/library deps=lib/internal/deps
    rm -rf "$staged"
    mkdir -p "$staged/$deps/acorn/acorn/dist" "$staged/$deps/acorn/acorn-walk/dist" "$root/usr/lib/node"
    cp -r "$SOURCES/nodejs/lib/." "$staged/lib"
    cp "$SOURCES/acorn/dist/acorn.js" "$staged/$deps/acorn/acorn/dist"
    cp "$SOURCES/acorn-walk/dist/walk.js" "$staged/$deps/acorn/acorn-walk/dist"
    mkdir -p "$staged/$deps/minimatch"
    python3 "$here/bundle.py" "$staged/$deps/minimatch/index.js" \
        minimatch="$SOURCES/minimatch" brace-expansion="$SOURCES/brace-expansion" balanced-match="$SOURCES/balanced-match"
    cp -r "$here/bindings" "$here/shapes.json" "$staged"
    chmod -R u+w "$staged"
    python3 "$here/pack.py" "$root/usr/lib/node/library" "$staged"
}

compile
link
pack_library
"$PREINIT" "$work/linked.wasm" "$root" "$out/node.wasm" "$work/linked-data" --codepod-snapshot /memory
cp "$root/usr/lib/node/library" "$out"
