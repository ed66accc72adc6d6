//! `du`: how much files take.

use std::collections::BTreeSet;

use codepod_datetime::{Moment, Zone, format};
use codepod_tool::{Arguments, Opt, Options, Stop, Usage, Value, flag, long, quoted, value};

use crate::arguments::{help, version};
use crate::fnmatch::excludes;
use crate::mode::is_directory;
use crate::report::Report;
use crate::size::Blocks;
use crate::system::{self, Links, Stat};

#[derive(Clone, Copy)]
enum Key {
    Zero,
    All,
    Apparent,
    BlockSize,
    Bytes,
    Total,
    FollowOperands,
    MaxDepth,
    Human,
    Inodes,
    Kilobytes,
    Megabytes,
    Dereference,
    CountLinks,
    NoDereference,
    SeparateDirs,
    Si,
    Summarize,
    Threshold,
    Time,
    ExcludeFrom,
    Exclude,
    OneFileSystem,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Zero, b'0', "null"),
    flag(Key::All, b'a', "all"),
    long(Key::Apparent, "apparent-size", Value::None),
    value(Key::BlockSize, b'B', "block-size"),
    flag(Key::Bytes, b'b', "bytes"),
    flag(Key::Total, b'c', "total"),
    flag(Key::FollowOperands, b'D', "dereference-args"),
    value(Key::MaxDepth, b'd', "max-depth"),
    flag(Key::FollowOperands, b'H', ""),
    flag(Key::Human, b'h', "human-readable"),
    long(Key::Inodes, "inodes", Value::None),
    flag(Key::Kilobytes, b'k', ""),
    flag(Key::Dereference, b'L', "dereference"),
    flag(Key::CountLinks, b'l', "count-links"),
    flag(Key::Megabytes, b'm', ""),
    flag(Key::NoDereference, b'P', "no-dereference"),
    flag(Key::SeparateDirs, b'S', "separate-dirs"),
    long(Key::Si, "si", Value::None),
    flag(Key::Summarize, b's', "summarize"),
    value(Key::Threshold, b't', "threshold"),
    long(Key::Time, "time", Value::None),
    value(Key::ExcludeFrom, b'X', "exclude-from"),
    long(Key::Exclude, "exclude", Value::Required),
    flag(Key::OneFileSystem, b'x', "one-file-system"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What the options say.
struct Settings {
    blocks: Blocks,
    apparent: bool,
    inodes: bool,
    all: bool,
    separate: bool,
    count_links: bool,
    follow_all: bool,
    follow_operands: bool,
    zero: bool,
    time: bool,
    one_file_system: bool,
    summarize: bool,
    total: bool,
    depth: Option<usize>,
    threshold: Option<i64>,
    excluded: Vec<Vec<u8>>,
}

struct Job<'a> {
    report: Report<'a>,
    settings: Settings,
    zone: Zone,
    seen: BTreeSet<(u64, u64)>,
}

/// What a tree takes.
#[derive(Clone, Copy, Default)]
struct Sum {
    bytes: u64,
    inodes: u64,
    time: u64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.inodes += other.inodes;
        self.time = self.time.max(other.time);
    }
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match read(tool, arguments) {
        Ok((settings, operands)) => run(tool, settings, operands),
        Err(stop) => stop.report(tool, 1),
    }
}

/// Reads the arguments: what the options say, and the operands.
fn read(tool: &str, arguments: Arguments) -> Result<(Settings, Vec<Vec<u8>>), Stop> {
    let mut settings = Settings::usual();
    let mut operands = Options::new(TABLE, arguments)
        .each(|key, value| settings.take(tool, key, value.unwrap_or_default()))?;
    if settings.all && settings.summarize {
        return Err(Usage::new("cannot both summarize and show all entries").into());
    }
    if settings.summarize {
        if let Some(depth) = settings.depth
            && depth > 0
        {
            let message = format!("warning: summarizing conflicts with --max-depth={depth}");
            return Err(Usage::new(message).into());
        }
        settings.depth = Some(0);
    }
    if operands.is_empty() {
        operands.push(b".".to_vec());
    }
    Ok((settings, operands))
}

impl Settings {
    /// Those without options.
    fn usual() -> Settings {
        let blocks = ["DU_BLOCK_SIZE", "BLOCK_SIZE"]
            .iter()
            .find_map(|name| std::env::var(name).ok())
            .and_then(|text| Blocks::parse(text.as_bytes()));
        Settings {
            blocks: blocks.unwrap_or(Blocks::of(1024)),
            apparent: false,
            inodes: false,
            all: false,
            separate: false,
            count_links: false,
            follow_all: false,
            follow_operands: false,
            zero: false,
            time: false,
            one_file_system: false,
            summarize: false,
            total: false,
            depth: None,
            threshold: None,
            excluded: Vec::new(),
        }
    }

    fn take(&mut self, tool: &str, key: Key, value: Vec<u8>) -> Result<(), Stop> {
        match key {
            Key::Zero => self.zero = true,
            Key::All => self.all = true,
            Key::Apparent => self.apparent = true,
            Key::BlockSize => {
                self.blocks = Blocks::parse(&value).ok_or_else(|| {
                    Stop::failed([b"invalid -B argument ", &quoted(&value)[..]].concat())
                })?;
            }
            Key::Bytes => (self.apparent, self.blocks) = (true, Blocks::of(1)),
            Key::Total => self.total = true,
            Key::FollowOperands => self.follow_operands = true,
            Key::MaxDepth => self.depth = Some(depth(&value)?),
            Key::Human => self.blocks = Blocks::HUMAN,
            Key::Inodes => self.inodes = true,
            Key::Kilobytes => self.blocks = Blocks::of(1024),
            Key::Megabytes => self.blocks = Blocks::of(1 << 20),
            Key::Dereference => self.follow_all = true,
            Key::CountLinks => self.count_links = true,
            Key::NoDereference => (self.follow_all, self.follow_operands) = (false, false),
            Key::SeparateDirs => self.separate = true,
            Key::Si => self.blocks = Blocks::SI,
            Key::Summarize => self.summarize = true,
            Key::Threshold => self.threshold = Some(threshold(&value)?),
            Key::Time => self.time = true,
            Key::ExcludeFrom => self.excluded.extend(patterns(&value)?),
            Key::Exclude => self.excluded.push(value),
            Key::OneFileSystem => self.one_file_system = true,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... [FILE]...",
                    "Summarize device usage of the set of FILEs, recursively for directories.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }
}

/// The value of `--max-depth`.
fn depth(text: &[u8]) -> Result<usize, Usage> {
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| Usage::new([b"invalid maximum depth ", &quoted(text)[..]].concat()))
}

/// The value of `--threshold`: the least size, or with a minus the most.
fn threshold(value: &[u8]) -> Result<i64, Stop> {
    let (negative, text) = match value.strip_prefix(b"-") {
        Some(text) => (true, text),
        None => (false, value),
    };
    let number = Blocks::parse(text).map(|blocks| blocks.unit.cast_signed());
    let zero = !text.is_empty() && text.iter().all(|byte| *byte == b'0');
    match number.or(zero.then_some(0)) {
        Some(number) if !(negative && number == 0) => Ok(if negative { -number } else { number }),
        _ => Err(Stop::failed(
            [b"invalid --threshold argument ", &quoted(value)[..]].concat(),
        )),
    }
}

/// The patterns in a file, one a line.
fn patterns(path: &[u8]) -> Result<Vec<Vec<u8>>, Stop> {
    let text = std::fs::read(codepod_tool::path(path)).map_err(|error| {
        Stop::failed([path, b": ", system::io_message(&error).as_bytes()].concat())
    })?;
    let lines = text.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    Ok(lines.map(<[u8]>::to_vec).collect())
}

fn run(tool: &str, settings: Settings, operands: Vec<Vec<u8>>) -> i32 {
    let mut job = Job {
        report: Report::new(tool, false),
        settings,
        zone: Zone::from_environment(),
        seen: BTreeSet::new(),
    };
    let links = if job.settings.follow_all || job.settings.follow_operands {
        Links::Follow
    } else {
        Links::Keep
    };
    let mut all = Sum::default();
    for mut path in operands {
        // A slash at the end is shown once.
        while path.len() > 1 && path.ends_with(b"//") {
            path.pop();
        }
        match system::stat(&path, links) {
            Ok(stat) => all.add(job.tree(&path, stat, 0, stat.dev)),
            Err(errno) => job.report.fail(b"cannot access ", &path, errno),
        }
    }
    if job.settings.total {
        job.line(all, b"total");
    }
    job.report.finish()
}

impl Job<'_> {
    fn own(&self, stat: &Stat) -> Sum {
        let bytes = match (self.settings.apparent, is_directory(stat.mode)) {
            (true, _) => stat.size,
            (false, _) => stat.blocks * 512,
        };
        Sum {
            bytes,
            inodes: 1,
            time: stat.mtime,
        }
    }

    /// Counts a tree and prints it; what it takes.
    fn tree(&mut self, path: &[u8], stat: Stat, depth: usize, device: u64) -> Sum {
        let excluded = |pattern: &Vec<u8>| excludes(pattern, path);
        if self.settings.excluded.iter().any(excluded)
            || (self.settings.one_file_system && stat.dev != device)
        {
            return Sum::default();
        }
        let directory = is_directory(stat.mode);
        // A file with several names counts once, a directory that was counted not again.
        if (directory || (stat.nlink > 1 && !self.settings.count_links))
            && !self.seen.insert((stat.dev, stat.ino))
        {
            return Sum::default();
        }
        let mut sum = self.own(&stat);
        let mut below = Sum::default();
        if directory {
            let links = if self.settings.follow_all {
                Links::Follow
            } else {
                Links::Keep
            };
            for inner in self.report.list(path) {
                match system::stat(&inner, links) {
                    Ok(stat) => {
                        let is_inner = is_directory(stat.mode);
                        let inner = self.tree(&inner, stat, depth + 1, device);
                        if is_inner {
                            below.add(inner);
                        } else {
                            sum.add(inner);
                        }
                    }
                    Err(errno) => self.report.fail(b"cannot access ", &inner, errno),
                }
            }
        }
        let mut whole = sum;
        whole.add(below);
        let shown = if self.settings.separate { sum } else { whole };
        if (directory || self.settings.all || depth == 0)
            && self.settings.depth.is_none_or(|most| depth <= most)
        {
            self.line(shown, path);
        }
        whole
    }

    fn line(&mut self, sum: Sum, name: &[u8]) {
        let size = if self.settings.inodes {
            sum.inodes
        } else {
            sum.bytes
        };
        let shown = match self.settings.threshold {
            Some(least) if least < 0 => size <= least.unsigned_abs(),
            Some(least) => size >= least.cast_unsigned(),
            None => true,
        };
        if !shown {
            return;
        }
        let text = match (self.settings.inodes, self.settings.blocks.human) {
            (true, None) => size.to_string(),
            _ => self.settings.blocks.show(size),
        };
        self.report.out.put(text.as_bytes());
        if self.settings.time {
            self.report.out.put_byte(b'\t');
            let time = format(
                b"%Y-%m-%d %H:%M",
                Moment::from_nanoseconds(sum.time),
                &self.zone,
            );
            self.report.out.put(&time);
        }
        self.report.out.put_byte(b'\t');
        self.report.out.put(name);
        self.report
            .out
            .put_byte(if self.settings.zero { 0 } else { b'\n' });
    }
}
