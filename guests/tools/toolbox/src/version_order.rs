//! The order of versions, as `ls -v` and `sort -V` have it: gnulib's `filevercmp`.

use std::cmp::Ordering;

/// Compares two names.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    // Empty, `.`, `..` and names with a dot in front come first, in this order.
    for special in [&b""[..], b".", b".."] {
        match (a == special, b == special) {
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            _ => {}
        }
    }
    match (a.starts_with(b"."), b.starts_with(b".")) {
        (true, false) => return Ordering::Less,
        (false, true) => return Ordering::Greater,
        _ => {}
    }
    let (stem_a, stem_b) = (without_suffix(a), without_suffix(b));
    let order = by_parts(stem_a, stem_b);
    if order != Ordering::Equal || (stem_a.len() == a.len() && stem_b.len() == b.len()) {
        return order;
    }
    by_parts(a, b)
}

/// A name without what matches `(\.[A-Za-z~][A-Za-z0-9~]*)*` at its end.
fn without_suffix(name: &[u8]) -> &[u8] {
    let mut end = name.len();
    let mut at = name.len();
    while at > 0 {
        let part = at;
        while at > 0 && (name[at - 1].is_ascii_alphanumeric() || name[at - 1] == b'~') {
            at -= 1;
        }
        let first = name.get(at).filter(|_| at < part);
        let begins = first.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'~');
        if at == 0 || name[at - 1] != b'.' || !begins {
            break;
        }
        at -= 1;
        end = at;
    }
    // Something must be left in front.
    if end == 0 { name } else { &name[..end] }
}

fn order(byte: Option<&u8>) -> i32 {
    match byte {
        None => -1,
        Some(b'~') => -2,
        Some(byte) if byte.is_ascii_digit() => 0,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(*byte),
        Some(byte) => i32::from(*byte) + 256,
    }
}

fn by_parts(a: &[u8], b: &[u8]) -> Ordering {
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        while (i < a.len() && !a[i].is_ascii_digit()) || (j < b.len() && !b[j].is_ascii_digit()) {
            let (left, right) = (order(a.get(i)), order(b.get(j)));
            if left != right {
                return left.cmp(&right);
            }
            i += 1;
            j += 1;
        }
        while a.get(i) == Some(&b'0') {
            i += 1;
        }
        while b.get(j) == Some(&b'0') {
            j += 1;
        }
        let mut difference = Ordering::Equal;
        while a.get(i).is_some_and(u8::is_ascii_digit) && b.get(j).is_some_and(u8::is_ascii_digit) {
            difference = difference.then(a[i].cmp(&b[j]));
            i += 1;
            j += 1;
        }
        if a.get(i).is_some_and(u8::is_ascii_digit) {
            return Ordering::Greater;
        }
        if b.get(j).is_some_and(u8::is_ascii_digit) {
            return Ordering::Less;
        }
        if difference != Ordering::Equal {
            return difference;
        }
    }
    Ordering::Equal
}
