//! `ps`: the sandbox's processes, as procps shows them.

mod arguments;
mod columns;
mod select;
mod tree;

use codepod_tool::processes::{self, Process};
use codepod_tool::{Arguments, Names, Output};

use crate::arguments::version;
use crate::system;
use arguments::{Call, Wanted};
use columns::{Column, Field, Scene};

const USAGE: &str = "
Usage:
 ps [options]

 Try 'ps --help <simple|list|output|threads|misc|all>'
  or 'ps --help <s|l|o|t|m|a>'
 for additional help text.

For more details see ps(1).
";

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let wanted = match arguments::read(arguments) {
        Ok(Call::Show(wanted)) => wanted,
        Ok(Call::Help) => return print(USAGE.as_bytes()),
        Ok(Call::Version) => return version(tool),
        Ok(Call::List) => return print(columns::list().as_bytes()),
        Err(message) => {
            // Where standard error is gone there is nobody to tell.
            let text = format!("error: {message}\n{USAGE}");
            let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
            return 1;
        }
    };
    show(*wanted)
}

fn print(text: &[u8]) -> i32 {
    let mut out = Output::new();
    out.put(text);
    i32::from(out.finish().is_err())
}

/// Prints the processes that are wanted. Returns 1 where there are none.
fn show(wanted: Wanted) -> i32 {
    let (own, _) = system::user();
    let all = Process::all();
    let terminal = own_terminal(&all);
    let mut chosen: Vec<Process> = all
        .into_iter()
        .filter(|process| wanted.selection.takes(process, own, terminal))
        .collect();
    let scene = Scene {
        users: Names::users(),
        groups: Names::groups(),
        zone: codepod_datetime::Zone::from_environment(),
        now: system::now().seconds,
        uptime: processes::uptime(),
        memory: processes::Memory::now().total,
        names_only: wanted.names_only,
        environment: wanted.environment,
        numeric: wanted.numeric,
    };
    columns::sort(&mut chosen, &wanted.order, &scene);
    let lead = match wanted.forest {
        Some(style) => tree::arrange(&mut chosen, style),
        None => vec![Vec::new(); chosen.len()],
    };
    let fields = wanted.fields();
    let limit = width(&wanted);
    let mut out = Output::new();
    if !wanted.no_header && fields.iter().any(|field| !field.header.is_empty()) {
        let heads: Vec<Vec<u8>> = fields.iter().map(|field| field.header.clone()).collect();
        line(&mut out, &fields, &heads, limit, true);
    }
    for (process, lead) in chosen.iter().zip(&lead) {
        let texts: Vec<Vec<u8>> = fields
            .iter()
            .map(|field| field.column.text(process, &scene, lead))
            .collect();
        line(&mut out, &fields, &texts, limit, false);
    }
    let failed = out.finish().is_err();
    i32::from(failed || chosen.is_empty())
}

/// The terminal of this process.
fn own_terminal(all: &[Process]) -> u32 {
    let own = codepod_sys::process::ids().map_or(0, |ids| ids.pid.0);
    all.iter()
        .find(|process| process.pid == own)
        .map_or(0, |process| process.terminal)
}

/// How long a line may be.
fn width(wanted: &Wanted) -> usize {
    let variable = std::env::var("COLUMNS").ok();
    let variable = variable.and_then(|text| text.parse().ok());
    let mut columns = wanted
        .columns
        .or(variable.filter(|columns| *columns > 0))
        .or_else(system::terminal_columns)
        .unwrap_or(usize::MAX);
    if wanted.wide > 0 && columns < 132 {
        columns = 132;
    }
    if wanted.wide > 1 { usize::MAX } else { columns }
}

/// Prints one line: every text at its place, or behind the one before it where that was too long.
fn line(out: &mut Output, fields: &[Field], texts: &[Vec<u8>], limit: usize, head: bool) {
    let mut text: Vec<u8> = Vec::new();
    let mut start = 0;
    for (index, (field, value)) in fields.iter().zip(texts).enumerate() {
        let last = index + 1 == fields.len();
        let value = match field.column.is_text() && !last && !head {
            true => field.cut(value),
            false => value.clone(),
        };
        let place = match field.column.right {
            true => (start + field.width).saturating_sub(value.len()),
            false => start,
        };
        let least = text.len() + usize::from(index > 0);
        text.resize(place.max(least), b' ');
        text.extend_from_slice(&value);
        start += field.width + 1;
    }
    text.truncate(limit);
    text.push(b'\n');
    out.put(&text);
}

/// The name of a column where one is named; see [`columns`].
fn column(name: &str) -> Option<&'static Column> {
    columns::find(name)
}
