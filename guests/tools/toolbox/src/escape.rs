//! What `echo -e` and `printf` share in reading backslashes.

/// The byte that a letter behind a backslash stands for.
pub(crate) fn letter(letter: u8) -> Option<u8> {
    Some(match letter {
        b'\\' => b'\\',
        b'a' => 7,
        b'b' => 8,
        b'e' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        _ => return None,
    })
}

/// The number at the start of `text`, of at most `most` digits, and how many digits it has.
pub(crate) fn number(text: &[u8], base: u32, most: usize) -> (u32, usize) {
    let digits = text.iter().take(most);
    let digits = digits.map_while(|byte| char::from(*byte).to_digit(base));
    digits.fold((0, 0), |(value, count), digit| {
        (value * base + digit, count + 1)
    })
}
