//! `git apply`: patches onto the working tree, the index, or both.

use super::Call;
use crate::args;
use crate::diff::lines;
use crate::index::{Entry, Index};
use crate::oid::Kind;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, Stop, show};
use crate::worktree;

/// Lines of a patch that belong together.
#[derive(Debug, Clone)]
struct Hunk {
    old_start: usize,
    new_start: usize,
    /// `' '`, `'-'` or `'+'`, and the line with its newline (without one when the patch says so).
    lines: Vec<(u8, Vec<u8>)>,
    /// The line of the patch it stands at.
    at: usize,
}

/// What a patch does to a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct FilePatch {
    pub(crate) old: Option<Vec<u8>>,
    pub(crate) new: Option<Vec<u8>>,
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    hunks: Vec<Hunk>,
    copies: bool,
    binary: bool,
    is_git: bool,
    score: Option<String>,
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
            return crate::stop::error(format!(
                "patch fragment without header at line {}: {}",
                at + 1,
                show(line)
            ))
            .map_err(as_128);
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

fn as_128(stop: Stop) -> Stop {
    match stop {
        Stop::Error(text) => Stop::ErrorStatus(text, 128),
        other => other,
    }
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
    fn reversed(mut self) -> FilePatch {
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

    fn shown(&self) -> String {
        show(
            self.new
                .as_deref()
                .or(self.old.as_deref())
                .unwrap_or_default(),
        )
    }

    fn counts(&self) -> (usize, usize) {
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

/// The content after the hunks, or the number of the line that the first bad one stands at.
fn patched(
    old: &[u8],
    file: &FilePatch,
    ignore_space: bool,
) -> std::result::Result<Vec<u8>, usize> {
    let before = lines::split(old);
    let mut out: Vec<u8> = Vec::with_capacity(old.len());
    let mut at = 0;
    let mut shift = 0isize;
    let normal = |line: &[u8]| {
        if ignore_space {
            lines::normal(line, lines::Space::Change)
        } else {
            line.to_vec()
        }
    };
    for hunk in &file.hunks {
        let old_lines: Vec<Vec<u8>> = hunk
            .lines
            .iter()
            .filter(|(sign, _)| *sign != b'+')
            .map(|(_, line)| normal(line))
            .collect();
        let expected = if old_lines.is_empty() {
            hunk.old_start
        } else {
            hunk.old_start.saturating_sub(1)
        };
        let guess = expected.saturating_add_signed(shift).max(at);
        let fits = |place: usize| {
            place >= at
                && place + old_lines.len() <= before.len()
                && old_lines
                    .iter()
                    .zip(&before[place..])
                    .all(|(a, b)| *a == normal(b))
        };
        // A hunk without context at its start belongs to the start of the file, one without at its end to the end.
        let leading = hunk
            .lines
            .iter()
            .take_while(|(sign, _)| *sign == b' ')
            .count();
        let trailing = hunk
            .lines
            .iter()
            .rev()
            .take_while(|(sign, _)| *sign == b' ')
            .count();
        let at_start = hunk.old_start <= 1 && leading < trailing;
        let at_end = leading > trailing;
        let allowed = |place: usize| {
            (!at_start || place == 0)
                && (!at_end || place + old_lines.len() == before.len() || hunk.lines.is_empty())
                && fits(place)
        };
        let most = before.len().max(guess) + 1;
        let found = (0..=most).find_map(|distance| {
            let up = guess.checked_add(distance).filter(|place| allowed(*place));
            up.or_else(|| guess.checked_sub(distance).filter(|place| allowed(*place)))
        });
        let Some(place) = found else {
            return Err(hunk.old_start.max(1));
        };
        shift = place as isize - expected as isize;
        before[at..place]
            .iter()
            .for_each(|line| out.extend_from_slice(line));
        let mut own = place;
        for (sign, line) in &hunk.lines {
            match sign {
                b'+' => out.extend_from_slice(line),
                b'-' => own += 1,
                _ => {
                    out.extend_from_slice(before.get(own).copied().unwrap_or(line));
                    own += 1;
                }
            }
        }
        at = place + old_lines.len();
        let _ = (hunk.new_start, hunk.at);
    }
    before[at..]
        .iter()
        .for_each(|line| out.extend_from_slice(line));
    Ok(out)
}

/// A file as it is to be: its path and mode and content; none to remove it.
type Outcome = (Vec<u8>, Option<(u32, Vec<u8>)>);

/// Finds what patches do; says why they do not apply.
fn plan(
    repo: &Repo,
    index: &Index,
    files: &[FilePatch],
    cached: bool,
    with_index: bool,
    ignore_space: bool,
) -> Result<Vec<Outcome>> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut failed = false;
    for file in files {
        let name = file.shown();
        if file.binary {
            out::note(format!(
                "error: cannot apply binary patch to '{name}' without full index line"
            ));
            out::note(format!("error: {name}: patch does not apply"));
            failed = true;
            continue;
        }
        for path in file.old.iter().chain(&file.new) {
            if !worktree::is_safe_path(path) {
                return Err(Stop::ErrorStatus(
                    format!("invalid path '{}'", show(path)).into_bytes(),
                    1,
                ));
            }
            if crate::diff::change::is_behind_link(path) && !cached {
                return Err(Stop::ErrorStatus(
                    format!("affected file '{}' is beyond a symbolic link", show(path))
                        .into_bytes(),
                    1,
                ));
            }
        }
        let mut mode = file.new_mode.or(file.old_mode).unwrap_or(0o100_644);
        let old = match &file.old {
            None => Vec::new(),
            Some(path) => {
                // A patch before this one may have written it.
                let earlier = outcomes.iter().rev().find(|(known, _)| known == path);
                if let Some((_, Some((known, content)))) = earlier {
                    mode = file.new_mode.unwrap_or(*known);
                    content.clone()
                } else if cached || with_index {
                    let Some(entry) = index.get(path) else {
                        out::note(format!("error: {}: does not exist in index", show(path)));
                        failed = true;
                        continue;
                    };
                    if with_index
                        && crate::diff::change::compare(repo, entry)?.0
                            != crate::diff::change::Found::Same
                    {
                        out::note(format!("error: {}: does not match index", show(path)));
                        failed = true;
                        continue;
                    }
                    mode = file.new_mode.unwrap_or(entry.mode);
                    repo.objects.blob(&entry.oid)?.to_vec()
                } else {
                    let Ok(found) = os::lstat(path) else {
                        out::note(format!("error: {}: No such file or directory", show(path)));
                        failed = true;
                        continue;
                    };
                    mode = file
                        .new_mode
                        .unwrap_or_else(|| crate::object::canonical_mode(found.mode));
                    crate::diff::change::read_file(path, &found)?
                }
            }
        };
        if let (None, Some(path)) = (&file.old, &file.new) {
            let there = if cached {
                index.get(path).is_some()
            } else {
                os::exists(path)
            };
            let gone = outcomes
                .iter()
                .rev()
                .find(|(known, _)| known == path)
                .is_some_and(|(_, content)| content.is_none());
            if with_index && index.get(path).is_some() && !gone {
                out::note(format!("error: {}: already exists in index", show(path)));
                failed = true;
                continue;
            }
            if there && !gone {
                let place = if cached { "index" } else { "working directory" };
                out::note(format!("error: {}: already exists in {place}", show(path)));
                failed = true;
                continue;
            }
        }
        let content = match patched(&old, file, ignore_space) {
            Ok(content) => content,
            Err(line) => {
                out::note(format!(
                    "error: patch failed: {}:{line}",
                    show(file.old.as_deref().unwrap_or(name.as_bytes()))
                ));
                out::note(format!(
                    "error: {}: patch does not apply",
                    show(file.old.as_deref().unwrap_or(name.as_bytes()))
                ));
                failed = true;
                continue;
            }
        };
        match (&file.old, &file.new) {
            (Some(old_path), None) => {
                if !content.is_empty() {
                    out::note(format!(
                        "error: removal patch leaves file contents\nerror: {}: patch does not apply",
                        show(old_path)
                    ));
                    failed = true;
                }
                outcomes.push((old_path.clone(), None));
            }
            (old_path, Some(new)) => {
                if let Some(old_path) = old_path
                    && old_path != new
                    && !file.copies
                    && file.is_git
                {
                    outcomes.push((old_path.clone(), None));
                }
                outcomes.push((new.clone(), Some((mode, content))));
            }
            (None, None) => {}
        }
    }
    if failed {
        Err(Stop::Status(1))
    } else {
        Ok(outcomes)
    }
}

/// Applies the patches of a text to the working tree, and to the index if asked to.
pub(crate) fn run(
    repo: &Repo,
    files: &[FilePatch],
    cached: bool,
    with_index: bool,
    check: bool,
    ignore_space: bool,
) -> Result<()> {
    let mut index = repo.index()?;
    let outcomes = plan(repo, &index, files, cached, with_index, ignore_space)?;
    if check {
        return Ok(());
    }
    for (path, result) in outcomes {
        match result {
            None => {
                if !cached {
                    worktree::remove_file(repo, &path);
                }
                if cached || with_index {
                    index.remove(&path);
                }
            }
            Some((mode, content)) => {
                if !cached {
                    worktree::write_content(repo, &path, mode, &content)?;
                }
                if cached || with_index {
                    let oid = repo.objects.write(Kind::Blob, &content)?;
                    let mut entry = Entry::new(path.clone(), mode, oid, 0);
                    if !cached {
                        entry.stat = os::lstat(&path)?;
                    }
                    index.put(entry);
                }
            }
        }
    }
    if cached || with_index {
        repo.write_index(&index)?;
    }
    Ok(())
}

/// `git apply`.
pub(crate) fn apply(call: &Call) -> Result<i32> {
    let table = "exclude= include= p|= no-add stat numstat summary check index N|intent-to-add cached unsafe-paths apply 3|3way ours theirs union \
                 build-fake-ancestor= z| C|= whitespace= ignore-space-change ignore-whitespace R|reverse unidiff-zero reject allow-overlap v|verbose q|quiet \
                 inaccurate-eof recount directory= allow-empty allow-binary-replacement binary";
    let parsed = args::parse("apply", table, &call.words)?;
    parsed.refuse(&[
        "3way",
        "reject",
        "exclude",
        "include",
        "recount",
        "unsafe-paths",
        "build-fake-ancestor",
        "intent-to-add",
        "no-add",
    ])?;
    let started = os::cwd()?;
    let repo = call.repo()?;
    let level = parsed
        .text("p")
        .and_then(|level| level.parse().ok())
        .unwrap_or(1);
    let mut text = Vec::new();
    let inputs = if parsed.words.is_empty() {
        vec![b"-".to_vec()]
    } else {
        parsed.words.clone()
    };
    for input in inputs {
        let read = match &input[..] {
            b"-" => os::read_stdin(),
            path if path[0] == b'/' => os::read(path),
            path => os::read(&[&started[..], b"/", path].concat()),
        };
        match read {
            Ok(content) => text.extend(content),
            Err(found) => {
                return Err(Stop::ErrorStatus(
                    format!(
                        "can't open patch '{}': {}",
                        show(&input),
                        crate::stop::why(&found)
                    )
                    .into_bytes(),
                    128,
                ));
            }
        }
    }
    if text.trim_ascii().is_empty() && parsed.has("allow-empty") {
        return Ok(0);
    }
    let mut files = parse(&text, level)?;
    if parsed.has("reverse") {
        files = files.into_iter().rev().map(FilePatch::reversed).collect();
    }
    let prefix = match parsed.value("directory") {
        Some(directory) => [
            directory,
            if directory.ends_with(b"/") { b"" } else { b"/" },
        ]
        .concat(),
        None => repo.prefix.clone(),
    };
    if !prefix.is_empty() {
        for file in &mut files {
            for path in file.old.iter_mut().chain(file.new.iter_mut()) {
                *path = [&prefix[..], path].concat();
            }
        }
    }
    let only_looks =
        parsed.has("stat") || parsed.has("numstat") || parsed.has("summary") || parsed.has("check");
    if parsed.has("check") || !only_looks || parsed.has("apply") {
        let ignore_space = parsed.has("ignore-space-change") || parsed.has("ignore-whitespace");
        let check = parsed.has("check") && !parsed.has("apply");
        run(
            &repo,
            &files,
            parsed.has("cached"),
            parsed.has("index"),
            check,
            ignore_space,
        )?;
        if !check && !parsed.has("quiet") {
            whitespace(
                &files,
                &parsed,
                parsed
                    .words
                    .first()
                    .map_or("<stdin>".to_owned(), |word| show(word))
                    .as_str(),
            );
        }
        if parsed.has("verbose") {
            files
                .iter()
                .for_each(|file| out::note(format!("Applied patch {} cleanly.", file.shown())));
        }
    }
    if parsed.has("numstat") {
        for file in &files {
            let (plus, minus) = file.counts();
            out::line(format!("{plus}\t{minus}\t{}", file.shown()));
        }
    }
    if parsed.has("stat") {
        stat(&files);
    }
    if parsed.has("summary") {
        for file in &files {
            match (&file.old, &file.new) {
                (None, Some(path)) => out::line(format!(
                    " create mode {:06o} {}",
                    file.new_mode.unwrap_or(0o100_644),
                    show(path)
                )),
                (Some(path), None) => out::line(format!(
                    " delete mode {:06o} {}",
                    file.old_mode.unwrap_or(0o100_644),
                    show(path)
                )),
                (Some(a), Some(b)) if a != b => {
                    let names = crate::diff::stat::rename_name(&repo, a, b);
                    out::line(format!(
                        " rename {} ({})",
                        show(&names),
                        file.score.clone().unwrap_or_default()
                    ));
                }
                (Some(a), _) => {
                    if let (Some(x), Some(y)) = (file.old_mode, file.new_mode)
                        && x != y
                    {
                        out::line(format!(" mode change {x:06o} => {y:06o} {}", show(a)));
                    }
                }
                _ => {}
            }
        }
    }
    Ok(0)
}

/// Warns of whitespace at the ends of added lines.
fn whitespace(files: &[FilePatch], parsed: &args::Parsed, input: &str) {
    if matches!(parsed.value("whitespace"), Some(b"nowarn" | b"fix")) {
        return;
    }
    let mut count = 0;
    for hunk in files.iter().flat_map(|file| &file.hunks) {
        for (number, (sign, line)) in hunk.lines.iter().enumerate() {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            if *sign == b'+' && text.last().is_some_and(|byte| b" \t\r".contains(byte)) {
                count += 1;
                if count <= 5 {
                    out::note(format!(
                        "{input}:{}: trailing whitespace.\n{}",
                        hunk.at + number + 1,
                        show(text)
                    ));
                }
            }
        }
    }
    if count > 0 {
        let plural = if count == 1 { "line adds" } else { "lines add" };
        out::warn(format!("{count} {plural} whitespace errors."));
    }
}

/// The bars of `--stat`.
fn stat(files: &[FilePatch]) {
    let longest = files
        .iter()
        .map(|file| file.shown().chars().count())
        .max()
        .unwrap_or(0)
        .min(50);
    let most = files
        .iter()
        .map(|file| file.counts())
        .map(|(plus, minus)| plus + minus)
        .max()
        .unwrap_or(0);
    let width = 70usize.saturating_sub(longest).max(1);
    let (mut all_plus, mut all_minus) = (0, 0);
    for file in files {
        let (plus, minus) = file.counts();
        all_plus += plus;
        all_minus += minus;
        let (mut a, mut b) = (plus, minus);
        if most > width {
            let total = ((plus + minus) * width + most / 2) / most;
            a = (plus * width + most / 2) / most;
            b = total - a.min(total);
        }
        out::line(format!(
            " {:<longest$} |{:5} {}{}",
            file.shown(),
            plus + minus,
            "+".repeat(a),
            "-".repeat(b)
        ));
    }
    let count = files.len();
    let mut line = format!(" {count} file{} changed", if count == 1 { "" } else { "s" });
    if all_plus > 0 || all_minus == 0 {
        line += &format!(
            ", {all_plus} insertion{}(+)",
            if all_plus == 1 { "" } else { "s" }
        );
    }
    if all_minus > 0 || all_plus == 0 {
        line += &format!(
            ", {all_minus} deletion{}(-)",
            if all_minus == 1 { "" } else { "s" }
        );
    }
    out::line(line);
}
