//! The frames of a WebSocket in one direction: their payload is searched and exchanged.
//!
//! Frames are read and written anew, those of the guest with a mask of our own. A message in one
//! frame stays in one, with the length that it has, wherever exchanging changes no length. Another
//! goes on in frames of what is decided, so that nothing is held but what may be the beginning of
//! a text, and a control frame between them never waits. No extension is agreed on, so a reserved
//! bit is a fault, like everything else that RFC 6455 forbids.
//!
//! Control frames are searched one by one. Nothing is put into them.

use std::hash::{BuildHasher, RandomState};

use crate::secrets::{Leak, Scan};

/// The most that a control frame carries.
const MAX_CONTROL: usize = 125;
const CLOSE: u8 = 8;

/// Whose frames they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// A client: they are masked.
    Guest,
    /// A server: they are not.
    Server,
}

/// Why a WebSocket ends here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A message has placeholders that are no business of the server, a bit each.
    Leak(u64),
    /// That is no frame.
    Malformed(&'static str),
}

impl From<Leak> for Fault {
    fn from(Leak(hits): Leak) -> Fault {
        Fault::Leak(hits)
    }
}

/// The frames of one side.
#[derive(Debug)]
pub(super) struct Frames {
    side: Side,
    /// What the payload of messages goes through.
    messages: Scan,
    /// What that of control frames does, which may stand in the middle of a message.
    control: Scan,
    /// What there is of a head; at most 14 bytes.
    head: Vec<u8>,
    /// The frame whose payload is being read.
    frame: Option<Frame>,
    /// The opcode that the next frame of the message under way is written with.
    opcode: Option<u8>,
    /// The payload that a frame which was begun lacks.
    lacks: u64,
    written: Option<Mask>,
    masks: Masks,
}

#[derive(Debug)]
struct Frame {
    opcode: u8,
    is_last: bool,
    left: u64,
    mask: Option<Mask>,
    /// Whether its head was written, with the length that all of it has.
    is_begun: bool,
    /// The payload, of a control frame.
    payload: Vec<u8>,
}

impl Frame {
    fn is_control(&self) -> bool {
        self.opcode & 8 != 0
    }
}

impl Frames {
    pub(super) fn new(side: Side, messages: Scan, control: Scan) -> Frames {
        Frames {
            side,
            messages,
            control,
            head: Vec::with_capacity(14),
            frame: None,
            opcode: None,
            lacks: 0,
            written: None,
            masks: Masks::default(),
        }
    }

    /// Takes bytes, and appends to `out` what goes on of them.
    ///
    /// After a fault there is nothing more to come.
    pub(super) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        while !bytes.is_empty() {
            match &mut self.frame {
                None => {
                    let wanted = head_length(&self.head) - self.head.len();
                    let (piece, rest) = bytes.split_at(wanted.min(bytes.len()));
                    self.head.extend_from_slice(piece);
                    bytes = rest;
                    if self.head.len() == head_length(&self.head) {
                        self.begin(out)?;
                    }
                }
                Some(frame) => {
                    let left = usize::try_from(frame.left).unwrap_or(usize::MAX);
                    let (piece, rest) = bytes.split_at(left.min(bytes.len()));
                    let mut piece = piece.to_vec();
                    if let Some(mask) = &mut frame.mask {
                        mask.apply(&mut piece);
                    }
                    bytes = rest;
                    self.payload(&piece, out)?;
                }
            }
        }
        Ok(())
    }

    /// The secrets that were put in, a bit each.
    pub(super) fn hits(&self) -> u64 {
        self.messages.hits()
    }

    /// Whether a frame may be written now.
    pub(super) fn is_between(&self) -> bool {
        self.lacks == 0
    }

    /// Begins the frame whose head is complete.
    fn begin(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let frame = read_head(&self.head, self.side)?;
        self.head.clear();
        match (frame.opcode, self.opcode) {
            (0, None) => return Err(Fault::Malformed("a frame continues no message")),
            (1 | 2, Some(_)) => return Err(Fault::Malformed("a message begins within another")),
            (1 | 2, None) => self.opcode = Some(frame.opcode),
            _ => {}
        }
        let frame = self.frame.insert(frame);
        if !frame.is_control() && frame.is_last && self.messages.keeps_lengths() {
            // What is held of the frames before goes with this one.
            self.lacks = frame.left + self.messages.held() as u64;
            frame.is_begun = true;
            let opcode = self.opcode.replace(0).unwrap_or_default();
            let mask = self.masks.next(self.side);
            write_head(out, 0x80 | opcode, self.lacks, &mask);
            self.written = mask;
        }
        if frame.left == 0 {
            self.payload(&[], out)?;
        }
        Ok(())
    }

    /// Takes a part of the payload of the frame under way.
    fn payload(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let Some(frame) = &mut self.frame else {
            return Ok(());
        };
        frame.left -= piece.len() as u64;
        let ends = frame.left == 0;
        if frame.is_control() {
            frame.payload.extend_from_slice(piece);
            if ends {
                let mut payload = self.control.pass(&frame.payload, true)?;
                if payload.len() > MAX_CONTROL {
                    // Of a close the code stays; its reason is for people.
                    let most = if frame.opcode == CLOSE {
                        2
                    } else {
                        MAX_CONTROL
                    };
                    payload.truncate(most);
                }
                let mask = self.masks.next(self.side);
                write(out, 0x80 | frame.opcode, payload, mask);
                self.frame = None;
            }
            return Ok(());
        }
        let is_last = ends && frame.is_last;
        let mut decided = self.messages.pass(piece, is_last)?;
        if frame.is_begun {
            self.lacks = self.lacks.saturating_sub(decided.len() as u64);
            if let Some(mask) = &mut self.written {
                mask.apply(&mut decided);
            }
            out.extend(decided);
        } else if is_last || !decided.is_empty() {
            let opcode = self.opcode.replace(0).unwrap_or_default();
            let last = if is_last { 0x80 } else { 0 };
            write(out, last | opcode, decided, self.masks.next(self.side));
        }
        if is_last {
            self.opcode = None;
        }
        if ends {
            self.frame = None;
        }
        Ok(())
    }
}

/// A frame of a server that ends a WebSocket.
pub(super) fn close(code: u16, reason: &str) -> Vec<u8> {
    let mut payload = code.to_be_bytes().to_vec();
    let most = reason.floor_char_boundary(MAX_CONTROL - payload.len());
    payload.extend(&reason.as_bytes()[..most]);
    let mut frame = Vec::new();
    write(&mut frame, 0x80 | CLOSE, payload, None);
    frame
}

/// How long a head is, as far as is known.
fn head_length(head: &[u8]) -> usize {
    let Some(second) = head.get(1) else { return 2 };
    let length = match second & 0x7f {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    2 + length + if second & 0x80 == 0 { 0 } else { 4 }
}

fn read_head(head: &[u8], side: Side) -> Result<Frame, Fault> {
    let (Some(first), Some(second)) = (head.first(), head.get(1)) else {
        return Err(Fault::Malformed("a frame has no head"));
    };
    if first & 0x70 != 0 {
        return Err(Fault::Malformed("a frame has a reserved bit"));
    }
    let mask = match (side, second & 0x80 != 0) {
        (Side::Guest, true) => head.last_chunk().map(|mask| Mask::new(*mask)),
        (Side::Server, false) => None,
        (Side::Guest, false) => return Err(Fault::Malformed("a frame of a client has no mask")),
        (Side::Server, true) => return Err(Fault::Malformed("a frame of a server has a mask")),
    };
    let digits = head_length(&[0, second & 0x7f]);
    let digits = head.get(2..digits).unwrap_or_default();
    let long = digits.iter().fold(0, |sum, b| sum << 8 | u64::from(*b));
    let (length, least) = match second & 0x7f {
        126 => (long, 126),
        127 => (long, 0x1_0000),
        short => (u64::from(short), 0),
    };
    if length < least || length >= 1 << 63 {
        return Err(Fault::Malformed("the length of a frame is not one"));
    }
    let (opcode, is_last) = (first & 0x0f, first & 0x80 != 0);
    match opcode {
        0..=2 => {}
        8..=10 if is_last && length <= MAX_CONTROL as u64 => {}
        8..=10 => return Err(Fault::Malformed("a control frame is divided or too long")),
        _ => return Err(Fault::Malformed("a frame has a reserved opcode")),
    }
    Ok(Frame {
        opcode,
        is_last,
        left: length,
        mask,
        is_begun: false,
        payload: Vec::new(),
    })
}

fn write(out: &mut Vec<u8>, first: u8, mut payload: Vec<u8>, mut mask: Option<Mask>) {
    write_head(out, first, payload.len() as u64, &mask);
    if let Some(mask) = &mut mask {
        mask.apply(&mut payload);
    }
    out.extend(payload);
}

fn write_head(out: &mut Vec<u8>, first: u8, length: u64, mask: &Option<Mask>) {
    let masked = if mask.is_some() { 0x80 } else { 0 };
    out.push(first);
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(length), _) if length < 126 => out.push(masked | length),
        (_, Ok(length)) => {
            out.push(masked | 126);
            out.extend(length.to_be_bytes());
        }
        _ => {
            out.push(masked | 127);
            out.extend(length.to_be_bytes());
        }
    }
    if let Some(mask) = mask {
        out.extend(mask.bytes);
    }
}

/// A mask, and how much was masked with it.
#[derive(Debug, Clone)]
struct Mask {
    bytes: [u8; 4],
    at: usize,
}

impl Mask {
    fn new(bytes: [u8; 4]) -> Mask {
        Mask { bytes, at: 0 }
    }

    fn apply(&mut self, payload: &mut [u8]) {
        for byte in payload {
            *byte ^= self.bytes[self.at % 4];
            self.at = (self.at + 1) % 4;
        }
    }
}

/// Masks that a guest cannot foresee: it must not choose what goes over the wire, for whatever
/// stands between us and the server. The hash is keyed by the host's randomness.
#[derive(Debug, Default)]
struct Masks {
    key: RandomState,
    count: u64,
}

impl Masks {
    fn next(&mut self, side: Side) -> Option<Mask> {
        if side == Side::Server {
            return None;
        }
        self.count += 1;
        let [a, b, c, d, ..] = self.key.hash_one(self.count).to_le_bytes();
        Some(Mask::new([a, b, c, d]))
    }
}

#[cfg(test)]
mod tests;
