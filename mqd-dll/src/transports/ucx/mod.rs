//! UCX 1.10 to 1.22: the tag matching queues and the requests of a worker (`ucp_worker_h`).
//!
//! The library has no debug information in any distribution, so layouts come from tables. The
//! anchors in [`worker`] are checked before anything is read. What is read then:
//!
//! - posted receives from the queues of expected messages, in the order of posting ([`queues`]);
//! - unexpected messages in the order of arrival ([`queues`]);
//! - all requests in use from the pool that they are taken from ([`requests`]);
//! - requests of blocking sends, which callers may keep on their stack ([`requests`]);
//! - how many elements have gone through the queues in shared memory ([`fifos`]).
//!
//! Messages that a process has not taken in cannot be seen. They may wait in the network or in
//! shared memory until the process calls the library again.

mod fifos;
mod layout;
mod queues;
mod requests;
mod version;
mod worker;

pub(crate) use queues::UcxMessage;
pub(crate) use requests::{Request, RequestKind, Requests};
pub(crate) use worker::Worker;
