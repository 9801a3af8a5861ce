//! Process ids in the PID namespace of a launcher (a container), as ids of our own.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The processes of another PID namespace: their ids there, and here.
#[derive(Debug)]
pub(super) struct Namespace(HashMap<u32, u32>);

impl Namespace {
    /// The namespace of a process; `None` if it is ours.
    pub(super) fn of(pid: u32) -> Option<Namespace> {
        let theirs = namespace(pid)?;
        if Some(&theirs) == namespace(std::process::id()).as_ref() {
            return None;
        }
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let inside = ids.filter(|id| namespace(*id).as_ref() == Some(&theirs));
        Some(Namespace(inside.filter_map(|id| Some((innermost(id)?, id))).collect()))
    }

    /// Our id of the process that has this id there.
    pub(super) fn ours(&self, pid: u32) -> Option<u32> {
        self.0.get(&pid).copied()
    }
}

/// What identifies a namespace.
fn namespace(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/pid")).ok()
}

/// The id that a process has in its own namespace.
fn innermost(pid: u32) -> Option<u32> {
    let status =
        fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).ok()?;
    innermost_in(&status)
}

/// The same from the text of `status`: `NSpid` has an id for each namespace, ours first.
fn innermost_in(status: &str) -> Option<u32> {
    let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    ids.split_ascii_whitespace().next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_id_is_the_innermost() {
        assert_eq!(innermost_in("Name:\ta\nNSpid:\t4711\t12\t3\n"), Some(3));
        assert_eq!(innermost_in("NSpid:\t4711\n"), Some(4711));
        assert_eq!(innermost_in("Name:\ta\n"), None);
    }

    #[test]
    fn our_own_namespace_needs_no_translation() {
        assert!(Namespace::of(std::process::id()).is_none());
    }
}
