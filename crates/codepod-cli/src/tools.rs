//! `codepod tools [NAME]`: what there is inside, how far each tool goes, and what there is not.

use std::io::Write as _;

use clap::Args;
use codepod::{ErrorKind, Options};

use crate::failure::Failure;
use crate::streams::show;
use crate::wall::create;

const EXAMPLES: &str = "\
Examples:
  codepod tools                  all of them, a line each
  codepod tools sed              which options of sed work, differ or are missing
  codepod tools --absent         what there is not, and what to do instead
  codepod run 'help'             the same from inside";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tools {
    /// Print one line of JSON
    #[arg(long, conflicts_with = "name")]
    json: bool,
    /// List what agents try that is not there, and what to do instead
    #[arg(long, conflicts_with = "json")]
    absent: bool,
    /// The tool to describe
    name: Option<String>,
}

impl Tools {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let commands = codepod::commands();
        if commands.is_empty() {
            return Err(ErrorKind::NoGuests.into());
        }
        if self.absent {
            let names = self.name.as_deref().into_iter();
            return help(["--absent"].into_iter().chain(names));
        }
        if let Some(name) = self.name {
            let known = commands.iter().any(|(known, _)| *known == name);
            if !known {
                let hint = codepod::absent_commands()
                    .find(|(names, _)| names.contains(&name.as_str()))
                    .map_or(
                        "`codepod tools` lists them; `codepod run 'help'` has what bash does itself",
                        |(_, instead)| instead,
                    );
                return Err(Failure::new(format!("there is no tool `{name}`"), hint));
            }
            return help(["--support", &name].into_iter());
        }
        let mut out = std::io::stdout().lock();
        let written = if self.json {
            let list = commands
                .iter()
                .map(|(name, about)| serde_json::json!({ "name": name, "about": about }));
            writeln!(out, "{}", serde_json::Value::from(list.collect::<Vec<_>>()))
        } else {
            let width = commands
                .iter()
                .map(|(name, _)| name.len())
                .max()
                .unwrap_or(0);
            commands.iter().try_for_each(|(name, about)| {
                writeln!(out, "{}", format!("{name:width$}  {about}").trim_end())
            })
        };
        // A reader that has seen enough, such as `head`, is no error.
        let _ = written;
        Ok(0)
    }
}

/// Runs `help` of a sandbox with these arguments, and ends as it does.
fn help<'a>(arguments: impl Iterator<Item = &'a str>) -> Result<u8, Failure> {
    let sandbox = create(Options::default())?;
    let result = sandbox
        .command(["help"].into_iter().chain(arguments))
        .run_blocking()?;
    show(std::io::stdout(), &result.stdout);
    show(std::io::stderr(), &result.stderr);
    Ok(result.exit_code as u8)
}
