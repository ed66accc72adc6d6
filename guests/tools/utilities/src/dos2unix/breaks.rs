//! Line breaks: from those of DOS, Unix and the old Mac to those of another, unit by unit.

/// What becomes of line breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// `dos2unix`: `\r\n` becomes `\n`.
    DosToUnix,
    /// `mac2unix`: `\r` alone becomes `\n`.
    MacToUnix,
    /// `unix2dos`: `\n` alone becomes `\r\n`.
    UnixToDos,
    /// `unix2mac`: `\n` alone becomes `\r`.
    UnixToMac,
}

const CR: u16 = 0x0d;
const LF: u16 = 0x0a;

/// A control character that text does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Binary {
    pub(super) unit: u16,
    pub(super) line: u64,
}

/// Converts units, which are bytes or the halves of UTF-16.
#[derive(Debug, Clone)]
pub(super) struct Converter {
    pub(super) direction: Direction,
    /// `-l`: two line breaks for one.
    pub(super) double: bool,
    /// `-7`: blanks for what is not ASCII.
    pub(super) seven_bits: bool,
    /// `-f`: binary files, too.
    pub(super) force: bool,
    /// Line breaks so far.
    pub(super) breaks: u64,
    /// Line breaks that were converted.
    pub(super) converted: u64,
    /// Whether the last unit was a `\r` that is not yet put out.
    return_pending: bool,
}

/// Whether a unit makes a file a binary one.
pub(super) fn is_binary(unit: u16) -> bool {
    unit < 0x20 && !matches!(unit, 0x09 | 0x0a | 0x0c | 0x0d)
}

impl Converter {
    pub(super) fn new(direction: Direction) -> Converter {
        Converter {
            direction,
            double: false,
            seven_bits: false,
            force: false,
            breaks: 0,
            converted: 0,
            return_pending: false,
        }
    }

    /// Takes the next unit. Fails at the first that no text has.
    pub(super) fn push(&mut self, unit: u16, out: &mut Vec<u16>) -> Result<(), Binary> {
        if !self.force && is_binary(unit) {
            let line = self.breaks + 1;
            return Err(Binary { unit, line });
        }
        if self.return_pending {
            self.return_pending = false;
            if unit == LF {
                self.pair(out);
                return Ok(());
            }
            self.lone_return(out);
        }
        match unit {
            CR => self.return_pending = true,
            LF => self.lone_feed(out),
            unit if self.seven_bits && unit > 0x7f => out.push(u16::from(b' ')),
            unit => out.push(unit),
        }
        Ok(())
    }

    /// Ends the text.
    pub(super) fn finish(&mut self, out: &mut Vec<u16>) {
        if std::mem::take(&mut self.return_pending) {
            self.lone_return(out);
        }
    }

    fn pair(&mut self, out: &mut Vec<u16>) {
        self.breaks += 1;
        if self.direction == Direction::DosToUnix {
            self.changed(&[LF], out);
        } else {
            out.extend([CR, LF]);
        }
    }

    fn lone_return(&mut self, out: &mut Vec<u16>) {
        if self.direction == Direction::MacToUnix {
            self.breaks += 1;
            self.changed(&[LF], out);
        } else {
            self.breaks += u64::from(self.direction == Direction::UnixToMac);
            out.push(CR);
        }
    }

    fn lone_feed(&mut self, out: &mut Vec<u16>) {
        self.breaks += 1;
        match self.direction {
            Direction::UnixToDos => self.changed(&[CR, LF], out),
            Direction::UnixToMac => self.changed(&[CR], out),
            _ => out.push(LF),
        }
    }

    fn changed(&mut self, to: &[u16], out: &mut Vec<u16>) {
        self.converted += 1;
        out.extend(to);
        if self.double {
            out.extend(to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(direction: Direction, text: &str) -> String {
        let mut converter = Converter::new(direction);
        let mut out = Vec::new();
        for unit in text.encode_utf16() {
            converter.push(unit, &mut out).expect("text");
        }
        converter.finish(&mut out);
        String::from_utf16(&out).expect("text")
    }

    #[test]
    fn only_the_breaks_of_the_direction_change() {
        let text = "a\r\nb\nc\rd\r\r\n\r";
        assert_eq!(converted(Direction::DosToUnix, text), "a\nb\nc\rd\r\n\r");
        assert_eq!(
            converted(Direction::MacToUnix, text),
            "a\r\nb\nc\nd\n\r\n\n"
        );
        assert_eq!(
            converted(Direction::UnixToDos, text),
            "a\r\nb\r\nc\rd\r\r\n\r"
        );
        assert_eq!(
            converted(Direction::UnixToMac, text),
            "a\r\nb\rc\rd\r\r\n\r"
        );
    }

    #[test]
    fn a_control_character_is_not_text() {
        let mut converter = Converter::new(Direction::DosToUnix);
        let mut out = Vec::new();
        converter.push(LF, &mut out).expect("text");
        assert_eq!(
            converter.push(0, &mut out),
            Err(Binary { unit: 0, line: 2 })
        );
    }
}
