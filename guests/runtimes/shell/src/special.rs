//! Variables that are computed when read, or whose assignment does something, and those that a
//! shell starts with.

mod initial;

use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_sys::{clock, process, random};

use crate::arith;
use crate::assign::Place;
use crate::options::{SET_OPTIONS, SHELL_OPTIONS, SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::state::Invocation;
use crate::text::Text;
use crate::variables::{Assoc, Attributes, Indexed, Value};

pub use initial::initial;

/// The value of a variable that is [`Value::Dynamic`].
#[inline(never)]
pub fn value(shell: &mut Shell, name: Name) -> Value {
    let state = &shell.state;
    let number = |number: i64| Value::Text(Text::number(number));
    match name {
        Name::RANDOM => number(next_random(shell)),
        Name::SRANDOM => number(random::number().into()),
        Name::SECONDS => number(monotonic().wrapping_sub(state.seconds_base)),
        Name::LINENO => number(state.line.into()),
        Name::EPOCHSECONDS => number(clock::now_real().as_secs() as i64),
        Name::EPOCHREALTIME => Value::Text(epoch_real_time()),
        Name::BASHPID => number(shell.process_number().into()),
        // The words of a stage are expanded before it counts as one.
        Name::BASH_SUBSHELL => number(i64::from(state.subshell) - i64::from(shell.early)),
        Name::BASH_COMMAND => Value::Text(state.command.clone()),
        Name::BASH_ARGV0 => Value::Text(state.zero.clone()),
        Name::HISTCMD => number(state.history.len() as i64 + i64::from(!state.history.is_empty())),
        Name::UNDERSCORE => Value::Text(state.last_argument.clone()),
        Name::SHELLOPTS => Value::Text(set_options(state.set)),
        Name::BASHOPTS => Value::Text(shell_options(state.shopt)),
        Name::PIPESTATUS => array(
            state
                .pipe_status
                .iter()
                .map(|status| Text::number((*status).into())),
        ),
        Name::DIRSTACK => array(
            std::iter::once(state.directory.clone()).chain(state.directory_stack.iter().cloned()),
        ),
        Name::GROUPS => array(process::ids().ok().map(|ids| Text::number(ids.gid.into()))),
        Name::FUNCNAME => frames(shell, |frame| frame.function.clone(), Some("main")),
        Name::BASH_SOURCE => frames(shell, |frame| frame.source.clone(), None),
        Name::BASH_LINENO => frames(shell, |frame| Text::number(frame.line.into()), Some("0")),
        Name::BASH_ARGC => {
            let calls = calls(shell);
            array(calls.map(|call| Text::number(call.len() as i64)))
        }
        Name::BASH_ARGV => {
            let calls = calls(shell);
            array(calls.flat_map(|call| call.iter().rev().cloned()))
        }
        Name::BASH_ALIASES => associative(state.aliases.iter()),
        Name::BASH_CMDS => associative(state.hash.iter().map(|(name, (path, _))| (name, path))),
        _ => Value::Unset,
    }
}

/// The arguments of each function that runs, the innermost first, and of the script: inside of
/// functions only with `extdebug`.
fn calls(shell: &Shell) -> impl Iterator<Item = &[Text]> {
    let state = &shell.state;
    let extdebug = state.shopt.has(ShellOptions::EXTDEBUG);
    let outermost = match shell.calls.first() {
        Some(call) => extdebug.then(|| call.caller_arguments()),
        None => Some(&state.positional[..]),
    };
    let called = state
        .frames
        .iter()
        .rev()
        .filter_map(|frame| frame.arguments.as_ref());
    called.map(|arguments| &arguments[..]).chain(outermost)
}

fn array(elements: impl IntoIterator<Item = Text>) -> Value {
    Value::Indexed(Rc::new(elements.into_iter().collect::<Indexed>()))
}

fn associative<'a>(elements: impl Iterator<Item = (&'a Text, &'a Text)>) -> Value {
    let mut all = Assoc::default();
    for (key, value) in elements {
        all.set(key.clone(), value.clone());
    }
    Value::Assoc(Rc::new(all))
}

/// An element for each function and sourced file that runs, the innermost first, and one for the
/// script. `FUNCNAME` is there only inside functions.
fn frames(
    shell: &Shell,
    element: impl Fn(&crate::state::Frame) -> Text,
    last: Option<&str>,
) -> Value {
    let state = &shell.state;
    if last == Some("main") && state.frames.iter().all(|frame| frame.sourced) {
        return Value::Unset;
    }
    let script = (state.invocation == Invocation::File)
        .then(|| last.map_or_else(|| state.script.clone(), Text::from));
    array(state.frames.iter().rev().map(element).chain(script))
}

fn monotonic() -> i64 {
    clock::now_monotonic().as_secs() as i64
}

fn epoch_real_time() -> Text {
    let now = clock::now_real();
    let mut text = Text::number(now.as_secs() as i64);
    let micros = Text::number(i64::from(now.subsec_micros()) + 1_000_000);
    text.push(b".");
    text.push(&micros[1..]);
    text
}

/// Marks a level of `RANDOM` whose seed a script has chosen.
const CHOSEN: u32 = 1 << 31;

/// Starts the numbers of `RANDOM` anew, unless a script has chosen where they start: for a shell
/// that goes on from a state, which others may go on from as well.
pub fn reseed_random(shell: &mut Shell) {
    if shell.state.random_level & CHOSEN == 0 {
        seed_random(shell);
    }
}

/// Starts the numbers of `RANDOM` somewhere.
fn seed_random(shell: &mut Shell) {
    shell.state.random_level = shell.state.subshell;
    shell.state.random = random::number();
}

/// The next number of `RANDOM`: the minimal standard generator of Park and Miller, folded to 15
/// bits.
fn next_random(shell: &mut Shell) -> i64 {
    if shell.state.random_level & !CHOSEN != shell.state.subshell {
        seed_random(shell);
    }
    let fold = |seed: u32| ((seed >> 16) ^ (seed & 0xffff)) & 0x7fff;
    let last = fold(shell.state.random);
    loop {
        shell.state.random = park_miller(shell.state.random);
        let number = fold(shell.state.random);
        if number != last {
            return number.into();
        }
    }
}

fn park_miller(last: u32) -> u32 {
    let last = if last == 0 { 123_459_876 } else { last };
    let (high, low) = (
        (last / 127_773).cast_signed(),
        (last % 127_773).cast_signed(),
    );
    let next = 16_807i32
        .wrapping_mul(low)
        .wrapping_sub(2_836i32.wrapping_mul(high));
    if next < 0 {
        next.wrapping_add(0x7fff_ffff).cast_unsigned()
    } else {
        next.cast_unsigned()
    }
}

/// Assigns to a variable that is [`Value::Dynamic`]. Those that cannot be changed ignore it, as in
/// bash.
pub fn assign(shell: &mut Shell, name: Name, place: Place, value: Text) -> bool {
    match name {
        Name::RANDOM => {
            let seed = integer(shell, &value);
            shell.state.random = seed as u32;
            shell.state.random_level = shell.state.subshell | CHOSEN;
        }
        Name::SECONDS => {
            let seconds = integer(shell, &value);
            shell.state.seconds_base = monotonic().wrapping_sub(seconds);
        }
        Name::BASH_ARGV0 => shell.state.zero = value,
        Name::UNDERSCORE => shell.state.last_argument = value,
        Name::BASH_SUBSHELL => shell.state.subshell = integer(shell, &value) as u32,
        Name::PIPESTATUS => {
            let status = integer(shell, &value) as i32;
            match place {
                Place::Index(index) => {
                    let at = usize::try_from(index).unwrap_or(0);
                    if let Some(slot) = shell.state.pipe_status.get_mut(at) {
                        *slot = status;
                    }
                }
                _ => shell.state.pipe_status = vec![status],
            }
        }
        Name::DIRSTACK => {
            if let Place::Index(index @ 1..) = place {
                let at = usize::try_from(index).unwrap_or(usize::MAX) - 1;
                if let Some(slot) = Rc::make_mut(&mut shell.state.directory_stack).get_mut(at) {
                    *slot = value;
                }
            }
        }
        Name::BASH_ALIASES => {
            if let Place::Key(key) = place {
                Rc::make_mut(&mut shell.state.aliases).insert(key, value);
            }
        }
        Name::BASH_CMDS => {
            if let Place::Key(key) = place {
                Rc::make_mut(&mut shell.state.hash).insert(key, (value, 0));
            }
        }
        _ => {}
    }
    true
}

fn integer(shell: &mut Shell, value: &[u8]) -> i64 {
    arith::eval_text(shell, value).unwrap_or(0)
}

/// What follows from a variable having another value, or none. Called for well-known names
/// ([`Name::is_well_known`]) after they were assigned, unset or put back by the end of a scope.
pub fn assigned(shell: &mut Shell, name: Name) {
    match name {
        Name::PATH if !shell.state.hash.is_empty() => {
            shell.state.hash = Rc::default();
        }
        Name::OPTIND => shell.state.getopts = 0,
        Name::HISTSIZE => crate::builtins::history::shrink(shell),
        Name::HISTFILESIZE => crate::builtins::history::shrink_file(shell),
        Name::GLOBIGNORE => {
            let set = shell
                .state
                .variables
                .get(name)
                .scalar()
                .is_some_and(|value| !value.is_empty());
            shell.state.shopt.set(ShellOptions::DOTGLOB, set);
        }
        Name::POSIXLY_CORRECT => {
            let set = !matches!(shell.state.variables.get(name).value, Value::Unset);
            shell.state.set.set(SetOptions::POSIX, set);
        }
        Name::LC_ALL | Name::LC_CTYPE | Name::LANG => {
            if name != Name::LANG {
                check_locale(shell, name, false);
            }
            locale(shell);
        }
        Name::IGNOREEOF => {
            let set = !matches!(shell.state.variables.get(name).value, Value::Unset);
            shell.state.set.set(SetOptions::IGNOREEOF, set);
        }
        _ => {}
    }
}

pub use assigned as changed;

/// Makes characters what the locale says: in one for UTF-8 they are that; in `C` and `POSIX`, and
/// where no variable says anything, every byte is one. A locale that is not there changes nothing.
/// Called when a variable of the locale changes, and when a whole state is put back.
pub fn locale(shell: &Shell) {
    let value = [Name::LC_ALL, Name::LC_CTYPE, Name::LANG]
        .into_iter()
        .filter_map(|name| shell.state.variables.get(name).scalar())
        .find(|value| !value.is_empty());
    let value = value.map_or(&b"C"[..], |value| value);
    if is_locale(value) {
        crate::pattern::chars::set_bytes(matches!(value, b"C" | b"POSIX"));
    }
}

/// Whether there is such a locale: `C`, `POSIX`, and any for UTF-8.
fn is_locale(locale: &[u8]) -> bool {
    let charset = locale.rsplit(|byte| *byte == b'.').next();
    let charset = charset.unwrap_or_default();
    matches!(locale, b"C" | b"POSIX")
        || charset.eq_ignore_ascii_case(b"utf-8")
        || charset.eq_ignore_ascii_case(b"utf8")
}

/// Warns where there is no locale of the name that a variable has.
pub fn check_locale(shell: &Shell, name: Name, starting: bool) {
    let variables = &shell.state.variables;
    let given = |name: Name| {
        let value = variables.get(name).scalar();
        value.filter(|value| !value.is_empty())
    };
    // Another decides, or it is for a program.
    if name != Name::LC_ALL && given(Name::LC_ALL).is_some()
        || shell.state.scopes.is_temporary(name, variables)
    {
        return;
    }
    let Some(value) = given(name).filter(|value| !is_locale(value)) else {
        return;
    };
    let message = [
        b"warning: setlocale: ",
        &*name.bytes(),
        b": cannot change locale (",
        &**value,
        b")",
    ]
    .concat();
    if starting {
        let _ = shell
            .fds
            .write(2, &[b"bash: ", &message[..], b"\n"].concat());
    } else {
        shell.error([&message[..], b": No such file or directory"].concat());
    }
}

/// `$-`
pub fn flags(shell: &Shell) -> Text {
    const ORDER: &[u8] = b"abefhikmnptuvxBCEHPT";
    let mut flags = Text::EMPTY;
    for letter in ORDER {
        let option = SET_OPTIONS
            .iter()
            .find(|(_, known, _)| *known == Some(*letter));
        let interactive = *letter == b'i' && shell.state.interactive;
        if interactive || option.is_some_and(|(_, _, option)| shell.state.set.has(*option)) {
            flags.push(&[*letter]);
        }
    }
    match shell.state.invocation {
        Invocation::Command => flags.push(b"c"),
        Invocation::Stdin => flags.push(b"s"),
        Invocation::File => {}
    }
    flags
}

fn set_options(set: SetOptions) -> Text {
    names(
        SET_OPTIONS
            .iter()
            .filter(|(_, _, option)| set.has(*option))
            .map(|(name, ..)| *name),
    )
}

fn shell_options(set: ShellOptions) -> Text {
    names(
        SHELL_OPTIONS
            .iter()
            .filter(|(_, _, option)| set.has(*option))
            .map(|(name, ..)| *name),
    )
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> Text {
    let mut all = Text::EMPTY;
    for name in names {
        if !all.is_empty() {
            all.push(b":");
        }
        all.push(name.as_bytes());
    }
    all
}

/// The variables that are computed when read and exported.
pub fn exported(shell: &Shell) -> Vec<Name> {
    let is_exported = |name: &Name| {
        let variable = shell.state.variables.get(*name);
        variable.attributes.has(Attributes::EXPORT) && matches!(variable.value, Value::Dynamic)
    };
    DYNAMIC
        .iter()
        .map(|(name, _)| *name)
        .filter(is_exported)
        .collect()
}

/// Whether a name is computed when read in a new shell, and its attributes.
const DYNAMIC: &[(Name, Attributes)] = &[
    (Name::RANDOM, Attributes::INTEGER),
    (Name::SRANDOM, Attributes::INTEGER),
    (Name::SECONDS, Attributes::INTEGER),
    (Name::LINENO, Attributes::NONE),
    (Name::EPOCHSECONDS, Attributes::NONE),
    (Name::EPOCHREALTIME, Attributes::NONE),
    (Name::BASHPID, Attributes::INTEGER),
    (Name::BASH_SUBSHELL, Attributes::NONE),
    (Name::BASH_COMMAND, Attributes::NONE),
    (Name::BASH_ARGV0, Attributes::NONE),
    (Name::HISTCMD, Attributes::INTEGER),
    (Name::UNDERSCORE, Attributes::NONE),
    (Name::SHELLOPTS, Attributes::READONLY),
    (Name::BASHOPTS, Attributes::READONLY),
    (Name::PIPESTATUS, Attributes::INDEXED),
    (Name::DIRSTACK, Attributes::INDEXED),
    (Name::GROUPS, Attributes::INDEXED),
    (Name::FUNCNAME, Attributes::INDEXED),
    (Name::BASH_SOURCE, Attributes::INDEXED),
    (Name::BASH_LINENO, Attributes::INDEXED),
    (Name::BASH_ARGC, Attributes::INDEXED),
    (Name::BASH_ARGV, Attributes::INDEXED),
    (Name::BASH_ALIASES, Attributes::ASSOC),
    (Name::BASH_CMDS, Attributes::ASSOC),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_bash() {
        // RANDOM=5; echo $RANDOM $RANDOM $RANDOM
        let mut shell = Shell::new(crate::state::State::default());
        assign(&mut shell, Name::RANDOM, Place::Whole, Text::from("5"));
        let numbers: Vec<i64> = (0..3).map(|_| next_random(&mut shell)).collect();
        assert_eq!(numbers, [18498, 29338, 982]);
    }
}
