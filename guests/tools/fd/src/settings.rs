//! What the options of `fd` say.

use codepod_tool::{Arguments, Opt, Options, Usage, Value, flag, long, value};

use crate::exec::Template;
use crate::filter::{self, Filter, Kinds};

const USAGE: &str = "\
A program to find entries in your filesystem

Usage: fd [OPTIONS] [pattern] [path]...

Arguments:
  [pattern]  the search pattern (a regular expression, unless '--glob' is used; optional)
  [path]...  the root directories for the filesystem search (optional)

Options:
  -H, --hidden                     search hidden files and directories
  -I, --no-ignore                  do not respect .(git|fd)ignore files
      --no-ignore-vcs              do not respect .gitignore files
      --no-ignore-parent           do not respect ignore files of parent directories
  -u, --unrestricted               alias for '--no-ignore --hidden'
  -s, --case-sensitive             case-sensitive search (default: smart case)
  -i, --ignore-case                case-insensitive search (default: smart case)
  -g, --glob                       glob-based search (default: regular expression)
      --regex                      regular-expression based search (default)
  -F, --fixed-strings              treat pattern as literal string
      --and <pattern>              another pattern that must match, too
  -a, --absolute-path              show absolute instead of relative paths
  -l, --list-details               list with 'ls -l'
  -L, --follow                     follow symbolic links
  -p, --full-path                  search full absolute path (default: filename only)
  -0, --print0                     separate search results by the null character
  -d, --max-depth <depth>          set maximum search depth
      --min-depth <depth>          only show results from this depth on
      --exact-depth <depth>        only show results of this depth
  -E, --exclude <pattern>          exclude entries that match the given glob pattern
      --prune                      do not go into directories that match
  -t, --type <filetype>            file (f), directory (d), symlink (l), executable (x),
                                   empty (e), socket (s), pipe (p)
  -e, --extension <ext>            filter by file extension
  -S, --size <size>                limit results based on the size of files
      --changed-within <date|dur>  filter by file modification time (newer than)
      --changed-before <date|dur>  filter by file modification time (older than)
  -x, --exec <cmd>...              execute a command for each search result
  -X, --exec-batch <cmd>...        execute a command with all search results at once
      --batch-size <size>          most results for one command of --exec-batch
      --ignore-file <path>         a file with ignore rules
  -c, --color <when>               never or auto: there are no colours
  -j, --threads <num>              accepted: commands are run one after another
      --max-results <count>        limit the number of results
  -1                               limit the search to one result
  -q, --quiet                      print nothing, tell by the status whether something was found
      --show-errors                show errors of the file system
      --base-directory <path>      change the working directory first
      --search-path <path>         a directory to search, instead of [path]
      --strip-cwd-prefix           no './' before results of -0, -x and -X
      --one-file-system            stay on one file system
  -h, --help                       print help
  -V, --version                    print version
";

#[derive(Clone, Copy)]
enum Key {
    Hidden,
    NoHidden,
    NoIgnore,
    Ignore,
    NoIgnoreVcs,
    IgnoreVcs,
    NoIgnoreParent,
    Unrestricted,
    CaseSensitive,
    IgnoreCase,
    Glob,
    Regex,
    Fixed,
    And,
    Absolute,
    Relative,
    Details,
    Follow,
    NoFollow,
    FullPath,
    Print0,
    MaxDepth,
    MinDepth,
    ExactDepth,
    Exclude,
    Prune,
    Type,
    Extension,
    Size,
    Within,
    Before,
    BatchSize,
    IgnoreFile,
    Color,
    Threads,
    MaxResults,
    One,
    Quiet,
    ShowErrors,
    BaseDirectory,
    SearchPath,
    StripPrefix,
    OneFileSystem,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Hidden, b'H', "hidden"),
    long(Key::NoHidden, "no-hidden", Value::None),
    flag(Key::NoIgnore, b'I', "no-ignore"),
    long(Key::Ignore, "ignore", Value::None),
    long(Key::NoIgnoreVcs, "no-ignore-vcs", Value::None),
    long(Key::IgnoreVcs, "ignore-vcs", Value::None),
    long(Key::NoIgnoreParent, "no-ignore-parent", Value::None),
    flag(Key::Unrestricted, b'u', "unrestricted"),
    flag(Key::CaseSensitive, b's', "case-sensitive"),
    flag(Key::IgnoreCase, b'i', "ignore-case"),
    flag(Key::Glob, b'g', "glob"),
    long(Key::Regex, "regex", Value::None),
    flag(Key::Fixed, b'F', "fixed-strings"),
    long(Key::And, "and", Value::Required),
    flag(Key::Absolute, b'a', "absolute-path"),
    long(Key::Relative, "relative-path", Value::None),
    flag(Key::Details, b'l', "list-details"),
    flag(Key::Follow, b'L', "follow"),
    long(Key::NoFollow, "no-follow", Value::None),
    flag(Key::FullPath, b'p', "full-path"),
    flag(Key::Print0, b'0', "print0"),
    value(Key::MaxDepth, b'd', "max-depth"),
    long(Key::MinDepth, "min-depth", Value::Required),
    long(Key::ExactDepth, "exact-depth", Value::Required),
    value(Key::Exclude, b'E', "exclude"),
    long(Key::Prune, "prune", Value::None),
    value(Key::Type, b't', "type"),
    value(Key::Extension, b'e', "extension"),
    value(Key::Size, b'S', "size"),
    long(Key::Within, "changed-within", Value::Required),
    long(Key::Within, "change-newer-than", Value::Required),
    long(Key::Within, "newer", Value::Required),
    long(Key::Within, "changed-after", Value::Required),
    long(Key::Before, "changed-before", Value::Required),
    long(Key::Before, "change-older-than", Value::Required),
    long(Key::Before, "older", Value::Required),
    long(Key::BatchSize, "batch-size", Value::Required),
    long(Key::IgnoreFile, "ignore-file", Value::Required),
    value(Key::Color, b'c', "color"),
    value(Key::Threads, b'j', "threads"),
    long(Key::MaxResults, "max-results", Value::Required),
    flag(Key::One, b'1', ""),
    flag(Key::Quiet, b'q', "quiet"),
    long(Key::Quiet, "has-results", Value::None),
    long(Key::ShowErrors, "show-errors", Value::None),
    long(Key::BaseDirectory, "base-directory", Value::Required),
    long(Key::SearchPath, "search-path", Value::Required),
    long(Key::StripPrefix, "strip-cwd-prefix", Value::None),
    long(Key::OneFileSystem, "one-file-system", Value::None),
    long(Key::OneFileSystem, "xdev", Value::None),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

/// Why there are no settings.
pub(crate) enum Asked {
    /// A text is to be printed.
    Text(String),
    /// A mistake in the arguments.
    Mistake(String),
    /// A value that cannot be used.
    Wrong(String),
}

impl From<Usage> for Asked {
    fn from(usage: Usage) -> Asked {
        Asked::Mistake(String::from_utf8_lossy(&usage.message).into_owned())
    }
}

/// How the pattern is to be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Regex,
    Glob,
    Fixed,
}

/// What is done with results.
pub(crate) enum Action {
    Print,
    /// A command for each.
    Each(Template),
    /// A command for all, or for these many at a time.
    Batch(Template, usize),
}

/// What the options say.
pub(crate) struct Settings {
    pub(crate) hidden: bool,
    pub(crate) ignore: bool,
    pub(crate) ignore_vcs: bool,
    pub(crate) ignore_parent: bool,
    pub(crate) ignore_files: Vec<Vec<u8>>,
    pub(crate) exclude: Vec<String>,
    pub(crate) follow: bool,
    pub(crate) one_file_system: bool,
    pub(crate) max_depth: Option<usize>,
    pub(crate) min_depth: usize,
    pub(crate) prune: bool,
    pub(crate) absolute: bool,
    pub(crate) print0: bool,
    pub(crate) strip_prefix: bool,
    pub(crate) most: usize,
    pub(crate) quiet: bool,
    pub(crate) show_errors: bool,
    pub(crate) base: Option<Vec<u8>>,
    pub(crate) paths: Vec<Vec<u8>>,
    pub(crate) filter: Filter,
    pub(crate) action: Action,
}

/// What is read before it can be put together.
struct Raw {
    settings: Settings,
    case: Option<bool>,
    syntax: Syntax,
    and: Vec<String>,
    details: bool,
    batch_size: usize,
    types: Kinds,
    search_paths: Vec<Vec<u8>>,
}

impl Settings {
    pub(crate) fn parse(arguments: Arguments) -> Result<Settings, Asked> {
        let (arguments, each, batch) = commands(arguments)?;
        let mut raw = Raw {
            settings: Settings {
                hidden: false,
                ignore: true,
                ignore_vcs: true,
                ignore_parent: true,
                ignore_files: Vec::new(),
                exclude: Vec::new(),
                follow: false,
                one_file_system: false,
                max_depth: None,
                min_depth: 0,
                prune: false,
                absolute: false,
                print0: false,
                strip_prefix: false,
                most: usize::MAX,
                quiet: false,
                show_errors: false,
                base: None,
                paths: Vec::new(),
                filter: Filter::default(),
                action: Action::Print,
            },
            case: None,
            syntax: Syntax::Regex,
            and: Vec::new(),
            details: false,
            batch_size: usize::MAX,
            types: Kinds::default(),
            search_paths: Vec::new(),
        };
        let mut operands = Options::new(TABLE, arguments)
            .each(|key, value| raw.take(key, value.unwrap_or_default()))?;
        let pattern = match operands.is_empty() {
            true => Vec::new(),
            false => operands.remove(0),
        };
        raw.finish(&pattern, operands, each, batch)
    }
}

impl Raw {
    fn take(&mut self, key: Key, value: Vec<u8>) -> Result<(), Asked> {
        let text = String::from_utf8_lossy(&value).into_owned();
        let number = || {
            text.parse::<usize>()
                .map_err(|_| Asked::Mistake(format!("invalid value '{text}': not a number")))
        };
        let settings = &mut self.settings;
        match key {
            Key::Hidden => settings.hidden = true,
            Key::NoHidden => settings.hidden = false,
            Key::NoIgnore => settings.ignore = false,
            Key::Ignore => settings.ignore = true,
            Key::NoIgnoreVcs => settings.ignore_vcs = false,
            Key::IgnoreVcs => settings.ignore_vcs = true,
            Key::NoIgnoreParent => settings.ignore_parent = false,
            Key::Unrestricted => (settings.hidden, settings.ignore) = (true, false),
            Key::CaseSensitive => self.case = Some(true),
            Key::IgnoreCase => self.case = Some(false),
            Key::Glob => self.syntax = Syntax::Glob,
            Key::Regex => self.syntax = Syntax::Regex,
            Key::Fixed => self.syntax = Syntax::Fixed,
            Key::And => self.and.push(text),
            Key::Absolute => settings.absolute = true,
            Key::Relative => settings.absolute = false,
            Key::Details => self.details = true,
            Key::Follow => settings.follow = true,
            Key::NoFollow => settings.follow = false,
            Key::FullPath => settings.filter.full_path = true,
            Key::Print0 => settings.print0 = true,
            Key::MaxDepth => settings.max_depth = Some(number()?),
            Key::MinDepth => settings.min_depth = number()?,
            Key::ExactDepth => {
                settings.min_depth = number()?;
                settings.max_depth = Some(settings.min_depth);
            }
            Key::Exclude => settings.exclude.push(text),
            Key::Prune => settings.prune = true,
            Key::Type => {
                let known = self.types.add(&text);
                known.ok_or_else(|| {
                    Asked::Mistake(format!("invalid value '{text}' for '--type'"))
                })?;
            }
            Key::Extension => settings.filter.add_extension(&text),
            Key::Size => settings
                .filter
                .sizes
                .push(filter::size(&text).ok_or_else(|| {
                    Asked::Mistake(format!(
                        "'{text}' is not a valid size constraint. See 'fd --help'."
                    ))
                })?),
            Key::Within | Key::Before => {
                let time = filter::time(&text).ok_or_else(|| {
                    Asked::Wrong(format!(
                        "'{text}' is not a valid date or duration. See 'fd --help'."
                    ))
                })?;
                match key {
                    Key::Within => settings.filter.after = Some(time),
                    _ => settings.filter.before = Some(time),
                }
            }
            Key::BatchSize => self.batch_size = number()?.saturating_sub(1).saturating_add(1),
            Key::IgnoreFile => settings.ignore_files.push(value),
            Key::Color if text == "never" || text == "auto" => {}
            Key::Color => return Err(Asked::Wrong("there are no colours in this sandbox".into())),
            Key::Threads => {
                number()?;
            }
            Key::MaxResults => settings.most = number()?,
            Key::One => settings.most = 1,
            Key::Quiet => settings.quiet = true,
            Key::ShowErrors => settings.show_errors = true,
            Key::BaseDirectory => settings.base = Some(value),
            Key::SearchPath => self.search_paths.push(value),
            Key::StripPrefix => settings.strip_prefix = true,
            Key::OneFileSystem => settings.one_file_system = true,
            Key::Help => return Err(Asked::Text(USAGE.to_owned())),
            Key::Version => {
                let text = format!("fd (codepod) {}\n", env!("CARGO_PKG_VERSION"));
                return Err(Asked::Text(text));
            }
        }
        Ok(())
    }

    fn finish(
        self,
        pattern: &[u8],
        paths: Arguments,
        each: Option<Template>,
        batch: Option<Template>,
    ) -> Result<Settings, Asked> {
        let mut settings = self.settings;
        let pattern = String::from_utf8_lossy(pattern).into_owned();
        let full = settings.filter.full_path;
        if pattern.contains('/') && !full && std::path::Path::new(&pattern).is_dir() {
            return Err(Asked::Wrong(format!(
                "The search pattern '{pattern}' contains a path-separation character ('/') and will not lead to any search results.\n\nIf you want to search for all files inside the '{pattern}' directory, use a match-all pattern:\n\n  fd . '{pattern}'\n\nInstead, if you want your pattern to match the full file path, use:\n\n  fd --full-path '{pattern}'"
            )));
        }
        for pattern in [pattern].iter().chain(&self.and) {
            // Letters in upper case make it count, unless an option says otherwise.
            let upper = pattern.chars().any(char::is_uppercase);
            let ignore_case = !self.case.unwrap_or(upper);
            let regex = match self.syntax {
                Syntax::Regex => pattern.clone(),
                Syntax::Fixed => filter::escaped(pattern),
                Syntax::Glob if pattern.is_empty() => String::new(),
                Syntax::Glob => filter::glob(pattern).map_err(Asked::Wrong)?,
            };
            settings
                .filter
                .add_pattern(&regex, ignore_case)
                .map_err(Asked::Wrong)?;
        }
        settings.filter.kinds = self.types;
        settings.paths = match self.search_paths.is_empty() {
            true => paths,
            false => self.search_paths,
        };
        settings.action = match (each, batch) {
            (Some(_), Some(_)) => {
                return Err(Asked::Mistake(
                    "the argument '--exec <cmd>...' cannot be used with '--exec-batch <cmd>...'"
                        .into(),
                ));
            }
            (Some(template), None) => Action::Each(template),
            (None, Some(template)) => Action::Batch(template, self.batch_size.max(1)),
            (None, None) if self.details => {
                let words = [&b"ls"[..], b"-l", b"-h", b"-d"].map(<[u8]>::to_vec);
                Action::Batch(Template::new(words.to_vec()), usize::MAX)
            }
            (None, None) => Action::Print,
        };
        Ok(settings)
    }
}

/// Arguments without the commands of `-x` and `-X`, which reach to a `;` or to the end.
type Split = (Arguments, Option<Template>, Option<Template>);

fn commands(arguments: Arguments) -> Result<Split, Asked> {
    let (mut rest, mut each, mut batch) = (Arguments::new(), None, None);
    let mut words = arguments.into_iter();
    while let Some(word) = words.next() {
        let slot = match word.as_slice() {
            b"--" => {
                rest.push(word);
                rest.extend(words);
                break;
            }
            b"-x" | b"--exec" => &mut each,
            b"-X" | b"--exec-batch" => &mut batch,
            _ => {
                rest.push(word);
                continue;
            }
        };
        let command: Arguments = words.by_ref().take_while(|word| word != b";").collect();
        if command.is_empty() {
            let shown = String::from_utf8_lossy(&word);
            let message =
                format!("a value is required for '{shown} <cmd>...' but none was supplied");
            return Err(Asked::Mistake(message));
        }
        if slot.replace(Template::new(command)).is_some() {
            return Err(Asked::Mistake("a command can be given once".into()));
        }
    }
    Ok((rest, each, batch))
}
