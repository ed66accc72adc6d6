//! `sort`: sorts, merges and checks lines, as GNU's does in the C locale.
//!
//! Lines are kept in memory up to a limit ([`spill`]); what is more goes to temporary files,
//! sorted, which are merged at the end.

mod arguments;
mod key;
mod line_order;
mod lines;
mod merge;
mod order;
mod radix;
mod spill;

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};

use codepod_tool::{Arguments, Output, complain, io_text};

use arguments::{Job, Settings};
use lines::{Lines, Source};

codepod_tool::tools! {
    "sort": sort, "sort lines";
}

/// The status for everything but disorder.
const FAILURE: i32 = 2;

fn sort(tool: &str, arguments: Arguments) -> i32 {
    let settings = match arguments::parse(tool, arguments) {
        Ok(settings) => settings,
        Err(status) => return status,
    };
    let result = match settings.job {
        Job::Check { silent } => check(&settings, silent),
        Job::Merge => merge::files(&settings),
        Job::Sort => spill::sort(&settings),
    };
    result.unwrap_or_else(|message| {
        complain(tool, &message);
        FAILURE
    })
}

/// Where the result goes.
enum Target<'s> {
    Standard(Output),
    File(&'s OsStr, io::BufWriter<File>),
}

/// Opens the output, hands it to `write_lines` and flushes it.
fn write(
    settings: &Settings,
    write_lines: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<i32, String> {
    let mut out = match settings.output.as_deref() {
        None => Target::Standard(Output::new()),
        Some(name) => {
            let failed = |error| {
                format!(
                    "open failed: {}: {}",
                    name.to_string_lossy(),
                    io_text(&error)
                )
            };
            let file = File::create(name).map_err(failed)?;
            Target::File(name, io::BufWriter::with_capacity(1 << 16, file))
        }
    };
    // Whether the last of it was what could not be written.
    let mut at_the_end = false;
    let result = match &mut out {
        Target::Standard(out) => write_lines(out).and_then(|()| {
            at_the_end = !out.is_broken();
            out.finish()
        }),
        Target::File(_, out) => write_lines(out).and_then(|()| out.flush()),
    };
    result.map_err(|error| {
        let why = io_text(&error);
        match out {
            Target::Standard(_) if at_the_end => {
                format!("fflush failed: 'standard output': {why}\nsort: write error")
            }
            Target::Standard(_) => format!("write failed: 'standard output': {why}"),
            Target::File(name, _) => format!("write failed: '{}': {why}", name.to_string_lossy()),
        }
    })?;
    Ok(0)
}

/// Finds the first line that should stand before its predecessor.
fn check(settings: &Settings, silent: bool) -> Result<i32, String> {
    let name = &settings.files[0];
    let mut lines = Lines::new(Source::open(name)?, settings.line_end);
    let mut previous: Option<Vec<u8>> = None;
    let mut number = 0u64;
    while let Some(line) = lines
        .next()
        .map_err(|error| lines::read_failed(name, &error))?
    {
        number += 1;
        let wrong = previous.as_deref().is_some_and(|previous| {
            match settings.order.compare(previous, line) {
                Ordering::Less => false,
                Ordering::Equal => settings.order.unique,
                Ordering::Greater => true,
            }
        });
        if wrong {
            if !silent {
                let mut message =
                    format!("sort: {}:{number}: disorder: ", name.to_string_lossy()).into_bytes();
                message.extend_from_slice(line);
                message.push(b'\n');
                // The status says it as well.
                let _ = io::stderr().write_all(&message);
            }
            return Ok(1);
        }
        let kept = previous.get_or_insert_default();
        kept.clear();
        kept.extend_from_slice(line);
    }
    Ok(0)
}
