//! The syntax of the shell: any bytes give a tree or an error, and a tree that is printed and read again prints the same.
//!
//! Printed forms are bash's own, and bash itself cannot always read what `declare -f` writes: here-documents, `coproc`, a pattern
//! `(esac)` in `case`, a backslash at the end of the text that a redirection is printed behind. Such trees are printed, but not
//! read again.

use codepod_shell_syntax::tree::List;
use codepod_shell_syntax::{Options, Parser, arithmetic, double_quoted, elements, print, word};

/// The first byte says how the rest is parsed.
pub fn run(bytes: &[u8]) {
    let Some((first, text)) = bytes.split_first() else {
        return;
    };
    let options = Options {
        extglob: first & 1 != 0,
        posix: first & 2 != 0,
        braces: first & 4 == 0,
        ..Options::default()
    };
    let _ = word(text, options);
    let _ = double_quoted(text, options);
    let _ = elements(text, options);
    let _ = arithmetic(text);
    let (list, error) = parsed(text, options);
    let once = print::list(&list, 0);
    // What comes before an error may mean something else without what comes behind it.
    if error.is_some() || !is_readable(text) {
        return;
    }
    let (again, error) = parsed(&once, options);
    assert_eq!(error, None, "{}", String::from_utf8_lossy(&once));
    let twice = print::list(&again, 0);
    assert_eq!(
        String::from_utf8_lossy(&twice),
        String::from_utf8_lossy(&once)
    );
}

/// Everything up to the end or the first error, as one list.
fn parsed(text: &[u8], options: Options) -> (List, Option<String>) {
    let mut parser = Parser::new(text, options);
    let mut all = List::default();
    loop {
        match parser.next(&()) {
            Ok(Some(mut list)) => all.items.append(&mut list.items),
            Ok(None) => return (all, None),
            Err(error) => return (all, Some(error.to_string())),
        }
    }
}

/// Whether what is printed of a text can be read again.
fn is_readable(text: &[u8]) -> bool {
    let has = |wanted: &[u8]| text.windows(wanted.len()).any(|part| part == wanted);
    let odd = [&b"<<"[..], b"coproc", b"esac)", b"esac|", b"\0"];
    !odd.iter().any(|wanted| has(wanted)) && !text.ends_with(b"\\")
}
