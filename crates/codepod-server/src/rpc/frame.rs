//! Frames: lines of bounded length.

use std::io::{BufRead, BufReader, Read, Result};

/// What came over the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line that was too long; it was skipped.
    TooLong,
}

/// Reads frames.
pub(super) struct Frames<R> {
    input: BufReader<R>,
    most: usize,
}

impl<R: Read> Frames<R> {
    /// Frames of at most so many bytes.
    pub(super) fn new(input: R, most: usize) -> Frames<R> {
        Frames {
            input: BufReader::with_capacity(64 << 10, input),
            most,
        }
    }

    /// The next frame that is not empty; `None` at the end. What comes after the last line's end is
    /// no frame.
    pub(super) fn next(&mut self) -> Result<Option<Frame>> {
        let mut line = Vec::new();
        let mut long = false;
        loop {
            let there = self.input.fill_buf()?;
            if there.is_empty() {
                return Ok(None);
            }
            let end = there.iter().position(|byte| *byte == b'\n');
            let part = &there[..end.unwrap_or(there.len())];
            if long || line.len() + part.len() > self.most {
                // Let go of it now: what is kept must not grow with what is sent.
                line = Vec::new();
                long = true;
            } else {
                line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_none() {
                continue;
            }
            if long {
                return Ok(Some(Frame::TooLong));
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some(Frame::Line(line)));
            }
            line.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], most: usize) -> Vec<Frame> {
        let mut frames = Frames::new(bytes, most);
        std::iter::from_fn(|| frames.next().unwrap()).collect()
    }

    #[test]
    fn lines_are_frames_and_long_ones_are_skipped() {
        let line = |text: &str| Frame::Line(text.as_bytes().to_vec());
        assert_eq!(all(b"a\n\n \r\nb\ncut", 10), [line("a"), line("b")]);
        assert_eq!(
            all(b"0123456789\n01234567890\nx\n", 10),
            [line("0123456789"), Frame::TooLong, line("x")]
        );
        let long = [vec![b'x'; 1 << 20], b"\ny\n".to_vec()].concat();
        assert_eq!(all(&long, 100), [Frame::TooLong, line("y")]);
    }
}
