//! The syntax of the shell: any bytes give a tree or an error, a tree can be printed, and so can
//! what is read of that.

use codepod_shell_syntax::tree::List;
use codepod_shell_syntax::{Options, Parser, arithmetic, double_quoted, elements, print, word};

/// The first byte says how the rest is parsed.
pub fn run(bytes: &[u8]) {
    let Some((text, options)) = input(bytes) else {
        return;
    };
    let _ = word(text, options);
    let _ = double_quoted(text, options);
    let _ = elements(text, options);
    let _ = arithmetic(text);
    let (list, _) = parsed(text, options);
    let once = print::list(&list, 0);
    let (again, _) = parsed(&once, options);
    let _ = print::list(&again, 0);
}

/// A text, and how it is to be parsed; none without a byte.
pub(crate) fn input(bytes: &[u8]) -> Option<(&[u8], Options)> {
    let (first, text) = bytes.split_first()?;
    let options = Options {
        extglob: first & 1 != 0,
        posix: first & 2 != 0,
        braces: first & 4 == 0,
        ..Options::default()
    };
    Some((text, options))
}

/// Everything up to the end or the first error, as one list.
pub(crate) fn parsed(text: &[u8], options: Options) -> (List, Option<String>) {
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
