//! Host directories under an overlay: what the sandbox has changed in them, listed or dropped.
//! `apply.rs` hands it over to the host.

use codepod_abi::Errno;
use codepod_vfs::{Caller, Change, ChangeKind, FileKind, MountId, Vfs};

use crate::apply::Applied;
use crate::changes::folded_git;
use crate::error::{Error, ErrorKind};
use crate::events::Event;
use crate::files::rest_below;
use crate::gitignore::{Ignore, Selection};
use crate::sandbox::Sandbox;

/// A path of a mounted directory that the sandbox has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MountChange {
    /// The path in the sandbox, absolute.
    pub path: Vec<u8>,
    /// How it differs from the host's.
    pub kind: ChangeKind,
    /// Whether the host has to allow it by name: programs of the host run or obey such a file.
    pub guarded: bool,
    /// Where it leads, if it is a symbolic link now.
    pub target: Option<Vec<u8>>,
    /// How many changed paths lie in it and are not listed: of `.git`, unless all are asked for.
    pub inside: u64,
}

impl MountChange {
    /// Its letter, as [`PathChange::letter`](crate::PathChange::letter) has them.
    pub fn letter(&self) -> char {
        crate::changes::letter(self.kind)
    }
}

/// What the sandbox has changed in a mounted directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MountChanges {
    /// The paths, sorted.
    pub changes: Vec<MountChange>,
    /// How many were left out because they are ignored or excluded.
    pub ignored: u64,
}

impl Sandbox {
    /// What the sandbox has changed in the overlay that is mounted at a path, beside the host's
    /// files as they are now: as far as it is selected, and `.git` as one path.
    pub fn mount_changes(&self, at: &str, selection: &Selection) -> Result<MountChanges, Error> {
        let mut kernel = self.kernel()?;
        let (vfs, caller) = kernel.files();
        let mount = overlay(vfs, at)?;
        let changes = vfs.overlay_changes(&caller, mount);
        let changes = changes.map_err(|errno| Error::file(at, errno))?;
        let listed = changes.iter().map(|change| {
            let is_directory = change.file == FileKind::Directory;
            (below(at, &change.path), change.kind, is_directory)
        });
        let listed: Vec<_> = listed.collect();
        let mut earlier = |vfs: &mut Vfs, path: &[u8]| {
            let inner = rest_below(at, path)?.strip_prefix(b"/")?;
            vfs.lower_content(&caller, mount, inner, crate::git_index::LARGEST)
                .ok()?
        };
        let ignored = Ignore::new(vfs, &mut earlier, selection)?.all_of(&listed);
        let mut told_changes = Vec::new();
        for (change, _) in changes
            .iter()
            .zip(&ignored)
            .filter(|(_, ignored)| !**ignored)
        {
            told_changes.push(told(vfs, &caller, (at, mount), change));
        }
        if !selection.all {
            told_changes = folded_git(told_changes, |path| MountChange {
                path,
                kind: ChangeKind::Modified,
                guarded: false,
                target: None,
                inside: 0,
            });
        }
        Ok(MountChanges {
            changes: told_changes,
            ignored: ignored.iter().filter(|ignored| **ignored).count() as u64,
        })
    }

    /// Hands everything down that a fork has changed, without an event; why the first change that
    /// was not is not.
    pub(crate) fn hand_down(&self, at: &str) -> Result<(Applied, Option<Error>), Error> {
        self.on_overlay(at, [""; 0], |vfs, caller, mount, _| {
            let (mut applied, mut failed) = (Applied::default(), None);
            for (change, result) in vfs.hand_down(caller, mount, &[], false)? {
                let told = told(vfs, caller, (at, mount), &change);
                failed = failed.or(match result {
                    Ok(()) => None,
                    Err(Errno::Stale) => Some(ErrorKind::Changed.into()),
                    Err(why) => Some(Error::file(&told.path, why)),
                });
                applied.applied.push(told);
            }
            Ok((applied, failed))
        })
    }

    pub(crate) fn tell_applied(&self, at: &str, applied: &Applied) {
        self.tell(|sandbox| Event::Applied {
            sandbox,
            at: at.to_owned(),
            applied: applied.applied.len(),
            refused: applied.refused.len(),
        });
    }

    /// From here on, what applying replaces on the host is kept beside it, so that it can be taken
    /// back.
    pub(crate) fn begin_applying(&self, at: &str) -> Result<(), Error> {
        let mut kernel = self.kernel()?;
        let vfs = kernel.files().0;
        let mount = overlay(vfs, at)?;
        let begun = vfs.begin_handing_down(mount);
        begun.map_err(|errno| Error::file(at, errno))
    }

    /// Ends that: what was applied stays, or is taken back; the sandbox's paths at which the host
    /// would not have it.
    pub(crate) fn end_applying(&self, at: &str, keep: bool) -> Result<Vec<Vec<u8>>, Error> {
        let mut kernel = self.kernel()?;
        let vfs = kernel.files().0;
        let mount = overlay(vfs, at)?;
        let stuck = vfs.end_handing_down(mount, keep);
        let stuck = stuck.map_err(|errno| Error::file(at, errno))?;
        Ok(stuck.iter().map(|path| below(at, path)).collect())
    }

    /// Whether nobody has changed on the host what applying would overwrite.
    pub(crate) fn can_apply(&self, at: &str) -> Result<bool, Error> {
        let mut kernel = self.kernel()?;
        let (vfs, caller) = kernel.files();
        let mount = overlay(vfs, at)?;
        let stale = vfs.stale_changes(&caller, mount);
        Ok(stale.map_err(|errno| Error::file(at, errno))?.is_empty())
    }

    /// Drops what the sandbox has changed in the overlay at `at`: at these paths and below them, or
    /// everywhere when there are none; the host's files show through again. Busy while
    /// processes run.
    pub fn discard<P: AsRef<[u8]>>(
        &self,
        at: &str,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Vec<MountChange>, Error> {
        self.on_overlay(at, paths, |vfs, caller, mount, paths| {
            let dropped = vfs.drop_changes(caller, mount, paths)?;
            let dropped = dropped.iter();
            Ok(dropped
                .map(|change| told(vfs, caller, (at, mount), change))
                .collect())
        })
    }

    fn on_overlay<P: AsRef<[u8]>, R>(
        &self,
        at: &str,
        paths: impl IntoIterator<Item = P>,
        action: impl FnOnce(&mut Vfs, &Caller<'_>, MountId, &[Vec<u8>]) -> Result<R, Errno>,
    ) -> Result<R, Error> {
        let mut inner = Vec::new();
        for path in paths {
            inner.push(inside(at, path.as_ref())?);
        }
        self.inner.shells.cool();
        let mut kernel = self.kernel()?;
        let processes = kernel.process_count();
        if processes > 0 {
            return Err(ErrorKind::Busy { processes }.into());
        }
        let (vfs, caller) = kernel.files();
        let mount = overlay(vfs, at)?;
        action(vfs, &caller, mount, &inner).map_err(|errno| Error::file(at, errno))
    }
}

/// The overlay that is mounted at a path.
pub(crate) fn overlay(vfs: &Vfs, at: &str) -> Result<MountId, Error> {
    let point = at.trim_end_matches('/').as_bytes();
    let mounts = vfs.mounts();
    let found = mounts
        .iter()
        .find(|mount| mount.point == point && mount.type_name == "overlay");
    found.map(|mount| mount.id).ok_or_else(|| {
        let why = format!("`{at}` is not the path of an overlay mount");
        ErrorKind::InvalidArgument(why).into()
    })
}

/// A path of the sandbox as one from the mount's root.
pub(crate) fn inside(at: &str, path: &[u8]) -> Result<Vec<u8>, Error> {
    let rest = rest_below(at, path).ok_or_else(|| {
        let why = format!("`{}` is not below `{at}`", String::from_utf8_lossy(path));
        ErrorKind::InvalidArgument(why)
    })?;
    let names = rest.split(|byte| *byte == b'/');
    let names: Vec<&[u8]> = names.filter(|name| !name.is_empty()).collect();
    Ok(names.join(&b'/'))
}

pub(crate) fn told(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    (at, mount): (&str, MountId),
    change: &Change,
) -> MountChange {
    let path = below(at, &change.path);
    MountChange {
        target: target(vfs, caller, &path, change),
        path,
        kind: change.kind,
        guarded: vfs.guard(mount).covers(&change.path),
        inside: 0,
    }
}

/// Where a changed link leads.
fn target(vfs: &mut Vfs, caller: &Caller<'_>, path: &[u8], change: &Change) -> Option<Vec<u8>> {
    if change.file != FileKind::Symlink || change.kind == ChangeKind::Removed {
        return None;
    }
    let top = vfs.root();
    let target = vfs.readlink(caller, top, path).ok()?;
    Some(target.to_vec())
}

/// The path in the sandbox of one from a mount's root.
pub(crate) fn below(at: &str, path: &[u8]) -> Vec<u8> {
    [at.trim_end_matches('/').as_bytes(), b"/", path].concat()
}
