//! `free`: the memory that the sandbox may use and what its processes have of it, as procps shows
//! it.

use std::io::Write as _;
use std::time::Duration;

use codepod_tool::processes::Memory;
use codepod_tool::{Arguments, Found, Opt, Options, Output, Value, complain, flag, long, value};

use crate::arguments::version;

const USAGE: &str = "
Usage:
 free [options]

Options:
 -b, --bytes         show output in bytes
     --kilo          show output in kilobytes
     --mega          show output in megabytes
     --giga          show output in gigabytes
     --tera          show output in terabytes
     --peta          show output in petabytes
 -k, --kibi          show output in kibibytes
 -m, --mebi          show output in mebibytes
 -g, --gibi          show output in gibibytes
     --tebi          show output in tebibytes
     --pebi          show output in pebibytes
 -h, --human         show human-readable output
     --si            use powers of 1000 not 1024
 -l, --lohi          show detailed low and high memory statistics
 -t, --total         show total for RAM + swap
 -v, --committed     show committed memory and commit limit
 -s N, --seconds N   repeat printing every N seconds
 -c N, --count N     repeat printing N times, then exit
 -w, --wide          wide output

     --help     display this help and exit
 -V, --version  output version information and exit

For more details see free(1).
";

#[derive(Clone, Copy)]
enum Key {
    /// A unit: its power, and whether of 1000.
    Unit(u32, bool),
    Human,
    Si,
    LowHigh,
    Total,
    Committed,
    Seconds,
    Count,
    Wide,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Unit(0, false), b'b', "bytes"),
    long(Key::Unit(1, true), "kilo", Value::None),
    long(Key::Unit(2, true), "mega", Value::None),
    long(Key::Unit(3, true), "giga", Value::None),
    long(Key::Unit(4, true), "tera", Value::None),
    long(Key::Unit(5, true), "peta", Value::None),
    flag(Key::Unit(1, false), b'k', "kibi"),
    flag(Key::Unit(2, false), b'm', "mebi"),
    flag(Key::Unit(3, false), b'g', "gibi"),
    long(Key::Unit(4, false), "tebi", Value::None),
    long(Key::Unit(5, false), "pebi", Value::None),
    flag(Key::Human, b'h', "human"),
    long(Key::Si, "si", Value::None),
    flag(Key::LowHigh, b'l', "lohi"),
    flag(Key::Total, b't', "total"),
    flag(Key::Committed, b'v', "committed"),
    value(Key::Seconds, b's', "seconds"),
    value(Key::Count, b'c', "count"),
    flag(Key::Wide, b'w', "wide"),
    long(Key::Help, "help", Value::None),
    flag(Key::Version, b'V', "version"),
];

/// How sizes are written.
#[derive(Clone, Copy)]
struct Form {
    power: u32,
    si: bool,
    human: bool,
}

impl Form {
    fn text(self, bytes: u64) -> String {
        let unit: u64 = if self.si { 1000 } else { 1024 };
        if !self.human {
            return (bytes / unit.pow(self.power)).to_string();
        }
        let letters = ["B", "K", "M", "G", "T", "P"];
        for (power, letter) in letters.iter().enumerate() {
            let mark = if power > 0 && !self.si { "i" } else { "" };
            let size = bytes as f64 / (unit as f64).powi(power as i32);
            if power == 0 {
                if bytes < 1000 {
                    return format!("{bytes}B");
                }
                continue;
            }
            // As many digits as fit into three places.
            let with_tenth = format!("{:.1}{letter}{mark}", size);
            if size < 10.0 && with_tenth.len() <= 4 + mark.len() {
                return with_tenth;
            }
            let whole = format!("{}{letter}{mark}", size as u64);
            if whole.len() <= 4 + mark.len() {
                return whole;
            }
        }
        (bytes / unit.pow(5)).to_string()
    }
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let mut form = Form {
        power: 1,
        si: false,
        human: false,
    };
    let (mut low_high, mut total, mut committed, mut wide) = (false, false, false, false);
    let (mut seconds, mut count): (Option<f64>, Option<u32>) = (None, None);
    let mut units = 0;
    loop {
        match options.next() {
            Ok(Some(Found::Operand(_))) => return misuse(""),
            Ok(Some(Found::Option(key, value))) => {
                let text = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
                match key {
                    Key::Unit(power, si) => {
                        units += 1;
                        form.power = power;
                        form.si |= si;
                    }
                    Key::Human => form.human = true,
                    Key::Si => form.si = true,
                    Key::LowHigh => low_high = true,
                    Key::Total => total = true,
                    Key::Committed => committed = true,
                    Key::Wide => wide = true,
                    Key::Seconds => match text.parse::<f64>() {
                        Ok(number) if (0.000_001..1e9).contains(&number) => seconds = Some(number),
                        Ok(_) => {
                            complain(
                                tool,
                                format!("seconds argument `{text}' is not positive number"),
                            );
                            return 1;
                        }
                        Err(_) => {
                            complain(
                                tool,
                                format!("seconds argument failed: '{text}': Invalid argument"),
                            );
                            return 1;
                        }
                    },
                    Key::Count => match text.parse::<u32>() {
                        Ok(number) if number > 0 => count = Some(number),
                        Ok(_) => {
                            complain(
                                tool,
                                format!(
                                    "failed to parse count argument: '{text}': Numerical result out of range"
                                ),
                            );
                            return 1;
                        }
                        Err(_) => {
                            complain(tool, format!("failed to parse count argument: '{text}'"));
                            return 1;
                        }
                    },
                    Key::Help => {
                        let mut out = Output::new();
                        out.put(USAGE.as_bytes());
                        return i32::from(out.finish().is_err());
                    }
                    Key::Version => return version(tool),
                }
            }
            Ok(None) => break,
            Err(usage) => return misuse(&format!("{tool}: {usage}\n")),
        }
    }
    if units > 1 {
        complain(tool, "Multiple unit options don't make sense.");
        return 1;
    }
    let mut left = match (seconds, count) {
        (None, None) => Some(1),
        (_, count) => count,
    };
    loop {
        let mut out = Output::new();
        out.put(table(&Memory::now(), form, [low_high, total, committed, wide]).as_bytes());
        left = left.map(|left| left - 1);
        let goes_on = left != Some(0);
        if goes_on {
            out.put_byte(b'\n');
        }
        if out.finish().is_err() {
            return 1;
        }
        if !goes_on {
            return 0;
        }
        std::thread::sleep(Duration::from_secs_f64(seconds.unwrap_or(1.0)));
    }
}

/// Tells how it is called. Returns the status.
fn misuse(message: &str) -> i32 {
    // Where standard error is gone there is nobody to tell.
    let _ = std::io::stderr().write_all(format!("{message}{USAGE}").as_bytes());
    1
}

/// The lines.
fn table(memory: &Memory, form: Form, [low_high, total, committed, wide]: [bool; 4]) -> String {
    let line = |label: &str, numbers: &[u64]| {
        let mut line = format!("{label:<8}");
        for (index, number) in numbers.iter().enumerate() {
            let width = if index == 0 { 12 } else { 11 };
            let blank = if index == 0 { "" } else { " " };
            line += &format!("{blank}{:>width$}", form.text(*number));
        }
        line + "\n"
    };
    let heads: &[&str] = match wide {
        true => &[
            "total",
            "used",
            "free",
            "shared",
            "buffers",
            "cache",
            "available",
        ],
        false => &["total", "used", "free", "shared", "buff/cache", "available"],
    };
    let mut text = " ".repeat(8);
    for (index, head) in heads.iter().enumerate() {
        let width = if index == 0 { 12 } else { 11 };
        let blank = if index == 0 { "" } else { " " };
        text += &format!("{blank}{head:>width$}");
    }
    text.push('\n');
    let Memory {
        total: all,
        free,
        shared,
        buffers,
        cached,
        available,
        swap,
        committed: promised,
    } = *memory;
    let used = memory.used();
    text += &match wide {
        true => line(
            "Mem:",
            &[all, used, free, shared, buffers, cached, available],
        ),
        false => line(
            "Mem:",
            &[all, used, free, shared, buffers + cached, available],
        ),
    };
    if low_high {
        text += &line("Low:", &[all, all.saturating_sub(free), free]);
        text += &line("High:", &[0, 0, 0]);
    }
    let swap_used = swap[0].saturating_sub(swap[1]);
    text += &line("Swap:", &[swap[0], swap_used, swap[1]]);
    if total {
        text += &line("Total:", &[all + swap[0], used + swap_used, free + swap[1]]);
    }
    if committed {
        let left = promised[0].saturating_sub(promised[1]);
        text += &line("Comm:", &[promised[0], promised[1], left]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_for_people_have_three_places() {
        let human = |bytes: u64, si: bool| {
            let form = Form {
                power: 1,
                si,
                human: true,
            };
            form.text(bytes)
        };
        assert_eq!(human(0, false), "0B");
        assert_eq!(human(12 << 20, false), "12Mi");
        assert_eq!(human(1 << 30, false), "1.0Gi");
        assert_eq!(human(24_682_740 << 10, false), "23Gi");
        assert_eq!(human(267_328 << 10, false), "261Mi");
        assert_eq!(human(273_743_872, true), "273M");
    }
}
