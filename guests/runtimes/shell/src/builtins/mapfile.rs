//! `mapfile`, which is also `readarray`.

use codepod_shell_syntax::Name;
use codepod_sys::{Errno, Fd, descriptor};

use super::{Getopt, array, number};
use crate::flow::Run;
use crate::quote;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::Value;
use crate::{exec, traps};

/// How much is read at once.
const CHUNK: usize = 1 << 16;

struct Options<'a> {
    delimiter: u8,
    /// `-t`
    trims: bool,
    /// `-n`: 0 means all.
    count: u64,
    /// `-s`
    skip: u64,
    /// `-O`
    origin: Option<u64>,
    descriptor: u32,
    /// `-C`
    callback: Option<&'a [u8]>,
    /// `-c`
    quantum: u64,
}

impl Options<'_> {
    /// What a line becomes in the array.
    fn value(&self, line: &[u8]) -> Text {
        let mut text = line;
        if self.trims && text.last() == Some(&self.delimiter) {
            text = &text[..text.len() - 1];
        }
        // A variable cannot hold a NUL.
        if let Some(end) = text.iter().position(|byte| *byte == 0) {
            text = &text[..end];
        }
        Text::new(text)
    }
}

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let (options, operands) = match options(shell, arguments) {
        Ok(found) => found,
        Err(status) => return Ok(status),
    };
    let name = operands.first().map_or(&b"MAPFILE"[..], |name| name);
    if name.is_empty() {
        shell.builtin_error(&arguments[0], b"empty array variable name");
        return Ok(2);
    }
    let Some(name) = array::target(shell, &arguments[0], name) else {
        return Ok(1);
    };
    if options.origin.is_none() {
        array::clear(shell, name);
    } else if !matches!(shell.state.variables.get(name).value, Value::Indexed(_)) {
        shell.state.variables.get_mut(name).make_indexed();
    }
    let Some(fd) = shell.fds.kernel(options.descriptor) else {
        return Ok(0);
    };
    let mut lines = Lines {
        fd,
        delimiter: options.delimiter,
        // With a count, what comes behind must stay for others.
        exact: options.count > 0 || options.callback.is_some(),
        buffer: Vec::new(),
        at: 0,
        ended: false,
    };
    fill(shell, &options, name, &mut lines)
}

fn fill(shell: &mut Shell, options: &Options<'_>, name: Name, lines: &mut Lines) -> Run<i32> {
    for _ in 0..options.skip {
        if lines.next(shell)?.is_none() {
            return Ok(0);
        }
    }
    if options.count == 0 && options.origin.is_none() && options.callback.is_none() {
        let mut all = Vec::new();
        while let Some(line) = lines.next(shell)? {
            all.push(options.value(line));
        }
        return Ok(i32::from(!array::fill(shell, name, all)?));
    }
    let mut index = options.origin.unwrap_or(0);
    let mut count = 1;
    while let Some(line) = lines.next(shell)? {
        let text = options.value(line);
        if let Some(callback) = options.callback
            && count % options.quantum == 0
        {
            call(shell, callback, index, &text)?;
        }
        if !array::set(shell, name, index, text)? {
            return Ok(1);
        }
        if count == options.count {
            break;
        }
        index += 1;
        count += 1;
    }
    Ok(0)
}

fn call(shell: &mut Shell, callback: &[u8], index: u64, line: &[u8]) -> Run {
    let mut command = callback.to_vec();
    command.push(b' ');
    command.extend_from_slice(&Text::number(index as i64));
    command.push(b' ');
    quote::single(line, &mut command);
    let number = shell.state.line;
    exec::text(shell, &command, number)
}

fn options<'a>(shell: &mut Shell, arguments: &'a [Text]) -> Result<(Options<'a>, &'a [Text]), i32> {
    let mut options = Options {
        delimiter: b'\n',
        trims: false,
        count: 0,
        skip: 0,
        origin: None,
        descriptor: 0,
        callback: None,
        quantum: 5000,
    };
    let mut parsed = Getopt::new(arguments, "d:u:n:O:tC:c:s:");
    while let Some(option) = parsed.next(shell)? {
        let value = option.value;
        let amount = |what: &str| {
            let amount = number(value).and_then(|amount| u64::try_from(amount).ok());
            amount.ok_or_else(|| {
                shell.builtin_error(
                    &arguments[0],
                    [value, b": invalid ", what.as_bytes()].concat(),
                );
                1
            })
        };
        match option.letter {
            b'd' => options.delimiter = value.first().copied().unwrap_or(0),
            b't' => options.trims = true,
            b'n' => options.count = amount("line count")?,
            b's' => options.skip = amount("line count")?,
            b'O' => options.origin = Some(amount("array origin")?),
            b'C' => options.callback = Some(value),
            b'c' => {
                let quantum = amount("callback quantum")?;
                if quantum == 0 {
                    shell.builtin_error(
                        &arguments[0],
                        [value, b": invalid callback quantum"].concat(),
                    );
                    return Err(1);
                }
                options.quantum = quantum;
            }
            _ => {
                let number = u32::try_from(amount("file descriptor specification")?);
                options.descriptor = number.unwrap_or(u32::MAX);
                if shell.fds.get(options.descriptor).is_none() {
                    shell.builtin_error(
                        &arguments[0],
                        [value, b": invalid file descriptor: Bad file descriptor"].concat(),
                    );
                    return Err(1);
                }
            }
        }
    }
    Ok((options, parsed.operands()))
}

/// Reads line after line.
struct Lines {
    fd: Fd,
    delimiter: u8,
    /// Nothing beyond a line is taken.
    exact: bool,
    buffer: Vec<u8>,
    /// Where in the buffer the next line starts.
    at: usize,
    ended: bool,
}

impl Lines {
    /// The next line with its delimiter.
    fn next(&mut self, shell: &mut Shell) -> Run<Option<&[u8]>> {
        let mut searched = self.at;
        loop {
            let found = self.buffer[searched..]
                .iter()
                .position(|byte| *byte == self.delimiter);
            if let Some(found) = found {
                let start = std::mem::replace(&mut self.at, searched + found + 1);
                return Ok(Some(&self.buffer[start..self.at]));
            }
            if self.ended {
                let start = std::mem::replace(&mut self.at, self.buffer.len());
                return Ok((start < self.at).then(|| &self.buffer[start..]));
            }
            self.buffer.drain(..self.at);
            self.at = 0;
            searched = self.buffer.len();
            self.more(shell)?;
        }
    }

    fn more(&mut self, shell: &mut Shell) -> Run {
        let used = self.buffer.len();
        self.buffer.resize(used + CHUNK, 0);
        let got = loop {
            let room = &mut self.buffer[used..];
            let got = if self.exact {
                descriptor::read_until(self.fd, room, self.delimiter)
            } else {
                descriptor::read(self.fd, room)
            };
            match got {
                Err(Errno::Intr) => traps::check(shell)?,
                got => break got.unwrap_or(0),
            }
        };
        self.buffer.truncate(used + got);
        self.ended = got == 0;
        Ok(())
    }
}
