//! The host: where time, randomness and wake-ups come from.
//!
//! The kernel never reads a clock itself, so tests use a virtual one
//! ([`crate::testing::VirtualHost`]) and a run can be replayed.

use std::task::Waker;

use codepod_abi::wire::Hash;

use crate::ids::WaiterId;

/// Names one timer: a waiter of one kernel. A waiter has at most one timer, so timers cannot pile
/// up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimerKey {
    /// The kernel's id ([`crate::KernelOptions::id`]).
    pub kernel: u64,
    /// The waiter in it.
    pub waiter: WaiterId,
}

/// What a kernel needs from outside.
pub trait Host: Send + Sync {
    /// Nanoseconds since 1970.
    fn realtime(&self) -> u64;

    /// Nanoseconds since some point; never goes back.
    fn monotonic(&self) -> u64;

    /// Fills `buffer` with random bytes. Never the same twice, forks and restores included.
    fn random(&self, buffer: &mut [u8]);

    /// Wakes `waker` when [`Host::monotonic`] reaches `deadline`; replaces the key's earlier timer.
    fn wake_at(&self, key: TimerKey, deadline: u64, waker: &Waker);

    /// Forgets the key's timer, if there is one.
    fn forget(&self, key: TimerKey);

    /// Takes whole blocks into the state of a hash, whose lengths are right. Whether the host has
    /// that hash.
    fn hash_blocks(&self, _hash: Hash, _state: &mut [u8], _blocks: &[u8]) -> bool {
        false
    }
}
