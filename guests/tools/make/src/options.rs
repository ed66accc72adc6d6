//! make's command line.

use codepod_tool::{Arguments, Found, Opt, Options, Value, complain, flag, long, optional, value};

use crate::text::decode;

/// What the command line asks for.
#[derive(Debug, Default, Clone)]
pub struct Settings {
    /// `-f`
    pub files: Vec<Vec<u8>>,
    /// `-C`
    pub directory: Option<Vec<u8>>,
    /// `-n`
    pub dry_run: bool,
    /// `-s`
    pub silent: bool,
    /// `-k`
    pub keep_going: bool,
    /// `-B`
    pub always: bool,
    /// `-i`
    pub ignore_errors: bool,
    /// `-q`
    pub question: bool,
    /// `-t`
    pub touch: bool,
    /// `-W`
    pub new_files: Vec<String>,
    /// `--no-print-directory`
    pub no_print_directory: bool,
    /// `NAME=value`: name, whether it is expanded when used, value.
    pub assignments: Vec<(String, bool, String)>,
    /// What to make.
    pub goals: Vec<Vec<u8>>,
}

impl Settings {
    /// The letters for `MAKEFLAGS`.
    pub fn flags(&self) -> String {
        let letters = [
            (self.always, 'B'),
            (self.ignore_errors, 'i'),
            (self.keep_going, 'k'),
            (self.dry_run, 'n'),
            (self.question, 'q'),
            (self.silent, 's'),
            (self.touch, 't'),
        ];
        letters
            .iter()
            .filter(|(set, _)| *set)
            .map(|(_, letter)| *letter)
            .collect()
    }
}

#[derive(Debug, Clone, Copy)]
enum Key {
    File,
    Directory,
    DryRun,
    Silent,
    KeepGoing,
    StopGoing,
    Always,
    Ignore,
    Question,
    Touch,
    NewFile,
    NoPrint,
    Print,
    /// What changes nothing here: jobs, built-in rules.
    Nothing,
    Help,
    Version,
    Refused,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::File, b'f', "file"),
    value(Key::File, 0, "makefile"),
    value(Key::Directory, b'C', "directory"),
    flag(Key::DryRun, b'n', "just-print"),
    flag(Key::DryRun, 0, "dry-run"),
    flag(Key::DryRun, 0, "recon"),
    flag(Key::Silent, b's', "silent"),
    flag(Key::Silent, 0, "quiet"),
    flag(Key::KeepGoing, b'k', "keep-going"),
    flag(Key::StopGoing, b'S', "no-keep-going"),
    flag(Key::Always, b'B', "always-make"),
    flag(Key::Ignore, b'i', "ignore-errors"),
    flag(Key::Question, b'q', "question"),
    flag(Key::Touch, b't', "touch"),
    value(Key::NewFile, b'W', "what-if"),
    value(Key::NewFile, 0, "new-file"),
    value(Key::NewFile, 0, "assume-new"),
    long(Key::NoPrint, "no-print-directory", Value::None),
    flag(Key::Print, b'w', "print-directory"),
    optional(Key::Nothing, b'j', "jobs"),
    optional(Key::Nothing, b'O', "output-sync"),
    flag(Key::Nothing, b'r', "no-builtin-rules"),
    flag(Key::Nothing, b'R', "no-builtin-variables"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'v', "version"),
    flag(Key::Refused, b'p', "print-data-base"),
    flag(Key::Refused, b'd', ""),
    optional(Key::Refused, 0, "debug"),
    flag(Key::Refused, b'e', "environment-overrides"),
    value(Key::Refused, b'I', "include-dir"),
    value(Key::Refused, b'o', "old-file"),
    optional(Key::Refused, b'l', "load-average"),
    flag(Key::Refused, b'L', "check-symlink-times"),
    value(Key::Refused, b'E', "eval"),
    long(Key::Refused, "trace", Value::None),
    long(Key::Refused, "warn-undefined-variables", Value::None),
];

const HELP: &str = "\
Usage: make [options] [target] ...
  -B, --always-make           Unconditionally make all targets.
  -C DIRECTORY                Change to DIRECTORY before doing anything.
  -f FILE                     Read FILE as a makefile.
  -i, --ignore-errors         Ignore errors from recipes.
  -j [N], --jobs[=N]          Taken; recipes run one after the other.
  -k, --keep-going            Keep going when some targets can't be made.
  -n, --just-print            Don't actually run any recipe; just print them.
  -q, --question              Run no recipe; exit status says if up to date.
  -s, --silent                Don't echo recipes.
  -t, --touch                 Touch targets instead of remaking them.
  -W FILE, --what-if=FILE     Consider FILE to be infinitely new.
  --no-print-directory        Don't print the current directory.
  -v, --version               Print the version number of make and exit.
";

/// Reads the command line and `MAKEFLAGS`. Fails with the status to end with, after saying why.
pub fn read(name: &str, arguments: Arguments) -> Result<Settings, i32> {
    let mut settings = Settings::default();
    if let Ok(flags) = std::env::var("MAKEFLAGS") {
        let word = flags.split_ascii_whitespace().next().unwrap_or("");
        if !word.contains('=') && !word.starts_with("--") {
            for letter in word.chars() {
                match letter {
                    'B' => settings.always = true,
                    'i' => settings.ignore_errors = true,
                    'k' => settings.keep_going = true,
                    'n' => settings.dry_run = true,
                    'q' => settings.question = true,
                    's' => settings.silent = true,
                    't' => settings.touch = true,
                    _ => {}
                }
            }
        }
    }
    let mut options = Options::new(TABLE, arguments);
    loop {
        let (key, value) = match options.next() {
            Ok(Some(Found::Option(key, value))) => (key, value.unwrap_or_default()),
            Ok(Some(Found::Operand(operand))) => {
                let text = decode(&operand);
                match text.split_once('=') {
                    Some((left, value)) => {
                        let simple = left.ends_with(':');
                        let left = left.trim_end_matches(':').trim_ascii().to_owned();
                        settings.assignments.push((
                            left,
                            !simple,
                            value.trim_ascii_start().to_owned(),
                        ));
                    }
                    None => settings.goals.push(operand),
                }
                continue;
            }
            Ok(None) => break,
            Err(usage) => {
                complain(name, &usage.message);
                let _ = std::io::Write::write_all(&mut std::io::stderr(), HELP.as_bytes());
                return Err(2);
            }
        };
        match key {
            Key::File => settings.files.push(value),
            Key::Directory => {
                settings.directory = Some(match settings.directory.take() {
                    Some(first) if !value.starts_with(b"/") => [&first[..], b"/", &value].concat(),
                    _ => value,
                });
            }
            Key::DryRun => settings.dry_run = true,
            Key::Silent => settings.silent = true,
            Key::KeepGoing => settings.keep_going = true,
            Key::StopGoing => settings.keep_going = false,
            Key::Always => settings.always = true,
            Key::Ignore => settings.ignore_errors = true,
            Key::Question => settings.question = true,
            Key::Touch => settings.touch = true,
            Key::NewFile => settings.new_files.push(decode(&value)),
            Key::NoPrint => settings.no_print_directory = true,
            Key::Print => {
                // The directory that it is in already is announced as one that is entered.
                settings.directory.get_or_insert_with(|| b".".to_vec());
            }
            Key::Nothing => {}
            Key::Help | Key::Version => {
                let text = if matches!(key, Key::Help) {
                    HELP
                } else {
                    "make (codepod) 0.1.0, with the language of GNU Make 4.3\n"
                };
                let mut out = codepod_tool::Output::new();
                out.put(text.as_bytes());
                return Err(i32::from(out.finish().is_err()));
            }
            Key::Refused => {
                complain(name, "*** this option is not supported.  Stop.");
                return Err(2);
            }
        }
    }
    Ok(settings)
}
