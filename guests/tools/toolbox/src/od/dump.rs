//! Lines: an address, and a block of input in every format.

use codepod_tool::Output;

use super::field::Column;
use super::format::Format;
use super::input::{BLOCK, Input};

/// The base of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Radix {
    Octal,
    Decimal,
    Hexadecimal,
    /// Addresses are not printed.
    None,
}

/// How addresses are printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Address {
    radix: Radix,
    /// What is added to an address for the second one in parentheses.
    pub(super) label: Option<u64>,
}

impl Address {
    pub(super) fn of(radix: Radix) -> Address {
        Address { radix, label: None }
    }

    /// Prints an address and what stands behind it.
    pub(super) fn put(self, address: u64, end: Option<u8>, out: &mut Output) {
        let mut text = Vec::new();
        self.add(address, &mut text);
        if !text.is_empty() {
            text.extend(end);
        }
        out.put(&text);
    }

    /// Adds an address to a line.
    fn add(self, address: u64, line: &mut Vec<u8>) {
        match (self.radix, self.label) {
            (Radix::None, None) => {}
            // GNU shows the address itself here.
            (Radix::None, Some(_)) => self.add_in_parentheses(address, line),
            (_, None) => self.add_number(address, line),
            (_, Some(label)) => {
                self.add_number(address, line);
                line.push(b' ');
                self.add_in_parentheses(address.wrapping_add(label), line);
            }
        }
    }

    fn add_in_parentheses(self, address: u64, line: &mut Vec<u8>) {
        line.push(b'(');
        self.add_number(address, line);
        line.push(b')');
    }

    fn add_number(self, mut address: u64, line: &mut Vec<u8>) {
        let base = match self.radix {
            Radix::Octal | Radix::None => 8,
            Radix::Decimal => 10,
            Radix::Hexadecimal => 16,
        };
        // 22 octal digits are enough for 64 bits.
        let mut digits = [b'0'; 22];
        let mut first = digits.len();
        while address > 0 || digits.len() - first < self.digits() {
            first -= 1;
            digits[first] = b"0123456789abcdef"[(address % base) as usize];
            address /= base;
        }
        line.extend_from_slice(&digits[first..]);
    }

    fn digits(self) -> usize {
        if self.radix == Radix::Hexadecimal {
            6
        } else {
            7
        }
    }

    /// Columns that other lines of the same block leave free.
    fn columns(self) -> usize {
        match (self.radix, self.label) {
            (Radix::None, None) => 0,
            _ => self.digits(),
        }
    }
}

/// The lines of a dump.
pub(super) struct Lines {
    columns: Vec<Column>,
    /// Bytes of a line.
    width: usize,
    address: Address,
    is_verbose: bool,
    /// The block before.
    previous: Option<Vec<u8>>,
    /// Whether a star stands for the block before.
    is_starred: bool,
    line: Vec<u8>,
}

impl Lines {
    pub(super) fn new(
        formats: &[Format],
        width: usize,
        address: Address,
        is_verbose: bool,
    ) -> Lines {
        let columns = |format: &Format| (format.width() + 1) * (width / format.size);
        let widest = formats.iter().map(columns).max().unwrap_or(0);
        Lines {
            columns: formats
                .iter()
                .map(|format| Column::new(*format, width, widest))
                .collect(),
            width,
            address,
            is_verbose,
            previous: None,
            is_starred: false,
            line: Vec::new(),
        }
    }

    /// Reads units most significant byte first, if `is_big_endian`.
    pub(super) fn with_byte_order(mut self, is_big_endian: bool) -> Lines {
        for column in &mut self.columns {
            column.is_big_endian = is_big_endian;
        }
        self
    }

    /// Dumps the input, at most `limit` bytes of it, and the address behind it.
    pub(super) fn dump(
        mut self,
        mut address: u64,
        limit: Option<u64>,
        input: &mut Input<'_>,
        out: &mut Output,
    ) {
        // Whole lines.
        let mut buffer = vec![0; self.width * (BLOCK / self.width).max(1)];
        let mut left = limit.unwrap_or(u64::MAX);
        let mut filled = 0usize;
        while !out.is_broken() {
            let room = usize::try_from(left).unwrap_or(usize::MAX);
            let end = filled.saturating_add(room).min(buffer.len());
            let result = match end - filled {
                0 => Ok(0),
                _ => input.read_file(&mut buffer[filled..end]),
            };
            let count = *result.as_ref().unwrap_or(&0);
            filled += count;
            left -= count as u64;
            if count > 0 && filled < buffer.len() {
                continue;
            }
            // The next file may have something to complain of, so all lines go first.
            let whole = filled - filled % self.width;
            for block in buffer[..whole].chunks_exact(self.width) {
                self.whole(address, block, out);
                address += self.width as u64;
            }
            buffer.copy_within(whole..filled, 0);
            filled -= whole;
            if left == 0 || (count == 0 && !input.advance(result.err().as_ref(), out)) {
                break;
            }
        }
        self.last(address, &buffer[..filled], out);
        address += filled as u64;
        self.address.put(address, Some(b'\n'), out);
    }

    /// A block that fills a line.
    fn whole(&mut self, address: u64, block: &[u8], out: &mut Output) {
        if !self.is_verbose {
            if self.previous.as_deref() == Some(block) {
                if !self.is_starred {
                    out.put(b"*\n");
                }
                self.is_starred = true;
                return;
            }
            self.is_starred = false;
            let previous = self.previous.get_or_insert_default();
            previous.clear();
            previous.extend_from_slice(block);
        }
        self.block(address, block, block.len(), out);
    }

    /// What is left at the end. Zeros fill its last unit.
    fn last(&mut self, address: u64, rest: &[u8], out: &mut Output) {
        if rest.is_empty() {
            return;
        }
        let mut block = rest.to_vec();
        block.resize(self.width, 0);
        self.block(address, &block, rest.len(), out);
    }

    /// The lines of a block of which `length` bytes are input.
    fn block(&mut self, address: u64, block: &[u8], length: usize, out: &mut Output) {
        let line = &mut self.line;
        line.clear();
        for (place, column) in self.columns.iter().enumerate() {
            if place == 0 {
                self.address.add(address, line);
            } else {
                line.resize(line.len() + self.address.columns(), b' ');
            }
            column.add(block, length, line);
            line.push(b'\n');
        }
        out.put(line);
    }
}
