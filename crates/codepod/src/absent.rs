//! What a sandbox does not have and what to do instead: the table of `spec/absent.toml`, as a file
//! of the image for the shell, `help` and Python, and for hints of errors.

use std::sync::OnceLock;

/// Where the table is in a sandbox.
pub(crate) const PATH: &str = "/usr/share/codepod/absent";

/// `KIND<tab>NAME NAME…<tab>what to do instead`, a line for several names.
const TEXT: &str = include_str!("absent.txt");

/// The table, with a line for each part of codepod that is not installed.
pub(crate) fn text() -> &'static str {
    static WITH_PARTS: OnceLock<String> = OnceLock::new();
    WITH_PARTS.get_or_init(|| {
        let lines = lines_of_parts();
        lines.fold(TEXT.to_owned(), |text, line| text + &line)
    })
}

/// What is in parts that are not installed.
#[cfg(not(target_family = "wasm"))]
fn lines_of_parts() -> impl Iterator<Item = String> {
    let missing = codepod_guests::parts()
        .iter()
        .filter(|part| !part.is_there());
    missing.flat_map(|part| {
        let commands = ("command", part.commands().collect::<Vec<_>>());
        let packages = ("package", part.packages.to_vec());
        let both = [commands, packages].into_iter();
        both.filter(|(_, names)| !names.is_empty())
            .map(|(kind, names)| {
                format!(
                    "{kind}\t{}\tit is in the part `{}`, which is not installed: \
                     `codepod parts` on the host says how to get it\n",
                    names.join(" "),
                    part.name,
                )
            })
    })
}

/// There are no parts.
#[cfg(target_family = "wasm")]
fn lines_of_parts() -> impl Iterator<Item = String> {
    std::iter::empty()
}

/// Commands that agents try and a sandbox does not have, and what to do instead; each line is for
/// several names.
pub fn absent_commands() -> impl Iterator<Item = (Vec<&'static str>, &'static str)> {
    text().lines().filter_map(|line| {
        let mut fields = line.splitn(3, '\t');
        let is_command = fields.next() == Some("command");
        let names = fields.next()?.split(' ').collect();
        is_command.then_some((names, fields.next()?))
    })
}

/// What to do instead of a command, if it is one of those.
pub(crate) fn instead(command: &str) -> Option<&'static str> {
    let name = command.rsplit('/').next().unwrap_or(command);
    absent_commands()
        .find(|(names, _)| names.contains(&name))
        .map(|(_, instead)| instead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_by_name_and_by_path() {
        assert!(instead("perl").is_some_and(|line| line.contains("sed -E")));
        assert_eq!(instead("/usr/bin/perl"), instead("perl"));
        assert_eq!(instead("ls"), None);
        assert_eq!(instead("torch"), None);
        assert_eq!(instead(""), None);
    }
}
