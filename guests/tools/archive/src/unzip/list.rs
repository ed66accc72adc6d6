//! `unzip -l` and `-v`.

use codepod_datetime::Civil;

use super::{Archive, Found, NO_FILES, Unzip, WARN};
use crate::zipfile::{Entry, ratio, shown, times};

const METHODS: [&str; 11] = [
    "Stored", "Shrunk", "Reduce1", "Reduce2", "Reduce3", "Reduce4", "Implode", "Token", "Defl:#",
    "Def64#", "ImplDCL",
];

impl Unzip<'_> {
    /// Lists the entries.
    pub(crate) fn list(&mut self, archive: &Archive) -> i32 {
        let long = self.settings.list > 1;
        let (first, second) = match long {
            false => (
                "  Length      Date    Time    Name",
                "---------  ---------- -----   ----",
            ),
            true => (
                " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name",
                "--------  ------  ------- ---- ---------- ----- --------  ----",
            ),
        };
        if self.settings.quiet < 2 {
            let heading = match self.settings.lower {
                0 => format!("{first}\n{second}\n"),
                _ => format!("{first} (\"^\" ==> case\n{second}   conversion)\n"),
            };
            self.console.out(heading.as_bytes());
        }
        let (entries, close) = self.entries(archive);
        let mut found = Found::default();
        let (mut plain, mut packed, mut members) = (0_u64, 0_u64, 0_u64);
        for entry in &entries {
            if !self.is_wanted(&entry.name, &mut found) {
                continue;
            }
            self.list_one(entry, long);
            plain = plain.wrapping_add(entry.plain);
            packed = packed.wrapping_add(data_size(entry));
            members += 1;
        }
        let mut status = self.close(close);
        if status > WARN {
            return status;
        }
        if self.settings.quiet < 2 {
            let s = if members == 1 { "" } else { "s" };
            let totals = match long {
                false => format!(
                    "---------                     -------\n{plain:9}                     {members} file{s}\n"
                ),
                true => format!(
                    "--------          -------  ---                            -------\n{plain:8}         {packed:8} {:>4}\
                     {:28}{members} file{s}\n",
                    factor(plain, packed),
                    ""
                ),
            };
            self.console.out(totals.as_bytes());
        }
        if members == 0 {
            status = NO_FILES;
        }
        status
    }

    fn list_one(&mut self, entry: &Entry, long: bool) {
        let civil = self.civil(entry);
        let when = format!(
            "{:04}-{:02}-{:02} {:02}:{:02}",
            civil.year, civil.month, civil.day, civil.hour, civil.minute
        );
        let mark = if self.settings.is_lowered(entry.host()) {
            '^'
        } else {
            ' '
        };
        let packed = data_size(entry);
        let mut line = match long {
            false => format!("{:9}  {when}  {mark}", entry.plain),
            true => format!(
                "{:8}  {:<7}{packed:8} {:>4} {when} {:08x} {mark}",
                entry.plain,
                method(entry),
                factor(entry.plain, packed),
                entry.crc
            ),
        }
        .into_bytes();
        line.extend(shown(&entry.name));
        line.push(b'\n');
        if long && !entry.comment.is_empty() {
            line.extend(&entry.comment);
            if line.last() != Some(&b'\n') {
                line.push(b'\n');
            }
        }
        self.console.out(&line);
    }

    /// The time of an entry, as it is shown.
    pub(crate) fn civil(&self, entry: &Entry) -> Civil {
        match times(&entry.extra).modified {
            Some(seconds) => self.zone.civil(seconds),
            None => crate::zipfile::civil_of(entry.time),
        }
    }
}

/// Packed bytes without the header of encryption.
pub(crate) fn data_size(entry: &Entry) -> u64 {
    entry
        .packed
        .wrapping_sub(if entry.is_encrypted() { 12 } else { 0 })
}

fn factor(plain: u64, packed: u64) -> String {
    let tenths = ratio(plain, packed);
    let percent = (tenths.unsigned_abs() + 5) / 10;
    match (percent, tenths < 0) {
        (100, _) => "100%".to_owned(),
        (_, true) => format!("-{percent}%"),
        (_, false) => format!(" {percent}%"),
    }
}

fn method(entry: &Entry) -> String {
    let level = ["N", "X", "F", "S"][usize::from(entry.flags >> 1 & 3)];
    match entry.method {
        number @ (8 | 9) => METHODS[usize::from(number)].replace('#', level),
        number if usize::from(number) < METHODS.len() => METHODS[usize::from(number)].to_owned(),
        12 => "BZip2".to_owned(),
        14 => "LZMA".to_owned(),
        18 => "Terse".to_owned(),
        19 => "IBMLZ77".to_owned(),
        97 => "WavPack".to_owned(),
        98 => "PPMd".to_owned(),
        number => format!("Unk:{number:03}"),
    }
}
