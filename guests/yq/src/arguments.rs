//! Arguments: yq's own options, and those that are jq's.

use codepod_tool::Arguments;

use crate::dump::Layout;

/// What `--help` says.
pub(crate) const HELP: &str = "\
usage: yq [options] <jq filter> [input file...]

yq: Command-line YAML processor - jq wrapper for YAML documents

yq transcodes YAML documents to JSON and passes them to jq. This is the yq of
Debian, not the one by Mike Farah: filters are jq's, and output is JSON without -y.

options:
  -h, --help            show this help message and exit
  --yaml-output, --yml-output, -y
                        Transcode jq JSON output back into YAML and emit it
  --yaml-output-grammar-version {1.1,1.2}, --yml-out-ver {1.1,1.2}
                        With -y: 1.2 leaves strings like 'on' and 'no' unquoted
  --width WIDTH, -w WIDTH
                        With -y: where strings are wrapped
  --indentless-lists, --indentless
                        With -y: lists with 0 spaces instead of 2
  --explicit-start, --explicit-end
                        With -y: --- and ... around documents
  --in-place, -i        Edit files in place, with -y
  --version             show program's version number and exit

All other options are jq's: -c -r -n -s -e -S -R -j --arg --argjson --args and so on.
";

/// The options.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// Whether output becomes YAML again.
    pub(crate) yaml: bool,
    /// How that is laid out.
    pub(crate) layout: Layout,
    /// Whether files are changed.
    pub(crate) in_place: bool,
    /// `-n`.
    pub(crate) null_input: bool,
    /// How much longer than its text a document may become.
    pub(crate) expansion: usize,
    /// jq's filter.
    pub(crate) filter: Option<Vec<u8>>,
    /// What jq is called with, its filter among it.
    pub(crate) jq: Vec<Vec<u8>>,
    /// The files.
    pub(crate) files: Vec<Vec<u8>>,
}

/// What the arguments ask for.
#[derive(Debug)]
pub(crate) enum Asked {
    /// To run.
    Run(Settings),
    /// Help.
    Help,
    /// The version.
    Version,
}

/// Options of jq that have values, and how many.
const WITH_VALUES: [(&str, usize); 8] = [
    ("--indent", 1),
    ("--from-file", 1),
    ("-L", 1),
    ("--arg", 2),
    ("--argjson", 2),
    ("--slurpfile", 2),
    ("--argfile", 2),
    ("--rawfile", 2),
];

/// What a call looks like that is meant for the other program of this name.
const OTHER: &str = "is not supported: this is Debian's yq, which runs jq's filters on YAML, not Mike Farah's. \
                     `yq FILTER FILE` prints JSON, `yq -y FILTER FILE` prints YAML, `yq -yi FILTER FILE` changes the file";

/// Reads the arguments. Fails with a message.
pub(crate) fn read(arguments: Arguments) -> Result<Asked, String> {
    let mut settings = Settings {
        expansion: 1024,
        ..Settings::default()
    };
    let mut operands: Vec<Vec<u8>> = Vec::new();
    let mut valued: Vec<Vec<u8>> = Vec::new();
    let mut from_file = false;
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let text = String::from_utf8_lossy(&argument).into_owned();
        let (name, attached) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => {
                (name.to_owned(), Some(value.to_owned()))
            }
            _ => (text.clone(), None),
        };
        let mut value = |what: &str| {
            let next = attached.clone().or_else(|| {
                rest.next()
                    .map(|next| String::from_utf8_lossy(&next).into_owned())
            });
            next.ok_or_else(|| format!("error: argument {what}: expected one argument"))
        };
        match name.as_str() {
            "-h" | "--help" => return Ok(Asked::Help),
            "--version" => return Ok(Asked::Version),
            "-y" | "--yaml-output" | "--yml-output" => settings.yaml = true,
            "-Y" | "--yaml-roundtrip" | "--yml-roundtrip" => {
                return Err(
                    "option -Y is not supported: tags and styles are not kept; -y works".into(),
                );
            }
            "-x" | "--xml-output" | "--xml-dtd" | "--xml-root" | "--xml-force-list" | "-t"
            | "--toml-output" => {
                return Err(format!(
                    "option {name} is not supported: there is no XML and no TOML"
                ));
            }
            "--no-expand-aliases" => return Err(format!("option {name} is not supported")),
            "--output-format" => match value("--output-format")?.as_str() {
                "json" => settings.yaml = false,
                "yaml" => settings.yaml = true,
                other => return Err(format!("option --output-format={other} is not supported")),
            },
            "-w" | "--width" => {
                let width = value("--width/-w")?;
                settings.layout.width = Some(width.parse().map_err(|_| {
                    format!("error: argument --width/-w: invalid int value: '{width}'")
                })?);
            }
            "--yaml-output-grammar-version" | "--yml-out-ver" => match value(&name)?.as_str() {
                "1.1" => settings.layout.new_grammar = false,
                "1.2" => settings.layout.new_grammar = true,
                other => {
                    return Err(format!(
                        "error: argument {name}: invalid choice: '{other}' (choose from '1.1', '1.2')"
                    ));
                }
            },
            "--indentless" | "--indentless-lists" => settings.layout.indentless = true,
            "--explicit-start" => settings.layout.explicit_start = true,
            "--explicit-end" => settings.layout.explicit_end = true,
            "--max-expansion-factor" => {
                let factor = value("--max-expansion-factor")?;
                settings.expansion = factor.parse().map_err(|_| {
                    format!("error: argument --max-expansion-factor: invalid int value: '{factor}'")
                })?;
            }
            "-i" | "--in-place" => settings.in_place = true,
            "--args" | "--jsonargs" => {
                // Everything behind the filter is jq's.
                let mut others: Vec<Vec<u8>> = rest.by_ref().collect();
                let filter = if operands.is_empty() && !others.is_empty() {
                    Some(others.remove(0))
                } else {
                    None
                };
                valued.push(argument);
                if let Some(filter) = filter {
                    operands.push(filter.clone());
                    valued.push(filter);
                } else if let Some(filter) = operands.first() {
                    valued.push(filter.clone());
                }
                valued.extend(others);
                settings.filter = operands.first().cloned();
                settings.files = operands.split_off(operands.len().min(1));
                settings.jq.extend(valued);
                return Ok(Asked::Run(settings));
            }
            "-f" => {
                from_file = true;
                valued.push(argument);
                valued.extend(rest.next());
            }
            "-o" | "-P" | "-p" | "--prettyPrint" | "--input-format" | "--inplace"
            | "--no-colors" | "--unwrapScalar" => {
                return Err(format!("option {name} {OTHER}"));
            }
            _ if name.starts_with("-o=")
                || name.starts_with("-o")
                    && name.len() > 2
                    && name[2..].chars().all(char::is_alphabetic)
                    && name.len() > 4 =>
            {
                return Err(format!("option {name} {OTHER}"));
            }
            _ if name.starts_with("--") && name.len() > 2 => {
                from_file |= name == "--from-file";
                valued.push(argument);
                if let Some((_, count)) = WITH_VALUES.iter().find(|(known, _)| *known == name) {
                    valued.extend(rest.by_ref().take(*count));
                }
            }
            "-L" => {
                valued.push(argument);
                valued.extend(rest.next());
            }
            _ if name.starts_with('-') && name.len() > 1 && name != "--" => {
                cluster(&mut settings, &argument)?
            }
            "--" => operands.extend(rest.by_ref()),
            _ => operands.push(argument),
        }
    }
    settings.jq.extend(valued);
    let mut operands = operands.into_iter();
    if !from_file {
        settings.filter = operands.next();
        settings.jq.extend(settings.filter.clone());
    } else {
        settings.filter = Some(Vec::new());
    }
    settings.files = operands.collect();
    if let Some(filter @ (b"eval" | b"e" | b"eval-all" | b"ea")) = settings.filter.as_deref() {
        let shown = String::from_utf8_lossy(filter);
        return Err(format!("command '{shown}' {OTHER}"));
    }
    Ok(Asked::Run(settings))
}

/// A cluster of letters: jq's, with some of ours among them.
fn cluster(settings: &mut Settings, argument: &[u8]) -> Result<(), String> {
    let mut left = vec![b'-'];
    for &letter in &argument[1..] {
        match letter {
            b'y' => settings.yaml = true,
            b'i' => settings.in_place = true,
            b'Y' => {
                return Err(
                    "option -Y is not supported: tags and styles are not kept; -y works".into(),
                );
            }
            b'x' | b't' => {
                return Err(
                    "options -x and -t are not supported: there is no XML and no TOML".into(),
                );
            }
            b'n' => {
                settings.null_input = true;
                left.push(letter);
            }
            _ => left.push(letter),
        }
    }
    if left.len() > 1 {
        settings.jq.push(left);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(arguments: &[&str]) -> Settings {
        let arguments = arguments
            .iter()
            .map(|argument| argument.as_bytes().to_vec())
            .collect();
        match read(arguments).unwrap() {
            Asked::Run(settings) => settings,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_of_both_are_told_apart() {
        let found = settings(&["-ryi", "--arg", "a", "b", ".x", "f.yml", "-w", "40"]);
        assert!(found.yaml && found.in_place);
        assert_eq!(found.layout.width, Some(40));
        let jq: Vec<&[u8]> = found.jq.iter().map(Vec::as_slice).collect();
        assert_eq!(jq, [&b"-r"[..], b"--arg", b"a", b"b", b".x"]);
        assert_eq!(found.files, [b"f.yml".to_vec()]);
    }

    #[test]
    fn calls_of_the_other_program_are_refused() {
        for call in [
            &["eval", ".a", "f"][..],
            &["-o=json", "."],
            &["-P", "."],
            &["e", "."],
        ] {
            let arguments = call
                .iter()
                .map(|argument| argument.as_bytes().to_vec())
                .collect();
            assert!(read(arguments).unwrap_err().contains("Mike Farah"));
        }
    }
}
