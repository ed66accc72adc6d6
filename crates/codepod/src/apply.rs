//! Applying what a sandbox has changed in overlays to the host's directories: planned whole, and
//! then written so that all of it is there or nothing, unless parts are asked for.
//!
//! `apply/plan.rs` decides about files and `apply/repository.rs` about repositories of git;
//! `codepod-vfs` writes each file in one step, and only over what was expected there
//! ([decision 31](../../../docs/adr/0031-apply-is-planned-and-whole.md)).

mod plan;
mod repository;

use codepod_abi::Errno;
use codepod_vfs::{Caller, Change, HandedDown, MountId, Step, Vfs};

use self::plan::{Left, Plan, Planner};
use crate::error::{Error, ErrorKind};
use crate::gitignore::Selection;
use crate::overlays::{MountChange, below, inside, overlay, told};
use crate::sandbox::Sandbox;

/// What becomes of a file that both the sandbox and the host have changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Resolve {
    /// Texts are merged by lines; where that cannot be done it is a conflict.
    #[default]
    Merge,
    /// As [`Resolve::Merge`], and where both have changed the same lines, or what is no text, the
    /// host's stay. The sandbox's are lost.
    Ours,
    /// As [`Resolve::Merge`], and where both have changed the same lines, or what is no text, the
    /// sandbox's are taken. The host's are lost.
    Theirs,
    /// The sandbox's version is taken, of whole files and of repositories of git. What the host has
    /// done to them since is lost.
    Force,
}

/// How changes are applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApplyOptions {
    /// Which changes.
    pub selection: Selection,
    /// Guarded paths, too: files that programs of the host run or obey.
    pub guarded: bool,
    /// What can be applied, even if something else cannot. A repository of git is whole all the
    /// same.
    pub partial: bool,
    /// What becomes of files that both sides have changed.
    pub resolve: Resolve,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What became of the changes that the host wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// Whether anything was written: not in a dry run, and not if something was refused and parts
    /// were not asked for.
    pub done: bool,
    /// What the host has now; in a dry run, what it would have.
    pub applied: Vec<MountChange>,
    /// Paths among them that hold what both sides have changed.
    pub merged: Vec<Vec<u8>>,
    /// What it has not, and stays in the sandbox.
    pub refused: Vec<Refused>,
    /// What is lost by that, or would be.
    pub lost: Vec<Lost>,
    /// How many changes were left out because they are ignored or excluded.
    pub ignored: u64,
}

/// A change that was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The path in the sandbox, absolute; that of `.git` for a repository.
    pub path: Vec<u8>,
    /// How it differs from the host's.
    pub kind: codepod_vfs::ChangeKind,
    /// [`Errno::Stale`]: the host's file has changed since the sandbox saw it. [`Errno::Perm`]: it
    /// is guarded, or a link that leads out of the directory. Anything else: why it failed.
    pub why: Errno,
    /// Why, in words.
    pub reason: String,
    /// Whether [`ApplyOptions::guarded`] would apply it.
    pub guarded: bool,
    /// Where it leads, if it is a symbolic link.
    pub target: Option<Vec<u8>>,
}

/// What the resolution of a conflict loses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost {
    /// The path in the sandbox, absolute.
    pub path: Vec<u8>,
    /// What of it.
    pub what: String,
}

/// Why a change is not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Reason {
    /// The host has changed it, and the two cannot be merged.
    Stale,
    /// Both sides have changed the same lines, in so many places.
    Conflict { places: usize },
    /// It is guarded, or leads out.
    Refused,
    /// The repository has changed on the host.
    Repository { changed: String },
    /// A git of the host is at work in the repository.
    Locked(String),
    /// Only a part of a repository was chosen.
    PartOfRepository,
    /// What the host's file system said.
    Failed,
}

impl Sandbox {
    /// Makes the host's directory that is mounted at `at` as the sandbox has it: at these paths and
    /// below them, or everywhere when there are none. Paths are the sandbox's, absolute.
    ///
    /// All is applied, or nothing: a change that is refused is told, and then nothing is written.
    /// [`Self::apply_with`] says what is refused. Busy while processes run. It cannot be undone.
    pub fn apply<P: AsRef<[u8]>>(
        &self,
        at: &str,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Applied, Error> {
        self.apply_with(at, paths, &ApplyOptions::default())
    }

    /// Applies changes as [`Self::apply`] does, as the options say.
    ///
    /// A text that has changed on the host since the sandbox saw it is merged by lines. Refused
    /// are: what cannot be merged; a repository of git whose references or staged files have
    /// changed on the host; guarded paths; links that lead out of the directory. What `.gitignore`
    /// names is left out and counted.
    pub fn apply_with<P: AsRef<[u8]>>(
        &self,
        at: &str,
        paths: impl IntoIterator<Item = P>,
        options: &ApplyOptions,
    ) -> Result<Applied, Error> {
        let paths = paths.into_iter().map(|path| path.as_ref().to_vec());
        let mut applied = self.apply_all(&[(at, paths.collect())], options)?;
        Ok(applied.pop().unwrap_or_default())
    }

    /// Applies changes of several overlays as [`Self::apply_with`] does: all of all of them, or
    /// nothing.
    pub fn apply_all(
        &self,
        mounts: &[(&str, Vec<Vec<u8>>)],
        options: &ApplyOptions,
    ) -> Result<Vec<Applied>, Error> {
        let mut chosen = Vec::new();
        for (at, paths) in mounts {
            let inner: Result<Vec<_>, _> = paths.iter().map(|path| inside(at, path)).collect();
            chosen.push((*at, inner?));
        }
        self.inner.shells.cool();
        let mut kernel = self.kernel()?;
        let processes = kernel.process_count();
        if processes > 0 {
            return Err(ErrorKind::Busy { processes }.into());
        }
        let (vfs, caller) = kernel.files();
        let mut works = Vec::new();
        for (at, paths) in &chosen {
            let mount = overlay(vfs, at)?;
            let planner = Planner {
                vfs: &mut *vfs,
                caller: &caller,
                at,
                mount,
                options,
                plan: Plan::default(),
            };
            let plan = planner.make(paths)?;
            works.push(Work::new(vfs, &caller, (at, mount), plan, options));
        }
        let blocked = works.iter().any(|work| !work.applied.refused.is_empty());
        if !options.dry_run && (options.partial || !blocked) {
            match options.partial {
                true => carry_out_parts(vfs, &caller, &mut works)?,
                false => carry_out_whole(vfs, &caller, &mut works)?,
            }
        }
        drop(kernel);
        for work in works.iter().filter(|work| work.applied.done) {
            self.tell_applied(work.at, &work.applied);
        }
        Ok(works
            .into_iter()
            .map(|work| work.outcome(options))
            .collect())
    }
}

/// What is to be done at one mount, and what became of it.
struct Work<'a> {
    at: &'a str,
    mount: MountId,
    /// Parts that are done whole or not at all; the first is everything that is in no repository.
    parts: Vec<Vec<Step>>,
    kept: Vec<Change>,
    applied: Applied,
    guarded: bool,
}

impl<'a> Work<'a> {
    fn new(
        vfs: &mut Vfs,
        caller: &Caller<'_>,
        (at, mount): (&'a str, MountId),
        plan: Plan,
        options: &ApplyOptions,
    ) -> Work<'a> {
        let mut parts = vec![plan.steps];
        parts.extend(plan.repositories);
        let steps = parts.iter().flatten();
        let mut applied = Applied {
            merged: plan.merged,
            lost: plan.lost,
            ignored: plan.ignored,
            ..Applied::default()
        };
        for step in steps {
            applied
                .applied
                .push(told(vfs, caller, (at, mount), &step.change));
        }
        applied.applied.sort_by(|a, b| a.path.cmp(&b.path));
        let mut work = Work {
            at,
            mount,
            parts,
            kept: plan.kept,
            applied,
            guarded: options.guarded,
        };
        for left in plan.left {
            work.refuse(vfs, caller, left);
        }
        work
    }

    fn refuse(&mut self, vfs: &mut Vfs, caller: &Caller<'_>, left: Left) {
        let told = told(vfs, caller, (self.at, self.mount), &left.change);
        let guarded = told.guarded && !self.guarded && left.why == Errno::Perm;
        self.applied.refused.push(Refused {
            reason: left.reason.words(left.why, guarded, told.target.as_deref()),
            path: told.path,
            kind: told.kind,
            why: left.why,
            guarded,
            target: told.target,
        });
    }

    /// What became of it. If nothing was written, nothing was applied or lost either.
    fn outcome(self, options: &ApplyOptions) -> Applied {
        let mut applied = self.applied;
        if !applied.done && !options.dry_run {
            applied.applied.clear();
            applied.merged.clear();
            applied.lost.clear();
        }
        applied.refused.sort_by(|a, b| a.path.cmp(&b.path));
        applied
    }

    /// Takes what could not be done out of what was, and tells it.
    fn failed(&mut self, vfs: &mut Vfs, caller: &Caller<'_>, outcome: &[HandedDown]) {
        for (change, result) in outcome {
            let Err(why) = result else { continue };
            let path = below(self.at, &change.path);
            self.applied.applied.retain(|applied| applied.path != path);
            let reason = match why {
                Errno::Stale => Reason::Stale,
                _ => Reason::Failed,
            };
            let left = Left {
                change: change.clone(),
                why: *why,
                reason,
            };
            self.refuse(vfs, caller, left);
        }
    }

    /// Gives up what the host's version stays of.
    fn drop_kept(&self, vfs: &mut Vfs, caller: &Caller<'_>) -> Result<(), Error> {
        let paths: Vec<Vec<u8>> = self.kept.iter().map(|change| change.path.clone()).collect();
        if !paths.is_empty() {
            vfs.drop_changes(caller, self.mount, &paths)
                .map_err(|errno| Error::file(self.at, errno))?;
        }
        Ok(())
    }
}

/// Applies everything; if one change fails, those before it are taken back.
fn carry_out_whole(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    works: &mut [Work<'_>],
) -> Result<(), Error> {
    let mut begun = 0;
    let mut failed = false;
    for work in &mut *works {
        let failure = |errno| Error::file(work.at, errno);
        vfs.begin_handing_down(work.mount).map_err(failure)?;
        begun += 1;
        let steps = std::mem::take(&mut work.parts).concat();
        let outcome = vfs.hand_down_steps(caller, work.mount, &steps);
        let outcome = outcome.unwrap_or_else(|errno| {
            let all = steps.into_iter();
            all.map(|step| (step.change, Err(errno))).collect()
        });
        failed = outcome.iter().any(|(_, result)| result.is_err());
        work.failed(vfs, caller, &outcome);
        if failed {
            break;
        }
    }
    let mut stuck = None;
    for work in works[..begun].iter_mut().rev() {
        let left = vfs.end_handing_down(work.mount, !failed);
        let left = left.map_err(|errno| Error::file(work.at, errno))?;
        stuck = stuck.or(left.first().map(|path| below(work.at, path)));
        work.applied.done = !failed;
        if !failed {
            work.drop_kept(vfs, caller)?;
        }
    }
    match stuck {
        None => Ok(()),
        Some(path) => {
            let path = String::from_utf8_lossy(&path).into_owned();
            Err(ErrorKind::PartlyApplied { path }.into())
        }
    }
}

/// Applies what can be applied: each file by itself, and each repository whole.
fn carry_out_parts(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    works: &mut [Work<'_>],
) -> Result<(), Error> {
    for work in works {
        let at = work.at;
        let failure = |errno| Error::file(at, errno);
        for (n, steps) in std::mem::take(&mut work.parts).into_iter().enumerate() {
            let whole = n > 0;
            if whole {
                vfs.begin_handing_down(work.mount).map_err(failure)?;
            }
            let outcome = vfs
                .hand_down_steps(caller, work.mount, &steps)
                .map_err(failure)?;
            let failed = outcome.iter().any(|(_, result)| result.is_err());
            if whole {
                vfs.end_handing_down(work.mount, !failed).map_err(failure)?;
            }
            if whole && failed {
                let paths = steps.iter().map(|step| below(work.at, &step.change.path));
                let paths: Vec<_> = paths.collect();
                work.applied
                    .applied
                    .retain(|applied| !paths.contains(&applied.path));
            }
            work.failed(vfs, caller, &outcome);
        }
        work.applied.done = true;
        work.drop_kept(vfs, caller)?;
    }
    Ok(())
}

impl Reason {
    /// It in words.
    fn words(&self, why: Errno, guarded: bool, target: Option<&[u8]>) -> String {
        match self {
            Reason::Stale => "it has changed on the host since the sandbox saw it, and the two \
                              cannot be merged"
                .to_owned(),
            Reason::Conflict { places: 1 } => {
                "the sandbox and the host have changed the same lines".to_owned()
            }
            Reason::Conflict { places } => {
                format!("the sandbox and the host have changed the same lines in {places} places")
            }
            Reason::Refused if guarded => "it is guarded: programs of the host run or obey \
                                           it"
            .to_owned(),
            Reason::Refused => match target {
                Some(target) => {
                    let target = crate::visible::visible_line(target);
                    format!("it leads out of the directory, to {target}")
                }
                None => why.to_string(),
            },
            Reason::Repository { changed } => {
                format!(
                    "the repository has changed on the host since the sandbox saw it: {changed}"
                )
            }
            Reason::Locked(lock) => {
                format!("a git of the host is at work in the repository: it has a {lock}")
            }
            Reason::PartOfRepository => {
                "a repository is applied as a whole: name `.git` itself, or leave it out".to_owned()
            }
            Reason::Failed => why.to_string(),
        }
    }
}
