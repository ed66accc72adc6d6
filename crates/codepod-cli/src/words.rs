//! What the words after `codepod run` mean.
//!
//! One word is a bash script, several are a command with its arguments. A first word that uses `$1`
//! or `$@` is a script in both cases, and the words behind it are its parameters. A command that
//! the sandbox does not have may be a script file of the host.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use codepod::Sandbox;

use crate::failure::Failure;
use crate::streams::read_all;

/// The longest script file.
const LONGEST_FILE: u64 = 16 << 20;
/// How long the sandbox may take to say whether it has a command.
const PATIENCE: Duration = Duration::from_secs(5);

/// A script with its parameters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) script: Vec<u8>,
    /// `$0`
    pub(crate) zero: OsString,
    /// `$1`, `$2`, …
    pub(crate) parameters: Vec<OsString>,
}

impl Asked {
    fn new(script: impl Into<Vec<u8>>, parameters: &[OsString]) -> Asked {
        Asked {
            script: script.into(),
            zero: "bash".into(),
            parameters: parameters.to_vec(),
        }
    }

    /// `-c SCRIPT`
    pub(crate) fn script(script: &OsStr, parameters: &[OsString]) -> Asked {
        Asked::new(script.as_encoded_bytes(), parameters)
    }

    /// `-f FILE`; `-` is standard input.
    pub(crate) fn file(path: &OsStr, parameters: &[OsString]) -> Result<Asked, Failure> {
        if path == "-" {
            return Ok(Asked::new(read_all()?, parameters));
        }
        let refused = |why: String| {
            let why = format!("cannot run `{}`: {why}", Path::new(path).display());
            Failure::new(why, "`-f` takes a bash script of this machine")
        };
        let script = read(path).map_err(|error| refused(error.to_string()))?;
        if is_binary(&script) {
            return Err(refused("it is a binary file".into()));
        }
        HostFile {
            name: path.to_owned(),
            script,
        }
        .asked(parameters)
    }
}

/// A file of the host that may be meant by the first word.
#[derive(Debug)]
pub(crate) struct HostFile {
    name: OsString,
    script: Vec<u8>,
}

impl HostFile {
    /// Reads the file that a word names, if it can be a script. It is read before anybody knows
    /// whether it is wanted: behind the wall it cannot be.
    pub(crate) fn named(word: &OsStr) -> Option<HostFile> {
        if !is_plain(word) {
            return None;
        }
        let script = read(word).ok().filter(|script| !is_binary(script))?;
        Some(HostFile {
            name: word.to_owned(),
            script,
        })
    }

    /// Whether the sandbox has nothing of this name that could be run. Asked in a fork, so that it
    /// is not among the runs.
    pub(crate) fn is_wanted(&self, sandbox: &Sandbox) -> bool {
        const HAS: &str = r#"type -- "$1" &> /dev/null || [[ $1 == */* && -e $1 ]]"#;
        let asked = sandbox.fork().and_then(|fork| {
            let words = [&b"bash"[..], self.name.as_encoded_bytes()];
            let script = fork.script(HAS).arguments(words);
            script.timeout(PATIENCE).run_blocking()
        });
        asked.is_ok_and(|result| result.exit_code == 1)
    }

    /// The file as a script with parameters. Fails if it is for another interpreter than bash.
    pub(crate) fn asked(self, parameters: &[OsString]) -> Result<Asked, Failure> {
        let name = Path::new(&self.name).display();
        let line = self.script.split(|byte| *byte == b'\n').next();
        let line = String::from_utf8_lossy(line.unwrap_or_default()).into_owned();
        let mut script = self.script;
        if let Some(line) = line.strip_prefix("#!") {
            let mut words = line.split_whitespace();
            let mut program = base_name(words.next().unwrap_or_default());
            if program == "env" {
                program = base_name(words.find(|word| *word != "-S").unwrap_or_default());
            }
            if !matches!(program, "sh" | "bash" | "dash") {
                return Err(not_bash(&self.name, program));
            }
            let options: Vec<&str> = words.collect();
            if !options.is_empty() {
                // On its first line, which is a comment from then on: lines keep their numbers.
                let set = set_options(&options).ok_or_else(|| {
                    let why = format!("the first line of `{name}` has options that only bash's own command line takes: `{line}`");
                    Failure::new(why, "mount its directory and run it there: `codepod run -m DIRECTORY:/work -C /work bash FILE`")
                })?;
                script.splice(0..0, set.into_bytes());
            }
        } else if Path::new(&self.name).extension() == Some("py".as_ref()) {
            return Err(not_bash(&self.name, "python3"));
        }
        Ok(Asked {
            script,
            zero: self.name,
            parameters: parameters.to_vec(),
        })
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `#!/bin/bash -eu` as a command for the beginning of the script.
fn set_options(options: &[&str]) -> Option<String> {
    let known = |letter: char| "abefhkmnptuvxBCEHPT".contains(letter);
    let is_set = |word: &&str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(known)
    };
    let all = options.iter().all(is_set);
    all.then(|| format!("set {};", options.join(" ")))
}

fn not_bash(name: &OsStr, program: &str) -> Failure {
    let path = Path::new(name);
    let why = format!(
        "`{}` is a script for {program}, not for bash",
        path.display()
    );
    let file = path.file_name().map(Path::new).unwrap_or(path).display();
    let mounted = format!("`codepod run -m .:/work -C /work {program} {file}` runs it");
    Failure::new(
        why,
        match program {
            "python3" | "python" => format!("`codepod python < {}`, or {mounted}", path.display()),
            _ => mounted,
        },
    )
}

/// What the words mean, if none of them is a file of the host.
pub(crate) fn asked(words: &[OsString]) -> Result<Asked, Failure> {
    let Some((first, rest)) = words.split_first() else {
        return Ok(Asked::new(Vec::new(), &[]));
    };
    let text = first.as_encoded_bytes();
    if rest.is_empty() || uses_parameters(text) {
        return Ok(Asked::script(first, rest));
    }
    if !is_plain(first) {
        return Err(ambiguous(first, rest));
    }
    let quoted: Vec<Vec<u8>> = words.iter().map(|word| quoted(word)).collect();
    Ok(Asked::new(quoted.join(&b' '), &[]))
}

fn ambiguous(first: &OsStr, rest: &[OsString]) -> Failure {
    let rest: Vec<Vec<u8>> = rest.iter().map(|word| quoted(word)).collect();
    let rest = String::from_utf8_lossy(&rest.join(&b' ')).into_owned();
    let script = first.to_string_lossy();
    let whole = String::from_utf8_lossy(&quoted(first)).into_owned();
    Failure::new(
        format!(
            "`{script}` is a script that uses neither `$1` nor `$@`, and `{rest}` stands behind it"
        ),
        format!(
            "a command with arguments is `codepod run {script} {rest}`; a script with arguments is `codepod run -c {whole} {rest}`"
        ),
    )
}

/// Whether a word can be the name of a program: nothing in it means something to a shell.
fn is_plain(word: &OsStr) -> bool {
    let text = word.as_encoded_bytes();
    let is_special =
        |byte: &u8| byte.is_ascii_whitespace() || b"|&;<>()$`\\\"'*?[]#{}!\0".contains(byte);
    text == b"[" || !text.is_empty() && !text.iter().any(is_special)
}

/// Whether a script has something to do with arguments: `$1`, `${2:-x}`, `$@`, `$#`, `shift`.
fn uses_parameters(script: &[u8]) -> bool {
    let names = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'@' | b'*'))
    };
    let contains = |word: &[u8]| script.windows(word.len()).any(|part| part == word);
    let uses = |at: usize| match script.get(at + 1) {
        Some(b'#') => true,
        Some(b'{') => {
            let rest = script.get(at + 2..).unwrap_or_default();
            let rest = rest.strip_prefix(b"!").unwrap_or(rest);
            rest.starts_with(b"#}") || names(rest.strip_prefix(b"#").unwrap_or(rest).first())
        }
        byte => names(byte),
    };
    let dollars = script.iter().enumerate().filter(|(_, byte)| **byte == b'$');
    dollars.into_iter().any(|(at, _)| uses(at)) || contains(b"shift") || contains(b"getopts")
}

/// A word as bash reads it back.
fn quoted(word: &OsStr) -> Vec<u8> {
    let text = word.as_encoded_bytes();
    let is_safe = |byte: &u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(byte);
    if !text.is_empty() && text.iter().all(is_safe) {
        return text.to_vec();
    }
    let mut out = vec![b'\''];
    for byte in text {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            _ => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}

/// Reads a file, or what stands behind `<(…)`.
fn read(path: &OsStr) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() && !is_pipe(&metadata) {
        return Err(std::io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(LONGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(std::io::Error::other("it is longer than 16 MB"));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn is_pipe(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}

/// Whether it is no script, as bash decides: there is a NUL in its first line.
fn is_binary(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next();
    line.unwrap_or_default().contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[track_caller]
    fn means(given: &[&str], script: &str, parameters: &[&str]) {
        let expected = Asked::new(script, &words(parameters));
        match asked(&words(given)) {
            Ok(asked) => assert_eq!(asked, expected, "{given:?}"),
            Err(failure) => panic!("{given:?}: {failure}"),
        }
    }

    #[test]
    fn one_word_is_a_script_and_several_are_a_command() {
        means(&["echo hi; ls"], "echo hi; ls", &[]);
        means(&["ls"], "ls", &[]);
        means(&["echo", "hi", "there"], "echo hi there", &[]);
        means(&["ls", "-la"], "ls -la", &[]);
        means(
            &["python3", "-c", "print('a')"],
            r"python3 -c 'print('\''a'\'')'",
            &[],
        );
        means(&["echo", "", "$HOME", "*"], "echo '' '$HOME' '*'", &[]);
        means(&["[", "-f", "x", "]"], "'[' -f x ']'", &[]);
    }

    #[test]
    fn a_script_that_uses_its_parameters_has_them() {
        for script in [
            "echo $1",
            "echo ${2:-x}",
            "echo \"$@\"",
            "echo $*",
            "echo $#",
            "echo ${#}",
            "echo ${#1}",
            "echo ${!1}",
            "shift; ls",
        ] {
            means(&[script, "a b"], script, &["a b"]);
        }
    }

    #[test]
    fn what_could_be_both_is_refused_with_both_spellings() {
        for script in ["ls -la", "echo $HOME", "echo ${#x}", "a|b", ""] {
            let Err(failure) = asked(&words(&[script, "/tmp", "a b"])) else {
                panic!("{script}");
            };
            let spellings = [
                format!("`codepod run {script} /tmp 'a b'`"),
                format!("`codepod run -c '{script}' /tmp 'a b'`"),
            ];
            for spelling in spellings {
                assert!(failure.hint().contains(&spelling), "{}", failure.hint());
            }
        }
    }

    #[test]
    fn a_file_has_the_options_of_its_first_line_and_is_for_bash() {
        let file = |name: &str, script: &str| {
            let (name, script) = (name.into(), script.into());
            HostFile { name, script }.asked(&[])
        };
        let script = |name, text| String::from_utf8(file(name, text).unwrap().script).unwrap();
        assert_eq!(script("x", "echo\n"), "echo\n");
        assert_eq!(script("x", "#!/bin/sh\n"), "#!/bin/sh\n");
        assert_eq!(
            script("x", "#!/usr/bin/env -S bash -eu\nls\n"),
            "set -eu;#!/usr/bin/env -S bash -eu\nls\n"
        );
        for (name, text) in [
            ("x.py", "print()"),
            ("x", "#!/usr/bin/env python3\n"),
            ("x.sh", "#!/usr/bin/perl -w\n"),
            ("x.sh", "#!/bin/bash --posix\n"),
        ] {
            assert!(file(name, text).is_err(), "{name}");
        }
    }
}
