//! Where the values of control variables are.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A whole number, or a value of an enumeration.
pub(crate) struct Int(AtomicI32);

impl Int {
    /// A variable with that value.
    pub(crate) const fn new(value: i32) -> Int {
        Int(AtomicI32::new(value))
    }

    /// Its value.
    #[inline]
    pub(crate) fn get(&self) -> i32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Its value, if its range excludes negative values.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.get() as usize
    }

    /// Changes it; the range has been checked.
    pub(crate) fn set(&self, value: i32) {
        self.0.store(value, Ordering::Relaxed);
    }
}

/// Yes or no.
pub(crate) struct Boolean(AtomicI32);

impl Boolean {
    /// A variable with that value.
    pub(crate) const fn new(value: bool) -> Boolean {
        Boolean(AtomicI32::new(value as i32))
    }

    /// Its value.
    #[inline]
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Changes it.
    pub(crate) fn set(&self, value: bool) {
        self.0.store(value.into(), Ordering::Relaxed);
    }
}

/// A real number.
pub(crate) struct Double(AtomicU64);

impl Double {
    /// A variable with that value.
    pub(crate) const fn new(value: f64) -> Double {
        Double(AtomicU64::new(value.to_bits()))
    }

    /// Its value.
    pub(crate) fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    /// Changes it; the range has been checked.
    pub(crate) fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }
}

/// Two whole numbers, the first not above the second.
pub(crate) struct Range(AtomicU64);

impl Range {
    /// A variable with these ends.
    pub(crate) const fn new(low: i32, high: i32) -> Range {
        Range(AtomicU64::new(Range::pack(low, high)))
    }

    const fn pack(low: i32, high: i32) -> u64 {
        (low as u32 as u64) | (high as u32 as u64) << 32
    }

    /// Both ends.
    pub(crate) fn get(&self) -> (i32, i32) {
        let both = self.0.load(Ordering::Relaxed);
        (both as u32 as i32, (both >> 32) as u32 as i32)
    }

    /// Changes both ends; they have been checked.
    pub(crate) fn set(&self, low: i32, high: i32) {
        self.0.store(Range::pack(low, high), Ordering::Relaxed);
    }

    /// Whether a size is within it; the largest int stands for no limit.
    pub(crate) fn contains(&self, size: usize) -> bool {
        let (low, high) = self.get();
        size >= low.max(0) as usize && (high == i32::MAX || size <= high.max(0) as usize)
    }
}

/// A text of less than [`Text::ROOM`] bytes.
pub(crate) struct Text {
    default: &'static str,
    value: Mutex<Option<String>>,
}

impl Text {
    /// Bytes of the value with its zero: the count of elements of such a variable.
    pub(crate) const ROOM: usize = 256;

    /// A variable with that value.
    pub(crate) const fn new(default: &'static str) -> Text {
        Text { default, value: Mutex::new(None) }
    }

    /// Its value.
    pub(crate) fn get(&self) -> String {
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        value.clone().unwrap_or_else(|| self.default.to_owned())
    }

    /// Changes it; the length has been checked.
    pub(crate) fn set(&self, value: String) {
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }
}
