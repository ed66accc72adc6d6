//! The long format: `-l`.

use codepod_datetime::{Moment, Zone, format};

use super::entry::{Entry, indicator};
use super::layout::{colored, inode, name};
use super::options::Indicator;
use super::{Ls, needs_target};
use crate::mode;
use crate::quoting::{columns, quote};
use crate::system;

/// Seconds of half a year, the average one.
const HALF_A_YEAR: i64 = 31_556_952 / 2;

/// The fields of a line, before they are padded.
struct Line {
    inode: String,
    blocks: String,
    mode: String,
    links: String,
    owner: String,
    group: String,
    author: String,
    size: String,
    time: Vec<u8>,
}

/// Prints a line for each entry.
pub(super) fn print(ls: &mut Ls<'_>, entries: &[Entry], also: &[Entry]) {
    let zone = Zone::from_environment();
    let now = system::now();
    let devices = entries
        .iter()
        .filter(|entry| mode::is_device(entry.stat.mode));
    let minor_width = devices
        .map(|entry| minor(entry.stat.rdev).to_string().len())
        .max()
        .unwrap_or(0);
    let lines: Vec<Line> = entries
        .iter()
        .chain(also)
        .map(|entry| line(ls, entry, &zone, now, minor_width))
        .collect();
    let widest = |field: &dyn Fn(&Line) -> usize| lines.iter().map(field).max().unwrap_or(0);
    let widths = [
        widest(&|line| line.inode.len()),
        widest(&|line| line.blocks.len()),
        widest(&|line| line.links.len()),
        widest(&|line| line.owner.len()),
        widest(&|line| line.group.len()),
        widest(&|line| line.author.len()),
        widest(&|line| line.size.len()),
        widest(&|line| columns(&line.time)),
    ];
    let pad = entries.iter().any(|entry| entry.is_quoted);
    for (entry, line) in entries.iter().zip(&lines) {
        let mut text = String::new();
        let settings = &ls.settings;
        if settings.inode {
            text += &format!("{:>width$} ", line.inode, width = widths[0]);
        }
        if settings.blocks {
            text += &format!("{:>width$} ", line.blocks, width = widths[1]);
        }
        text += &format!("{} {:>width$} ", line.mode, line.links, width = widths[2]);
        // Numbers are aligned as numbers are.
        let id = |text: &str, width: usize| {
            if settings.numeric {
                format!("{text:>width$} ")
            } else {
                format!("{text:width$} ")
            }
        };
        if settings.owner {
            text += &id(&line.owner, widths[3]);
        }
        if settings.group {
            text += &id(&line.group, widths[4]);
        }
        if settings.author {
            text += &id(&line.author, widths[5]);
        }
        if settings.context {
            text += "? ";
        }
        text += &format!("{:>width$} ", line.size, width = widths[6]);
        ls.out.put(text.as_bytes());
        if entry.unknown {
            let missing = widths[7].saturating_sub(line.time.len());
            ls.out.put(" ".repeat(missing).as_bytes());
        }
        ls.out.put(&line.time);
        ls.out.put_byte(b' ');
        name(ls, entry, pad, 0);
        tail(ls, entry);
        ls.end_line();
    }
}

/// What follows a name: where a link leads, or the letter of its kind.
fn tail(ls: &mut Ls<'_>, entry: &Entry) {
    if !needs_target(entry) {
        if let Some(letter) = indicator(entry.stat.mode, ls.settings.indicator) {
            ls.out.put_byte(letter);
        }
        return;
    }
    let Some((to, bits)) = &entry.target else {
        return;
    };
    ls.out.put(b" -> ");
    let shown = quote(to, ls.settings.quoting, ls.settings.hide, b"");
    let wanted = matches!(
        ls.settings.indicator,
        Indicator::FileType | Indicator::Classify
    );
    let color = ls
        .colors
        .as_ref()
        .and_then(|colors| colors.of_target(*bits, to, wanted));
    match color {
        Some(color) => colored(ls, &color, &shown),
        None => ls.out.put(&shown),
    }
    if let (Some(bits), true) = (bits, ls.settings.indicator != Indicator::None)
        && let Some(letter) = indicator(*bits, ls.settings.indicator)
    {
        ls.out.put_byte(letter);
    }
}

fn line(ls: &mut Ls<'_>, entry: &Entry, zone: &Zone, now: Moment, minor_width: usize) -> Line {
    let question = || "?".to_owned();
    if entry.unknown {
        return Line {
            inode: question(),
            blocks: question(),
            mode: match system::stat(&entry.path, system::Links::Keep) {
                Ok(_) => "l?????????".into(),
                Err(_) => "??????????".into(),
            },
            links: question(),
            owner: question(),
            group: question(),
            author: question(),
            size: question(),
            time: b"?".to_vec(),
        };
    }
    let stat = &entry.stat;
    let numeric = ls.settings.numeric;
    let owner = if numeric {
        stat.uid.to_string()
    } else {
        ls.names.user_name(stat.uid)
    };
    let group = if numeric {
        stat.gid.to_string()
    } else {
        ls.names.group_name(stat.gid)
    };
    let settings = &ls.settings;
    let size = if mode::is_device(stat.mode) {
        format!(
            "{}, {:>width$}",
            major(stat.rdev),
            minor(stat.rdev),
            width = minor_width
        )
    } else {
        settings.file_size.show(stat.size)
    };
    let moment = Moment::from_nanoseconds(entry.time(settings.time));
    let recent = moment <= now && moment.seconds > now.seconds - HALF_A_YEAR;
    let form = if recent {
        &settings.time_style.recent
    } else {
        &settings.time_style.old
    };
    Line {
        inode: inode(entry),
        blocks: settings.block_size.show(stat.blocks * 512),
        mode: mode::text(stat.mode),
        links: stat.nlink.to_string(),
        author: owner.clone(),
        owner,
        group,
        size,
        time: format(form, moment, zone),
    }
}

/// The major number of a device.
pub(crate) fn major(device: u64) -> u64 {
    (device >> 8 & 0xfff) | (device >> 32 & !0xfff)
}

/// The minor number of a device.
pub(crate) fn minor(device: u64) -> u64 {
    (device & 0xff) | (device >> 12 & !0xff)
}
