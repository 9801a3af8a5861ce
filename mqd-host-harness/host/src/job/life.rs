//! Whether a process is still the one that it was.

use std::fs;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// The fields of a process in `/proc/PID/stat` from its state on, which is the 3rd (proc(5)).
fn fields(pid: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before the state may contain anything, including parentheses.
    Some(stat.rsplit_once(") ")?.1.split(' ').map(str::to_owned).collect())
}

/// The state of a process of this machine as `ps` shows it: `R` runs, `S` sleeps, `D` waits for a
/// device, `T` is stopped, `t` is traced, `Z` has ended. `None` if there is no such process.
pub fn state(pid: u32) -> Option<char> {
    fields(pid)?.first()?.chars().next()
}

/// When a process of this machine began, in clock ticks since boot. `None` if there is no such
/// process or it has ended. Another process with the same id has begun at another time.
pub fn birth(pid: u32) -> Option<u64> {
    let fields = fields(pid)?;
    let ended = matches!(fields.first()?.as_str(), "Z" | "X");
    // starttime is the 22nd.
    if ended { None } else { fields.get(19)?.parse().ok() }
}

/// For how long a process of this machine has been running. `None` if it has ended.
pub(super) fn age(pid: u32) -> Option<Duration> {
    let now = clock_gettime(ClockId::Boottime);
    let now = Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32);
    let begun = Duration::from_millis(birth(pid)? * 1000 / clock_ticks_per_second());
    Some(now.saturating_sub(begun))
}

/// The parent of a process of this machine.
pub(super) fn parent(pid: u32) -> Option<u32> {
    fields(pid)?.get(1)?.parse().ok().filter(|parent| *parent > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_and_none() {
        let own = std::process::id();
        assert!(birth(own).is_some());
        // The main thread may wait for this one.
        assert!(matches!(state(own), Some('R' | 'S')));
        assert_eq!(birth(own), birth(own));
        // A child begins later than its parent, and has ended once it is waited for.
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        assert!(birth(child.id()) >= birth(own));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!((birth(child.id()), age(child.id())), (None, None));
        assert!(age(own) < age(1));
    }
}
