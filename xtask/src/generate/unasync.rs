//! The blocking half of the Python package, made from the asynchronous one: one source, no twins.
//!
//! Words are replaced (`AsyncSandbox` by `Sandbox`, `__aenter__` by `__enter__`, …), `async` and
//! `await` fall away. A line with a comment `# sync: CODE` becomes `CODE`; a line with `# async
//! only` is left out.

/// Words that are not just `Async` and a name.
const WORDS: &[(&str, &str)] = &[
    ("__aenter__", "__enter__"),
    ("__aexit__", "__exit__"),
    ("__aiter__", "__iter__"),
    ("__anext__", "__next__"),
    ("StopAsyncIteration", "StopIteration"),
    ("aclose", "close"),
    ("call_tool_async", "call_tool"),
    ("async_methods", "sync_methods"),
    ("_async", "_sync"),
];

/// The blocking form of an asynchronous module.
pub(super) fn blocking(source: &str) -> String {
    let mut text = String::new();
    for line in source.lines() {
        if line.trim_end().ends_with("# async only") {
            continue;
        }
        match line.split_once("# sync: ") {
            Some((before, code)) => {
                let indent = before.len() - before.trim_start().len();
                text += &before[..indent];
                text += code;
            }
            None => text += &words(line),
        }
        text.push('\n');
    }
    text
}

fn words(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
        let word = &rest[..end];
        rest = &rest[end..];
        match word {
            "async" | "await" if rest.starts_with(' ') => rest = &rest[1..],
            _ => text += word_of(word),
        }
        let end = rest.find(is_word).unwrap_or(rest.len());
        text += &rest[..end];
        rest = &rest[end..];
    }
    text
}

fn word_of(word: &str) -> &str {
    if let Some((_, blocking)) = WORDS.iter().find(|(from, _)| *from == word) {
        return blocking;
    }
    match word.strip_prefix("Async") {
        Some(name) if name.starts_with(|letter: char| letter.is_ascii_uppercase()) => name,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::blocking;

    #[test]
    fn the_blocking_form_waits_for_nothing() {
        let source = "\
async def f(s: AsyncSandbox) -> None:
    async with s as t:  # x
        async for p in await t.stream(\"a\"):
            g(p)
    lazily()  # sync: at_once()
    only()  # async only
";
        let expected = "\
def f(s: Sandbox) -> None:
    with s as t:  # x
        for p in t.stream(\"a\"):
            g(p)
    at_once()
";
        assert_eq!(blocking(source), expected);
        assert_eq!(
            blocking("asynchronous awaiting Asynchrony\n"),
            "asynchronous awaiting Asynchrony\n"
        );
    }
}
