//! The options of `tar`.

use codepod_mode::Change;
use codepod_tool::{Arguments, Found, Opt, Options, Value, flag, long, value};

use super::dates;
use super::header::Dialect;
use super::names::{List, Name};
use super::pattern::{Pattern, Style};
use super::transform::Transform;
use crate::codec::{Effort, Format};
use crate::system::Moment;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// `-c`
    Create,
    /// `-x`
    Extract,
    /// `-t`
    List,
    /// `-r`
    Append,
    /// `-u`
    Update,
    /// `-A`
    Concatenate,
    /// `-d`
    Compare,
    /// `--delete`
    Delete,
}

/// What happens to a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It is removed.
    Replace,
    /// It is written over.
    Overwrite,
    /// It is kept, and that is an error.
    Keep,
    /// It is kept.
    Skip,
    /// It is kept if it is newer.
    KeepNewer,
    /// It is removed before.
    UnlinkFirst,
}

/// How names of a directory are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// As the directory has them.
    None,
    /// By name.
    Name,
}

/// Everything that arguments said.
#[derive(Debug)]
pub(crate) struct Settings {
    /// What is to be done.
    pub(crate) operation: Option<Operation>,
    /// The archive; `-` for standard input and output.
    pub(crate) archive: Vec<u8>,
    /// Compression that was asked for.
    pub(crate) compression: Option<(Format, Effort)>,
    /// Compression by the archive's suffix.
    pub(crate) auto: bool,
    /// 0 to 2.
    pub(crate) verbose: u32,
    /// Members and files, with their directories.
    pub(crate) names: List,
    /// Whether any name was given.
    pub(crate) has_names: bool,
    /// Names that are left out.
    pub(crate) exclude: Vec<Pattern>,
    /// The directory that `-C` named last.
    pub(crate) directory: Vec<u8>,
    /// Parts of a name that are taken away when extracting.
    pub(crate) strip: usize,
    /// Content goes to standard output.
    pub(crate) to_stdout: bool,
    /// Permissions as in the archive; none for root's yes and others' no.
    pub(crate) same_permissions: Option<bool>,
    /// Owner as in the archive; likewise.
    pub(crate) same_owner: Option<bool>,
    /// What happens to existing files.
    pub(crate) existing: Existing,
    /// Times are not set.
    pub(crate) touch: bool,
    /// Links are followed.
    pub(crate) dereference: bool,
    /// Hard links are stored as files.
    pub(crate) hard_dereference: bool,
    /// Leading slashes stay.
    pub(crate) absolute: bool,
    /// Changes of names.
    pub(crate) transform: Transform,
    /// Directories are not entered.
    pub(crate) no_recursion: bool,
    /// Owner of new members: name and number.
    pub(crate) owner: Option<(Vec<u8>, Option<u64>)>,
    /// Group of new members.
    pub(crate) group: Option<(Vec<u8>, Option<u64>)>,
    /// Numbers instead of names.
    pub(crate) numeric: bool,
    /// Time of new members.
    pub(crate) mtime: Option<Moment>,
    /// Only later times are changed.
    pub(crate) clamp: bool,
    /// Mode of new members.
    pub(crate) mode: Option<Change>,
    /// Only newer files.
    pub(crate) newer: Option<Moment>,
    /// Order of names.
    pub(crate) order: Order,
    /// A directory that everything goes below.
    pub(crate) one_top_level: Option<Option<Vec<u8>>>,
    /// Files are removed once they are in the archive.
    pub(crate) remove_files: bool,
    /// How headers are written.
    pub(crate) dialect: Dialect,
    /// Blocks of zeros are no end.
    pub(crate) ignore_zeros: bool,
    /// Blocks in a record.
    pub(crate) blocking: u64,
    /// Times with seconds.
    pub(crate) full_time: bool,
    /// Changed names are shown.
    pub(crate) show_transformed: bool,
    /// Members that were left out are told.
    pub(crate) show_omitted: bool,
    /// A file that cannot be read is no error.
    pub(crate) ignore_failed_read: bool,
    /// Directories that exist keep their modes.
    pub(crate) no_overwrite_dir: bool,
    /// A directory tree is removed where a file has to go.
    pub(crate) recursive_unlink: bool,
    /// Totals are told.
    pub(crate) totals: bool,
    /// The archive's label.
    pub(crate) label: Option<Vec<u8>>,
    /// Warnings that are not wanted.
    pub(crate) no_warnings: Vec<String>,
    /// Only this one of members of the same name.
    pub(crate) occurrence: Option<u64>,
    /// `newer` looks at the content's time alone.
    pub(crate) only_mtime: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Key {
    Do(Operation),
    File,
    Verbose,
    Compress(Format),
    AutoCompress,
    NoAutoCompress,
    Program,
    Directory,
    Strip,
    Exclude,
    ExcludeFrom,
    ExcludeVcs,
    FilesFrom,
    Null,
    NoNull,
    Stdout,
    SamePermissions(bool),
    SameOwner(bool),
    Existing(Existing),
    Touch,
    Dereference,
    HardDereference,
    Absolute,
    Transform,
    Recursion(bool),
    Owner,
    Group,
    Numeric,
    Mtime,
    Clamp,
    Mode,
    Newer,
    NewerMtime,
    Sort,
    OneTopLevel,
    RemoveFiles,
    FormatName,
    Posix,
    Old,
    IgnoreZeros,
    Blocking,
    RecordSize,
    FullTime,
    ShowTransformed,
    ShowOmitted,
    IgnoreFailedRead,
    NoOverwriteDir,
    RecursiveUnlink,
    Totals,
    Label,
    Warning,
    Occurrence,
    Wildcards(bool),
    Anchored(bool),
    IgnoreCase(bool),
    MatchSlash(bool),
    AddFile,
    Harmless,
    Help,
    Usage,
    Version,
    Refused,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Do(Operation::Concatenate), b'A', "catenate"),
    flag(Key::Do(Operation::Concatenate), b'A', "concatenate"),
    flag(Key::Do(Operation::Create), b'c', "create"),
    flag(Key::Do(Operation::Compare), b'd', "diff"),
    flag(Key::Do(Operation::Compare), b'd', "compare"),
    long(Key::Do(Operation::Delete), "delete", Value::None),
    flag(Key::Do(Operation::Append), b'r', "append"),
    flag(Key::Do(Operation::List), b't', "list"),
    flag(Key::Do(Operation::Update), b'u', "update"),
    flag(Key::Do(Operation::Extract), b'x', "extract"),
    flag(Key::Do(Operation::Extract), b'x', "get"),
    value(Key::File, b'f', "file"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Compress(Format::Gzip), b'z', "gzip"),
    flag(Key::Compress(Format::Gzip), b'z', "gunzip"),
    flag(Key::Compress(Format::Gzip), b'z', "ungzip"),
    flag(Key::Compress(Format::Bzip2), b'j', "bzip2"),
    flag(Key::Compress(Format::Xz), b'J', "xz"),
    long(Key::Compress(Format::Lzma), "lzma", Value::None),
    long(Key::Compress(Format::Zstd), "zstd", Value::None),
    flag(Key::AutoCompress, b'a', "auto-compress"),
    long(Key::NoAutoCompress, "no-auto-compress", Value::None),
    value(Key::Program, b'I', "use-compress-program"),
    value(Key::Directory, b'C', "directory"),
    long(Key::Strip, "strip-components", Value::Required),
    long(Key::Exclude, "exclude", Value::Required),
    value(Key::ExcludeFrom, b'X', "exclude-from"),
    long(Key::ExcludeVcs, "exclude-vcs", Value::None),
    value(Key::FilesFrom, b'T', "files-from"),
    long(Key::Null, "null", Value::None),
    long(Key::NoNull, "no-null", Value::None),
    flag(Key::Stdout, b'O', "to-stdout"),
    flag(Key::SamePermissions(true), b'p', "preserve-permissions"),
    flag(Key::SamePermissions(true), b'p', "same-permissions"),
    long(
        Key::SamePermissions(false),
        "no-same-permissions",
        Value::None,
    ),
    long(Key::SameOwner(true), "same-owner", Value::None),
    long(Key::SameOwner(false), "no-same-owner", Value::None),
    flag(Key::Old, b'o', ""),
    flag(Key::Existing(Existing::Keep), b'k', "keep-old-files"),
    long(Key::Existing(Existing::Skip), "skip-old-files", Value::None),
    long(
        Key::Existing(Existing::KeepNewer),
        "keep-newer-files",
        Value::None,
    ),
    long(Key::Existing(Existing::Overwrite), "overwrite", Value::None),
    flag(Key::Existing(Existing::UnlinkFirst), b'U', "unlink-first"),
    long(Key::RecursiveUnlink, "recursive-unlink", Value::None),
    long(Key::NoOverwriteDir, "no-overwrite-dir", Value::None),
    long(Key::Harmless, "overwrite-dir", Value::None),
    flag(Key::Touch, b'm', "touch"),
    flag(Key::Dereference, b'h', "dereference"),
    long(Key::HardDereference, "hard-dereference", Value::None),
    flag(Key::Absolute, b'P', "absolute-names"),
    long(Key::Transform, "transform", Value::Required),
    long(Key::Transform, "xform", Value::Required),
    long(Key::Recursion(false), "no-recursion", Value::None),
    long(Key::Recursion(true), "recursion", Value::None),
    long(Key::Owner, "owner", Value::Required),
    long(Key::Group, "group", Value::Required),
    long(Key::Numeric, "numeric-owner", Value::None),
    long(Key::Mtime, "mtime", Value::Required),
    long(Key::Clamp, "clamp-mtime", Value::None),
    long(Key::Mode, "mode", Value::Required),
    value(Key::Newer, b'N', "newer"),
    long(Key::Newer, "after-date", Value::Required),
    long(Key::NewerMtime, "newer-mtime", Value::Required),
    long(Key::Sort, "sort", Value::Required),
    long(Key::OneTopLevel, "one-top-level", Value::Optional),
    long(Key::RemoveFiles, "remove-files", Value::None),
    value(Key::FormatName, b'H', "format"),
    long(Key::Posix, "posix", Value::None),
    flag(Key::IgnoreZeros, b'i', "ignore-zeros"),
    value(Key::Blocking, b'b', "blocking-factor"),
    long(Key::RecordSize, "record-size", Value::Required),
    flag(Key::Harmless, b'B', "read-full-records"),
    long(Key::FullTime, "full-time", Value::None),
    long(Key::Harmless, "utc", Value::None),
    long(Key::ShowTransformed, "show-transformed-names", Value::None),
    long(Key::ShowTransformed, "show-stored-names", Value::None),
    long(Key::ShowOmitted, "show-omitted-dirs", Value::None),
    long(Key::IgnoreFailedRead, "ignore-failed-read", Value::None),
    long(Key::Totals, "totals", Value::Optional),
    value(Key::Label, b'V', "label"),
    long(Key::Warning, "warning", Value::Required),
    long(Key::Occurrence, "occurrence", Value::Optional),
    long(Key::Wildcards(true), "wildcards", Value::None),
    long(Key::Wildcards(false), "no-wildcards", Value::None),
    long(Key::Anchored(true), "anchored", Value::None),
    long(Key::Anchored(false), "no-anchored", Value::None),
    long(Key::IgnoreCase(true), "ignore-case", Value::None),
    long(Key::IgnoreCase(false), "no-ignore-case", Value::None),
    long(Key::MatchSlash(true), "wildcards-match-slash", Value::None),
    long(
        Key::MatchSlash(false),
        "no-wildcards-match-slash",
        Value::None,
    ),
    long(Key::AddFile, "add-file", Value::Required),
    flag(Key::Harmless, b'S', "sparse"),
    flag(Key::Harmless, b'n', "seek"),
    long(Key::Harmless, "no-seek", Value::None),
    long(Key::Harmless, "one-file-system", Value::None),
    long(Key::Harmless, "force-local", Value::None),
    long(Key::Harmless, "no-xattrs", Value::None),
    long(Key::Harmless, "no-acls", Value::None),
    long(Key::Harmless, "no-selinux", Value::None),
    long(Key::Harmless, "xattrs", Value::None),
    long(Key::Harmless, "acls", Value::None),
    long(Key::Harmless, "selinux", Value::None),
    flag(Key::Harmless, b's', "preserve-order"),
    long(Key::Harmless, "no-check-device", Value::None),
    long(Key::Harmless, "delay-directory-restore", Value::None),
    long(Key::Harmless, "no-delay-directory-restore", Value::None),
    long(Key::Harmless, "verbatim-files-from", Value::None),
    long(Key::Harmless, "quote-chars", Value::Required),
    long(Key::Refused, "no-verbatim-files-from", Value::None),
    flag(Key::Refused, b'W', "verify"),
    flag(Key::Refused, b'w', "interactive"),
    long(Key::Refused, "confirmation", Value::None),
    flag(Key::Refused, b'M', "multi-volume"),
    value(Key::Refused, b'L', "tape-length"),
    value(Key::Refused, b'g', "listed-incremental"),
    flag(Key::Refused, b'G', "incremental"),
    value(Key::Refused, b'K', "starting-file"),
    flag(Key::Refused, b'R', "block-number"),
    flag(Key::Refused, b'Z', "compress"),
    long(Key::Refused, "lzip", Value::None),
    long(Key::Refused, "lzop", Value::None),
    long(Key::Refused, "to-command", Value::Required),
    long(Key::Refused, "checkpoint", Value::Optional),
    long(Key::Refused, "checkpoint-action", Value::Required),
    long(Key::Refused, "backup", Value::Optional),
    long(Key::Refused, "suffix", Value::Required),
    long(Key::Refused, "index-file", Value::Required),
    long(Key::Refused, "quoting-style", Value::Required),
    long(Key::Refused, "pax-option", Value::Required),
    long(Key::Refused, "test-label", Value::None),
    long(Key::Refused, "exclude-caches", Value::None),
    long(Key::Refused, "exclude-ignore", Value::Required),
    long(Key::Refused, "exclude-vcs-ignores", Value::None),
    long(Key::Refused, "exclude-tag", Value::Required),
    long(Key::Refused, "atime-preserve", Value::Optional),
    long(Key::Refused, "owner-map", Value::Required),
    long(Key::Refused, "group-map", Value::Required),
    long(Key::Refused, "set-mtime-command", Value::Required),
    flag(Key::Help, b'?', "help"),
    long(Key::Usage, "usage", Value::None),
    long(Key::Version, "version", Value::None),
];

const VCS: [&str; 26] = [
    "CVS",
    ".cvsignore",
    "RCS",
    "SCCS",
    ".git",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".svn",
    ".arch-ids",
    "{arch}",
    "=RELEASE-ID",
    "=meta-update",
    "=update",
    ".bzr",
    ".bzrignore",
    ".bzrtags",
    ".hg",
    ".hgignore",
    ".hgtags",
    "_darcs",
    ".darcsrepo",
    ".DS_Store",
    ".jj",
    ".pijul",
    ".fslckout",
];

/// Why the program ends before it has done anything.
pub(crate) enum Early {
    /// A mistake in the arguments: message, then the hint to `--help`.
    Usage(Vec<u8>),
    /// A mistake in how options are written; likewise.
    Getopt(Vec<u8>),
    /// A mistake without the hint.
    Fatal(String),
    /// `--help`
    Help,
    /// `--version`
    Version,
}

impl From<codepod_tool::Usage> for Early {
    fn from(usage: codepod_tool::Usage) -> Early {
        Early::Getopt(usage.message)
    }
}

/// Turns the first argument without a dash into options as they are written today.
fn modern(arguments: Arguments) -> Result<Arguments, Early> {
    let Some(first) = arguments.first() else {
        return Ok(arguments);
    };
    if first.starts_with(b"-") || first.is_empty() {
        return Ok(arguments);
    }
    let mut rest = arguments.iter().skip(1).cloned();
    let mut out: Arguments = Vec::new();
    for letter in first {
        out.push(vec![b'-', *letter]);
        let option = TABLE.iter().find(|option| option.short == *letter);
        if option.is_some_and(|option| option.value == Value::Required) {
            let Some(value) = rest.next() else {
                let letter = char::from(*letter);
                return Err(Early::Usage(
                    format!("Old option '{letter}' requires an argument.").into_bytes(),
                ));
            };
            if let Some(last) = out.last_mut() {
                // Attached, so that a value with a dash stays one.
                if value.is_empty() {
                    out.push(value);
                } else {
                    last.extend_from_slice(&value);
                }
            }
        }
    }
    out.extend(rest);
    Ok(out)
}

impl Settings {
    fn new() -> Settings {
        Settings {
            operation: None,
            archive: b"-".to_vec(),
            compression: None,
            auto: false,
            verbose: 0,
            names: List::default(),
            has_names: false,
            exclude: Vec::new(),
            directory: Vec::new(),
            strip: 0,
            to_stdout: false,
            same_permissions: None,
            same_owner: None,
            existing: Existing::Replace,
            touch: false,
            dereference: false,
            hard_dereference: false,
            absolute: false,
            transform: Transform::default(),
            no_recursion: false,
            owner: None,
            group: None,
            numeric: false,
            mtime: None,
            clamp: false,
            mode: None,
            newer: None,
            order: Order::None,
            one_top_level: None,
            remove_files: false,
            dialect: Dialect::Gnu,
            ignore_zeros: false,
            blocking: 20,
            full_time: false,
            show_transformed: false,
            show_omitted: false,
            ignore_failed_read: false,
            no_overwrite_dir: false,
            recursive_unlink: false,
            totals: false,
            label: None,
            no_warnings: Vec::new(),
            occurrence: None,
            only_mtime: false,
        }
    }

    /// Reads arguments.
    pub(crate) fn read(arguments: Arguments) -> Result<Settings, Early> {
        let mut settings = Settings::new();
        let mut reading = Reading {
            archive: false,
            null: false,
            member: Style::MEMBER,
            exclude: Style::EXCLUDE,
            recursion: true,
        };
        if let Some(archive) = std::env::var_os("TAPE") {
            settings.archive = archive.into_encoded_bytes();
        }
        let mut options = Options::new(TABLE, modern(arguments)?);
        while let Some(found) = options.next()? {
            match found {
                Found::Operand(name) => settings.add_name(name, &reading),
                Found::Option(key, value) => {
                    settings.set(key, value.unwrap_or_default(), &mut reading)?
                }
            }
        }
        Ok(settings)
    }

    fn add_name(&mut self, name: Vec<u8>, reading: &Reading) {
        self.has_names = true;
        self.names.names.push(Name::new(
            name,
            &self.directory,
            reading.member,
            reading.recursion,
        ));
    }

    fn set(&mut self, key: Key, value: Vec<u8>, reading: &mut Reading) -> Result<(), Early> {
        let shown = || String::from_utf8_lossy(&value).into_owned();
        let usage = |message: String| Early::Usage(message.into_bytes());
        match key {
            Key::Do(operation) => {
                if self.operation.is_some_and(|other| other != operation) {
                    return Err(usage(
                        "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option".into(),
                    ));
                }
                self.operation = Some(operation);
            }
            Key::File => {
                if std::mem::replace(&mut reading.archive, true) {
                    return Err(usage("Multiple archive files require '-M' option".into()));
                }
                self.archive = value;
            }
            Key::Verbose => self.verbose += 1,
            Key::Compress(format) => {
                if self.compression.is_some_and(|(other, _)| other != format) {
                    return Err(usage("Conflicting compression options".into()));
                }
                self.compression = Some((format, Effort::Default));
            }
            Key::AutoCompress => self.auto = true,
            Key::NoAutoCompress => self.auto = false,
            Key::Program => self.compression = Some(program(&shown())?),
            Key::Directory => self.directory = crate::system::join(&self.directory, &value),
            Key::Strip => {
                self.strip = shown()
                    .parse()
                    .map_err(|_| usage(format!("{}: Invalid number of elements", shown())))?;
            }
            Key::Exclude => self.exclude.push(Pattern::new(&value, reading.exclude)),
            Key::ExcludeFrom => {
                for line in read_lines(&value, b'\n', "")? {
                    self.exclude.push(Pattern::new(&line, reading.exclude));
                }
            }
            Key::ExcludeVcs => {
                let style = Style::EXCLUDE;
                self.exclude
                    .extend(VCS.iter().map(|name| Pattern::new(name.as_bytes(), style)));
            }
            Key::FilesFrom => self.files_from(&value, reading)?,
            Key::Null => reading.null = true,
            Key::NoNull => reading.null = false,
            Key::Stdout => self.to_stdout = true,
            Key::SamePermissions(same) => self.same_permissions = Some(same),
            Key::SameOwner(same) => self.same_owner = Some(same),
            Key::Old => {
                self.same_owner = Some(false);
                if self.operation == Some(Operation::Create) {
                    self.dialect = Dialect::V7;
                }
            }
            Key::Existing(existing) => self.existing = existing,
            Key::RecursiveUnlink => self.recursive_unlink = true,
            Key::NoOverwriteDir => self.no_overwrite_dir = true,
            Key::Touch => self.touch = true,
            Key::Dereference => self.dereference = true,
            Key::HardDereference => self.hard_dereference = true,
            Key::Absolute => self.absolute = true,
            Key::Transform => self.transform.add(&value).map_err(usage)?,
            Key::Recursion(on) => {
                reading.recursion = on;
                self.no_recursion = !on;
            }
            Key::Owner => self.owner = Some(owner(&value)),
            Key::Group => self.group = Some(owner(&value)),
            Key::Numeric => self.numeric = true,
            Key::Mtime => {
                let time = dates::parse(&value).map_err(|()| {
                    Early::Fatal(format!(
                        "Substituting -9223372036854775808 for unknown date format '{}'",
                        shown()
                    ))
                });
                self.mtime = Some(time?);
            }
            Key::Clamp => self.clamp = true,
            Key::Mode => {
                let change = Change::parse(&value)
                    .ok_or_else(|| Early::Fatal("Invalid mode given on option\0".into()))?;
                self.mode = Some(change);
            }
            Key::Newer | Key::NewerMtime => {
                self.only_mtime = key == Key::NewerMtime;
                let time = dates::parse(&value)
                    .map_err(|()| usage(format!("Date sample file not found: {}", shown())));
                self.newer = Some(time?);
            }
            Key::Sort => {
                self.order = match &value[..] {
                    b"none" => Order::None,
                    b"name" | b"inode" => Order::Name,
                    _ => {
                        return Err(Early::Fatal(format!(
                            "invalid argument '{}' for '--sort'\nValid arguments are:\n  - 'none'\n  - 'name'\n  - 'inode'",
                            shown()
                        )));
                    }
                }
            }
            Key::OneTopLevel => {
                self.one_top_level = Some(Some(value).filter(|value| !value.is_empty()))
            }
            Key::RemoveFiles => self.remove_files = true,
            Key::FormatName => {
                self.dialect = match &value[..] {
                    b"v7" => Dialect::V7,
                    b"ustar" => Dialect::Ustar,
                    b"gnu" | b"oldgnu" => Dialect::Gnu,
                    b"pax" | b"posix" => Dialect::Pax,
                    _ => return Err(usage(format!("{}: Invalid archive format", shown()))),
                }
            }
            Key::Posix => self.dialect = Dialect::Pax,
            Key::IgnoreZeros => self.ignore_zeros = true,
            Key::Blocking => {
                let factor = shown()
                    .parse()
                    .ok()
                    .filter(|factor| (1..=1 << 16).contains(factor));
                self.blocking =
                    factor.ok_or_else(|| usage(format!("{}: Invalid blocking factor", shown())))?;
            }
            Key::RecordSize => {
                let size = shown()
                    .parse::<u64>()
                    .ok()
                    .filter(|size| *size > 0 && size % 512 == 0);
                self.blocking = size
                    .ok_or_else(|| usage("Record size must be a multiple of 512.".into()))?
                    / 512;
            }
            Key::FullTime => self.full_time = true,
            Key::ShowTransformed => self.show_transformed = true,
            Key::ShowOmitted => self.show_omitted = true,
            Key::IgnoreFailedRead => self.ignore_failed_read = true,
            Key::Totals => self.totals = true,
            Key::Label => self.label = Some(value),
            Key::Warning => self.no_warnings.push(shown()),
            Key::Occurrence => {
                let number = if value.is_empty() {
                    Some(1)
                } else {
                    shown().parse().ok()
                };
                self.occurrence =
                    Some(number.ok_or_else(|| usage(format!("{}: Invalid number", shown())))?);
            }
            Key::Wildcards(on) => {
                reading.member.wildcards = on;
                reading.exclude.wildcards = on;
            }
            Key::Anchored(on) => {
                reading.member.anchored = on;
                reading.exclude.anchored = on;
            }
            Key::IgnoreCase(on) => {
                reading.member.ignore_case = on;
                reading.exclude.ignore_case = on;
            }
            Key::MatchSlash(on) => {
                reading.member.match_slash = on;
                reading.exclude.match_slash = on;
            }
            Key::AddFile => self.add_name(value, reading),
            Key::Harmless => {}
            Key::Help | Key::Usage => return Err(Early::Help),
            Key::Version => return Err(Early::Version),
            Key::Refused => {
                return Err(Early::Fatal(
                    "this option is not supported here; --help lists those that are".into(),
                ));
            }
        }
        Ok(())
    }

    fn files_from(&mut self, file: &[u8], reading: &Reading) -> Result<(), Early> {
        self.has_names = true;
        let end = if reading.null { 0 } else { b'\n' };
        let mut lines = read_lines(file, end, "Cannot open: ")?.into_iter();
        while let Some(line) = lines.next() {
            if !reading.null {
                if line == b"-C" {
                    if let Some(directory) = lines.next() {
                        self.directory = crate::system::join(&self.directory, &directory);
                    }
                    continue;
                }
                if let Some(directory) = line.strip_prefix(b"-C") {
                    let directory = directory.strip_prefix(b" ").unwrap_or(directory);
                    self.directory = crate::system::join(&self.directory, directory);
                    continue;
                }
            }
            if !line.is_empty() {
                self.add_name(line, reading);
            }
        }
        Ok(())
    }
}

/// How names are read at this place of the arguments.
struct Reading {
    archive: bool,
    null: bool,
    member: Style,
    exclude: Style,
    recursion: bool,
}

fn read_lines(file: &[u8], end: u8, what: &str) -> Result<Vec<Vec<u8>>, Early> {
    let content = if file == b"-" {
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut content).map(|_| content)
    } else {
        std::fs::read(codepod_tool::path(file))
    };
    let content = content.map_err(|error| {
        let shown = String::from_utf8_lossy(file);
        Early::Fatal(format!(
            "{shown}: {what}{}\0",
            codepod_tool::io_text(&error)
        ))
    })?;
    let mut lines: Vec<Vec<u8>> = content
        .split(|byte| *byte == end)
        .map(<[u8]>::to_vec)
        .collect();
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    Ok(lines)
}

/// A name, a number, or a name and its number.
fn owner(value: &[u8]) -> (Vec<u8>, Option<u64>) {
    let number = |text: &[u8]| {
        std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
    };
    if let Some(colon) = value.iter().position(|byte| *byte == b':') {
        return (value[..colon].to_vec(), number(&value[colon + 1..]));
    }
    if let Some(plus) = value.strip_prefix(b"+") {
        return (Vec::new(), number(plus));
    }
    match number(value) {
        Some(number) => (Vec::new(), Some(number)),
        None => (value.to_vec(), None),
    }
}

/// A program that compresses, as far as it is one of ours.
fn program(command: &str) -> Result<(Format, Effort), Early> {
    let mut words = command.split_whitespace();
    let name = words.next().unwrap_or("");
    let base = name.rsplit('/').next().unwrap_or(name);
    let format = match base {
        "gzip" | "pigz" => Format::Gzip,
        "bzip2" | "pbzip2" | "lbzip2" => Format::Bzip2,
        "xz" | "pixz" | "pxz" => Format::Xz,
        "lzma" => Format::Lzma,
        "zstd" | "zstdmt" | "pzstd" => Format::Zstd,
        _ => {
            return Err(Early::Fatal(format!(
                "{name}: Cannot exec: only gzip, bzip2, xz, lzma and zstd compress here"
            )));
        }
    };
    let mut effort = Effort::Default;
    for word in words {
        match word.strip_prefix('-').map(str::parse) {
            Some(Ok(level)) => effort = Effort::Level(level),
            _ if word.starts_with("-T")
                || word.starts_with("--threads")
                || word == "-c"
                || word == "-q"
                || word == "-d" => {}
            _ if word == "-n" || word == "--long" || word == "--ultra" || word == "--best" => {}
            _ => {
                return Err(Early::Fatal(format!(
                    "{name}: the option {word} is not supported here"
                )));
            }
        }
    }
    Ok((format, effort))
}
