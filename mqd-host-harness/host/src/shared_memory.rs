//! The memory that processes share, and whether it stands still.
//!
//! The ranks of a machine may meet in memory that only their library understands. But as long as
//! nobody writes to it, nobody tells another one anything there.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use procfs::process::{
    MMPermissions, MMapPath, MemoryMap, MemoryPageFlags, PageInfo, PageMap, Process,
};

use mqd_inspect::files::without_mark;

/// The most memory that is watched, in bytes.
const MOST: u64 = 64 << 20;
/// The most addresses that are looked through for it, in bytes for each process.
const MOST_MAPPED: u64 = 16 << 30;
/// How many pages are asked for at a time.
const PAGES_AT_A_TIME: u64 = 1 << 16;
/// The time from one reading to the next.
const PAUSE: Duration = Duration::from_millis(10);
/// Fewer readings say nothing: memory that changes may have the same contents twice by chance.
const FEWEST: usize = 50;
/// Readings take long on a busy machine. Together they may take up to this many times as long.
const PATIENCE: u32 = 3;

/// What processes of this host share at a moment: the pages that they have touched.
pub struct SharedMemory {
    processes: Vec<Pages>,
}

/// What was in the memory.
pub struct Contents(Vec<u8>);

/// The pages of one process.
struct Pages {
    process: Process,
    memory: File,
    /// In order. Neighbours are one.
    ranges: Vec<Range<u64>>,
}

impl SharedMemory {
    /// That of these processes of this host. None: it cannot be read, some of it is that of a
    /// device, or it is too much.
    pub fn of(pids: impl IntoIterator<Item = u32>) -> Option<SharedMemory> {
        let mut left = MOST;
        let pages = |pid: u32| {
            let process = Process::new(i32::try_from(pid).ok()?).ok()?;
            let memory = process.mem().ok()?;
            let ranges = ranges(&process)?;
            let size: u64 = ranges.iter().map(|range| range.end - range.start).sum();
            left = left.checked_sub(size)?;
            Some(Pages { process, memory, ranges })
        };
        let processes = pids.into_iter().map(pages).collect::<Option<_>>()?;
        Some(SharedMemory { processes })
    }

    /// Waits for some time, or on a busy machine for up to three times as long. If nobody has
    /// written to the memory meanwhile, as far as repeated readings can tell, the result is what is
    /// in it.
    pub fn stands_still_for(&self, time: Duration) -> Option<Contents> {
        let begin = Instant::now();
        let (mut before, mut now) = (Vec::new(), Vec::new());
        let mut readings = 0;
        let is_over = |readings| {
            let time = if readings < FEWEST { time.saturating_mul(PATIENCE) } else { time };
            begin.elapsed() >= time
        };
        while !is_over(readings) {
            if self.read(&mut now).is_err() || (readings > 0 && now != before) {
                return None;
            }
            std::mem::swap(&mut before, &mut now);
            readings += 1;
            thread::sleep(PAUSE);
        }
        (readings >= FEWEST && self.has_these_pages()).then_some(Contents(before))
    }

    /// Does the memory still have these contents?
    pub fn still_has(&self, contents: &Contents) -> bool {
        let mut now = Vec::new();
        self.read(&mut now).is_ok() && now == contents.0 && self.has_these_pages()
    }

    /// Has no process touched other pages since?
    fn has_these_pages(&self) -> bool {
        let is_same = |pages: &Pages| ranges(&pages.process).as_ref() == Some(&pages.ranges);
        self.processes.iter().all(is_same)
    }

    /// Reads the contents.
    fn read(&self, contents: &mut Vec<u8>) -> io::Result<()> {
        let mut end = 0;
        for Pages { memory, ranges, .. } in &self.processes {
            for range in ranges {
                let begin = end;
                end += (range.end - range.start) as usize;
                if contents.len() < end {
                    contents.resize(end, 0);
                }
                memory.read_exact_at(&mut contents[begin..end], range.start)?;
            }
        }
        Ok(())
    }
}

/// The mappings of a process that it shares with others and may write to. None: one of them is of a
/// device.
pub(crate) fn mappings(process: &Process) -> Option<Vec<MemoryMap>> {
    let is_shared =
        |mapping: &MemoryMap| mapping.perms.contains(MMPermissions::WRITE | MMPermissions::SHARED);
    let shared: Vec<_> = process.maps().ok()?.into_iter().filter(is_shared).collect();
    let of_device = |mapping: &MemoryMap| match &mapping.pathname {
        MMapPath::Path(path) => is_device(path),
        _ => false,
    };
    (!shared.iter().any(of_device)).then_some(shared)
}

/// Is it a device, other than a terminal or what each process may have open?
pub(crate) fn is_device(path: &Path) -> bool {
    const HARMLESS: [&str; 9] =
        ["null", "zero", "full", "random", "urandom", "tty", "console", "pts", "shm"];
    path.strip_prefix("/dev").is_ok_and(|rest| {
        let first = rest.components().next().map(|part| part.as_os_str().as_encoded_bytes());
        // The kernel marks files without a name, as that of memory which is shared by `fork`.
        let first = first.map(without_mark);
        !HARMLESS.iter().any(|name| first == Some(name.as_bytes()))
    })
}

/// The pages that a process shares and has touched. Only touched pages are read. Reading the others
/// would create them.
fn ranges(process: &Process) -> Option<Vec<Range<u64>>> {
    let page = procfs::page_size();
    let mut table = process.pagemap().ok()?;
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let mut left = MOST_MAPPED;
    for mapping in mappings(process)? {
        let (begin, end) = mapping.address;
        left = left.checked_sub(end - begin)?;
        let mut first = begin / page;
        while first < end / page {
            let next = (first + PAGES_AT_A_TIME).min(end / page);
            for number in touched(&mut table, first..next)? {
                let (begin, end) = (number * page, (number + 1) * page);
                match ranges.last_mut().filter(|last| last.end == begin) {
                    Some(last) => last.end = end,
                    None => ranges.push(begin..end),
                }
            }
            first = next;
        }
    }
    Some(ranges)
}

/// Those of these pages that a process has touched.
fn touched(table: &mut PageMap, pages: Range<u64>) -> Option<Vec<u64>> {
    let range = usize::try_from(pages.start).ok()?..=usize::try_from(pages.end - 1).ok()?;
    let infos = table.get_range_info(range).ok()?;
    let is_touched = |info: &PageInfo| match info {
        PageInfo::MemoryPage(flags) => flags.contains(MemoryPageFlags::PRESENT),
        PageInfo::SwapPage(_) => true,
    };
    let pages = pages.zip(&infos).filter(|(_, info)| is_touched(info));
    Some(pages.map(|(page, _)| page).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    /// Shares three pages and writes to those that are asked for.
    const WRITER: &str = "import mmap, sys
memory = mmap.mmap(-1, 3 << 12)
for number, line in enumerate(sys.stdin):
    memory[int(line) << 12] = number + 1
    print(flush=True)";

    #[test]
    fn pages_that_are_written_to() {
        let mut child = Command::new("python3")
            .args(["-c", WRITER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (pid, mut input) = (child.id(), child.stdin.take().unwrap());
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let mut touch = |page: u32| {
            writeln!(input, "{page}").unwrap();
            answers.read_line(&mut String::new()).unwrap();
        };
        let time = PAUSE * 3 * FEWEST as u32;
        touch(1);
        let shared = SharedMemory::of([pid]).unwrap();
        let size = |range: &Range<u64>| range.end - range.start;
        assert_eq!(shared.processes[0].ranges.iter().map(size).sum::<u64>(), procfs::page_size());
        let contents = shared.stands_still_for(time).unwrap();
        assert!(shared.still_has(&contents));
        touch(1);
        assert!(!shared.still_has(&contents));
        // The same page, and one that was not touched before.
        for page in [1, 0] {
            let shared = SharedMemory::of([pid]).unwrap();
            thread::scope(|scope| {
                let watching = scope.spawn(|| shared.stands_still_for(time));
                thread::sleep(PAUSE * 10);
                touch(page);
                assert!(watching.join().unwrap().is_none());
            });
        }
        drop(input);
        child.wait().unwrap();
    }
}
