//! Whole outputs of runs whose results hold only a part: `/proc/runs/N/stdout` and `stderr`.

use std::collections::BTreeMap;
use std::sync::Arc;

use codepod_vfs::{Budget, Charge};

/// The outputs that are kept, the last ones.
#[derive(Debug, Default)]
pub(crate) struct RunOutputs {
    by_run: BTreeMap<u32, Kept>,
    bytes: usize,
}

/// The output and the complaints of a run.
#[derive(Debug)]
struct Kept {
    streams: [Arc<[u8]>; 2],
    _charge: Charge,
}

impl RunOutputs {
    /// Keeps the output and the complaints of a run, and forgets the oldest beyond `most` bytes or
    /// what the budget has left.
    pub(crate) fn keep(&mut self, run: u32, streams: [Arc<[u8]>; 2], most: usize, budget: &Budget) {
        self.forget(run);
        let bytes = size(&streams);
        let charge = loop {
            let fits = self.bytes.saturating_add(bytes) <= most;
            if let Some(charge) = fits.then(|| budget.memory(bytes as u64)).flatten() {
                break charge;
            }
            let Some((oldest, _)) = self.by_run.first_key_value() else {
                return;
            };
            let oldest = *oldest;
            self.forget(oldest);
        };
        self.bytes += bytes;
        self.by_run.insert(
            run,
            Kept {
                streams,
                _charge: charge,
            },
        );
    }

    fn forget(&mut self, run: u32) {
        if let Some(old) = self.by_run.remove(&run) {
            self.bytes -= size(&old.streams);
        }
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = u32> {
        self.by_run.keys().copied()
    }

    pub(crate) fn get(&self, run: u32, stream: usize) -> Option<Arc<[u8]>> {
        self.by_run.get(&run)?.streams.get(stream).cloned()
    }
}

fn size(streams: &[Arc<[u8]>; 2]) -> usize {
    streams[0].len() + streams[1].len()
}

#[cfg(test)]
mod tests {
    use codepod_vfs::BudgetLimits;

    use super::*;

    #[test]
    fn the_oldest_go_first() {
        let mut outputs = RunOutputs::default();
        for run in 1..=5 {
            let streams = [vec![0; 30].into(), vec![0; 10].into()];
            outputs.keep(run, streams, 100, &Budget::default());
        }
        assert_eq!(outputs.runs().collect::<Vec<_>>(), [4, 5]);
        assert_eq!(outputs.get(5, 1).unwrap().len(), 10);
        let streams = [vec![0; 200].into(), Arc::default()];
        outputs.keep(6, streams, 100, &Budget::default());
        assert_eq!(outputs.runs().count(), 0, "what is too large is not kept");
    }

    #[test]
    fn what_the_budget_has_no_memory_for_is_not_kept() {
        let budget = Budget::new(BudgetLimits::new(0, 50));
        let mut outputs = RunOutputs::default();
        for run in 1..=2 {
            let streams = [vec![0; 30].into(), vec![0; 10].into()];
            outputs.keep(run, streams, 1000, &budget);
        }
        assert_eq!(outputs.runs().collect::<Vec<_>>(), [2]);
        assert_eq!(budget.used().memory_bytes, 40);
        drop(outputs);
        assert_eq!(budget.used().memory_bytes, 0);
    }
}
