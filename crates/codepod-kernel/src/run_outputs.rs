//! Whole outputs of runs whose results hold only a part: `/proc/runs/N/stdout` and `stderr`.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The outputs that are kept, the last ones.
#[derive(Debug, Default)]
pub(crate) struct RunOutputs {
    by_run: BTreeMap<u32, [Arc<[u8]>; 2]>,
    bytes: usize,
}

impl RunOutputs {
    /// Keeps the output and the complaints of a run, and forgets the oldest beyond `most` bytes.
    pub(crate) fn keep(&mut self, run: u32, streams: [Arc<[u8]>; 2], most: usize) {
        self.forget(run);
        self.bytes += size(&streams);
        self.by_run.insert(run, streams);
        while self.bytes > most {
            let Some((oldest, _)) = self.by_run.first_key_value() else {
                break;
            };
            let oldest = *oldest;
            self.forget(oldest);
        }
    }

    fn forget(&mut self, run: u32) {
        if let Some(old) = self.by_run.remove(&run) {
            self.bytes -= size(&old);
        }
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = u32> {
        self.by_run.keys().copied()
    }

    pub(crate) fn get(&self, run: u32, stream: usize) -> Option<Arc<[u8]>> {
        self.by_run.get(&run)?.get(stream).cloned()
    }
}

fn size(streams: &[Arc<[u8]>; 2]) -> usize {
    streams[0].len() + streams[1].len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first() {
        let mut outputs = RunOutputs::default();
        for run in 1..=5 {
            outputs.keep(run, [vec![0; 30].into(), vec![0; 10].into()], 100);
        }
        assert_eq!(outputs.runs().collect::<Vec<_>>(), [4, 5]);
        assert_eq!(outputs.get(5, 1).unwrap().len(), 10);
        outputs.keep(6, [vec![0; 200].into(), Arc::default()], 100);
        assert_eq!(outputs.runs().count(), 0, "what is too large is not kept");
    }
}
