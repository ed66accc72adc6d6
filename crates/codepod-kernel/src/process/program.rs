//! Programs: from a path to a module and its arguments.
//!
//! A program is a file that may be executed and begins with
//! * `#!codepod NAME`: a module that the engine knows by name. Every tool in `/bin` is such a file,
//!   so that `ls`, `find`, copies and snapshots treat it as what it is. A second word is the tool's
//!   own name, which a module with many tools finds in `argv[0]`;
//! * `#!codepod-host NAME`: a command that the host itself answers;
//! * `\0asm`: a module of its own, where the policy allows that;
//! * `#!/path argument`: an interpreter, as on Linux. What `#!/usr/bin/env NAME` looks for is
//!   looked for here: there is no `exec` by which `env` could become it.
//!
//! Anything else is `NoExec`; a shell then reads it as a script of its own.

use std::sync::Arc;

use codepod_abi::Errno;
use codepod_vfs::{Access, Caller, FileKind, NodeRef, Vfs};

use super::spawn::ModuleSource;
use crate::ids::Pid;
use crate::kernel::Kernel;
use crate::limits::Limits;
use crate::strings::Strings;

/// Who looks for a program, and from where.
pub(super) struct Search<'a> {
    pub(super) pid: Pid,
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// Where relative paths start.
    pub(super) base: NodeRef,
    /// The environment that the program will have.
    pub(super) env: &'a Strings,
}

/// A program that can be run.
pub(super) struct Found {
    pub(super) module: ModuleSource,
    pub(super) argv: Strings,
    pub(super) exe: Arc<[u8]>,
}

/// How much of a file is looked at to learn what it is (Linux: `BINPRM_BUF_SIZE`).
const HEAD: usize = 256;

impl Kernel {
    pub(super) fn find_program(
        &mut self,
        search: &Search<'_>,
        mut path: Vec<u8>,
        mut argv: Strings,
    ) -> Result<Found, Errno> {
        for _ in 0..=Limits::INTERPRETERS {
            let (node, size) = self.executable(search, &path)?;
            let mut head = [0; HEAD];
            let (vfs, caller) = self.files_for(search);
            let len = vfs.read_at(&caller, node, 0, &mut head)?;
            let head = &head[..len];
            if head.starts_with(b"\0asm") {
                return Ok(Found {
                    module: self.module_in(search, node, size)?,
                    argv,
                    exe: path.into(),
                });
            }
            let Interpreter { program, argument } = Interpreter::of(head)?;
            if program == b"codepod" {
                let mut words = argument.splitn(2, |byte| *byte == b' ');
                let name = words.next().unwrap_or_default();
                let name = std::str::from_utf8(name).map_err(|_| Errno::NoExec)?;
                let tool = words.next().filter(|tool| !tool.is_empty());
                return self.tool(name, tool, path, argv);
            }
            if program == b"codepod-host" {
                let name = std::str::from_utf8(argument).map_err(|_| Errno::NoExec)?;
                let command = self.commands.get(name).ok_or(Errno::NoEnt)?;
                if !self.policy.allows_host_command(name) {
                    return Err(Errno::Perm);
                }
                return Ok(Found {
                    module: ModuleSource::Host(command.clone()),
                    argv,
                    exe: path.into(),
                });
            }
            let named = if program == b"/usr/bin/env" || program == b"/bin/env" {
                self.in_path(search, argument)
            } else {
                None
            };
            // What `env` starts gets its own name as the first argument.
            let (first, argument, next) = match named {
                Some(next) => (argument, &b""[..], next),
                None => (program, argument, program.to_vec()),
            };
            let argument = (!argument.is_empty()).then_some(argument);
            let words = [Some(first), argument, Some(&path)];
            let words = words.into_iter().flatten().chain(argv.iter().skip(1));
            argv = Strings::new(words).ok_or(Errno::Inval)?;
            if argv.block().len() > self.limits.argument_bytes {
                return Err(Errno::TooBig);
            }
            path = next;
        }
        Err(Errno::Loop)
    }

    /// A tool of a module, whatever the files say. `Perm` where the policy does not allow the two
    /// together.
    pub(super) fn tool(
        &self,
        module: &str,
        tool: Option<&[u8]>,
        path: Vec<u8>,
        mut argv: Strings,
    ) -> Result<Found, Errno> {
        let named = tool.unwrap_or(module.as_bytes());
        if !self.policy.allows_tool(module, named) {
            return Err(Errno::Perm);
        }
        // Where only some tools are allowed, a module is never left to choose one by the name that
        // its caller gives.
        if tool.is_some() || self.policy.allowed.is_some() {
            argv = with_tool_name(argv, named)?;
        }
        Ok(Found {
            module: ModuleSource::Named(module.into()),
            argv,
            exe: path.into(),
        })
    }

    fn files_for(&mut self, search: &Search<'_>) -> (&mut Vfs, Caller<'_>) {
        let caller = Caller {
            pid: search.pid.0,
            uid: search.uid,
            gid: search.gid,
            now: self.file_time(),
            umask: 0,
            proc: &self.processes,
        };
        (&mut self.vfs, caller)
    }

    /// A file that may be executed, and its size. `Access`, `IsDir`, and what paths fail with.
    fn executable(&mut self, search: &Search<'_>, path: &[u8]) -> Result<(NodeRef, u64), Errno> {
        let (vfs, caller) = self.files_for(search);
        let node = vfs.resolve(&caller, search.base, path, true)?;
        let stat = vfs.stat(&caller, node)?;
        match stat.kind {
            FileKind::File => {}
            FileKind::Directory => return Err(Errno::IsDir),
            _ => return Err(Errno::Access),
        }
        vfs.access(&caller, node, Access::EXECUTE)?;
        Ok((node, stat.size))
    }

    /// The module that a file is. `Perm` where the policy forbids it, `NoExec` when it is too
    /// large.
    fn module_in(
        &mut self,
        search: &Search<'_>,
        node: NodeRef,
        size: u64,
    ) -> Result<ModuleSource, Errno> {
        if !self.policy.foreign_modules || self.policy.allowed.is_some() {
            return Err(Errno::Perm);
        }
        if size > self.limits.module_bytes as u64 {
            return Err(Errno::NoExec);
        }
        let (vfs, caller) = self.files_for(search);
        let mut bytes = vec![0; size as usize];
        let read = vfs.read_at(&caller, node, 0, &mut bytes)?;
        bytes.truncate(read);
        Ok(ModuleSource::Bytes(bytes.into()))
    }

    /// The first program of that name in the directories of the environment's `PATH`. `None` also
    /// when it is no plain name: then `env` itself must say what it makes of it.
    fn in_path(&mut self, search: &Search<'_>, name: &[u8]) -> Option<Vec<u8>> {
        if name.is_empty() || name[0] == b'-' || name.iter().any(|byte| b" \t=/".contains(byte)) {
            return None;
        }
        let path = search
            .env
            .iter()
            .find_map(|variable| variable.strip_prefix(b"PATH="))?;
        path.split(|byte| *byte == b':').find_map(|directory| {
            let directory = if directory.is_empty() {
                b"."
            } else {
                directory
            };
            let candidate = [directory, b"/", name].concat();
            self.executable(search, &candidate)
                .is_ok()
                .then_some(candidate)
        })
    }
}

/// The first line of a script.
struct Interpreter<'a> {
    program: &'a [u8],
    /// Everything after it is one argument; empty for none.
    argument: &'a [u8],
}

impl Interpreter<'_> {
    /// `NoExec` when the file is no script.
    fn of(head: &[u8]) -> Result<Interpreter<'_>, Errno> {
        let is_blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
        let line = head.strip_prefix(b"#!").ok_or(Errno::NoExec)?;
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let end = line.iter().rposition(|byte| !is_blank(byte));
        let line = &line[..end.map_or(0, |end| end + 1)];
        let start = line.iter().position(|byte| !is_blank(byte));
        let line = &line[start.ok_or(Errno::NoExec)?..];
        let program = line.split(is_blank).next().unwrap_or_default();
        let rest = &line[program.len()..];
        let start = rest.iter().position(|byte| !is_blank(byte));
        Ok(Interpreter {
            program,
            argument: &rest[start.unwrap_or(rest.len())..],
        })
    }
}

/// Makes the last component of `argv[0]` the tool's name, unless it is already.
fn with_tool_name(argv: Strings, tool: &[u8]) -> Result<Strings, Errno> {
    let first = argv.iter().next().unwrap_or_default();
    if first.rsplit(|byte| *byte == b'/').next() == Some(tool) {
        return Ok(argv);
    }
    Strings::new(std::iter::once(tool).chain(argv.iter().skip(1))).ok_or(Errno::Inval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_an_interpreter_and_one_argument() {
        let cases: [(&str, &str, &str); 6] = [
            ("#!/bin/sh\necho", "/bin/sh", ""),
            ("#! /bin/sh -e -u \t\n", "/bin/sh", "-e -u"),
            ("#!/bin/awk\t-f", "/bin/awk", "-f"),
            ("#!/usr/bin/env python3\n", "/usr/bin/env", "python3"),
            ("#!codepod toolbox ls\n", "codepod", "toolbox ls"),
            ("#!/bin/bash\r\n", "/bin/bash\r", ""),
        ];
        for (head, program, argument) in cases {
            let found = Interpreter::of(head.as_bytes()).unwrap();
            assert_eq!(found.program, program.as_bytes(), "{head:?}");
            assert_eq!(found.argument, argument.as_bytes(), "{head:?}");
        }
        for head in ["", "#!", "#!  \n", "echo hi\n", "#"] {
            let found = Interpreter::of(head.as_bytes());
            assert!(matches!(found, Err(Errno::NoExec)), "{head:?}");
        }
    }
}
