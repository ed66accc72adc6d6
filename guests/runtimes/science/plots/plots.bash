# matplotlib and what it needs, as steps of build.sh: compiled without their own build systems, which make shared libraries and download sources.

# C++ as matplotlib's packages want it: their libraries are made with `library`.
cxx_flags="-std=c++17 -fvisibility=hidden -DNDEBUG -Wno-c++11-narrowing -I$work/wasm -I$source/Include -isystem $headers/plots"
cxx_flags+=" -include $headers/plots/single.h"

step_plot_sources() {
    local plots=$work/plots name
    rm -rf "$plots"
    mkdir -p "$plots/headers"
    for name in matplotlib contourpy kiwisolver pillow qhull; do copy_source "$name" "$plots/$name"; done
    copy_source libjpeg-turbo "$plots/jpeg"
    copy_source freetype-sys "$plots/freetype"
    for name in pybind11 cppy; do cp -r "$SOURCES/$name"/. "$plots/headers"; done
}

# Only what reads the kinds of fonts that there are: TrueType, OpenType, Type 1.
step_freetype() {
    local ft=$work/plots/freetype
    sed -i -n '/\(t1cid\|pfr\|t42\|winfnt\|pcf\|bdf\|sdf\|svg\)_\(driver\|renderer\)/!p' "$ft/include/freetype/config/ftmodule.h"
    local defines="-DFT2_BUILD_LIBRARY -DFT_CONFIG_OPTION_SYSTEM_ZLIB -I$ft/include -I$work/include -isystem $headers/plots"
    library freetype "$ft"/src/base/{ftbase,ftbbox,ftbitmap,ftdebug,ftfstype,ftglyph,ftinit,ftmm,ftstroke,ftsynth,ftsystem,fttype1}.c \
        "$ft"/src/{autofit/autofit,cff/cff,gzip/ftgzip,lzw/ftlzw,psaux/psaux,pshinter/pshinter,psnames/psnames,raster/raster,sfnt/sfnt,smooth/smooth,truetype/truetype,type1/type1}.c
}

# The version that matplotlib itself builds with.
step_qhull() {
    local qhull=$work/plots/qhull/src
    local defines="-I$qhull -isystem $headers/plots"
    library qhull "$qhull"/libqhull_r/{geom2_r,geom_r,global_r,io_r,libqhull_r,mem_r,merge_r,poly2_r,poly_r,qset_r,random_r,rboxlib_r,stat_r}.c \
        "$qhull"/libqhull_r/{usermem_r,userprintf_rbox_r,userprintf_r,user_r}.c
}

# libjpeg-turbo as Debian keeps it, without assembler; one sample size. A damaged file ends the process: the library jumps out of its errors.
step_jpeg() {
    local jpeg=$work/plots/jpeg name
    for name in jconfig jconfigint jversion; do
        sed -e 's/@JPEG_LIB_VERSION@/62/; s/@VERSION@/2.1.5/; s/@LIBJPEG_TURBO_VERSION_NUMBER@/2001005/; s/@BITS_IN_JSAMPLE@/8/; s/@BUILD@//' \
            -e 's/@INLINE@/inline/; s/@THREAD_LOCAL@//; s/@CMAKE_PROJECT_NAME@/libjpeg-turbo/; s/@SIZE_T@/4/; s/@COPYRIGHT_YEAR@/2022/' \
            -e 's/#cmakedefine \(WITH_SIMD\|RIGHT_SHIFT\|HAVE_INTRIN\).*//; s/#cmakedefine/#define/' "$jpeg/$name.h.in" >"$jpeg/$name.h"
    done
    local defines="-I$jpeg -isystem $headers/plots"
    library jpeg "$jpeg"/jc{apimin,apistd,coefct,color,dctmgr,huff,icc,init,mainct,marker,master,param,phuff,prepct,sample,trans,arith}.c \
        "$jpeg"/jd{apimin,apistd,atadst,atasrc,coefct,color,dctmgr,huff,icc,input,mainct,marker,master,merge,phuff,postct,sample,trans,arith}.c \
        "$jpeg"/j{comapi,error,fdctflt,fdctfst,fdctint,idctflt,idctfst,idctint,idctred,quant1,quant2,utils,memmgr,memnobs,simd_none,aricom}.c
}

step_matplotlib() {
    local mpl=$work/plots/matplotlib agg=$work/plots/matplotlib/extern/agg24-svn
    local compiler=$CLANG++ defines="$cxx_flags -I$work/plots/headers/pybind11/include -I$mpl/src -I$agg/include -I$work/plots/freetype/include -I$work/plots/qhull/src"
    defines+=" -DFREETYPE_BUILD_TYPE=\"system\" -DMPL_DEVNULL=/dev/null"
    library matplotlib "$agg"/src/agg_{bezier_arc,curves,image_filters,trans_affine,vcgen_contour,vcgen_dash,vcgen_stroke,vpgen_segmentator}.cpp \
        "$mpl"/src/{_backend_agg,_backend_agg_wrapper,_c_internal_utils,ft2font,ft2font_wrapper,_image_wrapper,py_converters,_path_wrapper,_qhull_wrapper}.cpp \
        "$mpl"/src/tri/{_tri,_tri_wrapper}.cpp
}

step_contourpy() {
    local contourpy=$work/plots/contourpy/src
    local compiler=$CLANG++ defines="$cxx_flags -I$work/plots/headers/pybind11/include -DCONTOURPY_VERSION=1.3.3"
    library contourpy "$contourpy"/*.cpp
}

step_kiwisolver() {
    local kiwi=$work/plots/kiwisolver
    local compiler=$CLANG++ defines="$cxx_flags -I$work/plots/headers/cppy/include -I$kiwi"
    library kiwisolver "$kiwi"/py/src/*.cpp
}

step_pillow() {
    local pillow=$work/plots/pillow version
    version=$(sed -n 's/__version__ = "\(.*\)"/\1/p' "$pillow/src/PIL/_version.py")
    local defines="-I$work/wasm -I$source/Include -I$work/include -I$pillow/src -I$pillow/src/libImaging -I$work/plots/freetype/include"
    defines+=" -DHAVE_LIBZ -DHAVE_LIBJPEG -I$work/plots/jpeg -DPILLOW_VERSION=\"$version\" -isystem $headers/plots"
    library pillow "$pillow"/src/{_imaging,_imagingmath,_imagingmorph,_imagingft,decode,encode,map,display,outline,path}.c "$pillow"/src/libImaging/*.c
}

# The table of modules, and what an installer would put into `site-packages`.
step_plot_files() {
    local plots=$work/plots out=$work/built/plots name
    rm -rf "$out"
    mkdir -p "$out/packages"
    : >"$out/objects"
    for name in matplotlib.{_c_internal_utils,ft2font,_image,_path,_qhull,_tri,backends._backend_agg} contourpy._contourpy kiwisolver._cext \
        PIL.{_imaging,_imagingft,_imagingmath,_imagingmorph}; do
        echo "MODULE(\"$name\", PyInit_${name##*.})"
    done >"$out/modules.h"
    for name in cycler fonttools pyparsing; do cp -r "$SOURCES/$name"/. "$out/packages"; done
    cp -r "$plots"/matplotlib/lib/{matplotlib,mpl_toolkits,pylab.py} "$plots/contourpy/lib/contourpy" "$plots/kiwisolver/py/kiwisolver" "$plots/pillow/src/PIL" "$out/packages"
    sed 's/@VCS_TAG@/"3.10.9"/' "$plots/matplotlib/lib/matplotlib/_version.py.in" >"$out/packages/matplotlib/_version.py"
    sed 's/^#backend: .*/##backend: Agg/' "$plots/matplotlib/lib/matplotlib/mpl-data/matplotlibrc" >"$out/packages/matplotlib/mpl-data/matplotlibrc"
    for name in matplotlib contourpy kiwisolver pillow; do
        local information=$out/packages/$name-$(version_of "$plots/$name").dist-info
        mkdir -p "$information"
        cp "$plots/$name/PKG-INFO" "$information/METADATA"
    done
    # The data is read as files, not from an archive. Icons of windows, and data of examples, are not needed.
    mv "$out/packages/matplotlib/mpl-data" "$out/mpl-data"
    rm -rf "$out"/mpl-data/{images,plot_directive,kpsewhich.lua,sample_data} "$out"/packages/matplotlib/{sphinxext,backends/web_backend,backends/qt_editor}
    rm -rf "$out"/packages/fontTools/{cu2qu,diff,merge,mtiLib,qu2cu,svgLib,ufoLib,voltLib} "$out"/packages/fonttools-*.data
    find "$out" -name meson.build -o -name '*.pyi' -o -name '*.in' -o -name '*.so' | xargs rm -f
    find "$out" -type d \( -name tests -o -name __pycache__ -o -name sample_data \) -prune -print0 | xargs -0 rm -rf
}
