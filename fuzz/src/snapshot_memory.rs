//! Saved states and memory: an import takes no more than four times its stream and 1 MiB, beside
//! what shells may hold. Files may hold 64 KiB here; for sandboxes with the usual limits the bound
//! is 32 MiB.
//!
//! A stream of libFuzzer's is short. So an input is a sketch: parts of a state, each many times
//! over, whose checksums are made to fit; and bytes that are changed in the stream at last.

use arbitrary::{Arbitrary, Unstructured};
use codepod_store::import;
use codepod_store::testing::{Sketch, file, gone, root};
use codepod_vfs::{FsLimits, Tree};

use crate::allocation::Watch;
use crate::as_many_as_there_are;

/// What is allowed beside four times the stream.
const BESIDE: usize = 1 << 20;
/// The most bytes of anything that an input makes: more only takes time.
const MOST: usize = 64 << 10;
/// The mounts of the sandbox that a state is imported into.
const MOUNTS: [&[u8]; 4] = [b"/0", b"/1", b"/2", b"/3"];
/// The most mounts, and the most shells: far beyond what is allowed.
const MOST_NAMES: usize = 9_000;
/// The most blocks in shells.
const MOST_BLOCKS: usize = 8;
/// The most bytes in a segment.
const SEGMENT: usize = 64 << 10;

/// A state.
#[derive(Debug)]
pub struct Input {
    /// How many bytes are changed in the stream, where, and to what; they come first in the input.
    changes: Vec<(u32, u8)>,
    parts: Vec<Part>,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Input> {
        let count = usize::from(u.arbitrary::<u8>()? % 4);
        let changes = (0..count)
            .map(|_| u.arbitrary())
            .collect::<Result<_, _>>()?;
        Ok(Input {
            changes,
            parts: as_many_as_there_are(u, 16)?,
        })
    }
}

/// A part of a state.
#[derive(Debug, Arbitrary)]
enum Part {
    /// Mounts that hold what came since the last ones, the first one alone or all of them.
    Mounts {
        count: Many,
        overlay: bool,
        shared: bool,
    },
    /// Shells of so many blocks of the same byte.
    Shells { count: Many, blocks: u8, byte: u8 },
    /// The root directory.
    Root,
    /// Names that are gone, one after the other.
    Gone { first: u32, count: Many, length: u8 },
    /// Files of so many pieces of so many bytes, with content or without.
    Files {
        first: u32,
        count: u8,
        pieces: u8,
        length: u16,
        there: bool,
    },
    /// Bytes as they are, so many times.
    Raw { bytes: [u8; 8], count: u8 },
}

/// How many there are of something: mostly few, so that runs are short, and sometimes more than are
/// allowed.
#[derive(Debug, Clone, Copy, Arbitrary)]
struct Many(u8);

impl Many {
    fn number(self) -> usize {
        (1 << (self.0 / 18)) + usize::from(self.0 % 18)
    }
}

/// Imports a state; what that took has to be within the bound.
pub fn run(input: &Input) {
    let stream = input.stream();
    let shells = input.shell_bytes();
    let limits = FsLimits {
        bytes: 64 << 10,
        nodes: 200,
        ..FsLimits::default()
    };
    let image = Tree::builder().file("bin/a", 0o755, "a tool").build();
    // The mounts are those of who imports, each with limits of its own.
    let bases = |at: &[u8], overlay: bool| {
        let tree = if overlay { Tree::new() } else { image.clone() };
        MOUNTS.contains(&at).then(|| tree.with_limits(limits))
    };
    let watch = Watch::new();
    let outcome = import(&mut &stream[..], None, &bases).map(drop);
    let peak = watch.peak();
    assert!(
        peak <= 4 * stream.len() + BESIDE + shells,
        "{peak} bytes were allocated for {}: {outcome:?}",
        stream.len()
    );
}

impl Input {
    fn stream(&self) -> Vec<u8> {
        let mut sketch = Sketch::default();
        let mut tree = Segments::default();
        let (mut shell_blocks, mut made) = (0, 0);
        for part in &self.parts {
            match *part {
                Part::Mounts {
                    count,
                    overlay,
                    shared,
                } => {
                    let Segments { segments, bytes } = std::mem::take(&mut tree);
                    let room = MOST_NAMES.saturating_sub(sketch.mounts.len());
                    for n in 0..count.number().min(room) {
                        let segments = if n == 0 || shared && n * bytes < MOST {
                            segments.clone()
                        } else {
                            Vec::new()
                        };
                        let at = format!("/{n}").into_bytes();
                        sketch.mounts.push((at, overlay, segments));
                    }
                }
                Part::Shells {
                    count,
                    blocks,
                    byte,
                } => {
                    let blocks = usize::from(blocks);
                    let room = MOST_NAMES.saturating_sub(sketch.shells.len());
                    for n in 0..count.number().min(room) {
                        let blocks = if n == 0 { blocks } else { 0 };
                        shell_blocks += blocks;
                        // They take memory here, too: so many of them, and then the limit shows in
                        // other ways.
                        let blocks = if shell_blocks <= MOST_BLOCKS {
                            blocks
                        } else {
                            0
                        };
                        let name = format!("{:08}", sketch.shells.len());
                        sketch
                            .shells
                            .push((name, vec![vec![byte; SEGMENT]; blocks]));
                    }
                }
                Part::Root => tree.add(&root()),
                Part::Gone {
                    first,
                    count,
                    length,
                } => {
                    let length = usize::from(length);
                    for n in 0..count.number() as u32 {
                        if tree.bytes > MOST {
                            break;
                        }
                        let name = format!("{:0length$}", first.wrapping_add(n));
                        tree.add(&gone(name.as_bytes()));
                    }
                }
                Part::Files {
                    first,
                    count,
                    pieces,
                    length,
                    there,
                } => {
                    for n in 0..u32::from(count) {
                        made += usize::from(pieces) * usize::from(length);
                        if tree.bytes > MOST || made > MOST {
                            break;
                        }
                        let number = first.wrapping_add(n);
                        let content = |place: u8| {
                            let mut bytes = vec![place; usize::from(length).max(1)];
                            bytes[0] = n as u8;
                            bytes
                        };
                        let contents: Vec<Vec<u8>> = (0..pieces).map(content).collect();
                        let digests = contents.iter().map(|bytes| *blake3::hash(bytes).as_bytes());
                        let digests: Vec<[u8; 32]> = digests.collect();
                        let name = format!("{number:010}");
                        tree.add(&file(name.as_bytes(), &digests, length.max(1).into()));
                        if there {
                            sketch.contents.extend(contents);
                        }
                    }
                }
                Part::Raw { bytes, count } => (0..count).for_each(|_| tree.add(&bytes)),
            }
        }
        let mut stream = sketch.stream();
        for (at, byte) in &self.changes {
            let at = *at as usize % stream.len().max(1);
            if let Some(place) = stream.get_mut(at) {
                *place = *byte;
            }
        }
        stream
    }

    /// What the shells of the state hold, of which each block is in the stream once.
    fn shell_bytes(&self) -> usize {
        let blocks = self.parts.iter().map(|part| match *part {
            Part::Shells { blocks, .. } => usize::from(blocks),
            _ => 0,
        });
        blocks.sum::<usize>().min(MOST_BLOCKS) * SEGMENT
    }
}

/// The form of a tree, cut into segments.
#[derive(Debug, Default)]
struct Segments {
    segments: Vec<Vec<u8>>,
    bytes: usize,
}

impl Segments {
    fn add(&mut self, record: &[u8]) {
        self.bytes += record.len();
        if self.bytes > MOST || record.len() > SEGMENT {
            return;
        }
        match self.segments.last_mut() {
            Some(last) if last.len() + record.len() <= SEGMENT => last.extend_from_slice(record),
            _ => self.segments.push(record.to_vec()),
        }
    }
}
