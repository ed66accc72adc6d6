//! Files of a sandbox.

use codepod::{Errno, ErrorKind};
use codepod_api::methods::Done;
use codepod_api::methods::files::{
    ChmodParams, Entry, FilesChmod, FilesList, FilesMkdir, FilesRead, FilesRemove, FilesRename,
    FilesRestore, FilesStat, FilesWrite, ListOutput, PathParams, ReadOutput, ReadParams,
    RenameParams, RestoreParams, Stat, WriteParams,
};
use codepod_api::{ApiError, Bytes, Kind};

use crate::call::Call;
use crate::convert::{file_kind, moment, stat, text};
use crate::dispatch::Handle;
use crate::failure::{bad_base64, failure};

/// As much of a file as one answer holds.
const MOST: usize = 32 << 20;

impl Handle for FilesRead {
    fn handle(call: &Call<'_>, params: ReadParams) -> Result<ReadOutput, ApiError> {
        let wanted = params.length.map_or(usize::MAX, |length| {
            usize::try_from(length).unwrap_or(usize::MAX)
        });
        let offset = params.offset.unwrap_or(0);
        // One more than an answer holds: then it is too much.
        let asked = wanted.min(MOST + 1);
        let sandbox = &call.held()?.sandbox;
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
        let Bytes { text, base64 } = Bytes::new(bytes);
        Ok(ReadOutput { text, base64, size })
    }
}

impl Handle for FilesWrite {
    fn handle(call: &Call<'_>, params: WriteParams) -> Result<Done, ApiError> {
        let bytes = Bytes::take(params.text, params.base64).map_err(bad_base64)?;
        let missing = || ApiError::new(Kind::InvalidParams, "`text` or `base64` is missing");
        let bytes = bytes.ok_or_else(missing)?;
        let sandbox = &call.held()?.sandbox;
        let parents = params.parents.unwrap_or(false);
        if parents
            && let Some((above, _)) = params.path.trim_end_matches('/').rsplit_once('/')
            && !above.is_empty()
        {
            sandbox.mkdir(above).map_err(failure)?;
        }
        let written = sandbox.write_file(&params.path, bytes);
        written.map_err(|error| match error.kind() {
            ErrorKind::File { errno, .. } if *errno == Errno::NoEnt && !parents => failure(error)
                .hint("a directory of the path is not there: with `parents` it is made"),
            _ => failure(error),
        })?;
        Ok(Done::OK)
    }
}

impl Handle for FilesList {
    fn handle(call: &Call<'_>, params: PathParams) -> Result<ListOutput, ApiError> {
        let entries = call
            .held()?
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
        call.held()?
            .sandbox
            .stat(&params.path)
            .map(stat)
            .map_err(failure)
    }
}

impl Handle for FilesMkdir {
    fn handle(call: &Call<'_>, params: PathParams) -> Result<Done, ApiError> {
        call.held()?.sandbox.mkdir(&params.path).map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for FilesRemove {
    fn handle(call: &Call<'_>, params: PathParams) -> Result<Done, ApiError> {
        call.held()?.sandbox.remove(&params.path).map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for FilesRename {
    fn handle(call: &Call<'_>, params: RenameParams) -> Result<Done, ApiError> {
        call.held()?
            .sandbox
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
        call.held()?
            .sandbox
            .set_mode(&params.path, mode)
            .map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for FilesRestore {
    fn handle(call: &Call<'_>, params: RestoreParams) -> Result<Done, ApiError> {
        let held = call.held()?;
        let from = moment(held, &params.from)?;
        held.sandbox
            .restore_paths(from, params.paths)
            .map_err(failure)?;
        Ok(Done::OK)
    }
}
