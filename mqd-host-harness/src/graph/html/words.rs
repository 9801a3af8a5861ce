//! Times and ages in words.

use std::time::{Duration, SystemTime};

use crate::changes::Age;

/// `2026-11-22 02:13:20 UTC`.
pub(crate) fn time_text(at: SystemTime) -> String {
    jiff::Timestamp::try_from(at)
        .map_or_else(|_| "at an unknown time".to_owned(), |at| at.strftime("%F %T UTC").to_string())
}

/// `2.5 s`, `4 min 10 s`.
pub(crate) fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..=9 => format!("{:.1} s", duration.as_secs_f64()),
        10..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// How long an operation has been seen.
pub(crate) fn age_text(age: &Age) -> String {
    match age {
        Age::AtLeast(age) => format!("at least {}", duration_text(*age)),
        Age::Since(age) => duration_text(*age),
        Age::AtMost(age) => format!("at most {}", duration_text(*age)),
        Age::NotKnown => "not known".to_owned(),
    }
}
