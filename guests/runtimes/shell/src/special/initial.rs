//! What a shell knows when it starts.

use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_sys::{cwd, process};

use super::DYNAMIC;
use crate::assign::is_name;
use crate::options::{SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Indexed, Value, Variable};

/// bash's own default.
const PATH: &str = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin:.";
const LOADABLES: &str =
    "/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.";

/// Sets the variables of a new shell: those of the environment, which stay exported, and its own.
/// Returns exported functions as name and text (`() { … }`), which the caller defines.
pub fn initial(shell: &mut Shell, environment: &[Vec<u8>]) -> Vec<(Text, Text)> {
    let mut functions = Vec::new();
    for entry in environment {
        let Some(equals) = entry.iter().position(|byte| *byte == b'=') else {
            continue;
        };
        let (name, value) = (&entry[..equals], &entry[equals + 1..]);
        if let Some(name) = name
            .strip_prefix(b"BASH_FUNC_")
            .and_then(|name| name.strip_suffix(b"%%"))
        {
            functions.push((Text::new(name), Text::new(value)));
        } else if is_name(name) {
            shell.state.variables.replace(
                Name::new(name),
                Variable {
                    value: Value::Text(Text::new(value)),
                    attributes: Attributes::EXPORT,
                },
            );
        }
    }
    own(shell);
    functions
}

fn own(shell: &mut Shell) {
    let level = level(
        shell
            .state
            .variables
            .get(Name::SHLVL)
            .scalar()
            .map(|text| &text[..]),
    );
    let text = |name: Name, value: Text, attributes: Attributes| {
        (
            name,
            Variable {
                value: Value::Text(value),
                attributes,
            },
        )
    };
    let none = Attributes::NONE;
    let ids = process::ids().ok();
    let constant = Attributes::INTEGER.with(Attributes::READONLY);
    let uid = Text::number(ids.as_ref().map_or(0, |ids| ids.uid.into()));
    let version: Indexed = ["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"]
        .into_iter()
        .map(Text::from)
        .collect();
    let always = [
        text(Name::BASH, Text::from("/bin/bash"), none),
        text(Name::BASH_VERSION, Text::from("5.2.15(1)-release"), none),
        text(Name::IFS, Text::from(" \t\n"), none),
        text(Name::OPTIND, Text::from("1"), Attributes::INTEGER),
        text(Name::OPTERR, Text::from("1"), none),
        text(Name::UID, uid.clone(), constant),
        text(Name::EUID, uid, constant),
        text(
            Name::PPID,
            Text::number(ids.map_or(0, |ids| ids.parent.0.into())),
            constant,
        ),
        text(Name::SHLVL, Text::number(level), Attributes::EXPORT),
        (
            Name::BASH_VERSINFO,
            Variable {
                value: Value::Indexed(Rc::new(version)),
                attributes: Attributes::READONLY,
            },
        ),
    ];
    for (name, variable) in always {
        shell.state.variables.replace(name, variable);
    }
    for (name, value) in [
        (Name::PATH, PATH),
        (Name::PS4, "+ "),
        (Name::TERM, "dumb"),
        (Name::OSTYPE, "linux-gnu"),
        (Name::MACHTYPE, "x86_64-pc-linux-gnu"),
        (Name::HOSTTYPE, "x86_64"),
        (Name::SHELL, "/bin/bash"),
        (Name::HOSTNAME, "codepod"),
        (Name::BASH_LOADABLES_PATH, LOADABLES),
        (Name::COMP_WORDBREAKS, " \t\n\"'@><=;|&(:"),
    ] {
        if !shell.state.variables.get(name).exists() {
            shell.state.variables.replace(name, Variable::text(value));
        }
    }
    directory(shell);
    options(shell);
    for (name, attributes) in DYNAMIC {
        let inherited = shell.state.variables.get(*name).attributes;
        shell.state.variables.replace(
            *name,
            Variable {
                value: Value::Dynamic,
                attributes: if options_name(*name) {
                    attributes.with(inherited)
                } else {
                    *attributes
                },
            },
        );
    }
    shell.state.seconds_base = super::monotonic();
    super::seed_random(shell);
    crate::pattern::chars::set_bytes(true);
    for name in [Name::LC_ALL, Name::LC_CTYPE] {
        super::check_locale(shell, name, true);
    }
    super::locale(shell);
}

fn options_name(name: Name) -> bool {
    matches!(name, Name::SHELLOPTS | Name::BASHOPTS)
}

/// Switches on what the environment says: an exported `SHELLOPTS` or `BASHOPTS` is for shells that
/// are started.
fn options(shell: &mut Shell) {
    let list = |shell: &Shell, name: Name| {
        shell
            .state
            .variables
            .get(name)
            .scalar()
            .cloned()
            .unwrap_or_default()
    };
    for name in list(shell, Name::SHELLOPTS).split(|byte| *byte == b':') {
        if let Some(option) = SetOptions::named(name) {
            shell.state.set.set(option, true);
        }
    }
    for name in list(shell, Name::BASHOPTS).split(|byte| *byte == b':') {
        if let Some(option) = ShellOptions::named(name) {
            shell.state.shopt.set(option, true);
        }
    }
}

/// `PWD`, `OLDPWD`, and the directory as `cd` sees it.
fn directory(shell: &mut Shell) {
    let physical = cwd::current().ok().map(Text::from);
    let inherited = shell.state.variables.get(Name::PWD).scalar().cloned();
    let directory = match (inherited, physical) {
        // What the environment says is kept where it leads to the same place: it may go through
        // links.
        (Some(inherited), Some(physical)) if inherited == physical || same(&inherited) => inherited,
        (_, Some(physical)) => physical,
        (Some(inherited), None) => inherited,
        (None, None) => Text::from("/"),
    };
    shell.state.directory = directory.clone();
    shell.state.variables.replace(
        Name::PWD,
        Variable {
            value: Value::Text(directory),
            attributes: Attributes::EXPORT,
        },
    );
    if !shell.state.variables.get(Name::OLDPWD).exists() {
        shell.state.variables.replace(
            Name::OLDPWD,
            Variable {
                value: Value::Unset,
                attributes: Attributes::EXPORT,
            },
        );
    }
}

/// Whether an absolute path leads to the working directory.
fn same(path: &[u8]) -> bool {
    use codepod_sys::file::{Links, stat_path};
    if !path.starts_with(b"/") {
        return false;
    }
    match (
        stat_path(path, Links::Follow),
        stat_path(b".", Links::Follow),
    ) {
        (Ok(one), Ok(other)) => one.ino == other.ino && one.dev == other.dev,
        _ => false,
    }
}

/// One more than the level of the parent.
fn level(inherited: Option<&[u8]>) -> i64 {
    let parent = inherited.and_then(crate::arith::plain_number).unwrap_or(0);
    match parent.wrapping_add(1) {
        ..0 => 0,
        1000.. => 1,
        level => level,
    }
}
