//! `help` and `man`: the commands of the sandbox, what each does, and what of it works.
//!
//! Names and descriptions are in a file of the image ([`LIST`]), a line each. What of a tool works
//! is part of this module; `cargo xtask generate` makes the text from `spec/tools`.

mod man;

use std::io::Read as _;

use codepod_tool::{Arguments, Found, Opt, Options, Output, Usage, complain, flag, quoted};

/// `NAME<tab>what it does`, a line for each command.
const LIST: &str = "/usr/share/codepod/commands";

/// `KIND<tab>NAME NAME…<tab>what to do instead`, a line for names that the sandbox does not have.
const ABSENT: &str = "/usr/share/codepod/absent";

/// The most of the list of absent names that is read.
const MOST_ABSENT: u64 = 64 << 10;

/// Blocks with an empty line between them: `NAME<tab>ORIGIN`, then lines of `works`, `differs` and
/// `missing`.
const SUPPORT: &str = include_str!("../support.txt");

const USAGE: &str = "\
Usage: help               list all commands
       help NAME...       what commands do
       help --support NAME...
                          which options of a command work, differ or are missing
       help --absent [NAME...]
                          commands, packages and modules that are not here, and what to do instead
`NAME --help` tells how a command is called. `help -d '*'` in the shell lists its builtins.
";

codepod_tool::tools! {
    "help": main_help, "list commands and what of them works";
    "man": man::main, "show a page on a command";
}

#[derive(Clone, Copy)]
enum Key {
    Absent,
    Support,
    Help,
}

const OPTIONS: &[Opt<Key>] = &[
    flag(Key::Absent, b'a', "absent"),
    flag(Key::Support, b's', "support"),
    flag(Key::Help, b'h', "help"),
];

fn main_help(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(OPTIONS, arguments);
    let (mut absent, mut support, mut names) = (false, false, Vec::new());
    let mut out = Output::new();
    loop {
        match options.next() {
            Ok(Some(Found::Option(Key::Absent, _))) => absent = true,
            Ok(Some(Found::Option(Key::Support, _))) => support = true,
            Ok(Some(Found::Option(Key::Help, _))) => {
                out.put(USAGE.as_bytes());
                return finish(tool, out, 0);
            }
            Ok(Some(Found::Operand(name))) => names.push(name),
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if support && names.is_empty() {
        return Usage::new("--support needs the name of a command").report(tool, 1);
    }
    if absent {
        let status = tell_absent(tool, &names, &mut out);
        return finish(tool, out, status);
    }
    let commands = commands();
    if names.is_empty() {
        list(&commands, &mut out);
        return finish(tool, out, 0);
    }
    let mut status = 0;
    for name in names {
        let text = String::from_utf8_lossy(&name);
        let about = about(&commands, &text);
        let block = block(&text);
        match (support, about, block) {
            (_, None, None) => {
                let absent = absent_list();
                let message = match absent.iter().find(|entry| entry.is(&text)) {
                    Some(entry) => format!("; {}", entry.instead).into_bytes(),
                    None => b"; `help` lists them".to_vec(),
                };
                complain(
                    tool,
                    [b"there is no command ", &quoted(&name)[..], &message].concat(),
                );
                status = 1;
            }
            (true, about, Some(block)) => tell(&text, about, block, &mut out),
            (true, Some(about), None) => {
                out.put(format!("{text}: {about}\nno list of options is kept for it; `{text} --help` has them\n").as_bytes());
            }
            (false, about, _) => {
                out.put(format!("{text}: {}\n", about.unwrap_or("a command")).as_bytes());
                out.put(format!("`{text} --help` tells how it is called, `help --support {text}` what of it works\n").as_bytes());
            }
        }
    }
    finish(tool, out, status)
}

/// The list of commands. Without the file there are no descriptions; what is embedded is still
/// told.
fn commands() -> String {
    std::fs::read_to_string(LIST).unwrap_or_default()
}

fn finish(tool: &str, mut out: Output, status: i32) -> i32 {
    match out.finish() {
        Ok(()) => status,
        Err(error) => {
            complain(
                tool,
                format!("write error: {}", codepod_tool::io_text(&error)),
            );
            1
        }
    }
}

fn list(commands: &str, out: &mut Output) {
    let entries: Vec<(&str, &str)> = commands
        .lines()
        .map(|line| line.split_once('\t').unwrap_or((line, "")))
        .collect();
    let width = entries
        .iter()
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or(0);
    for (name, about) in entries {
        out.put(format!("{name:width$}  {about}").trim_end().as_bytes());
        out.put_byte(b'\n');
    }
}

fn about<'a>(commands: &'a str, name: &str) -> Option<&'a str> {
    let mut entries = commands.lines().filter_map(|line| line.split_once('\t'));
    entries
        .find(|(command, _)| *command == name)
        .map(|(_, about)| about)
}

/// The lines on a tool, its first one included.
fn block(name: &str) -> Option<&'static str> {
    let mut blocks = SUPPORT.split("\n\n");
    blocks.find(|block| block.split('\t').next() == Some(name))
}

fn tell(name: &str, about: Option<&str>, block: &str, out: &mut Output) {
    let mut lines = block.lines();
    let origin = lines
        .next()
        .and_then(|line| line.split_once('\t'))
        .map_or("", |(_, origin)| origin);
    let about = about.map(|about| format!(": {about}")).unwrap_or_default();
    out.put(format!("{name}{about} ({origin})\n").as_bytes());
    for line in lines {
        let mut fields = line.splitn(3, '\t');
        let kind = fields.next().unwrap_or_default();
        let what = fields.next().unwrap_or_default();
        match fields.next() {
            Some(why) if !why.is_empty() => out.put(format!("{kind}: {what}: {why}\n").as_bytes()),
            _ => out.put(format!("{kind}: {what}\n").as_bytes()),
        }
    }
    out.put(b"other options are refused with a message\n");
}

/// Names that the sandbox does not have and what to do instead.
struct Absent {
    kind: String,
    names: Vec<String>,
    instead: String,
}

impl Absent {
    fn is(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

/// The list, without commands that somebody has put into the sandbox since.
fn absent_list() -> Vec<Absent> {
    let mut text = Vec::new();
    if let Ok(file) = std::fs::File::open(ABSENT) {
        // What was read before an error is still worth telling.
        let _ = file.take(MOST_ABSENT).read_to_end(&mut text);
    }
    let text = String::from_utf8_lossy(&text);
    let entries = text.lines().filter_map(|line| {
        let mut fields = line.splitn(3, '\t');
        let kind = fields.next()?.to_owned();
        let mut names: Vec<String> = fields.next()?.split(' ').map(str::to_owned).collect();
        let instead = fields.next()?.to_owned();
        if kind == "command" {
            names.retain(|name| !std::path::Path::new("/usr/bin").join(name).exists());
        }
        (!names.is_empty()).then_some(Absent {
            kind,
            names,
            instead,
        })
    });
    entries.collect()
}

/// Tells of some names, or of all. Returns the status: 1 when a name is not in the list.
fn tell_absent(tool: &str, wanted: &[Vec<u8>], out: &mut Output) -> i32 {
    let list = absent_list();
    if wanted.is_empty() {
        for entry in &list {
            let what = match entry.kind.as_str() {
                "command" => "",
                "package" => " (Python packages)",
                _ => " (modules of Python)",
            };
            let names = entry.names.join(", ");
            out.put(format!("{names}{what}\n    {}\n", entry.instead).as_bytes());
        }
        return 0;
    }
    let mut status = 0;
    for name in wanted {
        let text = String::from_utf8_lossy(name);
        match list.iter().find(|entry| entry.is(&text)) {
            Some(entry) => out.put(format!("{text}: {}\n", entry.instead).as_bytes()),
            None => {
                let message = [
                    &quoted(name)[..],
                    b" is not in the list of what is absent; `ls /bin` lists the programs",
                ];
                complain(tool, message.concat());
                status = 1;
            }
        }
    }
    status
}
