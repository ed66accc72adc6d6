//! `column`: lines as a table, or filled into columns.

use codepod_tool::{Arguments, Opt, Options, Output, Stop, Value, complain, flag, long, value};
use unicode_width::UnicodeWidthStr as _;

use crate::files;

#[derive(Debug, Clone, Copy)]
enum Key {
    Table,
    Separator,
    OutputSeparator,
    Names,
    Right,
    Width,
    Rows,
    KeepEmpty,
    NoHeadings,
    Json,
    JsonName,
    Limit,
    Hide,
    Help,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Table, b't', "table"),
    value(Key::Separator, b's', "separator"),
    value(Key::OutputSeparator, b'o', "output-separator"),
    value(Key::Names, b'N', "table-columns"),
    value(Key::Right, b'R', "table-right"),
    value(Key::Width, b'c', "output-width"),
    flag(Key::Rows, b'x', "fillrows"),
    flag(Key::KeepEmpty, b'L', "keep-empty-lines"),
    flag(Key::NoHeadings, b'd', "table-noheadings"),
    flag(Key::Json, b'J', "json"),
    value(Key::JsonName, b'n', "table-name"),
    value(Key::Limit, b'l', "table-columns-limit"),
    value(Key::Hide, b'H', "table-hide"),
    long(Key::Help, "help", Value::None),
];

/// What the options say.
#[derive(Debug, Default)]
struct Settings {
    table: bool,
    separator: Option<Vec<char>>,
    output: Option<String>,
    names: Option<Vec<String>>,
    right: Vec<String>,
    hidden: Vec<String>,
    width: usize,
    rows: bool,
    keep_empty: bool,
    no_headings: bool,
    json: bool,
    json_name: String,
    limit: Option<usize>,
}

/// column as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    match read(arguments) {
        Ok((settings, inputs)) => run(name, &settings, &inputs),
        Err(stop) => stop.report(name, 1),
    }
}

/// Reads the arguments: what the options say, and the files.
fn read(arguments: Arguments) -> Result<(Settings, Vec<Vec<u8>>), Stop> {
    let from_environment = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut settings = Settings {
        width: from_environment.unwrap_or(80),
        json_name: "table".into(),
        ..Settings::default()
    };
    let mut inputs = Options::new(TABLE, arguments).each(|key, value| {
        let value = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
        settings.take(key, value)
    })?;
    if inputs.is_empty() {
        inputs.push(b"-".to_vec());
    }
    if settings.json && settings.names.is_none() {
        return Err(Stop::failed(
            "option --table-columns or --table-column required for --json",
        ));
    }
    Ok((settings, inputs))
}

impl Settings {
    fn take(&mut self, key: Key, value: String) -> Result<(), Stop> {
        let list = || value.split(',').map(str::to_owned).collect::<Vec<_>>();
        match key {
            Key::Table => self.table = true,
            Key::Separator => self.separator = Some(value.chars().collect()),
            Key::OutputSeparator => self.output = Some(value),
            Key::Names => self.names = Some(list()),
            Key::Right => self.right = list(),
            Key::Hide => self.hidden = list(),
            Key::Width if value == "unlimited" => self.width = usize::MAX,
            Key::Width => {
                self.width = value
                    .parse()
                    .map_err(|_| Stop::failed(format!("invalid columns argument: '{value}'")))?;
            }
            Key::Rows => self.rows = true,
            Key::KeepEmpty => self.keep_empty = true,
            Key::NoHeadings => self.no_headings = true,
            Key::Json => self.json = true,
            Key::JsonName => self.json_name = value,
            Key::Limit => self.limit = value.parse().ok(),
            Key::Help => {
                return Err(Stop::Status(files::print(
                    "Usage: column [-t] [-s SEPARATORS] [-o TEXT] [-N NAMES] [-R COLUMNS] [-c WIDTH] [-x] [-J] [FILE]...\n",
                )));
            }
        }
        Ok(())
    }
}

fn run(name: &str, settings: &Settings, inputs: &[Vec<u8>]) -> i32 {
    let (text, status) = text_of(name, inputs);
    let text = shown(&text);
    let lines: Vec<&str> = text
        .lines()
        // A line ends where a string of C does.
        .map(|line| line.split('\0').next().unwrap_or(line))
        .filter(|line| settings.keep_empty || !line.trim().is_empty())
        .collect();
    let result = if settings.table || settings.json {
        table(&lines, settings)
    } else {
        filled(&lines, settings)
    };
    let mut out = Output::new();
    out.put(result.as_bytes());
    if out.finish().is_err() { 1 } else { status }
}

/// What the files hold, each ending in a newline, and the status: 1 where one could not be read.
fn text_of(name: &str, inputs: &[Vec<u8>]) -> (Vec<u8>, i32) {
    let mut status = 0;
    let mut text = Vec::new();
    for input in inputs {
        match files::read(input) {
            Ok(content) => {
                text.extend_from_slice(&content);
                if text.last().is_some_and(|last| *last != b'\n') {
                    text.push(b'\n');
                }
            }
            Err(error) => {
                let shown = match error.kind() {
                    std::io::ErrorKind::IsADirectory => "read failed".into(),
                    _ => String::from_utf8_lossy(input),
                };
                complain(name, format!("{shown}: {}", files::why(&error)));
                status = 1;
            }
        }
    }
    (text, status)
}

/// A text with bytes that are no UTF-8 as `\xff`.
fn shown(text: &[u8]) -> String {
    let mut shown = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        shown += chunk.valid();
        for byte in chunk.invalid() {
            shown += &format!("\\x{byte:02x}");
        }
    }
    shown
}

fn cells(line: &str, settings: &Settings) -> Vec<String> {
    let limit = settings.limit.unwrap_or(usize::MAX);
    match &settings.separator {
        // Given separators do not run together; blanks do.
        Some(separators) => line
            .splitn(limit, |letter| separators.contains(&letter))
            .map(str::to_owned)
            .collect(),
        None if limit == usize::MAX => line.split_whitespace().map(str::to_owned).collect(),
        None => {
            let mut all = Vec::new();
            let mut rest = line.trim_start();
            while !rest.is_empty() {
                if all.len() + 1 == limit {
                    all.push(rest.trim_end().to_owned());
                    break;
                }
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                all.push(rest[..end].to_owned());
                rest = rest[end..].trim_start();
            }
            all
        }
    }
}

fn table(lines: &[&str], settings: &Settings) -> String {
    let mut rows: Vec<Vec<String>> = lines.iter().map(|line| cells(line, settings)).collect();
    let names = settings.names.clone().unwrap_or_default();
    if settings.json {
        return json(&rows, &names, settings);
    }
    if !names.is_empty() && !settings.no_headings {
        rows.insert(0, names.clone());
    }
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let named = |list: &[String], column: usize| {
        list.iter().any(|wanted| {
            wanted.parse() == Ok(column + 1) || names.get(column).is_some_and(|name| name == wanted)
        })
    };
    let columns: Vec<usize> = (0..count)
        .filter(|column| !named(&settings.hidden, *column))
        .collect();
    let widths: Vec<usize> = (0..count)
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.width())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let separator = settings.output.as_deref().unwrap_or("  ");
    let mut out = String::new();
    for row in &rows {
        for (number, column) in columns.iter().enumerate() {
            let cell = row.get(*column).map_or("", String::as_str);
            let fill = " ".repeat(widths[*column].saturating_sub(cell.width()));
            let last = number + 1 == columns.len();
            if named(&settings.right, *column) {
                out.push_str(&fill);
                out.push_str(cell);
            } else {
                out.push_str(cell);
                if !last {
                    out.push_str(&fill);
                }
            }
            if !last {
                out.push_str(separator);
            }
        }
        out.push('\n');
    }
    out
}

fn json(rows: &[Vec<String>], names: &[String], settings: &Settings) -> String {
    let quoted = |text: &str| {
        let mut out = String::from('"');
        for letter in text.chars() {
            match letter {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\t' => out.push_str("\\t"),
                letter if u32::from(letter) < 0x20 => {
                    out.push_str(&format!("\\u{:04x}", u32::from(letter)))
                }
                letter => out.push(letter),
            }
        }
        out.push('"');
        out
    };
    let mut out = format!("{{\n   {}: [\n", quoted(&settings.json_name));
    for (number, row) in rows.iter().enumerate() {
        out.push_str(if number == 0 { "      {\n" } else { "{\n" });
        for (column, name) in names.iter().enumerate() {
            let value = match row.get(column).filter(|cell| !cell.is_empty()) {
                Some(cell) => quoted(cell),
                None => "null".to_owned(),
            };
            let comma = if column + 1 < names.len() { "," } else { "" };
            out.push_str(&format!(
                "         {}: {value}{comma}\n",
                quoted(&name.to_lowercase())
            ));
        }
        out.push_str(if number + 1 < rows.len() {
            "      },"
        } else {
            "      }\n"
        });
    }
    out.push_str("   ]\n}\n");
    out
}

/// Entries in columns as wide as the longest, by columns or by rows.
fn filled(lines: &[&str], settings: &Settings) -> String {
    let entries: Vec<&str> = lines.to_vec();
    let Some(longest) = entries.iter().map(|entry| entry.width()).max() else {
        return String::new();
    };
    let mut out = String::new();
    if longest >= settings.width {
        for entry in &entries {
            out.push_str(entry);
            out.push('\n');
        }
        return out;
    }
    // To the next tab stop.
    let cell = (longest + 8) & !7;
    let columns = (settings.width / cell).max(1);
    let rows = entries.len().div_ceil(columns);
    for row in 0..rows {
        let mut column = 0;
        let mut at = 0;
        loop {
            let index = if settings.rows {
                row * columns + column
            } else {
                column * rows + row
            };
            let Some(entry) = entries.get(index).filter(|_| column < columns) else {
                break;
            };
            out.push_str(entry);
            at += entry.width();
            column += 1;
            let next = if settings.rows {
                row * columns + column
            } else {
                column * rows + row
            };
            if next >= entries.len() || column >= columns {
                break;
            }
            while at < column * cell {
                out.push('\t');
                at = (at + 8) & !7;
            }
        }
        out.push('\n');
    }
    out
}
