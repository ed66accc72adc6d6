//! States that outlive their sandbox.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codepod::Key;
use codepod_api::methods::Empty;
use codepod_api::methods::persistence::{
    ExportOutput, ExportParams, HashOutput, ImportParams, PersistenceExport, PersistenceHash,
    PersistenceImport, PersistenceLoad, PersistenceSave, SavedOutput, VersionOutput,
};
use codepod_api::{ApiError, Bytes, Kind};

use crate::call::Call;
use crate::dispatch::Handle;
use crate::failure::{bad_base64, failure};

/// The largest export that an answer in JSON holds: it is in memory more than once.
const MOST: usize = 32 << 20;

impl Handle for PersistenceSave {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<SavedOutput, ApiError> {
        let saved = call.live()?.sandbox.save().map_err(failure)?;
        Ok(SavedOutput {
            sequence: saved.version.sequence,
            written: saved.written,
        })
    }
}

impl Handle for PersistenceLoad {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<VersionOutput, ApiError> {
        let version = call.live()?.sandbox.load().map_err(failure)?;
        Ok(VersionOutput {
            sequence: version.sequence,
        })
    }
}

impl Handle for PersistenceExport {
    fn handle(call: &Call<'_>, params: ExportParams) -> Result<ExportOutput, ApiError> {
        let key = key(params.key)?;
        let mut out = Capped::new(call);
        let exported = call.live()?.sandbox.export_state(&mut out, key.as_ref());
        if let Some(refused) = out.refused {
            return Err(refused);
        }
        exported.map_err(failure)?;
        Ok(ExportOutput {
            base64: STANDARD.encode(out.bytes),
        })
    }
}

impl Handle for PersistenceImport {
    fn handle(call: &Call<'_>, params: ImportParams) -> Result<VersionOutput, ApiError> {
        let key = key(params.key)?;
        let bytes = decode(params.base64)?;
        let version = call
            .live()?
            .sandbox
            .import_state(&bytes[..], key.as_ref())
            .map_err(failure)?;
        Ok(VersionOutput {
            sequence: version.sequence,
        })
    }
}

impl Handle for PersistenceHash {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<HashOutput, ApiError> {
        let hash = call.live()?.sandbox.state_hash().map_err(failure)?;
        Ok(HashOutput {
            hash: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }
}

fn decode(base64: String) -> Result<Vec<u8>, ApiError> {
    let bytes = Bytes::take(None, Some(base64)).map_err(bad_base64)?;
    Ok(bytes.unwrap_or_default())
}

pub(crate) fn key(text: Option<String>) -> Result<Option<Key>, ApiError> {
    let Some(text) = text else {
        return Ok(None);
    };
    let bytes: [u8; 32] = decode(text)?.try_into().map_err(|_| {
        ApiError::new(Kind::InvalidParams, "a key has 32 bytes")
            .hint("make one with `head -c 32 /dev/urandom | base64`")
    })?;
    Ok(Some(Key::new(&bytes)))
}

/// Collects bytes up to a bound.
struct Capped<'a> {
    call: &'a Call<'a>,
    bytes: Vec<u8>,
    /// Why there can be no more.
    refused: Option<ApiError>,
}

impl<'a> Capped<'a> {
    fn new(call: &'a Call<'a>) -> Capped<'a> {
        Capped {
            call,
            bytes: Vec::new(),
            refused: None,
        }
    }

    fn take(&self, bytes: usize) -> Result<(), ApiError> {
        if self.bytes.len() + bytes > MOST {
            let message = format!("the state is larger than {MOST} bytes");
            return Err(ApiError::new(Kind::TooLarge, message).hint(
                "over HTTP, ask for it with `Accept: application/octet-stream`; `codepod states export` has no such bound",
            ));
        }
        // Once as it is, and once in base64.
        self.call.take_bytes(2 * bytes as u64)
    }
}

impl std::io::Write for Capped<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Err(error) = self.take(bytes.len()) {
            self.refused = Some(error);
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
