//! The table of processes that a launcher keeps for debuggers (MPIR Process Acquisition Interface).

use std::collections::HashMap;

use super::{JobError, Member, TableFault};
use mqd_inspect::process::{ReadError, Target};

/// No job has more processes than this; a larger number is taken for garbage.
const MOST_PROCESSES: i64 = 1 << 24;

/// No host runs more ranks of a job than this; a table that says so is taken for garbage.
const MOST_ON_A_HOST: usize = 1 << 16;

/// The number of entries that are read at once.
const CHUNK: i64 = 4096;

/// The most strings that are remembered while the table is read.
const MOST_TEXTS: usize = 1 << 16;

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
    let unreadable = |error: ReadError| JobError::Damaged { pid, why: error.into() };
    let table = symbol("MPIR_proctable")?;
    let size = symbol("MPIR_proctable_size")?;
    let size = target.read_int(size.address).map_err(unreadable)?;
    let first = target.read_pointer(table.address).map_err(unreadable)?;
    if size == 0 || first == 0 {
        return Err(JobError::Empty { pid });
    }
    if !(0..=MOST_PROCESSES).contains(&size) {
        return Err(JobError::Damaged { pid, why: TableFault::Size(size) });
    }

    let layout = Layout::of(target, table.image);
    let mut table = Table { target, layout, texts: HashMap::new() };
    let mut members = Vec::new();
    let mut begin = 0;
    while begin < size {
        let count = (size - begin).min(CHUNK);
        let address = first.wrapping_add(begin as u64 * layout.size);
        let mut bytes = vec![0; (count as u64 * layout.size) as usize];
        target.read(address, &mut bytes).map_err(unreadable)?;
        for (rank, entry) in (begin..).zip(bytes.chunks_exact(layout.size as usize)) {
            let member = table.member(rank, entry).map_err(unreadable)?;
            // The place of a process that was spawned and has ended: others keep their ranks.
            if member.pid != 0 || !member.host.is_empty() || !member.executable.is_empty() {
                members.push(member);
            }
        }
        begin += count;
    }
    if members.is_empty() {
        return Err(JobError::Empty { pid });
    }
    plausible(&members).map_err(|why| JobError::Damaged { pid, why })?;
    Ok(members)
}

/// A process cannot have two ranks, and no host has more processes than [`MOST_ON_A_HOST`].
fn plausible(members: &[Member]) -> Result<(), TableFault> {
    let mut ranks = HashMap::new();
    let mut on_host: HashMap<&str, usize> = HashMap::new();
    for member in members {
        // Launchers put 0 for a process that they do not know (yet).
        let before = ranks.insert((member.host.as_str(), member.pid), member.rank);
        if let Some(before) = before.filter(|_| member.pid != 0) {
            let Member { rank, pid, host, .. } = member.clone();
            return Err(TableFault::TwoRanks { pid, host, first: before, second: rank });
        }
        let count = on_host.entry(&member.host).or_default();
        *count += 1;
        if *count > MOST_ON_A_HOST {
            let host = member.host.clone();
            return Err(TableFault::Crowded { host, most: MOST_ON_A_HOST });
        }
    }
    Ok(())
}

/// The table while it is read. Each string is read once, since the ranks of a host may share the
/// string with its name.
struct Table<'a> {
    target: &'a Target,
    layout: Layout,
    texts: HashMap<u64, String>,
}

impl Table<'_> {
    fn member(&mut self, rank: i64, entry: &[u8]) -> Result<Member, ReadError> {
        let Layout { host_name, executable_name, pid, .. } = self.layout;
        let arch = self.target.arch();
        let number = |offset: u64, size: u64| {
            let begin = offset as usize;
            entry.get(begin..begin + size as usize).map_or(0, |bytes| arch.unsigned(bytes))
        };
        let [host, executable] =
            [host_name, executable_name].map(|offset| number(offset, arch.pointer_size));
        // No process has a negative id, nor 0.
        let pid = u32::try_from(number(pid, arch.int_size) as i32).unwrap_or(0);
        let (host, executable) = (self.text(host)?, self.text(executable)?);
        Ok(Member { rank, host, executable, pid, spawned: None })
    }

    fn text(&mut self, address: u64) -> Result<String, ReadError> {
        if address == 0 {
            return Ok(String::new());
        }
        if let Some(text) = self.texts.get(&address) {
            return Ok(text.clone());
        }
        let text = self.target.read_c_string(address)?;
        if self.texts.len() < MOST_TEXTS {
            self.texts.insert(address, text.clone());
        }
        Ok(text)
    }
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
    /// From the launcher's debug information if it has any. Otherwise as C compilers lay out the
    /// structure.
    fn of(target: &Target, image: usize) -> Layout {
        Layout::from_types(target, image)
            .filter(Layout::is_plausible)
            .unwrap_or_else(|| Layout::standard(target.arch().pointer_size))
    }

    /// Are all members inside an entry, and is it of a size that a launcher may have?
    fn is_plausible(&self) -> bool {
        let last = [self.host_name, self.executable_name, self.pid].into_iter().max();
        (1..=4096).contains(&self.size) && last.is_some_and(|last| last < self.size)
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
