//! `declare` and `typeset`; `local`, `export` and `readonly` use its parts.

mod compound;
mod functions;
mod list;
mod variable;

use codepod_shell_syntax::tree::{Assign, AssignValue, Subscript};

use super::{Getopt, Opt};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::Attributes;
use crate::{arith, expand};

pub(super) use list::{with_attributes, with_attributes_functions};
pub(super) use variable::{Followed, set_nameref_followed};

/// What the options say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Options {
    /// Attributes to put on.
    pub on: Attributes,
    /// Attributes to take off.
    pub off: Attributes,
    /// `-g`
    pub global: bool,
    /// `-I`
    pub inherit: bool,
    /// `-p`
    pub print: bool,
    /// `-f` and `-F`
    pub functions: bool,
    /// `-F`
    pub names_only: bool,
    /// Whether it is `local`.
    pub local: bool,
}

impl Options {
    /// Takes one in.
    fn take(&mut self, option: Opt<'_>) {
        let attribute = match option.letter {
            b'g' => return self.global |= option.minus,
            b'I' => return self.inherit |= option.minus,
            b'p' => return self.print |= option.minus,
            b'f' => return self.functions |= option.minus,
            b'F' => {
                self.functions |= option.minus;
                return self.names_only |= option.minus;
            }
            b'a' => Attributes::INDEXED,
            b'A' => Attributes::ASSOC,
            b'c' => Attributes::CAPITAL,
            b'i' => Attributes::INTEGER,
            b'l' => Attributes::LOWER,
            b'n' => Attributes::NAMEREF,
            b'r' => Attributes::READONLY,
            b't' => Attributes::TRACE,
            b'u' => Attributes::UPPER,
            _ => Attributes::EXPORT,
        };
        if option.minus {
            self.on = self.on.with(attribute);
        } else {
            self.off = self.off.with(attribute);
        }
    }
}

/// The options that `declare`, `typeset` and `local` know.
const LETTERS: &str = "+acfgilnprtuxAFI";

/// `declare [-aAfFgiIlnrtux] [name[=value] ...]` and `typeset`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    declare(shell, arguments, false)
}

/// `local [option] name[=value] ...`
pub(super) fn run_local(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if !shell.state.scopes.in_function() {
        shell.builtin_error(&arguments[0], "can only be used in a function");
        return Ok(1);
    }
    declare(shell, arguments, true)
}

fn declare(shell: &mut Shell, arguments: &[Text], local: bool) -> Run<i32> {
    let command = &arguments[0];
    let mut options = Options {
        local,
        ..Options::default()
    };
    let mut getopt = Getopt::new(arguments, LETTERS);
    loop {
        match getopt.next(shell) {
            Ok(Some(option)) => options.take(option),
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = getopt.operands();
    if operands.is_empty() {
        return Ok(list::all(shell, command, options));
    }
    if options.print {
        return Ok(list::named(shell, command, operands, options));
    }
    if options.functions {
        return Ok(functions::declare(shell, command, operands, options));
    }
    let name = match command.first() {
        Some(b'l') => "local",
        Some(b't') => "typeset",
        _ => "declare",
    };
    arith::named(shell, name, |shell| {
        let mut status = 0;
        for operand in operands {
            if !variable::declare(shell, command, operand, options)? {
                status = 1;
            }
        }
        Ok(status)
    })
}

/// Expands an argument of the form of an assignment after a declaration builtin and appends it to
/// `fields`, which holds the command and the arguments before it, already expanded. `name=(…)` is
/// assigned at once, with the attributes that the options before it say, and only its name is
/// appended.
pub fn argument(shell: &mut Shell, assign: &Assign, fields: &mut Vec<Text>) -> Run {
    let mut field = Text::new(&assign.name.bytes());
    let AssignValue::Word(word) = &assign.value else {
        let options = options_so_far(fields);
        if options.on.has(Attributes::NAMEREF) {
            // The builtin will refuse it.
            field.push(b"=()");
        } else {
            array(shell, assign, options)?;
        }
        fields.push(field);
        return Ok(());
    };
    match assign.subscript.as_deref() {
        None => {}
        Some(Subscript::At) => field.push(b"[@]"),
        Some(Subscript::Star) => field.push(b"[*]"),
        Some(Subscript::Expr { word, .. }) => {
            let key = expand::key(shell, word)?;
            field.push(b"[");
            field.push(&key);
            field.push(b"]");
        }
    }
    field.push(if assign.append { b"+=" } else { b"=" });
    let value = expand::assigned(shell, word)?;
    field.push(&value);
    fields.push(field);
    Ok(())
}

/// Makes the array of `declare name=(…)`. What the builtin will refuse is left to it.
fn array(shell: &mut Shell, assign: &Assign, options: Options) -> Run {
    let name = assign.name;
    if options.global {
        return variable::globally(shell, name, |shell| {
            compound::assign(shell, assign, options)
        });
    }
    if !options.local || !shell.state.scopes.in_function() {
        return compound::assign(shell, assign, options);
    }
    // What the words mean is known before the name is local: `local a=("${a[@]}")`.
    let ready = compound::expand(shell, assign, options)?;
    if !variable::make_local(shell, name, options.inherit) {
        return Ok(());
    }
    variable::forget_scalar(shell, name, options);
    compound::assign_ready(shell, assign, &ready, options)
}

/// What the options among the fields say; [`Options::local`] is whether variables are local in a
/// function.
fn options_so_far(fields: &[Text]) -> Options {
    let mut options = Options::default();
    let command = fields.iter().position(|field| {
        matches!(
            &field[..],
            b"declare" | b"typeset" | b"local" | b"export" | b"readonly"
        )
    });
    let Some(command) = command else {
        return options;
    };
    options.local = !matches!(&fields[command][..], b"export" | b"readonly");
    for field in &fields[command + 1..] {
        let Some((sign @ (b'-' | b'+'), letters)) = field.split_first() else {
            break;
        };
        if **field == *b"--" {
            break;
        }
        // `export -n` is no nameref.
        let known: &[u8] = if options.local {
            &LETTERS.as_bytes()[1..]
        } else {
            b"aA"
        };
        for &letter in letters {
            if known.contains(&letter) {
                options.take(Opt {
                    letter,
                    minus: *sign == b'-',
                    value: b"",
                });
            }
        }
    }
    options
}
