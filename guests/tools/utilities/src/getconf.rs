//! `getconf`: limits and options of the system by name.
//!
//! Most are what Linux and glibc say; what the sandbox decides comes from `/proc` and its limits.
//! There are no caches of processors, no flags of compilers and no version of glibc to ask for.

use codepod_tool::{Arguments, Output, complain};

use crate::files;

/// `NAME<tab>VALUE` a line, those of paths first, then an empty line. Without a value it is
/// undefined; `@` stands for what is looked up.
const VALUES: &str = include_str!("getconf.txt");

const USAGE: &str = "\
Usage: getconf [-v specification] variable_name [pathname]
       getconf -a [pathname]
";

const HELP: &str = "\
Usage: getconf [-v SPEC] VAR
  or:  getconf [-v SPEC] PATH_VAR PATH

Get the configuration value for variable VAR, or for variable PATH_VAR
for path PATH.  If SPEC is given, give values for compilation
environment SPEC.
";

/// The environments that `-v` takes: those with 64 bits.
const SPECIFICATIONS: [&[u8]; 3] = [
    b"POSIX_V7_LP64_OFF64",
    b"POSIX_V6_LP64_OFF64",
    b"XBS5_LP64_OFF64",
];

/// getconf as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut words = arguments.into_iter().peekable();
    match words.peek().map(Vec::as_slice) {
        Some(b"--help") => return files::print(HELP),
        Some(b"--version") => return files::version(name),
        Some(b"-a") => {
            words.next();
            let mut out = Output::new();
            for (variable, value, _) in values() {
                out.put(format!("{variable:<35}{}\n", found(variable, value)).as_bytes());
            }
            return i32::from(out.finish().is_err());
        }
        _ => {}
    }
    if let Some(option) = words.next_if(|word| word.starts_with(b"-v")) {
        let wanted = match option.len() {
            2 => words.next(),
            _ => Some(option[2..].to_vec()),
        };
        let Some(wanted) = wanted else {
            return usage();
        };
        if !SPECIFICATIONS.contains(&wanted.as_slice()) {
            let message = [b"unknown specification \"", &wanted[..], b"\""];
            complain(name, message.concat());
            return 2;
        }
    }
    let words: Vec<Vec<u8>> = words.collect();
    let (variable, path) = match &words[..] {
        [variable] => (variable, None),
        [variable, path] => (variable, Some(path)),
        _ => return usage(),
    };
    let known = values().find(|(known, ..)| known.as_bytes() == &variable[..]);
    let Some((variable, value, of_path)) = known else {
        let message = [b"Unrecognized variable `", &variable[..], b"'"];
        complain(name, message.concat());
        return 2;
    };
    if of_path != path.is_some() {
        return usage();
    }
    let value = found(variable, value);
    let shown = if value.is_empty() {
        "undefined"
    } else {
        &value
    };
    files::print(&format!("{shown}\n"))
}

fn usage() -> i32 {
    files::tell(USAGE);
    2
}

/// Every variable, its value, and whether it is one of a path.
fn values() -> impl Iterator<Item = (&'static str, &'static str, bool)> {
    let (paths, others) = VALUES.split_once("\n\n").unwrap_or((VALUES, ""));
    let of = |text: &'static str, of_path| {
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        lines.map(move |(name, value)| (name, value, of_path))
    };
    of(paths, true).chain(of(others, false))
}

/// A variable's value, looked up if the sandbox decides it.
fn found(variable: &str, value: &str) -> String {
    if value != "@" {
        return value.to_owned();
    }
    match variable {
        "_NPROCESSORS_CONF" | "_NPROCESSORS_ONLN" => "1".to_owned(),
        "_PHYS_PAGES" => pages("MemTotal:"),
        "_AVPHYS_PAGES" => pages("MemAvailable:"),
        // As bash's `ulimit` says, unless `/proc` does.
        "OPEN_MAX" | "_POSIX_OPEN_MAX" => limit("Max open files", "1024"),
        _ => limit("Max processes", "64"),
    }
}

/// Memory of `/proc/meminfo` in pages of 4096 bytes; empty if it does not say.
fn pages(what: &str) -> String {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(what));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or(String::new(), |number| (number / 4).to_string())
}

/// A limit of `/proc/self/limits`, or what it is otherwise.
fn limit(what: &str, otherwise: &str) -> String {
    let text = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(what));
    let word = line.and_then(|rest| rest.split_whitespace().next());
    word.filter(|word| *word != "unlimited")
        .unwrap_or(otherwise)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_paths_are_told_from_others() {
        let of_path = |name| values().find(|(known, ..)| *known == name).map(|v| v.2);
        assert_eq!(of_path("PATH_MAX"), Some(true));
        assert_eq!(of_path("ARG_MAX"), Some(false));
        assert_eq!(of_path("NOPE"), None);
        assert!(values().count() > 150);
    }
}
