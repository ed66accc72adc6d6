//! `git check-attr`: attributes of paths.

use super::Call;
use crate::args;
use crate::out;
use crate::stop::{Result, show};

/// `git check-attr`.
pub(crate) fn check_attr(call: &Call) -> Result<i32> {
    let parsed = args::parse("check-attr", "a|all cached stdin z|", &call.words)?;
    parsed.refuse(&["all", "cached", "stdin", "z"])?;
    let repo = call.repo()?;
    let Some((name, files)) = parsed.words.split_first() else {
        return Err(args::usage("check-attr", "no attribute specified"));
    };
    for file in files {
        let path = repo.path_of_user(file).unwrap_or_else(|| file.clone());
        let value = match crate::attributes::get(&repo, &path, name) {
            None => "unspecified".to_owned(),
            Some(crate::attributes::Value::Set) => "set".to_owned(),
            Some(crate::attributes::Value::Unset) => "unset".to_owned(),
            Some(crate::attributes::Value::Text(text)) => show(&text),
        };
        out::line(format!("{}: {}: {value}", show(file), show(name)));
    }
    Ok(0)
}
