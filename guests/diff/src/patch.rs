//! patch: applies diffs to files.

mod apply;
mod read;

use std::io::{Read as _, Write as _};

use codepod_tool::{
    Arguments, Found, Opt, Options, Value, complain, flag, io_text, long, path, value,
};

use apply::{Applied, Tried};
use read::{FilePatch, Reader};

type Key = u16;
const DRY_RUN: Key = 300;
const HELP: Key = 301;
const VERBOSE: Key = 302;
const BINARY: Key = 303;
const REFUSED: Key = 304;
const MISMATCH: Key = 305;
const NO_MISMATCH: Key = 306;
const POSIX: Key = 307;

const TABLE: &[Opt<Key>] = &[
    flag(b'b' as Key, b'b', "backup"),
    value(b'B' as Key, b'B', "prefix"),
    flag(b'c' as Key, b'c', "context"),
    value(b'd' as Key, b'd', "directory"),
    flag(REFUSED, b'e', "ed"),
    value(REFUSED, b'D', "ifdef"),
    flag(b'E' as Key, b'E', "remove-empty-files"),
    flag(b'f' as Key, b'f', "force"),
    value(b'F' as Key, b'F', "fuzz"),
    value(REFUSED, b'g', "get"),
    value(b'i' as Key, b'i', "input"),
    flag(b'l' as Key, b'l', "ignore-whitespace"),
    flag(b'n' as Key, b'n', "normal"),
    flag(b'N' as Key, b'N', "forward"),
    value(b'o' as Key, b'o', "output"),
    value(b'p' as Key, b'p', "strip"),
    value(b'r' as Key, b'r', "reject-file"),
    flag(b'R' as Key, b'R', "reverse"),
    flag(b's' as Key, b's', "quiet"),
    flag(b's' as Key, b's', "silent"),
    flag(b't' as Key, b't', "batch"),
    flag(b'T' as Key, b'T', "set-time"),
    flag(b'u' as Key, b'u', "unified"),
    flag(b'v' as Key, b'v', "version"),
    value(REFUSED, b'V', "version-control"),
    value(REFUSED, b'Y', "basename-prefix"),
    value(b'z' as Key, b'z', "suffix"),
    flag(b'T' as Key, b'Z', "set-utc"),
    long(DRY_RUN, "dry-run", Value::None),
    long(VERBOSE, "verbose", Value::None),
    long(BINARY, "binary", Value::None),
    long(REFUSED, "merge", Value::Optional),
    long(REFUSED, "reject-format", Value::Required),
    long(MISMATCH, "backup-if-mismatch", Value::None),
    long(NO_MISMATCH, "no-backup-if-mismatch", Value::None),
    long(POSIX, "posix", Value::None),
    long(HELP, "help", Value::None),
];

/// What was asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    backup: bool,
    backup_on_mismatch: bool,
    suffix: Vec<u8>,
    prefix: Vec<u8>,
    directory: Option<Vec<u8>>,
    remove_empty: bool,
    force: bool,
    batch: bool,
    forward: bool,
    fuzz: usize,
    input: Option<Vec<u8>>,
    loose: bool,
    output: Option<Vec<u8>>,
    strip: Option<usize>,
    rejects: Option<Vec<u8>>,
    reverse: bool,
    silent: bool,
    dry_run: bool,
    binary: bool,
    file: Option<Vec<u8>>,
}

/// Nothing more can be done: a message.
struct Fatal(Vec<u8>);

/// Runs patch and returns its status.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let asked = match parse(tool, arguments) {
        Ok(asked) => asked,
        Err(status) => return status,
    };
    match run(&asked) {
        Ok(status) => status,
        Err(Fatal(message)) => {
            complain(tool, [b"**** ", &message[..]].concat());
            2
        }
    }
}

fn parse(tool: &str, arguments: Arguments) -> Result<Asked, i32> {
    let mut asked = Asked {
        backup: false,
        backup_on_mismatch: true,
        suffix: b".orig".to_vec(),
        prefix: Vec::new(),
        directory: None,
        remove_empty: false,
        force: false,
        batch: false,
        forward: false,
        fuzz: 2,
        input: None,
        loose: false,
        output: None,
        strip: None,
        rejects: None,
        reverse: false,
        silent: false,
        dry_run: false,
        binary: false,
        file: None,
    };
    let fatal = |message: String| {
        complain(tool, format!("**** {message}"));
        2
    };
    let mut options = Options::new(TABLE, arguments);
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Err(mistake) => return Err(crate::arguments::usage(tool, &mistake.message)),
            Ok(None) => break,
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => {
                let text = value.unwrap_or_default();
                let shown = String::from_utf8_lossy(&text).into_owned();
                match u8::try_from(key).unwrap_or(0) {
                    b'b' => asked.backup = true,
                    b'B' => {
                        asked.prefix = text;
                        asked.suffix.clear();
                    }
                    b'c' | b'u' | b'n' | b'T' => {}
                    b'd' => asked.directory = Some(text),
                    b'E' => asked.remove_empty = true,
                    b'f' => asked.force = true,
                    b'F' => {
                        asked.fuzz = shown
                            .parse()
                            .map_err(|_| fatal(format!("fuzz factor {shown} is not a number")))?
                    }
                    b'i' => asked.input = Some(text),
                    b'l' => asked.loose = true,
                    b'N' => asked.forward = true,
                    b'o' => asked.output = Some(text),
                    b'p' => {
                        asked.strip =
                            Some(shown.parse().map_err(|_| {
                                fatal(format!("strip count {shown} is not a number"))
                            })?);
                    }
                    b'r' => asked.rejects = Some(text),
                    b'R' => asked.reverse = true,
                    b's' => asked.silent = true,
                    b't' => asked.batch = true,
                    b'v' => return Err(print("patch (codepod), as GNU patch 2.7.6\n")),
                    b'z' => asked.suffix = text,
                    _ => match key {
                        DRY_RUN => asked.dry_run = true,
                        BINARY => asked.binary = true,
                        MISMATCH => asked.backup_on_mismatch = true,
                        NO_MISMATCH | POSIX => asked.backup_on_mismatch = false,
                        VERBOSE => {}
                        HELP => return Err(print(include_str!("patch.txt"))),
                        _ => return Err(fatal("that option is not supported".to_owned())),
                    },
                }
            }
        }
    }
    let mut operands = operands.into_iter();
    asked.file = operands.next();
    if let Some(input) = operands.next() {
        asked.input = Some(input);
    }
    if let Some(extra) = operands.next() {
        return Err(crate::arguments::usage(
            tool,
            [b"extra operand '", &extra[..], b"'"].concat(),
        ));
    }
    Ok(asked)
}

fn print(text: &str) -> i32 {
    // The status says enough where nothing can be written.
    i32::from(std::io::stdout().write_all(text.as_bytes()).is_err()) * 2
}

fn run(asked: &Asked) -> Result<i32, Fatal> {
    let mut text = Vec::new();
    let read = match asked.input.as_deref() {
        None | Some(b"-") => std::io::stdin().lock().read_to_end(&mut text).map(|_| ()),
        Some(name) => std::fs::read(path(name)).map(|read| text = read),
    };
    if let Err(error) = read {
        let name = asked.input.as_deref().unwrap_or(b"-");
        return Err(Fatal(
            [
                b"Can't open patch file ",
                name,
                b" : ",
                io_text(&error).as_bytes(),
            ]
            .concat(),
        ));
    }
    if let Some(directory) = &asked.directory
        && std::env::set_current_dir(path(directory)).is_err()
    {
        return Err(Fatal(
            [
                b"Can't change to directory ",
                &directory[..],
                b" : No such file or directory",
            ]
            .concat(),
        ));
    }
    let mut say = Say {
        silent: asked.silent,
    };
    if !asked.binary && text.ends_with(b"\r\n") {
        say.line(b"(Stripping trailing CRs from patch; use --binary to disable.)");
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        text = lines
            .flat_map(|line| match line.strip_suffix(b"\r\n") {
                Some(body) => [body, b"\n"].concat(),
                None => line.to_vec(),
            })
            .collect();
    }
    let mut reader = Reader::new(&text);
    let mut any = false;
    let mut failed = false;
    loop {
        match reader.next() {
            Ok(Some(patch)) => {
                any = true;
                failed |= !one_file(asked, patch, &mut say)?;
            }
            Ok(None) => break,
            Err(mistake) => {
                let name = reader
                    .broken
                    .take()
                    .and_then(|patch| best_name(asked, &patch, patch.old_missing));
                if let Some(name) = asked.file.clone().or(name) {
                    say.line(&[b"patching file ", &name[..]].concat());
                }
                return Err(Fatal(mistake));
            }
        }
    }
    if !any && !text.is_empty() {
        return Err(Fatal(
            b"Only garbage was found in the patch input.".to_vec(),
        ));
    }
    Ok(i32::from(failed))
}

/// What is said on standard output.
pub(crate) struct Say {
    silent: bool,
}

impl Say {
    /// Says a line, unless silence was asked for.
    pub(crate) fn line(&mut self, text: &[u8]) {
        if !self.silent {
            self.loud(text);
        }
    }

    /// Says a line in any case.
    pub(crate) fn loud(&mut self, text: &[u8]) {
        // Where standard output is gone there is nobody to tell; the status says whether it worked.
        let _ = std::io::stdout().write_all(&[text, b"\n"].concat());
    }
}

/// Patches one file. False where something did not work.
fn one_file(asked: &Asked, patch: FilePatch, say: &mut Say) -> Result<bool, Fatal> {
    let (old_missing, new_missing) = match asked.reverse {
        true => (patch.new_missing, patch.old_missing),
        false => (patch.old_missing, patch.new_missing),
    };
    let name = match &asked.file {
        Some(name) => Some(name.clone()),
        None => best_name(asked, &patch, old_missing),
    };
    let Some(name) = name else {
        no_file(asked, &patch, say);
        return Ok(false);
    };
    let mut shown = [
        if asked.dry_run {
            &b"checking file "[..]
        } else {
            b"patching file "
        },
        &name,
    ]
    .concat();
    if let Some(output) = &asked.output {
        shown = [b"patching file ", &output[..], b" (read from ", &name, b")"].concat();
    }
    say.line(&shown);
    let old = match std::fs::read(path(&name)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            return Err(Fatal(
                [
                    b"Can't open file ",
                    &name[..],
                    b" : ",
                    io_text(&error).as_bytes(),
                ]
                .concat(),
            ));
        }
    };
    let existed = std::fs::symlink_metadata(path(&name)).is_ok();
    let tried = Tried {
        fuzz: asked.fuzz,
        loose: asked.loose,
        force: asked.force,
        batch: asked.batch,
        forward: asked.forward,
        reverse: asked.reverse,
    };
    let applied = apply::apply(&old, &patch, &tried, say);
    let failed = !applied.rejected.is_empty();
    if !asked.dry_run {
        write(asked, &name, existed, &applied, new_missing)?;
        if failed {
            rejects(asked, &name, &patch, &applied, say)?;
        }
    }
    if failed {
        let count = patch.hunks.len();
        let noun = if count == 1 { "hunk" } else { "hunks" };
        let verb = if applied.skipped { "ignored" } else { "FAILED" };
        let mut text =
            format!("{} out of {count} {noun} {verb}", applied.rejected.len()).into_bytes();
        if !asked.dry_run && asked.rejects.as_deref() != Some(b"-") {
            let target = asked
                .rejects
                .clone()
                .unwrap_or_else(|| [&output_name(asked, &name)[..], b".rej"].concat());
            text.extend_from_slice(b" -- saving rejects to file ");
            text.extend_from_slice(&target);
        }
        say.loud(&text);
    }
    Ok(!failed)
}

fn output_name(asked: &Asked, name: &[u8]) -> Vec<u8> {
    asked.output.clone().unwrap_or_else(|| name.to_vec())
}

fn cannot<T>(what: &[u8], name: &[u8], error: &std::io::Error) -> Result<T, Fatal> {
    Err(Fatal(
        [what, name, b" : ", io_text(error).as_bytes()].concat(),
    ))
}

fn write(
    asked: &Asked,
    name: &[u8],
    existed: bool,
    applied: &Applied,
    new_missing: bool,
) -> Result<(), Fatal> {
    let target = output_name(asked, name);
    if applied.skipped {
        return Ok(());
    }
    if target == b"-" {
        // The status says enough where nothing can be written.
        let _ = std::io::stdout().write_all(&applied.text);
        return Ok(());
    }
    let backs_up = asked.backup || (asked.backup_on_mismatch && applied.mismatched);
    if backs_up && asked.output.is_none() {
        let backup = backup_name(asked, &target);
        let result = match existed {
            true => std::fs::copy(path(&target), path(&backup)).map(|_| ()),
            false => std::fs::write(path(&backup), b""),
        };
        if let Err(error) = result {
            return cannot(b"Can't create file ", &backup, &error);
        }
    }
    if applied.applied == 0 && asked.output.is_none() {
        return Ok(());
    }
    let removes =
        applied.text.is_empty() && (new_missing || asked.remove_empty) && asked.output.is_none();
    if removes {
        if existed {
            if let Err(error) = std::fs::remove_file(path(&target)) {
                return cannot(b"Can't remove file ", &target, &error);
            }
            remove_empty_parents(&target);
        }
        return Ok(());
    }
    if let Some(at) = target
        .iter()
        .rposition(|byte| *byte == b'/')
        .filter(|at| *at > 0)
        && let Err(error) = std::fs::create_dir_all(path(&target[..at]))
    {
        return cannot(b"Can't create directory ", &target[..at], &error);
    }
    match std::fs::write(path(&target), &applied.text) {
        Ok(()) => Ok(()),
        Err(error) => cannot(b"Can't create file ", &target, &error),
    }
}

/// Removes directories that were left empty.
fn remove_empty_parents(name: &[u8]) {
    let mut rest = name;
    while let Some(at) = rest
        .iter()
        .rposition(|byte| *byte == b'/')
        .filter(|at| *at > 0)
    {
        rest = &rest[..at];
        if std::fs::remove_dir(path(rest)).is_err() {
            return;
        }
    }
}

fn backup_name(asked: &Asked, name: &[u8]) -> Vec<u8> {
    [&asked.prefix[..], name, &asked.suffix].concat()
}

fn rejects(
    asked: &Asked,
    name: &[u8],
    patch: &FilePatch,
    applied: &Applied,
    say: &mut Say,
) -> Result<(), Fatal> {
    let text = apply::rejects(patch, &applied.rejected, applied.reversed);
    let target = asked
        .rejects
        .clone()
        .unwrap_or_else(|| [&output_name(asked, name)[..], b".rej"].concat());
    if target == b"-" {
        say.loud(text.strip_suffix(b"\n").unwrap_or(&text));
        return Ok(());
    }
    match std::fs::write(path(&target), text) {
        Ok(()) => Ok(()),
        Err(error) => cannot(b"Can't create file ", &target, &error),
    }
}

/// The file that a patch is for.
fn best_name(asked: &Asked, patch: &FilePatch, old_missing: bool) -> Option<Vec<u8>> {
    let names = [&patch.names[0], &patch.names[1], &patch.index];
    let names: Vec<Vec<u8>> = names
        .into_iter()
        .flatten()
        .filter_map(|name| stripped(name, asked.strip))
        .collect();
    let parts = |name: &[u8]| {
        name.split(|byte| *byte == b'/')
            .filter(|part| !part.is_empty())
            .count()
    };
    let base = |name: &[u8]| {
        name.rsplit(|byte| *byte == b'/')
            .next()
            .map_or(0, <[u8]>::len)
    };
    let existing = names
        .iter()
        .filter(|name| std::fs::symlink_metadata(path(name)).is_ok());
    if let Some(best) = existing.min_by_key(|name| (parts(name), base(name), name.len())) {
        return Some(best.clone());
    }
    let makes_file = old_missing || (asked.reverse && patch.new_missing);
    if !makes_file {
        return None;
    }
    names
        .into_iter()
        .min_by_key(|name| (parts(name), base(name), name.len()))
}

/// A name without so many of its first parts; without a number only its last part. Names that lead out of the directory are refused.
fn stripped(name: &[u8], strip: Option<usize>) -> Option<Vec<u8>> {
    let rest = match strip {
        None => name.rsplit(|byte| *byte == b'/').next().unwrap_or(name),
        Some(count) => {
            let mut rest = name;
            for _ in 0..count {
                let at = rest.iter().position(|byte| *byte == b'/')?;
                rest = &rest[at..];
                while rest.first() == Some(&b'/') {
                    rest = &rest[1..];
                }
            }
            rest
        }
    };
    let leads_out =
        rest.starts_with(b"/") || rest.split(|byte| *byte == b'/').any(|part| part == b"..");
    (!rest.is_empty() && !leads_out).then(|| rest.to_vec())
}

/// Says that there is no file to patch.
fn no_file(asked: &Asked, patch: &FilePatch, say: &mut Say) {
    say.loud(format!("can't find file to patch at input line {}", patch.line).as_bytes());
    say.loud(match asked.strip {
        None => b"Perhaps you should have used the -p or --strip option?",
        Some(_) => b"Perhaps you used the wrong -p or --strip option?",
    });
    if !patch.leading.is_empty() {
        say.loud(b"The text leading up to this was:");
        say.loud(b"--------------------------");
        for line in &patch.leading {
            say.loud(&[b"|", line.strip_suffix(b"\n").unwrap_or(line)].concat());
        }
        say.loud(b"--------------------------");
    }
    if asked.force || asked.batch {
        say.loud(b"No file to patch.  Skipping patch.");
    } else {
        say.loud(b"File to patch: ");
        say.loud(b"Skip this patch? [y] ");
        say.loud(b"Skipping patch.");
    }
    let count = patch.hunks.len();
    let noun = if count == 1 { "hunk" } else { "hunks" };
    say.loud(format!("{count} out of {count} {noun} ignored").as_bytes());
}
