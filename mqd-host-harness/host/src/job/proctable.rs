//! The table of processes that a launcher keeps for debuggers (MPIR Process Acquisition Interface).

use super::{JobError, Member};
use mqd_inspect::process::{ReadError, Target};

/// No job has more processes than this; a larger number is taken for garbage.
const MOST_PROCESSES: i64 = 1 << 24;

/// The processes in the table, in their order.
pub(super) fn read(target: &Target, pid: u32) -> Result<Vec<Member>, JobError> {
    let symbol = |symbol: &'static str| {
        target.find_symbol(symbol).ok_or_else(|| {
            let program = target
                .executable()
                .map_or("unknown program".to_owned(), |path| path.display().to_string());
            JobError::NoTable { pid, program, symbol }
        })
    };
    let unreadable = |error: ReadError| JobError::Damaged { pid, why: error.to_string() };
    let table = symbol("MPIR_proctable")?;
    let size = symbol("MPIR_proctable_size")?;
    let size = target.read_int(size.address).map_err(unreadable)?;
    let first = target.read_pointer(table.address).map_err(unreadable)?;
    if size == 0 || first == 0 {
        return Err(JobError::Empty { pid });
    }
    if !(0..=MOST_PROCESSES).contains(&size) {
        return Err(JobError::Damaged { pid, why: format!("{size} is no number of processes") });
    }

    let layout = Layout::of(target, table.image);
    let member = |rank: i64| -> Result<Member, ReadError> {
        let entry = first.wrapping_add(rank as u64 * layout.size);
        let text = |offset| match target.read_pointer(entry.wrapping_add(offset))? {
            0 => Ok(String::new()),
            address => target.read_c_string(address),
        };
        let pid = target.read_int(entry.wrapping_add(layout.pid))?;
        Ok(Member {
            rank,
            host: text(layout.host_name)?,
            executable: text(layout.executable_name)?,
            pid: u32::try_from(pid).unwrap_or(0),
        })
    };
    (0..size).map(|rank| member(rank).map_err(unreadable)).collect()
}

/// Where the members of a table entry are: `struct { char *host_name; char *executable_name; int
/// pid; }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    host_name: u64,
    executable_name: u64,
    pid: u64,
    size: u64,
}

impl Layout {
    /// From the launcher's debug information if it has any, else as C compilers lay the structure
    /// out.
    fn of(target: &Target, image: usize) -> Layout {
        Layout::from_types(target, image)
            .unwrap_or_else(|| Layout::standard(target.arch().pointer_size))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_without_debug_information() {
        assert_eq!(
            Layout::standard(8),
            Layout { host_name: 0, executable_name: 8, pid: 16, size: 24 }
        );
        assert_eq!(
            Layout::standard(4),
            Layout { host_name: 0, executable_name: 4, pid: 8, size: 12 }
        );
    }
}
