//! Compiles file's own sources: for the machine, to make the binary form of the magic, and for the
//! target.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use codepod_build_support::{is_wasi, link_emulations, source};

const SOURCES: [&str; 23] = [
    "apprentice",
    "apptype",
    "ascmagic",
    "buffer",
    "cdf",
    "cdf_time",
    "compress",
    "der",
    "encoding",
    "file",
    "fmtcheck",
    "fsmagic",
    "funcs",
    "is_csv",
    "is_json",
    "is_tar",
    "magic",
    "print",
    "readcdf",
    "readelf",
    "softmagic",
    "strlcat",
    "strlcpy",
];

fn main() {
    let root = env::current_dir().expect("cargo has set it");
    let upstream = source("file");
    let sources = upstream.join("src");
    for name in ["config.h", "compat.h"] {
        println!("cargo:rerun-if-changed={name}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let header =
        std::fs::read_to_string(sources.join("magic.h.in")).expect("the library's header is there");
    std::fs::write(out.join("magic.h"), header.replace("X.YY", "544"))
        .expect("the output directory can be written");
    make_magic(&root, &upstream, &out);

    let mut build = cc::Build::new();
    build
        .include(&root)
        .include(&out)
        .include(&sources)
        .define("HAVE_CONFIG_H", None)
        .define("MAGIC", "\"/etc/magic\"")
        .define("main", "file_main")
        .define("magic_load", "codepod_magic_load")
        .define("_WASI_EMULATED_SIGNAL", None)
        .define("_WASI_EMULATED_MMAN", None)
        .flag("-include")
        .flag(root.join("compat.h").to_str().expect("the path is UTF-8"))
        .warnings(false);
    for name in SOURCES.iter().filter(|name| **name != "magic") {
        build.file(sources.join(format!("{name}.c")));
    }
    build.compile("file");
    // The library's own `magic_load` keeps its name: only the program calls ours.
    let mut library = cc::Build::new();
    library
        .include(&root)
        .include(&out)
        .include(&sources)
        .define("HAVE_CONFIG_H", None)
        .define("MAGIC", "\"/etc/magic\"")
        .define("_WASI_EMULATED_SIGNAL", None)
        .define("_WASI_EMULATED_MMAN", None)
        .flag("-include")
        .flag(root.join("compat.h").to_str().expect("the path is UTF-8"))
        .warnings(false)
        .file(sources.join("magic.c"))
        .compile("magic");
    if is_wasi() {
        link_emulations(&library, &["signal", "mman"]);
    }
}

/// Builds file for the machine and lets it compile the magic: all of `Magdir` in one file.
fn make_magic(root: &Path, upstream: &Path, out: &Path) {
    let sources = upstream.join("src");
    let compiler = env::var_os("HOST_CC").unwrap_or_else(|| "cc".into());
    let program = out.join("file-of-the-machine");
    let mut command = Command::new(compiler);
    command
        .args(["-O1", "-w", "-DHAVE_CONFIG_H", "-DMAGIC=\"/etc/magic\""])
        .arg("-I")
        .arg(root)
        .arg("-I")
        .arg(out)
        .arg("-I")
        .arg(&sources)
        .arg("-o")
        .arg(&program);
    for name in SOURCES {
        command.arg(sources.join(format!("{name}.c")));
    }
    run(&mut command);
    let rules = std::fs::read_dir(upstream.join("magic/Magdir")).expect("the rules are there");
    let mut rules: Vec<PathBuf> = rules.flatten().map(|entry| entry.path()).collect();
    rules.sort();
    let rules = rules
        .iter()
        .map(|path| std::fs::read(path).expect("a rule can be read"));
    let magic = out.join("magic");
    std::fs::write(&magic, rules.collect::<Vec<_>>().concat())
        .expect("the output directory can be written");
    run(Command::new(&program)
        .current_dir(out)
        .env("LC_ALL", "C")
        .arg("-C")
        .arg("-m")
        .arg(magic));
}

fn run(command: &mut Command) {
    let status = command
        .status()
        .expect("a C compiler for the machine is there");
    assert!(status.success(), "{command:?} failed");
}
