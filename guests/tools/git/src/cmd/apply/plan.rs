//! What patches make of files.

use super::Target;
use super::patch::{FilePatch, Hunk};
use crate::diff::change::{self, Found};
use crate::diff::lines;
use crate::index::Index;
use crate::object;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, Stop, error, show};
use crate::worktree;

/// A file's mode and content.
pub(super) struct File {
    pub(super) mode: u32,
    pub(super) content: Vec<u8>,
}

/// A path and the file that is to be there; none to remove it.
pub(super) type Outcome = (Vec<u8>, Option<File>);

/// Finds out what patches do, one after the other.
pub(super) struct Planner<'a> {
    pub(super) repo: &'a Repo,
    pub(super) index: &'a Index,
    pub(super) target: Target,
    /// Differences in the amount of whitespace do not count.
    pub(super) ignore_space: bool,
}

impl Planner<'_> {
    /// What patches do; says why they do not apply.
    pub(super) fn plan(&self, files: &[FilePatch]) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        let mut all_apply = true;
        for file in files {
            all_apply &= self.plan_file(file, &mut outcomes)?;
        }
        match all_apply {
            true => Ok(outcomes),
            false => Err(Stop::Status(1)),
        }
    }

    /// Adds what a patch does; whether it applies.
    fn plan_file(&self, file: &FilePatch, outcomes: &mut Vec<Outcome>) -> Result<bool> {
        let name = file.shown();
        if file.binary {
            out::note(format!(
                "error: cannot apply binary patch to '{name}' without full index line"
            ));
            out::note(format!("error: {name}: patch does not apply"));
            return Ok(false);
        }
        self.check_paths(file)?;
        let Some(before) = self.before(file, outcomes)? else {
            return Ok(false);
        };
        if !self.may_create(file, outcomes) {
            return Ok(false);
        }
        let content = match patched(&before.content, file, self.ignore_space) {
            Ok(content) => content,
            Err(line) => {
                let name = file.old.as_deref().map_or(name, show);
                out::note(format!("error: patch failed: {name}:{line}"));
                out::note(format!("error: {name}: patch does not apply"));
                return Ok(false);
            }
        };
        let mut applies = true;
        match (&file.old, &file.new) {
            (Some(old), None) => {
                if !content.is_empty() {
                    out::note(format!(
                        "error: removal patch leaves file contents\nerror: {}: patch does not apply",
                        show(old)
                    ));
                    applies = false;
                }
                outcomes.push((old.clone(), None));
            }
            (old, Some(new)) => {
                if let Some(old) = old
                    && old != new
                    && !file.copies
                    && file.is_git
                {
                    outcomes.push((old.clone(), None));
                }
                let mode = before.mode;
                outcomes.push((new.clone(), Some(File { mode, content })));
            }
            (None, None) => {}
        }
        Ok(applies)
    }

    /// Fails where a path leads out of the working tree.
    fn check_paths(&self, file: &FilePatch) -> Result<()> {
        for path in file.old.iter().chain(&file.new) {
            if !worktree::is_safe_path(path) {
                return error(format!("invalid path '{}'", show(path)));
            }
            if self.target != Target::Index && change::is_behind_link(path) {
                return error(format!(
                    "affected file '{}' is beyond a symbolic link",
                    show(path)
                ));
            }
        }
        Ok(())
    }

    /// The old content with the new mode; none, and a message, where the file is not as it should.
    fn before(&self, file: &FilePatch, outcomes: &[Outcome]) -> Result<Option<File>> {
        let Some(path) = &file.old else {
            return Ok(Some(File {
                mode: file.new_mode.or(file.old_mode).unwrap_or(0o100_644),
                content: Vec::new(),
            }));
        };
        // A patch before this one may have written it.
        if let Some(Some(known)) = outcome(outcomes, path) {
            return Ok(Some(File {
                mode: file.new_mode.unwrap_or(known.mode),
                content: known.content.clone(),
            }));
        }
        let found = match self.target {
            Target::Files => in_work_tree(path)?,
            Target::Index | Target::Both => self.in_index(path)?,
        };
        Ok(match found {
            Ok(found) => Some(File {
                mode: file.new_mode.unwrap_or(found.mode),
                ..found
            }),
            Err(why) => {
                out::note(format!("error: {}: {why}", show(path)));
                None
            }
        })
    }

    fn in_index(&self, path: &[u8]) -> Result<std::result::Result<File, &'static str>> {
        let Some(entry) = self.index.get(path) else {
            return Ok(Err("does not exist in index"));
        };
        if self.target == Target::Both && change::compare(self.repo, entry)?.0 != Found::Same {
            return Ok(Err("does not match index"));
        }
        Ok(Ok(File {
            mode: entry.mode,
            content: self.repo.objects.blob(&entry.oid)?.to_vec(),
        }))
    }

    /// Whether a new file's path is free; says so where it is not.
    fn may_create(&self, file: &FilePatch, outcomes: &[Outcome]) -> bool {
        let (None, Some(path)) = (&file.old, &file.new) else {
            return true;
        };
        if matches!(outcome(outcomes, path), Some(None)) {
            return true;
        }
        let in_index = self.target != Target::Files && self.index.get(path).is_some();
        let in_files = self.target != Target::Index && os::exists(path);
        let place = match (in_index, in_files) {
            (true, _) => "index",
            (false, true) => "working directory",
            (false, false) => return true,
        };
        out::note(format!("error: {}: already exists in {place}", show(path)));
        false
    }
}

/// What the patches so far make of a path.
fn outcome<'a>(outcomes: &'a [Outcome], path: &[u8]) -> Option<&'a Option<File>> {
    let mut backwards = outcomes.iter().rev();
    let found = backwards.find(|(known, _)| known == path)?;
    Some(&found.1)
}

fn in_work_tree(path: &[u8]) -> Result<std::result::Result<File, &'static str>> {
    let Ok(found) = os::lstat(path) else {
        return Ok(Err("No such file or directory"));
    };
    Ok(Ok(File {
        mode: object::canonical_mode(found.mode),
        content: change::read_file(path, &found)?,
    }))
}

/// The content after the hunks, or the number of the line that the first bad one stands at.
fn patched(
    old: &[u8],
    file: &FilePatch,
    ignore_space: bool,
) -> std::result::Result<Vec<u8>, usize> {
    let normal = |line: &[u8]| match ignore_space {
        true => lines::normal(line, lines::Space::Change),
        false => line.to_vec(),
    };
    let before = lines::split(old);
    let compared: Vec<Vec<u8>> = before.iter().map(|line| normal(line)).collect();
    let mut out: Vec<u8> = Vec::with_capacity(old.len());
    let mut at = 0;
    let mut shift = 0isize;
    for hunk in &file.hunks {
        let old_lines = hunk.lines.iter().filter(|(sign, _)| *sign != b'+');
        let old_lines: Vec<Vec<u8>> = old_lines.map(|(_, line)| normal(line)).collect();
        let expected = match old_lines.is_empty() {
            true => hunk.old_start,
            false => hunk.old_start.saturating_sub(1),
        };
        let guess = expected.saturating_add_signed(shift).max(at);
        let Some(place) = hunk.place(&old_lines, &compared, at, guess) else {
            return Err(hunk.old_start.max(1));
        };
        shift = place as isize - expected as isize;
        out.extend(before[at..place].concat());
        hunk.write(&before[place..], &mut out);
        at = place + old_lines.len();
    }
    out.extend(before[at..].concat());
    Ok(out)
}

impl Hunk {
    /// The line nearest to a guess at which the old lines stand, from `least` on.
    fn place(
        &self,
        old_lines: &[Vec<u8>],
        before: &[Vec<u8>],
        least: usize,
        guess: usize,
    ) -> Option<usize> {
        // A hunk with less context before it than after it belongs to the start of the file, one
        // with less after it to the end.
        let is_context = |(sign, _): &&(u8, Vec<u8>)| *sign == b' ';
        let leading = self.lines.iter().take_while(is_context).count();
        let trailing = self.lines.iter().rev().take_while(is_context).count();
        let at_start = self.old_start <= 1 && leading < trailing;
        let at_end = leading > trailing;
        let rest = |place: usize| before.get(place..);
        let fits = |place: usize| {
            place >= least
                && rest(place).is_some_and(|rest| rest.starts_with(old_lines))
                && (!at_start || place == 0)
                && (!at_end || place + old_lines.len() == before.len())
        };
        let most = before.len().max(guess) + 1;
        (0..=most).find_map(|distance| {
            let up = guess.checked_add(distance).filter(|place| fits(*place));
            up.or_else(|| guess.checked_sub(distance).filter(|place| fits(*place)))
        })
    }

    /// Writes the new lines; context is taken as it stands in the file.
    fn write(&self, before: &[&[u8]], out: &mut Vec<u8>) {
        let mut own = before.iter();
        for (sign, line) in &self.lines {
            match sign {
                b'+' => out.extend_from_slice(line),
                b'-' => {
                    own.next();
                }
                _ => out.extend_from_slice(own.next().copied().unwrap_or(line)),
            }
        }
    }
}
