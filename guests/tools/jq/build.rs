//! Compiles jq's own sources. Its functions written in jq become a C string, as its Makefile does
//! it.

use std::env;
use std::fmt::Write as _;
use std::path::PathBuf;

use codepod_build_support::{is_wasi, link_emulations, source};

const SOURCES: [&str; 18] = [
    "builtin",
    "bytecode",
    "compile",
    "execute",
    "jq_test",
    "jv",
    "jv_alloc",
    "jv_aux",
    "jv_dtoa",
    "jv_dtoa_tsd",
    "jv_file",
    "jv_parse",
    "jv_print",
    "jv_unicode",
    "lexer",
    "linker",
    "locfile",
    "parser",
];

/// What `configure` finds out, for wasi-libc and glibc alike.
const HAVE: [&str; 82] = [
    "ACOS",
    "ACOSH",
    "ALLOCA_H",
    "ASIN",
    "ASINH",
    "ATAN",
    "ATAN2",
    "ATANH",
    "ATEXIT",
    "CBRT",
    "CEIL",
    "COPYSIGN",
    "COS",
    "COSH",
    "ERF",
    "ERFC",
    "EXP",
    "EXP10",
    "EXP2",
    "EXPM1",
    "FABS",
    "FDIM",
    "FLOOR",
    "FMA",
    "FMAX",
    "FMIN",
    "FMOD",
    "FREXP",
    "GETTIMEOFDAY",
    "GMTIME",
    "GMTIME_R",
    "HYPOT",
    "ILOGB",
    "ISATTY",
    "J0",
    "J1",
    "JN",
    "LDEXP",
    "LGAMMA",
    "LGAMMA_R",
    "LIBONIG",
    "LOCALTIME_R",
    "LOG",
    "LOG10",
    "LOG1P",
    "LOG2",
    "LOGB",
    "MEMMEM",
    "MODF",
    "NEARBYINT",
    "NEXTAFTER",
    "NEXTTOWARD",
    "POW",
    "REMAINDER",
    "RINT",
    "ROUND",
    "SCALBLN",
    "SCALBN",
    "SETENV",
    "SETLOCALE",
    "SIN",
    "SINH",
    "SQRT",
    "STRFTIME",
    "STRPTIME",
    "TAN",
    "TANH",
    "TGAMMA",
    "TIMEGM",
    "TM_TM_GMT_OFF",
    "TRUNC",
    "Y0",
    "Y1",
    "YN",
    "GETENTROPY",
    "DREM",
    "SIGNIFICAND",
    "GAMMA",
    "SCALB",
    "MKTIME",
    "LOCALTIME",
    "POW10",
];

/// What wasi-libc does not have.
const NOT_WASI: [&str; 5] = ["DREM", "SIGNIFICAND", "GAMMA", "SCALB", "POW10"];

fn main() {
    let root = source("jq");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let generated = out.join("generated/src");
    std::fs::create_dir_all(&generated).expect("the output directory can be written");
    let builtins = std::fs::read_to_string(root.join("src/builtin.jq"))
        .expect("the functions written in jq are there");
    let mut array = String::new();
    for line in builtins.lines() {
        let escaped = line.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(array, "\"{escaped}\\n\"");
    }
    std::fs::write(generated.join("builtin.inc"), array)
        .expect("the output directory can be written");
    let options = "#define JQ_CONFIG \"codepod\"\n";
    std::fs::write(generated.join("config_opts.inc"), options)
        .expect("the output directory can be written");
    let version = "#define JQ_VERSION \"1.7.1\"\n";
    std::fs::write(generated.join("version.h"), version)
        .expect("the output directory can be written");

    let wasi = is_wasi();
    if wasi {
        // jq itself counts how deep values go, to 10,000; the usual megabyte of stack ends sooner.
        println!("cargo::rustc-link-arg-bins=-zstack-size={}", 24 << 20);
    }
    let mut build = cc::Build::new();
    build
        .include(&root)
        .include(root.join("src"))
        .include(source("oniguruma"))
        .include(out.join("generated"))
        .define("_GNU_SOURCE", None)
        .define("USE_DECNUM", "1")
        .define("IEEE_8087", None)
        .define("main", "jq_main")
        .define("_WASI_EMULATED_SIGNAL", None)
        .define("_WASI_EMULATED_GETPID", None)
        .warnings(false)
        .flag_if_supported("-std=gnu11");
    for name in HAVE {
        if !(wasi && NOT_WASI.contains(&name)) && name != "POW10" {
            build.define(&format!("HAVE_{name}"), "1");
        }
    }
    for name in SOURCES {
        build.file(root.join(format!("src/{name}.c")));
    }
    build
        .file(root.join("src/main.c"))
        .file(root.join("src/util.c"));
    for name in ["decContext", "decNumber"] {
        build.file(root.join(format!("src/decNumber/{name}.c")));
    }
    build.compile("jq");
    if wasi {
        link_emulations(&build, &["signal", "getpid"]);
    }
}
