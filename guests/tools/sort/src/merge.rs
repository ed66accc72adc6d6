//! Merging sources that are sorted.

use std::cmp::Ordering;
use std::io::{self, Read as _, Write};

use crate::arguments::Settings;
use crate::line_order::LineOrder;
use crate::lines::{Lines, Source, read_failed};
use crate::write;

/// `-m`: merges the files of the command line.
pub(crate) fn files(settings: &Settings) -> Result<i32, String> {
    let mut sources = Vec::new();
    for name in &settings.files {
        let mut source = Source::open(name)?;
        if settings.output.is_some() {
            // The output may be one of the inputs, so they are read before it is opened.
            let mut text = Vec::new();
            source
                .read_to_end(&mut text)
                .map_err(|error| read_failed(name, &error))?;
            source = Source::Text(io::Cursor::new(text));
        }
        sources.push(Lines::new(source, settings.line_end));
    }
    write(settings, |out| {
        lines(sources, &settings.order, settings.line_end, out)
    })
}

/// The next line of a source.
struct Head {
    line: Vec<u8>,
    source: usize,
}

/// Merges lines. Of equal lines, that of the earlier source comes first.
pub(crate) fn lines(
    mut sources: Vec<Lines>,
    order: &LineOrder,
    line_end: u8,
    out: &mut dyn Write,
) -> io::Result<()> {
    // The one to write last.
    let mut heads: Vec<Head> = Vec::new();
    for (source, lines) in sources.iter_mut().enumerate() {
        if let Some(line) = lines.next()? {
            let head = Head {
                line: line.to_vec(),
                source,
            };
            insert(order, &mut heads, head);
        }
    }
    let mut written: Option<Vec<u8>> = None;
    while let Some(mut head) = heads.pop() {
        let again = order.unique
            && written
                .as_ref()
                .is_some_and(|written| order.compare(written, &head.line) == Ordering::Equal);
        if !again {
            out.write_all(&head.line)?;
            out.write_all(&[line_end])?;
            if order.unique {
                written.get_or_insert_default().clone_from(&head.line);
            }
        }
        if let Some(line) = sources[head.source].next()? {
            head.line.clear();
            head.line.extend_from_slice(line);
            insert(order, &mut heads, head);
        }
    }
    Ok(())
}

/// Puts a source's next line where it belongs among those of the others, the last one to be written
/// first.
fn insert(order: &LineOrder, heads: &mut Vec<Head>, head: Head) {
    let later = |other: &Head| match order.compare(&other.line, &head.line) {
        Ordering::Greater => true,
        Ordering::Equal => other.source > head.source,
        Ordering::Less => false,
    };
    let at = heads.partition_point(later);
    heads.insert(at, head);
}
