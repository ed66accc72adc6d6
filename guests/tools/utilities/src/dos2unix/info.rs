//! `-i`: what line breaks a file has.

use codepod_tool::Output;

use super::breaks::{Converter, Direction, is_binary};
use super::form_of;
use super::text::{Form, Mark};

/// Which columns are printed, and how.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    dos: bool,
    unix: bool,
    mac: bool,
    mark: bool,
    kind: bool,
    /// `c`: only files that would be converted.
    only_converted: bool,
    /// `h`: a line on top, until it is printed.
    header: std::cell::Cell<bool>,
    /// `p`: names without directories.
    base_names: bool,
    /// `0`: NUL instead of newline.
    nul: bool,
}

impl Columns {
    /// The columns of the flags behind `-i`, or the flag that is wrong.
    pub(super) fn parse(flags: &[u8]) -> Result<Columns, u8> {
        let mut columns = Columns::default();
        for flag in flags {
            match flag {
                b'd' => columns.dos = true,
                b'u' => columns.unix = true,
                b'm' => columns.mac = true,
                b'b' => columns.mark = true,
                b't' => columns.kind = true,
                b'c' => columns.only_converted = true,
                b'h' => columns.header.set(true),
                b'p' => columns.base_names = true,
                b'0' => columns.nul = true,
                flag => return Err(*flag),
            }
        }
        if !columns.any() && !columns.only_converted {
            columns = Columns {
                dos: true,
                unix: true,
                mac: true,
                mark: true,
                kind: true,
                ..columns
            };
        }
        Ok(columns)
    }

    fn any(&self) -> bool {
        self.dos || self.unix || self.mac || self.mark || self.kind
    }

    /// Prints the line of a file; standard input has no name.
    pub(super) fn print(
        &self,
        assumed: Option<Form>,
        converter: &Converter,
        text: &[u8],
        path: Option<&[u8]>,
        out: &mut Output,
    ) {
        if self.header.take() {
            self.head(path.is_some(), out);
        }
        let mark = Mark::of(text);
        let found = Counts::of(&form_of(mark, assumed).units(&text[mark.bytes().len()..]));
        let changes = match converter.direction {
            Direction::DosToUnix => found.dos,
            Direction::MacToUnix => found.mac,
            Direction::UnixToDos | Direction::UnixToMac => found.unix,
        };
        if self.only_converted && (changes == 0 || (found.binary && !converter.force)) {
            return;
        }
        for (wanted, count) in [
            (self.dos, found.dos),
            (self.unix, found.unix),
            (self.mac, found.mac),
        ] {
            if wanted {
                out.put(format!("{count:8}").as_bytes());
            }
        }
        if self.mark {
            out.put(format!("  {:8}", mark.name()).as_bytes());
        }
        if self.kind {
            let kind = if found.binary { "binary" } else { "text" };
            out.put(format!("  {kind:6}").as_bytes());
        }
        if let Some(path) = path {
            if self.any() {
                out.put(b"  ");
            }
            let base = path.rsplit(|byte| *byte == b'/').next();
            out.put(base.filter(|_| self.base_names).unwrap_or(path));
        }
        out.put_byte(if self.nul { 0 } else { b'\n' });
    }

    fn head(&self, named: bool, out: &mut Output) {
        for (wanted, name) in [
            (self.dos, "     DOS"),
            (self.unix, "    UNIX"),
            (self.mac, "     MAC"),
            (self.mark, "  BOM     "),
            (self.kind, "  TXTBIN"),
        ] {
            if wanted {
                out.put(name.as_bytes());
            }
        }
        if named {
            out.put(if self.any() { b"  FILE" } else { b"FILE" });
        }
        out.put_byte(if self.nul { 0 } else { b'\n' });
    }
}

/// How many line breaks of each kind there are.
#[derive(Default)]
struct Counts {
    dos: u64,
    unix: u64,
    mac: u64,
    binary: bool,
}

impl Counts {
    fn of(units: &[u16]) -> Counts {
        let mut counts = Counts::default();
        let mut before = 0;
        for unit in units {
            counts.binary |= is_binary(*unit);
            match (before, *unit) {
                (0x0d, 0x0a) => {
                    counts.dos += 1;
                    counts.mac -= 1;
                }
                (_, 0x0a) => counts.unix += 1,
                (_, 0x0d) => counts.mac += 1,
                _ => {}
            }
            before = *unit;
        }
        counts
    }
}
