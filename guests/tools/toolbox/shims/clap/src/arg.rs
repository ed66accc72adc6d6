//! Options and operands, and how a tool declares them.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::ops::{Bound, RangeBounds};

use crate::value_parser::ValueParser;

/// The name a tool asks for an argument by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Id(pub(crate) Cow<'static, str>);

impl Id {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&'static str> for Id {
    fn from(name: &'static str) -> Id {
        Id(Cow::Borrowed(name))
    }
}

impl From<&&'static str> for Id {
    fn from(name: &&'static str) -> Id {
        Id(Cow::Borrowed(name))
    }
}

impl From<String> for Id {
    fn from(name: String) -> Id {
        Id(Cow::Owned(name))
    }
}

impl AsRef<str> for Id {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Text for people. It has no styles here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StyledStr(pub(crate) Cow<'static, str>);

impl StyledStr {
    /// No text.
    pub fn new() -> StyledStr {
        StyledStr::default()
    }
}

impl From<String> for StyledStr {
    fn from(text: String) -> StyledStr {
        StyledStr(Cow::Owned(text))
    }
}

impl From<&String> for StyledStr {
    fn from(text: &String) -> StyledStr {
        text.clone().into()
    }
}

impl From<&'static str> for StyledStr {
    fn from(text: &'static str) -> StyledStr {
        StyledStr(Cow::Borrowed(text))
    }
}

impl fmt::Write for StyledStr {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.to_mut().push_str(text);
        Ok(())
    }
}

impl fmt::Display for StyledStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an argument does when it is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgAction {
    /// Keeps the last value.
    Set,
    /// Keeps every value.
    Append,
    /// Is true when it was there.
    SetTrue,
    /// Is false when it was there.
    SetFalse,
    /// Counts.
    Count,
    /// Prints help and ends.
    Help,
    /// Prints the short help and ends.
    HelpShort,
    /// Prints the long help and ends.
    HelpLong,
    /// Prints the version and ends.
    Version,
}

impl ArgAction {
    /// Whether it comes with a value.
    pub(crate) fn takes_value(self) -> bool {
        matches!(self, ArgAction::Set | ArgAction::Append)
    }
}

/// What a shell may complete a value with; not used here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueHint {
    /// Anything.
    Unknown,
    /// Nothing that a shell knows.
    Other,
    /// A path.
    AnyPath,
    /// A file.
    FilePath,
    /// A directory.
    DirPath,
    /// A program's path.
    ExecutablePath,
    /// A program's name.
    CommandName,
    /// A host's name.
    Hostname,
    /// A user's name.
    Username,
}

/// How many values an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueRange {
    pub(crate) least: usize,
    pub(crate) most: usize,
}

impl From<std::ops::RangeFull> for ValueRange {
    fn from(_: std::ops::RangeFull) -> ValueRange {
        (Bound::Unbounded, Bound::Unbounded).into()
    }
}

impl From<usize> for ValueRange {
    fn from(count: usize) -> ValueRange {
        ValueRange {
            least: count,
            most: count,
        }
    }
}

macro_rules! value_ranges {
    ($($range:ty),*) => {$(
        impl From<$range> for ValueRange {
            fn from(range: $range) -> ValueRange {
                let least = match range.start_bound() {
                    Bound::Included(&least) => least,
                    Bound::Excluded(&below) => below + 1,
                    Bound::Unbounded => 0,
                };
                let most = match range.end_bound() {
                    Bound::Included(&most) => most,
                    Bound::Excluded(&above) => above.saturating_sub(1),
                    Bound::Unbounded => usize::MAX,
                };
                ValueRange { least, most }
            }
        }
    )*};
}

value_ranges!(
    std::ops::Range<usize>,
    std::ops::RangeInclusive<usize>,
    std::ops::RangeFrom<usize>,
    std::ops::RangeTo<usize>,
    std::ops::RangeToInclusive<usize>,
    (Bound<usize>, Bound<usize>)
);

/// An option, a flag or an operand.
#[derive(Debug)]
pub struct Arg {
    pub(crate) id: Id,
    pub(crate) short: Option<char>,
    pub(crate) hidden: bool,
    pub(crate) required: bool,
    pub(crate) require_equals: bool,
    pub(crate) allow_hyphen_values: bool,
    pub(crate) last: bool,
    pub(crate) trailing: bool,
    pub(crate) delimited: bool,
    pub(crate) action: Option<ArgAction>,
    pub(crate) count: Option<ValueRange>,
    pub(crate) long: Option<Cow<'static, str>>,
    pub(crate) help: StyledStr,
    pub(crate) value_name: Option<Cow<'static, str>>,
    pub(crate) parser: Option<ValueParser>,
    /// What few arguments have, out of the way of the many.
    pub(crate) rare: Option<Box<Rare>>,
}

#[derive(Debug, Default)]
pub(crate) struct Rare {
    pub(crate) short_aliases: Vec<char>,
    pub(crate) aliases: Vec<Cow<'static, str>>,
    pub(crate) overrides: Vec<Id>,
    pub(crate) conflicts: Vec<Id>,
    pub(crate) requires: Vec<Id>,
    pub(crate) required_unless: Vec<Id>,
    pub(crate) defaults: Vec<OsString>,
    pub(crate) default_missing: Vec<OsString>,
    pub(crate) env: Option<Cow<'static, str>>,
}

impl Arg {
    /// An operand, until it gets a short or a long name.
    #[inline]
    pub fn new(id: impl Into<Id>) -> Arg {
        Arg {
            id: id.into(),
            short: None,
            hidden: false,
            required: false,
            require_equals: false,
            allow_hyphen_values: false,
            last: false,
            trailing: false,
            delimited: false,
            action: None,
            count: None,
            long: None,
            help: StyledStr::new(),
            value_name: None,
            parser: None,
            rare: None,
        }
    }

    fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// `-s`.
    #[inline]
    pub fn short(mut self, name: char) -> Arg {
        self.short = Some(name);
        self
    }

    /// `--long`.
    #[inline]
    pub fn long(mut self, name: impl Into<Id>) -> Arg {
        self.long = Some(name.into().0);
        self
    }

    /// Another `--long`, which help does not tell of.
    pub fn alias(mut self, name: impl Into<Id>) -> Arg {
        let name = name.into().0;
        self.rare_mut().aliases.push(name);
        self
    }

    /// Several of them.
    pub fn aliases(self, names: impl IntoIterator<Item = impl Into<Id>>) -> Arg {
        names.into_iter().fold(self, Arg::alias)
    }

    /// Another `--long`.
    pub fn visible_alias(self, name: impl Into<Id>) -> Arg {
        self.alias(name)
    }

    /// Several of them.
    pub fn visible_aliases(self, names: impl IntoIterator<Item = impl Into<Id>>) -> Arg {
        self.aliases(names)
    }

    /// Another `-s`.
    pub fn short_alias(mut self, name: char) -> Arg {
        self.rare_mut().short_aliases.push(name);
        self
    }

    /// Another letter for it, which help shows.
    pub fn visible_short_alias(self, name: char) -> Arg {
        self.short_alias(name)
    }

    /// Several of them.
    pub fn visible_short_aliases(self, names: impl IntoIterator<Item = char>) -> Arg {
        names.into_iter().fold(self, Arg::short_alias)
    }

    /// What it is for.
    #[inline]
    pub fn help(mut self, text: impl Into<StyledStr>) -> Arg {
        self.help = text.into();
        self
    }

    /// The text of `--help` where it is longer; it replaces the short one.
    #[inline]
    pub fn long_help(self, text: impl Into<StyledStr>) -> Arg {
        self.help(text)
    }

    /// How help calls its value.
    #[inline]
    pub fn value_name(mut self, name: impl Into<Id>) -> Arg {
        self.value_name = Some(name.into().0);
        self
    }

    /// The names of several values: help shows the first.
    pub fn value_names(self, names: impl IntoIterator<Item = impl Into<Id>>) -> Arg {
        match names.into_iter().next() {
            Some(name) => self.value_name(name),
            None => self,
        }
    }

    /// Accepted and not used: nothing completes here.
    #[inline]
    pub fn value_hint(self, _hint: ValueHint) -> Arg {
        self
    }

    /// What it does.
    #[inline]
    pub fn action(mut self, action: ArgAction) -> Arg {
        self.action = Some(action);
        self
    }

    /// How many values it takes.
    #[inline]
    pub fn num_args(mut self, count: impl Into<ValueRange>) -> Arg {
        self.count = Some(count.into());
        self
    }

    /// Which values it takes.
    #[inline]
    pub fn value_parser(mut self, parser: impl Into<ValueParser>) -> Arg {
        self.parser = Some(parser.into());
        self
    }

    /// Splits values at commas.
    pub fn use_value_delimiter(mut self, yes: bool) -> Arg {
        self.delimited = yes;
        self
    }

    /// Splits values at `delimiter`, which is a comma wherever uutils uses it.
    pub fn value_delimiter(mut self, delimiter: char) -> Arg {
        debug_assert_eq!(delimiter, ',', "no other delimiter is implemented");
        self.delimited = true;
        self
    }

    /// Its value when it is not there.
    pub fn default_value(mut self, value: impl Into<OsString>) -> Arg {
        let value = value.into();
        self.rare_mut().defaults.push(value);
        self
    }

    /// Its values when it is not there.
    pub fn default_values(mut self, values: impl IntoIterator<Item = impl Into<OsString>>) -> Arg {
        let values = values.into_iter().map(Into::into);
        self.rare_mut().defaults.extend(values);
        self
    }

    /// The environment variable that has its value when it is not there.
    pub fn env(mut self, name: impl Into<Id>) -> Arg {
        let name = name.into().0;
        self.rare_mut().env = Some(name);
        self
    }

    /// Its value when it is there without one.
    pub fn default_missing_value(mut self, value: impl Into<OsString>) -> Arg {
        let value = value.into();
        self.rare_mut().default_missing.push(value);
        self
    }

    /// Its values when it is there without one.
    pub fn default_missing_values(
        mut self,
        values: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Arg {
        let values = values.into_iter().map(Into::into);
        self.rare_mut().default_missing.extend(values);
        self
    }

    /// Takes back another argument that came before it.
    pub fn overrides_with(mut self, other: impl Into<Id>) -> Arg {
        let other = other.into();
        self.rare_mut().overrides.push(other);
        self
    }

    /// Takes back others that came before it.
    pub fn overrides_with_all(mut self, others: impl IntoIterator<Item = impl Into<Id>>) -> Arg {
        let others = others.into_iter().map(Into::into);
        self.rare_mut().overrides.extend(others);
        self
    }

    /// Must not be there together with another.
    pub fn conflicts_with(mut self, other: impl Into<Id>) -> Arg {
        let other = other.into();
        self.rare_mut().conflicts.push(other);
        self
    }

    /// Must not be there together with others.
    pub fn conflicts_with_all(mut self, others: impl IntoIterator<Item = impl Into<Id>>) -> Arg {
        let others = others.into_iter().map(Into::into);
        self.rare_mut().conflicts.extend(others);
        self
    }

    /// Needs another.
    pub fn requires(mut self, other: impl Into<Id>) -> Arg {
        let other = other.into();
        self.rare_mut().requires.push(other);
        self
    }

    /// Must be there.
    #[inline]
    pub fn required(mut self, yes: bool) -> Arg {
        self.required = yes;
        self
    }

    /// Must be there unless another is.
    pub fn required_unless_present(mut self, other: impl Into<Id>) -> Arg {
        let other = other.into();
        self.rare_mut().required_unless.push(other);
        self
    }

    /// Must be there unless one of the others is.
    pub fn required_unless_present_any(
        mut self,
        others: impl IntoIterator<Item = impl Into<Id>>,
    ) -> Arg {
        let others = others.into_iter().map(Into::into);
        self.rare_mut().required_unless.extend(others);
        self
    }

    /// An operand that may look like an option. Options take any word anyway.
    #[inline]
    pub fn allow_hyphen_values(mut self, yes: bool) -> Arg {
        self.allow_hyphen_values = yes;
        self
    }

    /// An operand that may look like a negative number.
    #[inline]
    pub fn allow_negative_numbers(self, yes: bool) -> Arg {
        self.allow_hyphen_values(yes)
    }

    /// Has a value only as `--long=value`.
    #[inline]
    pub fn require_equals(mut self, yes: bool) -> Arg {
        self.require_equals = yes;
        self
    }

    /// Is not told of by help.
    #[inline]
    pub fn hide(mut self, yes: bool) -> Arg {
        self.hidden = yes;
        self
    }

    /// Accepted: help never shows defaults.
    #[inline]
    pub fn hide_default_value(self, _yes: bool) -> Arg {
        self
    }

    /// Accepted: help never shows them.
    #[inline]
    pub fn hide_possible_values(self, _yes: bool) -> Arg {
        self
    }

    /// Accepted: operands stand in the order they are declared in, in all of uutils.
    #[inline]
    pub fn index(self, _place: usize) -> Arg {
        self
    }

    /// Comes behind `--` only.
    #[inline]
    pub fn last(mut self, yes: bool) -> Arg {
        self.last = yes;
        self
    }

    /// Everything from this operand on is operands.
    #[inline]
    pub fn trailing_var_arg(mut self, yes: bool) -> Arg {
        self.trailing = yes;
        self
    }

    /// Accepted: help keeps the order of declaration.
    #[inline]
    pub fn display_order(self, _place: usize) -> Arg {
        self
    }

    /// Its name for the tool.
    pub fn get_id(&self) -> &Id {
        &self.id
    }

    /// Its long name.
    pub fn get_long(&self) -> Option<&str> {
        self.long.as_deref()
    }

    /// Its short name.
    pub fn get_short(&self) -> Option<char> {
        self.short
    }

    pub(crate) fn is_operand(&self) -> bool {
        self.short.is_none() && self.long.is_none()
    }

    pub(crate) fn effective_action(&self) -> ArgAction {
        match (self.action, self.count) {
            (Some(action), _) => action,
            (None, Some(range)) if range.most > 1 && self.is_operand() => ArgAction::Append,
            (None, _) => ArgAction::Set,
        }
    }

    /// How many values one occurrence takes.
    pub(crate) fn values(&self) -> ValueRange {
        self.count
            .unwrap_or_else(|| usize::from(self.effective_action().takes_value()).into())
    }

    pub(crate) fn takes_many(&self) -> bool {
        self.values().most > 1 || self.effective_action() == ArgAction::Append
    }

    pub(crate) fn overrides(&self) -> &[Id] {
        self.rare.as_ref().map_or(&[], |rare| &rare.overrides)
    }

    pub(crate) fn is_named(&self, short: char) -> bool {
        self.short == Some(short)
            || self
                .rare
                .as_ref()
                .is_some_and(|rare| rare.short_aliases.contains(&short))
    }

    pub(crate) fn long_names(&self) -> impl Iterator<Item = &str> {
        let aliases = self.rare.iter().flat_map(|rare| rare.aliases.iter());
        self.long.iter().chain(aliases).map(|name| &**name)
    }

    /// The name an error calls it by.
    pub(crate) fn shown(&self) -> String {
        match (&self.long, self.short) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => self.id.0.to_string(),
        }
    }
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.value_name.as_deref().unwrap_or(self.id.as_str());
        if !self.is_operand() {
            f.write_str(&self.shown())?;
            if self.effective_action().takes_value() {
                write!(f, " <{name}>")?;
            }
            return Ok(());
        }
        match self.required {
            true => write!(f, "<{name}>")?,
            false => write!(f, "[{name}]")?,
        }
        if self.takes_many() {
            f.write_str("...")?;
        }
        Ok(())
    }
}

/// Arguments that are asked for together.
#[derive(Debug)]
pub struct ArgGroup {
    pub(crate) id: Id,
    pub(crate) args: Vec<Id>,
    pub(crate) multiple: bool,
}

impl ArgGroup {
    /// An empty group.
    pub fn new(id: impl Into<Id>) -> ArgGroup {
        ArgGroup {
            id: id.into(),
            args: Vec::new(),
            multiple: false,
        }
    }

    /// Puts arguments into it.
    pub fn args(mut self, ids: impl IntoIterator<Item = impl Into<Id>>) -> ArgGroup {
        self.args.extend(ids.into_iter().map(Into::into));
        self
    }

    /// Whether several of them may be there.
    pub fn multiple(mut self, yes: bool) -> ArgGroup {
        self.multiple = yes;
        self
    }
}
