//! Reads custom sections of a WebAssembly module; the rest of the module is passed over.

/// The content of the custom section with this name. `None` when there is none, or when `module` is
/// not a well-formed sequence of sections.
pub(crate) fn custom_section<'a>(module: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let mut rest = module.strip_prefix(b"\0asm\x01\0\0\0")?;
    while let Some((&id, after_id)) = rest.split_first() {
        let (content, after) = sized(after_id)?;
        if id == 0 {
            let (name, content) = sized(content)?;
            if name == wanted.as_bytes() {
                return Some(content);
            }
        }
        rest = after;
    }
    None
}

/// Splits bytes that stand behind their length from what follows them.
fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = unsigned(bytes)?;
    rest.split_at_checked(length)
}

/// An unsigned LEB128 number of at most 32 bits, and what follows it.
fn unsigned(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0u64;
    for (index, &byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            let value = u32::try_from(value).ok()?;
            return Some((value as usize, &bytes[index + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = b"\0asm\x01\0\0\0";

    #[test]
    fn a_section_is_found_behind_others() {
        let mut module = HEADER.to_vec();
        module.extend(b"\x01\x02ab"); // a type section, passed over
        module.extend(b"\x00\x03\x01xy"); // another custom section
        module.extend(b"\x00\x07\x03cmdA\nB");
        assert_eq!(custom_section(&module, "cmd"), Some(&b"A\nB"[..]));
        assert_eq!(custom_section(&module, "other"), None);
    }

    #[test]
    fn lengths_may_take_several_bytes() {
        let mut module = HEADER.to_vec();
        module.extend([0, 0x84, 0x80, 0x00, 1, b'n', b'o', b'k']);
        assert_eq!(custom_section(&module, "n"), Some(&b"ok"[..]));
    }

    #[test]
    fn cut_or_foreign_files_have_no_sections() {
        assert_eq!(custom_section(b"ELF", "n"), None);
        let mut module = HEADER.to_vec();
        module.extend(b"\x00\x7f\x01n");
        assert_eq!(custom_section(&module, "n"), None);
        module.truncate(8);
        module.extend([0, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(custom_section(&module, "n"), None);
    }
}
