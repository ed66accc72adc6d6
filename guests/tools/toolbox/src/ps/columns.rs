//! What `ps` can show of a process: the columns, their names, heads and texts.

use std::cmp::Ordering;

use codepod_datetime::{Moment, Zone, format};
use codepod_tool::Names;
use codepod_tool::processes::{Process, TICKS};

/// What a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Pid,
    Parent,
    Group,
    Session,
    Foreground,
    /// A user's name or number: 0 for the real one, 1 for the effective one.
    User(usize),
    Uid(usize),
    GroupName(usize),
    Gid(usize),
    Name,
    Command,
    State,
    Stat,
    Terminal,
    Time,
    ShortTime,
    Seconds,
    Elapsed,
    ElapsedSeconds,
    Started,
    StartTime,
    BsdStart,
    LongStart,
    Cpu,
    WholeCpu,
    Memory,
    Resident,
    Virtual,
    Pages,
    Nice,
    Priority,
    /// The priority as -l shows it.
    OldPriority,
    /// The priority where more is better.
    HighPriority,
    Class,
    Threads,
    Flags,
    Processor,
    None,
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    name: &'static str,
    head: &'static str,
    width: usize,
    /// Whether texts stand at the right.
    pub(super) right: bool,
    what: What,
}

const fn left(name: &'static str, head: &'static str, width: usize, what: What) -> Column {
    Column {
        name,
        head,
        width,
        right: false,
        what,
    }
}

const fn right(name: &'static str, head: &'static str, width: usize, what: What) -> Column {
    Column {
        name,
        head,
        width,
        right: true,
        what,
    }
}

/// Every column, by name.
const COLUMNS: &[Column] = &[
    right("%cpu", "%CPU", 4, What::Cpu),
    right("%mem", "%MEM", 4, What::Memory),
    left("addr", "ADDR", 4, What::None),
    left("addr_1", "ADDR", 1, What::None),
    left("args", "COMMAND", 27, What::Command),
    right("atime", "TIME", 8, What::Time),
    right("bsdstart", "START", 6, What::BsdStart),
    right("bsdtime", "TIME", 6, What::ShortTime),
    right("c", "C", 2, What::WholeCpu),
    left("class", "CLS", 3, What::Class),
    right("cls", "CLS", 3, What::Class),
    left("cmd", "CMD", 27, What::Command),
    left("comm", "COMMAND", 15, What::Name),
    left("command", "COMMAND", 27, What::Command),
    right("cputime", "TIME", 8, What::Time),
    right("cputimes", "TIME", 8, What::Seconds),
    right("egid", "EGID", 5, What::Gid(1)),
    left("egroup", "EGROUP", 8, What::GroupName(1)),
    right("etime", "ELAPSED", 11, What::Elapsed),
    right("etimes", "ELAPSED", 7, What::ElapsedSeconds),
    right("euid", "EUID", 5, What::Uid(1)),
    left("euser", "EUSER", 8, What::User(1)),
    right("f", "F", 1, What::Flags),
    right("flag", "F", 1, What::Flags),
    right("flags", "F", 1, What::Flags),
    left("fname", "COMMAND", 8, What::Name),
    right("gid", "GID", 5, What::Gid(1)),
    left("group", "GROUP", 8, What::GroupName(1)),
    right("intpri", "PRI", 3, What::OldPriority),
    right("lstart", "STARTED", 24, What::LongStart),
    right("lwp", "LWP", 5, What::Pid),
    right("ni", "NI", 3, What::Nice),
    right("nice", "NI", 3, What::Nice),
    right("nlwp", "NLWP", 4, What::Threads),
    right("opri", "PRI", 3, What::OldPriority),
    right("pcpu", "%CPU", 4, What::Cpu),
    right("pgid", "PGID", 5, What::Group),
    right("pgrp", "PGRP", 5, What::Group),
    right("pid", "PID", 5, What::Pid),
    right("pmem", "%MEM", 4, What::Memory),
    left("policy", "POL", 3, What::Class),
    right("ppid", "PPID", 5, What::Parent),
    right("pri", "PRI", 3, What::HighPriority),
    right("priority", "PRI", 3, What::Priority),
    right("psr", "PSR", 3, What::Processor),
    right("rgid", "RGID", 5, What::Gid(0)),
    left("rgroup", "RGROUP", 8, What::GroupName(0)),
    right("rss", "RSS", 5, What::Resident),
    right("rssize", "RSS", 5, What::Resident),
    right("rsz", "RSZ", 5, What::Resident),
    right("ruid", "RUID", 5, What::Uid(0)),
    left("ruser", "RUSER", 8, What::User(0)),
    left("s", "S", 1, What::State),
    right("sess", "SESS", 5, What::Session),
    right("session", "SESS", 5, What::Session),
    right("sid", "SID", 5, What::Session),
    right("spid", "SPID", 5, What::Pid),
    right("start", "STARTED", 8, What::Started),
    right("start_time", "START", 5, What::StartTime),
    left("stat", "STAT", 4, What::Stat),
    left("state", "S", 1, What::State),
    right("stime", "STIME", 5, What::StartTime),
    right("sz", "SZ", 5, What::Pages),
    right("tgid", "TGID", 5, What::Pid),
    right("thcount", "THCNT", 5, What::Threads),
    right("tid", "TID", 5, What::Pid),
    right("time", "TIME", 8, What::Time),
    right("times", "TIME", 8, What::Seconds),
    left("tname", "TTY", 8, What::Terminal),
    right("tpgid", "TPGID", 5, What::Foreground),
    left("tt", "TT", 8, What::Terminal),
    left("tty", "TT", 8, What::Terminal),
    left("ucmd", "CMD", 15, What::Name),
    left("ucomm", "COMMAND", 15, What::Name),
    right("uid", "UID", 5, What::Uid(1)),
    left("uid_hack", "UID", 8, What::User(1)),
    left("uname", "USER", 8, What::User(1)),
    left("user", "USER", 8, What::User(1)),
    right("vsize", "VSZ", 6, What::Virtual),
    right("vsz", "VSZ", 6, What::Virtual),
    left("wchan", "WCHAN", 6, What::None),
];

/// The column of a name.
pub(super) fn find(name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.name == name)
}

/// The names of all columns and their heads.
pub(super) fn list() -> String {
    COLUMNS
        .iter()
        .map(|column| format!("{:<12} {:<8}\n", column.name, column.head))
        .collect()
}

/// A column in a line: how wide, under which head.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) column: &'static Column,
    pub(super) width: usize,
    pub(super) header: Vec<u8>,
}

impl Field {
    /// A column as it is.
    pub(super) fn plain(column: &'static Column) -> Field {
        Field {
            column,
            width: column.width,
            header: column.head.into(),
        }
    }

    /// A text that fits; a name of a user that does not ends with a plus sign.
    pub(super) fn cut(&self, text: &[u8]) -> Vec<u8> {
        if text.len() <= self.width {
            return text.to_vec();
        }
        match self.column.what {
            What::User(_) | What::GroupName(_) if self.width > 0 => {
                [&text[..self.width - 1], b"+"].concat()
            }
            _ => text[..self.width].to_vec(),
        }
    }
}

/// What texts are made from besides the process.
pub(super) struct Scene {
    pub(super) users: Names,
    pub(super) groups: Names,
    pub(super) zone: Zone,
    /// Seconds since 1970.
    pub(super) now: i64,
    /// Ticks since the system started.
    pub(super) uptime: u64,
    /// Bytes of memory.
    pub(super) memory: u64,
    /// Names instead of commands.
    pub(super) names_only: bool,
    /// The environment behind the command.
    pub(super) environment: bool,
    /// Numbers instead of names of users.
    pub(super) numeric: bool,
}

impl Scene {
    fn started(&self, process: &Process) -> i64 {
        let ago = self.uptime.saturating_sub(process.started) / TICKS;
        self.now - ago.cast_signed()
    }

    fn elapsed(&self, process: &Process) -> u64 {
        self.uptime.saturating_sub(process.started) / TICKS
    }

    fn date(&self, form: &str, seconds: i64) -> Vec<u8> {
        let moment = Moment {
            seconds,
            nanoseconds: 0,
        };
        format(form.as_bytes(), moment, &self.zone)
    }

    /// Thousandths of the time since its start that a process ran.
    fn cpu(&self, process: &Process) -> u64 {
        let lived = self.uptime.saturating_sub(process.started).max(1);
        (process.cpu.saturating_mul(1000) / lived).min(9_999)
    }

    fn memory(&self, process: &Process) -> u64 {
        (process.resident.saturating_mul(1000) / self.memory.max(1)).min(999)
    }

    fn name(&self, names: &Names, number: u32) -> Vec<u8> {
        match names.name(number) {
            Some(name) if !self.numeric => name.to_vec(),
            _ => number.to_string().into_bytes(),
        }
    }
}

/// Hours, minutes and seconds, with days before them.
fn clock(seconds: u64) -> String {
    let days = match seconds / 86_400 {
        0 => String::new(),
        days => format!("{days}-"),
    };
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{days}{hour:02}:{minute:02}:{second:02}")
}

/// What would move a terminal's cursor is shown as a question mark.
fn printable(text: &[u8]) -> Vec<u8> {
    let shown = |byte: &u8| {
        if *byte < 0x20 || *byte == 0x7f {
            b'?'
        } else {
            *byte
        }
    };
    text.iter().map(shown).collect()
}

impl Column {
    /// Whether it is cut where it does not fit, because it is no number.
    pub(super) fn is_text(&self) -> bool {
        matches!(
            self.what,
            What::User(_) | What::GroupName(_) | What::Name | What::Command
        )
    }

    /// What it shows of a process; `lead` stands before a command.
    pub(super) fn text(&self, process: &Process, scene: &Scene, lead: &[u8]) -> Vec<u8> {
        let number = |number: u64| number.to_string().into_bytes();
        let tenths = |thousandths: u64| {
            let (whole, tenth) = (thousandths / 10, thousandths % 10);
            match whole > 99 {
                true => format!("{whole}").into_bytes(),
                false => format!("{whole}.{tenth}").into_bytes(),
            }
        };
        match self.what {
            What::Pid => number(process.pid.into()),
            What::Parent => number(process.parent.into()),
            What::Group => number(process.group.into()),
            What::Session => number(process.session.into()),
            What::Foreground => process.foreground.to_string().into_bytes(),
            What::User(which) => scene.name(&scene.users, process.users[which]),
            What::Uid(which) => number(process.users[which].into()),
            What::GroupName(which) => scene.name(&scene.groups, process.groups[which]),
            What::Gid(which) => number(process.groups[which].into()),
            What::Name => [lead, &name(process)[..]].concat(),
            What::Command => [lead, &command(process, scene)[..]].concat(),
            What::State => vec![process.state],
            What::Stat => stat(process),
            What::Terminal => b"?".to_vec(),
            What::Time => clock(process.cpu / TICKS).into_bytes(),
            What::ShortTime => {
                let seconds = process.cpu / TICKS;
                format!("{}:{:02}", seconds / 60, seconds % 60).into_bytes()
            }
            What::Seconds => number(process.cpu / TICKS),
            What::Elapsed => {
                let seconds = scene.elapsed(process);
                let whole = clock(seconds);
                match seconds < 3600 {
                    true => whole.as_bytes()[3..].to_vec(),
                    false => whole.into_bytes(),
                }
            }
            What::ElapsedSeconds => number(scene.elapsed(process)),
            What::Started => match scene.elapsed(process) < 86_400 {
                true => scene.date("%H:%M:%S", scene.started(process)),
                false => scene.date("  %b %d", scene.started(process)),
            },
            What::BsdStart => match scene.elapsed(process) < 86_400 {
                true => scene.date(" %H:%M", scene.started(process)),
                false => scene.date("%b %d", scene.started(process)),
            },
            What::StartTime => {
                let started = scene.started(process);
                let (then, now) = (scene.zone.civil(started), scene.zone.civil(scene.now));
                match (
                    then.year == now.year,
                    then.day_of_year() == now.day_of_year(),
                ) {
                    (true, true) => scene.date("%H:%M", started),
                    (true, false) => scene.date("%b%d", started),
                    (false, _) => scene.date(" %Y", started),
                }
            }
            What::LongStart => scene.date("%a %b %e %H:%M:%S %Y", scene.started(process)),
            What::Cpu => tenths(scene.cpu(process)),
            What::WholeCpu => number((scene.cpu(process) / 10).min(99)),
            What::Memory => tenths(scene.memory(process)),
            What::Resident => number(process.resident / 1024),
            What::Virtual => number(process.memory / 1024),
            What::Pages => number(process.memory / 4096),
            What::Nice => process.nice.to_string().into_bytes(),
            What::Priority => process.priority.to_string().into_bytes(),
            What::OldPriority => (60 + process.priority).to_string().into_bytes(),
            What::HighPriority => (39 - process.priority).to_string().into_bytes(),
            What::Class => b"TS".to_vec(),
            What::Threads => number(process.threads),
            // Of the flags, only the two that tell of a fork without exec and of a superuser are
            // shown.
            What::Flags => number(process.flags >> 6 & 7),
            What::Processor => b"0".to_vec(),
            What::None => b"-".to_vec(),
        }
    }

    /// Which of two processes goes first by this column.
    fn order(&self, scene: &Scene, one: &Process, other: &Process) -> Ordering {
        let number = |process: &Process| -> Option<i64> {
            Some(match self.what {
                What::Pid => process.pid.into(),
                What::Parent => process.parent.into(),
                What::Group => process.group.into(),
                What::Session => process.session.into(),
                What::Foreground => process.foreground,
                What::Uid(which) => process.users[which].into(),
                What::Gid(which) => process.groups[which].into(),
                What::Time | What::ShortTime | What::Seconds => process.cpu.cast_signed(),
                What::Elapsed | What::ElapsedSeconds => scene.elapsed(process).cast_signed(),
                What::Started | What::StartTime | What::BsdStart | What::LongStart => {
                    process.started.cast_signed()
                }
                What::Cpu | What::WholeCpu => scene.cpu(process).cast_signed(),
                What::Memory | What::Resident => process.resident.cast_signed(),
                What::Virtual | What::Pages => process.memory.cast_signed(),
                What::Nice => process.nice,
                What::Priority | What::OldPriority => process.priority,
                What::HighPriority => -process.priority,
                What::Threads => process.threads.cast_signed(),
                What::Flags => process.flags.cast_signed(),
                _ => return None,
            })
        };
        match (number(one), number(other)) {
            (Some(one), Some(other)) => one.cmp(&other),
            _ => {
                let text = |process: &Process| self.text(process, scene, b"");
                text(one).cmp(&text(other))
            }
        }
    }
}

fn name(process: &Process) -> Vec<u8> {
    let mut name = printable(&process.name);
    if process.state == b'Z' {
        name.extend_from_slice(b" <defunct>");
    }
    name
}

fn command(process: &Process, scene: &Scene) -> Vec<u8> {
    if scene.names_only {
        return name(process);
    }
    let mut text = process.command();
    if scene.environment {
        let environ = std::fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
        for variable in environ.split(|byte| *byte == 0) {
            if !variable.is_empty() {
                text.push(b' ');
                text.extend_from_slice(variable);
            }
        }
    }
    printable(&text)
}

fn stat(process: &Process) -> Vec<u8> {
    let mut text = vec![process.state];
    match process.nice {
        ..0 => text.push(b'<'),
        0 => {}
        1.. => text.push(b'N'),
    }
    if process.session == process.pid {
        text.push(b's');
    }
    if process.threads > 1 {
        text.push(b'l');
    }
    if process.foreground == i64::from(process.group) {
        text.push(b'+');
    }
    text
}

/// A column to sort by, and whether the biggest goes first.
pub(super) type Key = (&'static Column, bool);

/// Puts processes in order.
pub(super) fn sort(processes: &mut [Process], keys: &[Key], scene: &Scene) {
    if keys.is_empty() {
        return;
    }
    processes.sort_by(|one, other| {
        let orders = keys.iter().map(|(column, down)| {
            let order = column.order(scene, one, other);
            if *down { order.reverse() } else { order }
        });
        orders.fold(Ordering::Equal, Ordering::then)
    });
}
