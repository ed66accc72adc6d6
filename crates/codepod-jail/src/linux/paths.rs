//! Landlock: which files and ports can be reached, and that no other process can be signalled.
//!
//! A kernel knows some of the rights and not others. Those that it does not know are left out, but
//! for one: before Linux 5.19 (version 2) nothing could be moved from one directory to another
//! under Landlock, which saved states and mounted directories need. There it is not used.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use crate::{Connects, Needs};

/// The newest version whose rights are known here.
const KNOWN: ABI = ABI::V6;

/// Keeps this thread, and those that it starts, from everything but what is needed; whether that
/// holds.
pub(super) fn restrict(needs: &Needs) -> bool {
    #[cfg(feature = "drill")]
    if crate::drill::is_taken_out("landlock") {
        return false;
    }
    matches!(
        try_restrict(needs),
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced)
    )
}

fn try_restrict(needs: &Needs) -> Result<RulesetStatus, RulesetError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    // A socket that others made can be reached by nobody here, and nothing is executed.
    let write = read | AccessFs::from_write(KNOWN);
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V2))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .handle_access(match needs.connects {
            Connects::Anywhere => BitFlags::from(AccessNet::BindTcp),
            Connects::Nowhere | Connects::Ports(_) => AccessNet::from_all(KNOWN),
        })?
        .scope(Scope::from_all(KNOWN))?
        .create()?
        .add_rules(beneath(&needs.reads, read))?
        .add_rules(beneath(&needs.reads_early, read))?
        .add_rules(beneath(&needs.writes, write))?
        .add_rules(ports(&needs.connects))?;
    Ok(rules.restrict_self()?.ruleset)
}

/// A rule for each port that is connected to.
fn ports(connects: &Connects) -> impl Iterator<Item = Result<NetPort, RulesetError>> {
    let ports = match connects {
        Connects::Ports(ports) => ports.as_slice(),
        Connects::Nowhere | Connects::Anywhere => &[],
    };
    let ports = ports.iter();
    ports.map(|port| Ok(NetPort::new(*port, AccessNet::ConnectTcp)))
}

/// A rule for each directory that is there.
fn beneath(
    paths: &[std::path::PathBuf],
    access: BitFlags<AccessFs>,
) -> impl Iterator<Item = Result<PathBeneath<PathFd>, RulesetError>> {
    let there = paths.iter().filter_map(|path| PathFd::new(path).ok());
    there.map(move |path| Ok(PathBeneath::new(path, access)))
}
