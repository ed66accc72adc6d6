//! Compiles SQLite and its shell from its own sources.

use codepod_build_support::{is_wasi, link_emulations, source};

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
    let sources = source("sqlite");
    let wasi = is_wasi();
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
        // SQLite's own settings for WASI: locks are directories beside the database, and WAL needs
        // exclusive locking.
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
        link_emulations(&build, &["signal", "process-clocks", "getpid", "mman"]);
    }
}
