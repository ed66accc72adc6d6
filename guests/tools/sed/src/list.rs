//! `l`: a line with everything that does not print shown as an escape.

/// Appends a line so shown, cut at `width` (0 for not at all), with `$` and `end` behind it.
pub(crate) fn show(line: &[u8], width: usize, end: u8, out: &mut Vec<u8>) {
    let mut used = 0;
    for &byte in line {
        let mut octal = [
            b'\\',
            b'0' + (byte >> 6),
            b'0' + (byte >> 3 & 7),
            b'0' + (byte & 7),
        ];
        let shown: &[u8] = match byte {
            b'\\' => b"\\\\",
            7 => b"\\a",
            8 => b"\\b",
            12 => b"\\f",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            11 => b"\\v",
            0x20..=0x7e => {
                octal[0] = byte;
                &octal[..1]
            }
            _ => &octal,
        };
        if width > 0 && used + shown.len() > width - 1 {
            out.extend_from_slice(b"\\\n");
            used = 0;
        }
        out.extend_from_slice(shown);
        used += shown.len();
    }
    out.extend_from_slice(&[b'$', end]);
}
