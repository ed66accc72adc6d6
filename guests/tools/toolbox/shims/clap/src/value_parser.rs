//! From words to typed values.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::error::Error as StdError;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::path::PathBuf;

use crate::arg::{Arg, Id, StyledStr};
use crate::command::Command;
use crate::error::{ContextKind, ContextValue, Error, ErrorKind};

/// A value of any type.
pub(crate) type AnyValue = Box<dyn Any + Send + Sync>;

/// Which values an argument takes.
pub struct ValueParser(Kind);

enum Kind {
    String,
    OsString,
    PathBuf,
    Other(Box<dyn AnyParser>),
}

impl ValueParser {
    /// Values of a parser's type.
    pub fn new<P: TypedValueParser>(parser: P) -> ValueParser {
        ValueParser(Kind::Other(Box::new(parser)))
    }

    /// Text.
    pub const fn string() -> ValueParser {
        ValueParser(Kind::String)
    }

    /// Any bytes.
    pub const fn os_string() -> ValueParser {
        ValueParser(Kind::OsString)
    }

    /// A path.
    pub const fn path_buf() -> ValueParser {
        ValueParser(Kind::PathBuf)
    }

    pub(crate) fn type_id(&self) -> TypeId {
        match &self.0 {
            Kind::String => TypeId::of::<String>(),
            Kind::OsString => TypeId::of::<OsString>(),
            Kind::PathBuf => TypeId::of::<PathBuf>(),
            Kind::Other(parser) => parser.value_type(),
        }
    }

    pub(crate) fn parse(
        &self,
        command: &Command,
        arg: &Arg,
        word: OsString,
    ) -> Result<AnyValue, Error> {
        match &self.0 {
            Kind::String => Ok(Box::new(text(word)?)),
            Kind::OsString => Ok(Box::new(word)),
            Kind::PathBuf => Ok(Box::new(PathBuf::from(word))),
            Kind::Other(parser) => parser.parse_any(command, arg, &word),
        }
    }

    pub(crate) fn possible(&self) -> Option<Vec<PossibleValue>> {
        match &self.0 {
            Kind::Other(parser) => parser.possible(),
            _ => None,
        }
    }
}

impl fmt::Debug for ValueParser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ValueParser")
    }
}

fn text(word: OsString) -> Result<String, Error> {
    word.into_string()
        .map_err(|_| Error::new(ErrorKind::InvalidUtf8))
}

trait AnyParser: Send + Sync {
    fn value_type(&self) -> TypeId;
    fn parse_any(&self, command: &Command, arg: &Arg, word: &OsStr) -> Result<AnyValue, Error>;
    fn possible(&self) -> Option<Vec<PossibleValue>>;
}

impl<P: TypedValueParser> AnyParser for P {
    fn value_type(&self) -> TypeId {
        TypeId::of::<P::Value>()
    }

    fn parse_any(&self, command: &Command, arg: &Arg, word: &OsStr) -> Result<AnyValue, Error> {
        let value = self.parse_ref(command, Some(arg), word)?;
        Ok(Box::new(value))
    }

    fn possible(&self) -> Option<Vec<PossibleValue>> {
        self.possible_values().map(Iterator::collect)
    }
}

/// Makes values of one type.
pub trait TypedValueParser: Clone + Send + Sync + 'static {
    /// The type.
    type Value: Clone + Send + Sync + 'static;

    /// Makes a value of a word.
    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        word: &OsStr,
    ) -> Result<Self::Value, Error>;

    /// The words it takes, where they can be listed.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        None
    }
}

impl<F, T, E> TypedValueParser for F
where
    F: Fn(&str) -> Result<T, E> + Clone + Send + Sync + 'static,
    E: Into<Box<dyn StdError + Send + Sync + 'static>>,
    T: Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, word: &OsStr) -> Result<T, Error> {
        let text = word
            .to_str()
            .ok_or_else(|| Error::new(ErrorKind::InvalidUtf8))?;
        self(text).map_err(|error| Error::new(ErrorKind::ValueValidation).with_source(error.into()))
    }
}

impl<P: TypedValueParser> From<P> for ValueParser {
    fn from(parser: P) -> ValueParser {
        ValueParser::new(parser)
    }
}

impl<P: Into<PossibleValue>, const N: usize> From<[P; N]> for ValueParser {
    fn from(values: [P; N]) -> ValueParser {
        ValueParser::new(PossibleValuesParser::from(values))
    }
}

impl<P: Into<PossibleValue>> From<Vec<P>> for ValueParser {
    fn from(values: Vec<P>) -> ValueParser {
        ValueParser::new(PossibleValuesParser(
            values.into_iter().map(Into::into).collect(),
        ))
    }
}

/// A type that knows its parser.
pub trait ValueParserFactory {
    /// The parser.
    type Parser;

    /// Makes the parser.
    fn value_parser() -> Self::Parser;
}

macro_rules! plain_factories {
    ($($type:ty => $parser:ident),*) => {$(
        impl ValueParserFactory for $type {
            type Parser = ValueParser;
            fn value_parser() -> ValueParser {
                ValueParser::$parser()
            }
        }
    )*};
}

plain_factories!(String => string, OsString => os_string, PathBuf => path_buf);

/// Whole numbers within limits.
#[derive(Debug)]
pub struct RangedValueParser<T> {
    least: i128,
    most: i128,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for RangedValueParser<T> {
    fn clone(&self) -> Self {
        RangedValueParser {
            least: self.least,
            most: self.most,
            of: PhantomData,
        }
    }
}

impl<T: Copy + Into<i128>> RangedValueParser<T> {
    /// Narrows the limits.
    pub fn range(mut self, range: impl RangeBounds<T>) -> Self {
        self.least = match range.start_bound() {
            Bound::Included(&least) => least.into(),
            Bound::Excluded(&below) => below.into() + 1,
            Bound::Unbounded => self.least,
        };
        self.most = match range.end_bound() {
            Bound::Included(&most) => most.into(),
            Bound::Excluded(&above) => above.into() - 1,
            Bound::Unbounded => self.most,
        };
        self
    }
}

impl<T> TypedValueParser for RangedValueParser<T>
where
    T: TryFrom<i128> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, word: &OsStr) -> Result<T, Error> {
        let invalid = |why: String| Error::new(ErrorKind::ValueValidation).with_source(why.into());
        let text = word
            .to_str()
            .ok_or_else(|| Error::new(ErrorKind::InvalidUtf8))?;
        let number: i128 = text
            .parse()
            .map_err(|error: std::num::ParseIntError| invalid(error.to_string()))?;
        if number < self.least || number > self.most {
            return Err(invalid(format!(
                "{number} is not in {}..={}",
                self.least, self.most
            )));
        }
        T::try_from(number).map_err(|_| invalid(format!("{number} is out of range")))
    }
}

macro_rules! number_factories {
    ($($type:ty),*) => {$(
        impl ValueParserFactory for $type {
            type Parser = RangedValueParser<$type>;
            fn value_parser() -> Self::Parser {
                RangedValueParser {
                    least: <$type>::MIN.into(),
                    most: <$type>::MAX.into(),
                    of: PhantomData,
                }
            }
        }
    )*};
}

number_factories!(u8, u16, u32, u64, i8, i16, i32, i64);

/// Text that is not empty.
#[derive(Debug, Clone, Default)]
pub struct NonEmptyStringValueParser;

impl NonEmptyStringValueParser {
    /// The parser.
    pub fn new() -> Self {
        NonEmptyStringValueParser
    }
}

impl TypedValueParser for NonEmptyStringValueParser {
    type Value = String;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, word: &OsStr) -> Result<String, Error> {
        if word.is_empty() {
            return Err(Error::new(ErrorKind::InvalidValue));
        }
        text(word.to_owned())
    }
}

/// A word that an argument takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PossibleValue {
    name: Cow<'static, str>,
    aliases: Vec<Cow<'static, str>>,
    hidden: bool,
}

impl PossibleValue {
    /// The word.
    pub fn new(name: impl Into<Id>) -> PossibleValue {
        PossibleValue {
            name: name.into().0,
            aliases: Vec::new(),
            hidden: false,
        }
    }

    /// Accepted: help does not explain single words.
    pub fn help(self, _text: impl Into<StyledStr>) -> PossibleValue {
        self
    }

    /// Another word for the same.
    pub fn alias(mut self, name: impl Into<Id>) -> PossibleValue {
        self.aliases.push(name.into().0);
        self
    }

    /// Several of them.
    pub fn aliases(self, names: impl IntoIterator<Item = impl Into<Id>>) -> PossibleValue {
        names.into_iter().fold(self, PossibleValue::alias)
    }

    /// Is not listed.
    pub fn hide(mut self, yes: bool) -> PossibleValue {
        self.hidden = yes;
        self
    }

    /// The word.
    pub fn get_name(&self) -> &str {
        &self.name
    }

    /// The word and the others for the same.
    pub fn get_name_and_aliases(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name)
            .chain(&self.aliases)
            .map(|name| &**name)
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.hidden
    }
}

impl<N: Into<Id>> From<N> for PossibleValue {
    fn from(name: N) -> PossibleValue {
        PossibleValue::new(name)
    }
}

/// One word of a list.
#[derive(Debug, Clone)]
pub struct PossibleValuesParser(Vec<PossibleValue>);

impl<P: Into<PossibleValue>, const N: usize> From<[P; N]> for PossibleValuesParser {
    fn from(values: [P; N]) -> Self {
        PossibleValuesParser(values.into_iter().map(Into::into).collect())
    }
}

impl TypedValueParser for PossibleValuesParser {
    type Value = String;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, word: &OsStr) -> Result<String, Error> {
        let known = self.0.iter().any(|value| {
            value
                .get_name_and_aliases()
                .any(|name| OsStr::new(name) == word)
        });
        if known {
            return text(word.to_owned());
        }
        let mut error = Error::new(ErrorKind::InvalidValue);
        let names = self.0.iter().map(|value| value.name.to_string()).collect();
        error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().cloned()))
    }
}
