//! The same work for many items at once.

use rayon::ThreadPoolBuilder;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

/// Does the work for all items on at most so many threads. The work may block. The results are in
/// the order of the items. If the work panics, so does this.
pub(crate) fn map<H: Sync, T: Send>(
    items: &[H],
    threads: usize,
    work: impl Fn(&H) -> T + Sync,
) -> Vec<T> {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    match ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(|| items.par_iter().with_max_len(1).map(&work).collect()),
        // The system gives no more threads.
        Err(_) => items.iter().map(work).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_are_in_order_and_panics_go_on() {
        let items: Vec<usize> = (0..100).collect();
        for threads in [0, 1, 7, 200] {
            let slow_first = |item: &usize| {
                std::thread::sleep(std::time::Duration::from_micros(100 - *item as u64));
                item * 2
            };
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(map(&items, threads, slow_first), doubled);
        }
        let panics = || map(&items, 4, |item| assert_ne!(*item, 50));
        assert!(std::panic::catch_unwind(panics).is_err());
    }
}
