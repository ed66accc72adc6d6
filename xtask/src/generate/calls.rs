//! The reference page of the calls of guests.

use std::fmt::Write;

use codepod_abi::{CALLS, CallInfo, Waiting};

/// The reference page of the calls.
pub(super) fn calls() -> String {
    let mut page = String::from(
        "<!-- Made by `cargo xtask generate` from crates/codepod-abi/src/table.rs. Changes here are lost. -->\n\n\
         # Calls\n\n\
         Everything a guest can import. `In` and `Out` are addresses in the guest's memory, 32 bits wide: what the\n\
         kernel reads there, and what it writes. Every call but `proc_exit`\n\
         returns an error number, 0 for success. A call can be linked only by a module whose manifest holds its\n\
         grant. *Waits* means that the call may wait for another process, the clock or the host.\n",
    );
    let mut modules: Vec<&str> = CALLS.iter().map(|call| call.module).collect();
    modules.dedup();
    for module in modules {
        let of_module = || CALLS.iter().filter(|call| call.module == module);
        let _ = write!(page, "\n## `{module}`: {} calls\n\n", of_module().count());
        page += "| call | grant | waits | fails with |\n|---|---|---|---|\n";
        for call in of_module() {
            let _ = writeln!(
                page,
                "| [`{name}`](#{name}) | {grant} | {waits} | {fails} |",
                name = call.name,
                grant = call.grant.name(),
                waits = waits(call),
                fails = errors(call),
            );
        }
        for call in of_module() {
            let params: Vec<String> = call
                .params
                .iter()
                .map(|(name, ty)| format!("{name}: {ty}"))
                .collect();
            let _ = write!(
                page,
                "\n### `{}`\n\n```text\n{}({})\n```\n\n{}\n",
                call.name,
                call.name,
                params.join(", "),
                text(call),
            );
        }
    }
    page
}

fn waits(call: &CallInfo) -> &'static str {
    match call.waiting {
        Waiting::Ready => "no",
        Waiting::Waits => "yes",
        Waiting::Ends => "does not return",
    }
}

fn errors(call: &CallInfo) -> String {
    let names: Vec<String> = call
        .fails
        .iter()
        .map(|errno| format!("`{}`", errno.name()))
        .collect();
    let listed = if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(" ")
    };
    match call.succeeds {
        true => listed,
        false => format!("always: {listed}"),
    }
}

/// The documentation of a call as Markdown: links into the Rust documentation become plain code.
fn text(call: &CallInfo) -> String {
    let lines: Vec<&str> = call.doc.iter().map(|line| line.trim()).collect();
    lines
        .join("\n")
        .replace("[`crate::", "`")
        .replace("`]", "`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_a_row_and_a_section() {
        let page = calls();
        for call in CALLS {
            assert!(page.contains(&format!("| [`{}`](#{})", call.name, call.name)));
            assert!(page.contains(&format!("\n### `{}`\n", call.name)));
        }
        assert!(!page.contains("[`crate::"));
    }
}
