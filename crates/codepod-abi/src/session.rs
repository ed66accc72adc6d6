//! Requests of the host to a process that serves it, the shell: what `session_next` hands over.
//!
//! The kernel passes them on without looking. A request is a kind and a list of fields, each with
//! its length before it, all little-endian `u32`. A reader skips fields that it does not know and
//! takes missing ones as empty, so both sides may learn new ones at different times.

extern crate alloc;

use alloc::vec::Vec;

const LOAD: u32 = 1;
const RUN: u32 = 2;
const END: u32 = 3;

/// [`Run::flags`]: where bash is terse, a second line may say what to do.
pub const HINTS: u32 = 1;

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request<'a> {
    /// Take over a state that an earlier `session_done` gave, in this process or another.
    Load {
        /// That state.
        state: &'a [u8],
    },
    /// Run a script with the standard descriptors as they are now.
    Run(Run<'a>),
    /// The shell is closed: run its EXIT trap. The process may end instead of answering.
    End,
}

/// A script to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Run<'a> {
    /// [`HINTS`]; unknown bits are ignored.
    pub flags: u32,
    /// Its text: any bytes.
    pub script: &'a [u8],
    /// `NAME=value` strings, each ended by a NUL: exported for this run, and put back afterwards.
    pub env: &'a [u8],
    /// `$0` and the positional parameters for this run, each ended by a NUL; empty leaves them as
    /// they are.
    pub arguments: &'a [u8],
}

impl<'a> Request<'a> {
    /// As bytes, appended.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Request::Load { state } => {
                word(out, LOAD);
                field(out, state);
            }
            Request::Run(run) => {
                let fields = [run.script, run.env, run.arguments];
                out.reserve(20 + fields.iter().map(|field| field.len()).sum::<usize>());
                word(out, RUN);
                field(out, &run.flags.to_le_bytes());
                for bytes in fields {
                    field(out, bytes);
                }
            }
            Request::End => word(out, END),
        }
    }

    /// From bytes. `None` for a kind that is not known and for fields that are cut.
    pub fn decode(bytes: &'a [u8]) -> Option<Request<'a>> {
        let (kind, mut rest) = bytes.split_first_chunk()?;
        match u32::from_le_bytes(*kind) {
            LOAD => Some(Request::Load {
                state: next(&mut rest)?,
            }),
            RUN => Some(Request::Run(Run {
                flags: u32::from_le_bytes(next(&mut rest)?.try_into().ok()?),
                script: next(&mut rest)?,
                env: next(&mut rest)?,
                arguments: next(&mut rest)?,
            })),
            END => Some(Request::End),
            _ => None,
        }
    }
}

/// The strings of a field in which each is ended by a NUL.
pub fn strings(field: &[u8]) -> impl Iterator<Item = &[u8]> {
    field
        .split_inclusive(|byte| *byte == 0)
        .map(|string| string.strip_suffix(&[0]).unwrap_or(string))
}

fn word(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn field(out: &mut Vec<u8>, bytes: &[u8]) {
    word(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

/// Takes the next field; empty when there is none, `None` when it is cut.
fn next<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    if rest.is_empty() {
        return Some(&[]);
    }
    let (len, tail) = rest.split_first_chunk()?;
    let (bytes, tail) = tail.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    *rest = tail;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: Request<'static> = Request::Run(Run {
        flags: HINTS,
        script: b"echo \xff\0",
        env: b"A=1\0B=\0",
        arguments: b"bash\0one\0",
    });

    fn encoded(request: Request<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        request.encode(&mut bytes);
        bytes
    }

    #[test]
    fn a_request_survives_its_bytes() {
        for request in [
            EVERYTHING,
            Request::Run(Run::default()),
            Request::Load { state: b"state" },
            Request::End,
        ] {
            assert_eq!(Request::decode(&encoded(request)), Some(request));
        }
    }

    #[test]
    fn fields_that_are_cut_or_unknown_are_refused_or_skipped() {
        let mut bytes = encoded(EVERYTHING);
        for end in 5..bytes.len() {
            // Between fields the rest is missing, which is fine; within one it is cut.
            if let Some(Request::Run(run)) = Request::decode(&bytes[..end]) {
                assert!(run.arguments.is_empty(), "{end}");
            }
        }
        assert_eq!(Request::decode(&bytes[..bytes.len() - 1]), None);
        bytes.extend([3, 0, 0, 0, 1, 2, 3]);
        assert_eq!(Request::decode(&bytes), Some(EVERYTHING));
        assert_eq!(Request::decode(&[9, 0, 0, 0]), None);
        assert_eq!(Request::decode(b""), None);
    }

    #[test]
    fn strings_may_be_empty_and_the_last_may_lack_its_end() {
        assert!(strings(b"a\0\0b").eq([&b"a"[..], b"", b"b"]));
        assert_eq!(strings(b"").count(), 0);
    }
}
