//! Parsers for the values of arguments.

use std::time::Duration;

use super::targets::SlurmStep;

pub(super) fn seconds_or_none(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or("a time is a number of seconds".to_owned())
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or("a time is a positive number of seconds".to_owned())
}

/// `90s`, `10m`, `1h 30m`; a number alone is seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    seconds(text)
        .ok()
        .or_else(|| humantime::parse_duration(text).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or("a time is such as 90s, 10m or 1h 30m".to_owned())
}

pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or("a positive number".to_owned())
}

pub(super) fn pid(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(pid) if pid > 0 => Ok(pid),
        _ => Err("a process id is a positive number".to_owned()),
    }
}

pub(super) fn slurm_step(text: &str) -> Result<SlurmStep, String> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (job, step) = match text.split_once('.') {
        Some((job, step)) => (job, Some(step)),
        None => (text, None),
    };
    if !is_number(job) || !step.is_none_or(is_number) {
        return Err("a job of Slurm is a number, and so is a step: 4711 or 4711.0".to_owned());
    }
    Ok(SlurmStep { job: job.to_owned(), step: step.map(str::to_owned) })
}
