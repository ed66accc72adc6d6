//! `zstd`, `unzstd`, `zstdcat`.

mod list;

use std::io::{self, BufRead as _, Read as _};

use codepod_tool::{Arguments, io_text, path};

use crate::codec::{Effort, Format, Reader, Trouble, Writer, trouble};
use crate::files::{self, Counted, Sink};
use crate::system::{self, Meta};

const HELP: &str = "\
Compress or decompress the INPUT file(s); reads from STDIN if INPUT is `-` or not provided.

Usage: zstd [OPTIONS...] [INPUT... | -] [-o OUTPUT]

Options:
  -o OUTPUT               Write output to a single file, OUTPUT.
  -k, --keep              Preserve INPUT file(s). [Default]
  --rm                    Remove INPUT file(s) after successful (de)compression.
  -#                      Desired compression level, 1 to 19. [Default: 3]
  --ultra                 Enable levels beyond 19, up to 22.
  --fast[=#]              Use very fast compression levels. [Default: 1]
  -d, --decompress        Perform decompression.
  -c, --stdout            Write to STDOUT and keep the INPUT file(s).
  -f, --force             Disable input and output checks; overwrite.
  -t, --test              Test compressed file integrity.
  -l                      Print information about Zstandard-compressed files.
  -r                      Operate recursively on directories.
  --[no-]check            Add XXH64 integrity checksums during compression. [Default: Add]
  --format=FORMAT         zstd, gzip, xz or lzma.
  --output-dir-flat DIR   Store processed files in DIR.
  -q, --quiet             Suppress warnings; pass twice to suppress errors.
  -v, --verbose           Enable verbose output.
  -h, -H, --help          Display usage and exit.
  -V, --version           Display the program version and exit.
  -T#, --threads=#, --single-thread, -M#, --memory=#, --[no-]sparse, --[no-]progress
                          Accepted; they change nothing here.
";

const VERSION: &str = "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***";

/// Suffixes that are known, and what a file without them is called.
const SUFFIXES: [(&str, &str); 9] = [
    (".zst", ""),
    (".tzst", ".tar"),
    (".gz", ""),
    (".tgz", ".tar"),
    (".lzma", ""),
    (".xz", ""),
    (".txz", ".tar"),
    (".lz4", ""),
    (".tlz4", ".tar"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Compress,
    Decompress,
    Test,
    List,
}

struct Zstd {
    mode: Mode,
    format: Format,
    stdout: bool,
    output: Option<Vec<u8>>,
    directory: Option<Vec<u8>>,
    remove: bool,
    force: bool,
    recursive: bool,
    checksum: bool,
    ultra: bool,
    level: i32,
    /// 0 says nothing, 1 errors, 2 results, 3 more.
    noise: i32,
    status: i32,
    /// Files, bytes in, bytes out.
    total: (u64, u64, u64),
    several: bool,
}

/// `zstd`, and by its other names.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut zstd = Zstd {
        mode: if tool == "zstd" {
            Mode::Compress
        } else {
            Mode::Decompress
        },
        format: Format::Zstd,
        stdout: tool == "zstdcat",
        output: None,
        directory: None,
        remove: false,
        force: tool == "zstdcat",
        recursive: false,
        checksum: true,
        ultra: false,
        level: 3,
        noise: if tool == "zstdcat" { 1 } else { 2 },
        status: 0,
        total: (0, 0, 0),
        several: false,
    };
    let mut names = Vec::new();
    let mut rest = arguments.into_iter();
    let mut only_names = false;
    while let Some(argument) = rest.next() {
        if only_names || argument == b"-" || argument.first() != Some(&b'-') {
            names.push(argument);
            continue;
        }
        if argument == b"--" {
            only_names = true;
            continue;
        }
        if let Err(status) = zstd.set(&argument, &mut rest) {
            return status;
        }
    }
    zstd.run(names)
}

impl Zstd {
    /// Takes an option; fails with the status that ends the program.
    fn set(&mut self, argument: &[u8], rest: &mut dyn Iterator<Item = Vec<u8>>) -> Result<(), i32> {
        let text = String::from_utf8_lossy(argument).into_owned();
        let Some(word) = text.strip_prefix("--") else {
            return self.set_letters(&text[1..], rest);
        };
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        match (name, value) {
            ("compress", None) => self.mode = Mode::Compress,
            ("decompress" | "uncompress", None) => self.mode = Mode::Decompress,
            ("test", None) => self.mode = Mode::Test,
            ("list", None) => self.mode = Mode::List,
            ("force", None) => self.force = true,
            ("keep", None) => self.remove = false,
            ("rm", None) => self.remove = true,
            ("stdout", None) => self.use_stdout(),
            ("quiet", None) => self.noise -= 1,
            ("verbose", None) => self.noise += 1,
            ("check", None) => self.checksum = true,
            ("no-check", None) => self.checksum = false,
            ("ultra", None) => self.ultra = true,
            ("fast", value) => {
                let level: i32 = value
                    .map_or(Ok(1), |value| value.parse())
                    .map_err(|_| bad(&text))?;
                self.level = -level;
            }
            ("format", Some(value)) => {
                self.format = match value.as_str() {
                    "zstd" => Format::Zstd,
                    "gzip" => Format::Gzip,
                    "xz" => Format::Xz,
                    "lzma" => Format::Lzma,
                    _ => return Err(bad(&text)),
                }
            }
            ("output-dir-flat", value) => {
                let value = value.map(String::into_bytes).or_else(|| rest.next());
                self.directory = Some(value.ok_or_else(|| bad(&text))?);
            }
            ("threads" | "memory" | "memlimit", _) => {
                let value = word.split_once('=').map(|(_, value)| value.to_owned());
                let value = value.or_else(|| {
                    rest.next()
                        .map(|next| String::from_utf8_lossy(&next).into_owned())
                });
                value.ok_or_else(|| bad(&text))?;
            }
            (
                "single-thread" | "sparse" | "no-sparse" | "progress" | "no-progress"
                | "content-size" | "no-content-size" | "asyncio" | "no-asyncio" | "no-dictID",
                None,
            ) => {}
            ("version", None) => {
                println!("{}", if self.noise < 2 { "1.5.4" } else { VERSION });
                return Err(0);
            }
            ("help", None) => {
                print!("{VERSION}\n{HELP}");
                return Err(0);
            }
            (
                "train" | "train-cover" | "train-fastcover" | "train-legacy" | "adapt"
                | "rsyncable" | "patch-from" | "long" | "filelist" | "output-dir-mirror"
                | "stream-size" | "size-hint" | "exclude-compressed" | "auto-threads",
                _,
            ) => {
                eprintln!("zstd: the option --{name} is not supported here");
                return Err(1);
            }
            _ => return Err(bad(&text)),
        }
        Ok(())
    }

    fn set_letters(
        &mut self,
        letters: &str,
        rest: &mut dyn Iterator<Item = Vec<u8>>,
    ) -> Result<(), i32> {
        let whole = format!("-{letters}");
        let mut letters = letters.chars().peekable();
        let number = |letters: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut value = 0i32;
            while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(10)) {
                value = value.saturating_mul(10).saturating_add(digit as i32);
                letters.next();
            }
            value
        };
        while let Some(letter) = letters.peek().copied() {
            if letter.is_ascii_digit() {
                self.level = number(&mut letters);
                continue;
            }
            letters.next();
            match letter {
                'z' => self.mode = Mode::Compress,
                'd' => self.mode = Mode::Decompress,
                't' => self.mode = Mode::Test,
                'l' => self.mode = Mode::List,
                'c' => self.use_stdout(),
                'k' => self.remove = false,
                'f' => self.force = true,
                'q' => self.noise -= 1,
                'v' => self.noise += 1,
                'r' => self.recursive = true,
                'C' => self.checksum = true,
                'n' => {}
                'T' | 'M' => {
                    number(&mut letters);
                    // A unit may follow the number.
                    while letters
                        .peek()
                        .is_some_and(|letter| "KMGiB".contains(*letter))
                    {
                        letters.next();
                    }
                }
                'o' => {
                    let attached: String = letters.by_ref().collect();
                    let value = if attached.is_empty() {
                        rest.next()
                    } else {
                        Some(attached.into_bytes())
                    };
                    self.output = Some(value.ok_or_else(|| {
                        eprintln!("error : missing command argument ");
                        1
                    })?);
                }
                'V' => {
                    println!("{}", if self.noise < 2 { "1.5.4" } else { VERSION });
                    return Err(0);
                }
                'h' | 'H' => {
                    print!("{VERSION}\n{HELP}");
                    return Err(0);
                }
                'D' | 'b' | 'e' | 'i' | 'S' | 'B' | 'p' => {
                    eprintln!("zstd: the option -{letter} is not supported here");
                    return Err(1);
                }
                _ => return Err(bad(&whole)),
            }
        }
        Ok(())
    }

    fn use_stdout(&mut self) {
        self.stdout = true;
        self.remove = false;
    }

    fn say(&self, at: i32, message: &str) {
        if self.noise >= at {
            eprintln!("{message}");
        }
    }

    fn run(&mut self, names: Arguments) -> i32 {
        let most = if self.ultra { 22 } else { 19 };
        if self.mode == Mode::Compress && self.level > most {
            self.say(
                2,
                &format!("Warning : compression level higher than max, reduced to {most} "),
            );
            self.level = most;
        }
        let from_stdin = names.is_empty() || names.iter().any(|name| name == b"-");
        if from_stdin && self.output.is_none() {
            self.stdout = true;
        }
        if self.stdout && self.noise == 2 && self.mode != Mode::Test && self.mode != Mode::List {
            self.noise = 1;
        }
        if self.noise >= 3 {
            eprintln!("{VERSION}");
        }
        let mut names = if names.is_empty() {
            vec![b"-".to_vec()]
        } else {
            names
        };
        if self.mode == Mode::List {
            return list::run(&names);
        }
        let before = names.len();
        names.retain(|name| self.may_be_read(name));
        if self.recursive {
            names = names.into_iter().flat_map(|name| below(&name)).collect();
        }
        if names.is_empty() && before > 0 {
            return 1;
        }
        self.several = before > 1 || names.len() > 1;
        if self.output.is_some() && names.len() > 1 && self.mode != Mode::Test {
            eprintln!("zstd: -o with several files is not supported here");
            return 1;
        }
        for name in &names {
            self.treat(Some(&name[..]).filter(|name| *name != b"-"));
        }
        if self.several && self.total.0 > 0 && self.mode != Mode::Test && !self.stdout {
            let (count, read, written) = self.total;
            match self.mode {
                Mode::Compress => self.say(
                    2,
                    &format!(
                        "{count:3} files compressed : {:.2}% ({} => {})",
                        written as f64 / read.max(1) as f64 * 100.0,
                        list::wide_size(read, 6),
                        list::wide_size(written, 6)
                    ),
                ),
                _ => self.say(
                    2,
                    &format!("{count} files decompressed : {written:6} bytes total "),
                ),
            }
        }
        self.status
    }

    fn may_be_read(&mut self, name: &[u8]) -> bool {
        if name == b"-" {
            return true;
        }
        let shown = String::from_utf8_lossy(name).into_owned();
        if !self.force && system::stat(name, false).is_ok_and(|meta| meta.kind() == system::SYMLINK)
        {
            self.say(
                2,
                &format!("Warning : {shown} is a symbolic link, ignoring "),
            );
            return false;
        }
        true
    }

    fn fail(&mut self, message: &str) {
        self.say(1, message);
        self.status = 1;
    }

    fn treat(&mut self, name: Option<&[u8]>) {
        let shown = name.map_or("/*stdin*\\".into(), |name| {
            String::from_utf8_lossy(name).into_owned()
        });
        let to_file = !self.stdout && self.mode != Mode::Test;
        // What cannot be named is not looked at.
        if let (true, Mode::Decompress, None, Some(name)) = (to_file, self.mode, &self.output, name)
            && system::stat(name, true).is_ok()
            && self.output_name(name, &shown).is_none()
        {
            return;
        }
        let meta = match name.map(|name| system::stat(name, true)) {
            None => Meta::default(),
            Some(Ok(meta)) if meta.is_directory() => {
                return self.fail(&format!("zstd: {shown} is a directory -- ignored "));
            }
            Some(Ok(meta)) => meta,
            Some(Err(error)) => {
                return self.fail(&format!(
                    "zstd: can't stat {shown} : {} -- ignored ",
                    io_text(&error)
                ));
            }
        };
        let output = match (to_file, &self.output, name) {
            (false, ..) => Vec::new(),
            (true, Some(output), _) => output.clone(),
            (true, None, name) => match self.output_name(name.unwrap_or_default(), &shown) {
                Some(output) => output,
                None => return,
            },
        };
        let output_shown = match to_file {
            true => String::from_utf8_lossy(&output).into_owned(),
            false => "/*stdout*\\".to_owned(),
        };
        let mut input = match files::input(name) {
            Ok(input) => input,
            Err(error) => return self.fail(&format!("zstd: {shown}: {} ", io_text(&error))),
        };
        let mut sink = if self.mode == Mode::Test {
            Sink::Nowhere
        } else if !to_file {
            Sink::stdout()
        } else {
            match self.create(&output, &output_shown, name.is_none()) {
                Some(sink) => sink,
                None => return,
            }
        };
        let size = name.map(|_| meta.size);
        let result = match self.mode {
            Mode::Compress => self.pack(&mut input, &mut sink, size),
            _ => self.unpack(&mut input, &mut sink),
        };
        match result {
            Ok((read, written)) => {
                self.total = (
                    self.total.0 + 1,
                    self.total.1 + read,
                    self.total.2 + written,
                );
                self.tell(&shown, &output_shown, read, written);
                if matches!(sink, Sink::File(..)) && name.is_some() {
                    sink.take_after(&meta, meta.modified);
                }
                if let (true, true, Some(name)) = (self.remove, to_file, name) {
                    // What was made is complete; a name that stays is no loss.
                    let _ = std::fs::remove_file(path(name));
                }
            }
            Err(error) => {
                sink.discard();
                self.undecodable(&shown, &error);
            }
        }
    }

    fn tell(&self, shown: &str, output: &str, read: u64, written: u64) {
        if self.several && self.noise < 3 {
            return;
        }
        let line = match self.mode {
            Mode::Compress if read == 0 => {
                format!(
                    "{shown:<20} :  ({} => {}, {output}) ",
                    list::short_size(read),
                    list::short_size(written)
                )
            }
            Mode::Compress => format!(
                "{shown:<20} :{:6.2}%   ({} => {}, {output}) ",
                written as f64 / read as f64 * 100.0,
                list::short_size(read),
                list::short_size(written)
            ),
            _ => format!("{shown:<20}: {written} bytes "),
        };
        self.say(2, &line);
    }

    fn undecodable(&mut self, shown: &str, error: &io::Error) {
        let message = match trouble(error) {
            None => format!("zstd: {shown}: {} ", io_text(error)),
            Some(Trouble::NotFormat) => format!("zstd: {shown}: unsupported format "),
            Some(Trouble::Truncated) => format!("{shown} : Read error (39) : premature end "),
            Some(Trouble::Checksum) => {
                format!("{shown} : Decoding error (36) : Restored data doesn't match checksum ")
            }
            Some(Trouble::Other(text)) if text == "empty" => {
                format!("zstd: {shown}: unexpected end of file ")
            }
            Some(other) => format!("{shown} : Decoding error (36) : {other} "),
        };
        self.fail(&message);
    }

    fn output_name(&mut self, name: &[u8], shown: &str) -> Option<Vec<u8>> {
        let made = if self.mode == Mode::Compress {
            let suffix: &[u8] = match self.format {
                Format::Gzip => b".gz",
                Format::Xz => b".xz",
                Format::Lzma => b".lzma",
                _ => b".zst",
            };
            [name, suffix].concat()
        } else {
            let known = SUFFIXES.iter().find(|(suffix, _)| {
                name.len() > suffix.len()
                    && name.ends_with(suffix.as_bytes())
                    && name[name.len() - suffix.len() - 1] != b'/'
            });
            let Some((suffix, plain)) = known else {
                let all: Vec<&str> = SUFFIXES.iter().map(|(suffix, _)| *suffix).collect();
                self.fail(&format!(
                    "zstd: {shown}: unknown suffix ({} expected). Can't derive the output file name. Specify it with -o \
                     dstFileName. Ignoring.",
                    all.join("/")
                ));
                return None;
            };
            [&name[..name.len() - suffix.len()], plain.as_bytes()].concat()
        };
        Some(match &self.directory {
            Some(directory) => {
                let last = made.rsplit(|byte| *byte == b'/').next().unwrap_or(&made);
                system::join(directory, last)
            }
            None => made,
        })
    }

    fn create(&mut self, output: &[u8], shown: &str, stdin_taken: bool) -> Option<Sink> {
        if system::stat(output, true).is_ok_and(|meta| meta.kind() == system::REGULAR) {
            if !self.force {
                if self.noise <= 1 || stdin_taken {
                    if self.noise > 0 {
                        eprintln!("zstd: {shown} already exists; not overwritten  ");
                    }
                    self.status = 1;
                    return None;
                }
                eprint!("zstd: {shown} already exists; overwrite (y/n) ? ");
                if !answered_yes() {
                    eprint!("Not overwritten  \n \n");
                    self.status = 1;
                    return None;
                }
            }
            // If it cannot be removed, making it fails and says why.
            let _ = std::fs::remove_file(path(output));
        }
        match Sink::create(output) {
            Ok(sink) => Some(sink),
            Err(error) => {
                self.fail(&format!("zstd: {shown}: {} ", io_text(&error)));
                None
            }
        }
    }

    fn pack(
        &self,
        input: &mut files::Input,
        sink: &mut Sink,
        size: Option<u64>,
    ) -> io::Result<(u64, u64)> {
        let mut out = Counted::new(sink);
        let mut writer = match self.format {
            Format::Zstd => Writer::zstd(self.level, self.checksum, size, &mut out)?,
            other => Writer::new(other, Effort::Level(self.level.clamp(1, 9)), &mut out)?,
        };
        let read = files::copy(input, &mut writer)?;
        writer.finish()?;
        Ok((read, out.count()))
    }

    fn unpack(&self, input: &mut files::Input, sink: &mut Sink) -> io::Result<(u64, u64)> {
        let mut out = Counted::new(sink);
        let start = input.fill_buf()?;
        if start.is_empty() {
            return Err(Trouble::Other("empty".into()).into());
        }
        match Format::of(start).filter(|format| *format != Format::Bzip2) {
            Some(format) => {
                let mut reader = Reader::new(format, &mut *input)?;
                files::copy(&mut reader, &mut out)?;
                if reader.has_garbage() {
                    return Err(Trouble::NotFormat.into());
                }
            }
            None if self.force && self.stdout => {
                files::copy(input, &mut out)?;
            }
            None => return Err(Trouble::NotFormat.into()),
        }
        Ok((input.get_ref().count(), out.count()))
    }
}

fn bad(_argument: &str) -> i32 {
    eprint!("Incorrect parameters \n{HELP}");
    1
}

fn answered_yes() -> bool {
    let mut first = None;
    let mut byte = [0];
    while io::stdin().read(&mut byte).is_ok_and(|read| read == 1) && byte[0] != b'\n' {
        first.get_or_insert(byte[0]);
    }
    matches!(first, Some(b'y' | b'Y'))
}

/// The files below a directory, or the file itself.
fn below(name: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut waiting = vec![name.to_vec()];
    while let Some(next) = waiting.pop() {
        if system::stat(&next, false).is_ok_and(|meta| meta.is_directory()) {
            let mut names = system::list(&next).unwrap_or_default();
            names.sort();
            waiting.extend(names.iter().rev().map(|inner| system::join(&next, inner)));
        } else {
            found.push(next);
        }
    }
    found
}
