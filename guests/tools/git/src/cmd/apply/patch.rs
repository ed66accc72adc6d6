//! Patches as they are read from a text.

use crate::diff::lines;
use crate::stop::{Result, Stop, show};

/// Lines of a patch that belong together.
#[derive(Debug, Clone)]
pub(super) struct Hunk {
    pub(super) old_start: usize,
    new_start: usize,
    /// `' '`, `'-'` or `'+'`, and the line with its newline (without one when the patch says so).
    pub(super) lines: Vec<(u8, Vec<u8>)>,
    /// The line of the patch it stands at.
    pub(super) at: usize,
}

/// What a patch does to a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct FilePatch {
    pub(super) old: Option<Vec<u8>>,
    pub(super) new: Option<Vec<u8>>,
    pub(super) old_mode: Option<u32>,
    pub(super) new_mode: Option<u32>,
    pub(super) hunks: Vec<Hunk>,
    pub(super) copies: bool,
    pub(super) binary: bool,
    pub(super) is_git: bool,
    pub(super) score: Option<String>,
}

/// Takes `-p` components off a name; none for `/dev/null`.
fn strip(name: &[u8], level: usize) -> Option<Vec<u8>> {
    if name == b"/dev/null" {
        return None;
    }
    let mut rest = name;
    for _ in 0..level {
        match rest.iter().position(|byte| *byte == b'/') {
            Some(at) => rest = &rest[at + 1..],
            None => return Some(rest.to_vec()),
        }
    }
    Some(rest.to_vec())
}

/// A name in a patch: quoted, or up to a tab.
fn name(text: &[u8]) -> Vec<u8> {
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    if text.first() != Some(&b'"') {
        return text
            .split(|byte| *byte == b'\t')
            .next()
            .unwrap_or_default()
            .to_vec();
    }
    let mut out = Vec::new();
    let mut bytes = text[1..].iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => match bytes.next() {
                Some(b'n') => out.push(b'\n'),
                Some(b't') => out.push(b'\t'),
                Some(b'r') => out.push(b'\r'),
                Some(b'a') => out.push(7),
                Some(b'b') => out.push(8),
                Some(b'v') => out.push(11),
                Some(b'f') => out.push(12),
                Some(digit @ b'0'..=b'3') => {
                    let mut value = u32::from(digit - b'0');
                    for _ in 0..2 {
                        if let Some(next) = bytes.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                            value = value * 8 + u32::from(next - b'0');
                        }
                    }
                    out.push(value as u8);
                }
                Some(other) => out.push(other),
                None => break,
            },
            _ => out.push(byte),
        }
    }
    out
}

/// Reads the patches of a text.
pub(crate) fn parse(text: &[u8], level: usize) -> Result<Vec<FilePatch>> {
    let all = lines::split(text);
    let mut files: Vec<FilePatch> = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let line = all[at].strip_suffix(b"\n").unwrap_or(all[at]);
        if let Some(rest) = line.strip_prefix(b"diff --git ") {
            let mut file = FilePatch {
                is_git: true,
                ..FilePatch::default()
            };
            // Both names are the same where no other line gives them.
            let half = rest.len() / 2;
            if rest.get(half) == Some(&b' ') {
                let (a, b) = (
                    strip(&name(&rest[..half]), level),
                    strip(&name(&rest[half + 1..]), level),
                );
                if a == b {
                    (file.old, file.new) = (a, b);
                }
            }
            at += 1;
            at = headers(&all, at, level, &mut file);
            at = hunks(&all, at, &mut file)?;
            files.push(file);
            continue;
        }
        let next = all.get(at + 1).copied().unwrap_or_default();
        if line.starts_with(b"--- ") && next.starts_with(b"+++ ") {
            let mut file = FilePatch::default();
            at = headers(&all, at, level, &mut file);
            at = hunks(&all, at, &mut file)?;
            files.push(file);
            continue;
        }
        if line.starts_with(b"@@ -") {
            let text = format!(
                "patch fragment without header at line {}: {}",
                at + 1,
                show(line)
            );
            return Err(Stop::ErrorStatus(text.into_bytes(), 128));
        }
        at += 1;
    }
    if files.is_empty() {
        return Err(Stop::ErrorStatus(
            b"No valid patches in input (allow with \"--allow-empty\")".to_vec(),
            128,
        ));
    }
    Ok(files)
}

fn headers(all: &[&[u8]], mut at: usize, level: usize, file: &mut FilePatch) -> usize {
    let mode = |text: &[u8]| u32::from_str_radix(show(text).trim(), 8).ok();
    while at < all.len() {
        let line = all[at].strip_suffix(b"\n").unwrap_or(all[at]);
        if let Some(rest) = line.strip_prefix(b"--- ") {
            file.old = strip(&name(rest), level);
        } else if let Some(rest) = line.strip_prefix(b"+++ ") {
            file.new = strip(&name(rest), level);
            return at + 1;
        } else if let Some(rest) = line.strip_prefix(b"old mode ") {
            file.old_mode = mode(rest);
        } else if let Some(rest) = line.strip_prefix(b"new mode ") {
            file.new_mode = mode(rest);
        } else if let Some(rest) = line.strip_prefix(b"new file mode ") {
            file.new_mode = mode(rest);
            file.old = None;
        } else if let Some(rest) = line.strip_prefix(b"deleted file mode ") {
            file.old_mode = mode(rest);
            file.new = None;
        } else if let Some(rest) = line
            .strip_prefix(b"rename from ")
            .or(line.strip_prefix(b"copy from "))
        {
            file.old = Some(name(rest));
            file.copies = line.starts_with(b"copy");
        } else if let Some(rest) = line
            .strip_prefix(b"rename to ")
            .or(line.strip_prefix(b"copy to "))
        {
            file.new = Some(name(rest));
        } else if let Some(rest) = line.strip_prefix(b"similarity index ") {
            file.score = Some(show(rest));
        } else if let Some(rest) = line.strip_prefix(b"index ") {
            if let Some(space) = rest.iter().position(|byte| *byte == b' ') {
                file.old_mode = mode(&rest[space + 1..]);
                file.new_mode = file.old_mode;
            }
        } else if line.starts_with(b"Binary files ") || line.starts_with(b"GIT binary patch") {
            file.binary = true;
            return at + 1;
        } else if !line.starts_with(b"dissimilarity index ") {
            return at;
        }
        at += 1;
    }
    at
}

fn hunks(all: &[&[u8]], mut at: usize, file: &mut FilePatch) -> Result<usize> {
    while at < all.len() && all[at].starts_with(b"@@ -") {
        let corrupt = |at: usize| {
            Err(Stop::ErrorStatus(
                format!("corrupt patch at line {}", at + 1).into_bytes(),
                128,
            ))
        };
        let head = show(all[at]);
        let Some((old, new)) = head[4..]
            .split_once(" +")
            .and_then(|(old, rest)| Some((old, rest.split_once(" @@")?.0)))
        else {
            return corrupt(at);
        };
        let range = |text: &str| -> Option<(usize, usize)> {
            match text.split_once(',') {
                Some((start, length)) => Some((start.parse().ok()?, length.parse().ok()?)),
                None => Some((text.parse().ok()?, 1)),
            }
        };
        let (Some((old_start, mut old_left)), Some((new_start, mut new_left))) =
            (range(old), range(new))
        else {
            return corrupt(at);
        };
        let mut hunk = Hunk {
            old_start,
            new_start,
            lines: Vec::new(),
            at: at + 1,
        };
        at += 1;
        while old_left > 0 || new_left > 0 {
            let Some(line) = all.get(at) else {
                return corrupt(at);
            };
            let (sign, rest): (u8, &[u8]) = match line.first() {
                Some(sign @ (b' ' | b'-' | b'+')) => (*sign, &line[1..]),
                // An empty line stands for a line of context whose space was lost.
                Some(b'\n') => (b' ', line),
                _ => return corrupt(at),
            };
            match sign {
                b' ' if old_left > 0 && new_left > 0 => {
                    (old_left, new_left) = (old_left - 1, new_left - 1)
                }
                b'-' if old_left > 0 => old_left -= 1,
                b'+' if new_left > 0 => new_left -= 1,
                _ => return corrupt(at),
            }
            hunk.lines.push((sign, rest.to_vec()));
            at += 1;
            if all.get(at).is_some_and(|line| line.starts_with(b"\\ ")) {
                if let Some((_, text)) = hunk.lines.last_mut()
                    && text.last() == Some(&b'\n')
                {
                    text.pop();
                }
                at += 1;
            }
        }
        file.hunks.push(hunk);
    }
    Ok(at)
}

impl FilePatch {
    /// The patch that takes this one back.
    pub(super) fn reversed(mut self) -> FilePatch {
        (self.old, self.new) = (self.new, self.old);
        (self.old_mode, self.new_mode) = (self.new_mode, self.old_mode);
        for hunk in &mut self.hunks {
            (hunk.old_start, hunk.new_start) = (hunk.new_start, hunk.old_start);
            for (sign, _) in &mut hunk.lines {
                *sign = match *sign {
                    b'+' => b'-',
                    b'-' => b'+',
                    other => other,
                };
            }
        }
        self
    }

    /// The name that messages have: that of the new file, where there is one.
    pub(super) fn shown(&self) -> String {
        show(
            self.new
                .as_deref()
                .or(self.old.as_deref())
                .unwrap_or_default(),
        )
    }

    /// How many lines are added and removed.
    pub(super) fn counts(&self) -> (usize, usize) {
        let count = |sign: u8| {
            self.hunks
                .iter()
                .flat_map(|hunk| &hunk.lines)
                .filter(|(mark, _)| *mark == sign)
                .count()
        };
        (count(b'+'), count(b'-'))
    }
}
