//! The page that an index has of a package: links to files, and their digests.
//!
//! There are two forms: HTML, where the fragment of a link is the digest (PEP 503), and JSON (PEP
//! 691). A link that says that its file's metadata can be had (PEP 658) is followed by one to
//! that. Of HTML only what leads to links is looked at, in one pass: tags, their attributes,
//! comments. Links are handed on one by one, so that a page takes no more memory than it has
//! bytes.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use url::Url;

use super::{METADATA, Sha256, parse_sha256};

/// The longest page that is read.
pub const MAX_PAGE: u64 = 16 << 20;
/// The most links of a page that are read.
pub const MAX_LINKS: usize = 100_000;
/// The longest URL, of a page or of a link. Relative links get the page's, each of them.
const MAX_URL: usize = 4096;

/// The form of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// HTML.
    Html,
    /// JSON.
    Json,
}

impl Form {
    /// The form that a `Content-Type` announces.
    pub fn of(content_type: &str) -> Option<Form> {
        let essence = content_type.split(';').next().unwrap_or_default();
        [
            ("text/html", Form::Html),
            ("application/vnd.pypi.simple.v1+html", Form::Html),
            ("application/vnd.pypi.simple.v1+json", Form::Json),
            ("application/json", Form::Json),
        ]
        .into_iter()
        .find(|(name, _)| essence.trim().eq_ignore_ascii_case(name))
        .map(|(_, form)| form)
    }
}

/// A link to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, without a fragment.
    pub url: Url,
    /// The digest that it has to have.
    pub sha256: Option<Sha256>,
}

impl Link {
    /// The name of the file: the last part of the path.
    pub fn file_name(&self) -> String {
        let name = self.url.path().rsplit('/').next().unwrap_or_default();
        percent_encoding::percent_decode_str(name)
            .decode_utf8_lossy()
            .into_owned()
    }
}

/// Hands on the links of the page at `at`, in order: those up to the first thing that cannot be
/// read, at most [`MAX_LINKS`].
pub fn links(page: &[u8], form: Form, at: &Url, mut each: impl FnMut(Link)) {
    if page.len() as u64 > MAX_PAGE || at.as_str().len() > MAX_URL {
        return;
    }
    let mut left = MAX_LINKS;
    let mut hand_on = |base: &Url, found: Found<'_>| {
        if left == 0 {
            return ControlFlow::Break(());
        }
        left -= 1;
        if found.href.len() <= MAX_URL
            && let Ok(mut url) = base.join(found.href)
        {
            let of_fragment = url.fragment().and_then(digest_of_fragment);
            url.set_fragment(None);
            let metadata = found.metadata.map(|sha256| {
                let mut url = url.clone();
                url.set_path(&format!("{}{METADATA}", url.path()));
                Link { url, sha256 }
            });
            let sha256 = found.sha256.or(of_fragment);
            each(Link { url, sha256 });
            metadata.into_iter().for_each(&mut each);
        }
        ControlFlow::Continue(())
    };
    match form {
        Form::Html => html(page, at, &mut hand_on),
        Form::Json => json(page, &mut |file| {
            let found = Found {
                href: &file.url,
                sha256: file.hashes.digest(),
                metadata: match file.metadata.or(file.old_metadata) {
                    None | Some(Metadata::Flag(false) | Metadata::Other(_)) => None,
                    Some(Metadata::Flag(true)) => Some(None),
                    Some(Metadata::Hashes(hashes)) => Some(hashes.digest()),
                },
            };
            hand_on(at, found)
        }),
    }
}

fn digest_of_fragment(fragment: &str) -> Option<Sha256> {
    let mut parts = fragment.split('&');
    parts.find_map(|part| parse_sha256(part.strip_prefix("sha256=")?))
}

/// A link as it stands in a page.
struct Found<'a> {
    href: &'a str,
    sha256: Option<Sha256>,
    /// Whether the file's metadata can be had, and the digest of that.
    metadata: Option<Option<Sha256>>,
}

type HandOn<'a> = &'a mut dyn FnMut(&Url, Found<'_>) -> ControlFlow<()>;

fn html(page: &[u8], at: &Url, hand_on: HandOn<'_>) {
    let mut base: Option<Url> = None;
    let mut rest = page;
    while let Some(start) = rest.iter().position(|byte| *byte == b'<') {
        rest = &rest[start + 1..];
        if let Some(comment) = rest.strip_prefix(b"!--") {
            let Some(end) = find(comment, b"-->") else {
                return;
            };
            rest = &comment[end + 3..];
            continue;
        }
        if !rest.first().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        // A tag without an end is the page's end.
        let Some((tag, after)) = Tag::read(rest) else {
            return;
        };
        rest = after;
        let is = |other: &[u8]| tag.name.eq_ignore_ascii_case(other);
        if is(b"script") || is(b"style") {
            let end: &[u8] = if is(b"script") {
                b"</script"
            } else {
                b"</style"
            };
            let Some(end) = rest
                .windows(end.len())
                .position(|part| part.eq_ignore_ascii_case(end))
            else {
                return;
            };
            rest = &rest[end..];
        }
        let Some(href) = tag.href else { continue };
        let href = unescaped(&String::from_utf8_lossy(href)).into_owned();
        if is(b"base") && base.is_none() && href.len() <= MAX_URL {
            base = at.join(&href).ok();
        } else if is(b"a") {
            let found = Found {
                href: &href,
                sha256: None,
                metadata: tag.metadata.map(|value| {
                    let value = std::str::from_utf8(value).unwrap_or_default();
                    digest_of_fragment(value)
                }),
            };
            if hand_on(base.as_ref().unwrap_or(at), found).is_break() {
                return;
            }
        }
    }
}

/// What matters of a tag.
struct Tag<'a> {
    name: &'a [u8],
    href: Option<&'a [u8]>,
    /// What says that a file's metadata can be had.
    metadata: Option<&'a [u8]>,
}

impl Tag<'_> {
    /// Reads the tag that these bytes begin with; also what follows. `None` when it has no end.
    fn read(bytes: &[u8]) -> Option<(Tag<'_>, &[u8])> {
        let ends_name =
            |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/' | b'=');
        let (name, mut rest) = bytes.split_at(bytes.iter().position(ends_name)?);
        let mut tag = Tag {
            name,
            href: None,
            metadata: None,
        };
        loop {
            let skip = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'=');
            rest = &rest[rest.iter().position(skip)?..];
            if let Some(after) = rest.strip_prefix(b">") {
                return Some((tag, after));
            }
            let (attribute, after) = rest.split_at(rest.iter().position(ends_name)?);
            rest = after.trim_ascii_start();
            let Some(value) = rest.strip_prefix(b"=") else {
                continue;
            };
            let value = value.trim_ascii_start();
            let (value, after) = match value.first()? {
                quote @ (b'"' | b'\'') => {
                    let value = &value[1..];
                    let end = value.iter().position(|byte| byte == quote)?;
                    (&value[..end], &value[end + 1..])
                }
                _ => {
                    let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
                    value.split_at(value.iter().position(ends)?)
                }
            };
            rest = after;
            let is = |name: &[u8]| attribute.eq_ignore_ascii_case(name);
            if is(b"href") {
                tag.href.get_or_insert(value);
            } else if is(b"data-core-metadata") || is(b"data-dist-info-metadata") {
                tag.metadata.get_or_insert(value);
            }
        }
    }
}

/// A value with its character references put in: those by number, and the five of XML.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.bytes().take(10).position(|byte| byte == b';');
        let found = end.and_then(|end| Some((character(&rest[1..end])?, end)));
        match found {
            Some((character, end)) => {
                out.push(character);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number)
        }
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|part| part == what)
}

#[derive(Deserialize)]
struct File {
    url: String,
    #[serde(default)]
    hashes: Hashes,
    #[serde(default, rename = "core-metadata")]
    metadata: Option<Metadata>,
    #[serde(default, rename = "dist-info-metadata")]
    old_metadata: Option<Metadata>,
}

#[derive(Default, Deserialize)]
struct Hashes {
    sha256: Option<String>,
}

impl Hashes {
    fn digest(&self) -> Option<Sha256> {
        self.sha256.as_deref().and_then(parse_sha256)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Metadata {
    Flag(bool),
    Hashes(Hashes),
    Other(IgnoredAny),
}

fn json(page: &[u8], each: &mut dyn FnMut(File) -> ControlFlow<()>) {
    let mut reader = serde_json::Deserializer::from_slice(page);
    // What was read until an error was there.
    let _ = Page(each).deserialize(&mut reader);
}

/// The object that is a page: of its fields only `files` is looked at.
struct Page<'a>(&'a mut dyn FnMut(File) -> ControlFlow<()>);

/// The list of files, each of which is handed on when it has been read.
struct Files<'a>(&'a mut dyn FnMut(File) -> ControlFlow<()>);

impl<'de> DeserializeSeed<'de> for Page<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Page<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page of an index")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "files" => map.next_value_seed(Files(self.0))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Files<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Files<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of files")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(file) = list.next_element::<File>()? {
            if (self.0)(file).is_break() {
                return Err(A::Error::custom("there are too many files"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(page: &[u8], form: Form) -> Vec<(String, Option<u8>)> {
        let at = Url::parse("https://index.test/simple/one/").unwrap();
        let mut found = Vec::new();
        links(page, form, &at, |link| {
            let digest = link.sha256.map(|digest| digest[0]);
            found.push((link.url.to_string(), digest));
        });
        found
    }

    /// A digest of this byte only.
    fn digest(byte: u8) -> String {
        super::super::hexadecimal(&[byte; 32])
    }

    #[test]
    fn links_of_html_are_those_a_browser_would_see() {
        let (one, two) = (digest(1), digest(2));
        let page = format!(
            "<!DOCTYPE html><html><body>\n<!-- <a href='/no'> -->\
             <script>'<a href=\"/no\">'</script>\
             <a href=\"../../files/x-1-py3-none-any.whl#sha256={one}\" data-x='<a href=no>'>x</a>\
             <A\nclass=y HREF = 'https://files.test/a&amp;b.zip?c=&#x64;#egg=a&amp;sha256={two}'/>\
             <a href=plain.whl>p</a><abbr href=no><a name=z href=/q.whl href=/no>\
             <div title=\"<a href='/no'>\"><a>< a href=no></a>\
             <a href=m.whl data-core-metadata='sha256={one}'><a data-dist-info-metadata=true href=o.whl>",
        );
        let expected = [
            ("https://index.test/files/x-1-py3-none-any.whl", Some(1)),
            ("https://files.test/a&b.zip?c=d", Some(2)),
            ("https://index.test/simple/one/plain.whl", None),
            ("https://index.test/q.whl", None),
            ("https://index.test/simple/one/m.whl", None),
            ("https://index.test/simple/one/m.whl.metadata", Some(1)),
            ("https://index.test/simple/one/o.whl", None),
            ("https://index.test/simple/one/o.whl.metadata", None),
        ];
        let expected = expected.map(|(url, digest)| (url.to_owned(), digest));
        assert_eq!(read(page.as_bytes(), Form::Html), expected);
        let based = b"<base href='https://files.test/d/'><base href=/no><a href=x.whl>";
        assert_eq!(
            read(based, Form::Html)[0].0,
            "https://files.test/d/x.whl".to_owned()
        );
    }

    #[test]
    fn links_of_json_are_its_files() {
        let page = format!(
            r#"{{"meta": {{"api-version": "1.3"}}, "name": "one", "files": [
                {{"filename": "x", "url": "https://files.test/x.whl", "hashes": {{"sha256": "{0}"}},
                  "yanked": false}},
                {{"url": "../y.whl", "hashes": {{"md5": "0"}}, "size": 5}},
                {{"url": "z.whl"}},
                {{"url": "m.whl", "core-metadata": {{"sha256": "{0}"}}, "dist-info-metadata": true}},
                {{"url": "n.whl", "core-metadata": false}},
                {{"url": "o.whl", "dist-info-metadata": true, "yanked": [[]]}},
                {{"url": "p.whl", "core-metadata": [1, null]}}], "versions": []}}"#,
            digest(7)
        );
        let expected = [
            ("https://files.test/x.whl", Some(7)),
            ("https://index.test/simple/y.whl", None),
            ("https://index.test/simple/one/z.whl", None),
            ("https://index.test/simple/one/m.whl", None),
            ("https://index.test/simple/one/m.whl.metadata", Some(7)),
            ("https://index.test/simple/one/n.whl", None),
            ("https://index.test/simple/one/o.whl", None),
            ("https://index.test/simple/one/o.whl.metadata", None),
            ("https://index.test/simple/one/p.whl", None),
        ];
        let expected = expected.map(|(url, digest)| (url.to_owned(), digest));
        assert_eq!(read(page.as_bytes(), Form::Json), expected);
    }

    // PK-02
    #[test]
    fn pk_02_pages_without_end_are_read_up_to_their_limits() {
        let many = "<a href=x.whl>".repeat(MAX_LINKS + 10);
        assert_eq!(read(many.as_bytes(), Form::Html).len(), MAX_LINKS);
        let file = r#"{"url": "x.whl"},"#.repeat(MAX_LINKS + 10);
        let many = format!(r#"{{"files": [{}]}}"#, file.trim_end_matches(','));
        assert_eq!(read(many.as_bytes(), Form::Json).len(), MAX_LINKS);
        let mut large = b"<a href=x.whl>".to_vec();
        large.resize(MAX_PAGE as usize + 1, b' ');
        assert_eq!(read(&large, Form::Html), []);
        large.pop();
        assert_eq!(read(&large, Form::Html).len(), 1);
        let long = format!("<a href=/{}>", "x".repeat(MAX_URL));
        assert_eq!(read(long.as_bytes(), Form::Html), []);
        let deep = format!(r#"{{"a": {}"#, "[".repeat(1 << 20));
        assert_eq!(read(deep.as_bytes(), Form::Json), []);
        // Each is looked at once, however it goes wrong.
        for part in [
            "<",
            "<a ",
            "<!--",
            "<a href='",
            "<script>",
            "&#",
            "<a href=\"",
        ] {
            read(part.repeat((1 << 20) / part.len()).as_bytes(), Form::Html);
        }
    }

    proptest! {
        // PK-02
        #[test]
        fn pk_02_no_page_is_a_panic(
            page in "(<a |<base |href=|'|\"|>|&#x?[0-9]{0,12};|&amp|#sha256=|<!--|-->|=|[ -~é]){0,40}",
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            for form in [Form::Html, Form::Json] {
                read(page.as_bytes(), form);
                read(&bytes, form);
            }
        }
    }
}
