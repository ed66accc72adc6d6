//! `read`.

mod input;
mod split;

use std::time::Duration;

use codepod_shell_syntax::Name;
use codepod_sys::{Errno, clock, poll, terminal};

use super::{Getopt, array, is_name, is_target, number};
use crate::assign::{self, Place};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;
use input::{End, Input};

/// The status of a timeout: SIGALRM's number and 128.
const TIMED_OUT: i32 = 142;

#[derive(Default)]
struct Options<'a> {
    raw: bool,
    array: Option<&'a [u8]>,
    delimiter: u8,
    prompt: Option<&'a [u8]>,
    silent: bool,
    /// `-n`, `-N`: how many characters.
    count: Option<usize>,
    /// `-N`: delimiters are characters like any other.
    exact: bool,
    timeout: Option<Duration>,
    descriptor: u32,
}

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let (options, names) = match options(shell, arguments) {
        Ok(found) => found,
        Err(status) => return Ok(status),
    };
    if let Some(first) = names.first()
        && !is_name(first)
        && !is_target(first)
    {
        return Ok(invalid_name(shell, first));
    }
    let Some(fd) = shell.fds.kernel(options.descriptor) else {
        if options.descriptor == 0 {
            shell.builtin_error(b"read", b"read error: 0: Bad file descriptor");
        } else {
            let number = Text::number(options.descriptor.into());
            shell.builtin_error(
                b"read",
                [
                    &number[..],
                    b": invalid file descriptor: Bad file descriptor",
                ]
                .concat(),
            );
        }
        return Ok(1);
    };
    if options.timeout == Some(Duration::ZERO) {
        let ready = poll::readable(fd, Some(Duration::ZERO));
        return Ok(i32::from(ready != Ok(true)));
    }
    let silenced = interact(shell, &options);
    let mut input = Input {
        fd,
        raw: options.raw,
        delimiter: options.delimiter,
        count: options.count,
        exact: options.exact,
        deadline: options
            .timeout
            .map(|timeout| clock::now_monotonic() + timeout),
        text: Vec::new(),
        escapes: Vec::new(),
    };
    let end = input.read(shell)?;
    if let Some(state) = silenced {
        let _ = terminal::set_state(fd, &state);
    }
    let status = match end {
        Ok(End::Delimiter) => 0,
        Ok(End::Input) => 1,
        Ok(End::Time) => TIMED_OUT,
        Err(errno) => {
            failed(shell, options.descriptor, errno);
            return Ok(1);
        }
    };
    if !assign(shell, &options, names, input)? {
        return Ok(1);
    }
    Ok(status)
}

#[cold]
fn failed(shell: &Shell, descriptor: u32, errno: Errno) {
    let message = [
        b"read error: ",
        &Text::number(descriptor.into())[..],
        b": ",
        errno.message().as_bytes(),
    ];
    shell.builtin_error(b"read", message.concat());
}

#[cold]
fn invalid_name(shell: &Shell, name: &[u8]) -> i32 {
    shell.builtin_error(b"read", [b"`", name, b"': not a valid identifier"].concat());
    1
}

fn options<'a>(shell: &mut Shell, arguments: &'a [Text]) -> Result<(Options<'a>, &'a [Text]), i32> {
    let mut options = Options {
        delimiter: b'\n',
        ..Options::default()
    };
    // The form that scripts use most.
    let first = arguments.get(1).map_or(&b""[..], |text| text);
    if first == b"-r" {
        let second = arguments.get(2).map_or(&b""[..], |text| text);
        if second.first() != Some(&b'-') {
            options.raw = true;
            default_timeout(shell, &mut options);
            return Ok((options, &arguments[2..]));
        }
    }
    let mut timed = false;
    let mut parsed = Getopt::new(arguments, "ersa:d:i:n:p:t:u:N:");
    while let Some(option) = parsed.next(shell)? {
        let value = option.value;
        match option.letter {
            b'r' => options.raw = true,
            b's' => options.silent = true,
            b'a' => options.array = Some(value),
            b'd' => options.delimiter = value.first().copied().unwrap_or(0),
            b'p' => options.prompt = Some(value),
            b'n' | b'N' => {
                let count = number(value).and_then(|count| usize::try_from(count).ok());
                options.count = Some(count.ok_or_else(|| wrong(shell, value, "number"))?);
                options.exact = option.letter == b'N';
            }
            b't' => {
                let time = seconds(value);
                timed = true;
                let wrong = || wrong(shell, value, "timeout specification");
                options.timeout = Some(time.ok_or_else(wrong)?);
            }
            b'u' => {
                let wrong = || wrong(shell, value, "file descriptor specification");
                let number = number(value).and_then(|number| u32::try_from(number).ok());
                options.descriptor = number.ok_or_else(wrong)?;
                if shell.fds.get(options.descriptor).is_none() {
                    let message = [value, b": invalid file descriptor: Bad file descriptor"];
                    shell.builtin_error(b"read", message.concat());
                    return Err(1);
                }
            }
            // `-e` and `-i` are for editing on a terminal, which the host does.
            _ => {}
        }
    }
    if !timed {
        default_timeout(shell, &mut options);
    }
    Ok((options, parsed.operands()))
}

/// `TMOUT`, unless it is zero or nonsense.
fn default_timeout(shell: &mut Shell, options: &mut Options<'_>) {
    if shell.state.variables.get(Name::TMOUT).exists() {
        let time = assign::get(shell, Name::TMOUT).and_then(|time| seconds(&time));
        options.timeout = time.filter(|time| !time.is_zero());
    }
}

#[cold]
fn wrong(shell: &Shell, value: &[u8], what: &str) -> i32 {
    shell.builtin_error(b"read", [value, b": invalid ", what.as_bytes()].concat());
    1
}

/// Seconds with up to six digits behind the point.
fn seconds(text: &[u8]) -> Option<Duration> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (whole, part) = match text.iter().position(|byte| *byte == b'.') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &b""[..]),
    };
    let digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    if text.is_empty() || !digits(whole) || !digits(part) {
        return None;
    }
    let value = |text: &[u8]| {
        text.iter().fold(0u64, |value, digit| {
            value
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'))
        })
    };
    let mut micros = [b'0'; 6];
    for (to, from) in micros.iter_mut().zip(part) {
        *to = *from;
    }
    Some(
        Duration::from_secs(value(whole).min(u64::from(u32::MAX)))
            + Duration::from_micros(value(&micros)),
    )
}

/// On a terminal: prints the prompt, and hides what is typed for `-s`. Returns the state to put
/// back.
fn interact(shell: &mut Shell, options: &Options<'_>) -> Option<terminal::TerminalState> {
    if options.prompt.is_none() && !options.silent {
        return None;
    }
    let fd = shell.fds.kernel(options.descriptor)?;
    let state = terminal::state(fd).ok()?;
    if let Some(prompt) = options.prompt {
        let _ = shell.fds.write(2, prompt);
    }
    if !options.silent {
        return None;
    }
    let mut quiet = state;
    quiet.mode &= !terminal::TerminalState::ECHO;
    terminal::set_state(fd, &quiet).ok()?;
    Some(state)
}

/// Gives the variables what was read; false when one of them cannot be set.
fn assign(shell: &mut Shell, options: &Options<'_>, names: &[Text], input: Input) -> Run<bool> {
    let Input { text, escapes, .. } = input;
    if let Some(name) = options.array {
        let words = split::words(shell, &text, &escapes);
        return array::replace(shell, b"read", name, words);
    }
    let Some((last, first)) = names.split_last() else {
        return assign::set(shell, Name::REPLY, Place::Whole, Text::from(text), false);
    };
    if options.exact {
        let mut text = Text::from(text);
        for name in names {
            if !set(shell, name, std::mem::take(&mut text))? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    if first.is_empty() {
        // `IFS= read -r line` is the commonest way to read a line.
        let ifs = shell.state.variables.get(Name::IFS).scalar();
        if ifs.is_some_and(|ifs| ifs.is_empty()) {
            return set(shell, last, Text::from(text));
        }
        let (start, end) = split::whole(shell, &text, &escapes);
        let value = if end - start == text.len() {
            Text::from(text)
        } else {
            Text::new(&text[start..end])
        };
        return set(shell, last, value);
    }
    let parts = split::parts(shell, &text, &escapes, names.len());
    for (name, (start, end)) in names.iter().zip(parts) {
        if !set(shell, name, Text::new(&text[start..end]))? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn set(shell: &mut Shell, name: &[u8], value: Text) -> Run<bool> {
    if is_name(name) {
        return assign::set(shell, Name::new(name), Place::Whole, value, false);
    }
    if is_target(name) {
        return assign::set_by_text(shell, name, value);
    }
    invalid_name(shell, name);
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_seconds_with_a_fraction() {
        assert_eq!(seconds(b"1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(seconds(b".25"), Some(Duration::from_millis(250)));
        assert_eq!(seconds(b"0"), Some(Duration::ZERO));
        for bad in [&b""[..], b"x", b"-1", b"1.x", b"1e3"] {
            assert_eq!(seconds(bad), None);
        }
    }
}
