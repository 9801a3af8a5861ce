//! The protocol's cursors (5.10) over a [`Snapshot`], and its structures as the interface has them.

use crate::error::{Code, Error, Result};
use crate::queues::{
    Communicator, Details, GroupId, Operation, Peer, ProcessName, Snapshot, StackHints, Waits,
};
use crate::text::{Text, cut, to_chars};
use mqs_abi::extensions::{
    COLLECTIVES, mqd_call, mqd_fifo, mqd_group_names, mqd_own_name, mqd_peer_names,
    mqd_process_name, mqd_stack_hints, mqd_traffic,
};
use mqs_abi::{
    MQS_TEXT_BYTES, MQS_TEXT_LINES, mqs_communicator, mqs_pending_operation, mqs_pending_receives,
    mqs_pending_sends, mqs_taddr_t, mqs_tword_t, mqs_unexpected_messages,
};
use std::ffi::{c_char, c_int};

/// What was read of a process, and where the debugger is in it. In all methods None is the end of a
/// list.
#[derive(Default)]
pub(crate) struct Cursor {
    snapshot: Option<Snapshot>,
    communicator: usize,
    /// The queue and the place in it, once `mqs_setup_operation_iterator` has been called.
    operation: Option<(c_int, usize)>,
    /// The place in the communicator's traffic, once `mqd_setup_traffic_iterator` has been called.
    traffic: Option<usize>,
    /// Has the debugger been told the names of the current communicator's processes?
    named: bool,
    /// The place in the queues in shared memory, once `mqd_setup_fifo_iterator` has been called.
    fifo: Option<usize>,
}

/// An answer that may be "not known".
pub(crate) enum Answer<T> {
    Here(T),
    End,
    NotKnown,
}

impl Cursor {
    /// Starts anew with this snapshot, or without one, which frees the memory of the old one.
    pub(crate) fn reset(&mut self, snapshot: Option<Snapshot>) {
        *self = Self { snapshot, ..Self::default() };
    }

    fn snapshot(&self) -> Result<&Snapshot> {
        self.snapshot.as_ref().ok_or(Error::new(Code::NotRead))
    }

    fn current(&self) -> Result<Option<(&Snapshot, &Communicator)>> {
        let snapshot = self.snapshot()?;
        Ok(snapshot
            .communicators
            .get(self.communicator)
            .map(|communicator| (snapshot, communicator)))
    }

    /// Goes to the first communicator.
    pub(crate) fn first_communicator(&mut self) -> Result<()> {
        self.snapshot()?;
        self.go_to(0);
        Ok(())
    }

    fn go_to(&mut self, communicator: usize) {
        (self.communicator, self.operation, self.traffic) = (communicator, None, None);
        self.named = false;
    }

    /// Goes to the next communicator.
    pub(crate) fn next_communicator(&mut self) -> Result<Option<()>> {
        let count = self.snapshot()?.communicators.len();
        self.go_to((self.communicator + 1).min(count));
        Ok((self.communicator < count).then_some(()))
    }

    /// The current communicator.
    pub(crate) fn communicator(&self) -> Result<Option<mqs_communicator>> {
        Ok(self.current()?.map(|(snapshot, communicator)| mqs_communicator {
            unique_id: communicator.unique_id as mqs_taddr_t,
            local_rank: communicator.local_rank as mqs_tword_t,
            size: group(snapshot, communicator).len() as mqs_tword_t,
            name: to_chars(snapshot.names.get(communicator.name)),
        }))
    }

    /// For each rank of the current communicator the rank in `MPI_COMM_WORLD`: as many as its size
    /// says.
    pub(crate) fn group(&self) -> Result<Option<impl Iterator<Item = i32> + '_>> {
        let current = self.current()?;
        Ok(current.map(|(all, one)| group(all, one).iter().map(|rank| shown(*rank))))
    }

    /// Shows the first `room` ranks in `MPI_COMM_WORLD` of an intercommunicator's remote group,
    /// with the index of each. The result is how many there are: none for an intracommunicator.
    pub(crate) fn remote_group(
        &self,
        room: usize,
        mut show: impl FnMut(usize, i32),
    ) -> Result<Answer<usize>> {
        let Some((snapshot, communicator)) = self.current()? else { return Ok(Answer::End) };
        let (Some(own), Some(others)) = (communicator.group, communicator.peers) else {
            return Ok(Answer::NotKnown);
        };
        let remote = if own == others { &[][..] } else { peers(snapshot, communicator) };
        remote.iter().take(room).enumerate().for_each(|(index, rank)| show(index, shown(*rank)));
        Ok(Answer::Here(remote.len()))
    }

    /// The id of the communicator that the current one is a part of. Of one of the program: not
    /// known.
    pub(crate) fn parent(&self) -> Result<Option<mqs_taddr_t>> {
        let parent = self.current()?.and_then(|(_, communicator)| communicator.parent);
        Ok(parent.map(|id| id as mqs_taddr_t))
    }

    /// Shows the first `room` processes by their names, with the index of each. The result is how
    /// many there are. Of a group without processes of other jobs: not known.
    pub(crate) fn names(
        &mut self,
        which: c_int,
        room: usize,
        mut show: impl FnMut(usize, mqd_process_name),
    ) -> Result<Answer<usize>> {
        let snapshot = self.snapshot()?;
        let Some(own) = snapshot.own_name else { return Ok(Answer::NotKnown) };
        let mut give = |index, name: ProcessName| {
            let (job, rank) = (name.job as mqs_taddr_t, name.rank as mqs_tword_t);
            show(index, mqd_process_name { job, rank });
        };
        if which == mqd_own_name {
            (0..room.min(1)).for_each(|index| give(index, own));
            return Ok(Answer::Here(1));
        }
        let Some((snapshot, communicator)) = self.current()? else { return Ok(Answer::End) };
        // Almost no process knows any: then no group is searched.
        let ranks = match which {
            _ if snapshot.strangers.is_empty() => return Ok(Answer::NotKnown),
            mqd_group_names => group(snapshot, communicator),
            mqd_peer_names => peers(snapshot, communicator),
            _ => return Ok(Answer::NotKnown),
        };
        let name = |rank: i32| match u64::try_from(rank) {
            Ok(rank) => Some(ProcessName { job: own.job, rank }),
            Err(_) => snapshot.stranger(rank),
        };
        let is_own = |rank: &i32| *rank >= 0;
        if ranks.iter().all(is_own) || ranks.iter().any(|rank| name(*rank).is_none()) {
            return Ok(Answer::NotKnown);
        }
        for (index, name) in ranks.iter().take(room).filter_map(|rank| name(*rank)).enumerate() {
            give(index, name);
        }
        let number = ranks.len();
        self.named = true;
        Ok(Answer::Here(number))
    }

    /// Goes to the start of a queue of the current communicator.
    pub(crate) fn first_operation(&mut self, queue: c_int) -> Result<Answer<()>> {
        if !matches!(queue, mqs_pending_sends | mqs_pending_receives | mqs_unexpected_messages) {
            return Err(Error::new(Code::NoSuchQueue));
        }
        let Some((snapshot, communicator)) = self.current()? else {
            self.operation = None;
            return Ok(Answer::End);
        };
        let hides_sends = snapshot.hides_sends || communicator.hides_sends;
        let is_hidden = queue == mqs_pending_sends && hides_sends;
        let lacks = match queue {
            mqs_pending_sends => snapshot.lacking.sends,
            mqs_pending_receives => snapshot.lacking.receives,
            _ => snapshot.lacking.unexpected,
        };
        let is_lost = lacks && queue_of(communicator, queue).is_empty();
        let is_known = !is_hidden && !is_lost;
        self.operation = is_known.then_some((queue, 0));
        Ok(if is_known { Answer::Here(()) } else { Answer::NotKnown })
    }

    /// Goes over the next operations of the queue, at most `room`, and calls `show` with the index
    /// of each among them. The result is their number.
    pub(crate) fn next_operations(
        &mut self,
        room: usize,
        mut show: impl FnMut(usize, &Operation, &Snapshot),
    ) -> Result<usize> {
        let Some((queue, index)) = self.operation else { return Ok(0) };
        let Some((snapshot, communicator)) = self.current()? else { return Ok(0) };
        let next = queue_of(communicator, queue).get(index..).unwrap_or_default();
        let number = next.len().min(room);
        next[..number]
            .iter()
            .enumerate()
            .for_each(|(place, operation)| show(place, operation, snapshot));
        self.operation = Some((queue, index + number));
        Ok(number)
    }

    /// Whether the process waits for the operation that was described last. None: not known.
    pub(crate) fn is_awaited(&self) -> Result<Option<bool>> {
        let current = self.current()?;
        let last = self.operation.and_then(|(queue, index)| Some((queue, index.checked_sub(1)?)));
        let Some(((_, communicator), (queue, index))) = current.zip(last) else { return Ok(None) };
        Ok(queue_of(communicator, queue).get(index).and_then(|operation| operation.awaited))
    }

    /// The call that the process waits in; the end if it waits in none.
    pub(crate) fn call(&self) -> Result<Answer<mqd_call>> {
        let snapshot = self.snapshot()?;
        Ok(match snapshot.waits {
            Waits::NotKnown => Answer::NotKnown,
            Waits::Nothing => Answer::End,
            Waits::Call(call) => Answer::Here(mqd_call {
                needed: call.needed.unwrap_or(-1) as mqs_tword_t,
                function: to_chars(snapshot.names.get(call.function)),
            }),
        })
    }

    /// What helps to understand the call stacks. None: nothing is known.
    pub(crate) fn stack_hints(&self) -> Result<Option<mqd_stack_hints>> {
        let StackHints { several_threads, progress } = self.snapshot()?.stack_hints;
        let threads = several_threads.map_or(-1, |several| if several { 2 } else { 1 });
        let is_known = several_threads.is_some() || !progress.is_empty();
        Ok(is_known.then(|| mqd_stack_hints { threads, progress: to_chars(progress.as_bytes()) }))
    }

    /// What the queues were read from and how, in lines for people. None: there are no more.
    pub(crate) fn source(&self, number: c_int) -> Result<Option<[c_char; MQS_TEXT_BYTES]>> {
        let sources = &self.snapshot()?.sources;
        let line = usize::try_from(number).ok().and_then(|number| sources.get(number));
        Ok(line.map(|line| to_chars(line.as_bytes())))
    }

    /// What the library does by itself: 0 to 2. None: not known.
    pub(crate) fn background(&self) -> Result<Option<c_int>> {
        Ok(self.snapshot()?.background.map(|background| background as c_int))
    }

    /// How often a collective operation was called on the current communicator, -1 if that is not
    /// known, and whether it is active.
    pub(crate) fn collective(&self, number: c_int) -> Result<Option<(c_int, c_int)>> {
        let Some((_, communicator)) = self.current()? else { return Ok(None) };
        let number = usize::try_from(number).ok().filter(|number| *number < COLLECTIVES.len());
        let Some((collectives, number)) = communicator.collectives.as_ref().zip(number) else {
            return Ok(None);
        };
        match collectives.known.iter().find(|collective| collective.number == number) {
            // The count of the interface is an int: one that has overflowed is not known.
            Some(found) => Ok(Some((
                found.calls.and_then(|calls| c_int::try_from(calls).ok()).unwrap_or(-1),
                found.active.into(),
            ))),
            None => Ok(collectives.is_complete.then_some((0, 0))),
        }
    }

    /// Goes to the start of the current communicator's traffic. None: it is not known.
    pub(crate) fn first_traffic(&mut self) -> Result<Option<()>> {
        let named = self.named;
        // Without names, nobody could find the counts of the process at the other end.
        let is_of_use = |(snapshot, communicator): &(&Snapshot, &Communicator)| {
            named || peers(snapshot, communicator).iter().all(|rank| *rank >= 0)
        };
        let current = self.current()?.filter(is_of_use);
        self.traffic =
            current.and_then(|(_, communicator)| communicator.traffic.as_ref()).map(|_| 0);
        Ok(self.traffic.map(|_| ()))
    }

    /// The next process that the current communicator had traffic with.
    pub(crate) fn next_traffic(&mut self) -> Result<Option<mqd_traffic>> {
        let Some((_, communicator)) = self.current()? else { return Ok(None) };
        let Some((traffic, index)) = communicator.traffic.as_ref().zip(self.traffic) else {
            return Ok(None);
        };
        let next = traffic.get(index).map(|traffic| mqd_traffic {
            local_rank: traffic.peer as mqs_tword_t,
            sent: traffic.sent as mqs_tword_t,
            received: traffic.received as mqs_tword_t,
        });
        if next.is_some() {
            self.traffic = Some(index + 1);
        }
        Ok(next)
    }

    /// Goes to the start of the queues in shared memory. None: they are not known.
    pub(crate) fn first_fifo(&mut self) -> Result<Option<()>> {
        self.fifo = self.snapshot()?.fifos.as_ref().map(|_| 0);
        Ok(self.fifo.map(|_| ()))
    }

    /// The next queue in shared memory.
    pub(crate) fn next_fifo(&mut self) -> Result<Option<mqd_fifo>> {
        let Some((fifos, index)) = self.snapshot()?.fifos.as_ref().zip(self.fifo) else {
            return Ok(None);
        };
        let next = fifos.get(index).map(|fifo| mqd_fifo {
            id: fifo.id as mqs_taddr_t,
            rank: fifo.reader.map_or(-1, mqs_tword_t::from),
            elements: fifo.elements as mqs_tword_t,
        });
        if next.is_some() {
            self.fifo = Some(index + 1);
        }
        Ok(next)
    }
}

fn queue_of(communicator: &Communicator, queue: c_int) -> &[Operation] {
    match queue {
        mqs_pending_sends => &communicator.sends,
        mqs_pending_receives => &communicator.receives,
        _ => &communicator.unexpected,
    }
}

fn group<'a>(snapshot: &'a Snapshot, communicator: &Communicator) -> &'a [i32] {
    ranks(snapshot, communicator.group)
}

/// The number of a process of a group as debuggers know it: all of other jobs are -1.
fn shown(global: i32) -> i32 {
    global.max(-1)
}

/// The processes that the ranks of a communicator's operations are ranks of.
fn peers<'a>(snapshot: &'a Snapshot, communicator: &Communicator) -> &'a [i32] {
    ranks(snapshot, communicator.peers)
}

/// The ranks of a group; none if it could not be read.
fn ranks(snapshot: &Snapshot, group: Option<GroupId>) -> &[i32] {
    group.and_then(|group| snapshot.groups.get(group.0)).map_or(&[], |ranks| ranks)
}

/// Describes an operation. `to` is all zeros, so that no bytes stand between the fields.
pub(crate) fn describe(operation: &Operation, snapshot: &Snapshot, to: &mut mqs_pending_operation) {
    let message = operation.message;
    let peer = message.map_or(Peer::ANY, |message| message.peer);
    to.status = operation.status.code();
    to.desired_local_rank = operation.desired.local.into();
    to.desired_global_rank = shown(operation.desired.global).into();
    to.tag_wild = operation.tag.is_none().into();
    to.desired_tag = operation.tag.unwrap_or(0).into();
    to.desired_length = operation.length as mqs_tword_t;
    to.system_buffer = operation.system_buffer.into();
    to.buffer = operation.buffer as mqs_taddr_t;
    to.actual_local_rank = peer.local.into();
    to.actual_global_rank = shown(peer.global).into();
    to.actual_tag = message.map_or(0, |message| message.tag).into();
    to.actual_length = message.map_or(0, |message| message.length) as mqs_tword_t;
    write_lines(&operation.details, snapshot, &mut to.extra_text);
}

/// The lines for people: the call, count and datatype, then the notes. A text that is too long for
/// a line goes on in the next one.
fn write_lines(
    details: &Details,
    snapshot: &Snapshot,
    lines: &mut [[c_char; MQS_TEXT_BYTES]; MQS_TEXT_LINES],
) {
    let mut free = lines.iter_mut();
    let mut write = |mut text: &[u8]| {
        while !text.is_empty() {
            let Some(line) = free.next() else { return };
            let part = cut(text, MQS_TEXT_BYTES - 1);
            *line = to_chars(part);
            text = &text[part.len()..];
        }
    };
    if let Some(call) = details.call {
        write(snapshot.names.get(call));
    }
    if let Some(elements) = details.elements {
        let mut text = Text::<192>::format(format_args!("{} x ", elements.count));
        match snapshot.names.get(elements.datatype.name) {
            b"" => text.append(
                Text::<64>::format(format_args!("a datatype of {} bytes", elements.datatype.size))
                    .as_bytes(),
            ),
            name => text.append(name),
        }
        write(text.as_bytes());
    }
    for note in details.notes {
        write(note.as_bytes());
    }
    if let Some((what, address)) = details.request {
        write(Text::<64>::format(format_args!("{what}{address:#x}")).as_bytes());
    }
}
