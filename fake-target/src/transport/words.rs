//! Words of the job's segment that ranks take for objects of theirs, such as a shared file pointer.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Words of 64 bits that say which words are in use.
const SETS: usize = 6;

/// The words of a job. Zeros are a valid state: all are free.
#[repr(C)]
pub(crate) struct Words {
    used: [AtomicU64; SETS],
    words: [AtomicI64; SETS * 64],
}

impl Words {
    /// A free word, set to 0; none if all are in use.
    pub(crate) fn take(&self) -> Option<usize> {
        for (number, set) in self.used.iter().enumerate() {
            let mut used = set.load(Ordering::Acquire);
            while used != u64::MAX {
                let bit = (!used).trailing_zeros();
                match set.compare_exchange(
                    used,
                    used | 1 << bit,
                    Ordering::AcqRel,
                    Ordering::Acquire,
                ) {
                    Ok(_) => {
                        let word = number * 64 + bit as usize;
                        self.words[word].store(0, Ordering::Release);
                        return Some(word);
                    }
                    Err(now) => used = now,
                }
            }
        }
        None
    }

    /// The word with that number, which somebody has taken.
    pub(crate) fn get(&self, word: usize) -> &AtomicI64 {
        &self.words[word]
    }

    /// Frees a word.
    pub(crate) fn give_back(&self, word: usize) {
        self.used[word / 64].fetch_and(!(1 << (word % 64)), Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_once_and_again_after_they_are_given_back() {
        let words = Words {
            used: [const { AtomicU64::new(0) }; SETS],
            words: [const { AtomicI64::new(7) }; SETS * 64],
        };
        let taken: Vec<usize> = std::iter::from_fn(|| words.take()).collect();
        assert_eq!(taken, (0..SETS * 64).collect::<Vec<_>>());
        assert_eq!(words.get(5).load(Ordering::Relaxed), 0);
        words.get(70).store(3, Ordering::Relaxed);
        words.give_back(70);
        assert_eq!((words.take(), words.take()), (Some(70), None));
        assert_eq!(words.get(70).load(Ordering::Relaxed), 0);
    }
}
