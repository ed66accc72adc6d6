//! What `--help` prints: how the tool is called, what it does, and its options, laid out as GNU
//! does.

use crate::arg::Arg;
use crate::command::Command;

const WIDTH: usize = 80;
/// Where explanations start, unless every option is shorter.
const COLUMN: usize = 30;

/// The whole text.
pub(crate) fn text(command: &Command, program: &str) -> String {
    let mut out = String::new();
    usage(&mut out, command, program);
    if !command.about.0.is_empty() {
        wrapped(&mut out, &command.about.0, 0);
    }
    let mut options: Vec<(String, &str)> = command
        .args
        .iter()
        .filter(|arg| !arg.is_operand() && !arg.hidden)
        .map(|arg| (left_side(arg), &*arg.help.0))
        .collect();
    if command.has_help {
        options.push(("    --help".into(), "display this help and exit"));
    }
    if command.has_version {
        let about = "output version information and exit";
        options.push(("    --version".into(), about));
    }
    if !options.is_empty() {
        out.push('\n');
    }
    let longest = options.iter().map(|(left, _)| left.len()).max();
    let column = (longest.unwrap_or(0) + 2).min(COLUMN);
    for (left, help) in &options {
        out.push_str("  ");
        out.push_str(left);
        if left.len() + 2 > column {
            out.push('\n');
            out.push_str(&" ".repeat(column + 2));
        } else {
            out.push_str(&" ".repeat(column - left.len()));
        }
        wrapped(&mut out, help, column + 2);
    }
    if !command.after_help.0.is_empty() {
        out.push('\n');
        wrapped(&mut out, &command.after_help.0, 0);
    }
    out
}

fn usage(out: &mut String, command: &Command, program: &str) {
    if command.usage.0.is_empty() {
        out.push_str(&format!("Usage: {program} [OPTION]..."));
        for arg in command.args.iter().filter(|arg| arg.is_operand()) {
            out.push_str(&format!(" {arg}"));
        }
        out.push('\n');
        return;
    }
    for (i, line) in command.usage.0.lines().enumerate() {
        out.push_str(if i == 0 { "Usage: " } else { "  or:  " });
        out.push_str(line.trim());
        out.push('\n');
    }
}

/// `-s, --long=VALUE`.
fn left_side(arg: &Arg) -> String {
    let mut left = match arg.short {
        Some(short) => format!("-{short}"),
        None => "    ".into(),
    };
    if let Some(long) = &arg.long {
        left.push_str(if arg.short.is_some() { ", --" } else { "--" });
        left.push_str(long);
    }
    if !arg.effective_action().takes_value() {
        return left;
    }
    let value = arg.value_name.as_deref().unwrap_or(arg.id.as_str());
    left.push_str(&match (arg.values().least, &arg.long) {
        (0, Some(_)) => format!("[={value}]"),
        (0, None) => format!("[{value}]"),
        (_, Some(_)) => format!("={value}"),
        (_, None) => format!(" {value}"),
    });
    left
}

/// Adds text, breaking lines between words; further lines start at `indent`.
fn wrapped(out: &mut String, text: &str, indent: usize) {
    for (i, line) in text.lines().enumerate() {
        if i > 0 && !line.is_empty() {
            out.push_str(&" ".repeat(indent));
        }
        // A line that fits is kept as it is: it may be part of a table.
        if indent + line.chars().count() <= WIDTH {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        // What a text sets off by indentation keeps it on further lines.
        let own = line.len() - line.trim_start().len();
        out.push_str(&line[..own]);
        let mut column = indent + own;
        for (j, word) in line.split_whitespace().enumerate() {
            let width = word.chars().count();
            if j > 0 && column + 1 + width > WIDTH {
                out.push('\n');
                out.push_str(&" ".repeat(indent + own));
                column = indent + own;
            } else if j > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += width;
        }
        out.push('\n');
    }
    if text.is_empty() {
        out.push('\n');
    }
}
