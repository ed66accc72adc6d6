//! Command substitution.

use codepod_shell_syntax::tree::{CommandSub, RedirectKind};
use codepod_sys::descriptor;
use codepod_sys::file::{self, OpenOptions};

use crate::exec;
use crate::flow::Run;
use crate::shell::Shell;

/// What a command substitution gives: its output without trailing newlines and without NULs. The
/// status is in the state.
pub(super) fn output(shell: &mut Shell, substitution: &CommandSub) -> Run<Vec<u8>> {
    if let Some(error) = &substitution.error {
        let name = shell.name_for_errors().clone();
        for line in error.split(|byte| *byte == b'\n') {
            let text = [&*name, b": command substitution: ", line, b"\n"].concat();
            let _ = shell.fds.write(2, &text);
        }
        shell.state.status = 2;
        shell.captured = Some(2);
        return Ok(Vec::new());
    }
    let mut output = match &substitution.file {
        Some(redirect) => match &redirect.kind {
            RedirectKind::Read(word) => {
                let path = super::target(shell, word)?;
                let content = read(shell, &path);
                shell.captured = Some(shell.state.status);
                content
            }
            _ => captured(shell, substitution)?,
        },
        None => captured(shell, substitution)?,
    };
    if output.contains(&0) {
        output.retain(|byte| *byte != 0);
        shell.error("warning: command substitution: ignored null byte in input");
    }
    let length = output
        .iter()
        .rposition(|byte| *byte != b'\n')
        .map_or(0, |last| last + 1);
    output.truncate(length);
    Ok(output)
}

fn captured(shell: &mut Shell, substitution: &CommandSub) -> Run<Vec<u8>> {
    let written = substitution.backquotes.then_some(substitution.line);
    let first = written.or_else(|| substitution.list.line());
    exec::capture(shell, &substitution.list, first.unwrap_or(0))
}

/// The content of a file: `$(<file)`.
fn read(shell: &mut Shell, path: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    let fd = match file::open(&shell.fds.path(path), OpenOptions::READ) {
        Ok(fd) => fd,
        Err(errno) => {
            shell.error([path, b": ", errno.message().as_bytes()].concat());
            shell.state.status = 1;
            return content;
        }
    };
    let mut buffer = vec![0u8; 16384];
    loop {
        match descriptor::read(fd, &mut buffer) {
            Ok(0) => break,
            Ok(count) => content.extend_from_slice(&buffer[..count]),
            Err(codepod_sys::Errno::Intr) => {}
            Err(errno) => {
                shell.error(["read error: ", errno.message()].concat());
                break;
            }
        }
    }
    let _ = descriptor::close(fd);
    shell.state.status = 0;
    content
}
