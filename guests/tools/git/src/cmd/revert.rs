//! `git revert`.

use super::Call;
use super::sequencer::{self, Action, Settings, Step};
use crate::args::options;
use crate::stop::Result;

options! {
    /// What the command line says.
    struct Options for "revert" {
        step: Option<Step> = [
            "quit" => Step::Quit,
            "continue" => Step::Continue,
            "abort" => Step::Abort,
            "skip" => Step::Skip,
        ],
        no_commit: bool = "n|no-commit",
        edit: bool = "e|edit",
        signoff: bool = "s|signoff",
        mainline: Option<String> = "m|mainline=",
        strategy_options: Vec<Vec<u8>> = "X|strategy-option=",
    }
    ignored "cleanup= no-edit r| rerere-autoupdate"
    refused "S|gpg-sign? reference strategy="
}

/// `git revert`.
pub(crate) fn revert(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let action = Action::Revert;
    let settings = Settings {
        action,
        no_commit: options.no_commit,
        edit: options.edit,
        origin: false,
        signoff: options.signoff,
        mainline: sequencer::mainline(action, options.mainline)?,
        allow_empty: false,
        keep_redundant: false,
        fast: false,
        labels: sequencer::labels(&options.strategy_options)?,
    };
    match options.step {
        Some(step) => sequencer::go_on(call, &repo, &settings, step),
        None => sequencer::start(&repo, &settings, &rest.words),
    }
}
