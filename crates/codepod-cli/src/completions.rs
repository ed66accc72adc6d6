//! `codepod completions SHELL`: what a shell needs to complete our own command line.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  codepod completions bash > ~/.local/share/bash-completion/completions/codepod
  codepod completions zsh > ~/.zfunc/_codepod
  codepod completions fish > ~/.config/fish/completions/codepod.fish";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// Which shell
    #[arg(value_parser = parse_shell, value_name = "bash|zsh|fish")]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let mut command = crate::Arguments::command();
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command, "codepod", &mut text);
        let written = std::io::Write::write_all(&mut std::io::stdout(), &text);
        Ok(u8::from(written.is_err()))
    }
}

fn parse_shell(name: &str) -> Result<Shell, String> {
    match name {
        "bash" => Ok(Shell::Bash),
        "zsh" => Ok(Shell::Zsh),
        "fish" => Ok(Shell::Fish),
        _ => Err("there are `bash`, `zsh` and `fish`".into()),
    }
}
