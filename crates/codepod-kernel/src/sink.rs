//! Sinks: where the host collects what a process prints.
//!
//! A sink keeps what comes up to its limit. Past that its reader is gone, as if the pipe to it had
//! been closed: the writer gets SIGPIPE, and the result says that output is missing. The same
//! happens when the budget has no memory left. Nothing is dropped silently and nothing grows
//! without bound.

use codepod_abi::Errno;
use codepod_vfs::{Budget, Charge};

/// Captured output of one stream.
#[derive(Debug)]
pub(crate) struct Sink {
    bytes: Vec<u8>,
    /// For what `bytes` takes.
    charge: Charge,
    limit: usize,
    /// Whether something was refused.
    pub(crate) truncated: bool,
    /// Open files that write here; the sink goes when none is left and the host has taken it.
    pub(crate) writers: usize,
    /// Whether the host has taken what there was and will not come again.
    pub(crate) taken: bool,
    /// Whether what comes after that vanishes, instead of finding the reader gone.
    pub(crate) discards: bool,
}

impl Sink {
    pub(crate) fn new(limit: usize, budget: &Budget) -> Sink {
        Sink {
            bytes: Vec::new(),
            charge: budget.memory(0).unwrap_or_default(),
            limit,
            truncated: false,
            writers: 0,
            taken: false,
            discards: false,
        }
    }

    /// Takes as much as fits. Fails with [`Errno::Pipe`] when the sink is full.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        if self.discards {
            return Ok(bytes.len());
        }
        let taken = bytes.len().min(self.limit - self.bytes.len());
        if taken == 0 && !bytes.is_empty() {
            self.truncated = true;
            return Err(Errno::Pipe);
        }
        if !self.reserve(taken) {
            self.truncated = true;
            return Err(Errno::Pipe);
        }
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// Makes room for more, as long as there is memory: twice of what there is or just what is
    /// needed.
    fn reserve(&mut self, more: usize) -> bool {
        let needed = self.bytes.len() + more;
        if needed <= self.bytes.capacity() {
            return true;
        }
        let room = [needed.max(2 * self.bytes.capacity()), needed]
            .into_iter()
            .find(|room| self.charge.set(*room as u64));
        if let Some(room) = room {
            self.bytes.reserve_exact(room - self.bytes.len());
        }
        room.is_some()
    }

    /// Takes nothing any more: what comes vanishes, or finds the reader gone.
    pub(crate) fn close(&mut self, discards: bool) {
        (self.limit, self.truncated, self.taken) = (0, false, true);
        self.discards = discards;
    }

    /// What it holds; it is the host's from now on.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let bytes = std::mem::take(&mut self.bytes);
        // Giving back never fails.
        let _ = self.charge.set(0);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use codepod_vfs::BudgetLimits;

    use super::*;

    #[test]
    fn a_full_sink_is_a_reader_that_left() {
        let mut sink = Sink::new(4, &Budget::default());
        assert_eq!(sink.write(b"abcdef"), Ok(4));
        assert!(!sink.truncated);
        assert_eq!(sink.write(b"ef"), Err(Errno::Pipe));
        assert!(sink.truncated);
        assert_eq!(sink.bytes, b"abcd");
    }

    #[test]
    fn a_sink_without_memory_is_a_reader_that_left() {
        let budget = Budget::new(BudgetLimits::new(0, 100));
        let mut sink = Sink::new(1000, &budget);
        assert_eq!(sink.write(&[1; 40]), Ok(40));
        assert_eq!(sink.write(&[1; 40]), Ok(40));
        assert_eq!(sink.write(&[1; 21]), Err(Errno::Pipe));
        assert!(sink.truncated);
        assert_eq!(budget.used().memory_bytes, sink.bytes.capacity() as u64);
        assert_eq!(sink.take().len(), 80);
        assert_eq!(budget.used().memory_bytes, 0);
    }
}
