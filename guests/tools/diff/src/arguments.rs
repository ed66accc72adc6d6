//! The command line of diff.

use codepod_posix_regex::{Config, Regex, Syntax};
use codepod_tool::{
    Arguments, Found, Opt, Options, Value, complain, flag, io_text, long, optional, path, value,
};

use crate::lines::Ignoring;

/// How differences are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Style {
    Normal,
    Unified(usize),
    Context(usize),
    Ed,
    ForwardEd,
    Rcs,
    IfDef(Vec<u8>),
    SideBySide,
}

/// Everything that was asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) files: Vec<Vec<u8>>,
    pub(crate) style: Style,
    pub(crate) ignoring: Ignoring,
    pub(crate) blank_lines: bool,
    pub(crate) matching: Option<Regex>,
    pub(crate) brief: bool,
    pub(crate) report_identical: bool,
    pub(crate) recursive: bool,
    pub(crate) new_file: bool,
    pub(crate) unidirectional: bool,
    pub(crate) text: bool,
    pub(crate) minimal: bool,
    pub(crate) labels: Vec<Vec<u8>>,
    pub(crate) function: Option<Regex>,
    pub(crate) excluded: Vec<Vec<u8>>,
    pub(crate) start: Option<Vec<u8>>,
    pub(crate) color: bool,
    pub(crate) width: usize,
    pub(crate) left_column: bool,
    pub(crate) suppress_common: bool,
    pub(crate) expand_tabs: bool,
    pub(crate) initial_tab: bool,
    pub(crate) tab_size: usize,
    pub(crate) suppress_blank_empty: bool,
    pub(crate) no_dereference: bool,
    pub(crate) horizon: usize,
    /// The options as they were given, for the line before each pair of files in directories.
    pub(crate) switches: Vec<u8>,
}

type Key = u16;
const FROM_FILE: Key = 300;
const TO_FILE: Key = 301;
const COLOR: Key = 302;
const HELP: Key = 303;
const HORIZON: Key = 304;
const LEFT_COLUMN: Key = 305;
const NO_DEREFERENCE: Key = 306;
const NORMAL: Key = 307;
const PALETTE: Key = 308;
const STRIP_CR: Key = 309;
const SUPPRESS_BLANK: Key = 310;
const SUPPRESS_COMMON: Key = 311;
const TAB_SIZE: Key = 312;
const FORMAT: Key = 313;
const IGNORE_NAME_CASE: Key = 314;
const SPEED: Key = 315;

const fn short(letter: u8, name: &'static str) -> Opt<Key> {
    flag(letter as Key, letter, name)
}

const fn with(letter: u8, name: &'static str) -> Opt<Key> {
    value(letter as Key, letter, name)
}

const TABLE: &[Opt<Key>] = &[
    short(b'0', ""),
    short(b'1', ""),
    short(b'2', ""),
    short(b'3', ""),
    short(b'4', ""),
    short(b'5', ""),
    short(b'6', ""),
    short(b'7', ""),
    short(b'8', ""),
    short(b'9', ""),
    short(b'a', "text"),
    short(b'b', "ignore-space-change"),
    short(b'B', "ignore-blank-lines"),
    short(b'c', ""),
    value(b'C' as Key, b'C', ""),
    optional(b'C' as Key, 2, "context"),
    short(b'd', "minimal"),
    with(b'D', "ifdef"),
    short(b'e', "ed"),
    short(b'E', "ignore-tab-expansion"),
    short(b'f', "forward-ed"),
    with(b'F', "show-function-line"),
    short(b'H', "speed-large-files"),
    short(b'i', "ignore-case"),
    with(b'I', "ignore-matching-lines"),
    short(b'l', "paginate"),
    with(b'L', "label"),
    short(b'n', "rcs"),
    short(b'N', "new-file"),
    short(b'p', "show-c-function"),
    short(b'P', "unidirectional-new-file"),
    short(b'q', "brief"),
    short(b'r', "recursive"),
    short(b's', "report-identical-files"),
    with(b'S', "starting-file"),
    short(b't', "expand-tabs"),
    short(b'T', "initial-tab"),
    short(b'u', ""),
    value(b'U' as Key, b'U', ""),
    optional(b'U' as Key, 3, "unified"),
    short(b'v', "version"),
    short(b'w', "ignore-all-space"),
    with(b'W', "width"),
    with(b'x', "exclude"),
    with(b'X', "exclude-from"),
    short(b'y', "side-by-side"),
    short(b'Z', "ignore-trailing-space"),
    // Two names of one option share a letter that nobody types.
    optional(COLOR, 1, "color"),
    optional(COLOR, 1, "colour"),
    long(FROM_FILE, "from-file", Value::Required),
    long(TO_FILE, "to-file", Value::Required),
    long(HELP, "help", Value::None),
    long(HORIZON, "horizon-lines", Value::Required),
    long(LEFT_COLUMN, "left-column", Value::None),
    long(NO_DEREFERENCE, "no-dereference", Value::None),
    long(NORMAL, "normal", Value::None),
    long(PALETTE, "palette", Value::Required),
    long(STRIP_CR, "strip-trailing-cr", Value::None),
    long(SUPPRESS_BLANK, "suppress-blank-empty", Value::None),
    long(SUPPRESS_COMMON, "suppress-common-lines", Value::None),
    long(TAB_SIZE, "tabsize", Value::Required),
    long(FORMAT, "line-format", Value::Required),
    long(FORMAT, "old-line-format", Value::Required),
    long(FORMAT, "new-line-format", Value::Required),
    long(FORMAT, "unchanged-line-format", Value::Required),
    long(FORMAT, "old-group-format", Value::Required),
    long(FORMAT, "new-group-format", Value::Required),
    long(FORMAT, "unchanged-group-format", Value::Required),
    long(FORMAT, "changed-group-format", Value::Required),
    long(IGNORE_NAME_CASE, "ignore-file-name-case", Value::None),
    long(SPEED, "no-ignore-file-name-case", Value::None),
];

/// Why nothing is compared: the status, with everything said.
pub(crate) type Ended = i32;

/// Says what is wrong and how to find out more.
pub(crate) fn usage(tool: &str, message: impl AsRef<[u8]>) -> Ended {
    complain(tool, message);
    complain(tool, format!("Try '{tool} --help' for more information."));
    2
}

/// Reads the command line.
pub(crate) fn parse(arguments: Arguments) -> Result<Asked, Ended> {
    let switches = switches(&arguments);
    let mut asked = Asked {
        files: Vec::new(),
        style: Style::Normal,
        ignoring: Ignoring {
            tab_size: 8,
            ..Ignoring::default()
        },
        blank_lines: false,
        matching: None,
        brief: false,
        report_identical: false,
        recursive: false,
        new_file: false,
        unidirectional: false,
        text: false,
        minimal: false,
        labels: Vec::new(),
        function: None,
        excluded: Vec::new(),
        start: None,
        color: false,
        width: 130,
        left_column: false,
        suppress_common: false,
        expand_tabs: false,
        initial_tab: false,
        tab_size: 8,
        suppress_blank_empty: false,
        no_dereference: false,
        horizon: 0,
        switches,
    };
    let mut reader = Reader {
        asked: &mut asked,
        style: None,
        context: None,
        digits: String::new(),
        matching: Vec::new(),
        functions: Vec::new(),
        c_functions: false,
        from: None,
        to: None,
    };
    let mut options = Options::new(TABLE, arguments);
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Err(mistake) => return Err(usage("diff", &mistake.message)),
            Ok(None) => break,
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => {
                let first = options.starts_cluster();
                reader.option(key, value, first)?;
            }
        }
    }
    reader.finish(operands)?;
    Ok(asked)
}

/// The options as one text, each after a blank.
fn switches(arguments: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut takes_value = false;
    let mut ended = false;
    for argument in arguments {
        let is_option = !ended && argument.len() > 1 && argument[0] == b'-';
        if !is_option && !takes_value {
            continue;
        }
        if argument == b"--" && !takes_value {
            ended = true;
            continue;
        }
        out.push(b' ');
        out.extend_from_slice(&codepod_tool::Style::Shell.quote(argument));
        takes_value = is_option && !takes_value && needs_value(argument);
    }
    out
}

/// Whether an option's value is the next argument.
fn needs_value(argument: &[u8]) -> bool {
    if let Some(word) = argument.strip_prefix(b"--") {
        let entry = TABLE
            .iter()
            .find(|option| !word.is_empty() && option.long.as_bytes().starts_with(word));
        return entry.is_some_and(|option| option.value == Value::Required);
    }
    for (at, letter) in argument.iter().enumerate().skip(1) {
        if let Some(option) = TABLE.iter().find(|option| option.short == *letter)
            && option.value == Value::Required
        {
            return at + 1 == argument.len();
        }
    }
    false
}

struct Reader<'a> {
    asked: &'a mut Asked,
    style: Option<Style>,
    context: Option<usize>,
    digits: String,
    matching: Vec<Vec<u8>>,
    functions: Vec<Vec<u8>>,
    c_functions: bool,
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
}

impl Reader<'_> {
    fn option(&mut self, key: Key, given: Option<Vec<u8>>, first: bool) -> Result<(), Ended> {
        let letter = u8::try_from(key).unwrap_or(0);
        if letter.is_ascii_digit() {
            if first {
                self.digits.clear();
            }
            self.digits.push(char::from(letter));
            self.context = Some(self.digits.parse().unwrap_or(usize::MAX >> 2));
            return Ok(());
        }
        let text = given.clone().unwrap_or_default();
        match letter {
            b'a' => self.asked.text = true,
            b'b' => self.asked.ignoring.space_amount = true,
            b'B' => self.asked.blank_lines = true,
            b'c' => self.style(Style::Context(3))?,
            b'C' | b'U' => {
                let lines = match &given {
                    Some(text) => number(text, "context length")?,
                    None => 3,
                };
                if given.is_some() {
                    self.context = Some(self.context.unwrap_or(0).max(lines));
                }
                self.style(if letter == b'C' {
                    Style::Context(3)
                } else {
                    Style::Unified(3)
                })?;
            }
            b'd' => self.asked.minimal = true,
            b'D' => self.style(Style::IfDef(text))?,
            b'e' => self.style(Style::Ed)?,
            b'E' => self.asked.ignoring.tab_expansion = true,
            b'f' => self.style(Style::ForwardEd)?,
            b'F' => self.functions.push(text),
            b'H' => {}
            b'i' => self.asked.ignoring.case = true,
            b'I' => self.matching.push(text),
            b'l' => return Err(usage("diff", "-l is not supported")),
            b'L' => self.asked.labels.push(text),
            b'n' => self.style(Style::Rcs)?,
            b'N' => self.asked.new_file = true,
            b'p' => self.c_functions = true,
            b'P' => self.asked.unidirectional = true,
            b'q' => self.asked.brief = true,
            b'r' => self.asked.recursive = true,
            b's' => self.asked.report_identical = true,
            b'S' => self.asked.start = Some(text),
            b't' => self.asked.expand_tabs = true,
            b'T' => self.asked.initial_tab = true,
            b'u' => self.style(Style::Unified(3))?,
            b'v' => return Err(print("diff (codepod), as GNU diffutils 3.8\n")),
            b'w' => self.asked.ignoring.space = true,
            b'W' => self.asked.width = number(&text, "width")?,
            b'x' => self.asked.excluded.push(text),
            b'X' => self.exclude_from(&text)?,
            b'y' => self.style(Style::SideBySide)?,
            b'Z' => self.asked.ignoring.trailing_space = true,
            _ => self.word(key, text)?,
        }
        Ok(())
    }

    fn word(&mut self, key: Key, text: Vec<u8>) -> Result<(), Ended> {
        match key {
            FROM_FILE => self.from = Some(text),
            TO_FILE => self.to = Some(text),
            COLOR => {
                self.asked.color = match &text[..] {
                    b"" | b"auto" => std::io::IsTerminal::is_terminal(&std::io::stdout()),
                    b"always" => true,
                    b"never" => false,
                    _ => {
                        let text = String::from_utf8_lossy(&text);
                        return Err(usage("diff", format!("invalid color '{text}'")));
                    }
                }
            }
            HORIZON => self.asked.horizon = number(&text, "horizon length")?,
            LEFT_COLUMN => self.asked.left_column = true,
            NO_DEREFERENCE => self.asked.no_dereference = true,
            NORMAL => self.style(Style::Normal)?,
            STRIP_CR => self.asked.ignoring.trailing_cr = true,
            SUPPRESS_BLANK => self.asked.suppress_blank_empty = true,
            SUPPRESS_COMMON => self.asked.suppress_common = true,
            TAB_SIZE => {
                self.asked.tab_size = number(&text, "tabsize")?.max(1);
                self.asked.ignoring.tab_size = self.asked.tab_size;
            }
            PALETTE | FORMAT | IGNORE_NAME_CASE => {
                return Err(usage(
                    "diff",
                    "formats of lines and groups, palettes and names without case are not supported",
                ));
            }
            SPEED => {}
            _ => return Err(print(include_str!("help.txt"))),
        }
        Ok(())
    }

    fn style(&mut self, style: Style) -> Result<(), Ended> {
        if self.style.as_ref().is_some_and(|known| *known != style) {
            return Err(usage("diff", "conflicting output style options"));
        }
        self.style = Some(style);
        Ok(())
    }

    fn exclude_from(&mut self, name: &[u8]) -> Result<(), Ended> {
        match std::fs::read(path(name)) {
            Ok(text) => {
                let lines = text
                    .split(|byte| *byte == b'\n')
                    .filter(|line| !line.is_empty());
                self.asked.excluded.extend(lines.map(<[u8]>::to_vec));
                Ok(())
            }
            Err(error) => {
                complain("diff", [name, b": ", io_text(&error).as_bytes()].concat());
                Err(2)
            }
        }
    }

    fn finish(self, operands: Vec<Vec<u8>>) -> Result<(), Ended> {
        let mut style = self.style;
        if self.c_functions {
            self.asked.function = Some(regex(&[b"^[[:alpha:]$_]".to_vec()])?);
            style.get_or_insert(Style::Context(3));
        }
        if !self.functions.is_empty() {
            self.asked.function = Some(regex(&self.functions)?);
        }
        if !self.matching.is_empty() {
            self.asked.matching = Some(regex(&self.matching)?);
        }
        let mut style = style.unwrap_or(Style::Normal);
        match &mut style {
            Style::Unified(context) | Style::Context(context) => {
                *context = self.context.unwrap_or(3);
                self.asked.horizon = self.asked.horizon.max(*context);
            }
            _ => {}
        }
        self.asked.style = style;
        self.asked.files = match (self.from, self.to) {
            (Some(from), None) if operands.len() == 1 => vec![from, operands[0].clone()],
            (None, Some(to)) if operands.len() == 1 => vec![operands[0].clone(), to],
            (Some(_), _) | (_, Some(_)) => {
                return Err(usage(
                    "diff",
                    "--from-file and --to-file are supported with one operand",
                ));
            }
            (None, None) => operands,
        };
        match &self.asked.files[..] {
            [_, _] => Ok(()),
            [] => Err(usage("diff", "missing operand after 'diff'")),
            [one] => Err(usage(
                "diff",
                [b"missing operand after '", &one[..], b"'"].concat(),
            )),
            [_, _, extra, ..] => Err(usage(
                "diff",
                [b"extra operand '", &extra[..], b"'"].concat(),
            )),
        }
    }
}

fn regex(patterns: &[Vec<u8>]) -> Result<Regex, Ended> {
    let patterns: Vec<&[u8]> = patterns.iter().map(Vec::as_slice).collect();
    Regex::any(&patterns, &Config::new(Syntax::GREP)).map_err(|error| {
        let config = Config::new(Syntax::GREP);
        let wrong = patterns
            .iter()
            .find(|pattern| Regex::new(pattern, &config).is_err());
        let pattern = wrong.copied().unwrap_or_default();
        complain(
            "diff",
            [pattern, b": ", error.message().as_bytes()].concat(),
        );
        2
    })
}

fn number(text: &[u8], what: &str) -> Result<usize, Ended> {
    match std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
    {
        Some(number) => Ok(number),
        None => {
            let text = String::from_utf8_lossy(text);
            Err(usage("diff", format!("invalid {what} '{text}'")))
        }
    }
}

fn print(text: &str) -> Ended {
    // The status says enough where nothing can be written.
    i32::from(std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).is_err()) * 2
}
