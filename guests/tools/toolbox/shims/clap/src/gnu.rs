//! Mistakes that GNU's tools tell in words of their own.

/// What a tool says when an operand is missing altogether.
pub(crate) fn missing_operand(tool: &str) -> &'static str {
    match tool {
        "cp" | "ln" | "mv" => "missing file operand",
        _ => "missing operand",
    }
}

/// What a tool says when an option is missing.
pub(crate) fn missing_option(tool: &str, option: &str) -> String {
    match tool {
        "truncate" => "you must specify either '--size' or '--reference'".into(),
        _ => format!("option '{option}' is required"),
    }
}

/// What a tool says when two options contradict each other.
pub(crate) fn conflict(tool: &str, first: &str, second: &str) -> String {
    match tool {
        "uniq" if [first, second].contains(&"--group") => {
            "--group is mutually exclusive with -c/-d/-D/-u".into()
        }
        _ => format!("options '{first}' and '{second}' are mutually exclusive"),
    }
}

/// What a tool calls the value of an option, where it has a name for it. It then says nothing about
/// `--help`.
pub(crate) fn value_name(tool: &str, option: &str) -> Option<&'static str> {
    Some(match (tool, option) {
        ("nl", "--join-blank-lines") => "line number of blank lines",
        ("nl", "--line-increment") => "line number increment",
        ("nl", "--number-format") => "line numbering format",
        ("nl", "--number-width") => "line number field width",
        ("nl", "--starting-line-number") => "starting line number",
        ("shuf", "--head-count") => "line count",
        ("shuf", "--input-range") => "input range",
        _ => return None,
    })
}
