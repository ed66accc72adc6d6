//! `bzip2`, `bunzip2`, `bzcat`.

use std::io::{self, BufRead as _};

use codepod_tool::{Arguments, io_text, path};

use crate::codec::{Effort, Format, Reader, Trouble, Writer, trouble};
use crate::files::{self, Counted, Sink};
use crate::system::{self, Meta};

const USAGE: &str = "\
bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019.

   usage: bzip2 [flags and input files in any order]

   -h --help           print this message
   -d --decompress     force decompression
   -z --compress       force compression
   -k --keep           keep (don't delete) input files
   -f --force          overwrite existing output files
   -t --test           test compressed file integrity
   -c --stdout         output to standard out
   -q --quiet          suppress noncritical error messages
   -v --verbose        be verbose (a 2nd -v gives more)
   -L --license        display software version & license
   -V --version        display software version & license
   -s --small          use less memory (at most 2500k)
   -1 .. -9            set block size to 100k .. 900k
   --fast              alias for -1
   --best              alias for -9

   If invoked as `bzip2', default action is to compress.
              as `bunzip2',  default action is to decompress.
              as `bzcat', default action is to decompress to stdout.

   If no file names are given, bzip2 compresses or decompresses
   from standard input to standard output.  You can combine
   short flags, so `-v -4' means the same as -v4 or -4v, &c.

";

const RECOVER: &str = "
You can use the `bzip2recover' program to attempt to recover
data from undamaged sections of corrupted files.

";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Compress,
    Decompress,
    Test,
}

struct Bzip2 {
    tool: &'static str,
    mode: Mode,
    stdout: bool,
    keep: bool,
    force: bool,
    quiet: bool,
    verbose: bool,
    level: i32,
    status: i32,
    longest: usize,
    test_failed: bool,
}

/// The rest is left alone.
#[derive(Clone, Copy)]
struct Stop;

/// `bzip2`, and by its other names.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut bzip2 = Bzip2 {
        tool: match tool {
            "bunzip2" => "bunzip2",
            "bzcat" => "bzcat",
            _ => "bzip2",
        },
        mode: if tool == "bzip2" {
            Mode::Compress
        } else {
            Mode::Decompress
        },
        stdout: tool == "bzcat",
        keep: false,
        force: false,
        quiet: false,
        verbose: false,
        level: 9,
        status: 0,
        longest: 7,
        test_failed: false,
    };
    let mut names: Arguments = Vec::new();
    let mut only_names = false;
    for argument in arguments {
        if only_names || argument.first() != Some(&b'-') {
            bzip2.longest = bzip2.longest.max(argument.len());
            names.push(argument);
        } else if argument == b"--" {
            only_names = true;
        } else if let Some(status) = bzip2.set(&argument) {
            return status;
        }
    }
    bzip2.run(&names)
}

impl Bzip2 {
    /// Takes an argument with options; a status ends the program.
    fn set(&mut self, argument: &[u8]) -> Option<i32> {
        let letters: &[u8] = match argument {
            b"--help" => b"h",
            b"--decompress" => b"d",
            b"--compress" => b"z",
            b"--keep" => b"k",
            b"--force" => b"f",
            b"--test" => b"t",
            b"--stdout" => b"c",
            b"--quiet" => b"q",
            b"--verbose" => b"v",
            b"--license" | b"--version" => b"V",
            b"--small" => b"s",
            b"--fast" | b"--repetitive-fast" => b"1",
            b"--best" | b"--repetitive-best" => b"9",
            b"--exponential" => b"",
            _ if argument.starts_with(b"--") => b"?",
            _ => &argument[1..],
        };
        for letter in letters {
            match letter {
                b'c' => self.stdout = true,
                b'd' => self.mode = Mode::Decompress,
                b'z' => self.mode = Mode::Compress,
                b'f' => self.force = true,
                b't' => self.mode = Mode::Test,
                b'k' => self.keep = true,
                b's' => {}
                b'q' => self.quiet = true,
                b'1'..=b'9' => self.level = (letter - b'0').into(),
                b'v' => self.verbose = true,
                b'L' | b'V' => {
                    eprintln!(
                        "bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019."
                    );
                    return Some(0);
                }
                b'h' => {
                    eprint!("{USAGE}");
                    return Some(0);
                }
                _ => {
                    let shown = String::from_utf8_lossy(argument);
                    eprint!("{}: Bad flag `{shown}'\n{USAGE}", self.tool);
                    return Some(1);
                }
            }
        }
        None
    }

    fn run(&mut self, names: &Arguments) -> i32 {
        if names.is_empty() {
            // Its status says all.
            let _ = self.treat(None);
        }
        for (at, name) in names.iter().enumerate() {
            if self.treat(Some(name)).is_err() {
                let left = names.len() - at - 1;
                if left > 0 && self.mode != Mode::Test {
                    eprintln!(
                        "{0}: WARNING: some files have not been processed:\n{0}:    {1} specified on command line, {2} not \
                         processed yet.\n",
                        self.tool,
                        names.len(),
                        left + 1
                    );
                }
                break;
            }
        }
        if self.test_failed && !self.quiet {
            eprint!("{RECOVER}");
        }
        self.status
    }

    fn fail(&mut self, message: &str) {
        eprintln!("{}: {message}", self.tool);
        self.status = self.status.max(1);
    }

    fn treat(&mut self, name: Option<&[u8]>) -> Result<(), Stop> {
        let shown = name.map_or("(stdin)".into(), |name| {
            String::from_utf8_lossy(name).into_owned()
        });
        let to_file = name.is_some() && !self.stdout && self.mode != Mode::Test;
        let meta = match name.map(|name| system::stat(name, true)) {
            None => Meta::default(),
            Some(Ok(meta)) => meta,
            Some(Err(error)) => {
                let text = io_text(&error);
                match self.mode {
                    Mode::Test => self.fail(&format!("Can't open input {shown}: {text}.")),
                    _ => self.fail(&format!("Can't open input file {shown}: {text}.")),
                }
                return Ok(());
            }
        };
        let Some(output) = self.output(name, &shown, &meta, to_file) else {
            return Ok(());
        };
        let mut input = match files::input(name) {
            Ok(input) => input,
            Err(error) => {
                self.fail(&format!(
                    "Can't open input file {shown}: {}.",
                    io_text(&error)
                ));
                return Ok(());
            }
        };
        let output_shown = match to_file {
            true => String::from_utf8_lossy(&output).into_owned(),
            false => "(stdout)".to_owned(),
        };
        let mut sink = if self.mode == Mode::Test {
            Sink::Nowhere
        } else if !to_file {
            Sink::stdout()
        } else {
            match Sink::create(&output) {
                Ok(sink) => sink,
                Err(error) => {
                    self.fail(&format!(
                        "Can't create output file {output_shown}: {}.",
                        io_text(&error)
                    ));
                    return Ok(());
                }
            }
        };
        if self.verbose {
            eprint!(
                "  {shown}: {:1$}",
                "",
                self.longest.saturating_sub(shown.len())
            );
        }
        let done = match self.mode {
            Mode::Compress => self.pack(&mut input, &mut sink),
            _ => self.unpack(&mut input, &shown, &mut sink, &output_shown),
        };
        if done.is_ok_and(|done| done) {
            sink.take_after(&meta, meta.modified);
            if let (true, false, Some(name)) = (to_file, self.keep, name) {
                // What was made is complete; a name that stays is no loss.
                let _ = std::fs::remove_file(path(name));
            }
            return Ok(());
        }
        sink.discard();
        if done.is_err() && to_file {
            eprintln!(
                "{}: Deleting output file {output_shown}, if it exists.",
                self.tool
            );
        }
        done.map(drop).map_err(|_| Stop)
    }

    /// The name of the output; none when the file is left alone.
    fn output(
        &mut self,
        name: Option<&[u8]>,
        shown: &str,
        meta: &Meta,
        to_file: bool,
    ) -> Option<Vec<u8>> {
        let Some(name) = name else {
            return Some(Vec::new());
        };
        if self.mode == Mode::Compress {
            for suffix in [".bz2", ".bz", ".tbz2", ".tbz"] {
                if name.ends_with(suffix.as_bytes()) {
                    if !self.quiet {
                        eprintln!(
                            "{}: Input file {shown} already has {suffix} suffix.",
                            self.tool
                        );
                    }
                    self.status = self.status.max(1);
                    return None;
                }
            }
        }
        if meta.is_directory() {
            self.fail(&format!("Input file {shown} is a directory."));
            return None;
        }
        if !to_file {
            return Some(Vec::new());
        }
        if !self.force && system::stat(name, false).is_ok_and(|meta| meta.kind() != system::REGULAR)
        {
            if !self.quiet {
                eprintln!("{}: Input file {shown} is not a normal file.", self.tool);
            }
            self.status = self.status.max(1);
            return None;
        }
        let output = match self.mode {
            Mode::Compress => [name, b".bz2"].concat(),
            _ => self.plain_name(name, shown),
        };
        let output_shown = String::from_utf8_lossy(&output).into_owned();
        if system::stat(&output, false).is_ok() {
            if !self.force {
                self.fail(&format!("Output file {output_shown} already exists."));
                return None;
            }
            // If it cannot be removed, making it fails and says why.
            let _ = std::fs::remove_file(path(&output));
        }
        if !self.force && meta.links > 1 {
            let others = meta.links - 1;
            let s = if others == 1 { "" } else { "s" };
            self.fail(&format!("Input file {shown} has {others} other link{s}."));
            return None;
        }
        Some(output)
    }

    fn plain_name(&self, name: &[u8], shown: &str) -> Vec<u8> {
        for (suffix, plain) in [
            (".bz2", ""),
            (".bz", ""),
            (".tbz2", ".tar"),
            (".tbz", ".tar"),
        ] {
            if let Some(start) = name.strip_suffix(suffix.as_bytes()) {
                return [start, plain.as_bytes()].concat();
            }
        }
        if !self.quiet {
            eprintln!(
                "{}: Can't guess original name for {shown} -- using {shown}.out",
                self.tool
            );
        }
        [name, b".out"].concat()
    }

    fn system_error(&mut self, error: &io::Error) -> Stop {
        eprintln!(
            "\n{0}: I/O or other error, bailing out.  Possible reason follows.\n{0}: {1}",
            self.tool,
            io_text(error)
        );
        self.status = 1;
        Stop
    }

    fn pack(&mut self, input: &mut files::Input, sink: &mut Sink) -> Result<bool, Stop> {
        let mut out = Counted::new(sink);
        let result = Writer::new(Format::Bzip2, Effort::Level(self.level), &mut out).and_then(
            |mut writer| {
                let plain = files::copy(input, &mut writer)?;
                writer.finish()?;
                Ok(plain)
            },
        );
        let plain = result.map_err(|error| self.system_error(&error))?;
        if self.verbose {
            if plain == 0 {
                eprintln!(" no data compressed.");
            } else {
                let (plain, packed) = (plain as f64, out.count() as f64);
                eprintln!(
                    "{:6.3}:1, {:6.3} bits/byte, {:5.2}% saved, {plain} in, {packed} out.",
                    plain / packed,
                    8.0 * packed / plain,
                    100.0 * (1.0 - packed / plain)
                );
            }
        }
        Ok(true)
    }

    /// Whether it went well. Fails when the program has to stop.
    fn unpack(
        &mut self,
        input: &mut files::Input,
        shown: &str,
        sink: &mut Sink,
        output: &str,
    ) -> Result<bool, Stop> {
        let is_other = input
            .fill_buf()
            .is_ok_and(|start| !start.is_empty() && Format::of(start) != Some(Format::Bzip2));
        if self.force && is_other && self.mode == Mode::Decompress {
            files::copy(input, sink).map_err(|error| self.system_error(&error))?;
            if self.verbose {
                eprintln!("done");
            }
            return Ok(true);
        }
        let result = Reader::new(Format::Bzip2, &mut *input).and_then(|mut reader| {
            files::copy(&mut reader, sink)?;
            Ok(reader.has_garbage())
        });
        match result {
            Ok(garbage) => {
                self.tell_unpacked(garbage, shown);
                Ok(true)
            }
            Err(error) => match trouble(&error) {
                Some(trouble) => self.tell_damaged(trouble, shown, output),
                None => Err(self.system_error(&error)),
            },
        }
    }

    fn tell_unpacked(&self, garbage: bool, shown: &str) {
        if garbage && !self.quiet {
            match (self.verbose, self.mode) {
                (true, _) => eprintln!("trailing garbage after EOF ignored"),
                (_, Mode::Test) => {
                    eprintln!("{}: {shown}: trailing garbage after EOF ignored", self.tool)
                }
                _ => eprintln!(
                    "\n{}: {shown}: trailing garbage after EOF ignored",
                    self.tool
                ),
            }
        }
        if self.verbose {
            eprintln!(
                "{}",
                if self.mode == Mode::Test {
                    "ok"
                } else {
                    "done"
                }
            );
        }
    }

    /// Tells of data that cannot be unpacked. Fails when the program has to stop.
    fn tell_damaged(&mut self, trouble: &Trouble, shown: &str, output: &str) -> Result<bool, Stop> {
        self.status = 2;
        if self.mode == Mode::Test {
            self.test_failed = true;
            if !self.verbose {
                eprint!("{}: {shown}: ", self.tool);
            }
            eprintln!(
                "{}",
                match trouble {
                    Trouble::NotFormat => "bad magic number (file not created by bzip2)",
                    Trouble::Truncated => "file ends unexpectedly",
                    _ => "data integrity (CRC) error in data",
                }
            );
            return Ok(false);
        }
        match trouble {
            Trouble::NotFormat => {
                match (self.verbose, self.quiet) {
                    (true, _) => eprintln!("not a bzip2 file."),
                    (_, true) => {}
                    _ => eprintln!("{}: {shown} is not a bzip2 file.", self.tool),
                }
                return Ok(false);
            }
            Trouble::Truncated => {
                let reason = match output == "(stdout)" {
                    true if shown == "(stdin)" => "Inappropriate ioctl for device",
                    true => "Success",
                    false => "No such file or directory",
                };
                eprint!(
                    "\n{0}: Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows.\n\
                     {0}: {reason}\n",
                    self.tool
                );
            }
            _ => eprint!(
                "\n{}: Data integrity error when decompressing.\n",
                self.tool
            ),
        }
        eprint!("\tInput file = {shown}, output file = {output}\n\n");
        eprint!(
            "It is possible that the compressed file(s) have become corrupted.\nYou can use the -tvv option to test \
             integrity of such files.\n{RECOVER}"
        );
        Err(Stop)
    }
}
