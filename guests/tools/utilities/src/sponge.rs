//! `sponge`: reads everything before it writes, so that a file can be read and written by one
//! pipeline, as moreutils does it.

use codepod_tool::{Arguments, Opt, Options, Output, Usage, complain, flag};

use crate::files;

#[derive(Clone, Copy)]
enum Key {
    Append,
    Help,
}

const TABLE: &[Opt<Key>] = &[flag(Key::Append, b'a', ""), flag(Key::Help, b'h', "")];

const USAGE: &str = "sponge [-a] <file>: soak up all input from stdin and write it to <file>\n";

/// sponge as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let (mut append, mut help) = (false, false);
    let read = Options::new(TABLE, arguments).each(|key, _| {
        match key {
            Key::Append => append = true,
            Key::Help => help = true,
        }
        Ok::<(), Usage>(())
    });
    let operands = match read {
        Ok(operands) => operands,
        Err(usage) => {
            complain(name, &usage.message);
            files::tell(USAGE);
            return 1;
        }
    };
    if help {
        return files::print(USAGE);
    }
    let text = match files::stdin() {
        Ok(text) => text,
        Err(error) => {
            complain(
                name,
                format!("failed to read from stdin: {}", files::why(&error)),
            );
            return 1;
        }
    };
    let Some(file) = operands.first() else {
        let mut out = Output::new();
        out.put(&text);
        return i32::from(out.finish().is_err());
    };
    let path = codepod_tool::path(file);
    let plain = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let written = match (append, plain) {
        (true, _) => std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, &text)),
        // What was there stays until the new text is whole.
        (false, true) => files::replace(path, path, &text, None),
        (false, false) => std::fs::write(path, &text),
    };
    match written {
        Ok(()) => 0,
        Err(error) => {
            let shown = String::from_utf8_lossy(file);
            let why = files::why(&error);
            complain(name, format!("error opening output file: {shown}: {why}"));
            1
        }
    }
}
