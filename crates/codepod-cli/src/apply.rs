//! `codepod apply NAME [PATH…]`: what a saved state has changed in host directories under an
//! overlay, taken over to them.

use std::io::Write as _;

use clap::Args;
use codepod::{
    Applied, ApplyOptions, Errno, Mount, MountAccess, MountSource, Options, Refused, Resolve,
    Sandbox, Selection, StateDirectory,
};

use crate::failure::Failure;
use crate::listing::{self, Line};
use crate::options::{parse_mount, runtime};
use crate::terminal_text::{shown, shown_path};

const EXAMPLES: &str = "\
Examples:
  codepod run --state fix --mount .:/work:overlay 'sed -i s/old/new/ /work/*.txt'
  codepod changes --diff fix               look at it
  codepod apply --dry-run fix              what would be done to the host
  codepod apply fix /work/a.txt            one file of it
  codepod apply fix                        all of it
  codepod apply --exclude '*.log' fix      all but some
  codepod apply --discard fix /work/b.txt  drop it instead: the host's file shows through again

All is applied, or nothing: if something cannot be, it is listed, nothing is written, and the
status is 1. `--partial` applies the rest. What .gitignore names is left out, unless `--all`.

Text that has changed on the host since the state saw it is merged by lines. Where both have
changed the same lines, or what is no text, it is a conflict:
  --ours    keeps the host's; the sandbox's edits there are lost
  --theirs  takes the sandbox's; the host's edits there are lost
  --force   takes the sandbox's files and .git whole; all that the host did to them is lost
.git is applied as a whole, and only if the host has done no more than refresh its index.

Directories are mounted where the state had them last; `--mount` names another place for one.
A `!` marks guarded paths, which programs of the host run or obey: git's hooks and settings,
.envrc, settings of editors, agents and shells. They are refused unless `--allow-guarded`.
Links that lead out of the directory are never applied.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Apply {
    /// Dry run: only show what would be done
    #[arg(long)]
    dry_run: bool,
    /// Drop the changes instead of applying them
    #[arg(long, conflicts_with_all = ["dry_run", "partial", "all", "exclude"])]
    discard: bool,
    /// Apply what can be applied, even if something else cannot
    #[arg(long)]
    partial: bool,
    /// In a conflict keep the host's lines; the sandbox's are lost
    #[arg(long, conflicts_with_all = ["theirs", "force", "discard"])]
    ours: bool,
    /// In a conflict take the sandbox's lines; the host's are lost
    #[arg(long, conflicts_with_all = ["force", "discard"])]
    theirs: bool,
    /// Take the sandbox's files and .git whole; what the host has done to them since is lost
    #[arg(long, conflicts_with = "discard")]
    force: bool,
    /// Also apply what .gitignore names, and list every path
    #[arg(long)]
    all: bool,
    /// Leave out what a pattern names, written as in .gitignore; may be repeated
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Also apply guarded paths: files that host programs execute or read as configuration
    #[arg(long, conflicts_with = "discard")]
    allow_guarded: bool,
    /// A host directory that has moved since the state was saved: HOST:GUEST:overlay
    #[arg(short, long = "mount", value_name = "HOST:GUEST:overlay", value_parser = parse_mount)]
    mounts: Vec<Mount>,
    /// The state
    name: String,
    /// Paths in the sandbox, with everything below them; all changes if missing
    paths: Vec<String>,
}

/// An overlay, and the paths in it that were named.
type Chosen<'a> = (&'a str, Vec<Vec<u8>>);

impl Apply {
    pub(crate) fn run(mut self) -> Result<u8, Failure> {
        let states = StateDirectory::of_user()?;
        // It must be there: waking would begin a new one.
        states.look(&self.name)?;
        let mut options = Options::default();
        options.mounts = std::mem::take(&mut self.mounts);
        let runtime = runtime(&options)?;
        let kept = states.wake(&runtime, &self.name, options)?;
        let sandbox = kept.sandbox();
        let chosen = self.chosen(sandbox)?;
        let status = match self.discard {
            true => discard(sandbox, &chosen)?,
            false => self.apply(sandbox, &chosen)?,
        };
        if !self.dry_run {
            kept.save()?;
        }
        Ok(status)
    }

    /// The overlays that have something to do, each with the paths that were named.
    fn chosen<'s>(&self, sandbox: &'s Sandbox) -> Result<Vec<Chosen<'s>>, Failure> {
        let overlay =
            |mount: &&Mount| matches!(mount.source, MountSource::Host(_, MountAccess::Overlay));
        let mounts = sandbox.options().mounts.iter().filter(overlay);
        let places: Vec<&str> = mounts.map(|mount| &*mount.at).collect();
        if places.is_empty() {
            return Err(Failure::new(
                format!("the state `{}` has no overlay to apply", self.name),
                "mount a directory as one: `codepod run --state NAME --mount HOST:GUEST:overlay …`",
            ));
        }
        let below = |path: &str, at: &str| {
            let rest = path.strip_prefix(at.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        for path in &self.paths {
            if !places.iter().any(|at| below(path, at)) {
                return Err(Failure::new(
                    format!("`{path}` is not in an overlay of the state"),
                    format!("paths are the sandbox's, below {}", places.join(" or ")),
                ));
            }
        }
        let chosen = places.into_iter().map(|at| {
            let paths = self.paths.iter().filter(|path| below(path, at));
            (at, paths.map(|path| path.as_bytes().to_vec()).collect())
        });
        let named = |(_, paths): &Chosen<'_>| self.paths.is_empty() || !paths.is_empty();
        Ok(chosen.filter(named).collect())
    }

    fn apply(&self, sandbox: &Sandbox, chosen: &[Chosen<'_>]) -> Result<u8, Failure> {
        let mut options = ApplyOptions::default();
        options.selection = Selection::new(self.all, self.exclude.clone());
        options.guarded = self.allow_guarded;
        options.partial = self.partial;
        options.dry_run = self.dry_run;
        options.resolve = match (self.ours, self.theirs, self.force) {
            (true, ..) => Resolve::Ours,
            (_, true, _) => Resolve::Theirs,
            (_, _, true) => Resolve::Force,
            _ => Resolve::Merge,
        };
        let applied = sandbox.apply_all(chosen, &options)?;
        let mut out = std::io::stdout().lock();
        for applied in &applied {
            let changes = applied.applied.iter();
            if applied.done || self.dry_run {
                let lines: Vec<Line<'_>> = changes.map(Line::from).collect();
                let _ = listing::write(&folded(lines, self.all), self.all, &mut out);
            }
        }
        let _ = out.flush();
        Ok(self.tell(&applied))
    }

    /// Says what was refused, merged, lost and left out; the exit status.
    fn tell(&self, applied: &[Applied]) -> u8 {
        let mut err = std::io::stderr().lock();
        let done = applied.iter().any(|applied| applied.done);
        for path in applied.iter().flat_map(|applied| &applied.merged) {
            let _ = writeln!(
                err,
                "codepod: {} was merged with the host's",
                shown_path(path)
            );
        }
        let verb = if done { "lost" } else { "would be lost" };
        for lost in applied.iter().flat_map(|applied| &applied.lost) {
            let path = shown_path(&lost.path);
            let _ = writeln!(err, "codepod: {path}: {verb}: {}", shown(&lost.what));
        }
        let refused: Vec<&Refused> = applied.iter().flat_map(|all| &all.refused).collect();
        for refused in &refused {
            let path = shown_path(&refused.path);
            let _ = writeln!(
                err,
                "codepod: {path} was left alone: {}",
                shown(&refused.reason)
            );
        }
        listing::tell_ignored(applied.iter().map(|applied| applied.ignored).sum());
        if refused.is_empty() {
            return 0;
        }
        if !done && !self.dry_run {
            let _ = writeln!(err, "codepod: nothing was applied");
        }
        let _ = writeln!(err, "hint: {}", self.hint(&refused));
        1
    }

    /// The commands that go on from here.
    fn hint(&self, refused: &[&Refused]) -> String {
        let name = &self.name;
        let mut ways = Vec::new();
        if refused.iter().any(|refused| refused.guarded) {
            ways.push(format!(
                "`codepod apply --allow-guarded {name}` applies guarded paths"
            ));
        }
        if refused.iter().any(|refused| refused.why == Errno::Stale) {
            let git = |refused: &&&Refused| refused.path.ends_with(b"/.git");
            ways.push(match refused.iter().find(git) {
                Some(_) => format!(
                    "`codepod apply --ours {name}` takes the files and leaves the host's .git, \
                     `--force` makes .git the sandbox's and loses what the host did there"
                ),
                None => format!(
                    "`codepod apply --theirs {name}` takes the sandbox's edits where both have \
                     changed something, `--ours` keeps the host's"
                ),
            });
        }
        if !self.partial {
            ways.push(format!("`codepod apply --partial {name}` applies the rest"));
        }
        if ways.is_empty() {
            return format!("`codepod apply --discard {name} PATH` drops a change");
        }
        ways.join("; ")
    }
}

/// Lines with all that is in a `.git` as one of them, unless all are wanted.
fn folded(lines: Vec<Line<'_>>, all: bool) -> Vec<Line<'_>> {
    let mut shown: Vec<Line<'_>> = Vec::new();
    for line in lines {
        let path = line.path;
        let end = match path.windows(6).position(|name| name == b"/.git/") {
            Some(at) if !all && !line.guarded => at + 5,
            _ => {
                shown.push(line);
                continue;
            }
        };
        match shown.iter_mut().find(|line| line.path == &path[..end]) {
            Some(git) => git.inside += 1,
            None => shown.push(Line {
                letter: 'M',
                guarded: false,
                path: &path[..end],
                target: None,
                inside: 1,
            }),
        }
    }
    shown
}

fn discard(sandbox: &Sandbox, chosen: &[Chosen<'_>]) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    for (at, paths) in chosen {
        for change in sandbox.discard(at, paths)? {
            let _ = writeln!(out, "{} {}", change.letter(), shown_path(&change.path));
        }
    }
    Ok(0)
}
