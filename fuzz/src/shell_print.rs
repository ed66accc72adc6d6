//! The printed forms of the shell: a tree that is printed and read again prints the same.
//!
//! Printed forms are bash's own, and bash itself cannot always read what `declare -f` writes:
//! here-documents, `coproc`, a pattern `(esac)` in `case`, a `!` alone in its line, a backslash at
//! the end of the text that a redirection is printed behind, a word behind a redirection that is
//! reserved where it is printed, before it. Such trees are printed, but not read again.

use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::List;

use crate::shell_syntax;

/// The first byte says how the rest is parsed.
pub fn run(bytes: &[u8]) {
    let Some((text, options)) = shell_syntax::input(bytes) else {
        return;
    };
    let (list, error) = shell_syntax::parsed(text, options);
    // What comes before an error may mean something else without what comes behind it.
    if error.is_some() || !is_readable(text) || negates_nothing(&list) {
        return;
    }
    let once = print::list(&list, 0);
    let (again, error) = shell_syntax::parsed(&once, options);
    assert_eq!(error, None, "{}", String::from_utf8_lossy(&once));
    let twice = print::list(&again, 0);
    assert_eq!(
        String::from_utf8_lossy(&twice),
        String::from_utf8_lossy(&once)
    );
}

/// Whether what is printed of a text can be read again.
fn is_readable(text: &[u8]) -> bool {
    let has = |wanted: &[u8]| text.windows(wanted.len()).any(|part| part == wanted);
    // `1<>` is printed as `<>`, which is `0<>`.
    let odd = [&b"<<"[..], b"1<>", b"coproc", b"esac)", b"esac|", b"\0"];
    !odd.iter().any(|wanted| has(wanted))
        && !text.ends_with(b"\\")
        && !redirects_before_reserved(text)
}

/// Whether a `!` or a `time` stands before nothing: they are printed without the newline that they
/// stand before, and `! !` as nothing. The tree knows, whatever comments and continuations are
/// around them.
fn negates_nothing(list: &List) -> bool {
    format!("{list:?}").contains("stages: []")
}

/// Words that are reserved at the start of a command.
const RESERVED: [&[u8]; 22] = [
    b"!",
    b"{",
    b"}",
    b"[[",
    b"]]",
    b"if",
    b"in",
    b"then",
    b"else",
    b"elif",
    b"fi",
    b"for",
    b"while",
    b"until",
    b"do",
    b"done",
    b"case",
    b"esac",
    b"select",
    b"function",
    b"time",
    b"coproc",
];

/// Whether a redirection stands somewhere before a reserved word. Its own word may be anything,
/// with quotes and substitutions; so whatever comes between the two counts.
fn redirects_before_reserved(text: &[u8]) -> bool {
    let Some(first) = text.iter().position(|byte| matches!(byte, b'<' | b'>')) else {
        return false;
    };
    let mut words = text[first..].split(|byte| b" \t\n;&|()<>".contains(byte));
    words.any(|word| RESERVED.contains(&word))
}
