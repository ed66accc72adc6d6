//! Which processes `ps` shows.

use codepod_tool::processes::Process;

/// What a list on the command line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Listed {
    Pid(u32),
    Parent(u32),
    Session(u32),
    /// A user: 0 for the real one, 1 for the effective one.
    User(usize, u32),
    Group(usize, u32),
    Name(Vec<u8>),
    /// Those without a terminal: no process has one that has a name.
    NoTerminal,
}

impl Listed {
    fn takes(&self, process: &Process) -> bool {
        match self {
            Listed::Pid(pid) => process.pid == *pid,
            Listed::Parent(pid) => process.parent == *pid,
            Listed::Session(pid) => process.session == *pid,
            Listed::User(which, uid) => process.users[*which] == *uid,
            Listed::Group(which, gid) => process.groups[*which] == *gid,
            Listed::Name(name) => {
                let cut = &name[..name.len().min(15)];
                process.name == cut
            }
            Listed::NoTerminal => process.terminal == 0,
        }
    }
}

/// What was said on the command line.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// -e, -A, or `ax`.
    pub(super) all: bool,
    /// -a: those with a terminal that lead no session.
    pub(super) with_terminal: bool,
    /// -d: those that lead no session.
    pub(super) no_leaders: bool,
    /// `a`: of all users.
    pub(super) every_user: bool,
    /// `x`: also without a terminal.
    pub(super) every_terminal: bool,
    /// `r`: only those that run.
    pub(super) running: bool,
    /// -N: all but these.
    pub(super) negate: bool,
    /// Processes of lists.
    pub(super) listed: Vec<Listed>,
    /// Whether there was a list at all.
    pub(super) has_list: bool,
}

impl Selection {
    /// Whether a process is wanted by the user `own` at `terminal`.
    pub(super) fn takes(&self, process: &Process, own: u32, terminal: u32) -> bool {
        let takes = self.by_flags(process, own, terminal)
            || self.listed.iter().any(|listed| listed.takes(process));
        (takes != self.negate) && (!self.running || matches!(process.state, b'R' | b'D'))
    }

    fn by_flags(&self, process: &Process, own: u32, terminal: u32) -> bool {
        let leads = process.session == process.pid;
        if self.all || (self.every_user && self.every_terminal) {
            return true;
        }
        if self.with_terminal && process.terminal != 0 && !leads {
            return true;
        }
        if self.no_leaders && !leads {
            return true;
        }
        if self.every_user && process.terminal != 0 {
            return true;
        }
        let mine = process.users[1] == own;
        if self.every_terminal && mine {
            return true;
        }
        let named = self.with_terminal || self.no_leaders || self.every_user || self.every_terminal;
        !named && !self.has_list && mine && process.terminal == terminal
    }
}
