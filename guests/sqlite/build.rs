//! Compiles SQLite and its shell from the sources of the package `sqlite3-src`.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// What Debian's has, as far as the sandbox can have it.
const OPTIONS: [(&str, Option<&str>); 22] = [
    ("SQLITE_THREADSAFE", Some("0")),
    ("SQLITE_OMIT_LOAD_EXTENSION", None),
    ("SQLITE_NOHAVE_SYSTEM", None),
    ("SQLITE_OMIT_POPEN", None),
    ("SQLITE_ENABLE_COLUMN_METADATA", None),
    ("SQLITE_ENABLE_DBSTAT_VTAB", None),
    ("SQLITE_ENABLE_DBPAGE_VTAB", None),
    ("SQLITE_ENABLE_EXPLAIN_COMMENTS", None),
    ("SQLITE_ENABLE_FTS3", None),
    ("SQLITE_ENABLE_FTS3_PARENTHESIS", None),
    ("SQLITE_ENABLE_FTS4", None),
    ("SQLITE_ENABLE_FTS5", None),
    ("SQLITE_ENABLE_GEOPOLY", None),
    ("SQLITE_ENABLE_MATH_FUNCTIONS", None),
    ("SQLITE_ENABLE_RTREE", None),
    ("SQLITE_ENABLE_STMTVTAB", None),
    ("SQLITE_ENABLE_UNKNOWN_SQL_FUNCTION", None),
    ("SQLITE_ENABLE_UPDATE_DELETE_LIMIT", None),
    ("SQLITE_MAX_VARIABLE_NUMBER", Some("250000")),
    ("SQLITE_SOUNDEX", None),
    ("SQLITE_TEMP_STORE", Some("2")),
    ("HAVE_USLEEP", Some("1")),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let sources = sources();
    let wasi = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "wasi");
    let mut build = cc::Build::new();
    build
        .include(&sources)
        .define("main", "sqlite3_shell_main")
        .define("_GNU_SOURCE", None)
        .warnings(false);
    for (name, value) in OPTIONS {
        build.define(name, value);
    }
    if wasi {
        // SQLite's own settings for WASI: locks are directories beside the database, and WAL needs exclusive locking.
        build.define("SQLITE_WASI", "1");
        for name in ["SIGNAL", "PROCESS_CLOCKS", "GETPID", "MMAN"] {
            build.define(&format!("_WASI_EMULATED_{name}"), None);
        }
    }
    build
        .file(sources.join("sqlite3.c"))
        .file(sources.join("shell.c"));
    build.compile("sqlite");
    if wasi {
        link_emulations(&build);
    }
}

/// Where cargo keeps the package's sources.
fn sources() -> PathBuf {
    let cargo = env::var_os("CARGO").expect("cargo sets it");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked"])
        .output()
        .expect("cargo can be run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let at = text
        .find("/sqlite3-src-0.7.1/Cargo.toml")
        .unwrap_or_else(|| {
            panic!(
                "cargo does not list the package sqlite3-src: {}",
                String::from_utf8_lossy(&output.stderr)
            )
        });
    let start = text[..at].rfind('"').map_or(0, |quote| quote + 1);
    PathBuf::from(&text[start..at]).join("sqlite3-src-0.7.1/source")
}

/// wasi-libc has signals and the like in libraries of their own.
fn link_emulations(build: &cc::Build) {
    let compiler = build.get_compiler();
    for name in ["signal", "process-clocks", "getpid", "mman"] {
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
