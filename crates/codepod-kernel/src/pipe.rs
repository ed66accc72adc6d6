//! Pipes: a bounded queue of bytes with read ends and write ends.
//!
//! A pipe knows neither processes nor descriptors. Open files hold its ends, and `syscalls/io.rs`
//! decides what a caller that cannot go on does. When the last read end is closed, writes fail with
//! [`Errno::Pipe`]; when the last write end is closed, reads return 0. A socket pair is two pipes,
//! and a fifo a pipe that stays while its inode has ends open.
//!
//! Invariant: `queue.len() <= capacity`.

use std::collections::VecDeque;

use codepod_abi::Errno;
use codepod_vfs::{Budget, Charge};

use crate::wait_set::WaitSet;

/// A write of at most this many bytes goes in whole or not at all (POSIX: `PIPE_BUF`).
pub(crate) const ATOMIC_WRITE: usize = 4096;

/// A pipe.
#[derive(Debug)]
pub(crate) struct Pipe {
    queue: VecDeque<u8>,
    capacity: usize,
    readers: usize,
    writers: usize,
    /// How often each end has been opened: an open of a fifo is seen even when it is closed at
    /// once.
    read_opens: u64,
    write_opens: u64,
    /// Whether the host has read enough: what is written vanishes, and after the rest comes the
    /// end.
    finished: bool,
    /// Waiting for data, or for a writer to open a fifo.
    pub(crate) read_waiters: WaitSet,
    /// Waiting for room, or for a reader to open a fifo.
    pub(crate) write_waiters: WaitSet,
    /// For all that it can hold, as long as it is there.
    _charge: Charge,
}

/// One end of a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Read,
    Write,
}

impl End {
    /// The other one.
    pub(crate) fn other(self) -> End {
        match self {
            End::Read => End::Write,
            End::Write => End::Read,
        }
    }
}

impl Pipe {
    /// A pipe without ends; `None` when the budget has no memory for it.
    pub(crate) fn new(capacity: usize, budget: &Budget) -> Option<Pipe> {
        // A capacity under the atomic size would make small writes impossible.
        let capacity = capacity.max(ATOMIC_WRITE);
        Some(Pipe {
            queue: VecDeque::new(),
            capacity,
            readers: 0,
            writers: 0,
            read_opens: 0,
            write_opens: 0,
            finished: false,
            read_waiters: WaitSet::default(),
            write_waiters: WaitSet::default(),
            _charge: budget.memory(capacity as u64)?,
        })
    }

    /// Adds an end; who waits for the other side of a fifo looks again when it is the first.
    pub(crate) fn open(&mut self, end: End) {
        let ends = match end {
            End::Read => {
                self.read_opens += 1;
                &mut self.readers
            }
            End::Write => {
                self.write_opens += 1;
                &mut self.writers
            }
        };
        *ends += 1;
        if *ends == 1 {
            self.wake_all();
        }
    }

    /// Takes an end away; who waits at the other looks again when it was the last.
    pub(crate) fn close(&mut self, end: End) {
        let ends = match end {
            End::Read => &mut self.readers,
            End::Write => &mut self.writers,
        };
        *ends = ends.saturating_sub(1);
        if *ends > 0 {
            return;
        }
        if end == End::Read {
            // Nobody will read it: give the memory back now.
            self.queue = VecDeque::new();
        }
        self.wake_all();
    }

    /// Lets what is written from now on vanish; a reader gets the rest and then the end.
    pub(crate) fn finish(&mut self) {
        self.finished = true;
        self.wake_all();
    }

    /// Whether nobody holds an end.
    pub(crate) fn is_unused(&self) -> bool {
        self.readers == 0 && self.writers == 0
    }

    /// How often an end has been opened so far.
    pub(crate) fn opens(&self, end: End) -> u64 {
        match end {
            End::Read => self.read_opens,
            End::Write => self.write_opens,
        }
    }

    pub(crate) fn readers(&self) -> usize {
        self.readers
    }

    pub(crate) fn writers(&self) -> usize {
        self.writers
    }

    /// Bytes that can be read now.
    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Bytes that can be written now.
    pub(crate) fn room(&self) -> usize {
        self.capacity - self.queue.len()
    }

    /// Whether a write of `len` bytes would take at least one now.
    pub(crate) fn takes(&self, len: usize) -> bool {
        let least = if len <= ATOMIC_WRITE { len } else { 1 };
        self.finished || self.room() >= least
    }

    /// Takes as much of `bytes` as fits and returns how much that was.
    ///
    /// Fails with [`Errno::Pipe`] when nobody can read any more, and with [`Errno::Again`] when the
    /// caller has to wait for room. The caller has checked [`Pipe::takes`] for the whole of a write
    /// that comes in several pieces.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        if self.finished {
            return Ok(bytes.len());
        }
        if self.readers == 0 {
            return Err(Errno::Pipe);
        }
        let taken = self.room().min(bytes.len());
        if taken == 0 && !bytes.is_empty() {
            return Err(Errno::Again);
        }
        self.queue.extend(&bytes[..taken]);
        self.read_waiters.wake();
        Ok(taken)
    }

    /// Fills `buffer` with what there is and returns how much that was; 0 at the end.
    ///
    /// Fails with [`Errno::Again`] when there is nothing yet.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Errno> {
        let taken = self.peek(0, buffer)?;
        self.queue.drain(..taken);
        if taken > 0 {
            self.write_waiters.wake();
        }
        Ok(taken)
    }

    /// How many of the first `most` bytes to read for a line: up to `delimiter`, or all without
    /// one.
    pub(crate) fn line_len(&self, delimiter: u8, most: usize) -> usize {
        let end = self.queue.iter().take(most);
        match end.into_iter().position(|byte| *byte == delimiter) {
            Some(found) => found + 1,
            None => most,
        }
    }

    /// Reads what follows the first `skip` bytes and leaves all of it in the queue.
    pub(crate) fn peek(&self, skip: usize, buffer: &mut [u8]) -> Result<usize, Errno> {
        let left = self.queue.len().saturating_sub(skip);
        if left == 0 && self.writers > 0 && !self.finished && !buffer.is_empty() {
            return Err(Errno::Again);
        }
        let taken = left.min(buffer.len());
        let (front, back) = self.queue.as_slices();
        let (front, back) = match front.get(skip..) {
            Some(front) => (front, back),
            None => (&[][..], &back[(skip - front.len()).min(back.len())..]),
        };
        let from_front = front.len().min(taken);
        buffer[..from_front].copy_from_slice(&front[..from_front]);
        buffer[from_front..taken].copy_from_slice(&back[..taken - from_front]);
        Ok(taken)
    }

    fn wake_all(&mut self) {
        self.read_waiters.wake();
        self.write_waiters.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipe() -> Pipe {
        let mut pipe = Pipe::new(8192, &Budget::default()).unwrap();
        pipe.open(End::Read);
        pipe.open(End::Write);
        pipe
    }

    #[test]
    fn what_is_written_is_read_in_order() {
        let mut pipe = pipe();
        let mut expected = 0u8;
        let mut next = 0u8;
        // More than the capacity in uneven pieces, so that the ring wraps.
        for round in 0..5000usize {
            let piece: Vec<u8> = (0..round % 97)
                .map(|i| next.wrapping_add(i as u8))
                .collect();
            assert_eq!(pipe.write(&piece), Ok(piece.len()));
            next = next.wrapping_add(piece.len() as u8);
            let mut buffer = [0; 128];
            if piece.is_empty() {
                continue;
            }
            let read = pipe.read(&mut buffer).unwrap();
            for byte in &buffer[..read] {
                assert_eq!(*byte, expected);
                expected = expected.wrapping_add(1);
            }
        }
    }

    #[test]
    fn a_line_ends_with_its_delimiter_or_with_the_buffer() {
        let mut pipe = pipe();
        pipe.write(b"one\ntwo").unwrap();
        assert_eq!(pipe.line_len(b'\n', 100), 4);
        assert_eq!(pipe.line_len(b'\n', 3), 3);
        assert_eq!(pipe.line_len(b'w', 100), 6);
        assert_eq!(pipe.line_len(b'x', 100), 100);
    }

    #[test]
    fn peeking_goes_on_after_what_was_skipped() {
        // Wherever the ring wraps.
        for start in (0..8192).step_by(1000) {
            let mut pipe = pipe();
            pipe.write(&vec![0; start]).unwrap();
            pipe.read(&mut vec![0; start]).unwrap();
            let bytes: Vec<u8> = (0..8192).map(|i| (i / 7) as u8).collect();
            assert_eq!(pipe.write(&bytes), Ok(8192));
            for skip in [0, 1, 4000, 8191] {
                let mut buffer = [0; 5000];
                let taken = pipe.peek(skip, &mut buffer).unwrap();
                assert_eq!(taken, (8192 - skip).min(5000));
                assert_eq!(buffer[..taken], bytes[skip..skip + taken]);
            }
            assert_eq!(pipe.peek(8192, &mut [0]), Err(Errno::Again));
            assert_eq!(pipe.len(), 8192);
        }
    }

    #[test]
    fn a_full_pipe_makes_its_writer_wait() {
        let mut pipe = pipe();
        assert_eq!(pipe.write(&[1; 10_000]), Ok(8192));
        assert_eq!(pipe.write(&[1]), Err(Errno::Again));
        assert!(!pipe.takes(1));
        let mut buffer = [0; 100];
        assert_eq!(pipe.read(&mut buffer), Ok(100));
        assert!(pipe.takes(100));
        // Small writes stay whole: 101 bytes do not fit, 5,000 may come in parts.
        assert!(!pipe.takes(101));
        assert!(pipe.takes(5000));
    }

    #[test]
    fn writing_without_readers_is_a_broken_pipe() {
        let mut pipe = pipe();
        pipe.write(b"lost").unwrap();
        pipe.close(End::Read);
        assert_eq!(pipe.write(b"x"), Err(Errno::Pipe));
        assert_eq!(pipe.len(), 0);
    }

    #[test]
    fn a_finished_pipe_gives_the_rest_and_swallows_what_comes() {
        let mut pipe = pipe();
        pipe.write(&[1; 8192]).unwrap();
        pipe.finish();
        assert!(pipe.takes(4096));
        assert_eq!(pipe.write(b"late"), Ok(4));
        let mut buffer = [0; 10_000];
        assert_eq!(pipe.read(&mut buffer), Ok(8192));
        assert_eq!(pipe.read(&mut buffer), Ok(0));
        pipe.close(End::Read);
        assert_eq!(pipe.write(b"later"), Ok(5));
    }

    #[test]
    fn reading_without_writers_gives_the_rest_and_then_the_end() {
        let mut pipe = pipe();
        pipe.write(b"rest").unwrap();
        pipe.close(End::Write);
        let mut buffer = [0; 8];
        assert_eq!(pipe.read(&mut buffer), Ok(4));
        assert_eq!(pipe.read(&mut buffer), Ok(0));
    }
}
