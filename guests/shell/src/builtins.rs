//! Commands that run inside the shell.
//!
//! To add one: a file named as the builtin, and a line in [`TABLE`].
//!
//! A declaration builtin ([`Entry::declares`]) gets strings like any other. Where the tree has an
//! [`Argument::Assign`](codepod_shell_syntax::tree::Argument::Assign) after one, `exec` calls [`declare::argument`] with the fields that it
//! has so far; that expands the assignment and appends it as one field (`name=value`), or, for `name=(…)`, makes the array at once, as bash does, and
//! appends the name. So `entry.run(shell, &fields)` is all there is to calling a builtin, also after `command` and `builtin`.

mod getopt;

pub mod declare;

use crate::flow::Run;
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
pub const TABLE: &[Entry] = &[];

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

/// The builtin of a name, also when `enable -n` has switched it off.
pub fn find(name: &[u8]) -> Option<&'static Entry> {
    TABLE
        .binary_search_by(|entry| entry.name.as_bytes().cmp(name))
        .ok()
        .map(|at| &TABLE[at])
}

/// The builtin that runs for a name: none when `enable -n` has switched it off.
#[inline]
pub fn enabled(shell: &Shell, name: &[u8]) -> Option<&'static Entry> {
    find(name).filter(|_| {
        shell.state.disabled_builtins.is_empty() || !shell.state.disabled_builtins.contains(name)
    })
}

/// Prints to standard output. Returns the builtin's status: 1, with bash's message, when that fails.
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
