//! `-n`: a number of pieces, each as long as the others.

use codepod_tool::Stop;
use memchr::memchr;

use super::input::{BLOCK, Input};
use super::pieces::at_most;
use super::sink::Sinks;
use super::{TOO_LARGE, at_least_one, invalid, number, round_robin};

/// How the input is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    /// By bytes.
    Bytes,
    /// By bytes, but lines stay whole.
    Lines,
    /// Line by line, in turn.
    RoundRobin,
}

/// What `-n` asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunks {
    pub(super) share: Share,
    /// Which chunk is printed, from 1; all become files otherwise.
    pub(super) one: Option<u64>,
    pub(super) count: u64,
}

impl Chunks {
    /// What a text like `3`, `2/3` or `l/2/3` asks for.
    pub(super) fn parse(text: &[u8]) -> Result<Chunks, Stop> {
        let (share, rest) = match text {
            [b'l', b'/', rest @ ..] => (Share::Lines, rest),
            [b'r', b'/', rest @ ..] => (Share::RoundRobin, rest),
            _ => (Share::Bytes, text),
        };
        let (one, count) = match memchr(b'/', rest) {
            Some(slash) => (&rest[..slash], &rest[slash + 1..]),
            None => (&b""[..], rest),
        };
        let what = "number of chunks";
        let number_of_chunks = match number(count, what)? {
            number if i64::try_from(number).is_err() => {
                return Err(invalid(count, what, TOO_LARGE));
            }
            number => at_least_one(Ok(number), count, what)?,
        };
        let what = "chunk number";
        let one = match one {
            b"" => None,
            _ => match at_least_one(number(one, what), one, what)? {
                number if number > number_of_chunks => {
                    return Err(invalid(one, what, ": Numerical result out of range"));
                }
                number => Some(number),
            },
        };
        Ok(Chunks {
            share,
            one,
            count: number_of_chunks,
        })
    }
}

/// What is asked for with `-n`.
pub(super) struct Plan {
    pub(super) chunks: Chunks,
    pub(super) separator: u8,
    /// Whether empty pieces are left out.
    pub(super) elides: bool,
    /// Whether every line is written at once.
    pub(super) is_unbuffered: bool,
}

impl Plan {
    pub(super) fn run(&self, input: &mut Input, sinks: &mut Sinks) -> Result<(), Stop> {
        match self.chunks.share {
            Share::RoundRobin => return round_robin::run(self, input, sinks),
            Share::Bytes => self.by_bytes(input, sinks)?,
            Share::Lines => self.by_lines(input, sinks)?,
        }
        if self.chunks.one.is_some() {
            sinks.flush()?;
        }
        Ok(())
    }

    fn by_bytes(&self, input: &mut Input, sinks: &mut Sinks) -> Result<(), Stop> {
        let size = input.size()?;
        let Chunks { one, count, .. } = self.chunks;
        let chunk = (size / count).max(1);
        let start = |place: u64| place.saturating_mul(chunk).min(size);
        let length = |place: u64| {
            let end = if place + 1 == count {
                size
            } else {
                start(place + 1)
            };
            end - start(place)
        };
        let mut buffer = vec![0; BLOCK];
        if let Some(one) = one {
            input.skip(start(one - 1))?;
            let mut left = length(one - 1);
            while left > 0 {
                let most = at_most(left, BLOCK);
                match input.read(&mut buffer[..most])? {
                    [] => break,
                    block => {
                        left -= block.len() as u64;
                        sinks.print(block)?;
                    }
                }
            }
            return Ok(());
        }
        for place in 0..count {
            let mut left = length(place);
            if left == 0 && self.elides {
                break;
            }
            // An empty piece is a file, too.
            sinks.put(b"")?;
            while left > 0 {
                let most = at_most(left, BLOCK);
                match input.read(&mut buffer[..most])? {
                    [] => break,
                    block => {
                        left -= block.len() as u64;
                        sinks.put(block)?;
                    }
                }
            }
            sinks.end();
        }
        Ok(())
    }

    /// A line belongs to the chunk in which its first byte lies.
    fn by_lines(&self, input: &mut Input, sinks: &mut Sinks) -> Result<(), Stop> {
        let size = input.size()?;
        let mut lines = ByLines {
            plan: self,
            chunk: (size / self.chunks.count).max(1),
            place: 0,
            at: 0,
        };
        let mut buffer = vec![0; BLOCK];
        loop {
            let mut block = input.read(&mut buffer)?;
            if block.is_empty() {
                break;
            }
            while !block.is_empty() {
                block = lines.step(block, sinks)?;
            }
            if self.chunks.one.is_some_and(|one| lines.place >= one) {
                return Ok(());
            }
        }
        lines.go_to(self.chunks.count, sinks)
    }
}

/// Where in the input a division by lines is.
struct ByLines<'a> {
    plan: &'a Plan,
    /// The bytes of a chunk.
    chunk: u64,
    /// The chunk that is being written, from 0.
    place: u64,
    /// How many bytes were written.
    at: u64,
}

impl ByLines<'_> {
    /// Writes bytes that belong to the chunk, and returns the rest.
    fn step<'b>(&mut self, block: &'b [u8], sinks: &mut Sinks) -> Result<&'b [u8], Stop> {
        let Chunks { one, count, .. } = self.plan.chunks;
        // The line that holds the chunk's last byte is its last line.
        let last = match self.place + 1 {
            next if next == count => u64::MAX,
            next => next.saturating_mul(self.chunk) - 1,
        };
        let before = at_most(last.saturating_sub(self.at), block.len());
        let end = memchr(self.plan.separator, &block[before..]).map(|found| before + found + 1);
        let (now, rest) = block.split_at(end.unwrap_or(block.len()));
        match one {
            None => sinks.put(now)?,
            Some(one) if one == self.place + 1 => sinks.print(now)?,
            Some(_) => {}
        }
        self.at += now.len() as u64;
        if end.is_some() && last != u64::MAX {
            self.go_to((self.at / self.chunk).min(count - 1), sinks)?;
        }
        Ok(rest)
    }

    /// Ends chunks until this one.
    fn go_to(&mut self, place: u64, sinks: &mut Sinks) -> Result<(), Stop> {
        if self.plan.chunks.one.is_some() || self.plan.elides {
            sinks.end();
            self.place = place;
            return Ok(());
        }
        while self.place < place {
            sinks.put(b"")?;
            sinks.end();
            self.place += 1;
        }
        Ok(())
    }
}
