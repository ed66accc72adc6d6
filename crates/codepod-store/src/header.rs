//! What comes first in everything that is kept: which format it has, and who can read it.

use crate::error::StoreError;
use crate::wire::Reader;

/// The format that this code writes, and the newest that it reads.
pub const FORMAT: u16 = 3;
/// The oldest reader that understands what this code writes.
pub const SMALLEST_READER: u16 = 3;

/// What comes first in everything that is kept: what it is, its format, the smallest reader,
/// whether it is sealed.
pub(crate) fn header(magic: &[u8; 8], sealed: bool) -> Vec<u8> {
    let mut out = magic.to_vec();
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.extend_from_slice(&SMALLEST_READER.to_le_bytes());
    out.push(sealed.into());
    out
}

/// What a header says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    pub(crate) format: u16,
    /// Whether what follows is encrypted.
    pub(crate) sealed: bool,
}

/// Reads a header; refuses what this code cannot read.
pub(crate) fn read_header(reader: &mut Reader<'_>, magic: &[u8; 8]) -> Result<Header, StoreError> {
    if reader.take(magic.len())? != magic {
        return Err(StoreError::Damaged("it is no saved state"));
    }
    let format = reader.u16()?;
    let smallest = reader.u16()?;
    if smallest > FORMAT {
        return Err(StoreError::Version {
            smallest,
            own: FORMAT,
        });
    }
    if format == 0 || smallest == 0 || smallest > format {
        return Err(StoreError::Damaged("a format that there never was"));
    }
    let sealed = flag(reader)?;
    Ok(Header { format, sealed })
}

/// A byte that says yes or no.
pub(crate) fn flag(reader: &mut Reader<'_>) -> Result<bool, StoreError> {
    match reader.byte()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(StoreError::Damaged("neither yes nor no")),
    }
}
