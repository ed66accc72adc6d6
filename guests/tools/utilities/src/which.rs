//! `which`: where commands are.

use codepod_tool::{Arguments, complain};

use crate::files;

/// which as a tool: as Debian's, with `-a` for all of them.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut all = false;
    let mut silent = false;
    let mut names = Vec::new();
    let mut options = true;
    for argument in arguments {
        match argument.as_slice() {
            b"--" if options => options = false,
            [b'-', flags @ ..] if options && !flags.is_empty() => {
                for flag in flags {
                    match flag {
                        b'a' => all = true,
                        b's' => silent = true,
                        other => {
                            files::tell(&format!("Illegal option -{}\n", char::from(*other)));
                            files::tell(&format!("Usage: /usr/bin/{name} [-as] args\n"));
                            return 2;
                        }
                    }
                }
            }
            _ => {
                options = false;
                names.push(argument);
            }
        }
    }
    if names.is_empty() {
        return 1;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut out = codepod_tool::Output::new();
    let mut status = 0;
    for wanted in &names {
        let mut found = false;
        let candidates: Vec<Vec<u8>> = match wanted.contains(&b'/') {
            true => vec![wanted.clone()],
            false => path
                .as_encoded_bytes()
                .split(|byte| *byte == b':')
                .map(|directory| match directory {
                    b"" => [&b"./"[..], wanted].concat(),
                    directory => [directory, b"/", wanted].concat(),
                })
                .collect(),
        };
        for candidate in candidates {
            if !is_program(&candidate) {
                continue;
            }
            found = true;
            if !silent {
                out.put(&candidate);
                out.put_byte(b'\n');
            }
            if !all {
                break;
            }
        }
        if !found {
            status = 1;
        }
    }
    if let Err(error) = out.finish() {
        complain(name, files::why(&error));
        return 2;
    }
    status
}

fn is_program(path: &[u8]) -> bool {
    let is_file =
        std::fs::metadata(codepod_tool::path(path)).is_ok_and(|metadata| metadata.is_file());
    if !is_file {
        return false;
    }
    #[cfg(target_os = "wasi")]
    return codepod_sys::file::access(
        path,
        codepod_sys::file::Links::Follow,
        codepod_sys::file::EXECUTE,
    )
    .is_ok();
    #[cfg(not(target_os = "wasi"))]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::metadata(codepod_tool::path(path))
            .is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
    }
}
