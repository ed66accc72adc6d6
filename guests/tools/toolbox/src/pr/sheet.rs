//! The output of `pr`: a line at a time, with blanks that wait until it is known what follows.

use codepod_tool::Output;

use super::settings::{Numbers, Settings, Show};

/// The output, and where on the current line it is.
pub(super) struct Sheet<'a> {
    settings: &'a Settings,
    pub(super) out: Output,
    /// The column behind all that is printed.
    position: u64,
    /// Blanks behind it that are not printed yet.
    blanks: u64,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(settings: &'a Settings) -> Sheet<'a> {
        Sheet {
            settings,
            out: Output::new(),
            position: 0,
            blanks: 0,
        }
    }

    /// Begins a line: the margin waits to be printed, unless columns follow it.
    pub(super) fn start_line(&mut self) {
        self.position = 0;
        self.blanks = self.settings.indent;
        if self.settings.columns > 1 {
            self.flush();
        }
    }

    /// Prints the margin alone.
    pub(super) fn margin(&mut self) {
        self.start_line();
        self.flush();
    }

    /// Ends a line. Blanks at its end are left out where blanks become tabs.
    pub(super) fn end_line(&mut self) {
        if self.settings.output_tab.is_none() {
            self.flush();
        }
        self.out.put_byte(b'\n');
    }

    /// Whether a line has nothing that fits, although it is not empty.
    pub(super) fn leaves_out(&self, line: &[u8], most: Option<u64>) -> bool {
        match (line.first(), most) {
            (Some(byte), Some(most)) => self.shown(*byte, 0).0 > most.cast_signed(),
            _ => false,
        }
    }

    /// Prints the blanks that wait: as tabs as far as these reach.
    fn flush(&mut self) {
        let target = self.position.saturating_add(self.blanks);
        if let Some(tab) = self.settings.output_tab {
            while self.position < target && !self.out.is_broken() {
                let stop = self.position + (tab.width - self.position % tab.width);
                // A single blank stays one.
                if stop > target || target - self.position < 2 {
                    break;
                }
                self.out.put_byte(tab.byte);
                self.position = stop;
            }
        }
        while self.position < target && !self.out.is_broken() {
            self.out.put_byte(b' ');
            self.position += 1;
        }
        self.blanks = 0;
    }

    /// Prints a byte that takes `width` columns; a backspace takes one less than none.
    fn put(&mut self, byte: u8, width: i64) {
        if byte == b' ' {
            self.blanks += 1;
            return;
        }
        self.flush();
        self.out.put_byte(byte);
        self.position = self.position.saturating_add_signed(width);
    }

    /// Goes on to the next column, whose place is counted from the margin, and prints the
    /// separator.
    pub(super) fn next_column(&mut self, start: u64) {
        let separator = &self.settings.separator;
        if self.settings.column_width.is_some() {
            let end = self.settings.indent + start - separator.len() as u64;
            self.blanks = self.blanks.max(end.saturating_sub(self.position));
        } else {
            self.flush();
        }
        for byte in separator {
            self.put(*byte, 1);
        }
        self.flush();
    }

    /// Prints a number with its separator.
    pub(super) fn number(&mut self, number: i64, numbers: Numbers) {
        let digits = usize::try_from(numbers.digits).unwrap_or(usize::MAX);
        let text = number.to_string();
        // Of a number that is too long the end is printed.
        let text = &text[text.len() - text.len().min(digits)..];
        self.blanks += numbers.digits - text.len() as u64;
        text.bytes().for_each(|byte| self.put(byte, 1));
        if numbers.separator == b'\t' && self.settings.columns > 1 {
            self.blanks += numbers.gap();
        } else {
            self.put(numbers.separator, numbers.gap().cast_signed());
        }
    }

    /// Prints the text of a line, as far as `most` columns reach. Tabs behind its first byte stand
    /// at columns that start with `offset`.
    pub(super) fn text(&mut self, text: &[u8], offset: u64, most: Option<u64>) {
        let mut most = most.map_or(i64::MAX, |most| i64::try_from(most).unwrap_or(i64::MAX));
        // The column within the text.
        let mut column = 0i64;
        for (place, &byte) in text.iter().enumerate() {
            let (width, shown) = self.shown(byte, column);
            if column.saturating_add(width) > most {
                break;
            }
            column = (column + width).max(0);
            if place == 0 {
                column = column.saturating_add_unsigned(offset);
                most = most.saturating_add_unsigned(offset);
            }
            match shown {
                Shown::Nothing => {}
                Shown::Blanks => self.blanks += width.unsigned_abs(),
                Shown::Byte => self.put(byte, width),
                Shown::Text(text) => text.bytes().for_each(|byte| self.put(byte, 1)),
            }
            if self.out.is_broken() {
                break;
            }
        }
    }

    /// How many columns a byte takes, and what is printed for it.
    fn shown(&self, byte: u8, column: i64) -> (i64, Shown) {
        let settings = self.settings;
        let to_stop = |width: u64| {
            let width = width.cast_signed();
            width - column % width
        };
        match settings.expand_also {
            Some(tab) if tab.byte == byte => return (to_stop(tab.width), Shown::Blanks),
            _ => {}
        }
        if byte == b'\t' {
            let shown = if settings.expand {
                Shown::Blanks
            } else {
                Shown::Byte
            };
            return (to_stop(8), shown);
        }
        let text = match (byte, settings.show) {
            (b' '..=b'~', _) => return (1, Shown::Byte),
            // There is nothing to go back over.
            (8, Show::AsIs) if column == 0 => return (0, Shown::Nothing),
            (8, Show::AsIs) => return (-1, Shown::Byte),
            (_, Show::AsIs) => return (0, Shown::Byte),
            (0..=31 | 127, Show::Hats) => format!("^{}", char::from(byte ^ 0x40)),
            _ => format!("\\{byte:03o}"),
        };
        (text.len() as i64, Shown::Text(text))
    }
}

/// What is printed for a byte.
enum Shown {
    Nothing,
    Blanks,
    Byte,
    Text(String),
}
