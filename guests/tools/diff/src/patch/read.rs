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

/// How a patch is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Kind {
    /// Without hunks: git's, of which only the header says anything.
    #[default]
    Header,
    Unified,
    Context,
    Normal,
}

impl Kind {
    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Header | Kind::Unified => "a unified diff",
            Kind::Context => "a context diff",
            Kind::Normal => "a normal diff",
        }
    }
}

/// What git writes before the hunks.
#[derive(Debug, Default)]
pub(crate) struct Git {
    /// The modes before and after, as they are written.
    pub(crate) modes: [Option<u32>; 2],
    /// Where the file comes from and goes to, without `a/` and `b/`.
    pub(crate) moved: [Option<Vec<u8>>; 2],
    /// The file at the old place stays.
    pub(crate) copies: bool,
    /// What follows are no lines.
    pub(crate) binary: bool,
}

/// The changes of one file.
#[derive(Debug, Default)]
pub(crate) struct FilePatch {
    pub(crate) kind: Kind,
    /// The old and the new name, as they are written; none where there is none.
    pub(crate) names: [Option<Vec<u8>>; 2],
    /// The name of `Index:`.
    pub(crate) index: Option<Vec<u8>>,
    /// The header lines, for rejects, and what stands behind the names in them.
    pub(crate) headers: [Vec<u8>; 2],
    pub(crate) dates: [Vec<u8>; 2],
    pub(crate) hunks: Vec<Hunk>,
    /// The text before the first hunk, and the number of its line.
    pub(crate) leading: Vec<Vec<u8>>,
    pub(crate) line: usize,
    /// Whether the old or the new file is not there: 1 if it has no lines, 2 if it is said to be
    /// missing.
    pub(crate) missing: [u8; 2],
    pub(crate) git: Option<Git>,
    /// Its lines ended with carriage returns, which were taken away.
    pub(crate) stripped: bool,
}

/// A mistake in a patch: the message.
pub(crate) type Mistake = Vec<u8>;

/// Reads patches one after another.
pub(crate) struct Reader {
    lines: VecDeque<Vec<u8>>,
    number: usize,
    /// Carriage returns stay.
    binary: bool,
    /// They are taken away in the patch that is read.
    strip: bool,
    /// What was read before a mistake.
    pub(crate) broken: Option<FilePatch>,
}

/// How many lines at a patch's end may be missing.
const LOST: usize = 3;

/// The first digits of what git calls an empty file.
const EMPTY: &[u8] = b"e69de29";

impl Reader {
    pub(crate) fn new(text: &[u8], binary: bool) -> Reader {
        Reader {
            lines: text
                .split_inclusive(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect(),
            number: 1,
            binary,
            strip: false,
            broken: None,
        }
    }

    fn peek(&self, ahead: usize) -> &[u8] {
        self.lines.get(ahead).map_or(b"", Vec::as_slice)
    }

    fn take(&mut self) -> Vec<u8> {
        self.number += 1;
        let mut line = self.lines.pop_front().unwrap_or_default();
        if self.strip && line.ends_with(b"\r\n") {
            line.truncate(line.len() - 2);
            line.push(b'\n');
        }
        line
    }

    /// The next file's changes; none where there are no more. Without a name of a file hunks count
    /// only where one is `known`.
    pub(crate) fn next(&mut self, known: bool) -> Result<Option<FilePatch>, Mistake> {
        let mut patch = FilePatch::default();
        self.strip = false;
        while !self.lines.is_empty() {
            let line = self.peek(0).to_vec();
            let named = known
                || patch.git.is_some()
                || patch.index.is_some()
                || patch.names.iter().any(Option::is_some);
            if named && let Some(kind) = self.hunk_kind(&line) {
                patch.kind = kind;
                self.strip |= !self.binary && kind == Kind::Normal && line.ends_with(b"\r\n");
                patch.stripped = self.strip;
                patch.line = self.number;
                self.missing(&mut patch);
                return match self.hunks(&mut patch) {
                    Ok(()) => Ok(Some(patch)),
                    Err(mistake) => {
                        // Halves that do not fit are seen before the file is.
                        let first = patch.kind == Kind::Context && patch.hunks.is_empty();
                        self.broken = (!first).then_some(patch);
                        Err(mistake)
                    }
                };
            }
            let pair =
                |one: &[u8], two: &[u8]| line.starts_with(one) && self.peek(1).starts_with(two);
            if pair(b"--- ", b"+++ ") || (pair(b"*** ", b"--- ") && !is_context_range(&line)) {
                self.strip = !self.binary && line.ends_with(b"\r\n");
                self.names(&mut patch);
                continue;
            }
            if let Some(rest) = line.strip_prefix(b"diff --git ") {
                if patch.git.is_some() {
                    return Ok(Some(patch));
                }
                patch = FilePatch {
                    leading: patch.leading,
                    git: Some(Git::default()),
                    names: git_names(rest.trim_ascii_end()),
                    ..FilePatch::default()
                };
            } else if patch.git.is_some() {
                self.git_line(&line, &mut patch);
            }
            if let Some(name) = line.strip_prefix(b"Index:") {
                patch.index = Some(name.trim_ascii().to_vec());
            }
            patch.leading.push(line);
            self.take();
        }
        Ok(patch.git.is_some().then_some(patch))
    }

    /// What kind of hunk begins here.
    fn hunk_kind(&self, line: &[u8]) -> Option<Kind> {
        if line.starts_with(b"@@ -") {
            return Some(Kind::Unified);
        }
        if line.starts_with(b"***************") && self.peek(1).starts_with(b"*** ") {
            return Some(Kind::Context);
        }
        let is_normal =
            normal_command(line).is_some() && matches!(self.peek(1).first(), Some(b'<' | b'>'));
        is_normal.then_some(Kind::Normal)
    }

    fn hunks(&mut self, patch: &mut FilePatch) -> Result<(), Mistake> {
        loop {
            let line = self.peek(0).to_vec();
            let hunk = match patch.kind {
                Kind::Unified if line.starts_with(b"@@ -") => self.unified()?,
                Kind::Context if line.starts_with(b"***************") => self.context()?,
                Kind::Normal => match normal_command(&line) {
                    Some(command) => self.normal(command)?,
                    None => return Ok(()),
                },
                _ => return Ok(()),
            };
            patch.hunks.push(hunk);
        }
    }

    /// A line of git's header.
    fn git_line(&self, line: &[u8], patch: &mut FilePatch) {
        let Some(git) = &mut patch.git else { return };
        let line = line.trim_ascii_end();
        let mode = |text: &[u8]| {
            let text = std::str::from_utf8(text).ok()?;
            u32::from_str_radix(text.trim(), 8).ok()
        };
        for (start, side, missing) in [
            (&b"old mode "[..], 0, None),
            (b"new mode ", 1, None),
            (b"deleted file mode ", 0, Some(1)),
            (b"new file mode ", 1, Some(0)),
        ] {
            if let Some(text) = line.strip_prefix(start) {
                git.modes[side] = mode(text);
                if let Some(missing) = missing {
                    patch.missing[missing] = 2;
                }
            }
        }
        for (start, side, copies) in [
            (&b"rename from "[..], 0, false),
            (b"rename to ", 1, false),
            (b"copy from ", 0, true),
            (b"copy to ", 1, true),
        ] {
            if let Some(name) = line.strip_prefix(start) {
                git.moved[side] = Some(unquoted(name));
                git.copies = copies;
            }
        }
        git.binary |= line == b"GIT binary patch";
        if let Some(rest) = line.strip_prefix(b"index ") {
            let mut words = rest.split(|byte| *byte == b' ');
            let ids = words.next().unwrap_or_default();
            if let Some(at) = ids.windows(2).position(|pair| pair == b"..") {
                for (side, id) in [&ids[..at], &ids[at + 2..]].into_iter().enumerate() {
                    let says = match id {
                        _ if !id.is_empty() && id.iter().all(|digit| *digit == b'0') => 2,
                        _ if id.starts_with(EMPTY) => 1,
                        _ => 0,
                    };
                    patch.missing[side] = patch.missing[side].max(says);
                }
            }
            if let Some(mode) = words.next().and_then(mode) {
                git.modes = [Some(mode), Some(mode)];
            }
        }
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
            if name == b"/dev/null" {
                patch.dates[side] = b"/dev/null".to_vec();
                // What git says first counts; otherwise there is no such file.
                if patch.git.is_none() {
                    patch.names[side] = None;
                }
            } else {
                patch.names[side] = Some(unquoted(name));
                patch.dates[side] = date.trim_ascii().to_vec();
            }
            patch.headers[side] = line.get(4..).unwrap_or_default().to_vec();
            patch.leading.push(line);
        }
    }

    /// Which side the first hunk and the dates say is not there.
    fn missing(&self, patch: &mut FilePatch) {
        let starts = match patch.kind {
            Kind::Unified => unified_header(self.peek(0)).map(|(old, new, _)| [old.0, new.0]),
            Kind::Context => {
                let old = context_range(self.peek(1), b"*** ");
                let new = (2..self.lines.len())
                    .map(|ahead| self.peek(ahead))
                    .take_while(|line| !line.starts_with(b"***************"))
                    .find_map(|line| context_range(line, b"--- ").filter(|_| is_new_range(line)));
                old.zip(new).map(|(old, new)| [old.0, new.0])
            }
            Kind::Header | Kind::Normal => None,
        };
        for (side, start) in starts.into_iter().flatten().enumerate() {
            if start == 0 {
                let says = 1 + u8::from(is_epoch(&patch.dates[side]));
                patch.missing[side] = patch.missing[side].max(says);
            } else if patch.git.is_none() {
                patch.missing[side] = 0;
            }
        }
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
                // Empty lines at the end may have been lost on the way.
                None if old_left == new_left && old_left <= LOST => (Does::Stays, &b"\n"[..]),
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
        let start = self.number - 1;
        let Some(old_range) = context_range(&line, b"*** ") else {
            return self.malformed(start, &line);
        };
        let count = |range: Counted| match range {
            (0, _) | (_, 0) => 0,
            (first, last) => (last + 1).saturating_sub(first),
        };
        let old = match is_new_range(self.peek(0)) {
            true => Vec::new(),
            false => self.context_lines(count(old_range), b"-!"),
        };
        let line = self.take();
        let at = self.number - 1;
        let Some(new_range) = context_range(&line, b"--- ").filter(|_| is_new_range(&line)) else {
            return self.malformed(at, &line);
        };
        let new = self.context_lines(count(new_range), b"+!");
        let lines = merged(old, new);
        let has = |does: Does| {
            lines
                .iter()
                .filter(|line| line.0 == Does::Stays || line.0 == does)
                .count()
        };
        if has(Does::Goes) != count(old_range) || has(Does::Comes) != count(new_range) {
            return Err(format!(
                "replacement text or line numbers mangled in hunk at line {start}"
            )
            .into_bytes());
        }
        Ok(Hunk {
            old_start: if old_range.1 == 0 { 0 } else { old_range.0 },
            new_start: if new_range.1 == 0 { 0 } else { new_range.0 },
            lines,
            note,
        })
    }

    /// Up to so many lines of one half of a hunk.
    fn context_lines(&mut self, count: usize, marks: &[u8]) -> Vec<(u8, Vec<u8>)> {
        let mut lines: Vec<(u8, Vec<u8>)> = Vec::new();
        while lines.len() < count {
            let line = self.peek(0);
            let text = match line {
                b"" => break,
                // White space may have been lost on the way.
                [b'\n' | b'\t', ..] => line.to_vec(),
                [b' ', b' ', text @ ..] | [b' ', text @ ..] => text.to_vec(),
                [mark, b' ' | b'\t', text @ ..] if marks.contains(mark) => text.to_vec(),
                [mark, text @ ..] if marks.contains(mark) => text.to_vec(),
                _ => break,
            };
            let mark = if marks.contains(&line[0]) {
                line[0]
            } else {
                b' '
            };
            let text = match self.strip {
                true => match text.strip_suffix(b"\r\n") {
                    Some(text) => [text, b"\n"].concat(),
                    None => text,
                },
                false => text,
            };
            self.take();
            lines.push((mark, text));
        }
        if self.peek(0).starts_with(b"\\") {
            self.take();
            if let Some((_, text)) = lines.last_mut() {
                text.pop();
            }
        }
        lines
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

/// Whether a line is `*** 1,2 ****` rather than a name.
fn is_context_range(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b" ****") && context_range(line, b"*** ").is_some()
}

/// Whether a line is `--- 1,2 ----`.
fn is_new_range(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b" ----") && context_range(line, b"--- ").is_some()
}

/// Whether a date is that of a file that is not there.
fn is_epoch(date: &[u8]) -> bool {
    date == b"/dev/null" || date.starts_with(b"1970-01-01") || date.starts_with(b"1969-12-31")
}

/// The names in `diff --git a/old b/new`.
fn git_names(rest: &[u8]) -> [Option<Vec<u8>>; 2] {
    if rest.starts_with(b"\"") {
        let end = rest[1..]
            .windows(2)
            .position(|pair| pair[1] == b'"' && pair[0] != b'\\')
            .map_or(rest.len(), |at| at + 3);
        let (old, new) = rest.split_at(end.min(rest.len()));
        return [Some(unquoted(old)), Some(unquoted(new.trim_ascii()))];
    }
    // A blank in a name that is the same twice does not part the two.
    let half = rest.len() / 2;
    let parts = |at: usize| (&rest[..at], &rest[at + 1..]);
    if rest.len() % 2 == 1 && rest[half] == b' ' {
        let (old, new) = parts(half);
        let tail = |name: &[u8]| {
            name.iter()
                .position(|byte| *byte == b'/')
                .map(|at| name[at..].to_vec())
        };
        if tail(old).is_some() && tail(old) == tail(new) {
            return [Some(old.to_vec()), Some(new.to_vec())];
        }
    }
    match rest.iter().position(|byte| *byte == b' ') {
        Some(at) => {
            let (old, new) = parts(at);
            [Some(old.to_vec()), Some(unquoted(new.trim_ascii()))]
        }
        None => [None, None],
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
