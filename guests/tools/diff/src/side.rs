//! Differences side by side.

use codepod_posix_regex::next_char;
use codepod_tool::Output;

use crate::arguments::Asked;
use crate::hunks::Change;
use crate::lines::Lines;

/// The least room between both halves.
const GUTTER: usize = 3;

/// Prints two files side by side.
pub(crate) struct SideBySide<'a> {
    asked: &'a Asked,
    files: [&'a Lines; 2],
    out: &'a mut Output,
    /// How wide a half is, and where the second starts.
    half: usize,
    second: usize,
}

impl<'a> SideBySide<'a> {
    /// For two files.
    pub(crate) fn new(
        asked: &'a Asked,
        files: [&'a Lines; 2],
        out: &'a mut Output,
    ) -> SideBySide<'a> {
        let width = asked.width;
        let tab = if asked.expand_tabs { 1 } else { asked.tab_size };
        let offset = (width + tab + GUTTER) / (2 * tab) * tab;
        let half = offset
            .saturating_sub(GUTTER)
            .min(width.saturating_sub(offset));
        SideBySide {
            asked,
            files,
            out,
            half,
            second: if half > 0 { offset } else { width },
        }
    }

    /// Prints everything.
    pub(crate) fn all(&mut self, changes: &[Change]) {
        let (mut x, mut y) = (0, 0);
        for change in changes {
            self.common(&mut x, &mut y, change.first.0);
            let (deleted, inserted) = (
                change.first.1 - change.first.0,
                change.second.1 - change.second.0,
            );
            if change.ignored {
                // Lines that do not count are shown as if they were the same.
                for _ in 0..deleted.min(inserted) {
                    self.row(Some(x), b' ', Some(y));
                    x += 1;
                    y += 1;
                }
                while x < change.first.1 {
                    self.row(Some(x), b'(', None);
                    x += 1;
                }
                while y < change.second.1 {
                    self.row(None, b')', Some(y));
                    y += 1;
                }
                continue;
            }
            for _ in 0..deleted.min(inserted) {
                self.row(Some(x), b'|', Some(y));
                x += 1;
                y += 1;
            }
            while x < change.first.1 {
                self.row(Some(x), b'<', None);
                x += 1;
            }
            while y < change.second.1 {
                self.row(None, b'>', Some(y));
                y += 1;
            }
        }
        let end = self.files[0].len();
        self.common(&mut x, &mut y, end);
    }

    fn common(&mut self, x: &mut usize, y: &mut usize, end: usize) {
        while *x < end {
            if !self.asked.suppress_common {
                if self.asked.left_column {
                    self.row(Some(*x), b'(', None);
                } else {
                    self.row(Some(*x), b' ', Some(*y));
                }
            }
            *x += 1;
            *y += 1;
        }
    }

    fn row(&mut self, left: Option<usize>, mark: u8, right: Option<usize>) {
        let mut column = 0;
        let mut mark = mark;
        let mut ends = false;
        if let Some(left) = left {
            let lacks = self.files[0].lacks_end(left);
            ends |= !lacks;
            column = self.half_line(0, left, 0);
        }
        if let (Some(left), Some(right)) = (left, right)
            && mark == b'|'
        {
            let (one, other) = (
                self.files[0].lacks_end(left),
                self.files[1].lacks_end(right),
            );
            if one != other {
                mark = if other { b'/' } else { b'\\' };
            }
        }
        if mark != b' ' {
            column = self.blanks(column, (self.half + self.second - 1) / 2) + 1;
            self.out.put_byte(mark);
        }
        if let Some(right) = right {
            ends |= !self.files[1].lacks_end(right);
            if !self.files[1].body(right).is_empty() {
                column = self.blanks(column, self.second);
                self.half_line(1, right, column);
            }
        }
        if ends {
            self.out.put_byte(b'\n');
        }
    }

    /// Moves on to a column, with tabs where they fit. Returns the column.
    fn blanks(&mut self, from: usize, to: usize) -> usize {
        let mut at = from;
        if !self.asked.expand_tabs {
            let tab = self.asked.tab_size;
            while at / tab < to / tab {
                self.out.put_byte(b'\t');
                at = (at / tab + 1) * tab;
            }
        }
        while at < to {
            self.out.put_byte(b' ');
            at += 1;
        }
        at.max(from)
    }

    /// Prints as much of a line as fits into a half that starts at `start`. Returns the column
    /// behind it.
    fn half_line(&mut self, side: usize, number: usize, start: usize) -> usize {
        let body = self.files[side].body(number);
        let tab = self.asked.tab_size;
        let (mut input, mut printed) = (0, 0);
        let mut at = 0;
        while at < body.len() {
            let next = next_char(body, at).1;
            match body[at] {
                b'\t' => {
                    let width = tab - input % tab;
                    if input == printed {
                        let target = input + width;
                        if self.asked.expand_tabs {
                            let stop = target.min(self.half);
                            while printed < stop {
                                self.out.put_byte(b' ');
                                printed += 1;
                            }
                        } else if target < self.half {
                            printed = target;
                            self.out.put_byte(b'\t');
                        }
                    }
                    input += width;
                }
                b'\r' => {
                    self.out.put_byte(b'\r');
                    self.blanks(0, start);
                    (input, printed) = (0, 0);
                }
                b'\x08' => {
                    if input > 0 {
                        input -= 1;
                        if input < self.half {
                            printed = input;
                            self.out.put_byte(b'\x08');
                        }
                    }
                }
                byte if byte < 0x20 || byte == 0x7f => {
                    if input < self.half {
                        self.out.put_byte(byte);
                    }
                }
                _ => {
                    input += 1;
                    if input <= self.half {
                        printed = input;
                        let bytes = body[at..next].to_vec();
                        self.out.put(&bytes);
                    }
                }
            }
            at = next;
        }
        start + printed
    }
}
