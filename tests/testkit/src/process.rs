//! What the kernel says about a process (proc(5)).

use std::fs;

/// The state letter of a process, if it exists.
pub fn state(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything, parentheses too.
    stat.rsplit_once(") ")?.1.chars().next()
}
