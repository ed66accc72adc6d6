//! `du`: how much files take.

use std::collections::BTreeSet;

use codepod_datetime::{Moment, Zone, format};
use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, errno_text, flag, long, quoted,
    value,
};

use crate::arguments::{help, version};
use crate::fnmatch::excludes;
use crate::mode::is_directory;
use crate::size::Blocks;
use crate::system::{self, Errno, Links, Stat};

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

struct Job<'a> {
    tool: &'a str,
    out: Output,
    zone: Zone,
    blocks: Blocks,
    apparent: bool,
    inodes: bool,
    all: bool,
    separate: bool,
    count_links: bool,
    follow_all: bool,
    zero: bool,
    time: bool,
    one_file_system: bool,
    depth: Option<usize>,
    threshold: Option<i64>,
    excluded: Vec<Vec<u8>>,
    seen: BTreeSet<(u64, u64)>,
    status: i32,
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
    let mut options = Options::new(TABLE, arguments);
    let usual = ["DU_BLOCK_SIZE", "BLOCK_SIZE"]
        .iter()
        .find_map(|name| std::env::var(name).ok());
    let mut job = Job {
        tool,
        out: Output::new(),
        zone: Zone::from_environment(),
        blocks: usual
            .and_then(|text| Blocks::parse(text.as_bytes()))
            .unwrap_or(Blocks::of(1024)),
        apparent: false,
        inodes: false,
        all: false,
        separate: false,
        count_links: false,
        follow_all: false,
        zero: false,
        time: false,
        one_file_system: false,
        depth: None,
        threshold: None,
        excluded: Vec::new(),
        seen: BTreeSet::new(),
        status: 0,
    };
    let (mut total, mut summarize, mut follow_operands) = (false, false, false);
    let mut operands = Vec::new();
    loop {
        let (key, value) = match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                operands.push(operand);
                continue;
            }
            Ok(Some(Found::Option(key, value))) => (key, value.unwrap_or_default()),
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        };
        match key {
            Key::Zero => job.zero = true,
            Key::All => job.all = true,
            Key::Apparent => job.apparent = true,
            Key::BlockSize => match Blocks::parse(&value) {
                Some(blocks) => job.blocks = blocks,
                None => {
                    complain(
                        tool,
                        [b"invalid -B argument ", &quoted(&value)[..]].concat(),
                    );
                    return 1;
                }
            },
            Key::Bytes => (job.apparent, job.blocks) = (true, Blocks::of(1)),
            Key::Total => total = true,
            Key::FollowOperands => follow_operands = true,
            Key::MaxDepth => match std::str::from_utf8(&value)
                .ok()
                .and_then(|text| text.parse().ok())
            {
                Some(depth) => job.depth = Some(depth),
                None => {
                    return Usage::new([b"invalid maximum depth ", &quoted(&value)[..]].concat())
                        .report(tool, 1);
                }
            },
            Key::Human => job.blocks = Blocks::HUMAN,
            Key::Inodes => job.inodes = true,
            Key::Kilobytes => job.blocks = Blocks::of(1024),
            Key::Megabytes => job.blocks = Blocks::of(1 << 20),
            Key::Dereference => job.follow_all = true,
            Key::CountLinks => job.count_links = true,
            Key::NoDereference => (job.follow_all, follow_operands) = (false, false),
            Key::SeparateDirs => job.separate = true,
            Key::Si => job.blocks = Blocks::SI,
            Key::Summarize => summarize = true,
            Key::Threshold => {
                let (negative, text) = match value.strip_prefix(b"-") {
                    Some(text) => (true, text),
                    None => (false, &value[..]),
                };
                let number = Blocks::parse(text).map(|blocks| blocks.unit.cast_signed());
                let zero = !text.is_empty() && text.iter().all(|byte| *byte == b'0');
                match number.or(zero.then_some(0)) {
                    Some(number) if !(negative && number == 0) => {
                        job.threshold = Some(if negative { -number } else { number })
                    }
                    _ => {
                        complain(
                            tool,
                            [b"invalid --threshold argument ", &quoted(&value)[..]].concat(),
                        );
                        return 1;
                    }
                }
            }
            Key::Time => job.time = true,
            Key::ExcludeFrom => match std::fs::read(codepod_tool::path(&value)) {
                Ok(text) => job.excluded.extend(
                    text.split(|byte| *byte == b'\n')
                        .filter(|line| !line.is_empty())
                        .map(<[u8]>::to_vec),
                ),
                Err(error) => {
                    complain(
                        tool,
                        [&value[..], b": ", system::io_message(&error).as_bytes()].concat(),
                    );
                    return 1;
                }
            },
            Key::Exclude => job.excluded.push(value),
            Key::OneFileSystem => job.one_file_system = true,
            Key::Help => {
                return help(
                    tool,
                    "[OPTION]... [FILE]...",
                    "Summarize device usage of the set of FILEs, recursively for directories.",
                    TABLE,
                );
            }
            Key::Version => return version(tool),
        }
    }
    if job.all && summarize {
        return Usage::new("cannot both summarize and show all entries").report(tool, 1);
    }
    if summarize {
        if let Some(depth) = job.depth
            && depth > 0
        {
            return Usage::new(format!(
                "warning: summarizing conflicts with --max-depth={depth}"
            ))
            .report(tool, 1);
        }
        job.depth = Some(0);
    }
    if operands.is_empty() {
        operands.push(b".".to_vec());
    }
    let mut all = Sum::default();
    for path in operands {
        let links = if job.follow_all || follow_operands {
            Links::Follow
        } else {
            Links::Keep
        };
        let mut path = path;
        // A slash at the end is shown once.
        while path.len() > 1 && path.ends_with(b"//") {
            path.pop();
        }
        match system::stat(&path, links) {
            Ok(stat) => {
                let sum = job.tree(&path, stat, 0, stat.dev);
                all.add(sum);
            }
            Err(errno) => job.fail(b"cannot access ", &path, errno),
        }
    }
    if total {
        job.line(all, b"total");
    }
    if let Err(error) = job.out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    job.status
}

impl Job<'_> {
    fn fail(&mut self, what: &[u8], path: &[u8], errno: Errno) {
        self.out.write_out();
        complain(
            self.tool,
            [what, &quoted(path), b": ", errno_text(errno).as_bytes()].concat(),
        );
        self.status = 1;
    }

    fn own(&self, stat: &Stat) -> Sum {
        let bytes = match (self.apparent, is_directory(stat.mode)) {
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
        if self.excluded.iter().any(excluded) || (self.one_file_system && stat.dev != device) {
            return Sum::default();
        }
        let directory = is_directory(stat.mode);
        // A file with several names counts once, a directory that was counted not again.
        if (directory || (stat.nlink > 1 && !self.count_links))
            && !self.seen.insert((stat.dev, stat.ino))
        {
            return Sum::default();
        }
        let mut sum = self.own(&stat);
        let mut below = Sum::default();
        if directory {
            match system::list(path) {
                Ok(mut names) => {
                    names.sort();
                    for name in names {
                        let slash: &[u8] = if path.ends_with(b"/") { b"" } else { b"/" };
                        let inner = [path, slash, &name].concat();
                        let links = if self.follow_all {
                            Links::Follow
                        } else {
                            Links::Keep
                        };
                        match system::stat(&inner, links) {
                            Ok(stat) => {
                                let is_inner = is_directory(stat.mode);
                                let inner = self.tree(&inner, stat, depth + 1, device);
                                if is_inner {
                                    below.add(inner)
                                } else {
                                    sum.add(inner)
                                }
                            }
                            Err(errno) => self.fail(b"cannot access ", &inner, errno),
                        }
                    }
                }
                Err(errno) => self.fail(b"cannot read directory ", path, errno),
            }
        }
        let mut whole = sum;
        whole.add(below);
        let shown = if self.separate { sum } else { whole };
        if (directory || self.all || depth == 0) && self.depth.is_none_or(|most| depth <= most) {
            self.line(shown, path);
        }
        whole
    }

    fn line(&mut self, sum: Sum, name: &[u8]) {
        let size = if self.inodes { sum.inodes } else { sum.bytes };
        let shown = match self.threshold {
            Some(least) if least < 0 => size <= least.unsigned_abs(),
            Some(least) => size >= least.cast_unsigned(),
            None => true,
        };
        if !shown {
            return;
        }
        let text = match (self.inodes, self.blocks.human) {
            (true, None) => size.to_string(),
            _ => self.blocks.show(size),
        };
        self.out.put(text.as_bytes());
        if self.time {
            self.out.put_byte(b'\t');
            let time = format(
                b"%Y-%m-%d %H:%M",
                Moment::from_nanoseconds(sum.time),
                &self.zone,
            );
            self.out.put(&time);
        }
        self.out.put_byte(b'\t');
        self.out.put(name);
        self.out.put_byte(if self.zero { 0 } else { b'\n' });
    }
}
