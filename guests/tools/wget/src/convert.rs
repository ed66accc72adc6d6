//! `-k`: links of pages that were got lead to files that were got.

use std::time::Instant;

use codepod_tool::path;

use crate::links::Link;
use crate::progress::decimal;
use crate::recurse::resolved;
use crate::retrieve::{Page, Retriever, plain};

/// Converts the links of all pages.
pub(crate) fn run(retriever: &mut Retriever) {
    let started = Instant::now();
    let mut count = 0;
    let mut done: Vec<Vec<u8>> = Vec::new();
    for page in retriever.pages.clone() {
        let Some(file) = page.file.clone().filter(|_| page.is_html || page.is_css) else {
            continue;
        };
        if done.contains(&file) {
            continue;
        }
        let Ok(text) = std::fs::read(path(&file)) else {
            continue;
        };
        let name = String::from_utf8_lossy(&file).into_owned();
        retriever
            .log
            .verbose(format!("Converting links in {name}... "));
        let (converted, to_files, to_urls) = convert(retriever, &page, &file, &text);
        if to_files + to_urls == 0 {
            retriever.log.verbose("nothing to do.\n");
        } else {
            match std::fs::write(path(&file), converted) {
                Ok(()) => {
                    let all = to_files + to_urls;
                    retriever
                        .log
                        .verbose(format!("{all}.\n{to_files}-{to_urls}\n"));
                }
                Err(error) => {
                    let text = codepod_tool::io_text(&error);
                    retriever
                        .log
                        .note(format!("Cannot convert links in {name}: {text}\n"));
                }
            }
        }
        count += 1;
        done.push(file);
    }
    let seconds = decimal(started.elapsed().as_secs_f64());
    retriever.log.verbose(format!(
        "Converted links in {count} files in {seconds} seconds.\n"
    ));
}

/// The text with its links converted, and how many lead to files and to URLs.
fn convert(
    retriever: &Retriever,
    page: &Page,
    file: &[u8],
    text: &[u8],
) -> (Vec<u8>, usize, usize) {
    let mut links = resolved(text, page);
    links.sort_by_key(|(link, _)| link.start);
    let mut converted = Vec::with_capacity(text.len());
    let (mut at, mut to_files, mut to_urls) = (0, 0, 0);
    for (link, url) in links {
        if link.start < at
            || link.end > text.len()
            || link.target.is_empty()
            || link.target[0] == b'#'
        {
            continue;
        }
        let fragment = link.target.iter().position(|byte| *byte == b'#');
        let fragment = fragment.map_or(&b""[..], |at| &link.target[at..]);
        let known = retriever
            .got
            .get(&plain(&url))
            .and_then(|page| page.file.as_ref());
        let target = match known {
            Some(target) => {
                to_files += 1;
                [
                    &encoded(&relative(file, target), retriever.plan.adjusts)[..],
                    fragment,
                ]
                .concat()
            }
            None => {
                let whole = [url.to_string().as_bytes(), fragment].concat();
                if whole == link.target {
                    continue;
                }
                to_urls += 1;
                whole
            }
        };
        converted.extend_from_slice(&text[at..link.start]);
        write(&mut converted, &link, &target);
        at = link.end;
    }
    converted.extend_from_slice(&text[at..]);
    (converted, to_files, to_urls)
}

fn write(out: &mut Vec<u8>, link: &Link, target: &[u8]) {
    if !link.is_quoted {
        out.push(b'"');
    }
    for byte in target {
        match byte {
            b'&' if !link.in_css => out.extend(b"&amp;"),
            b'"' if !link.in_css => out.extend(b"&quot;"),
            b'<' if !link.in_css => out.extend(b"&lt;"),
            b'>' if !link.in_css => out.extend(b"&gt;"),
            byte => out.push(*byte),
        }
    }
    if !link.is_quoted {
        out.push(b'"');
    }
}

/// The way from one file to another.
fn relative(from: &[u8], to: &[u8]) -> Vec<u8> {
    let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let start = from[..common]
        .iter()
        .rposition(|byte| *byte == b'/')
        .map_or(0, |at| at + 1);
    let up = from[start..].iter().filter(|byte| **byte == b'/').count();
    [&b"../".repeat(up)[..], &to[start..]].concat()
}

/// A path as a URL has it.
fn encoded(path: &[u8], adjusts: bool) -> Vec<u8> {
    let mut text = Vec::new();
    for byte in path {
        match byte {
            b'%' => text.extend(b"%25"),
            b'#' => text.extend(b"%23"),
            // A browser opens `a?b` as it stands there, where the name has no end of its own.
            b'?' if adjusts => text.extend(b"%3F"),
            b':' => text.extend(b"%3A"),
            byte => text.push(*byte),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_from_one_file_to_another() {
        for (from, to, way) in [
            ("h/a.html", "h/b.html", "b.html"),
            ("h/d/a.html", "h/b.html", "../b.html"),
            ("h/a.html", "h/d/b.html", "d/b.html"),
            ("h/ab/x", "h/ac/y", "../ac/y"),
            ("a", "b", "b"),
        ] {
            assert_eq!(
                relative(from.as_bytes(), to.as_bytes()),
                way.as_bytes(),
                "{from} {to}"
            );
        }
        assert_eq!(encoded(b"a?b#c%", true), b"a%3Fb%23c%25");
    }
}
