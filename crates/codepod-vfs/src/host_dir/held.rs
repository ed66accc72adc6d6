//! Changes that the host wanted and may want to take back: what each replaced is kept beside its
//! place until all are there.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::Arc;

use codepod_abi::Errno;
use rustix::fs::AtFlags;

use super::HostDir;
use super::errno::translate;
use super::publish::{Place, Was};
use crate::publish::Fingerprint;

/// One change that can be taken back.
#[derive(Debug)]
pub(super) struct Held {
    /// The directories above it.
    names: Vec<Arc<[u8]>>,
    name: Arc<[u8]>,
    /// What was put there; `None`: what was there is gone.
    placed: Option<Fingerprint>,
    was: Was,
}

impl Held {
    pub(super) fn new(
        names: Vec<Arc<[u8]>>,
        name: Arc<[u8]>,
        placed: Option<Fingerprint>,
        was: Was,
    ) -> Held {
        Held {
            names,
            name,
            placed,
            was,
        }
    }

    fn path(&self) -> Vec<u8> {
        let names = self.names.iter().chain([&self.name]);
        names.map(|name| &**name).collect::<Vec<_>>().join(&b'/')
    }

    /// Makes the place what it was, unless somebody has changed it: [`Errno::Stale`].
    fn take_back(&self, place: &Place<'_>, root: BorrowedFd<'_>) -> Result<(), Errno> {
        match (self.placed, &self.was) {
            (Some(placed), Was::Aside(aside)) if !placed.is_directory() => {
                place.exchange(aside, placed)?;
                place.forget(aside)
            }
            (placed, Was::Mode(mode)) => {
                let now = place.look()?;
                let ours = placed
                    .zip(now)
                    .is_some_and(|(placed, now)| placed.looks_same(&now));
                if ours {
                    place.set_mode(*mode)
                } else {
                    Err(Errno::Stale)
                }
            }
            (placed, was) => {
                if let Some(Was::Aside(ours)) =
                    placed.map(|placed| place.remove(placed)).transpose()?
                {
                    place.forget(&ours)?;
                }
                match was {
                    Was::Aside(aside) => place.move_in(aside),
                    Was::AtRoot(aside) => place.move_in_from(root, aside),
                    Was::Directory(mode) => place.make_directory(*mode, None).map(|_| ()),
                    Was::Nothing | Was::Mode(_) => Ok(()),
                }
            }
        }
    }
}

impl HostDir {
    /// Keeps what was published since it is held, or takes it back, the last first; the paths where
    /// that failed.
    pub(super) fn settle(&mut self, keep: bool) -> Vec<Vec<u8>> {
        self.listing = None;
        let mut stuck = Vec::new();
        for held in self.held.take().unwrap_or_default().iter().rev() {
            let root = self.shared.root.as_fd();
            let done = match &held.was {
                // Its directory may be gone.
                Was::AtRoot(aside) if keep => {
                    rustix::fs::unlinkat(root, &**aside, AtFlags::empty()).map_err(translate)
                }
                was => self.walk_names(&held.names).and_then(|dir| {
                    let name = &held.name;
                    let place = Place { dir, name };
                    match was {
                        Was::Aside(aside) if keep => place.forget(aside),
                        _ if keep => Ok(()),
                        _ => held.take_back(&place, root),
                    }
                }),
            };
            if done.is_err() && !keep {
                stuck.push(held.path());
            }
        }
        stuck
    }
}
