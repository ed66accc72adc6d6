//! Processes below their parents.

use codepod_tool::processes::Process;

/// How the depth is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// By lines: `\_`.
    Lines,
    /// By blanks.
    Blanks,
}

/// Puts children behind their parents, and returns what stands before each one's command.
pub(super) fn arrange(processes: &mut Vec<Process>, style: Style) -> Vec<Vec<u8>> {
    let given = std::mem::take(processes);
    let is_there = |pid: u32| given.iter().any(|process| process.pid == pid);
    let is_top = |process: &Process| process.parent == process.pid || !is_there(process.parent);
    let mut leads = Vec::new();
    let mut taken = vec![false; given.len()];
    // What is still to be shown, the next one last: its place, what stands before its children, its
    // own lead.
    let mut open: Vec<(usize, Vec<u8>, Vec<u8>)> = Vec::new();
    for (index, process) in given.iter().enumerate().rev() {
        if is_top(process) {
            open.push((index, Vec::new(), Vec::new()));
        }
    }
    while let Some((index, before, lead)) = open.pop() {
        // A pid that is used again may look like a circle.
        if std::mem::replace(&mut taken[index], true) {
            continue;
        }
        let process = &given[index];
        let children: Vec<usize> = (0..given.len())
            .filter(|child| given[*child].parent == process.pid && *child != index)
            .collect();
        let last = children.last().copied();
        for child in children.into_iter().rev() {
            let (more, own): (&[u8], &[u8]) = match (style, Some(child) == last) {
                (Style::Blanks, _) => (b"  ", b"  "),
                (Style::Lines, true) => (b"    ", b" \\_ "),
                (Style::Lines, false) => (b" |  ", b" \\_ "),
            };
            open.push((
                child,
                [&before[..], more].concat(),
                [&before[..], own].concat(),
            ));
        }
        processes.push(process.clone());
        leads.push(lead);
    }
    for (process, taken) in given.into_iter().zip(taken) {
        if !taken {
            processes.push(process);
            leads.push(Vec::new());
        }
    }
    leads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_stand_below_their_parents() {
        let process = |pid: u32, parent: u32| Process {
            pid,
            parent,
            ..Process::default()
        };
        let mut all = vec![process(1, 0), process(2, 1), process(3, 1), process(4, 2)];
        let leads = arrange(&mut all, Style::Lines);
        let pids: Vec<u32> = all.iter().map(|process| process.pid).collect();
        assert_eq!(pids, [1, 2, 4, 3]);
        assert_eq!(leads, [&b""[..], b" \\_ ", b" |   \\_ ", b" \\_ "]);
        let mut circle = vec![process(1, 2), process(2, 1)];
        arrange(&mut circle, Style::Lines);
        assert_eq!(circle.len(), 2);
    }
}
