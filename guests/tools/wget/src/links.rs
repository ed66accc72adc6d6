//! The links of pages and style sheets.

/// The most links of one page.
const MOST: usize = 100_000;

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// Where it leads, as it stands there, with entities decoded.
    pub(crate) target: Vec<u8>,
    /// Where it stands in the text.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether it is a part of the page, such as an image.
    pub(crate) is_part: bool,
    /// Whether quotes stand around it.
    pub(crate) is_quoted: bool,
    /// Whether it is the page's `base`.
    pub(crate) is_base: bool,
    /// Whether it is in a style sheet.
    pub(crate) in_css: bool,
}

/// The links of a page.
pub(crate) fn html(text: &[u8]) -> Vec<Link> {
    let mut links = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].iter().position(|byte| *byte == b'<') {
        at += open;
        if links.len() >= MOST {
            break;
        }
        if text[at..].starts_with(b"<!--") {
            let end = find(&text[at + 4..], b"-->");
            at = end.map_or(text.len(), |end| at + 4 + end + 3);
            continue;
        }
        let (tag, end) = tag(text, at + 1);
        if tag.name == b"style" {
            let close = find(&text[end..].to_ascii_lowercase(), b"</style");
            let close = close.map_or(text.len(), |close| end + close);
            links.extend(css(&text[end..close], end));
            at = close;
            continue;
        }
        add(&tag, &mut links);
        at = end.max(at + 1);
    }
    links
}

/// A tag: its name, in small letters, and its attributes.
#[derive(Debug, Default)]
struct Tag {
    name: Vec<u8>,
    attributes: Vec<Attribute>,
}

#[derive(Debug)]
struct Attribute {
    name: Vec<u8>,
    value: Vec<u8>,
    start: usize,
    end: usize,
    is_quoted: bool,
}

/// Reads a tag behind its `<`, and where it ends.
fn tag(text: &[u8], mut at: usize) -> (Tag, usize) {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:".contains(byte);
    let word = |at: usize| {
        let length = text[at..].iter().take_while(|byte| is_name(byte)).count();
        at + length
    };
    let end = word(at);
    let mut tag = Tag {
        name: text[at..end].to_ascii_lowercase(),
        ..Tag::default()
    };
    if tag.name.is_empty() {
        return (tag, at);
    }
    at = end;
    loop {
        while text
            .get(at)
            .is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/')
        {
            at += 1;
        }
        match text.get(at) {
            None => return (tag, text.len()),
            Some(b'>') => return (tag, at + 1),
            Some(b'<') => return (tag, at),
            Some(_) => {}
        }
        let end = word(at);
        if end == at {
            at += 1;
            continue;
        }
        let name = text[at..end].to_ascii_lowercase();
        at = end;
        let skip = |mut at: usize| {
            while text.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
            at
        };
        let equals = skip(at);
        if text.get(equals) != Some(&b'=') {
            continue;
        }
        at = skip(equals + 1);
        let (start, end, is_quoted) = match text.get(at) {
            Some(quote @ (b'"' | b'\'')) => {
                let length = text[at + 1..].iter().position(|byte| byte == quote);
                let length = length.unwrap_or(text.len() - at - 1);
                (at + 1, at + 1 + length, true)
            }
            _ => {
                let stops = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
                let length = text[at..].iter().position(stops).unwrap_or(text.len() - at);
                (at, at + length, false)
            }
        };
        at = (end + usize::from(is_quoted)).min(text.len());
        if tag.attributes.len() < 256 {
            tag.attributes.push(Attribute {
                name,
                value: decode(&text[start..end]),
                start,
                end,
                is_quoted,
            });
        }
    }
}

/// The attributes that lead on, and whether what they lead to is a part of the page.
const LEADING: &[(&str, &str, bool)] = &[
    ("a", "href", false),
    ("applet", "code", true),
    ("area", "href", false),
    ("audio", "src", true),
    ("bgsound", "src", true),
    ("body", "background", true),
    ("embed", "href", false),
    ("embed", "src", true),
    ("fig", "src", true),
    ("frame", "src", true),
    ("iframe", "src", true),
    ("img", "href", true),
    ("img", "lowsrc", true),
    ("img", "src", true),
    ("input", "src", true),
    ("layer", "src", true),
    ("object", "data", true),
    ("overlay", "src", true),
    ("script", "src", true),
    ("source", "src", true),
    ("table", "background", true),
    ("td", "background", true),
    ("th", "background", true),
    ("video", "poster", true),
    ("video", "src", true),
];

fn add(tag: &Tag, links: &mut Vec<Link>) {
    let name = String::from_utf8_lossy(&tag.name).into_owned();
    let value = |name: &str| {
        let mut found = tag.attributes.iter();
        found.find(|attribute| attribute.name == name.as_bytes())
    };
    let link = |attribute: &Attribute, is_part: bool| Link {
        target: attribute.value.trim_ascii().to_vec(),
        start: attribute.start,
        end: attribute.end,
        is_part,
        is_quoted: attribute.is_quoted,
        is_base: false,
        in_css: false,
    };
    for attribute in &tag.attributes {
        let is_leading = LEADING
            .iter()
            .find(|(of, known, _)| *of == name && known.as_bytes() == attribute.name);
        if let Some((_, _, is_part)) = is_leading {
            links.push(link(attribute, *is_part));
        }
        match (&name[..], &attribute.name[..]) {
            ("link", b"href") => {
                let kind = value("rel").map(|rel| rel.value.to_ascii_lowercase());
                let kind = kind.unwrap_or_default();
                let is_part = kind == b"stylesheet"
                    || kind == b"shortcut icon"
                    || kind.split(|byte| *byte == b' ').any(|word| word == b"icon");
                links.push(link(attribute, is_part));
            }
            ("base", b"href") => links.push(Link {
                is_base: true,
                ..link(attribute, false)
            }),
            ("img" | "source", b"srcset") => {
                let mut start = attribute.start;
                for part in attribute.value.split(|byte| *byte == b',') {
                    let blank = part
                        .iter()
                        .take_while(|byte| byte.is_ascii_whitespace())
                        .count();
                    let url = part[blank..].split(u8::is_ascii_whitespace).next();
                    let url = url.unwrap_or_default();
                    if !url.is_empty() {
                        links.push(Link {
                            target: url.to_vec(),
                            start: start + blank,
                            end: start + blank + url.len(),
                            ..link(attribute, true)
                        });
                    }
                    start += part.len() + 1;
                }
            }
            ("meta", b"content") => {
                let is_refresh = value("http-equiv")
                    .is_some_and(|equiv| equiv.value.eq_ignore_ascii_case(b"refresh"));
                let lower = attribute.value.to_ascii_lowercase();
                if let (true, Some(at)) = (is_refresh, find(&lower, b"url=")) {
                    links.push(Link {
                        target: attribute.value[at + 4..].trim_ascii().to_vec(),
                        start: attribute.start + at + 4,
                        ..link(attribute, false)
                    });
                }
            }
            (_, b"style") => links.extend(css(&attribute.value, attribute.start)),
            _ => {}
        }
    }
}

/// The links of a style sheet that stands at a place of a text.
pub(crate) fn css(text: &[u8], place: usize) -> Vec<Link> {
    let mut links = Vec::new();
    let lower = text.to_ascii_lowercase();
    let mut at = 0;
    while at < text.len() && links.len() < MOST {
        if lower[at..].starts_with(b"/*") {
            at = find(&lower[at + 2..], b"*/").map_or(text.len(), |end| at + 2 + end + 2);
            continue;
        }
        let skip = |mut at: usize| {
            while text.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
            at
        };
        let (start, in_url) = match () {
            () if lower[at..].starts_with(b"url(") => (skip(at + 4), true),
            () if lower[at..].starts_with(b"@import") => (skip(at + 7), false),
            () => {
                at += 1;
                continue;
            }
        };
        let quote = text
            .get(start)
            .copied()
            .filter(|byte| matches!(byte, b'"' | b'\''));
        let start = start + usize::from(quote.is_some());
        let stop = match (quote, in_url) {
            (Some(quote), _) => quote,
            (None, true) => b')',
            // `@import url(…)` is found as what it is.
            (None, false) => {
                at += 7;
                continue;
            }
        };
        let rest = text.get(start..).unwrap_or_default();
        let Some(length) = rest.iter().position(|byte| *byte == stop) else {
            break;
        };
        let target = rest[..length].trim_ascii_end();
        if !target.is_empty() && !target.starts_with(b"data:") {
            links.push(Link {
                target: target.to_vec(),
                start: place + start,
                end: place + start + target.len(),
                is_part: true,
                is_quoted: true,
                is_base: false,
                in_css: true,
            });
        }
        at = start + length + 1;
    }
    links
}

/// Decodes the entities that stand in URLs.
fn decode(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'&' {
            decoded.push(byte);
            continue;
        }
        let end = after.iter().take(10).position(|byte| *byte == b';');
        let one = end.and_then(|end| entity(&after[..end]));
        match (one, end) {
            (Some(one), Some(end)) => {
                decoded.extend(one.to_string().bytes());
                rest = &after[end + 1..];
            }
            _ => decoded.push(byte),
        }
    }
    decoded
}

fn entity(name: &[u8]) -> Option<char> {
    let text = std::str::from_utf8(name).ok()?;
    if let Some(digits) = text.strip_prefix('#') {
        let number = match digits.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        return char::from_u32(number.ok()?);
    }
    Some(match text {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "nbsp" => '\u{a0}',
        _ => return None,
    })
}

pub(crate) fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<(String, bool)> {
        let links = html(text.as_bytes()).into_iter();
        links
            .map(|link| (String::from_utf8(link.target).unwrap(), link.is_part))
            .collect()
    }

    fn leading(text: &str) -> (String, bool) {
        (text.to_owned(), false)
    }

    fn part(text: &str) -> (String, bool) {
        (text.to_owned(), true)
    }

    #[test]
    fn links_are_found() {
        assert_eq!(
            targets(
                "<A HREF='a?x=1&amp;y'>x</A> <a href=b>y <!-- <a href=no> --><img\nsrc = \"i.png\" srcset='p 1x, q 2x'/>"
            ),
            [
                leading("a?x=1&y"),
                leading("b"),
                part("i.png"),
                part("p"),
                part("q")
            ]
        );
        assert_eq!(
            targets(
                "<link rel=stylesheet href=s.css><link rel=next href=n><style>a{b:url( 'u.png' )} @import \"t.css\";</style>"
            ),
            [part("s.css"), leading("n"), part("u.png"), part("t.css")]
        );
        assert_eq!(
            targets("<meta http-equiv=Refresh content='0; URL=next'><p style='background:url(z)'>"),
            [leading("next"), part("z")]
        );
        assert!(html(b"<base href='http://b/'>")[0].is_base);
    }

    #[test]
    fn broken_pages_end() {
        for text in [
            "<",
            "<a",
            "<a href",
            "<a href=",
            "<a href='",
            "<!--",
            "<style>url(",
            "<<<<",
            "<a <b",
            "< a href=x>",
            "<a href=\"x",
        ] {
            assert!(targets(text).len() <= 1, "{text}");
        }
        for text in [
            "url(",
            "url('",
            "@import",
            "@import '",
            "/*",
            "url()",
            "url(data:x)",
        ] {
            assert!(css(text.as_bytes(), 0).is_empty(), "{text}");
        }
    }
}
