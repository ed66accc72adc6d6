//! Differences in the styles that go from top to bottom.

use codepod_tool::Output;

use crate::arguments::{Asked, Style};
use crate::hunks::{Change, groups};
use crate::lines::Lines;

const RED: &[u8] = b"\x1b[31m";
const GREEN: &[u8] = b"\x1b[32m";
const CYAN: &[u8] = b"\x1b[36m";
const BOLD: &[u8] = b"\x1b[1m";
const RESET: &[u8] = b"\x1b[0m";

/// Prints the differences of two files.
pub(crate) struct Printer<'a> {
    pub(crate) asked: &'a Asked,
    pub(crate) files: [&'a Lines; 2],
    /// What stands behind `---` and `+++`.
    pub(crate) headers: [Vec<u8>; 2],
    pub(crate) out: &'a mut Output,
}

impl Printer<'_> {
    /// Prints all changes. False where that cannot be done.
    pub(crate) fn all(&mut self, changes: &[Change]) {
        match &self.asked.style {
            Style::Normal => self.normal(changes),
            Style::Unified(context) => self.unified(changes, *context),
            Style::Context(context) => self.context(changes, *context),
            Style::Ed => self.ed(changes),
            Style::ForwardEd => self.forward_ed(changes),
            Style::Rcs => self.rcs(changes),
            Style::IfDef(name) => self.if_def(changes, name),
            Style::SideBySide => {}
        }
    }

    fn colored(&mut self, color: &[u8], text: &[u8]) {
        if self.asked.color {
            self.out.put(color);
            self.out.put(text);
            self.out.put(RESET);
        } else {
            self.out.put(text);
        }
    }

    /// A line behind a flag, with its end, and a note where it has none.
    fn line(&mut self, flag: &[u8], side: usize, number: usize, color: Option<&[u8]>) {
        let file = self.files[side];
        let body = file.body(number);
        let flag = match flag.split_last() {
            Some((b' ', rest))
                if self.asked.initial_tab && !matches!(self.asked.style, Style::Unified(_)) =>
            {
                [rest, b"\t"].concat()
            }
            Some((b' ', _)) if self.asked.initial_tab => b"\t".to_vec(),
            Some(_) if self.asked.initial_tab => [flag, b"\t"].concat(),
            _ => flag.to_vec(),
        };
        let flag = match body.is_empty() && self.asked.suppress_blank_empty {
            true => flag.trim_ascii_end().to_vec(),
            false => flag,
        };
        let body = if self.asked.expand_tabs {
            expanded(body, self.asked.tab_size)
        } else {
            body.to_vec()
        };
        let text = [&flag[..], &body].concat();
        match color {
            Some(color) => self.colored(color, &text),
            None => self.out.put(&text),
        }
        self.out.put_byte(b'\n');
        if file.lacks_end(number) {
            self.out.put(b"\\ No newline at end of file\n");
        }
    }

    fn normal(&mut self, changes: &[Change]) {
        for change in changes.iter().filter(|change| !change.ignored) {
            let letter = letter(change);
            let text = format!(
                "{}{letter}{}",
                range(change.first, ','),
                range(change.second, ',')
            );
            self.colored(CYAN, text.as_bytes());
            self.out.put_byte(b'\n');
            for number in change.first.0..change.first.1 {
                self.line(b"< ", 0, number, Some(RED));
            }
            if letter == 'c' {
                self.out.put(b"---\n");
            }
            for number in change.second.0..change.second.1 {
                self.line(b"> ", 1, number, Some(GREEN));
            }
        }
    }

    fn header(&mut self, marks: [&[u8]; 2]) {
        for (mark, header) in marks.iter().zip(self.headers.clone()) {
            self.colored(BOLD, &[mark, &header[..]].concat());
            self.out.put_byte(b'\n');
        }
    }

    /// The lines that a group of changes is shown with.
    fn around(&self, group: &[Change], context: usize) -> [(usize, usize); 2] {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            return [(0, 0); 2];
        };
        let before = context.min(first.first.0).min(first.second.0);
        let after = context
            .min(self.files[0].len() - last.first.1)
            .min(self.files[1].len() - last.second.1);
        [
            (first.first.0 - before, last.first.1 + after),
            (first.second.0 - before, last.second.1 + after),
        ]
    }

    /// The last line before a place that looks like the start of a function.
    fn function(&self, before: usize) -> Option<Vec<u8>> {
        let regex = self.asked.function.as_ref()?;
        let file = self.files[0];
        let number = (0..before)
            .rev()
            .find(|number| regex.is_match(file.body(*number), 0).unwrap_or(false))?;
        let line = file.body(number).trim_ascii_start();
        let cut = line.len().min(40);
        Some(line[..cut].trim_ascii_end().to_vec())
    }

    fn unified(&mut self, changes: &[Change], context: usize) {
        let groups = groups(changes, context);
        if groups.is_empty() {
            return;
        }
        self.header([b"--- ", b"+++ "]);
        for group in groups {
            let [first, second] = self.around(group, context);
            let text = format!("@@ -{} +{} @@", unified_range(first), unified_range(second));
            self.colored(CYAN, text.as_bytes());
            if let Some(function) = self.function(first.0) {
                self.out.put_byte(b' ');
                self.out.put(&function);
            }
            self.out.put_byte(b'\n');
            let mut at = first.0;
            for change in group {
                for number in at..change.first.0 {
                    self.line(b" ", 0, number, None);
                }
                for number in change.first.0..change.first.1 {
                    self.line(b"-", 0, number, Some(RED));
                }
                for number in change.second.0..change.second.1 {
                    self.line(b"+", 1, number, Some(GREEN));
                }
                at = change.first.1;
            }
            for number in at..first.1 {
                self.line(b" ", 0, number, None);
            }
        }
    }

    fn context(&mut self, changes: &[Change], context: usize) {
        let groups = groups(changes, context);
        if groups.is_empty() {
            return;
        }
        self.header([b"*** ", b"--- "]);
        for group in groups {
            let [first, second] = self.around(group, context);
            self.out.put(b"***************");
            if let Some(function) = self.function(first.0) {
                self.out.put_byte(b' ');
                self.out.put(&function);
            }
            self.out.put_byte(b'\n');
            self.colored(
                CYAN,
                format!("*** {} ****", context_range(first)).as_bytes(),
            );
            self.out.put_byte(b'\n');
            if group.iter().any(|change| change.first.0 < change.first.1) {
                self.context_side(group, 0, first);
            }
            self.colored(
                CYAN,
                format!("--- {} ----", context_range(second)).as_bytes(),
            );
            self.out.put_byte(b'\n');
            if group.iter().any(|change| change.second.0 < change.second.1) {
                self.context_side(group, 1, second);
            }
        }
    }

    fn context_side(&mut self, group: &[Change], side: usize, (start, end): (usize, usize)) {
        let (alone, color): (&[u8], &[u8]) = if side == 0 {
            (b"- ", RED)
        } else {
            (b"+ ", GREEN)
        };
        let mut at = start;
        for change in group {
            let (own, other) = if side == 0 {
                (change.first, change.second)
            } else {
                (change.second, change.first)
            };
            for number in at..own.0 {
                self.line(b"  ", side, number, Some(color));
            }
            let flag: &[u8] = if other.0 == other.1 { alone } else { b"! " };
            for number in own.0..own.1 {
                self.line(flag, side, number, Some(color));
            }
            at = own.1;
        }
        for number in at..end {
            self.line(b"  ", side, number, Some(color));
        }
    }

    /// A line as a script has it.
    fn raw(&mut self, number: usize) {
        let line = self.files[1].line(number).to_vec();
        self.out.put(&line);
    }

    fn ed(&mut self, changes: &[Change]) {
        for change in changes.iter().rev().filter(|change| !change.ignored) {
            self.out
                .put(format!("{}{}\n", range(change.first, ','), letter(change)).as_bytes());
            self.ed_text(change);
        }
    }

    /// Inserted lines, with care for one that would end them.
    fn ed_text(&mut self, change: &Change) {
        if change.second.0 == change.second.1 {
            return;
        }
        let mut inserting = true;
        for number in change.second.0..change.second.1 {
            if !inserting {
                self.out.put(b"a\n");
                inserting = true;
            }
            if self.files[1].body(number) == b"." {
                self.out.put(b"..\n.\ns/.//\n");
                inserting = false;
            } else {
                self.raw(number);
                if self.files[1].lacks_end(number) {
                    self.out.put_byte(b'\n');
                }
            }
        }
        if inserting {
            self.out.put(b".\n");
        }
    }

    fn forward_ed(&mut self, changes: &[Change]) {
        for change in changes.iter().filter(|change| !change.ignored) {
            self.out
                .put(format!("{}{}\n", letter(change), range(change.first, ' ')).as_bytes());
            if change.second.0 < change.second.1 {
                for number in change.second.0..change.second.1 {
                    self.raw(number);
                    if self.files[1].lacks_end(number) {
                        self.out.put_byte(b'\n');
                    }
                }
                self.out.put(b".\n");
            }
        }
    }

    fn rcs(&mut self, changes: &[Change]) {
        for change in changes.iter().filter(|change| !change.ignored) {
            let (deleted, inserted) = (
                change.first.1 - change.first.0,
                change.second.1 - change.second.0,
            );
            if deleted > 0 {
                self.out
                    .put(format!("d{} {deleted}\n", change.first.0 + 1).as_bytes());
            }
            if inserted > 0 {
                self.out
                    .put(format!("a{} {inserted}\n", change.first.1).as_bytes());
                for number in change.second.0..change.second.1 {
                    self.raw(number);
                }
            }
        }
    }

    fn if_def(&mut self, changes: &[Change], name: &[u8]) {
        let mut at = 0;
        for change in changes.iter().filter(|change| !change.ignored) {
            self.own_lines(0, (at, change.first.0));
            let (deletes, inserts) = (
                change.first.0 < change.first.1,
                change.second.0 < change.second.1,
            );
            if deletes {
                self.out.put(&[b"#ifndef ", name, b"\n"].concat());
                self.own_lines(0, change.first);
            }
            if inserts {
                let start: Vec<u8> = match deletes {
                    true => [b"#else /* ", name, b" */\n"].concat(),
                    false => [b"#ifdef ", name, b"\n"].concat(),
                };
                self.out.put(&start);
                self.own_lines(1, change.second);
            }
            let end: Vec<u8> = match deletes && !inserts {
                true => [b"#endif /* ! ", name, b" */\n"].concat(),
                false => [b"#endif /* ", name, b" */\n"].concat(),
            };
            self.out.put(&end);
            at = change.first.1;
        }
        self.own_lines(0, (at, self.files[0].len()));
    }

    fn own_lines(&mut self, side: usize, (start, end): (usize, usize)) {
        for number in start..end {
            let body = self.files[side].body(number).to_vec();
            self.out.put(&body);
            self.out.put_byte(b'\n');
        }
    }
}

fn letter(change: &Change) -> char {
    match (
        change.first.0 < change.first.1,
        change.second.0 < change.second.1,
    ) {
        (true, true) => 'c',
        (true, false) => 'd',
        _ => 'a',
    }
}

/// `4` or `4,6`; for no lines the one before.
fn range((start, end): (usize, usize), separator: char) -> String {
    if end > start + 1 {
        format!("{}{separator}{end}", start + 1)
    } else {
        end.to_string()
    }
}

fn context_range((start, end): (usize, usize)) -> String {
    if end <= start + 1 {
        end.to_string()
    } else {
        format!("{},{end}", start + 1)
    }
}

fn unified_range((start, end): (usize, usize)) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        count => format!("{},{count}", start + 1),
    }
}

/// A line with tabs made blanks.
pub(crate) fn expanded(line: &[u8], tab_size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut column = 0;
    for &byte in line {
        match byte {
            b'\t' => {
                let width = tab_size - column % tab_size;
                out.resize(out.len() + width, b' ');
                column += width;
            }
            b'\r' => {
                out.push(byte);
                column = 0;
            }
            b'\x08' => {
                out.push(byte);
                column = column.saturating_sub(1);
            }
            _ => {
                out.push(byte);
                column += usize::from(byte & 0xc0 != 0x80);
            }
        }
    }
    out
}
