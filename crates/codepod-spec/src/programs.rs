//! Programs that the cases of a file call and that a place may lack.
//!
//! The cases of `guests/node` call `node`. A sandbox has none where that guest is not built, and a
//! machine's own may be missing or another version than the one whose behaviour is ours. That
//! fails, or where `CODEPOD_MAY_MISS` names the program, such a file is left out.

use std::path::Path;
use std::time::Duration;

use crate::case_file::CaseFile;
use crate::failure::{Failure, Result};
use crate::job::{Feed, Job, Place, environment};
use crate::missing;
use crate::temporary::Temporary;

/// A program that all cases of a file call.
struct Program {
    /// The file's id.
    file: &'static str,
    name: &'static str,
    /// How the output of `NAME --version` begins.
    version: &'static str,
    /// The variable that names the native one, where it is not the one on `PATH`.
    variable: &'static str,
}

const PROGRAMS: [Program; 1] = [Program {
    file: "guests/node",
    name: "node",
    version: "v24.",
    variable: "CODEPOD_NODE",
}];

/// How long a program may take to say its version.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A directory with the native programs that variables name, where every user may run them; none
/// where no variable is set.
pub(crate) fn copied() -> Result<Option<Temporary>> {
    let mut directory = None;
    for program in &PROGRAMS {
        let Some(named) = std::env::var_os(program.variable) else {
            continue;
        };
        if directory.is_none() {
            directory = Some(Temporary::new()?);
        }
        if let Some(directory) = &directory {
            let copy = directory.path().join(program.name);
            std::fs::copy(&named, &copy)
                .map_err(|error| Failure::file("copy", Path::new(&named), error))?;
        }
    }
    Ok(directory)
}

/// Fails where `place` lacks a program that files call; takes those files away and says which
/// where it may be missing.
pub(crate) fn look(files: &mut Vec<CaseFile>, place: &dyn Place) -> Result<()> {
    for program in &PROGRAMS {
        if files.iter().any(|file| file.id() == program.file) && !program.is_in(place)? {
            let what = format!(
                "there is no `{}` of version {}",
                program.name, program.version
            );
            if !missing::may_miss(program.name) {
                return Err(Failure::new(format!("spec/{}: {what}", program.file)).hint(format!(
                    "inside, `cargo xtask guests` brings it; {} names the native one; or say with {}={} that it may be missing",
                    program.variable,
                    missing::VARIABLE,
                    program.name
                )));
            }
            println!("spec/{}: not compared: {what}", program.file);
            files.retain(|file| file.id() != program.file);
        }
    }
    Ok(())
}

impl Program {
    fn is_in(&self, place: &dyn Place) -> Result<bool> {
        let script = format!("{} --version 2>/dev/null", self.name);
        let mut job = Job::new(script, Feed::Command, TIMEOUT);
        job.env = environment();
        let said = place.run(&job)?.stdout;
        Ok(said.starts_with(self.version.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Outcome;

    /// A place where every program says the same.
    struct Saying(&'static str);

    impl Place for Saying {
        fn run(&self, _: &Job) -> Result<Outcome> {
            Ok(Outcome {
                stdout: self.0.into(),
                ..Outcome::default()
            })
        }
    }

    #[test]
    fn a_program_that_is_missing_or_another_version_is_told_of() {
        let look_at = |said| {
            let files = ["spec/guests/node.toml", "spec/guests/python.toml"];
            let mut files: Vec<CaseFile> = files
                .iter()
                .map(|path| CaseFile::parse(Path::new(path), String::new()).unwrap())
                .collect();
            look(&mut files, &Saying(said)).map(|()| files.len())
        };
        assert_eq!(look_at("v24.1.0\n").unwrap(), 2);
        for said in ["", "v20.1.0\n"] {
            let told = look_at(said).unwrap_err().to_string();
            assert!(told.contains("guests/node: there is no `node`"), "{told}");
        }
    }
}
