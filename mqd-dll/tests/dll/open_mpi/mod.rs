//! Open MPI's queues, read from synthetic processes.

mod activity;
mod budget;
mod composed;
mod damage;
mod directory;
mod fields;
mod layouts;
mod libfabric;
mod ucx;

use crate::support::machine::Machine;
use crate::support::open_mpi::{Model, Series, Writer, invented};
use crate::support::session::{DumpedCommunicator, Session};

/// A session with a process of this state; the debugger knows the types.
fn open(model: &Model) -> Session {
    let machine = Machine::LP64;
    Session::opened(Writer::write(model, machine, invented(&machine, model.series, 1)))
}

/// A session with something in all queues of the PML ob1.
pub fn with_ob1() -> Session {
    open(&damage::full())
}

/// The same with the PML ucx.
pub fn with_ucx() -> Session {
    let mut session = ucx::whole();
    session.open().expect("the table fits");
    session
}

fn read(model: &Model) -> Vec<DumpedCommunicator> {
    open(model).read()
}

const BOTH: [Series; 2] = [Series::Four, Series::Five];
