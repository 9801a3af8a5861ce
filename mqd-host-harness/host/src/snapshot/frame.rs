//! The file of a snapshot as a sequence of frames. Each is compressed and checked by itself, so
//! damage costs only the frame that has it.

use std::cell::RefCell;
use std::io::{self, Write};

use zstd::zstd_safe::{DCtx, get_error_name};

use super::MAJOR;
use super::budget::OverBudget;
use crate::decode::DecodeError;

thread_local! {
    /// What decompressing needs besides input and output: some hundred kilobytes.
    static CONTEXT: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// The beginning of a snapshot. The bytes that are not text reveal a transfer that took the file
/// for text.
pub const SIGNATURE: [u8; 8] = *b"\x89MQD\r\n\x1a\n";

/// Signature, major and minor version, checksum of these.
pub(super) const START: usize = 16;

/// The beginning of each frame.
const MARK: [u8; 4] = *b"frm\x9d";

/// The header of a frame.
const HEADER: usize = 36;

/// What a frame has in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// About the whole.
    Head,
    /// Pages of memory.
    Pages,
    /// Processes, each by itself, as before version 3.
    Processes,
    /// Processes, what they have in common once.
    Alike,
    /// The end of an agent's answer.
    Done,
    /// Something that a later minor version has added.
    Other,
}

const KINDS: [(Kind, [u8; 4]); 5] = [
    (Kind::Head, *b"HEAD"),
    (Kind::Pages, *b"PAGE"),
    (Kind::Processes, *b"PROC"),
    (Kind::Alike, *b"LIKE"),
    (Kind::Done, *b"DONE"),
];

/// A frame in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    /// The number of the first page or process in it. Those of the snapshots before it in the same
    /// file are counted.
    pub(super) first: u32,
    /// How many are in it.
    pub(super) count: u32,
    /// How many processes the whole snapshot has.
    pub(super) total: u32,
    /// How many pages the snapshots before it in the same file have.
    pub(super) pages_before: u32,
    /// Where its header is in the file.
    pub(super) at: usize,
    stored: u32,
    content: u32,
    checksum: u32,
}

/// Why a frame cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    /// The file ends before it does.
    #[error("it is cut off")]
    CutOff,
    /// Its bytes are not those that were written.
    #[error("its checksum is wrong")]
    Checksum,
    /// It is not a Zstandard frame.
    #[error("it cannot be decompressed: {0}")]
    Compression(#[from] io::Error),
    /// It holds less or more than its header says.
    #[error("it has {found} bytes instead of {expected}")]
    Length { found: usize, expected: u32 },
    /// It is not the MessagePack of what it should hold.
    #[error("its content is not valid: {0}")]
    Content(#[from] DecodeError),
    /// It holds less or more processes than its header says.
    #[error("it has {found} processes instead of {expected}")]
    Count { found: usize, expected: u32 },
    /// The numbers of its processes do not belong to them.
    #[error("it lacks numbers that its processes need")]
    Numbers,
    /// A communicator in it is impossible.
    #[error("a communicator has more processes than there can be")]
    Group,
    /// It would take too much memory.
    #[error(transparent)]
    Budget(#[from] OverBudget),
    /// It is in none of the frames that are whole.
    #[error("it is not in the file, or its header is damaged")]
    Missing,
    /// It ends within a page.
    #[error("it is too short")]
    Short,
}

/// A stretch of the file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where it begins.
    pub at: usize,
    /// What is wrong.
    pub what: String,
}

/// Writes the beginning of a file.
pub(super) fn write_start(out: &mut impl Write) -> io::Result<()> {
    let mut start = SIGNATURE.to_vec();
    start.extend(MAJOR.to_le_bytes());
    start.extend(super::MINOR.to_le_bytes());
    start.extend(crc32fast::hash(&start).to_le_bytes());
    out.write_all(&start)
}

/// Compresses and writes a frame.
pub(super) fn write(
    out: &mut impl Write,
    kind: Kind,
    (first, count, total): (u32, u32, u32),
    content: &[u8],
) -> io::Result<()> {
    /// Much smaller than with a lower level for the repetitive content of snapshots, and quick
    /// enough.
    const LEVEL: i32 = 9;
    let too_large = |_| {
        io::Error::new(io::ErrorKind::FileTooLarge, "a process of more than 4 GiB in a snapshot")
    };
    let stored = zstd::bulk::compress(content, LEVEL)?;
    let tag = KINDS.into_iter().find(|(known, _)| *known == kind).map_or(*b"????", |(_, tag)| tag);
    let mut header = [MARK, tag].concat();
    let lengths = [
        u32::try_from(stored.len()).map_err(too_large)?,
        u32::try_from(content.len()).map_err(too_large)?,
    ];
    for number in [first, count, total].into_iter().chain(lengths).chain([crc32fast::hash(&stored)])
    {
        header.extend(number.to_le_bytes());
    }
    header.extend(crc32fast::hash(&header).to_le_bytes());
    out.write_all(&header)?;
    out.write_all(&stored)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Major and minor version. None if these bytes are damaged.
pub(super) fn version(file: &[u8]) -> Option<(u16, u16)> {
    let sum = number(file, START - 4)?;
    let half = |at: usize| u16::from_le_bytes([file[at], file[at + 1]]);
    (crc32fast::hash(&file[..START - 4]) == sum).then(|| (half(8), half(10)))
}

impl Frame {
    /// Are there processes in it?
    pub(super) fn has_processes(&self) -> bool {
        matches!(self.kind, Kind::Processes | Kind::Alike)
    }

    fn parse(file: &[u8], at: usize) -> Option<Frame> {
        let header = file.get(at..at.checked_add(HEADER)?)?;
        if !header.starts_with(&MARK)
            || number(header, HEADER - 4)? != crc32fast::hash(&header[..HEADER - 4])
        {
            return None;
        }
        let kind = KINDS
            .into_iter()
            .find(|(_, tag)| *tag == header[4..8])
            .map_or(Kind::Other, |(kind, _)| kind);
        let field = |index: usize| number(header, 8 + 4 * index);
        Some(Frame {
            kind,
            first: field(0)?,
            count: field(1)?,
            total: field(2)?,
            pages_before: 0,
            at,
            stored: field(3)?,
            content: field(4)?,
            checksum: field(5)?,
        })
    }

    fn end(&self) -> usize {
        self.at + HEADER + self.stored as usize
    }

    /// The length of its content in bytes, as its header says.
    pub(super) fn length(&self) -> u64 {
        self.content.into()
    }

    /// What is in it.
    pub(super) fn content(&self, file: &[u8]) -> Result<Vec<u8>, FrameError> {
        let stored = file.get(self.at + HEADER..self.end()).ok_or(FrameError::CutOff)?;
        if crc32fast::hash(stored) != self.checksum {
            return Err(FrameError::Checksum);
        }
        let mut content = Vec::new();
        // The header may promise more than there is: the system gives pages when they are written.
        content.try_reserve_exact(self.content as usize).map_err(io::Error::other)?;
        let read = CONTEXT.with_borrow_mut(|context| context.decompress(&mut content, stored));
        read.map_err(|code| io::Error::other(get_error_name(code)))?;
        if content.len() != self.content as usize {
            return Err(FrameError::Length { found: content.len(), expected: self.content });
        }
        Ok(content)
    }
}

/// The frames of a file, and what is damaged.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Those whose headers are whole.
    pub(super) frames: Vec<Frame>,
    /// What lies between them.
    pub(super) damage: Vec<Damage>,
    /// How many processes the snapshots of the file have. 0: nothing says it.
    pub(super) processes: u64,
    /// The snapshot that is being read.
    part: Part,
}

/// One of the snapshots in a file.
#[derive(Debug, Default)]
struct Part {
    /// What the snapshots before it have.
    processes_before: u32,
    pages_before: u32,
    /// Its processes; `None` if no frame has told yet.
    processes: Option<u32>,
    /// The number after its last page.
    pages: u32,
    /// Whether it has a frame.
    begun: bool,
}

impl Frames {
    /// A file may hold several snapshots, for example the output of several processes. Each begins
    /// with a start or with a head.
    fn begin_part(&mut self) {
        let Part { processes_before, pages_before, processes, pages, .. } = self.part;
        self.part = Part {
            processes_before: processes_before.saturating_add(processes.unwrap_or(0)),
            pages_before: pages_before.saturating_add(pages),
            ..Part::default()
        };
    }

    fn add(&mut self, mut frame: Frame, most: u32) {
        if frame.kind == Kind::Head && self.part.begun {
            self.begin_part();
        }
        let part = &mut self.part;
        part.begun = true;
        if part.processes.is_none() && (1..=most).contains(&frame.total) {
            part.processes = Some(frame.total);
            self.processes += u64::from(frame.total);
        }
        frame.pages_before = part.pages_before;
        match frame.kind {
            Kind::Pages => {
                part.pages = part.pages.max(frame.first.saturating_add(frame.count));
                frame.first = frame.first.saturating_add(part.pages_before);
            }
            Kind::Processes | Kind::Alike => {
                frame.first = frame.first.saturating_add(part.processes_before)
            }
            _ => {}
        }
        self.frames.push(frame);
    }
}

/// The frames of a file. `most`: no snapshot has more processes.
pub(super) fn frames(file: &[u8], most: u32) -> Frames {
    let mut found = Frames::default();
    let mut at = START.min(file.len());
    while at < file.len() {
        match Frame::parse(file, at) {
            Some(frame) if frame.end() > file.len() => {
                // Another frame inside the rest means that bytes are missing in the middle.
                let next = find(file, at + 1);
                found.damage.push(Damage { at, what: cut_off(&frame) });
                at = next.unwrap_or(file.len());
            }
            Some(frame) => {
                at = frame.end();
                found.add(frame, most);
            }
            None if is_start(&file[at..]) => {
                found.begin_part();
                at += START;
            }
            None => {
                found.damage.push(Damage { at, what: "these bytes are not a frame".to_owned() });
                at = find(file, at + 1).unwrap_or(file.len());
            }
        }
    }
    found
}

/// Does a snapshot begin here?
pub(super) fn is_start(bytes: &[u8]) -> bool {
    bytes.len() >= START && bytes.starts_with(&SIGNATURE) && version(&bytes[..START]).is_some()
}

/// How many bytes the frame takes that begins here; `None` if these bytes are too few to tell.
///
/// # Errors
/// No frame begins here.
pub(super) fn extent(bytes: &[u8]) -> Result<Option<(Kind, usize)>, NoFrame> {
    if bytes.len() < HEADER {
        return Ok(None);
    }
    let frame = Frame::parse(bytes, 0).ok_or(NoFrame)?;
    Ok(Some((frame.kind, frame.end())))
}

/// No frame begins where one should.
#[derive(Debug, thiserror::Error)]
#[error("these bytes are not a frame")]
pub(super) struct NoFrame;

fn cut_off(frame: &Frame) -> String {
    format!(
        "the file ends within a frame, which would have {} bytes",
        HEADER + frame.stored as usize
    )
}

/// The next place where a frame begins.
fn find(file: &[u8], from: usize) -> Option<usize> {
    let marks = memchr::memmem::find_iter(&file[from..], &MARK);
    marks.map(|offset| from + offset).find(|at| Frame::parse(file, *at).is_some())
}
