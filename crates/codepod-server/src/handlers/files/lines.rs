//! Lines of a file, by their numbers.

use codepod_api::methods::files::{ReadOutput, ReadParams};
use codepod_api::{ApiError, Bytes, Kind};

use super::MOST;
use crate::call::Call;
use crate::failure::failure;

/// How much is looked through at once.
const PIECE: usize = 1 << 20;
/// How far into a file its lines are looked for.
const FARTHEST: u64 = 1 << 30;

/// Reads lines of a file: from `line` on, `lines` of them, no more than `length` bytes.
pub(super) fn read(call: &Call<'_>, params: ReadParams) -> Result<ReadOutput, ApiError> {
    if params.offset.is_some() && params.line.is_some() {
        let message = "give `offset` or `line`, not both";
        return Err(ApiError::new(Kind::InvalidParams, message));
    }
    if params.offset.is_some() && params.numbers == Some(true) {
        let message = "`numbers` goes with `line`, not with `offset`";
        return Err(ApiError::new(Kind::InvalidParams, message));
    }
    let first = params.line.unwrap_or(1).max(1);
    let offset = match params.offset {
        Some(offset) => offset,
        None => find(call, &params.path, first)?,
    };
    let most = params.length.map_or(MOST, |length| {
        usize::try_from(length).unwrap_or(MOST).min(MOST)
    });
    call.take_bytes(most as u64)?;
    let sandbox = &call.live()?.sandbox;
    let read = sandbox.read_file_at(&params.path, offset, most);
    let (mut bytes, size) = read.map_err(failure)?;
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let ends: Vec<usize> = ends.map(|(at, _)| at + 1).collect();
    let wanted = params.lines.map_or(usize::MAX, |lines| {
        usize::try_from(lines).unwrap_or(usize::MAX)
    });
    let goes_on = offset.saturating_add(bytes.len() as u64) < size;
    let mut lines = ends.len();
    if wanted < lines {
        lines = wanted;
        bytes.truncate(ends.get(wanted.wrapping_sub(1)).copied().unwrap_or(0));
    } else if goes_on && let Some(last) = ends.last() {
        // Whole lines, unless one is longer than an answer.
        bytes.truncate(*last);
    }
    let next = offset + bytes.len() as u64;
    let is_line = bytes.last().is_none_or(|byte| *byte == b'\n');
    let more = next < size;
    let numbers = params.numbers.unwrap_or(false);
    let bytes = if numbers {
        numbered(&bytes, first)
    } else {
        bytes
    };
    let Bytes { text, base64 } = Bytes::new(bytes);
    Ok(ReadOutput {
        text,
        base64,
        size,
        mime: None,
        next_line: (more && is_line && params.offset.is_none()).then_some(first + lines as u64),
        next_offset: more.then_some(next),
    })
}

/// Where a line begins; the file's end if it has fewer.
fn find(call: &Call<'_>, path: &str, line: u64) -> Result<u64, ApiError> {
    let sandbox = &call.live()?.sandbox;
    let (mut at, mut left) = (0_u64, line - 1);
    while left > 0 {
        if at >= FARTHEST || call.canceller.is_cancelled() {
            let message = format!("lines are found in the first {FARTHEST} bytes of a file only");
            return Err(ApiError::new(Kind::TooLarge, message).hint("read it by `offset`"));
        }
        let (bytes, _) = sandbox.read_file_at(path, at, PIECE).map_err(failure)?;
        if bytes.is_empty() {
            break;
        }
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let mut ends = ends.map(|(index, _)| index as u64 + 1);
        match ends
            .by_ref()
            .nth(usize::try_from(left - 1).unwrap_or(usize::MAX))
        {
            Some(end) => return Ok(at + end),
            None => left -= bytes.iter().filter(|byte| **byte == b'\n').count() as u64,
        }
        at += bytes.len() as u64;
    }
    Ok(at)
}

/// Lines with their numbers before them, as `cat -n` prints them. What is not UTF-8 is replaced.
fn numbered(bytes: &[u8], first: u64) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.split_inclusive('\n').zip(first..);
    let lines = lines.map(|(line, number)| format!("{number:6}\t{line}"));
    lines.collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn lines_get_their_numbers() {
        assert_eq!(numbered(b"a\n\nb", 9), b"     9\ta\n    10\t\n    11\tb");
        assert_eq!(numbered(b"", 1), b"");
    }
}
