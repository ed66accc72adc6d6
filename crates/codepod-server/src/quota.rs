//! How much a tenant may have.

use codepod::Share;

/// How much a tenant may have at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Sandboxes that are alive.
    pub sandboxes: usize,
    /// Requests that are being answered.
    pub requests: usize,
    /// Snapshots of one sandbox.
    pub snapshots: usize,
    /// Bytes that only snapshots of one sandbox still hold.
    pub snapshot_bytes: u64,
    /// Bytes of requests and answers that are on their way.
    pub flight_bytes: u64,
    /// Its share of the processors where all want more than there is: with twice the weight of
    /// another it gets twice the time.
    pub cpu_weight: u32,
    /// Processes of all its sandboxes. A shell that only waits for its next script is not one.
    pub processes: u64,
    /// Bytes of the host's memory: of processes, files, outputs and answers that are kept, of all
    /// its sandboxes.
    pub memory_bytes: u64,
    /// Bytes of saved states and of sandboxes that sleep. A save that begins below it may end
    /// above it.
    pub state_bytes: u64,
    /// Namespaces with saved states.
    pub namespaces: usize,
}

impl Default for Quota {
    fn default() -> Quota {
        Quota {
            sandboxes: 10_000,
            requests: 256,
            snapshots: 1000,
            snapshot_bytes: 1 << 30,
            flight_bytes: 256 << 20,
            cpu_weight: Share::WEIGHT,
            processes: 256,
            memory_bytes: 4 << 30,
            state_bytes: 16 << 30,
            namespaces: 1000,
        }
    }
}

impl Quota {
    /// Of somebody who has the server alone: processes and memory are bounded by what the host has.
    pub fn alone() -> Quota {
        Quota {
            processes: u64::MAX,
            memory_bytes: u64::MAX,
            ..Quota::default()
        }
    }
}
