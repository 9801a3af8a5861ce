//! Windows whose ranks post, start, complete and wait in shared memory: those of osc/rdma.
//!
//! The state of each rank of the machine is in memory that all of them have. No message goes there,
//! so each window gets two communicators that exist only here. A rank in `MPI_Win_start` has a
//! receive on the one for exposures from each rank that it wants to access. A rank in
//! `MPI_Win_wait` has a receive on the one for completions from each rank that may access it.
//!
//! The library counts how often ranks have posted to a rank (`post_index`). So two ranks can be
//! compared that were read one after the other:
//!
//! - A rank A in `MPI_Win_start` shows its count. A rank B shows the count of A as it saw it, if B
//!   exposes nothing to A. If the two are equal, B has not posted to A in between.
//! - A rank A in `MPI_Win_wait` shows the count of B as it saw it. B shows its own count if it has
//!   not completed what A exposes. If the two are equal, it is still the same exposure. The
//!   messages from A to B are compared with it, since `MPI_MODE_NOCHECK` replaces the count by
//!   messages of the program.
//!
//! The counts are marks of [`Traffic`]: where they differ nothing is known.

use super::composed::known;
use super::layout::{self, Windows, window};
use super::objects::{ClassCheck, ListWalk, check_class, read_pointer, read_pointers, read_record};
use super::pass::{Pass, impossible};
use crate::alloc::push;
use crate::error::Result;
use crate::layout::{Record, Structure};
use crate::queues::{Communicator, Operation, Peer, Traffic};
use crate::text::Text;

/// The tag of the operations, which marks them as the library's own. No message has it.
const TAG: i32 = -2;
/// The first id of the communicators that exist only here.
const FIRST_ID: u64 = 1 << 32;
/// The parts of a mark: the count of posts, and below it the messages.
const MESSAGE_BITS: u32 = 20;
const POST_BITS: u32 = 42;

/// A window as this process sees it.
struct Window {
    /// The index of its communicator.
    communicator: usize,
    /// This process's rank there.
    own: i64,
    /// Its own count of posts.
    posts: u64,
    peers: Vec<WindowPeer>,
    /// The ranks to which this process exposes its memory, while they have not all completed.
    exposed_to: Vec<i64>,
    /// The ranks that this process accesses between start and complete.
    accessed: Vec<i64>,
    /// It waits in `MPI_Win_start` until all of these have posted.
    starts: bool,
    /// Ranks whose posts have come, and which no start has asked for.
    posted: Vec<i64>,
    /// Where the count of those is that have completed what this process exposes.
    completed_at: u64,
    /// Not all of them have completed.
    is_exposed: bool,
}

/// Another rank of the window, or this one, on this machine.
struct WindowPeer {
    rank: i64,
    /// Its count of posts, as this process sees it.
    posts: u64,
}

impl Pass<'_, '_> {
    /// Adds the communicators of windows. `word` is the word on whose change the process waits in a
    /// loop. Returns the number of operations of a window that the process waits for. None: it
    /// waits for none, as far as is known.
    pub(super) fn add_windows(&mut self, word: Option<u64>) -> Result<Option<i64>> {
        let (Some(fields), Some(array)) = (self.layout.windows, self.library.windows) else {
            return Ok(None);
        };
        let Some(class) = self.library.window_class else { return Ok(None) };
        if !self.internal {
            return Ok(None);
        }
        let name = layout::WindowSync::NAME;
        let check = check_class(self.memory, self.layout, class, name, fields.sync.bytes())?;
        if check != ClassCheck::Fits {
            return Ok(None);
        }
        let mut needed = None;
        for window in self.pointers(array)? {
            let window = self.window(&fields, window, class);
            if let Some(window) = known(window)?.flatten() {
                let waits = self.show_window(&window, word)?;
                needed = needed.or(waits);
            }
        }
        Ok(needed)
    }

    /// The windows. The first place of their array has `MPI_WIN_NULL`. None: the library has no
    /// such array.
    pub(super) fn windows(&mut self) -> Result<Option<Vec<u64>>> {
        let Some(array) = self.library.windows else { return Ok(None) };
        let mut windows = self.pointers(array)?;
        windows.drain(..windows.len().min(1));
        Ok(Some(windows))
    }

    /// Are there windows whose requests are in no queue? A window has a copy of its component's
    /// functions, of which the first ones are compared.
    pub(super) fn has_other_windows(&mut self) -> Result<bool> {
        const FUNCTIONS: i64 = 8;
        let others = self.library.other_windows;
        if others.iter().all(Option::is_none) {
            return Ok(false);
        }
        let windows = self.windows()?.unwrap_or_default();
        if windows.is_empty() {
            return Ok(false);
        }
        let mut functions = Vec::new();
        for template in others.into_iter().flatten() {
            let first = read_pointers(self.memory, template, FUNCTIONS)?;
            push(&mut functions, first)?;
        }
        for window in windows {
            let Some(fields) = self.layout.windows else { return Ok(true) };
            let module = read_pointer(self.memory, fields.window.w_osc_module.address(window))?;
            let own = read_pointers(self.memory, module, FUNCTIONS)?;
            if functions.contains(&own) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads a window. None: it is not one of osc/rdma, or not in memory that is shared.
    fn window(&mut self, fields: &Windows, window: u64, class: u64) -> Result<Option<Window>> {
        let module = read_pointer(self.memory, fields.window.w_osc_module.address(window))?;
        if module == 0 {
            return Ok(None);
        }
        let bytes = read_record(self.memory, module, fields.module.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let sync = record.inner(fields.module.all_sync)?;
        if sync.get(self.layout.object.obj_class)? != class
            || record.get(fields.module.win)? != window
        {
            return Ok(None);
        }
        let communicator = record.get(fields.module.comm)?;
        let Some(&communicator) = self.by_address.get(&communicator) else { return Ok(None) };
        let own = self.snapshot.communicators[communicator].local_rank;
        let state_at = record.get(fields.module.state)?;
        let state = read_record(self.memory, state_at, fields.state.bytes())?;
        let state = Record { bytes: &state, target: self.memory.target };
        let (group, array) =
            (record.get(fields.module.pw_group)?, record.get(fields.module.peer_array)?);
        let starting = sync.get(fields.sync.r#type)? == window::START
            && sync.get(fields.sync.epoch_active)? != 0;
        let mut accessed = Vec::new();
        if starting {
            let peers = sync.get(fields.sync.peer_list)?;
            for peer in read_pointers(self.memory, peers, sync.get(fields.sync.num_peers)?)? {
                let rank = self.window_peer(fields, peer)?.map(|peer| peer.rank);
                push(&mut accessed, rank.ok_or(impossible("flags"))?)?;
            }
        }
        let list = record.inner(fields.module.pending_posts)?;
        let at = fields.module.pending_posts.address(module);
        let mut posted = self.pending_posts(fields, ListWalk::new(self.layout, list, at)?)?;
        let slots = state.inner(fields.state.post_peers)?.bytes;
        for slot in slots.chunks_exact(size_of::<u64>()).take(window::POST_PEERS) {
            let rank = self.memory.target.unsigned(slot);
            if rank != 0 {
                let rank = rank.cast_signed().checked_sub(1);
                push(&mut posted, rank.ok_or(impossible("post_peers"))?)?;
            }
        }
        let exposed_to = self.ranks_of(group, communicator)?;
        let completed = state.get(fields.state.num_complete_msgs)?;
        let size = self.snapshot.communicators[communicator].peers;
        let size = size.map_or(0, |group| self.snapshot.groups[group.0].len());
        Ok(Some(Window {
            communicator,
            own,
            posts: state.get(fields.state.post_index)?,
            peers: self.window_peers(fields, array, size)?,
            starts: starting && state.get(fields.state.num_post_msgs)? != accessed.len() as u64,
            accessed,
            posted,
            completed_at: fields.state.num_complete_msgs.address(state_at),
            is_exposed: completed != exposed_to.len() as u64,
            exposed_to,
        }))
    }

    /// The ranks of the window on this machine.
    fn window_peers(
        &mut self,
        fields: &Windows,
        array: u64,
        size: usize,
    ) -> Result<Vec<WindowPeer>> {
        let mut peers = Vec::new();
        if array != 0 {
            for peer in read_pointers(self.memory, array, size as i64)? {
                if let Some(peer) = self.window_peer(fields, peer)? {
                    push(&mut peers, peer)?;
                }
            }
        }
        Ok(peers)
    }

    /// A rank of the window. None: it is on another machine.
    fn window_peer(&mut self, fields: &Windows, address: u64) -> Result<Option<WindowPeer>> {
        if address == 0 {
            return Ok(None);
        }
        let bytes = read_record(self.memory, address, fields.peer.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        if record.get(fields.peer.flags)? & window::LOCAL_STATE == 0 {
            return Ok(None);
        }
        let posts = fields.state.post_index.address(record.get(fields.peer.state)?);
        let mut count = [0; size_of::<u64>()];
        self.memory.read(posts, &mut count)?;
        let posts = self.memory.target.unsigned(&count);
        Ok(Some(WindowPeer { rank: record.get(fields.peer.rank)?, posts }))
    }

    /// Ranks whose posts were taken out of their places.
    fn pending_posts(&mut self, fields: &Windows, mut walk: ListWalk) -> Result<Vec<i64>> {
        let mut ranks = Vec::new();
        while let Some(post) = walk.element()? {
            self.step(post)?;
            let bytes = read_record(self.memory, post, fields.post.bytes())?;
            let record = Record { bytes: &bytes, target: self.memory.target };
            push(&mut ranks, record.get(fields.post.rank)?)?;
            let next = self.layout.list_item.opal_list_next.address(post);
            walk.advance(read_pointer(self.memory, next)?);
        }
        Ok(ranks)
    }

    /// The ranks of a group in a communicator; none if there is no group.
    fn ranks_of(&mut self, group: u64, communicator: usize) -> Result<Vec<i64>> {
        let mut ranks = Vec::new();
        if group == 0 {
            return Ok(ranks);
        }
        let group = self.group(group)?;
        let all = self.snapshot.communicators[communicator].peers.ok_or(impossible("comm"))?;
        for &global in &self.snapshot.groups[group.0] {
            let rank = self.ranks.rank(self.snapshot, all, global)?;
            push(&mut ranks, rank.ok_or(impossible("pw_group"))?.into())?;
        }
        Ok(ranks)
    }

    /// Adds the communicators of a window. Returns the number of its operations that the process
    /// waits for. None: it waits for none, as far as is known.
    fn show_window(&mut self, window: &Window, word: Option<u64>) -> Result<Option<i64>> {
        let waits = window.is_exposed && word == Some(window.completed_at);
        let (mut exposures, mut completions) = (Vec::new(), Vec::new());
        for peer in &window.peers {
            let rank = peer.rank;
            let nothing = Traffic { peer: rank, sent: 0, received: 0 };
            let mut entry = nothing;
            if !window.exposed_to.contains(&rank) {
                entry.sent = mark(peer.posts, 0);
            }
            if window.starts && window.accessed.contains(&rank) {
                entry.received = mark(window.posts, 0);
            }
            if (entry.sent, entry.received) != (0, 0) {
                push(&mut exposures, entry)?;
            }
            let (sent, received) = self.messages_with(window.communicator, rank);
            entry = nothing;
            let accesses = !window.starts && window.accessed.contains(&rank);
            if accesses || window.posted.contains(&rank) {
                entry.sent = mark(window.posts, received);
            }
            if waits && window.exposed_to.contains(&rank) {
                entry.received = mark(peer.posts, sent);
            }
            if (entry.sent, entry.received) != (0, 0) {
                push(&mut completions, entry)?;
            }
        }
        let none: &[i64] = &[];
        let started = if window.starts { &window.accessed } else { none };
        let exposed = if waits { &window.exposed_to } else { none };
        self.add_window_part(window, "exposures", 0, exposures, started)?;
        self.add_window_part(window, "completions", 1, completions, exposed)?;
        let ranks = if window.starts { started } else { exposed };
        Ok((!ranks.is_empty()).then_some(ranks.len() as i64))
    }

    /// Adds a communicator with a receive from each of these ranks.
    fn add_window_part(
        &mut self,
        window: &Window,
        what: &str,
        number: u64,
        traffic: Vec<Traffic>,
        ranks: &[i64],
    ) -> Result<()> {
        let of = &self.snapshot.communicators[window.communicator];
        let (id, group, peers) = (of.unique_id, of.group, of.peers);
        let mut receives = Vec::new();
        for &rank in ranks {
            let peer = self.peer(window.communicator, rank, "rank")?;
            push(&mut receives, waiting(peer))?;
        }
        let name = Text::<64>::format(format_args!("{what} of the window of 0x{id:x}"));
        let name = self.snapshot.names.add(name.as_bytes())?;
        let communicator = Communicator {
            unique_id: FIRST_ID | id << 1 | number,
            local_rank: window.own,
            name,
            group,
            peers,
            receives,
            traffic: Some(traffic),
            ..Communicator::default()
        };
        push(&mut self.snapshot.communicators, communicator)
    }

    /// How many messages were sent to and received from a rank of a communicator, on all
    /// communicators whose messages are counted.
    fn messages_with(&self, communicator: usize, rank: i64) -> (i64, i64) {
        let global = |index: usize, rank: i64| {
            let peers = self.snapshot.communicators[index].peers?;
            self.snapshot.groups[peers.0].get(usize::try_from(rank).ok()?).copied()
        };
        let wanted = global(communicator, rank);
        let (mut sent, mut received) = (0, 0);
        for index in 0..self.found.len() {
            for entry in self.snapshot.communicators[index].traffic.iter().flatten() {
                if global(index, entry.peer) == wanted {
                    sent += entry.sent;
                    received += entry.received;
                }
            }
        }
        (sent, received)
    }

    /// The pointers of an array of OPAL that are not null.
    pub(super) fn pointers(&mut self, array: u64) -> Result<Vec<u64>> {
        let fields = self.layout.pointer_array;
        let bytes = read_record(self.memory, array, fields.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let mut pointers =
            read_pointers(self.memory, record.get(fields.addr)?, record.get(fields.size)?)?;
        pointers.retain(|pointer| *pointer != 0);
        Ok(pointers)
    }
}

/// A receive that stands for what a rank waits for.
fn waiting(peer: Peer) -> Operation {
    Operation { awaited: Some(true), ..Operation::pending(peer, Some(TAG), 0, 0) }
}

/// A mark of a count of posts and a number of messages: negative, so that it is no count.
fn mark(posts: u64, messages: i64) -> i64 {
    let part = |value: u64, bits: u32| (value & ((1 << bits) - 1)).cast_signed();
    let messages = part(messages.cast_unsigned(), MESSAGE_BITS);
    -1 - (part(posts, POST_BITS) << MESSAGE_BITS | messages)
}
