//! Sinks: where the host collects what a process prints.
//!
//! A sink keeps what comes up to its limit. Past that its reader is gone, as if the pipe to it had been
//! closed: the writer gets SIGPIPE, and the result says that output is missing. Nothing is dropped
//! silently and nothing grows without bound.

use codepod_abi::Errno;

/// Captured output of one stream.
#[derive(Debug)]
pub(crate) struct Sink {
    pub(crate) bytes: Vec<u8>,
    pub(crate) limit: usize,
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
    pub(crate) fn new(limit: usize) -> Sink {
        Sink {
            bytes: Vec::new(),
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
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_sink_is_a_reader_that_left() {
        let mut sink = Sink::new(4);
        assert_eq!(sink.write(b"abcdef"), Ok(4));
        assert!(!sink.truncated);
        assert_eq!(sink.write(b"ef"), Err(Errno::Pipe));
        assert!(sink.truncated);
        assert_eq!(sink.bytes, b"abcd");
    }
}
