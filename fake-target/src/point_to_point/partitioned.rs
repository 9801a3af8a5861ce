//! Partitioned communication (MPI 5.0, chapter 4): persistent messages whose senders declare each
//! partition ready.
//!
//! A partition of the sender is a message of its own, in the communicator's hidden context. The two
//! sides may divide the data differently, so the sender tells the receiver its partitions in an
//! offer. Offers match receives by source and tag, in the order in which both were made.
//!
//! Debuggers see an active operation as one send or receive of the program. A send is pending until
//! all its partitions are ready, and then matched until the receiver has taken them.

use super::call::{CallPartner, Data};
use crate::abi::*;
use crate::arguments::{Out, array};
use crate::communicator::team::tag::OFFER;
use crate::datatype;
use crate::debug::queues::{OperationKind, OperationState};
use crate::engine::internal;
use crate::engine::look::look_for;
use crate::engine::payload::Payload;
use crate::engine::request::Request;
use crate::engine::task::{Course, Task};
use crate::engine::{self, Engine};
use crate::error::{Error, Result};
use crate::info;
use crate::request;
use crate::variables::counters::PARTITIONS_READY;
use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;

/// What a sender tells: the first of the tags of its partitions, the number of partitions, and the
/// bytes of each.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Offer {
    tag: u64,
    partitions: u64,
    bytes: u64,
}

impl Offer {
    fn payload(&mut self) -> Payload {
        Payload::bytes(std::ptr::from_mut(self).cast(), size_of::<Offer>())
    }
}

/// The data of one side in its partitions.
struct Partitions(Vec<Payload>);

impl Partitions {
    fn new(partitions: c_int, data: Data) -> Result<Partitions> {
        let partitions = usize::try_from(partitions)
            .map_err(|_| Error::new(MPI_ERR_ARG, format!("{partitions} partitions")))?;
        let step = data.count.wrapping_mul(datatype::resolve(data.datatype)?.extent());
        let part = |index: usize| {
            let offset = step.wrapping_mul(index as MPI_Count) as isize;
            Data { buffer: data.buffer.wrapping_byte_offset(offset), ..data }.payload()
        };
        (0..partitions).map(part).collect::<Result<_>>().map(Partitions)
    }

    /// Bytes of each.
    fn bytes(&self) -> usize {
        self.0.first().map_or(0, Payload::length)
    }

    /// The partition of an index; `MPI_ERR_ARG` if there is none.
    fn check(&self, index: c_int) -> Result<usize> {
        let count = self.0.len();
        let found = usize::try_from(index).ok().filter(|index| *index < count);
        found.ok_or_else(|| Error::outside(MPI_ERR_ARG, "partition", index, count))
    }
}

/// The send side.
struct Send {
    partitions: Partitions,
    /// None: to `MPI_PROC_NULL`.
    to: Option<internal::Partner>,
    offer: Box<Offer>,
    /// Which partitions are ready, and how many.
    ready: Vec<bool>,
    done: usize,
}

impl Task for Send {
    fn begin(&mut self) {
        self.ready.fill(false);
        self.done = 0;
    }

    fn advance(&mut self, _: &'static Engine, _: &'static Request) -> Course {
        if self.to.is_none() || self.done == self.ready.len() {
            Course::Over
        } else {
            Course::Waits
        }
    }
}

/// The receive side.
struct Receive {
    partitions: Partitions,
    /// None: from `MPI_PROC_NULL`.
    from: Option<internal::Partner>,
    tag: c_int,
    /// What the sender has told, once it has.
    offer: Box<Offer>,
    /// The messages of the sender's partitions, by the handles of their requests. The handle of a
    /// complete one is invalid.
    messages: Vec<usize>,
    /// Room for the messages, if they are not parts of this side's blocks.
    room: Vec<u8>,
    /// Which partitions have been copied out of the room.
    copied: Vec<bool>,
    started: bool,
}

impl Receive {
    /// Bytes that the sender sends.
    fn total(&self) -> usize {
        (self.offer.partitions * self.offer.bytes) as usize
    }

    /// Starts to receive what the sender's partitions bring.
    fn post(&mut self, engine: &'static Engine, request: &'static Request) {
        let Some(from) = self.from else { return };
        let (total, each) = (self.total(), self.offer.bytes as usize);
        let own = self.partitions.bytes();
        let same = each == own && self.offer.partitions as usize <= self.partitions.0.len();
        if total > own * self.partitions.0.len() {
            let message = format!(
                "the sender's partitions have {total} bytes, the buffer room for {}",
                own * self.partitions.0.len()
            );
            request.fail(Error::new(MPI_ERR_TRUNCATE, message));
        }
        if !same {
            self.room.resize(total, 0);
        }
        self.copied.fill(same);
        self.messages.clear();
        for index in 0..self.offer.partitions as usize {
            let payload = match same {
                true => self.partitions.0[index].clone(),
                false => Payload::bytes(self.room[index * each..].as_mut_ptr(), each),
            };
            let tag = self.offer.tag as c_int + index as c_int;
            self.messages.push(engine.receive_for(request, from, tag, payload));
        }
    }

    /// The sender's partitions that have data of a partition of this side.
    fn needed(&self, index: usize) -> Range<usize> {
        let (own, each) = (self.partitions.bytes(), self.offer.bytes as usize);
        if each == 0 {
            return 0..self.messages.len();
        }
        let range = index * own / each..((index + 1) * own).div_ceil(each);
        range.start.min(self.messages.len())..range.end.min(self.messages.len())
    }

    /// Whether the data of a partition are in the program's buffer. Puts them there if they have
    /// arrived.
    fn has(&mut self, engine: &Engine, index: usize) -> bool {
        let is_over = |message: &usize| engine.request(*message).is_none();
        if !self.messages[self.needed(index)].iter().all(is_over) {
            return false;
        }
        if !self.copied[index] {
            self.copied[index] = true;
            let own = self.partitions.bytes();
            let first = (index * own).min(self.room.len());
            let last = ((index + 1) * own).min(self.room.len());
            self.partitions.0[index].scatter(0, &self.room[first..last]);
        }
        true
    }
}

impl Task for Receive {
    fn begin(&mut self) {
        self.started = false;
        self.messages.clear();
    }

    fn advance(&mut self, engine: &'static Engine, request: &'static Request) -> Course {
        if !self.started {
            self.started = true;
            self.post(engine, request);
            return Course::Round;
        }
        for index in 0..self.partitions.0.len() {
            self.has(engine, index);
        }
        request.head.actual_source.set(request.head.peer.get());
        request.head.actual_tag.set(self.tag);
        request.head.actual_length.set(self.total() as i64);
        Course::Over
    }

    fn status(&self) -> MPI_Status {
        let mut status = MPI_Status::EMPTY;
        status.MPI_SOURCE = MPI_PROC_NULL;
        if let Some(from) = self.from {
            status.MPI_SOURCE = from.rank;
            status.MPI_TAG = self.tag;
            let room = self.partitions.bytes() * self.partitions.0.len();
            status.set_bytes(self.total().min(room) as MPI_Count);
        }
        status
    }
}

/// The hidden tag of offers for a tag of the program. It is negative, and no other message has a
/// negative tag.
fn offer_tag(tag: c_int) -> c_int {
    // The last two would be wildcards.
    if tag >= c_int::MAX - 1 { OFFER + (c_int::MAX - tag) } else { c_int::MIN + tag }
}

/// Makes a request that is not started yet. Its offer is sent, or awaited, at once. `data` are
/// those of one partition.
fn describe(
    partner: CallPartner,
    (call, kind): (&'static CStr, OperationKind),
    (partitions, data): (usize, Data),
    info: MPI_Info,
    make: impl FnOnce(Option<internal::Partner>) -> Box<dyn Task>,
    offer: impl FnOnce(&'static Engine, &'static Request, internal::Partner, c_int),
) -> Result<MPI_Request> {
    info::check_hints(info)?;
    let other = (!partner.is_nobody()).then(|| partner.communicator.partner(partner.rank));
    let count = datatype::times(data.count, partitions as MPI_Count)?;
    let operation = partner.operation(call, kind, Data { count, ..data }.payload()?);
    let engine = engine::enter();
    let made = engine.make_task(make(other), Some(operation.context));
    if other.is_some() {
        engine.describe_task(made, &operation);
    }
    made.persistent.set(true);
    if let Some(other) = other {
        offer(&engine, made, other, offer_tag(partner.tag));
    }
    Ok(MPI_Request(made.handle()))
}

/// `MPI_Psend_init`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn psend_init(
    buf: *const c_void,
    partitions: c_int,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: Out<MPI_Request>,
) -> Result {
    let partner = CallPartner::destination(dest, tag, comm)?;
    let data = Data::send(buf, count, datatype);
    let partitions = Partitions::new(partitions, data)?;
    let number = partitions.0.len();
    let first = partner.communicator.partition_tags(number as u32);
    let bytes = partitions.bytes() as u64;
    let offer = Box::new(Offer { tag: first as u64, partitions: number as u64, bytes });
    let ready = vec![false; number];
    let make = |to| -> Box<dyn Task> { Box::new(Send { partitions, to, offer, ready, done: 0 }) };
    let what = (c"MPI_Psend_init", OperationKind::SendStandard);
    let data = (number, data);
    request.set(describe(partner, what, data, info, make, |engine, made, to, tag| {
        let payload = made.with_task(|task: &mut Send| task.offer.payload());
        payload.into_iter().for_each(|payload| engine.send_for(made, to, tag, payload));
    })?);
    Ok(())
}

/// `MPI_Precv_init`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn precv_init(
    buf: *mut c_void,
    partitions: c_int,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: Out<MPI_Request>,
) -> Result {
    if source == MPI_ANY_SOURCE {
        return Err(Error::new(MPI_ERR_RANK, "the source is MPI_ANY_SOURCE"));
    }
    let partner = CallPartner::destination(source, tag, comm)?;
    let data = Data { buffer: buf, count, datatype };
    let partitions = Partitions::new(partitions, data)?;
    let data = (partitions.0.len(), data);
    let copied = vec![true; partitions.0.len()];
    let make = |from| -> Box<dyn Task> {
        let offer = Box::default();
        let (messages, room) = (Vec::new(), Vec::new());
        Box::new(Receive { partitions, from, tag, offer, messages, room, copied, started: false })
    };
    let what = (c"MPI_Precv_init", OperationKind::Receive);
    request.set(describe(partner, what, data, info, make, |engine, made, from, tag| {
        let payload = made.with_task(|task: &mut Receive| task.offer.payload());
        if let Some(payload) = payload {
            let _ = engine.receive_for(made, from, tag, payload);
        }
    })?);
    Ok(())
}

fn wrong(what: &str) -> Error {
    Error::new(MPI_ERR_REQUEST, format!("the request is {what}"))
}

/// The request of a partitioned operation.
fn find(engine: &'static Engine, handle: MPI_Request) -> Result<&'static Request> {
    request::find(engine, handle)?.ok_or_else(|| wrong("MPI_REQUEST_NULL"))
}

/// Partitions of an active send are ready.
fn make_ready(handle: MPI_Request, indices: impl Iterator<Item = c_int>) -> Result {
    let engine = engine::enter();
    let send = find(&engine, handle)?;
    for index in indices {
        let active = send.state() != OperationState::Inactive;
        let found = send.with_task(|task: &mut Send| {
            if !active {
                return Err(wrong("not active"));
            }
            let place = task.partitions.check(index)?;
            if std::mem::replace(&mut task.ready[place], true) {
                return Err(Error::new(
                    MPI_ERR_ARG,
                    format!("the partition {index} is ready already"),
                ));
            }
            PARTITIONS_READY.add(1);
            task.done += 1;
            if task.done == task.ready.len() {
                send.head.state.set(OperationState::Matched);
            }
            let tag = task.offer.tag as c_int + index;
            Ok(task.to.map(|to| (to, tag, task.partitions.0[place].clone())))
        });
        let message = found.unwrap_or_else(|| Err(wrong("no partitioned send")))?;
        if let Some((to, tag, payload)) = message {
            engine.send_for(send, to, tag, payload);
        }
    }
    engine.wake_task(send);
    Ok(())
}

/// `MPI_Pready`
pub(crate) fn pready(partition: c_int, request: MPI_Request) -> Result {
    make_ready(request, std::iter::once(partition))
}

/// `MPI_Pready_range`
pub(crate) fn pready_range(low: c_int, high: c_int, request: MPI_Request) -> Result {
    make_ready(request, low..=high)
}

/// `MPI_Pready_list`
pub(crate) fn pready_list(
    length: c_int,
    array_of_partitions: *const c_int,
    request: MPI_Request,
) -> Result {
    let length = request::length(length)?;
    make_ready(request, array(array_of_partitions, length, "array_of_partitions")?.iter().copied())
}

/// `MPI_Parrived`: nothing is missing of a null request (MPI 5.0, section 4.2.2).
pub(crate) fn parrived(request: MPI_Request, partition: c_int, flag: Out<c_int>) -> Result {
    if request == MPI_REQUEST_NULL {
        flag.set(1);
        return Ok(());
    }
    let receive = find(&engine::enter(), request)?;
    let mut result = Ok(false);
    look_for(|engine: &'static Engine| {
        let state = receive.state();
        result = receive
            .with_task(|task: &mut Receive| {
                let index = task.partitions.check(partition)?;
                let idle = task.from.is_none() || state != OperationState::Pending;
                Ok(idle || task.started && task.has(engine, index))
            })
            .unwrap_or_else(|| Err(wrong("no partitioned receive")));
        (!matches!(result, Ok(false))).then_some(())
    });
    flag.set(result?.into());
    Ok(())
}
