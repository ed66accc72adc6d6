//! Signals: what they do to this process, and which have arrived.
//!
//! There are no handlers. A caught signal is remembered, calls that wait fail with [`Errno::Intr`],
//! and the program asks [`take`] what came.

use codepod_abi::wire::{SIGNAL_CATCH, SIGNAL_DEFAULT, SIGNAL_IGNORE};
use codepod_abi::{Errno, Signal};

use crate::process::{self, Of};
use crate::{address_mut, check, raw};

/// What a signal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// What it does where nothing is said.
    Default,
    /// Nothing.
    Ignore,
    /// It is remembered for [`take`].
    Catch,
}

/// Says what a signal does and returns what it did before.
///
/// Fails with [`Errno::Inval`] for SIGKILL and SIGSTOP.
pub fn set_action(signal: Signal, action: Action) -> Result<Action, Errno> {
    let action = match action {
        Action::Default => SIGNAL_DEFAULT,
        Action::Ignore => SIGNAL_IGNORE,
        Action::Catch => SIGNAL_CATCH,
    };
    let mut old = 0u32;
    // SAFETY: the call writes to `old` only.
    check(unsafe { raw::signal_action(signal.raw(), action, address_mut(&mut old)) })?;
    Ok(match old {
        SIGNAL_IGNORE => Action::Ignore,
        SIGNAL_CATCH => Action::Catch,
        _ => Action::Default,
    })
}

/// Some signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SignalSet(u64);

impl SignalSet {
    /// Every signal.
    pub const ALL: SignalSet = SignalSet(u64::MAX);

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `signal` is one of them.
    pub fn has(self, signal: Signal) -> bool {
        self.0 & signal.bit() != 0
    }

    /// These and `signal`.
    #[must_use]
    pub fn with(self, signal: Signal) -> SignalSet {
        SignalSet(self.0 | signal.bit())
    }

    /// Each of them, in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = Signal> {
        Signal::ALL
            .iter()
            .copied()
            .filter(move |signal| self.has(*signal))
    }
}

/// Takes those of `wanted` that were caught since the last time.
pub fn take(wanted: SignalSet) -> Result<SignalSet, Errno> {
    let mut taken = 0u64;
    // SAFETY: the call writes to `taken` only.
    let number = unsafe { raw::signal_take(wanted.0, address_mut(&mut taken)) };
    check(number).map(|()| SignalSet(taken))
}

/// Sends a signal to the process itself.
pub fn raise(signal: Signal) -> Result<(), Errno> {
    process::kill(Of::Process(process::ids()?.pid), signal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_what_was_put_in() {
        let set = SignalSet::default().with(Signal::Term).with(Signal::Int);
        assert!(set.iter().eq([Signal::Int, Signal::Term]));
        assert!(!set.has(Signal::Hup));
    }
}
