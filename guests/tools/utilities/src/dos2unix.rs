//! `dos2unix`, `unix2dos`, `mac2unix` and `unix2mac`: line breaks of files, as dos2unix 7.4 does.
//!
//! Options are whole words, not clusters, and hold for the files behind them. Character sets are
//! left to `iconv`.

mod breaks;
mod info;
mod text;

use std::io::Read as _;

use codepod_tool::{Arguments, Output, complain};

use crate::files;
use breaks::{Binary, Converter, Direction};
use info::Columns;
use text::{Form, Mark};

/// How much of standard input is converted at a time.
const CHUNK: usize = 64 << 10;

/// What is done with the byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkRule {
    Keep,
    Remove,
    Add,
}

/// What is done with symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkRule {
    Skip,
    Follow,
    Replace,
}

/// What the options say.
#[derive(Debug, Clone)]
struct Settings {
    converter: Converter,
    marks: MarkRule,
    links: LinkRule,
    keep_date: bool,
    keep_utf16: bool,
    assumed: Option<Form>,
    quiet: bool,
    verbose: bool,
    new_file: bool,
    info: Option<Columns>,
}

/// dos2unix as a tool.
pub(crate) fn dos2unix(name: &str, arguments: Arguments) -> i32 {
    run(name, arguments, Direction::DosToUnix)
}

/// mac2unix as a tool.
pub(crate) fn mac2unix(name: &str, arguments: Arguments) -> i32 {
    run(name, arguments, Direction::MacToUnix)
}

/// unix2dos as a tool.
pub(crate) fn unix2dos(name: &str, arguments: Arguments) -> i32 {
    run(name, arguments, Direction::UnixToDos)
}

/// unix2mac as a tool.
pub(crate) fn unix2mac(name: &str, arguments: Arguments) -> i32 {
    run(name, arguments, Direction::UnixToMac)
}

/// What an option asks for.
enum Asked {
    /// To go on.
    Nothing,
    /// To end with a status.
    End(i32),
}

fn run(name: &str, arguments: Arguments, direction: Direction) -> i32 {
    let to_unix = matches!(direction, Direction::DosToUnix | Direction::MacToUnix);
    let mut settings = Settings {
        converter: Converter::new(direction),
        marks: if to_unix {
            MarkRule::Remove
        } else {
            MarkRule::Keep
        },
        links: LinkRule::Skip,
        keep_date: false,
        keep_utf16: false,
        assumed: None,
        quiet: false,
        verbose: false,
        new_file: false,
        info: None,
    };
    let mut out = Output::new();
    let mut status = 0;
    let mut rest = arguments.into_iter();
    let (mut any_file, mut only_files) = (false, false);
    while let Some(argument) = rest.next() {
        if !only_files && argument == b"--" {
            only_files = true;
        } else if !only_files && argument.first() == Some(&b'-') {
            match settings.option(name, &argument, &mut rest) {
                Asked::Nothing => {}
                Asked::End(status) => return status,
            }
        } else {
            any_file = true;
            let target = match settings.new_file {
                true => match rest.next() {
                    Some(target) => target,
                    None => {
                        let message = [
                            b"target of file ",
                            &argument[..],
                            b" not specified in new-file mode",
                        ];
                        complain(name, message.concat());
                        return 1;
                    }
                },
                false => argument.clone(),
            };
            status = status.max(settings.file(name, &argument, &target, &mut out));
        }
    }
    if !any_file {
        status = settings.stdin(name, &mut out);
    }
    match out.finish() {
        Ok(()) => status,
        Err(error) => {
            complain(name, format!("write error: {}", files::why(&error)));
            1
        }
    }
}

impl Settings {
    /// Takes an option, and its value from the rest.
    fn option(
        &mut self,
        name: &str,
        option: &[u8],
        rest: &mut impl Iterator<Item = Vec<u8>>,
    ) -> Asked {
        match option {
            b"-h" | b"--help" => return Asked::End(files::print(&usage(name))),
            b"-V" | b"--version" => return Asked::End(files::version(name)),
            b"-7" => self.converter.seven_bits = true,
            b"-ascii" => self.converter.seven_bits = false,
            b"-b" | b"--keep-bom" => self.marks = MarkRule::Keep,
            b"-r" | b"--remove-bom" => self.marks = MarkRule::Remove,
            b"-m" | b"--add-bom" => self.marks = MarkRule::Add,
            b"-f" | b"--force" => self.converter.force = true,
            b"-s" | b"--safe" => self.converter.force = false,
            b"-k" | b"--keepdate" => self.keep_date = true,
            b"-l" | b"--newline" => self.converter.double = true,
            b"-n" | b"--newfile" => self.new_file = true,
            b"-o" | b"--oldfile" => self.new_file = false,
            b"-q" | b"--quiet" => (self.quiet, self.verbose) = (true, false),
            b"-v" | b"--verbose" => (self.quiet, self.verbose) = (false, true),
            b"-u" | b"--keep-utf16" => self.keep_utf16 = true,
            b"-ul" | b"--assume-utf16le" => self.assumed = Some(Form::Utf16Le),
            b"-ub" | b"--assume-utf16be" => self.assumed = Some(Form::Utf16Be),
            b"-F" | b"--follow-symlink" => self.links = LinkRule::Follow,
            b"-R" | b"--replace-symlink" => self.links = LinkRule::Replace,
            b"-S" | b"--skip-symlink" => self.links = LinkRule::Skip,
            b"--no-allow-chown" => {}
            b"--allow-chown" | b"-L" | b"--license" => {
                complain(name, [b"unknown option '", option, b"'"].concat());
                return Asked::End(1);
            }
            b"-c" | b"--convmode" => return self.mode(name, option, rest.next()),
            b"-iso" | b"-1252" | b"-437" | b"-850" | b"-860" | b"-863" | b"-865" => {
                complain(
                    name,
                    "code pages are not supported; use `iconv -f CP850 -t ISO-8859-1`",
                );
                return Asked::End(1);
            }
            _ => {
                let flags = option
                    .strip_prefix(b"--info=")
                    .or_else(|| (option == b"--info").then_some(&[]))
                    .or_else(|| option.strip_prefix(b"-i"));
                let Some(flags) = flags else {
                    let _ = files::print(&usage(name));
                    return Asked::End(1);
                };
                match Columns::parse(flags) {
                    Ok(columns) => self.info = Some(columns),
                    Err(flag) => {
                        let message = [b"wrong flag '", &[flag][..], b"' for option -i or --info"];
                        complain(name, message.concat());
                        return Asked::End(1);
                    }
                }
            }
        }
        Asked::Nothing
    }

    /// `-c MODE`.
    fn mode(&mut self, name: &str, option: &[u8], mode: Option<Vec<u8>>) -> Asked {
        let Some(mode) = mode else {
            let message = [b"option '", option, b"' requires an argument"].concat();
            complain(name, message);
            return Asked::End(1);
        };
        let to_unix = matches!(
            self.converter.direction,
            Direction::DosToUnix | Direction::MacToUnix
        );
        match mode.to_ascii_lowercase().as_slice() {
            b"ascii" => self.converter.seven_bits = false,
            b"7bit" => self.converter.seven_bits = true,
            b"mac" if to_unix => self.converter.direction = Direction::MacToUnix,
            b"mac" => self.converter.direction = Direction::UnixToMac,
            b"iso" => {
                complain(name, "code pages are not supported; use `iconv`");
                return Asked::End(1);
            }
            _ => {
                let message = [b"invalid ", &mode[..], b" conversion mode specified"];
                complain(name, message.concat());
                return Asked::End(1);
            }
        }
        Asked::Nothing
    }

    /// Converts a file, or tells about it. Returns the status.
    fn file(&self, name: &str, path: &[u8], target: &[u8], out: &mut Output) -> i32 {
        let say = |text: &str| {
            if !self.quiet {
                complain(name, text);
            }
        };
        let shown = String::from_utf8_lossy(path).into_owned();
        let place = codepod_tool::path(path);
        let found = std::fs::metadata(place);
        if let Err(error) = &found
            && std::fs::symlink_metadata(place).is_err()
        {
            say(&format!("{shown}: {}", files::why(error)));
            say(&format!("Skipping {shown}, not a regular file."));
            return if self.quiet { 0 } else { 2 };
        }
        let link = std::fs::symlink_metadata(place).is_ok_and(|found| found.is_symlink());
        if link && self.info.is_none() && !self.new_file && self.links == LinkRule::Skip {
            say(&format!("Skipping symbolic link {shown}."));
            return 0;
        }
        if !found.as_ref().is_ok_and(std::fs::Metadata::is_file) {
            say(&format!("Skipping {shown}, not a regular file."));
            return 0;
        }
        let text = match std::fs::read(place) {
            Ok(text) => text,
            Err(error) => {
                say(&format!("{shown}: {}", files::why(&error)));
                return 2;
            }
        };
        if let Some(columns) = &self.info {
            columns.print(self.assumed, &self.converter, &text, Some(path), out);
            return 0;
        }
        let (bytes, done) = match self.converted(name, &shown, &text) {
            Ok(converted) => converted,
            Err(status) => return status,
        };
        let modified = found.and_then(|found| found.modified()).ok();
        let date = modified.filter(|_| self.keep_date);
        let into = match self.links {
            LinkRule::Follow if link && !self.new_file => {
                std::fs::canonicalize(place).unwrap_or_else(|_| codepod_tool::path(target).into())
            }
            _ => codepod_tool::path(target).into(),
        };
        if let Err(error) = files::replace(place, &into, &bytes, date) {
            let shown = String::from_utf8_lossy(target);
            complain(name, format!("{shown}: {}", files::why(&error)));
            return 2;
        }
        say(&self.done(&shown, &String::from_utf8_lossy(target), done));
        0
    }

    /// What is said of a file that was converted.
    fn done(&self, from: &str, to: &str, (form, kept): (Form, bool)) -> String {
        let system = match self.converter.direction {
            Direction::DosToUnix | Direction::MacToUnix => "Unix",
            Direction::UnixToDos => "DOS",
            Direction::UnixToMac => "Mac",
        };
        let (what, into) = match (form, kept) {
            (Form::Bytes, _) => (String::new(), String::new()),
            (form, true) => (format!("{} ", form.name()), format!("{} ", form.name())),
            (form, false) => (format!("{} ", form.name()), "UTF-8 ".to_owned()),
        };
        match self.new_file {
            true => {
                format!("converting {what}file {from} to file {to} in {into}{system} format...")
            }
            false => format!("converting {what}file {from} to {into}{system} format..."),
        }
    }

    /// The text with other line breaks and the mark that it shall have, its form, and whether it
    /// keeps that; or the status.
    fn converted(
        &self,
        name: &str,
        shown: &str,
        text: &[u8],
    ) -> Result<(Vec<u8>, (Form, bool)), i32> {
        let mark = Mark::of(text);
        let form = form_of(mark, self.assumed);
        let kept = form == Form::Bytes || self.keep_utf16;
        let units = form.units(&text[mark.bytes().len()..]);
        let mut converter = self.converter.clone();
        let mut changed = Vec::with_capacity(units.len());
        for unit in units {
            if let Err(binary) = converter.push(unit, &mut changed) {
                self.not_text(name, shown, binary);
                return Err(0);
            }
        }
        converter.finish(&mut changed);
        // What is said to be UTF-16 counts as if it had a mark.
        let has_mark = match self.marks {
            MarkRule::Keep => mark != Mark::None || form != Form::Bytes,
            MarkRule::Remove => false,
            MarkRule::Add => true,
        };
        let own_mark = match (form, kept) {
            (Form::Utf16Le, true) => Mark::Utf16Le,
            (Form::Utf16Be, true) => Mark::Utf16Be,
            _ => Mark::Utf8,
        };
        let mut bytes = Vec::with_capacity(changed.len() + 3);
        if has_mark {
            bytes.extend_from_slice(own_mark.bytes());
        }
        if kept {
            form.bytes(&changed, &mut bytes);
        } else if let Err((at, half)) = text::utf8(&changed, &mut bytes) {
            let line = changed[..at].iter().filter(|unit| **unit == 0x0a).count() + 1;
            complain(
                name,
                format!("error: Invalid surrogate pair. Missing {half} surrogate."),
            );
            complain(
                name,
                format!(
                    "Skipping UTF-16 file {shown}, an UTF-16 conversion error occurred on line {line}."
                ),
            );
            return Err(1);
        }
        if self.verbose {
            if mark != Mark::None {
                complain(name, format!("Input file {shown} has {} BOM.", mark.name()));
            }
            if has_mark {
                complain(name, format!("Writing {} BOM.", own_mark.name()));
            }
            complain(
                name,
                format!(
                    "Converted {} out of {} line breaks.",
                    converter.converted, converter.breaks
                ),
            );
        }
        Ok((bytes, (form, kept)))
    }

    fn not_text(&self, name: &str, shown: &str, Binary { unit, line }: Binary) {
        if !self.quiet {
            complain(
                name,
                format!("Binary symbol 0x{unit:02X} found at line {line}"),
            );
            complain(name, format!("Skipping binary file {shown}"));
        }
    }

    /// Converts standard input, or tells about it. Returns the status.
    fn stdin(&self, name: &str, out: &mut Output) -> i32 {
        let mut input = codepod_tool::Stdin;
        let mut head = Vec::new();
        let first = input.by_ref().take(4).read_to_end(&mut head);
        let form = form_of(Mark::of(&head), self.assumed);
        let whole = self.info.is_some() || form != Form::Bytes;
        let read = first.and_then(|_| match whole {
            true => input.read_to_end(&mut head),
            false => Ok(0),
        });
        if let Err(error) = read {
            complain(name, format!("stdin: {}", files::why(&error)));
            return 2;
        }
        if let Some(columns) = &self.info {
            columns.print(self.assumed, &self.converter, &head, None, out);
            return 0;
        }
        if !whole {
            return self.stream(name, &head, out);
        }
        match self.converted(name, "stdin", &head) {
            Ok((bytes, _)) => {
                out.put(&bytes);
                0
            }
            Err(status) => status.max(1),
        }
    }

    /// Converts bytes of standard input as they come; `head` is read already.
    fn stream(&self, name: &str, head: &[u8], out: &mut Output) -> i32 {
        let mark = Mark::of(head);
        let has_mark = match self.marks {
            MarkRule::Keep => mark != Mark::None,
            MarkRule::Remove => false,
            MarkRule::Add => true,
        };
        if has_mark {
            out.put(Mark::Utf8.bytes());
        }
        let mut converter = self.converter.clone();
        let mut units = Vec::new();
        let mut chunk = head[mark.bytes().len()..].to_vec();
        loop {
            for byte in &chunk {
                if let Err(binary) = converter.push(u16::from(*byte), &mut units) {
                    self.not_text(name, "stdin", binary);
                    put(&mut units, out);
                    return 1;
                }
            }
            put(&mut units, out);
            chunk.resize(CHUNK, 0);
            match codepod_tool::Stdin.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => chunk.truncate(count),
                Err(error) => {
                    complain(name, format!("stdin: {}", files::why(&error)));
                    return 2;
                }
            }
            out.write_out();
            if out.is_broken() {
                break;
            }
        }
        converter.finish(&mut units);
        put(&mut units, out);
        0
    }
}

fn put(units: &mut Vec<u16>, out: &mut Output) {
    let mut bytes = Vec::with_capacity(units.len());
    Form::Bytes.bytes(units, &mut bytes);
    out.put(&bytes);
    units.clear();
}

/// How a text is written: what its mark says, or what an option says of one without.
fn form_of(mark: Mark, assumed: Option<Form>) -> Form {
    match mark {
        Mark::Utf16Le => Form::Utf16Le,
        Mark::Utf16Be => Form::Utf16Be,
        Mark::Utf8 => Form::Bytes,
        Mark::None => assumed.unwrap_or(Form::Bytes),
    }
}

fn usage(name: &str) -> String {
    format!(
        "Usage: {name} [options] [file ...] [-n infile outfile ...]\n{}",
        include_str!("dos2unix/usage.txt")
    )
}
