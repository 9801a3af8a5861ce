//! Sends, receives and unexpected messages of the PML ucx, which leaves them to UCX.
//!
//! UCX keeps a tag of 64 bits with each of them. From its low bits up it holds the communicator (20
//! bits), the sender's rank there (20 bits) and the tag of MPI (24 bits, signed). The receiver of a
//! send is known by its endpoint, which is also in Open MPI's process objects. UCX keeps only the
//! number of bytes of an operation, not its count and datatype. Persistent requests have all three.

use super::layout::{self, Layout, mpi, request};
use super::library::{Library, PML_UCX};
use super::objects::{ClassCheck, check_class};
use super::pass::{Keeps, Pass, Placed, impossible, narrow, size};
use crate::alloc::{AddressMap, insert, push};
use crate::debugger::Image;
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Field, Int, Pointer, Record, Structure, Unsigned};
use crate::memory::Memory;
use crate::queues::{Details, Elements, Message, Operation, Peer, Status};
use crate::runtimes::Told;
use crate::runtimes::values::on_communicator;
use crate::transports::ucx::{Request, RequestKind, Requests, UcxMessage, Worker};
use mqs_abi::notes;

/// The function of blocking sends. Their requests are in its frames.
const SEND: &str = "mca_pml_ucx_send";
/// Bytes of the module that are searched: its context and worker and its list of persistent
/// requests are in the first kilobyte.
const MODULE_BYTES: usize = 1024;
/// The class of persistent requests.
const PERSISTENT: &str = "mca_pml_ucx_persistent_request_t";
/// The place of the PML's endpoint among the endpoints of a process.
const ENDPOINT: u64 = 3;

/// A tag of UCX, taken apart.
#[derive(Clone, Copy)]
struct Tag(u64);

impl Tag {
    const RANK_SHIFT: u32 = 20;
    const TAG_SHIFT: u32 = 40;
    const FIELD: u64 = 0xf_ffff;
    /// The bits of a tag of MPI, without its sign.
    const TAG_MASK: u64 = 0x7f_ffff << Self::TAG_SHIFT;
    const RANK_MASK: u64 = Self::FIELD << Self::RANK_SHIFT;

    fn communicator(self) -> u64 {
        self.0 & Self::FIELD
    }

    fn source(self) -> i64 {
        (self.0 >> Self::RANK_SHIFT & Self::FIELD).cast_signed()
    }

    fn tag(self) -> i64 {
        self.0.cast_signed() >> Self::TAG_SHIFT
    }
}

/// The offsets of the fields of a persistent request. The structure begins with a request. Its size
/// tells whether it has the datatype of MPI.
#[derive(Clone, Copy)]
struct PersistentFields {
    bytes: usize,
    temporary: Field<Pointer>,
    flags: Field<Unsigned<4>>,
    buffer: Field<Pointer>,
    count: Field<Pointer>,
    datatype: Option<Field<Pointer>>,
    tag: Field<Unsigned<8>>,
    mode: Field<Int>,
    endpoint: Field<Pointer>,
    mask: Field<Unsigned<8>>,
}

impl PersistentFields {
    const IS_SEND: u64 = 1;

    /// The two known structures: without and with the datatype of MPI.
    fn known(request: usize) -> [Self; 2] {
        [false, true].map(|has_datatype| {
            const WORD: usize = size_of::<u64>();
            let at = |word: usize| request + word * WORD;
            let rest = 5 + usize::from(has_datatype);
            Self {
                bytes: at(rest + 4),
                temporary: Field::at(at(0)),
                flags: Field::at(at(1)),
                buffer: Field::at(at(2)),
                count: Field::at(at(3)),
                datatype: has_datatype.then_some(Field::at(at(5))),
                tag: Field::at(at(rest)),
                mode: Field::at(at(rest + 1)),
                endpoint: Field::at(at(rest + 2)),
                mask: Field::at(at(rest + 3)),
            }
        })
    }
}

/// A started persistent request.
#[derive(Clone, Copy)]
struct Persistent {
    completion: u64,
    elements: Option<Elements>,
}

/// What the operations of a pass have in common.
struct Ucx {
    /// Communicators by their number in tags: their index in the pass.
    communicators: AddressMap<usize>,
    /// The processes by endpoint, as groups name them.
    endpoints: AddressMap<i32>,
    /// Persistent requests by the request that carries them out.
    persistent: AddressMap<Persistent>,
    /// Persistent buffered sends that are complete.
    buffered: Vec<(Request, Option<Elements>)>,
}

impl Ucx {
    /// The communicator of a tag. None: the library's own message on one that is gone.
    fn communicator(&self, tag: Tag) -> Result<Option<usize>> {
        let found = self.communicators.get(&tag.communicator()).copied();
        on_communicator(found, tag.tag() < 0)
    }
}

/// Finds UCX's worker in the PML's module.
pub(super) fn worker(library: &Library, memory: &mut Memory<'_>) -> Result<Worker> {
    let module = module(library)?;
    let data = memory.record(module, MODULE_BYTES)?;
    let target = memory.target;
    Worker::find(memory, &library.image, [&*data], |word| target.may_be_object(word))
}

fn module(library: &Library) -> Result<u64> {
    library.pml_ucx.ok_or(Error::on(Code::NoSymbol, "ompi_pml_ucx"))
}

/// Finds the list of persistent requests in the PML's module: where it is, and its fields.
fn persistent_requests(
    library: &Library,
    layout: &Layout,
    memory: &mut Memory<'_>,
) -> Result<(u64, PersistentFields)> {
    let module = module(library)?;
    let data = memory.record(module, MODULE_BYTES)?;
    let list = layout.free_list;
    let requests = layout.request.bytes();
    for place in (0..MODULE_BYTES.saturating_sub(list.bytes())).step_by(memory.target.pointer) {
        let record = Record { bytes: &data[place..], target: memory.target };
        let (size, alignment) =
            (record.get(list.fl_frag_size)?, record.get(list.fl_frag_alignment)?);
        // Most places are not a list at all. They are skipped early.
        if !(requests as u64..MODULE_BYTES as u64).contains(&size) || !alignment.is_power_of_two() {
            continue;
        }
        let class = record.get(list.fl_frag_class)?;
        for fields in PersistentFields::known(requests) {
            let check = check_class(memory, layout, class, PERSISTENT, fields.bytes);
            if let Some(ClassCheck::Fits) = check.or_unreadable()? {
                return Ok((module.wrapping_add(place as u64), fields));
            }
        }
    }
    Err(Error::on(Code::OtherBuild, PERSISTENT))
}

/// The function in whose frames the requests of blocking sends are, if this PML is loaded.
pub(crate) fn send_function(image: &Image) -> Result<Option<&'static str>> {
    Ok(image.symbol(PML_UCX)?.map(|_| SEND))
}

impl Pass<'_, '_> {
    /// Reads all queues of the PML ucx.
    pub(super) fn ucx_queues(&mut self, told: Told) -> Result<()> {
        let worker = worker(self.library, self.memory)?;
        push(&mut self.snapshot.sources, worker.source)?;
        if let Some(transports) = worker.transports(self.memory)? {
            push(&mut self.snapshot.sources, transports)?;
        }
        let mut ucx = Ucx {
            communicators: AddressMap::default(),
            endpoints: AddressMap::default(),
            persistent: AddressMap::default(),
            buffered: Vec::new(),
        };
        for (index, found) in self.found.iter().enumerate() {
            insert(&mut ucx.communicators, found.place, index)?;
        }
        let result = self.ucx_endpoints(&mut ucx);
        self.optional(result)?;
        self.snapshot.fifos = worker.fifos(self.memory, &ucx.endpoints)?;
        let result = self.ucx_persistent(&mut ucx);
        self.keep(result)?;

        let mut requests = Requests::default();
        let fields = self.layout.request;
        let words = [fields.req_complete, fields.req_complete_cb_data];
        let result = worker.pool_requests(self.memory, words, &mut requests);
        self.keep(result)?;
        let posted = worker.posted_receives(self.memory, &mut requests);
        let all_posted = posted.is_ok();
        self.keep(posted)?;
        let result = self.ucx_stack(told, &ucx, &worker, &mut requests);
        self.keep(result)?;
        self.note_ucx_sends(&requests)?;
        for request in &requests.all {
            let result = self.ucx_request(&ucx, request, all_posted);
            let result = result.map_err(|error| error.within("ucp_request_t", request.user));
            self.keep(result)?;
        }
        self.ucx_buffered(&mut ucx, &requests.all)?;
        let mut messages = Vec::new();
        let result = worker.unexpected_messages(self.memory, &mut messages);
        self.keep(result)?;
        for (place, message) in messages.iter().enumerate() {
            let result = self.ucx_message(&ucx, place as u64, message);
            self.keep(result.map_err(|error| error.within("ucp_recv_desc_t", 0)))?;
        }
        let offloads = worker.offloads(self.memory)?;
        self.note_offload(offloads)
    }

    /// Finds the endpoints of all processes that the communicators name.
    fn ucx_endpoints(&mut self, ucx: &mut Ucx) -> Result<()> {
        let unseen = Error::on(Code::NotSeen, "the receivers of sends, because a type is missing");
        let endpoints = self.layout.proc_endpoints.ok_or(unseen)?;
        let place = endpoints + ENDPOINT * self.memory.target.pointer as u64;
        for (process, rank) in &self.world_ranks {
            // An odd pointer stands for a process that nothing was sent to. It has no endpoint.
            if process.is_multiple_of(2) {
                let endpoint = self.memory.pointer(process.wrapping_add(place));
                let endpoint =
                    endpoint.map_err(|error| error.within(layout::Proc::NAME, *process))?;
                insert(&mut ucx.endpoints, endpoint, *rank)?;
            }
        }
        Ok(())
    }

    /// Reads the persistent requests. Those that have completed are operations by themselves; the
    /// others are carried out by a request of UCX.
    fn ucx_persistent(&mut self, ucx: &mut Ucx) -> Result<()> {
        let (list, fields) = persistent_requests(self.library, self.layout, self.memory)?;
        let request = self.layout.request;
        self.free_list(list, fields.bytes, |pass, _, record| {
            if record.get(request.req_state)? != request::ACTIVE {
                return Ok(());
            }
            let count = size(record.get(fields.count)?, "count")?;
            let elements = match fields.datatype {
                Some(field) => {
                    let datatype = pass.datatype(record.get(field)?);
                    pass.optional(datatype)?.map(|datatype| Elements { count, datatype })
                }
                None => None,
            };
            let completion = record.get(request.req_complete)?;
            let temporary = record.get(fields.temporary)?;
            if completion != request::COMPLETED && temporary != 0 {
                let persistent = Persistent { completion, elements };
                return insert(&mut ucx.persistent, temporary, persistent);
            }
            let request = pass.ucx_completed_persistent(&fields, record, elements)?;
            let is_send = matches!(request.kind, RequestKind::Send { .. });
            if is_send && record.get(fields.mode)? == layout::mode::BUFFERED {
                return push(&mut ucx.buffered, (request, elements));
            }
            pass.ucx_operation(ucx, &request, elements, "persistent request")
        })
    }

    /// Persistent buffered sends. They are complete at once, because the data are copied. A request
    /// of its own sends the copy, and is the operation while it is pending.
    fn ucx_buffered(&mut self, ucx: &mut Ucx, requests: &[Request]) -> Result<()> {
        let mut buffered = std::mem::take(&mut ucx.buffered);
        // Some releases do not keep the datatype of a persistent request.
        let has_lengths = buffered.iter().all(|(_, elements)| elements.is_some());
        let key = |request: &Request| match request.kind {
            RequestKind::Send { endpoint, .. } => {
                Some((request.tag, endpoint, if has_lengths { request.length } else { 0 }))
            }
            RequestKind::Receive { .. } => None,
        };
        let mut pending = Vec::new();
        for request in requests.iter().filter(|request| !request.complete) {
            key(request).map_or(Ok(()), |key| push(&mut pending, key))?;
        }
        pending.sort_unstable();
        buffered.sort_unstable_by_key(|(request, _)| key(request));
        let mut pending = pending.into_iter().map(Some).peekable();
        for (request, elements) in buffered {
            let own = key(&request);
            while pending.next_if(|other| *other < own).is_some() {}
            if pending.next_if_eq(&own).is_none() {
                let result = self.ucx_operation(ucx, &request, elements, "persistent request");
                self.keep(result)?;
            }
        }
        Ok(())
    }

    /// A persistent request that has completed.
    fn ucx_completed_persistent(
        &self,
        fields: &PersistentFields,
        record: Record<'_>,
        elements: Option<Elements>,
    ) -> Result<Request> {
        let layout = self.layout;
        let is_send = record.get(fields.flags)? & PersistentFields::IS_SEND != 0;
        let status = record.inner(layout.request.req_status)?;
        let length = match elements {
            Some(Elements { count, datatype }) => {
                count.checked_mul(datatype.size).ok_or(impossible("count"))?
            }
            None => 0,
        };
        let kind = if is_send {
            let synchronous = record.get(fields.mode)? == layout::mode::SYNCHRONOUS;
            RequestKind::Send { endpoint: record.get(fields.endpoint)?, synchronous }
        } else {
            let (source, tag) =
                (status.get(layout.status.MPI_SOURCE)?, status.get(layout.status.MPI_TAG)?);
            let message =
                (tag as u64) << Tag::TAG_SHIFT | (source as u64 & Tag::FIELD) << Tag::RANK_SHIFT;
            let message = (message, status.get(layout.status._ucount)?);
            RequestKind::Receive {
                mask: record.get(fields.mask)?,
                sequence: 0,
                posted: false,
                message,
            }
        };
        Ok(Request {
            user: 0,
            words: Some([record.get(layout.request.req_complete)?, 0]),
            tag: record.get(fields.tag)?,
            buffer: record.get(fields.buffer)?,
            length: length as u64,
            complete: true,
            cancelled: status.get(layout.status._cancelled)? != 0,
            released: false,
            kind,
        })
    }

    /// What blocking calls of the first thread wait for.
    fn ucx_stack(
        &mut self,
        told: Told,
        ucx: &Ucx,
        worker: &Worker,
        requests: &mut Requests,
    ) -> Result<()> {
        let unseen = Error::on(Code::NotSeen, "blocking sends, whose requests are on a stack");
        let several = self.snapshot.stack_hints.several_threads == Some(true);
        let stack = self.library.stack_end;
        if stack.is_none() || (several && !told.no_other_senders) {
            self.snapshot.lacking.sends = true;
            self.keep(Err(unseen))?;
        }
        let Some(top) = stack else { return Ok(()) };
        let top = self.memory.pointer(top)?;
        // Each mask asks for the communicator.
        let is_known = |tag: u64, mask: u64| {
            mask & Tag::FIELD == Tag::FIELD && matches!(ucx.communicator(Tag(tag)), Ok(Some(_)))
        };
        worker.stack_requests(self.memory, top, &is_known, requests)
    }

    fn ucx_request(&mut self, ucx: &Ucx, request: &Request, all_posted: bool) -> Result<()> {
        // About to vanish.
        if request.complete && request.released {
            return Ok(());
        }
        // If a queue of posted receives could not be read, it is not known whether this one waits
        // for a message.
        if matches!(request.kind, RequestKind::Receive { posted: false, .. })
            && !request.complete
            && !all_posted
        {
            return Ok(());
        }
        match ucx.persistent.get(&request.user) {
            Some(Persistent { completion, elements }) => {
                let request = Request { words: Some([*completion, 0]), ..*request };
                self.ucx_operation(ucx, &request, *elements, "persistent request")
            }
            None => match request.kind {
                RequestKind::Receive { posted: false, message, .. } if !request.cancelled => {
                    self.ucx_received(ucx, request, message)
                }
                _ => self.ucx_operation(ucx, request, None, ""),
            },
        }
    }

    /// A receive whose message was there before it. UCX may have completed it at once. Then the
    /// fields for what the call asked for are those of an earlier receive, and only the message is
    /// known for certain.
    fn ucx_received(
        &mut self,
        ucx: &Ucx,
        request: &Request,
        (sender, length): (u64, u64),
    ) -> Result<()> {
        let RequestKind::Receive { mask, .. } = request.kind else { return Ok(()) };
        if !request.complete && (request.tag ^ sender) & mask == 0 {
            return self.ucx_operation(ucx, request, None, "");
        }
        let kind = RequestKind::Receive {
            mask: u64::MAX,
            sequence: 0,
            posted: false,
            message: (sender, length),
        };
        let request = Request { tag: sender, buffer: 0, length, kind, ..*request };
        self.ucx_operation(
            ucx,
            &request,
            None,
            "the matched message; the receive's arguments are lost",
        )
    }

    /// Puts a send or receive into its queue.
    fn ucx_operation(
        &mut self,
        ucx: &Ucx,
        request: &Request,
        elements: Option<Elements>,
        note: &'static str,
    ) -> Result<()> {
        let tag = Tag(request.tag);
        let Some(communicator) = ucx.communicator(tag)? else { return Ok(()) };
        let any_tag =
            matches!(request.kind, RequestKind::Receive { mask, .. } if mask & Tag::TAG_MASK == 0);
        let number = if any_tag { mpi::ANY_TAG } else { tag.tag() };
        // The library's own messages have negative tags.
        let hidden = self.found[communicator].hidden;
        let of_program = any_tag || number >= 0;
        let own = self.internal || of_program;
        let [completion, data] = request.words.unwrap_or_default();
        let awaited = self.note_wait(completion, of_program, own && !hidden);
        if !of_program && !request.complete {
            self.found[communicator].note_collective(number)?;
        }
        if !own || hidden {
            return Ok(());
        }
        let note = match (request.cancelled, request.released) {
            (true, _) => "cancelled",
            (_, true) => "the program has freed its request",
            _ => note,
        };
        let length = size(request.length, "length")?;
        let tag_wanted = (!any_tag).then(|| narrow(number, "tag")).transpose()?;
        let mut operation = Operation {
            status: if request.complete { Status::Complete } else { Status::Pending },
            desired: Peer::ANY,
            tag: tag_wanted,
            length,
            system_buffer: false,
            buffer: request.buffer,
            message: None,
            awaited: Some(awaited),
            details: Details { call: None, elements, notes: ["", note], request: None },
        };
        match request.kind {
            RequestKind::Send { endpoint, synchronous } => {
                let peer = self.ucx_receiver(ucx, endpoint, communicator)?;
                // A buffered send has its data in the buffer that the request names.
                let buffered = data != 0 && data == request.buffer;
                operation.desired = peer;
                operation.system_buffer = buffered;
                operation.message = Some(Message { peer, tag: narrow(number, "tag")?, length });
                operation.details.notes[0] = match (buffered, synchronous) {
                    (true, _) => notes::BUFFERED,
                    (_, true) => notes::SYNCHRONOUS,
                    _ => "",
                };
                let place = (peer.local as u64, request.user);
                push(&mut self.found[communicator].sends, Placed { place, operation })
            }
            RequestKind::Receive { mask, sequence, posted, message: (sender, received) } => {
                if mask & Tag::RANK_MASK != 0 {
                    operation.desired = self.peer(communicator, tag.source(), "tag")?;
                }
                if !request.complete && !posted {
                    operation.status = Status::Matched;
                }
                if operation.status != Status::Pending && !request.cancelled {
                    let sender = Tag(sender);
                    operation.message = Some(Message {
                        peer: self.peer(communicator, sender.source(), "sender_tag")?,
                        tag: narrow(sender.tag(), "sender_tag")?,
                        length: size(received, "length")?,
                    });
                }
                let place = (u64::from(operation.status == Status::Pending), sequence);
                push(&mut self.found[communicator].receives, Placed { place, operation })
            }
        }
    }

    /// The receiver of a send, by the endpoint that it goes to.
    fn ucx_receiver(&mut self, ucx: &Ucx, endpoint: u64, communicator: usize) -> Result<Peer> {
        let peer = match ucx.endpoints.get(&endpoint) {
            Some(&global) => self.peer_of(communicator, global)?,
            None => None,
        };
        Ok(peer.unwrap_or(Peer::ANY))
    }

    /// Puts an unexpected message into its queue.
    fn ucx_message(&mut self, ucx: &Ucx, place: u64, message: &UcxMessage) -> Result<()> {
        let tag = Tag(message.tag);
        let Some(communicator) = ucx.communicator(tag)? else { return Ok(()) };
        if self.found[communicator].hidden || (tag.tag() < 0 && !self.internal) {
            return Ok(());
        }
        let peer = self.peer(communicator, tag.source(), "tag")?;
        let (number, length) = (narrow(tag.tag(), "tag")?, size(message.length, "length")?);
        let shown = Message { peer, tag: number, length };
        let operation = Operation::unexpected(shown, message.buffer, message.notes());
        let place = (place, 0);
        push(&mut self.found[communicator].unexpected, Placed { place, operation })
    }
}
