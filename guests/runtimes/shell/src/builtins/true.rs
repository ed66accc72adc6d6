//! `true`.

use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// Does nothing, with success.
pub(super) fn run(_: &mut Shell, _: &[Text]) -> Run<i32> {
    Ok(0)
}
