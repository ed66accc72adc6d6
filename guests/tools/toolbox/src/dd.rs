//! `dd`: copies blocks.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use codepod_tool::{Arguments, Stdin, Stop, Usage, complain, io_text, path, quoted};

use crate::arguments::{help, version};

/// The largest block; more is somebody's mistake.
const LARGEST: u64 = 1 << 30;

#[derive(Default)]
struct Plan {
    input: Option<Vec<u8>>,
    output: Option<Vec<u8>>,
    ibs: usize,
    obs: usize,
    /// The size of `bs`, if it was given: blocks are written as they were read.
    whole: Option<usize>,
    cbs: usize,
    count: Option<u64>,
    skip: u64,
    seek: u64,
    conversions: Vec<String>,
    iflags: Vec<String>,
    oflags: Vec<String>,
    status: Status,
}

#[derive(Default, PartialEq, Eq)]
enum Status {
    #[default]
    All,
    NoTransfer,
    None,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let plan = match read_plan(tool, &arguments) {
        Ok(plan) => plan,
        Err(stop) => return stop.report(tool, 1),
    };
    let start = std::time::Instant::now();
    let mut copy = match Copy::open(plan) {
        Ok(copy) => copy,
        Err(message) => {
            complain(tool, message);
            return 1;
        }
    };
    let result = copy.run(tool);
    let mut status = 0;
    if let Err(message) = result {
        complain(tool, message);
        status = 1;
    }
    copy.report(start.elapsed().as_secs_f64());
    status.max(copy.status)
}

fn read_plan(tool: &str, arguments: &[Vec<u8>]) -> Result<Plan, Stop> {
    let mut plan = Plan {
        ibs: 512,
        obs: 512,
        ..Plan::default()
    };
    for argument in arguments {
        if argument != b"--" {
            refuse_option(tool, argument)?;
            plan.set(argument)?;
        }
    }
    // `bs` wins over the other two, wherever it stands.
    if let Some(size) = plan.whole {
        (plan.ibs, plan.obs) = (size, size);
    }
    let has = |name: &str| plan.conversions.iter().any(|conversion| conversion == name);
    for (a, b) in [
        ("lcase", "ucase"),
        ("excl", "nocreat"),
        ("block", "unblock"),
    ] {
        if has(a) && has(b) {
            return Err(Stop::failed(format!("cannot combine {a} and {b}")));
        }
    }
    Ok(plan)
}

/// Ends at an argument with a dash: there are only `--help` and `--version`.
fn refuse_option(tool: &str, argument: &[u8]) -> Result<(), Stop> {
    match argument {
        b"--help" => Err(Stop::Status(help::<()>(
            tool,
            "[OPERAND]...",
            "Copy a file, converting and formatting according to the operands.",
            &[],
        ))),
        b"--version" => Err(Stop::Status(version(tool))),
        [b'-', b'-', _, ..] => {
            Err(Usage::new([b"unrecognized option ", &quoted(argument)[..]].concat()).into())
        }
        [b'-', letter, ..] => {
            Err(Usage::new([b"invalid option -- '", &[*letter][..], b"'"].concat()).into())
        }
        _ => Ok(()),
    }
}

impl Plan {
    /// Takes an operand, `NAME=VALUE`.
    fn set(&mut self, operand: &[u8]) -> Result<(), Stop> {
        let unknown = || Usage::new([b"unrecognized operand ", &quoted(operand)[..]].concat());
        let equals = operand.iter().position(|byte| *byte == b'=');
        let (name, value) = operand.split_at(equals.ok_or_else(unknown)?);
        let value = &value[1..];
        match name {
            b"if" => self.input = Some(value.to_vec()),
            b"of" => self.output = Some(value.to_vec()),
            b"bs" => self.whole = Some(block_size(value)?),
            b"ibs" => self.ibs = block_size(value)?,
            b"obs" => self.obs = block_size(value)?,
            b"cbs" => self.cbs = block_size(value)?,
            b"count" => {
                self.count = Some(size(value, 0)?);
                if value.ends_with(b"B") {
                    self.iflags.push("count_bytes".into());
                }
            }
            b"skip" | b"iseek" => self.skip = size(value, 0)?,
            b"seek" | b"oseek" => self.seek = size(value, 0)?,
            b"conv" => self.conversions = words(value, "conversion", CONVERSIONS)?,
            b"iflag" => self.iflags.extend(words(value, "input flag", FLAGS)?),
            b"oflag" => self.oflags.extend(words(value, "output flag", FLAGS)?),
            b"status" => {
                self.status = match value {
                    b"none" => Status::None,
                    b"noxfer" => Status::NoTransfer,
                    b"progress" => Status::All,
                    _ => {
                        let message = [b"invalid status level: ", &quoted(value)[..]].concat();
                        return Err(Usage::new(message).into());
                    }
                };
            }
            _ => return Err(unknown().into()),
        }
        Ok(())
    }
}

/// A number that is not below `least`.
fn size(text: &[u8], least: u64) -> Result<u64, Stop> {
    number(text)
        .filter(|size| *size >= least)
        .ok_or_else(|| Stop::failed([b"invalid number: ", &quoted(text)[..]].concat()))
}

/// The size of a block.
fn block_size(text: &[u8]) -> Result<usize, Stop> {
    let size = size(text, 1)?;
    if size > LARGEST {
        let why: &[u8] = b": Value too large for defined data type";
        return Err(Stop::failed(
            [b"invalid number: ", &quoted(text)[..], why].concat(),
        ));
    }
    Ok(size as usize)
}

const CONVERSIONS: &[&str] = &[
    "block",
    "unblock",
    "lcase",
    "ucase",
    "sparse",
    "swab",
    "sync",
    "excl",
    "nocreat",
    "notrunc",
    "noerror",
    "fdatasync",
    "fsync",
];
const FLAGS: &[&str] = &[
    "append",
    "fullblock",
    "count_bytes",
    "skip_bytes",
    "seek_bytes",
    "nofollow",
    "directory",
    "dsync",
    "sync",
];

fn words(value: &[u8], what: &str, known: &[&str]) -> Result<Vec<String>, Usage> {
    let mut found = Vec::new();
    for word in value.split(|byte| *byte == b',') {
        let text = String::from_utf8_lossy(word).into_owned();
        if !known.contains(&text.as_str()) {
            return Err(Usage::new(
                [b"invalid ", what.as_bytes(), b": ", &quoted(word)].concat(),
            ));
        }
        found.push(text);
    }
    Ok(found)
}

/// `10`, `1k`, `2x512`, `1MB`.
fn number(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let mut product: u64 = 1;
    for part in text.split('x') {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let value: u64 = part[..digits].parse().ok()?;
        let unit: u64 = match &part[digits..] {
            "" | "c" | "B" => 1,
            "w" => 2,
            "b" => 512,
            "kB" | "KB" => 1000,
            "k" | "K" | "KiB" => 1 << 10,
            "MB" => 1_000_000,
            "M" | "MiB" => 1 << 20,
            "GB" => 1_000_000_000,
            "G" | "GiB" => 1 << 30,
            "TB" => 1_000_000_000_000,
            "T" | "TiB" => 1 << 40,
            _ => return None,
        };
        product = product.checked_mul(value.checked_mul(unit)?)?;
    }
    Some(product)
}

enum Input {
    Stdin,
    File(File),
}

impl Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Stdin => Stdin.read(buffer),
            Input::File(file) => file.read(buffer),
        }
    }
}

enum Target {
    Stdout,
    File(File),
}

struct Copy {
    plan: Plan,
    input: Input,
    output: Target,
    full_in: u64,
    part_in: u64,
    full_out: u64,
    part_out: u64,
    truncated: u64,
    bytes: u64,
    pending: Vec<u8>,
    /// What `block` and `unblock` hold back.
    column: usize,
    odd: Option<u8>,
    spaces: usize,
    status: i32,
}

impl Copy {
    fn has(&self, name: &str) -> bool {
        self.plan
            .conversions
            .iter()
            .any(|conversion| conversion == name)
    }

    fn open(plan: Plan) -> Result<Copy, Vec<u8>> {
        let fail = |name: &[u8], error: &io::Error| {
            [
                b"failed to open ",
                &quoted(name)[..],
                b": ",
                io_text(error).as_bytes(),
            ]
            .concat()
        };
        let input = match &plan.input {
            None => Input::Stdin,
            Some(name) => Input::File(File::open(path(name)).map_err(|error| fail(name, &error))?),
        };
        let conversion = |name: &str| plan.conversions.iter().any(|conversion| conversion == name);
        let output = match &plan.output {
            None => Target::Stdout,
            Some(name) => {
                let mut open = File::options();
                open.write(true);
                if conversion("excl") {
                    open.create_new(true);
                } else {
                    open.create(!conversion("nocreat"));
                }
                let append = plan.oflags.iter().any(|flag| flag == "append");
                open.append(append);
                let file = open.open(path(name)).map_err(|error| fail(name, &error))?;
                let unit = if plan.oflags.iter().any(|flag| flag == "seek_bytes") {
                    1
                } else {
                    plan.obs as u64
                };
                if !conversion("notrunc") && !append {
                    let size = plan.seek.saturating_mul(unit);
                    if size > 0 || file.metadata().is_ok_and(|data| data.is_file()) {
                        file.set_len(size).map_err(|error| {
                            [
                                format!("failed to truncate to {size} bytes in output file ")
                                    .as_bytes(),
                                &quoted(name),
                                b": ",
                                io_text(&error).as_bytes(),
                            ]
                            .concat()
                        })?;
                    }
                }
                Target::File(file)
            }
        };
        Ok(Copy {
            plan,
            input,
            output,
            full_in: 0,
            part_in: 0,
            full_out: 0,
            part_out: 0,
            truncated: 0,
            bytes: 0,
            pending: Vec::new(),
            column: 0,
            odd: None,
            spaces: 0,
            status: 0,
        })
    }

    fn run(&mut self, tool: &str) -> Result<(), Vec<u8>> {
        self.skip(tool)?;
        self.seek()?;
        let flag = |name: &str, flags: &[String]| flags.iter().any(|flag| flag == name);
        let full = flag("fullblock", &self.plan.iflags);
        let mut left_bytes = if flag("count_bytes", &self.plan.iflags) {
            self.plan.count
        } else {
            None
        };
        let mut left_blocks = if left_bytes.is_some() {
            None
        } else {
            self.plan.count
        };
        let mut buffer = vec![0; self.plan.ibs];
        loop {
            if left_blocks == Some(0) || left_bytes == Some(0) {
                break;
            }
            let wanted = left_bytes.map_or(buffer.len(), |left| {
                buffer
                    .len()
                    .min(usize::try_from(left).unwrap_or(usize::MAX))
            });
            let mut got = 0;
            loop {
                match self.input.read(&mut buffer[got..wanted]) {
                    Ok(0) => break,
                    Ok(count) => {
                        got += count;
                        if !full || got == wanted {
                            break;
                        }
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => {
                        let name = self
                            .plan
                            .input
                            .as_ref()
                            .map_or(b"standard input".to_vec(), Clone::clone);
                        self.flush()?;
                        return Err([
                            b"error reading ",
                            &quoted(&name)[..],
                            b": ",
                            io_text(&error).as_bytes(),
                        ]
                        .concat());
                    }
                }
            }
            if got == 0 {
                break;
            }
            if let Some(left) = &mut left_blocks {
                *left -= 1;
            }
            if let Some(left) = &mut left_bytes {
                *left -= got as u64;
            }
            if got == self.plan.ibs {
                self.full_in += 1;
            } else {
                self.part_in += 1;
                if self.has("sync") {
                    let filler = if self.has("block") || self.has("unblock") {
                        b' '
                    } else {
                        0
                    };
                    buffer[got..].fill(filler);
                    got = self.plan.ibs;
                }
            }
            let converts = ["lcase", "ucase", "swab", "block", "unblock"]
                .iter()
                .any(|name| self.has(name));
            if self.plan.whole.is_some() && !converts {
                self.write(&buffer[..got])?;
                continue;
            }
            let block = buffer[..got].to_vec();
            self.convert(block)?;
        }
        self.flush()
    }

    fn skip(&mut self, tool: &str) -> Result<(), Vec<u8>> {
        let by_bytes = self.plan.iflags.iter().any(|flag| flag == "skip_bytes");
        let mut left =
            self.plan
                .skip
                .saturating_mul(if by_bytes { 1 } else { self.plan.ibs as u64 });
        if left == 0 {
            return Ok(());
        }
        if let Input::File(file) = &mut self.input {
            let size = file.metadata().map(|data| (data.is_file(), data.len()));
            if let Ok((true, size)) = size {
                if left > size && self.plan.status != Status::None {
                    let name = self.plan.input.clone().unwrap_or_default();
                    complain(
                        tool,
                        [&quoted(&name)[..], b": cannot skip to specified offset"].concat(),
                    );
                }
                return file
                    .seek(SeekFrom::Start(left))
                    .map(|_| ())
                    .map_err(|error| io_text(&error).into_bytes());
            }
        }
        let mut buffer = vec![0; self.plan.ibs.min(1 << 16)];
        while left > 0 {
            let wanted = buffer
                .len()
                .min(usize::try_from(left).unwrap_or(usize::MAX));
            match self.input.read(&mut buffer[..wanted]) {
                Ok(0) => {
                    if self.plan.status != Status::None {
                        complain(tool, "'standard input': cannot skip to specified offset");
                    }
                    break;
                }
                Ok(count) => left -= count as u64,
                Err(error) => {
                    return Err([
                        b"error reading 'standard input': ",
                        io_text(&error).as_bytes(),
                    ]
                    .concat());
                }
            }
        }
        Ok(())
    }

    fn seek(&mut self) -> Result<(), Vec<u8>> {
        let by_bytes = self.plan.oflags.iter().any(|flag| flag == "seek_bytes");
        let offset = self
            .plan
            .seek
            .saturating_mul(if by_bytes { 1 } else { self.plan.obs as u64 });
        match &mut self.output {
            Target::File(file) if offset > 0 => file
                .seek(SeekFrom::Start(offset))
                .map(|_| ())
                .map_err(|error| io_text(&error).into_bytes()),
            Target::Stdout if offset > 0 => {
                Err(b"'standard output': cannot seek: Illegal seek".to_vec())
            }
            _ => Ok(()),
        }
    }

    fn convert(&mut self, mut block: Vec<u8>) -> Result<(), Vec<u8>> {
        if self.has("swab") {
            if let Some(odd) = self.odd.take() {
                block.insert(0, odd);
            }
            if block.len() % 2 == 1 {
                self.odd = block.pop();
            }
            for pair in block.as_chunks_mut::<2>().0 {
                pair.swap(0, 1);
            }
        }
        if self.has("lcase") {
            block.make_ascii_lowercase();
        } else if self.has("ucase") {
            block.make_ascii_uppercase();
        }
        if self.has("block") && self.plan.cbs > 0 {
            self.block(&block);
        } else if self.has("unblock") && self.plan.cbs > 0 {
            self.unblock(&block);
        } else {
            self.pending.extend_from_slice(&block);
        }
        self.write_full_blocks()
    }

    fn block(&mut self, block: &[u8]) {
        for byte in block {
            if *byte == b'\n' {
                let missing = self.plan.cbs.saturating_sub(self.column);
                self.pending.extend(std::iter::repeat_n(b' ', missing));
                self.column = 0;
            } else {
                if self.column == self.plan.cbs {
                    self.truncated += 1;
                } else if self.column < self.plan.cbs {
                    self.pending.push(*byte);
                }
                self.column += 1;
            }
        }
    }

    fn unblock(&mut self, block: &[u8]) {
        for byte in block {
            if self.column == self.plan.cbs {
                self.pending.push(b'\n');
                (self.column, self.spaces) = (0, 0);
            }
            self.column += 1;
            if *byte == b' ' {
                self.spaces += 1;
            } else {
                self.pending.extend(std::iter::repeat_n(b' ', self.spaces));
                self.spaces = 0;
                self.pending.push(*byte);
            }
        }
    }

    fn write_full_blocks(&mut self) -> Result<(), Vec<u8>> {
        while self.pending.len() >= self.plan.obs {
            let rest = self.pending.split_off(self.plan.obs);
            let block = std::mem::replace(&mut self.pending, rest);
            self.write(&block)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Vec<u8>> {
        if let Some(odd) = self.odd.take() {
            self.pending.push(odd);
        }
        if self.has("block") && self.column > 0 {
            let missing = self.plan.cbs.saturating_sub(self.column);
            self.pending.extend(std::iter::repeat_n(b' ', missing));
            self.column = 0;
        }
        if self.has("unblock") && self.column > 0 {
            self.pending.push(b'\n');
            self.column = 0;
        }
        self.write_full_blocks()?;
        if !self.pending.is_empty() {
            let block = std::mem::take(&mut self.pending);
            self.write(&block)?;
        }
        Ok(())
    }

    fn write(&mut self, block: &[u8]) -> Result<(), Vec<u8>> {
        let done = match &mut self.output {
            Target::Stdout => io::stdout()
                .write_all(block)
                .and_then(|()| io::stdout().flush()),
            Target::File(file) => file.write_all(block),
        };
        if let Err(error) = done {
            let name = self
                .plan
                .output
                .as_ref()
                .map_or(b"standard output".to_vec(), Clone::clone);
            return Err([
                b"error writing ",
                &quoted(&name)[..],
                b": ",
                io_text(&error).as_bytes(),
            ]
            .concat());
        }
        self.bytes += block.len() as u64;
        if block.len() == self.plan.obs {
            self.full_out += 1
        } else {
            self.part_out += 1
        }
        Ok(())
    }

    fn report(&mut self, seconds: f64) {
        if self.plan.status == Status::None {
            return;
        }
        let mut text = format!(
            "{}+{} records in\n{}+{} records out\n",
            self.full_in, self.part_in, self.full_out, self.part_out
        );
        match self.truncated {
            0 => {}
            1 => text += "1 truncated record\n",
            count => text += &format!("{count} truncated records\n"),
        }
        if self.plan.status == Status::All {
            let bytes = self.bytes;
            let unit = if bytes == 1 { "byte" } else { "bytes" };
            let mut shown = format!("{bytes} {unit}");
            if bytes >= 1000 {
                let (si, iec) = (rounded(bytes, 1000), rounded(bytes, 1024));
                shown += &format!(" ({si}B");
                if bytes >= 1024 {
                    shown += &format!(", {iec}iB");
                }
                shown.push(')');
            }
            let speed = if seconds > 0.0 {
                rounded((bytes as f64 / seconds) as u64, 1000)
            } else {
                "Infinity ".into()
            };
            text += &format!("{shown} copied, {} s, {speed}B/s\n", short(seconds));
        }
        // Where standard error is gone there is nobody to tell.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// As `printf %g` shows it.
fn short(seconds: f64) -> String {
    if seconds <= 0.0 {
        return "0".into();
    }
    let places = (5 - seconds.log10().floor() as i64).clamp(0, 12) as usize;
    let text = format!("{seconds:.places$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// `1.2 k`: rounded to nearest, one digit behind the point below ten.
fn rounded(bytes: u64, base: u64) -> String {
    let letters: [&str; 7] = if base == 1000 {
        ["", "k", "M", "G", "T", "P", "E"]
    } else {
        ["", "K", "M", "G", "T", "P", "E"]
    };
    let (mut value, mut power) = (bytes as f64, 0);
    while value >= base as f64 && power < letters.len() - 1 {
        value /= base as f64;
        power += 1;
    }
    if power == 0 {
        return format!("{bytes} ");
    }
    let tenths = (value * 10.0).round_ties_even() / 10.0;
    if tenths < 10.0 {
        format!("{tenths:.1} {}", letters[power])
    } else {
        format!("{:.0} {}", value.round_ties_even(), letters[power])
    }
}
