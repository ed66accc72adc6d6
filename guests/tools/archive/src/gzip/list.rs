//! `gzip --list`: sizes, ratio and name of each file.

use std::io::{self, Write as _};

use codepod_datetime::{Civil, MONTHS};

use super::{Gzip, Stop, ratio};
use crate::codec::GzipReader;
use crate::files;
use crate::system::Moment;

impl Gzip {
    /// Lists one file.
    pub(super) fn list_one(
        &mut self,
        input: &mut files::Input,
        shown: &str,
        output: &[u8],
        modified: Moment,
    ) -> Result<(), Stop> {
        let mut reader = GzipReader::new(&mut *input);
        let result = reader.header().cloned().and_then(|header| {
            let plain = files::drain(&mut reader)?;
            Ok((header, plain))
        });
        let (check, overhead) = (reader.last().0, reader.overhead());
        let (header, plain) = match result {
            Ok(found) => found,
            Err(error) => return Err(self.undecodable(&error, shown)),
        };
        // What is left in the buffer was counted when it was read.
        let packed = input.get_ref().count();
        if self.listed.0 == 0 && !self.quiet {
            if self.verbose {
                print!("method  crc     date  time  ");
            }
            println!("         compressed        uncompressed  ratio uncompressed_name");
        }
        self.listed = (
            self.listed.0 + 1,
            self.listed.1 + packed,
            self.listed.2 + plain,
            overhead,
        );
        if self.verbose {
            let seconds = match header.modified {
                0 => modified.seconds,
                stored => stored.into(),
            };
            print!("defla {check:08x} {} ", month_day_time(seconds));
        }
        let name = match (&header.name, self.name) {
            (Some(stored), Some(true)) => stored.clone(),
            _ => output.to_vec(),
        };
        print!("{packed:19} {plain:19} {} ", ratio(plain, packed, overhead));
        let _ = io::stdout().write_all(&[&name[..], b"\n"].concat());
        Ok(())
    }

    /// Lists what all files are together, where there are several.
    pub(super) fn list_totals(&self) {
        if self.listed.0 < 2 {
            return;
        }
        let (_, packed, plain, header) = self.listed;
        if self.verbose {
            print!("{:28}", "");
        }
        println!(
            "{packed:19} {plain:19} {} (totals)",
            ratio(plain, packed, header)
        );
    }
}

/// `Nov 15 08:27`
fn month_day_time(seconds: i64) -> String {
    let date = Civil::from_seconds(seconds);
    let month = &MONTHS[(date.month - 1) as usize][..3];
    format!("{month} {:2} {:02}:{:02}", date.day, date.hour, date.minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_shown_as_in_a_list() {
        assert_eq!(month_day_time(0), "Jan  1 00:00");
    }
}
