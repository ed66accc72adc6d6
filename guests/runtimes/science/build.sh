#!/usr/bin/env bash
# Builds CPython once more, with numpy, pandas, matplotlib and what they need in it.
#
# Usage: build.sh WORK OUT
#
# What is in the environment, see ../python/interpreter.bash, whose steps are the first ones here. OUT gets
# science.wasm and the files that guest.toml names.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../python/interpreter.bash"
source "$here/meson.bash"
source "$here/plots/plots.bash"

# The headers of ours that plots are compiled with, at a place that every checkout has.
step_plot_headers() {
    rm -rf "$headers/plots"
    cp -r "$here/plots/include" "$headers/plots"
}

# Python's own files are there already (../python/build.sh).
step_science_library() {
    rm -rf "$science"
    cp -r "$root" "$science"
    pack packages /usr/lib/python3.14/science.zip "$science/usr/lib/python3.14/science.zip" "$work"/built/*/packages \
        "$SOURCES"/{networkx,pypdf,seaborn,sqlalchemy}
    cp "$here/science.pth" "$science/usr/lib/python3.14/site-packages"
    mkdir -p "$science/usr/share/matplotlib"
    cp -r "$work/built/plots/mpl-data" "$science/usr/share/matplotlib"
}

step_science_link() {
    local own_flags="$own_flags -ffile-prefix-map=$here=/guest"
    mkdir -p "$work/linked-science"
    cat "$work"/built/*/modules.h >"$work/linked-science/modules.h"
    # shellcheck disable=SC2046
    link_interpreter science "$here"/src/*.cpp $(cat "$work"/built/*/objects) \
        -l{matplotlib,contourpy,kiwisolver,pillow,qhull,freetype,jpeg,z}
}

step_science_snapshot() { snapshot science "$science"; }

step_images() {
    image science "$science" pandas pandas
    image science "$science" matplotlib matplotlib pandas
}

science=$work/science-root
run_interpreter_steps
interpreter=$inputs_before
inputs_before=
run_step plot_headers "$here/plots/include"
inputs_before=$configured # all that packages need is the configured headers
run_step meson @cython @versioneer
inputs_before+=$(declare -f meson_package)
run_step numpy @numpy "$here/compiled.py"
run_step pandas @pandas
meson_packages=$inputs_before
inputs_before=$configured$cxx_flags
run_step plot_sources "$here/plots/include" @freetype-sys @{matplotlib,contourpy,kiwisolver,pillow,libjpeg-turbo,qhull} \
    @{pybind11,cppy,cycler,fonttools,pyparsing}
for step in freetype qhull jpeg matplotlib contourpy kiwisolver pillow plot_files; do run_step "$step"; done
inputs_before+=$meson_packages$interpreter
run_step science_link "$here/src" "$python"/{src,posix} "$cptls"/cptls.{c,h} "$RUST_LIBRARY"
inputs_before+=$library_key
run_step science_library "$here/science.pth" @{networkx,pypdf,seaborn,sqlalchemy}
run_step science_snapshot "$PREINIT"
run_step images
rm -rf "$out/mpl-data"
cp -r "$work"/{science.wasm,science-cold-start,pandas.image,matplotlib.image,built/plots/mpl-data} \
    "$science/usr/lib/python3.14/science.zip" "$here/science.pth" "$out"
