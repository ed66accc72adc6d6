//! What the commands of `ed` do.

use std::collections::VecDeque;

use super::address::{Range, blanks, number, until};
use super::buffer::{self, Line};
use super::substitute::global_parts;
use super::{Editor, Failure, Next};

/// Columns of `l` before a line goes on.
const LIST_WIDTH: usize = 72;

impl Editor {
    /// Does one line of input.
    pub(super) fn command(&mut self, line: &[u8]) -> Result<Next, Failure> {
        let mut text = line;
        let range = self.range(&mut text)?;
        blanks(&mut text);
        let Some((letter, rest)) = text.split_first() else {
            return self.empty(range);
        };
        let warned = std::mem::take(&mut self.warned);
        match letter {
            b'q' | b'Q' => {
                self.no_range(range)?;
                suffix(rest)?;
                if *letter == b'q' && self.modified && !warned {
                    self.warned = true;
                    return Err("Warning: buffer modified");
                }
                return Ok(Next::Quit);
            }
            b'e' | b'E' => {
                self.no_range(range)?;
                if *letter == b'e' && self.modified && !warned {
                    self.warned = true;
                    return Err("Warning: buffer modified");
                }
                let name = self.name(rest)?;
                self.open(&name)?;
            }
            b'w' | b'W' => return self.write_command(*letter, range, rest),
            b'g' | b'v' => self.global(*letter == b'g', range, rest)?,
            b'!' => {
                self.no_range(range)?;
                self.shell(rest)?;
            }
            b'#' => {}
            b's' => {
                let shown = self.substitute(range, rest)?;
                self.show_current(&shown)?;
            }
            letter => {
                let shown = self.edit(*letter, range, rest)?;
                self.show_current(&shown)?;
            }
        }
        Ok(Next::GoOn)
    }

    /// A line without a command: prints the next line, or those that are named.
    fn empty(&mut self, range: Range) -> Result<Next, Failure> {
        let wanted = match range.count {
            0 => self.current + 1,
            _ => range.last,
        };
        if wanted == 0 || wanted > self.buffer.len() {
            return Err("Invalid address");
        }
        self.show(wanted, wanted, b"p")?;
        Ok(Next::GoOn)
    }

    /// Commands that change or show lines. Returns the letters behind them that print.
    fn edit(&mut self, letter: u8, range: Range, rest: &[u8]) -> Result<Vec<u8>, Failure> {
        let here = self.current;
        match letter {
            b'p' | b'n' | b'l' => {
                let range = self.lines(range.or(here, here))?;
                let shown = [&[letter], &suffix(rest)?[..]].concat();
                self.show(range.first, range.last, &shown)?;
                return Ok(Vec::new());
            }
            b'a' | b'i' | b'c' => return self.text_command(letter, range, rest),
            b'd' => {
                let range = self.lines(range.or(here, here))?;
                let shown = suffix(rest)?;
                self.remember();
                self.cut = self.buffer.remove(range.first, range.last);
                self.modified = true;
                self.current = range.first.min(self.buffer.len());
                return Ok(shown);
            }
            b'j' => return self.join(range, rest),
            b'm' | b't' => return self.move_command(letter, range, rest),
            b'y' => {
                let range = self.lines(range.or(here, here))?;
                self.cut = self.buffer.range(range.first, range.last).to_vec();
                return suffix(rest);
            }
            b'x' => {
                let shown = suffix(rest)?;
                if self.cut.is_empty() {
                    return Err("Nothing to put");
                }
                self.remember();
                let lines = copies(&self.cut);
                self.current = range.last + lines.len();
                self.buffer.insert(range.last, lines);
                self.modified = true;
                return Ok(shown);
            }
            _ => {}
        }
        self.other(letter, range, rest)
    }

    /// Commands that change no lines.
    fn other(&mut self, letter: u8, range: Range, rest: &[u8]) -> Result<Vec<u8>, Failure> {
        match letter {
            b'r' => {
                let after = range.or(self.buffer.len(), self.buffer.len()).last;
                let old = self.file.clone();
                let name = self.name(rest)?;
                // Only a first name stays.
                self.file = old.or(self.file.take());
                self.read(after, &name)?;
            }
            b'f' => {
                self.no_range(range)?;
                let name = self.name(rest)?;
                self.out.put(&name);
                self.out.put(b"\n");
            }
            b'k' => {
                let (mark, rest) = rest.split_first().ok_or("Invalid mark character")?;
                if !mark.is_ascii_lowercase() {
                    return Err("Invalid mark character");
                }
                if range.last == 0 {
                    return Err("Invalid address");
                }
                let shown = suffix(rest)?;
                self.buffer.mark(*mark, range.last);
                return Ok(shown);
            }
            b'=' => {
                let number = range.or(self.buffer.len(), self.buffer.len()).last;
                suffix(rest)?;
                self.out.put(format!("{number}\n").as_bytes());
            }
            b'h' => {
                self.no_range(range)?;
                suffix(rest)?;
                if !self.failure.is_empty() {
                    self.out.put(format!("{}\n", self.failure).as_bytes());
                }
            }
            b'H' => {
                self.no_range(range)?;
                suffix(rest)?;
                self.verbose = !self.verbose;
                if self.verbose && !self.failure.is_empty() {
                    self.out.put(format!("{}\n", self.failure).as_bytes());
                }
            }
            b'P' => {
                self.no_range(range)?;
                suffix(rest)?;
                self.prompting = !self.prompting;
            }
            b'u' => {
                self.no_range(range)?;
                let shown = suffix(rest)?;
                let (lines, current) = self.undo.take().ok_or("Nothing to undo")?;
                let now = std::mem::replace(&mut self.buffer, lines);
                self.undo = Some((now, self.current));
                self.current = current;
                self.modified = true;
                return Ok(shown);
            }
            b'z' => return self.scroll(range, rest),
            _ => return Err("Unknown command"),
        }
        Ok(Vec::new())
    }

    fn scroll(&mut self, range: Range, rest: &[u8]) -> Result<Vec<u8>, Failure> {
        let first = match range.count {
            0 => self.current + 1,
            _ => range.last,
        };
        if first == 0 || first > self.buffer.len() {
            return Err("Invalid address");
        }
        let mut rest = rest;
        if rest.first().is_some_and(u8::is_ascii_digit) {
            let count = number(&mut rest)?;
            self.window = usize::try_from(count)
                .ok()
                .filter(|count| *count > 0)
                .ok_or("Invalid window size")?;
        }
        let shown = suffix(rest)?;
        let last = first.saturating_add(self.window - 1).min(self.buffer.len());
        self.show(first, last, if shown.is_empty() { b"p" } else { &shown })?;
        Ok(Vec::new())
    }

    /// `a`, `i` and `c`: text up to a line with a dot.
    fn text_command(&mut self, letter: u8, range: Range, rest: &[u8]) -> Result<Vec<u8>, Failure> {
        let shown = suffix(rest)?;
        let range = match letter {
            b'c' => self.lines(range.or(self.current, self.current))?,
            _ => range,
        };
        self.remember();
        let mut after = match letter {
            b'a' => range.last,
            b'i' => range.last.saturating_sub(1),
            _ => {
                self.cut = self.buffer.remove(range.first, range.last);
                self.modified = true;
                range.first - 1
            }
        };
        self.current = match letter {
            b'c' => range.first.min(self.buffer.len()),
            _ => range.last,
        };
        let mut lines = Vec::new();
        while let Some(line) = self.input.line() {
            if line == b"." {
                break;
            }
            let line = match self.settings.strip_cr {
                true => line.strip_suffix(b"\r").unwrap_or(&line).to_vec(),
                false => line,
            };
            lines.push(buffer::line(line));
        }
        if !lines.is_empty() {
            self.modified = true;
            let count = lines.len();
            self.buffer.insert(after, lines);
            after += count;
            self.current = after;
        }
        Ok(shown)
    }

    fn join(&mut self, range: Range, rest: &[u8]) -> Result<Vec<u8>, Failure> {
        let shown = suffix(rest)?;
        let next = self.current + 1;
        let range = self.lines(range.or(self.current, next))?;
        if range.first == range.last {
            return Ok(shown);
        }
        self.remember();
        let lines = self.buffer.remove(range.first, range.last);
        let text: Vec<u8> = lines.iter().flat_map(|line| line.iter().copied()).collect();
        self.cut = lines;
        self.buffer
            .insert(range.first - 1, vec![buffer::line(text)]);
        self.current = range.first;
        self.modified = true;
        Ok(shown)
    }

    /// `m` and `t`.
    fn move_command(&mut self, letter: u8, range: Range, rest: &[u8]) -> Result<Vec<u8>, Failure> {
        let range = self.lines(range.or(self.current, self.current))?;
        let mut text = rest;
        let target = self.range(&mut text)?.last;
        let shown = suffix(text)?;
        if letter == b'm' && target >= range.first && target < range.last {
            return Err("Invalid destination");
        }
        self.remember();
        self.modified = true;
        if letter == b't' {
            let lines = copies(self.buffer.range(range.first, range.last));
            self.current = target + lines.len();
            self.buffer.insert(target, lines);
            return Ok(shown);
        }
        let lines = self.buffer.remove(range.first, range.last);
        let count = lines.len();
        let after = match target >= range.last {
            true => target - count,
            false => target,
        };
        self.buffer.insert(after, lines);
        self.current = after + count;
        Ok(shown)
    }

    fn write_command(&mut self, letter: u8, range: Range, rest: &[u8]) -> Result<Next, Failure> {
        let (quit, rest) = match rest.first() {
            Some(b'q' | b'Q') => (true, &rest[1..]),
            _ => (false, rest),
        };
        let all = self.buffer.len();
        let range = range.or(usize::from(all > 0), all);
        if range.count > 0 && range.first == 0 {
            return Err("Invalid address");
        }
        let named = !rest.trim_ascii().is_empty();
        let old = self.file.clone();
        let name = self.name(rest)?;
        // Only a first name stays.
        if named && old.is_some() {
            self.file = old;
        }
        self.write(range, &name, letter == b'W')?;
        match quit {
            true => Ok(Next::Quit),
            false => Ok(Next::GoOn),
        }
    }

    /// `g` and `v`: commands for every line that matches, or does not.
    fn global(&mut self, wanted: bool, range: Range, rest: &[u8]) -> Result<(), Failure> {
        if self.in_global {
            return Err("Cannot nest global commands");
        }
        let range = match range.count {
            0 if self.buffer.len() == 0 => return Err("Invalid address"),
            0 => range.or(1, self.buffer.len()),
            _ => self.lines(range)?,
        };
        let (delimiter, mut text) = global_parts(rest)?;
        let pattern = until(&mut text, delimiter);
        let pattern = match pattern.is_empty() {
            true => self.pattern.clone().ok_or("No previous pattern")?,
            false => pattern,
        };
        self.pattern = Some(pattern.clone());
        let mut icase = false;
        if let [b'I', more @ ..] = text {
            icase = true;
            text = more;
        }
        let regex = self.regex(&pattern, icase)?;
        let mut list = vec![text.to_vec()];
        // A backslash at the end of a line goes on with the next one.
        while list.last().is_some_and(|line| line.ends_with(b"\\")) {
            if let Some(line) = list.last_mut() {
                line.pop();
            }
            match self.input.line() {
                Some(line) => list.push(line),
                None => break,
            }
        }
        if list.len() == 1 && list[0].is_empty() {
            list[0] = b"p".to_vec();
        }
        let mut lines: Vec<Line> = Vec::new();
        for line in self.buffer.range(range.first, range.last) {
            let found = regex.is_match(line, 0);
            if found.map_err(codepod_posix_regex::Error::message)? == wanted {
                lines.push(line.clone());
            }
        }
        self.remember();
        self.in_global = true;
        let result = self.for_each(&lines, &list);
        self.in_global = false;
        self.input.list = None;
        result
    }

    fn for_each(&mut self, lines: &[Line], list: &[Vec<u8>]) -> Result<(), Failure> {
        for line in lines {
            // Earlier commands may have removed it.
            let Some(number) = self.buffer.number(line, self.current.saturating_sub(1)) else {
                continue;
            };
            self.current = number;
            self.input.list = Some(VecDeque::from(list.to_vec()));
            while let Some(command) = self.input.line() {
                if command.is_empty() && list.len() > 1 {
                    continue;
                }
                self.command(&command)?;
            }
        }
        Ok(())
    }

    /// The name of a file behind a command: the one that is given, or the current one.
    fn name(&mut self, rest: &[u8]) -> Result<Vec<u8>, Failure> {
        match rest.first() {
            None => {}
            Some(b' ' | b'\t') => {}
            Some(_) => return Err("Unexpected command suffix"),
        }
        let name = rest.trim_ascii();
        if name.is_empty() {
            return self.file.clone().ok_or("No current filename");
        }
        if !name.starts_with(b"!") {
            self.file = Some(name.to_vec());
        }
        Ok(name.to_vec())
    }

    fn no_range(&self, range: Range) -> Result<(), Failure> {
        match range.count {
            0 => Ok(()),
            _ => Err("Unexpected address"),
        }
    }

    /// A range of lines that are there.
    fn lines(&self, range: Range) -> Result<Range, Failure> {
        match range.first == 0 || range.last > self.buffer.len() {
            true => Err("Invalid address"),
            false => Ok(range),
        }
    }

    fn show_current(&mut self, letters: &[u8]) -> Result<(), Failure> {
        match letters.is_empty() {
            true => Ok(()),
            false if self.current == 0 => Err("Invalid address"),
            false => self.show(self.current, self.current, letters),
        }
    }

    /// Prints lines as letters say; the last is the current one.
    fn show(&mut self, first: usize, last: usize, letters: &[u8]) -> Result<(), Failure> {
        for number in first..=last {
            let Some(line) = self.buffer.line(number).cloned() else {
                return Err("Invalid address");
            };
            if letters.contains(&b'n') {
                self.out.put(format!("{number}\t").as_bytes());
            }
            match letters.contains(&b'l') {
                true => {
                    let text = listed(&line);
                    self.out.put(&text);
                }
                false => self.out.put(&line),
            }
            self.out.put(b"\n");
        }
        self.current = last;
        Ok(())
    }
}

/// Lines of their own with the texts of others.
fn copies(lines: &[Line]) -> Vec<Line> {
    lines
        .iter()
        .map(|line| buffer::line(line.to_vec()))
        .collect()
}

/// The letters behind a command: those that print, and nothing else.
fn suffix(rest: &[u8]) -> Result<Vec<u8>, Failure> {
    match rest.iter().all(|byte| matches!(byte, b'p' | b'n' | b'l')) {
        true => Ok(rest.to_vec()),
        false => Err("Invalid command suffix"),
    }
}

/// A line as `l` shows it.
fn listed(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut column = 0;
    for byte in line {
        let shown = match byte {
            b'\\' => b"\\\\".to_vec(),
            b'$' => b"\\$".to_vec(),
            b'\x07' => b"\\a".to_vec(),
            b'\x08' => b"\\b".to_vec(),
            b'\x0c' => b"\\f".to_vec(),
            b'\n' => b"\\n".to_vec(),
            b'\r' => b"\\r".to_vec(),
            b'\t' => b"\\t".to_vec(),
            b'\x0b' => b"\\v".to_vec(),
            0x20..=0x7e => vec![*byte],
            byte => format!("\\{byte:03o}").into_bytes(),
        };
        // What begins within the width is shown whole.
        if column + 1 > LIST_WIDTH {
            out.extend_from_slice(b"\\\n");
            column = 0;
        }
        column += shown.len();
        out.extend(shown);
    }
    out.push(b'$');
    out
}
