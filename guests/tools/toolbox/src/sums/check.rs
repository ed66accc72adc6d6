//! Checking: the files in a list of sums against what they are now.

use std::io::{self, Read as _};

use codepod_tool::{Output, complain, complain_of, path};

use super::algorithm::{ALGORITHMS, Algorithm, BLAKE2B_BITS};
use super::{Settings, escaped, list_name, sum};
use crate::system;

/// A line of a list.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    algorithm: Algorithm,
    sum: Vec<u8>,
    name: Vec<u8>,
}

/// What was found of a list's lines.
#[derive(Default)]
struct Counts {
    /// Lines that are no sums.
    improper: u64,
    /// Lines that are.
    proper: u64,
    matched: u64,
    wrong: u64,
    /// Files that could not be read.
    unread: u64,
}

/// Checks the files of a list. Returns the status.
pub(super) fn file(tool: &str, settings: &Settings, list: &[u8], out: &mut Output) -> i32 {
    let shown = list_name(list);
    let text = match read(list) {
        Ok(text) => text,
        Err(error) => {
            out.write_out();
            if error.kind() == io::ErrorKind::IsADirectory {
                complain(tool, [&shown[..], b": read error"].concat());
            } else {
                complain_of(tool, list, &system::io_message(&error));
            }
            return 1;
        }
    };
    let mut counts = Counts::default();
    // Where nothing else says it, every line has the name of its algorithm.
    let mut algorithm = settings.algorithm;
    for (place, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !settings.is_chosen {
            algorithm = named(line).unwrap_or(algorithm);
        }
        let has_form = settings.is_chosen || named(line).is_some();
        let parsed = parse(line, algorithm)
            .filter(|_| has_form)
            .filter(|parsed| !(list == b"-" && parsed.name == b"-"));
        if let Some(parsed) = parsed {
            counts.proper += 1;
            counts.check(tool, settings, &parsed, out);
            continue;
        }
        counts.improper += 1;
        if settings.warn {
            out.write_out();
            let what = format!(
                ": {}: improperly formatted {} checksum line",
                place + 1,
                algorithm.name()
            );
            complain(tool, [&shown[..], what.as_bytes()].concat());
        }
    }
    out.write_out();
    if counts.proper == 0 {
        let what = b": no properly formatted checksum lines found";
        complain(tool, [&shown[..], what].concat());
        return 1;
    }
    if !settings.status {
        counts.warn(tool);
        if settings.ignore_missing && counts.matched == 0 {
            complain(tool, [&shown[..], b": no file was verified"].concat());
        }
    }
    let strict = settings.strict && counts.improper > 0;
    i32::from(counts.wrong > 0 || counts.unread > 0 || strict || counts.matched == 0)
}

/// The text of a list; of standard input for `-`.
fn read(list: &[u8]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    match list {
        b"-" => io::stdin().lock().read_to_end(&mut text)?,
        _ => std::fs::File::open(path(list))?.read_to_end(&mut text)?,
    };
    Ok(text)
}

impl Counts {
    /// Checks the file of a line.
    fn check(&mut self, tool: &str, settings: &Settings, line: &Line, out: &mut Output) {
        let bits = match line.algorithm {
            Algorithm::Blake2b => line.sum.len() * 4,
            algorithm => algorithm.bits(),
        };
        match sum(&line.name, line.algorithm, bits) {
            Err(error) if settings.ignore_missing && error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                self.unread += 1;
                out.write_out();
                complain_of(tool, &line.name, &system::io_message(&error));
                if !settings.status {
                    verdict(&line.name, b"FAILED open or read", out);
                }
            }
            Ok(sum) if sum.eq_ignore_ascii_case(&line.sum) => {
                self.matched += 1;
                if !settings.status && !settings.quiet {
                    verdict(&line.name, b"OK", out);
                }
            }
            Ok(_) => {
                self.wrong += 1;
                if !settings.status {
                    verdict(&line.name, b"FAILED", out);
                }
            }
        }
    }

    /// Says how much went wrong.
    fn warn(&self, tool: &str) {
        let warnings = [
            (
                self.improper,
                "line is improperly formatted",
                "lines are improperly formatted",
            ),
            (
                self.unread,
                "listed file could not be read",
                "listed files could not be read",
            ),
            (
                self.wrong,
                "computed checksum did NOT match",
                "computed checksums did NOT match",
            ),
        ];
        for (count, one, more) in warnings {
            if count > 0 {
                let what = if count == 1 { one } else { more };
                complain(tool, format!("WARNING: {count} {what}"));
            }
        }
    }
}

/// What became of a file.
fn verdict(name: &[u8], what: &[u8], out: &mut Output) {
    match escaped(name).filter(|_| name.contains(&b'\n')) {
        Some(escaped) => out.put(&[b"\\", &escaped[..]].concat()),
        None => out.put(name),
    }
    out.put(&[b": ", what, b"\n"].concat());
}

/// A line in one of the forms: `SUM  NAME`, `SUM *NAME`, `ALGORITHM (NAME) = SUM`; with a backslash
/// before it the name is escaped.
fn parse(line: &[u8], algorithm: Algorithm) -> Option<Line> {
    let line = line.trim_ascii_start();
    let (line, is_escaped) = match line.strip_prefix(b"\\") {
        Some(rest) => (rest, true),
        None => (line, false),
    };
    let found = tagged(line, algorithm).or_else(|| plain(line, algorithm))?;
    Some(Line {
        name: if is_escaped {
            unescaped(&found.name)?
        } else {
            found.name
        },
        ..found
    })
}

/// The algorithm whose name a line begins with.
fn named(line: &[u8]) -> Option<Algorithm> {
    let line = line.trim_ascii_start();
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    let end = line.iter().position(|byte| b" -(".contains(byte))?;
    let mut all = ALGORITHMS.iter().map(|(_, algorithm)| *algorithm);
    all.find(|known| !known.is_plain() && known.name().as_bytes() == &line[..end])
}

fn tagged(line: &[u8], algorithm: Algorithm) -> Option<Line> {
    let rest = line.strip_prefix(algorithm.name().as_bytes())?;
    // A shorter sum says how long it is.
    let (rest, bits) = match rest.strip_prefix(b"-") {
        Some(rest) if algorithm == Algorithm::Blake2b => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let bits: usize = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
            (&rest[digits..], bits)
        }
        _ => (rest, algorithm.bits()),
    };
    let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
    let end = rest.iter().rposition(|byte| *byte == b')')?;
    let sum = rest[end + 1..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    is_sum(sum, bits).then(|| Line {
        algorithm,
        sum: sum.to_vec(),
        name: rest[..end].to_vec(),
    })
}

fn plain(line: &[u8], algorithm: Algorithm) -> Option<Line> {
    let digits = line
        .iter()
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    let (sum, rest) = line.split_at(digits);
    let bits = match algorithm {
        Algorithm::Blake2b if digits > 0 && digits * 4 <= BLAKE2B_BITS => digits * 4,
        _ => algorithm.bits(),
    };
    let name = match rest {
        [b' ' | b'\t', b' ' | b'*', name @ ..] => name,
        // A form with one blank is read, too.
        [b' ' | b'\t', name @ ..] => name,
        _ => return None,
    };
    (is_sum(sum, bits) && !name.is_empty()).then(|| Line {
        algorithm,
        sum: sum.to_vec(),
        name: name.to_vec(),
    })
}

fn is_sum(sum: &[u8], bits: usize) -> bool {
    bits > 0
        && bits.is_multiple_of(8)
        && sum.len() == bits / 4
        && sum.iter().all(u8::is_ascii_hexdigit)
}

/// A name without its escapes; none if a backslash stands for nothing.
fn unescaped(name: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(name.len());
    let mut bytes = name.iter();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            0 => return None,
            _ => *byte,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_several_forms() {
        let sum = "d41d8cd98f00b204e9800998ecf8427e";
        let name = |line: String| parse(line.as_bytes(), Algorithm::Md5).map(|line| line.name);
        assert_eq!(name(format!("{sum}  a b")), Some(b"a b".to_vec()));
        assert_eq!(name(format!("{sum} *a")), Some(b"a".to_vec()));
        assert_eq!(name(format!("\\{sum}  a\\nb")), Some(b"a\nb".to_vec()));
        assert_eq!(name(format!("MD5 (a)b) = {sum}")), Some(b"a)b".to_vec()));
        assert_eq!(name(format!("{sum}0  a")), None);
        assert_eq!(name(format!("\\{sum}  a\\x")), None);
    }
}
