//! Processes of a frame, what they have in common once.
//!
//! The numbers of an entry, such as its rank, the ranks of its peers and addresses, are kept apart.
//! What is left of it is its template. Most processes of a job have the same template, and an entry
//! is read by copying it. [`identity_numbers`], [`content_numbers`] and [`operation_numbers`] say
//! which numbers these are, and in which order.

use std::collections::HashMap;
use std::io;
use std::mem::{size_of, take};

use rmp::{decode::read_int, encode::write_sint};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::budget::{self, OverBudget};
use super::frame::FrameError;
use super::write::encode;
use super::{Entry, read};
use crate::decode;
use mqd_report::{Communicator, Operation, Queue};

/// The content of a frame.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    /// Entries without their numbers and operations, each in MessagePack.
    templates: Vec<ByteBuf>,
    /// Operations without their numbers.
    operations: Vec<Operation>,
    /// The template of each process.
    processes: Vec<u32>,
    /// How many operations all processes have.
    count: u64,
    /// The numbers of the processes, one after the other: integers of MessagePack.
    numbers: ByteBuf,
}

/// Processes that become a frame.
#[derive(Debug, Default)]
pub(super) struct Packed {
    content: Content,
    /// About how many bytes all templates have.
    bytes: usize,
    templates: HashMap<Vec<u8>, u32>,
    operations: HashMap<Operation, i64>,
}

impl Packed {
    /// Adds a process.
    pub(super) fn add(&mut self, mut entry: Entry) -> io::Result<()> {
        identity_numbers(&mut entry, self)
            .and_then(|()| content_numbers(&mut entry, self))
            .ok_or(io::ErrorKind::InvalidData)?;
        let template = encode(&entry)?;
        let templates = &mut self.content.templates;
        let next = templates.len() as u32;
        let number = match self.templates.get(&template) {
            Some(known) => *known,
            None => {
                self.bytes += template.len();
                templates.push(ByteBuf::from(template.as_slice()));
                // Recordings are large and differ.
                if entry.recording.is_none() {
                    self.templates.insert(template, next);
                }
                next
            }
        };
        self.content.processes.push(number);
        Ok(())
    }

    /// How many processes it has.
    pub(super) fn len(&self) -> u32 {
        self.content.processes.len() as u32
    }

    /// About how many bytes the content has.
    pub(super) fn size(&self) -> usize {
        self.bytes + self.content.numbers.len()
    }

    /// The content of the frame.
    pub(super) fn encode(&self) -> io::Result<Vec<u8>> {
        encode(&self.content)
    }
}

/// The processes of a frame. `charge` is told how much memory they take beside the content. The
/// operations of those that are not wanted by their rank are not copied. `None` stands for them.
pub(super) fn unpack(
    content: &[u8],
    charge: impl Fn(u64) -> Result<(), OverBudget>,
    is_wanted: impl Fn(Option<i64>) -> bool,
) -> Result<Vec<Option<Entry>>, FrameError> {
    let decoded = budget::decoded(content);
    charge(decoded)?;
    let Content { templates, operations, processes, count, numbers } = decode::from_slice(content)?;
    let mut uses = vec![0_u32; templates.len()];
    for number in &processes {
        *uses.get_mut(*number as usize).ok_or(FrameError::Numbers)? += 1;
    }
    let each = templates.iter().zip(&uses);
    let all: u64 = each.map(|(one, uses)| budget::copies(one, *uses)).fold(0, u64::saturating_add);
    charge(decoded.saturating_add(all).saturating_add(count.saturating_mul(OPERATION)))?;
    let templates = templates.iter().map(|one| decode::from_slice(one).map(Some));
    let mut templates = templates.collect::<Result<Vec<Option<Entry>>, _>>()?;
    for (template, uses) in templates.iter().flatten().zip(&uses) {
        if !read::has_possible_groups(template) {
            return Err(FrameError::Group);
        }
        if template.recording.is_some() && *uses > 1 {
            return Err(FrameError::Numbers);
        }
    }
    let lengths = operations.iter().map(|one| numbers_of(&mut one.clone())).collect();
    let numbers = &*numbers;
    let mut stored = Stored { operations: &operations, lengths, left: count, numbers, keeps: true };
    let entries = processes.iter().map(|number| {
        let (template, uses) = (&mut templates[*number as usize], &mut uses[*number as usize]);
        *uses -= 1;
        // Whatever is written to a template is written anew for the next process.
        let known = template.as_mut()?;
        identity_numbers(known, &mut stored)?;
        stored.keeps = is_wanted(known.process.rank);
        if !stored.keeps {
            content_numbers(known, &mut stored)?;
            return Some(None);
        }
        // The last one gets the template itself.
        let mut entry = if *uses == 0 { template.take() } else { template.clone() }?;
        content_numbers(&mut entry, &mut stored)?;
        Some(Some(entry))
    });
    let entries = entries.collect::<Option<Vec<_>>>().ok_or(FrameError::Numbers)?;
    let is_all = stored.numbers.is_empty() && stored.left == 0;
    if is_all { Ok(entries) } else { Err(FrameError::Numbers) }
}

/// What an operation takes, in bytes.
const OPERATION: u64 = size_of::<Operation>() as u64;

/// Numbers that are taken out of entries or put into them. `None` ends it.
trait Numbers {
    /// Takes a number out of an entry, or gives the one that belongs into it.
    fn exchange(&mut self, number: i64) -> Option<i64>;

    /// A number of an entry, which becomes zero when it is taken out.
    fn number(&mut self, number: &mut i64) -> Option<()> {
        *number = self.exchange(*number)?;
        Some(())
    }

    /// A number that may be missing.
    fn optional(&mut self, number: &mut Option<i64>) -> Option<()> {
        number.as_mut().map_or(Some(()), |number| self.number(number))
    }

    /// The number of a process or of a thread.
    fn id(&mut self, number: &mut u32) -> Option<()> {
        *number = u32::try_from(self.exchange((*number).into())?).ok()?;
        Some(())
    }

    /// An address, or another number that may have 64 bits.
    fn bits(&mut self, number: &mut u64) -> Option<()> {
        *number = self.exchange(number.cast_signed())?.cast_unsigned();
        Some(())
    }
}

/// Where numbers go.
impl Numbers for Vec<u8> {
    fn exchange(&mut self, number: i64) -> Option<i64> {
        write_sint(self, number).ok().map(|_| 0)
    }
}

/// Where numbers come from.
impl Numbers for &[u8] {
    #[inline]
    fn exchange(&mut self, _: i64) -> Option<i64> {
        // Most numbers are small, and take one byte.
        match *self {
            [small @ (..=0x7f | 0xe0..), rest @ ..] => {
                *self = rest;
                Some(small.cast_signed().into())
            }
            _ => read_int(self).ok(),
        }
    }
}

/// Counts numbers, and leaves them as they are.
impl Numbers for usize {
    fn exchange(&mut self, number: i64) -> Option<i64> {
        *self += 1;
        Some(number)
    }
}

/// How many numbers an operation has.
fn numbers_of(operation: &mut Operation) -> usize {
    let mut count = 0;
    let all = operation_numbers(operation, &mut count);
    debug_assert!(all.is_some(), "counting does not fail");
    count
}

/// Passes over numbers.
fn skip(numbers: &mut &[u8], count: usize) -> Option<()> {
    for _ in 0..count {
        let length = match *numbers.first()? {
            ..=0x7f | 0xe0.. => 1,
            0xcc | 0xd0 => 2,
            0xcd | 0xd1 => 3,
            0xce | 0xd2 => 5,
            0xcf | 0xd3 => 9,
            _ => return None,
        };
        *numbers = numbers.get(length..)?;
    }
    Some(())
}

/// What numbers and operations are taken out to or put in from.
trait Store {
    fn numbers(&mut self) -> &mut impl Numbers;

    /// Exchanges the operations of a queue.
    fn operations(&mut self, queue: &mut Vec<Operation>) -> Option<()>;
}

impl Store for Packed {
    fn numbers(&mut self) -> &mut impl Numbers {
        &mut *self.content.numbers
    }

    fn operations(&mut self, queue: &mut Vec<Operation>) -> Option<()> {
        let Content { operations, count, numbers, .. } = &mut self.content;
        numbers.exchange(queue.len() as i64)?;
        *count += queue.len() as u64;
        let mut own = Vec::new();
        for mut operation in take(queue) {
            operation_numbers(&mut operation, &mut own)?;
            let next = self.operations.len() as i64;
            let template = *self.operations.entry(operation).or_insert_with_key(|template| {
                operations.push(template.clone());
                self.bytes += size_of::<Operation>();
                next
            });
            numbers.exchange(template)?;
            numbers.append(&mut own);
        }
        Some(())
    }
}

/// What is stored of the processes of a frame.
struct Stored<'c> {
    operations: &'c [Operation],
    /// How many numbers each of these has.
    lengths: Vec<usize>,
    /// How many operations may follow.
    left: u64,
    numbers: &'c [u8],
    /// Whether operations are kept or passed over.
    keeps: bool,
}

impl Store for Stored<'_> {
    fn numbers(&mut self) -> &mut impl Numbers {
        &mut self.numbers
    }

    fn operations(&mut self, queue: &mut Vec<Operation>) -> Option<()> {
        let count = self.numbers.exchange(0)?.try_into().ok()?;
        self.left = self.left.checked_sub(count)?;
        if !self.keeps {
            for _ in 0..count {
                let template = usize::try_from(self.numbers.exchange(0)?).ok()?;
                skip(&mut self.numbers, *self.lengths.get(template)?)?;
            }
            return Some(());
        }
        queue.reserve_exact(usize::try_from(count).ok()?);
        for _ in 0..count {
            let template = usize::try_from(self.numbers.exchange(0)?).ok()?;
            queue.push(self.operations.get(template)?.clone());
            operation_numbers(queue.last_mut()?, &mut self.numbers)?;
        }
        Some(())
    }
}

/// The numbers of an entry that tell which process it is.
fn identity_numbers(entry: &mut Entry, store: &mut impl Store) -> Option<()> {
    let numbers = store.numbers();
    numbers.bits(&mut entry.captured)?;
    numbers.optional(&mut entry.process.rank)
}

/// The other numbers of an entry, and its operations.
fn content_numbers(entry: &mut Entry, store: &mut impl Store) -> Option<()> {
    let Entry { process, .. } = entry;
    let numbers = store.numbers();
    process.pid.as_mut().map_or(Some(()), |pid| numbers.id(pid))?;
    if let Some(activity) = &mut process.activity {
        numbers.optional(&mut activity.needed)?;
    }
    for stack in process.stacks.iter_mut().flatten() {
        numbers.id(&mut stack.thread)?;
        stack.frames.iter_mut().try_for_each(|frame| numbers.bits(&mut frame.address.0))?;
    }
    for fifo in process.fifos.iter_mut().flatten() {
        numbers.bits(&mut fifo.id.0)?;
        numbers.optional(&mut fifo.rank)?;
        numbers.number(&mut fifo.elements)?;
    }
    for communicator in &mut process.communicators {
        communicator_numbers(communicator, store.numbers())?;
        for queue in Queue::ALL {
            store.operations(communicator.queue_mut(queue))?;
        }
    }
    Some(())
}

fn communicator_numbers(communicator: &mut Communicator, numbers: &mut impl Numbers) -> Option<()> {
    numbers.bits(&mut communicator.unique_id.0)?;
    numbers.number(&mut communicator.local_rank)?;
    for collective in communicator.collectives.iter_mut().flatten() {
        numbers.optional(&mut collective.calls)?;
    }
    for traffic in communicator.traffic.iter_mut().flatten() {
        numbers.number(&mut traffic.local_rank)?;
        numbers.number(&mut traffic.sent)?;
        numbers.number(&mut traffic.received)?;
    }
    Some(())
}

fn operation_numbers(operation: &mut Operation, numbers: &mut impl Numbers) -> Option<()> {
    numbers.bits(&mut operation.buffer.0)?;
    numbers.number(&mut operation.desired_local_rank)?;
    numbers.optional(&mut operation.desired_global_rank)?;
    numbers.optional(&mut operation.desired_tag)?;
    numbers.number(&mut operation.desired_length)?;
    numbers.optional(&mut operation.actual_local_rank)?;
    numbers.optional(&mut operation.actual_global_rank)?;
    numbers.optional(&mut operation.actual_tag)?;
    numbers.optional(&mut operation.actual_length)
}

#[cfg(test)]
mod tests {
    use mqd_report::{
        Activity, Address, Collective, Extent, Fifo, Frame, Group, Process, Stack, Status, Traffic,
    };

    use super::*;

    fn operation(number: i64, is_open: bool) -> Operation {
        Operation {
            status: Status::Pending,
            desired_local_rank: number,
            desired_global_rank: Some(-1),
            tag_wild: is_open,
            desired_tag: (!is_open).then_some(i64::MAX - number),
            desired_length: number << 20,
            system_buffer: false,
            buffer: Address(u64::MAX - number as u64),
            actual_local_rank: (!is_open).then_some(number),
            actual_global_rank: None,
            actual_tag: (!is_open).then_some(i64::MIN),
            actual_length: (!is_open).then_some(0),
            awaited: Some(is_open),
            extra_text: ["MPI_Irecv"].into_iter().collect(),
        }
    }

    /// A process with a number of each kind. Ranks differ in their numbers and operations.
    fn entry(rank: i64) -> Entry {
        let frame = Frame { address: Address(1 << 63 | rank as u64), ..Frame::default() };
        let stack = Stack {
            thread: u32::MAX,
            in_mpi: None,
            complete: true,
            frames: vec![frame; 2],
            returns_to: None,
        };
        let operations = |count: i64| (0..count).map(|number| operation(number, number % 3 == 0));
        let communicator = Communicator {
            unique_id: Address(rank as u64),
            name: "halo".into(),
            size: 9,
            local_rank: rank,
            group: Some(Group::from_iter(0..9)),
            parent: None,
            remote_group: None,
            pending_sends: operations(rank).collect(),
            pending_receives: Vec::new(),
            unexpected_messages: operations(7).collect(),
            collectives: Some(vec![Collective {
                function: "MPI_Barrier".into(),
                calls: Some(rank),
                active: true,
            }]),
            traffic: Some(vec![Traffic { local_rank: rank, sent: 2 * rank, received: -1 }]),
            not_known: vec![Queue::Receives],
        };
        let process = Process {
            rank: Some(rank),
            pid: u32::try_from(100 + rank).ok(),
            activity: Some(Activity { needed: Some(rank), ..Activity::NONE }),
            stacks: Some(vec![stack]),
            fifos: Some(vec![Fifo { id: Address(7), rank: Some(rank), elements: rank }]),
            communicators: vec![communicator.clone(), communicator],
            ..Process::default()
        };
        Entry::report_only(5 + rank as u64, process, Extent::Complete)
    }

    fn packed(entries: impl Iterator<Item = Entry>) -> Packed {
        let mut packed = Packed::default();
        entries.for_each(|entry| packed.add(entry).expect("plain data"));
        packed
    }

    fn unpacked(content: &[u8]) -> Result<Vec<Entry>, FrameError> {
        let budget = budget::Budget::new(content.len());
        let entries = unpack(content, |needed| budget.charge(0, needed), |_| true)?;
        Ok(entries.into_iter().map(|entry| entry.expect("all are wanted")).collect())
    }

    #[test]
    fn entries_come_back_from_one_template() {
        let packed = packed((0..9).map(entry));
        assert_eq!((packed.content.templates.len(), packed.content.operations.len()), (1, 2));
        assert_eq!((packed.len(), packed.content.count), (9, 2 * (36 + 9 * 7)));
        let entries = unpacked(&packed.encode().expect("plain data")).expect("it was packed");
        assert_eq!(format!("{entries:?}"), format!("{:?}", (0..9).map(entry).collect::<Vec<_>>()));
    }

    #[test]
    fn those_that_are_not_wanted_are_passed_over() {
        let content = packed((0..9).map(entry)).encode().expect("plain data");
        let unpacked = |content: &[u8], wanted: &[i64]| {
            unpack(content, |_| Ok(()), |rank| rank.is_none_or(|rank| wanted.contains(&rank)))
        };
        for wanted in [&[][..], &[0], &[8], &[2, 3, 7]] {
            let entries = unpacked(&content, wanted).expect("it was packed");
            let expected = (0..9).map(|rank| wanted.contains(&rank).then(|| entry(rank)));
            assert_eq!(format!("{entries:?}"), format!("{:?}", expected.collect::<Vec<_>>()));
        }
        for at in 0..content.len() {
            assert!(unpacked(&content[..at], &[]).is_err(), "cut off at {at}");
        }
    }

    /// Wherever a byte is damaged, the content is refused or read as other processes.
    #[test]
    fn damage_is_survived() {
        let content = packed((0..3).map(entry)).encode().expect("plain data");
        let mut refused = 0;
        for at in 0..content.len() {
            for change in [1, 0x7f, 0x80, 0xff] {
                let mut damaged = content.clone();
                damaged[at] ^= change;
                refused += usize::from(unpacked(&damaged).is_err());
            }
            assert!(unpacked(&content[..at]).is_err(), "cut off at {at}");
        }
        assert!(refused > content.len(), "{refused}");
    }

    #[test]
    fn numbers_are_neither_missing_nor_too_many() {
        let whole = || packed((0..3).map(entry)).content;
        let refuses = |content: &Content| {
            let content = encode(content).expect("plain data");
            assert!(matches!(unpacked(&content), Err(FrameError::Numbers)));
        };
        let mut content = whole();
        content.numbers.push(0);
        refuses(&content);
        content.numbers.pop();
        content.numbers.pop();
        refuses(&content);
        for count in [whole().count - 1, whole().count + 1] {
            refuses(&Content { count, ..whole() });
        }
        refuses(&Content { processes: vec![0, 1, 0], ..whole() });
    }
}
