//! `stat`: what is known of files.

use codepod_datetime::{Moment, Zone, format};
use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, errno_text, flag, long, one_of,
    quoted, value,
};

use crate::arguments::{help, version};
use crate::ls::{major, minor};
use crate::mode;
use crate::names::Names;
use crate::quoting::{Style, quote};
use crate::system::{self, Links, Stat};

#[derive(Clone, Copy)]
enum Key {
    Dereference,
    FileSystem,
    Format,
    Printf,
    Terse,
    Cached,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Dereference, b'L', "dereference"),
    flag(Key::FileSystem, b'f', "file-system"),
    long(Key::Cached, "cached", Value::Required),
    value(Key::Format, b'c', "format"),
    long(Key::Printf, "printf", Value::Required),
    flag(Key::Terse, b't', "terse"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

const USUAL: &str = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i Links: %h\n\
    Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const USUAL_DEVICE: &str = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i Links: %-5h \
    Device type: %Hr,%Lr\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const TERSE: &str = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
const USUAL_SYSTEM: &str = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\n\
    Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n";
const TERSE_SYSTEM: &str = "%n %i %l %t %s %S %b %f %a %c %d\n";

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut links, mut system_wanted, mut terse) = (Links::Keep, false, false);
    let mut form: Option<(Vec<u8>, bool)> = None;
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Dereference => links = Links::Follow,
                Key::FileSystem => system_wanted = true,
                Key::Format => {
                    form = Some(([&value.unwrap_or_default()[..], b"\n"].concat(), false))
                }
                Key::Printf => form = Some((value.unwrap_or_default(), true)),
                Key::Terse => terse = true,
                Key::Cached => {
                    let value = value.unwrap_or_default();
                    let choices = [("default", 0), ("never", 1), ("always", 2)];
                    if let Err(usage) = one_of("--cached", &value, &choices) {
                        return usage.report(tool, 1);
                    }
                }
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... FILE...",
                        "Display file or file system status.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if operands.is_empty() {
        return Usage::new("missing operand").report(tool, 1);
    }
    let mut show = Show {
        tool,
        out: Output::new(),
        names: Names::default(),
        zone: Zone::from_environment(),
        status: 0,
        plain: form.is_none(),
    };
    for path in operands {
        let found = if path == b"-" && !system_wanted {
            system::stat(b"/dev/stdin", Links::Follow)
        } else {
            system::stat(&path, links)
        };
        let stat = match found {
            Ok(stat) => stat,
            Err(errno) => {
                show.out.write_out();
                let what: &[u8] = if system_wanted {
                    b"cannot read file system information for "
                } else {
                    b"cannot statx "
                };
                complain(
                    tool,
                    [what, &quoted(&path), b": ", errno_text(errno).as_bytes()].concat(),
                );
                show.status = 1;
                continue;
            }
        };
        let usual = match (system_wanted, terse, mode::is_device(stat.mode)) {
            (true, true, _) => TERSE_SYSTEM,
            (true, false, _) => USUAL_SYSTEM,
            (false, true, _) => TERSE,
            (false, false, true) => USUAL_DEVICE,
            (false, false, false) => USUAL,
        };
        let (form, escapes) = form
            .clone()
            .unwrap_or_else(|| (usual.as_bytes().to_vec(), false));
        show.format(&form, escapes, &path, &stat, system_wanted);
    }
    if let Err(error) = show.out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    show.status
}

struct Show<'a> {
    tool: &'a str,
    out: Output,
    names: Names,
    zone: Zone,
    status: i32,
    /// Whether the usual form is shown, which quotes only what needs it.
    plain: bool,
}

impl Show<'_> {
    fn format(&mut self, form: &[u8], escapes: bool, path: &[u8], stat: &Stat, of_system: bool) {
        let mut at = 0;
        while at < form.len() {
            let byte = form[at];
            at += 1;
            match byte {
                b'\\' if escapes => at += self.escape(&form[at..]),
                b'%' => {
                    let flags_end = at
                        + form[at..]
                            .iter()
                            .take_while(|byte| b"'-+ #0".contains(byte))
                            .count();
                    let flags = form[at..flags_end].to_vec();
                    let digits = |from: usize| {
                        form[from..]
                            .iter()
                            .take_while(|byte| byte.is_ascii_digit())
                            .count()
                    };
                    let width_end = flags_end + digits(flags_end);
                    let number = |from: usize, to: usize| {
                        let text = std::str::from_utf8(&form[from..to]).ok()?;
                        text.parse::<usize>().ok().map(|number| number.min(4096))
                    };
                    let width = number(flags_end, width_end).unwrap_or(0);
                    let mut end = width_end;
                    let mut precision = None;
                    if form.get(end) == Some(&b'.') {
                        let to = end + 1 + digits(end + 1);
                        precision = Some(number(end + 1, to).unwrap_or(0));
                        end = to;
                    }
                    let modifier = form.get(end).copied().filter(|letter| {
                        b"HL".contains(letter)
                            && form.len() > end + 1
                            && b"dr".contains(&form[end + 1])
                    });
                    end += usize::from(modifier.is_some());
                    let Some(&letter) = form.get(end) else {
                        self.out.put(b"%");
                        continue;
                    };
                    if letter == b'%' {
                        if end > at {
                            self.out.write_out();
                            let directive = &form[at - 1..=end];
                            complain(
                                self.tool,
                                [&quoted(directive)[..], b": invalid directive"].concat(),
                            );
                            std::process::exit(1);
                        }
                        self.out.put_byte(b'%');
                    } else {
                        let how = How {
                            flags,
                            width,
                            precision,
                        };
                        let text = if of_system {
                            self.of_system(letter, path, stat, &how)
                        } else {
                            self.of_file(letter, modifier, path, stat, &how)
                        };
                        self.out.put(&text);
                    }
                    at = end + 1;
                }
                _ => self.out.put_byte(byte),
            }
        }
    }

    /// Writes what a backslash means and returns how many bytes follow it.
    fn escape(&mut self, rest: &[u8]) -> usize {
        let Some(&letter) = rest.first() else {
            complain(self.tool, "warning: backslash at end of format");
            self.out.put_byte(b'\\');
            return 0;
        };
        let digits = |base: u8, most: usize| {
            let is = |byte: &&u8| char::from(**byte).is_digit(base.into());
            rest[usize::from(base == 16)..]
                .iter()
                .take(most)
                .take_while(is)
                .count()
        };
        match letter {
            b'0'..=b'7' => {
                let count = digits(8, 3);
                let value = rest[..count]
                    .iter()
                    .fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
                self.out.put_byte(value as u8);
                count
            }
            b'x' if digits(16, 2) > 0 => {
                let count = digits(16, 2);
                let text = std::str::from_utf8(&rest[1..=count]).unwrap_or("0");
                self.out.put_byte(u8::from_str_radix(text, 16).unwrap_or(0));
                count + 1
            }
            _ => {
                let byte = match letter {
                    b'a' => 7,
                    b'b' => 8,
                    b'e' => 27,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    b'"' | b'\\' => letter,
                    _ => {
                        let shown =
                            [b"warning: unrecognized escape '\\", &rest[..1], b"'"].concat();
                        self.out.write_out();
                        complain(self.tool, shown);
                        letter
                    }
                };
                self.out.put_byte(byte);
                1
            }
        }
    }

    fn of_file(
        &mut self,
        letter: u8,
        modifier: Option<u8>,
        path: &[u8],
        stat: &Stat,
        how: &How,
    ) -> Vec<u8> {
        let device = |device: u64| match modifier {
            Some(b'H') => how.number(major(device)),
            Some(_) => how.number(minor(device)),
            None => how.number(device),
        };
        let seconds = |time: u64| how.seconds(time);
        match letter {
            b'a' => how.based(u64::from(stat.mode & 0o7777), 8),
            b'A' => how.text(mode::text(stat.mode).as_bytes()),
            b'b' => how.number(stat.blocks),
            b'B' => how.number(512),
            b'C' => how.text(b"?"),
            b'd' => device(stat.dev),
            b'D' => how.based(stat.dev, 16),
            b'f' => how.based(stat.mode.into(), 16),
            b'F' => how.text(mode::type_name(stat.mode, stat.size).as_bytes()),
            b'g' => how.number(stat.gid.into()),
            b'G' => how.text(self.names.group_name(stat.gid).as_bytes()),
            b'h' => how.number(stat.nlink),
            b'i' => how.number(stat.ino),
            b'm' => how.text(b"/"),
            b'n' => how.text(path),
            b'N' => {
                let style = std::env::var("QUOTING_STYLE").ok();
                let style = style
                    .and_then(|name| Style::NAMES.iter().find(|(known, _)| *known == name))
                    .map_or(Style::ShellEscapeAlways, |(_, style)| *style);
                let style = if self.plain && style == Style::ShellEscapeAlways {
                    Style::ShellEscape
                } else {
                    style
                };
                let mut shown = quote(path, style, false, b"");
                if mode::is_link(stat.mode) {
                    let to = system::read_link(path).unwrap_or_default();
                    shown.extend_from_slice(b" -> ");
                    shown.extend_from_slice(&quote(&to, style, false, b""));
                }
                how.text(&shown)
            }
            b'o' => how.number(4096),
            b's' => how.number(stat.size),
            b'r' => device(stat.rdev),
            b'R' => how.based(stat.rdev, 16),
            b't' => how.based(major(stat.rdev), 16),
            b'T' => how.based(minor(stat.rdev), 16),
            b'u' => how.number(stat.uid.into()),
            b'U' => how.text(self.names.user_name(stat.uid).as_bytes()),
            // Nobody knows when it was made.
            b'w' => how.text(b"-"),
            b'W' => how.number(0),
            b'x' => how.text(&self.time(stat.atime)),
            b'X' => seconds(stat.atime),
            b'y' => how.text(&self.time(stat.mtime)),
            b'Y' => seconds(stat.mtime),
            b'z' => how.text(&self.time(stat.ctime)),
            b'Z' => seconds(stat.ctime),
            _ => b"?".to_vec(),
        }
    }

    fn of_system(&mut self, letter: u8, path: &[u8], _stat: &Stat, how: &How) -> Vec<u8> {
        match letter {
            b'n' => how.text(path),
            b'i' => how.based(0, 16),
            b'l' => how.number(255),
            b't' => how.based(0x0102_1994, 16),
            b'T' => how.text(b"tmpfs"),
            b's' | b'S' => how.number(4096),
            b'a' | b'b' | b'c' | b'd' | b'f' => how.number(0),
            _ => b"?".to_vec(),
        }
    }

    fn time(&self, nanoseconds: u64) -> Vec<u8> {
        format(
            b"%Y-%m-%d %H:%M:%S.%N %z",
            Moment::from_nanoseconds(nanoseconds),
            &self.zone,
        )
    }
}

/// Flags, width and precision of a conversion, as `printf` has them.
struct How {
    flags: Vec<u8>,
    width: usize,
    precision: Option<usize>,
}

impl How {
    fn has(&self, flag: u8) -> bool {
        self.flags.contains(&flag)
    }

    fn pad(&self, text: Vec<u8>, zeros: bool) -> Vec<u8> {
        let missing = self.width.saturating_sub(text.len());
        let fill = |byte: u8| std::iter::repeat_n(byte, missing);
        if self.has(b'-') {
            text.into_iter().chain(fill(b' ')).collect()
        } else if zeros && self.has(b'0') {
            fill(b'0').chain(text).collect()
        } else {
            fill(b' ').chain(text).collect()
        }
    }

    fn text(&self, text: &[u8]) -> Vec<u8> {
        let cut = self.precision.unwrap_or(text.len()).min(text.len());
        self.pad(text[..cut].to_vec(), false)
    }

    fn number(&self, value: u64) -> Vec<u8> {
        let digits = format!("{value:0width$}", width = self.precision.unwrap_or(0));
        let sign = if self.has(b'+') {
            "+"
        } else if self.has(b' ') {
            " "
        } else {
            ""
        };
        self.pad(
            format!("{sign}{digits}").into_bytes(),
            self.precision.is_none(),
        )
    }

    fn based(&self, value: u64, base: u32) -> Vec<u8> {
        let width = self.precision.unwrap_or(0);
        let text = match base {
            8 if self.has(b'#') => format!("0{value:0width$o}"),
            8 => format!("{value:0width$o}"),
            _ if self.has(b'#') && value != 0 => format!("0x{value:0width$x}"),
            _ => format!("{value:0width$x}"),
        };
        self.pad(text.into_bytes(), self.precision.is_none())
    }

    /// Seconds since 1970, with a fraction where a precision is given.
    fn seconds(&self, nanoseconds: u64) -> Vec<u8> {
        let (seconds, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
        let text = match self.precision {
            None => seconds.to_string(),
            Some(0) if !self.flags.is_empty() => seconds.to_string(),
            Some(precision) => {
                let places = if precision == 0 { 9 } else { precision };
                let digits = format!("{rest:09}");
                let digits: String = digits
                    .chars()
                    .chain(std::iter::repeat('0'))
                    .take(places)
                    .collect();
                format!("{seconds}.{digits}")
            }
        };
        self.pad(text.into_bytes(), true)
    }
}
