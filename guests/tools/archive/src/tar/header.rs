//! Headers of tar: blocks of 512 bytes in the formats v7, ustar, GNU and pax.

use crate::system::{self, Moment};

/// The size of a block.
pub(crate) const BLOCK: usize = 512;

/// How headers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The oldest.
    V7,
    /// POSIX of 1988.
    Ustar,
    /// GNU's, which is the usual one.
    Gnu,
    /// POSIX of 2001.
    Pax,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// Another name of a file that came before.
    Link,
    /// A symbolic link.
    Symlink,
    /// A character device.
    Character,
    /// A block device.
    Block,
    /// A directory.
    Directory,
    /// A fifo.
    Fifo,
    /// The name of the archive.
    Label,
    /// Something else, with this letter.
    Other(u8),
}

/// An entry of an archive.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Its name. A directory's ends with a slash.
    pub(crate) name: Vec<u8>,
    /// What it is.
    pub(crate) kind: Kind,
    /// Where a link leads.
    pub(crate) target: Vec<u8>,
    /// Permissions.
    pub(crate) mode: u32,
    /// Owner.
    pub(crate) uid: u64,
    /// Group.
    pub(crate) gid: u64,
    /// Owner's name.
    pub(crate) user: Vec<u8>,
    /// Group's name.
    pub(crate) group: Vec<u8>,
    /// Bytes of the content, as a file system shows it.
    pub(crate) size: u64,
    /// Bytes of the content in the archive.
    pub(crate) stored: u64,
    /// When it was changed.
    pub(crate) modified: Moment,
    /// Numbers of a device.
    pub(crate) device: (u32, u32),
    /// Pieces of a file with holes: where and how long. None for a file without.
    pub(crate) pieces: Option<Vec<(u64, u64)>>,
    /// The pieces are told at the start of the content.
    pub(crate) map_in_content: bool,
}

impl Default for Entry {
    fn default() -> Entry {
        Entry {
            name: Vec::new(),
            kind: Kind::File,
            target: Vec::new(),
            mode: 0,
            uid: 0,
            gid: 0,
            user: Vec::new(),
            group: Vec::new(),
            size: 0,
            stored: 0,
            modified: Moment::default(),
            device: (0, 0),
            pieces: None,
            map_in_content: false,
        }
    }
}

/// A text up to its first zero.
pub(crate) fn text(field: &[u8]) -> Vec<u8> {
    let end = field
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(field.len());
    field[..end].to_vec()
}

/// A number: octal digits, or two's complement with the highest bit set.
pub(crate) fn number(field: &[u8]) -> Option<i64> {
    if field.first().is_some_and(|byte| byte & 0x80 != 0) {
        let negative = field[0] & 0x40 != 0;
        let mut value: i64 = if negative { -1 } else { 0 };
        for (at, byte) in field.iter().enumerate() {
            let byte = match at {
                0 if negative => byte | 0x80,
                0 => byte & 0x7f,
                _ => *byte,
            };
            value = value.checked_mul(256)? | i64::from(byte);
        }
        return Some(value);
    }
    let mut value: i64 = 0;
    let mut any = false;
    for byte in field {
        match byte {
            b'0'..=b'7' => {
                value = value.checked_mul(8)?.checked_add((byte - b'0').into())?;
                any = true;
            }
            b' ' if !any => {}
            0 | b' ' => break,
            _ => return None,
        }
    }
    Some(value)
}

/// The sum that guards a header.
pub(crate) fn checksum(block: &[u8; BLOCK]) -> (i64, i64) {
    let (mut unsigned, mut signed) = (0i64, 0i64);
    for (at, byte) in block.iter().enumerate() {
        let byte = if (148..156).contains(&at) {
            b' '
        } else {
            *byte
        };
        unsigned += i64::from(byte);
        signed += i64::from(byte.cast_signed());
    }
    (unsigned, signed)
}

/// Whether a block is a header.
pub(crate) fn is_valid(block: &[u8; BLOCK]) -> bool {
    let (unsigned, signed) = checksum(block);
    number(&block[148..156]).is_some_and(|sum| sum == unsigned || sum == signed)
}

/// Reads a header.
pub(crate) fn parse(block: &[u8; BLOCK]) -> Entry {
    let number = |from: usize, to: usize| number(&block[from..to]).unwrap_or(0);
    let posix = &block[257..263] == b"ustar\0";
    let gnu = &block[257..265] == b"ustar  \0";
    let letter = block[156];
    let mut name = text(&block[..100]);
    let prefix = text(&block[345..500]);
    if posix && !prefix.is_empty() {
        name = [&prefix[..], b"/", &name].concat();
    }
    let size = number(124, 136).max(0).cast_unsigned();
    let kind = match letter {
        b'0' | 0 | b'7' if name.ends_with(b"/") => Kind::Directory,
        b'0' | 0 | b'7' => Kind::File,
        b'S' if gnu => Kind::File,
        b'1' => Kind::Link,
        b'2' => Kind::Symlink,
        b'3' => Kind::Character,
        b'4' => Kind::Block,
        b'5' => Kind::Directory,
        b'6' => Kind::Fifo,
        b'V' => Kind::Label,
        other => Kind::Other(other),
    };
    let with_names = posix || gnu;
    Entry {
        name,
        kind,
        target: text(&block[157..257]),
        mode: number(100, 108) as u32 & 0o7777,
        uid: number(108, 116).max(0).cast_unsigned(),
        gid: number(116, 124).max(0).cast_unsigned(),
        user: if with_names {
            text(&block[265..297])
        } else {
            Vec::new()
        },
        group: if with_names {
            text(&block[297..329])
        } else {
            Vec::new()
        },
        size,
        stored: match kind {
            // Some write a size for what has no content.
            Kind::Symlink | Kind::Character | Kind::Block | Kind::Directory | Kind::Fifo => 0,
            Kind::Link => 0,
            _ => size,
        },
        modified: Moment {
            seconds: number(136, 148),
            nanoseconds: 0,
        },
        device: (number(329, 337) as u32, number(337, 345) as u32),
        pieces: None,
        map_in_content: false,
    }
}

/// A header for an entry.
pub(crate) struct Builder {
    block: [u8; BLOCK],
    dialect: Dialect,
}

impl Builder {
    /// An empty one.
    pub(crate) fn new(dialect: Dialect) -> Builder {
        let mut block = [0; BLOCK];
        match dialect {
            Dialect::V7 => {}
            Dialect::Gnu => block[257..265].copy_from_slice(b"ustar  \0"),
            Dialect::Ustar | Dialect::Pax => block[257..265].copy_from_slice(b"ustar\x0000"),
        }
        Builder { block, dialect }
    }

    /// Puts text into a field; what does not fit is cut.
    pub(crate) fn text(&mut self, from: usize, length: usize, text: &[u8]) -> &mut Builder {
        let taken = text.len().min(length);
        self.block[from..from + taken].copy_from_slice(&text[..taken]);
        self
    }

    /// Puts a number into a field. GNU's headers have a second form for what needs more digits; the
    /// others get the largest.
    pub(crate) fn number(&mut self, from: usize, length: usize, value: i64) -> &mut Builder {
        let field = &mut self.block[from..from + length];
        let most = 1i64 << (3 * (length as u32 - 1)).min(62);
        if (0..most).contains(&value) {
            let digits = format!("{value:0width$o}", width = length - 1);
            field[..length - 1].copy_from_slice(digits.as_bytes());
            field[length - 1] = 0;
        } else if self.dialect == Dialect::Gnu || self.dialect == Dialect::Pax {
            let bytes = value.to_be_bytes();
            let fill = if value < 0 { 0xff } else { 0 };
            field.fill(fill);
            let taken = length.min(8);
            field[length - taken..].copy_from_slice(&bytes[8 - taken..]);
            field[0] = if value < 0 { 0xff } else { field[0] | 0x80 };
        } else {
            let digits = format!("{:o}", most - 1);
            field[..length - 1].copy_from_slice(digits.as_bytes());
        }
        self
    }

    /// The block with its checksum.
    pub(crate) fn finish(mut self) -> [u8; BLOCK] {
        let (sum, _) = checksum(&self.block);
        let digits = format!("{sum:06o}\0 ");
        self.block[148..156].copy_from_slice(digits.as_bytes());
        self.block
    }
}

/// The letter of a kind in a header.
pub(crate) fn letter(kind: Kind, dialect: Dialect) -> u8 {
    match kind {
        // The oldest format has no others.
        Kind::File | Kind::Directory if dialect == Dialect::V7 => 0,
        Kind::File => b'0',
        Kind::Link => b'1',
        Kind::Symlink => b'2',
        Kind::Character => b'3',
        Kind::Block => b'4',
        Kind::Directory => b'5',
        Kind::Fifo => b'6',
        Kind::Label => b'V',
        Kind::Other(letter) => letter,
    }
}

/// Where a long name can be parted so that both fields of ustar hold it.
pub(crate) fn split_name(name: &[u8]) -> Option<usize> {
    if name.len() > 256 {
        return None;
    }
    let end = name.len().saturating_sub(1).min(155);
    let at = name[..=end.min(name.len() - 1)]
        .iter()
        .rposition(|byte| *byte == b'/')?;
    let rest = name.len() - at - 1;
    (at > 0 && rest > 0 && rest <= 100).then_some(at)
}

/// The type and permissions as `ls -l` shows them.
pub(crate) fn mode_text(kind: Kind, mode: u32) -> String {
    let first = match kind {
        Kind::File => '-',
        Kind::Link => 'h',
        Kind::Symlink => 'l',
        Kind::Character => 'c',
        Kind::Block => 'b',
        Kind::Directory => 'd',
        Kind::Fifo => 'p',
        Kind::Label => 'V',
        Kind::Other(_) => '?',
    };
    format!("{first}{}", codepod_mode::permissions(mode))
}

/// The kind of a file on disk.
pub(crate) fn kind_of(meta: &system::Meta) -> Option<Kind> {
    Some(match meta.kind() {
        system::REGULAR => Kind::File,
        system::DIRECTORY => Kind::Directory,
        system::SYMLINK => Kind::Symlink,
        system::FIFO => Kind::Fifo,
        system::CHARACTER => Kind::Character,
        system::BLOCK => Kind::Block,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for value in [0, 1, 0o7777777, 0o10000000, 1 << 40, -1, -86_400] {
            let mut builder = Builder::new(Dialect::Gnu);
            builder.number(136, 12, value).number(108, 8, value);
            assert_eq!(number(&builder.block[136..148]), Some(value));
            assert_eq!(number(&builder.block[108..116]), Some(value));
        }
        assert_eq!(number(b"  644 \0"), Some(0o644));
        assert_eq!(number(b"9"), None);
    }

    #[test]
    fn long_names_are_parted_at_a_slash() {
        let name = [&[b'a'; 90][..], b"/", &[b'b'; 90]].concat();
        assert_eq!(split_name(&name), Some(90));
        assert_eq!(split_name(&[b'x'; 150]), None);
        assert_eq!(mode_text(Kind::File, 0o4755), "-rwsr-xr-x");
        assert_eq!(mode_text(Kind::Directory, 0o1777), "drwxrwxrwt");
    }
}
