//! The line of `pv`: how much, how long, how fast, how far.

use std::time::Instant;

use crate::files;

/// What the line shows; all of the usual where nothing is chosen.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) progress: bool,
    pub(super) timer: bool,
    pub(super) eta: bool,
    pub(super) rate: bool,
    pub(super) average: bool,
    pub(super) bytes: bool,
    pub(super) width: usize,
    pub(super) name: String,
}

impl Default for Shown {
    fn default() -> Shown {
        Shown {
            progress: false,
            timer: false,
            eta: false,
            rate: false,
            average: false,
            bytes: false,
            width: 80,
            name: String::new(),
        }
    }
}

/// How far the copy is.
pub(super) struct Meter {
    shown: Shown,
    total: Option<u64>,
    pub(super) count: u64,
    pub(super) started: Instant,
    /// Whether lines are counted.
    pub(super) lines: bool,
}

impl Meter {
    pub(super) fn new(mut shown: Shown, total: Option<u64>) -> Meter {
        let Shown {
            progress,
            timer,
            eta,
            rate,
            average,
            bytes,
            ..
        } = shown;
        if !(progress || timer || eta || rate || average || bytes) {
            shown = Shown {
                progress: true,
                timer: true,
                eta: true,
                rate: true,
                bytes: true,
                ..shown
            };
        }
        Meter {
            shown,
            total,
            count: 0,
            started: Instant::now(),
            lines: false,
        }
    }

    /// Says it on standard error: a number and a newline, or a line that the next one overwrites.
    pub(super) fn tell(&self, numeric: bool, last: bool) {
        let end = if last { "\r\n" } else { "\r" };
        match (numeric, self.percent()) {
            (false, _) => files::tell(&(self.line() + end)),
            (true, Some(percent)) if !self.shown.only_bytes() => {
                files::tell(&format!("{percent}\n"));
            }
            (true, _) => files::tell(&format!("{}\n", self.count)),
        }
    }

    fn percent(&self) -> Option<u64> {
        let total = self.total?;
        let scaled = u128::from(self.count) * 100 / u128::from(total.max(1));
        Some(u64::try_from(scaled).unwrap_or(u64::MAX).min(100))
    }

    fn line(&self) -> String {
        let shown = &self.shown;
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = self.count as f64 / seconds.max(0.001);
        let mut parts = Vec::new();
        if !shown.name.is_empty() {
            parts.push(format!("{:>9}:", shown.name));
        }
        if shown.bytes {
            parts.push(self.amount(self.count as f64));
        }
        if shown.timer {
            parts.push(clock(seconds));
        }
        if shown.rate {
            parts.push(format!("[{}/s]", self.amount(rate)));
        }
        if shown.average {
            parts.push(format!("[{}/s]", self.amount(rate)));
        }
        let eta = match self.total {
            Some(total) if shown.eta && self.count < total && rate > 0.0 => {
                format!(" ETA {}", clock((total - self.count) as f64 / rate))
            }
            _ => String::new(),
        };
        let mut line = parts.join(" ");
        if shown.progress {
            let room = shown.width.saturating_sub(line.len() + eta.len() + 9);
            line += &format!(" {}", self.bar(room));
        }
        line + &eta
    }

    fn bar(&self, room: usize) -> String {
        let Some(percent) = self.percent() else {
            return format!("[{:room$}]", "<=>");
        };
        let full = room * percent as usize / 100;
        let arrow = match full {
            0 => ">".to_owned(),
            full => format!("{}>", "=".repeat(full - 1)),
        };
        format!("[{arrow:room$}] {percent:3}%")
    }

    /// A number in four places with its unit, as `575KiB` and `1.23MiB`.
    fn amount(&self, number: f64) -> String {
        let (base, units) = match self.lines {
            true => (1000.0, [" ", "k", "M", "G", "T"]),
            false => (1024.0, [" B", "KiB", "MiB", "GiB", "TiB"]),
        };
        let (mut scaled, mut power) = (number, 0);
        while scaled >= base && power + 1 < units.len() {
            scaled /= base;
            power += 1;
        }
        let digits = match scaled {
            ..9.995 => format!("{scaled:4.2}"),
            ..99.95 => format!("{scaled:4.1}"),
            _ => format!("{scaled:4.0}"),
        };
        digits + units[power]
    }
}

impl Shown {
    fn only_bytes(&self) -> bool {
        self.bytes && !self.progress
    }
}

fn clock(seconds: f64) -> String {
    let whole = seconds.clamp(0.0, 360_000_000.0) as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    format!("{hours}:{minutes:02}:{seconds:02}")
}
