//! A change of permission bits, and what it makes of a mode.

use crate::parse::{self, Grammar, Wrong};

/// All bits that a change can be about.
pub(crate) const ALL: u32 = 0o7777;
/// The set-user-id and set-group-id bits.
const SET_ID: u32 = 0o6000;

/// A change of permission bits, as `chmod` takes it: `755`, `u+x,go-w`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub(crate) clauses: Vec<Clause>,
}

/// One operator with the bits behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) operator: Operator,
    /// The bits that the letters before the operator stand for. Without letters the clause is
    /// about all bits, except that it sets none that the umask holds.
    pub(crate) who: Option<u32>,
    pub(crate) value: Value,
    /// The bits that the text names. A directory keeps the set-id bits that it does not name.
    pub(crate) named: u32,
}

/// What is done with the bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Remove,
    Set,
}

/// The bits behind an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    /// These bits.
    Bits(u32),
    /// These bits, and for `X` the execute bits if it is a directory or has one of them already.
    BitsAndExecute(u32),
    /// The permissions that the user (6), the group (3) or others (0) have now, by their shift.
    CopyOf(u32),
}

impl Change {
    /// Reads a change as GNU's tools do; none where it is invalid.
    pub fn parse(text: &[u8]) -> Option<Change> {
        let clauses = match parse::octal(text) {
            Some(clause) => vec![clause],
            None => parse::clauses(text, Grammar::Gnu).ok()?,
        };
        Some(Change { clauses })
    }

    /// Reads a symbolic change as bash's `umask` does: `r`, `w` and `x` only, and one operator
    /// between two commas. Octal numbers are not read.
    ///
    /// Fails with the byte that bash's message names.
    pub fn parse_umask(text: &[u8]) -> Result<Change, Wrong> {
        let clauses = parse::clauses(text, Grammar::Umask)?;
        Ok(Change { clauses })
    }

    /// The permission bits after the change. `umask` counts for clauses without `ugoa`.
    pub fn apply(&self, old: u32, directory: bool, umask: u32) -> u32 {
        self.clauses.iter().fold(old & ALL, |mode, clause| {
            clause.apply(mode, directory, umask)
        })
    }
}

impl Clause {
    fn apply(&self, mode: u32, directory: bool, umask: u32) -> u32 {
        let kept = if directory { SET_ID & !self.named } else { 0 };
        let allowed = self.who.unwrap_or(!umask) & !kept;
        let bits = self.value.bits(mode, directory) & allowed;
        match self.operator {
            Operator::Add => mode | bits,
            Operator::Remove => mode & !bits,
            Operator::Set => {
                let cleared = self.who.unwrap_or(ALL) & !kept;
                mode & !cleared | bits
            }
        }
    }
}

impl Value {
    fn bits(self, mode: u32, directory: bool) -> u32 {
        match self {
            Value::Bits(bits) => bits,
            Value::BitsAndExecute(bits) if directory || mode & 0o111 != 0 => bits | 0o111,
            Value::BitsAndExecute(bits) => bits,
            Value::CopyOf(shift) => (mode >> shift & 7) * 0o111,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str, old: u32, umask: u32) -> Option<(u32, u32)> {
        let change = Change::parse(text.as_bytes())?;
        let result = |directory| change.apply(old, directory, umask);
        Some((result(false), result(true)))
    }

    // What chmod of GNU coreutils 9.1 makes of 6755, for a file and for a directory, with umask
    // 022.
    #[test]
    fn directories_keep_set_id_bits_that_are_not_named() {
        for (text, file, directory) in [
            ("=", 0, 0o6000),
            ("u=", 0o2055, 0o6055),
            ("a=", 0, 0o6000),
            ("=rw", 0o644, 0o6644),
            ("u=rw", 0o2655, 0o6655),
            ("u=s", 0o6055, 0o6055),
            ("g=u", 0o4775, 0o6775),
            ("ug=o", 0o555, 0o6555),
            ("=u", 0o755, 0o6755),
            ("go=u+w", 0o4777, 0o6777),
            ("u=rwX,go=rX", 0o755, 0o6755),
            ("=755", 0o755, 0o755),
            ("-7", 0o6750, 0o6750),
            ("0", 0, 0o6000),
            ("00000", 0, 0),
            ("755", 0o755, 0o6755),
            ("00755", 0o755, 0o755),
            ("2755", 0o2755, 0o6755),
            ("=s,+t", 0o7000, 0o7000),
            ("-s", 0o755, 0o755),
            ("u=rs-w", 0o6455, 0o6455),
        ] {
            assert_eq!(
                applied(text, 0o6755, 0o022),
                Some((file, directory)),
                "{text}"
            );
        }
    }

    // What chmod of GNU coreutils 9.1 makes of 644, with umask 022.
    #[test]
    fn bits_are_added_and_taken() {
        for (text, file, directory) in [
            ("u+x,go-w", 0o744, 0o744),
            ("+w", 0o644, 0o644),
            ("a+w", 0o666, 0o666),
            ("-w", 0o444, 0o444),
            ("+s", 0o6644, 0o6644),
            ("u+t", 0o644, 0o644),
            ("o+t", 0o1644, 0o1644),
            ("+t", 0o1644, 0o1644),
            ("a+X", 0o644, 0o755),
            ("a+u", 0o666, 0o666),
            ("+755", 0o755, 0o755),
            ("u++x", 0o744, 0o744),
            ("u+-x", 0o644, 0o644),
        ] {
            assert_eq!(
                applied(text, 0o644, 0o022),
                Some((file, directory)),
                "{text}"
            );
        }
    }

    // Files and directories that find 4.9.0 finds by `-perm`, which starts from no bits.
    #[test]
    fn find_starts_from_nothing() {
        for (text, file, directory) in [
            ("+w", 0o222, 0o222),
            ("a+rX", 0o444, 0o555),
            ("u+s,+t", 0o5000, 0o5000),
            ("u+t", 0, 0),
            ("u=rw,g=u", 0o660, 0o660),
            ("=u+s", 0o6000, 0o6000),
            ("u=rwxs,g+s-s", 0o4700, 0o4700),
            ("go=r,u=g+w", 0o644, 0o644),
        ] {
            assert_eq!(applied(text, 0, 0), Some((file, directory)), "{text}");
        }
    }

    // What bash 5.2 prints for `umask 022; umask TEXT; umask`.
    #[test]
    fn a_mask_is_what_a_change_does_not_let_through() {
        for (text, wanted) in [
            ("=", 0o777),
            ("u=rwx,g=rx,o=", 0o027),
            ("+r", 0o022),
            ("-w", 0o222),
            ("a+rw,go-w", 0o022),
        ] {
            let change = Change::parse_umask(text.as_bytes()).expect("it is a change");
            assert_eq!(
                !change.apply(!0o022 & 0o777, false, 0) & 0o777,
                wanted,
                "{text}"
            );
        }
    }
}
