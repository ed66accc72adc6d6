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
const WITH_VALUES: [(&str, usize); 9] = [
    ("--indent", 1),
    ("--from-file", 1),
    ("-f", 1),
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

const ROUNDTRIP: &str = "option -Y is not supported: tags and styles are not kept; -y works";

/// Reads the arguments. Fails with a message.
pub(crate) fn read(arguments: Arguments) -> Result<Asked, String> {
    let mut reader = Reader::new(arguments);
    while let Some(argument) = reader.rest.next() {
        let text = String::from_utf8_lossy(&argument).into_owned();
        let (name, attached) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (&text[..], None),
        };
        if let Some(why) = unsupported(name) {
            return Err(why);
        }
        match name {
            "-h" | "--help" => return Ok(Asked::Help),
            "--version" => return Ok(Asked::Version),
            "--args" | "--jsonargs" => return Ok(Asked::Run(reader.finish_with_jq(argument))),
            "--" => reader.operands.extend(reader.rest.by_ref()),
            _ if reader.own_option(name, attached)? => {}
            _ if name.starts_with('-') && name.len() > 1 => reader.jq_option(name, argument)?,
            _ => reader.operands.push(argument),
        }
    }
    reader.finish().map(Asked::Run)
}

/// The message about an option that is not here; none for all others.
fn unsupported(name: &str) -> Option<String> {
    match name {
        "-Y" | "--yaml-roundtrip" | "--yml-roundtrip" => Some(ROUNDTRIP.to_owned()),
        "-x" | "--xml-output" | "--xml-dtd" | "--xml-root" | "--xml-force-list" | "-t"
        | "--toml-output" => Some(format!(
            "option {name} is not supported: there is no XML and no TOML"
        )),
        "--no-expand-aliases" => Some(format!("option {name} is not supported")),
        "-o" | "-P" | "-p" | "--prettyPrint" | "--input-format" | "--inplace" | "--no-colors"
        | "--unwrapScalar" => Some(format!("option {name} {OTHER}")),
        _ => {
            let format = name.strip_prefix("-o")?;
            let is_word = format.len() > 2 && format.chars().all(char::is_alphabetic);
            (is_word || format.starts_with('=')).then(|| format!("option {name} {OTHER}"))
        }
    }
}

/// Sorts arguments by whose they are.
struct Reader {
    settings: Settings,
    /// The filter and the files.
    operands: Vec<Vec<u8>>,
    /// Options for jq, with their values. Clusters of letters are in the settings already.
    valued: Vec<Vec<u8>>,
    /// Whether the filter is in a file, so that no operand is it.
    from_file: bool,
    /// The arguments that are not read yet.
    rest: std::vec::IntoIter<Vec<u8>>,
}

impl Reader {
    fn new(arguments: Arguments) -> Reader {
        Reader {
            settings: Settings {
                expansion: 1024,
                ..Settings::default()
            },
            operands: Vec::new(),
            valued: Vec::new(),
            from_file: false,
            rest: arguments.into_iter(),
        }
    }

    /// Takes an option of yq's; false for one that is not. `attached` is the value after `=`.
    fn own_option(&mut self, name: &str, attached: Option<&str>) -> Result<bool, String> {
        let rest = &mut self.rest;
        let mut value = |what: &str| {
            let next = attached.map(str::to_owned).or_else(|| {
                rest.next()
                    .map(|next| String::from_utf8_lossy(&next).into_owned())
            });
            next.ok_or_else(|| format!("error: argument {what}: expected one argument"))
        };
        let settings = &mut self.settings;
        match name {
            "-y" | "--yaml-output" | "--yml-output" => settings.yaml = true,
            "--output-format" => match value("--output-format")?.as_str() {
                "json" => settings.yaml = false,
                "yaml" => settings.yaml = true,
                other => return Err(format!("option --output-format={other} is not supported")),
            },
            "-w" | "--width" => {
                settings.layout.width = Some(integer("--width/-w", &value("--width/-w")?)?);
            }
            "--yaml-output-grammar-version" | "--yml-out-ver" => match value(name)?.as_str() {
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
            "--max-expansion-factor" => settings.expansion = integer(name, &value(name)?)?,
            "-i" | "--in-place" => settings.in_place = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes an option of jq's with its values, or a cluster of letters.
    fn jq_option(&mut self, name: &str, argument: Vec<u8>) -> Result<(), String> {
        self.from_file |= matches!(name, "-f" | "--from-file");
        let known = WITH_VALUES.iter().find(|(known, _)| *known == name);
        if known.is_none() && !name.starts_with("--") {
            return cluster(&mut self.settings, &argument);
        }
        self.valued.push(argument);
        let count = known.map_or(0, |(_, count)| *count);
        self.valued.extend(self.rest.by_ref().take(count));
        Ok(())
    }

    /// The settings where `option` gives jq everything behind the filter.
    fn finish_with_jq(mut self, option: Vec<u8>) -> Settings {
        if self.operands.is_empty() {
            self.operands.extend(self.rest.next());
        }
        let mut operands = self.operands.into_iter();
        let filter = operands.next();
        self.valued.push(option);
        self.valued.extend(filter.clone());
        self.valued.extend(self.rest);
        self.settings.filter = filter;
        self.settings.files = operands.collect();
        self.settings.jq.extend(self.valued);
        self.settings
    }

    /// The settings when all arguments are read. Fails with a message.
    fn finish(self) -> Result<Settings, String> {
        let mut settings = self.settings;
        settings.jq.extend(self.valued);
        let mut operands = self.operands.into_iter();
        if self.from_file {
            settings.filter = Some(Vec::new());
        } else {
            settings.filter = operands.next();
            settings.jq.extend(settings.filter.clone());
        }
        settings.files = operands.collect();
        if let Some(filter @ (b"eval" | b"e" | b"eval-all" | b"ea")) = settings.filter.as_deref() {
            let shown = String::from_utf8_lossy(filter);
            return Err(format!("command '{shown}' {OTHER}"));
        }
        Ok(settings)
    }
}

/// A number that an option gives; `name` is what its message calls the option.
fn integer<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("error: argument {name}: invalid int value: '{text}'"))
}

/// A cluster of letters: jq's, with some of ours among them.
fn cluster(settings: &mut Settings, argument: &[u8]) -> Result<(), String> {
    let mut left = vec![b'-'];
    for &letter in &argument[1..] {
        match letter {
            b'y' => settings.yaml = true,
            b'i' => settings.in_place = true,
            b'Y' => return Err(ROUNDTRIP.to_owned()),
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
