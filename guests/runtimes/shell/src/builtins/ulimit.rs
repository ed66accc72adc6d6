//! `ulimit`.
//!
//! A sandbox's limits are its host's, and the kernel has no call to change them for one process. So
//! they are shown, as far as they are known. What a script sets is remembered for the shell and its
//! subshells and can only be lowered; of it, the shell itself keeps the limit of open files, and a
//! hint says that nobody keeps the others.

use std::rc::Rc;

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

/// What `-a` lists, in its order. Files, processes and memory are the kernel's defaults, used only
/// where [`told`] finds nothing.
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
    let (mut all, mut soft, mut hard) = (false, false, false);
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
                b'S' => soft = true,
                b'H' => hard = true,
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
        return Ok(show(shell, LIMITS.iter(), true, hard && !soft));
    }
    if let Some((_, value @ None)) = asked.last_mut() {
        *value = rest.first().map(|word| &word[..]);
    }
    if asked.is_empty() {
        let limit = LIMITS.iter().find(|limit| limit.letter == b'f');
        asked.extend(limit.map(|limit| (limit, rest.first().map(|word| &word[..]))));
    }
    for (limit, value) in &asked {
        if let Some(value) = value
            && let Err(status) = set(shell, limit, value, soft || !hard, hard || !soft)
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
    Ok(show(shell, shown.into_iter(), named, hard && !soft))
}

/// The soft and the hard limit.
fn now(shell: &Shell, limit: &Limit) -> (Option<i64>, Option<i64>) {
    let set = shell.state.limits.get(&limit.letter).copied();
    set.unwrap_or_else(|| {
        let value = told(limit.letter).unwrap_or(limit.value);
        (value, value)
    })
}

/// What the kernel says about a limit; within, `None` is unlimited.
fn told(letter: u8) -> Option<Option<i64>> {
    let (name, unit) = match letter {
        b'f' => ("Max file size ", 1024),
        b'u' => ("Max processes ", 1),
        b'v' => ("Max address space ", 1024),
        _ => return None,
    };
    let text = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let value: Option<i64> = line.split_whitespace().next()?.parse().ok();
    Some(value.map(|value| value / unit))
}

fn show<'a>(
    shell: &Shell,
    limits: impl Iterator<Item = &'a Limit>,
    named: bool,
    hard: bool,
) -> i32 {
    let mut out = Vec::new();
    for limit in limits {
        if named {
            let unit = match limit.unit {
                "" => format!("(-{}) ", char::from(limit.letter)),
                unit => format!("({unit}, -{}) ", char::from(limit.letter)),
            };
            out.extend(format!("{:<20} {unit:>20}", limit.about).bytes());
        }
        let (soft, most) = now(shell, limit);
        match if hard { most } else { soft } {
            Some(value) => out.extend_from_slice(&Text::number(value)),
            None => out.extend_from_slice(b"unlimited"),
        }
        out.push(b'\n');
    }
    print(shell, b"ulimit", &out)
}

fn set(shell: &mut Shell, limit: &Limit, value: &[u8], soft: bool, hard: bool) -> Result<(), i32> {
    let (old_soft, old_hard) = now(shell, limit);
    let wanted = match value {
        b"unlimited" => None,
        b"hard" => old_hard,
        b"soft" => old_soft,
        _ => match number(value).filter(|number| *number >= 0) {
            Some(number) => Some(number),
            None => {
                shell.builtin_error(b"ulimit", [value, b": invalid number"].concat());
                return Err(1);
            }
        },
    };
    // Those are counted in units of 1,024 bytes.
    let large = matches!(limit.unit, "blocks" | "kbytes") && wanted > Some(i64::MAX / 1024);
    if large {
        shell.builtin_error(b"ulimit", [value, b": limit out of range"].concat());
        return Err(1);
    }
    let new_soft = if soft { wanted } else { old_soft };
    let new_hard = if hard { wanted } else { old_hard };
    // Unlimited is more than any number.
    let most = |limit: Option<i64>| limit.unwrap_or(i64::MAX);
    let why = if limit.fixed || most(new_soft) > most(new_hard) {
        "Invalid argument"
    } else if most(new_hard) > most(old_hard) {
        "Operation not permitted"
    } else {
        if wanted != old_soft && limit.letter != b'n' {
            shell.hint(
                b"this limit is remembered but not kept: limits of a sandbox are set by its host",
            );
        }
        let limits = Rc::make_mut(&mut shell.state.limits);
        limits.insert(limit.letter, (new_soft, new_hard));
        return Ok(());
    };
    let about = limit.about.as_bytes();
    let message = [about, b": cannot modify limit: ", why.as_bytes()].concat();
    shell.builtin_error(b"ulimit", message);
    Err(1)
}
