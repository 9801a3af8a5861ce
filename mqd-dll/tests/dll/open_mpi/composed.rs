//! What a process waits for, given the word of memory on which its loop depends.

use super::BOTH;
use crate::support::activity::{State, Waits, activity};
use crate::support::dll::dll;
use crate::support::machine::Machine;
use crate::support::open_mpi::{
    Composed, Model, Part, Progress, Receive, Send, Writer, invented, of_table,
};
use crate::support::session::Session;
use mqs_abi::{mqs_no_information, mqs_ok};
use std::ffi::{CStr, c_char, c_int};

/// Three receives, of which the last is complete, a send, and requests that are made of them.
fn waiting(composed: Vec<Composed>) -> Model {
    Model {
        receives: vec![
            Receive::new(0, 2, 5),
            Receive::new(0, 3, 6),
            Receive { progress: Progress::Complete, message: (2, 7, 4), ..Receive::new(0, 2, 7) },
        ],
        sends: vec![Send::new(0, 2, 8)],
        threads: Some(false),
        composed,
        ..Model::world(1, 4)
    }
}

/// What the DLL says if the process waits for this word, and what the library does by itself.
fn read_at(model: &Model, word: &str) -> (Waits, Vec<State>, Option<c_int>) {
    let machine = Machine::LP64;
    let process = Writer::write(model, machine, invented(&machine, model.series, 3));
    let address = process.symbols[word];
    let session = Session::opened(process);
    // SAFETY: a live debugger.
    let code = unsafe { (dll().mqd_set_awaited_word)(session.debugger.process(), address) };
    assert_eq!(code, mqs_ok);
    session.update().expect("everything can be read");
    let (waits, states) = activity(&session);
    (waits, states, background(&session))
}

fn background(session: &Session) -> Option<c_int> {
    let mut state = -1;
    // SAFETY: a live debugger; what is written is ours.
    let code = unsafe { (dll().mqd_get_background)(session.debugger.process(), &mut state) };
    assert!([mqs_ok, mqs_no_information].contains(&code), "{code}");
    (code == mqs_ok).then_some(state)
}

fn needs(count: i64) -> Waits {
    Waits::Call(String::new(), count)
}

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);
/// What the library does by itself.
const NOTHING: Option<c_int> = Some(0);
const WAITS: Option<c_int> = Some(1);
const ACTS: Option<c_int> = Some(2);

use Composed::{Collective, Communicator, Counted};

#[test]
fn a_send_or_receive_is_awaited() {
    for series in BOTH {
        let model = Model { series, ..waiting(Vec::new()) };
        let (waits, states, background) = read_at(&model, "receive 1");
        assert_eq!((waits, background), (needs(1), NOTHING), "{series:?}");
        assert_eq!(states[0].awaited, [vec![NO], vec![NO, NO, YES], vec![]], "{series:?}");
        let (waits, states, _) = read_at(&model, "send 0");
        assert_eq!(waits, needs(1));
        assert_eq!(states[0].awaited, [vec![YES], vec![NO, NO, NO], vec![]]);
    }
}

#[test]
fn what_is_left_of_a_round_is_awaited() {
    let round = vec![Part::Send(0), Part::Receive(2), Part::Receive(0)];
    let model = waiting(vec![Collective(round)]);
    let (waits, states, background) = read_at(&model, "composed 0");
    assert_eq!((waits, background), (needs(2), WAITS));
    assert_eq!(states[0].awaited, [vec![YES], vec![NO, YES, NO], vec![]]);
}

#[test]
fn the_first_step_is_awaited() {
    for series in BOTH {
        let composed = vec![
            Collective(vec![Part::Receive(0)]),
            Communicator(vec![vec![Part::Composed(0), Part::Receive(1)], vec![Part::Send(0)]]),
        ];
        let model = Model { series, ..waiting(composed) };
        let (waits, states, background) = read_at(&model, "composed 1");
        assert_eq!((waits, background), (needs(2), WAITS), "{series:?}");
        assert_eq!(states[0].awaited, [vec![NO], vec![NO, YES, YES], vec![]], "{series:?}");
    }
}

#[test]
fn the_library_may_be_about_to_go_on() {
    // Everything of the round is complete, or nothing is left of it, or of the steps.
    for composed in [
        Collective(vec![Part::Receive(2)]),
        Collective(Vec::new()),
        Communicator(Vec::new()),
        Communicator(vec![Vec::new()]),
        Communicator(vec![vec![Part::Receive(2)], vec![Part::Receive(0)]]),
    ] {
        let model = waiting(vec![composed.clone()]);
        let (waits, _, background) = read_at(&model, "composed 0");
        assert_eq!((waits, background), (Waits::NotKnown, ACTS), "{composed:?}");
    }
    // Another one is.
    let composed = vec![Collective(vec![Part::Receive(0)]), Collective(vec![Part::Receive(2)])];
    let (waits, _, background) = read_at(&waiting(composed), "composed 0");
    assert_eq!((waits, background), (needs(1), ACTS));
    let composed = vec![
        Communicator(vec![vec![Part::Receive(0)]]),
        Communicator(vec![vec![Part::Receive(2)]]),
    ];
    let (waits, _, background) = read_at(&waiting(composed), "composed 0");
    assert_eq!((waits, background), (needs(1), ACTS));
}

/// Damaged requests may name each other so often that following them would take all day. The queues
/// are read all the same.
#[test]
fn requests_that_name_each_other_end_nothing() {
    let mut composed = vec![Collective(vec![Part::Receive(0); 20])];
    for index in 0..4 {
        composed.push(Collective(vec![Part::Composed(index); 20]));
    }
    let (waits, states, background) = read_at(&waiting(composed), "composed 4");
    assert_eq!((waits, background), (Waits::NotKnown, ACTS));
    assert_eq!(states[0].awaited[1].len(), 3);
}

#[test]
fn functions_that_make_communicators_are_seen_from_one_of_them() {
    let composed = || {
        let step = |index| Communicator(vec![vec![Part::Receive(index)]]);
        vec![step(0), step(1)]
    };
    assert_eq!(read_at(&waiting(composed()), "composed 0").2, WAITS);
    // Their list is not known.
    assert_eq!(read_at(&waiting(composed()), "receive 0").2, ACTS);
}

#[test]
fn other_words_tell_nothing() {
    for word in ["receive 2", "ompi_mpi_communicators", "ompi_comm_request_t_class"] {
        assert_eq!(read_at(&waiting(Vec::new()), word).0, Waits::NotKnown, "{word}");
    }
    // Other threads may be in MPI.
    for threads in [Some(true), None] {
        let model = Model { threads, ..waiting(Vec::new()) };
        assert_eq!(read_at(&model, "receive 0").0, Waits::NotKnown);
    }
    // A counter says what else is waited for.
    let mut model = Model { count: Some(1), ..waiting(Vec::new()) };
    model.sends[0].awaited = true;
    assert_eq!(read_at(&model, "receive 0").0, Waits::NotKnown);
    assert_eq!(read_at(&model, "receive 2").0, needs(1));
}

#[test]
fn a_counter_of_nonblocking_collective_operations() {
    let round = |parts: &[Part]| Counted(parts.to_vec());
    let composed = vec![
        round(&[Part::Receive(0), Part::Receive(2)]),
        Collective(vec![Part::Send(0)]),
        round(&[Part::Receive(1)]),
    ];
    let all = Model { count: Some(2), ..waiting(composed.clone()) };
    let (waits, states, background) = read_at(&all, "ompi_mpi_communicators");
    assert_eq!((waits, background), (needs(2), WAITS));
    assert_eq!(states[0].awaited, [vec![NO], vec![NO, YES, YES], vec![]]);
    // A send is among them.
    let mut with_send = Model { count: Some(3), ..all.clone() };
    with_send.composed.remove(1);
    with_send.sends[0].awaited = true;
    let (waits, states, _) = read_at(&with_send, "ompi_mpi_communicators");
    assert_eq!(waits, needs(3));
    assert_eq!(states[0].awaited[0], vec![YES]);
    // One of them is enough, or there are others.
    for count in [1, 3] {
        let model = Model { count: Some(count), ..waiting(composed.clone()) };
        assert_eq!(read_at(&model, "ompi_mpi_communicators").0, Waits::NotKnown, "{count}");
    }
}

#[test]
fn a_word_is_for_one_pass() {
    let machine = Machine::LP64;
    let model = waiting(Vec::new());
    let process = Writer::write(&model, machine, invented(&machine, model.series, 3));
    let address = process.symbols["receive 0"];
    let session = Session::opened(process);
    // SAFETY: a live debugger; the room is as large as the interface says.
    unsafe {
        let mut name = [0; mqs_abi::MQS_TEXT_BYTES];
        let function: *mut c_char = name.as_mut_ptr();
        let process = session.debugger.process();
        assert_eq!((dll().mqd_get_loop_function)(process, function), mqs_ok);
        assert_eq!(CStr::from_ptr(function), c"opal_progress");
        assert_eq!((dll().mqd_set_awaited_word)(process, address), mqs_ok);
    }
    for waits in [needs(1), Waits::NotKnown] {
        session.update().expect("everything can be read");
        assert_eq!(activity(&session).0, waits);
    }
}

#[test]
fn tables_without_these_structures_still_serve() {
    for series in BOTH {
        let model = Model { series, ..waiting(Vec::new()) };
        let process = Writer::write(&model, Machine::LP64, of_table(series));
        let address = process.symbols["receive 0"];
        let mut session = Session::new(process);
        session.debugger.forget_field("ompi_coll_libnbc_request_t", "req_array");
        session.open().expect("it is not needed");
        // SAFETY: a live debugger.
        let code = unsafe { (dll().mqd_set_awaited_word)(session.debugger.process(), address) };
        assert_eq!(code, mqs_ok);
        session.update().expect("everything can be read");
        assert_eq!(activity(&session).0, Waits::NotKnown);
        assert_eq!(background(&session), None);
    }
}
