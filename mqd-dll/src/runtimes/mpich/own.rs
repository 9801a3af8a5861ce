//! Messages of a process to itself, on communicators with no other process.
//!
//! The library matches them without the network. A send that no receive has taken and a receive
//! without a message are requests on two lists, whose elements name each other. Such a send is also
//! an unexpected message.

use super::layout::{handle, kind, mpi, request};
use super::lists::{Links, places};
use super::pass::{Keeps, Pass, Placed, impossible, narrow};
use super::pools::{Objects, object};
use crate::alloc::push;
use crate::error::{OrUnreadable, Result};
use crate::layout::{Record, Structure};
use crate::queues::{Details, Message, Operation, Peer};
use mqs_abi::notes;

/// A send or receive on one of the lists.
struct Own {
    address: u64,
    is_send: bool,
    index: usize,
    operation: Operation,
}

impl Pass<'_, '_> {
    /// Reads the messages of the process to itself.
    pub(super) fn own_messages(&mut self, requests: &Objects) -> Result<()> {
        let (mut own, mut links) = (Vec::new(), Vec::new());
        for (address, bytes) in requests.iter() {
            match self.own_request(address, bytes, &mut links) {
                Ok(Some(found)) => push(&mut own, found)?,
                Ok(None) => {}
                Err(error) => self.keep(Err(error.within("MPIR_Request", address)))?,
            }
        }
        let places = places(&links)?;
        for Own { address, is_send, index, operation, .. } in own {
            let place = (places.get(&address).copied().unwrap_or(0), 0);
            let found = &mut self.found[index];
            if !is_send {
                push(&mut found.receives, Placed { place, operation })?;
                continue;
            }
            push(&mut found.sends, Placed { place, operation })?;
            let details = Details { notes: [notes::TO_ITSELF, ""], ..Details::default() };
            let operation = Operation { system_buffer: true, details, ..operation };
            push(&mut found.unexpected, Placed { place, operation })?;
        }
        Ok(())
    }

    /// A request of the two lists. None: it is another one, or of a communicator that is not shown.
    /// Its links are noted.
    fn own_request(
        &mut self,
        address: u64,
        bytes: &[u8],
        links: &mut Vec<Links>,
    ) -> Result<Option<Own>> {
        let Some(own) = &self.layout.own_request else { return Ok(None) };
        let fields = &self.layout.request;
        let record = Record { bytes, target: self.memory.target };
        let what = record.get(fields.kind)?;
        if !matches!(what, request::SEND | request::RECEIVE) || record.get(fields.cc)? == 0 {
            return Ok(None);
        }
        // Requests of UCX do not name a communicator, and the field is not cleared.
        let Some(&index) = self.by_address.get(&record.get(own.comm)?) else { return Ok(None) };
        let communicator = &self.snapshot.communicators[index];
        // The other side of an intercommunicator is another process.
        if communicator.group != communicator.peers {
            return Ok(None);
        }
        let group = communicator.group.and_then(|group| self.snapshot.groups.get(group.0));
        let Some(&[global]) = group.map(Vec::as_slice) else { return Ok(None) };
        let context = record.get(own.context_id)?.cast_unsigned();
        if self.found[index].sent != context {
            return Ok(None);
        }
        push(links, (address, record.get(own.next)?))?;
        if self.found[index].hidden {
            return Ok(None);
        }
        let is_send = what == request::SEND;
        let (tag, buffer) = (record.get(own.tag)?, record.get(own.buffer)?);
        let length = self.bytes_of(record.get(own.datatype)?, record.get(own.count)?)?;
        if tag < mpi::ANY_TAG || (is_send && tag < 0) {
            return Err(impossible("tag"));
        }
        let tag = (tag != mpi::ANY_TAG).then(|| narrow(tag, "tag")).transpose()?;
        let peer = Peer { local: 0, global };
        let mut operation = Operation {
            message: tag.filter(|_| is_send).map(|tag| Message { peer, tag, length }),
            ..Operation::pending(peer, tag, length, buffer)
        };
        self.note_buffered(&mut operation)?;
        Ok(Some(Own { address, is_send, index, operation }))
    }

    /// Notes whether the data of a send are in the buffer that the program has attached. Their own
    /// address and their size are in front of them.
    pub(super) fn note_buffered(&mut self, operation: &mut Operation) -> Result<()> {
        let Some(fields) = self.layout.buffered.filter(|_| operation.message.is_some()) else {
            return Ok(());
        };
        let header = operation.buffer.wrapping_sub(fields.data.address(0));
        let Some(bytes) = self.memory.record(header, fields.bytes()).or_unreadable()? else {
            return Ok(());
        };
        let record = Record { bytes: &bytes, target: self.memory.target };
        let is_buffered = record.get(fields.message)? == operation.buffer
            && record.get(fields.count)? == operation.length;
        if is_buffered {
            operation.system_buffer = true;
            operation.details.notes[0] = notes::BUFFERED;
        }
        Ok(())
    }

    /// The size in bytes of `count` elements of a datatype, which is given by its handle.
    pub(super) fn bytes_of(&mut self, datatype: u64, count: i64) -> Result<i64> {
        let size = match datatype & handle::WHERE {
            handle::BUILTIN => (datatype >> handle::SIZE_SHIFT & handle::SIZE).cast_signed(),
            _ => self.datatype_size(datatype)?,
        };
        count.checked_mul(size).filter(|bytes| *bytes >= 0).ok_or(impossible("count"))
    }

    /// The pool of datatypes, which is searched for once. None: there is none.
    fn datatype_pool(&mut self) -> Result<Option<u64>> {
        if let Some(pool) = self.datatypes {
            return Ok(pool);
        }
        let (fields, target) = (&self.layout.pool, self.memory.target);
        let variables = &self.roots.variables;
        let pool = match variables.pool(target, fields, kind::DATATYPE, None)? {
            None => variables.pool_without_direct(target, fields, kind::DATATYPE)?,
            pool => pool,
        };
        self.datatypes = Some(pool);
        Ok(pool)
    }

    /// A predefined datatype of two numbers, such as `MPI_DOUBLE_INT`, if the pool has no objects
    /// in the variables. None: it is another datatype.
    fn pair(&mut self, pool: u64, datatype: u64) -> Result<Option<u64>> {
        if datatype & handle::WHERE != handle::DIRECT {
            return Ok(None);
        }
        let bytes = self.memory.record(pool, self.layout.pool.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let size = record.get(self.layout.pool.size)?.cast_unsigned();
        if record.get(self.layout.pool.direct)? != 0 {
            return Ok(None);
        }
        let first = match self.pairs {
            Some(first) => first,
            None => {
                let (variables, target) = (&self.roots.variables, self.memory.target);
                variables.predefined(target, handle::DIRECT, kind::DATATYPE, size as usize)?
            }
        };
        self.pairs = Some(first);
        let offset = (datatype & handle::INDEX).wrapping_mul(size);
        Ok(first.map(|first| first.wrapping_add(offset)))
    }

    /// The size of a datatype that is in a pool, in bytes.
    fn datatype_size(&mut self, datatype: u64) -> Result<i64> {
        let wrong = impossible("datatype");
        let pool = self.datatype_pool()?.ok_or(wrong)?;
        let pair = self.pair(pool, datatype)?;
        let object = match pair {
            Some(pair) => pair,
            None => object(self.memory, &self.layout.pool, pool, datatype)?.ok_or(wrong)?,
        };
        let size = self.memory.pointer(self.layout.datatype_size.address(object))?;
        i64::try_from(size).map_err(|_| wrong)
    }
}
