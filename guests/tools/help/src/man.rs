//! `man`: a page on a command, from the list of commands and the tables of what works.
//!
//! There are no pages of others to read, and nothing is started: output is not paged.

use codepod_tool::{Arguments, Opt, Options, Output, Usage, Value, complain, flag, long, value};

use crate::{about, block, commands, finish};

const USAGE: &str = "\
Usage: man [OPTION...] [SECTION] PAGE...

  -f, --whatis               what commands are, a line each
  -k, --apropos              commands whose name or description has a word
  -s, -S, --sections=LIST    only in these sections; all commands are in section 1
  -?, --help                 give this help list
      --usage                give a short usage message
  -V, --version              print program version

`COMMAND --help` tells how a command is called, `help --support COMMAND` what of it works, and
`help NAME` in the shell tells of its builtins.
";

/// The status of man when there is no such page.
const NO_PAGE: i32 = 16;

/// Columns of a page.
const WIDTH: usize = 79;

#[derive(Clone, Copy)]
enum Key {
    Whatis,
    Apropos,
    Sections,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Whatis, b'f', "whatis"),
    flag(Key::Apropos, b'k', "apropos"),
    value(Key::Sections, b's', "sections"),
    value(Key::Sections, b'S', ""),
    flag(Key::Help, b'?', "help"),
    long(Key::Help, "usage", Value::None),
    flag(Key::Version, b'V', "version"),
];

/// man as a tool.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let (mut whatis, mut apropos, mut help, mut version) = (false, false, false, false);
    let mut section = None;
    let read = Options::new(TABLE, arguments).each(|key, value| {
        match key {
            Key::Whatis => whatis = true,
            Key::Apropos => apropos = true,
            Key::Sections => section = value,
            Key::Help => help = true,
            Key::Version => version = true,
        }
        Ok::<(), Usage>(())
    });
    let mut pages = match read {
        Ok(pages) => pages,
        Err(usage) => {
            complain(tool, &usage.message);
            say(&format!(
                "Try '{tool} --help' or '{tool} --usage' for more information."
            ));
            return 1;
        }
    };
    let mut out = Output::new();
    if help || version {
        let text = match help {
            true => USAGE.to_owned(),
            false => format!("{tool} (codepod) {}\n", env!("CARGO_PKG_VERSION")),
        };
        out.put(text.as_bytes());
        return finish(tool, out, 0);
    }
    // `man 1 ls`
    if pages.len() > 1 && section.is_none() && is_section(&pages[0]) {
        section = Some(pages.remove(0));
    }
    if pages.is_empty() {
        let what = if apropos { "apropos" } else { "whatis" };
        match whatis || apropos {
            true => say(&format!("{what} what?")),
            false => say("What manual page do you want?\nFor example, try 'man man'."),
        }
        return 1;
    }
    let commands = commands();
    let mut status = 0;
    for page in &pages {
        let name = String::from_utf8_lossy(page);
        let found = match (whatis, apropos) {
            (false, false) => show(&commands, &name, section.as_deref(), &mut out),
            _ => list(&commands, &name, apropos, &mut out),
        };
        if !found {
            out.write_out();
            match (whatis || apropos, &section) {
                (true, _) => say(&format!("{name}: nothing appropriate.")),
                (false, None) => say(&format!("No manual entry for {name}")),
                (false, Some(section)) => {
                    let section = String::from_utf8_lossy(section);
                    say(&format!("No manual entry for {name} in section {section}"));
                }
            }
            status = NO_PAGE;
        }
    }
    finish(tool, out, status)
}

/// Says something on standard error. Where that is gone there is nobody to tell.
fn say(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{text}\n").as_bytes());
}

fn is_section(word: &[u8]) -> bool {
    matches!(word, [b'1'..=b'9'] | [b'n' | b'l']) || word.starts_with(b"1p")
}

/// Lists the commands of a name, or those that mention a word; false if there are none.
fn list(commands: &str, word: &str, apropos: bool, out: &mut Output) -> bool {
    let word = word.to_lowercase();
    let mut any = false;
    for line in commands.lines() {
        let (name, about) = line.split_once('\t').unwrap_or((line, ""));
        let fits = match apropos {
            true => line.to_lowercase().contains(&word),
            false => name == word,
        };
        if fits {
            any = true;
            out.put(format!("{:20} - {about}\n", format!("{name} (1)")).as_bytes());
        }
    }
    any
}

/// Prints the page of a command; false if there is none.
fn show(commands: &str, name: &str, section: Option<&[u8]>, out: &mut Output) -> bool {
    if section.is_some_and(|section| !section.contains(&b'1')) {
        return false;
    }
    let (about, block) = (about(commands, name), block(name));
    if about.is_none() && block.is_none() {
        return false;
    }
    let title = format!("{}(1)", name.to_uppercase());
    let middle = WIDTH.saturating_sub(2 * title.len());
    out.put(format!("{title}{:^middle$}{title}\n", "User Commands").as_bytes());
    let about = about.unwrap_or("a command");
    put(out, "NAME", &[format!("{name} - {about}")]);
    let mut text = Vec::new();
    let (mut works, mut differs, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    let mut lines = block.unwrap_or_default().lines();
    if let Some((_, origin)) = lines.next().and_then(|line| line.split_once('\t')) {
        text.push(format!("Its code is: {origin}."));
    }
    text.push(format!("`{name} --help` tells how it is called."));
    for line in lines {
        let (kind, rest) = line.split_once('\t').unwrap_or((line, ""));
        let rest = rest.trim_end().replace('\t', ": ");
        match kind {
            "works" => works.push(rest),
            "missing" => missing.push(rest),
            _ => differs.push(rest),
        }
    }
    put(out, "DESCRIPTION", &text);
    put(out, "OPTIONS THAT WORK", &works);
    put(out, "WHAT DIFFERS", &differs);
    put(out, "WHAT IS MISSING", &missing);
    put(
        out,
        "SEE ALSO",
        &[format!(
            "help --support {name}; other options are refused with a message"
        )],
    );
    true
}

/// A part of a page: its heading and paragraphs in lines that are not too long.
fn put(out: &mut Output, heading: &str, paragraphs: &[String]) {
    if paragraphs.is_empty() {
        return;
    }
    out.put(format!("\n{heading}\n").as_bytes());
    for paragraph in paragraphs {
        let mut line = String::from("      ");
        for word in paragraph.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH && line.len() > 6 {
                out.put(format!("{line}\n").as_bytes());
                line = String::from("      ");
            }
            line += " ";
            line += word;
        }
        out.put(format!("{line}\n").as_bytes());
    }
}
