//! `s` and `y`.

use codepod_posix_regex::next_char;

use super::{Mistake, Parser};
use crate::command::{Action, Substitution, Transliteration, When};
use crate::escape;
use crate::replacement::Replacement;

/// The flags of `s`.
#[derive(Default)]
struct Flags {
    icase: bool,
    lines: bool,
    global: bool,
    number: Option<u64>,
    print: Option<When>,
    execute: bool,
    write: Option<usize>,
}

impl Parser<'_> {
    /// `s`, from its first delimiter on.
    pub(super) fn substitution(&mut self) -> Result<Action, Mistake> {
        let unterminated = "unterminated `s' command";
        let Some(delimiter) = self.take() else {
            return self.mistake(unterminated);
        };
        if delimiter == b'\n' || delimiter == b'\\' {
            return self.mistake(unterminated);
        }
        self.check_delimiter()?;
        let Some(expression) = self.until(delimiter, true) else {
            return self.mistake(unterminated);
        };
        let Some(replacement) = self.until(delimiter, false) else {
            return self.mistake(unterminated);
        };
        self.check_control(&expression)?;
        self.check_control(&replacement)?;
        let replacement = Replacement::parse(&replacement, self.mode.posix);
        let flags = self.flags()?;
        let expression = self.expression(&expression, flags.icase, flags.lines)?;
        if let Some(regex) = &expression
            && replacement.groups > regex.groups()
            && !self.mode.posix
        {
            let message = format!(
                "invalid reference \\{} on `s' command's RHS",
                replacement.groups
            );
            return self.mistake(message);
        }
        Ok(Action::Substitute(Box::new(Substitution {
            expression,
            replacement,
            global: flags.global,
            print: flags.print,
            execute: flags.execute,
            number: flags.number.unwrap_or(1),
            write: flags.write,
        })))
    }

    /// What stands behind the last delimiter of `s`.
    fn flags(&mut self) -> Result<Flags, Mistake> {
        let mut flags = Flags::default();
        loop {
            match self.take() {
                None => break,
                Some(b'i' | b'I' | b'm' | b'M' | b'e') if self.mode.posix => {
                    return self.mistake("unknown option to `s'");
                }
                Some(b'i' | b'I') => flags.icase = true,
                Some(b'm' | b'M') => flags.lines = true,
                Some(b'e') if self.mode.sandbox => {
                    return self.mistake("e/r/w commands disabled in sandbox mode");
                }
                Some(b'e') => flags.execute = true,
                Some(b'p') if flags.print.is_some() => {
                    return self.mistake("multiple `p' options to `s' command");
                }
                Some(b'p') => {
                    flags.print = Some(if flags.execute {
                        When::After
                    } else {
                        When::Before
                    })
                }
                Some(b'g') if flags.global => {
                    return self.mistake("multiple `g' options to `s' command");
                }
                Some(b'g') => flags.global = true,
                Some(b'w') => {
                    flags.write = Some(self.output()?);
                    break;
                }
                Some(b'0'..=b'9') if flags.number.is_some() => {
                    return self.mistake("multiple number options to `s' command");
                }
                Some(b'0'..=b'9') => {
                    self.at -= 1;
                    let value = self.number();
                    if value == 0 {
                        return self.mistake("number option to `s' command may not be zero");
                    }
                    flags.number = Some(value);
                }
                Some(b'}' | b'#') => {
                    self.at -= 1;
                    break;
                }
                Some(b'\n' | b';') => break,
                Some(b' ' | b'\t') => {}
                Some(b'\r') if self.at_newline() => {}
                Some(_) => return self.mistake("unknown option to `s'"),
            }
        }
        Ok(flags)
    }

    /// `y`, from its first delimiter on.
    pub(super) fn transliteration(&mut self) -> Result<Action, Mistake> {
        let unterminated = "unterminated `y' command";
        let Some(delimiter) = self.take() else {
            return self.mistake(unterminated);
        };
        self.check_delimiter()?;
        let (Some(from), Some(to)) = (self.until(delimiter, false), self.until(delimiter, false))
        else {
            return self.mistake(unterminated);
        };
        let (from, to) = (self.characters(&from)?, self.characters(&to)?);
        if from.len() != to.len() {
            return self.mistake("strings for `y' command are different lengths");
        }
        self.end_of_command()?;
        let pairs = from.into_iter().zip(to);
        let pairs: Vec<(Vec<u8>, Vec<u8>)> = pairs.collect();
        if pairs
            .iter()
            .all(|(from, to)| from.len() == 1 && to.len() == 1)
        {
            let mut table = Box::new(std::array::from_fn(|byte| byte as u8));
            // The first of several wins.
            for (from, to) in pairs.iter().rev() {
                table[usize::from(from[0])] = to[0];
            }
            return Ok(Action::Transliterate(Box::new(Transliteration::Bytes(
                table,
            ))));
        }
        Ok(Action::Transliterate(Box::new(
            Transliteration::Characters(pairs),
        )))
    }

    /// The characters of one side of `y`.
    fn characters(&self, text: &[u8]) -> Result<Vec<Vec<u8>>, Mistake> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < text.len() {
            if text[at] == b'\\' {
                if let Some((byte, length)) = escape::produced(&text[at..]) {
                    out.push(vec![byte]);
                    at += length;
                    continue;
                }
                match text.get(at + 1) {
                    Some(b'\\') => {
                        out.push(vec![b'\\']);
                        at += 2;
                        continue;
                    }
                    _ => {
                        out.push(vec![b'\\']);
                        at += 1;
                        continue;
                    }
                }
            }
            let next = next_char(text, at).1;
            out.push(text[at..next].to_vec());
            at = next;
        }
        Ok(out)
    }
}
