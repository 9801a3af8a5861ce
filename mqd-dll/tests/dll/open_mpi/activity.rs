//! What a process of Open MPI waits for, and its traffic.

use super::{BOTH, open};
use crate::support::activity::{State, Waits, activity, stack_hints};
use crate::support::machine::Machine;
use crate::support::open_mpi::{
    Communicator, Message, Model, Progress, Receive, Send, Writer, of_table,
};
use crate::support::session::Session;
use mqs_abi::extensions::COLLECTIVES;

fn read(model: &Model) -> (Waits, Vec<State>) {
    let session = open(model);
    session.update().expect("everything can be read");
    activity(&session)
}

/// Two receives and a send that a function waits for, of which `count` have to complete yet, and
/// others.
fn waiting(count: i64) -> Model {
    let awaited = |receive: Receive| Receive { awaited: true, ..receive };
    Model {
        receives: vec![
            awaited(Receive::new(0, 2, 5)),
            Receive::new(0, 3, 6),
            awaited(Receive::new(0, -1, 7)),
        ],
        sends: vec![Send { awaited: true, ..Send::new(0, 2, 8) }, Send::new(0, 3, 9)],
        threads: Some(false),
        count: Some(count),
        ..Model::world(1, 4)
    }
}

/// The name is not known.
fn needs(count: i64) -> Waits {
    Waits::Call(String::new(), count)
}

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);

#[test]
fn requests_that_name_the_counter_are_awaited() {
    for series in BOTH {
        let (waits, states) = read(&Model { series, ..waiting(3) });
        assert_eq!(waits, needs(3));
        assert_eq!(states[0].awaited, [vec![YES, NO], vec![YES, NO, YES], vec![]], "{series:?}");
        // One of them is enough.
        assert_eq!(read(&Model { series, ..waiting(1) }).0, needs(1));
        // It has seen enough, and is about to return.
        assert_eq!(read(&Model { series, ..waiting(0) }).0, needs(0));
        assert_eq!(read(&Model { series, ..waiting(-1) }).0, needs(0));
    }
}

#[test]
fn what_cannot_be_seen_makes_the_number_unknown() {
    // Requests of other kinds are among those that it counts.
    assert_eq!(read(&waiting(4)).0, needs(-1));
    // The library's own operations may be parts of what it waits for, where one is enough.
    let mut model = waiting(1);
    model.receives.push(Receive::new(0, 2, -30));
    assert_eq!(read(&model).0, needs(-1));
    model.count = Some(3);
    assert_eq!(read(&model).0, needs(3), "all that it counts is seen");
    // The last one of all, or one of those that are enough.
    (model.count, model.sends, model.receives[2].awaited) = (Some(1), Vec::new(), false);
    assert_eq!(read(&model).0, needs(-1));
    model.receives.pop();
    assert_eq!(read(&model).0, needs(1));
    // One that has just completed may still be counted.
    let mut model = waiting(1);
    model.receives.push(Receive {
        progress: Progress::Complete,
        message: (2, 4, 4),
        ..Receive::new(0, 2, 4)
    });
    assert_eq!(read(&model).0, needs(-1));
    model.count = Some(3);
    assert_eq!(read(&model).0, needs(3));
}

#[test]
fn a_wait_for_the_librarys_own_operations_awaits_none_of_the_program() {
    let mut model = waiting(1);
    model.receives.iter_mut().for_each(|receive| receive.awaited = false);
    model.sends.clear();
    model.receives.push(Receive { awaited: true, ..Receive::new(0, 2, -30) });
    let (waits, states) = read(&model);
    assert_eq!(waits, needs(-1));
    assert_eq!(states[0].awaited, [vec![], vec![NO; 3], vec![]]);
}

#[test]
fn nothing_is_known_without_a_counter() {
    let unknown = |model: &Model| {
        let (waits, states) = read(model);
        assert_eq!(waits, Waits::NotKnown);
        assert_eq!(states[0].awaited, [vec![None; 2], vec![None; 3], vec![]]);
    };
    // With several threads it is not known what the others will do.
    unknown(&Model { threads: Some(true), ..waiting(3) });
    unknown(&Model { threads: None, ..waiting(3) });
    unknown(&Model { count: None, ..waiting(3) });
    let mut model = waiting(3);
    model.receives.iter_mut().for_each(|receive| receive.awaited = false);
    model.sends.iter_mut().for_each(|send| send.awaited = false);
    unknown(&model);
}

#[test]
fn call_stacks_are_worth_more_where_one_thread_is_in_mpi() {
    for (threads, known) in [(Some(false), 1), (Some(true), 2), (None, -1)] {
        let session = open(&Model { threads, ..waiting(3) });
        session.update().expect("everything can be read");
        assert_eq!(stack_hints(&session), Some((known, "opal_progress".to_owned())), "{threads:?}");
    }
}

#[test]
fn tables_without_the_counter_still_serve() {
    for series in BOTH {
        let model = Model { series, ..waiting(3) };
        let mut session = Session::new(Writer::write(&model, Machine::LP64, of_table(series)));
        session.debugger.forget_field("ompi_wait_sync_t", "count");
        session.open().expect("it is not needed");
        session.update().expect("everything can be read");
        assert_eq!(activity(&session).0, Waits::NotKnown);
    }
}

#[test]
fn collectives_are_not_known() {
    assert_eq!(read(&waiting(3)).1[0].collectives, vec![None; COLLECTIVES.len()]);
}

#[test]
fn traffic_is_what_the_numbers_of_messages_say() {
    let mut model = Model::world(1, 4);
    // The writer expects number 65,530 of each peer next: 65,529 have come.
    model.sends = vec![Send::new(0, 2, 1), Send::new(0, 2, 2), Send::new(0, 3, 3)];
    assert_eq!(read(&model).1[0].traffic, Some(vec![(2, 2, 65_529), (3, 1, 65_529)]));
    // Those that came early are here.
    let message = |early| Message { early, ..Message::new(0, 1) };
    let world = model.communicators[0].as_mut().expect("is there");
    world.unexpected = vec![message(false), message(true), message(true)];
    assert_eq!(
        read(&model).1[0].traffic,
        Some(vec![(0, 0, 65_531), (2, 2, 65_529), (3, 1, 65_529)])
    );
    // Those of another communicator do not count.
    let world = model.communicators[0].as_mut().expect("is there");
    world.unexpected.push(Message { foreign: true, ..message(true) });
    assert_eq!(read(&model).1[0].traffic.as_ref().expect("counts")[0], (0, 0, 65_531));
    // Numbers are of 16 bits.
    model.first_sequence = (0, u16::MAX);
    assert_eq!(
        read(&model).1[0].traffic,
        Some(vec![(0, 65_534, 65_531), (2, 0, 65_529), (3, 65_535, 65_529)])
    );
    // A communicator with nothing.
    assert_eq!(read(&model).1[1].traffic, Some(vec![]));
}

#[test]
fn messages_that_may_overtake_each_other_have_no_numbers() {
    let mut model = Model::world(1, 4);
    model.sends = vec![Send::new(0, 2, 1)];
    let world: &mut Communicator = model.communicators[0].as_mut().expect("is there");
    world.overtaking = true;
    assert_eq!(read(&model).1[0].traffic, None);
}
