//! The heads of replies: a status line and fields.

use crate::Error;
use crate::channel::Channel;

/// The longest head.
const LONGEST: usize = 64 * 1024;
/// The most fields.
const MOST_FIELDS: usize = 256;

/// The fields of a head, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(Vec<(String, Vec<u8>)>);

impl Fields {
    /// The first value of a field; names are compared without case.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let mut fields = self.0.iter();
        let found = fields.find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| &value[..])
    }

    /// All values of a field.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let fields = self.0.iter();
        let fields = fields.filter(move |(found, _)| found.eq_ignore_ascii_case(name));
        fields.map(|(_, value)| &value[..])
    }

    /// All fields as they came.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (&name[..], &value[..]))
    }

    /// Whether one of the words of a field, between commas, is this one.
    pub fn has_word(&self, name: &str, word: &str) -> bool {
        let mut words = self.all(name).flat_map(|value| value.split(|b| *b == b','));
        words.any(|found| found.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
    }
}

/// A status line and its fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// `HTTP/1.` and this.
    pub(crate) minor: u8,
    pub(crate) status: u16,
    pub(crate) reason: String,
    pub(crate) fields: Fields,
}

/// Reads a head. [`Error::NoReply`] when the connection ends before it.
pub(crate) fn read(channel: &mut Channel) -> Result<Head, Error> {
    let mut left = LONGEST;
    let line = match read_line(channel, &mut left) {
        Err(Error::CutOff) if left == LONGEST => return Err(Error::NoReply),
        line => line?,
    };
    let (minor, status, reason) =
        parse_status(&line).ok_or(Error::Malformed("Unsupported HTTP version in response"))?;
    Ok(Head {
        minor,
        status,
        reason,
        fields: read_fields(channel, &mut left)?,
    })
}

/// Reads fields up to the empty line.
pub(crate) fn read_fields(channel: &mut Channel, left: &mut usize) -> Result<Fields, Error> {
    let mut fields: Vec<(String, Vec<u8>)> = Vec::new();
    loop {
        let line = read_line(channel, left)?;
        if line.is_empty() {
            return Ok(Fields(fields));
        }
        if line[0] == b' ' || line[0] == b'\t' {
            // The line before goes on.
            let Some((_, value)) = fields.last_mut() else {
                return Err(Error::Malformed("a field that continues nothing"));
            };
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
            continue;
        }
        let at = line.iter().position(|byte| *byte == b':');
        let at = at.ok_or(Error::Malformed("Header without colon"))?;
        let name = String::from_utf8_lossy(line[..at].trim_ascii()).into_owned();
        if fields.len() == MOST_FIELDS {
            return Err(Error::Malformed("too many fields in a head"));
        }
        fields.push((name, line[at + 1..].trim_ascii().to_vec()));
    }
}

/// A line without its end; `left` is how much may still come.
pub(crate) fn read_line(channel: &mut Channel, left: &mut usize) -> Result<Vec<u8>, Error> {
    let mut line = Vec::new();
    loop {
        let part = channel.fill()?;
        if part.is_empty() {
            return Err(Error::CutOff);
        }
        let end = part.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(part.len(), |end| end + 1);
        if count > *left {
            return Err(Error::Malformed("too large a head"));
        }
        *left -= count;
        line.extend_from_slice(&part[..count]);
        channel.take(count);
        if end.is_some() {
            line.pop();
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            return match line.contains(&0) {
                true => Err(Error::Malformed("Nul byte in header")),
                false => Ok(line),
            };
        }
    }
}

fn parse_status(line: &[u8]) -> Option<(u8, u16, String)> {
    let rest = line.strip_prefix(b"HTTP/1.")?;
    let (minor, rest) = rest.split_first()?;
    let rest = rest.strip_prefix(b" ")?.trim_ascii_start();
    let (digits, reason) = rest.split_at_checked(3)?;
    let status = std::str::from_utf8(digits).ok()?.parse().ok()?;
    let is_end = reason.first().is_none_or(|byte| *byte == b' ');
    let reason = String::from_utf8_lossy(reason.trim_ascii()).into_owned();
    (minor.is_ascii_digit() && is_end && status >= 100).then_some((minor - b'0', status, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines_are_read() {
        for (line, read) in [
            ("HTTP/1.1 200 OK", Some((1, 200, "OK"))),
            ("HTTP/1.0 404", Some((0, 404, ""))),
            ("HTTP/1.1 200 A b", Some((1, 200, "A b"))),
            ("HTTP/2 200", None),
            ("HTTP/1.1 99", None),
            ("HTTP/1.1 2000 x", None),
            ("HTTP/1.x 200", None),
            ("ICY 200 OK", None),
            ("", None),
        ] {
            let read = read.map(|(minor, status, reason)| (minor, status, reason.to_owned()));
            assert_eq!(parse_status(line.as_bytes()), read, "{line}");
        }
    }
}
