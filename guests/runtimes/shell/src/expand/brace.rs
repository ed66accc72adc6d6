//! Brace expansion: `{a,b}`, `{1..9}`.
//!
//! The words that a word with braces stands for are made one after another, not all at once.

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::{Brace, Param, Part, Subject, Word};

use super::sink::{Kind, Sink};
use super::word;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// How many words a word may become.
const MOST: usize = if cfg!(test) { 1 << 16 } else { 1 << 24 };

/// How many braces may stand in and behind one another in a word.
const DEPTH: u32 = 500;

/// Whether there are braces among the parts.
pub(super) fn has_brace(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Brace(_)))
}

/// Expands all words that a word with braces stands for.
pub(super) fn fields(shell: &mut Shell, word: &Word, fields: &mut Vec<Text>) -> Run {
    let mut words = Words {
        shell,
        pieces: Vec::new(),
        fields,
        count: 0,
    };
    words.walk(&word.parts, None, 0)
}

/// A piece of one of the words.
enum Piece<'w> {
    Part(&'w Part),
    Text(Text),
}

/// What comes behind the parts being walked.
struct Next<'n, 'w> {
    parts: &'w [Part],
    next: Option<&'n Next<'n, 'w>>,
}

struct Words<'s, 'w> {
    shell: &'s mut Shell,
    /// The word so far.
    pieces: Vec<Piece<'w>>,
    fields: &'s mut Vec<Text>,
    count: usize,
}

impl<'w> Words<'_, 'w> {
    fn walk(&mut self, parts: &'w [Part], next: Option<&Next<'_, 'w>>, depth: u32) -> Run {
        if depth > DEPTH {
            return self.too_many();
        }
        let mark = self.pieces.len();
        for (number, part) in parts.iter().enumerate() {
            if let Part::Brace(brace) = part {
                let rest = Next {
                    parts: &parts[number + 1..],
                    next,
                };
                self.choices(brace, &rest, depth)?;
                self.pieces.truncate(mark);
                return Ok(());
            }
            self.pieces.push(Piece::Part(part));
        }
        match next {
            Some(next) => self.walk(next.parts, next.next, depth + 1)?,
            None => self.emit()?,
        }
        self.pieces.truncate(mark);
        Ok(())
    }

    fn choices(&mut self, brace: &'w Brace, rest: &Next<'_, 'w>, depth: u32) -> Run {
        match brace {
            Brace::List(words) => {
                for word in words {
                    self.walk(&word.parts, Some(rest), depth + 1)?;
                }
            }
            Brace::Numbers {
                from,
                to,
                step,
                width,
            } => {
                for number in steps(*from, *to, *step) {
                    self.pieces.push(Piece::Text(padded(number, *width)));
                    self.walk(&[], Some(rest), depth + 1)?;
                    self.pieces.pop();
                }
            }
            Brace::Letters { from, to, step } => {
                for letter in steps(i64::from(*from), i64::from(*to), *step) {
                    self.pieces.push(Piece::Text(Text::new(&[letter as u8])));
                    self.walk(&[], Some(rest), depth + 1)?;
                    self.pieces.pop();
                }
            }
        }
        Ok(())
    }

    /// One of the words is complete.
    fn emit(&mut self) -> Run {
        self.count += 1;
        if self.count > MOST {
            return self.too_many();
        }
        let mut sink = Sink::new(Kind::Fields, std::mem::take(self.fields));
        let result = self.pieces_into(&mut sink);
        let result = result.and_then(|()| sink.end(self.shell));
        *self.fields = sink.into_fields();
        result
    }

    fn pieces_into(&mut self, sink: &mut Sink) -> Run {
        let mut at = self.tilde(sink);
        while let Some(piece) = self.pieces.get(at) {
            at += 1;
            match piece {
                Piece::Part(Part::Param(param)) => {
                    let (name, taken, rest) = self.joined_name(param, at);
                    match name {
                        None => word::part(
                            self.shell,
                            sink,
                            &Part::Param(param.clone()),
                            word::Place::Bare,
                        )?,
                        Some(name) => {
                            let mut param = param.clone();
                            param.subject = Subject::Variable(name);
                            word::part(self.shell, sink, &Part::Param(param), word::Place::Bare)?;
                            sink.unquoted(self.shell, &rest);
                            at = taken;
                        }
                    }
                }
                Piece::Part(part) => word::part(self.shell, sink, part, word::Place::Bare)?,
                Piece::Text(text) => match **text {
                    // What lies between upper and lower case letters has its meaning: a backslash
                    // quotes, a backquote is not closed.
                    [b'\\'] => sink.mark(),
                    [b'`'] if at < self.pieces.len() => {
                        self.shell.error("bad substitution: no closing \"`\"");
                        return Err(super::give_up(self.shell));
                    }
                    _ => sink.quoted(text),
                },
            }
        }
        Ok(())
    }

    /// Unquoted text of a piece.
    fn literal(&self, at: usize) -> Option<&[u8]> {
        match self.pieces.get(at)? {
            Piece::Part(Part::Literal(bytes)) => Some(bytes),
            Piece::Text(text) => Some(text),
            Piece::Part(_) => None,
        }
    }

    /// Expands a tilde that braces have brought to the start of the word (`~{/a,root}`), and
    /// returns how many pieces that took.
    fn tilde(&mut self, sink: &mut Sink) -> usize {
        if self.literal(0).is_none_or(|text| !text.starts_with(b"~")) {
            return 0;
        }
        let (mut text, mut taken) = (Vec::new(), 0);
        while let Some(more) = self.literal(taken) {
            text.extend_from_slice(more);
            taken += 1;
            if more.contains(&b'/') {
                break;
            }
        }
        let slash = text.iter().position(|byte| *byte == b'/');
        if slash.is_none() && taken < self.pieces.len() {
            return 0;
        }
        let end = slash.unwrap_or(text.len());
        let directory = super::tilde::expand(self.shell, &text[1..end]);
        sink.mark();
        sink.quoted(&directory);
        sink.unquoted(self.shell, &text[end..]);
        taken
    }

    /// Braces come before parameters, as text: in `$a{b,c}` the names are `ab` and `ac`. The name
    /// that is meant, where that is another one, the piece behind it, and what is left of the
    /// text before that.
    fn joined_name(&self, param: &Param, mut at: usize) -> (Option<Name>, usize, Vec<u8>) {
        let (Subject::Variable(name), false) = (param.subject, param.braces) else {
            return (None, at, Vec::new());
        };
        let mut joined = name.bytes().to_vec();
        while let Some(text) = self.literal(at) {
            at += 1;
            let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            let length = text.iter().take_while(is_part).count();
            if length == 0 {
                return (Some(Name::new(&joined)), at - 1, Vec::new());
            }
            joined.extend_from_slice(&text[..length]);
            if length < text.len() {
                return (Some(Name::new(&joined)), at, text[length..].to_vec());
            }
        }
        (Some(Name::new(&joined)), at, Vec::new())
    }

    #[cold]
    fn too_many(&mut self) -> Run {
        self.shell
            .error("brace expansion: cannot allocate memory for the result");
        Err(super::give_up(self.shell))
    }
}

/// From one number to another, up or down.
fn steps(from: i64, to: i64, step: i64) -> impl Iterator<Item = i64> {
    let size = step.unsigned_abs().max(1);
    let span = from.abs_diff(to);
    let count = span / size;
    (0..=count).map(move |number| {
        let offset = number.wrapping_mul(size) as i64;
        if from <= to {
            from.wrapping_add(offset)
        } else {
            from.wrapping_sub(offset)
        }
    })
}

/// A number with zeros before it up to a width, which counts the sign.
fn padded(number: i64, width: u32) -> Text {
    let text = Text::number(number);
    let width = width as usize;
    if text.len() >= width {
        return text;
    }
    let (sign, digits) = match &text[..] {
        [b'-', digits @ ..] => (&b"-"[..], digits),
        digits => (&b""[..], digits),
    };
    let mut all = sign.to_vec();
    all.resize(width - digits.len(), b'0');
    all.extend_from_slice(digits);
    all.into()
}

/// Braces where they are not expanded: as they were written.
pub(super) fn literally(shell: &mut Shell, sink: &mut Sink, brace: &Brace) -> Run {
    match brace {
        Brace::List(words) => {
            for (number, word) in words.iter().enumerate() {
                sink.quoted(if number == 0 { b"{" } else { b"," });
                word::parts(shell, sink, &word.parts, word::Place::Bare)?;
            }
            sink.quoted(b"}");
        }
        Brace::Numbers {
            from,
            to,
            step,
            width,
        } => {
            let ends = [padded(*from, *width), padded(*to, *width)];
            range(sink, [&ends[0], &ends[1]], *step);
        }
        Brace::Letters { from, to, step } => range(sink, [&[*from], &[*to]], *step),
    }
    Ok(())
}

fn range(sink: &mut Sink, ends: [&[u8]; 2], step: i64) {
    sink.quoted(b"{");
    sink.quoted(ends[0]);
    sink.quoted(b"..");
    sink.quoted(ends[1]);
    if step != 0 {
        sink.quoted(b"..");
        sink.quoted(&Text::number(step));
    }
    sink.quoted(b"}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_up_and_down_and_never_overflow() {
        let all = |from, to, step| steps(from, to, step).collect::<Vec<_>>();
        assert_eq!(all(1, 4, 0), [1, 2, 3, 4]);
        assert_eq!(all(4, 1, 2), [4, 2]);
        assert_eq!(all(1, 10, -3), [1, 4, 7, 10]);
        assert_eq!(all(i64::MAX - 1, i64::MAX, 1), [i64::MAX - 1, i64::MAX]);
        assert_eq!(
            all(i64::MIN, i64::MAX, i64::MAX),
            [i64::MIN, -1, i64::MAX - 1]
        );
    }

    #[test]
    fn zeros_fill_behind_the_sign() {
        assert_eq!(&*padded(-5, 4), b"-005");
        assert_eq!(&*padded(7, 3), b"007");
        assert_eq!(&*padded(1234, 3), b"1234");
    }
}
