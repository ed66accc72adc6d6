//! Names that stay below the directory: without a leading slash, and without `..`.

use super::Run;

/// How much of a name would lead out of the directory: up to behind its last `..`, and slashes that
/// follow.
pub(crate) fn unsafe_prefix(name: &[u8]) -> usize {
    let mut end = 0;
    let mut at = 0;
    while at < name.len() {
        if name[at..].starts_with(b"..") && (at + 2 == name.len() || name[at + 2] == b'/') {
            end = at + 2;
        }
        match name[at..].iter().position(|byte| *byte == b'/') {
            Some(slash) => at += slash + 1,
            None => break,
        }
    }
    while name.get(end) == Some(&b'/') {
        end += 1;
    }
    end
}

/// The name without what would lead out; tells the first time that something was taken away. What
/// is empty then is `.`.
pub(crate) fn name<'a>(full: &'a [u8], is_target: bool, absolute: bool, run: &mut Run) -> &'a [u8] {
    if absolute {
        return full;
    }
    let end = unsafe_prefix(full);
    if end > 0 {
        let prefix = full[..end].to_vec();
        if !run.told.contains(&(prefix.clone(), is_target)) {
            let what = if is_target {
                "hard link targets"
            } else {
                "member names"
            };
            let text = [
                b"Removing leading `",
                &prefix[..],
                b"' from ",
                what.as_bytes(),
            ]
            .concat();
            run.warn(text);
            run.told.push((prefix, is_target));
        }
    }
    match &full[end..] {
        b"" => b".",
        rest => rest,
    }
}

/// Whether a link may lead out of the directory.
pub(crate) fn leads_out(target: &[u8]) -> bool {
    target.first() == Some(&b'/') || target.split(|byte| *byte == b'/').any(|part| part == b"..")
}

/// The name without its first parts; none when nothing is left.
pub(crate) fn strip(name: &[u8], count: usize) -> Option<&[u8]> {
    let mut rest = name;
    for _ in 0..count {
        while let Some(tail) = rest.strip_prefix(b"/") {
            rest = tail;
        }
        let slash = rest.iter().position(|byte| *byte == b'/')?;
        rest = &rest[slash..];
        while let Some(tail) = rest.strip_prefix(b"/") {
            rest = tail;
        }
    }
    (!rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_out_is_found() {
        assert_eq!(unsafe_prefix(b"/etc/passwd"), 1);
        assert_eq!(unsafe_prefix(b"../../x"), 6);
        assert_eq!(unsafe_prefix(b"a/../b"), 5);
        assert_eq!(unsafe_prefix(b"a/..b/c.."), 0);
        assert_eq!(unsafe_prefix(b"a/.."), 4);
        assert_eq!(unsafe_prefix(b"//x"), 2);
        assert!(leads_out(b"a/../b") && leads_out(b"/x") && !leads_out(b"a..b/c"));
    }

    #[test]
    fn parts_are_stripped() {
        assert_eq!(strip(b"a/b/c", 1), Some(&b"b/c"[..]));
        assert_eq!(strip(b"a/", 1), None);
        assert_eq!(strip(b"a", 1), None);
        assert_eq!(strip(b"./a/b", 1), Some(&b"a/b"[..]));
    }
}
