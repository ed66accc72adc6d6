//! The options of `ls`.

use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, flag, long, one_of, optional, quoted,
    value,
};

use crate::arguments::{help, version};
use crate::fnmatch::fnmatch;
use crate::quoting::Style;
use crate::size::Blocks;
use crate::system;

/// How entries are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    OneALine,
    Long,
    Columns,
    Across,
    Commas,
}

/// By what entries are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Name,
    Size,
    Time,
    Extension,
    Version,
    Width,
    None,
}

/// Which time is shown and sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    Modified,
    Changed,
    Accessed,
    /// Nobody knows it: the change is shown.
    Born,
}

/// Which links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follow {
    Never,
    Operands,
    OperandsToDirectories,
    Always,
}

/// Which letters follow names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indicator {
    None,
    Slash,
    FileType,
    Classify,
}

/// What the options say.
pub(super) struct Settings {
    pub(super) format: Format,
    pub(super) sort: Sort,
    pub(super) reverse: bool,
    pub(super) time: Time,
    pub(super) all: bool,
    pub(super) almost_all: bool,
    pub(super) directory: bool,
    pub(super) recursive: bool,
    pub(super) inode: bool,
    pub(super) blocks: bool,
    pub(super) owner: bool,
    pub(super) group: bool,
    pub(super) author: bool,
    pub(super) numeric: bool,
    pub(super) context: bool,
    pub(super) directories_first: bool,
    pub(super) follow: Follow,
    pub(super) indicator: Indicator,
    pub(super) quoting: Style,
    pub(super) hide: bool,
    pub(super) width: usize,
    pub(super) tab: usize,
    pub(super) zero: bool,
    pub(super) color: bool,
    /// For `-s` and the total.
    pub(super) block_size: Blocks,
    /// For sizes in the long format.
    pub(super) file_size: Blocks,
    pub(super) time_style: TimeStyle,
    patterns: Vec<Vec<u8>>,
    hidden: Vec<Vec<u8>>,
}

/// The forms of times that are not recent and of those that are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TimeStyle {
    pub(super) old: Vec<u8>,
    pub(super) recent: Vec<u8>,
}

impl Settings {
    /// Whether more than names is needed of entries.
    pub(super) fn needs_stat(&self) -> bool {
        let by_stat = matches!(self.sort, Sort::Size | Sort::Time) || self.directories_first;
        let shown = self.format == Format::Long
            || self.inode
            || self.blocks
            || self.color
            || self.recursive;
        by_stat || shown || self.indicator != Indicator::None
    }

    /// Whether `--ignore` names it.
    pub(super) fn ignores_pattern(&self, name: &[u8]) -> bool {
        self.patterns.iter().any(|pattern| fnmatch(pattern, name))
    }

    /// Whether a name is left out.
    pub(super) fn ignores(&self, name: &[u8]) -> bool {
        let dotted = name.starts_with(b".") && !self.all && !self.almost_all;
        let hidden = || {
            !self.all
                && !self.almost_all
                && self.hidden.iter().any(|pattern| fnmatch(pattern, name))
        };
        dotted || hidden() || self.ignores_pattern(name)
    }
}

/// An option. Those that only choose one of several hold their choice, and those that have it as
/// a value are `…Named`.
#[derive(Clone, Copy)]
enum Key {
    All,
    AlmostAll,
    Author,
    BlockSize,
    IgnoreBackups,
    Color,
    Directory,
    Unsorted,
    Classify,
    Indicator(Indicator),
    IndicatorNamed,
    Format(Format),
    FormatNamed,
    FullTime,
    NoOwner,
    DirectoriesFirst,
    NoGroup,
    Sizes(Blocks),
    Follow(Follow),
    Hide,
    Inode,
    Ignore,
    Kibibytes,
    Numeric,
    NoGroupLong,
    HideControl(bool),
    Quoting(Style),
    QuotingNamed,
    Reverse,
    Recursive,
    Blocks,
    Sort(Sort),
    SortNamed,
    Time(Time),
    TimeNamed,
    TimeStyle,
    TabSize,
    Width,
    Context,
    One,
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::All, b'a', "all"),
    flag(Key::AlmostAll, b'A', "almost-all"),
    long(Key::Author, "author", Value::None),
    flag(Key::Quoting(Style::Escape), b'b', "escape"),
    long(Key::BlockSize, "block-size", Value::Required),
    flag(Key::IgnoreBackups, b'B', "ignore-backups"),
    flag(Key::Time(Time::Changed), b'c', ""),
    flag(Key::Format(Format::Columns), b'C', ""),
    long(Key::Color, "color", Value::Optional),
    flag(Key::Directory, b'd', "directory"),
    flag(Key::Unsorted, b'f', ""),
    optional(Key::Classify, 0, "classify"),
    flag(Key::Classify, b'F', ""),
    long(
        Key::Indicator(Indicator::FileType),
        "file-type",
        Value::None,
    ),
    long(Key::FormatNamed, "format", Value::Required),
    long(Key::FullTime, "full-time", Value::None),
    flag(Key::NoOwner, b'g', ""),
    long(
        Key::DirectoriesFirst,
        "group-directories-first",
        Value::None,
    ),
    flag(Key::NoGroup, b'G', "no-group"),
    flag(Key::Sizes(Blocks::HUMAN), b'h', "human-readable"),
    long(Key::Sizes(Blocks::SI), "si", Value::None),
    flag(
        Key::Follow(Follow::Operands),
        b'H',
        "dereference-command-line",
    ),
    long(
        Key::Follow(Follow::OperandsToDirectories),
        "dereference-command-line-symlink-to-dir",
        Value::None,
    ),
    long(Key::Hide, "hide", Value::Required),
    long(Key::IndicatorNamed, "indicator-style", Value::Required),
    flag(Key::Inode, b'i', "inode"),
    value(Key::Ignore, b'I', "ignore"),
    flag(Key::Kibibytes, b'k', "kibibytes"),
    flag(Key::Format(Format::Long), b'l', ""),
    flag(Key::Follow(Follow::Always), b'L', "dereference"),
    flag(Key::Format(Format::Commas), b'm', ""),
    flag(Key::Numeric, b'n', "numeric-uid-gid"),
    flag(Key::Quoting(Style::Literal), b'N', "literal"),
    flag(Key::NoGroupLong, b'o', ""),
    flag(Key::Indicator(Indicator::Slash), b'p', ""),
    flag(Key::HideControl(true), b'q', "hide-control-chars"),
    long(Key::HideControl(false), "show-control-chars", Value::None),
    flag(Key::Quoting(Style::C), b'Q', "quote-name"),
    long(Key::QuotingNamed, "quoting-style", Value::Required),
    flag(Key::Reverse, b'r', "reverse"),
    flag(Key::Recursive, b'R', "recursive"),
    flag(Key::Blocks, b's', "size"),
    flag(Key::Sort(Sort::Size), b'S', ""),
    long(Key::SortNamed, "sort", Value::Required),
    long(Key::TimeNamed, "time", Value::Required),
    long(Key::TimeStyle, "time-style", Value::Required),
    flag(Key::Sort(Sort::Time), b't', ""),
    value(Key::TabSize, b'T', "tabsize"),
    flag(Key::Time(Time::Accessed), b'u', ""),
    flag(Key::Sort(Sort::None), b'U', ""),
    flag(Key::Sort(Sort::Version), b'v', ""),
    value(Key::Width, b'w', "width"),
    flag(Key::Format(Format::Across), b'x', ""),
    flag(Key::Sort(Sort::Extension), b'X', ""),
    flag(Key::Context, b'Z', "context"),
    flag(Key::One, b'1', ""),
    long(Key::Zero, "zero", Value::None),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What the options say, before it is known what those mean that were not given.
struct Given<'a> {
    tool: &'a str,
    terminal: bool,
    settings: Settings,
    format: Option<Format>,
    sort: Option<Sort>,
    time: Option<Time>,
    follow: Option<Follow>,
    quoting: Option<Style>,
    hide: Option<bool>,
    width: Option<usize>,
    sizes: Option<Blocks>,
    time_style: Option<Vec<u8>>,
    kibibytes: bool,
}

/// Reads the arguments: what the options say, and the operands.
pub(super) fn read(tool: &str, arguments: Arguments) -> Result<(Settings, Vec<Vec<u8>>), Stop> {
    let columns = system::terminal_columns();
    let mut given = Given {
        tool,
        terminal: columns.is_some(),
        settings: usual(tool, columns),
        format: None,
        sort: None,
        time: None,
        follow: None,
        quoting: None,
        hide: None,
        width: None,
        sizes: None,
        time_style: None,
        kibibytes: false,
    };
    let operands =
        Options::new(TABLE, arguments).each(|key, value| given.take(key, value.as_deref()))?;
    Ok((given.settings()?, operands))
}

impl Given<'_> {
    fn take(&mut self, key: Key, value: Option<&[u8]>) -> Result<(), Stop> {
        let text = value.unwrap_or_default();
        let settings = &mut self.settings;
        match key {
            Key::All => (settings.all, settings.almost_all) = (true, false),
            Key::AlmostAll => (settings.all, settings.almost_all) = (false, true),
            Key::Author => settings.author = true,
            Key::BlockSize => self.sizes = Some(block_size(text)?),
            Key::IgnoreBackups => settings.patterns.extend([b"*~".to_vec(), b".*~".to_vec()]),
            Key::Color => self.settings.color = self.when("--color", value)?,
            Key::Directory => settings.directory = true,
            Key::Unsorted => self.unsorted(),
            Key::Classify => {
                if self.when("--classify", value)? {
                    self.settings.indicator = Indicator::Classify;
                }
            }
            Key::Indicator(indicator) => settings.indicator = indicator,
            Key::IndicatorNamed => {
                self.settings.indicator = self.named("--indicator-style", text, INDICATORS)?;
            }
            Key::Format(format) => self.format = Some(format),
            Key::FormatNamed => self.format = Some(self.named("--format", text, FORMATS)?),
            Key::FullTime => {
                self.format = Some(Format::Long);
                self.time_style = Some(b"full-iso".to_vec());
            }
            Key::NoOwner => (self.format, settings.owner) = (Some(Format::Long), false),
            Key::DirectoriesFirst => settings.directories_first = true,
            Key::NoGroup => settings.group = false,
            Key::Sizes(blocks) => self.sizes = Some(blocks),
            Key::Follow(follow) => self.follow = Some(follow),
            Key::Hide => settings.hidden.push(text.to_vec()),
            Key::Inode => settings.inode = true,
            Key::Ignore => settings.patterns.push(text.to_vec()),
            Key::Kibibytes => self.kibibytes = true,
            Key::Numeric => (self.format, settings.numeric) = (Some(Format::Long), true),
            Key::NoGroupLong => (self.format, settings.group) = (Some(Format::Long), false),
            Key::HideControl(hide) => self.hide = Some(hide),
            Key::Quoting(style) => self.quoting = Some(style),
            Key::QuotingNamed => {
                self.quoting = Some(self.named("--quoting-style", text, Style::NAMES)?);
            }
            Key::Reverse => settings.reverse = true,
            Key::Recursive => settings.recursive = true,
            Key::Blocks => settings.blocks = true,
            Key::Sort(sort) => self.sort = Some(sort),
            Key::SortNamed => self.sort = Some(self.named("--sort", text, SORTS)?),
            Key::Time(time) => self.time = Some(time),
            Key::TimeNamed => self.time = Some(self.named("--time", text, TIMES)?),
            Key::TimeStyle => self.time_style = Some(text.to_vec()),
            Key::TabSize => settings.tab = number("tab size", text)?,
            Key::Width => self.width = Some(number("line width", text)?),
            Key::Context => settings.context = true,
            Key::One => self.one_a_line(),
            Key::Zero => self.zero(),
            Key::Help => {
                return Err(Stop::Status(help(
                    self.tool,
                    "[OPTION]... [FILE]...",
                    "List information about the FILEs (the current directory by default).",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(self.tool))),
        }
        Ok(())
    }

    /// `-f`
    fn unsorted(&mut self) {
        (self.settings.all, self.settings.almost_all) = (true, false);
        self.sort = Some(Sort::None);
        if self.format == Some(Format::Long) {
            self.format = None;
        }
        self.settings.blocks = false;
        self.settings.color = false;
    }

    /// `-1`: in the long format every entry has its line anyway.
    fn one_a_line(&mut self) {
        if self.format != Some(Format::Long) {
            self.format = Some(Format::OneALine);
        }
    }

    /// `--zero`
    fn zero(&mut self) {
        self.settings.zero = true;
        self.settings.color = false;
        self.hide = Some(false);
        self.quoting = Some(Style::Literal);
        self.one_a_line();
    }

    /// The choice that an option's value names.
    fn named<T: Copy + PartialEq>(
        &self,
        option: &str,
        text: &[u8],
        choices: &[(&str, T)],
    ) -> Result<T, Stop> {
        // The status is 1, and 2 for every other mistake.
        one_of(option, text, choices).map_err(|usage| Stop::Status(usage.report(self.tool, 1)))
    }

    /// `always`, `auto` or `never`.
    fn when(&self, option: &str, text: Option<&[u8]>) -> Result<bool, Stop> {
        let Some(text) = text else { return Ok(true) };
        let chosen = self.named(option, text, WHEN)?;
        Ok(chosen.unwrap_or(self.terminal))
    }

    /// The settings, with what options mean for others.
    fn settings(self) -> Result<Settings, Stop> {
        let mut settings = self.settings;
        settings.format = self.format.unwrap_or(settings.format);
        settings.quoting = self.quoting.unwrap_or(settings.quoting);
        settings.hide = self
            .hide
            .unwrap_or(self.terminal && settings.quoting == Style::Literal);
        settings.width = self.width.unwrap_or(settings.width);
        if let Some(blocks) = self.sizes {
            (settings.block_size, settings.file_size) = (blocks, blocks);
        } else if self.kibibytes {
            settings.block_size = Blocks::of(1024);
        }
        settings.time = self.time.unwrap_or(Time::Modified);
        settings.sort = self.sort.unwrap_or(match self.time {
            Some(_) if settings.format != Format::Long => Sort::Time,
            _ => Sort::Name,
        });
        settings.follow = self.follow.unwrap_or(
            if settings.directory
                || settings.indicator == Indicator::Classify
                || settings.format == Format::Long
            {
                Follow::Never
            } else {
                Follow::OperandsToDirectories
            },
        );
        let from_environment = || std::env::var("TIME_STYLE").ok().map(String::into_bytes);
        if let Some(style) = self.time_style.or_else(from_environment) {
            settings.time_style = style_of(self.tool, &style)?;
        }
        Ok(settings)
    }
}

fn usual(tool: &str, columns: Option<usize>) -> Settings {
    let terminal = columns.is_some();
    let format = match tool {
        "dir" => Format::Columns,
        "vdir" => Format::Long,
        _ if terminal => Format::Columns,
        _ => Format::OneALine,
    };
    let from_environment = std::env::var("QUOTING_STYLE").ok().and_then(|name| {
        Style::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, style)| *style)
    });
    let quoting = match tool {
        "dir" | "vdir" => Style::Escape,
        _ => from_environment.unwrap_or(if terminal {
            Style::ShellEscape
        } else {
            Style::Literal
        }),
    };
    let width = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok());
    let blocks = ["LS_BLOCK_SIZE", "BLOCK_SIZE"]
        .iter()
        .find_map(|name| std::env::var(name).ok());
    let blocks = blocks.and_then(|text| Blocks::parse(text.as_bytes()));
    Settings {
        format,
        sort: Sort::Name,
        reverse: false,
        time: Time::Modified,
        all: false,
        almost_all: false,
        directory: false,
        recursive: false,
        inode: false,
        blocks: false,
        owner: true,
        group: true,
        author: false,
        numeric: false,
        context: false,
        directories_first: false,
        follow: Follow::Never,
        indicator: Indicator::None,
        quoting,
        hide: false,
        width: width
            .or(columns.filter(|columns| *columns > 0))
            .unwrap_or(80),
        tab: 8,
        zero: false,
        color: false,
        block_size: blocks.unwrap_or(Blocks::of(1024)),
        file_size: blocks.unwrap_or(Blocks::of(1)),
        time_style: TimeStyle {
            old: b"%b %e  %Y".to_vec(),
            recent: b"%b %e %H:%M".to_vec(),
        },
        patterns: Vec::new(),
        hidden: Vec::new(),
    }
}

fn style_of(tool: &str, text: &[u8]) -> Result<TimeStyle, Stop> {
    let both = |form: &[u8]| {
        Ok(TimeStyle {
            old: form.to_vec(),
            recent: form.to_vec(),
        })
    };
    if let Some(form) = text.strip_prefix(b"+") {
        let mut parts = form.splitn(2, |byte| *byte == b'\n');
        let old = parts.next().unwrap_or_default().to_vec();
        let recent = parts.next().map_or_else(|| old.clone(), <[u8]>::to_vec);
        return Ok(TimeStyle { old, recent });
    }
    match text.strip_prefix(b"posix-").unwrap_or(text) {
        b"full-iso" => both(b"%Y-%m-%d %H:%M:%S.%N %z"),
        b"long-iso" => both(b"%Y-%m-%d %H:%M"),
        b"iso" => Ok(TimeStyle {
            old: b"%Y-%m-%d ".to_vec(),
            recent: b"%m-%d %H:%M".to_vec(),
        }),
        b"locale" => Ok(TimeStyle {
            old: b"%b %e  %Y".to_vec(),
            recent: b"%b %e %H:%M".to_vec(),
        }),
        _ => {
            complain(
                tool,
                [
                    b"invalid argument ",
                    &quoted(text)[..],
                    b" for 'time style'",
                ]
                .concat(),
            );
            let rest = "Valid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n  - [posix-]locale\n  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n";
            let _ = std::io::Write::write_all(&mut std::io::stderr(), rest.as_bytes());
            Err(Usage::new("").into())
        }
    }
}

fn number(what: &str, text: &[u8]) -> Result<usize, Stop> {
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| Stop::failed([b"invalid ", what.as_bytes(), b": ", &quoted(text)].concat()))
}

fn block_size(text: &[u8]) -> Result<Blocks, Stop> {
    Blocks::parse(text).ok_or_else(|| {
        Stop::failed([b"invalid --block-size argument ", &quoted(text)[..]].concat())
    })
}

const WHEN: &[(&str, Option<bool>)] = &[
    ("always", Some(true)),
    ("yes", Some(true)),
    ("force", Some(true)),
    ("never", Some(false)),
    ("no", Some(false)),
    ("none", Some(false)),
    ("auto", None),
    ("tty", None),
    ("if-tty", None),
];
const FORMATS: &[(&str, Format)] = &[
    ("verbose", Format::Long),
    ("long", Format::Long),
    ("commas", Format::Commas),
    ("horizontal", Format::Across),
    ("across", Format::Across),
    ("vertical", Format::Columns),
    ("single-column", Format::OneALine),
];
const SORTS: &[(&str, Sort)] = &[
    ("none", Sort::None),
    ("time", Sort::Time),
    ("size", Sort::Size),
    ("extension", Sort::Extension),
    ("version", Sort::Version),
    ("width", Sort::Width),
];
const TIMES: &[(&str, Time)] = &[
    ("atime", Time::Accessed),
    ("access", Time::Accessed),
    ("use", Time::Accessed),
    ("ctime", Time::Changed),
    ("status", Time::Changed),
    ("birth", Time::Born),
    ("creation", Time::Born),
];
const INDICATORS: &[(&str, Indicator)] = &[
    ("none", Indicator::None),
    ("slash", Indicator::Slash),
    ("file-type", Indicator::FileType),
    ("classify", Indicator::Classify),
];
