//! `enable`.

use std::rc::Rc;

use super::{Getopt, TABLE, find, print};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// `enable [-a] [-dnps] [-f filename] [name ...]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut options = Getopt::new(arguments, "adnpsf:");
    let (mut all, mut delete, mut off, mut list, mut special) = (false, false, false, false, false);
    let mut file = None;
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'a' => all = true,
                b'd' => delete = true,
                b'n' => off = true,
                b'p' => list = true,
                b's' => special = true,
                _ => file = Some(option.value),
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = options.operands();
    if operands.is_empty() || list {
        let mut out = Vec::new();
        for entry in TABLE {
            let disabled = shell
                .state
                .disabled_builtins
                .contains(entry.name.as_bytes());
            if (special && !entry.special) || (!all && disabled != off) {
                continue;
            }
            let start: &[u8] = if disabled { b"enable -n " } else { b"enable " };
            out.extend_from_slice(start);
            out.extend_from_slice(entry.name.as_bytes());
            out.push(b'\n');
        }
        return Ok(print(shell, &arguments[0], &out));
    }
    if let Some(file) = file {
        let text: [&[u8]; 5] = [
            b"cannot open shared object ",
            file,
            b": ",
            file,
            b": cannot open shared object file: No such file or directory",
        ];
        shell.builtin_error(&arguments[0], text.concat());
        return Ok(1);
    }
    let mut status = 0;
    for name in operands {
        let Some(_) = find(name).filter(|entry| !special || entry.special) else {
            shell.builtin_error(
                &arguments[0],
                [name, &b": not a shell builtin"[..]].concat(),
            );
            status = 1;
            continue;
        };
        if delete {
            shell.builtin_error(
                &arguments[0],
                [name, &b": not dynamically loaded"[..]].concat(),
            );
            status = 1;
            continue;
        }
        let disabled = Rc::make_mut(&mut shell.state.disabled_builtins);
        if off {
            disabled.insert(name.clone());
        } else {
            disabled.remove(name);
        }
    }
    Ok(status)
}
