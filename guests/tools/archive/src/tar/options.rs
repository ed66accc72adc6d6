//! The options of `tar` and how they are written.

use codepod_tool::{Arguments, Opt, Value, flag, long, value};

use super::settings::{Early, Existing, Operation};
use crate::codec::Format;

/// An option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Key {
    Do(Operation),
    File,
    Verbose,
    Compress(Format),
    AutoCompress(bool),
    Program,
    Directory,
    Strip,
    Exclude,
    ExcludeFrom,
    ExcludeVcs,
    FilesFrom,
    Null(bool),
    SamePermissions(bool),
    SameOwner(bool),
    Existing(Existing),
    Transform,
    Recursion(bool),
    Owner,
    Group,
    Mtime,
    Mode,
    Newer,
    NewerMtime,
    Sort,
    OneTopLevel,
    FormatName,
    Posix,
    Old,
    Blocking,
    RecordSize,
    Label,
    Warning,
    Occurrence,
    AddFile,
    /// Something that is off until it is asked for.
    Switch(Switch),
    /// How the patterns behind it match.
    Match(Match, bool),
    Harmless,
    Help,
    Usage,
    Version,
    Refused(&'static str),
}

/// What is off until it is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Switch {
    Stdout,
    Touch,
    Dereference,
    HardDereference,
    Absolute,
    Numeric,
    Clamp,
    RemoveFiles,
    IgnoreZeros,
    FullTime,
    ShowTransformed,
    ShowOmitted,
    IgnoreFailedRead,
    NoOverwriteDir,
    RecursiveUnlink,
    Totals,
}

/// A way in which patterns match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Match {
    Wildcards,
    Anchored,
    IgnoreCase,
    Slash,
}

/// All options.
pub(super) const TABLE: &[Opt<Key>] = &[
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
    flag(Key::AutoCompress(true), b'a', "auto-compress"),
    long(Key::AutoCompress(false), "no-auto-compress", Value::None),
    value(Key::Program, b'I', "use-compress-program"),
    value(Key::Directory, b'C', "directory"),
    long(Key::Strip, "strip-components", Value::Required),
    long(Key::Exclude, "exclude", Value::Required),
    value(Key::ExcludeFrom, b'X', "exclude-from"),
    long(Key::ExcludeVcs, "exclude-vcs", Value::None),
    value(Key::FilesFrom, b'T', "files-from"),
    long(Key::Null(true), "null", Value::None),
    long(Key::Null(false), "no-null", Value::None),
    flag(Key::Switch(Switch::Stdout), b'O', "to-stdout"),
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
    long(
        Key::Switch(Switch::RecursiveUnlink),
        "recursive-unlink",
        Value::None,
    ),
    long(
        Key::Switch(Switch::NoOverwriteDir),
        "no-overwrite-dir",
        Value::None,
    ),
    long(Key::Harmless, "overwrite-dir", Value::None),
    flag(Key::Switch(Switch::Touch), b'm', "touch"),
    flag(Key::Switch(Switch::Dereference), b'h', "dereference"),
    long(
        Key::Switch(Switch::HardDereference),
        "hard-dereference",
        Value::None,
    ),
    flag(Key::Switch(Switch::Absolute), b'P', "absolute-names"),
    long(Key::Transform, "transform", Value::Required),
    long(Key::Transform, "xform", Value::Required),
    long(Key::Recursion(false), "no-recursion", Value::None),
    long(Key::Recursion(true), "recursion", Value::None),
    long(Key::Owner, "owner", Value::Required),
    long(Key::Group, "group", Value::Required),
    long(Key::Switch(Switch::Numeric), "numeric-owner", Value::None),
    long(Key::Mtime, "mtime", Value::Required),
    long(Key::Switch(Switch::Clamp), "clamp-mtime", Value::None),
    long(Key::Mode, "mode", Value::Required),
    value(Key::Newer, b'N', "newer"),
    long(Key::Newer, "after-date", Value::Required),
    long(Key::NewerMtime, "newer-mtime", Value::Required),
    long(Key::Sort, "sort", Value::Required),
    long(Key::OneTopLevel, "one-top-level", Value::Optional),
    long(
        Key::Switch(Switch::RemoveFiles),
        "remove-files",
        Value::None,
    ),
    value(Key::FormatName, b'H', "format"),
    long(Key::Posix, "posix", Value::None),
    flag(Key::Switch(Switch::IgnoreZeros), b'i', "ignore-zeros"),
    value(Key::Blocking, b'b', "blocking-factor"),
    long(Key::RecordSize, "record-size", Value::Required),
    flag(Key::Harmless, b'B', "read-full-records"),
    long(Key::Switch(Switch::FullTime), "full-time", Value::None),
    long(Key::Harmless, "utc", Value::None),
    long(
        Key::Switch(Switch::ShowTransformed),
        "show-transformed-names",
        Value::None,
    ),
    long(
        Key::Switch(Switch::ShowTransformed),
        "show-stored-names",
        Value::None,
    ),
    long(
        Key::Switch(Switch::ShowOmitted),
        "show-omitted-dirs",
        Value::None,
    ),
    long(
        Key::Switch(Switch::IgnoreFailedRead),
        "ignore-failed-read",
        Value::None,
    ),
    long(Key::Switch(Switch::Totals), "totals", Value::Optional),
    value(Key::Label, b'V', "label"),
    long(Key::Warning, "warning", Value::Required),
    long(Key::Occurrence, "occurrence", Value::Optional),
    long(Key::Match(Match::Wildcards, true), "wildcards", Value::None),
    long(
        Key::Match(Match::Wildcards, false),
        "no-wildcards",
        Value::None,
    ),
    long(Key::Match(Match::Anchored, true), "anchored", Value::None),
    long(
        Key::Match(Match::Anchored, false),
        "no-anchored",
        Value::None,
    ),
    long(
        Key::Match(Match::IgnoreCase, true),
        "ignore-case",
        Value::None,
    ),
    long(
        Key::Match(Match::IgnoreCase, false),
        "no-ignore-case",
        Value::None,
    ),
    long(
        Key::Match(Match::Slash, true),
        "wildcards-match-slash",
        Value::None,
    ),
    long(
        Key::Match(Match::Slash, false),
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
    long(
        Key::Refused("--no-verbatim-files-from"),
        "no-verbatim-files-from",
        Value::None,
    ),
    flag(Key::Refused("-W"), b'W', "verify"),
    flag(Key::Refused("-w"), b'w', "interactive"),
    long(Key::Refused("--confirmation"), "confirmation", Value::None),
    flag(Key::Refused("-M"), b'M', "multi-volume"),
    value(Key::Refused("-L"), b'L', "tape-length"),
    value(Key::Refused("-g"), b'g', "listed-incremental"),
    flag(Key::Refused("-G"), b'G', "incremental"),
    value(Key::Refused("-K"), b'K', "starting-file"),
    flag(Key::Refused("-R"), b'R', "block-number"),
    flag(Key::Refused("-Z"), b'Z', "compress"),
    long(Key::Refused("--lzip"), "lzip", Value::None),
    long(Key::Refused("--lzop"), "lzop", Value::None),
    long(Key::Refused("--to-command"), "to-command", Value::Required),
    long(Key::Refused("--checkpoint"), "checkpoint", Value::Optional),
    long(
        Key::Refused("--checkpoint-action"),
        "checkpoint-action",
        Value::Required,
    ),
    long(Key::Refused("--backup"), "backup", Value::Optional),
    long(Key::Refused("--suffix"), "suffix", Value::Required),
    long(Key::Refused("--index-file"), "index-file", Value::Required),
    long(
        Key::Refused("--quoting-style"),
        "quoting-style",
        Value::Required,
    ),
    long(Key::Refused("--pax-option"), "pax-option", Value::Required),
    long(Key::Refused("--test-label"), "test-label", Value::None),
    long(
        Key::Refused("--exclude-caches"),
        "exclude-caches",
        Value::None,
    ),
    long(
        Key::Refused("--exclude-ignore"),
        "exclude-ignore",
        Value::Required,
    ),
    long(
        Key::Refused("--exclude-vcs-ignores"),
        "exclude-vcs-ignores",
        Value::None,
    ),
    long(
        Key::Refused("--exclude-tag"),
        "exclude-tag",
        Value::Required,
    ),
    long(
        Key::Refused("--atime-preserve"),
        "atime-preserve",
        Value::Optional,
    ),
    long(Key::Refused("--owner-map"), "owner-map", Value::Required),
    long(Key::Refused("--group-map"), "group-map", Value::Required),
    long(
        Key::Refused("--set-mtime-command"),
        "set-mtime-command",
        Value::Required,
    ),
    flag(Key::Help, b'?', "help"),
    long(Key::Usage, "usage", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Turns the first argument without a dash into options as they are written today.
pub(super) fn modern(arguments: Arguments) -> Result<Arguments, Early> {
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
                return Err(Early::usage(format!(
                    "Old option '{letter}' requires an argument."
                )));
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
