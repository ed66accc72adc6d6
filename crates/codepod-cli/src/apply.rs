//! `codepod apply NAME [PATH…]`: what a kept state has changed in host directories under an
//! overlay, taken over to them.

use std::io::Write as _;

use clap::Args;
use codepod::{Errno, Mount, MountAccess, MountChange, MountSource, Options, StateDirectory};

use crate::failure::Failure;
use crate::options::{parse_mount, runtime};
use crate::terminal_text::shown_path;

const EXAMPLES: &str = "\
Examples:
  codepod run --state fix --mount .:/work:overlay 'sed -i s/old/new/ /work/*.txt'
  codepod changes --diff fix               look at it
  codepod apply --dry-run fix              what would be done to the host
  codepod apply fix /work/a.txt            one file of it
  codepod apply fix                        all of it
  codepod apply --allow-guarded fix        guarded paths, too
  codepod apply --discard fix /work/b.txt  drop it instead: the host's file shows through again

Directories are mounted where the state had them last; `--mount` names another place for one.
A file that has changed on the host since the state saw it is left alone, and the status is 1.
A `!` marks guarded paths, which programs of the host run or obey: git's hooks and settings,
.envrc, settings of editors, agents and shells. They are left alone unless they are allowed.
Links that lead out of the directory are never applied.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Apply {
    /// Dry run: only show what would be done
    #[arg(long)]
    dry_run: bool,
    /// Drop the changes instead of applying them
    #[arg(long, conflicts_with = "dry_run")]
    discard: bool,
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

impl Apply {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let states = StateDirectory::of_user()?;
        // It must be there: waking would begin a new one.
        states.look(&self.name)?;
        let mut options = Options::default();
        options.mounts = self.mounts;
        let runtime = runtime(&options)?;
        let kept = states.wake(&runtime, &self.name, options)?;
        let sandbox = kept.sandbox();
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
        let mut out = std::io::stdout().lock();
        let mut refused = 0;
        for at in places {
            let paths: Vec<&String> = self.paths.iter().filter(|path| below(path, at)).collect();
            if paths.is_empty() && !self.paths.is_empty() {
                continue;
            }
            if self.dry_run {
                for change in sandbox.mount_changes(at)? {
                    let text = String::from_utf8_lossy(&change.path);
                    if paths.is_empty() || paths.iter().any(|path| below(&text, path)) {
                        let _ = writeln!(out, "{}", line(&change));
                    }
                }
                continue;
            }
            if self.discard {
                for change in sandbox.discard(at, &paths)? {
                    let _ = writeln!(out, "{} {}", change.letter(), shown_path(&change.path));
                }
                continue;
            }
            let applied = match self.allow_guarded {
                true => sandbox.apply_guarded(at, &paths)?,
                false => sandbox.apply(at, &paths)?,
            };
            for change in &applied.applied {
                let _ = writeln!(out, "{}", line(change));
            }
            for change in &applied.refused {
                refused += 1;
                let why = match (change.why, &change.target) {
                    (Errno::Stale, _) => {
                        "it has changed on the host since the sandbox saw it".to_owned()
                    }
                    (Errno::Perm, _) if change.guarded => {
                        "it is guarded: `--allow-guarded` applies it".to_owned()
                    }
                    (Errno::Perm, Some(target)) => {
                        format!("it leads out of the directory, to {}", shown_path(target))
                    }
                    (errno, _) => errno.to_string(),
                };
                let _ = writeln!(
                    std::io::stderr(),
                    "codepod: {} was left alone: {why}",
                    shown_path(&change.path)
                );
            }
        }
        kept.save()?;
        Ok(u8::from(refused > 0))
    }
}

/// A change as it is shown: its letter, a mark if it is guarded, its path and where it leads.
fn line(change: &MountChange) -> String {
    let mark = if change.guarded { "!" } else { "" };
    let path = shown_path(&change.path);
    match &change.target {
        Some(target) => format!("{}{mark} {path} -> {}", change.letter(), shown_path(target)),
        None => format!("{}{mark} {path}", change.letter()),
    }
}
