//! libfabric 1.17 and 1.20 to 2.5: the queues of an endpoint for tagged messages (`fid_ep`).
//!
//! Each provider of libfabric has queues of its own. These are read:
//!
//! - `tcp`, since 1.22 ([`tcp`]): posted receives, messages that it has taken in, and sends that it
//!   has not handed to the kernel yet;
//! - `sockets` ([`sockets`]): posted receives, messages, and sends that the provider's thread is
//!   handing to the kernel;
//! - `ofi_rxm` ([`srx`] since 2.0, before that [`rxm`]): posted receives, messages, the number of
//!   sends, and long sends without their receivers ([`rxm_sends`]);
//! - `shm` and `efa` ([`srx`]): posted receives and messages that it has taken in.
//!
//! Layouts come from tables. The anchors in [`endpoint`] are checked before anything is read.
//! Messages that a process has not taken in are in a socket or in shared memory and cannot be seen.

mod endpoint;
mod layout;
mod lists;
mod rxm;
mod rxm_packet;
mod rxm_sends;
mod sockets;
mod srx;
mod tcp;
mod version;

pub(crate) use endpoint::Endpoint;

use crate::alloc::append;
use crate::error::Result;

/// A receive that is posted.
#[derive(Clone, Copy)]
pub(crate) struct Posted {
    /// Its place among all receives of the endpoint.
    pub(crate) order: u64,
    pub(crate) tag: u64,
    /// The bits of the tag that are ignored in matching.
    pub(crate) ignore: u64,
    /// The address of the process that it receives from. None: any.
    pub(crate) source: Option<u64>,
    /// What the user of the library has given with it.
    pub(crate) context: u64,
    pub(crate) buffer: u64,
    pub(crate) length: u64,
}

/// A message that no receive has taken.
#[derive(Clone, Copy)]
pub(crate) struct FabricMessage {
    pub(crate) tag: u64,
    /// What the sender has given with it beside the tag.
    pub(crate) data: u64,
    pub(crate) length: u64,
    /// 0: the data are not here.
    pub(crate) buffer: u64,
    /// It is announced, and the sender keeps the data.
    pub(crate) is_announced: bool,
    /// What names its send ([`FabricSend::name`]). None: nothing does.
    pub(crate) send: Option<u64>,
}

/// A send that is not complete.
#[derive(Clone, Copy)]
pub(crate) struct FabricSend {
    pub(crate) tag: u64,
    pub(crate) length: u64,
    /// What the user of the library has given with it.
    pub(crate) context: u64,
    /// The address of the receiver. None: it is not known.
    pub(crate) receiver: Option<u64>,
    /// What names it in its message at the receiver, if anything does.
    pub(crate) name: Option<u64>,
}

/// The queues of an endpoint.
#[derive(Default)]
pub(crate) struct FabricQueues {
    pub(crate) posted: Vec<Posted>,
    /// The messages of one sender are in the order of arrival.
    pub(crate) messages: Vec<FabricMessage>,
    /// None: they are not known.
    pub(crate) sends: Option<Vec<FabricSend>>,
    /// There are receives that have matched a message which is on its way.
    pub(crate) has_matched: bool,
}

impl FabricQueues {
    /// The addresses of the endpoint are not those of another one: they become unknown.
    pub(crate) fn forget_addresses(&mut self) {
        for posted in &mut self.posted {
            posted.source = posted.source.map(|_| ANY_ADDRESS);
        }
        for send in self.sends.iter_mut().flatten() {
            send.receiver = None;
        }
    }

    /// Another endpoint of the process may have sends with the same names. So no message names its
    /// send. If a send has a name, the sends are not known.
    pub(crate) fn forget_names(&mut self) {
        for message in &mut self.messages {
            message.send = None;
        }
        self.sends = self.sends.take().filter(|all| all.iter().all(|send| send.name.is_none()));
    }

    /// Adds those of another endpoint.
    pub(crate) fn add(&mut self, mut more: Self) -> Result<()> {
        append(&mut self.posted, &more.posted)?;
        append(&mut self.messages, &more.messages)?;
        self.sends = match (self.sends.take(), more.sends.take()) {
            (Some(mut sends), Some(more)) => {
                append(&mut sends, &more)?;
                Some(sends)
            }
            _ => None,
        };
        self.has_matched |= more.has_matched;
        Ok(())
    }
}

/// The address that stands for any process, and for none (`FI_ADDR_UNSPEC`).
pub(crate) const ANY_ADDRESS: u64 = u64::MAX;
