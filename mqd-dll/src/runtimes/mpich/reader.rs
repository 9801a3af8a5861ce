//! One pass over a process of MPICH: its communicators, and with them everything else.

use super::layout::{Layout, request};
use super::library::{Library, Roots};
use super::pass::{Keeps, Pass};
use super::pools::Objects;
use super::threads;
use crate::alloc::{AddressMap, AddressSet, push};
use crate::environment;
use crate::error::Result;
use crate::layout::{Record, Structure};
use crate::memory::Memory;
use crate::queues::{Lacking, Snapshot, StackHints};
use crate::runtimes::kept;
use crate::runtimes::values::Ranks;
use crate::text::Text;

/// All calls that wait for messages loop around a function without a symbol. It calls the one of
/// UCX, but not in each round. In 5.0 the loop gives up the processor after each round.
const PROGRESS: &str = "ucp_worker_progress,sched_yield,*";
/// The same over libfabric, which looks at its connections. To send to a process that has ended, it
/// tries to connect again and again: such a send is not in the queues.
const OFI_PROGRESS: &str = "sched_yield,libfabric:epoll_wait:poll,?libf:connect:socket,*";
/// The same of the device ch3, which looks at its connections by itself.
const CH3_PROGRESS: &str = "poll,sched_yield,*";
/// The same of Intel MPI: a call that waits for a message gives up the processor after it has seen
/// that its request is not complete. Over TCP it is mostly in libfabric, whose providers may be
/// libraries of their own.
const INTEL_PROGRESS: &str = "MPID_Progress_yield,libfabric:epoll_wait,libtcp:epoll_wait,*";
const INTEL_YIELD: &str = "MPID_Progress_yield,*";

/// The hints if a message is complete and its request is in use: a call that looks for messages may
/// be about to return.
const ONLY_LOOKS: &str = "?ucp_worker_progress,?sched_yield,*";
const OFI_ONLY_LOOKS: &str = "?sched_yield,?libfabric:epoll_wait:poll:connect:socket,*";

/// Any loop of the library shows by itself that what it waits for is not complete.
const LOOPS: &str = "*";

/// There are nonblocking collective operations that no queue shows.
const COLLECTIVES: &str = "&";

/// What a call may wait for besides what the queues show.
enum Others {
    None,
    /// A message is complete and its request is in use. A call that waits for it is in the progress
    /// function and about to return. In Intel MPI it has left that function.
    Complete,
    /// Those of nonblocking collective operations of Intel MPI are in no queue.
    Collectives,
    /// There are active requests that are in no queue, such as generalized ones.
    Active,
}

/// Checks that MPI is running in the process, with queues that can be read.
pub(crate) fn check(library: &Library, memory: &mut Memory<'_>) -> Result<()> {
    let (layout, roots) = library.layout(memory)?;
    match layout.active.is_some() || layout.intel.is_some() || layout.ch3.is_some() {
        // There may be messages outside the network.
        true => Ok(()),
        false => library.workers(memory, &roots).map(|_| ()),
    }
}

/// Reads everything. On an error `snapshot` holds what could be read.
pub(crate) fn read(
    library: &Library,
    memory: &mut Memory<'_>,
    snapshot: &mut Snapshot,
) -> Result<()> {
    let (layout, roots) = library.layout(memory)?;
    Pass::new(library, &layout, &roots, memory, snapshot).run()
}

impl<'p, 'm> Pass<'p, 'm> {
    fn new(
        library: &'p Library,
        layout: &'p Layout,
        roots: &'p Roots,
        memory: &'p mut Memory<'m>,
        snapshot: &'p mut Snapshot,
    ) -> Self {
        Self {
            library,
            layout,
            roots,
            memory,
            snapshot,
            found: Vec::new(),
            by_address: AddressMap::default(),
            received_by: AddressMap::default(),
            sent_by: AddressMap::default(),
            ambiguous: AddressSet::default(),
            network_places: AddressMap::default(),
            matched_by_network: AddressSet::default(),
            datatypes: roots.datatypes.map(Some),
            pairs: None,
            world_size: 0,
            internal: environment::wants(environment::INTERNAL),
            has_internal: false,
            over_ofi: false,
            ranks: Ranks::default(),
            first_error: None,
        }
    }

    /// Reads everything. The first error is the one returned.
    fn run(mut self) -> Result<()> {
        self.keep(self.roots.variables.unread.map_or(Ok(()), Err))?;
        let several_threads = threads::several(self.memory, &self.roots.variables)?;
        // Another thread may complete the operation of a call, which is in no queue then.
        let progress = match several_threads {
            Some(false) if self.layout.intel.is_some() => INTEL_PROGRESS,
            Some(false) if self.layout.ch3.is_some() => CH3_PROGRESS,
            Some(false) => PROGRESS,
            _ => "",
        };
        self.snapshot.stack_hints = StackHints { several_threads, progress };
        self.world_size = self.size_of_world()?;
        let ended = self.communicators().and_then(|()| self.queues());
        let delivered = self.deliver();
        let (ended, delivered) = (self.keep(ended), self.keep(delivered));
        self.first_error.map_or(ended.and(delivered), Err)
    }

    fn queues(&mut self) -> Result<()> {
        let mut requests = Objects::new(self.layout.request.bytes());
        let result = self.roots.read_requests(self.memory, self.layout, &mut requests);
        let only = self.roots.only_these_pools(self.memory.target, self.layout);
        let result = result.and(only);
        let is_damaged = result.is_err();
        if is_damaged {
            self.snapshot.lacking = Lacking::ALL;
        }
        self.keep(result)?;
        if self.layout.intel.is_some() {
            self.intel_messages(&requests)?;
        } else if let Some(ch3) = self.layout.ch3 {
            self.note_device()?;
            self.cells_in_use()?;
            self.ch3_messages(&ch3, &requests)?;
        } else {
            self.note_device()?;
            self.cells_in_use()?;
            self.network(&requests)?;
            let result = self.active_messages(&requests);
            self.keep(result)?;
            let result = self.own_messages(&requests);
            self.keep(result)?;
        }
        let others = self.others(&requests)?;
        let hints = &mut self.snapshot.stack_hints;
        hints.progress = match others {
            _ if is_damaged || hints.progress.is_empty() => "",
            Others::None if self.over_ofi => OFI_PROGRESS,
            Others::None => hints.progress,
            Others::Complete if self.layout.intel.is_some() => INTEL_YIELD,
            Others::Complete if self.layout.ch3.is_some() => LOOPS,
            Others::Complete if self.over_ofi => OFI_ONLY_LOOKS,
            Others::Complete => ONLY_LOOKS,
            Others::Collectives => COLLECTIVES,
            Others::Active => "",
        };
        Ok(())
    }

    /// What a call may wait for besides what the queues show.
    fn others(&self, requests: &Objects) -> Result<Others> {
        let fields = &self.layout.request;
        let by_memory = self.layout.active.is_some();
        // Its receives have to be among those that are shown.
        let is_shown = self.has_internal && (self.internal || !by_memory);
        let collective = self.layout.listed_collective().filter(|_| is_shown);
        let taken = self.layout.taken_message();
        let mut others = Others::None;
        let (mut collects, mut sends, mut unseen) = (false, false, false);
        for (_, bytes) in requests.iter() {
            let record = Record { bytes, target: self.memory.target };
            let kind = record.get(fields.kind)?;
            // An unexpected message of the device ch3 belongs to no call.
            if let Some(ch3) = &self.layout.ch3
                && kind == request::RECEIVE
                && record.get(ch3.request.comm)? == 0
            {
                continue;
            }
            let is_message = matches!(kind, request::SEND..=request::PERSISTENT_RECEIVE);
            let is_collective = Some(kind) == collective;
            match record.get(fields.cc)? == 0 {
                false if is_message => sends |= kind == request::SEND,
                false if is_collective => collects = true,
                false if kind == taken => {}
                false if kind == request::COLLECTIVE && self.layout.intel.is_some() => {
                    unseen = true
                }
                false => return Ok(Others::Active),
                true if is_message || is_collective => others = Others::Complete,
                true => {}
            }
        }
        // A collective operation may wait for a send that no queue shows.
        if collects && sends && by_memory {
            return Ok(Others::Active);
        }
        Ok(if unseen { Others::Collectives } else { others })
    }

    /// Notes how messages go, as far as the layout tells.
    fn note_device(&mut self) -> Result<()> {
        let table = self.roots.table.as_str();
        let device = match (self.layout.active.is_some(), self.layout.ofi.is_some()) {
            _ if self.layout.ch3.is_some() => "ch3",
            (false, _) => "ch4:ucx",
            (true, false) => "ch4, shared memory, ucx",
            (true, true) => "ch4, shared memory, ucx or ofi",
        };
        let source = format_args!("MPICH, {device}, layout table {table}");
        push(&mut self.snapshot.sources, Text::format(source))
    }

    /// Reads what goes by the network. Where all processes that there may be messages from are on
    /// this machine, nothing does, and what cannot be seen there is not missing.
    fn network(&mut self, requests: &Objects) -> Result<()> {
        // Cells are the only such queues that are known so far.
        let mut fifos = self.snapshot.fifos.iter().flatten();
        let goes_by_cells = fifos.any(|fifo| fifo.reader.is_none());
        let before = (self.first_error, self.snapshot.hides_sends, self.snapshot.lacking);
        let result = self.ucx_queues(requests);
        let result = self.keep(result);
        if result.is_ok() && goes_by_cells {
            (self.first_error, self.snapshot.hides_sends, self.snapshot.lacking) = before;
        }
        result
    }

    /// Puts everything found into its queue, in order.
    fn deliver(&mut self) -> Result<()> {
        for (found, communicator) in self.found.iter_mut().zip(&mut self.snapshot.communicators) {
            let queues = [&mut found.sends, &mut found.receives, &mut found.unexpected];
            kept::deliver(queues, std::mem::take(&mut found.collectives), communicator)?;
        }
        let mut hidden = self.found.iter().map(|found| found.hidden);
        self.snapshot.communicators.retain(|_| !hidden.next().unwrap_or(false));
        Ok(())
    }
}
