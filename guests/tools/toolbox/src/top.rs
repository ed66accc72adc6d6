//! `top -b`: processes and memory, as procps prints them where there is no terminal to draw on.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::time::Duration;

use codepod_tool::processes::{self, Memory, Process, TICKS};
use codepod_tool::{
    Arguments, Found, Names, Opt, Options, Output, complain, flag, optional, value,
};

use crate::arguments::{help, version};
use crate::uptime;

#[derive(Clone, Copy)]
enum Key {
    Batch,
    Commands,
    Delay,
    Count,
    Order,
    Pids,
    User,
    Width,
    /// What procps has and this has not.
    Missing,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Batch, b'b', "batch-mode"),
    flag(Key::Commands, b'c', "cmdline-toggle"),
    value(Key::Delay, b'd', "delay"),
    value(Key::Count, b'n', "iterations"),
    value(Key::Order, b'o', "sort-override"),
    value(Key::Pids, b'p', "pid"),
    value(Key::User, b'U', "filter-any-user"),
    value(Key::User, b'u', "filter-only-euser"),
    optional(Key::Width, b'w', "width"),
    flag(Key::Missing, b'E', "scale-summary-mem"),
    flag(Key::Missing, b'e', "scale-task-mem"),
    flag(Key::Missing, b'H', "threads-show"),
    flag(Key::Missing, b'i', "idle-toggle"),
    flag(Key::Missing, b'O', "list-fields"),
    flag(Key::Missing, b'S', "accum-time-toggle"),
    flag(Key::Missing, b's', "secure-mode"),
    flag(Key::Missing, b'1', "single-cpu-toggle"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

/// What a call asks for.
struct Wanted {
    commands: bool,
    delay: Duration,
    count: Option<u64>,
    order: Field,
    up: bool,
    pids: Vec<u32>,
    user: Option<u32>,
    width: usize,
}

/// What processes are sorted by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Pid,
    Parent,
    Uid,
    User,
    Priority,
    Nice,
    Virtual,
    Resident,
    State,
    Cpu,
    Memory,
    Time,
    Command,
}

const FIELDS: &[(&str, Field)] = &[
    ("PID", Field::Pid),
    ("PPID", Field::Parent),
    ("UID", Field::Uid),
    ("USER", Field::User),
    ("PR", Field::Priority),
    ("NI", Field::Nice),
    ("VIRT", Field::Virtual),
    ("RES", Field::Resident),
    ("S", Field::State),
    ("%CPU", Field::Cpu),
    ("%MEM", Field::Memory),
    ("TIME", Field::Time),
    ("TIME+", Field::Time),
    ("COMMAND", Field::Command),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let wanted = match read(tool, arguments) {
        Ok(wanted) => wanted,
        Err(status) => return status,
    };
    let users = Names::users();
    let mut before: HashMap<u32, u64> = HashMap::new();
    let mut since = 0;
    let mut left = wanted.count;
    loop {
        let now = processes::uptime();
        let mut all = Process::all();
        all.retain(|process| {
            (wanted.pids.is_empty() || wanted.pids.contains(&process.pid))
                && wanted.user.is_none_or(|uid| process.users[1] == uid)
        });
        let share = |process: &Process| {
            let ran = process.cpu
                - before
                    .get(&process.pid)
                    .copied()
                    .unwrap_or(0)
                    .min(process.cpu);
            1000 * ran / (now.saturating_sub(since)).max(1)
        };
        let mut rows: Vec<(u64, Process)> = Vec::new();
        for process in all {
            rows.push((share(&process), process));
        }
        rows.sort_by(|one, other| order(wanted.order, one, other, wanted.up));
        let text = screen(&wanted, &rows, &users);
        before = rows
            .iter()
            .map(|(_, process)| (process.pid, process.cpu))
            .collect();
        since = now;
        let mut out = Output::new();
        out.put(&text);
        if out.finish().is_err() {
            return 1;
        }
        left = left.map(|left| left.saturating_sub(1));
        if left == Some(0) {
            return 0;
        }
        std::thread::sleep(wanted.delay);
        let mut gap = Output::new();
        gap.put_byte(b'\n');
        if gap.finish().is_err() {
            return 1;
        }
    }
}

/// Joins `-w` and a number behind it: the one value that may stand apart though it may be left out.
fn with_width(arguments: Arguments) -> Arguments {
    let mut joined: Arguments = Vec::new();
    for word in arguments {
        let is_number = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
        match joined.last_mut() {
            Some(last) if is_number && last.starts_with(b"-") && last.ends_with(b"w") => {
                last.extend_from_slice(&word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

fn read(tool: &str, arguments: Arguments) -> Result<Wanted, i32> {
    let mut options = Options::new(TABLE, with_width(arguments));
    let columns = std::env::var("COLUMNS").ok();
    let columns = columns.and_then(|text| text.parse().ok());
    let mut batch = false;
    let mut wanted = Wanted {
        commands: false,
        delay: Duration::from_secs(3),
        count: None,
        order: Field::Cpu,
        up: false,
        pids: Vec::new(),
        user: None,
        width: columns.unwrap_or(80),
    };
    let refuse = |message: String| -> Result<Wanted, i32> {
        complain(tool, message);
        Err(1)
    };
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                return refuse(format!(
                    "unknown option '{}'",
                    String::from_utf8_lossy(&operand)
                ));
            }
            Ok(Some(Found::Option(key, value))) => {
                let given = value.is_some();
                let text = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
                match key {
                    Key::Batch => batch = true,
                    Key::Commands => wanted.commands = true,
                    Key::Delay => match text.parse::<f64>() {
                        Ok(seconds) if (0.0..1e9).contains(&seconds) => {
                            wanted.delay = Duration::from_secs_f64(seconds);
                        }
                        _ => return refuse(format!("bad delay interval '{text}'")),
                    },
                    Key::Count => match text.parse::<u64>() {
                        Ok(count) if count > 0 => wanted.count = Some(count),
                        _ => return refuse(format!("bad iterations argument '{text}'")),
                    },
                    Key::Order => {
                        let name = text.trim_start_matches(['+', '-']);
                        let found = FIELDS.iter().find(|(known, _)| *known == name);
                        let Some((_, field)) = found else {
                            return refuse(format!("unrecognized field name '{name}'"));
                        };
                        wanted.order = *field;
                        wanted.up = text.starts_with('-');
                    }
                    Key::Pids => {
                        for item in text.split(',') {
                            match item.trim().parse() {
                                Ok(pid) => wanted.pids.push(pid),
                                Err(_) => return refuse(format!("bad pid '{item}'")),
                            }
                        }
                    }
                    Key::User => {
                        let known = Names::users().number(text.as_bytes());
                        match known.or_else(|| text.parse().ok()) {
                            Some(uid) => wanted.user = Some(uid),
                            None => return refuse("Invalid user".into()),
                        }
                    }
                    Key::Width => match text.parse() {
                        Ok(width) => wanted.width = width,
                        Err(_) if !given => wanted.width = columns.unwrap_or(512),
                        Err(_) => return refuse(format!("bad width arg '{text}'")),
                    },
                    Key::Missing => {
                        return refuse(format!(
                            "this option is not here: see `help --support {tool}`"
                        ));
                    }
                    Key::Help => {
                        return Err(help(tool, "-b [options]", "Show processes.", TABLE));
                    }
                    Key::Version => return Err(version(tool)),
                }
            }
            Ok(None) => break,
            // The status is procps's own.
            Err(usage) => {
                complain(tool, usage.to_string());
                return Err(0);
            }
        }
    }
    if !batch {
        return refuse("only -b is here: run `top -b -n 1` for a list of processes".to_owned());
    }
    wanted.width = wanted.width.clamp(3, 512);
    Ok(wanted)
}

fn order(field: Field, one: &(u64, Process), other: &(u64, Process), up: bool) -> Ordering {
    let ((cpu, a), (other_cpu, b)) = (one, other);
    let order = match field {
        Field::Pid => a.pid.cmp(&b.pid),
        Field::Parent => a.parent.cmp(&b.parent),
        Field::Uid | Field::User => a.users[1].cmp(&b.users[1]),
        Field::Priority => a.priority.cmp(&b.priority),
        Field::Nice => a.nice.cmp(&b.nice),
        Field::Virtual => a.memory.cmp(&b.memory),
        Field::Resident | Field::Memory => a.resident.cmp(&b.resident),
        Field::State => a.state.cmp(&b.state),
        Field::Cpu => cpu.cmp(other_cpu),
        Field::Time => a.cpu.cmp(&b.cpu),
        Field::Command => a.name.cmp(&b.name),
    };
    let order = if up { order } else { order.reverse() };
    order.then(a.pid.cmp(&b.pid))
}

/// The whole text of one turn.
fn screen(wanted: &Wanted, rows: &[(u64, Process)], users: &Names) -> Vec<u8> {
    let count = |states: &[u8]| {
        rows.iter()
            .filter(|(_, process)| states.contains(&process.state))
            .count()
    };
    let memory = Memory::now();
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let busy = rows.iter().map(|(share, _)| *share).sum::<u64>().min(1000) as f64 / 10.0;
    let idle = 100.0 - busy;
    let cached = memory.buffers + memory.cached;
    let head = format!(
        "top -{}\nTasks: {:3} total, {:3} running, {:3} sleeping, {:3} stopped, {:3} zombie\n\
         %Cpu(s):{busy:5.1} us,  0.0 sy,  0.0 ni,{idle:5.1} id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n\
         MiB Mem : {:8.1} total, {:8.1} free, {:8.1} used, {:8.1} buff/cache     \n\
         MiB Swap: {:8.1} total, {:8.1} free, {:8.1} used. {:8.1} avail Mem \n\n",
        uptime::line(),
        rows.len(),
        count(b"R"),
        count(b"SDI"),
        count(b"Tt"),
        count(b"Z"),
        mib(memory.total),
        mib(memory.free),
        mib(memory.used()),
        mib(cached),
        mib(memory.swap[0]),
        mib(memory.swap[1]),
        mib(memory.swap[0].saturating_sub(memory.swap[1])),
        mib(memory.available),
    );
    let mut text = head.into_bytes();
    let titles = "  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND";
    let room = wanted.width.saturating_sub(70);
    // A column is shown whole, with a blank behind it, or not at all.
    let ends = [6, 15, 19, 23, 31, 38, 45, 47, 53, 59, 69];
    let width = match wanted.width {
        70.. => wanted.width,
        width => ends
            .iter()
            .rev()
            .find(|end| **end <= width)
            .map_or(5, |end| end - 1),
    };
    text.extend_from_slice(&titles.as_bytes()[..titles.len().min(width)]);
    text.push(b'\n');
    for (share, process) in rows {
        let number = process.users[1];
        let user = match users.name(number) {
            Some(name) => String::from_utf8_lossy(name).into_owned(),
            None => number.to_string(),
        };
        let user = cut(user.as_bytes(), 8);
        let command = match wanted.commands {
            true => process.command(),
            false => process.name.clone(),
        };
        let hundredths = process.cpu * 100 / TICKS;
        let time = format!(
            "{}:{:02}.{:02}",
            hundredths / 6000,
            hundredths / 100 % 60,
            hundredths % 100
        );
        let mem = 100.0 * process.resident as f64 / memory.total.max(1) as f64;
        let start = format!(
            "{:5} {:<8} {:3} {:3} {:>7} {:>6} {:>6} {} {:5.1} {mem:5.1} {time:>9} ",
            process.pid,
            String::from_utf8_lossy(&user),
            process.priority,
            process.nice,
            kib(process.memory, 7),
            kib(process.resident, 6),
            0,
            char::from(process.state),
            *share as f64 / 10.0,
        );
        let mut line = start.into_bytes();
        line.extend(
            cut(&command, room)
                .iter()
                .map(|byte| if *byte < 0x20 { b'?' } else { *byte }),
        );
        line.truncate(width);
        while line.last() == Some(&b' ') {
            line.pop();
        }
        text.extend_from_slice(&line);
        text.push(b'\n');
    }
    text
}

/// A size in KiB, in bigger units where it does not fit.
fn kib(bytes: u64, width: usize) -> String {
    let kilobytes = bytes / 1024;
    let text = kilobytes.to_string();
    match text.len() <= width {
        true => text,
        false => format!("{:.1}g", bytes as f64 / f64::from(1 << 30)),
    }
}

/// A text that fits; a plus sign ends one that was cut.
fn cut(text: &[u8], width: usize) -> Vec<u8> {
    match text.len() <= width {
        true => text.to_vec(),
        false => [&text[..width.saturating_sub(1)], b"+"].concat(),
    }
}
