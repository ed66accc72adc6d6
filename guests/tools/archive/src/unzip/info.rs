//! `zipinfo`: listings as `ls -l` has them.

use codepod_datetime::MONTHS;

use super::list::data_size;
use super::{Archive, Found, NO_FILES, Unzip, WARN};
use crate::zipfile::{Entry, ratio, shown};

const SYSTEMS: [&str; 20] = [
    "fat", "ami", "vms", "unx", "cms", "atr", "hpf", "mac", "zzz", "cpm", "t20", "ntf", "qds",
    "aco", "vft", "mvs", "be ", "nsk", "ths", "osx",
];

impl Unzip<'_> {
    /// Lists the entries as zipinfo does.
    pub(crate) fn info(&mut self, archive: &Archive) -> i32 {
        let Some(ref info) = self.settings.info else {
            return NO_FILES;
        };
        let (format, decimal, totals) = (info.format, info.decimal, info.totals);
        let (entries, close) = self.entries(archive);
        let mut found = Found::default();
        let (mut plain, mut packed, mut members) = (0_u64, 0_u64, 0_u64);
        for entry in &entries {
            if !self.is_wanted(&entry.name, &mut found) {
                continue;
            }
            match format {
                1 | 2 => self.console.out(&[&shown(&entry.name)[..], b"\n"].concat()),
                3..=5 => self.info_one(entry, format, decimal),
                _ => {}
            }
            plain = plain.wrapping_add(entry.plain);
            packed = packed.wrapping_add(data_size(entry));
            members += 1;
        }
        let mut status = self.close(close);
        if status > WARN {
            return status;
        }
        if totals {
            let tenths = ratio(plain, packed);
            let sign = if tenths < 0 { "-" } else { "" };
            let tenths = tenths.unsigned_abs();
            let s = if members == 1 { "" } else { "s" };
            let line = format!(
                "{members} file{s}, {plain} bytes uncompressed, {packed} bytes compressed:  {sign}{}.{}%\n",
                tenths / 10,
                tenths % 10
            );
            self.console.out(line.as_bytes());
        }
        self.unmatched(&found);
        if members == 0 {
            status = NO_FILES;
        }
        status
    }

    fn info_one(&mut self, entry: &Entry, format: i32, decimal: bool) {
        let civil = self.civil(entry);
        let when = if decimal {
            format!(
                "{:04}{:02}{:02}.{:02}{:02}{:02}",
                civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second
            )
        } else {
            let index = usize::try_from(civil.month - 1).unwrap_or(usize::MAX);
            let month = MONTHS.get(index).map_or_else(
                || format!("{:03}", civil.month),
                |name| name[..3].to_owned(),
            );
            format!(
                "{:02}-{month}-{:02} {:02}:{:02}",
                civil.year % 100,
                civil.day,
                civil.hour,
                civil.minute
            )
        };
        let kind = match (entry.internal & 1 != 0, entry.is_encrypted()) {
            (true, true) => 'T',
            (true, false) => 't',
            (false, true) => 'B',
            (false, false) => 'b',
        };
        let has_extra = !entry.extra.is_empty()
            || entry.external & 0x8000 != 0 && matches!(entry.host(), 3 | 6 | 11);
        let extra = match (has_extra, entry.flags & 8 != 0) {
            (true, true) => 'X',
            (true, false) => 'x',
            (false, true) => 'l',
            (false, false) => '-',
        };
        let system = SYSTEMS
            .get(usize::from(entry.host()))
            .copied()
            .unwrap_or("???");
        let size = match format {
            4 => format!(
                "{:3}%",
                (ratio(entry.plain, data_size(entry)) + 5).div_euclid(10)
            ),
            5 => format!(" {:8}", entry.packed),
            _ => String::new(),
        };
        let line = format!(
            "{} {system} {:8} {kind}{extra}{size} {} {when} ",
            attributes(entry),
            entry.plain,
            method(entry)
        );
        self.console
            .out(&[line.as_bytes(), &shown(&entry.name), b"\n"].concat());
    }
}

fn attributes(entry: &Entry) -> String {
    let version = (entry.made_by & 0xff, entry.external);
    let (made, external) = version;
    let number = format!("{:2}.{}", made / 10, made % 10);
    let mode = entry.mode();
    let dos = matches!(entry.host(), 0 | 5 | 6 | 11 | 14);
    let agrees = mode & 0o700 == 0o400 | u32::from(external & 1 == 0) << 7 | (external & 0x10) << 2;
    if !dos || entry.host() == 0 && agrees {
        return format!("{} {number}", codepod_mode::text(mode));
    }
    let bit = |mask: u32, yes: char| if external & mask != 0 { yes } else { '-' };
    let directory = external & 0x10 != 0;
    let suffix = entry
        .name
        .rsplit(|byte| *byte == b'.')
        .next()
        .unwrap_or(&[])
        .to_ascii_lowercase();
    let runs = entry.name.contains(&b'.')
        && [b"com", b"exe", b"btm", b"cmd", b"bat"]
            .iter()
            .any(|known| suffix.starts_with(&known[..]));
    let first = match (directory, external & 8 != 0) {
        (_, true) => 'V',
        (true, _) => 'd',
        _ => '-',
    };
    let writable = if external & 1 != 0 { '-' } else { 'w' };
    let run = if directory || runs { 'x' } else { '-' };
    format!(
        "{first}r{writable}{run}{}{}{}     {}.{}",
        bit(0x20, 'a'),
        bit(2, 'h'),
        bit(4, 's'),
        made / 10,
        made % 10
    )
}

fn method(entry: &Entry) -> String {
    let level = ["N", "X", "F", "S"][usize::from(entry.flags >> 1 & 3)];
    match entry.method {
        0 => "stor".to_owned(),
        1 => "shrk".to_owned(),
        number @ 2..=5 => format!("re:{}", number - 1),
        6 => {
            let window = if entry.flags & 2 != 0 { '8' } else { '4' };
            let trees = if entry.flags & 4 != 0 { '3' } else { '2' };
            format!("i{window}:{trees}")
        }
        7 => "tokn".to_owned(),
        8 => format!("def{level}"),
        9 => format!("d64{level}"),
        10 => "dcli".to_owned(),
        12 => "bzp2".to_owned(),
        14 => "lzma".to_owned(),
        18 => "ters".to_owned(),
        19 => "lz77".to_owned(),
        97 => "wavp".to_owned(),
        98 => "ppmd".to_owned(),
        number => format!("u{number:03}"),
    }
}
