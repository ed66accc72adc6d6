#!/usr/bin/env bash
# Builds CPython for wasm32-wasip1, from upstream's unpatched source and the C sources of packages in Cargo.lock.
#
# Usage: build.sh WORK OUT
#
# In the environment: CLANG and AR (for wasm32-wasip1), SOURCES (a directory with links to the unpacked packages
# zlib, bzip2, lzma, zstd and sqlite). Each step leaves a stamp in WORK and is not done again. OUT gets python.wasm and python.zip.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(realpath -m "$1")
out=$(realpath -m "$2")
: "${CLANG:?}" "${AR:?}" "${SOURCES:?}"
jobs=$(nproc)
version=3.14.7
digest=3b48dac8fb59f62eaa67ac83c1eb12bda1b7a08406dd286e252c11a66be27f81
source=$work/Python-$version
flags="-O2 -mbulk-memory -mnontrapping-fptoint -msign-ext -msimd128 -ffile-prefix-map=$work=/python -ffile-prefix-map=$SOURCES=/sources"
mkdir -p "$work/lib" "$work/include" "$work/stamps" "$out"

say() { echo "python: $*" >&2; }

# The source as Debian keeps it: upstream's archive, known by its digest.
step_fetch() {
    local archive=$work/cpython.tar.xz mirror
    if ! echo "$digest  $archive" | sha256sum --check --quiet - 2>/dev/null; then
        mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -E '/debian/?$' | head -n 1)
        [ -n "$mirror" ] || { say "this machine has no Debian package mirror to get the source from"; return 1; }
        curl -sSf -o "$archive" "${mirror%/}/pool/main/p/python3.14/python3.14_$version.orig.tar.xz"
        echo "$digest  $archive" | sha256sum --check --quiet -
    fi
    rm -rf "$source"
    tar -C "$work" -xf "$archive"
}

# A Python of the same version for this machine: it freezes modules and compiles the library.
step_native() {
    mkdir -p "$work/native"
    cd "$work/native"
    "$source/configure" --quiet --disable-test-modules --with-ensurepip=no CFLAGS=-O1 >configure.log 2>&1
    make -s -j "$jobs" python >make.log 2>&1
}

library() { # name, then files; with the flags in $defines
    local name=$1 objects=$work/objects/$1
    shift
    rm -rf "$objects"
    mkdir -p "$objects"
    # shellcheck disable=SC2086
    (cd "$objects" && printf '%s\0' "$@" | xargs -0 -P "$jobs" -n 1 "$CLANG" $flags $defines -w -c)
    rm -f "$work/lib/lib$name.a"
    "$AR" rcsD "$work/lib/lib$name.a" "$objects"/*.o
}

step_libraries() {
    local z=$SOURCES/zlib/src/zlib bz=$SOURCES/bzip2/bzip2-1.0.8 xz=$SOURCES/lzma/xz/src zstd=$SOURCES/zstd/zstd/lib sqlite=$SOURCES/sqlite/source
    local defines="-DHAVE_UNISTD_H -DHAVE_STDARG_H"
    library z "$z"/{adler32,compress,crc32,deflate,gzclose,gzlib,gzread,gzwrite,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c
    cp "$z"/{zlib,zconf}.h "$work/include"
    defines=
    library bz2 "$bz"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib}.c
    cp "$bz/bzlib.h" "$work/include"
    defines="-DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM"
    library zstd "$zstd"/{common,compress,decompress,dictBuilder}/*.c
    cp "$zstd"/*.h "$work/include"
    defines="-DHAVE_CONFIG_H -I$SOURCES/lzma -I$xz/common"
    local directory files=()
    for directory in api lzma lz check simple delta common rangecoder; do defines+=" -I$xz/liblzma/$directory"; done
    for directory in common lzma lz check delta rangecoder simple; do
        files+=($(ls "$xz/liblzma/$directory"/*.c | grep -vE 'tablegen|_small\.c|clmul_consts_gen|mt\.c'))
    done
    library lzma "${files[@]}" "$xz"/common/tuklib_{cpucores,physmem}.c
    cp -r "$xz"/liblzma/api/lzma* "$work/include"
    # shellcheck disable=SC2089
    defines="-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS5
        -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_COLUMN_METADATA
        -DSQLITE_TEMP_STORE=2 -DSQLITE_WASI -D_WASI_EMULATED_GETPID"
    library sqlite3 "$sqlite/sqlite3.c"
    cp "$sqlite"/{sqlite3,sqlite3ext}.h "$work/include"
}

step_configure() {
    local name
    mkdir -p "$work/wasm"
    cd "$work/wasm"
    export CC=$CLANG CXX="$CLANG" CPP="$CLANG -E" AR RANLIB="$AR s" PKG_CONFIG=false HOSTRUNNER=/bin/true
    export CONFIG_SITE=$source/Tools/wasm/wasi/config.site-wasm32-wasi
    export CFLAGS="${flags#-O2 }" OPT="-DNDEBUG -O3 -g0"
    for name in ZLIB:z BZIP2:bz2 LIBLZMA:lzma LIBZSTD:zstd LIBSQLITE3:sqlite3; do
        export "${name%%:*}_CFLAGS=-I$work/include" "${name%%:*}_LIBS=-L$work/lib -l${name##*:}"
    done
    "$source/configure" --quiet --host=wasm32-wasip1 --build="$("$source/config.guess")" --with-build-python="$work/native/python" \
        --prefix=/usr --disable-test-modules --with-pymalloc --with-ensurepip=no --disable-ipv6 >configure.log 2>&1
}

step_make() {
    cd "$work/wasm"
    make -j "$jobs" python.wasm >make.log 2>&1
    make pybuilddir.txt >>make.log 2>&1
}

for step in fetch native libraries configure make; do
    [ -e "$work/stamps/$step" ] && continue
    say "$step"
    started=$SECONDS
    ("step_$step")
    touch "$work/stamps/$step"
    say "$step: $((SECONDS - started)) s"
done
