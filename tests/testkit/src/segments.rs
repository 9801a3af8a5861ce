//! Segments of shared memory with names. Ranks of MPICH and Intel MPI leave theirs if a signal ends
//! them.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// The directory of such segments.
const DIRECTORY: &str = "/dev/shm/";

/// Those that the processes of a job use. They are removed when this is dropped, which must be
/// after the end of the job.
#[derive(Debug, Default)]
pub struct Segments(BTreeSet<PathBuf>);

impl Segments {
    /// Those of the processes below a launcher, as they are now.
    pub fn of(launcher: u32) -> Segments {
        let mut segments = Segments::default();
        let mut next = vec![launcher];
        while let Some(pid) = next.pop() {
            let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
            let files = maps.lines().filter_map(|line| line.split_ascii_whitespace().nth(5));
            let files = files.filter(|file| file.starts_with(DIRECTORY));
            segments.0.extend(files.map(PathBuf::from));
            next.extend(children(pid));
        }
        segments
    }
}

impl Drop for Segments {
    fn drop(&mut self) {
        for segment in &self.0 {
            // Most libraries have removed theirs, or never gave them a name that lasts.
            let _ = fs::remove_file(segment);
        }
    }
}

/// The processes that a process has started.
fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let lists: Vec<String> = lists.collect();
    let numbers = lists.iter().flat_map(|list| list.split_ascii_whitespace());
    numbers.filter_map(|number| number.parse().ok()).collect()
}
