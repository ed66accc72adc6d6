//! `shift`.

use std::rc::Rc;

use super::argument::{self, Count};
use super::getopt;
use crate::flow::Run;
use crate::options::ShellOptions;
use crate::shell::Shell;
use crate::text::Text;

/// `shift [n]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if let Some(status) = getopt::helped(shell, arguments) {
        return Ok(status);
    }
    let (count, text) = match argument::count(shell, arguments)? {
        Count::None => (1, None),
        Count::Number(number, text) => (number, Some(text)),
        Count::Bad => return Ok(1),
    };
    let positional = &mut shell.state.positional;
    match usize::try_from(count) {
        Ok(count) if count <= positional.len() => {
            // Unshared, the elements are moved; shared, only what stays is copied.
            match Rc::get_mut(positional) {
                Some(own) => drop(own.drain(..count)),
                None => *positional = Rc::new(positional[count..].to_vec()),
            }
            Ok(0)
        }
        known => {
            if known.is_err() || shell.state.shopt.has(ShellOptions::SHIFT_VERBOSE) {
                let text = text.map_or(Text::EMPTY, Text::clone);
                let message: &[u8] = b": shift count out of range";
                shell.builtin_error(&arguments[0], [&text, message].concat());
            }
            Ok(1)
        }
    }
}
