//! The command line.

use std::ffi::OsString;

use crate::cases::{self, Action};
use crate::failure::{Failure, Result};
use crate::fuzz;
use crate::oils;

const HELP: &str = "\
usage: codepod-spec COMMAND [OPTIONS]

  run|verify|bless [FILTER]
                          our cases, those with FILTER in `DIRECTORY/TOPIC/NAME`: in the sandbox; in real bash;
                          recorded from real bash. `tools/sed/` are those of sed
  support [FILTER]        adds options of the real tools' --help to what the files of those cases say about them
  edges [FILTER]          which unusual inputs (NUL, bytes that are no UTF-8, long lines…) the cases of tools show
  oils                    the cases of the Oils project; those that fail must be the ones in spec/oils/known-failures.txt
    --filter TEXT         those whose id contains it
    --failed              list the ids of those that fail
    --show ID             one: script, expectation, and what came
    --keep FILE           write the list of those
    --from DIR            take the scripts from a checkout of the Oils project; from ../shared/oils-spec without it
    --missing-tools       commands that cases call and the sandbox lacks
    --shell native        run the machine's bash instead, to prove the runner

  fuzz                    random scripts in both shells
    --count N             how many (1000)
    --seed S              which; a new one from the clock without it
    --first N             begin with this script of the seed (0)
    --report              tell of differences without failing
    --wild                odd words, too, on which differences are still known
    --messages            compare the lines of standard error, and not only whether there are any
    --show N              show so many differences, made small (10)
    --keep DIR            write those into a directory, too
    --print N             print a script instead of running any
";

/// Does what the words ask for.
pub(crate) fn run(words: &[OsString]) -> Result<()> {
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    let words = words.ok_or_else(|| Failure::usage("an argument is not UTF-8"))?;
    if words.is_empty() || words.contains(&"--help") {
        print!("{HELP}");
        return Ok(());
    }
    let mut words = Words { words, at: 1 };
    match words.words[0] {
        "run" => case_arguments(Action::Run, &mut words),
        "verify" => case_arguments(Action::Verify, &mut words),
        "support" => case_arguments(Action::Support, &mut words),
        "edges" => case_arguments(Action::Edges, &mut words),
        "bless" => case_arguments(Action::Bless, &mut words),
        "oils" => oils::run(&oils_arguments(&mut words)?),
        "fuzz" => fuzz::run(&fuzz_arguments(&mut words)?),
        other => Err(Failure::usage(format!("there is no command `{other}`"))),
    }
}

fn case_arguments(action: Action, words: &mut Words<'_>) -> Result<()> {
    let filter = words.next();
    match filter.filter(|word| word.starts_with('-')).or(words.next()) {
        Some(word) => Err(words.unknown(word)),
        None => cases::run(action, filter),
    }
}

fn oils_arguments(words: &mut Words<'_>) -> Result<oils::Arguments> {
    let mut arguments = oils::Arguments::default();
    while let Some(word) = words.next() {
        match word {
            "--filter" => arguments.filter = Some(words.value()?.into()),
            "--failed" => arguments.failed = true,
            "--show" => arguments.show = Some(words.value()?.into()),
            "--keep" => arguments.keep = Some(words.value()?.into()),
            "--missing-tools" => arguments.missing_tools = true,
            "--from" => arguments.from = Some(words.value()?.into()),
            "--shell" => arguments.native = words.value()? == "native",
            other => return Err(words.unknown(other)),
        }
    }
    Ok(arguments)
}

fn fuzz_arguments(words: &mut Words<'_>) -> Result<fuzz::Arguments> {
    let mut arguments = fuzz::Arguments::default();
    while let Some(word) = words.next() {
        match word {
            "--count" => arguments.count = words.number()?,
            "--seed" => arguments.seed = Some(words.number()?),
            "--first" => arguments.first = words.number()?,
            "--report" => arguments.report = true,
            "--wild" => arguments.wild = true,
            "--messages" => arguments.messages = true,
            "--show" => arguments.show = words.number()?,
            "--keep" => arguments.keep = Some(words.value()?.into()),
            "--print" => arguments.print = Some(words.number()?),
            other => return Err(words.unknown(other)),
        }
    }
    Ok(arguments)
}

/// The words of a call, taken one by one.
struct Words<'a> {
    words: Vec<&'a str>,
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word
    }

    /// What belongs to the option that was taken last.
    fn value(&mut self) -> Result<&'a str> {
        let option = self.words[self.at - 1];
        self.next()
            .ok_or_else(|| Failure::usage(format!("`{option}` needs a value")))
    }

    fn number<N: std::str::FromStr>(&mut self) -> Result<N> {
        let option = self.words[self.at - 1];
        let value = self.value()?;
        value
            .parse()
            .map_err(|_| Failure::usage(format!("`{option}` needs a number, not `{value}`")))
    }

    fn unknown(&self, word: &str) -> Failure {
        Failure::usage(format!("`{}` does not take `{word}`", self.words[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(words: &[&str]) -> Result<()> {
        let words: Vec<OsString> = words.iter().map(|&word| word.into()).collect();
        run(&words)
    }

    #[test]
    fn only_what_is_named_may_be_missing() {
        use crate::missing::names;
        assert!(names("bash,oils", "oils") && names("bash, oils", "oils"));
        assert!(!names("", "oils") && !names("oils-spec", "oils") && !names("bash", "oils"));
    }

    #[test]
    fn mistakes_in_a_call_end_with_2() {
        for words in [
            &["nonsense"][..],
            &["run", "--nonsense"],
            &["bless", "one", "two"],
            &["oils", "--nonsense"],
            &["oils", "--show"],
            &["oils", "--from"],
            &["fuzz", "--count", "0"],
            &["fuzz", "--seed", "-1"],
        ] {
            assert_eq!(call(words).unwrap_err().status, 2, "{words:?}");
        }
    }
}
