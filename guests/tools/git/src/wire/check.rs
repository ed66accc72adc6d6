//! Whether objects of others are what they have to be, as `git fsck` says it.
//!
//! Checked always is what reading them later relies on, and what could write elsewhere than into
//! the working tree. With `transfer.fsckObjects` names, addresses and dates are checked, too: old
//! histories have wrong ones, and git takes those unless it is told not to.

use crate::object::{GITLINK, TreeEntry, parse_tree};
use crate::oid::{Kind, Oid};
use crate::os::{S_IFDIR, S_IFLNK, S_IFMT, S_IFREG};

/// What is wrong: git's word for it, and a sentence.
pub(crate) type Fault = (&'static str, &'static str);

type Checked<T> = std::result::Result<T, Fault>;

/// Checks an object and tells the objects that it names.
pub(crate) fn check(
    kind: Kind,
    content: &[u8],
    is_strict: bool,
    link: &mut dyn FnMut(Oid, Kind),
) -> Checked<()> {
    match kind {
        Kind::Blob => Ok(()),
        Kind::Tree => tree(content, is_strict, link),
        Kind::Commit => commit(content, is_strict, link),
        Kind::Tag => tag(content, is_strict, link),
    }
}

fn tree(content: &[u8], is_strict: bool, link: &mut dyn FnMut(Oid, Kind)) -> Checked<()> {
    let entries = parse_tree(content).ok_or(("badTree", "cannot be parsed as a tree"))?;
    // In a strict check, modes are written in one way only.
    if is_strict && content.first() == Some(&b'0') {
        return Err(("zeroPaddedFilemode", "contains zero-padded file modes"));
    }
    let mut files: Vec<&[u8]> = Vec::new();
    let mut before: Option<&TreeEntry> = None;
    for entry in &entries {
        name(&entry.name)?;
        if entry.oid.is_null() {
            return Err(("nullSha1", "contains entries pointing to null sha1"));
        }
        let is_known = match entry.mode & S_IFMT {
            S_IFREG => !is_strict || matches!(entry.mode & 0o7777, 0o644 | 0o755 | 0o664),
            S_IFDIR | S_IFLNK | GITLINK => true,
            _ => false,
        };
        if !is_known {
            return Err(("badFilemode", "contains bad file modes"));
        }
        if let Some(before) = before {
            match order(before, entry) {
                std::cmp::Ordering::Less if before.name != entry.name => {}
                std::cmp::Ordering::Greater => {
                    return Err(("treeNotSorted", "not properly sorted"));
                }
                _ => return Err(DUPLICATE),
            }
        }
        if entry.is_tree() {
            if files.binary_search(&&entry.name[..]).is_ok() {
                return Err(DUPLICATE);
            }
        } else {
            files.push(&entry.name);
        }
        before = Some(entry);
        if entry.mode & S_IFMT != GITLINK {
            link(entry.oid, entry.kind());
        }
    }
    Ok(())
}

const DUPLICATE: Fault = ("duplicateEntries", "contains duplicate file entries");

/// How two entries of a tree follow each other.
fn order(a: &TreeEntry, b: &TreeEntry) -> std::cmp::Ordering {
    let end = |entry: &TreeEntry| entry.is_tree().then_some(b'/');
    let name = |entry: &TreeEntry| {
        entry
            .name
            .clone()
            .into_iter()
            .chain(end(entry))
            .collect::<Vec<u8>>()
    };
    let common = a.name.len().min(b.name.len());
    match a.name[..common].cmp(&b.name[..common]) {
        std::cmp::Ordering::Equal => name(a).cmp(&name(b)),
        other => other,
    }
}

fn name(name: &[u8]) -> Checked<()> {
    Err(match name {
        b"" => ("emptyName", "contains empty pathname"),
        b"." => ("hasDot", "contains '.'"),
        b".." => ("hasDotdot", "contains '..'"),
        _ if name.contains(&b'/') => ("fullPathname", "contains full pathnames"),
        _ if is_dot_git(name) => ("hasDotgit", "contains '.git'"),
        _ => return Ok(()),
    })
}

/// Whether a name is `.git` on some file system: without regard to case, with what HFS+ and NTFS
/// pass over.
fn is_dot_git(name: &[u8]) -> bool {
    // Zero-width characters and the like, which HFS+ passes over.
    const IGNORED: [char; 17] = [
        '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}',
        '\u{202d}', '\u{202e}', '\u{206a}', '\u{206b}', '\u{206c}', '\u{206d}', '\u{206e}',
        '\u{206f}', '\u{feff}', '\u{ad}',
    ];
    let text = String::from_utf8_lossy(name);
    let plain: String = text.chars().filter(|one| !IGNORED.contains(one)).collect();
    // On NTFS a stream may follow, and dots and spaces at the end do not count.
    let windows = |name: &str| {
        let name = name.split([':', '\\']).next().unwrap_or_default();
        let name = name.trim_end_matches(['.', ' ']);
        name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
    };
    plain.eq_ignore_ascii_case(".git") || windows(&text)
}

/// The lines of a head, one after the other.
struct Head<'a> {
    rest: &'a [u8],
}

impl<'a> Head<'a> {
    fn new(content: &'a [u8]) -> Checked<Head<'a>> {
        let end = content.windows(2).position(|pair| pair == b"\n\n");
        let head = match end {
            Some(end) => &content[..=end],
            None if content.ends_with(b"\n") => content,
            None => return Err(("unterminatedHeader", "unterminated header")),
        };
        match head.contains(&0) {
            true => Err(("nulInHeader", "unterminated header: NUL at offset")),
            false => Ok(Head { rest: head }),
        }
    }

    /// The value of the next line, if it is of this field.
    fn next(&mut self, field: &str) -> Option<&'a [u8]> {
        let rest = self
            .rest
            .strip_prefix(field.as_bytes())?
            .strip_prefix(b" ")?;
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        self.rest = &rest[end + 1..];
        Some(&rest[..end])
    }
}

fn commit(content: &[u8], is_strict: bool, link: &mut dyn FnMut(Oid, Kind)) -> Checked<()> {
    let mut head = Head::new(content)?;
    let tree = head
        .next("tree")
        .ok_or(("missingTree", "invalid format - expected 'tree' line"))?;
    let tree = Oid::parse(tree).ok_or(("badTreeSha1", "invalid 'tree' line format - bad sha1"))?;
    link(tree, Kind::Tree);
    while let Some(parent) = head.next("parent") {
        let parent = Oid::parse(parent);
        let parent = parent.ok_or(("badParentSha1", "invalid 'parent' line format - bad sha1"))?;
        link(parent, Kind::Commit);
    }
    let author = head.next("author");
    let author = author.ok_or(("missingAuthor", "invalid format - expected 'author' line"))?;
    let committer = match head.next("committer") {
        Some(committer) => committer,
        None if is_strict && head.next("author").is_some() => {
            return Err((
                "multipleAuthors",
                "invalid format - multiple 'author' lines",
            ));
        }
        None => {
            return Err((
                "missingCommitter",
                "invalid format - expected 'committer' line",
            ));
        }
    };
    match is_strict {
        true => person(author).and_then(|()| person(committer)),
        false => Ok(()),
    }
}

fn tag(content: &[u8], is_strict: bool, link: &mut dyn FnMut(Oid, Kind)) -> Checked<()> {
    let mut head = Head::new(content)?;
    let object = head.next("object");
    let object = object.ok_or(("missingObject", "invalid format - expected 'object' line"))?;
    let object = Oid::parse(object);
    let object = object.ok_or(("badObjectSha1", "invalid 'object' line format - bad sha1"))?;
    let kind = head
        .next("type")
        .ok_or(("missingTypeEntry", "invalid format - expected 'type' line"))?;
    let kind = Kind::parse(kind).ok_or(("badType", "invalid 'type' value"))?;
    link(object, kind);
    let name = head.next("tag");
    let name = name.ok_or(("missingTagEntry", "invalid format - expected 'tag' line"))?;
    if !is_strict {
        return Ok(());
    }
    if !crate::refs::is_valid(&[b"refs/tags/", name].concat(), false) {
        return Err(("badTagName", "invalid 'tag' name"));
    }
    let tagger = head.next("tagger");
    person(tagger.ok_or((
        "missingTaggerEntry",
        "invalid format - expected 'tagger' line",
    ))?)
}

/// `Name <address> seconds zone`.
fn person(text: &[u8]) -> Checked<()> {
    let open = text.iter().position(|byte| *byte == b'<');
    let Some(open) = open else {
        return Err((
            "missingEmail",
            "invalid author/committer line - missing email",
        ));
    };
    let name = &text[..open];
    if name.is_empty() {
        return Err((
            "missingNameBeforeEmail",
            "invalid author/committer line - missing space before email",
        ));
    }
    if name.contains(&b'>') {
        return Err(("badName", "invalid author/committer line - bad name"));
    }
    if !name.ends_with(b" ") {
        return Err((
            "missingSpaceBeforeEmail",
            "invalid author/committer line - missing space before email",
        ));
    }
    let rest = &text[open + 1..];
    let close = rest.iter().position(|byte| matches!(byte, b'<' | b'>'));
    let rest = match close {
        Some(close) if rest[close] == b'>' => &rest[close + 1..],
        _ => return Err(("badEmail", "invalid author/committer line - bad email")),
    };
    let Some(rest) = rest.strip_prefix(b" ") else {
        return Err((
            "missingSpaceBeforeDate",
            "invalid author/committer line - missing space before date",
        ));
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (date, rest) = rest.split_at(digits);
    if date.is_empty() || rest.first() != Some(&b' ') {
        return Err(("badDate", "invalid author/committer line - bad date"));
    }
    if date.len() > 1 && date[0] == b'0' {
        return Err((
            "zeroPaddedDate",
            "invalid author/committer line - zero-padded date",
        ));
    }
    if date.len() > 18 {
        return Err((
            "badDateOverflow",
            "invalid author/committer line - date causes integer overflow",
        ));
    }
    match rest {
        [b' ', b'+' | b'-', digits @ ..]
            if digits.len() == 4 && digits.iter().all(u8::is_ascii_digit) =>
        {
            Ok(())
        }
        _ => Err((
            "badTimezone",
            "invalid author/committer line - bad time zone",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "1111111111111111111111111111111111111111";

    fn word(kind: Kind, content: &[u8], is_strict: bool) -> &'static str {
        match check(kind, content, is_strict, &mut |_, _| {}) {
            Ok(()) => "ok",
            Err((word, _)) => word,
        }
    }

    fn tree_of(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut content = Vec::new();
        for (mode, name) in entries {
            content.extend(format!("{mode} {name}\0").bytes());
            content.extend([0x11; 20]);
        }
        content
    }

    #[test]
    fn trees_are_in_order_and_name_nothing_else() {
        let check = |entries: &[(&str, &str)]| word(Kind::Tree, &tree_of(entries), false);
        let file = "100644";
        let dir = "40000";
        assert_eq!(
            check(&[(file, "a"), (file, "a.b"), (dir, "a0"), (dir, "b")]),
            "ok"
        );
        assert_eq!(check(&[(file, "a.b"), (dir, "a")]), "ok");
        assert_eq!(check(&[(dir, "a"), (file, "a.b")]), "treeNotSorted");
        assert_eq!(check(&[(file, "b"), (file, "a")]), "treeNotSorted");
        assert_eq!(check(&[(file, "a"), (file, "a")]), "duplicateEntries");
        assert_eq!(check(&[(file, "a"), (dir, "a")]), "duplicateEntries");
        assert_eq!(
            check(&[(file, "a"), (file, "a.b"), (dir, "a")]),
            "duplicateEntries"
        );
        for (name, word) in [
            ("", "emptyName"),
            (".", "hasDot"),
            ("..", "hasDotdot"),
            ("a/b", "fullPathname"),
            (".git", "hasDotgit"),
            (".GIT", "hasDotgit"),
            (".git. ", "hasDotgit"),
            ("git~1", "hasDotgit"),
            (".git::$INDEX_ALLOCATION", "hasDotgit"),
            (".g\u{200c}it", "hasDotgit"),
            (".gitignore", "ok"),
            ("...", "ok"),
        ] {
            assert_eq!(check(&[(file, name)]), word, "{name:?}");
        }
        assert_eq!(check(&[("644", "a")]), "badFilemode");
        assert_eq!(check(&[("170000", "a")]), "badFilemode");
        assert_eq!(word(Kind::Tree, b"100644 a\0short", false), "badTree");
        assert_eq!(
            word(Kind::Tree, &[&b"100644 a\0"[..], &[0; 20]].concat(), false),
            "nullSha1"
        );
    }

    #[test]
    fn commits_and_tags_have_their_lines() {
        let who = "A <a@b> 1 +0000";
        let check = |text: String| word(Kind::Commit, text.as_bytes(), false);
        assert_eq!(
            check(format!(
                "tree {OID}\nparent {OID}\nauthor {who}\ncommitter {who}\n\nx"
            )),
            "ok"
        );
        assert_eq!(
            check(format!("tree {OID}\nauthor {who}\n\nx")),
            "missingCommitter"
        );
        assert_eq!(check(format!("parent {OID}\n\nx")), "missingTree");
        assert_eq!(check(format!("tree {OID}x\n\nx")), "badTreeSha1");
        assert_eq!(check(format!("tree {OID}\nparent x\n\nx")), "badParentSha1");
        assert_eq!(check(format!("tree {OID}\0\n\nx")), "nulInHeader");
        assert_eq!(check("tree".to_owned()), "unterminatedHeader");
        let tag = |text: String| word(Kind::Tag, text.as_bytes(), false);
        assert_eq!(tag(format!("object {OID}\ntype commit\ntag v1\n\nx")), "ok");
        assert_eq!(
            tag(format!("object {OID}\ntype thing\ntag v1\n\nx")),
            "badType"
        );
        assert_eq!(
            tag(format!("object {OID}\ntype commit\n\nx")),
            "missingTagEntry"
        );
    }

    #[test]
    fn names_and_dates_are_checked_when_that_is_asked_for() {
        for (who, word) in [
            ("A <a@b> 1 +0000", "ok"),
            ("A a@b 1 +0000", "missingEmail"),
            ("<a@b> 1 +0000", "missingNameBeforeEmail"),
            ("A<a@b> 1 +0000", "missingSpaceBeforeEmail"),
            ("A <a<b> 1 +0000", "badEmail"),
            ("A <a@b>1 +0000", "missingSpaceBeforeDate"),
            ("A <a@b> x +0000", "badDate"),
            ("A <a@b> 01 +0000", "zeroPaddedDate"),
            ("A <a@b> 9999999999999999999 +0000", "badDateOverflow"),
            ("A <a@b> 1 +00000", "badTimezone"),
        ] {
            let text = format!("tree {OID}\nauthor {who}\ncommitter {who}\n\nx");
            assert_eq!(
                self::word(Kind::Commit, text.as_bytes(), true),
                word,
                "{who}"
            );
            assert_eq!(
                self::word(Kind::Commit, text.as_bytes(), false),
                "ok",
                "{who}"
            );
        }
    }
}
