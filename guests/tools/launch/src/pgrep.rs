//! `pgrep` and `pkill`: processes by name and other marks, as procps finds them.

use std::io::Write as _;

use codepod_posix_regex::{Config, Regex, Syntax};
use codepod_sys::Signal;
use codepod_sys::process::{self, Of, Pid};
use codepod_tool::processes::{self, Process, TICKS};
use codepod_tool::{
    Arguments, Names, Opt, Options, Output, Stop, complain, errno_text, flag, value,
};

use crate::{help, signals, version};

/// How it is called; the first part differs.
const USAGE: &str = " -c, --count               count of matching processes
 -f, --full                use full process name to match
 -g, --pgroup <PGID,...>   match listed process group IDs
 -G, --group <GID,...>     match real group IDs
 -i, --ignore-case         match case insensitively
 -n, --newest              select most recently started
 -o, --oldest              select least recently started
 -O, --older <seconds>     select where older than seconds
 -P, --parent <PPID,...>   match only child processes of the given parent
 -s, --session <SID,...>   match session IDs
 -t, --terminal <tty,...>  match by controlling terminal
 -u, --euid <ID,...>       match by effective IDs
 -U, --uid <ID,...>        match by real IDs
 -x, --exact               match exactly with the command name
 -F, --pidfile <file>      read PIDs from file
 -r, --runstates <state>   match runstates [D,S,Z,...]
 -A, --ignore-ancestors    exclude our ancestors from results

 -h, --help     display this help and exit
 -V, --version  output version information and exit
";
const GREP: &str = " -d, --delimiter <string>  specify output delimiter
 -l, --list-name           list PID and process name
 -a, --list-full           list PID and full command line
 -v, --inverse             negates the matching
 -w, --lightweight         list all TID
";
const KILL: &str = " -<sig>, --signal <sig>    signal to send (either number or name)
 -e, --echo                display what is killed
";

fn usage(tool: &str) -> String {
    let own = if tool == "pkill" { KILL } else { GREP };
    format!("\nUsage:\n {tool} [options] <pattern>\n\nOptions:\n{own}{USAGE}")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Delimiter,
    Names,
    Lines,
    Invert,
    Signal,
    Echo,
    Count,
    Full,
    IgnoreCase,
    Newest,
    Oldest,
    Older,
    Exact,
    PidFile,
    States,
    NoAncestors,
    Threads,
    List(Mark),
    Help,
    Version,
}

/// What a list is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Parent,
    Group,
    Session,
    Terminal,
    User,
    RealUser,
    RealGroup,
}

const COMMON: [Opt<Key>; 18] = [
    flag(Key::Count, b'c', "count"),
    flag(Key::Full, b'f', "full"),
    value(Key::List(Mark::Group), b'g', "pgroup"),
    value(Key::List(Mark::RealGroup), b'G', "group"),
    flag(Key::IgnoreCase, b'i', "ignore-case"),
    flag(Key::Newest, b'n', "newest"),
    flag(Key::Oldest, b'o', "oldest"),
    value(Key::Older, b'O', "older"),
    value(Key::List(Mark::Parent), b'P', "parent"),
    value(Key::List(Mark::Session), b's', "session"),
    value(Key::List(Mark::Terminal), b't', "terminal"),
    value(Key::List(Mark::User), b'u', "euid"),
    value(Key::List(Mark::RealUser), b'U', "uid"),
    flag(Key::Exact, b'x', "exact"),
    value(Key::PidFile, b'F', "pidfile"),
    value(Key::States, b'r', "runstates"),
    flag(Key::NoAncestors, b'A', "ignore-ancestors"),
    flag(Key::Version, b'V', "version"),
];
const PGREP: &[Opt<Key>] = &with_common([
    value(Key::Delimiter, b'd', "delimiter"),
    flag(Key::Names, b'l', "list-name"),
    flag(Key::Lines, b'a', "list-full"),
    flag(Key::Invert, b'v', "inverse"),
    flag(Key::Threads, b'w', "lightweight"),
    flag(Key::Help, b'h', "help"),
]);
const PKILL: &[Opt<Key>] = &with_common([
    Opt {
        short: 0,
        ..value(Key::Signal, 0, "signal")
    },
    flag(Key::Echo, b'e', "echo"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Help, b'h', "help"),
]);

/// Some options of one tool, and those of both.
const fn with_common(own: [Opt<Key>; 6]) -> [Opt<Key>; 24] {
    let mut all = [own[0]; 24];
    let mut at = 0;
    while at < 24 {
        all[at] = if at < 6 { own[at] } else { COMMON[at - 6] };
        at += 1;
    }
    all
}

/// What the arguments ask for.
struct Settings {
    wanted: Wanted,
    shown: Shown,
    pattern: Option<Vec<u8>>,
}

/// What processes have to be.
#[derive(Default)]
struct Wanted {
    lists: Vec<(Mark, Vec<u32>)>,
    pids: Option<Vec<u32>>,
    states: Option<Vec<u8>>,
    older: Option<u64>,
    full: bool,
    exact: bool,
    ignore_case: bool,
    invert: bool,
    newest: bool,
    oldest: bool,
    no_ancestors: bool,
}

impl Wanted {
    /// Whether anything but a pattern chooses processes.
    fn has_criteria(&self) -> bool {
        !self.lists.is_empty()
            || self.pids.is_some()
            || self.states.is_some()
            || self.older.is_some()
            || self.newest
            || self.oldest
    }
}

/// What is done with them.
struct Shown {
    delimiter: Vec<u8>,
    names: bool,
    lines: bool,
    count: bool,
    echo: bool,
    signal: u32,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments).and_then(|settings| run(tool, &settings)) {
        Ok(status) => status,
        // A mistake is followed by all of the help, not by a hint to it.
        Err(Stop::Usage(mistake)) => {
            complain(tool, format!("{mistake}\n{}", usage(tool).trim_end()));
            2
        }
        Err(stop) => stop.report(tool, 2),
    }
}

fn settings(tool: &str, mut arguments: Arguments) -> Result<Settings, Stop> {
    let kills = tool == "pkill";
    let mut settings = Settings {
        wanted: Wanted::default(),
        shown: Shown {
            delimiter: b"\n".to_vec(),
            names: false,
            lines: false,
            count: false,
            echo: false,
            signal: 15,
        },
        pattern: None,
    };
    if kills && let Some(at) = arguments.iter().position(|word| is_signal(word)) {
        settings.shown.signal = signals::number(&arguments[at][1..]).unwrap_or(15);
        arguments.remove(at);
    }
    let mut patterns = Options::new(if kills { PKILL } else { PGREP }, arguments)
        .each(|key, value| settings.take(tool, key, value.unwrap_or_default()))?;
    let hint = format!("Try `{tool} --help' for more information.");
    let mistake = |what: &str| Err(Stop::failed(format!("{what}\n{hint}")));
    if patterns.len() > 1 {
        return mistake("only one pattern can be provided");
    }
    settings.pattern = patterns.pop();
    if settings.pattern.is_none() && !settings.wanted.has_criteria() {
        return mistake("no matching criteria specified");
    }
    if settings.wanted.newest && settings.wanted.oldest {
        return mistake("-v, -n, -o and -x are exclusive");
    }
    Ok(settings)
}

impl Settings {
    fn take(&mut self, tool: &str, key: Key, value: Vec<u8>) -> Result<(), Stop> {
        let text = String::from_utf8_lossy(&value).into_owned();
        let (wanted, shown) = (&mut self.wanted, &mut self.shown);
        match key {
            Key::Delimiter => shown.delimiter = value,
            Key::Names => shown.names = true,
            Key::Lines => shown.lines = true,
            Key::Count => shown.count = true,
            Key::Echo => shown.echo = true,
            Key::Invert => wanted.invert = true,
            Key::Full => wanted.full = true,
            Key::IgnoreCase => wanted.ignore_case = true,
            Key::Newest => wanted.newest = true,
            Key::Oldest => wanted.oldest = true,
            Key::Exact => wanted.exact = true,
            Key::NoAncestors => wanted.no_ancestors = true,
            Key::Threads => {}
            Key::Older => match text.parse() {
                Ok(seconds) => wanted.older = Some(seconds),
                Err(_) => return Err(Stop::failed(format!("not a number: {text}"))),
            },
            Key::States => wanted.states = Some(value),
            Key::Signal => match signals::number(&value) {
                Some(number) => shown.signal = number,
                None => return Err(Stop::failed(format!("unknown signal name {text}"))),
            },
            Key::PidFile => wanted.pids = Some(pids_in(tool, &value)?),
            Key::List(mark) => {
                let numbers = list(mark, &text).map_err(Stop::failed)?;
                wanted.lists.push((mark, numbers));
            }
            Key::Help => return Err(Stop::Status(help(&usage(tool)))),
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }
}

/// The numbers in a file. Fails with status 1, after saying so, where there are none.
fn pids_in(tool: &str, file: &[u8]) -> Result<Vec<u32>, Stop> {
    let content = std::fs::read_to_string(codepod_tool::path(file)).unwrap_or_default();
    let words = content.split_ascii_whitespace();
    let pids: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
    pids.filter(|pids| !pids.is_empty()).ok_or_else(|| {
        complain(
            tool,
            "pidfile not valid\nTry `pgrep --help' for more information.",
        );
        Stop::Status(1)
    })
}

fn run(tool: &str, settings: &Settings) -> Result<i32, Stop> {
    let regex = match &settings.pattern {
        Some(pattern) => Some(compile(tool, pattern, &settings.wanted)?),
        None => None,
    };
    let found = find(&settings.wanted, regex.as_ref());
    Ok(match tool {
        "pkill" => kill(tool, &found, &settings.shown),
        _ => print(&found, &settings.shown),
    })
}

/// Whether an argument of `pkill` is a signal: `-9`, `-TERM`.
fn is_signal(word: &[u8]) -> bool {
    let Some(name) = word.strip_prefix(b"-") else {
        return false;
    };
    let first = name.first().copied().unwrap_or_default();
    let is_name = name.len() > 2
        && name
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (first.is_ascii_digit() || (is_name && first.is_ascii_uppercase()))
        && signals::number(name).is_some()
}

/// The numbers of a list.
fn list(mark: Mark, text: &str) -> Result<Vec<u32>, String> {
    let own = process::ids().ok();
    let mut numbers = Vec::new();
    for item in text.split(',') {
        let number = item.parse::<u32>().ok();
        let number = match mark {
            Mark::User | Mark::RealUser => Names::users()
                .number(item.as_bytes())
                .or(number)
                .ok_or_else(|| format!("invalid user name: {item}"))?,
            Mark::RealGroup => Names::groups()
                .number(item.as_bytes())
                .or(number)
                .ok_or_else(|| format!("invalid group name: {item}"))?,
            // No process has a terminal that has a name.
            Mark::Terminal => u32::MAX,
            Mark::Group | Mark::Session | Mark::Parent => {
                let number = number.ok_or_else(|| format!("not a number: {item}"))?;
                match (mark, number, own) {
                    (Mark::Group, 0, Some(own)) => own.group.0,
                    (Mark::Session, 0, Some(own)) => own.session.0,
                    _ => number,
                }
            }
        };
        numbers.push(number);
    }
    Ok(numbers)
}

fn compile(tool: &str, pattern: &[u8], wanted: &Wanted) -> Result<Regex, Stop> {
    // Linux keeps 15 bytes of a program's name.
    if !wanted.full
        && pattern.len() > 15
        && !pattern.iter().any(|byte| b"^([{.*+?|\\$".contains(byte))
    {
        let text = format!(
            "pattern that searches for process name longer than 15 characters will result in zero matches\n\
             Try `{tool} -f' option to match against the complete command line."
        );
        complain(tool, text);
    }
    let whole = match wanted.exact {
        true => [b"^(", pattern, b")$"].concat(),
        false => pattern.to_vec(),
    };
    let config = Config {
        icase: wanted.ignore_case,
        ..Config::new(Syntax::EXTENDED)
    };
    Regex::new(&whole, &config).map_err(|error| Stop::failed(format!("regex error: {error}")))
}

/// The processes that are wanted, by number.
fn find(wanted: &Wanted, regex: Option<&Regex>) -> Vec<Process> {
    let all = Process::all();
    let own = process::ids().map_or(0, |ids| ids.pid.0);
    let mut ancestors = vec![own];
    if wanted.no_ancestors {
        let mut at = own;
        while let Some(process) = all.iter().find(|process| process.pid == at) {
            if ancestors.contains(&process.parent) || process.parent == 0 {
                break;
            }
            at = process.parent;
            ancestors.push(at);
        }
    }
    let now = processes::uptime();
    let mut found: Vec<Process> = all
        .into_iter()
        .filter(|process| !ancestors.contains(&process.pid))
        .filter(|process| takes(wanted, regex, process, now) != wanted.invert)
        .collect();
    if wanted.newest || wanted.oldest {
        let chosen = match wanted.newest {
            true => found
                .into_iter()
                .max_by_key(|process| (process.started, process.pid)),
            false => found
                .into_iter()
                .min_by_key(|process| (process.started, process.pid)),
        };
        found = chosen.into_iter().collect();
    }
    found
}

fn takes(wanted: &Wanted, regex: Option<&Regex>, process: &Process, now: u64) -> bool {
    let in_lists = wanted.lists.iter().all(|(mark, numbers)| {
        let number = match mark {
            Mark::Parent => process.parent,
            Mark::Group => process.group,
            Mark::Session => process.session,
            Mark::Terminal => process.terminal,
            Mark::User => process.users[1],
            Mark::RealUser => process.users[0],
            Mark::RealGroup => process.groups[0],
        };
        numbers.contains(&number)
    });
    let listed = wanted
        .pids
        .as_ref()
        .is_none_or(|pids| pids.contains(&process.pid));
    let state = wanted
        .states
        .as_ref()
        .is_none_or(|states| states.contains(&process.state));
    let old = wanted
        .older
        .is_none_or(|seconds| now.saturating_sub(process.started) / TICKS >= seconds);
    in_lists
        && listed
        && state
        && old
        && regex.is_none_or(|regex| {
            let text = match wanted.full && !process.arguments.is_empty() {
                true => process.command(),
                false => process.name.clone(),
            };
            // What takes too many steps does not match.
            regex.is_match(&text, 0).unwrap_or(false)
        })
}

fn print(found: &[Process], shown: &Shown) -> i32 {
    let mut out = Output::new();
    if shown.count {
        out.put(format!("{}\n", found.len()).as_bytes());
    } else {
        let line = |process: &Process| {
            let mut line = process.pid.to_string().into_bytes();
            if shown.lines {
                line.push(b' ');
                line.extend_from_slice(&process.command());
            } else if shown.names {
                line.push(b' ');
                line.extend_from_slice(&process.name);
            }
            line
        };
        let lines: Vec<Vec<u8>> = found.iter().map(line).collect();
        out.put(&lines.join(&shown.delimiter[..]));
        if !found.is_empty() {
            out.put_byte(b'\n');
        }
    }
    let failed = out.finish().is_err();
    i32::from(failed || found.is_empty())
}

fn kill(tool: &str, found: &[Process], shown: &Shown) -> i32 {
    let mut out = Output::new();
    let mut sent = 0;
    for found in found {
        let of = Of::Process(Pid(found.pid));
        let done = match (shown.signal, Signal::from_raw(shown.signal)) {
            (0, _) if process::exists(of) => Ok(()),
            (0, _) => Err(codepod_sys::Errno::Srch),
            (_, Some(signal)) => process::kill(of, signal),
            (_, None) => Err(codepod_sys::Errno::Inval),
        };
        match done {
            Ok(()) => {
                sent += 1;
                if shown.echo {
                    let line = format!(" killed (pid {})\n", found.pid);
                    out.put(&[&found.name[..], line.as_bytes()].concat());
                }
            }
            // It has ended by itself.
            Err(codepod_sys::Errno::Srch) => {}
            Err(errno) => {
                let text = format!("killing pid {} failed: {}", found.pid, errno_text(errno));
                complain(tool, text);
            }
        }
    }
    if shown.count {
        out.put(format!("{}\n", found.len()).as_bytes());
    }
    let _ = std::io::stdout().flush();
    let failed = out.finish().is_err();
    i32::from(failed || sent == 0)
}
