//! `sub`, `gsub`, `gensub`, `match`.

use super::{Awk, Eval, fatal};
use crate::parser::place_of;
use crate::regex::Re;
use crate::text;
use crate::text::Str;
use crate::tree::{ArrayRef, Expr, Place, Special};
use crate::value::Value;

/// A part of what is put in.
#[derive(Debug, PartialEq)]
enum Piece {
    Text(Vec<u8>),
    /// A group; 0 for the whole match.
    Group(usize),
}

/// Where matches are: each with its groups.
type Groups = Vec<Option<(usize, usize)>>;

impl Awk {
    /// `sub` and `gsub`.
    pub(super) fn sub(&mut self, all: bool, arguments: &[Expr]) -> Eval<f64> {
        let regex = self.regex(&arguments[0])?;
        let replacement = self.text(&arguments[1])?;
        let place = match arguments.get(2) {
            None => Some(Place::Field(Box::new(Expr::Num(0.0)))),
            Some(target) => place_of(target.clone()),
        };
        let old = match (&place, arguments.get(2)) {
            (None, Some(target)) => self.text(target)?,
            (Some(place), _) => self.stored(place)?.str(&self.convfmt),
            (None, None) => Str::EMPTY,
        };
        let old = old.as_bytes();
        let pieces = pieces(replacement.as_bytes(), false);
        let mut out = Vec::new();
        let mut copied = 0;
        let mut count = 0.0;
        let icase = self.icase;
        each_match(&regex, old, icase, false, |groups| {
            let Some((start, end)) = groups[0] else {
                return false;
            };
            out.extend_from_slice(&old[copied..start]);
            put(&pieces, old, groups, &mut out);
            copied = end;
            count += 1.0;
            all
        })?;
        if count > 0.0 {
            out.extend_from_slice(&old[copied..]);
            if let Some(place) = place {
                self.assign(&place, Value::Str(Str::from(out)))?;
            }
        }
        Ok(count)
    }

    /// `gensub`: the text with what matches replaced.
    pub(super) fn gensub(&mut self, arguments: &[Expr]) -> Eval<Value> {
        let regex = self.regex(&arguments[0])?;
        let replacement = self.text(&arguments[1])?;
        let how = self.eval(&arguments[2])?;
        let target = match arguments.get(3) {
            Some(target) => self.text(target)?,
            None => Str::new(self.record.text(&self.ofs, &self.convfmt)),
        };
        let how_text = how.str(&self.convfmt);
        let wanted = match how_text.as_bytes().first() {
            Some(b'g' | b'G') => None,
            _ => {
                let number = how.num();
                if number < 1.0 {
                    let shown = String::from_utf8_lossy(how_text.as_bytes()).into_owned();
                    self.warn(&format!("gensub: third argument `{shown}' treated as 1"));
                }
                Some((number as usize).max(1))
            }
        };
        let old = target.as_bytes();
        let pieces = pieces(replacement.as_bytes(), true);
        let grouped = pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Group(1..)));
        let mut out = Vec::new();
        let mut copied = 0;
        let mut count = 0;
        let icase = self.icase;
        each_match(&regex, old, icase, grouped, |groups| {
            count += 1;
            if wanted.is_some_and(|wanted| count < wanted) {
                return true;
            }
            let Some((start, end)) = groups[0] else {
                return false;
            };
            out.extend_from_slice(&old[copied..start]);
            put(&pieces, old, groups, &mut out);
            copied = end;
            wanted.is_none()
        })?;
        out.extend_from_slice(&old[copied..]);
        Ok(Value::Str(Str::from(out)))
    }

    /// `match`: sets RSTART and RLENGTH, and the array of groups.
    pub(super) fn matching(&mut self, arguments: &[Expr]) -> Eval<f64> {
        let subject = self.text(&arguments[0])?;
        let subject = subject.as_bytes();
        let regex = self.regex(&arguments[1])?;
        let array = match arguments.get(2) {
            Some(Expr::Var(var)) => Some(self.array(&ArrayRef::Var(*var))?),
            Some(Expr::Element(array, keys)) => {
                Some(self.array(&ArrayRef::Element(Box::new(array.clone()), keys.clone()))?)
            }
            Some(_) => return fatal("match: third argument is not an array"),
            None => None,
        };
        let groups = match &array {
            Some(_) => regex.captures(subject, 0, self.icase).or_else(fatal)?,
            None => regex
                .find(subject, 0, self.icase)
                .or_else(fatal)?
                .map(|span| vec![Some(span)]),
        };
        let bytes = self.bytes;
        let position = move |at: usize| {
            if bytes {
                at
            } else {
                text::length(&subject[..at])
            }
        };
        if let Some(array) = &array {
            let mut array = array.borrow_mut();
            array.clear();
            for (number, group) in groups.iter().flatten().enumerate() {
                let Some((start, end)) = group else {
                    continue;
                };
                let name = number.to_string().into_bytes();
                let at = position(*start);
                let length = position(*end) - at;
                array.set(&name, Value::Input(Str::new(&subject[*start..*end])));
                let key = |word: &[u8]| [&name[..], &self.subsep, word].concat();
                array.set(&key(b"start"), Value::Num(at as f64 + 1.0));
                array.set(&key(b"length"), Value::Num(length as f64));
            }
        }
        let (start, length) = match groups.as_ref().and_then(|groups| groups[0]) {
            Some((start, end)) => {
                let at = position(start);
                (at as f64 + 1.0, (position(end) - at) as f64)
            }
            None => (0.0, -1.0),
        };
        self.set_number(Special::RSTART, start);
        self.set_number(Special::RLENGTH, length);
        Ok(start)
    }
}

/// Calls `found` with every match, from left to right, until it says that this was the last.
fn each_match(
    regex: &Re,
    text: &[u8],
    icase: bool,
    grouped: bool,
    mut found: impl FnMut(&Groups) -> bool,
) -> Eval<()> {
    let mut from = 0;
    let mut last_end = None;
    while from <= text.len() {
        let groups = match grouped {
            true => regex.captures(text, from, icase),
            false => regex
                .find(text, from, icase)
                .map(|span| span.map(|span| vec![Some(span)])),
        };
        let Some(groups) = groups.or_else(fatal)? else {
            break;
        };
        let Some((start, end)) = groups[0] else {
            break;
        };
        let empty = start == end;
        // Right behind a match an empty one does not count.
        if !(empty && last_end == Some(start)) {
            if !found(&groups) {
                break;
            }
            last_end = Some(end);
        }
        from = match empty {
            true if end >= text.len() => break,
            true => end + text::character(&text[end..]),
            false => end,
        };
    }
    Ok(())
}

/// What is put in, taken apart: `&` is the match, `\\&` an ampersand; `\\1` a group for `gensub`.
fn pieces(replacement: &[u8], grouped: bool) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut text = Vec::new();
    let mut at = 0;
    while at < replacement.len() {
        let byte = replacement[at];
        at += 1;
        let group = match (byte, replacement.get(at)) {
            (b'&', _) => 0,
            (b'\\', Some(b'&')) => {
                at += 1;
                text.push(b'&');
                continue;
            }
            (b'\\', Some(b'\\')) if grouped || starts_escape(&replacement[at - 1..]) => {
                at += 1;
                text.push(b'\\');
                continue;
            }
            (b'\\', Some(digit @ b'0'..=b'9')) if grouped => {
                at += 1;
                usize::from(digit - b'0')
            }
            _ => {
                text.push(byte);
                continue;
            }
        };
        if !text.is_empty() {
            all.push(Piece::Text(std::mem::take(&mut text)));
        }
        all.push(Piece::Group(group));
    }
    if !text.is_empty() {
        all.push(Piece::Text(text));
    }
    all
}

/// Whether the backslashes here lead to an ampersand, so that they are counted in pairs.
fn starts_escape(rest: &[u8]) -> bool {
    let backslashes = rest.iter().take_while(|byte| **byte == b'\\').count();
    rest.get(backslashes) == Some(&b'&')
}

fn put(pieces: &[Piece], subject: &[u8], groups: &Groups, out: &mut Vec<u8>) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Group(number) => {
                if let Some(Some((start, end))) = groups.get(*number) {
                    out.extend_from_slice(&subject[*start..*end]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ampersand_is_the_match_unless_escaped() {
        assert_eq!(
            pieces(b"a&b", false),
            [
                Piece::Text(b"a".into()),
                Piece::Group(0),
                Piece::Text(b"b".into())
            ]
        );
        assert_eq!(pieces(b"\\&", false), [Piece::Text(b"&".into())]);
        assert_eq!(
            pieces(b"\\\\&", false),
            [Piece::Text(b"\\".into()), Piece::Group(0)]
        );
        assert_eq!(pieces(b"\\2\\1", true), [Piece::Group(2), Piece::Group(1)]);
        assert_eq!(pieces(b"\\1", false), [Piece::Text(b"\\1".into())]);
    }
}
