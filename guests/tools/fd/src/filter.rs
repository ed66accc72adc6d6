//! Which entries are results: patterns, types, extensions, sizes, times.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

use codepod_sys::file::{self, Links, mode};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

/// The most that a compiled pattern may take.
const MOST_PATTERN_BYTES: usize = 10 << 20;

/// What entries must be.
#[derive(Default)]
pub(crate) struct Filter {
    pub(crate) full_path: bool,
    patterns: Vec<Regex>,
    extensions: Vec<Vec<u8>>,
    pub(crate) kinds: Kinds,
    pub(crate) sizes: Vec<Size>,
    pub(crate) after: Option<SystemTime>,
    pub(crate) before: Option<SystemTime>,
}

/// The types of `-t`.
#[derive(Default)]
pub(crate) struct Kinds {
    file: bool,
    directory: bool,
    link: bool,
    socket: bool,
    pipe: bool,
    executable: bool,
    empty: bool,
}

impl Kinds {
    /// Adds a type by its name.
    pub(crate) fn add(&mut self, name: &str) -> Option<()> {
        *match name {
            "f" | "file" => &mut self.file,
            "d" | "directory" => &mut self.directory,
            "l" | "symlink" => &mut self.link,
            "s" | "socket" => &mut self.socket,
            "p" | "pipe" => &mut self.pipe,
            "x" | "executable" => &mut self.executable,
            "e" | "empty" => &mut self.empty,
            _ => return None,
        } = true;
        Some(())
    }

    fn fit(&self, path: &Path, kind: Option<std::fs::FileType>) -> bool {
        let Kinds {
            file,
            directory,
            link,
            socket,
            pipe,
            executable,
            empty,
        } = *self;
        let any = file || directory || link || socket || pipe;
        if !any && !executable && !empty {
            return true;
        }
        let is = |wanted: fn(&std::fs::FileType) -> bool| kind.as_ref().is_some_and(wanted);
        let (is_file, is_directory) = (
            is(std::fs::FileType::is_file),
            is(std::fs::FileType::is_dir),
        );
        let fits = match any {
            true => {
                let special = |wanted: u32| {
                    let bytes = path.as_os_str().as_encoded_bytes();
                    file::stat_path(bytes, Links::Keep)
                        .is_ok_and(|stat| stat.mode & mode::TYPE_MASK == wanted)
                };
                (file && is_file)
                    || (directory && is_directory)
                    || (link && is(std::fs::FileType::is_symlink))
                    || (pipe && special(mode::FIFO))
                    || (socket && special(mode::SOCKET))
            }
            false if executable => is_file,
            false => is_file || is_directory,
        };
        fits && (!executable || is_executable(path)) && (!empty || is_empty(path, is_directory))
    }
}

fn is_executable(path: &Path) -> bool {
    #[cfg(target_os = "wasi")]
    return file::access(
        path.as_os_str().as_encoded_bytes(),
        Links::Follow,
        file::EXECUTE,
    )
    .is_ok();
    #[cfg(not(target_os = "wasi"))]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
    }
}

fn is_empty(path: &Path, directory: bool) -> bool {
    match directory {
        true => std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()),
        false => std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == 0),
    }
}

/// A bound of `-S`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    AtLeast(u64),
    AtMost(u64),
    Exactly(u64),
}

/// A size as `-S` takes it: `+10k`, `-1Mi`, `500b`.
pub(crate) fn size(text: &str) -> Option<Size> {
    let (sign, rest) = match text.as_bytes().first()? {
        sign @ (b'+' | b'-') => (*sign, &text[1..]),
        _ => (b'=', text),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = rest[..digits].parse().ok()?;
    let unit = rest[digits..].to_ascii_lowercase();
    let (base, unit) = match unit.strip_suffix('i') {
        Some(unit) => (1024_u64, unit.to_owned()),
        None => (1000, unit),
    };
    let power = match unit.as_str() {
        "b" if base == 1000 => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    let bytes = number.checked_mul(base.pow(power))?;
    Some(match sign {
        b'+' => Size::AtLeast(bytes),
        b'-' => Size::AtMost(bytes),
        _ => Size::Exactly(bytes),
    })
}

/// A time: a duration before now, or a date in UTC.
pub(crate) fn time(text: &str) -> Option<SystemTime> {
    if let Some(before) = duration(text) {
        return SystemTime::now().checked_sub(before);
    }
    let (date, clock) = text.split_once([' ', 'T']).unwrap_or((text, "00:00:00"));
    let part = |text: &str, most: u64| text.parse::<u64>().ok().filter(|number| *number <= most);
    let mut fields = date.split('-');
    let year = part(fields.next()?, 9999)?;
    let (month, day) = (part(fields.next()?, 12)?, part(fields.next()?, 31)?);
    let mut fields = clock.trim_end_matches('Z').split(':');
    let (hour, minute) = (part(fields.next()?, 23)?, part(fields.next()?, 59)?);
    let second = part(fields.next().unwrap_or("0"), 60)?;
    if month == 0 || day == 0 || year < 1970 {
        return None;
    }
    // Days since 1970 by the calendar's eras of 400 years, which begin in March.
    let (year, shifted) = match month {
        1 | 2 => (year - 1, month + 9),
        month => (year, month - 3),
    };
    let of_era = year % 400;
    let of_year = (153 * shifted + 2) / 5 + day - 1;
    let days = year / 400 * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    let seconds = (days.checked_sub(719_468)? * 24 + hour) * 3600 + minute * 60 + second;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// A duration: `10h`, `2weeks`, `1day 12h`.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = 0_u64;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let seconds = match &rest[..letters] {
            "s" | "sec" | "secs" | "second" | "seconds" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600,
            "d" | "day" | "days" => 86_400,
            "w" | "week" | "weeks" => 604_800,
            "M" | "month" | "months" => 2_630_016,
            "y" | "year" | "years" => 31_557_600,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(seconds)?)?;
        rest = rest[letters..].trim_start();
    }
    (!text.trim().is_empty()).then(|| Duration::from_secs(total))
}

/// A text as a pattern for itself.
pub(crate) fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

/// A glob as a pattern, or what is wrong with it.
pub(crate) fn glob(text: &str) -> Result<String, String> {
    let glob = globset::GlobBuilder::new(text)
        .literal_separator(true)
        .build();
    glob.map(|glob| glob.regex().to_owned())
        .map_err(|error| error.to_string())
}

impl Filter {
    pub(crate) fn add_pattern(&mut self, pattern: &str, ignore_case: bool) -> Result<(), String> {
        if pattern.is_empty() {
            return Ok(());
        }
        let syntax = syntax::Config::new()
            .utf8(false)
            .case_insensitive(ignore_case)
            .dot_matches_new_line(true);
        let config = Regex::config()
            .utf8_empty(false)
            .nfa_size_limit(Some(MOST_PATTERN_BYTES));
        let regex = Regex::builder()
            .syntax(syntax)
            .configure(config)
            .build(pattern);
        let regex = regex.map_err(|error| {
            let why = match error.syntax_error() {
                Some(error) => error.to_string(),
                None => error.to_string(),
            };
            format!(
                "{why}\n\nNote: You can use the '--fixed-strings' option to search for a literal string instead of a regular expression. Alternatively, you can also use the '--glob' option to match on a glob pattern."
            )
        })?;
        self.patterns.push(regex);
        Ok(())
    }

    pub(crate) fn add_extension(&mut self, extension: &str) {
        let name = extension.trim_start_matches('.').to_lowercase();
        self.extensions.push(format!(".{name}").into_bytes());
    }

    /// Whether an entry is a result; `absolute` is its path from the root.
    pub(crate) fn fits(
        &self,
        path: &Path,
        absolute: impl FnOnce() -> std::path::PathBuf,
        kind: Option<std::fs::FileType>,
    ) -> bool {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let name = name.as_encoded_bytes();
        let matches = match self.full_path {
            true => {
                let absolute = absolute();
                let text = absolute.as_os_str().as_encoded_bytes();
                self.patterns.iter().all(|pattern| pattern.is_match(text))
            }
            false => self.patterns.iter().all(|pattern| pattern.is_match(name)),
        };
        if !matches || !self.has_extension(name) || !self.kinds.fit(path, kind) {
            return false;
        }
        let wants_times = self.after.is_some() || self.before.is_some();
        if self.sizes.is_empty() && !wants_times {
            return true;
        }
        match std::fs::symlink_metadata(path) {
            Ok(found) => self.has_size(&found) && self.has_time(&found),
            Err(_) => false,
        }
    }

    fn has_extension(&self, name: &[u8]) -> bool {
        let lower = name.to_ascii_lowercase();
        self.extensions.is_empty()
            || self
                .extensions
                .iter()
                .any(|end| lower.len() > end.len() && lower.ends_with(end))
    }

    fn has_size(&self, found: &Metadata) -> bool {
        self.sizes.is_empty()
            || found.is_file()
                && self.sizes.iter().all(|size| match *size {
                    Size::AtLeast(bytes) => found.len() >= bytes,
                    Size::AtMost(bytes) => found.len() <= bytes,
                    Size::Exactly(bytes) => found.len() == bytes,
                })
    }

    fn has_time(&self, found: &Metadata) -> bool {
        let modified = found.modified().ok();
        self.after
            .is_none_or(|after| modified.is_some_and(|time| time > after))
            && self
                .before
                .is_none_or(|before| modified.is_some_and(|time| time < before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_sign_and_a_unit() {
        assert_eq!(size("+10k"), Some(Size::AtLeast(10_000)));
        assert_eq!(size("-1Mi"), Some(Size::AtMost(1 << 20)));
        assert_eq!(size("5b"), Some(Size::Exactly(5)));
        for wrong in [
            "",
            "+",
            "10",
            "10x",
            "k",
            "99999999999999999999b",
            "9999999999999t",
        ] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn dates_are_days_since_1970() {
        let seconds = |text| {
            let time = time(text)?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            Some(time.as_secs())
        };
        assert_eq!(seconds("1970-01-01"), Some(0));
        assert_eq!(seconds("2000-02-29 12:00:00"), Some(951_825_600));
        assert_eq!(seconds("2018-10-27T10:00:00Z"), Some(1_540_634_400));
        for wrong in [
            "",
            "x",
            "2018-13-01",
            "2018-00-01",
            "1-1",
            "99999999999999999999y",
        ] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn durations_add_up() {
        assert_eq!(duration("1d 2h"), Some(Duration::from_secs(93_600)));
        assert_eq!(duration("2weeks"), Some(Duration::from_secs(1_209_600)));
        assert_eq!(duration("5"), None);
    }

    #[test]
    fn a_literal_text_matches_itself() {
        let mut filter = Filter::default();
        let text = r"a.b(c)[d]{e}^$|\+*?-~&#";
        filter
            .add_pattern(&escaped(text), false)
            .expect("a pattern");
        assert!(filter.patterns[0].is_match(text));
        assert!(!filter.patterns[0].is_match("axb"));
    }
}
