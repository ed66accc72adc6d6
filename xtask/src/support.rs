//! The reference page of tools, and the same for `help` inside the sandbox: from the beginnings of
//! `spec/tools/NAME.toml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use toml::{Table, Value};

use crate::cache;
use crate::failure::{Failure, Outcome};

/// What a tool's file says.
struct Tool {
    name: String,
    origin: String,
    works: String,
    differs: BTreeMap<String, String>,
    missing: BTreeMap<String, String>,
    cases: usize,
    pending: Vec<String>,
}

/// The page for people: `docs/reference/tools.md`.
pub(crate) fn page() -> Outcome<String> {
    let tools = read_all()?;
    let cases: usize = tools.iter().map(|tool| tool.cases).sum();
    let mut page = format!(
        "<!-- Made by `cargo xtask generate` from spec/tools. Changes here are lost. -->\n\n\
         # Tools\n\n\
         What of each tool works: {} commands, {cases} cases that are recorded from the real tools of Debian 12\n\
         (`spec/tools`). An option that is not listed as working or differing is refused with a message. `help --support TOOL`\n\
         tells the same inside a sandbox. In general: the locale is C.UTF-8 whatever the environment says, and quotes in\n\
         messages are plain.\n",
        tools.len()
    );
    for tool in &tools {
        let _ = write!(
            page,
            "\n## `{}`\n\n{}; {} cases.\n",
            tool.name,
            origin(tool),
            tool.cases
        );
        if !tool.works.is_empty() {
            let _ = write!(page, "\n```text\n{}\n```\n", tool.works.trim_end());
        }
        if tool.differs.is_empty() && tool.missing.is_empty() && tool.pending.is_empty() {
            continue;
        }
        page += "\n| | what | |\n|---|---|---|\n";
        for (kind, table) in [("differs", &tool.differs), ("missing", &tool.missing)] {
            for (what, why) in table {
                let _ = writeln!(page, "| {kind} | `{}` | {} |", cell(what), cell(why));
            }
        }
        for why in &tool.pending {
            let _ = writeln!(page, "| pending | | {} |", cell(why));
        }
    }
    Ok(page)
}

/// The text that `help` embeds.
pub(crate) fn text() -> Outcome<String> {
    let mut text = String::new();
    for tool in read_all()? {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{}\t{}", tool.name, origin(&tool));
        let works: Vec<&str> = tool.works.split_whitespace().collect();
        if !works.is_empty() {
            let _ = writeln!(text, "works\t{}", works.join(" "));
        }
        for (kind, table) in [("differs", &tool.differs), ("missing", &tool.missing)] {
            for (what, why) in table {
                let _ = writeln!(text, "{kind}\t{what}\t{why}");
            }
        }
        for why in &tool.pending {
            let _ = writeln!(text, "differs\t{why}");
        }
    }
    Ok(text)
}

fn origin(tool: &Tool) -> &str {
    if tool.origin.is_empty() {
        "origin not told"
    } else {
        &tool.origin
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn read_all() -> Outcome<Vec<Tool>> {
    let directory = cache::in_root("spec/tools");
    let failure =
        |error: &dyn std::fmt::Display| Failure::new(format!("cannot read `spec/tools`: {error}"));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(|error| failure(&error))? {
        paths.push(entry.map_err(|error| failure(&error))?.path());
    }
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    paths.sort();
    let mut tools = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|error| failure(&error))?;
        let table: Table = toml::from_str(&text)
            .map_err(|error| Failure::new(format!("cannot use `{}`: {error}", path.display())))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        tools.push(tool(&name, &table));
    }
    Ok(tools)
}

fn tool(name: &str, table: &Table) -> Tool {
    let word = |key: &str| {
        table
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let entries = |key: &str| {
        let entries = table
            .get(key)
            .and_then(Value::as_table)
            .into_iter()
            .flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        entries
            .map(|(what, why)| (what.clone(), text(why)))
            .collect()
    };
    let cases = table
        .get("case")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let pending = cases.iter().filter_map(|case| {
        let why = case.get("pending").or(case.get("differs"))?.as_str()?;
        Some(format!("{}: {why}", case.get("name")?.as_str()?))
    });
    Tool {
        name: name.to_owned(),
        origin: word("origin"),
        works: word("works"),
        differs: entries("differs"),
        missing: entries("missing"),
        cases: cases.len(),
        pending: pending.collect(),
    }
}
