//! `jail`: the drill, and the command line behind the wall.

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, no_arguments};
use crate::test;

pub(crate) const COMMAND: Command = Command {
    name: "jail",
    arguments: "",
    about: "try from inside what must not work, and run the tests of the command line behind the wall",
    more: "Builds `codepod` as it is shipped, with its guests inside, and with the drill: what somebody tries who has taken it\n\
        over. Takes out each line of the table of system calls in turn, and fails where nothing needs it.",
    run,
};

fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments, "jail")?;
    println!("jail: {}", all()?);
    Ok(())
}

/// Runs the drill of the crate, then all tests of the command line as it is shipped.
pub(crate) fn all() -> Outcome<String> {
    if !cache::in_root("guests/dist/guests.toml").exists() {
        let why = Failure::new("guests/dist is empty: the wall is tried around guests");
        return Err(why.hint("build them with `cargo xtask guests`"));
    }
    let drill = test::nextest(&["--package", "codepod-jail", "--features", "drill"])?;
    drill.judge()?;
    let cli = test::nextest(&["--package", "codepod-cli", "--features", "embed,drill"])?;
    cli.judge()?;
    Ok(format!("{} tests", drill.passed + cli.passed))
}
