//! What goes on of bytes that arrive in pieces: nothing that has a placeholder of a stranger, and
//! the rest with placeholders and values exchanged.
//!
//! Bodies, raw connections and the messages of WebSockets go through this. What is held back is
//! what may be the beginning of a text.

use super::replacer::Stream;

/// The secrets whose placeholders were on their way to a stranger, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leak(pub(crate) u64);

/// A search, and an exchange, under way.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    leak: Option<Stream>,
    exchange: Option<Stream>,
}

impl Scan {
    /// Looks for what `leak` finds, and then exchanges what `exchange` finds.
    pub(crate) fn new(leak: Option<Stream>, exchange: Option<Stream>) -> Scan {
        Scan { leak, exchange }
    }

    /// Whether everything passes as it is.
    pub(crate) fn is_idle(&self) -> bool {
        self.leak.is_none() && self.exchange.is_none()
    }

    /// Takes a piece and returns what is decided; after the `last` one that is everything, and
    /// more may follow as from a new beginning.
    ///
    /// Fails when a placeholder of a stranger is found.
    pub(crate) fn pass(&mut self, piece: &[u8], last: bool) -> Result<Vec<u8>, Leak> {
        let mut bytes = match &mut self.leak {
            None => piece.to_vec(),
            Some(leak) => {
                let passed = through(leak, piece, last);
                if leak.hits() != 0 {
                    return Err(Leak(leak.hits()));
                }
                passed
            }
        };
        if let Some(exchange) = &mut self.exchange {
            bytes = through(exchange, &bytes, last);
        }
        Ok(bytes)
    }

    /// The secrets that were exchanged, a bit each.
    pub(crate) fn hits(&self) -> u64 {
        self.exchange.as_ref().map_or(0, Stream::hits)
    }

    /// How many bytes are held back.
    pub(crate) fn held(&self) -> usize {
        let streams = [&self.leak, &self.exchange].into_iter().flatten();
        streams.map(Stream::held).sum()
    }

    /// Whether as much comes out as went in, once all of it has.
    pub(crate) fn keeps_lengths(&self) -> bool {
        self.exchange.as_ref().is_none_or(Stream::keeps_lengths)
    }
}

fn through(stream: &mut Stream, piece: &[u8], last: bool) -> Vec<u8> {
    let mut out = stream.push(piece);
    if last {
        out.extend(stream.finish());
    }
    out
}
