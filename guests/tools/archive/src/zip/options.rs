//! The options that `zip` knows.

use super::settings::Action;

/// An option's own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Level(u8),
    Action(Action),
    NoDirectories,
    Sync,
    Fifo,
    Descriptors,
    Help,
    Include,
    Exclude,
    IgnoreCase,
    Junk,
    Move,
    MustMatch,
    Suffixes,
    NoWild,
    Latest,
    Output,
    Paths,
    Password,
    Quiet,
    Recurse,
    RecursePatterns,
    ShowFiles,
    From,
    Before,
    Test,
    Verbose,
    Version,
    Strip,
    Links,
    Comment,
    Method,
    NamesStdin,
    /// Accepted, and without effect here.
    Nothing,
    /// A value that has no effect here.
    NothingWithValue,
    /// Known, and refused.
    Refused,
}

/// What belongs to an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// Nothing.
    Nothing,
    /// Perhaps a dash, which takes it back.
    Dash,
    /// A value.
    One,
    /// Values up to the next option.
    List,
}

/// An option.
pub(super) struct Opt {
    /// One or two letters; empty where it has only a long name.
    pub(super) short: &'static str,
    /// Empty where it has only a short name.
    pub(super) long: &'static str,
    pub(super) values: Values,
    pub(super) key: Key,
    /// What messages call it.
    pub(super) text: &'static str,
}

/// A row for each option: short and long name, what belongs to it, key, text.
macro_rules! table {
    ($($short:literal $long:literal $values:ident $key:expr, $text:literal;)*) => {
        &[$(Opt {
            short: $short,
            long: $long,
            values: Values::$values,
            key: $key,
            text: $text,
        }),*]
    };
}

/// All options.
pub(super) const TABLE: &[Opt] = table! {
    "0"  "store"               Nothing Key::Level(0), "store";
    "1"  "compress-1"          Nothing Key::Level(1), "compress 1";
    "2"  "compress-2"          Nothing Key::Level(2), "compress 2";
    "3"  "compress-3"          Nothing Key::Level(3), "compress 3";
    "4"  "compress-4"          Nothing Key::Level(4), "compress 4";
    "5"  "compress-5"          Nothing Key::Level(5), "compress 5";
    "6"  "compress-6"          Nothing Key::Level(6), "compress 6";
    "7"  "compress-7"          Nothing Key::Level(7), "compress 7";
    "8"  "compress-8"          Nothing Key::Level(8), "compress 8";
    "9"  "compress-9"          Nothing Key::Level(9), "compress 9";
    "A"  "adjust-sfx"          Nothing Key::Refused, "adjust self extractor offsets";
    "b"  "temp-path"           One     Key::NothingWithValue, "dir to use for temp archive";
    "c"  "entry-comments"      Nothing Key::Refused, "add comments for each entry";
    "d"  "delete"              Nothing Key::Action(Action::Delete), "delete entries from archive";
    "db" "display-bytes"       Dash    Key::Refused, "display running bytes";
    "dc" "display-counts"      Dash    Key::Refused, "display running file count";
    "dd" "display-dots"        Dash    Key::Refused, "display dots as process each file";
    "dg" "display-globaldots"  Dash    Key::Refused, "display dots for archive instead of files";
    "ds" "dot-size"            One     Key::Refused, "set progress dot size - default 10M bytes";
    "du" "display-usize"       Dash    Key::Refused, "display uncompressed size in bytes";
    "dv" "display-volume"      Dash    Key::Refused, "display volume (disk) number";
    "D"  "no-dir-entries"      Nothing Key::NoDirectories, "no entries for dirs themselves (-x */)";
    "DF" "difference-archive"  Nothing Key::Refused, "create diff archive with changed/new files";
    "e"  "encrypt"             Nothing Key::Refused, "encrypt entries, ask for password";
    "F"  "fix"                 Nothing Key::Refused, "fix mostly intact archive (try first)";
    "FF" "fixfix"              Nothing Key::Refused, "try harder to fix archive (not as reliable)";
    "FI" "fifo"                Dash    Key::Fifo, "read Unix FIFO (zip will wait on open pipe)";
    "FS" "filesync"            Nothing Key::Sync, "add/delete entries to make archive match OS";
    "f"  "freshen"             Nothing Key::Action(Action::Freshen), "freshen existing archive entries";
    "fd" "force-descriptors"   Nothing Key::Descriptors, "force data descriptors as if streaming";
    "fz" "force-zip64"         Dash    Key::Refused, "force use of Zip64 format, negate prevents";
    "g"  "grow"                Nothing Key::Nothing, "grow existing archive instead of replace";
    "h"  "help"                Nothing Key::Help, "help";
    "H"  ""                    Nothing Key::Help, "help";
    "?"  ""                    Nothing Key::Help, "help";
    "h2" "more-help"           Nothing Key::Help, "extended help";
    "i"  "include"             List    Key::Include, "include only files matching patterns";
    "ic" "ignore-case"         Dash    Key::IgnoreCase, "ignore case when matching archive entries";
    "j"  "junk-paths"          Nothing Key::Junk, "strip paths and just store file names";
    "J"  "junk-sfx"            Nothing Key::Refused, "strip self extractor from archive";
    "k"  "DOS-names"           Nothing Key::Refused, "force use of 8.3 DOS names";
    "l"  "to-crlf"             Nothing Key::Refused, "convert text file line ends - LF->CRLF";
    "ll" "from-crlf"           Nothing Key::Refused, "convert text file line ends - CRLF->LF";
    "lf" "logfile-path"        One     Key::Refused, "log to log file at path (default overwrite)";
    "la" "log-append"          Dash    Key::Refused, "append to existing log file";
    "li" "log-info"            Dash    Key::Refused, "include informational messages in log";
    "L"  "license"             Nothing Key::Version, "display license";
    "m"  "move"                Nothing Key::Move, "add files to archive then delete files";
    "MM" "must-match"          Nothing Key::MustMatch, "error if in file not matched/not readable";
    "n"  "suffixes"            One     Key::Suffixes, "suffixes to not compress: .gz:.zip";
    "nw" "no-wild"             Nothing Key::NoWild, "no wildcards during add or update";
    "o"  "latest-time"         Nothing Key::Latest, "use latest entry time as archive time";
    "O"  "output-file"         One     Key::Output, "set out zipfile different than in zipfile";
    "p"  "paths"               Nothing Key::Paths, "store paths";
    "P"  "password"            One     Key::Password, "encrypt entries, option value is password";
    "q"  "quiet"               Nothing Key::Quiet, "quiet";
    "r"  "recurse-paths"       Nothing Key::Recurse, "recurse down listed paths";
    "R"  "recurse-patterns"    Nothing Key::RecursePatterns, "recurse current dir and match patterns";
    "RE" "regex"               Nothing Key::Nothing, "allow [list] matching (regex)";
    "s"  "split-size"          One     Key::Refused, "do splits, set split size (-s=0 no splits)";
    "sp" "split-pause"         Nothing Key::Refused, "pause while splitting to select destination";
    "sv" "split-verbose"       Nothing Key::Refused, "be verbose about creating splits";
    "sb" "split-bell"          Nothing Key::Refused, "when pause for next split ring bell";
    "sc" "show-command"        Nothing Key::Refused, "show command line";
    "sd" "show-debug"          Nothing Key::Refused, "show debug";
    "sf" "show-files"          Dash    Key::ShowFiles, "show files to operate on and exit";
    "so" "show-options"        Nothing Key::Refused, "show options";
    "su" "show-unicode"        Dash    Key::Refused, "as -sf but also show escaped Unicode";
    "sU" "show-just-unicode"   Dash    Key::Refused, "as -sf but only show escaped Unicode";
    "t"  "from-date"           One     Key::From, "exclude before date";
    "tt" "before-date"         One     Key::Before, "include before date";
    "T"  "test"                Nothing Key::Test, "test updates before replacing archive";
    "TT" "unzip-command"       One     Key::Refused, "unzip command to use, name is added to end";
    "u"  "update"              Nothing Key::Action(Action::Update), "update existing entries and add new";
    "U"  "copy-entries"        Nothing Key::Refused, "select from archive instead of file system";
    "UN" "unicode"             One     Key::Refused, "UN=quit, warn, ignore, no, escape";
    "v"  "verbose"             Nothing Key::Verbose, "display additional information";
    ""   "version"             Nothing Key::Version, "(if no other args) show version information";
    "ws" "wild-stop-dirs"      Nothing Key::Refused, "* stops at /, ** includes any /";
    "x"  "exclude"             List    Key::Exclude, "exclude files matching patterns";
    "X"  "strip-extra"         Dash    Key::Strip, "-X- keep all ef, -X strip but critical ef";
    "y"  "symlinks"            Nothing Key::Links, "store symbolic links";
    "z"  "archive-comment"     Nothing Key::Comment, "ask for archive comment";
    "Z"  "compression-method"  One     Key::Method, "compression method";
    "@"  "names-stdin"         Nothing Key::NamesStdin, "get file names from stdin, one per line";
};
