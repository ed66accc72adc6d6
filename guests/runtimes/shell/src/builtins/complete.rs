//! `complete`, and the options it shares with `compgen`.

use std::rc::Rc;

use super::{Getopt, is_name, print, usage};
use crate::completion::{self, ACTIONS, DEFAULT, EMPTY, INITIAL, OPTIONS, Spec};
use crate::flow::Run;
use crate::quote;
use crate::shell::Shell;
use crate::text::Text;

/// What the options of `complete` say.
#[derive(Default)]
pub(super) struct Request<'a> {
    pub(super) spec: Spec,
    /// `-p`
    prints: bool,
    /// `-r`
    removes: bool,
    /// `-D`, `-E`, `-I`: the name it is kept under.
    pub(super) special: Option<&'static [u8]>,
    pub(super) operands: &'a [Text],
}

/// Reads the options.
pub(super) fn request<'a>(
    shell: &Shell,
    arguments: &'a [Text],
    letters: &'static str,
) -> Result<Request<'a>, i32> {
    let mut request = Request::default();
    let command = &arguments[0];
    let mut options = Getopt::new(arguments, letters);
    while let Some(option) = options.next(shell)? {
        let value = Some(Text::new(option.value));
        let spec = &mut request.spec;
        match option.letter {
            b'p' => request.prints = true,
            b'r' => request.removes = true,
            b'D' => request.special = Some(DEFAULT),
            b'E' => request.special = Some(EMPTY),
            b'I' => request.special = Some(INITIAL),
            b'A' => match completion::place(ACTIONS, option.value) {
                Some(place) => spec.actions |= 1 << place,
                None => {
                    return Err(unknown(
                        shell,
                        command,
                        option.value,
                        b": invalid action name",
                    ));
                }
            },
            b'o' => match completion::place(OPTIONS, option.value) {
                Some(place) => spec.options |= 1 << place,
                None => {
                    return Err(unknown(
                        shell,
                        command,
                        option.value,
                        b": invalid option name",
                    ));
                }
            },
            b'G' => spec.glob = value,
            b'W' => spec.words = value,
            b'P' => spec.prefix = value,
            b'S' => spec.suffix = value,
            b'X' => spec.filter = value,
            b'C' => spec.command = value,
            b'F' => {
                if !is_name(option.value)
                    && option
                        .value
                        .iter()
                        .any(|byte| b" \t\n$`'\"<>|&;()".contains(byte))
                {
                    super::target::invalid(shell, command, option.value);
                    return Err(2);
                }
                spec.function = value;
            }
            letter => {
                let place = ACTIONS.iter().position(|(_, known)| *known == Some(letter));
                spec.actions |= place.map_or(0, |place| 1 << place);
            }
        }
    }
    request.operands = options.operands();
    Ok(request)
}

fn unknown(shell: &Shell, command: &[u8], value: &[u8], what: &[u8]) -> i32 {
    shell.builtin_error(command, [value, what].concat());
    2
}

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let request = match request(shell, arguments, "abcdefgjko:prsuvA:G:W:P:S:X:F:C:DEI") {
        Ok(request) => request,
        Err(status) => return Ok(status),
    };
    let special = request.special.map(Text::new);
    let names: Vec<Text> = match special {
        Some(name) => vec![name],
        None => request.operands.to_vec(),
    };
    if request.removes {
        if names.is_empty() {
            shell.state.completions = Rc::default();
            return Ok(0);
        }
        let mut status = 0;
        for name in &names {
            if !Rc::make_mut(&mut shell.state.completions).remove(name) {
                status = missing(shell, b"complete", name);
            }
        }
        return Ok(status);
    }
    if request.prints || (names.is_empty() && request.spec == Spec::default()) {
        return Ok(list(shell, &names));
    }
    if names.is_empty() {
        return Ok(usage(shell, b"complete"));
    }
    let completions = Rc::make_mut(&mut shell.state.completions);
    for name in names {
        completions.set(name, request.spec.clone());
    }
    Ok(0)
}

/// Says that a command has no specification.
pub(super) fn missing(shell: &Shell, command: &[u8], name: &[u8]) -> i32 {
    shell.builtin_error(command, [name, b": no completion specification"].concat());
    1
}

fn list(shell: &Shell, names: &[Text]) -> i32 {
    let mut out = Vec::new();
    let mut status = 0;
    if names.is_empty() {
        for (name, spec) in shell.state.completions.iter() {
            push(spec, name, &mut out);
        }
    }
    for name in names {
        match shell.state.completions.get(name) {
            Some(spec) => push(spec, name, &mut out),
            None => status = missing(shell, b"complete", name),
        }
    }
    status.max(print(shell, b"complete", &out))
}

/// Appends the command that sets a specification.
fn push(spec: &Spec, name: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"complete ");
    for (place, (option, _)) in OPTIONS.iter().enumerate() {
        if spec.options >> place & 1 == 1 {
            out.extend_from_slice(b"-o ");
            out.extend_from_slice(option.as_bytes());
            out.push(b' ');
        }
    }
    for (place, (action, letter)) in ACTIONS.iter().enumerate() {
        if spec.actions >> place & 1 == 1 {
            match letter {
                Some(letter) => out.extend_from_slice(&[b'-', *letter]),
                None => {
                    out.extend_from_slice(b"-A ");
                    out.extend_from_slice(action.as_bytes());
                }
            }
            out.push(b' ');
        }
    }
    let quoted = [
        (b'G', &spec.glob),
        (b'W', &spec.words),
        (b'P', &spec.prefix),
        (b'S', &spec.suffix),
        (b'X', &spec.filter),
        (b'C', &spec.command),
    ];
    for (letter, value) in quoted {
        if let Some(value) = value {
            out.extend_from_slice(&[b'-', letter, b' ']);
            quote::single(value, out);
            out.push(b' ');
        }
    }
    if let Some(function) = &spec.function {
        out.extend_from_slice(b"-F ");
        out.extend_from_slice(function);
        out.push(b' ');
    }
    match name {
        DEFAULT => out.extend_from_slice(b"-D"),
        EMPTY => out.extend_from_slice(b"-E"),
        INITIAL => out.extend_from_slice(b"-I"),
        b"" => out.extend_from_slice(b"''"),
        name if quote::has_metas(name) => quote::single(name, out),
        name => out.extend_from_slice(name),
    }
    out.push(b'\n');
}
