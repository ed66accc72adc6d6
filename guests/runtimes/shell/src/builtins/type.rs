//! `type`, and what `command -v` and `command -V` know.

use super::{Getopt, alias, enabled, listing, print};
use crate::flow::Run;
use crate::options::ShellOptions;
use crate::path;
use crate::shell::Shell;
use crate::text::Text;

/// Words that the parser takes for itself.
pub const KEYWORDS: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do",
    "done", "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc",
];

/// How a command is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `type`, `command -V`: a sentence.
    Long,
    /// `type -t`: one word.
    Kind,
    /// `type -p`: the path of a file only.
    Path,
    /// `command -v`: what would run, so that it can be used again.
    Short,
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a> {
    /// How it is described.
    pub style: Style,
    /// `-a`: everything of that name.
    pub all: bool,
    /// `-f`: no functions.
    pub no_functions: bool,
    /// `-P`: only files, even where something else would run.
    pub only_path: bool,
    /// Where to look for files instead of along `PATH`.
    pub directories: Option<&'a [u8]>,
}

/// `type [-afptP] name [name ...]`
pub fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut search = Search {
        style: Style::Long,
        all: false,
        no_functions: false,
        only_path: false,
        directories: None,
    };
    let arguments = &old_options(arguments);
    let mut options = Getopt::new(arguments, "afptP");
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'a' => search.all = true,
                b'f' => search.no_functions = true,
                b'p' => search.style = Style::Path,
                b't' => search.style = Style::Kind,
                _ => {
                    search.style = Style::Path;
                    search.only_path = true;
                }
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let mut status = 0;
    for name in options.operands() {
        let mut out = Vec::new();
        if describe(shell, name, search, &mut out) {
            status |= print(shell, &arguments[0], &out);
            continue;
        }
        if search.style == Style::Long {
            shell.builtin_error(&arguments[0], [name, &b": not found"[..]].concat());
        }
        status = 1;
    }
    Ok(status)
}

/// `-type`, `-path` and `-all` of old versions, with one or two dashes.
fn old_options(arguments: &[Text]) -> Vec<Text> {
    let mut options = true;
    let new = |word: &Text| match &word[..] {
        b"-type" | b"--type" => Text::from("-t"),
        b"-path" | b"--path" => Text::from("-p"),
        b"-all" | b"--all" => Text::from("-a"),
        _ => word.clone(),
    };
    let words = arguments.iter().enumerate();
    words
        .map(|(at, word)| {
            options &= at == 0 || word.first() == Some(&b'-');
            if options { new(word) } else { word.clone() }
        })
        .collect()
}

/// Describes what a name would run. Says whether there is anything.
pub(super) fn describe(
    shell: &mut Shell,
    name: &[u8],
    search: Search<'_>,
    out: &mut Vec<u8>,
) -> bool {
    let style = search.style;
    let mut found = false;
    if !search.only_path {
        if let Some(value) = shell.state.aliases.get(name)
            && shell.state.shopt.has(ShellOptions::EXPAND_ALIASES)
        {
            match style {
                Style::Long => push(out, &[name, b" is aliased to `", value, b"'\n"]),
                Style::Kind => push(out, &[b"alias\n"]),
                Style::Short => alias::line(name, value, out),
                Style::Path => {}
            }
            if !search.all {
                return true;
            }
            found = true;
        }
        if KEYWORDS.iter().any(|known| known.as_bytes() == name) {
            plain(name, style, b" is a shell keyword\n", b"keyword\n", out);
            if !search.all {
                return true;
            }
            found = true;
        }
        if !search.no_functions
            && let Some(definition) = shell.state.functions.get(name)
        {
            plain(name, style, b" is a function\n", b"function\n", out);
            if style == Style::Long {
                listing::function(definition, out);
            }
            if !search.all {
                return true;
            }
            found = true;
        }
        if let Some(entry) = enabled(shell, name) {
            let posix = shell.state.set.has(crate::options::SetOptions::POSIX);
            let sentence: &[u8] = if posix && entry.special {
                b" is a special shell builtin\n"
            } else {
                b" is a shell builtin\n"
            };
            plain(name, style, sentence, b"builtin\n", out);
            if !search.all {
                return true;
            }
            found = true;
        }
    }
    found | files(shell, name, search, out)
}

fn push(out: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

/// What is neither an alias nor a file.
fn plain(name: &[u8], style: Style, sentence: &[u8], kind: &[u8], out: &mut Vec<u8>) {
    match style {
        Style::Long => push(out, &[name, sentence]),
        Style::Kind => push(out, &[kind]),
        Style::Short => push(out, &[name, b"\n"]),
        Style::Path => {}
    }
}

/// The files of a name.
fn files(shell: &mut Shell, name: &[u8], search: Search<'_>, out: &mut Vec<u8>) -> bool {
    if name.contains(&b'/') {
        let found = path::is_program(name);
        if found {
            file(name, name, search.style, out);
        }
        return found;
    }
    if !search.all && search.directories.is_none() {
        path::count_hit(shell, name);
    }
    if !search.all
        && search.directories.is_none()
        && let Some((path, _)) = shell.state.hash.get(name)
    {
        let start: &[u8] = if path.first() == Some(&b'/') || path.starts_with(b"./") {
            b""
        } else {
            b"./"
        };
        let path = [start, path].concat();
        match search.style {
            Style::Long => push(out, &[name, b" is hashed (", &path, b")\n"]),
            style => file(name, &path, style, out),
        }
        return true;
    }
    let list = match search.directories {
        Some(list) => Text::new(list),
        None => match path::variable(shell) {
            Some(list) => list,
            None => return false,
        },
    };
    if !search.all {
        // Also one that cannot be executed, where nothing else is.
        let found = path::search(&list, name);
        if let Some(path) = &found {
            file(name, path, search.style, out);
        }
        return found.is_some();
    }
    let mut found = false;
    for path in path::candidates(&list, name).filter(|path| path::is_program(path)) {
        file(name, &path, search.style, out);
        found = true;
    }
    found
}

fn file(name: &[u8], path: &[u8], style: Style, out: &mut Vec<u8>) {
    match style {
        Style::Long => push(out, &[name, b" is ", path, b"\n"]),
        Style::Kind => push(out, &[b"file\n"]),
        Style::Path | Style::Short => push(out, &[path, b"\n"]),
    }
}
