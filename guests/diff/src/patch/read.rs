//! Reading a patch: unified, context and normal diffs.

use std::collections::VecDeque;

/// What a line of a hunk does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Stays,
    Goes,
    Comes,
}

/// A hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The number of its first line in the old file, from 1; for none the one before.
    pub(crate) old_start: usize,
    pub(crate) new_start: usize,
    /// Its lines, with their ends.
    pub(crate) lines: Vec<(Does, Vec<u8>)>,
    /// What stands behind the second `@@`.
    pub(crate) note: Vec<u8>,
}

impl Hunk {
    /// The lines that it is looked for by, or that take their place.
    pub(crate) fn side(&self, does: Does) -> Vec<&[u8]> {
        let wanted = |line: &&(Does, Vec<u8>)| line.0 == Does::Stays || line.0 == does;
        self.lines
            .iter()
            .filter(wanted)
            .map(|line| &line.1[..])
            .collect()
    }

    /// How many lines stay before the first change, and behind the last.
    pub(crate) fn context(&self) -> (usize, usize) {
        let stays = |line: &&(Does, Vec<u8>)| line.0 == Does::Stays;
        (
            self.lines.iter().take_while(stays).count(),
            self.lines.iter().rev().take_while(stays).count(),
        )
    }

    /// The other way round.
    pub(crate) fn reversed(&self) -> Hunk {
        let mut lines: Vec<(Does, Vec<u8>)> = Vec::with_capacity(self.lines.len());
        let mut comes = Vec::new();
        // What goes stands before what comes.
        for (does, text) in &self.lines {
            match does {
                Does::Stays => {
                    lines.append(&mut comes);
                    lines.push((Does::Stays, text.clone()));
                }
                Does::Goes => comes.push((Does::Comes, text.clone())),
                Does::Comes => lines.push((Does::Goes, text.clone())),
            }
        }
        lines.append(&mut comes);
        Hunk {
            old_start: self.new_start,
            new_start: self.old_start,
            lines,
            note: self.note.clone(),
        }
    }
}

/// The changes of one file.
#[derive(Debug, Default)]
pub(crate) struct FilePatch {
    /// The old and the new name, as they are written; none where there is none.
    pub(crate) names: [Option<Vec<u8>>; 2],
    /// Names of `Index:` and `diff --git`.
    pub(crate) index: Option<Vec<u8>>,
    /// The header lines, for rejects.
    pub(crate) headers: [Vec<u8>; 2],
    pub(crate) hunks: Vec<Hunk>,
    /// The text before the first hunk, and the number of its line.
    pub(crate) leading: Vec<Vec<u8>>,
    pub(crate) line: usize,
    pub(crate) is_context: bool,
    /// The old or the new file is not there.
    pub(crate) old_missing: bool,
    pub(crate) new_missing: bool,
}

/// A mistake in a patch: the message.
pub(crate) type Mistake = Vec<u8>;

/// Reads patches one after another.
pub(crate) struct Reader {
    lines: VecDeque<Vec<u8>>,
    number: usize,
    /// What was read before a mistake.
    pub(crate) broken: Option<FilePatch>,
}

impl Reader {
    pub(crate) fn new(text: &[u8]) -> Reader {
        Reader {
            lines: text
                .split_inclusive(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect(),
            number: 1,
            broken: None,
        }
    }

    fn peek(&self, ahead: usize) -> &[u8] {
        self.lines.get(ahead).map_or(b"", Vec::as_slice)
    }

    fn take(&mut self) -> Vec<u8> {
        self.number += 1;
        self.lines.pop_front().unwrap_or_default()
    }

    /// The next file's changes; none where there are no more.
    pub(crate) fn next(&mut self) -> Result<Option<FilePatch>, Mistake> {
        let mut patch = FilePatch::default();
        while !self.lines.is_empty() {
            let line = self.peek(0).to_vec();
            if line.starts_with(b"--- ")
                && self.peek(1).starts_with(b"+++ ")
                && self.peek(2).starts_with(b"@@ ")
            {
                self.names(&mut patch);
                patch.line = self.number;
                while self.peek(0).starts_with(b"@@ ") {
                    match self.unified() {
                        Ok(hunk) => patch.hunks.push(hunk),
                        Err(mistake) => {
                            self.broken = Some(patch);
                            return Err(mistake);
                        }
                    }
                }
                self.finish(&mut patch);
                return Ok(Some(patch));
            }
            if line.starts_with(b"*** ")
                && self.peek(1).starts_with(b"--- ")
                && self.peek(2).starts_with(b"***************")
            {
                self.names(&mut patch);
                patch.is_context = true;
                patch.line = self.number;
                while self.peek(0).starts_with(b"***************") {
                    let hunk = self.context()?;
                    patch.hunks.push(hunk);
                }
                self.finish(&mut patch);
                return Ok(Some(patch));
            }
            if normal_command(&line).is_some() && matches!(self.peek(1).first(), Some(b'<' | b'>'))
            {
                patch.line = self.number;
                while let Some(command) = normal_command(self.peek(0)) {
                    let hunk = self.normal(command)?;
                    patch.hunks.push(hunk);
                }
                return Ok(Some(patch));
            }
            if let Some(name) = line.strip_prefix(b"Index: ") {
                patch.index = Some(name.trim_ascii_end().to_vec());
            }
            if line.starts_with(b"deleted file mode") {
                patch.new_missing = true;
            }
            if line.starts_with(b"new file mode") {
                patch.old_missing = true;
            }
            patch.leading.push(line);
            self.take();
        }
        Ok(None)
    }

    fn names(&mut self, patch: &mut FilePatch) {
        for side in 0..2 {
            let line = self.take();
            let rest = line.get(4..).unwrap_or_default();
            let rest = rest.trim_ascii_end();
            let (name, date) = match rest.iter().position(|byte| *byte == b'\t') {
                Some(at) => (&rest[..at], &rest[at..]),
                None => (rest, &b""[..]),
            };
            let missing =
                name == b"/dev/null" || date.windows(10).any(|part| part == b"1970-01-01");
            if side == 0 {
                patch.old_missing |= missing;
            } else {
                patch.new_missing |= missing;
            }
            patch.names[side] = (name != b"/dev/null").then(|| unquoted(name));
            patch.headers[side] = line[4..].to_vec();
            patch.leading.push(line);
        }
    }

    /// A file that starts or ends empty is made or removed only where the hunk says so.
    fn finish(&self, patch: &mut FilePatch) {
        let is_first = |start: usize| start == 0;
        patch.old_missing &=
            patch.hunks.len() == 1 && patch.hunks.iter().all(|hunk| is_first(hunk.old_start));
        patch.new_missing &=
            patch.hunks.len() == 1 && patch.hunks.iter().all(|hunk| is_first(hunk.new_start));
    }

    fn malformed<T>(&self, at: usize, line: &[u8]) -> Result<T, Mistake> {
        Err([format!("malformed patch at line {at}: ").as_bytes(), line].concat())
    }

    fn unified(&mut self) -> Result<Hunk, Mistake> {
        let line = self.take();
        let at = self.number - 1;
        let Some((old, new, note)) = unified_header(&line) else {
            return Err([
                format!("missing line number at line {at}: ").as_bytes(),
                &line,
            ]
            .concat());
        };
        let mut hunk = Hunk {
            old_start: old.0,
            new_start: new.0,
            lines: Vec::new(),
            note,
        };
        let (mut old_left, mut new_left) = (old.1, new.1);
        while old_left > 0 || new_left > 0 {
            let line = self.take();
            let at = self.number - 1;
            let (does, text) = match line.first() {
                Some(b' ') => (Does::Stays, &line[1..]),
                Some(b'\n') => (Does::Stays, &line[..]),
                Some(b'\t') => (Does::Stays, &line[..]),
                Some(b'-') => (Does::Goes, &line[1..]),
                Some(b'+') => (Does::Comes, &line[1..]),
                Some(b'\\') => {
                    cut_end(&mut hunk.lines);
                    continue;
                }
                None => {
                    return Err(
                        format!("unexpected end of file in patch at line {at}").into_bytes()
                    );
                }
                Some(_) => return self.malformed(at, &line),
            };
            if does != Does::Comes {
                old_left = match old_left.checked_sub(1) {
                    Some(left) => left,
                    None => return self.malformed(at, &line),
                };
            }
            if does != Does::Goes {
                new_left = match new_left.checked_sub(1) {
                    Some(left) => left,
                    None => return self.malformed(at, &line),
                };
            }
            hunk.lines.push((does, text.to_vec()));
        }
        if self.peek(0).starts_with(b"\\") {
            self.take();
            cut_end(&mut hunk.lines);
        }
        Ok(hunk)
    }

    fn context(&mut self) -> Result<Hunk, Mistake> {
        let stars = self.take();
        let note = stars
            .get(15..)
            .map_or(Vec::new(), |note| note.trim_ascii().to_vec());
        let line = self.take();
        let at = self.number - 1;
        let Some(old_range) = context_range(&line, b"*** ") else {
            return self.malformed(at, &line);
        };
        let old = self.context_side(b"--- ");
        let line = self.take();
        let at = self.number - 1;
        let Some(new_range) = context_range(&line, b"--- ") else {
            return self.malformed(at, &line);
        };
        let count = if new_range.1 < new_range.0 || new_range.1 == 0 {
            0
        } else {
            new_range.1 - new_range.0 + 1
        };
        let new = self.context_lines(count);
        let old_start = if old_range.1 == 0 { 0 } else { old_range.0 };
        let new_start = if new_range.1 == 0 { 0 } else { new_range.0 };
        Ok(Hunk {
            old_start,
            new_start,
            lines: merged(old, new),
            note,
        })
    }

    /// The lines of the first half of a hunk.
    fn context_side(&mut self, end: &[u8]) -> Vec<(u8, Vec<u8>)> {
        let mut lines: Vec<(u8, Vec<u8>)> = Vec::new();
        let is_end =
            |line: &[u8]| line.starts_with(end) && line.trim_ascii_end().ends_with(b"----");
        while !self.lines.is_empty() && !is_end(self.peek(0)) {
            let line = self.take();
            self.context_line(&line, &mut lines);
        }
        lines
    }

    fn context_lines(&mut self, count: usize) -> Vec<(u8, Vec<u8>)> {
        let mut lines: Vec<(u8, Vec<u8>)> = Vec::new();
        while lines.len() < count && matches!(self.peek(0).first(), Some(b' ' | b'+' | b'!')) {
            let line = self.take();
            self.context_line(&line, &mut lines);
        }
        if self.peek(0).starts_with(b"\\") {
            let line = self.take();
            self.context_line(&line, &mut lines);
        }
        lines
    }

    fn context_line(&self, line: &[u8], lines: &mut Vec<(u8, Vec<u8>)>) {
        if line.starts_with(b"\\") {
            if let Some((_, text)) = lines.last_mut() {
                text.pop();
            }
            return;
        }
        let mark = line.first().copied().unwrap_or(b' ');
        lines.push((mark, line.get(2..).unwrap_or(b"\n").to_vec()));
    }

    fn normal(&mut self, command: Normal) -> Result<Hunk, Mistake> {
        self.take();
        let mut lines = Vec::new();
        let gone = if command.letter == b'a' {
            0
        } else {
            command.old.1 - command.old.0 + 1
        };
        let come = if command.letter == b'd' {
            0
        } else {
            command.new.1 - command.new.0 + 1
        };
        for (count, mark, does) in [(gone, b'<', Does::Goes), (come, b'>', Does::Comes)] {
            for _ in 0..count {
                let line = self.take();
                if line.first() != Some(&mark) {
                    return self.malformed(self.number - 1, &line);
                }
                lines.push((does, line.get(2..).unwrap_or(b"\n").to_vec()));
            }
            if self.peek(0).starts_with(b"\\") {
                self.take();
                cut_end(&mut lines);
            }
            if mark == b'<' && command.letter == b'c' {
                let line = self.take();
                if !line.starts_with(b"---") {
                    return self.malformed(self.number - 1, &line);
                }
            }
        }
        Ok(Hunk {
            old_start: command.old.0,
            new_start: command.new.0,
            lines,
            note: Vec::new(),
        })
    }
}

/// The last line has no end.
fn cut_end(lines: &mut [(Does, Vec<u8>)]) {
    if let Some((_, text)) = lines.last_mut()
        && text.last() == Some(&b'\n')
    {
        text.pop();
    }
}

/// Both halves of a context hunk as one.
fn merged(old: Vec<(u8, Vec<u8>)>, new: Vec<(u8, Vec<u8>)>) -> Vec<(Does, Vec<u8>)> {
    let (mut old, mut new) = (VecDeque::from(old), VecDeque::from(new));
    let mut lines = Vec::new();
    let (no_old, no_new) = (old.is_empty(), new.is_empty());
    loop {
        if let Some((b'-' | b'!', _)) = old.front() {
            lines.extend(old.pop_front().map(|(_, text)| (Does::Goes, text)));
        } else if let Some((b'+' | b'!', _)) = new.front() {
            lines.extend(new.pop_front().map(|(_, text)| (Does::Comes, text)));
        } else if !no_old {
            let Some((_, text)) = old.pop_front() else {
                break;
            };
            if !no_new {
                new.pop_front();
            }
            lines.push((Does::Stays, text));
        } else {
            let Some((_, text)) = new.pop_front() else {
                break;
            };
            lines.push((Does::Stays, text));
        }
    }
    lines
}

type Counted = (usize, usize);

/// The numbers of `@@ -1,2 +3,4 @@ note`.
fn unified_header(line: &[u8]) -> Option<(Counted, Counted, Vec<u8>)> {
    let text = String::from_utf8_lossy(line);
    let rest = text.strip_prefix("@@ -")?;
    let (ranges, note) = rest.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<Counted> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    Some((range(old)?, range(new)?, note.trim().as_bytes().to_vec()))
}

/// The numbers of `*** 1,2 ****`.
fn context_range(line: &[u8], mark: &[u8]) -> Option<Counted> {
    let text = String::from_utf8_lossy(line.strip_prefix(mark)?).into_owned();
    let text = text.trim().trim_end_matches(['*', '-']).trim();
    match text.split_once(',') {
        Some((start, end)) => Some((start.parse().ok()?, end.parse().ok()?)),
        None => {
            let line = text.parse().ok()?;
            Some((line, line))
        }
    }
}

/// A command of a normal diff.
#[derive(Debug, Clone, Copy)]
struct Normal {
    old: Counted,
    new: Counted,
    letter: u8,
}

fn normal_command(line: &[u8]) -> Option<Normal> {
    if !line.first()?.is_ascii_digit() {
        return None;
    }
    let text = std::str::from_utf8(line).ok()?.trim_end();
    let at = text.find(['a', 'c', 'd'])?;
    let range = |text: &str| -> Option<Counted> {
        match text.split_once(',') {
            Some((start, end)) => Some((start.parse().ok()?, end.parse().ok()?)),
            None => {
                let line = text.parse().ok()?;
                Some((line, line))
            }
        }
    };
    let (old, new) = (range(&text[..at])?, range(&text[at + 1..])?);
    (old.0 <= old.1 && new.0 <= new.1).then_some(Normal {
        old,
        new,
        letter: text.as_bytes()[at],
    })
}

/// A name without quotes.
fn unquoted(name: &[u8]) -> Vec<u8> {
    let Some(inside) = name
        .strip_prefix(b"\"")
        .and_then(|name| name.strip_suffix(b"\""))
    else {
        return name.to_vec();
    };
    let mut out = Vec::new();
    let mut at = 0;
    while at < inside.len() {
        if inside[at] != b'\\' {
            out.push(inside[at]);
            at += 1;
            continue;
        }
        let digits = inside[at + 1..]
            .iter()
            .take(3)
            .take_while(|byte| (b'0'..=b'7').contains(byte))
            .count();
        if digits == 3 {
            let value = inside[at + 1..at + 4]
                .iter()
                .fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            out.push(value as u8);
            at += 4;
            continue;
        }
        match inside.get(at + 1) {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(other) => out.push(*other),
            None => {}
        }
        at += 2;
    }
    out
}
