//! Files of a sandbox.

mod lines;

use codepod_api::methods::Done;
use codepod_api::methods::files::{
    ChmodParams, Edit, EditOutput, EditParams, Entry, FilesChmod, FilesEdit, FilesList, FilesMkdir,
    FilesRead, FilesRemove, FilesRename, FilesRestore, FilesStat, FilesWrite, ListOutput,
    PathParams, ReadOutput, ReadParams, RenameParams, RestoreParams, Stat, WriteParams,
};
use codepod_api::{ApiError, Bytes, Kind};

use crate::call::Call;
use crate::convert::{file_kind, moment, stat, text};
use crate::dispatch::Handle;
use crate::failure::{bad_base64, failure};

/// As much of a file as one answer holds.
const MOST: usize = 32 << 20;
/// As much of a difference as the answer to an edit holds.
const LONGEST_DIFF: usize = 16 << 10;

impl Handle for FilesRead {
    fn handle(call: &Call<'_>, params: ReadParams) -> Result<ReadOutput, ApiError> {
        if params.line.is_some() || params.lines.is_some() || params.numbers == Some(true) {
            return lines::read(call, params);
        }
        let wanted = params.length.map_or(usize::MAX, |length| {
            usize::try_from(length).unwrap_or(usize::MAX)
        });
        let offset = params.offset.unwrap_or(0);
        // One more than an answer holds: then it is too much.
        let asked = wanted.min(MOST + 1);
        let sandbox = &call.live()?.sandbox;
        let size = sandbox.stat(&params.path).map_or(0, |stat| stat.size);
        let there = size.saturating_sub(offset).min(asked as u64);
        call.take_bytes(there)?;
        let read = sandbox.read_file_at(&params.path, offset, asked);
        let (bytes, size) = read.map_err(failure)?;
        // Of a device or a file of `/proc` nobody knows before.
        call.take_bytes((bytes.len() as u64).saturating_sub(there))?;
        if bytes.len() > MOST {
            let message = format!("an answer holds at most {MOST} bytes of a file");
            return Err(ApiError::new(Kind::TooLarge, message)
                .hint("read it in parts, by `offset` and `length`"));
        }
        let mime = (offset == 0).then(|| picture(&bytes)).flatten();
        let Bytes { text, base64 } = Bytes::new(bytes);
        Ok(ReadOutput {
            text,
            base64,
            size,
            mime: mime.map(str::to_owned),
            next_line: None,
            next_offset: None,
        })
    }
}

impl Handle for FilesWrite {
    fn handle(call: &Call<'_>, params: WriteParams) -> Result<Done, ApiError> {
        let bytes = Bytes::take(params.text, params.base64).map_err(bad_base64)?;
        let missing = || ApiError::new(Kind::InvalidParams, "`text` or `base64` is missing");
        let bytes = bytes.ok_or_else(missing)?;
        write(call, &params.path, bytes, params.parents)
    }
}

/// Writes a file, and the directories above it unless they are not wanted.
pub(crate) fn write(
    call: &Call<'_>,
    path: &str,
    bytes: Vec<u8>,
    parents: Option<bool>,
) -> Result<Done, ApiError> {
    let sandbox = call.live()?.sandbox.recording();
    let written = match parents.unwrap_or(true) {
        true => sandbox.write_file_and_parents(path, bytes),
        false => sandbox.write_file(path, bytes),
    };
    written.map_err(|error| {
        let is_missing = matches!(
            error.kind(),
            codepod::ErrorKind::File {
                errno: codepod::Errno::NoEnt,
                ..
            }
        );
        match is_missing && parents == Some(false) {
            true => failure(error).hint("with `parents` the directories above it are made"),
            false => failure(error),
        }
    })?;
    Ok(Done::OK)
}

impl Handle for FilesEdit {
    fn handle(call: &Call<'_>, params: EditParams) -> Result<EditOutput, ApiError> {
        let edit = |edit: Edit| codepod::Edit {
            old: edit.old,
            new: edit.new,
            all: edit.all.unwrap_or(false),
        };
        let edits: Vec<codepod::Edit> = params.edits.into_iter().map(edit).collect();
        let sandbox = call.live()?.sandbox.recording();
        let mut edited = sandbox.edit_file(&params.path, &edits).map_err(failure)?;
        let kept = edited.diff.floor_char_boundary(LONGEST_DIFF);
        let missing = edited.diff.len() - kept;
        if missing > 0 {
            edited.diff.truncate(kept);
            edited.diff += &format!("\n[{missing} bytes are not shown]\n");
        }
        Ok(EditOutput {
            replaced: edited.replaced,
            diff: edited.diff,
        })
    }
}

impl Handle for FilesList {
    fn handle(call: &Call<'_>, params: PathParams) -> Result<ListOutput, ApiError> {
        let entries = call
            .live()?
            .sandbox
            .list_dir(&params.path)
            .map_err(failure)?;
        let entry = |entry: codepod::DirEntry| Entry {
            name: text(&entry.name),
            kind: file_kind(entry.kind),
        };
        Ok(ListOutput {
            entries: entries.into_iter().map(entry).collect(),
        })
    }
}

impl Handle for FilesStat {
    fn handle(call: &Call<'_>, params: PathParams) -> Result<Stat, ApiError> {
        call.live()?
            .sandbox
            .stat(&params.path)
            .map(stat)
            .map_err(failure)
    }
}

impl Handle for FilesMkdir {
    fn handle(call: &Call<'_>, params: PathParams) -> Result<Done, ApiError> {
        let sandbox = call.live()?.sandbox.recording();
        sandbox.mkdir(&params.path).map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for FilesRemove {
    fn handle(call: &Call<'_>, params: PathParams) -> Result<Done, ApiError> {
        let sandbox = call.live()?.sandbox.recording();
        sandbox.remove(&params.path).map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for FilesRename {
    fn handle(call: &Call<'_>, params: RenameParams) -> Result<Done, ApiError> {
        call.live()?
            .sandbox
            .recording()
            .rename(&params.path, &params.to)
            .map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for FilesChmod {
    fn handle(call: &Call<'_>, params: ChmodParams) -> Result<Done, ApiError> {
        let mode = u16::try_from(params.mode)
            .ok()
            .filter(|mode| *mode <= 0o7777);
        let mode = mode
            .ok_or_else(|| ApiError::new(Kind::InvalidParams, "a mode is at most 0o7777 (4095)"))?;
        call.live()?
            .sandbox
            .recording()
            .set_mode(&params.path, mode)
            .map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for FilesRestore {
    fn handle(call: &Call<'_>, params: RestoreParams) -> Result<Done, ApiError> {
        let live = call.live()?;
        let from = moment(live, &params.from)?;
        live.sandbox
            .recording()
            .restore_paths(from, params.paths)
            .map_err(failure)?;
        Ok(Done::OK)
    }
}

/// Which picture a file is, by its first bytes.
fn picture(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}
