//! The filter: the table as a program for the kernel.
//!
//! There are two, and the stricter answer of both counts. One refuses with an error number what
//! libraries try and can do without. The other lets through what is in the table, and ends the
//! process at anything else.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter_all_threads,
};

use super::table::{CALLS, Only, REFUSED};
use crate::{Mode, Needs};

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: TargetArch = TargetArch::aarch64;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Installs the filter on all threads of this process. It stays for good.
pub(super) fn install(needs: &Needs, mode: Mode) -> io::Result<()> {
    let otherwise = match mode {
        Mode::Log => SeccompAction::Log,
        _ => SeccompAction::KillProcess,
    };
    // Both are there before one is installed: the first may not be alone.
    let allowing = allowing(needs, otherwise)?;
    if mode != Mode::Log {
        apply_filter_all_threads(&refusing(needs)?).map_err(io::Error::other)?;
    }
    apply_filter_all_threads(&allowing).map_err(io::Error::other)
}

/// Answers `memfd_create` as a kernel does that does not have it, on this thread and those that it
/// starts. Of two filters that refuse a call the newer one's number counts. The engine does without
/// a call that does not exist, but not without one that is forbidden.
pub(super) fn without_memfd() -> io::Result<()> {
    let rules = Rules::from([(libc::SYS_memfd_create, Vec::new())]);
    let answer = SeccompAction::Errno(libc::ENOSYS as u32);
    let program = program(rules, SeccompAction::Allow, answer)?;
    seccompiler::apply_filter(&program).map_err(io::Error::other)
}

/// Lets through what is in the table, and what the other filter answers.
fn allowing(needs: &Needs, otherwise: SeccompAction) -> io::Result<BpfProgram> {
    let mut rules = Rules::new();
    for call in CALLS.iter().filter(|call| call.is_for(needs)) {
        #[cfg(feature = "drill")]
        if crate::drill::is_taken_out(call.name) {
            continue;
        }
        rules.insert(call.number, conditions(&call.only, needs)?);
    }
    for (number, only) in refused(needs) {
        rules.insert(*number, conditions(only, needs)?);
    }
    program(rules, otherwise, SeccompAction::Allow)
}

/// Answers calls as a kernel does that does not have them, and lets all others through.
fn refusing(needs: &Needs) -> io::Result<BpfProgram> {
    let rules = refused(needs).map(|(number, only)| Ok((*number, conditions(only, needs)?)));
    let rules = rules.collect::<io::Result<Rules>>()?;
    let answer = SeccompAction::Errno(libc::ENOSYS as u32);
    program(rules, SeccompAction::Allow, answer)
}

/// The calls to refuse: those that are not allowed anyway.
fn refused(needs: &Needs) -> impl Iterator<Item = &'static (i64, Only)> {
    REFUSED.iter().filter(|(number, _)| {
        let mut allowed = CALLS.iter().filter(|call| call.is_for(needs));
        !allowed.any(|call| call.number == *number)
    })
}

fn program(
    rules: Rules,
    otherwise: SeccompAction,
    matching: SeccompAction,
) -> io::Result<BpfProgram> {
    let filter = SeccompFilter::new(rules, otherwise, matching, ARCHITECTURE);
    let program = filter.and_then(BpfProgram::try_from);
    program.map_err(io::Error::other)
}

/// The arguments with which a call is allowed: one of these, or any where there are none.
fn conditions(only: &Only, needs: &Needs) -> io::Result<Vec<SeccompRule>> {
    // The kernel looks at the lower half of each argument that is compared here, so the upper one
    // says nothing.
    let when = |argument, operator, value| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
    };
    let rules: Result<Vec<SeccompRule>, _> = match *only {
        Only::Any => Ok(Vec::new()),
        Only::Code(_) if needs.new_code => Ok(Vec::new()),
        Only::Reading(_) if !needs.writes.is_empty() => Ok(Vec::new()),
        Only::Bits(argument, mask, value)
        | Only::Code((argument, mask, value))
        | Only::Reading((argument, mask, value)) => {
            when(argument, SeccompCmpOp::MaskedEq(mask), value)
                .and_then(|condition| SeccompRule::new(vec![condition]))
                .map(|rule| vec![rule])
        }
        Only::OneOf(argument, values) => values
            .iter()
            .filter(|(_, terminal)| needs.terminal || !terminal)
            .map(|(value, _)| SeccompRule::new(vec![when(argument, SeccompCmpOp::Eq, *value)?]))
            .collect(),
        Only::Both(first, (mask, second)) => when(0, SeccompCmpOp::Eq, first).and_then(|one| {
            let two = when(1, SeccompCmpOp::MaskedEq(mask), second)?;
            Ok(vec![SeccompRule::new(vec![one, two])?])
        }),
    };
    rules.map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_becomes_a_program() {
        for needs in super::super::table::tests::all_needs() {
            allowing(&needs, SeccompAction::KillProcess).unwrap();
            refusing(&needs).unwrap();
        }
    }
}
