//! How running something ends.

/// The result of running something: it went through (its status is in
/// [`crate::state::State::status`]), or it unwinds.
pub type Run<T = ()> = Result<T, Stop>;

/// Why the shell unwinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// `break N`: out of this many loops.
    Break(u32),
    /// `continue N`: out of N - 1 loops and on with the next.
    Continue(u32),
    /// `return`, from a function or a sourced file. The status is in the state.
    Return,
    /// The shell (or the subshell) ends: `exit`, `set -e`, an error that ends a script. The status
    /// is in the state.
    Exit,
    /// The whole command line is given up and the script goes on with the next one, as bash does
    /// after an error in an expansion. The status is in the state.
    Discard,
    /// The host cancelled the run, or a signal ends the shell.
    Killed(u32),
}
