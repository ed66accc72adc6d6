//! `compopt`.

use std::rc::Rc;

use super::{Getopt, complete, print};
use crate::completion::{self, DEFAULT, EMPTY, INITIAL, OPTIONS, Spec};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let (mut on, mut off) = (0, 0);
    let mut names = Vec::new();
    let mut options = Getopt::new(arguments, "+o:DEI");
    loop {
        let option = match options.next(shell) {
            Ok(Some(option)) => option,
            Ok(None) => break,
            Err(status) => return Ok(status),
        };
        match option.letter {
            b'D' => names = vec![Text::new(DEFAULT)],
            b'E' => names = vec![Text::new(EMPTY)],
            b'I' => names = vec![Text::new(INITIAL)],
            _ => {
                let Some(place) = completion::place(OPTIONS, option.value) else {
                    shell.builtin_error(
                        b"compopt",
                        [option.value, b": invalid option name"].concat(),
                    );
                    return Ok(2);
                };
                *(if option.minus { &mut on } else { &mut off }) |= 1 << place;
            }
        }
    }
    if names.is_empty() {
        names = options.operands().to_vec();
    }
    if names.is_empty() {
        shell.builtin_error(b"compopt", b"not currently executing completion function");
        return Ok(1);
    }
    let mut status = 0;
    for name in &names {
        if shell.state.completions.get(name).is_none() {
            status = complete::missing(shell, b"compopt", name);
        } else if on | off == 0 {
            status = show(shell, name);
        } else if let Some(spec) = Rc::make_mut(&mut shell.state.completions).get_mut(name) {
            spec.options = (spec.options | on) & !off;
        }
    }
    Ok(status)
}

fn show(shell: &Shell, name: &[u8]) -> i32 {
    let spec = shell.state.completions.get(name).cloned();
    let Spec { options, .. } = spec.unwrap_or_default();
    let mut out = b"compopt ".to_vec();
    for (place, (option, _)) in OPTIONS.iter().enumerate() {
        out.push(if options >> place & 1 == 1 {
            b'-'
        } else {
            b'+'
        });
        out.extend_from_slice(b"o ");
        out.extend_from_slice(option.as_bytes());
        out.push(b' ');
    }
    match name {
        DEFAULT => out.extend_from_slice(b"-D"),
        EMPTY => out.extend_from_slice(b"-E"),
        INITIAL => out.extend_from_slice(b"-I"),
        name => out.extend_from_slice(name),
    }
    out.push(b'\n');
    print(shell, b"compopt", &out)
}
