//! `--mode`: octal digits or changes as `chmod` has them.

/// The mode after the changes; none where they are no changes.
pub(crate) fn apply(text: &str, mode: u32, is_directory: bool) -> Option<u32> {
    if !text.is_empty() && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte)) {
        return u32::from_str_radix(text, 8)
            .ok()
            .filter(|mode| *mode <= 0o7777);
    }
    let mut mode = mode;
    for clause in text.split(',') {
        mode = change(clause, mode, is_directory)?;
    }
    Some(mode)
}

fn change(clause: &str, mode: u32, is_directory: bool) -> Option<u32> {
    let start = clause.find(['+', '-', '='])?;
    let mut who = 0;
    for letter in clause[..start].chars() {
        who |= match letter {
            'u' => 0o4700,
            'g' => 0o2070,
            'o' => 0o1007,
            'a' => 0o7777,
            _ => return None,
        };
    }
    if start == 0 {
        who = 0o7777;
    }
    let mut mode = mode;
    let mut rest = clause[start..].chars().peekable();
    while let Some(operator) = rest.next() {
        let mut bits = 0;
        while let Some(letter) = rest
            .peek()
            .copied()
            .filter(|letter| !"+-=".contains(*letter))
        {
            bits |= match letter {
                'r' => 0o444,
                'w' => 0o222,
                'x' => 0o111,
                'X' if is_directory || mode & 0o111 != 0 => 0o111,
                'X' => 0,
                's' => 0o6000,
                't' => 0o1000,
                'u' => (mode >> 6 & 7) * 0o111,
                'g' => (mode >> 3 & 7) * 0o111,
                'o' => (mode & 7) * 0o111,
                _ => return None,
            };
            rest.next();
        }
        let bits = bits & who;
        mode = match operator {
            '+' => mode | bits,
            '-' => mode & !bits,
            _ => mode & !(who & 0o777) | bits,
        };
    }
    Some(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_change_as_with_chmod() {
        assert_eq!(apply("644", 0o777, false), Some(0o644));
        assert_eq!(apply("go-w", 0o666, false), Some(0o644));
        assert_eq!(apply("u=rwx,go=rX", 0o600, true), Some(0o755));
        assert_eq!(apply("a+x", 0o644, false), Some(0o755));
        assert_eq!(apply("g=u", 0o640, false), Some(0o660));
        assert_eq!(apply("q", 0, false), None);
        assert_eq!(apply("u+q", 0, false), None);
    }
}
