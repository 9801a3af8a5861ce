//! Launchers in namespaces of their own, as in a container: process ids, and names of hosts.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The processes of another PID namespace: their ids there, and here.
#[derive(Debug)]
pub(super) struct Namespace(HashMap<u32, u32>);

impl Namespace {
    /// The namespace of a process; `None` if it is ours.
    pub(super) fn of(pid: u32) -> Option<Namespace> {
        let theirs = other(pid, "pid")?;
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let inside = ids.filter(|id| namespace(*id, "pid").as_ref() == Some(&theirs));
        Some(Namespace(inside.filter_map(|id| Some((innermost(id)?, id))).collect()))
    }

    /// Our id of the process that has this id there.
    pub(super) fn ours(&self, pid: u32) -> Option<u32> {
        self.0.get(&pid).copied()
    }
}

/// Has a process a UTS namespace of its own? Then the machine may have another name there.
pub(super) fn has_own_host_name(pid: u32) -> bool {
    other(pid, "uts").is_some()
}

/// The namespace of a process; `None` if it is ours, or if that is not known.
fn other(pid: u32, kind: &str) -> Option<PathBuf> {
    let theirs = namespace(pid, kind)?;
    namespace(std::process::id(), kind).is_some_and(|ours| ours != theirs).then_some(theirs)
}

/// What identifies a namespace.
fn namespace(pid: u32, kind: &str) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/{kind}")).ok()
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
        assert!(!has_own_host_name(std::process::id()));
    }
}
