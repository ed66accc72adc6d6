//! Compiles curl from its own sources, with our file in the place of one of its TLS backends, the
//! decoders that it uses, and the C library on the kernel's calls.

use std::env;
use std::path::{Path, PathBuf};

use codepod_build_support::{is_wasi, link_emulations, source};

/// Directories of libcurl; each file in them says itself what it is compiled for.
const LIBRARY: [&str; 7] = [
    "lib",
    "lib/curlx",
    "lib/vauth",
    "lib/vdns",
    "lib/vquic",
    "lib/vssh",
    "lib/vtls",
];

/// The one whose place ours takes. curl's own tables of backends then have ours.
const REPLACED: &str = "rustls.c";

/// Functions that src/reason.c has something to add to.
const WRAPPED: [&str; 3] = ["codepod_note_reason", "connect", "curl_easy_strerror"];

/// A program of its own.
const NOT_OURS: &str = "curlinfo.c";

fn main() {
    let own = env::current_dir().expect("cargo has set it");
    if !is_wasi() {
        // Its C library and its imports are the sandbox's.
        return;
    }
    let posix = own.join("../../runtimes/python/posix");
    let cptls = own.join("../../libraries/cptls-c");
    for path in [&own.join("src"), &own.join("include"), &posix, &cptls] {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    for name in ["build.rs", "curl_config.h"] {
        println!("cargo:rerun-if-changed={name}");
    }
    let (curl, zlib) = (source("curl"), source("libz_sys").join("src/zlib"));
    let (brotli, zstd) = (
        source("brotli").join("c"),
        source("zstd_sys").join("zstd/lib"),
    );

    for name in WRAPPED {
        println!("cargo:rustc-link-arg-bins=--wrap={name}");
    }
    // The first library is the first that is looked into: `socket` is ours and not wasi-libc's.
    let mut library = compiler(&own, &posix);
    library
        .include(&own)
        .include(curl.join("include"))
        .include(curl.join("lib"))
        .include(&cptls)
        .include(&posix)
        .include(&zlib)
        .include(brotli.join("include"))
        .include(&zstd)
        .define("HAVE_CONFIG_H", None)
        .define("CURL_STATICLIB", None);
    let mut tool = library.clone();
    for directory in LIBRARY {
        for file in sources(&curl.join(directory)) {
            if !file.ends_with(REPLACED) {
                library.file(file);
            }
        }
    }
    library
        .define("BUILDING_LIBCURL", None)
        .file(own.join("src/pem.c"))
        .file(own.join("src/reason.c"))
        .file(own.join("src/vtls.c"))
        .file(cptls.join("cptls.c"));
    tool.include(curl.join("src"))
        .define("USE_MANUAL", None)
        .define("main", "curl_main")
        .files(sources(&curl.join("src")).filter(|file| !file.ends_with(NOT_OURS)))
        .files(sources(&curl.join("src/toolx")));
    tool.compile("curl-tool");
    library.compile("curl-library");

    let mut decoders = cc::Build::new();
    decoders
        .warnings(false)
        .define("HAVE_UNISTD_H", None)
        .define("ZSTD_DISABLE_ASM", None)
        .define("XXH_NAMESPACE", "ZSTD_")
        .include(brotli.join("include"));
    for name in [
        "adler32", "crc32", "inffast", "inflate", "inftrees", "zutil",
    ] {
        decoders.file(zlib.join(format!("{name}.c")));
    }
    for directory in [
        brotli.join("common"),
        brotli.join("dec"),
        zstd.join("common"),
        zstd.join("decompress"),
    ] {
        decoders.files(sources(&directory));
    }
    decoders.compile("curl-decoders");

    let mut libc = compiler(&own, &posix);
    libc.flag("-std=gnu17").files(sources(&posix));
    libc.compile("codepod-posix");
    link_emulations(&libc, &["getpid", "signal"]);
}

/// A compiler for programs that see the C library of the sandbox.
fn compiler(own: &Path, posix: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build.warnings(false).define("_GNU_SOURCE", None);
    for directory in [own.join("include"), posix.join("include")] {
        build.flag("-isystem").flag(directory);
    }
    build
}

/// The files in C of a directory, in the same order everywhere.
fn sources(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(directory).expect("the directory of the sources can be read");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| {
            entry
                .expect("the directory of the sources can be read")
                .path()
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    files.into_iter()
}
