//! The same work on many things at a time.

use rayon::ThreadPoolBuilder;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

/// Does the work for all items on at most so many threads. The work may block. The results are in
/// the order of the items. A panic of the work goes on.
pub(crate) fn map<H: Sync, T: Send>(
    items: &[H],
    threads: usize,
    work: impl Fn(&H) -> T + Sync,
) -> Vec<T> {
    let threads = threads.clamp(1, items.len().max(1));
    match ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(|| items.par_iter().with_max_len(1).map(&work).collect()),
        // The system gives no more threads.
        Err(_) => items.iter().map(work).collect(),
    }
}
