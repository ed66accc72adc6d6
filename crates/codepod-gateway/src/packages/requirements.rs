//! Requirements with one version each, as `pip-compile --generate-hashes` writes them.

use super::lock_file::{Entry, Files, LockError, LockFile};
use super::{normal_name, parse_sha256};

/// Options that say where packages are, or of which kind: the index is given, and only pure wheels
/// are taken.
const SET_ASIDE: &[&str] = &[
    "-i",
    "--index-url",
    "--extra-index-url",
    "--no-index",
    "-f",
    "--find-links",
    "--trusted-host",
    "--only-binary",
    "--no-binary",
    "--prefer-binary",
    "--require-hashes",
    "--pre",
    "--use-feature",
];

pub(super) fn parse(text: &str) -> Result<LockFile, LockError> {
    let mut found = LockFile::default();
    let mut lines = text.trim_start_matches('\u{feff}').lines().zip(1..);
    while let Some((first, line)) = lines.next() {
        let mut whole = without_comment(first).to_owned();
        while whole.ends_with('\\') {
            whole.pop();
            let Some((next, _)) = lines.next() else { break };
            whole.push(' ');
            whole.push_str(without_comment(next).trim_end());
        }
        let whole = whole.trim();
        if whole.is_empty() {
            continue;
        }
        let fail = |why: String| LockError::Line { line, why };
        if whole.starts_with('-') {
            let option = whole.split([' ', '=']).next().unwrap_or_default();
            if SET_ASIDE.contains(&option) {
                continue;
            }
            let why = format!("`{option}` leads elsewhere; pull a file that names all packages");
            return Err(fail(why));
        }
        match entry(whole).map_err(fail)? {
            Line::Entry(entry) => found.entries.push(entry),
            Line::Elsewhere(name) => found.elsewhere.push(name),
        }
    }
    Ok(found)
}

fn without_comment(line: &str) -> &str {
    let starts = |at: usize| line[..at].is_empty() || line[..at].ends_with(char::is_whitespace);
    let mut marks = line.match_indices('#').map(|(at, _)| at);
    let end = marks.find(|at| starts(*at)).unwrap_or(line.len());
    line[..end].trim_end()
}

enum Line {
    Entry(Entry),
    Elsewhere(String),
}

fn entry(line: &str) -> Result<Line, String> {
    let (spec, options) = line.split_once(" --").unwrap_or((line, ""));
    let (spec, marker) = match spec.split_once(';') {
        Some((spec, marker)) => (spec, Some(marker.trim().to_owned())),
        None => (spec, None),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = spec.find(|c| !is_name(c)).unwrap_or(spec.len());
    let (name, rest) = spec.split_at(end);
    if name.is_empty() || line.contains("://") && !rest.contains('@') && !rest.contains("==") {
        return Err(format!(
            "`{}` does not begin with a name",
            crate::policy::printable(line)
        ));
    }
    let mut rest = rest.trim();
    if let Some((_, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        rest = after.trim_start();
    }
    if rest.starts_with('@') {
        return Ok(Line::Elsewhere(normal_name(name)));
    }
    if let Some(inner) = rest
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        rest = inner.trim();
    }
    let version = rest.strip_prefix("===").or_else(|| rest.strip_prefix("=="));
    let version = version.map(str::trim).filter(|version| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.!+".contains(c);
        !version.is_empty() && version.chars().all(is_part)
    });
    let version = version.ok_or_else(|| {
        format!("`{name}` has no version of its own: a lock file has `{name}==VERSION`")
    })?;
    let mut digests = Vec::new();
    let mut has_hashes = false;
    for option in options
        .split(" --")
        .map(str::trim)
        .filter(|option| !option.is_empty())
    {
        let hash = option
            .strip_prefix("hash")
            .and_then(|rest| rest.strip_prefix(['=', ' ']));
        let Some((kind, digest)) = hash.and_then(|hash| hash.trim().split_once(':')) else {
            let option = option.split([' ', '=']).next().unwrap_or_default();
            return Err(format!(
                "`{name}` has the option `--{option}`, which is not known here"
            ));
        };
        has_hashes = true;
        if kind == "sha256" {
            let digest = parse_sha256(digest.trim());
            digests.push(digest.ok_or_else(|| format!("`{name}` has a hash that is none"))?);
        }
    }
    if has_hashes && digests.is_empty() {
        return Err(format!("`{name}` has no hash of the kind sha256"));
    }
    Ok(Line::Entry(Entry {
        name: normal_name(name),
        version: version.to_owned(),
        files: match has_hashes {
            true => Files::These(digests),
            false => Files::Any,
        },
        marker: marker.filter(|marker| !marker.is_empty()),
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> LockFile {
        LockFile::parse("requirements.txt", text).unwrap()
    }

    #[test]
    fn what_pip_compile_writes_is_read() {
        let (one, two) = ("01".repeat(32), "02".repeat(32));
        let text = format!(
            "\u{feff}#\n# This file is autogenerated by pip-compile with Python 3.13\n#\n\
             --index-url https://index.test/simple\n--only-binary :all:\n\n\
             Click_Plus==8.1.0 ; sys_platform == \"win32\" \\\r\n    --hash=sha256:{one} \\\n    --hash sha256:{two}\n\
             \x20   # via\n    #   flask (pyproject.toml)\n\
             flask[async,dotenv] == 3.0.0    # via -r in#put\n\
             local @ file:///x/y.whl#sha256=1\n\
             old===1.0+local_1\nround (==2)"
        );
        let found = read(&text);
        let entry = |name: &str, version: &str, files, marker: Option<&str>| Entry {
            name: name.into(),
            version: version.into(),
            files,
            marker: marker.map(str::to_owned),
        };
        assert_eq!(
            found.entries,
            [
                entry(
                    "click-plus",
                    "8.1.0",
                    Files::These(vec![[1; 32], [2; 32]]),
                    Some("sys_platform == \"win32\"")
                ),
                entry("flask", "3.0.0", Files::Any, None),
                entry("old", "1.0+local_1", Files::Any, None),
                entry("round", "2", Files::Any, None),
            ]
        );
        assert_eq!(found.elsewhere, ["local"]);
    }

    #[test]
    fn one_version_for_several_markers_is_one_entry() {
        let hash = |byte: &str| format!("--hash=sha256:{}", byte.repeat(32));
        let text = format!(
            "one==1.0 ; os_name == 'a' {}\nOne==1 ; os_name == 'b' {}\none==2\n",
            hash("01"),
            hash("02")
        );
        let found = read(&text).entries;
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].files, Files::These(vec![[1; 32], [2; 32]]));
        assert_eq!(found[0].marker, None);
    }

    #[test]
    fn lines_that_name_no_version_say_what_is_wrong() {
        for (text, why) in [
            ("\n\none", "line 3: `one` has no version of its own"),
            ("one>=1", "has no version of its own"),
            ("one==1.*", "has no version of its own"),
            ("one==1,!=2", "has no version of its own"),
            ("one==1 --hash=sha256:00", "has a hash that is none"),
            ("one==1 --hash=md5:00", "has no hash of the kind sha256"),
            (
                "one==1 --config-settings=x",
                "`--config-settings`, which is not known",
            ),
            ("-r other.txt", "line 1: `-r` leads elsewhere"),
            ("-e .", "`-e` leads elsewhere"),
            ("--constraint=x", "`--constraint` leads elsewhere"),
            ("./x.whl", "has no version"),
            ("https://x/y.whl", "does not begin with a name"),
            ("\u{1b}[31m", "does not begin with a name"),
        ] {
            let error = LockFile::parse("requirements.txt", text)
                .unwrap_err()
                .to_string();
            assert!(error.contains(why), "{text}: {error}");
            assert!(!error.contains('\u{1b}'), "{error:?}");
        }
        let many = "a==1\n".repeat(1 << 23);
        assert_eq!(LockFile::parse("x.txt", &many), Err(LockError::TooLong));
        let many: String = (0..10_001).map(|i| format!("a{i}==1\n")).collect();
        assert_eq!(LockFile::parse("x.txt", &many), Err(LockError::TooLong));
        assert_eq!(LockFile::parse("poetry.lock", ""), Err(LockError::Unknown));
        assert_eq!(
            LockFile::parse("pyproject.toml", ""),
            Err(LockError::Unknown)
        );
    }

    proptest! {
        #[test]
        fn no_requirements_are_a_panic(text in "(a|==1|;| --hash=sha256:|\\\\\n|\n|#| |[ -~é]){0,30}") {
            let _ = LockFile::parse("requirements.txt", &text);
        }
    }
}
