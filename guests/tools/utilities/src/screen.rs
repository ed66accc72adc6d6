//! `clear`, `reset` and `tput`: what terminals of the xterm family understand.

use codepod_tool::{Arguments, complain};

use crate::files;

/// clear as a tool.
pub(crate) fn clear(name: &str, arguments: Arguments) -> i32 {
    let mut keep = false;
    for argument in arguments {
        match argument.as_slice() {
            b"-x" => keep = true,
            b"-V" => return files::print("clear (codepod) 0.1.0\n"),
            other => {
                complain(
                    name,
                    format!("option {} is not supported", String::from_utf8_lossy(other)),
                );
                return 1;
            }
        }
    }
    if std::env::var_os("TERM").is_none_or(|term| term.is_empty()) {
        files::tell("TERM environment variable not set.\n");
        return 1;
    }
    files::print(if keep {
        "\x1b[H\x1b[2J"
    } else {
        "\x1b[H\x1b[2J\x1b[3J"
    })
}

/// reset as a tool.
pub(crate) fn reset(_name: &str, _arguments: Arguments) -> i32 {
    files::print("\x1bc\x1b[!p\x1b[?3;4l\x1b[4l\x1b>")
}

/// tput as a tool: the names that scripts use.
pub(crate) fn tput(name: &str, arguments: Arguments) -> i32 {
    let mut words: Vec<String> = arguments
        .iter()
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect();
    let mut term = std::env::var("TERM").unwrap_or_default();
    if let Some(first) = words.first().cloned()
        && let Some(attached) = first.strip_prefix("-T")
    {
        words.remove(0);
        term = match attached {
            "" if !words.is_empty() => words.remove(0),
            attached => attached.to_owned(),
        };
    }
    if term.is_empty() {
        complain(name, "No value for $TERM and no -T specified");
        return 2;
    }
    let Some(capability) = words.first() else {
        files::tell("usage: tput [-V] [-S] [-T term] capname\n");
        return 2;
    };
    if term == "dumb" && !matches!(capability.as_str(), "cols" | "lines" | "colors") {
        return 1;
    }
    let number = |at: usize| {
        words
            .get(at)
            .and_then(|word| word.parse::<usize>().ok())
            .unwrap_or(0)
    };
    let size = |variable: &str, other: usize| {
        std::env::var(variable)
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(other)
    };
    let text = match capability.as_str() {
        "cols" => format!("{}\n", size("COLUMNS", 80)),
        "lines" => format!("{}\n", size("LINES", 24)),
        "colors" => match term.as_str() {
            term if term.contains("256") => "256\n".to_owned(),
            "dumb" | "vt100" | "vt220" => "-1\n".to_owned(),
            _ => "8\n".to_owned(),
        },
        "bold" => "\x1b[1m".to_owned(),
        "dim" => "\x1b[2m".to_owned(),
        "sitm" => "\x1b[3m".to_owned(),
        "ritm" => "\x1b[23m".to_owned(),
        "smul" => "\x1b[4m".to_owned(),
        "rmul" => "\x1b[24m".to_owned(),
        "rev" | "smso" => "\x1b[7m".to_owned(),
        "rmso" => "\x1b[27m".to_owned(),
        "sgr0" => "\x1b(B\x1b[m".to_owned(),
        "op" => "\x1b[39;49m".to_owned(),
        "clear" => "\x1b[H\x1b[2J\x1b[3J".to_owned(),
        "el" => "\x1b[K".to_owned(),
        "ed" => "\x1b[J".to_owned(),
        "home" => "\x1b[H".to_owned(),
        "civis" => "\x1b[?25l".to_owned(),
        "cnorm" => "\x1b[?12l\x1b[?25h".to_owned(),
        "smcup" => "\x1b[?1049h\x1b[22;0;0t".to_owned(),
        "rmcup" => "\x1b[?1049l\x1b[23;0;0t".to_owned(),
        "cuu1" => "\x1b[A".to_owned(),
        "bel" => "\x07".to_owned(),
        "cup" => format!("\x1b[{};{}H", number(1) + 1, number(2) + 1),
        "setaf" | "setab" => {
            let color = number(1);
            let (base, bright, long) = if capability == "setaf" {
                (30, 90, 38)
            } else {
                (40, 100, 48)
            };
            match color {
                0..=7 => format!("\x1b[{}m", base + color),
                8..=15 if term.contains("256") => format!("\x1b[{}m", bright + color - 8),
                color => format!("\x1b[{long};5;{color}m"),
            }
        }
        other => {
            complain(name, format!("unknown terminfo capability '{other}'"));
            return 4;
        }
    };
    files::print(&text)
}
