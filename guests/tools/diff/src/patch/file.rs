//! Patching one file after another.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use codepod_datetime::{Moment, Zone};
use codepod_tool::path;

use super::apply::{self, Applied, Tried};
use super::disk::{self, Found};
use super::names::{self, Files, Moves, shown};
use super::read::{FilePatch, Kind};
use super::{Asked, Fatal, ReadOnly, Say, Times, cannot, rejects};

/// Something that happens to a file when all patches of git's were read: they speak of the files as
/// they were before.
enum Change {
    Write {
        name: Vec<u8>,
        text: Vec<u8>,
        mode: Option<u32>,
        link: bool,
    },
    Remove {
        name: Vec<u8>,
    },
    Backup {
        name: Vec<u8>,
    },
}

impl Change {
    fn name(&self) -> &[u8] {
        match self {
            Change::Write { name, .. } | Change::Remove { name } | Change::Backup { name } => name,
        }
    }
}

/// One run of patch.
pub(crate) struct Run<'a> {
    asked: &'a Asked,
    pub(crate) say: Say,
    /// Something did not work.
    pub(crate) failed: bool,
    waiting: Vec<Change>,
    /// Files whose first state is kept already; what else was written, which is added to from then
    /// on.
    backed_up: Vec<Vec<u8>>,
    written: Vec<Vec<u8>>,
}

/// What a patch finds.
struct Input {
    found: Found,
    text: Vec<u8>,
    link: bool,
    /// When it was changed.
    modified: Option<SystemTime>,
}

/// A file whose hunks were tried, and what came of that.
struct Patched<'a> {
    patch: &'a FilePatch,
    files: &'a Files,
    input: &'a Input,
    applied: &'a Applied,
}

impl Patched<'_> {
    fn is_rejected(&self) -> bool {
        !self.applied.rejected.is_empty()
    }

    /// Whether the patch says for certain that the file is not there behind it.
    fn ends_missing(&self) -> bool {
        self.patch.missing[usize::from(!self.applied.reversed)] == 2
    }
}

/// What is to become of a file.
struct Outcome {
    name: Vec<u8>,
    removes: bool,
    /// It is made anew, or removed.
    changes: bool,
    mode: Option<u32>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(asked: &'a Asked) -> Run<'a> {
        Run {
            asked,
            say: Say {
                silent: asked.silent,
            },
            failed: false,
            waiting: Vec::new(),
            backed_up: Vec::new(),
            written: Vec::new(),
        }
    }

    /// Applies the changes of one file.
    pub(crate) fn patch(&mut self, patch: &FilePatch) -> Result<(), Fatal> {
        let asked = self.asked;
        if asked.verbose {
            self.introduce(patch);
        }
        if patch.git.is_none() || self.waits_for(patch) {
            self.flush()?;
        }
        let Some(files) = names::choose(asked, patch, &mut self.say) else {
            self.no_file(patch);
            self.failed = true;
            return Ok(());
        };
        if patch.git.as_ref().is_some_and(|git| git.binary) && patch.hunks.is_empty() {
            let name = shown(&files.output);
            self.say.loud(
                &[
                    b"File ",
                    &name[..],
                    b": git binary diffs are not supported.",
                ]
                .concat(),
            );
            self.failed = true;
            return Ok(());
        }
        if asked.file.is_none()
            && let Some(name) = [&files.input, &files.output]
                .into_iter()
                .find(|name| !names::stays_inside(name))
        {
            self.say.loud(
                &[
                    b"Invalid file name ",
                    &shown(name)[..],
                    b" -- skipping patch",
                ]
                .concat(),
            );
            self.failed = true;
            return Ok(());
        }
        let input = match self.input(patch, &files)? {
            Some(input) => input,
            None => return self.ignored(patch, &files, true),
        };
        let mut reverse = asked.reverse;
        if let Some(message) = doubt(patch, &input, &files.input, reverse) {
            match self.reverses(&message, reverse) {
                Some(true) => reverse = !reverse,
                Some(false) => {}
                None => return self.ignored(patch, &files, false),
            }
        }
        self.announce(patch, &files, input.link);
        let tried = Tried {
            fuzz: asked.fuzz,
            loose: asked.loose,
            force: asked.force,
            batch: asked.batch,
            forward: asked.forward,
            reverse,
            makes: patch.missing[usize::from(reverse)] == 2,
            verbose: asked.verbose,
        };
        let applied = apply::apply(&input.text, patch, &tried, &mut self.say);
        let patched = Patched {
            patch,
            files: &files,
            input: &input,
            applied: &applied,
        };
        self.finish(&patched)?;
        if asked.verbose {
            self.say.line(b"done");
        }
        Ok(())
    }

    /// Whether a patch is for a file that an earlier one changes, or below it; one that moves a
    /// file means the old one.
    fn waits_for(&self, patch: &FilePatch) -> bool {
        if patch.git.as_ref().is_some_and(|git| git.moved[0].is_some()) {
            return false;
        }
        let names = names::candidates(self.asked, patch);
        self.waiting.iter().any(|change| {
            let changed = change.name();
            names.iter().any(|name| {
                name.strip_prefix(changed)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
            })
        })
    }

    /// Says which file a patch was for that could not be read.
    pub(crate) fn broken(&mut self, patch: &FilePatch) {
        if let Some(files) = names::choose(self.asked, patch, &mut self.say) {
            self.announce(patch, &files, false);
        }
    }

    /// Does what was left for later.
    pub(crate) fn flush(&mut self) -> Result<(), Fatal> {
        for change in std::mem::take(&mut self.waiting) {
            match change {
                Change::Backup { name } => {
                    let backup = self.asked.backups.name(&name);
                    if let Err(error) = disk::back_up(&name, &backup) {
                        return cannot(b"Can't create file ", &backup, &error);
                    }
                }
                Change::Remove { name } => {
                    if disk::look(&name, false) != Found::Nothing
                        && let Err(error) = disk::remove(&name)
                    {
                        return cannot(b"Can't remove file ", &name, &error);
                    }
                }
                Change::Write {
                    name,
                    text,
                    mode,
                    link,
                } => {
                    let result = match link {
                        true => disk::put_link(&name, &text),
                        false => disk::put(&name, &text, mode),
                    };
                    if let Err(error) = result {
                        return cannot(b"Can't create file ", &name, &error);
                    }
                }
            }
        }
        Ok(())
    }

    fn introduce(&mut self, patch: &FilePatch) {
        let what = patch.kind.name();
        self.say
            .line(format!("Hmm...  Looks like {what} to me...").as_bytes());
        self.leading(patch);
    }

    fn leading(&mut self, patch: &FilePatch) {
        if patch.leading.is_empty() {
            return;
        }
        self.say.line(b"The text leading up to this was:");
        self.say.line(b"--------------------------");
        for line in &patch.leading {
            self.say
                .line(&[b"|", line.strip_suffix(b"\n").unwrap_or(line)].concat());
        }
        self.say.line(b"--------------------------");
    }

    /// What is there to be patched; none after saying why it is left alone.
    fn input(&mut self, patch: &FilePatch, files: &Files) -> Result<Option<Input>, Fatal> {
        let asked = self.asked;
        let modes = patch.git.as_ref().map_or([None, None], |git| git.modes);
        let (old, new) = if asked.reverse {
            (modes[1], modes[0])
        } else {
            (modes[0], modes[1])
        };
        let link = disk::is_link(new.or(old));
        let found = disk::look(&files.input, asked.follow && !link);
        let wrong = match (&found, link) {
            (Found::Nothing, _) | (Found::File { .. }, false) | (Found::Link, true) => None,
            (_, true) => Some(&b" is not a symbolic link -- refusing to patch"[..]),
            (_, false) => Some(&b" is not a regular file -- refusing to patch"[..]),
        };
        let name = shown(&files.input);
        if let Some(wrong) = wrong {
            self.say.loud(&[b"File ", &name[..], wrong].concat());
            return Ok(None);
        }
        if let Found::File { mode } = found
            && mode & 0o222 == 0
            && asked.output.is_none()
        {
            match asked.read_only {
                ReadOnly::Ignore => {}
                ReadOnly::Warn => {
                    self.say.line(
                        &[
                            b"File ",
                            &name[..],
                            b" is read-only; trying to patch anyway",
                        ]
                        .concat(),
                    );
                }
                ReadOnly::Fail => {
                    self.say
                        .loud(&[b"File ", &name[..], b" is read-only; refusing to patch"].concat());
                    return Ok(None);
                }
            }
        }
        let text = match found {
            Found::Nothing => Vec::new(),
            _ => match disk::read(&files.input, link) {
                Ok(text) => text,
                Err(error) => return cannot(b"Can't open file ", &files.input, &error),
            },
        };
        let modified = std::fs::metadata(path(&files.input)).and_then(|found| found.modified());
        Ok(Some(Input {
            found,
            text,
            link,
            modified: modified.ok(),
        }))
    }

    /// Whether to turn a patch round that does not fit a file; none to leave it out.
    fn reverses(&mut self, message: &[u8], reverse: bool) -> Option<bool> {
        let asked = self.asked;
        let say = &mut self.say;
        if asked.force {
            say.line(&[message, b"  Applying it anyway."].concat());
            return Some(false);
        }
        if asked.forward {
            say.loud(&[message, b"  Skipping patch."].concat());
            return None;
        }
        if asked.batch {
            let how: &[u8] = if reverse {
                b"  Ignoring -R."
            } else {
                b"  Assuming -R."
            };
            say.line(&[message, how].concat());
            return Some(true);
        }
        let how: &[u8] = if reverse {
            b"  Ignore -R? [n] "
        } else {
            b"  Assume -R? [n] "
        };
        say.loud(&[message, how].concat());
        say.loud(b"Apply anyway? [n] ");
        say.line(b"Skipping patch.");
        None
    }

    /// Says that all hunks were left out.
    fn ignored(&mut self, patch: &FilePatch, files: &Files, keeps: bool) -> Result<(), Fatal> {
        self.failed = true;
        let all: Vec<(usize, isize)> = (0..patch.hunks.len()).map(|number| (number, 0)).collect();
        let applied = Applied {
            rejected: all,
            skipped: true,
            reversed: self.asked.reverse,
            ..Applied::default()
        };
        self.report_rejects(patch, files, &applied, keeps)
    }

    fn announce(&mut self, patch: &FilePatch, files: &Files, link: bool) {
        let asked = self.asked;
        if patch.stripped {
            self.say
                .line(b"(Stripping trailing CRs from patch; use --binary to disable.)");
        }
        let kind: &[u8] = if link { b"symbolic link " } else { b"file " };
        let verb: &[u8] = if asked.dry_run {
            b"checking "
        } else {
            b"patching "
        };
        let mut text = [verb, kind, &shown(&files.output)].concat();
        if let Some(output) = &asked.output {
            text = [
                verb,
                kind,
                &shown(output),
                b" (read from ",
                &shown(&files.input),
                b")",
            ]
            .concat();
        }
        let how: &[u8] = match files.moves {
            Moves::Not => b"",
            Moves::Copied => b" (copied from ",
            Moves::Renamed => b" (renamed from ",
            Moves::AlreadyCopied => b" (already copied from ",
            Moves::AlreadyRenamed => b" (already renamed from ",
        };
        if !how.is_empty() {
            let from = names::moved_from(asked, patch);
            text.extend_from_slice(&[how, &shown(&from)[..], b")"].concat());
        }
        self.say.line(&text);
        if asked.verbose {
            self.say.line(b"Using Plan A...");
        }
    }

    fn finish(&mut self, patched: &Patched<'_>) -> Result<(), Fatal> {
        self.failed |= patched.is_rejected();
        if !patched.applied.skipped {
            self.output(patched)?;
        }
        if patched.is_rejected() {
            self.report_rejects(patched.patch, patched.files, patched.applied, true)?;
        }
        Ok(())
    }

    /// Writes what became of a file.
    fn output(&mut self, patched: &Patched<'_>) -> Result<(), Fatal> {
        let asked = self.asked;
        let name = asked.output.as_ref().unwrap_or(&patched.files.output);
        if name == b"-" {
            // The status says enough where nothing can be written.
            let _ = std::io::Write::write_all(&mut std::io::stdout(), &patched.applied.text);
            return Ok(());
        }
        self.note_kept(patched, name);
        let outcome = self.outcome(patched, name);
        let mut changes = self.backups(patched, &outcome);
        if outcome.removes {
            changes.push(Change::Remove { name: name.clone() });
        } else if outcome.changes {
            changes.extend(self.writes(patched, &outcome));
        }
        if asked.dry_run {
            return Ok(());
        }
        self.queue(changes);
        if patched.patch.git.is_none() {
            self.flush()?;
        }
        if asked.times.is_some() && !outcome.removes {
            self.flush()?;
            self.set_time(patched, name);
        }
        Ok(())
    }

    /// Says that a file stays which the patch should remove.
    fn note_kept(&mut self, patched: &Patched<'_>, name: &[u8]) {
        let asked = self.asked;
        if !patched.ends_missing()
            || patched.applied.text.is_empty()
            || patched.is_rejected()
            || asked.output.is_some()
            || asked.posix
        {
            return;
        }
        self.say.loud(
            &[
                b"Not deleting file ",
                &shown(name)[..],
                b" as content differs from patch",
            ]
            .concat(),
        );
        self.failed = true;
    }

    fn outcome(&self, patched: &Patched<'_>, name: &[u8]) -> Outcome {
        let asked = self.asked;
        let (input, applied) = (patched.input, patched.applied);
        let removes = asked.output.is_none()
            && applied.text.is_empty()
            && !patched.is_rejected()
            && (asked.remove_empty || (patched.ends_missing() && !asked.posix));
        let moves = matches!(patched.files.moves, Moves::Renamed | Moves::Copied);
        let mode = self.mode(patched.patch, input, applied.reversed);
        let changes_mode =
            matches!((&input.found, mode), (Found::File { mode: old }, Some(new)) if *old != new);
        let makes = input.found == Found::Nothing && patched.patch.kind == Kind::Header;
        Outcome {
            name: name.to_vec(),
            removes,
            changes: applied.applied > 0
                || moves
                || changes_mode
                || makes
                || asked.output.is_some()
                || removes,
            mode,
        }
    }

    /// The backups that are made before a file changes, of files that have none of this run.
    fn backups(&mut self, patched: &Patched<'_>, outcome: &Outcome) -> Vec<Change> {
        let asked = self.asked;
        let backs_up = (asked.backup || (asked.backup_on_mismatch && patched.applied.mismatched))
            && asked.output.is_none();
        if !backs_up || !(outcome.changes || asked.backup || patched.is_rejected()) {
            return Vec::new();
        }
        let mut names = vec![&outcome.name];
        if patched.files.moves == Moves::Renamed {
            names.push(&patched.files.input);
        }
        let mut changes = Vec::new();
        for name in names {
            if !self.backed_up.contains(name) {
                self.backed_up.push(name.clone());
                changes.push(Change::Backup { name: name.clone() });
            }
        }
        changes
    }

    /// A file's new text; one that was renamed leaves its old name unless an earlier patch writes
    /// that.
    fn writes(&mut self, patched: &Patched<'_>, outcome: &Outcome) -> Vec<Change> {
        let (name, files) = (&outcome.name, patched.files);
        let mut text = patched.applied.text.clone();
        if self.asked.output.is_some() && self.written.contains(name) {
            text = [std::fs::read(path(name)).unwrap_or_default(), text].concat();
        }
        self.written.push(name.clone());
        let mut changes = vec![Change::Write {
            name: name.clone(),
            text,
            mode: outcome.mode,
            link: patched.input.link,
        }];
        let taken = |name: &[u8]| {
            self.waiting
                .iter()
                .any(|change| matches!(change, Change::Write { name: other, .. } if other == name))
        };
        if files.moves == Moves::Renamed && files.input != *name && !taken(&files.input) {
            changes.push(Change::Remove {
                name: files.input.clone(),
            });
        }
        changes
    }

    /// Leaves changes for later. A file that is written takes back that an earlier patch moved it
    /// away.
    fn queue(&mut self, changes: Vec<Change>) {
        for change in &changes {
            if let Change::Write { name, .. } = change {
                self.waiting.retain(
                    |other| !matches!(other, Change::Remove { name: gone } if gone == name),
                );
            }
        }
        self.waiting.extend(changes);
    }

    /// The mode that the result gets; none for a usual new file.
    fn mode(&self, patch: &FilePatch, input: &Input, reversed: bool) -> Option<u32> {
        let modes = patch.git.as_ref().map_or([None, None], |git| git.modes);
        let given = modes[usize::from(!reversed)].filter(|_| modes[0] != modes[1]);
        match (&input.found, given) {
            (_, Some(mode)) if !disk::is_link(Some(mode)) => Some(mode & 0o777),
            (Found::File { mode }, _) => Some(*mode),
            _ => None,
        }
    }

    /// Gives a file the date that the patch says.
    fn set_time(&mut self, patched: &Patched<'_>, target: &[u8]) {
        let asked = self.asked;
        let (patch, input, applied) = (patched.patch, patched.input, patched.applied);
        let zone = match asked.times {
            Some(Times::Universal) => Zone::from_text("UTC"),
            _ => Zone::from_environment(),
        };
        let date = |side: bool| {
            let text = &patch.dates[usize::from(side)];
            let now = Moment {
                seconds: 0,
                nanoseconds: 0,
            };
            codepod_datetime::parse(text, now, &zone)
                .filter(|_| !text.is_empty() && text != b"/dev/null")
        };
        let Some(new) = date(!applied.reversed) else {
            return;
        };
        let name = shown(target);
        let old = date(applied.reversed);
        let matches = input.found == Found::Nothing
            || old.is_none_or(|old| {
                input
                    .modified
                    .is_none_or(|time| seconds(time) == old.seconds)
            });
        let why: &[u8] = match (asked.force, matches, applied.rejected.is_empty()) {
            (true, ..) | (_, true, true) => {
                let since = Duration::new(u64::try_from(new.seconds).unwrap_or(0), new.nanoseconds);
                let file = std::fs::File::options().write(true).open(path(target));
                // A file whose date cannot be set is patched all the same.
                let _ = file.and_then(|file| file.set_modified(UNIX_EPOCH + since));
                return;
            }
            (_, false, _) => b" (time mismatch)",
            _ => b" (contents mismatch)",
        };
        self.say
            .loud(&[b"Not setting time of file ", &name[..], why].concat());
    }

    /// Keeps hunks that did not work, and says how many there are.
    fn report_rejects(
        &mut self,
        patch: &FilePatch,
        files: &Files,
        applied: &Applied,
        keeps: bool,
    ) -> Result<(), Fatal> {
        let asked = self.asked;
        let count = patch.hunks.len();
        if count == 0 {
            return Ok(());
        }
        let noun = if count == 1 { "hunk" } else { "hunks" };
        let verb = if applied.skipped { "ignored" } else { "FAILED" };
        let mut message =
            format!("{} out of {count} {noun} {verb}", applied.rejected.len()).into_bytes();
        let text = rejects::text(
            patch,
            &applied.rejected,
            applied.reversed,
            asked.unified_rejects,
        );
        if keeps && !asked.dry_run && asked.rejects.as_deref() != Some(b"-") {
            let output = asked.output.as_ref().unwrap_or(&files.output);
            let target = asked
                .rejects
                .clone()
                .unwrap_or_else(|| [&output[..], b".rej"].concat());
            let mut all = Vec::new();
            if self.written.contains(&target) {
                all = std::fs::read(path(&target)).unwrap_or_default();
            } else {
                // One of an earlier run goes, with its mode; mostly there is none.
                let _ = std::fs::remove_file(path(&target));
            }
            self.written.push(target.clone());
            all.extend_from_slice(&text);
            if let Err(error) = std::fs::write(path(&target), all) {
                return cannot(b"Can't create file ", &target, &error);
            }
            message
                .extend_from_slice(&[b" -- saving rejects to file ", &shown(&target)[..]].concat());
        }
        self.say.loud(&message);
        Ok(())
    }

    /// Says that there is no file to patch.
    fn no_file(&mut self, patch: &FilePatch) {
        let asked = self.asked;
        let say = &mut self.say;
        say.loud(format!("can't find file to patch at input line {}", patch.line).as_bytes());
        if patch.kind != Kind::Normal {
            say.loud(match asked.strip {
                None => b"Perhaps you should have used the -p or --strip option?",
                Some(_) => b"Perhaps you used the wrong -p or --strip option?",
            });
        }
        self.leading(patch);
        let say = &mut self.say;
        if asked.force || asked.batch {
            say.loud(b"No file to patch.  Skipping patch.");
        } else {
            say.loud(b"File to patch: ");
            say.loud(b"Skip this patch? [y] ");
            say.loud(b"Skipping patch.");
        }
        let count = patch.hunks.len();
        if count > 0 {
            let noun = if count == 1 { "hunk" } else { "hunks" };
            say.loud(format!("{count} out of {count} {noun} ignored").as_bytes());
        }
    }
}

fn seconds(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs().cast_signed())
}

/// What is said where a patch would make or remove a file that is there or not.
fn doubt(patch: &FilePatch, input: &Input, name: &[u8], reverse: bool) -> Option<Vec<u8>> {
    let (nonexistent, empty) = (input.found == Found::Nothing, input.text.is_empty());
    let says = |side: bool| patch.missing[usize::from(side)];
    if u8::from(!empty) >= says(reverse ^ empty) {
        return None;
    }
    // An empty file may be made and removed where that is known.
    if empty && says(reverse ^ nonexistent) == 1 && says(!reverse ^ nonexistent) == 2 {
        return None;
    }
    let when: &[u8] = if reverse { b", when reversed," } else { b"" };
    let (would, is): (&[u8], &[u8]) = match (nonexistent, empty) {
        (true, _) => (b"delete", b"does not exist"),
        (false, true) => (b"empty out", b"is already empty"),
        (false, false) => (b"create", b"already exists"),
    };
    let name = shown(name);
    Some(
        [
            b"The next patch",
            when,
            b" would ",
            would,
            b" the file ",
            &name,
            b",\nwhich ",
            is,
            b"!",
        ]
        .concat(),
    )
}
