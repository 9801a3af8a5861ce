//! Reading a snapshot: frames by themselves, on all processors.

use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;

use super::alike;
use super::budget::{self, Budget};
use super::frame::{self, Frame, FrameError, Frames, Kind, SIGNATURE};
use super::{Damage, Entry, Head, MAJOR, OLDEST, SnapshotError};
use crate::{decode, parallel};
use mqd_inspect::files::{self, Mapped};
use mqd_inspect::process::{PAGE, Recording};
use mqd_report::{Problem, ProblemKind, Report};

/// Processes that a snapshot may have. A larger number is damage.
const MOST: u32 = 1 << 24;
/// How many threads begin with files. A disk or a network may take long for each, so there are more
/// threads than processors.
pub(super) const OF_FILES: usize = 16;

/// Does a file begin as a snapshot does?
pub fn is_snapshot(path: &Path) -> bool {
    let mut start = [0; SIGNATURE.len()];
    files::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start == SIGNATURE
}

/// Those of many files that are snapshots: those whose names end with `.mqd`, and others that begin
/// as a snapshot does.
pub fn only_snapshots(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let is_named_so = |file: &Path| file.extension().is_some_and(|ending| ending == "mqd");
    let is = |file: &PathBuf| is_named_so(file) || is_snapshot(file);
    let are = parallel::map(&files, OF_FILES, is);
    files.into_iter().zip(are).filter_map(|(file, is)| is.then_some(file)).collect()
}

/// A snapshot in a file.
#[derive(Debug)]
pub struct Snapshot {
    path: PathBuf,
    file: Mapped,
    frames: Vec<Frame>,
    head: Option<Head>,
    total: u32,
    damage: Vec<Damage>,
    budget: Budget,
    kept: Mutex<Kept>,
}

/// A frame that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the frame at byte {at}: {why}")]
pub struct LostFrame {
    /// Where it begins in the file, or would begin.
    at: usize,
    /// What is wrong with it.
    why: FrameError,
}

/// Contents of frames that are likely to be needed again.
#[derive(Debug, Default)]
struct Kept {
    /// The last frame of processes, by its place in the file.
    block: Option<(usize, Arc<Vec<Entry>>)>,
    /// Frames of pages.
    pages: HashMap<usize, Arc<Vec<u8>>>,
}

impl AsRef<Snapshot> for Snapshot {
    fn as_ref(&self) -> &Snapshot {
        self
    }
}

impl Snapshot {
    /// Opens a snapshot. A damaged one can be opened if anything of it is intact.
    ///
    /// # Errors
    /// It cannot be read, is not a snapshot, has a newer major version, or has no intact frame.
    pub fn open(path: &Path) -> Result<Snapshot, SnapshotError> {
        let bad = |source| SnapshotError::File { path: path.to_owned(), source };
        let file = files::open(path).and_then(|file| files::copy_or_map(&file)).map_err(bad)?;
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
                what: "the version cannot be read".to_owned(),
            }),
        }
        let Frames { frames, damage: more, processes, .. } = frame::frames(&file, MOST);
        damage.extend(more);
        let total = u32::try_from(processes).ok().filter(|total| (1..=MOST).contains(total));
        let Some(total) = total else {
            let nothing = || Damage {
                at: file.len(),
                what: "the file ends before its first process".to_owned(),
            };
            let what = damage.into_iter().next().unwrap_or_else(nothing);
            return Err(SnapshotError::Damaged { path: path.to_owned(), what });
        };
        let budget = Budget::new(file.len());
        let mut snapshot = Snapshot {
            path: path.to_owned(),
            file,
            frames,
            head: None,
            total,
            damage,
            budget,
            kept: Mutex::default(),
        };
        let head = snapshot.frames.iter().find(|frame| frame.kind == Kind::Head);
        match head.map(|head| (head.at, snapshot.decode(head))) {
            Some((_, Ok(head))) => snapshot.head = Some(head),
            Some((at, Err(why))) => snapshot.damage.push(Damage { at, what: why.to_string() }),
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

    /// How many processes were captured, including those that the file has lost.
    pub fn processes(&self) -> usize {
        self.total as usize
    }

    /// What is wrong with the file as far as it is known without reading the processes.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// All processes with their numbers. One that the file has lost is there with an error that
    /// says so. If too many in a row are lost for the budget of memory, one entry stands for all.
    pub fn entries(&self) -> Vec<(usize, Entry)> {
        let mut entries = Vec::new();
        each(
            &[self],
            |_| true,
            |_, number, entry| {
                entries.extend(entry.map(|entry| (number, entry)));
            },
        );
        entries
    }

    /// The frames with processes, in the order of these.
    fn blocks(&self) -> Vec<&Frame> {
        let mut blocks: Vec<_> = self.frames.iter().filter(|frame| frame.has_processes()).collect();
        blocks.sort_by_key(|block| block.first);
        blocks
    }

    /// Entries that stand in for processes that are lost.
    fn stand_ins(
        &self,
        missing: Range<usize>,
        why: Option<LostFrame>,
    ) -> impl Iterator<Item = (usize, Entry)> + use<> {
        /// An entry with its texts, in bytes.
        const EACH: u64 = 2048;
        let lost = (!missing.is_empty()).then(|| self.lost(missing.clone(), why));
        let place = self.file.len() + missing.start;
        let each = self.budget.charge(place, EACH * missing.len() as u64).is_ok();
        let numbers = missing.take(if each { usize::MAX } else { 1 });
        numbers.filter_map(move |number| Some((number, lost.clone()?)))
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
    fn lost(&self, missing: Range<usize>, why: Option<LostFrame>) -> Entry {
        let error = format!(
            "the snapshot {} is damaged, and process {} of {} is lost: {}",
            self.path.display(),
            match missing.len() {
                1 => missing.start.to_string(),
                _ => format!("{} to {}", missing.start, missing.end - 1),
            },
            self.total,
            why.map_or_else(|| self.first_damage(), |why| why.to_string())
        );
        let captured = self.head.as_ref().map_or(0, |head| head.captured);
        Entry::lost(captured, self.damaged(error))
    }

    /// A process.
    pub fn entry(&self, process: usize) -> Entry {
        let covers = |frame: &&Frame| {
            let first = frame.first as usize;
            frame.has_processes() && (first..first + frame.count as usize).contains(&process)
        };
        let found = self.frames.iter().find(covers).and_then(|frame| {
            let kept = self.kept().block.clone().filter(|(at, _)| *at == frame.at);
            let entries = match kept {
                Some((_, entries)) => entries,
                None => {
                    let entries = self.block(frame, |_| true).ok()?.into_iter().flatten();
                    let entries = Arc::new(entries.collect::<Vec<Entry>>());
                    self.kept().block = Some((frame.at, Arc::clone(&entries)));
                    entries
                }
            };
            entries.get(process - frame.first as usize).cloned()
        });
        // All entries are read, to find out what happened to this one.
        found.unwrap_or_else(|| {
            let mut entries = self.entries();
            match entries.binary_search_by_key(&process, |(number, _)| *number) {
                Ok(index) => entries.swap_remove(index).1,
                Err(_) => self.lost(process..process + 1, None),
            }
        })
    }

    /// What a process was asked; None if the snapshot has only its report.
    ///
    /// # Errors
    /// The file has lost pages of it.
    pub fn recording(&self, process: usize) -> Result<Option<Recording>, SnapshotError> {
        let Entry { recording, pages, .. } = self.entry(process);
        let Some(mut recording) = recording else { return Ok(None) };
        for (number, index) in pages {
            recording.pages.insert(number, ByteBuf::from(self.page(index)?));
        }
        Ok(Some(*recording))
    }

    fn page(&self, index: u32) -> Result<Vec<u8>, SnapshotError> {
        let lost = |at, why| {
            let why = LostFrame { at, why };
            SnapshotError::Lost { path: self.path.clone(), why }
        };
        let covers = |frame: &&Frame| {
            frame.kind == Kind::Pages
                && (frame.first..frame.first.saturating_add(frame.count)).contains(&index)
        };
        let frame = self
            .frames
            .iter()
            .find(covers)
            .ok_or_else(|| lost(self.file.len(), FrameError::Missing))?;
        let kept = self.kept().pages.get(&frame.at).cloned();
        let pages = match kept {
            Some(pages) => pages,
            None => {
                let content = self.content(frame).map_err(|why| lost(frame.at, why))?;
                let pages = Arc::new(content);
                self.kept().pages.insert(frame.at, Arc::clone(&pages));
                pages
            }
        };
        let start = (index - frame.first) as usize * PAGE as usize;
        let page = pages.get(start..start + PAGE as usize).map(<[u8]>::to_vec);
        page.ok_or_else(|| lost(frame.at, FrameError::Short))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn content(&self, frame: &Frame) -> Result<Vec<u8>, FrameError> {
        self.budget.charge(frame.at, frame.length())?;
        frame.content(&self.file)
    }

    fn decode<T: DeserializeOwned>(&self, frame: &Frame) -> Result<T, FrameError> {
        let content = self.content(frame)?;
        self.budget.charge(frame.at, frame.length() + budget::decoded(&content))?;
        Ok(decode::from_slice(&content)?)
    }

    /// Each frame with processes that are alike: how many, and its content ([`of_content`]).
    ///
    /// [`of_content`]: super::of_content
    pub fn contents(&self) -> impl Iterator<Item = (u32, Vec<u8>)> {
        let frames = self.frames.iter().filter(|frame| frame.kind == Kind::Alike);
        frames.filter_map(|frame| Some((frame.count, self.content(frame).ok()?)))
    }

    /// The processes of a frame. `None` stands for those that are not wanted by their rank.
    fn block(
        &self,
        frame: &Frame,
        is_wanted: impl Fn(Option<i64>) -> bool,
    ) -> Result<Vec<Option<Entry>>, LostFrame> {
        self.processes_of(frame, is_wanted).map_err(|why| LostFrame { at: frame.at, why })
    }

    fn processes_of(
        &self,
        frame: &Frame,
        is_wanted: impl Fn(Option<i64>) -> bool,
    ) -> Result<Vec<Option<Entry>>, FrameError> {
        let mut entries: Vec<Option<Entry>> = match frame.kind {
            Kind::Alike => {
                let charge = |needed: u64| self.budget.charge(frame.at, frame.length() + needed);
                alike::unpack(&self.content(frame)?, charge, is_wanted)?
            }
            _ => {
                let entries: Vec<Entry> = self.decode(frame)?;
                // The templates of the others are checked when they are unpacked.
                if !entries.iter().all(has_possible_groups) {
                    return Err(FrameError::Group);
                }
                let wanted = |entry: Entry| is_wanted(entry.process.rank).then_some(entry);
                entries.into_iter().map(wanted).collect()
            }
        };
        for (_, index) in entries.iter_mut().flatten().flat_map(|entry| &mut entry.pages) {
            *index = index.saturating_add(frame.pages_before);
        }
        if entries.len() != frame.count as usize {
            return Err(FrameError::Count { found: entries.len(), expected: frame.count });
        }
        Ok(entries)
    }

    /// The report as it was when the processes were captured.
    pub fn report(&self) -> Report {
        Report::new(self.entries().into_iter().map(|(_, entry)| entry.process).collect())
    }
}

/// Are the communicators of a process not larger than a job can be?
pub(super) fn has_possible_groups(entry: &Entry) -> bool {
    let known = entry.process.communicators.iter();
    let mut groups = known.flat_map(|known| [&known.group, &known.remote_group]).flatten();
    groups.all(|group| group.len() <= MOST.into())
}

/// How many frames with processes each processor decodes ahead of the visit.
const AHEAD: usize = 8;

/// Visits the processes of snapshots: the index of the snapshot, and the number of the process and
/// its entry, as in [`Snapshot::entries`]. `None` stands for one that is not wanted by its rank.
/// Frames are decoded on all processors, a few of them before they are visited. So the memory that
/// this takes is that of what `visit` keeps.
pub fn each<S: AsRef<Snapshot> + Sync>(
    snapshots: &[S],
    is_wanted: impl Fn(Option<i64>) -> bool + Sync,
    mut visit: impl FnMut(usize, usize, Option<Entry>),
) {
    let mut visited: Vec<Visited<'_>> =
        snapshots.iter().map(|one| Visited::new(one.as_ref())).collect();
    let blocks: Vec<(usize, &Frame)> = snapshots
        .iter()
        .enumerate()
        .flat_map(|(index, one)| one.as_ref().blocks().into_iter().map(move |block| (index, block)))
        .collect();
    let mut current = 0;
    let decode = |number: usize| {
        let (index, block) = blocks[number];
        snapshots[index].as_ref().block(block, &is_wanted)
    };
    let wanted = |entry: Entry| is_wanted(entry.process.rank).then_some(entry);
    in_order(blocks.len(), decode, |number, entries| {
        let (index, block) = blocks[number];
        for (index, one) in (current..).zip(&mut visited[current..index]) {
            one.end(|number, entry| visit(index, number, wanted(entry)));
        }
        current = index;
        visited[index].add(block, entries, wanted, |number, one| visit(index, number, one));
    });
    for (index, one) in (current..).zip(&mut visited[current..]) {
        one.end(|number, entry| visit(index, number, wanted(entry)));
    }
}

/// Does the work for all numbers below `count` on all processors, and visits the results in order
/// meanwhile.
fn in_order<T: Send>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    mut visit: impl FnMut(usize, T),
) {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count);
    if threads <= 1 {
        return (0..count).for_each(|number| visit(number, work(number)));
    }
    thread::scope(|scope| {
        // Each thread does every so many-th number.
        let start = |first: usize| {
            let (send, results) = sync_channel(AHEAD);
            let work = &work;
            scope.spawn(move || {
                let numbers = (first..count).step_by(threads);
                numbers.map(work).all(|result| send.send(result).is_ok())
            });
            results
        };
        let results: Vec<Receiver<T>> = (0..threads).map(start).collect();
        for number in 0..count {
            // A thread that has panicked sends nothing more. The scope panics then.
            let Ok(result) = results[number % threads].recv() else { break };
            visit(number, result);
        }
    });
}

/// How far the processes of a snapshot have been visited.
struct Visited<'s> {
    snapshot: &'s Snapshot,
    /// The number of the next process.
    next: usize,
    /// Why the processes before the next frame are lost.
    why: Option<LostFrame>,
}

impl Visited<'_> {
    fn new(snapshot: &Snapshot) -> Visited<'_> {
        Visited { snapshot, next: 0, why: None }
    }

    /// Visits the processes of the next frame, and those that are lost before it.
    fn add(
        &mut self,
        frame: &Frame,
        entries: Result<Vec<Option<Entry>>, LostFrame>,
        wanted: impl Fn(Entry) -> Option<Entry>,
        mut visit: impl FnMut(usize, Option<Entry>),
    ) {
        let (first, all) = (frame.first as usize, self.snapshot.processes());
        match entries {
            // A frame that occurs twice, or one too many.
            Ok(_) if first < self.next || first >= all => {}
            Ok(mut entries) => {
                entries.truncate(all - first);
                self.lost_up_to(first, |number, entry| visit(number, wanted(entry)));
                self.next = first + entries.len();
                (first..).zip(entries).for_each(|(number, entry)| visit(number, entry));
            }
            Err(error) => self.why = Some(error),
        }
    }

    /// Visits what is lost at the end.
    fn end(&mut self, visit: impl FnMut(usize, Entry)) {
        self.lost_up_to(self.snapshot.processes(), visit);
        self.next = self.snapshot.processes();
    }

    fn lost_up_to(&mut self, first: usize, mut visit: impl FnMut(usize, Entry)) {
        let lost = self.snapshot.stand_ins(self.next..first, self.why.take());
        lost.for_each(|(number, entry)| visit(number, entry));
    }
}
