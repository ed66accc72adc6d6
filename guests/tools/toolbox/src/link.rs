//! `link` and `unlink`: the calls of these names, as commands.

use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, errno_text, long, quoted, quoted_text,
};

use crate::arguments::{help, version};
use crate::copy::failure;
use crate::paths;
use crate::system::Links;

#[derive(Clone, Copy)]
enum Key {
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Exactly `N` operands.
fn operands<const N: usize>(
    tool: &str,
    usage: &str,
    about: &str,
    arguments: Arguments,
) -> Result<[Vec<u8>; N], Stop> {
    let operands = Options::new(TABLE, arguments).each(|key, _| {
        Err(Stop::Status(match key {
            Key::Help => help(tool, usage, about, TABLE),
            Key::Version => version(tool),
        }))
    })?;
    operands.try_into().map_err(|operands: Vec<Vec<u8>>| {
        let message = match (operands.get(N), operands.last()) {
            (Some(extra), _) => [b"extra operand ", &quoted_text(extra)[..]].concat(),
            (None, Some(last)) => [b"missing operand after ", &quoted_text(last)[..]].concat(),
            (None, None) => b"missing operand".to_vec(),
        };
        Usage::new(message).into()
    })
}

/// `link`
pub(crate) fn link(tool: &str, arguments: Arguments) -> i32 {
    let about = "Call the link function to create a link named FILE2 to an existing FILE1.";
    let [from, to] = match operands(tool, "FILE1 FILE2", about, arguments) {
        Ok(operands) => operands,
        Err(stop) => return stop.report(tool, 1),
    };
    match paths::hard_link(&from, &to, Links::Keep) {
        Ok(()) => 0,
        Err(errno) => {
            let why = errno_text(errno).as_bytes();
            let names = [&quoted(&to)[..], b" to ", &quoted(&from)].concat();
            complain(
                tool,
                [b"cannot create link ", &names[..], b": ", why].concat(),
            );
            1
        }
    }
}

/// `unlink`
pub(crate) fn unlink(tool: &str, arguments: Arguments) -> i32 {
    let about = "Call the unlink function to remove the specified FILE.";
    let [path] = match operands(tool, "FILE", about, arguments) {
        Ok(operands) => operands,
        Err(stop) => return stop.report(tool, 1),
    };
    match paths::remove_file(&path) {
        Ok(()) => 0,
        Err(errno) => {
            complain(tool, failure("cannot unlink", &path, errno));
            1
        }
    }
}
