//! `lsb_release`: which system this is, from `/etc/os-release`, as Debian's does it.

use std::collections::HashMap;

use codepod_tool::{Arguments, Opt, Options, Usage, complain, flag};

use crate::files;

const USAGE: &str = "\
Usage: lsb_release [options]

Options:
  -h, --help         show this help message and exit
  -v, --version      show LSB modules this system supports
  -i, --id           show distributor ID
  -d, --description  show description of this distribution
  -r, --release      show release number of this distribution
  -c, --codename     show code name of this distribution
  -a, --all          show all of the above information
  -s, --short        show requested information in short format
";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Help,
    Version,
    Id,
    Description,
    Release,
    Codename,
    All,
    Short,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'v', "version"),
    flag(Key::Id, b'i', "id"),
    flag(Key::Description, b'd', "description"),
    flag(Key::Release, b'r', "release"),
    flag(Key::Codename, b'c', "codename"),
    flag(Key::All, b'a', "all"),
    flag(Key::Short, b's', "short"),
];

/// lsb_release as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut asked = Vec::new();
    let read = Options::new(TABLE, arguments).each(|key, _| {
        asked.push(key);
        Ok::<(), Usage>(())
    });
    if let Err(usage) = read {
        complain(name, &usage.message);
        return 2;
    }
    let is = |key| asked.contains(&key);
    if is(Key::Help) {
        return files::print(USAGE);
    }
    let release = fields(&std::fs::read_to_string("/etc/os-release").unwrap_or_default());
    let field = |name: &str| release.get(name).map_or("n/a", String::as_str);
    let id = field("ID");
    // Debian's says `Debian` for `debian`.
    let mut letters = id.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let id: String = first.into_iter().chain(letters).collect();
    let mut text = String::new();
    for (key, label, value) in [
        (Key::Id, "Distributor ID", id.as_str()),
        (Key::Description, "Description", field("PRETTY_NAME")),
        (Key::Release, "Release", field("VERSION_ID")),
        (Key::Codename, "Codename", field("VERSION_CODENAME")),
    ] {
        if is(key) || is(Key::All) {
            text += &match is(Key::Short) {
                true => format!("{value}\n"),
                false => format!("{label}:\t{value}\n"),
            };
        }
    }
    files::print(&text)
}

/// The variables of `os-release`, which is written as a shell reads it.
fn fields(text: &str) -> HashMap<String, String> {
    let lines = text.lines().filter_map(|line| line.split_once('='));
    lines
        .map(|(name, value)| {
            let value = value.trim().trim_matches(['"', '\'']);
            (name.trim().to_owned(), value.to_owned())
        })
        .filter(|(_, value)| !value.is_empty())
        .collect()
}
