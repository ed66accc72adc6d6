//! `ulimit`.
//!
//! A sandbox's limits are its host's, and the kernel has no call to change them for one process. So they are shown, as far as they are
//! known; setting one to what it is succeeds, and anything else is refused.

use super::{number, print, usage};
use crate::fds;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// One limit.
struct Limit {
    letter: u8,
    about: &'static str,
    unit: &'static str,
    /// None is unlimited.
    value: Option<i64>,
    /// Whether it can be set at all.
    fixed: bool,
}

const fn limit(letter: u8, about: &'static str, unit: &'static str, value: Option<i64>) -> Limit {
    Limit {
        letter,
        about,
        unit,
        value,
        fixed: false,
    }
}

/// What `-a` lists, in its order. Memory and processes are the kernel's defaults.
const LIMITS: &[Limit] = &[
    limit(b'R', "real-time non-blocking time", "microseconds", None),
    limit(b'c', "core file size", "blocks", Some(0)),
    limit(b'd', "data seg size", "kbytes", None),
    limit(b'e', "scheduling priority", "", Some(0)),
    limit(b'f', "file size", "blocks", None),
    limit(b'i', "pending signals", "", Some(64)),
    limit(b'l', "max locked memory", "kbytes", Some(0)),
    limit(b'm', "max memory size", "kbytes", None),
    limit(b'n', "open files", "", Some(fds::MOST as i64 + 1)),
    Limit {
        fixed: true,
        ..limit(b'p', "pipe size", "512 bytes", Some(8))
    },
    limit(b'q', "POSIX message queues", "bytes", Some(0)),
    limit(b'r', "real-time priority", "", Some(0)),
    limit(b's', "stack size", "kbytes", Some(8192)),
    limit(b't', "cpu time", "seconds", None),
    limit(b'u', "max user processes", "", Some(64)),
    limit(b'v', "virtual memory", "kbytes", Some(262_144)),
    limit(b'x', "file locks", "", None),
];

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut all = false;
    let mut asked: Vec<(&Limit, Option<&[u8]>)> = Vec::new();
    let mut rest = &arguments[1..];
    while let Some((word, after)) = rest.split_first() {
        if &word[..] == b"--" {
            rest = after;
            break;
        }
        let [b'-', letters @ ..] = &word[..] else {
            break;
        };
        rest = after;
        for (at, letter) in letters.iter().enumerate() {
            match letter {
                b'S' | b'H' => continue,
                b'a' => all = true,
                _ => {
                    let Some(limit) = LIMITS.iter().find(|limit| limit.letter == *letter) else {
                        shell.builtin_error(
                            b"ulimit",
                            [&[b'-', *letter][..], b": invalid option"].concat(),
                        );
                        return Ok(usage(shell, b"ulimit"));
                    };
                    asked.push((limit, None));
                    let attached = &letters[at + 1..];
                    if attached.first().is_some_and(u8::is_ascii_digit) {
                        asked.pop();
                        asked.push((limit, Some(attached)));
                        break;
                    }
                }
            }
        }
        if let (Some((_, value @ None)), [next, after @ ..]) = (asked.last_mut(), rest)
            && next.first() != Some(&b'-')
        {
            *value = Some(next);
            rest = after;
        }
    }
    if all {
        return Ok(show(shell, LIMITS.iter(), true));
    }
    if asked.is_empty() {
        let limit = LIMITS.iter().find(|limit| limit.letter == b'f');
        asked.extend(limit.map(|limit| (limit, rest.first().map(|word| &word[..]))));
    }
    for (limit, value) in &asked {
        if let Some(value) = value
            && let Err(status) = set(shell, limit, value)
        {
            return Ok(status);
        }
    }
    let shown: Vec<&Limit> = asked
        .iter()
        .filter(|(_, value)| value.is_none())
        .map(|(limit, _)| *limit)
        .collect();
    let named = asked.len() > 1;
    Ok(show(shell, shown.into_iter(), named))
}

fn show<'a>(shell: &Shell, limits: impl Iterator<Item = &'a Limit>, named: bool) -> i32 {
    let mut out = Vec::new();
    for limit in limits {
        if named {
            let unit = match limit.unit {
                "" => format!("(-{}) ", char::from(limit.letter)),
                unit => format!("({unit}, -{}) ", char::from(limit.letter)),
            };
            out.extend(format!("{:<20} {unit:>20}", limit.about).bytes());
        }
        match limit.value {
            Some(value) => out.extend_from_slice(&Text::number(value)),
            None => out.extend_from_slice(b"unlimited"),
        }
        out.push(b'\n');
    }
    print(shell, b"ulimit", &out)
}

fn set(shell: &Shell, limit: &Limit, value: &[u8]) -> Result<(), i32> {
    let wanted = match value {
        b"unlimited" => None,
        b"hard" | b"soft" => limit.value,
        _ => match number(value).filter(|number| *number >= 0) {
            Some(number) => Some(number),
            None => {
                shell.builtin_error(b"ulimit", [value, b": invalid number"].concat());
                return Err(1);
            }
        },
    };
    if wanted == limit.value && !limit.fixed {
        return Ok(());
    }
    let why: &[u8] = if limit.fixed {
        b": cannot modify limit: Invalid argument"
    } else {
        b": cannot modify limit: Operation not permitted"
    };
    shell.builtin_error(b"ulimit", [limit.about.as_bytes(), why].concat());
    shell.hint(b"limits are set for the whole sandbox, by its host");
    Err(1)
}
