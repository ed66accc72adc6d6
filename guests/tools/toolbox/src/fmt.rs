//! `fmt`: fills paragraphs. Written from the manual and from trials with GNU's: where lines end is
//! a choice of least cost, and the costs in `breaks` were found by experiment.

use std::io;

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, flag, long, quoted, quoted_text,
    value,
};

use crate::arguments::{help, version};
use crate::system;
use crate::text_input::{Input, finish, or_standard_input};

mod breaks;
mod line;
mod page;

use line::{Line, Prefix};
use page::Page;

/// Columns of a line unless `-w` says otherwise.
const WIDTH: usize = 75;
/// The largest width.
const LARGEST_WIDTH: usize = 2500;
/// How much wider than the goal a line may be if only the goal is given.
const BEYOND_GOAL: usize = 10;
#[derive(Clone, Copy)]
enum Key {
    Crown,
    Prefix,
    Split,
    Tagged,
    Uniform,
    Width,
    Goal,
    Digit(u8),
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Crown, b'c', "crown-margin"),
    value(Key::Prefix, b'p', "prefix"),
    flag(Key::Split, b's', "split-only"),
    flag(Key::Tagged, b't', "tagged-paragraph"),
    flag(Key::Uniform, b'u', "uniform-spacing"),
    value(Key::Width, b'w', "width"),
    value(Key::Goal, b'g', "goal"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
    flag(Key::Digit(b'0'), b'0', ""),
    flag(Key::Digit(b'1'), b'1', ""),
    flag(Key::Digit(b'2'), b'2', ""),
    flag(Key::Digit(b'3'), b'3', ""),
    flag(Key::Digit(b'4'), b'4', ""),
    flag(Key::Digit(b'5'), b'5', ""),
    flag(Key::Digit(b'6'), b'6', ""),
    flag(Key::Digit(b'7'), b'7', ""),
    flag(Key::Digit(b'8'), b'8', ""),
    flag(Key::Digit(b'9'), b'9', ""),
];

/// Options that `--help` shows.
const SHOWN: usize = 9;

/// Which lines make a paragraph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Those of the same indentation.
    Plain,
    /// The first may be indented otherwise: `-c`.
    Crown,
    /// The first is indented otherwise, or it is a paragraph of its own: `-t`.
    Tagged,
    /// Each line is one: `-s`.
    Split,
}

/// What the options ask for.
struct Settings {
    shape: Shape,
    uniform: bool,
    width: usize,
    goal: usize,
    prefix: Prefix,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let (settings, operands) = match settings(tool, arguments) {
        Ok(read) => read,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut out = Output::new();
    let mut page = Page::new();
    let mut status = 0;
    for name in or_standard_input(operands) {
        let failed = match Input::open(&name) {
            Ok(mut input) => fill(&settings, &mut input, &mut page, &mut out)
                .err()
                .map(|_| b"read error".to_vec()),
            Err(error) => {
                let why = format!(" for reading: {}", system::io_message(&error));
                Some([b"cannot open ", &quoted(&name)[..], why.as_bytes()].concat())
            }
        };
        if let Some(message) = failed {
            out.write_out();
            complain(tool, message);
            status = 1;
        }
        if out.is_broken() {
            break;
        }
    }
    finish(tool, &mut out, status)
}

fn settings(tool: &str, arguments: Arguments) -> Result<(Settings, Arguments), Stop> {
    let (arguments, mut width) = old_width(arguments);
    let mut goal = None;
    let (mut crown, mut tagged, mut split) = (false, false, false);
    let mut uniform = false;
    let mut prefix = Vec::new();
    let operands = Options::new(TABLE, arguments).each(|key, value| {
        let text = value.unwrap_or_default();
        match key {
            Key::Crown => crown = true,
            Key::Prefix => prefix = text,
            Key::Split => split = true,
            Key::Tagged => tagged = true,
            Key::Uniform => uniform = true,
            Key::Width => width = Some(text),
            Key::Goal => goal = Some(text),
            Key::Digit(digit) => {
                let digit = char::from(digit);
                return Err(Usage::new(format!(
                    "invalid option -- {digit}; -WIDTH is recognized only when it is the first\noption; use -w N instead"
                ))
                .into());
            }
            Key::Help => {
                let usage = "[-WIDTH] [OPTION]... [FILE]...";
                let about = "Reformat each paragraph in the FILE(s), writing to standard output.";
                return Err(Stop::Status(help(tool, usage, about, &TABLE[..SHOWN])));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    let shape = match (split, crown, tagged) {
        (true, ..) => Shape::Split,
        (_, true, _) => Shape::Crown,
        (.., true) => Shape::Tagged,
        _ => Shape::Plain,
    };
    let (width, goal) = widths(width, goal)?;
    let settings = Settings {
        shape,
        uniform,
        width,
        goal,
        prefix: Prefix::new(&prefix),
    };
    Ok((settings, operands))
}

/// Takes `-WIDTH` away, which is only known as the first argument.
fn old_width(mut arguments: Arguments) -> (Arguments, Option<Vec<u8>>) {
    let width = match arguments.first().map(|first| &first[..]) {
        Some([b'-', digits @ ..]) if digits.first().is_some_and(u8::is_ascii_digit) => {
            digits.to_vec()
        }
        _ => return (arguments, None),
    };
    arguments.remove(0);
    (arguments, Some(width))
}

/// The width and the goal. Either follows from the other.
fn widths(width: Option<Vec<u8>>, goal: Option<Vec<u8>>) -> Result<(usize, usize), Stop> {
    let width = width
        .map(|text| columns(&text, LARGEST_WIDTH))
        .transpose()?;
    let most = width.unwrap_or(WIDTH);
    let goal = goal.map(|text| columns(&text, most)).transpose()?;
    Ok(match (width, goal) {
        (Some(width), Some(goal)) => (width, goal),
        (None, Some(goal)) => (goal + BEYOND_GOAL, goal),
        // About 7 % less.
        (width, None) => (width.unwrap_or(WIDTH), most * 187 / 200),
    })
}

fn columns(text: &[u8], most: usize) -> Result<usize, Stop> {
    let digits = text.strip_prefix(b"+").unwrap_or(text);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(digits)
        .ok()
        .and_then(|text| text.parse().ok());
    match number.filter(|number| is_number && *number <= most) {
        Some(number) => Ok(number),
        None => {
            let why: &[u8] = if is_number {
                b": Numerical result out of range"
            } else {
                b""
            };
            let message = [b"invalid width: ", &quoted_text(text)[..], why];
            Err(Stop::Failed(message.concat()))
        }
    }
}

/// Fills the paragraphs of a file.
fn fill(
    settings: &Settings,
    input: &mut Input,
    page: &mut Page,
    out: &mut Output,
) -> io::Result<()> {
    let mut paragraph: Vec<Line> = Vec::new();
    let result = loop {
        let record = match input.record(b'\n') {
            Ok(Some(record)) => record,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        let line = Line::read(record, &settings.prefix);
        if !joins(settings.shape, &paragraph, &line) {
            page.paragraph(settings, &paragraph, out);
            paragraph.clear();
        }
        page.uses_tabs |= line.has_tabs;
        if line.is_text() {
            paragraph.push(line);
        } else {
            page.copy(settings, &line, out);
        }
        if out.is_broken() {
            return Ok(());
        }
    };
    page.paragraph(settings, &paragraph, out);
    result
}

/// Whether a line goes on with a paragraph.
fn joins(shape: Shape, paragraph: &[Line], line: &Line) -> bool {
    let (Some(first), Some(last)) = (paragraph.first(), paragraph.last()) else {
        return true;
    };
    if !line.is_text() || line.indent != last.indent {
        return false;
    }
    match shape {
        Shape::Split => false,
        Shape::Plain => line.column == first.column,
        Shape::Crown => paragraph.len() == 1 || line.column == last.column,
        Shape::Tagged if paragraph.len() == 1 => line.column != first.column,
        Shape::Tagged => line.column == last.column,
    }
}
