//! Output that the host collects.

use crate::ids::SinkId;
use crate::kernel::Kernel;
use crate::sink::Sink;

impl Kernel {
    /// A sink that keeps up to `limit` bytes.
    pub fn new_sink(&mut self, limit: usize) -> SinkId {
        SinkId(self.sinks.insert(Sink::new(limit, &self.budget)))
    }

    /// What a sink holds, and whether something was refused. The sink is gone afterwards if nobody
    /// writes to it any more; otherwise later writes find its reader gone.
    pub fn take_sink(&mut self, id: SinkId) -> (Vec<u8>, bool) {
        self.take_sink_and(id, false)
    }

    /// Takes what a sink holds, as [`Self::take_sink`] does, but later writes vanish: what a run
    /// left in the background goes on without a reader.
    pub fn finish_sink(&mut self, id: SinkId) -> (Vec<u8>, bool) {
        self.take_sink_and(id, true)
    }

    fn take_sink_and(&mut self, id: SinkId, discards: bool) -> (Vec<u8>, bool) {
        let Some(sink) = self.sinks.get_mut(id.0) else {
            return (Vec::new(), false);
        };
        let taken = (sink.take(), sink.truncated);
        if sink.writers == 0 {
            self.sinks.remove(id.0);
        } else {
            sink.close(discards);
        }
        taken
    }
}
