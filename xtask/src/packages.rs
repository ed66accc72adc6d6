//! The real tools that cases are compared with, and shells that the installer is tried in: Debian's
//! packages, and a program of each.
//!
//! A tool that a case of `spec/tools` names has its package here, so that CI has it.

use crate::failure::Outcome;
use crate::setup;

/// A package and a program that it brings.
const PACKAGES: &[(&str, &str)] = &[
    ("bash", "bash"),
    ("bc", "bc"),
    ("binutils", "strings"),
    ("bsdextrautils", "hexdump"),
    ("busybox", "busybox"),
    ("bzip2", "bzip2"),
    ("coreutils", "ls"),
    ("curl", "curl"),
    ("dash", "dash"),
    ("dc", "dc"),
    ("diffutils", "diff"),
    ("ed", "ed"),
    ("dos2unix", "dos2unix"),
    ("fd-find", "fdfind"),
    ("file", "file"),
    ("findutils", "find"),
    ("gawk", "gawk"),
    ("gettext-base", "envsubst"),
    ("git", "git"),
    ("grep", "grep"),
    ("gzip", "gzip"),
    ("jq", "jq"),
    ("less", "less"),
    ("libc-bin", "iconv"),
    ("lsb-release", "lsb_release"),
    ("make", "make"),
    ("man-db", "man"),
    ("moreutils", "sponge"),
    ("ncal", "cal"),
    ("nginx-light", "nginx"),
    ("openssl", "openssl"),
    ("netcat-openbsd", "nc.openbsd"),
    ("patch", "patch"),
    ("procps", "ps"),
    ("pv", "pv"),
    ("python3-venv", "python3"),
    ("ripgrep", "rg"),
    ("sed", "sed"),
    ("sqlite3", "sqlite3"),
    ("sysvinit-utils", "pidof"),
    ("tar", "tar"),
    ("time", "/usr/bin/time"),
    ("tree", "tree"),
    ("tzdata", "/usr/share/zoneinfo/Europe/Berlin"),
    ("unzip", "unzip"),
    ("util-linux", "setpriv"),
    ("uuid-runtime", "uuidgen"),
    ("xxd", "xxd"),
    ("xz-utils", "xz"),
    ("yq", "yq"),
    ("zip", "zip"),
    ("zstd", "zstd"),
];

/// Whether the machine has every program.
pub(crate) fn are_there() -> Outcome<bool> {
    Ok(missing().next().is_none())
}

/// Installs the packages whose programs are missing; that needs root.
pub(crate) fn install() -> Outcome {
    setup::install(&missing().collect::<Vec<_>>())
}

fn missing() -> impl Iterator<Item = &'static str> {
    let is_there = |program: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        // A path of its own stays as it is.
        std::env::split_paths(&path).any(|directory| directory.join(program).exists())
    };
    let missing = PACKAGES
        .iter()
        .filter(move |(_, program)| !is_there(program));
    missing.map(|(package, _)| *package)
}
