//! A tool's description: its arguments and its texts.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write as _};

use crate::arg::{Arg, ArgGroup, Id, StyledStr};
use crate::error::{Error, ErrorKind};
use crate::matches::ArgMatches;
use crate::{help, parse};

/// When colours are used: never, here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorChoice {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A tool as its argument list describes it.
#[derive(Debug)]
pub struct Command {
    pub(crate) name: Cow<'static, str>,
    pub(crate) version: Cow<'static, str>,
    pub(crate) about: StyledStr,
    pub(crate) usage: StyledStr,
    pub(crate) after_help: StyledStr,
    pub(crate) abbreviations: bool,
    pub(crate) has_help: bool,
    pub(crate) has_version: bool,
    pub(crate) has_program_name: bool,
    /// Everything from the first operand on is operands.
    pub(crate) trailing: bool,
    /// What is no option is an operand, whatever it starts with.
    pub(crate) allow_hyphen_values: bool,
    pub(crate) args: Vec<Arg>,
    pub(crate) groups: Vec<ArgGroup>,
}

impl Command {
    /// A tool without arguments.
    pub fn new(name: impl Into<Id>) -> Command {
        Command {
            name: name.into().0,
            version: Cow::Borrowed(""),
            about: StyledStr::new(),
            usage: StyledStr::new(),
            after_help: StyledStr::new(),
            abbreviations: false,
            has_help: true,
            has_version: true,
            has_program_name: true,
            trailing: false,
            allow_hyphen_values: false,
            args: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Gives it another name.
    pub fn name(mut self, name: impl Into<Id>) -> Command {
        self.name = name.into().0;
        self
    }

    /// What `--version` prints behind the name.
    pub fn version(mut self, text: impl Into<Id>) -> Command {
        self.version = text.into().0;
        self
    }

    /// What it does.
    pub fn about(mut self, text: impl Into<StyledStr>) -> Command {
        self.about = text.into();
        self
    }

    /// How it is called.
    pub fn override_usage(mut self, text: impl Into<StyledStr>) -> Command {
        self.usage = text.into();
        self
    }

    /// What help says in the end.
    pub fn after_help(mut self, text: impl Into<StyledStr>) -> Command {
        self.after_help = text.into();
        self
    }

    /// The text of `--help` where it is longer; it replaces the short one.
    pub fn after_long_help(self, text: impl Into<StyledStr>) -> Command {
        self.after_help(text)
    }

    /// Accepted: help looks like GNU's.
    pub fn help_template(self, _template: impl Into<StyledStr>) -> Command {
        self
    }

    /// Accepted: there are no colours.
    pub fn color(self, _choice: ColorChoice) -> Command {
        self
    }

    /// Accepted: help is as wide as GNU's.
    pub fn max_term_width(self, _columns: usize) -> Command {
        self
    }

    /// Accepted: help lists arguments in one place.
    pub fn next_help_heading(self, _heading: impl Into<StyledStr>) -> Command {
        self
    }

    /// Whether `--he` means `--help`.
    pub fn infer_long_args(mut self, yes: bool) -> Command {
        self.abbreviations = yes;
        self
    }

    /// Accepted: the last of several always wins.
    pub fn args_override_self(self, _yes: bool) -> Command {
        self
    }

    /// Accepted: what is behind `--` is never split.
    pub fn dont_delimit_trailing_values(self, _yes: bool) -> Command {
        self
    }

    /// Whether options end at the first operand.
    pub fn trailing_var_arg(mut self, yes: bool) -> Command {
        self.trailing = yes;
        self
    }

    /// Whether operands may look like options.
    pub fn allow_hyphen_values(mut self, yes: bool) -> Command {
        self.allow_hyphen_values = yes;
        self
    }

    /// Takes `--help` away.
    pub fn disable_help_flag(mut self, yes: bool) -> Command {
        self.has_help = !yes;
        self
    }

    /// Takes `--version` away.
    pub fn disable_version_flag(mut self, yes: bool) -> Command {
        self.has_version = !yes;
        self
    }

    /// Whether the first word is an argument already.
    pub fn no_binary_name(mut self, yes: bool) -> Command {
        self.has_program_name = !yes;
        self
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<Arg>) -> Command {
        let arg = arg.into();
        if arg.trailing {
            self.trailing = true;
        }
        // A tool's own argument replaces the built-in one.
        match arg.long.as_deref() {
            Some("help") => self.has_help = false,
            Some("version") => self.has_version = false,
            _ => {}
        }
        if self.args.is_empty() {
            self.args.reserve(16);
        }
        self.args.push(arg);
        self
    }

    /// Adds arguments.
    pub fn args(self, args: impl IntoIterator<Item = impl Into<Arg>>) -> Command {
        args.into_iter().fold(self, Command::arg)
    }

    /// Adds a group.
    pub fn group(mut self, group: ArgGroup) -> Command {
        self.groups.push(group);
        self
    }

    /// Its arguments.
    pub fn get_arguments(&self) -> impl Iterator<Item = &Arg> {
        self.args.iter()
    }

    /// Its name.
    pub fn get_name(&self) -> &str {
        &self.name
    }

    /// An error that is told as the tool's own.
    pub fn error(&mut self, kind: ErrorKind, message: impl std::fmt::Display) -> Error {
        // The only caller is mv, when it has one operand.
        let message = match (kind, parse::last_operand()) {
            (ErrorKind::TooFewValues, Some(last)) => {
                format!("missing destination file operand after '{last}'")
            }
            _ => message.to_string(),
        };
        Error::usage(kind, &self.name, &message)
    }

    /// Prints help to stdout.
    pub fn print_help(&mut self) -> io::Result<()> {
        io::stdout().write_all(help::text(self, &self.name).as_bytes())
    }

    /// The help that is printed.
    pub fn render_help(&mut self) -> StyledStr {
        help::text(self, &self.name).into()
    }

    /// Takes words apart.
    ///
    /// Fails when they do not fit, and when help or the version was asked for.
    pub fn try_get_matches_from<I, T>(self, words: I) -> Result<ArgMatches, Error>
    where
        I: IntoIterator<Item = T>,
        T: Into<OsString> + Clone,
    {
        parse::words(self, words.into_iter().map(Into::into).collect())
    }

    /// Reads the command line; ends the program where that fails.
    pub fn get_matches_from<I, T>(self, words: I) -> ArgMatches
    where
        I: IntoIterator<Item = T>,
        T: Into<OsString> + Clone,
    {
        self.try_get_matches_from(words)
            .unwrap_or_else(|error| error.exit())
    }

    /// Takes the program's own arguments apart.
    pub fn try_get_matches(self) -> Result<ArgMatches, Error> {
        self.try_get_matches_from(std::env::args_os())
    }

    /// Reads the command line; ends the program where that fails.
    pub fn get_matches(self) -> ArgMatches {
        self.get_matches_from(std::env::args_os())
    }
}
