//! `git cherry-pick`.

use super::Call;
use super::sequencer::{self, Action, Settings, Step};
use crate::args::options;
use crate::stop::Result;

options! {
    /// What the command line says.
    struct Options for "cherry-pick" {
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
        /// Names the commit in the message.
        origin: bool = "x|",
        fast: bool = "ff",
        allow_empty: bool = "allow-empty",
        keep_redundant: bool = "keep-redundant-commits",
    }
    ignored "cleanup= no-edit r| rerere-autoupdate allow-empty-message"
    refused "S|gpg-sign? empty= strategy="
}

/// `git cherry-pick`.
pub(crate) fn cherry_pick(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let action = Action::Pick;
    let settings = Settings {
        action,
        no_commit: options.no_commit,
        edit: options.edit,
        origin: options.origin,
        signoff: options.signoff,
        mainline: sequencer::mainline(action, options.mainline)?,
        allow_empty: options.allow_empty || options.keep_redundant,
        keep_redundant: options.keep_redundant,
        fast: options.fast,
        labels: sequencer::labels(&options.strategy_options)?,
    };
    match options.step {
        Some(step) => sequencer::go_on(call, &repo, &settings, step),
        None => sequencer::start(&repo, &settings, &rest.words),
    }
}
