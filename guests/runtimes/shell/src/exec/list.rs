//! Lists: `a && b; c & d`.

use codepod_shell_syntax::tree::{AndOr, Item, List, Pipeline};

use super::{cost, give_back, pipeline, stage, take_stack};
use crate::flow::Run;
use crate::shell::Shell;

#[inline(never)]
pub(super) fn run(shell: &mut Shell, list: &List) -> Run {
    for item in &list.items {
        self::item(shell, item)?;
    }
    Ok(())
}

#[inline]
pub(super) fn item(shell: &mut Shell, item: &Item) -> Run {
    if item.background {
        return stage::background(shell, item);
    }
    foreground(shell, item)
}

/// An item without regard to whether `&` ends it.
#[inline]
pub(super) fn foreground(shell: &mut Shell, item: &Item) -> Run {
    if item.rest.is_empty() {
        pipeline::run(shell, &item.first)
    } else {
        and_or(shell, &item.first, &item.rest)
    }
}

/// Only the last pipeline is subject to `set -e`, and only if it runs.
#[inline(never)]
fn and_or(shell: &mut Shell, first: &Pipeline, rest: &[(AndOr, Pipeline)]) -> Run {
    take_stack(shell, cost::AND_OR)?;
    let condition = shell.state.condition;
    shell.state.condition = condition + 1;
    let mut result = pipeline::run(shell, first);
    for (at, (operator, next)) in rest.iter().enumerate() {
        if result.is_err() {
            break;
        }
        let wanted = match operator {
            AndOr::And => shell.state.status == 0,
            AndOr::Or => shell.state.status != 0,
        };
        if !wanted {
            continue;
        }
        if at + 1 == rest.len() {
            shell.state.condition = condition;
        }
        result = pipeline::run(shell, next);
    }
    shell.state.condition = condition;
    give_back(shell, cost::AND_OR);
    result
}
