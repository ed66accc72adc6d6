//! The options of `ls`.

use codepod_tool::{
    Arguments, Found, Opt, Options, Usage, Value, complain, flag, long, optional, quoted, value,
};

use crate::arguments::{help, one_of, version};
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    All,
    AlmostAll,
    Author,
    Escape,
    BlockSize,
    IgnoreBackups,
    Ctime,
    Columns,
    Color,
    Directory,
    Unsorted,
    Classify,
    FileType,
    Format,
    FullTime,
    NoOwner,
    DirectoriesFirst,
    NoGroup,
    Human,
    Si,
    FollowOperands,
    FollowOperandsToDirectories,
    Hide,
    IndicatorStyle,
    Inode,
    Ignore,
    Kibibytes,
    Long,
    Dereference,
    Commas,
    Numeric,
    Literal,
    NoGroupLong,
    Slash,
    HideControl,
    ShowControl,
    QuoteName,
    QuotingStyle,
    Reverse,
    Recursive,
    Blocks,
    Size,
    Sort,
    Time,
    TimeStyle,
    ByTime,
    TabSize,
    Atime,
    NoSort,
    ByVersion,
    Width,
    Across,
    ByExtension,
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
    flag(Key::Escape, b'b', "escape"),
    long(Key::BlockSize, "block-size", Value::Required),
    flag(Key::IgnoreBackups, b'B', "ignore-backups"),
    flag(Key::Ctime, b'c', ""),
    flag(Key::Columns, b'C', ""),
    long(Key::Color, "color", Value::Optional),
    flag(Key::Directory, b'd', "directory"),
    flag(Key::Unsorted, b'f', ""),
    optional(Key::Classify, 0, "classify"),
    flag(Key::Classify, b'F', ""),
    long(Key::FileType, "file-type", Value::None),
    long(Key::Format, "format", Value::Required),
    long(Key::FullTime, "full-time", Value::None),
    flag(Key::NoOwner, b'g', ""),
    long(
        Key::DirectoriesFirst,
        "group-directories-first",
        Value::None,
    ),
    flag(Key::NoGroup, b'G', "no-group"),
    flag(Key::Human, b'h', "human-readable"),
    long(Key::Si, "si", Value::None),
    flag(Key::FollowOperands, b'H', "dereference-command-line"),
    long(
        Key::FollowOperandsToDirectories,
        "dereference-command-line-symlink-to-dir",
        Value::None,
    ),
    long(Key::Hide, "hide", Value::Required),
    long(Key::IndicatorStyle, "indicator-style", Value::Required),
    flag(Key::Inode, b'i', "inode"),
    value(Key::Ignore, b'I', "ignore"),
    flag(Key::Kibibytes, b'k', "kibibytes"),
    flag(Key::Long, b'l', ""),
    flag(Key::Dereference, b'L', "dereference"),
    flag(Key::Commas, b'm', ""),
    flag(Key::Numeric, b'n', "numeric-uid-gid"),
    flag(Key::Literal, b'N', "literal"),
    flag(Key::NoGroupLong, b'o', ""),
    flag(Key::Slash, b'p', ""),
    flag(Key::HideControl, b'q', "hide-control-chars"),
    long(Key::ShowControl, "show-control-chars", Value::None),
    flag(Key::QuoteName, b'Q', "quote-name"),
    long(Key::QuotingStyle, "quoting-style", Value::Required),
    flag(Key::Reverse, b'r', "reverse"),
    flag(Key::Recursive, b'R', "recursive"),
    flag(Key::Blocks, b's', "size"),
    flag(Key::Size, b'S', ""),
    long(Key::Sort, "sort", Value::Required),
    long(Key::Time, "time", Value::Required),
    long(Key::TimeStyle, "time-style", Value::Required),
    flag(Key::ByTime, b't', ""),
    value(Key::TabSize, b'T', "tabsize"),
    flag(Key::Atime, b'u', ""),
    flag(Key::NoSort, b'U', ""),
    flag(Key::ByVersion, b'v', ""),
    value(Key::Width, b'w', "width"),
    flag(Key::Across, b'x', ""),
    flag(Key::ByExtension, b'X', ""),
    flag(Key::Context, b'Z', "context"),
    flag(Key::One, b'1', ""),
    long(Key::Zero, "zero", Value::None),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Reads the arguments. Fails with the status to end with, after saying why.
pub(super) fn read(tool: &str, arguments: Arguments) -> Result<(Settings, Vec<Vec<u8>>), i32> {
    let columns = system::terminal_columns();
    let terminal = columns.is_some();
    let mut settings = usual(tool, columns);
    let mut format = None;
    let mut sort = None;
    let mut time = None;
    let mut follow = None;
    let mut quoting = None;
    let mut hide = None;
    let mut width = None;
    let (mut sizes, mut human_sizes) = (None, None);
    let mut time_style = None;
    let mut kibibytes = false;
    let mut operands = Vec::new();
    let mut options = Options::new(TABLE, arguments);
    loop {
        let (key, value) = match options.next() {
            Ok(Some(Found::Option(key, value))) => (key, value),
            Ok(Some(Found::Operand(operand))) => {
                operands.push(operand);
                continue;
            }
            Ok(None) => break,
            Err(usage) => return Err(usage.report(tool, 2)),
        };
        let text = value.as_deref().unwrap_or_default();
        match key {
            Key::All => (settings.all, settings.almost_all) = (true, false),
            Key::AlmostAll => (settings.all, settings.almost_all) = (false, true),
            Key::Author => settings.author = true,
            Key::Escape => quoting = Some(Style::Escape),
            Key::BlockSize => {
                let Some(blocks) = Blocks::parse(text) else {
                    complain(
                        tool,
                        [b"invalid --block-size argument ", &quoted(text)[..]].concat(),
                    );
                    return Err(2);
                };
                (sizes, human_sizes) = (Some(blocks), Some(blocks));
            }
            Key::IgnoreBackups => settings.patterns.extend([b"*~".to_vec(), b".*~".to_vec()]),
            Key::Ctime => time = Some(Time::Changed),
            Key::Columns => format = Some(Format::Columns),
            Key::Color => settings.color = when(tool, "--color", value.as_deref(), terminal)?,
            Key::Directory => settings.directory = true,
            Key::Unsorted => {
                (settings.all, settings.almost_all) = (true, false);
                sort = Some(Sort::None);
                if format == Some(Format::Long) {
                    format = None;
                }
                settings.blocks = false;
                settings.color = false;
            }
            Key::Classify => {
                if when(tool, "--classify", value.as_deref(), terminal)? {
                    settings.indicator = Indicator::Classify;
                }
            }
            Key::FileType => settings.indicator = Indicator::FileType,
            Key::Format => {
                format = Some(
                    one_of(tool, "--format", text, FORMATS)
                        .map_err(|()| Usage::new("").report(tool, 1))?,
                )
            }
            Key::FullTime => {
                format = Some(Format::Long);
                time_style = Some(b"full-iso".to_vec());
            }
            Key::NoOwner => (format, settings.owner) = (Some(Format::Long), false),
            Key::DirectoriesFirst => settings.directories_first = true,
            Key::NoGroup => settings.group = false,
            Key::Human => (sizes, human_sizes) = (Some(Blocks::HUMAN), Some(Blocks::HUMAN)),
            Key::Si => (sizes, human_sizes) = (Some(Blocks::SI), Some(Blocks::SI)),
            Key::FollowOperands => follow = Some(Follow::Operands),
            Key::FollowOperandsToDirectories => follow = Some(Follow::OperandsToDirectories),
            Key::Hide => settings.hidden.push(text.to_vec()),
            Key::IndicatorStyle => {
                settings.indicator = one_of(tool, "--indicator-style", text, INDICATORS)
                    .map_err(|()| Usage::new("").report(tool, 1))?;
            }
            Key::Inode => settings.inode = true,
            Key::Ignore => settings.patterns.push(text.to_vec()),
            Key::Kibibytes => kibibytes = true,
            Key::Long => format = Some(Format::Long),
            Key::Dereference => follow = Some(Follow::Always),
            Key::Commas => format = Some(Format::Commas),
            Key::Numeric => (format, settings.numeric) = (Some(Format::Long), true),
            Key::Literal => quoting = Some(Style::Literal),
            Key::NoGroupLong => (format, settings.group) = (Some(Format::Long), false),
            Key::Slash => settings.indicator = Indicator::Slash,
            Key::HideControl => hide = Some(true),
            Key::ShowControl => hide = Some(false),
            Key::QuoteName => quoting = Some(Style::C),
            Key::QuotingStyle => {
                quoting = Some(
                    one_of(tool, "--quoting-style", text, Style::NAMES)
                        .map_err(|()| Usage::new("").report(tool, 1))?,
                );
            }
            Key::Reverse => settings.reverse = true,
            Key::Recursive => settings.recursive = true,
            Key::Blocks => settings.blocks = true,
            Key::Size => sort = Some(Sort::Size),
            Key::Sort => {
                sort = Some(
                    one_of(tool, "--sort", text, SORTS)
                        .map_err(|()| Usage::new("").report(tool, 1))?,
                )
            }
            Key::Time => {
                time = Some(
                    one_of(tool, "--time", text, TIMES)
                        .map_err(|()| Usage::new("").report(tool, 1))?,
                )
            }
            Key::TimeStyle => time_style = Some(text.to_vec()),
            Key::ByTime => sort = Some(Sort::Time),
            Key::TabSize => {
                settings.tab = number(text).ok_or_else(|| invalid(tool, "tab size", text))?
            }
            Key::Atime => time = Some(Time::Accessed),
            Key::NoSort => sort = Some(Sort::None),
            Key::ByVersion => sort = Some(Sort::Version),
            Key::Width => {
                width = Some(number(text).ok_or_else(|| invalid(tool, "line width", text))?)
            }
            Key::Across => format = Some(Format::Across),
            Key::ByExtension => sort = Some(Sort::Extension),
            Key::Context => settings.context = true,
            // In the long format every entry has its line anyway.
            Key::One => {
                if format != Some(Format::Long) {
                    format = Some(Format::OneALine);
                }
            }
            Key::Zero => {
                settings.zero = true;
                settings.color = false;
                hide = Some(false);
                quoting = Some(Style::Literal);
                if format != Some(Format::Long) {
                    format = Some(Format::OneALine);
                }
            }
            Key::Help => {
                return Err(help(
                    tool,
                    "[OPTION]... [FILE]...",
                    "List information about the FILEs (the current directory by default).",
                    TABLE,
                ));
            }
            Key::Version => return Err(version(tool)),
        }
    }
    settings.format = format.unwrap_or(settings.format);
    settings.quoting = quoting.unwrap_or(settings.quoting);
    settings.hide = hide.unwrap_or(terminal && settings.quoting == Style::Literal);
    settings.width = width.unwrap_or(settings.width);
    if let Some(blocks) = sizes {
        settings.block_size = blocks;
    } else if kibibytes {
        settings.block_size = Blocks::of(1024);
    }
    settings.file_size = human_sizes.unwrap_or(settings.file_size);
    settings.time = time.unwrap_or(Time::Modified);
    settings.sort = sort.unwrap_or(match time {
        Some(_) if settings.format != Format::Long => Sort::Time,
        _ => Sort::Name,
    });
    settings.follow = follow.unwrap_or(
        if settings.directory
            || settings.indicator == Indicator::Classify
            || settings.format == Format::Long
        {
            Follow::Never
        } else {
            Follow::OperandsToDirectories
        },
    );
    let style = time_style.or_else(|| std::env::var("TIME_STYLE").ok().map(String::into_bytes));
    if let Some(style) = style {
        settings.time_style = style_of(tool, &style)?;
    }
    Ok((settings, operands))
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

fn style_of(tool: &str, text: &[u8]) -> Result<TimeStyle, i32> {
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
            Err(usage(tool))
        }
    }
}

fn usage(tool: &str) -> i32 {
    Usage::new("").report(tool, 2)
}

fn number(text: &[u8]) -> Option<usize> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn invalid(tool: &str, what: &str, text: &[u8]) -> i32 {
    complain(
        tool,
        [b"invalid ", what.as_bytes(), b": ", &quoted(text)].concat(),
    );
    2
}

/// `always`, `auto` or `never`.
fn when(tool: &str, option: &str, text: Option<&[u8]>, terminal: bool) -> Result<bool, i32> {
    let Some(text) = text else { return Ok(true) };
    let chosen = one_of(tool, option, text, WHEN).map_err(|()| Usage::new("").report(tool, 1))?;
    Ok(chosen.unwrap_or(terminal))
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
