//! Several operations in one call are the same as one by one, whatever the room and whatever the
//! target's memory holds.

use crate::support::dll::dll;
use crate::support::expected::random_model;
use crate::support::machine::{Machine, natural};
use crate::support::model::{Model, Request};
use crate::support::open_mpi::{Receive, Series, Writer, invented, random};
use crate::support::process::{Placement, SyntheticProcess};
use crate::support::session::{Session, error_text};
use mqs_abi::*;
use std::ffi::c_int;

fn place(model: &Model) -> SyntheticProcess {
    let machine = Machine::LP64;
    SyntheticProcess::new(model, machine, natural(&machine), Placement::Slab)
}

const QUEUES: [c_int; 3] = [mqs_pending_sends, mqs_pending_receives, mqs_unexpected_messages];

/// Reads each queue with every room that is different: from one at a time to more than there are.
/// The result is the largest queue's length.
fn any_room_gives_the_same(session: &Session) -> usize {
    let (dll, process) = (dll(), session.debugger.process());
    let mut largest = 0;
    // SAFETY: a live debugger; a communicator need not be written.
    unsafe {
        assert_eq!((dll.mqs_setup_communicator_iterator)(process), mqs_ok);
        while (dll.mqs_get_communicator)(process, std::ptr::null_mut()) == mqs_ok {
            for queue in QUEUES {
                let expected = session.one_by_one(queue);
                for room in 1..expected.len() + 3 {
                    assert_eq!(session.in_bulk(queue, room), expected, "{room} at a time");
                }
                largest = largest.max(expected.len());
            }
            (dll.mqs_next_communicator)(process);
        }
    }
    largest
}

#[test]
fn any_room_gives_the_same_of_the_companion_runtime() {
    let mut model = Model::busy(2, 25);
    model.wait.call = Some("MPI_Waitall");
    model.communicators[0].posted[7].wait = model.wait.number;
    let largest = |model: &Model| {
        let session = Session::opened(place(model));
        session.update().expect("everything can be read");
        any_room_gives_the_same(&session)
    };
    assert_eq!(largest(&model), 25);
    for seed in 0..20 {
        largest(&random_model(seed));
    }
}

#[test]
fn any_room_gives_the_same_of_open_mpi() {
    let machine = Machine::LP64;
    for seed in 0..20 {
        let series = [Series::Four, Series::Five][seed as usize % 2];
        let mut model = random(seed, series);
        model.receives.extend(
            (0..20).map(|tag| Receive { awaited: tag % 3 == 0, ..Receive::new(0, 0, tag) }),
        );
        let session =
            Session::opened(Writer::write(&model, machine, invented(&machine, series, 1)));
        session.update().expect("everything can be read");
        assert!(any_room_gives_the_same(&session) >= 20);
    }
}

#[test]
fn what_stands_before_an_error_is_handed_out() {
    for (damaged, value) in [(0, 0x1000), (3, -1), (17, 0x1000), (24, 0x13)] {
        let mut session = Session::opened(place(&Model::busy(1, 25)));
        session.debugger.process.set("mqdrt_request", damaged, "next", value);
        session.update().expect_err("the damage is seen");
        assert_eq!(any_room_gives_the_same(&session), damaged + 1);
    }
}

#[test]
fn the_two_ways_may_take_turns() {
    let session = Session::opened(place(&Model::busy(1, 10)));
    session.update().expect("everything can be read");
    // SAFETY: a live debugger, places of ours.
    unsafe {
        let (dll, process) = (dll(), session.debugger.process());
        assert_eq!((dll.mqs_setup_communicator_iterator)(process), mqs_ok);
        assert_eq!((dll.mqs_setup_operation_iterator)(process, mqs_pending_receives), mqs_ok);
        let tags = |room| -> Vec<_> {
            session.next_operations(room).iter().map(|(one, _)| one.desired_tag).collect()
        };
        let mut operation = std::mem::zeroed::<mqs_pending_operation>();
        assert_eq!(tags(3), [0, 1, 2]);
        assert_eq!((dll.mqs_next_operation)(process, &mut operation), mqs_ok);
        assert_eq!(operation.desired_tag, 3);
        assert_eq!(tags(4), [4, 5, 6, 7]);
        assert_eq!(tags(4), [8, 9]);
        assert_eq!((dll.mqs_next_operation)(process, &mut operation), mqs_end_of_list);
    }
}

#[test]
fn no_room_is_refused_and_takes_nothing() {
    let session = Session::opened(place(&Model::busy(1, 2)));
    session.update().expect("everything can be read");
    // SAFETY: a live debugger, places of ours.
    unsafe {
        let (dll, process) = (dll(), session.debugger.process());
        assert_eq!((dll.mqs_setup_communicator_iterator)(process), mqs_ok);
        assert_eq!((dll.mqs_setup_operation_iterator)(process, mqs_pending_receives), mqs_ok);
        for room in [0, -1, c_int::MIN] {
            let mut number = 77;
            let code =
                (dll.mqd_next_operations)(process, room, &mut std::mem::zeroed(), &mut number);
            assert!(error_text(code).contains("no room"), "{}", error_text(code));
            assert_eq!(number, 0);
        }
        // Room for more than there can be: as many are written as there are.
        let mut two = [std::mem::zeroed(), std::mem::zeroed()];
        let mut number = 77;
        assert_eq!(
            (dll.mqd_next_operations)(process, c_int::MAX, two.as_mut_ptr(), &mut number),
            mqs_ok
        );
        assert_eq!((number, two[1].operation.desired_tag), (2, 1));
    }
}

#[test]
fn awaited_is_said_of_each() {
    let mut model = Model::world(1, 4);
    model.communicators[0].posted = (0..4)
        .map(|tag| Request { wait: if tag == 2 { 9 } else { 0 }, ..Request::receive(0, tag) })
        .collect();
    for (call, threads, expected) in [
        (Some("MPI_Wait"), 0, [Some(false), Some(false), Some(true), Some(false)]),
        (None, 0, [Some(false); 4]),
        (Some("MPI_Wait"), 1, [None; 4]),
    ] {
        (model.wait.call, model.wait.threads, model.wait.number, model.wait.awaited) =
            (call, threads, 9, 1);
        let session = Session::opened(place(&model));
        session.update().expect("everything can be read");
        // SAFETY: a live debugger.
        let code = unsafe { (dll().mqs_setup_communicator_iterator)(session.debugger.process()) };
        assert_eq!(code, mqs_ok);
        let awaited: Vec<_> = session
            .in_bulk(mqs_pending_receives, 3)
            .into_iter()
            .map(|(_, awaited)| awaited)
            .collect();
        assert_eq!(awaited, expected);
    }
}
