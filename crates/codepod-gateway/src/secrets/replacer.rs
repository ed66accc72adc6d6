//! Replaces texts in bytes that arrive in pieces.
//!
//! Of several texts that begin at one place the longest wins, and the result does not depend on
//! how the bytes are divided. What may be the beginning of a text is held back until it is decided;
//! nothing else is, so that a stream of events stays one.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

/// Texts and what takes their place. Each belongs to a secret, by its index.
#[derive(Debug)]
pub(crate) struct Replacer {
    automaton: AhoCorasick,
    texts: Vec<Text>,
    longest: usize,
}

#[derive(Debug)]
struct Text {
    from: Vec<u8>,
    to: Vec<u8>,
    secret: usize,
}

impl Replacer {
    /// A replacer of `(text, replacement, secret)`; `None` when there are none, or too many for an
    /// automaton.
    pub(super) fn new(
        texts: impl IntoIterator<Item = (Vec<u8>, Vec<u8>, usize)>,
    ) -> Option<Replacer> {
        let texts: Vec<Text> = texts
            .into_iter()
            .map(|(from, to, secret)| Text { from, to, secret })
            .collect();
        let longest = texts.iter().map(|text| text.from.len()).max()?;
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(texts.iter().map(|text| &text.from))
            .ok()?;
        Some(Replacer {
            automaton,
            texts,
            longest,
        })
    }

    /// The secret whose text is found first.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<usize> {
        let found = self.automaton.find(bytes)?;
        Some(self.texts[found.pattern().as_usize()].secret)
    }

    /// Replaces all; `hits` gets the secrets found.
    pub(crate) fn replace(&self, bytes: &[u8], hits: &mut u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        self.advance(bytes, bytes.len(), &mut out, hits);
        out
    }

    /// Whether replacing changes no length.
    pub(crate) fn keeps_lengths(&self) -> bool {
        self.texts
            .iter()
            .all(|text| text.from.len() == text.to.len())
    }

    /// Replaces what begins before `until`, and returns how far it got: to `until`, or to the end
    /// of a text that goes beyond.
    fn advance(&self, bytes: &[u8], until: usize, out: &mut Vec<u8>, hits: &mut u64) -> usize {
        let mut done = 0;
        for found in self.automaton.find_iter(bytes) {
            if found.start() >= until {
                break;
            }
            let text = &self.texts[found.pattern().as_usize()];
            out.extend_from_slice(&bytes[done..found.start()]);
            out.extend_from_slice(&text.to);
            *hits |= 1 << text.secret;
            done = found.end();
        }
        if done < until {
            out.extend_from_slice(&bytes[done..until]);
            done = until;
        }
        done
    }

    /// Where the end of `bytes` begins that may be the beginning of a text.
    fn undecided(&self, bytes: &[u8]) -> usize {
        let first = bytes.len().saturating_sub(self.longest - 1);
        (first..bytes.len())
            .find(|&at| {
                let rest = &bytes[at..];
                let begins =
                    |text: &Text| text.from.len() > rest.len() && text.from.starts_with(rest);
                self.texts.iter().any(begins)
            })
            .unwrap_or(bytes.len())
    }
}

/// A replacement under way.
#[derive(Debug)]
pub(crate) struct Stream {
    replacer: Arc<Replacer>,
    held: Vec<u8>,
    hits: u64,
}

impl Stream {
    /// A replacement at its beginning.
    pub(crate) fn new(replacer: Arc<Replacer>) -> Stream {
        Stream {
            replacer,
            held: Vec::new(),
            hits: 0,
        }
    }

    /// Takes a piece, and returns what is decided.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(piece);
        let until = self.replacer.undecided(&bytes);
        let mut out = Vec::with_capacity(bytes.len());
        let done = self
            .replacer
            .advance(&bytes, until, &mut out, &mut self.hits);
        self.held = bytes.split_off(done);
        out
    }

    /// The rest, at the end. More may follow, as from a new beginning.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let rest = std::mem::take(&mut self.held);
        self.replacer.replace(&rest, &mut self.hits)
    }

    /// How many bytes are held back.
    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }

    /// Whether replacing changes no length.
    pub(crate) fn keeps_lengths(&self) -> bool {
        self.replacer.keeps_lengths()
    }

    /// The secrets that were found, a bit each.
    pub(crate) fn hits(&self) -> u64 {
        self.hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn replacer(texts: &[(&str, &str)]) -> Arc<Replacer> {
        let texts = texts.iter().enumerate().map(|(index, (from, to))| {
            (from.as_bytes().to_vec(), to.as_bytes().to_vec(), index % 64)
        });
        Arc::new(Replacer::new(texts).unwrap())
    }

    fn in_pieces<'a>(replacer: &Arc<Replacer>, pieces: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
        let mut stream = Stream::new(replacer.clone());
        let mut out: Vec<u8> = pieces.flat_map(|piece| stream.push(piece)).collect();
        out.extend(stream.finish());
        out
    }

    #[test]
    fn nothing_is_held_back_but_a_beginning() {
        let replacer = replacer(&[("secret", "PUBLIC")]);
        let mut stream = Stream::new(replacer);
        assert_eq!(stream.push(b"data: hello\n\n"), b"data: hello\n\n");
        assert_eq!(stream.push(b"a se"), b"a ");
        assert_eq!(stream.push(b"crets"), b"PUBLIC");
        assert_eq!(stream.push(b"ea"), b"sea");
        assert_eq!(
            (stream.push(b"secre"), stream.finish()),
            (vec![], b"secre".to_vec())
        );
        assert_eq!(stream.hits(), 1);
    }

    #[test]
    fn the_longest_of_several_wins_wherever_the_pieces_end() {
        let replacer = replacer(&[("ab", "1"), ("abcd", "2"), ("bc", "3"), ("cde", "4")]);
        for (text, expected) in [
            ("abcd", "2"),
            ("abcx", "1cx"),
            ("xbcde", "x3de"),
            ("abcde", "2e"),
            ("abc", "1c"),
            ("ccde", "c4"),
        ] {
            for at in 0..=text.len() {
                let (a, b) = text.as_bytes().split_at(at);
                assert_eq!(
                    in_pieces(&replacer, [a, b].into_iter()),
                    expected.as_bytes(),
                    "{text} at {at}"
                );
            }
        }
    }

    proptest! {
        /// The pieces do not matter, with a plain search from left to right as the reference.
        #[test]
        fn pieces_do_not_matter(
            texts in prop::collection::btree_set("[ab]{1,6}", 1..5),
            bytes in "[abc]{0,60}",
            sizes in prop::collection::vec(1usize..8, 1..60),
        ) {
            let pairs: Vec<(String, String)> = texts.iter().map(|t| (t.clone(), format!("<{}>", t.len()))).collect();
            let replacer = replacer(&pairs.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect::<Vec<_>>());
            let mut expected = String::new();
            let mut rest = bytes.as_str();
            while let Some(first) = rest.chars().next() {
                match pairs.iter().filter(|(t, _)| rest.starts_with(t.as_str())).max_by_key(|(t, _)| t.len()) {
                    Some((text, to)) => { expected += to; rest = &rest[text.len()..]; }
                    None => { expected.push(first); rest = &rest[1..]; }
                }
            }
            let mut pieces = Vec::new();
            let mut left = bytes.as_bytes();
            for size in sizes.into_iter().cycle() {
                if left.is_empty() { break; }
                let (piece, more) = left.split_at(size.min(left.len()));
                pieces.push(piece);
                left = more;
            }
            prop_assert_eq!(in_pieces(&replacer, pieces.into_iter()), expected.as_bytes());
        }
    }
}
