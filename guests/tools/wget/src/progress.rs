//! The dots that show how far a download is, and numbers as wget writes them.

use std::time::{Duration, Instant};

use crate::log::Log;

/// How many bytes a dot is.
const DOT: u64 = 1024;
/// How many dots are in a row.
const ROW: u64 = 50;
/// How many dots are together.
const GROUP: u64 = 10;

/// The dots of one download.
#[derive(Debug)]
pub(crate) struct Dots {
    /// What was there before.
    first: u64,
    total: Option<u64>,
    rows: u64,
    dots: u64,
    /// Bytes that are no dot yet.
    rest: u64,
    started: Instant,
    row_started: Duration,
}

impl Dots {
    pub(crate) fn new(log: &mut Log, first: u64, total: Option<u64>) -> Dots {
        let mut dots = Dots {
            first,
            total,
            rows: 0,
            dots: 0,
            rest: 0,
            started: Instant::now(),
            row_started: Duration::ZERO,
        };
        if first > 0 {
            let row = ROW * DOT;
            let skipped = (first / DOT) / ROW * ROW;
            let rest = first % row;
            let kilobytes = skipped.to_string();
            if skipped > 0 {
                let width = 6 + 1 + kilobytes.len();
                log.progress(format!(
                    "\n{:>width$}[ skipping {kilobytes}K ]",
                    "",
                    width = width.max(8)
                ));
            }
            log.progress(format!("\n{skipped:>6}K"));
            dots.rows = first / row;
            let whole = rest / DOT;
            for at in 0..whole {
                log.progress(if at % GROUP == 0 { " ," } else { "," });
            }
            dots.dots = whole;
            dots.rest = rest % DOT;
        }
        dots
    }

    /// More has come.
    pub(crate) fn add(&mut self, log: &mut Log, bytes: u64) {
        self.rest += bytes;
        while self.rest >= DOT {
            self.rest -= DOT;
            if self.dots == 0 {
                log.progress(format!("\n{:>6}K", self.rows * ROW));
            }
            log.progress(if self.dots.is_multiple_of(GROUP) {
                " ."
            } else {
                "."
            });
            self.dots += 1;
            if self.dots == ROW {
                self.rows += 1;
                self.dots = 0;
                self.numbers(log, false);
            }
        }
    }

    /// The last row.
    pub(crate) fn finish(&mut self, log: &mut Log) {
        if self.dots == 0 {
            log.progress(format!("\n{:>6}K", self.rows * ROW));
        }
        for at in self.dots..ROW {
            log.progress(if at % GROUP == 0 { "  " } else { " " });
        }
        self.numbers(log, true);
        log.progress("\n\n");
    }

    fn numbers(&mut self, log: &mut Log, is_last: bool) {
        let elapsed = self.started.elapsed();
        let mut shown = (self.rows * ROW + self.dots) * DOT;
        if is_last {
            shown += self.rest;
        }
        if let Some(total) = self.total.filter(|total| *total > 0) {
            log.progress(format!("{:>3}%", 100 * shown / total));
        }
        let mut row = match is_last {
            true => self.dots * DOT + self.rest,
            false => ROW * DOT,
        };
        let current = if is_last { self.rows } else { self.rows - 1 };
        if current == self.first / (ROW * DOT) {
            row = row.saturating_sub(self.first % (ROW * DOT));
        }
        let (rate, unit) = rate(row, elapsed.saturating_sub(self.row_started));
        let unit = [" ", "K", "M", "G", "T"][unit];
        log.progress(format!(" {:>4}{unit}", digits(rate)));
        self.row_started = elapsed;
        if is_last {
            let seconds = elapsed.as_secs_f64();
            match seconds >= 10.0 {
                true => log.progress(format!("={}", short_time(seconds.round() as u64, false))),
                false => log.progress(format!("={}s", decimal(seconds))),
            }
        } else if let Some(total) = self.total.filter(|total| *total > 0) {
            let done = shown.saturating_sub(self.first).max(1);
            let left = total.saturating_sub(shown);
            let eta = elapsed.as_secs_f64() * left as f64 / done as f64;
            log.progress(format!(" {}", short_time((eta + 0.5) as u64, true)));
        }
    }

    /// How long it took.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

fn short_time(seconds: u64, condensed: bool) -> String {
    let space = if condensed { "" } else { " " };
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..100 => format!("{seconds}s"),
        100..6000 => format!("{minutes}m{space}{}s", seconds % 60),
        6000..172_800 => format!("{hours}h{space}{}m", minutes % 60),
        _ => format!("{days}d{space}{}h", hours % 24),
    }
}

/// A rate and the power of 1024 it is in.
fn rate(bytes: u64, time: Duration) -> (f64, usize) {
    let seconds = time.as_secs_f64().max(5e-10);
    let mut rate = bytes as f64 / seconds;
    let mut unit = 0;
    while rate >= 1024.0 && unit < 4 {
        rate /= 1024.0;
        unit += 1;
    }
    (rate, unit)
}

fn digits(rate: f64) -> String {
    match rate {
        rate if rate >= 99.95 => format!("{rate:.0}"),
        rate if rate >= 9.995 => format!("{rate:.1}"),
        rate => format!("{rate:.2}"),
    }
}

/// A rate in words.
pub(crate) fn rate_text(bytes: u64, time: Duration) -> String {
    let (rate, unit) = rate(bytes, time);
    let unit = ["B/s", "KB/s", "MB/s", "GB/s", "TB/s"][unit];
    format!("{} {unit}", digits(rate))
}

/// Seconds with few digits.
pub(crate) fn decimal(number: f64) -> String {
    match number {
        number if number >= 9.95 => format!("{number:.0}"),
        number if number >= 0.95 => format!("{number:.1}"),
        number if number >= 0.001 => {
            let places = (-number.log10().floor()) as usize;
            let text = format!("{number:.places$}");
            // Rounding may have made one digit of two.
            text.trim_end_matches('0').to_owned()
        }
        number if number >= 0.0005 => "0.001".to_owned(),
        _ => "0".to_owned(),
    }
}

/// A size in words: `256K`.
pub(crate) fn human(bytes: u64) -> String {
    if bytes < 1024 {
        return bytes.to_string();
    }
    let mut number = bytes as f64;
    let mut unit = 0;
    while number >= 1024.0 && unit < 6 {
        number /= 1024.0;
        unit += 1;
    }
    let letter = [' ', 'K', 'M', 'G', 'T', 'P', 'E'][unit];
    match number < 10.0 {
        true => format!("{number:.1}{letter}"),
        false => format!("{number:.0}{letter}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_wget_does() {
        for (bytes, text) in [
            (0, "0"),
            (1023, "1023"),
            (1024, "1.0K"),
            (262_144, "256K"),
            (162_144, "158K"),
            (5 << 30, "5.0G"),
        ] {
            assert_eq!(human(bytes), text);
        }
        for (number, text) in [
            (0.0, "0"),
            (0.0004, "0"),
            (0.0006, "0.001"),
            (0.04, "0.04"),
            (0.5, "0.5"),
            (0.2, "0.2"),
            (1.26, "1.3"),
            (12.4, "12"),
        ] {
            assert_eq!(decimal(number), text, "{number}");
        }
        assert_eq!(rate_text(6, Duration::from_millis(40)), "150 B/s");
        assert_eq!(short_time(59, true), "59s");
        assert_eq!(short_time(125, true), "2m5s");
    }
}
