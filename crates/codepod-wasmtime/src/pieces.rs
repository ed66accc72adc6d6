//! Advice to Linux about much memory, a piece at a time.
//!
//! Linux holds the map of the whole program's memory while it follows advice about a part of it.
//! Every process that begins changes the map, so for 256 MB all sandboxes would wait, for 10 to 20
//! ms or, where the host of a virtual machine is short of memory, ten times as long.

use std::time::Duration;

use rustix::mm::{Advice, madvise};

/// What Linux is asked about at once: 0.2 ms.
const PIECE: usize = 4 << 20;

/// How long the map is left to others in between. Without that Linux prefers who has it already.
const PAUSE: Duration = Duration::from_micros(50);

/// Advises Linux about memory; whether it follows.
///
/// # Safety
///
/// The memory may become what the advice makes of it: nobody relies on its bytes, or they stay.
#[expect(unsafe_code, reason = "the system knows memory by its address")]
pub(crate) unsafe fn advise(memory: *mut [u8], advice: Advice) -> bool {
    let (start, len) = (memory.cast::<u8>(), memory.len());
    for at in (0..len).step_by(PIECE) {
        if at > 0 {
            std::thread::sleep(PAUSE);
        }
        let piece = start.wrapping_add(at);
        // SAFETY: within the memory, of which the caller has said so.
        let advised = unsafe { madvise(piece.cast(), PIECE.min(len - at), advice) };
        if advised.is_err() {
            return false;
        }
    }
    true
}
