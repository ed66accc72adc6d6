//! `strip-types`: blanks in the place of TypeScript's types.

mod report;
mod snippet;

use std::io::{self, Read as _, Write as _};

use codepod_tool::{Arguments, complain, complain_of, io_text};
use swc_common::errors::{HANDLER, Handler};
use swc_common::sync::Lrc;
use swc_common::{GLOBALS, Globals, SourceMap};
use swc_strip::{Options, operate};

use report::FirstError;

codepod_tool::tools! {
    "strip-types": strip_types, "remove the types of a TypeScript program";
}

/// `strip-types`.
fn strip_types(_: &str, mut arguments: Arguments) -> i32 {
    let name = arguments
        .pop()
        .map(|name| String::from_utf8_lossy(&name).into_owned());
    if let Some(extra) = arguments.first() {
        complain_of(
            "strip-types",
            extra,
            "one name only, and the program on standard input",
        );
        return 2;
    }
    let mut program = Vec::new();
    if let Err(error) = io::stdin().lock().read_to_end(&mut program) {
        complain("strip-types", io_text(&error));
        return 2;
    }
    let program = String::from_utf8(program)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let (mut out, text, status) = match stripped(program, name) {
        Ok(code) => (Box::new(io::stdout()) as Box<dyn io::Write>, code, 0),
        Err(error) => (Box::new(io::stderr()) as Box<dyn io::Write>, error, 1),
    };
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => status,
        Err(error) => {
            complain("strip-types", io_text(&error));
            2
        }
    }
}

/// The program without types, or a line of JSON that says what is wrong with it.
fn stripped(program: String, name: Option<String>) -> Result<String, String> {
    let map = Lrc::new(SourceMap::default());
    let first = FirstError::new(Lrc::clone(&map));
    let handler = Handler::with_emitter(true, false, Box::new(first.clone()));
    let options = Options { filename: name };
    let result = GLOBALS.set(&Globals::new(), || {
        HANDLER.set(&handler, || operate(&map, &handler, program, options))
    });
    match (first.json(), result) {
        (Some(error), _) => Err(error),
        (None, Ok(output)) => Ok(output.code),
        // swc tells the handler of each error.
        (None, Err(error)) => Err(report::without_place(&error.message)),
    }
}
