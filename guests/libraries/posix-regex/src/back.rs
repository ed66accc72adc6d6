//! The edges of a machine, backwards.

use crate::program::{At, Step};

/// For each step, those that go on to it; in one vector.
#[derive(Debug)]
pub(crate) struct Back {
    starts: Vec<u32>,
    steps: Vec<At>,
}

impl Back {
    pub(crate) fn new(all: &[Step]) -> Back {
        let targets = |step: Step| match step {
            Step::Match => [None, None],
            Step::Split(first, second) => [Some(first), Some(second)],
            Step::Char(_, next)
            | Step::Any(next)
            | Step::Class(_, next)
            | Step::Reference(_, next)
            | Step::Anchor(_, next)
            | Step::Open(_, next)
            | Step::Close { next, .. } => [Some(next), None],
        };
        let mut starts = vec![0u32; all.len() + 1];
        for step in all {
            for target in targets(*step).into_iter().flatten() {
                starts[target as usize + 1] += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut filled = starts.clone();
        let mut steps = vec![0; starts.last().map_or(0, |count| *count as usize)];
        for (at, step) in all.iter().enumerate() {
            for target in targets(*step).into_iter().flatten() {
                let place = &mut filled[target as usize];
                steps[*place as usize] = at as At;
                *place += 1;
            }
        }
        Back { starts, steps }
    }

    /// The steps that go on to a step.
    pub(crate) fn of(&self, step: At) -> &[At] {
        let step = step as usize;
        &self.steps[self.starts[step] as usize..self.starts[step + 1] as usize]
    }
}
