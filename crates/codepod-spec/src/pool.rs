//! Work on all cores, with the results in the order of the items.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` with every item, on as many threads as there are cores.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item);
                    if let Ok(mut place) = done[index].lock() {
                        *place = Some(result);
                    }
                }
            });
        }
    });
    let results = done.into_iter().filter_map(|place| place.into_inner().ok());
    results.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        let doubled: Vec<u32> = items.iter().map(|item| item * 2).collect();
        assert_eq!(map(&items, |item| item * 2), doubled);
    }

    #[test]
    fn nothing_to_do_is_fine() {
        assert!(map(&[] as &[u8], |_| ()).is_empty());
    }
}
