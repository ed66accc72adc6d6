//! Files of a sandbox. Paths are absolute, or relative to the working directory that the sandbox
//! was made with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Done, FEW_TOOLS, ONE_COMMAND};
use crate::method::method;

method! {
    /// Reads a file, or a part of it.
    FilesRead = "files.read", sandbox get "/v1/sandboxes/{sandbox}/files", ReadParams => ReadOutput,
    tool "read" Reads File "Read a file of the sandbox, or a part of it by offset and length in bytes. Text comes as text; other bytes come in base64. `size` is that of the whole file.",
    not_on [Cli: ONE_COMMAND];

    /// Writes a file: makes it or replaces what it holds.
    FilesWrite = "files.write", sandbox put "/v1/sandboxes/{sandbox}/files", WriteParams => Done,
    tool "write" Replaces Fields "Write a file of the sandbox: it is made, or what it holds is replaced. The directory must exist unless `parents` is true. Give `text`, or `base64` for other bytes.",
    not_on [Cli: ONE_COMMAND];

    /// Lists a directory, sorted by name.
    FilesList = "files.list", sandbox get "/v1/sandboxes/{sandbox}/directory", PathParams => ListOutput,
    tool "list" Reads Entries "List a directory of the sandbox: names and kinds, sorted.",
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
    /// How many bytes; to the end if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
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
    /// Whether directories above it are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parents: Option<bool>,
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
