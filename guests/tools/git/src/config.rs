//! Configuration: reading, levels, and editing a file without disturbing its other lines.

use crate::os;
use crate::stop::{Result, Stop, fatal, show};

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// `/etc/gitconfig`.
    System,
    /// `~/.gitconfig`.
    Global,
    /// The repository's own.
    Local,
    /// `-c` and the environment.
    Command,
}

/// A setting.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) level: Level,
    /// `section.sub.name`, section and name in lower case.
    pub(crate) key: Vec<u8>,
    /// Missing when only the name stands there, which means true.
    pub(crate) value: Option<Vec<u8>>,
    /// The file it is from; empty for the command line.
    pub(crate) file: Vec<u8>,
}

/// All settings in the order in which they count: later ones win.
#[derive(Debug, Clone, Default)]
pub(crate) struct Config {
    pub(crate) entries: Vec<Entry>,
}

/// How deep files may include others.
const DEEPEST: usize = 10;

impl Config {
    /// Adds a file, if it is there.
    pub(crate) fn load(&mut self, level: Level, file: &[u8]) -> Result<()> {
        self.load_at(level, file, 0)
    }

    fn load_at(&mut self, level: Level, file: &[u8], depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return fatal(format!(
                "exceeded maximum include depth ({DEEPEST}) while including\n\t{}",
                show(file)
            ));
        }
        let Ok(text) = os::read(file) else {
            return Ok(());
        };
        let items = parse(&text).map_err(|line| {
            Stop::Fatal(format!("bad config line {line} in file {}", show(file)).into_bytes())
        })?;
        for item in items.into_iter().filter(|item| !item.is_header) {
            let include = item.key == b"include.path";
            let value = item.value.clone();
            self.entries.push(Entry {
                level,
                key: item.key,
                value: item.value,
                file: file.to_vec(),
            });
            if let (true, Some(path)) = (include, value) {
                let path = expand_home(&path);
                let path = match path.first() {
                    Some(b'/') => path,
                    _ => {
                        let above = file
                            .iter()
                            .rposition(|byte| *byte == b'/')
                            .map_or(0, |at| at + 1);
                        [&file[..above], &path].concat()
                    }
                };
                self.load_at(level, &path, depth + 1)?;
            }
        }
        Ok(())
    }

    /// The last value of a key; `key` has its section and name in lower case.
    pub(crate) fn get(&self, key: &str) -> Option<&[u8]> {
        self.get_bytes(key.as_bytes())
    }

    /// The value of a key whose subsection may be any bytes.
    pub(crate) fn get_bytes(&self, key: &[u8]) -> Option<&[u8]> {
        let entry = self.entries.iter().rev().find(|entry| entry.key == key)?;
        Some(entry.value.as_deref().unwrap_or(b"true"))
    }

    /// A value as text.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.get(key).map(show)
    }

    /// A truth value; none when it is not set.
    pub(crate) fn truth(&self, key: &str) -> Option<bool> {
        let entry = self
            .entries
            .iter()
            .rev()
            .find(|entry| entry.key == key.as_bytes())?;
        match &entry.value {
            None => Some(true),
            Some(value) => parse_truth(value),
        }
    }

    /// A number with the suffixes k, m and g.
    pub(crate) fn number(&self, key: &str) -> Option<i64> {
        self.get(key).and_then(parse_number)
    }
}

/// Reads `true`, `yes`, `on`, numbers and their opposites.
pub(crate) fn parse_truth(value: &[u8]) -> Option<bool> {
    match &value.to_ascii_lowercase()[..] {
        b"true" | b"yes" | b"on" => Some(true),
        b"false" | b"no" | b"off" | b"" => Some(false),
        other => parse_number(other).map(|number| number != 0),
    }
}

/// Reads a number with an optional suffix.
pub(crate) fn parse_number(value: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(value).ok()?.trim();
    let (digits, factor) = match text.bytes().last()?.to_ascii_lowercase() {
        b'k' => (&text[..text.len() - 1], 1 << 10),
        b'm' => (&text[..text.len() - 1], 1 << 20),
        b'g' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<i64>().ok()?.checked_mul(factor)
}

/// `~/` at the start is the home directory.
pub(crate) fn expand_home(path: &[u8]) -> Vec<u8> {
    match (path.strip_prefix(b"~/"), os::variable("HOME")) {
        (Some(rest), Some(home)) => [&home[..], b"/", rest].concat(),
        _ => path.to_vec(),
    }
}

/// The key in its canonical form: section and name in lower case. Says what is wrong with it.
pub(crate) fn canonical(key: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let Some(first) = key
        .iter()
        .position(|byte| *byte == b'.')
        .filter(|at| *at > 0)
    else {
        return Err(format!("key does not contain a section: {}", show(key)));
    };
    let last = key.iter().rposition(|byte| *byte == b'.').unwrap_or(first);
    let name = &key[last + 1..];
    if name.is_empty() {
        return Err(format!("key does not contain variable name: {}", show(key)));
    }
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let good =
        key[..first].iter().all(plain) && name.iter().all(plain) && name[0].is_ascii_alphabetic();
    if !good {
        return Err(format!("invalid key: {}", show(key)));
    }
    if key[first..last].contains(&b'\n') {
        return Err(format!("invalid key (newline): {}", show(key)));
    }
    Ok([
        &key[..first].to_ascii_lowercase()[..],
        &key[first..last],
        b".",
        &name.to_ascii_lowercase(),
    ]
    .concat())
}

/// A header or a setting of a file, with the bytes it takes.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) is_header: bool,
    /// `section.sub` of a header, the whole key of a setting.
    pub(crate) key: Vec<u8>,
    pub(crate) value: Option<Vec<u8>>,
    /// From where the line starts to after its newline (for a setting on a header's line: from
    /// after the header).
    pub(crate) start: usize,
    pub(crate) end: usize,
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        if byte == b'\r' && self.peek() == Some(b'\n') {
            return self.next();
        }
        if byte == b'\n' {
            self.line += 1;
        }
        Some(byte)
    }

    fn skip_line(&mut self) {
        while let Some(byte) = self.next() {
            if byte == b'\n' {
                break;
            }
        }
    }
}

/// The headers and settings of a file; on failure the number of the bad line.
pub(crate) fn parse(text: &[u8]) -> std::result::Result<Vec<Item>, usize> {
    let skip = if text.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let mut reader = Reader {
        text,
        at: skip,
        line: 1,
    };
    let mut items = Vec::new();
    let mut section = Vec::new();
    let mut line_start = reader.at;
    while let Some(byte) = reader.peek() {
        match byte {
            b'\n' => {
                reader.next();
                line_start = reader.at;
            }
            b' ' | b'\t' | b'\r' => {
                reader.next();
            }
            b'#' | b';' => {
                reader.skip_line();
                line_start = reader.at;
            }
            b'[' => {
                reader.next();
                section = parse_section(&mut reader).ok_or(reader.line)?;
                items.push(Item {
                    is_header: true,
                    key: section.clone(),
                    value: None,
                    start: line_start,
                    end: reader.at,
                });
                line_start = reader.at;
            }
            _ if byte.is_ascii_alphabetic() && !section.is_empty() => {
                let line = reader.line;
                let (name, value) = parse_setting(&mut reader).ok_or(line)?;
                let key = [&section[..], b".", &name].concat();
                items.push(Item {
                    is_header: false,
                    key,
                    value,
                    start: line_start,
                    end: reader.at,
                });
                line_start = reader.at;
            }
            _ => return Err(reader.line),
        }
    }
    Ok(items)
}

fn parse_section(reader: &mut Reader<'_>) -> Option<Vec<u8>> {
    let mut name = Vec::new();
    loop {
        match reader.next()? {
            b']' => return Some(name),
            byte if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.' => {
                name.push(byte.to_ascii_lowercase())
            }
            b' ' | b'\t' => break,
            _ => return None,
        }
    }
    while matches!(reader.peek(), Some(b' ' | b'\t')) {
        reader.next();
    }
    if reader.next()? != b'"' {
        return None;
    }
    name.push(b'.');
    loop {
        match reader.next()? {
            b'"' => break,
            b'\n' => return None,
            b'\\' => match reader.next()? {
                b'\n' => return None,
                byte => name.push(byte),
            },
            byte => name.push(byte),
        }
    }
    (reader.next()? == b']').then_some(name)
}

fn parse_setting(reader: &mut Reader<'_>) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let mut name = Vec::new();
    while let Some(byte) = reader
        .peek()
        .filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    {
        name.push(byte.to_ascii_lowercase());
        reader.next();
    }
    while matches!(reader.peek(), Some(b' ' | b'\t')) {
        reader.next();
    }
    match reader.next() {
        None | Some(b'\n') => return Some((name, None)),
        Some(b'=') => {}
        Some(b'#' | b';') => {
            reader.skip_line();
            return Some((name, None));
        }
        _ => return None,
    }
    let (mut value, mut quoted, mut trailing) = (Vec::new(), false, 0);
    loop {
        let Some(byte) = reader.next() else {
            if quoted {
                return None;
            }
            break;
        };
        match byte {
            b'\n' if quoted => return None,
            b'\n' => break,
            b' ' | b'\t' | b'\r' if !quoted => {
                if !value.is_empty() {
                    value.push(byte);
                    trailing += 1;
                }
                continue;
            }
            b'#' | b';' if !quoted => {
                reader.skip_line();
                break;
            }
            b'"' => {
                quoted = !quoted;
                continue;
            }
            b'\\' => match reader.next()? {
                b'\n' => continue,
                b't' => value.push(b'\t'),
                b'b' => value.push(8),
                b'n' => value.push(b'\n'),
                byte @ (b'\\' | b'"') => value.push(byte),
                _ => return None,
            },
            _ => value.push(byte),
        }
        trailing = 0;
    }
    value.truncate(value.len() - trailing);
    Some((name, Some(value)))
}

/// The line of a setting as git writes it.
fn line(name: &[u8], value: &[u8]) -> Vec<u8> {
    let mut out = [b"\t", name, b" = "].concat();
    let quote = value.first() == Some(&b' ')
        || value.last() == Some(&b' ')
        || value.iter().any(|byte| b"#;\r".contains(byte));
    if quote {
        out.push(b'"');
    }
    for &byte in value {
        match byte {
            b'\n' => out.extend(b"\\n"),
            b'\t' => out.extend(b"\\t"),
            b'"' | b'\\' => out.extend([b'\\', byte]),
            _ => out.push(byte),
        }
    }
    if quote {
        out.push(b'"');
    }
    out.push(b'\n');
    out
}

fn header(section: &[u8]) -> Vec<u8> {
    match section.iter().position(|byte| *byte == b'.') {
        None => [b"[", section, b"]\n"].concat(),
        Some(dot) => {
            let mut out = [b"[", &section[..dot], b" \""].concat();
            for &byte in &section[dot + 1..] {
                if byte == b'"' || byte == b'\\' {
                    out.push(b'\\');
                }
                out.push(byte);
            }
            out.extend(b"\"]\n");
            out
        }
    }
}

/// Sets a key in a file's text: the matching values at `replace` give way to one (`value`) or to
/// none.
///
/// `key` is canonical; `spelled` is the name as the user wrote it.
pub(crate) fn edit(
    text: &[u8],
    key: &[u8],
    spelled: &[u8],
    value: Option<&[u8]>,
    replace: &[usize],
) -> Option<Vec<u8>> {
    let items = parse(text).ok()?;
    let dot = key.iter().rposition(|byte| *byte == b'.')?;
    let section = &key[..dot];
    let name = spelled
        .rsplit(|byte| *byte == b'.')
        .next()
        .unwrap_or(spelled);
    let mut out = Vec::with_capacity(text.len() + 64);
    if replace.is_empty() {
        let value = value?;
        // After the last setting of the last section of that name.
        let mut place = None;
        let mut inside = false;
        for item in &items {
            inside = if item.is_header {
                item.key == section
            } else {
                inside
            };
            if inside {
                place = Some(item.end);
            }
        }
        match place {
            Some(end) => {
                out.extend_from_slice(&text[..end]);
                let mut rest = &text[end..];
                if out.last() != Some(&b'\n') {
                    out.push(b'\n');
                    rest = rest.strip_prefix(b"\n").unwrap_or(rest);
                }
                out.extend(line(name, value));
                out.extend_from_slice(rest);
            }
            None => {
                out.extend_from_slice(text);
                if !out.is_empty() && out.last() != Some(&b'\n') {
                    out.push(b'\n');
                }
                out.extend(header(section));
                out.extend(line(name, value));
            }
        }
        return Some(out);
    }
    let mut at = 0;
    for (count, index) in replace.iter().enumerate() {
        let item = items.get(*index)?;
        out.extend_from_slice(&text[at..item.start]);
        at = item.end;
        if let (Some(value), true) = (value, count + 1 == replace.len()) {
            out.extend(line(name, value));
        }
    }
    out.extend_from_slice(&text[at..]);
    if value.is_none() {
        return Some(without_empty(&out, section));
    }
    Some(out)
}

/// Takes away headers of a section that have nothing below them, not even a comment.
fn without_empty(text: &[u8], section: &[u8]) -> Vec<u8> {
    let Ok(items) = parse(text) else {
        return text.to_vec();
    };
    let mut out = Vec::new();
    let mut at = 0;
    for (index, item) in items.iter().enumerate() {
        if !item.is_header || item.key != section {
            continue;
        }
        let end = items.get(index + 1).map_or(text.len(), |next| next.start);
        let alone = items.get(index + 1).is_none_or(|next| next.is_header);
        if alone && text[item.end..end].iter().all(u8::is_ascii_whitespace) {
            out.extend_from_slice(&text[at..item.start]);
            at = end;
        }
    }
    out.extend_from_slice(&text[at..]);
    out
}

/// Sets or removes a key of a file, in all places.
pub(crate) fn set_value(file: &[u8], key: &[u8], value: Option<&[u8]>) -> Result<()> {
    let text = os::read(file).unwrap_or_default();
    let Ok(items) = parse(&text) else {
        return fatal(format!("bad config file {}", show(file)));
    };
    let places: Vec<usize> = items
        .iter()
        .enumerate()
        .filter(|(_, item)| !item.is_header && item.key == key)
        .map(|(at, _)| at)
        .collect();
    if places.is_empty() && value.is_none() {
        return Ok(());
    }
    match edit(&text, key, key, value, &places) {
        Some(text) => Ok(os::replace(file, &text)?),
        None => fatal(format!("could not write config file {}", show(file))),
    }
}

/// Removes a whole section.
pub(crate) fn remove_section(file: &[u8], section: &[u8]) -> Result<bool> {
    let text = os::read(file).unwrap_or_default();
    let Ok(items) = parse(&text) else {
        return fatal(format!("bad config file {}", show(file)));
    };
    let mut out = Vec::new();
    let (mut at, mut found) = (0, false);
    for (number, item) in items.iter().enumerate() {
        if !item.is_header || item.key != section {
            continue;
        }
        found = true;
        let end = items[number + 1..]
            .iter()
            .find(|next| next.is_header)
            .map_or(text.len(), |next| next.start);
        out.extend_from_slice(&text[at..item.start]);
        at = end;
    }
    out.extend_from_slice(&text[at..]);
    if found {
        os::replace(file, &out)?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_goes_into_its_section() {
        let text = b"[core]\n\ta = 1\n[x \"y\"]\n\tb = 2\n";
        let edited = edit(text, b"core.new", b"core.New", Some(b"v"), &[]).unwrap();
        assert_eq!(edited, b"[core]\n\ta = 1\n\tNew = v\n[x \"y\"]\n\tb = 2\n");
    }

    #[test]
    fn bad_lines_are_counted() {
        assert_eq!(parse(b"[core]\n\ta = 1\n!\n").unwrap_err(), 3);
        assert!(parse(b"[core\n").is_err());
        assert!(parse(b"[a]\nb = \"x\n").is_err());
    }

    #[test]
    fn the_last_setting_takes_its_section_with_it() {
        let text = b"[core]\n\ta = 1\n[x]\n\tb = 2\n";
        let items = parse(text).unwrap();
        let at = items.iter().position(|item| item.key == b"x.b").unwrap();
        assert_eq!(
            edit(text, b"x.b", b"x.b", None, &[at]).unwrap(),
            b"[core]\n\ta = 1\n"
        );
    }
}
