//! Modes as `ls -l` prints them.

/// The type and the permissions: `drwxr-xr-x`.
pub fn text(mode: u32) -> String {
    let mut out = String::from(type_letter(mode));
    push_permissions(mode, &mut out);
    out
}

/// The permissions alone: `rwxr-xr-x`.
pub fn permissions(mode: u32) -> String {
    let mut out = String::new();
    push_permissions(mode, &mut out);
    out
}

/// The letter of the type bits: `d` for a directory, `-` for a regular file, `?` for an unknown
/// type.
pub fn type_letter(mode: u32) -> char {
    match mode & 0o170_000 {
        0o010_000 => 'p',
        0o020_000 => 'c',
        0o040_000 => 'd',
        0o060_000 => 'b',
        0o100_000 => '-',
        0o120_000 => 'l',
        0o140_000 => 's',
        _ => '?',
    }
}

fn push_permissions(mode: u32, out: &mut String) {
    for (shift, special, lower, upper) in [
        (6, 0o4000, 's', 'S'),
        (3, 0o2000, 's', 'S'),
        (0, 0o1000, 't', 'T'),
    ] {
        let bits = mode >> shift;
        out.push(if bits & 4 != 0 { 'r' } else { '-' });
        out.push(if bits & 2 != 0 { 'w' } else { '-' });
        out.push(match (bits & 1 != 0, mode & special != 0) {
            (true, true) => lower,
            (false, true) => upper,
            (true, false) => 'x',
            (false, false) => '-',
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // What `stat -c %A` of GNU coreutils 9.1 prints.
    #[test]
    fn modes_are_printed_as_stat_does() {
        for (mode, wanted) in [
            (0o100_644, "-rw-r--r--"),
            (0o040_755, "drwxr-xr-x"),
            (0o120_777, "lrwxrwxrwx"),
            (0o010_600, "prw-------"),
            (0o020_666, "crw-rw-rw-"),
            (0o060_660, "brw-rw----"),
            (0o140_755, "srwxr-xr-x"),
            (0o041_777, "drwxrwxrwt"),
            (0o041_776, "drwxrwxrwT"),
            (0o106_755, "-rwsr-sr-x"),
            (0o106_644, "-rwSr-Sr--"),
        ] {
            assert_eq!(text(mode), wanted);
            assert_eq!(permissions(mode), wanted[1..]);
        }
        assert_eq!(type_letter(0o644), '?');
    }
}
