//! Commands that run inside the shell.
//!
//! To add one: a file named as the builtin, and a line in [`TABLE`].
//!
//! A declaration builtin ([`Entry::declares`]) gets strings like any other. Where the tree has an
//! [`Argument::Assign`](codepod_shell_syntax::tree::Argument::Assign) after one, `exec` calls
//! [`declare::argument`] with the fields that it has so far; that expands the assignment and
//! appends it as one field (`name=value`), or, for `name=(…)`, makes the array at once, as bash
//! does, and appends the name. So `entry.run(shell, &fields)` is all there is to calling a builtin,
//! also after `command` and `builtin`.

mod alias;
mod argument;
mod array;
mod bind;
mod r#break;
mod builtin;
mod caller;
mod cd;
mod colon;
mod command;
mod compgen;
mod complete;
mod compopt;
pub mod declare;
mod disown;
mod echo;
mod enable;
mod escape;
mod eval;
mod exec;
mod exit;
mod export;
mod r#false;
mod fc;
mod fg;
mod getopt;
mod getopts;
mod hash;
pub(crate) mod help;
pub mod history;
mod jobs;
mod kill;
mod r#let;
pub mod listing;
mod mapfile;
mod printf;
mod pushd;
mod pwd;
mod read;
mod r#return;
pub mod set;
mod shift;
mod shopt;
pub mod signals;
mod source;
mod suspend;
mod target;
mod test;
#[cfg(test)]
mod testing;
mod times;
mod trap;
mod r#true;
pub mod r#type;
mod ulimit;
mod umask;
mod unset;
mod wait;

use crate::flow::{Run, Stop};
use crate::shell::Shell;
use crate::text::Text;

pub use getopt::{Getopt, Opt};

/// A builtin: gets its arguments (the first is its name) and returns its status.
pub type Builtin = fn(&mut Shell, &[Text]) -> Run<i32>;

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What runs.
    pub run: Builtin,
    /// A POSIX special builtin: assignments before it stay in posix mode, its errors end a script.
    pub special: bool,
    /// Whether words of the form of an assignment are assignments (`declare`, `export`, …).
    pub declares: bool,
    /// How it is used, as `help -s` and usage errors print it; starts with its name.
    pub usage: &'static str,
}

/// Every builtin, sorted by name.
pub const TABLE: &[Entry] = &[
    special(".", source::run, ". filename [arguments]"),
    special(":", colon::run, ":"),
    plain("[", test::run, "[ arg... ]"),
    plain("alias", alias::run, "alias [-p] [name[=value] ... ]"),
    plain("bg", fg::run_bg, "bg [job_spec ...]"),
    plain(
        "bind",
        bind::run,
        "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]",
    ),
    special("break", r#break::run, "break [n]"),
    plain("builtin", builtin::run, "builtin [shell-builtin [arg ...]]"),
    plain("caller", caller::run, "caller [expr]"),
    plain("cd", cd::run, "cd [-L|[-P [-e]] [-@]] [dir]"),
    plain("command", command::run, "command [-pVv] command [arg ...]"),
    plain(
        "compgen",
        compgen::run,
        "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]",
    ),
    plain(
        "complete",
        complete::run,
        "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]",
    ),
    plain(
        "compopt",
        compopt::run,
        "compopt [-o|+o option] [-DEI] [name ...]",
    ),
    special("continue", r#break::run_continue, "continue [n]"),
    declaring(plain(
        "declare",
        declare::run,
        "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]",
    )),
    plain("dirs", pushd::list, "dirs [-clpv] [+N] [-N]"),
    plain(
        "disown",
        disown::run,
        "disown [-h] [-ar] [jobspec ... | pid ...]",
    ),
    plain("echo", echo::run, "echo [-neE] [arg ...]"),
    plain(
        "enable",
        enable::run,
        "enable [-a] [-dnps] [-f filename] [name ...]",
    ),
    special("eval", eval::run, "eval [arg ...]"),
    special(
        "exec",
        exec::run,
        "exec [-cl] [-a name] [command [argument ...]] [redirection ...]",
    ),
    special("exit", exit::run, "exit [n]"),
    declaring(special(
        "export",
        export::run,
        "export [-fn] [name[=value] ...] or export -p",
    )),
    plain("false", r#false::run, "false"),
    plain(
        "fc",
        fc::run,
        "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
    ),
    plain("fg", fg::run, "fg [job_spec]"),
    plain("getopts", getopts::run, "getopts optstring name [arg ...]"),
    plain(
        "hash",
        hash::run,
        "hash [-lr] [-p pathname] [-dt] [name ...]",
    ),
    plain("help", help::run, "help [-dms] [pattern ...]"),
    plain(
        "history",
        history::run,
        "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
    ),
    plain(
        "jobs",
        jobs::run,
        "jobs [-lnprs] [jobspec ...] or jobs -x command [args]",
    ),
    plain(
        "kill",
        kill::run,
        "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
    ),
    plain("let", r#let::run, "let arg [arg ...]"),
    declaring(plain(
        "local",
        declare::run_local,
        "local [option] name[=value] ...",
    )),
    plain("logout", exit::run_logout, "logout [n]"),
    plain(
        "mapfile",
        mapfile::run,
        "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
    ),
    plain("popd", pushd::pop, "popd [-n] [+N | -N]"),
    plain("printf", printf::run, "printf [-v var] format [arguments]"),
    plain("pushd", pushd::push, "pushd [-n] [+N | -N | dir]"),
    plain("pwd", pwd::run, "pwd [-LP]"),
    plain(
        "read",
        read::run,
        "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]",
    ),
    plain(
        "readarray",
        mapfile::run,
        "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
    ),
    declaring(special(
        "readonly",
        export::run_readonly,
        "readonly [-aAf] [name[=value] ...] or readonly -p",
    )),
    special("return", r#return::run, "return [n]"),
    special(
        "set",
        set::run,
        "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",
    ),
    special("shift", shift::run, "shift [n]"),
    plain("shopt", shopt::run, "shopt [-pqsu] [-o] [optname ...]"),
    special("source", source::run, "source filename [arguments]"),
    plain("suspend", suspend::run, "suspend [-f]"),
    plain("test", test::run, "test [expr]"),
    special("times", times::run, "times"),
    special("trap", trap::run, "trap [-lp] [[arg] signal_spec ...]"),
    plain("true", r#true::run, "true"),
    plain("type", r#type::run, "type [-afptP] name [name ...]"),
    declaring(plain(
        "typeset",
        declare::run,
        "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
    )),
    plain(
        "ulimit",
        ulimit::run,
        "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]",
    ),
    plain("umask", umask::run, "umask [-p] [-S] [mode]"),
    plain(
        "unalias",
        alias::run_unalias,
        "unalias [-a] name [name ...]",
    ),
    special("unset", unset::run, "unset [-f] [-v] [-n] [name ...]"),
    plain("wait", wait::run, "wait [-fn] [-p var] [id ...]"),
];

/// An ordinary builtin.
const fn plain(name: &'static str, run: Builtin, usage: &'static str) -> Entry {
    Entry {
        name,
        run,
        special: false,
        declares: false,
        usage,
    }
}

/// A POSIX special builtin.
const fn special(name: &'static str, run: Builtin, usage: &'static str) -> Entry {
    Entry {
        special: true,
        ..plain(name, run, usage)
    }
}

/// A builtin after which words of the form of an assignment are assignments.
const fn declaring(entry: Entry) -> Entry {
    Entry {
        declares: true,
        ..entry
    }
}

/// Where in [`TABLE`] the builtins start whose names start with a byte, and where they end.
const BY_FIRST: [(u8, u8); 128] = {
    let mut places = [(0, 0); 128];
    let mut at = 0;
    while at < TABLE.len() {
        let place = &mut places[TABLE[at].name.as_bytes()[0] as usize];
        if place.1 == 0 {
            place.0 = at as u8;
        }
        at += 1;
        place.1 = at as u8;
    }
    places
};

/// The builtin of a name, also when `enable -n` has switched it off.
#[inline]
pub fn find(name: &[u8]) -> Option<&'static Entry> {
    let (start, end) = BY_FIRST.get(usize::from(*name.first()?))?;
    let same_start = TABLE.get(usize::from(*start)..usize::from(*end))?;
    same_start
        .iter()
        .find(|entry| entry.name.as_bytes() == name)
}

/// The builtin that runs for a name: none when `enable -n` has switched it off.
#[inline]
pub fn enabled(shell: &Shell, name: &[u8]) -> Option<&'static Entry> {
    find(name).filter(|_| {
        shell.state.disabled_builtins.is_empty() || !shell.state.disabled_builtins.contains(name)
    })
}

/// Prints to standard output. Returns the builtin's status: 1, with bash's message, when that
/// fails.
pub fn print(shell: &Shell, command: &[u8], bytes: &[u8]) -> i32 {
    if bytes.is_empty() {
        return 0;
    }
    match shell.fds.write(1, bytes) {
        Ok(()) => 0,
        Err(errno) => {
            let message = ["write error: ", errno.message()].concat();
            shell.builtin_error(command, message);
            1
        }
    }
}

/// What an error in a part of a builtin's work does: where it only discards the command, the
/// builtin fails with `status` instead.
pub(crate) fn recover(shell: &mut Shell, stop: Stop, status: i32) -> Run<i32> {
    if stop == Stop::Discard {
        shell.state.status = status;
        return Ok(status);
    }
    Err(stop)
}

/// Prints `NAME: usage: …` to standard error and returns the status of wrong usage, 2.
pub fn usage(shell: &Shell, command: &[u8]) -> i32 {
    if let Some(entry) = find(command) {
        let line = [command, b": usage: ", entry.usage.as_bytes(), b"\n"].concat();
        let _ = shell.fds.write(2, &line);
    }
    2
}

/// A decimal number as bash takes it as an argument: blanks around it, a sign.
pub fn number(bytes: &[u8]) -> Option<i64> {
    let digits = bytes.trim_ascii();
    let (negative, digits) = match digits {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0i64, |number, byte| {
        let digit = i64::from(byte.checked_sub(b'0').filter(|digit| *digit < 10)?);
        let number = number.checked_mul(10)?;
        if negative {
            number.checked_sub(digit)
        } else {
            number.checked_add(digit)
        }
    })
}

/// Whether it can be the name of a variable.
pub fn is_name(bytes: &[u8]) -> bool {
    bytes
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Whether it can be assigned to: a name, or a name with a subscript.
pub fn is_target(bytes: &[u8]) -> bool {
    match bytes.iter().position(|byte| *byte == b'[') {
        None => is_name(bytes),
        Some(open) => {
            let mut depth = 0usize;
            // The bracket that closes the first one must be the last byte.
            let close = bytes[open..].iter().position(|byte| {
                match byte {
                    b'[' => depth += 1,
                    b']' => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            is_name(&bytes[..open])
                && close.is_some_and(|close| close > 1 && open + close + 1 == bytes.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn numbers_may_have_a_sign_and_blanks() {
        assert_eq!(number(b" -12 "), Some(-12));
        assert_eq!(number(b"+7"), Some(7));
        assert_eq!(number(b"-9223372036854775808"), Some(i64::MIN));
        for bad in [&b""[..], b"-", b"0x10", b"1 2", b"9223372036854775808"] {
            assert_eq!(number(bad), None);
        }
    }
}
