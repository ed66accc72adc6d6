//! Settings of `pr`, from its command line.

use codepod_tool::{
    Arguments, Found, Opt, Options, Stop, Usage, Value, flag, long, optional, quoted, quoted_text,
    value,
};

use crate::arguments::{help, version};
use crate::bounded;
use crate::tab_stops::decimal;
use crate::text_input::or_standard_input;

#[derive(Clone, Copy)]
enum Key {
    Pages,
    Columns,
    Digit(u8),
    Across,
    Controls,
    Double,
    Date,
    ExpandTabs,
    FormFeed,
    Header,
    OutputTabs,
    Join,
    Length,
    Merge,
    Number,
    First,
    Indent,
    NoWarnings,
    Separator,
    SepString,
    OmitHeader,
    OmitPagination,
    Nonprinting,
    Width,
    PageWidth,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    long(Key::Pages, "pages", Value::Required),
    long(Key::Columns, "columns", Value::Required),
    flag(Key::Across, b'a', "across"),
    flag(Key::Controls, b'c', "show-control-chars"),
    flag(Key::Double, b'd', "double-space"),
    value(Key::Date, b'D', "date-format"),
    optional(Key::ExpandTabs, b'e', "expand-tabs"),
    flag(Key::FormFeed, b'f', "form-feed"),
    flag(Key::FormFeed, b'F', ""),
    value(Key::Header, b'h', "header"),
    optional(Key::OutputTabs, b'i', "output-tabs"),
    flag(Key::Join, b'J', "join-lines"),
    value(Key::Length, b'l', "length"),
    flag(Key::Merge, b'm', "merge"),
    optional(Key::Number, b'n', "number-lines"),
    value(Key::First, b'N', "first-line-number"),
    value(Key::Indent, b'o', "indent"),
    flag(Key::NoWarnings, b'r', "no-file-warnings"),
    optional(Key::Separator, b's', "separator"),
    optional(Key::SepString, b'S', "sep-string"),
    flag(Key::OmitHeader, b't', "omit-header"),
    flag(Key::OmitPagination, b'T', "omit-pagination"),
    flag(Key::Nonprinting, b'v', "show-nonprinting"),
    value(Key::Width, b'w', "width"),
    value(Key::PageWidth, b'W', "page-width"),
    flag(Key::Digit(0), b'0', ""),
    flag(Key::Digit(1), b'1', ""),
    flag(Key::Digit(2), b'2', ""),
    flag(Key::Digit(3), b'3', ""),
    flag(Key::Digit(4), b'4', ""),
    flag(Key::Digit(5), b'5', ""),
    flag(Key::Digit(6), b'6', ""),
    flag(Key::Digit(7), b'7', ""),
    flag(Key::Digit(8), b'8', ""),
    flag(Key::Digit(9), b'9', ""),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// How pages are laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Lines go down the columns.
    Down,
    /// Lines go across the columns.
    Across,
    /// Each file has a column.
    Merge,
}

/// How bytes are shown that do not print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    AsIs,
    /// `^G` for control characters, `\303` for others.
    Hats,
    /// `\007`
    Octal,
}

/// A character that stands for blanks up to the next multiple of a width.
#[derive(Clone, Copy)]
pub(super) struct Tab {
    pub(super) byte: u8,
    pub(super) width: u64,
}

/// Numbers of lines.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub(super) separator: u8,
    pub(super) digits: u64,
}

impl Numbers {
    /// How many columns the separator takes.
    pub(super) fn gap(self) -> u64 {
        match self.separator {
            b'\t' => 8 - self.digits % 8,
            _ => 1,
        }
    }

    /// How many columns a number with its separator takes.
    pub(super) fn width(self) -> u64 {
        self.digits + self.gap()
    }
}

pub(super) struct Settings {
    pub(super) first_page: u64,
    pub(super) last_page: u64,
    pub(super) layout: Layout,
    pub(super) columns: usize,
    pub(super) double: bool,
    pub(super) date: Vec<u8>,
    /// Whether tabs of the input become spaces, and another character that does.
    pub(super) expand: bool,
    pub(super) expand_also: Option<Tab>,
    /// What blanks become on the output.
    pub(super) output_tab: Option<Tab>,
    pub(super) form_feed: bool,
    pub(super) header: Option<Vec<u8>>,
    pub(super) length: u64,
    pub(super) numbers: Option<Numbers>,
    /// The number of the first line that is printed; none to count from the first of the file.
    pub(super) first_number: Option<i64>,
    pub(super) indent: u64,
    pub(super) warnings: bool,
    pub(super) separator: Vec<u8>,
    pub(super) headers: bool,
    /// Whether form feeds of the input are printed where there are no headers.
    pub(super) form_feeds: bool,
    pub(super) show: Show,
    pub(super) page_width: u64,
    /// How wide a column is; none where columns are not aligned, and lines not cut.
    pub(super) column_width: Option<u64>,
    pub(super) files: Arguments,
}

/// What the options say, before it is known whether all of it fits together.
#[derive(Default)]
struct Given {
    pages: Option<(u64, u64)>,
    columns: Option<i64>,
    digits: Vec<u8>,
    across: bool,
    merge: bool,
    double: bool,
    date: Option<Vec<u8>>,
    expand: Option<Tab>,
    output_tab: Option<Tab>,
    form_feed: bool,
    header: Option<Vec<u8>>,
    join: bool,
    length: Option<i64>,
    numbers: Option<Numbers>,
    first_number: Option<i64>,
    indent: i64,
    no_warnings: bool,
    separator: Option<Vec<u8>>,
    sep_string: Option<Vec<u8>>,
    omit_header: bool,
    omit_pagination: bool,
    controls: bool,
    octal: bool,
    width: Option<i64>,
    page_width: Option<i64>,
}

const INT_MAX: i64 = i32::MAX as i64;

/// Reads the command line.
pub(super) fn read(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut given = Given::default();
    let mut options = Options::new(TABLE, arguments);
    let mut files = Arguments::new();
    while let Some(found) = options.next()? {
        match found {
            // `-1 -2` is `-12`.
            Found::Option(Key::Digit(digit), _) => {
                given.digits.push(b'0' + digit);
                given.columns = Some(columns(&given.digits)?);
            }
            Found::Option(key, value) => {
                given.digits.clear();
                given.take(tool, key, value)?;
            }
            Found::Operand(operand) => match operand.strip_prefix(b"+") {
                Some(pages) if given.pages.is_none() => match page_range(pages, "+")? {
                    Some(range) => given.pages = Some(range),
                    None => files.push(operand),
                },
                _ => files.push(operand),
            },
        }
    }
    given.settings(or_standard_input(files))
}

fn columns(text: &[u8]) -> Result<i64, Stop> {
    bounded::number(text, 1, INT_MAX, "invalid number of columns")
}

/// The pages of `FIRST[:LAST]`; none where they are no range.
fn page_range(text: &[u8], option: &str) -> Result<Option<(u64, u64)>, Stop> {
    let wrong = || {
        let start = format!("invalid {option} argument ");
        Stop::Failed([start.as_bytes(), &quoted(text)].concat())
    };
    let page = |text: &[u8]| match text {
        [] => None,
        _ if !text.iter().all(u8::is_ascii_digit) => None,
        _ => Some(decimal(text).unwrap_or(u64::MAX)),
    };
    let mut parts = text.splitn(2, |byte| *byte == b':');
    let first = parts.next().and_then(page).ok_or_else(wrong)?;
    let last = match parts.next() {
        Some(last) => page(last).ok_or_else(wrong)?,
        None => u64::MAX,
    };
    Ok((first > 0 && first <= last).then_some((first, last)))
}

/// A character and a number as `-e`, `-i` and `-n` have them, each perhaps missing.
fn byte_and_number(text: &[u8], option: &str, byte: u8, number: u64) -> Result<(u8, u64), Stop> {
    let (byte, rest) = match text {
        [] => return Ok((byte, number)),
        [b'0'..=b'9', ..] => (byte, text),
        [byte, rest @ ..] => (*byte, rest),
    };
    if rest.is_empty() {
        return Ok((byte, number));
    }
    let what = format!("'{option}' extra characters or invalid number in the argument");
    match bounded::number(rest, 1, INT_MAX, &what) {
        Ok(number) => Ok((byte, number.unsigned_abs())),
        Err(Stop::Failed(message)) => {
            // Only numbers that are too large are told apart here.
            let range = b": Numerical result out of range";
            let message = message.strip_suffix(range).unwrap_or(&message);
            Err(Usage::new(message).into())
        }
        Err(stop) => Err(stop),
    }
}

impl Given {
    /// Takes an option.
    fn take(&mut self, tool: &str, key: Key, value: Option<Vec<u8>>) -> Result<(), Stop> {
        let text = value.clone().unwrap_or_default();
        let number = |least, what: &str| bounded::number(&text, least, INT_MAX, what);
        match key {
            Key::Pages => match page_range(&text, "--pages")? {
                Some(range) => self.pages = Some(range),
                None => {
                    let start = b"invalid page range ";
                    let message = [&start[..], &quoted_text(&text)].concat();
                    return Err(Stop::Failed(message));
                }
            },
            Key::Columns => self.columns = Some(columns(&text)?),
            Key::Digit(_) => {}
            Key::Across => self.across = true,
            Key::Controls => self.controls = true,
            Key::Double => self.double = true,
            Key::Date => self.date = value,
            Key::ExpandTabs => {
                let (byte, width) = byte_and_number(&text, "-e", b'\t', 8)?;
                self.expand = Some(Tab { byte, width });
            }
            Key::OutputTabs => {
                let (byte, width) = byte_and_number(&text, "-i", b'\t', 8)?;
                self.output_tab = Some(Tab { byte, width });
            }
            Key::Number => {
                let (separator, digits) = byte_and_number(&text, "-n", b'\t', 5)?;
                self.numbers = Some(Numbers { separator, digits });
            }
            Key::FormFeed => self.form_feed = true,
            Key::Header => self.header = value,
            Key::Join => self.join = true,
            Key::Length => {
                self.length = Some(number(1, "'-l PAGE_LENGTH' invalid number of lines")?);
            }
            Key::Merge => self.merge = true,
            Key::First => {
                let what = "'-N NUMBER' invalid starting line number";
                self.first_number = Some(number(i32::MIN.into(), what)?);
            }
            Key::Indent => self.indent = number(0, "'-o MARGIN' invalid line offset")?,
            Key::NoWarnings => self.no_warnings = true,
            Key::Separator => self.separator = Some(text),
            Key::SepString => self.sep_string = Some(text),
            Key::OmitHeader => self.omit_header = true,
            Key::OmitPagination => self.omit_pagination = true,
            Key::Nonprinting => self.octal = true,
            Key::Width => {
                let what = "'-w PAGE_WIDTH' invalid number of characters";
                self.width = Some(number(1, what)?);
            }
            Key::PageWidth => {
                let what = "'-W PAGE_WIDTH' invalid number of characters";
                self.page_width = Some(number(1, what)?);
            }
            Key::Help => {
                let about = "Paginate or columnate FILE(s) for printing.";
                let status = help(tool, "[OPTION]... [FILE]...", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }

    /// Puts the options together. Fails where they contradict each other.
    fn settings(self, files: Arguments) -> Result<Settings, Stop> {
        if self.merge && self.columns.is_some() {
            let message = "cannot specify number of columns when printing in parallel";
            return Err(Stop::failed(message));
        }
        if self.merge && self.across {
            let message = "cannot specify both printing across and printing in parallel";
            return Err(Stop::failed(message));
        }
        let layout = match (self.merge, self.across) {
            (true, _) => Layout::Merge,
            (_, true) => Layout::Across,
            _ => Layout::Down,
        };
        let columns = match layout {
            Layout::Merge => files.len(),
            _ => usize::try_from(self.columns.unwrap_or(1)).unwrap_or(usize::MAX),
        };
        let several = columns > 1;
        let has_width = self.width.is_some() || self.page_width.is_some();
        let bare = self.separator.is_some() && self.sep_string.is_none() && !has_width;
        let joined = self.join || bare;
        let separator = self.separator_text(joined);
        let page_width = self.page_width.or(self.width).unwrap_or(72).unsigned_abs();
        let tabs_apart = joined && separator == b"\t";
        let column_width = match (joined, several, self.page_width) {
            (true, ..) | (_, false, None) => None,
            (_, false, Some(_)) => Some(page_width),
            _ => {
                let numbers = self.numbers.filter(|_| layout == Layout::Merge);
                let taken = numbers.map_or(0, Numbers::width)
                    + (columns as u64 - 1) * separator.len() as u64;
                let width = page_width.saturating_sub(taken) / columns as u64;
                if width == 0 {
                    return Err(Stop::failed("page width too narrow"));
                }
                Some(width)
            }
        };
        let tab = Tab {
            byte: b'\t',
            width: 8,
        };
        let length = self.length.unwrap_or(66).unsigned_abs();
        let (first_page, last_page) = self.pages.unwrap_or((1, u64::MAX));
        Ok(Settings {
            first_page,
            last_page,
            layout,
            columns,
            double: self.double,
            date: self.date.unwrap_or_else(|| b"%Y-%m-%d %H:%M".to_vec()),
            expand: self.expand.is_some() || several && !tabs_apart,
            expand_also: self.expand,
            output_tab: self.output_tab.or(several.then_some(tab)),
            form_feed: self.form_feed,
            header: self.header,
            length,
            numbers: self.numbers,
            first_number: self.first_number,
            indent: self.indent.unsigned_abs(),
            warnings: !self.no_warnings,
            separator,
            headers: !(self.omit_header || self.omit_pagination || length <= 10),
            form_feeds: !self.omit_pagination,
            show: match (self.octal, self.controls) {
                (true, _) => Show::Octal,
                (_, true) => Show::Hats,
                _ => Show::AsIs,
            },
            page_width,
            column_width,
            files,
        })
    }

    /// What stands between columns.
    fn separator_text(&self, joined: bool) -> Vec<u8> {
        let blank = || b" ".to_vec();
        match (&self.sep_string, &self.separator) {
            // Aligned columns have blanks anyway.
            (Some(text), _) if !joined && text == b"\t" => blank(),
            (Some(text), _) => text.clone(),
            (None, Some(text)) if text.is_empty() && joined => b"\t".to_vec(),
            (None, Some(text)) => text.clone(),
            (None, None) if joined => b"\t".to_vec(),
            (None, None) => blank(),
        }
    }
}
