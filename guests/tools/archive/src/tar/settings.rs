//! What the arguments of `tar` ask for.

use codepod_mode::Change;
use codepod_tool::{Arguments, Found, Options};

use super::header::Dialect;
use super::names::{List, Name};
use super::options::{Key, Match, Switch, TABLE, modern};
use super::pattern::{Pattern, Style};
use super::transform::Transform;
use super::values;
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

impl Early {
    /// A mistake in the arguments.
    pub(super) fn usage(message: impl Into<String>) -> Early {
        Early::Usage(message.into().into_bytes())
    }
}

impl From<codepod_tool::Usage> for Early {
    fn from(usage: codepod_tool::Usage) -> Early {
        Early::Getopt(usage.message)
    }
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
        match key {
            Key::Do(operation) => self.set_operation(operation)?,
            Key::File => {
                if std::mem::replace(&mut reading.archive, true) {
                    return Err(Early::usage("Multiple archive files require '-M' option"));
                }
                self.archive = value;
            }
            Key::Verbose => self.verbose += 1,
            Key::Compress(format) => self.set_compression(format)?,
            Key::AutoCompress(on) => self.auto = on,
            Key::Program => self.compression = Some(values::program(&value)?),
            Key::Directory => self.directory = crate::system::join(&self.directory, &value),
            Key::Strip => self.strip = values::strip(&value)?,
            Key::Exclude => self.exclude.push(Pattern::new(&value, reading.exclude)),
            Key::ExcludeFrom => {
                for line in values::read_lines(&value, b'\n', "")? {
                    self.exclude.push(Pattern::new(&line, reading.exclude));
                }
            }
            Key::ExcludeVcs => {
                let style = Style::EXCLUDE;
                self.exclude
                    .extend(VCS.iter().map(|name| Pattern::new(name.as_bytes(), style)));
            }
            Key::FilesFrom => self.files_from(&value, reading)?,
            Key::Null(on) => reading.null = on,
            Key::SamePermissions(same) => self.same_permissions = Some(same),
            Key::SameOwner(same) => self.same_owner = Some(same),
            Key::Old => {
                self.same_owner = Some(false);
                if self.operation == Some(Operation::Create) {
                    self.dialect = Dialect::V7;
                }
            }
            Key::Existing(existing) => self.existing = existing,
            Key::Transform => self.transform.add(&value).map_err(Early::usage)?,
            Key::Recursion(on) => {
                reading.recursion = on;
                self.no_recursion = !on;
            }
            Key::Owner => self.owner = Some(values::owner(&value)),
            Key::Group => self.group = Some(values::owner(&value)),
            Key::Mtime => self.mtime = Some(values::mtime(&value)?),
            Key::Mode => self.mode = Some(values::mode(&value)?),
            Key::Newer | Key::NewerMtime => {
                self.only_mtime = key == Key::NewerMtime;
                self.newer = Some(values::newer(&value)?);
            }
            Key::Sort => self.order = values::order(&value)?,
            Key::OneTopLevel => {
                self.one_top_level = Some(Some(value).filter(|value| !value.is_empty()))
            }
            Key::FormatName => self.dialect = values::dialect(&value)?,
            Key::Posix => self.dialect = Dialect::Pax,
            Key::Blocking => self.blocking = values::blocking(&value)?,
            Key::RecordSize => self.blocking = values::record_size(&value)?,
            Key::Label => self.label = Some(value),
            Key::Warning => {
                let name = String::from_utf8_lossy(&value).into_owned();
                self.no_warnings.push(name);
            }
            Key::Occurrence => self.occurrence = Some(values::occurrence(&value)?),
            Key::AddFile => self.add_name(value, reading),
            Key::Switch(switch) => *self.switch(switch) = true,
            Key::Match(way, on) => reading.set(way, on),
            Key::Harmless => {}
            Key::Help | Key::Usage => return Err(Early::Help),
            Key::Version => return Err(Early::Version),
            Key::Refused(option) => {
                return Err(Early::Fatal(format!(
                    "`{option}` is not supported here; --help lists the options that are"
                )));
            }
        }
        Ok(())
    }

    fn set_operation(&mut self, operation: Operation) -> Result<(), Early> {
        if self.operation.is_some_and(|other| other != operation) {
            return Err(Early::usage(
                "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option",
            ));
        }
        self.operation = Some(operation);
        Ok(())
    }

    fn set_compression(&mut self, format: Format) -> Result<(), Early> {
        if self.compression.is_some_and(|(other, _)| other != format) {
            return Err(Early::usage("Conflicting compression options"));
        }
        self.compression = Some((format, Effort::Default));
        Ok(())
    }

    /// The setting that a switch turns on.
    fn switch(&mut self, switch: Switch) -> &mut bool {
        match switch {
            Switch::Stdout => &mut self.to_stdout,
            Switch::Touch => &mut self.touch,
            Switch::Dereference => &mut self.dereference,
            Switch::HardDereference => &mut self.hard_dereference,
            Switch::Absolute => &mut self.absolute,
            Switch::Numeric => &mut self.numeric,
            Switch::Clamp => &mut self.clamp,
            Switch::RemoveFiles => &mut self.remove_files,
            Switch::IgnoreZeros => &mut self.ignore_zeros,
            Switch::FullTime => &mut self.full_time,
            Switch::ShowTransformed => &mut self.show_transformed,
            Switch::ShowOmitted => &mut self.show_omitted,
            Switch::IgnoreFailedRead => &mut self.ignore_failed_read,
            Switch::NoOverwriteDir => &mut self.no_overwrite_dir,
            Switch::RecursiveUnlink => &mut self.recursive_unlink,
            Switch::Totals => &mut self.totals,
        }
    }

    fn files_from(&mut self, file: &[u8], reading: &Reading) -> Result<(), Early> {
        self.has_names = true;
        let end = if reading.null { 0 } else { b'\n' };
        let mut lines = values::read_lines(file, end, "Cannot open: ")?.into_iter();
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

impl Reading {
    /// Says how the patterns from here on match.
    fn set(&mut self, way: Match, on: bool) {
        for style in [&mut self.member, &mut self.exclude] {
            match way {
                Match::Wildcards => style.wildcards = on,
                Match::Anchored => style.anchored = on,
                Match::IgnoreCase => style.ignore_case = on,
                Match::Slash => style.match_slash = on,
            }
        }
    }
}
