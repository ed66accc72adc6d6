//! Texts of licences: which files are some, and which of them apply.

use std::path::Path;

use crate::cache;
use crate::failure::{Failure, Outcome};

/// A text of a licence.
pub(super) struct Text(String);

impl Text {
    pub(super) fn new(text: &str) -> Text {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        Text(lines.join("\n").trim_matches('\n').to_owned())
    }

    /// Equal for texts that differ only in how their lines are broken.
    pub(super) fn key(&self) -> String {
        let words: Vec<&str> = self.0.split_whitespace().collect();
        words.join(" ")
    }

    pub(super) fn shown(&self) -> &str {
        &self.0
    }

    /// Whether it is one of the licences that what ships must not need.
    fn is_copyleft(&self) -> bool {
        let begin: String = self.key().chars().take(200).collect();
        begin.contains("GENERAL PUBLIC LICENSE") || begin.contains("General Public License")
    }
}

/// Files that do not apply to what ships, and why: the component, what their paths begin with.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    (
        "zstd-sys",
        "zstd/COPYING",
        "it is used under the BSD licence, zstd/LICENSE",
    ),
    (
        "liblzma-sys",
        "xz/COPYING.",
        "the library is 0BSD, as xz/COPYING says; these are for its tools",
    ),
    ("freetype-sys", "libpng/", "it is not built"),
    (
        "freetype-sys",
        "freetype2/docs/GPLv2",
        "it is used under the FreeType licence",
    ),
    (
        "fonttools",
        "licenses/LICENSE.external",
        "it is of fonts that only its tests have",
    ),
    (
        "setuptools",
        "_vendor/autocommand",
        "it is left out of the packages (pack.py)",
    ),
    ("nodejs", "deps/v8/", "V8 is not built"),
    ("nodejs", "deps/inspector_protocol/", "it is not built"),
    ("nodejs", "deps/nbytes/", "it is not built"),
    ("nodejs", "deps/postject/", "it is not built"),
    ("nodejs", "deps/uvwasi/", "it is not built"),
    ("nodejs", "test/", "tests do not ship"),
    ("nodejs", "tools/", "Node's own tools do not ship"),
    (
        "freetype-sys",
        "freetype2/src/gzip",
        "zlib's own copy is not built",
    ),
];

/// Words in the names of files for one of several licences, and the licence.
const NAMED: &[(&str, &str)] = &[
    ("MIT", "MIT"),
    ("APACHE", "Apache-2.0"),
    ("UNLICENSE", "Unlicense"),
    ("ZLIB", "Zlib"),
    ("BOOST", "BSL-1.0"),
    ("BSL", "BSL-1.0"),
    ("CC0", "CC0-1.0"),
    ("A2", "Apache-2.0"),
    ("ISC", "ISC"),
    ("0BSD", "0BSD"),
    ("BSD", "BSD"),
];

/// What the names of licence files begin with, in lower case.
pub(super) const BEGINS: &[&str] = &[
    "licen",
    "copying",
    "notice",
    "copyright",
    "unlicense",
    "ftl.txt",
];

/// Whether a file's name is that of a licence.
pub(super) fn is_licence(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // Code, and a text once more for a word processor or a browser.
    let is_other = [".rs", ".h", ".c", ".py", ".toml", ".json", ".rtf", ".html"];
    BEGINS.iter().any(|begin| name.starts_with(begin))
        && !is_other.iter().any(|end| name.ends_with(end))
}

/// The texts in a directory, by their paths there; those of tests are not of what ships.
pub(super) fn in_directory(directory: &Path) -> Outcome<Vec<(String, Text)>> {
    let enter = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match path.is_dir() {
            true => !["tests", "test", "testdata", "examples", "benches", ".git"].contains(&&*name),
            false => is_licence(&name),
        }
    };
    let mut texts = Vec::new();
    for file in cache::files(directory, &enter)? {
        let bytes = std::fs::read(&file).map_err(|error| Failure::file("read", &file, error))?;
        let path = file.strip_prefix(directory).unwrap_or(&file);
        let path = path.to_string_lossy().into_owned();
        texts.push((path, Text::new(&String::from_utf8_lossy(&bytes))));
    }
    Ok(texts)
}

/// Of the texts of a component, those that apply: of several licences to choose from, MIT where it
/// is one of them.
pub(super) fn chosen(component: &str, texts: Vec<(String, Text)>) -> Outcome<Vec<Text>> {
    let left_out = |path: &str| {
        LEFT_OUT
            .iter()
            .any(|(name, begin, _)| *name == component && path.starts_with(begin))
    };
    let named = |path: &str| {
        let name = path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        let name = match name.starts_with("UNLICENSE") {
            true => name,
            false => name.replacen("LICENSE", "", 1),
        };
        NAMED
            .iter()
            .find(|(word, _)| name.contains(word))
            .map(|(_, licence)| *licence)
    };
    let in_root = |path: &str| !path.contains('/');
    let has_mit = texts
        .iter()
        .any(|(path, _)| in_root(path) && named(path) == Some("MIT"));
    let mut kept = Vec::new();
    for (path, text) in texts {
        let is_other = in_root(&path) && named(&path).is_some_and(|licence| licence != "MIT");
        if left_out(&path) || (has_mit && is_other) {
            continue;
        }
        if text.is_copyleft() {
            return Err(Failure::new(format!("`{component}` has a text of the GPL: {path}"))
                .hint("nothing that ships may be under it; if the file is for what does not ship, add it to `LEFT_OUT` with its reason"));
        }
        kept.push(text);
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str]) -> Vec<(String, Text)> {
        let text = |name: &&str| ((*name).to_owned(), Text::new(name));
        names.iter().map(text).collect()
    }

    fn kept(component: &str, names: &[&str]) -> Vec<String> {
        let chosen = chosen(component, texts(names)).unwrap();
        chosen.iter().map(|text| text.shown().to_owned()).collect()
    }

    #[test]
    fn of_several_licences_mit_is_chosen() {
        let names = ["LICENSE-APACHE", "LICENSE-MIT", "NOTICE", "c/LICENSE"];
        assert_eq!(kept("a", &names), ["LICENSE-MIT", "NOTICE", "c/LICENSE"]);
        assert_eq!(kept("a", &["LICENSE-APACHE"]), ["LICENSE-APACHE"]);
        assert_eq!(
            kept("zstd-sys", &["zstd/COPYING", "zstd/LICENSE"]),
            ["zstd/LICENSE"]
        );
    }

    #[test]
    fn the_gpl_is_refused() {
        let gpl = Text::new("GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991");
        assert!(chosen("a", vec![("COPYING".into(), gpl)]).is_err());
    }

    #[test]
    fn texts_that_differ_in_their_lines_are_one() {
        assert_eq!(Text::new("a b\r\nc\n").key(), Text::new("\n a  b c").key());
    }
}
