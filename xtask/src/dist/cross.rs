//! `cross`: the program for another platform with that platform's parts beside it, to try it where
//! the platform can be emulated.

use super::{copy, machine_code, program};
use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, unknown_argument};
use crate::parts;
use crate::platform::Platform;

pub(crate) const COMMAND: Command = Command {
    name: "cross",
    arguments: "PLATFORM",
    about: "link the program for another platform as `dist` does, put its parts beside it, and say where it is",
    more: "The guests have to be built (`cargo xtask guests`). scripts/windows.sh tries what it makes.",
    run,
};

fn run(arguments: &[String]) -> Outcome {
    let [name] = arguments else {
        return Err(Failure::new("`cross` needs a platform")
            .hint("`cargo xtask cross win32-x64` is one; xtask/src/platform.rs has all"));
    };
    if name.starts_with('-') {
        return Err(unknown_argument(name, "cross"));
    }
    let platform = Platform::named(name)?;
    let guests = machine_code::bring(platform)?;
    let parts = parts::pack(&guests, false, platform)?;
    let built = program::bring(platform, &guests, &parts)?;
    let place = cache::target().join("cross").join(platform.name);
    let program = place.join(platform.program());
    copy(&built, &program)?;
    for part in parts.iter().filter(|part| !part.is_carried) {
        let beside = program.with_file_name(format!("{}.part", part.name));
        copy(&part.file, &beside)?;
    }
    println!("{}", program.display());
    Ok(())
}
