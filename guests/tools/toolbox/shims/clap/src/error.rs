//! What is printed instead of doing anything: mistakes in the arguments, help, the version.

use std::fmt;
use std::io::{self, Write as _};

use crate::arg::StyledStr;
use crate::command::Command;

/// What went wrong, as uucore and the tools ask for it.
///
/// uucore prints the errors of most kinds in its own words and layout. Those of
/// [`ErrorKind::TooManyValues`], [`ErrorKind::TooFewValues`] and [`ErrorKind::WrongNumberOfValues`]
/// it prints as they are, so the mistakes that this crate finds all have one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are clap's and say it")]
pub enum ErrorKind {
    InvalidValue,
    UnknownArgument,
    InvalidSubcommand,
    NoEquals,
    ValueValidation,
    TooManyValues,
    TooFewValues,
    WrongNumberOfValues,
    ArgumentConflict,
    MissingRequiredArgument,
    MissingSubcommand,
    InvalidUtf8,
    DisplayHelp,
    DisplayHelpOnMissingArgumentOrSubcommand,
    DisplayVersion,
    Io,
    Format,
}

/// Which fact about an error is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are clap's and say it")]
pub enum ContextKind {
    InvalidArg,
    PriorArg,
    ValidValue,
    InvalidValue,
    SuggestedArg,
    SuggestedValue,
    Suggested,
    Usage,
    Custom,
}

/// A fact about an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are clap's and say it")]
pub enum ContextValue {
    None,
    Bool(bool),
    String(String),
    Strings(Vec<String>),
    StyledStr(StyledStr),
    StyledStrs(Vec<StyledStr>),
    Number(isize),
}

impl fmt::Display for ContextValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContextValue::None => Ok(()),
            ContextValue::Bool(value) => write!(f, "{value}"),
            ContextValue::String(text) => f.write_str(text),
            ContextValue::Strings(texts) => f.write_str(&texts.join(", ")),
            ContextValue::StyledStr(text) => write!(f, "{text}"),
            ContextValue::StyledStrs(texts) => {
                texts.iter().try_for_each(|text| write!(f, "{text}"))
            }
            ContextValue::Number(number) => write!(f, "{number}"),
        }
    }
}

/// A mistake in the arguments, or the text that was asked for.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    /// What is printed, newline included.
    text: String,
    context: Vec<(ContextKind, ContextValue)>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error that says nothing yet.
    pub fn new(kind: ErrorKind) -> Error {
        Error(Box::new(Inner {
            kind,
            text: String::new(),
            context: Vec::new(),
            source: None,
        }))
    }

    /// An error with its text.
    pub fn raw(kind: ErrorKind, message: impl fmt::Display) -> Error {
        Error::new(kind).with_text(format!("{message}\n"))
    }

    /// Accepted: the parser adds what an error needs of the command.
    pub fn with_cmd(self, _command: &Command) -> Error {
        self
    }

    /// A mistake as GNU tells it: the message, and where to read more.
    pub(crate) fn usage(kind: ErrorKind, program: &str, message: &str) -> Error {
        Error::new(kind).with_text(format!(
            "{program}: {message}\nTry '{program} --help' for more information.\n"
        ))
    }

    pub(crate) fn with_text(mut self, text: String) -> Error {
        self.0.text = text;
        self
    }

    pub(crate) fn with_source(mut self, source: Box<dyn std::error::Error + Send + Sync>) -> Error {
        self.0.source = Some(source);
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Adds a fact, and returns the one it had of that kind.
    pub fn insert(&mut self, kind: ContextKind, value: ContextValue) -> Option<ContextValue> {
        let old = self.0.context.iter().position(|(known, _)| *known == kind);
        let old = old.map(|at| self.0.context.swap_remove(at).1);
        self.0.context.push((kind, value));
        old
    }

    /// A fact.
    pub fn get(&self, kind: ContextKind) -> Option<&ContextValue> {
        self.context()
            .find(|(known, _)| *known == kind)
            .map(|(_, value)| value)
    }

    /// Every fact.
    pub fn context(&self) -> impl Iterator<Item = (ContextKind, &ContextValue)> {
        self.0.context.iter().map(|(kind, value)| (*kind, value))
    }

    /// What is printed.
    pub fn render(&self) -> StyledStr {
        self.0.text.clone().into()
    }

    /// Whether it goes to stderr.
    pub fn use_stderr(&self) -> bool {
        !matches!(
            self.kind(),
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
        )
    }

    /// The status a program ends with.
    pub fn exit_code(&self) -> i32 {
        if self.use_stderr() { 1 } else { 0 }
    }

    /// Prints it where it belongs.
    pub fn print(&self) -> io::Result<()> {
        if self.use_stderr() {
            return io::stderr().write_all(self.0.text.as_bytes());
        }
        let mut out = io::stdout().lock();
        out.write_all(self.0.text.as_bytes())?;
        out.flush()
    }

    /// Prints it and ends the program.
    pub fn exit(&self) -> ! {
        // Where even that cannot be printed there is nobody to tell.
        let _ = self.print();
        std::process::exit(self.exit_code())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.source {
            Some(source) => Some(&**source),
            None => None,
        }
    }
}
