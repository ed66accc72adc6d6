//! `xz`, `unxz`, `xzcat`, `lzma`, `unlzma`, `lzcat`.

mod list;

use std::io::{self, BufRead as _};

use codepod_tool::{Arguments, Found, Opt, Options, Value, flag, io_text, long, path, value};
use liblzma::stream::Check;

use crate::codec::{Effort, Format, Reader, Writer, XzSettings, trouble};
use crate::files::{self, Counted, Sink};
use crate::system::{self, Meta};

#[derive(Debug, Clone, Copy)]
enum Key {
    Compress,
    Decompress,
    Test,
    List,
    Keep,
    Force,
    Stdout,
    Suffix,
    Files(u8),
    FormatName,
    Check,
    Level(u32),
    Extreme,
    Threads,
    Memory,
    Quiet,
    Verbose,
    NoWarn,
    Robot,
    Help,
    Version,
    SingleStream,
    Harmless,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Compress, b'z', "compress"),
    flag(Key::Decompress, b'd', "decompress"),
    flag(Key::Decompress, b'd', "uncompress"),
    flag(Key::Test, b't', "test"),
    flag(Key::List, b'l', "list"),
    flag(Key::Keep, b'k', "keep"),
    flag(Key::Force, b'f', "force"),
    flag(Key::Stdout, b'c', "stdout"),
    flag(Key::Stdout, b'c', "to-stdout"),
    value(Key::Suffix, b'S', "suffix"),
    long(Key::Files(b'\n'), "files", Value::Optional),
    long(Key::Files(0), "files0", Value::Optional),
    value(Key::FormatName, b'F', "format"),
    value(Key::Check, b'C', "check"),
    flag(Key::Level(0), b'0', "fast"),
    flag(Key::Level(1), b'1', ""),
    flag(Key::Level(2), b'2', ""),
    flag(Key::Level(3), b'3', ""),
    flag(Key::Level(4), b'4', ""),
    flag(Key::Level(5), b'5', ""),
    flag(Key::Level(6), b'6', ""),
    flag(Key::Level(7), b'7', ""),
    flag(Key::Level(8), b'8', ""),
    flag(Key::Level(9), b'9', "best"),
    flag(Key::Extreme, b'e', "extreme"),
    value(Key::Threads, b'T', "threads"),
    value(Key::Memory, b'M', "memlimit"),
    long(Key::Memory, "memlimit-compress", Value::Required),
    long(Key::Memory, "memlimit-decompress", Value::Required),
    flag(Key::Quiet, b'q', "quiet"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::NoWarn, b'Q', "no-warn"),
    long(Key::Robot, "robot", Value::None),
    flag(Key::Help, b'h', "help"),
    flag(Key::Help, b'H', "long-help"),
    flag(Key::Version, b'V', "version"),
    long(Key::SingleStream, "single-stream", Value::None),
    long(Key::Harmless, "no-sparse", Value::None),
    long(Key::Harmless, "no-adjust", Value::None),
];

const HELP: &str = "\
Usage: xz [OPTION]... [FILE]...
Compress or decompress FILEs in the .xz format.

  -z, --compress      force compression
  -d, --decompress    force decompression
  -t, --test          test compressed file integrity
  -l, --list          list information about .xz files
  -k, --keep          keep (don't delete) input files
  -f, --force         force overwrite of output file and (de)compress links
  -c, --stdout        write to standard output and don't delete input files
  -0 ... -9           compression preset; default is 6
  -e, --extreme       try to improve compression ratio by using more CPU time
  -F, --format=FMT    auto, xz, lzma or alone
  -C, --check=CHECK   none, crc32, crc64 (default), sha256
  -S, --suffix=.SUF   use the suffix .SUF on compressed files
      --files[=FILE], --files0[=FILE]   read filenames to process from FILE
  -T, --threads=NUM   accepted; there is one thread
  -M, --memlimit=LIMIT   accepted; the sandbox's limit holds
  -q, --quiet         suppress warnings; specify twice to suppress errors too
  -Q, --no-warn       make warnings not affect the exit status
  -v, --verbose       be verbose
      --robot         use machine-parsable messages (useful for scripts)

With no FILE, or when FILE is -, read standard input.
";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Compress,
    Decompress,
    Test,
    List,
}

struct Xz {
    tool: String,
    mode: Mode,
    /// The format that is written, and the only one that is read; none for what the data say.
    format: Option<Format>,
    stdout: bool,
    keep: bool,
    force: bool,
    settings: XzSettings,
    suffix: Option<Vec<u8>>,
    quiet: u32,
    verbose: bool,
    no_warn: bool,
    robot: bool,
    status: i32,
}

/// `xz`, and by its other names.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let older = tool.contains("lz");
    let mut xz = Xz {
        tool: tool.to_owned(),
        mode: match tool {
            "xz" | "lzma" => Mode::Compress,
            _ => Mode::Decompress,
        },
        format: older.then_some(Format::Lzma),
        stdout: tool.ends_with("cat"),
        keep: false,
        force: false,
        settings: XzSettings::of_level(6),
        suffix: None,
        quiet: 0,
        verbose: false,
        no_warn: false,
        robot: false,
        status: 0,
    };
    let mut names = Vec::new();
    let mut lists = Vec::new();
    let mut options = Options::new(TABLE, arguments);
    loop {
        match options.next() {
            Ok(None) => break,
            Ok(Some(Found::Operand(name))) => names.push(name),
            Ok(Some(Found::Option(Key::Files(end), file))) => lists.push((end, file)),
            Ok(Some(Found::Option(key, value))) => {
                if let Some(status) = xz.set(key, value) {
                    return status;
                }
            }
            Err(usage) => {
                eprintln!("{tool}: {usage}\n{tool}: Try `{tool} --help' for more information.");
                return 1;
            }
        }
    }
    xz.run(names, lists)
}

impl Xz {
    fn usage(&self, message: &str) -> Option<i32> {
        eprintln!(
            "{0}: {message}\n{0}: Try `{0} --help' for more information.",
            self.tool
        );
        Some(1)
    }

    /// Takes an option; a status ends the program.
    fn set(&mut self, key: Key, value: Option<Vec<u8>>) -> Option<i32> {
        let value = value.unwrap_or_default();
        let shown = String::from_utf8_lossy(&value).into_owned();
        match key {
            Key::Compress => self.mode = Mode::Compress,
            Key::Decompress => self.mode = Mode::Decompress,
            Key::Test => self.mode = Mode::Test,
            Key::List => self.mode = Mode::List,
            Key::Keep => self.keep = true,
            Key::Force => self.force = true,
            Key::Stdout => self.stdout = true,
            Key::Suffix => {
                if value.is_empty() || value.contains(&b'/') {
                    eprintln!("{}: {shown}: Invalid filename suffix", self.tool);
                    return Some(1);
                }
                self.suffix = Some(value);
            }
            Key::FormatName => match &value[..] {
                b"auto" => self.format = None,
                b"xz" => self.format = Some(Format::Xz),
                b"lzma" | b"alone" => self.format = Some(Format::Lzma),
                b"raw" | b"lzip" => {
                    eprintln!("{}: the format {shown} is not supported here", self.tool);
                    return Some(1);
                }
                _ => {
                    eprintln!("{}: {shown}: Unknown file format type", self.tool);
                    return Some(1);
                }
            },
            Key::Check => {
                self.settings.check = match &value[..] {
                    b"none" => Check::None,
                    b"crc32" => Check::Crc32,
                    b"crc64" => Check::Crc64,
                    b"sha256" => Check::Sha256,
                    _ => {
                        eprintln!("{}: {shown}: Unsupported integrity check type", self.tool);
                        return Some(1);
                    }
                }
            }
            Key::Level(level) => self.settings.level = level,
            Key::Extreme => self.settings.extreme = true,
            Key::Threads => {
                if shown.trim_start_matches('+').parse::<u32>().is_err() {
                    eprintln!(
                        "{}: {shown}: Value is not a non-negative decimal integer",
                        self.tool
                    );
                    return Some(1);
                }
            }
            Key::Memory | Key::Harmless | Key::Files(_) => {}
            Key::SingleStream => return self.usage("--single-stream is not supported here"),
            Key::Quiet => self.quiet += 1,
            Key::Verbose => self.verbose = true,
            Key::NoWarn => self.no_warn = true,
            Key::Robot => self.robot = true,
            Key::Help => {
                print!("{HELP}");
                return Some(0);
            }
            Key::Version => {
                println!("xz (XZ Utils) 5.4.1\nliblzma 5.4.1");
                return Some(0);
            }
        }
        None
    }

    fn run(&mut self, mut names: Arguments, lists: Vec<(u8, Option<Vec<u8>>)>) -> i32 {
        for (end, file) in lists {
            match self.read_names(end, file) {
                Ok(more) => names.extend(more),
                Err(error) => {
                    self.error(&io_text(&error));
                    return 1;
                }
            }
        }
        if self.mode == Mode::List {
            let names = if names.is_empty() {
                vec![b"-".to_vec()]
            } else {
                names
            };
            list::run(self, &names);
        } else if names.is_empty() {
            self.treat(None);
        } else {
            for name in names {
                self.treat(
                    Some(&name)
                        .filter(|name| name[..] != *b"-")
                        .map(Vec::as_slice),
                );
            }
        }
        if self.status == 2 && self.no_warn {
            0
        } else {
            self.status
        }
    }

    fn read_names(&self, end: u8, file: Option<Vec<u8>>) -> io::Result<Arguments> {
        let mut input = files::input(file.as_deref().filter(|file| *file != b"-"))?;
        let mut names = Vec::new();
        loop {
            let mut name = Vec::new();
            if input.read_until(end, &mut name)? == 0 {
                return Ok(names);
            }
            if name.last() == Some(&end) {
                name.pop();
            }
            if !name.is_empty() {
                names.push(name);
            }
        }
    }

    fn error(&mut self, message: &str) {
        if self.quiet < 2 {
            eprintln!("{}: {message}", self.tool);
        }
        self.status = 1;
    }

    fn warn(&mut self, message: &str) {
        if self.quiet < 1 {
            eprintln!("{}: {message}", self.tool);
        }
        if self.status == 0 {
            self.status = 2;
        }
    }

    fn treat(&mut self, name: Option<&[u8]>) {
        let shown = name.map_or("(stdin)".into(), |name| {
            String::from_utf8_lossy(name).into_owned()
        });
        let to_file = name.is_some() && !self.stdout && self.mode != Mode::Test;
        let Some(meta) = self.look(name, &shown, to_file) else {
            return;
        };
        let mut input = match files::input(name) {
            Ok(input) => input,
            Err(error) => return self.error(&format!("{shown}: {}", io_text(&error))),
        };
        let format = if self.mode == Mode::Compress {
            Some(self.format.unwrap_or(Format::Xz))
        } else {
            let start = input.fill_buf().unwrap_or_default();
            match (Format::of(start), self.format) {
                (Some(found @ (Format::Xz | Format::Lzma)), wanted)
                    if wanted.is_none_or(|wanted| wanted == found) =>
                {
                    Some(found)
                }
                _ => None,
            }
        };
        let passes = self.mode == Mode::Decompress && self.force && self.stdout;
        if format.is_none() && !passes {
            return self.error(&format!("{shown}: File format not recognized"));
        }
        let output = match name {
            Some(name) if to_file => match self.output_name(name, &shown) {
                Some(output) => output,
                None => return,
            },
            _ => Vec::new(),
        };
        let mut sink = if self.mode == Mode::Test {
            Sink::Nowhere
        } else if !to_file {
            if self.mode == Mode::Compress && io::IsTerminal::is_terminal(&io::stdout()) {
                return self.error("Compressed data cannot be written to a terminal");
            }
            Sink::stdout()
        } else {
            match self.create(&output) {
                Some(sink) => sink,
                None => return,
            }
        };
        let result = self.convert(format, &mut input, &mut sink);
        match result {
            Ok((read, written)) => {
                if self.verbose {
                    let (packed, plain) = match self.mode {
                        Mode::Compress => (written, read),
                        _ => (read, written),
                    };
                    eprintln!(
                        "{shown}: {} / {} {}",
                        list::size(packed),
                        list::size(plain),
                        list::speed_ratio(packed, plain)
                    );
                }
                if to_file {
                    sink.take_after(&meta, meta.modified);
                    if let (false, Some(name)) = (self.keep, name) {
                        // What was made is complete; a name that stays is no loss.
                        let _ = std::fs::remove_file(path(name));
                    }
                }
            }
            Err(error) => {
                sink.discard();
                let text = match trouble(&error) {
                    Some(trouble) => trouble.to_string(),
                    None => io_text(&error),
                };
                self.error(&format!("{shown}: {text}"));
            }
        }
    }

    /// What is known of the file, unless it is to be left alone.
    fn look(&mut self, name: Option<&[u8]>, shown: &str, to_file: bool) -> Option<Meta> {
        let Some(name) = name else {
            return Some(Meta::default());
        };
        let follow = !to_file || self.force || self.keep;
        let meta = match system::stat(name, follow) {
            Ok(meta) => meta,
            Err(error) => {
                self.error(&format!("{shown}: {}", io_text(&error)));
                return None;
            }
        };
        let why = match meta.kind() {
            system::SYMLINK => "Is a symbolic link, skipping",
            system::DIRECTORY => "Is a directory, skipping",
            system::REGULAR if to_file && meta.links > 1 && !self.force && !self.keep => {
                "Input file has more than one hard link, skipping"
            }
            system::REGULAR => return Some(meta),
            _ if !to_file => return Some(meta),
            _ => "Not a regular file, skipping",
        };
        self.warn(&format!("{shown}: {why}"));
        None
    }

    fn output_name(&mut self, name: &[u8], shown: &str) -> Option<Vec<u8>> {
        let own = self.suffix.clone();
        let usual: &[u8] = match self.format {
            Some(Format::Lzma) => b".lzma",
            _ => b".xz",
        };
        if self.mode == Mode::Compress {
            let taken: [&[u8]; 2] = match self.format {
                Some(Format::Lzma) => [b".lzma", b".tlz"],
                _ => [b".xz", b".txz"],
            };
            let own = own.as_deref().unwrap_or(usual);
            for suffix in taken.into_iter().chain([own]) {
                if name.len() > suffix.len() && name.ends_with(suffix) {
                    let suffix = String::from_utf8_lossy(suffix).into_owned();
                    self.warn(&format!(
                        "{shown}: File already has `{suffix}' suffix, skipping"
                    ));
                    return None;
                }
            }
            return Some([name, own].concat());
        }
        let known: [(&[u8], &[u8]); 4] = [
            (b".xz", b""),
            (b".txz", b".tar"),
            (b".lzma", b""),
            (b".tlz", b".tar"),
        ];
        let own = own.iter().map(|suffix| (&suffix[..], &b""[..]));
        for (suffix, plain) in known.into_iter().chain(own) {
            let older = suffix == b".lzma" || suffix == b".tlz";
            let fits = match self.format {
                Some(Format::Xz) => !older,
                Some(Format::Lzma) => older || !known.iter().any(|(known, _)| *known == suffix),
                _ => true,
            };
            if fits && name.len() > suffix.len() && name.ends_with(suffix) {
                return Some([&name[..name.len() - suffix.len()], plain].concat());
            }
        }
        self.warn(&format!(
            "{shown}: Filename has an unknown suffix, skipping"
        ));
        None
    }

    fn create(&mut self, output: &[u8]) -> Option<Sink> {
        if self.force {
            // If it cannot be removed, making it fails and says why.
            let _ = std::fs::remove_file(path(output));
        }
        match Sink::create(output) {
            Ok(sink) => Some(sink),
            Err(error) => {
                let shown = String::from_utf8_lossy(output).into_owned();
                self.error(&format!("{shown}: {}", io_text(&error)));
                None
            }
        }
    }

    /// Encodes or decodes; returns the bytes read and written.
    fn convert(
        &self,
        format: Option<Format>,
        input: &mut files::Input,
        sink: &mut Sink,
    ) -> io::Result<(u64, u64)> {
        let mut out = Counted::new(sink);
        let Some(format) = format else {
            let count = files::copy(input, &mut out)?;
            return Ok((count, count));
        };
        if self.mode == Mode::Compress {
            let mut writer = match format {
                Format::Lzma => {
                    Writer::new(format, Effort::Level(self.settings.level as i32), &mut out)?
                }
                _ => Writer::xz(&self.settings, &mut out)?,
            };
            let read = files::copy(input, &mut writer)?;
            writer.finish()?;
            return Ok((read, out.count()));
        }
        let mut reader = Reader::new(format, &mut *input)?;
        files::copy(&mut reader, &mut out)?;
        Ok((input.get_ref().count(), out.count()))
    }
}
