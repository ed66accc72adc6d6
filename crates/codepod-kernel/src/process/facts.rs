//! What is known of processes that have ended, and what all of them together have used.

use std::collections::VecDeque;

use super::{ExitStatus, Process};
use crate::ids::Pid;
use crate::kernel::Kernel;
use crate::process::RunId;

/// How many ended processes are remembered until somebody asks.
const MOST: usize = 512;
/// As much of a command line as is remembered.
const LONGEST_LINE: usize = 256;

/// A process that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessFacts {
    /// Its number.
    pub pid: u32,
    /// Its arguments, separated by spaces; at most 256 bytes.
    pub command: Vec<u8>,
    /// How it ended.
    pub status: ExitStatus,
    /// How long it was there, in nanoseconds.
    pub time_ns: u64,
    /// How long its code ran, in nanoseconds.
    pub cpu_ns: u64,
    /// Bytes that it read.
    pub read: u64,
    /// Bytes that it wrote.
    pub written: u64,
    /// The most linear memory that it had, in bytes.
    pub memory: u64,
}

/// What processes have used, in sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Usage {
    /// Processes that were started.
    pub processes: u64,
    /// How long their code ran, in nanoseconds.
    pub cpu_ns: u64,
    /// Bytes that they read.
    pub read: u64,
    /// Bytes that they wrote.
    pub written: u64,
}

/// The processes that have ended.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    list: VecDeque<(RunId, ProcessFacts)>,
    usage: Usage,
    /// How long code ran of those that ended in the background, in nanoseconds.
    background_cpu_ns: u64,
}

impl Ended {
    pub(crate) fn count_start(&mut self) {
        self.usage.processes += 1;
    }

    pub(crate) fn background_cpu_ns(&self) -> u64 {
        self.background_cpu_ns
    }

    pub(crate) fn forget_background(&mut self) {
        self.background_cpu_ns = 0;
    }

    /// Counts the time of a process that ends in the background.
    pub(crate) fn count_background(&mut self, cpu_ns: u64) {
        self.background_cpu_ns = self.background_cpu_ns.saturating_add(cpu_ns);
    }

    pub(crate) fn push(&mut self, process: &Process, status: ExitStatus, now: u64) {
        let cpu_ns = process.control.cpu_ns();
        self.usage.cpu_ns += cpu_ns;
        self.usage.read += process.read;
        self.usage.written += process.written;
        let block = process.argv.shared_block();
        let line = block
            .split(|byte| *byte == 0)
            .filter(|word| !word.is_empty());
        let mut command = line.collect::<Vec<_>>().join(&b' ');
        command.truncate(LONGEST_LINE);
        if self.list.len() >= MOST {
            self.list.pop_front();
        }
        let facts = ProcessFacts {
            pid: process.pid.0,
            command,
            status,
            time_ns: now.saturating_sub(process.started),
            cpu_ns,
            read: process.read,
            written: process.written,
            memory: process.control.memory() as u64,
        };
        self.list.push_back((process.run, facts));
    }

    fn take(&mut self, wanted: impl Fn(RunId, &ProcessFacts) -> bool) -> Vec<ProcessFacts> {
        if !self.list.iter().any(|(run, facts)| wanted(*run, facts)) {
            return Vec::new();
        }
        let (taken, kept) = std::mem::take(&mut self.list)
            .into_iter()
            .partition(|(run, facts)| wanted(*run, facts));
        self.list = kept;
        let taken: VecDeque<(RunId, ProcessFacts)> = taken;
        taken.into_iter().map(|(_, facts)| facts).collect()
    }
}

impl Kernel {
    /// What is known of the processes that a run has started and that have ended: the last few
    /// hundred. It is forgotten with that.
    pub fn take_facts_of_run(&mut self, run: RunId) -> Vec<ProcessFacts> {
        self.ended.take(|of, _| of == run)
    }

    /// What is known of processes that have ended, which is forgotten with that.
    pub fn take_facts_of(&mut self, pids: &[Pid]) -> Vec<ProcessFacts> {
        self.ended.take(|_, facts| pids.contains(&Pid(facts.pid)))
    }

    /// What all processes have used so far, those that live included.
    pub fn usage(&self) -> Usage {
        self.processes
            .iter()
            .filter(|process| process.is_alive())
            .fold(self.ended.usage, |sum, process| Usage {
                processes: sum.processes,
                cpu_ns: sum.cpu_ns + process.control.cpu_ns(),
                read: sum.read + process.read,
                written: sum.written + process.written,
            })
    }
}
