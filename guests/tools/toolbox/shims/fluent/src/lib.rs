//! The part of `fluent` that uutils uses, made for processes that live for microseconds.
//!
//! The real crate parses a tool's whole message file into a tree before the first message is asked
//! for; that was a third of a tool's start-up. Here a [`FluentResource`] keeps the text and notes,
//! in one pass over its lines, where each message begins. A message is read when it is asked for.
//!
//! What the files of uutils hold is understood: text over several lines, `{ $name }`, `{ "text" }`,
//! `{ other-message }` and `{ $count -> [one] … *[other] … }` with English plurals. Terms,
//! attributes and functions do not occur there; an entry that holds one is returned with that part
//! as it stands.
//!
//! Where a message differs from GNU's, ours is in `gnu.rs` and comes first.

mod gnu;
mod pattern;

use std::borrow::{Borrow, Cow};
use std::sync::OnceLock;

use fluent_syntax::parser::ParserError;
use unic_langid::LanguageIdentifier;

/// The values a message's `{ $name }` parts are replaced with.
#[derive(Debug, Default)]
pub struct FluentArgs<'a>(Vec<(Cow<'a, str>, FluentValue<'a>)>);

impl<'a> FluentArgs<'a> {
    /// No values.
    pub fn new() -> Self {
        FluentArgs(Vec::new())
    }

    /// Sets a value, replacing the one it had.
    pub fn set(&mut self, key: impl Into<Cow<'a, str>>, value: impl Into<FluentValue<'a>>) {
        let (key, value) = (key.into(), value.into());
        match self.0.iter_mut().find(|(name, _)| *name == key) {
            Some(slot) => slot.1 = value,
            None => self.0.push((key, value)),
        }
    }

    /// The value of a name.
    pub fn get(&self, key: &str) -> Option<&FluentValue<'a>> {
        self.0
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }
}

/// A value: text or a number, which chooses among plural forms.
#[derive(Debug, Clone, PartialEq)]
pub enum FluentValue<'a> {
    /// Text, shown as it is.
    String(Cow<'a, str>),
    /// A number, shown in its shortest form.
    Number(f64),
}

impl From<String> for FluentValue<'_> {
    fn from(text: String) -> Self {
        FluentValue::String(text.into())
    }
}

impl<'a> From<&'a str> for FluentValue<'a> {
    fn from(text: &'a str) -> Self {
        FluentValue::String(text.into())
    }
}

impl From<f64> for FluentValue<'_> {
    fn from(number: f64) -> Self {
        FluentValue::Number(number)
    }
}

impl From<i64> for FluentValue<'_> {
    fn from(number: i64) -> Self {
        FluentValue::Number(number as f64)
    }
}

/// A message file.
#[derive(Debug)]
pub struct FluentResource {
    text: String,
    index: OnceLock<Index>,
}

impl FluentResource {
    /// Keeps a file's text. It never fails: what cannot be read is found out when it is asked for.
    pub fn try_new(text: String) -> Result<Self, (Self, Vec<ParserError>)> {
        Ok(FluentResource {
            text,
            index: OnceLock::new(),
        })
    }

    /// The text after `id =` up to the next entry.
    fn message(&self, id: &str) -> Option<&str> {
        self.index
            .get_or_init(|| Index::of(&self.text))
            .find(&self.text, id)
    }
}

/// Where each message of a text begins: a hash table of offsets, filled in one pass.
#[derive(Debug)]
struct Index {
    /// A power of two of slots: the hash of the id and the offset of its line plus 1; 0 is empty.
    slots: Vec<(u32, u32)>,
}

impl Index {
    fn of(text: &str) -> Index {
        // Messages are rarely shorter than 32 bytes, so the table stays under two thirds full.
        let mut slots = vec![(0, 0); (text.len() / 24).next_power_of_two().max(16)];
        let mut used = 0;
        let mut start = 0;
        while start < text.len() {
            if let Some(id) = id_at(text.as_bytes(), start) {
                if (used + 1) * 3 > slots.len() * 2 {
                    slots = grown(&slots);
                }
                put(&mut slots, (hash(id), start as u32 + 1));
                used += 1;
            }
            start = next_line(text.as_bytes(), start);
        }
        Index { slots }
    }

    fn find<'t>(&self, text: &'t str, id: &str) -> Option<&'t str> {
        let wanted = hash(id.as_bytes());
        let mask = self.slots.len() - 1;
        let mut at = wanted as usize & mask;
        loop {
            let (found, start) = self.slots[at];
            if start == 0 {
                return None;
            }
            let start = start as usize - 1;
            if found == wanted && id_at(text.as_bytes(), start) == Some(id.as_bytes()) {
                return Some(entry_at(text, start + id.len()));
            }
            at = (at + 1) & mask;
        }
    }
}

fn put(slots: &mut [(u32, u32)], entry: (u32, u32)) {
    let mask = slots.len() - 1;
    let mut at = entry.0 as usize & mask;
    while slots[at].1 != 0 {
        at = (at + 1) & mask;
    }
    slots[at] = entry;
}

fn grown(slots: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut larger = vec![(0, 0); slots.len() * 2];
    for slot in slots.iter().filter(|slot| slot.1 != 0) {
        put(&mut larger, *slot);
    }
    larger
}

/// A number that differs for most ids of a file: they differ in their ends and in their lengths.
fn hash(id: &[u8]) -> u32 {
    let end = match id.last_chunk::<8>() {
        Some(end) => u64::from_le_bytes(*end),
        None => id.iter().fold(0, |end, byte| end << 8 | u64::from(*byte)),
    };
    let mixed = (end ^ id.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as u32
}

/// The id of the message whose line starts at `start`, or nothing if that line starts none.
fn id_at(text: &[u8], start: usize) -> Option<&[u8]> {
    let line = &text[start..];
    if !line.first().is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    // No other line in a file starts with a letter.
    let len = memchr::memchr2(b' ', b'=', line)?;
    Some(&line[..len])
}

/// The start of the line after the one that `start` is in.
fn next_line(text: &[u8], start: usize) -> usize {
    memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |newline| start + newline + 1)
}

/// What follows `=` after an id that ends at `id_end`, up to the line that starts something else.
fn entry_at(text: &str, id_end: usize) -> &str {
    let equals = id_end + text[id_end..].find('=').unwrap_or(0) + 1;
    let mut end = next_line(text.as_bytes(), equals);
    // An indented line, an empty one and a closing brace belong to the message.
    while matches!(text.as_bytes().get(end), Some(b' ' | b'\n' | b'\r' | b'}')) {
        end = next_line(text.as_bytes(), end);
    }
    &text[equals..end]
}

/// A message's text, not yet interpreted.
#[derive(Debug, Clone, Copy)]
pub struct Pattern<'b>(&'b str);

/// A message of a bundle.
#[derive(Debug, Clone, Copy)]
pub struct FluentMessage<'b>(&'b str);

impl<'b> FluentMessage<'b> {
    /// The message's text.
    pub fn value(&self) -> Option<Pattern<'b>> {
        Some(Pattern(self.0))
    }
}

/// Message files of one language; a later one is asked first.
#[derive(Debug)]
pub struct FluentBundle<R> {
    /// The languages, best first.
    pub locales: Vec<LanguageIdentifier>,
    resources: Vec<R>,
}

impl<R: Borrow<FluentResource>> FluentBundle<R> {
    /// A bundle without files.
    pub fn new(locales: Vec<LanguageIdentifier>) -> Self {
        FluentBundle {
            locales,
            resources: Vec::new(),
        }
    }

    /// Marks for the direction of writing are never put in, so this changes nothing.
    pub fn set_use_isolating(&mut self, _value: bool) {}

    /// Adds a file, whose messages hide those of the same name. A file in another language than
    /// English is left out: a sandbox has one locale, and a script that reads messages expects
    /// them in it.
    pub fn add_resource_overriding(&mut self, resource: R) {
        let english = |locale: &LanguageIdentifier| locale.language.as_str() == "en";
        if self.locales.first().is_none_or(english) {
            self.resources.push(resource);
        }
    }

    /// Whether there is such a message.
    pub fn has_message(&self, id: &str) -> bool {
        self.get_message(id).is_some()
    }

    /// The message of an id.
    pub fn get_message(&self, id: &str) -> Option<FluentMessage<'_>> {
        let of_file = || {
            let mut files = self.resources.iter().rev();
            files.find_map(|resource| resource.borrow().message(id))
        };
        gnu::message(id).or_else(of_file).map(FluentMessage)
    }

    /// A message's text with its parts filled in. A part without a value stands as it was written.
    pub fn format_pattern<'b>(
        &'b self,
        pattern: Pattern<'b>,
        args: Option<&FluentArgs<'_>>,
        _errors: &mut Vec<String>,
    ) -> Cow<'b, str> {
        let other = |id: &str| self.get_message(id).map(|message| message.0);
        pattern::format(pattern.0, args, &other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
# A comment = not a message
about = Print the lines of FILE.
usage = tool [FILE]...
  tool --help

long =
    First line.
      Indented more.

    After an empty line.
named = cannot open '{ $file }': {$error}
quoted = tab{ \"\\u0009\" }brace { \"{\" }
count = { $n ->
    [one] { $n } line
   *[other] { $n } lines
} read
referring = { $n }: { about }
exact = { $n ->
    [1] one
   *[other] { $n }
}
";

    fn text(id: &str, args: &[(&'static str, FluentValue<'static>)]) -> String {
        let mut bundle = FluentBundle::new(Vec::new());
        bundle.add_resource_overriding(FluentResource::try_new(FILE.to_string()).unwrap());
        let mut values = FluentArgs::new();
        for (key, value) in args {
            values.set(*key, value.clone());
        }
        let message = bundle.get_message(id).expect("a message");
        let pattern = message.value().expect("a value");
        bundle
            .format_pattern(pattern, Some(&values), &mut Vec::new())
            .into_owned()
    }

    #[test]
    fn a_line_is_returned_as_it_is() {
        assert_eq!(text("about", &[]), "Print the lines of FILE.");
    }

    #[test]
    fn further_lines_lose_their_common_indent() {
        assert_eq!(text("usage", &[]), "tool [FILE]...\ntool --help");
        assert_eq!(
            text("long", &[]),
            "First line.\n  Indented more.\n\nAfter an empty line."
        );
    }

    #[test]
    fn names_are_replaced_and_unknown_ones_stay() {
        assert_eq!(
            text("named", &[("file", "a b".into()), ("error", "gone".into())]),
            "cannot open 'a b': gone"
        );
        assert_eq!(
            text("named", &[("file", "x".into())]),
            "cannot open 'x': {$error}"
        );
    }

    #[test]
    fn literals_may_hold_anything() {
        assert_eq!(text("quoted", &[]), "tab\tbrace {");
    }

    #[test]
    fn messages_may_hold_others() {
        let text = text("referring", &[("n", 3_i64.into())]);
        assert_eq!(text, "3: Print the lines of FILE.");
    }

    #[test]
    fn numbers_choose_a_plural_form() {
        assert_eq!(text("count", &[("n", 1_i64.into())]), "1 line read");
        assert_eq!(text("count", &[("n", 2_i64.into())]), "2 lines read");
        assert_eq!(text("exact", &[("n", 1_i64.into())]), "one");
        assert_eq!(text("exact", &[("n", 5_i64.into())]), "5");
    }

    #[test]
    fn other_languages_have_no_messages() {
        let french: LanguageIdentifier = "fr-FR".parse().expect("a language");
        let mut bundle = FluentBundle::new(vec![french]);
        bundle.add_resource_overriding(FluentResource::try_new(FILE.to_string()).unwrap());
        assert!(!bundle.has_message("about"));
    }

    #[test]
    fn a_later_file_hides_an_earlier_one() {
        let mut bundle = FluentBundle::new(Vec::new());
        for file in ["a = old\nb = kept\n", "a = new\n"] {
            bundle.add_resource_overriding(FluentResource::try_new(file.to_string()).unwrap());
        }
        let get = |id| {
            let pattern = bundle.get_message(id)?.value()?;
            Some(bundle.format_pattern(pattern, None, &mut Vec::new()))
        };
        assert_eq!(get("a").as_deref(), Some("new"));
        assert_eq!(get("b").as_deref(), Some("kept"));
        assert!(!bundle.has_message("c"));
    }
}
