//! `cal`: calendars, as Debian's (of FreeBSD) prints them. After 2 September 1752 comes the 14th.

use codepod_datetime::{MONTHS, Zone};
use codepod_tool::{Arguments, Found, Opt, Options, Output, Value, complain};

use crate::system;

const USAGE: &str = "Usage: cal [general options] [-jy] [[month] year]
       cal [general options] [-j] [-m month] [year]
       ncal -C [general options] [-jy] [[month] year]
       ncal -C [general options] [-j] [-m month] [year]
       ncal [general options] [-bhJjpwySM] [-H yyyy-mm-dd] [-s country_code] [-W number of days] [[month] year]
       ncal [general options] [-Jeo] [year]
General options: [-31] [-A months] [-B months] [-d yyyy-mm]
";

#[derive(Clone, Copy)]
enum Key {
    One,
    Three,
    After,
    Before,
    Date,
    Plain,
    OfYear,
    Month,
    Year,
    /// What only `ncal` takes.
    Other,
}

const fn letter(key: Key, short: u8, value: Value) -> Opt<Key> {
    Opt {
        key,
        short,
        long: "",
        value,
    }
}

const TABLE: &[Opt<Key>] = &[
    letter(Key::One, b'1', Value::None),
    letter(Key::Three, b'3', Value::None),
    letter(Key::After, b'A', Value::Required),
    letter(Key::Before, b'B', Value::Required),
    letter(Key::Date, b'd', Value::Required),
    letter(Key::OfYear, b'j', Value::None),
    letter(Key::Month, b'm', Value::Required),
    letter(Key::Year, b'y', Value::None),
    letter(Key::Plain, b'C', Value::None),
    letter(Key::Other, b'b', Value::None),
    letter(Key::Other, b'e', Value::None),
    letter(Key::Other, b'h', Value::None),
    letter(Key::Other, b'H', Value::Required),
    letter(Key::Other, b'J', Value::None),
    letter(Key::Other, b'M', Value::None),
    letter(Key::Other, b'o', Value::None),
    letter(Key::Other, b'p', Value::None),
    letter(Key::Other, b's', Value::Required),
    letter(Key::Other, b'S', Value::None),
    letter(Key::Other, b'w', Value::None),
    letter(Key::Other, b'W', Value::Required),
];

/// The days from some day to a date.
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let shifted = (month + 9) % 12;
    let years = year - shifted / 10;
    let days = 365 * years + years.div_euclid(4) + (shifted * 306 + 5) / 10 + day - 1;
    if (year, month, day) < (1752, 9, 14) {
        // The Julian calendar, which was 11 days behind then.
        days - 2
    } else {
        days - years.div_euclid(100) + years.div_euclid(400)
    }
}

/// The days that a month has, in order.
fn days(year: i64, month: i64) -> Vec<i64> {
    let next = match month {
        12 => day_number(year + 1, 1, 1),
        month => day_number(year, month + 1, 1),
    };
    let count = next - day_number(year, month, 1);
    match (year, month) {
        (1752, 9) => (1..=2).chain(14..=30).collect(),
        _ => (1..=count).collect(),
    }
}

/// The eight lines of a month, of the same length.
fn month_lines(year: i64, month: i64, of_year: bool, with_year: bool) -> Vec<String> {
    let cell = if of_year { 3 } else { 2 };
    let width = 7 * (cell + 1) - 1;
    let name = MONTHS[(month - 1) as usize];
    let title = match with_year {
        true => format!("{name} {year}"),
        false => name.to_owned(),
    };
    let mut lines = vec![centred(&title, width)];
    let heads = ["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"].map(|head| format!("{head:>cell$}"));
    lines.push(heads.join(" "));
    let first = day_number(year, 1, 1);
    let mut cells: Vec<String> = Vec::new();
    for day in days(year, month) {
        let number = day_number(year, month, day);
        if cells.is_empty() {
            // Day 0 of the count is a Wednesday.
            let blank = (number + 3).rem_euclid(7) as usize;
            cells.resize(blank, " ".repeat(cell));
        }
        let shown = if of_year { number - first + 1 } else { day };
        cells.push(format!("{shown:>cell$}"));
    }
    lines.extend(cells.chunks(7).map(|week| week.join(" ")));
    lines.resize(8, String::new());
    for line in &mut lines {
        let missing = (width + 2).saturating_sub(line.len());
        line.push_str(&" ".repeat(missing));
    }
    lines
}

fn centred(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.len()) / 2) + text
}

/// The month of a number, a name or the beginning of one.
fn month_of(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse::<i64>() {
        return (1..=12).contains(&number).then_some(number);
    }
    let wanted = text.to_ascii_lowercase();
    let found = MONTHS
        .iter()
        .position(|month| wanted.len() >= 3 && month.to_ascii_lowercase().starts_with(&wanted));
    found.map(|at| at as i64 + 1)
}

/// The number that a text begins with, as `atoi` reads it.
fn number(text: &str) -> i64 {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..end].parse().unwrap_or(0)
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let now = Zone::from_environment().civil(system::now().seconds);
    let (mut year, mut month) = (now.year, now.month);
    let (mut before, mut after, mut whole, mut of_year) = (0, 0, false, false);
    let mut chosen = None;
    let mut operands: Vec<String> = Vec::new();
    let misuse = || {
        // Where standard error is gone there is nobody to tell.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), USAGE.as_bytes());
        64
    };
    loop {
        match options.next() {
            Ok(Some(Found::Operand(word))) => {
                operands.push(String::from_utf8_lossy(&word).into_owned());
            }
            Ok(Some(Found::Option(key, value))) => {
                let text = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
                match key {
                    Key::One => (before, after) = (0, 0),
                    Key::Three => (before, after) = (1, 1),
                    Key::After => after = number(&text).min(9999 * 12),
                    Key::Before => before = number(&text).min(9999 * 12),
                    Key::Plain => {}
                    Key::OfYear => of_year = true,
                    Key::Month => chosen = Some(text),
                    Key::Year => whole = true,
                    Key::Other => return misuse(),
                    Key::Date => {
                        let date = text.split_once('-');
                        let date = date.and_then(|(year, month)| {
                            Some((year.parse::<i64>().ok()?, month.parse::<i64>().ok()?))
                        });
                        match date {
                            Some(date @ (1..=9999, 1..=12)) => (year, month) = date,
                            _ => {
                                complain(tool, format!("-d: `{text}' is no month like 2024-05"));
                                return 64;
                            }
                        }
                    }
                }
            }
            Ok(None) => break,
            Err(usage) => {
                complain(tool, usage.to_string());
                return misuse();
            }
        }
    }
    let wanted_year = match &operands[..] {
        [] => None,
        [year] => {
            whole |= chosen.is_none();
            Some(year)
        }
        [month, year] if chosen.is_none() => {
            chosen = Some(month.clone());
            Some(year)
        }
        _ => return misuse(),
    };
    if let Some(text) = wanted_year {
        let Ok(number) = text.parse::<i64>() else {
            complain(tool, format!("not a valid year {text}"));
            return 64;
        };
        if !(1..=9999).contains(&number) {
            complain(tool, format!("year `{text}' not in range 1..9999"));
            return 64;
        }
        year = number;
    }
    if let Some(text) = chosen {
        let Some(number) = month_of(&text) else {
            let why = format!("{text} is neither a month number (1..12) nor a name");
            complain(tool, why);
            return 64;
        };
        month = number;
    }
    let middle = year * 12 + month - 1;
    let (first, last) = match whole {
        true => (year * 12, year * 12 + 11),
        false => (middle - before, middle + after),
    };
    if first < 12 {
        complain(tool, "year `0' not in range 1..9999");
        return 64;
    }
    let mut out = Output::new();
    out.put(calendar(first, last, of_year).as_bytes());
    i32::from(out.finish().is_err())
}

/// The months from `first` to `last`, counted from year 0.
fn calendar(first: i64, last: i64, of_year: bool) -> String {
    let (in_row, width) = if of_year { (2, 27) } else { (3, 20) };
    // Rows that begin where rows of a whole year do have the year above them.
    let heads = first % 12 % in_row == 0 && last - first + 1 >= in_row;
    let months: Vec<i64> = (first..=last).collect();
    let mut text = String::new();
    for (index, row) in months.chunks(in_row as usize).enumerate() {
        if index > 0 {
            text.push('\n');
        }
        if heads && (index == 0 || row[0] % 12 == 0) {
            let year = (row[0] / 12).to_string();
            text += &centred(&year, width * in_row as usize);
            text.push('\n');
        }
        let shown = row.iter().map(|month| {
            month_lines(
                month.div_euclid(12),
                month.rem_euclid(12) + 1,
                of_year,
                !heads,
            )
        });
        let shown: Vec<Vec<String>> = shown.collect();
        for line in 0..8 {
            text.extend(shown.iter().map(|month| month[line].as_str()));
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_through_the_change_of_calendars() {
        assert_eq!(day_number(1752, 9, 14) - day_number(1752, 9, 2), 1);
        assert_eq!(days(1752, 9).len(), 19);
        assert_eq!(
            (
                days(2024, 2).len(),
                days(1900, 2).len(),
                days(1500, 2).len()
            ),
            (29, 28, 29)
        );
        assert_eq!(days(2023, 12).len(), 31);
    }

    #[test]
    fn a_month_has_eight_lines() {
        let lines = month_lines(2024, 1, false, true);
        assert_eq!(lines[0], "    January 2024      ");
        assert_eq!(lines[2], "    1  2  3  4  5  6  ");
        assert_eq!(lines.len(), 8);
    }
}
