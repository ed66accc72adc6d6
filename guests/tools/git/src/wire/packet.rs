//! Lines with their length before them (pkt-line), and the three bands in them.

use std::io::BufRead;

use crate::out;
use crate::stop::{Result, Stop, fatal, show};

/// The longest line, with its length.
const LONGEST: usize = 65_520;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packet {
    /// A line; it is in the reader's buffer.
    Line,
    /// The end of a list.
    Flush,
    /// The end of a part.
    Delimiter,
    /// The end of the reply.
    End,
}

/// Reads lines.
pub(crate) struct Packets {
    input: Box<dyn BufRead>,
    /// The line that was read last.
    line: Vec<u8>,
    /// The beginning of a line of the server's messages.
    message: Vec<u8>,
    quiet: bool,
}

impl Packets {
    /// Reads from a reply; `quiet` leaves out what the server tells of its progress.
    pub(crate) fn new(input: Box<dyn BufRead>, quiet: bool) -> Packets {
        Packets {
            input,
            line: Vec::new(),
            message: Vec::new(),
            quiet,
        }
    }

    /// Reads the next line. Fails when the reply is not made of lines, or says `ERR`.
    pub(crate) fn next(&mut self) -> Result<Packet> {
        let mut head = [0; 4];
        if !self.fill(&mut head)? {
            return Ok(Packet::End);
        }
        let length = std::str::from_utf8(&head)
            .ok()
            .filter(|head| head.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|head| usize::from_str_radix(head, 16).ok());
        let length = match length {
            Some(0) => return Ok(Packet::Flush),
            Some(1) => return Ok(Packet::Delimiter),
            Some(2) => return Ok(Packet::End),
            Some(length @ 4..=LONGEST) => length - 4,
            _ => {
                let head = show(&head);
                return fatal(format!("protocol error: bad line length character: {head}"));
            }
        };
        let mut line = std::mem::take(&mut self.line);
        line.resize(length, 0);
        let is_whole = length == 0 || self.fill(&mut line)?;
        self.line = line;
        if !is_whole {
            return hung_up();
        }
        if let Some(why) = self.line.strip_prefix(b"ERR ") {
            return fatal(format!("remote error: {}", show(why.trim_ascii_end())));
        }
        Ok(Packet::Line)
    }

    /// Fills a buffer; false when there is nothing any more.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<bool> {
        let mut filled = 0;
        while filled < buffer.len() {
            let part = self.input.fill_buf().map_err(lost)?;
            if part.is_empty() {
                return match filled {
                    0 => Ok(false),
                    _ => hung_up(),
                };
            }
            let count = part.len().min(buffer.len() - filled);
            buffer[filled..filled + count].copy_from_slice(&part[..count]);
            self.input.consume(count);
            filled += count;
        }
        Ok(true)
    }

    /// The line that was read last.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// The line that was read last, without a newline at its end.
    pub(crate) fn text(&self) -> &[u8] {
        self.line.strip_suffix(b"\n").unwrap_or(&self.line)
    }

    /// The next bytes of the first band; none at its end. What is in the second one is shown, what
    /// is in the third one is an error.
    pub(crate) fn data(&mut self) -> Result<Option<&[u8]>> {
        loop {
            if self.next()? != Packet::Line {
                self.show_message(b"\n");
                return Ok(None);
            }
            match self.line.first() {
                Some(1) => return Ok(Some(&self.line[1..])),
                Some(2) => {
                    if !self.quiet {
                        let text = self.line.split_off(1);
                        self.show_message(&text);
                    }
                }
                Some(3) => {
                    let why = show(self.line[1..].trim_ascii_end());
                    out::note(format!("error: remote error: {why}"));
                    return fatal("the remote end hung up unexpectedly");
                }
                None => {}
                Some(band) => {
                    return fatal(format!("protocol error: bad band #{band}"));
                }
            }
        }
    }

    /// Shows what a server says, each whole line behind `remote: `.
    fn show_message(&mut self, text: &[u8]) {
        for byte in text {
            if !matches!(byte, b'\n' | b'\r') {
                // Escapes of a terminal are not the server's to send.
                let byte = if *byte < 0x20 && *byte != b'\t' {
                    b'?'
                } else {
                    *byte
                };
                if self.message.len() < LONGEST {
                    self.message.push(byte);
                }
                continue;
            }
            if *byte == b'\n' && !self.message.is_empty() {
                out::note([b"remote: ", &self.message[..]].concat());
            }
            self.message.clear();
        }
    }
}

fn lost(error: std::io::Error) -> Stop {
    let error = codepod_net::Error::from(error);
    out::note(format!("error: RPC failed; {error}"));
    Stop::Fatal(b"the remote end hung up unexpectedly".to_vec())
}

fn hung_up<T>() -> Result<T> {
    fatal("the remote end hung up unexpectedly")
}

/// Adds a line to a request.
pub(crate) fn push(request: &mut Vec<u8>, line: impl AsRef<[u8]>) {
    let line = line.as_ref();
    debug_assert!(line.len() + 4 <= LONGEST);
    request.extend(format!("{:04x}", line.len() + 4).bytes());
    request.extend_from_slice(line);
}

/// The end of a list.
pub(crate) const FLUSH: &[u8] = b"0000";
/// The end of a part.
pub(crate) const DELIMITER: &[u8] = b"0001";

#[cfg(test)]
mod tests {
    use super::*;

    fn packets(text: &'static [u8]) -> Packets {
        Packets::new(Box::new(text), true)
    }

    #[test]
    fn lines_come_back() {
        let mut request = Vec::new();
        push(&mut request, "hello\n");
        push(&mut request, "");
        request.extend(FLUSH);
        request.extend(DELIMITER);
        assert_eq!(request, b"000ahello\n000400000001");
        let mut packets = packets(b"000ahello\n0004000000010002");
        assert_eq!(packets.next().unwrap(), Packet::Line);
        assert_eq!(
            (packets.line(), packets.text()),
            (&b"hello\n"[..], &b"hello"[..])
        );
        assert_eq!(packets.next().unwrap(), Packet::Line);
        assert_eq!(packets.line(), b"");
        assert_eq!(packets.next().unwrap(), Packet::Flush);
        assert_eq!(packets.next().unwrap(), Packet::Delimiter);
        assert_eq!(packets.next().unwrap(), Packet::End);
        assert_eq!(packets.next().unwrap(), Packet::End);
    }

    #[test]
    fn what_is_no_line_is_refused() {
        for text in [
            &b"zzzz"[..],
            b"0003",
            b"+010",
            b"fff1",
            b"ffff",
            b"00",
            b"0009abc",
            b"0008ERR ",
            b"<html>",
        ] {
            let mut packets = packets(text);
            assert!(matches!(packets.next(), Err(Stop::Fatal(_))), "{text:?}");
        }
    }

    #[test]
    fn bands_are_told_apart() {
        let mut bands = packets(b"0006\x01a0006\x02b0006\x01c00050004");
        assert_eq!(bands.data().unwrap(), Some(&b"a"[..]));
        assert_eq!(bands.data().unwrap(), Some(&b"c"[..]));
        assert!(packets(b"0006\x03x").data().is_err());
        assert!(packets(b"0006\x09x").data().is_err());
        assert_eq!(packets(b"0000").data().unwrap(), None);
    }
}
