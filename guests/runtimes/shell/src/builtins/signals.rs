//! Names and numbers of signals, as `trap` and `kill` take and print them.

use codepod_sys::Signal;

use crate::text::Text;
use crate::traps::Event;

/// The first and the last real-time signal.
const REAL_TIME: (u32, u32) = (34, 64);

/// The numbers that stand for the shell's own events.
const DEBUG: u32 = 65;
const ERR: u32 = 66;
const RETURN: u32 = 67;

/// The name of a number with `SIG` (`SIGINT`, `EXIT`, `DEBUG`); numbers that Linux keeps for itself
/// are their own names.
pub fn name(number: u32) -> Option<Text> {
    let (first, last) = REAL_TIME;
    Some(match number {
        0 => Text::from("EXIT"),
        DEBUG => Text::from("DEBUG"),
        ERR => Text::from("ERR"),
        RETURN => Text::from("RETURN"),
        29 => Text::from("SIGIO"),
        32 | 33 => Text::number(i64::from(number)),
        _ if number == first => Text::from("SIGRTMIN"),
        _ if number == last => Text::from("SIGRTMAX"),
        _ if number > first && number <= first + 15 => relative("SIGRTMIN+", number - first),
        _ if number > first && number < last => relative("SIGRTMAX-", last - number),
        _ => Text::from(Signal::from_raw(number)?.name()),
    })
}

fn relative(start: &str, distance: u32) -> Text {
    let mut text = Text::from(start);
    text.push(&Text::number(i64::from(distance)));
    text
}

/// The number of a name, with or without `SIG`, in any case; or of a decimal number.
pub fn number(spec: &[u8]) -> Option<u32> {
    if let Some(number) = super::number(spec).filter(|_| spec[0].is_ascii_digit()) {
        return u32::try_from(number)
            .ok()
            .filter(|number| *number <= REAL_TIME.1);
    }
    (0..=RETURN).find(|number| {
        let Some(name) = name(*number) else {
            return false;
        };
        match name.strip_prefix(b"SIG") {
            Some(short) => short.eq_ignore_ascii_case(spec) || name.eq_ignore_ascii_case(spec),
            None => !name[0].is_ascii_digit() && name.eq_ignore_ascii_case(spec),
        }
    })
}

/// The event of a number.
pub fn event(number: u32) -> Event {
    match number {
        0 => Event::Exit,
        DEBUG => Event::Debug,
        ERR => Event::Err,
        RETURN => Event::Return,
        _ => Event::Signal(number),
    }
}

/// The number of an event.
pub fn event_number(event: Event) -> u32 {
    match event {
        Event::Exit => 0,
        Event::Debug => DEBUG,
        Event::Err => ERR,
        Event::Return => RETURN,
        Event::Signal(number) => number,
    }
}

/// Whether a number is a signal's, not that of one of the shell's own events.
pub fn is_signal(number: u32) -> bool {
    (1..=REAL_TIME.1).contains(&number)
}

/// Every signal that has a name, by number, as `kill -l` lists them.
fn all() -> impl Iterator<Item = (u32, Text)> {
    (1..=REAL_TIME.1)
        .filter(|number| !matches!(number, 32 | 33))
        .filter_map(|number| Some((number, name(number)?)))
}

/// What `kill -l` and `trap -l` print.
pub fn table(posix: bool) -> Vec<u8> {
    let mut out = Vec::new();
    if posix {
        for (_, name) in all() {
            out.extend_from_slice(name.strip_prefix(b"SIG").unwrap_or(&name));
            out.push(b' ');
        }
        out.pop();
        out.push(b'\n');
        return out;
    }
    let mut column = 0;
    for (number, name) in all() {
        if number < 10 {
            out.push(b' ');
        }
        out.extend_from_slice(&Text::number(i64::from(number)));
        out.extend_from_slice(b") ");
        out.extend_from_slice(&name);
        column += 1;
        if column < 5 {
            out.push(b'\t');
        } else {
            out.push(b'\n');
            column = 0;
        }
    }
    if column != 0 {
        out.push(b'\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_to_each_other() {
        for number in (0..=67).filter(|number| !matches!(number, 32 | 33)) {
            let name = name(number).expect("every number has a name");
            assert_eq!(super::number(&name), Some(number));
        }
        assert_eq!(number(b"int"), Some(2));
        assert_eq!(number(b"sigkill"), Some(9));
        assert_eq!(number(b"RTMIN+3"), Some(37));
        for bad in [
            &b""[..],
            b"65",
            b"-1",
            b"SIGEXIT",
            b"sigdebug",
            b"FOO",
            b"SIG",
        ] {
            assert_eq!(number(bad), None);
        }
    }

    #[test]
    fn the_table_has_five_columns() {
        let table = String::from_utf8(table(false)).expect("names are ASCII");
        assert!(
            table.starts_with(" 1) SIGHUP\t 2) SIGINT\t 3) SIGQUIT\t 4) SIGILL\t 5) SIGTRAP\n")
        );
        assert!(table.ends_with("63) SIGRTMAX-1\t64) SIGRTMAX\t\n"));
        assert_eq!(table.lines().count(), 13);
    }
}
