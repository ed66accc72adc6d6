//! Files and commands of the shell: `e`, `r`, `w` and `!`.

use std::io::{Read as _, Write as _};

use codepod_tool::{Command, Ended, Ends};

use super::address::Range;
use super::buffer::{self, Buffer, Line};
use super::{Editor, Failure, say};

/// Why a file is not read that cannot be opened. At the start that is no failure: it is a new file.
pub(super) const CANNOT_OPEN: Failure = "Cannot open input file";

impl Editor {
    /// Begins with the text of a file or of a command's output. A file that is not there is empty.
    pub(super) fn open(&mut self, name: &[u8]) -> Result<(), Failure> {
        self.buffer = Buffer::default();
        self.current = 0;
        self.undo = None;
        self.unended = false;
        let (lines, bytes) = self.lines_of(name)?;
        self.buffer.insert(0, lines);
        self.current = self.buffer.len();
        self.modified = false;
        self.count(bytes);
        Ok(())
    }

    /// Puts the text of a file or command behind a line.
    pub(super) fn read(&mut self, after: usize, name: &[u8]) -> Result<(), Failure> {
        let (lines, bytes) = self.lines_of(name)?;
        if !lines.is_empty() {
            self.remember();
            self.modified = true;
            self.current = after + lines.len();
            self.buffer.insert(after, lines);
        }
        self.count(bytes);
        Ok(())
    }

    fn count(&mut self, bytes: usize) {
        if !self.settings.script {
            self.out.put(format!("{bytes}\n").as_bytes());
        }
    }

    /// The lines of a file or of a command's output, and how many bytes these are.
    fn lines_of(&mut self, name: &[u8]) -> Result<(Vec<Line>, usize), Failure> {
        let text = match name.strip_prefix(b"!") {
            Some(command) => {
                let command = self.shell_command(command)?;
                let mut started = Command::shell(&command, Ends::Output)
                    .map_err(|_| "Cannot open shell process")?;
                let mut text = Vec::new();
                // What came before an error is the output.
                let _ = started.read_to_end(&mut text);
                let _ = started.wait();
                text
            }
            None => {
                self.allowed(name)?;
                let path = codepod_tool::path(name);
                let read = match path.is_dir() {
                    true => Err(std::io::ErrorKind::IsADirectory.into()),
                    false => std::fs::read(path),
                };
                let opened = path.is_dir() || read.is_ok();
                read.map_err(|error| {
                    let why = match error.kind() {
                        std::io::ErrorKind::IsADirectory => "Is a directory".to_owned(),
                        _ => codepod_tool::io_text(&error),
                    };
                    if !self.settings.quiet {
                        say(&[name, b": ", why.as_bytes(), b"\n"].concat());
                    }
                    match opened {
                        true => "Cannot read input file",
                        false => CANNOT_OPEN,
                    }
                })?
            }
        };
        let mut lines: Vec<Line> = Vec::new();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = match self.settings.strip_cr {
                true => line.strip_suffix(b"\r").unwrap_or(line),
                false => line,
            };
            lines.push(buffer::line(line));
        }
        let mut bytes = text.len();
        if !text.is_empty() && !text.ends_with(b"\n") {
            // What is no text stays without an end; otherwise one is added, and counted.
            match text.contains(&0) {
                true => self.unended = true,
                false => {
                    bytes += 1;
                    self.out.put(b"Newline appended\n");
                }
            }
        }
        Ok((lines, bytes))
    }

    /// Whether a restricted editor may use a file.
    fn allowed(&self, name: &[u8]) -> Result<(), Failure> {
        match self.settings.restricted && (name.contains(&b'/') || name == b"..") {
            true => Err("Directory access restricted"),
            false => Ok(()),
        }
    }

    /// Writes lines to a file or to a command.
    pub(super) fn write(&mut self, range: Range, name: &[u8], append: bool) -> Result<(), Failure> {
        let mut text = Vec::new();
        for line in self.buffer.range(range.first, range.last) {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        if self.unended && range.last == self.buffer.len() {
            text.pop();
        }
        if let Some(command) = name.strip_prefix(b"!") {
            let command = self.shell_command(command)?;
            self.out.write_out();
            let mut started =
                Command::shell(&command, Ends::Input).map_err(|_| "Cannot open shell process")?;
            // A command that does not read all of it is no failure.
            let _ = started.write_all(&text);
            let _ = started.wait();
        } else {
            self.allowed(name)?;
            let path = codepod_tool::path(name);
            let written = match append {
                true => std::fs::OpenOptions::new()
                    .append(true)
                    .create(true)
                    .open(path)
                    .and_then(|mut file| file.write_all(&text)),
                false => std::fs::write(path, &text),
            };
            written.map_err(|error| {
                let why = codepod_tool::io_text(&error);
                if !self.settings.quiet {
                    say(&[name, b": ", why.as_bytes(), b"\n"].concat());
                }
                "Cannot open output file"
            })?;
            if range.first <= 1 && range.last == self.buffer.len() {
                self.modified = false;
            }
        }
        self.count(text.len());
        Ok(())
    }

    /// `!`: a command of the shell.
    pub(super) fn shell(&mut self, text: &[u8]) -> Result<(), Failure> {
        let command = self.shell_command(text)?;
        self.out.write_out();
        let started = Command::shell(&command, Ends::None);
        let ended = started.and_then(Command::wait);
        if !self.settings.script {
            self.out.put(b"!\n");
        }
        match ended {
            Ok(Ended::Exited(_) | Ended::Signaled(_)) => Ok(()),
            Err(_) => Err("Cannot open shell process"),
        }
    }

    /// A command with `%` as the file's name and `!` as the command before.
    fn shell_command(&mut self, text: &[u8]) -> Result<Vec<u8>, Failure> {
        if self.settings.restricted {
            return Err("Shell access restricted");
        }
        let mut command = Vec::new();
        let mut rest = text;
        let mut expanded = false;
        if let Some(more) = rest.strip_prefix(b"!") {
            let last = self.shell.as_ref().ok_or("No previous command")?;
            command.extend_from_slice(last);
            rest = more;
            expanded = true;
        }
        let mut bytes = rest.iter().peekable();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' if bytes.peek() == Some(&&b'%') => command.extend(bytes.next()),
                b'%' => {
                    command.extend(self.file.as_ref().ok_or("No current filename")?);
                    expanded = true;
                }
                byte => command.push(*byte),
            }
        }
        if expanded {
            self.out.put(&command);
            self.out.put(b"\n");
        }
        self.shell = Some(command.clone());
        Ok(command)
    }
}
