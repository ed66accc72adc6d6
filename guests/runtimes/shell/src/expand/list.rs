//! Values and lists into the sink: `"$@"`, `$*`, `${a[@]}` and what operators make of them.

use super::ifs::{self, Splits};
use super::lookup::Fetched;
use super::sink::{Kind, Sink};
use super::word::{self, Place};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// Where a list comes from. bash joins each in its own way where it must become one string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// `$@` and `$*`
    Positionals,
    /// `${a[@]}`
    Elements,
    /// `${a[@]:1}`, `${@:1}`
    Slice,
    /// `${!a[@]}`
    Keys,
    /// `${!prefix@}`
    Names,
    /// `${@#p}` and its like.
    TrimmedPositionals,
    /// `${a[@]#p}` and its like.
    TrimmedElements,
    /// `${a[@]/p/r}`, `${@^}`
    Replaced,
    /// `${a[@]@Q}`
    Transformed,
}

/// Appends a value or a list.
pub(super) fn emit(
    shell: &mut Shell,
    sink: &mut Sink,
    fetched: Fetched,
    place: Place,
    from: From,
) -> Run {
    match fetched {
        Fetched::Unset => Ok(()),
        Fetched::One(text) => word::value(shell, sink, &text, place),
        Fetched::Many(list, star) => many(shell, sink, &list, star, place, from),
    }
}

/// Appends a list.
pub(super) fn many(
    shell: &mut Shell,
    sink: &mut Sink,
    list: &[Text],
    star: bool,
    place: Place,
    from: From,
) -> Run {
    let quoted = place == Place::Double;
    if quoted && !star && sink.kind() == Kind::Fields {
        sink.vanished = list.is_empty();
        for (number, text) in list.iter().enumerate() {
            if number > 0 {
                sink.finish(shell)?;
            }
            sink.mark();
            sink.quoted_value(text);
        }
        return Ok(());
    }
    if quoted
        && sink.beside_list
        && sink.kind() == Kind::Fields
        && !matches!(from, From::Positionals | From::Elements)
    {
        return beside_list(shell, sink, list);
    }
    if quoted && star && sink.beside_list && sink.kind() == Kind::HereDocument {
        match from {
            From::Elements => {}
            From::Positionals => {
                let all: Vec<&[u8]> = list.iter().map(|text| &text[..]).collect();
                resplit(shell, sink, &all.join(&b" "[..]));
                return Ok(());
            }
            _ => {
                rejoin(shell, sink, list, from);
                return Ok(());
            }
        }
    }
    if quoted || sink.kind() != Kind::Fields {
        let separator = separator(shell, sink.kind(), star, place, from);
        for (number, text) in list.iter().enumerate() {
            if number > 0 {
                sink.quoted(&separator);
            }
            if quoted {
                sink.quoted(text);
            } else {
                sink.split(shell, text)?;
            }
        }
        return Ok(());
    }
    split(shell, sink, list, star, place, from)
}

/// Appends what an operator made of `"$*"` beside a `"$@"`: bash joins it and then splits the whole
/// where it was joined.
fn beside_list(shell: &mut Shell, sink: &mut Sink, list: &[Text]) -> Run {
    let separator = ifs::separator(shell);
    let (kind, _) = ifs::current(shell, |ifs| match separator.is_empty() {
        true => (Splits::No, 0),
        false => ifs.at(&separator, 0),
    });
    for (number, text) in list.iter().enumerate() {
        if number > 0 {
            sink.delimiter(shell, kind)?;
        }
        sink.quoted(text);
    }
    sink.trailing =
        kind != Splits::No && list.len() > 1 && list.last().is_some_and(|text| text.is_empty());
    Ok(())
}

/// `$*` in a here-document that has `$@`, too: bash splits it, and joins what it gets by spaces.
#[cold]
fn resplit(shell: &mut Shell, sink: &mut Sink, text: &[u8]) {
    // Blanks at the start are none.
    let at_start = sink.length() == (0, 0);
    let joined = ifs::current(shell, |ifs| {
        let (mut joined, mut at, mut after_space) = (Vec::new(), 0, at_start);
        while at < text.len() {
            let (kind, after) = match text[at] {
                // Without IFS as with the usual one.
                b' ' | b'\t' | b'\n' if ifs.is_empty() => (Splits::Space, at + 1),
                _ => ifs.at(text, at),
            };
            match kind {
                Splits::No => joined.extend_from_slice(&text[at..after]),
                Splits::Space if after_space => {}
                Splits::Space | Splits::Other => joined.push(b' '),
            }
            after_space = kind == Splits::Space;
            at = after;
        }
        joined
    });
    sink.quoted(&joined);
}

/// Adds what operators make of `$*`: bash splits it where it was joined.
#[cold]
fn rejoin(shell: &mut Shell, sink: &mut Sink, list: &[Text], from: From) {
    let separator = ifs::separator(shell);
    if separator.is_empty() && from == From::Replaced {
        for text in list {
            sink.quoted(text);
        }
        return;
    }
    let is_space =
        separator.is_empty() || ifs::current(shell, |ifs| ifs.at(&separator, 0).0 == Splits::Space);
    let mut just_split = false;
    for (number, text) in list.iter().enumerate() {
        if number > 0 && !(is_space && just_split) {
            sink.quoted(b" ");
        }
        just_split = text.is_empty();
        sink.quoted(text);
    }
}

/// Appends an unquoted list to fields.
fn split(
    shell: &mut Shell,
    sink: &mut Sink,
    list: &[Text],
    star: bool,
    place: Place,
    from: From,
) -> Run {
    let empty = ifs::current(shell, super::Ifs::is_empty);
    let joined: Option<&[u8]> = match from {
        From::Keys if star => Some(b" "),
        _ if star && shell.joins => Some(b""),
        From::TrimmedElements => Some(b" "),
        From::Names if star => Some(b""),
        _ => None,
    };
    if let (true, Some(separator)) = (empty, joined) {
        // Without IFS these are one field, not many.
        let all: Vec<&[u8]> = list.iter().map(|text| &text[..]).collect();
        return sink.split(shell, &all.join(separator));
    }
    let separator = if place == Place::Inner && !star {
        Text::from(" ")
    } else {
        ifs::separator(shell)
    };
    for (number, text) in list.iter().enumerate() {
        if number > 0 {
            if empty {
                sink.finish_if_open(shell)?;
            } else {
                sink.split(shell, &separator)?;
            }
        }
        sink.split(shell, text)?;
    }
    Ok(())
}

/// What joins a list to one string.
fn separator(shell: &Shell, kind: Kind, star: bool, place: Place, from: From) -> Text {
    let quoted = place == Place::Double;
    let by_ifs = match (kind, star) {
        (Kind::HereDocument, _) => star && matches!(from, From::Elements | From::Replaced),
        (Kind::Assigned, true) => {
            place != Place::Inner || !ifs::current(shell, super::Ifs::is_empty)
        }
        (Kind::Assigned, false) => match from {
            From::Positionals | From::Elements => false,
            From::Slice | From::Keys | From::Replaced => quoted,
            From::Names | From::TrimmedPositionals | From::TrimmedElements | From::Transformed => {
                true
            }
        },
        (Kind::Element, star) => {
            if !star && matches!(from, From::Positionals | From::Elements) && quoted {
                false
            } else if ifs::current(shell, super::Ifs::is_empty) {
                return Text::from(" ");
            } else {
                true
            }
        }
        (Kind::Pair, star) => star,
        (_, star) => star,
    };
    let separator = if by_ifs {
        ifs::separator(shell)
    } else {
        Text::from(" ")
    };
    // An empty IFS joins `$*` to one run, but `$@` never.
    if separator.is_empty() && !star {
        Text::from(" ")
    } else {
        separator
    }
}
