//! Patches of binary files.

use crate::out::put;
use crate::stop::Result;

/// The content of both sides as git's own form of binary patches.
pub(super) fn binary_patch(old: &[u8], new: &[u8]) -> Result<()> {
    put(b"GIT binary patch\n");
    for content in [new, old] {
        put(&literal(content)?);
    }
    Ok(())
}

/// `literal SIZE` and the content, deflated, in lines of base 85.
fn literal(content: &[u8]) -> Result<Vec<u8>> {
    use std::io::Write as _;
    const DIGITS: &[u8; 85] =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content)?;
    let packed = encoder.finish()?;
    let mut out = format!("literal {}\n", content.len()).into_bytes();
    for chunk in packed.chunks(52) {
        out.push(match chunk.len() {
            length @ 1..=26 => b'A' + length as u8 - 1,
            length => b'a' + length as u8 - 27,
        });
        for four in chunk.chunks(4) {
            let mut word = [0u8; 4];
            word[..four.len()].copy_from_slice(four);
            let mut number = u32::from_be_bytes(word);
            let mut digits = [0u8; 5];
            for digit in digits.iter_mut().rev() {
                *digit = DIGITS[(number % 85) as usize];
                number /= 85;
            }
            out.extend(digits);
        }
        out.push(b'\n');
    }
    out.push(b'\n');
    Ok(out)
}
