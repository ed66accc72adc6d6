//! Compiles file's own sources: for the machine, to make the binary form of the magic, and for the target.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    let sources = root.join("file-5.44/src");
    for name in ["file-5.44", "config.h", "compat.h"] {
        println!("cargo:rerun-if-changed={name}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let header =
        std::fs::read_to_string(sources.join("magic.h.in")).expect("the library's header is there");
    std::fs::write(out.join("magic.h"), header.replace("X.YY", "544"))
        .expect("the output directory can be written");
    make_magic(&root, &sources, &out);

    let wasi = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "wasi");
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
    if wasi {
        link_emulations(&library);
    }
}

/// Builds file for the machine and lets it compile the magic.
fn make_magic(root: &Path, sources: &Path, out: &Path) {
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
        .arg(sources)
        .arg("-o")
        .arg(&program);
    for name in SOURCES {
        command.arg(sources.join(format!("{name}.c")));
    }
    run(&mut command);
    let magic = root.join("file-5.44/magic");
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

/// wasi-libc has signals and memory maps in libraries of their own.
fn link_emulations(build: &cc::Build) {
    let compiler = build.get_compiler();
    for name in ["signal", "mman"] {
        let output = compiler
            .to_command()
            .arg(format!("--print-file-name=libwasi-emulated-{name}.a"))
            .output()
            .expect("the C compiler can be run");
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        if let Some(directory) = path.parent().filter(|_| path.is_absolute()) {
            println!("cargo:rustc-link-search=native={}", directory.display());
        }
        println!("cargo:rustc-link-lib=static=wasi-emulated-{name}");
    }
}
