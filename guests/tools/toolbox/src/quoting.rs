//! Names as `ls` and `stat` quote them.

pub(crate) use codepod_tool::Style;
use codepod_tool::masked;
use unicode_width::UnicodeWidthChar as _;

/// A name in a style. With `hide` characters that do not print become `?` where the style would
/// leave them.
pub(crate) fn quote(name: &[u8], style: Style, hide: bool, also: &[u8]) -> Vec<u8> {
    match style {
        Style::Literal | Style::Shell | Style::ShellAlways if hide => masked(&style.quote(name)),
        // Names stand beside each other, so spaces are escaped too.
        Style::Escape => style.quote_also(name, &[b" ", also].concat()),
        _ => style.quote_also(name, also),
    }
}

/// Columns that a text takes on a terminal.
pub(crate) fn columns(text: &[u8]) -> usize {
    let mut count = 0;
    for chunk in text.utf8_chunks() {
        count += chunk
            .valid()
            .chars()
            .map(|letter| letter.width().unwrap_or(0))
            .sum::<usize>();
        count += chunk.invalid().len();
    }
    count
}
