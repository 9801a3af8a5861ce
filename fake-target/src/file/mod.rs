//! Files (MPI 5.0, chapter 14), of the file systems of this machine.
//!
//! - [`object`]: open files and their handles; [`mod@open`]: opening and closing; [`settings`]:
//!   sizes, modes and hints; [`errors`]: error classes and handlers.
//! - [`view`]: which bytes of a file a process sees; [`representation`]: how data are represented
//!   in a file.
//! - [`memory`] and [`transfer`]: data on their way between buffers and the file.
//! - [`access`]: reading and writing by one process; [`collective`] and [`split`]: by all.
//!   [`buffering`]: how all write small pieces.
//!   [`mod@pointer`] and [`position`]: file pointers and positions.
//! - [`agreement`]: how processes do something together without hanging if one fails.
//!
//! A file has a communicator of its own, which debuggers see: a collective call waits there for the
//! processes that have not come.

mod access;
mod agreement;
mod buffering;
mod collective;
pub(crate) mod errors;
mod memory;
mod object;
mod observed;
mod open;
mod pointer;
mod position;
mod representation;
mod settings;
mod split;
mod transfer;
mod variables;
mod view;

pub(crate) use access::*;
pub(crate) use collective::*;
pub(crate) use object::{File, from_int, resolve};
pub(crate) use open::{close, open};
pub(crate) use position::*;
pub(crate) use representation::{register_datarep, register_datarep_c};
pub(crate) use settings::*;
pub(crate) use split::*;
pub(crate) use view::{get_byte_offset, get_view, set_view};
