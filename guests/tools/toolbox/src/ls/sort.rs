//! The order of entries.

use std::cmp::Ordering;

use super::entry::Entry;
use super::options::{Settings, Sort};

/// Sorts entries as the settings say.
pub(super) fn sort(entries: &mut [Entry], settings: &Settings) {
    let by_name = |a: &Entry, b: &Entry| a.name.cmp(&b.name);
    let order = |a: &Entry, b: &Entry| -> Ordering {
        match settings.sort {
            Sort::None => Ordering::Equal,
            Sort::Name => by_name(a, b),
            Sort::Size => b.stat.size.cmp(&a.stat.size).then_with(|| by_name(a, b)),
            Sort::Time => b
                .time(settings.time)
                .cmp(&a.time(settings.time))
                .then_with(|| by_name(a, b)),
            Sort::Extension => extension(&a.name)
                .cmp(extension(&b.name))
                .then_with(|| by_name(a, b)),
            Sort::Version => {
                crate::version_order::compare(&a.name, &b.name).then_with(|| by_name(a, b))
            }
            Sort::Width => a.width.cmp(&b.width).then_with(|| by_name(a, b)),
        }
    };
    if settings.sort != Sort::None {
        entries.sort_by(|a, b| {
            if settings.reverse {
                order(b, a)
            } else {
                order(a, b)
            }
        });
    }
    if settings.directories_first {
        entries.sort_by_cached_key(|entry| !entry.leads_to_directory());
    }
}

/// From the last dot on; nothing without one.
fn extension(name: &[u8]) -> &[u8] {
    let dot = name.iter().rposition(|byte| *byte == b'.');
    dot.map_or(&[], |dot| &name[dot..])
}
