//! `git check-attr`: attributes of paths.

use super::Call;
use crate::args::{self, options};
use crate::attributes::{self, Value};
use crate::out;
use crate::stop::{Result, show};

options! {
    /// What the command line says.
    struct Options for "check-attr" {}
    refused "a|all cached stdin z|"
}

/// `git check-attr`.
pub(crate) fn check_attr(call: &Call) -> Result<i32> {
    let (Options {}, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let Some((name, files)) = rest.words.split_first() else {
        return Err(args::usage("check-attr", "no attribute specified"));
    };
    for file in files {
        let path = repo.path_of_user(file).unwrap_or_else(|| file.clone());
        let value = match attributes::get(&repo, &path, name) {
            None => "unspecified".to_owned(),
            Some(Value::Set) => "set".to_owned(),
            Some(Value::Unset) => "unset".to_owned(),
            Some(Value::Text(text)) => show(&text),
        };
        out::line(format!("{}: {}: {value}", show(file), show(name)));
    }
    Ok(0)
}
