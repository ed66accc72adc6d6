# Packages with compiled parts that meson builds, as steps of build.sh: their modules are linked into the interpreter.

# What meson needs: the sources, generators, compilers for the target, and what it cannot find out about it.
step_meson() {
    local meson=$work/meson name
    rm -rf "$meson"
    mkdir -p "$meson"/{bin,tools}
    for name in cython versioneer; do cp -r "$SOURCES/$name"/. "$meson/tools"; done
    # The target's headers come before those of the Python that runs the generators. Shared libraries are not wanted: what is compiled is.
    for name in clang clang++; do
        cat >"$meson/bin/$name" <<EOF
#!/bin/bash
case " \$* " in *" -shared "*)
    while [ "\$1" != -o ]; do shift; done
    exec touch "\$2" ;;
esac
exec "${CLANG%clang}$name" -I"$work/wasm" -I"$source/Include" $flags -Wno-implicit-function-declaration "\$@"
EOF
    done
    for name in python:"" cython:"-m cython"; do
        printf '#!/bin/sh\nPYTHONPATH=%s:$PYTHONPATH exec %s %s "$@"\n' "$meson/tools" "$work/native/python" "${name#*:}" >"$meson/bin/${name%%:*}"
    done
    chmod +x "$meson"/bin/*
    cat >"$meson/target.ini" <<EOF
[binaries]
c = '$meson/bin/clang'
cpp = '$meson/bin/clang++'
ar = '$AR'
python = '$meson/bin/python'
cython = '$meson/bin/cython'
[host_machine]
system = 'wasi'
cpu_family = 'wasm32'
cpu = 'wasm32'
endian = 'little'
[properties]
needs_exe_wrapper = true
skip_sanity_check = true
longdouble_format = 'IEEE_QUAD_LE'
EOF
}

# Builds the compiled modules of the package $1 with meson, whose options follow.
meson_package() {
    local name=$1 tree
    shift
    rm -rf "$work/meson/$name"* "$work/built/$name"
    tree=$work/meson/$name-$(version_of "$SOURCES/$name")
    copy_source "$name" "$tree"
    meson() { PATH=$work/meson/bin:$PATH "$work/native/python" "$work"/meson/numpy-*/vendored-meson/meson/meson.py "$@"; }
    meson setup --cross-file "$work/meson/target.ini" -Dbuildtype=release "$@" "$work/meson/$name" "$tree" >"$work/meson/$name.log" 2>&1
    "$work/native/python" "$here/compiled.py" targets "$work/meson/$name" |
        PATH=$work/meson/bin:$PATH xargs ninja -C "$work/meson/$name" -j "$jobs" >>"$work/meson/$name.log" 2>&1
    "$work/native/python" "$here/compiled.py" collect "$work/meson/$name" "$tree" "$work/built/$name"
}

# Without BLAS, and without the variants for processors that are chosen when a program runs. What is built upon it asks it for its headers.
step_numpy() {
    local headers=$work/meson/tools/numpy
    meson_package numpy -Dallow-noblas=true -Dblas=none -Dlapack=none -Ddisable-optimization=true -Ddisable-svml=true
    mkdir -p "$headers"
    cp "$work"/built/numpy/packages/numpy/*.pxd "$headers"
    echo "def get_include(): return '$work/built/numpy/packages/numpy/_core/include'" >"$headers/__init__.py"
}

step_pandas() {
    meson_package pandas -Doptimization=2
}
