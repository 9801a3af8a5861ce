//! The processes of a job, from the MPIR Process Acquisition Interface of its launcher.

use serde::{Deserialize, Serialize};

use crate::peek;
use crate::target::{ReadError, Target, TargetError};

/// No job has more processes than this; a larger number is taken for garbage.
const MOST_PROCESSES: i64 = 1 << 24;

/// A process in a launcher's table. Its place in the table is its rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: i64,
    /// The host it runs on, as the launcher names it.
    pub host: String,
    /// Its executable, as the launcher names it.
    pub executable: String,
    /// Its process id on that host.
    pub pid: u32,
}

/// The processes of a job could not be found.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The launcher itself cannot be opened.
    #[error("the launcher of the job: {0}")]
    Launcher(#[from] TargetError),
    /// The process is no launcher.
    #[error(
        "process {pid} ({program}) has no {symbol}, so it is not the launcher of an MPI job that tells debuggers about its processes: \
         give the process id of mpiexec (or mpirun, srun), or those of the ranks with --pid"
    )]
    NoTable {
        /// The process.
        pid: u32,
        /// Its executable.
        program: String,
        /// What it lacks.
        symbol: &'static str,
    },
    /// The launcher has not filled in its table.
    #[error(
        "the launcher {pid} has no processes in its table (yet): wait until it has started them all, or give their ids with --pid"
    )]
    Empty {
        /// The launcher.
        pid: u32,
    },
    /// The table cannot be read or makes no sense.
    #[error("the table of processes (MPIR_proctable) of launcher {pid}: {why}; give the ids of the ranks with --pid")]
    Damaged {
        /// The launcher.
        pid: u32,
        /// What is wrong.
        why: String,
    },
}

/// The processes of the job that process `launcher` has started, in the order of their ranks.
///
/// The launcher is stopped while its table is read, and runs on afterwards.
///
/// # Errors
/// It cannot be opened, or is no launcher, or has no table to read.
pub fn members(launcher: u32) -> Result<Vec<Member>, JobError> {
    read_table(&Target::attach(launcher)?, launcher)
}

fn read_table(target: &Target, pid: u32) -> Result<Vec<Member>, JobError> {
    let symbol = |symbol: &'static str| {
        target.find_symbol(symbol).ok_or_else(|| {
            let program = target.executable().map_or("unknown program".to_owned(), |path| path.display().to_string());
            JobError::NoTable { pid, program, symbol }
        })
    };
    let unreadable = |error: ReadError| JobError::Damaged { pid, why: error.to_string() };
    let table = symbol("MPIR_proctable")?;
    let size = symbol("MPIR_proctable_size")?;
    let size = peek::int(target, size.address).map_err(unreadable)?;
    let first = peek::pointer(target, table.address).map_err(unreadable)?;
    if size == 0 || first == 0 {
        return Err(JobError::Empty { pid });
    }
    if !(0..=MOST_PROCESSES).contains(&size) {
        return Err(JobError::Damaged { pid, why: format!("{size} is no number of processes") });
    }

    let layout = Layout::of(target, table.image);
    let member = |rank: i64| -> Result<Member, ReadError> {
        let entry = first.wrapping_add(rank as u64 * layout.size);
        let text = |offset| match peek::pointer(target, entry.wrapping_add(offset))? {
            0 => Ok(String::new()),
            address => peek::c_string(target, address),
        };
        let pid = peek::int(target, entry.wrapping_add(layout.pid))?;
        Ok(Member {
            rank,
            host: text(layout.host_name)?,
            executable: text(layout.executable_name)?,
            pid: u32::try_from(pid).unwrap_or(0),
        })
    };
    (0..size).map(|rank| member(rank).map_err(unreadable)).collect()
}

/// Where the members of a table entry are: `struct { char *host_name; char *executable_name; int pid; }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    host_name: u64,
    executable_name: u64,
    pid: u64,
    size: u64,
}

impl Layout {
    /// From the launcher's debug information if it has any, else as C compilers lay the structure out.
    fn of(target: &Target, image: usize) -> Layout {
        Layout::from_types(target, image).unwrap_or_else(|| Layout::standard(target.arch().pointer_size))
    }

    fn from_types(target: &Target, image: usize) -> Option<Layout> {
        let entry = target.find_type("MPIR_PROCDESC", Some(image))?;
        let offset = |field| target.field_offset(entry, field);
        Some(Layout {
            host_name: offset("host_name")?,
            executable_name: offset("executable_name")?,
            pid: offset("pid")?,
            size: target.size_of(entry)?,
        })
    }

    fn standard(pointer: u64) -> Layout {
        // An int is never wider than a pointer, so the padded structure is three pointers long.
        Layout { host_name: 0, executable_name: pointer, pid: 2 * pointer, size: 3 * pointer }
    }
}

/// Is this the name of the machine that we run on? Names with and without a domain are the same, and a launcher that gives none means this one.
pub fn is_this_host(name: &str) -> bool {
    let uname = rustix::system::uname();
    let ours = uname.nodename().to_string_lossy();
    names_host(name, &ours)
}

fn names_host(name: &str, ours: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    match name.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => name.is_empty() || short(name) == "localhost" || short(name) == short(ours),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_names() {
        for here in ["", "localhost", "localhost.localdomain", "127.0.0.1", "::1", "node7", "NODE7.cluster.example"] {
            assert!(names_host(here, "node7.example"), "{here}");
        }
        for elsewhere in ["node8", "10.0.0.7", "node70", "cluster.node7"] {
            assert!(!names_host(elsewhere, "node7.example"), "{elsewhere}");
        }
    }

    #[test]
    fn entries_without_debug_information() {
        assert_eq!(Layout::standard(8), Layout { host_name: 0, executable_name: 8, pid: 16, size: 24 });
        assert_eq!(Layout::standard(4), Layout { host_name: 0, executable_name: 4, pid: 8, size: 12 });
    }
}
