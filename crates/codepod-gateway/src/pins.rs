//! The answers of lookups, kept for the connections that follow.
//!
//! A client looks a name up and then connects, often several times. It gets the same addresses for
//! as long as an answer is kept; each connection vets them again.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long an answer is kept. The system's lookups tell no time of their own.
const KEPT: Duration = Duration::from_secs(30);
/// How many names are kept.
const MOST: usize = 1024;

/// The answers kept for a sandbox.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    names: Mutex<HashMap<Box<str>, Pin>>,
}

/// An answer, and until when it is kept.
#[derive(Debug)]
struct Pin {
    until: Duration,
    addresses: Arc<[IpAddr]>,
}

impl Pins {
    /// The addresses of a name, if its answer is kept.
    pub(crate) fn get(&self, name: &str, now: Duration) -> Option<Arc<[IpAddr]>> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let pin = names.get(name)?;
        (now < pin.until).then(|| pin.addresses.clone())
    }

    /// Keeps an answer.
    pub(crate) fn put(&self, name: &str, addresses: Arc<[IpAddr]>, now: Duration) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= MOST {
            names.retain(|_, pin| now < pin.until);
        }
        if names.len() < MOST {
            let until = now + KEPT;
            names.insert(name.into(), Pin { until, addresses });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_for_a_while_and_not_more_than_so_many() {
        let pins = Pins::default();
        let one: Arc<[IpAddr]> = [IpAddr::from([1, 1, 1, 1])].into();
        let at = Duration::from_secs;
        pins.put("a.com", one.clone(), at(5));
        assert_eq!(pins.get("a.com", at(34)), Some(one.clone()));
        assert_eq!(pins.get("a.com", at(35)), None);
        for i in 0..MOST {
            pins.put(&format!("{i}.com"), one.clone(), at(10));
        }
        assert_eq!(pins.get("1023.com", at(11)), None, "the table is full");
        pins.put("later.com", one.clone(), at(50));
        assert_eq!(pins.get("later.com", at(51)), Some(one));
    }
}
