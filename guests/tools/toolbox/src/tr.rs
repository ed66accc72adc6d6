//! `tr`: replaces, deletes or squeezes bytes.

mod set;

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, flag, long, quoted_text,
};

use crate::arguments::{help, version};
use crate::system;
use crate::text_input::{Input, finish};
use set::{Run, Set};

#[derive(Clone, Copy)]
enum Key {
    Complement,
    Delete,
    Squeeze,
    Truncate,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Complement, b'c', "complement"),
    flag(Key::Complement, b'C', ""),
    flag(Key::Delete, b'd', "delete"),
    flag(Key::Squeeze, b's', "squeeze-repeats"),
    flag(Key::Truncate, b't', "truncate-set1"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

#[derive(Default)]
struct Settings {
    complement: bool,
    delete: bool,
    squeeze: bool,
    truncate: bool,
}

/// What is done with each byte: it is left out, or replaced, and then perhaps squeezed.
struct Tables {
    keep: Option<[bool; 256]>,
    replacement: Option<[u8; 256]>,
    squeeze: Option<[bool; 256]>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let tables = settings(tool, arguments)
        .and_then(|(settings, operands)| tables(tool, &settings, &operands));
    match tables {
        Ok(tables) => run(tool, &tables),
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<(Settings, Arguments), Stop> {
    let mut settings = Settings::default();
    let options = Options::new(TABLE, arguments).in_order();
    let operands = options.each(|key, _| {
        match key {
            Key::Complement => settings.complement = true,
            Key::Delete => settings.delete = true,
            Key::Squeeze => settings.squeeze = true,
            Key::Truncate => settings.truncate = true,
            Key::Help => {
                let about = "Translate, squeeze, and/or delete characters from standard input,\n\
                             writing to standard output.";
                let status = help(tool, "[OPTION]... STRING1 [STRING2]", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    check_count(&settings, &operands)?;
    Ok((settings, operands))
}

/// Fails where there are too few or too many operands for what is to be done.
fn check_count(settings: &Settings, operands: &Arguments) -> Result<(), Usage> {
    let least = 1 + usize::from(settings.delete == settings.squeeze);
    let most = 1 + usize::from(settings.delete <= settings.squeeze);
    if operands.len() < least {
        let Some(last) = operands.last() else {
            return Err(Usage::new("missing operand"));
        };
        let why: &[u8] = if settings.squeeze {
            b"\nTwo strings must be given when both deleting and squeezing repeats."
        } else {
            b"\nTwo strings must be given when translating."
        };
        let message = [b"missing operand after ", &quoted_text(last)[..], why].concat();
        return Err(Usage::new(message));
    }
    if let Some(extra) = operands.get(most) {
        let why: &[u8] = if operands.len() == 2 {
            b"\nOnly one string may be given when deleting without squeezing repeats."
        } else {
            b""
        };
        let message = [b"extra operand ", &quoted_text(extra)[..], why].concat();
        return Err(Usage::new(message));
    }
    Ok(())
}

/// Makes the tables of what the operands say.
fn tables(tool: &str, settings: &Settings, operands: &Arguments) -> Result<Tables, Stop> {
    let mut first = Set::parse(tool, &operands[0]).map_err(Stop::Failed)?;
    let second = operands.get(1).map(|text| Set::parse(tool, text));
    let mut second = second.transpose().map_err(Stop::Failed)?;
    if first.open_repeats > 0 {
        return Err(Stop::failed(
            "the [c*] repeat construct may not appear in string1",
        ));
    }
    if settings.complement {
        first.complement();
    }
    let translate = second.is_some() && !settings.delete;
    if let Some(second) = &mut second {
        let result = if translate {
            fit(settings, &first, second)
        } else {
            second.forbid_open_repeats()
        };
        result.map_err(Stop::failed)?;
    }
    let last = second.as_ref().unwrap_or(&first);
    Ok(Tables {
        keep: settings
            .delete
            .then(|| first.members().map(|member| !member)),
        replacement: second
            .as_ref()
            .filter(|_| translate)
            .map(|second| replacements(&first.runs, &second.runs)),
        squeeze: settings.squeeze.then(|| last.members()),
    })
}

/// Makes the second set as long as the first, and fails where they cannot stand together.
fn fit(settings: &Settings, first: &Set, second: &mut Set) -> Result<(), &'static str> {
    let length = first.length();
    second.close_repeats(length)?;
    if second.has_equivalence {
        return Err("[=c=] expressions may not appear in string2 when translating");
    }
    if second.has_other_class {
        return Err(
            "when translating, the only character classes that may appear in\n\
             string2 are 'upper' and 'lower'",
        );
    }
    if !settings.complement {
        let aligned = second
            .cases
            .iter()
            .all(|start| *start > length || first.cases.contains(start));
        if !aligned {
            return Err("misaligned [:upper:] and/or [:lower:] construct");
        }
    }
    let missing = length.saturating_sub(second.length());
    if missing > 0 && !settings.truncate {
        let Some(Run { byte, .. }) = second.runs.last().copied() else {
            return Err("when not truncating set1, string2 must be non-empty");
        };
        if second.ends_with_class {
            return Err("when translating with string1 longer than string2,\n\
                        the latter string must not end with a character class");
        }
        second.runs.push(Run {
            byte,
            count: missing,
        });
    }
    if settings.complement && first.has_class {
        let one = second.members().into_iter().filter(|is| *is).count() <= 1;
        if !one || second.length() != length {
            return Err("when translating with complemented character classes,\n\
                        string2 must map all characters in the domain to one");
        }
    }
    Ok(())
}

/// The replacement of each byte. The last one counts where a byte is named more than once.
fn replacements(from: &[Run], to: &[Run]) -> [u8; 256] {
    let mut table = std::array::from_fn(|byte| byte as u8);
    let (mut from, mut to) = (from.iter().copied(), to.iter().copied());
    let (mut left, mut right) = (from.next(), to.next());
    while let (Some(source), Some(target)) = (&mut left, &mut right) {
        let step = source.count.min(target.count);
        if step > 0 {
            table[usize::from(source.byte)] = target.byte;
        }
        source.count -= step;
        target.count -= step;
        if source.count == 0 {
            left = from.next();
        } else {
            right = to.next();
        }
    }
    table
}

/// Copies standard input to standard output through the tables.
fn run(tool: &str, tables: &Tables) -> i32 {
    let mut out = Output::new();
    let mut status = 0;
    let mut text = Vec::new();
    // None is 256, which no byte is.
    let mut last = 256;
    let mut input = match Input::open(b"-") {
        Ok(input) => input,
        Err(error) => return read_error(tool, &error),
    };
    while !out.is_broken() {
        match input.block() {
            Ok(Some(block)) => {
                text.clear();
                text.extend_from_slice(block);
            }
            Ok(None) => break,
            Err(error) => {
                out.write_out();
                status = read_error(tool, &error);
                break;
            }
        }
        if let Some(keep) = &tables.keep {
            retain(&mut text, |byte| keep[usize::from(byte)]);
        }
        if let Some(replacement) = &tables.replacement {
            for byte in &mut text {
                *byte = replacement[usize::from(*byte)];
            }
        }
        if let Some(squeeze) = &tables.squeeze {
            retain(&mut text, |byte| {
                let repeated = u16::from(byte) == last && squeeze[usize::from(byte)];
                last = u16::from(byte);
                !repeated
            });
        }
        out.put(&text);
    }
    finish(tool, &mut out, status)
}

fn read_error(tool: &str, error: &std::io::Error) -> i32 {
    complain(tool, format!("read error: {}", system::io_message(error)));
    1
}

/// Leaves out bytes. Every byte is written, so that there is no branch to mispredict.
fn retain(text: &mut Vec<u8>, mut keep: impl FnMut(u8) -> bool) {
    let mut kept = 0;
    for at in 0..text.len() {
        let byte = text[at];
        text[kept] = byte;
        kept += usize::from(keep(byte));
    }
    text.truncate(kept);
}
