//! Open files of a mount: so many descriptors of the host at a time and no more, for the sandbox
//! and its forks together.
//!
//! When another file needs a place, the one that was not used for longest is closed; who needs it
//! again opens it by its name. A file that could not be found again, because its name is gone or
//! its mode would not let us, is pinned and stays open. Where all are pinned, opening one more
//! fails with `Mfile`.
//!
//! The lock is held to look things up only: files are used and closed outside of it.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codepod_abi::Errno;

/// The descriptors of a mount and its forks.
#[derive(Debug)]
pub(super) struct Pool {
    most: usize,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    files: HashMap<u64, Place>,
    tickets: u64,
    tick: u64,
}

#[derive(Debug)]
struct Place {
    file: Arc<OwnedFd>,
    /// The tick of its last use.
    used: u64,
    pinned: bool,
}

/// One open file's claim to a place; it ends with the value.
#[derive(Debug)]
pub(super) struct Ticket {
    pool: Arc<Pool>,
    number: u64,
}

impl Pool {
    pub(super) fn new(most: usize) -> Arc<Pool> {
        Arc::new(Pool {
            most,
            places: Mutex::default(),
        })
    }

    /// A claim without a place yet.
    pub(super) fn ticket(self: &Arc<Pool>) -> Ticket {
        let mut places = self.places();
        places.tickets += 1;
        Ticket {
            pool: self.clone(),
            number: places.tickets,
        }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// The file, unless it had to make room.
    pub(super) fn get(&self) -> Option<Arc<OwnedFd>> {
        let mut places = self.pool.places();
        places.tick += 1;
        let tick = places.tick;
        let place = places.files.get_mut(&self.number)?;
        place.used = tick;
        Some(place.file.clone())
    }

    /// Gives the file a place, in exchange for the one it had; [`Errno::Mfile`] if all are pinned.
    pub(super) fn put(&self, file: OwnedFd) -> Result<Arc<OwnedFd>, Errno> {
        let file = Arc::new(file);
        let mut places = self.pool.places();
        places.tick += 1;
        let used = places.tick;
        let own = places.files.get(&self.number);
        let pinned = own.is_some_and(|place| place.pinned);
        let gone = match own {
            Some(_) => Some(self.number),
            None if places.files.len() < self.pool.most => None,
            None => {
                let movable = places.files.iter().filter(|(_, place)| !place.pinned);
                let oldest = movable.min_by_key(|(_, place)| place.used);
                Some(*oldest.ok_or(Errno::Mfile)?.0)
            }
        };
        let gone = gone.and_then(|number| places.files.remove(&number));
        let place = Place {
            file: file.clone(),
            used,
            pinned,
        };
        places.files.insert(self.number, place);
        drop(places);
        // Closing may take its time.
        drop(gone);
        Ok(file)
    }

    /// Keeps the file open, or no longer; nothing happens to one that has made room.
    pub(super) fn pin(&self, pinned: bool) {
        if let Some(place) = self.pool.places().files.get_mut(&self.number) {
            place.pinned = pinned;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let gone = self.pool.places().files.remove(&self.number);
        drop(gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> OwnedFd {
        std::fs::File::open("/").unwrap().into()
    }

    #[test]
    fn the_longest_unused_makes_room() {
        let pool = Pool::new(2);
        let (a, b, c) = (pool.ticket(), pool.ticket(), pool.ticket());
        a.put(file()).unwrap();
        b.put(file()).unwrap();
        assert!(a.get().is_some());
        c.put(file()).unwrap();
        assert!(b.get().is_none());
        assert!(a.get().is_some() && c.get().is_some());
        drop(c);
        b.put(file()).unwrap();
        assert!(a.get().is_some(), "there was a free place");
    }

    #[test]
    fn the_pinned_stay_and_there_are_no_more_places_than_said() {
        let pool = Pool::new(2);
        let (a, b, c) = (pool.ticket(), pool.ticket(), pool.ticket());
        a.put(file()).unwrap();
        a.pin(true);
        b.put(file()).unwrap();
        c.put(file()).unwrap();
        assert!(a.get().is_some() && b.get().is_none());
        c.pin(true);
        assert_eq!(b.put(file()).err(), Some(Errno::Mfile));
        c.put(file()).unwrap();
        assert_eq!(b.put(file()).err(), Some(Errno::Mfile), "still pinned");
        c.pin(false);
        b.put(file()).unwrap();
    }
}
