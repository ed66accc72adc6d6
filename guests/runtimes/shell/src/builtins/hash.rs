//! `hash`.

use std::rc::Rc;

use super::{Getopt, enabled, print};
use crate::flow::Run;
use crate::options::SetOptions;
use crate::path;
use crate::quote;
use crate::shell::Shell;
use crate::text::Text;

/// Buckets of bash's table, in whose order it lists.
const BUCKETS: u32 = 256;

/// `hash [-lr] [-p pathname] [-dt] [name ...]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if !shell.state.set.has(SetOptions::HASHALL) {
        shell.builtin_error(&arguments[0], "hashing disabled");
        return Ok(1);
    }
    let mut options = Getopt::new(arguments, "dlp:rt");
    let (mut delete, mut reusable, mut forget, mut tell) = (false, false, false, false);
    let mut place = None;
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'd' => delete = true,
                b'l' => reusable = true,
                b'r' => forget = true,
                b't' => tell = true,
                _ => place = Some(Text::new(option.value)),
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        if delete || tell {
            let option: &[u8] = if delete { b"-d" } else { b"-t" };
            let message = [option, b": option requires an argument"].concat();
            shell.builtin_error(&arguments[0], message);
            return Ok(1);
        }
        if forget {
            shell.state.hash = Rc::default();
            return Ok(0);
        }
        return Ok(list(shell, &arguments[0], reusable));
    }
    if forget {
        shell.state.hash = Rc::default();
    }
    if tell {
        return Ok(tell_of(shell, &arguments[0], operands, reusable));
    }
    let mut status = 0;
    for name in operands {
        if let Some(place) = &place {
            if !path::is_file(place)
                && codepod_sys::file::stat_path(place, codepod_sys::file::Links::Follow).is_ok()
            {
                shell.builtin_error(&arguments[0], [place, &b": Is a directory"[..]].concat());
                status = 1;
                continue;
            }
            Rc::make_mut(&mut shell.state.hash).insert(name.clone(), (place.clone(), 0));
        } else if delete {
            if Rc::make_mut(&mut shell.state.hash).remove(name).is_none() {
                shell.builtin_error(&arguments[0], [name, &b": not found"[..]].concat());
                status = 1;
            }
        } else if !name.contains(&b'/')
            && !shell.state.functions.contains_key(name)
            && enabled(shell, name).is_none()
        {
            Rc::make_mut(&mut shell.state.hash).remove(name);
            let found = path::variable(shell)
                .and_then(|list| path::search(&list, name))
                .filter(|found| path::is_program(found));
            match found {
                Some(found) => {
                    Rc::make_mut(&mut shell.state.hash)
                        .insert(name.clone(), (Text::from(found), 0));
                }
                None => {
                    shell.builtin_error(&arguments[0], [name, &b": not found"[..]].concat());
                    status = 1;
                }
            }
        }
    }
    Ok(status)
}

fn list(shell: &Shell, command: &[u8], reusable: bool) -> i32 {
    if shell.state.hash.is_empty() {
        if shell.state.set.has(SetOptions::POSIX) {
            return 0;
        }
        return print(shell, command, b"hash: hash table empty\n");
    }
    let mut all: Vec<(&Text, &(Text, u32))> = shell.state.hash.iter().collect();
    crate::sort::by_key(&mut all, |(name, _)| crate::variables::hash(name) % BUCKETS);
    let mut out = Vec::new();
    if !reusable {
        out.extend_from_slice(b"hits\tcommand\n");
    }
    for (name, (path, hits)) in all {
        if reusable {
            line(name, path, &mut out);
        } else {
            let hits = Text::number(i64::from(*hits));
            out.resize(out.len() + 4usize.saturating_sub(hits.len()), b' ');
            out.extend_from_slice(&hits);
            out.push(b'\t');
            out.extend_from_slice(path);
            out.push(b'\n');
        }
    }
    print(shell, command, &out)
}

/// `builtin hash -p PATH NAME`
fn line(name: &[u8], path: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"builtin hash -p ");
    quote_where_needed(path, out);
    out.push(b' ');
    quote_where_needed(name, out);
    out.push(b'\n');
}

fn quote_where_needed(bytes: &[u8], out: &mut Vec<u8>) {
    if quote::has_metas(bytes) {
        quote::single(bytes, out);
    } else {
        out.extend_from_slice(bytes);
    }
}

fn tell_of(shell: &mut Shell, command: &[u8], names: &[Text], reusable: bool) -> i32 {
    let mut status = 0;
    for name in names {
        path::count_hit(shell, name);
        let Some((path, _)) = shell.state.hash.get(name) else {
            shell.builtin_error(command, [name, &b": not found"[..]].concat());
            status = 1;
            continue;
        };
        let mut out = Vec::new();
        if reusable {
            line(name, path, &mut out);
        } else {
            if names.len() > 1 {
                out.extend_from_slice(name);
                out.push(b'\t');
            }
            out.extend_from_slice(path);
            out.push(b'\n');
        }
        status |= print(shell, command, &out);
    }
    status
}
