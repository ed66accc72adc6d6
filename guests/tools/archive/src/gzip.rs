//! `gzip`, `gunzip`, `zcat`.

mod list;

use std::io::{self, BufRead as _, Write as _};

use codepod_tool::{
    Arguments, Found, Opt, Options, Value, complain, flag, io_text, long, path, value,
};

use crate::codec::{Format, GzipReader, GzipWriter, Header, Trouble, trouble};
use crate::files::{self, Counted, Sink};
use crate::system::{self, Meta, Moment};

#[derive(Debug, Clone, Copy)]
enum Key {
    Ascii,
    Stdout,
    Decompress,
    Force,
    Help,
    Keep,
    List,
    License,
    NoName,
    Name,
    Quiet,
    Recursive,
    Suffix,
    Test,
    Verbose,
    Version,
    Level(u32),
    Synchronous,
    Rsyncable,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Ascii, b'a', "ascii"),
    flag(Key::Stdout, b'c', "to-stdout"),
    flag(Key::Stdout, b'c', "stdout"),
    flag(Key::Decompress, b'd', "decompress"),
    flag(Key::Decompress, b'd', "uncompress"),
    flag(Key::Force, b'f', "force"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Keep, b'k', "keep"),
    flag(Key::List, b'l', "list"),
    flag(Key::License, b'L', "license"),
    flag(Key::NoName, b'n', "no-name"),
    flag(Key::Name, b'N', "name"),
    flag(Key::Quiet, b'q', "quiet"),
    flag(Key::Quiet, b'q', "silent"),
    flag(Key::Recursive, b'r', "recursive"),
    value(Key::Suffix, b'S', "suffix"),
    flag(Key::Test, b't', "test"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Version, b'V', "version"),
    flag(Key::Level(1), b'1', "fast"),
    flag(Key::Level(2), b'2', ""),
    flag(Key::Level(3), b'3', ""),
    flag(Key::Level(4), b'4', ""),
    flag(Key::Level(5), b'5', ""),
    flag(Key::Level(6), b'6', ""),
    flag(Key::Level(7), b'7', ""),
    flag(Key::Level(8), b'8', ""),
    flag(Key::Level(9), b'9', "best"),
    long(Key::Synchronous, "synchronous", Value::None),
    long(Key::Rsyncable, "rsyncable", Value::None),
];

const HELP: &str = "\
Usage: gzip [OPTION]... [FILE]...
Compress or uncompress FILEs (by default, compress FILES in-place).

  -c, --stdout      write on standard output, keep original files unchanged
  -d, --decompress  decompress
  -f, --force       force overwrite of output file and compress links
  -k, --keep        keep (don't delete) input files
  -l, --list        list compressed file contents
  -n, --no-name     do not save or restore the original name and timestamp
  -N, --name        save or restore the original name and timestamp
  -q, --quiet       suppress all warnings
  -r, --recursive   operate recursively on directories
  -S, --suffix=SUF  use suffix SUF on compressed files
  -t, --test        test compressed file integrity
  -v, --verbose     verbose mode
  -1, --fast ... -9, --best   how much effort; 6 without this
      --synchronous, --rsyncable   accepted; they change nothing here

With no FILE, or when FILE is -, read standard input.
";

/// The program's settings and what it has come to.
struct Gzip {
    stdout: bool,
    decompress: bool,
    force: bool,
    keep: bool,
    list: bool,
    name: Option<bool>,
    quiet: bool,
    recursive: bool,
    suffix: Vec<u8>,
    test: bool,
    verbose: bool,
    level: u32,
    status: i32,
    /// Files, compressed and uncompressed bytes that were listed, and the header of the last.
    listed: (u64, u64, u64, u64),
}

/// What becomes of a run after a mistake.
enum Stop {
    /// The next file.
    Next,
    /// Nothing more.
    All,
}

/// `gzip`, and by its other names.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut gzip = Gzip {
        stdout: tool == "zcat",
        decompress: tool != "gzip",
        force: false,
        keep: false,
        list: false,
        name: None,
        quiet: false,
        recursive: false,
        suffix: b".gz".to_vec(),
        test: false,
        verbose: false,
        level: 6,
        status: 0,
        listed: (0, 0, 0, 0),
    };
    let mut names = Vec::new();
    let mut options = Options::new(TABLE, arguments);
    loop {
        match options.next() {
            Ok(None) => break,
            Ok(Some(Found::Operand(name))) => names.push(name),
            Ok(Some(Found::Option(key, value))) => {
                if let Some(status) = gzip.set(key, value) {
                    return status;
                }
            }
            Err(usage) => {
                complain("gzip", &usage.message);
                eprintln!("Try `gzip --help' for more information.");
                return 1;
            }
        }
    }
    gzip.run(names)
}

impl Gzip {
    /// Takes an option; a status ends the program.
    fn set(&mut self, key: Key, value: Option<Vec<u8>>) -> Option<i32> {
        match key {
            Key::Ascii | Key::Synchronous | Key::Rsyncable => {}
            Key::Stdout => self.stdout = true,
            Key::Decompress => self.decompress = true,
            Key::Force => self.force = true,
            Key::Keep => self.keep = true,
            Key::List => {
                self.list = true;
                self.decompress = true;
            }
            Key::NoName => self.name = Some(false),
            Key::Name => self.name = Some(true),
            Key::Quiet => {
                self.quiet = true;
                self.verbose = false;
            }
            Key::Recursive => self.recursive = true,
            Key::Suffix => {
                self.suffix = value.unwrap_or_default();
                if self.suffix.is_empty() || self.suffix.contains(&b'/') {
                    let shown = String::from_utf8_lossy(&self.suffix).into_owned();
                    complain("gzip", format!("invalid suffix '{shown}'"));
                    return Some(1);
                }
            }
            Key::Test => {
                self.test = true;
                self.decompress = true;
            }
            Key::Verbose => {
                self.verbose = true;
                self.quiet = false;
            }
            Key::Level(level) => self.level = level,
            Key::Help | Key::License | Key::Version => {
                let text = match key {
                    Key::Help => HELP,
                    _ => "gzip 1.12 (codepod)\n",
                };
                print!("{text}");
                return Some(0);
            }
        }
        None
    }

    fn run(&mut self, names: Arguments) -> i32 {
        if names.is_empty() {
            let _ = self.treat_stdin();
        }
        for name in names {
            let done = if name == b"-" {
                self.treat_stdin()
            } else {
                self.treat(&name)
            };
            if matches!(done, Err(Stop::All)) {
                break;
            }
        }
        if self.list {
            self.list_totals();
        }
        if let Err(error) = io::stdout().flush() {
            complain("gzip", format!("stdout: {}", io_text(&error)));
            return 1;
        }
        self.status
    }

    fn fail(&mut self, message: &str) -> Result<(), Stop> {
        complain("gzip", message);
        self.status = 1;
        Err(Stop::Next)
    }

    fn warn(&mut self, message: &str) -> Result<(), Stop> {
        if !self.quiet {
            complain("gzip", message);
        }
        if self.status == 0 {
            self.status = 2;
        }
        Err(Stop::Next)
    }

    fn treat_stdin(&mut self) -> Result<(), Stop> {
        let terminal = if self.decompress {
            io::IsTerminal::is_terminal(&io::stdin())
        } else {
            io::IsTerminal::is_terminal(&io::stdout())
        };
        if terminal && !self.force && !self.list {
            let (what, how) = if self.decompress {
                ("read from", "de")
            } else {
                ("written to", "")
            };
            eprintln!(
                "gzip: compressed data not {what} a terminal. Use -f to force {how}compression.\nFor help, type: gzip -h"
            );
            self.status = 1;
            return Err(Stop::All);
        }
        let mut input = match files::input(None) {
            Ok(input) => input,
            Err(error) => return self.fail(&format!("stdin: {}", io_text(&error))),
        };
        if self.list {
            return self.list_one(&mut input, "stdin", b"stdout", Moment::default());
        }
        let mut sink = if self.test {
            Sink::Nowhere
        } else {
            Sink::stdout()
        };
        if self.decompress {
            self.unpack(&mut input, "stdin", &mut sink)?;
            if self.test && self.verbose {
                eprintln!(" OK");
            }
            return Ok(());
        }
        let modified = system::stat_open(&io::stdin()).map_or(Moment::default(), |meta| {
            if meta.kind() == system::REGULAR {
                meta.modified
            } else {
                Moment::default()
            }
        });
        let header = Header {
            name: None,
            modified: self.stored_time(modified),
        };
        let (plain, packed, start) = self.pack(&mut input, "stdin", &header, &mut sink)?;
        if self.verbose {
            eprintln!("{}", ratio(plain, packed, start));
        }
        Ok(())
    }

    fn stored_time(&self, modified: Moment) -> u32 {
        if self.name == Some(false) {
            return 0;
        }
        u32::try_from(modified.seconds).unwrap_or(0)
    }

    fn treat(&mut self, name: &[u8]) -> Result<(), Stop> {
        let (found, meta) = self.find(name)?;
        if meta.is_directory() {
            return self.treat_directory(&found, &String::from_utf8_lossy(name));
        }
        let name = &found[..];
        let shown = &String::from_utf8_lossy(name)[..];
        let copies = self.stdout || self.test || self.list;
        if !copies {
            self.check_kind(&meta, shown)?;
        }
        let output = self.output_name(name, shown, copies)?;
        let mut input = self.open(name, shown)?;
        if self.list {
            return self.list_one(&mut input, shown, &output, meta.modified);
        }
        if !self.decompress {
            return self.pack_file(name, shown, &meta, &mut input, &output);
        }
        if self.name == Some(true) && !copies {
            let (output, modified) = stored_name(&mut input, output, meta.modified);
            // From the start again: the header is read once more.
            input = self.open(name, shown)?;
            return self.unpack_file(name, shown, &meta, &mut input, (&output, modified));
        }
        self.unpack_file(name, shown, &meta, &mut input, (&output, meta.modified))
    }

    fn open(&mut self, name: &[u8], shown: &str) -> Result<files::Input, Stop> {
        match files::input(Some(name)) {
            Ok(input) => Ok(input),
            Err(error) => {
                self.fail(&format!("{shown}: {}", io_text(&error)))?;
                Err(Stop::Next)
            }
        }
    }

    /// Only a regular file with one name is replaced.
    fn check_kind(&mut self, meta: &Meta, shown: &str) -> Result<(), Stop> {
        if meta.kind() == system::SYMLINK {
            return self.fail(&format!("{shown}: Too many levels of symbolic links"));
        }
        if meta.kind() != system::REGULAR {
            return self.warn(&format!(
                "{shown} is not a directory or a regular file - ignored"
            ));
        }
        if meta.links > 1 && !self.force && !self.keep {
            let others = meta.links - 1;
            let s = if others == 1 { "" } else { "s" };
            return self.warn(&format!(
                "{shown} has {others} other link{s} -- file ignored"
            ));
        }
        Ok(())
    }

    /// Unpacks to a file of this name and time.
    fn unpack_file(
        &mut self,
        name: &[u8],
        shown: &str,
        meta: &Meta,
        input: &mut files::Input,
        (output, modified): (&[u8], Moment),
    ) -> Result<(), Stop> {
        let output_shown = String::from_utf8_lossy(output);
        if self.verbose {
            eprint!("{shown}:\t");
        }
        let mut sink = self.sink(output, &output_shown)?;
        match self.unpack(input, shown, &mut sink) {
            Ok((plain, packed, start)) => {
                if self.verbose {
                    if self.test {
                        eprintln!(" OK");
                    } else {
                        self.tell(plain, packed, start, &output_shown);
                    }
                }
                self.done(name, shown, sink, meta, modified)
            }
            Err(stop) => {
                sink.discard();
                Err(stop)
            }
        }
    }

    /// The file that a name means: when unpacking, also with a suffix.
    fn find(&mut self, name: &[u8]) -> Result<(Vec<u8>, Meta), Stop> {
        let follow = self.stdout || self.test || self.list || self.force;
        let mut error = match system::stat(name, follow) {
            Ok(meta) => return Ok((name.to_vec(), meta)),
            Err(error) => error,
        };
        let mut missing = name.to_vec();
        if self.decompress
            && error.kind() == io::ErrorKind::NotFound
            && self.plain_name(name).is_none()
        {
            let own = self.suffix.clone();
            for suffix in [&own[..], b".gz", b".z", b"-z", b".Z"] {
                let longer = [name, suffix].concat();
                match system::stat(&longer, follow) {
                    Ok(meta) => return Ok((longer, meta)),
                    Err(_) if missing.len() > name.len() => {}
                    Err(other) => {
                        error = other;
                        missing = longer;
                    }
                }
            }
        }
        let shown = String::from_utf8_lossy(&missing).into_owned();
        self.fail(&format!("{shown}: {}", io_text(&error)))?;
        Err(Stop::Next)
    }

    fn treat_directory(&mut self, name: &[u8], shown: &str) -> Result<(), Stop> {
        if !self.recursive {
            return self.warn(&format!("{shown} is a directory -- ignored"));
        }
        let mut names = match system::list(name) {
            Ok(names) => names,
            Err(error) => return self.fail(&format!("{shown}: {}", io_text(&error))),
        };
        names.sort();
        for inner in names {
            let inner = system::join(name, &inner);
            // What a pattern of the shell would leave out is left out without a word.
            let packed = self.plain_name(&inner).is_some();
            let is_directory = system::stat(&inner, false).is_ok_and(|meta| meta.is_directory());
            if !is_directory && packed != self.decompress && !self.stdout {
                continue;
            }
            if let Err(Stop::All) = self.treat(&inner) {
                return Err(Stop::All);
            }
        }
        Ok(())
    }

    /// The name without its suffix, if it has one.
    fn plain_name(&self, name: &[u8]) -> Option<Vec<u8>> {
        let own = &self.suffix[..];
        let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
        for suffix in [
            own, b".gz", b".z", b".taz", b".tgz", b"-gz", b"-z", b"_z", b".Z",
        ] {
            let Some(start) = name.len().checked_sub(suffix.len()) else {
                continue;
            };
            if last.len() > suffix.len() && name[start..].eq_ignore_ascii_case(suffix) {
                let mut plain = name[..start].to_vec();
                if suffix == b".tgz" || suffix == b".taz" {
                    plain.extend_from_slice(b".tar");
                }
                return Some(plain);
            }
        }
        None
    }

    fn output_name(&mut self, name: &[u8], shown: &str, copies: bool) -> Result<Vec<u8>, Stop> {
        if self.decompress {
            return match self.plain_name(name) {
                Some(plain) if !self.stdout || self.list => Ok(plain),
                _ if self.list => Ok(name.to_vec()),
                _ if copies => Ok(b"stdout".to_vec()),
                Some(plain) => Ok(plain),
                None => {
                    if self.recursive {
                        return Err(Stop::Next);
                    }
                    self.warn(&format!("{shown}: unknown suffix -- ignored"))?;
                    Err(Stop::Next)
                }
            };
        }
        if self.stdout {
            return Ok(b"stdout".to_vec());
        }
        if self.plain_name(name).is_some() && !self.force {
            let at = shown.rfind(['.', '-', '_']).unwrap_or(0);
            let suffix = &shown[at..];
            if !self.quiet {
                complain(
                    "gzip",
                    format!("{shown} already has {suffix} suffix -- unchanged"),
                );
            }
            return Err(Stop::Next);
        }
        Ok([name, &self.suffix].concat())
    }

    /// The output, made new. What is there is overwritten only when that is wanted.
    fn sink(&mut self, output: &[u8], shown: &str) -> Result<Sink, Stop> {
        if self.test {
            return Ok(Sink::Nowhere);
        }
        if self.stdout {
            return Ok(Sink::stdout());
        }
        if self.force {
            // If it cannot be removed, making it fails and says why.
            let _ = std::fs::remove_file(path(output));
        }
        match Sink::create(output) {
            Ok(sink) => Ok(sink),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !self.quiet {
                    eprintln!("gzip: {shown} already exists;\tnot overwritten");
                }
                self.status = if self.status == 0 { 2 } else { self.status };
                Err(Stop::Next)
            }
            Err(error) => {
                self.fail(&format!("{shown}: {}", io_text(&error)))?;
                Err(Stop::Next)
            }
        }
    }

    fn pack_file(
        &mut self,
        name: &[u8],
        shown: &str,
        meta: &Meta,
        input: &mut files::Input,
        output: &[u8],
    ) -> Result<(), Stop> {
        let output_shown = String::from_utf8_lossy(output).into_owned();
        let mut sink = self.sink(output, &output_shown)?;
        let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
        let header = Header {
            name: (self.name != Some(false)).then(|| last.to_vec()),
            modified: self.stored_time(meta.modified),
        };
        if self.verbose {
            eprint!("{shown}:\t");
        }
        match self.pack(input, shown, &header, &mut sink) {
            Ok((plain, packed, start)) => {
                if self.verbose {
                    self.tell(plain, packed, start, &output_shown);
                }
                self.done(name, shown, sink, meta, meta.modified)
            }
            Err(stop) => {
                sink.discard();
                Err(stop)
            }
        }
    }

    /// The end of a line that `-v` prints.
    fn tell(&self, plain: u64, packed: u64, start: u64, output: &str) {
        let done = if self.keep {
            "created"
        } else {
            "replaced with"
        };
        eprintln!("{} -- {done} {output}", ratio(plain, packed, start));
    }

    fn done(
        &mut self,
        name: &[u8],
        shown: &str,
        sink: Sink,
        meta: &Meta,
        modified: Moment,
    ) -> Result<(), Stop> {
        if matches!(sink, Sink::File(..)) {
            sink.take_after(meta, modified);
            if !self.keep
                && let Err(error) = std::fs::remove_file(path(name))
            {
                return self.fail(&format!("{shown}: {}", io_text(&error)));
            }
        }
        Ok(())
    }

    /// Encodes; returns the bytes read, written, and those of header and end.
    fn pack(
        &mut self,
        input: &mut files::Input,
        shown: &str,
        header: &Header,
        sink: &mut Sink,
    ) -> Result<(u64, u64, u64), Stop> {
        let start = 18 + header.name.as_ref().map_or(0, |name| name.len() as u64 + 1);
        let mut out = Counted::new(sink);
        let mut writer = GzipWriter::new(&mut out, self.level, header);
        let plain = files::copy(input, &mut writer).and_then(|plain| {
            writer.finish()?;
            Ok(plain)
        });
        match plain {
            Ok(plain) => Ok((plain, out.count(), start)),
            Err(error) => {
                self.fail(&format!("{shown}: {}", io_text(&error)))?;
                Err(Stop::All)
            }
        }
    }

    /// Decodes; returns as [`Gzip::pack`] does.
    fn unpack(
        &mut self,
        input: &mut files::Input,
        shown: &str,
        sink: &mut Sink,
    ) -> Result<(u64, u64, u64), Stop> {
        let start = match input.fill_buf() {
            Ok(start) => start,
            Err(error) => {
                self.fail(&format!("{shown}: {}", io_text(&error)))?;
                return Err(Stop::Next);
            }
        };
        if self.force && self.stdout && !start.is_empty() && Format::of(start) != Some(Format::Gzip)
        {
            return match files::copy(input, sink) {
                Ok(count) => Ok((count, count, 0)),
                Err(error) => {
                    self.fail(&format!("stdout: {}", io_text(&error)))?;
                    Err(Stop::All)
                }
            };
        }
        let mut reader = GzipReader::new(&mut *input);
        let result = files::copy(&mut reader, sink);
        let (garbage, header) = (reader.has_garbage(), reader.overhead());
        match result {
            Ok(plain) => {
                let packed = input.get_ref().count();
                if garbage {
                    if !self.quiet {
                        eprintln!("\ngzip: {shown}: decompression OK, trailing garbage ignored");
                    }
                    self.status = if self.status == 0 { 2 } else { self.status };
                }
                Ok((plain, packed, header))
            }
            Err(error) => Err(self.undecodable(&error, shown)),
        }
    }

    fn undecodable(&mut self, error: &io::Error, shown: &str) -> Stop {
        self.status = 1;
        let text = match trouble(error) {
            Some(Trouble::NotFormat) => "not in gzip format".to_owned(),
            Some(Trouble::Truncated) => "unexpected end of file".to_owned(),
            Some(Trouble::Checksum) => "invalid compressed data--crc error".to_owned(),
            Some(Trouble::Length) => "invalid compressed data--length error".to_owned(),
            Some(Trouble::Unsupported) => "unknown method -- not supported".to_owned(),
            Some(_) => "invalid compressed data--format violated".to_owned(),
            None => {
                complain("gzip", format!("stdout: {}", io_text(error)));
                return Stop::All;
            }
        };
        eprintln!("\ngzip: {shown}: {text}");
        match trouble(error) {
            Some(Trouble::Truncated) => Stop::All,
            _ => Stop::Next,
        }
    }
}

/// The name and the time of the output, by the header of the input where that has them.
fn stored_name(
    input: &mut files::Input,
    mut output: Vec<u8>,
    mut modified: Moment,
) -> (Vec<u8>, Moment) {
    let mut reader = GzipReader::new(input);
    // Unpacking tells what is wrong with the header.
    let Ok(header) = reader.header() else {
        return (output, modified);
    };
    if let Some(stored) = &header.name {
        let last = stored.rsplit(|byte| *byte == b'/').next().unwrap_or(stored);
        if !last.is_empty() && last != b"." && last != b".." {
            let slash = output.iter().rposition(|byte| *byte == b'/');
            output.truncate(slash.map_or(0, |at| at + 1));
            output.extend_from_slice(last);
        }
    }
    if header.modified != 0 {
        modified = Moment {
            seconds: header.modified.into(),
            nanoseconds: 0,
        };
    }
    (output, modified)
}

/// How much smaller it got, as a percentage of what it was.
fn ratio(plain: u64, packed: u64, overhead: u64) -> String {
    if plain == 0 {
        return "  0.0%".to_owned();
    }
    let saved = plain as f64 - (packed as f64 - overhead as f64);
    format!("{:5.1}%", 100.0 * saved / plain as f64)
}
