//! `codepod undo NAME [COUNT]`: a saved state as it was before its last runs.

use std::io::Write as _;

use clap::Args;
use codepod::{Mount, MountAccess, MountSource, Options, StateDirectory};

use crate::changes::{list, newest};
use crate::failure::Failure;
use crate::options::runtime;

const EXAMPLES: &str = "\
Examples:
  codepod undo play              before the last run that changed files
  codepod undo play 3            before the last three
  codepod undo --dry-run play    only say what would be taken back

Variables go back with the files. The last 20 versions are kept; what is undone is gone, so
copy the state first if you want both: codepod states fork play before-undo";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Undo {
    /// Dry run: only show what would be undone
    #[arg(long)]
    dry_run: bool,
    /// The state
    name: String,
    /// Number of runs
    #[arg(default_value = "1")]
    count: usize,
}

impl Undo {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let states = StateDirectory::of_user()?;
        let state = states.look(&self.name)?;
        let have = state.versions.len().saturating_sub(1);
        if self.count > have || self.count == 0 {
            let wanted = self.count;
            return Err(codepod::ErrorKind::NothingToUndo { wanted, have }.into());
        }
        let target = state.versions[have - self.count].sequence;
        let runtime = runtime(&Options::default())?;
        let from = Some((&*self.name, newest(&state)?));
        let mut changes = states.compare(&runtime, from, (&self.name, target))?;
        if !self.dry_run {
            states.undo(&self.name, self.count)?;
        }
        let mut out = std::io::stdout().lock();
        changes.select(&codepod::Selection::default())?;
        let _ = list(&changes, &state.mounts, false, &mut out);
        if changes.is_empty() {
            tell_of_nothing(self.count, self.dry_run, &state.mounts);
        }
        Ok(u8::from(out.flush().is_err()))
    }
}

/// Says what an undo does that changes no file: it goes back to before an `apply`, for example.
fn tell_of_nothing(count: usize, dry_run: bool, mounts: &[Mount]) {
    let versions = match count {
        1 => "1 version".to_owned(),
        _ => format!("{count} versions"),
    };
    let (would, kept) = match dry_run {
        true => ("would go", "would stay"),
        false => ("went", "stay"),
    };
    let overlay = |mount: &Mount| {
        matches!(
            mount.source,
            MountSource::Host(_, MountAccess::Overlay | MountAccess::ReadWrite)
        )
    };
    let host = match mounts.iter().any(overlay) {
        true => format!("; files that `apply` wrote to the host {kept} there"),
        false => String::new(),
    };
    eprintln!("codepod: {versions} {would} back, and no file of the sandbox differs by that{host}");
}
