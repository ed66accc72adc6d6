//! Operators that change strings: trimming, replacing, changing case.

use std::rc::Rc;

use codepod_shell_syntax::tree::{Part, ReplaceWhich, Word};

use super::lookup::Fetched;
use super::param::{map, operand, options};
use super::sink::{Kind, Sink};
use super::word::{self, Place};
use crate::flow::Run;
use crate::options::ShellOptions;
use crate::pattern::{Pattern, chars};
use crate::shell::Shell;
use crate::text::Text;

/// `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`
pub(super) fn trim(text: Text, pattern: &Pattern, suffix: bool, longest: bool) -> Text {
    if suffix {
        match pattern.suffix(&text, longest) {
            Some(start) if start < text.len() => Text::new(&text[..start]),
            _ => text,
        }
    } else {
        match pattern.prefix(&text, longest) {
            Some(end @ 1..) => Text::new(&text[end..]),
            _ => text,
        }
    }
}

/// `${x/p/r}` and its forms.
pub(super) fn replace(
    shell: &mut Shell,
    fetched: Fetched,
    which: ReplaceWhich,
    pattern: &Word,
    with: Option<&Word>,
) -> Run<Fetched> {
    let nocase = shell.state.shopt.has(ShellOptions::NOCASEMATCH);
    let (which, pattern) = match which {
        ReplaceWhich::First => found_in_pattern(shell, pattern, nocase)?,
        which => (which, operand(shell, pattern, nocase)?),
    };
    let with = match with {
        Some(word) => Replacement::expand(shell, word)?,
        None => Replacement::Text(Text::EMPTY),
    };
    Ok(map(fetched, |text| replaced(text, which, &pattern, &with)))
}

/// The pattern of `${x/p/r}`, where what `p` expands to may still begin with the `#` or `%` that
/// says which match is meant.
fn found_in_pattern(
    shell: &mut Shell,
    word: &Word,
    nocase: bool,
) -> Run<(ReplaceWhich, Rc<Pattern>)> {
    if let [Part::Literal(_)] = word.parts.as_slice() {
        return Ok((ReplaceWhich::First, operand(shell, word, nocase)?));
    }
    let text = super::joined(shell, &word.parts, Kind::Pattern, Place::Bare)?;
    let which = match text.first() {
        Some(b'#') => ReplaceWhich::Start,
        Some(b'%') => ReplaceWhich::End,
        _ => ReplaceWhich::First,
    };
    let rest = &text[usize::from(which != ReplaceWhich::First)..];
    Ok((which, Pattern::cached(rest, options(shell, nocase))))
}

/// What comes into the place of a match.
enum Replacement {
    /// A text that does not depend on the match.
    Text(Text),
    /// Pieces with the match between them (`&`).
    Around(Vec<Vec<u8>>),
}

impl Replacement {
    fn expand(shell: &mut Shell, word: &Word) -> Run<Replacement> {
        if !shell.state.shopt.has(ShellOptions::PATSUB_REPLACEMENT) || !may_have_match(&word.parts)
        {
            return super::single(shell, word).map(Replacement::Text);
        }
        let mut sink = Sink::new(Kind::Replacement, Vec::new());
        word::parts(shell, &mut sink, &word.parts, Place::Bare)?;
        let text = sink.into_text();
        let (mut pieces, mut piece, mut at) = (Vec::new(), Vec::new(), 0);
        while at < text.len() {
            match text[at] {
                b'\\' if at + 1 < text.len() => {
                    // A backslash quotes `&` and itself; before anything else it stands for itself.
                    if !matches!(text[at + 1], b'&' | b'\\') {
                        piece.push(b'\\');
                    }
                    piece.push(text[at + 1]);
                    at += 2;
                }
                b'&' => {
                    pieces.push(std::mem::take(&mut piece));
                    at += 1;
                }
                byte => {
                    piece.push(byte);
                    at += 1;
                }
            }
        }
        if pieces.is_empty() {
            return Ok(Replacement::Text(piece.into()));
        }
        pieces.push(piece);
        Ok(Replacement::Around(pieces))
    }

    fn push(&self, found: &[u8], out: &mut Vec<u8>) {
        match self {
            Replacement::Text(text) => out.extend_from_slice(text),
            Replacement::Around(pieces) => {
                for (number, piece) in pieces.iter().enumerate() {
                    if number > 0 {
                        out.extend_from_slice(found);
                    }
                    out.extend_from_slice(piece);
                }
            }
        }
    }
}

/// Whether a `&` can come out of the parts unquoted.
fn may_have_match(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Literal(bytes) => bytes.contains(&b'&') || bytes.contains(&b'\\'),
        Part::Quoted(..) | Part::Double(_) => false,
        _ => true,
    })
}

fn replaced(text: Text, which: ReplaceWhich, pattern: &Pattern, with: &Replacement) -> Text {
    let at_end = which == ReplaceWhich::End;
    if pattern.is_never_found() || text.is_empty() && !pattern.may_replace_nothing(at_end) {
        return text;
    }
    let (start, end) = match which {
        ReplaceWhich::Start => match pattern.prefix(&text, true) {
            Some(end) => (0, end),
            None => return text,
        },
        ReplaceWhich::End => match pattern.suffix(&text, true) {
            Some(start) => (start, text.len()),
            None => return text,
        },
        // An empty pattern matches nothing here.
        ReplaceWhich::First | ReplaceWhich::All if pattern.as_literal() == Some(b"") => {
            return text;
        }
        ReplaceWhich::First => match pattern.find(&text, 0) {
            Some(found) => found,
            None => return text,
        },
        ReplaceWhich::All => return all(text, pattern, with),
    };
    let mut out = Vec::with_capacity(text.len());
    out.extend_from_slice(&text[..start]);
    with.push(&text[start..end], &mut out);
    out.extend_from_slice(&text[end..]);
    out.into()
}

fn all(text: Text, pattern: &Pattern, with: &Replacement) -> Text {
    if let (Some([byte]), Replacement::Text(with)) = (pattern.as_literal(), with)
        && let [new] = **with
    {
        // One byte for another.
        if !text.contains(byte) {
            return text;
        }
        return text
            .iter()
            .map(|old| if old == byte { new } else { *old })
            .collect::<Vec<u8>>()
            .into();
    }
    let mut out = Vec::new();
    let mut at = 0;
    let mut any = false;
    let mut search = pattern.search(&text);
    while at <= text.len() {
        let Some((start, end)) = search.from(at) else {
            break;
        };
        if !any {
            any = true;
            out.reserve(text.len());
        }
        if start == text.len() && !(text.is_empty() || start == at && end > start) {
            // At the end, an empty match is none.
            break;
        }
        out.extend_from_slice(&text[at..start]);
        with.push(&text[start..end], &mut out);
        at = end;
        if start == end {
            // After an empty match comes one character as it is.
            if at >= text.len() {
                break;
            }
            let after = chars::next(&text, at).1;
            out.extend_from_slice(&text[at..after]);
            at = after;
        }
        if at >= text.len() {
            break;
        }
    }
    if !any {
        return text;
    }
    out.extend_from_slice(&text[at.min(text.len())..]);
    out.into()
}

/// `${x^p}`, `${x^^p}`, `${x,p}`, `${x,,p}`, `${x~p}`, `${x~~p}`
pub(super) fn case(text: Text, op: u8, all: bool, pattern: Option<&Pattern>) -> Text {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let (code, after) = chars::next(&text, at);
        if pattern.is_none_or(|pattern| pattern.matches(&text[at..after])) {
            let changed = match op {
                b'^' => chars::upper(code),
                b',' => chars::lower(code),
                _ if after == at + 1 && code > 0x7f => {
                    // bash takes the byte's number for that of a character.
                    out.push(swapped(text[at]));
                    at = after;
                    if !all {
                        out.extend_from_slice(&text[at..]);
                        break;
                    }
                    continue;
                }
                _ if chars::upper(code) != code => chars::upper(code),
                _ => chars::lower(code),
            };
            chars::push(changed, &mut out);
        } else {
            out.extend_from_slice(&text[at..after]);
        }
        at = after;
        if !all {
            out.extend_from_slice(&text[at..]);
            break;
        }
    }
    out.into()
}

/// A byte of Latin 1 in the other case.
fn swapped(byte: u8) -> u8 {
    match byte {
        0xd7 | 0xdf | 0xf7 | 0xff => byte,
        0xc0..=0xde => byte + 0x20,
        0xe0..=0xfe => byte - 0x20,
        _ => byte,
    }
}
