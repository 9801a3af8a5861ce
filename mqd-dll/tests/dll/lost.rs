//! A process that ends, or runs on, while it is read: every later fetch fails, and the DLL soon
//! asks for nothing more.

use std::cell::Cell;
use std::rc::Rc;

use crate::support::expected::{expected, random_model};
use crate::support::machine::{Machine, natural};
use crate::support::process::{Placement, SyntheticProcess};
use crate::support::session::{DumpedCommunicator, Session};
use crate::{mpich, open_mpi};
use mqs_abi::*;

/// From now on, all fetches after the first `left` fail. Gives the number of those that did.
fn refuse_after(session: &Session, left: u64) -> Rc<Cell<u64>> {
    let refused = Rc::new(Cell::new(0));
    let fetches = Cell::new(0);
    let count = Rc::clone(&refused);
    *session.debugger.tamper.borrow_mut() = Some(Box::new(move |_, _| {
        fetches.set(fetches.get() + 1);
        if fetches.get() <= left {
            return mqs_ok;
        }
        count.set(count.get() + 1);
        mqs_no_information
    }));
    let count = Rc::clone(&refused);
    *session.debugger.beyond.borrow_mut() = Some(Box::new(move |_, _| {
        count.set(count.get() + 1);
        mqs_no_information
    }));
    refused
}

/// Loses the process at each fetch of an update.
fn lost_at_each_fetch(open: impl Fn() -> Session, whole: &[DumpedCommunicator]) {
    for left in 0.. {
        let session = open();
        let refused = refuse_after(&session, left);
        let result = session.update();
        let dump = session.dump();
        let Err(refusal) = result else {
            assert_eq!(dump, whole);
            assert!(left >= 3, "the sweep went over {left} fetches only");
            break;
        };
        assert!(refused.get() <= 40, "{} refused fetches after {left}", refused.get());
        assert!(refusal.text.contains("can no longer read the process"), "{refusal:?}");
        // Without its group a communicator has no members.
        for shown in dump.iter().filter(|shown| shown.size > 0) {
            let full = whole.iter().find(|full| full.unique_id == shown.unique_id);
            let full = full.expect("it is there if everything is read");
            assert!(full.receives.len() >= shown.receives.len(), "nothing is invented");
        }
    }
}

#[test]
fn companion() {
    let model = random_model(7);
    let machine = Machine::LP64;
    let process = SyntheticProcess::new(&model, machine, natural(&machine), Placement::Slab);
    lost_at_each_fetch(|| Session::opened(process.clone()), &expected(&model));
}

#[test]
fn open_mpi() {
    for open in [open_mpi::with_ob1, open_mpi::with_ucx] {
        let whole = open().read();
        lost_at_each_fetch(open, &whole);
    }
}

#[test]
fn mpich() {
    let open = || {
        let mut session = mpich::session(mpich::full());
        session.open().expect("the tables fit");
        session
    };
    let whole = open().read();
    lost_at_each_fetch(open, &whole);
}
