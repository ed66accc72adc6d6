//! Any bytes give a tree or an error, and a tree that is printed can be read again.

use codepod_shell_syntax::tree::{Argument, CommandKind, List, Part, Quote, Word};
use codepod_shell_syntax::{
    Aliases, Options, Parser, Source, arithmetic, double_quoted, elements, print, word,
};
use proptest::prelude::*;

/// Pieces of which scripts are made.
const PIECES: &[&str] = &[
    "a",
    "b",
    " ",
    " ",
    " ",
    "\n",
    "\n",
    ";",
    "&",
    "|",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    "'",
    "\"",
    "`",
    "$",
    "\\",
    "=",
    "[",
    "]",
    "#",
    "!",
    "~",
    "*",
    "?",
    "@",
    ",",
    ".",
    ":",
    "-",
    "+",
    "/",
    "%",
    "^",
    "1",
    "if ",
    "then ",
    "fi",
    "else ",
    "for ",
    "in ",
    "do ",
    "done",
    "while ",
    "case ",
    "esac",
    "function ",
    "select ",
    "coproc ",
    "time ",
    "[[ ",
    " ]]",
    "((",
    "))",
    "$((",
    "$(",
    "${",
    "<<E\n",
    "E\n",
    "<<-",
    "<<<",
    ">&",
    "&>",
    "&&",
    "||",
    ";;",
    "x=",
    "x=(",
    "x[",
    "declare ",
    "$x",
    "${x:-",
    "@(",
    "=~ ",
    "== ",
    "\u{e9}",
    "\u{1}",
    "..",
    "{a,",
    "2>",
    "{v}>",
    "EOF",
];

struct Letters;

impl Aliases for Letters {
    fn get(&self, name: &[u8]) -> Option<Vec<u8>> {
        match name {
            b"a" => Some(b"b ".to_vec()),
            b"b" => Some(b"a b ".to_vec()),
            b"if" => Some(b"if if".to_vec()),
            b"x" => Some(b"(".to_vec()),
            _ => None,
        }
    }
}

/// Gives a script line by line.
struct Lines<'t>(&'t [u8]);

impl Source for Lines<'_> {
    fn more(&mut self, text: &mut Vec<u8>) -> bool {
        let end = self
            .0
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(self.0.len(), |at| at + 1);
        let (line, rest) = self.0.split_at(end);
        text.extend_from_slice(line);
        self.0 = rest;
        !line.is_empty()
    }
}

fn options(bits: u8) -> Options {
    Options {
        extglob: bits & 1 != 0,
        posix: bits & 2 != 0,
        braces: bits & 4 == 0,
        aliases: bits & 8 != 0,
        keyword: bits & 16 != 0,
        first_line: 1,
    }
}

/// All trees up to the end or the first error.
fn all(mut parser: Parser<'_>, aliases: &dyn Aliases) -> (Vec<List>, Option<String>) {
    let mut lists = Vec::new();
    loop {
        match parser.next(aliases) {
            Ok(Some(list)) => lists.push(list),
            Ok(None) => return (lists, None),
            Err(error) => return (lists, Some(format!("{error:?}"))),
        }
    }
}

/// Whether a word ended between brackets: in place of a command `x[ ]` is one word for bash and two
/// for us, the first of which is an error where it is alone.
fn ends_in_brackets(text: &str, error: Option<&String>) -> bool {
    text.contains('[') && error.is_some_and(|error| error.contains("Unmatched(93)"))
}

/// A tree without places.
fn shape(tree: &impl std::fmt::Debug) -> String {
    let text = format!("{tree:?}");
    let mut out = String::new();
    let mut rest = text.as_str();
    for key in std::iter::from_fn(|| {
        let at = ["start: ", "end: ", "line: "]
            .iter()
            .filter_map(|key| rest.find(key).map(|at| at + key.len()))
            .min()?;
        let (before, after) = rest.split_at(at);
        rest = after.trim_start_matches(|byte: char| byte.is_ascii_digit());
        Some(before)
    }) {
        out += key;
    }
    out + rest
}

/// The words of simple commands, and whether each begins one: a subscript has blanks and operators
/// there, and only there.
fn words(list: &List) -> Vec<(bool, Word)> {
    let mut words = Vec::new();
    for item in &list.items {
        for command in &item.first.stages {
            if let CommandKind::Simple(simple) = &command.kind {
                let arguments = simple.words.iter().enumerate();
                words.extend(arguments.filter_map(|(at, argument)| match argument {
                    Argument::Word(word) => Some((at == 0, word.clone())),
                    Argument::Assign(_) => None,
                }));
            }
        }
    }
    words
}

/// Whether a part is printed in another form than it was written: `$'…'` as `'…'`, and what was
/// read from `$(…)`.
fn changes(part: &Part) -> bool {
    match part {
        Part::Quoted(text, quote) => *quote == Quote::Ansi || text.contains(&b'\n'),
        Part::Double(parts) => parts.iter().any(changes),
        Part::Command(_) | Part::Process(_) | Part::Param(_) | Part::Arith(_) => true,
        Part::Brace(brace) => match &**brace {
            codepod_shell_syntax::tree::Brace::List(words) => {
                words.iter().flat_map(|word| &word.parts).any(changes)
            }
            _ => true,
        },
        Part::ExtGlob(_, words) => words.iter().flat_map(|word| &word.parts).any(changes),
        Part::Literal(_) | Part::Tilde(_) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(debug_assertions) { 2000 } else { 50_000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_give_a_tree_or_an_error(text in proptest::collection::vec(any::<u8>(), 0..60), bits in 0u8..16) {
        all(Parser::new(&text, options(bits)), &Letters);
        drop(word(&text, options(bits)));
        drop(double_quoted(&text, options(bits)));
        drop(elements(&text, options(bits)));
        drop(arithmetic(&text));
    }

    #[test]
    fn any_pieces_of_script_give_a_tree_or_an_error(pieces in proptest::collection::vec(0..PIECES.len(), 0..40), bits in 0u8..16) {
        let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        let (lists, error) = all(Parser::new(text.as_bytes(), options(bits)), &Letters);
        for list in &lists {
            print::list(list, 0);
        }
        // Where the text comes from makes no difference.
        let mut source = Lines(text.as_bytes());
        let (same, same_error) = all(Parser::from_source(&mut source, options(bits)), &Letters);
        prop_assert_eq!(lists, same);
        prop_assert_eq!(error, same_error);
        drop(word(text.as_bytes(), options(bits)));
        drop(double_quoted(text.as_bytes(), options(bits)));
        drop(elements(text.as_bytes(), options(bits)));
        drop(arithmetic(text.as_bytes()));
    }

    #[test]
    fn a_word_that_is_printed_is_the_same_word(pieces in proptest::collection::vec(0..PIECES.len(), 0..12), bits in 0u8..2) {
        let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        let (lists, _) = all(Parser::new(format!(": {text}").as_bytes(), options(bits)), &());
        for (begins, word) in lists.iter().flat_map(words) {
            if word.parts.iter().any(changes) {
                continue;
            }
            let printed = print::word(&word);
            // Behind an assignment a command begins, and no word is a keyword.
            let before: &[u8] = if begins { b"a= " } else { b": " };
            let (again, error) = all(Parser::new(&[before, &printed].concat(), options(bits)), &());
            if ends_in_brackets(&text, error.as_ref()) {
                continue;
            }
            prop_assert!(error.is_none(), "{:?} {:?}", text, error);
            let again = words(&again[0]);
            let again = &again[usize::from(!begins)].1;
            prop_assert_eq!(shape(&again.parts), shape(&word.parts));
        }
    }

    #[test]
    fn a_script_that_is_printed_prints_the_same(pieces in proptest::collection::vec(0..PIECES.len(), 0..30)) {
        let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        let (lists, _) = all(Parser::new(text.as_bytes(), options(0)), &());
        for list in &lists {
            let once = print::list(list, 0);
            // What bash prints of here-documents and of `coproc` cannot always be read again. Nor
            // can a reserved word behind a redirection, as that is put at the end, nor a `!` or
            // `time` that stood alone in its line.
            let alone = (text.contains('!') || text.contains("time")) && text.contains('\n');
            if text.contains(['<', '>']) || text.contains("coproc") || alone {
                continue;
            }
            let (again, error) = all(Parser::new(&once, options(0)), &());
            if ends_in_brackets(&text, error.as_ref()) {
                continue;
            }
            prop_assert!(error.is_none(), "{:?} {:?} {:?}", text, String::from_utf8_lossy(&once), error);
            let again = again.into_iter().fold(List::default(), |mut all, mut list| {
                all.items.append(&mut list.items);
                all
            });
            let twice = print::list(&again, 0);
            prop_assert_eq!(String::from_utf8_lossy(&twice), String::from_utf8_lossy(&once));
        }
    }
}
