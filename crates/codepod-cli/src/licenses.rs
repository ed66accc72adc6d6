//! `codepod licenses`: whose software this program contains, and under which licences.

use std::io::Write as _;

use clap::Args;

const NOTICES: &str = include_str!("../THIRD-PARTY-NOTICES");

const EXAMPLES: &str = "\
Examples:
  codepod licenses --list | grep zlib
  codepod licenses > NOTICES";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Licenses {
    /// List the components with their licences, without the texts
    #[arg(long)]
    list: bool,
}

impl Licenses {
    pub(crate) fn run(self) -> u8 {
        let text = match self.list {
            true => list(NOTICES),
            false => NOTICES,
        };
        // Who does not read on does not want more.
        let _ = std::io::stdout().write_all(text.as_bytes());
        0
    }
}

/// The components, each in a line.
fn list(notices: &str) -> &str {
    let (_, rest) = notices.split_once("COMPONENTS\n").unwrap_or(("", notices));
    let (list, _) = rest.split_once("\nTEXTS\n").unwrap_or((rest, ""));
    list
}
