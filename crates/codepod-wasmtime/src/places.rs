//! Places for processes: the engine has only so many, and who waits for one gets it by turns.
//!
//! A place that becomes free goes to the share that has the fewest, among those to the one that has
//! had none for the longest time, and there to who came first. No share gets the last eighth:
//! whatever one holds, and for however long, others find a place. How many processes a tenant may
//! have at all is its budget's affair. The compiler has one place.
//!
//! Invariant: `free` and what all shares hold are together as many as there are, and a share is in
//! the table while it holds or waits for some.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The places of an engine. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Places(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    free: usize,
    /// The most that one share may hold.
    most: usize,
    shares: BTreeMap<u64, InShare>,
    /// Counts what happens: its value is a time.
    tickets: u64,
}

#[derive(Debug)]
struct InShare {
    held: usize,
    /// When it gave back a place last, or came.
    since: u64,
    waiting: VecDeque<(u64, Waker)>,
}

/// A place; dropped, it is the next one's.
#[derive(Debug)]
pub(crate) struct Place {
    places: Places,
    share: u64,
}

/// Waits for a place.
#[derive(Debug)]
pub(crate) struct Waiting {
    places: Places,
    share: u64,
    /// Its number in the queue, once it stands there.
    ticket: Option<u64>,
}

impl Places {
    pub(crate) fn new(count: usize) -> Places {
        Places(Arc::new(Mutex::new(State {
            free: count,
            most: count - count / 8,
            shares: BTreeMap::new(),
            tickets: 0,
        })))
    }

    /// A place for a process of a share.
    pub(crate) fn take(&self, share: u64) -> Waiting {
        Waiting {
            places: self.clone(),
            share,
            ticket: None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back(&self, share: u64) {
        let mut state = self.lock();
        state.free += 1;
        let now = state.next_ticket();
        if let Some(of_share) = state.shares.get_mut(&share) {
            of_share.held -= 1;
            of_share.since = now;
        }
        let next = state.hand_out();
        state.tidy(share);
        drop(state);
        if let Some(waker) = next {
            waker.wake();
        }
    }
}

impl State {
    /// Gives a free place to whose turn it is; who is to be woken.
    fn hand_out(&mut self) -> Option<Waker> {
        if self.free == 0 {
            return None;
        }
        let most = self.most;
        let mut waiting = self.shares.values_mut();
        let mut next: Option<&mut InShare> = None;
        for share in &mut waiting {
            let may = !share.waiting.is_empty() && share.held < most;
            let first = |next: &&mut InShare| (share.held, share.since) < (next.held, next.since);
            if may && next.as_ref().is_none_or(first) {
                next = Some(share);
            }
        }
        let share = next?;
        let (_, waker) = share.waiting.pop_front()?;
        share.held += 1;
        self.free -= 1;
        Some(waker)
    }

    fn next_ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    /// A share; one that was not there comes now.
    fn share(&mut self, share: u64) -> &mut InShare {
        let now = self.next_ticket();
        self.shares.entry(share).or_insert(InShare {
            held: 0,
            since: now,
            waiting: VecDeque::new(),
        })
    }

    fn tidy(&mut self, share: u64) {
        let unused = |of_share: &InShare| of_share.held == 0 && of_share.waiting.is_empty();
        if self.shares.get(&share).is_some_and(unused) {
            self.shares.remove(&share);
        }
    }
}

impl Future for Waiting {
    type Output = Place;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Place> {
        let share = self.share;
        let places = self.places.clone();
        let mut state = places.lock();
        let (free, most) = (state.free, state.most);
        let of_share = state.share(share);
        match self.ticket {
            None => {
                // Who waits here already was refused for the same reasons.
                if free > 0 && of_share.held < most && of_share.waiting.is_empty() {
                    of_share.held += 1;
                    state.free -= 1;
                } else {
                    let ticket = state.next_ticket();
                    let of_share = state.share(share);
                    of_share.waiting.push_back((ticket, cx.waker().clone()));
                    self.ticket = Some(ticket);
                    return Poll::Pending;
                }
            }
            Some(ticket) => {
                let mut waiting = of_share.waiting.iter_mut();
                if let Some((_, waker)) = waiting.find(|(other, _)| *other == ticket) {
                    waker.clone_from(cx.waker());
                    return Poll::Pending;
                }
                self.ticket = None;
            }
        }
        drop(state);
        Poll::Ready(Place { places, share })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket else {
            return;
        };
        let mut state = self.places.lock();
        let Some(of_share) = state.shares.get_mut(&self.share) else {
            return;
        };
        let before = of_share.waiting.len();
        of_share.waiting.retain(|(other, _)| *other != ticket);
        let waited = of_share.waiting.len() < before;
        state.tidy(self.share);
        drop(state);
        if !waited {
            // It has been given one and did not come for it.
            self.places.give_back(self.share);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.give_back(self.share);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poll(waiting: &mut Waiting) -> Option<Place> {
        match Pin::new(waiting).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(place) => Some(place),
            Poll::Pending => None,
        }
    }

    fn take(places: &Places, share: u64) -> Option<Place> {
        poll(&mut places.take(share))
    }

    #[test]
    fn one_share_never_holds_the_last_eighth() {
        let places = Places::new(16);
        let held: Vec<Place> = std::iter::from_fn(|| take(&places, 1)).collect();
        assert_eq!(held.len(), 14);
        let others = [take(&places, 2), take(&places, 3)];
        assert!(others.iter().all(Option::is_some) && take(&places, 4).is_none());
        drop((held, others));
        assert_eq!(places.lock().free, 16);
        assert!(places.lock().shares.is_empty());
    }

    #[test]
    fn a_free_place_goes_to_the_share_with_the_fewest() {
        let places = Places::new(8);
        let mut held: Vec<Place> = std::iter::from_fn(|| take(&places, 1)).collect();
        held.extend(take(&places, 2));
        let mut many: Vec<Waiting> = (0..100).map(|_| places.take(1)).collect();
        assert!(many.iter_mut().all(|waiting| poll(waiting).is_none()));
        let (mut second, mut third) = (places.take(2), places.take(3));
        assert!(poll(&mut second).is_none() && poll(&mut third).is_none());
        drop(held.remove(0));
        let third = poll(&mut third).expect("it has none yet");
        drop(held.remove(0));
        let second = poll(&mut second).expect("it has one, the other six");
        drop(held.remove(0));
        assert!(poll(&mut many[0]).is_some(), "who came first");
        drop((second, third, held, many));
        assert_eq!(places.lock().free, 8);
        assert!(places.lock().shares.is_empty());
    }

    #[test]
    fn shares_take_turns_at_a_single_place() {
        let places = Places::new(1);
        let mut place = take(&places, 1);
        let mut waiting: Vec<Waiting> =
            [1, 1, 1, 1, 2, 2, 3].map(|share| places.take(share)).into();
        assert!(waiting.iter_mut().all(|waiting| poll(waiting).is_none()));
        let mut order = Vec::new();
        while place.take().is_some() {
            let next = waiting.iter_mut().enumerate();
            let next = next
                .filter_map(|(at, waiting)| Some((at, poll(waiting)?)))
                .next();
            let Some((at, given)) = next else {
                break;
            };
            order.push(given.share);
            place = Some(given);
            drop(waiting.remove(at));
        }
        assert_eq!(order, [2, 3, 1, 2, 1, 1, 1]);
        assert!(places.lock().shares.is_empty());
    }

    #[test]
    fn who_gives_up_leaves_the_place_to_the_next() {
        let places = Places::new(1);
        let place = take(&places, 1).unwrap();
        let (mut first, mut second) = (places.take(2), places.take(3));
        assert!(poll(&mut first).is_none() && poll(&mut second).is_none());
        drop(place);
        // It is the first's now, who never asks again.
        drop(first);
        let place = poll(&mut second).unwrap();
        let mut third = places.take(4);
        assert!(poll(&mut third).is_none());
        drop(third);
        drop(place);
        assert_eq!(places.lock().free, 1);
        assert!(places.lock().shares.is_empty());
    }

    #[test]
    fn at_random_no_place_is_lost_or_given_twice() {
        let places = Places::new(5);
        let mut random = 7u64;
        let (mut held, mut waiting) = (Vec::new(), Vec::new());
        for _ in 0..20_000 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let pick = (random >> 33) as usize;
            match pick % 4 {
                0 => waiting.push(places.take((pick / 4 % 6) as u64)),
                1 if !waiting.is_empty() => {
                    let at = pick / 4 % waiting.len();
                    if let Some(place) = poll(&mut waiting[at]) {
                        waiting.swap_remove(at);
                        held.push(place);
                    }
                }
                2 if !held.is_empty() => drop(held.swap_remove(pick / 4 % held.len())),
                3 if waiting.len() > 20 => drop(waiting.swap_remove(pick / 4 % waiting.len())),
                _ => {}
            }
            assert!(held.len() <= 5);
        }
        drop((held, waiting));
        assert_eq!(places.lock().free, 5);
        assert!(places.lock().shares.is_empty());
    }
}
