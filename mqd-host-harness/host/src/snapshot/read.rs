//! Reading a snapshot: frames by themselves, on all processors.

use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use memmap2::Mmap;
use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;

use super::frame::{self, Frame, Kind, SIGNATURE};
use super::{Damage, Entry, Head, MAJOR, OLDEST, SnapshotError};
use mqd_inspect::files;
use mqd_inspect::process::{PAGE, Recording};
use mqd_report::{Problem, ProblemKind, Report};

/// Processes that a snapshot may have. A larger number is damage.
const MOST: u32 = 1 << 24;

/// Does a file begin as a snapshot does?
pub fn is_snapshot(path: &Path) -> bool {
    let mut start = [0; SIGNATURE.len()];
    files::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start == SIGNATURE
}

/// A snapshot in a file.
#[derive(Debug)]
pub struct Snapshot {
    path: PathBuf,
    file: Mmap,
    frames: Vec<Frame>,
    head: Option<Head>,
    total: u32,
    damage: Vec<Damage>,
    kept: Mutex<Kept>,
}

/// Contents of frames that are likely to be needed again.
#[derive(Debug, Default)]
struct Kept {
    /// The last frame of processes, by its place in the file.
    block: Option<(usize, Arc<Vec<Entry>>)>,
    /// Frames of pages.
    pages: HashMap<usize, Arc<Vec<u8>>>,
}

impl Snapshot {
    /// Opens a snapshot, a damaged one too if anything of it is intact.
    ///
    /// # Errors
    /// It cannot be read, is none, is of a newer major version, or has no intact frame.
    pub fn open(path: &Path) -> Result<Snapshot, SnapshotError> {
        let bad = |source| SnapshotError::File { path: path.to_owned(), source };
        let file = files::open(path).and_then(|file| files::map(&file)).map_err(bad)?;
        if !file.starts_with(&SIGNATURE) {
            return Err(SnapshotError::NotASnapshot(path.to_owned()));
        }
        let mut damage = Vec::new();
        match frame::version(&file) {
            Some((major, minor)) if !(OLDEST..=MAJOR).contains(&major) => {
                return Err(SnapshotError::Newer { path: path.to_owned(), major, minor });
            }
            Some(_) => {}
            // Frames have checksums of their own.
            None => damage.push(Damage {
                at: SIGNATURE.len(),
                what: "the version is not to be read".to_owned(),
            }),
        }
        let (frames, more) = frame::frames(&file);
        damage.extend(more);
        let total = frames.iter().map(|frame| frame.total).find(|total| (1..=MOST).contains(total));
        let Some(total) = total else {
            let nothing = || Damage {
                at: file.len(),
                what: "the file ends before anything is said".to_owned(),
            };
            let what = damage.into_iter().next().unwrap_or_else(nothing);
            return Err(SnapshotError::Damaged { path: path.to_owned(), what });
        };
        let mut snapshot = Snapshot {
            path: path.to_owned(),
            file,
            frames,
            head: None,
            total,
            damage,
            kept: Mutex::default(),
        };
        let head = snapshot.frames.iter().find(|frame| frame.kind == Kind::Head);
        match head.map(|head| {
            (head.at, head.content(&snapshot.file).and_then(|content| decode(&content)))
        }) {
            Some((_, Ok(head))) => snapshot.head = Some(head),
            Some((at, Err(what))) => snapshot.damage.push(Damage { at, what }),
            None => {}
        }
        Ok(snapshot)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// About the whole; `None` if that part is damaged.
    pub fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// How many processes were captured, those that the file has lost included.
    pub fn processes(&self) -> usize {
        self.total as usize
    }

    /// What is wrong with the file as far as it is known without reading the processes.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// All processes. One that the file has lost is there with an error that says so.
    pub fn entries(&self) -> Vec<Entry> {
        let blocks: Vec<_> =
            self.frames.iter().filter(|frame| frame.kind == Kind::Processes).collect();
        let mut found: Vec<(u32, Result<Vec<Entry>, String>)> =
            on_all_processors(blocks.len(), |index| {
                let block = blocks[index];
                (block.first, self.block(block))
            });
        found.sort_by_key(|(first, _)| *first);
        let mut entries: Vec<Entry> = Vec::new();
        let mut why = None;
        for (first, block) in found {
            match block {
                // A frame that is there twice, or too much.
                Ok(_) if (first as usize) < entries.len() || first >= self.total => {}
                Ok(block) => {
                    self.fill(&mut entries, first as usize, why.take());
                    entries.extend(block);
                }
                Err(error) => why = Some(error),
            }
        }
        entries.truncate(self.processes());
        self.fill(&mut entries, self.processes(), why);
        entries
    }

    /// Stands in for what is lost before the process with a number.
    fn fill(&self, entries: &mut Vec<Entry>, until: usize, why: Option<String>) {
        let missing = entries.len()..until;
        if missing.is_empty() {
            return;
        }
        let lost = self.lost(missing, why);
        entries.resize(until, lost);
    }

    fn damaged(&self, text: String) -> Problem {
        Problem::new(ProblemKind::Damaged, text).about(self.path.to_string_lossy())
    }

    fn first_damage(&self) -> String {
        match self.damage.first() {
            Some(Damage { at, what }) => format!("from byte {at} on {what}"),
            None => "the file ends before it".to_owned(),
        }
    }

    /// Stands for processes that are lost.
    fn lost(&self, missing: Range<usize>, why: Option<String>) -> Entry {
        let error = format!(
            "the snapshot {} is damaged, and process {} of {} is lost: {}",
            self.path.display(),
            match missing.len() {
                1 => missing.start.to_string(),
                _ => format!("{} to {}", missing.start, missing.end - 1),
            },
            self.total,
            why.unwrap_or_else(|| self.first_damage())
        );
        let captured = self.head.as_ref().map_or(0, |head| head.captured);
        Entry::lost(captured, self.damaged(error))
    }

    /// A process.
    pub fn entry(&self, process: usize) -> Entry {
        let covers = |frame: &&Frame| {
            let first = frame.first as usize;
            frame.kind == Kind::Processes
                && (first..first + frame.count as usize).contains(&process)
        };
        let found = self.frames.iter().find(covers).and_then(|frame| {
            let kept = self.kept().block.clone().filter(|(at, _)| *at == frame.at);
            let entries = match kept {
                Some((_, entries)) => entries,
                None => {
                    let entries = Arc::new(self.block(frame).ok()?);
                    self.kept().block = Some((frame.at, Arc::clone(&entries)));
                    entries
                }
            };
            entries.get(process - frame.first as usize).cloned()
        });
        // The long way, to say what happened to it.
        found.unwrap_or_else(|| {
            self.entries()
                .into_iter()
                .nth(process)
                .unwrap_or_else(|| self.lost(process..process + 1, None))
        })
    }

    /// What a process was asked; None if there is only a report of it.
    ///
    /// # Errors
    /// The file has lost pages of it.
    pub fn recording(&self, process: usize) -> Result<Option<Recording>, Problem> {
        let Entry { recording, pages, .. } = self.entry(process);
        let Some(mut recording) = recording else { return Ok(None) };
        for (number, index) in pages {
            recording.pages.insert(number, ByteBuf::from(self.page(index)?));
        }
        Ok(Some(*recording))
    }

    fn page(&self, index: u32) -> Result<Vec<u8>, Problem> {
        let damaged = |what: String| {
            let path = self.path.display();
            self.damaged(format!(
                "the snapshot {path} is damaged, and memory of it is lost: {what}"
            ))
        };
        let covers = |frame: &&Frame| {
            frame.kind == Kind::Pages
                && (frame.first..frame.first.saturating_add(frame.count)).contains(&index)
        };
        let frame = self.frames.iter().find(covers).ok_or_else(|| damaged(self.first_damage()))?;
        let kept = self.kept().pages.get(&frame.at).cloned();
        let pages = match kept {
            Some(pages) => pages,
            None => {
                let content = frame
                    .content(&self.file)
                    .map_err(|what| damaged(format!("the frame at byte {}: {what}", frame.at)))?;
                let pages = Arc::new(content);
                self.kept().pages.insert(frame.at, Arc::clone(&pages));
                pages
            }
        };
        let start = (index - frame.first) as usize * PAGE as usize;
        let page = pages.get(start..start + PAGE as usize).map(<[u8]>::to_vec);
        page.ok_or_else(|| damaged(format!("the frame at byte {} is too short", frame.at)))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn block(&self, frame: &Frame) -> Result<Vec<Entry>, String> {
        let in_frame = |error: String| format!("the frame at byte {}: {error}", frame.at);
        let content = frame.content(&self.file).map_err(in_frame)?;
        let entries: Vec<Entry> = decode(&content).map_err(in_frame)?;
        if entries.len() != frame.count as usize {
            return Err(in_frame(format!(
                "it has {} processes instead of {}",
                entries.len(),
                frame.count
            )));
        }
        let groups = || {
            entries
                .iter()
                .flat_map(|entry| &entry.process.communicators)
                .filter_map(|known| known.group.as_ref())
        };
        if groups().any(|group| group.len() > MOST.into()) {
            return Err(in_frame("a communicator has more processes than there can be".to_owned()));
        }
        Ok(entries)
    }

    /// The report as it was when the processes were captured.
    pub fn report(&self) -> Report {
        Report::new(self.entries().into_iter().map(|entry| entry.process).collect())
    }
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    rmp_serde::from_slice(bytes).map_err(|error| format!("it is not what it should be: {error}"))
}

/// Does the work of all numbers below `count`, in any order.
fn on_all_processors<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count);
    let next = AtomicUsize::new(0);
    let share = || {
        let numbers = std::iter::from_fn(|| {
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < count)
        });
        numbers.map(&work).collect::<Vec<T>>()
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(share)).collect();
        let own = share();
        let others = workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default());
        own.into_iter().chain(others).collect()
    })
}
