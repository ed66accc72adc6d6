//! awk's command line.

use codepod_tool::{
    Arguments, Found, Opt, Options, Usage, Value, complain, flag, long, optional, value,
};

/// Options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    File,
    Separator,
    Assign,
    Bytes,
    Source,
    Exec,
    Help,
    Version,
    /// What is always so: intervals, no optimising, numbers of the locale.
    Nothing,
    Sandbox,
    Refused(&'static str),
}

const TABLE: &[Opt<Key>] = &[
    value(Key::File, b'f', "file"),
    value(Key::Separator, b'F', "field-separator"),
    value(Key::Assign, b'v', "assign"),
    flag(Key::Bytes, b'b', "characters-as-bytes"),
    value(Key::Source, b'e', "source"),
    value(Key::Exec, b'E', "exec"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
    flag(Key::Nothing, b'r', "re-interval"),
    flag(Key::Nothing, b'O', "optimize"),
    flag(Key::Nothing, b's', "no-optimize"),
    flag(Key::Nothing, b'N', "use-lc-numeric"),
    flag(Key::Sandbox, b'S', "sandbox"),
    flag(Key::Refused("-c"), b'c', "traditional"),
    flag(Key::Refused("-C"), b'C', "copyright"),
    optional(Key::Refused("-d"), b'd', "dump-variables"),
    optional(Key::Refused("-D"), b'D', "debug"),
    flag(Key::Refused("-g"), b'g', "gen-pot"),
    value(Key::Refused("-i"), b'i', "include"),
    flag(Key::Refused("-I"), b'I', "trace"),
    value(Key::Refused("-l"), b'l', "load"),
    optional(Key::Refused("-L"), b'L', "lint"),
    flag(Key::Refused("-M"), b'M', "bignum"),
    flag(Key::Refused("-n"), b'n', "non-decimal-data"),
    optional(Key::Refused("-o"), b'o', "pretty-print"),
    optional(Key::Refused("-p"), b'p', "profile"),
    flag(Key::Refused("-P"), b'P', "posix"),
    flag(Key::Refused("-t"), b't', "lint-old"),
    long(Key::Version, "versions", Value::None),
];

/// What the command line asks for.
#[derive(Debug, Default)]
pub struct Settings {
    /// Texts of the program and the names they have in messages.
    pub sources: Vec<(String, Vec<u8>)>,
    /// Assignments before the program starts.
    pub assignments: Vec<Vec<u8>>,
    /// FS.
    pub separator: Option<Vec<u8>>,
    /// Characters are bytes.
    pub bytes: bool,
    /// What is left: files and assignments.
    pub operands: Arguments,
}

/// The usage as it is shown.
pub const USAGE: &str = "\
Usage: awk [POSIX or GNU style options] -f progfile [--] file ...
Usage: awk [POSIX or GNU style options] [--] 'program' file ...
	-f progfile		--file=progfile
	-F fs			--field-separator=fs
	-v var=val		--assign=var=val
	-b			--characters-as-bytes
	-e 'program-text'	--source='program-text'
	-E file			--exec=file
	-h			--help
	-N			--use-lc-numeric
	-O			--optimize
	-r			--re-interval
	-s			--no-optimize
	-V			--version
";

/// Reads the command line. Fails with the status to end with, after saying why.
pub fn read(name: &str, arguments: Arguments) -> Result<Settings, i32> {
    let mut settings = Settings::default();
    let mut options = Options::new(TABLE, arguments).in_order();
    let mut has_program = false;
    loop {
        let found = match options.next() {
            Ok(Some(found)) => found,
            Ok(None) => break,
            Err(usage) => return Err(mistake(name, &usage)),
        };
        let (key, value) = match found {
            Found::Option(key, value) => (key, value.unwrap_or_default()),
            Found::Operand(operand) => {
                if !has_program {
                    settings.sources.push(("cmd. line".to_owned(), operand));
                    has_program = true;
                } else {
                    settings.operands.push(operand);
                }
                settings.operands.extend(options.rest());
                break;
            }
        };
        match key {
            Key::File | Key::Exec => {
                let text = source(name, &value)?;
                settings
                    .sources
                    .push((String::from_utf8_lossy(&value).into_owned(), text));
                has_program = true;
                if key == Key::Exec {
                    settings.operands.extend(options.rest());
                    break;
                }
            }
            Key::Source => {
                settings.sources.push(("cmd. line".to_owned(), value));
                has_program = true;
            }
            Key::Separator => settings.separator = Some(value),
            Key::Assign => settings.assignments.push(value),
            Key::Bytes => settings.bytes = true,
            Key::Nothing => {}
            Key::Help => {
                codepod_tool::Output::new().put(USAGE.as_bytes());
                let mut out = codepod_tool::Output::new();
                out.put(USAGE.as_bytes());
                return Err(i32::from(out.finish().is_err()));
            }
            Key::Version => {
                let mut out = codepod_tool::Output::new();
                out.put(b"awk (codepod) 0.1.0, with the language of GNU Awk 5.2.1\n");
                return Err(i32::from(out.finish().is_err()));
            }
            Key::Sandbox => return Err(refused(name, "-S")),
            Key::Refused(option) => return Err(refused(name, option)),
        }
    }
    if !has_program {
        // Without a program there is nothing to do but to say how it is called.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), USAGE.as_bytes());
        return Err(1);
    }
    Ok(settings)
}

fn refused(name: &str, option: &str) -> i32 {
    complain(name, format!("fatal: option {option} is not supported"));
    2
}

fn mistake(name: &str, usage: &Usage) -> i32 {
    // gawk's own getopt does not quote the letter.
    let message = String::from_utf8_lossy(&usage.message).into_owned();
    let message = match message.strip_prefix("option requires an argument -- '") {
        Some(letter) => format!(
            "option requires an argument -- {}",
            letter.trim_end_matches('\'')
        ),
        None => message,
    };
    complain(name, message);
    let _ = std::io::Write::write_all(&mut std::io::stderr(), USAGE.as_bytes());
    1
}

/// The text of a program file.
fn source(name: &str, path: &[u8]) -> Result<Vec<u8>, i32> {
    use std::io::Read as _;
    let mut text = Vec::new();
    let result = match path {
        b"-" | b"/dev/stdin" => std::io::stdin().read_to_end(&mut text).map(|_| ()),
        path => std::fs::read(codepod_tool::path(path)).map(|found| text = found),
    };
    match result {
        Ok(()) => Ok(text),
        Err(error) => {
            let shown = String::from_utf8_lossy(path);
            let why = codepod_tool::io_text(&error);
            complain(
                name,
                format!("fatal: cannot open source file `{shown}' for reading: {why}"),
            );
            Err(2)
        }
    }
}
