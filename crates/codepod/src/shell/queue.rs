//! Turns: who uses a shell now, and who comes next. First come, first served.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// A queue; whoever is in front has the turn.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    next: u64,
    waiting: VecDeque<(u64, Option<Waker>)>,
}

/// A place in the queue. Dropped, it is given up, with the turn if it has it.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    number: u64,
}

impl Turns {
    /// Waits for a turn. The place in the queue is taken when this is polled first.
    pub(crate) async fn take(&self) -> Turn<'_> {
        let turn = {
            let mut queue = self.lock();
            let number = queue.next;
            queue.next += 1;
            queue.waiting.push_back((number, None));
            Turn {
                turns: self,
                number,
            }
        };
        poll_fn(|cx| {
            let mut queue = self.lock();
            let mut places = queue.waiting.iter_mut();
            match places.position(|(number, _)| *number == turn.number) {
                None | Some(0) => Poll::Ready(()),
                Some(place) => {
                    queue.waiting[place].1 = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await;
        turn
    }

    /// Takes the turn if nobody has it and nobody waits.
    pub(crate) fn try_take(&self) -> Option<Turn<'_>> {
        let mut queue = self.lock();
        if !queue.waiting.is_empty() {
            return None;
        }
        let number = queue.next;
        queue.next += 1;
        queue.waiting.push_back((number, None));
        Some(Turn {
            turns: self,
            number,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = self.turns.lock();
        queue.waiting.retain(|(number, _)| *number != self.number);
        if let Some(waker) = queue.waiting.front_mut().and_then(|front| front.1.take()) {
            drop(queue);
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future as _;
    use std::pin::pin;
    use std::task::Context;

    use super::*;

    #[test]
    fn turns_come_in_order_and_a_place_that_is_given_up_holds_nobody_up() {
        let turns = Turns::default();
        let mut context = Context::from_waker(Waker::noop());
        let first = turns.try_take().unwrap();
        assert!(turns.try_take().is_none());
        let mut third = pin!(turns.take());
        {
            let mut second = pin!(turns.take());
            assert!(second.as_mut().poll(&mut context).is_pending());
            assert!(third.as_mut().poll(&mut context).is_pending());
            drop(first);
            // The second has the turn, though it has not looked yet.
            assert!(third.as_mut().poll(&mut context).is_pending());
        }
        assert!(third.as_mut().poll(&mut context).is_ready());
    }
}
