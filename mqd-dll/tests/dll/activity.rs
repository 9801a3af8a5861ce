//! What a process waits for, its collective operations and its traffic: the functions beyond the
//! interface.

use crate::support::activity::{State, Waits, activity, expected_activity};
use crate::support::contract::constant;
use crate::support::machine::{Machine, natural};
use crate::support::model::*;
use crate::support::process::{Placement, SyntheticProcess};
use crate::support::session::{Refusal, Session};
use mqs_abi::extensions::COLLECTIVES;

fn place(model: &Model) -> SyntheticProcess {
    let machine = Machine::LP64;
    SyntheticProcess::new(model, machine, natural(&machine), Placement::Slab)
}

fn read(model: &Model) -> (Waits, Vec<State>) {
    let session = Session::opened(place(model));
    session.update().expect("everything can be read");
    activity(&session)
}

/// Two posted receives, a matched one and a send, all awaited by a call that needs `needed` of
/// them, beside others that are not.
fn waiting(call: &'static str, needed: i64) -> Model {
    let mut model = Model::world(1, 4);
    let awaited = |request: Request| Request { wait: 9, ..request };
    let world = &mut model.communicators[0];
    world.posted = vec![
        awaited(Request::receive(0, 1)),
        Request::receive(0, 2),
        awaited(Request::receive(ANY_SOURCE, 3)),
    ];
    world.matched = vec![
        Request { wait: 8, ..Request::matched(0, 4, 0, 4) },
        awaited(Request::matched(0, 5, 0, 5)),
    ];
    world.unexpected = vec![Message::eager(0, 6)];
    model.sends = vec![(0, awaited(Request::send(2, 7))), (0, Request::send(2, 8))];
    model.wait = Wait { call: Some(call), threads: 0, awaited: 4, needed, number: 9 };
    model
}

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);

#[test]
fn the_operations_of_the_wait_are_awaited() {
    let (waits, states) = read(&waiting("MPI_Waitall", 4));
    assert_eq!(waits, Waits::Call("MPI_Waitall".to_owned(), 4));
    // The matched receives come first.
    assert_eq!(states[0].awaited, [vec![YES, NO], vec![NO, YES, YES, NO, YES], vec![None]]);
    assert_eq!(read(&waiting("MPI_Waitany", 1)).0, Waits::Call("MPI_Waitany".to_owned(), 1));
    assert_eq!(read(&waiting("MPI_Barrier", -1)).0, Waits::Call("MPI_Barrier".to_owned(), -1));
}

#[test]
fn a_process_that_waits_in_nothing_awaits_nothing() {
    let mut model = waiting("MPI_Waitall", 4);
    model.wait.call = None;
    let (waits, states) = read(&model);
    assert_eq!(waits, Waits::Nothing);
    assert_eq!(states[0].awaited, [vec![NO; 2], vec![NO; 5], vec![None]]);
}

#[test]
fn nothing_is_said_of_a_process_with_several_threads_in_mpi() {
    let mut model = waiting("MPI_Waitall", 4);
    model.wait.threads = 1;
    let (waits, states) = read(&model);
    assert_eq!(waits, Waits::NotKnown);
    assert_eq!(states[0].awaited, [vec![None; 2], vec![None; 5], vec![None]]);
}

#[test]
fn what_has_completed_meanwhile_is_not_awaited_any_more() {
    // Stopped after an operation has completed and before the call has seen it.
    for (call, needed, left) in [("MPI_Waitall", 4, 2), ("MPI_Waitany", 1, 0)] {
        let mut model = waiting(call, needed);
        model.communicators[0].matched[1].state = constant("COMPLETE");
        // The program is done with a send whose data are in the buffer.
        model.sends[0].1.system_buffer = 1;
        let (waits, states) = read(&model);
        assert_eq!(waits, Waits::Call(call.to_owned(), left));
        assert_eq!(states[0].awaited, [vec![NO, NO], vec![NO, NO, YES, NO, YES], vec![None]]);
    }
}

#[test]
fn an_operation_between_two_lists_makes_the_number_unknown() {
    // Stopped while the engine moves an operation: it may be complete in a moment.
    let mut model = waiting("MPI_Waitany", 1);
    model.communicators[0].posted.remove(0);
    let (waits, states) = read(&model);
    assert_eq!(waits, Waits::Call("MPI_Waitany".to_owned(), -1));
    assert_eq!(states[0].awaited[1], [NO, YES, NO, YES]);
}

#[test]
fn a_nonblocking_operation_that_is_not_found_makes_the_number_unknown() {
    // Its messages, which were not read, name the request that the wait needs.
    let mut process = place(&waiting("MPI_Waitall", 4));
    process.set("mqdrt_process", 0, "operations", 1);
    let session = Session::opened(process);
    session.update().expect("everything can be read");
    assert_eq!(activity(&session).0, Waits::Call("MPI_Waitall".to_owned(), -1));
}

#[test]
fn collectives_are_counted_by_their_numbers() {
    let mut model = Model::world(1, 4);
    let counters = model.communicators[0].collectives.as_mut().expect("are counted");
    (counters[0], counters[8], counters[21]) =
        ((3, 1), (i64::from(i32::MAX), 0), (5_000_000_000, 1));
    model
        .communicators
        .push(Communicator { collectives: None, ..Communicator::new(2, "", 0, vec![1]) });
    let states = read(&model).1;
    assert_eq!(states[0].collectives[0], Some((3, 1)));
    assert_eq!(states[0].collectives[8], Some((i32::MAX, 0)));
    assert_eq!(
        states[0].collectives[21],
        Some((-1, 1)),
        "more than the interface can count is not known"
    );
    assert_eq!(
        states[0].collectives.iter().filter(|state| **state == Some((0, 0))).count(),
        COLLECTIVES.len() - 3
    );
    assert_eq!(states[1].collectives, vec![None; COLLECTIVES.len()]);
}

#[test]
fn traffic_is_by_the_ranks_that_operations_name() {
    let mut model = Model::world(1, 4);
    model.communicators[0].traffic = Some(vec![(0, 7), (0, 0), (1 << 40, 0), (2, 3)]);
    let mut inter = Communicator::new(2, "inter", 0, vec![1]);
    inter.remote = Some(Group { rank: UNDEFINED, world_ranks: vec![3, 2] });
    inter.traffic = Some(vec![(0, 0), (4, 5)]);
    model.communicators.push(inter);
    model
        .communicators
        .push(Communicator { traffic: None, ..Communicator::new(3, "", 0, vec![1]) });
    let states = read(&model).1;
    assert_eq!(states[0].traffic, Some(vec![(0, 0, 7), (2, 1 << 40, 0), (3, 2, 3)]));
    assert_eq!(states[1].traffic, Some(vec![(1, 4, 5)]));
    assert_eq!(states[2].traffic, None);
}

/// Damages a model; returns the refusal and what is still known.
fn damaged(
    model: &Model,
    damage: impl FnOnce(&mut SyntheticProcess),
) -> (Refusal, Waits, Vec<State>) {
    let mut session = Session::opened(place(model));
    damage(&mut session.debugger.process);
    let refusal = session.update().expect_err("the damage is seen");
    let (waits, states) = activity(&session);
    (refusal, waits, states)
}

#[test]
fn damage_costs_what_is_damaged_only() {
    let mut model = waiting("MPI_Waitany", 1);
    model.communicators[0].traffic = Some(vec![(1, 2); 4]);
    let whole = expected_activity(&model);
    for (ty, field, value) in [
        ("mqdrt_peer", "sent", -1),
        ("mqdrt_peer", "received", i64::MIN),
        ("mqdrt_communicator", "peers", 0x99),
        ("mqdrt_communicator", "peers", -8),
    ] {
        let (refusal, waits, states) = damaged(&model, |process| process.set(ty, 0, field, value));
        assert!(refusal.text.contains("mqdrt_peer"), "{}", refusal.text);
        assert_eq!((&waits, &states[0].awaited), (&whole.0, &whole.1[0].awaited));
        assert_eq!((&states[0].traffic, &states[0].collectives), (&None, &whole.1[0].collectives));
    }
    for (ty, field, value) in
        [("mqdrt_collective", "calls", -1), ("mqdrt_communicator", "collectives", 0x99)]
    {
        let (refusal, waits, states) = damaged(&model, |process| process.set(ty, 0, field, value));
        assert!(refusal.text.contains("mqdrt_collective"), "{}", refusal.text);
        assert_eq!((&waits, &states[0].traffic), (&whole.0, &whole.1[0].traffic));
        assert_eq!(states[0].collectives, vec![None; COLLECTIVES.len()]);
    }
    // A call whose name cannot be read.
    let (refusal, waits, states) =
        damaged(&model, |process| process.set("mqdrt_process", 0, "call", 0x99));
    assert!(refusal.text.contains("name of an MPI function"), "{}", refusal.text);
    assert_eq!((waits, &states[0]), (Waits::NotKnown, &whole.1[0]));
    // Operations behind the damage may be awaited.
    let (_, waits, _) = damaged(&model, |process| process.set("mqdrt_request", 0, "next", 0x99));
    assert_eq!(waits, Waits::Call("MPI_Waitany".to_owned(), -1));
}
