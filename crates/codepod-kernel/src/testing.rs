//! A host for tests: time stands still until it is moved, randomness repeats.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use crate::host::{Host, TimerKey};

#[derive(Debug, Default)]
struct State {
    now: u64,
    random: u64,
    timers: BTreeMap<TimerKey, (u64, Waker)>,
}

/// A host whose clock and randomness the test decides.
#[derive(Debug, Default)]
pub struct VirtualHost {
    state: Mutex<State>,
}

impl VirtualHost {
    /// 2026-01-01 00:00:00 UTC: where the wall clock starts.
    pub const EPOCH: u64 = 1_767_225_600_000_000_000;

    /// A host whose randomness follows from `seed`.
    pub fn new(seed: u64) -> VirtualHost {
        VirtualHost {
            state: Mutex::new(State {
                random: seed,
                ..State::default()
            }),
        }
    }

    /// Moves the clock and fires what is due.
    pub fn advance(&self, nanoseconds: u64) {
        let mut state = self.lock();
        state.now += nanoseconds;
        let now = state.now;
        let due: Vec<TimerKey> = state
            .timers
            .iter()
            .filter(|(_, (at, _))| *at <= now)
            .map(|(key, _)| *key)
            .collect();
        let wakers: Vec<Waker> = due
            .iter()
            .filter_map(|key| state.timers.remove(key))
            .map(|(_, w)| w)
            .collect();
        drop(state);
        for waker in wakers {
            waker.wake();
        }
    }

    /// When the next timer is due.
    pub fn next_timer(&self) -> Option<u64> {
        self.lock().timers.values().map(|(at, _)| *at).min()
    }

    /// How many timers there are.
    pub fn timers(&self) -> usize {
        self.lock().timers.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for VirtualHost {
    fn realtime(&self) -> u64 {
        Self::EPOCH + self.lock().now
    }

    fn monotonic(&self) -> u64 {
        self.lock().now
    }

    fn random(&self, buffer: &mut [u8]) {
        let mut state = self.lock();
        for byte in buffer {
            // SplitMix64: enough for a test that must repeat.
            state.random = state.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state.random;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *byte = (z ^ (z >> 31)) as u8;
        }
    }

    fn wake_at(&self, key: TimerKey, deadline: u64, waker: &Waker) {
        let mut state = self.lock();
        if deadline <= state.now {
            drop(state);
            waker.wake_by_ref();
        } else {
            state.timers.insert(key, (deadline, waker.clone()));
        }
    }

    fn forget(&self, key: TimerKey) {
        self.lock().timers.remove(&key);
    }
}
