//! Files of a sandbox. Paths are absolute, or relative to the working directory that the sandbox
//! was made with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Done, FEW_TOOLS, ONE_COMMAND};
use crate::method::method;

method! {
    /// Reads a file, or a part of it.
    FilesRead = "files.read", sandbox get "/v1/sandboxes/{sandbox}/files", ReadParams => ReadOutput,
    work ReadsBytes,
    tool "read" Reads File "Read a text file, or lines of it by `line` and `lines`; `numbers` puts line numbers before them. A picture (PNG, JPEG, GIF, WebP) comes as an image. A long file comes in parts: the result says how to go on.",
    not_on [Cli: ONE_COMMAND];

    /// Writes a file: makes it or replaces what it holds. Directories above it are made.
    FilesWrite = "files.write", sandbox put "/v1/sandboxes/{sandbox}/files", WriteParams => Done,
    work WritesBytes,
    tool "write" Replaces Fields "Write a file: it is made, with the directories above it, or what it holds is replaced. Give `text`, or `base64` for other bytes.",
    not_on [Cli: ONE_COMMAND];

    /// Replaces text in a file: every edit, in their order, or none. What is replaced must be there
    /// exactly once, unless `all` is set.
    FilesEdit = "files.edit", sandbox post "/v1/sandboxes/{sandbox}/files/edit", EditParams => EditOutput,
    tool "edit" Changes Diff "Replace exact text in a file and return a diff. Each `old` must be there exactly once, unless its `all` is true. All edits are made, in order, or none.",
    not_on [Cli: ONE_COMMAND];

    /// Searches files for lines by a regular expression, as ripgrep does: files that `.gitignore`
    /// names and binary files are left out.
    FilesGrep = "files.grep", sandbox get "/v1/sandboxes/{sandbox}/grep", GrepParams => GrepOutput,
    tool "grep" Reads Matches "Search files for lines that match a regular expression (ripgrep's), below `path`. Ignored and binary files are left out.",
    not_on [Cli: "`codepod run 'rg …'` does it"];

    /// Lists files by a pattern for their paths, sorted. Files that `.gitignore` names are left
    /// out.
    FilesGlob = "files.glob", sandbox get "/v1/sandboxes/{sandbox}/glob", GlobParams => GlobOutput,
    tool "glob" Reads Paths "List files whose path below `path` matches a pattern such as `**/*.py` or `src/*.{ts,tsx}`; without `/` it matches names in every directory. Ignored files are left out.",
    not_on [Cli: "`codepod run 'rg --files'` does it"];

    /// Lists a directory, sorted by name.
    FilesList = "files.list", sandbox get "/v1/sandboxes/{sandbox}/directory", PathParams => ListOutput,
    tool "list" Reads Entries "List a directory: names and kinds, sorted.",
    not_on [Cli: ONE_COMMAND];

    /// Says what a path is. A symbolic link at its end is followed.
    FilesStat = "files.stat", sandbox get "/v1/sandboxes/{sandbox}/stat", PathParams => Stat,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Makes a directory, and those above it that are missing.
    FilesMkdir = "files.mkdir", sandbox post "/v1/sandboxes/{sandbox}/directory", PathParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Removes a file, or a directory with all that is in it.
    FilesRemove = "files.remove", sandbox delete "/v1/sandboxes/{sandbox}/files", PathParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Gives a file or a directory another name; what has that name is replaced.
    FilesRename = "files.rename", sandbox post "/v1/sandboxes/{sandbox}/rename", RenameParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Sets the mode bits of a path.
    FilesChmod = "files.chmod", sandbox post "/v1/sandboxes/{sandbox}/chmod", ChmodParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Puts single paths back to what they were at a moment, and leaves the rest as it is.
    FilesRestore = "files.restore", sandbox post "/v1/sandboxes/{sandbox}/files/restore", RestoreParams => Done,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];
}

/// A path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PathParams {
    /// The path.
    pub path: String,
}

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadParams {
    /// The path.
    pub path: String,
    /// The first byte; the beginning if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How many bytes at most; to the end if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The first line, from 1; instead of `offset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// How many lines at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Whether every line begins with its number and a tab, as `cat -n` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<bool>,
}

/// What a file holds: `text` or `base64`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadOutput {
    /// The bytes, if they are UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes in base64, if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub base64: Option<String>,
    /// Bytes of the whole file.
    pub size: u64,
    /// What it is, if it begins as a picture does: `image/png`, `image/jpeg`, `image/gif`,
    /// `image/webp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// The line to go on with, where lines were asked for and more follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_line: Option<u64>,
    /// The byte to go on with, where lines were asked for and more follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

/// What to write: `text` or `base64`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteParams {
    /// The path.
    pub path: String,
    /// What it shall hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it shall hold, in base64, where that is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    pub base64: Option<String>,
    /// Whether directories above it are made; they are if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parents: Option<bool>,
}

/// What to replace in which file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditParams {
    /// The path.
    pub path: String,
    /// The edits, at most 100; each sees what those before it left.
    pub edits: Vec<Edit>,
}

/// A replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edit {
    /// The text that is there, to the letter.
    pub old: String,
    /// What takes its place.
    pub new: String,
    /// Whether every occurrence is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
}

/// What was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditOutput {
    /// How many occurrences.
    pub replaced: u64,
    /// A unified diff, the first 16 KiB of it.
    pub diff: String,
}

/// Which lines to look for, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GrepParams {
    /// A regular expression.
    pub pattern: String,
    /// A file or a directory; the working directory if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only files whose path matches this, such as `*.py`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Whether upper and lower case are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_case: Option<bool>,
    /// Whether the pattern is plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<bool>,
    /// Whether ignored files are searched as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// The most lines; 200 if not given, 5000 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// The lines that were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrepOutput {
    /// The lines, by path and number.
    pub matches: Vec<GrepMatch>,
    /// Whether there are more than `limit`.
    pub more: bool,
}

/// A line that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrepMatch {
    /// The file; what is not UTF-8 in it is replaced.
    pub path: String,
    /// The line's number, from 1.
    pub line: u64,
    /// The line, the first 500 bytes of it.
    pub content: String,
}

/// Which files, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GlobParams {
    /// The pattern: `*` and `?` within a name, `**` across directories, `[a-z]`, `{a,b}`.
    pub pattern: String,
    /// The directory; the working directory if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether ignored files are listed as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// The most paths; 1000 if not given, 10000 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// The files that were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GlobOutput {
    /// Their paths, sorted; what is not UTF-8 is replaced.
    pub paths: Vec<String>,
    /// Whether there are more than `limit`.
    pub more: bool,
}

/// A directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListOutput {
    /// What is in it.
    pub entries: Vec<Entry>,
}

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The name; what is not UTF-8 in it is replaced.
    pub name: String,
    /// What it is.
    pub kind: FileKind,
}

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A pipe, a device or a socket.
    Other,
}

/// Facts of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Bytes.
    pub size: u64,
    /// Mode bits: 0o644 is 420.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// When it was changed last, in milliseconds since 1970.
    pub mtime_ms: u64,
}

/// Which path gets which name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenameParams {
    /// The path.
    pub path: String,
    /// Its new path.
    pub to: String,
}

/// Which mode a path gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChmodParams {
    /// The path.
    pub path: String,
    /// Mode bits: 0o644 is 420.
    pub mode: u32,
}

/// Which paths go back to what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestoreParams {
    /// The moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`.
    pub from: String,
    /// The paths; a directory with all that is in it.
    pub paths: Vec<String>,
}
