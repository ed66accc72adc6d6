//! The fast path: lazy automata over bytes.
//!
//! A forward automaton finds the end of some leftmost match, a backward one its start, and a second
//! forward one the longest end from there. Where text beyond ASCII meets a class or a word boundary
//! whose characters are not listed, the search stops and says so.

use std::cell::{OnceCell, RefCell};

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::look::LookMatcher;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::Hir;

use crate::Span;

/// What one automaton may keep.
const CACHE: usize = 2 << 20;
/// What the graph of an expression may take.
const GRAPH: usize = 8 << 20;

/// An automaton and its states so far.
struct Lazy {
    dfa: DFA,
    cache: RefCell<Cache>,
}

/// The automata of an expression.
pub(crate) struct Fast {
    hir: Hir,
    line: Option<u8>,
    quits: bool,
    graph: NFA,
    leftmost: Lazy,
    longest: OnceCell<Option<Lazy>>,
    backward: OnceCell<Option<Lazy>>,
}

/// The search came to text that this automaton does not know, or gave up.
#[derive(Debug)]
pub(crate) struct Stopped {
    /// Where.
    pub(crate) at: usize,
}

impl std::fmt::Debug for Fast {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fast")
            .field("quits", &self.quits)
            .finish_non_exhaustive()
    }
}

impl Fast {
    /// Builds. With `quits` it stops at bytes beyond ASCII. None where it would be too large.
    pub(crate) fn new(hir: Hir, line: Option<u8>, quits: bool) -> Option<Fast> {
        let graph = graph(&hir, line, false)?;
        let leftmost = lazy(&graph, MatchKind::LeftmostFirst, quits)?;
        Some(Fast {
            hir,
            line,
            quits,
            graph,
            leftmost,
            longest: OnceCell::new(),
            backward: OnceCell::new(),
        })
    }

    /// Some place inside or at the end of the first line between `from` and `to` that matches: the
    /// end of a match in it.
    pub(crate) fn end(
        &self,
        text: &[u8],
        from: usize,
        to: usize,
    ) -> Result<Option<usize>, Stopped> {
        let input = Input::new(text).span(from..to).earliest(true);
        forward(&self.leftmost, &input)
    }

    /// The leftmost and then longest match at or after `from`.
    pub(crate) fn find(&self, text: &[u8], from: usize) -> Result<Option<Span>, Stopped> {
        let input = Input::new(text).span(from..text.len());
        let Some(end) = forward(&self.leftmost, &input)? else {
            return Ok(None);
        };
        let stopped = Stopped { at: from };
        let longest = self
            .longest
            .get_or_init(|| lazy(&self.graph, MatchKind::All, self.quits));
        let backward = self.backward.get_or_init(|| {
            let graph = graph(&self.hir, self.line, true)?;
            lazy(&graph, MatchKind::All, self.quits)
        });
        let (Some(longest), Some(backward)) = (longest, backward) else {
            return Err(stopped);
        };
        let start = if end == from {
            from
        } else {
            let input = Input::new(text).span(from..end).anchored(Anchored::Yes);
            let mut cache = backward.cache.borrow_mut();
            match backward.dfa.try_search_rev(&mut cache, &input) {
                Ok(Some(half)) => half.offset(),
                _ => return Err(stopped),
            }
        };
        let input = Input::new(text)
            .span(start..text.len())
            .anchored(Anchored::Yes);
        match forward(longest, &input)? {
            Some(end) => Ok(Some((start, end))),
            None => Err(stopped),
        }
    }
}

fn forward(lazy: &Lazy, input: &Input<'_>) -> Result<Option<usize>, Stopped> {
    let mut cache = lazy.cache.borrow_mut();
    match lazy.dfa.try_search_fwd(&mut cache, input) {
        Ok(found) => Ok(found.map(|half| half.offset())),
        Err(error) => {
            use regex_automata::MatchErrorKind::{GaveUp, Quit};
            let at = match error.kind() {
                Quit { offset, .. } | GaveUp { offset } => *offset,
                _ => input.start(),
            };
            Err(Stopped { at })
        }
    }
}

fn graph(hir: &Hir, line: Option<u8>, backward: bool) -> Option<NFA> {
    let mut look = LookMatcher::new();
    if let Some(line) = line {
        look.set_line_terminator(line);
    }
    let config = thompson::Config::new()
        .utf8(false)
        .reverse(backward)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(GRAPH))
        .look_matcher(look);
    thompson::Compiler::new()
        .configure(config)
        .build_from_hir(hir)
        .ok()
}

fn lazy(graph: &NFA, kind: MatchKind, quits: bool) -> Option<Lazy> {
    let mut config = DFA::config()
        .match_kind(kind)
        .cache_capacity(CACHE)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(Some(20))
        .minimum_bytes_per_state(Some(10));
    if quits {
        for byte in 0x80..=0xff {
            config = config.quit(byte, true);
        }
    }
    let dfa = DFA::builder()
        .configure(config)
        .build_from_nfa(graph.clone())
        .ok()?;
    let cache = RefCell::new(dfa.create_cache());
    Some(Lazy { dfa, cache })
}
