//! Terminals: size, mode and two queues between a surface and the processes that use it.
//!
//! A terminal passes bytes through as they are; line editing and echo are the surface's work, which
//! reads the mode to know what the guest wants. Its two directions are ordinary pipes.

use codepod_abi::wire::TerminalState;

use crate::ids::PipeId;

/// A terminal.
#[derive(Debug)]
pub(crate) struct Terminal {
    pub(crate) state: TerminalState,
    /// What the surface types.
    pub(crate) input: PipeId,
    /// What the processes print.
    pub(crate) output: PipeId,
    /// Open files that refer to it.
    pub(crate) references: usize,
}

impl Terminal {
    /// The least and most rows and columns that make sense.
    pub(crate) const SIZE: std::ops::RangeInclusive<u32> = 1..=u16::MAX as u32;

    /// Whether a guest may set this state.
    pub(crate) fn accepts(state: &TerminalState) -> bool {
        Self::SIZE.contains(&state.rows)
            && Self::SIZE.contains(&state.columns)
            && state.mode & !TerminalState::ALL == 0
    }
}
