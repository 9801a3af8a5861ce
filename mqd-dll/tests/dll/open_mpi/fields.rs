//! What each field holds.

use super::{BOTH, open, read};
use crate::support::machine::Machine;
use crate::support::open_mpi::{
    Communicator, Group, Message, Model, Progress, Receive, ReceiveKind, Send, Series, Writer,
    invented, random,
};
use crate::support::session::{DumpedCommunicator, Op, Session};
use mqs_abi::*;

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn tags(operations: &[Op]) -> Vec<i64> {
    operations.iter().map(|op| op.desired_tag).collect()
}

/// Rank 1 of a world of 4 with one receive.
fn one_receive(receive: Receive) -> Vec<Op> {
    let mut model = Model::world(1, 4);
    model.receives = vec![receive];
    read(&model).remove(0).receives
}

fn one_send(send: Send) -> Vec<Op> {
    let mut model = Model::world(1, 4);
    model.sends = vec![send];
    read(&model).remove(0).sends
}

#[test]
fn an_idle_process_has_its_communicators_but_not_the_null_one() {
    for series in BOTH {
        let communicators = read(&Model { series, ..Model::world(1, 4) });
        let idle = |unique_id, local_rank, name: &str, group: Vec<i32>| DumpedCommunicator {
            unique_id,
            local_rank,
            size: group.len() as i64,
            name: name.as_bytes().to_vec(),
            group,
            sends: vec![],
            receives: vec![],
            unexpected: vec![],
        };
        let expected =
            [idle(0, 1, "MPI_COMM_WORLD", vec![0, 1, 2, 3]), idle(1, 0, "MPI_COMM_SELF", vec![1])];
        assert_eq!(communicators, expected);
    }
}

/// Each process chooses the place of a communicator that is made of a group. The number of the
/// communicator is still the same in all of them.
#[test]
fn a_communicator_made_of_a_group() {
    let id = |place: usize, context: [u8; 16]| {
        let mut model = Model { series: Series::Five, ..Model::world(1, 4) };
        let made = Communicator {
            context: Some(context),
            ..model.communicators[0].clone().expect("MPI_COMM_WORLD")
        };
        model.communicators.resize(place, None);
        model.communicators.push(Some(made));
        model.receives = vec![Receive::new(place, 3, 17)];
        let shown = read(&model);
        let made = shown.last().expect("the communicator");
        assert_eq!(made.receives.len(), 1);
        made.unique_id
    };
    let context: [u8; 16] = std::array::from_fn(|place| place as u8);
    let mut other = context;
    other[15] += 1;
    assert_eq!(id(3, context), id(5, context));
    assert_ne!(id(3, context), id(3, other));
    other[15] -= 1;
    other[0] += 1;
    assert_ne!(id(3, context), id(3, other));
    // No place is as large.
    assert!(id(3, context) > 1 << 32);
}

#[test]
fn a_posted_receive() {
    let expected = Op {
        status: mqs_st_pending,
        desired_local_rank: 3,
        desired_global_rank: 3,
        tag_wild: 0,
        desired_tag: 17,
        desired_length: 40,
        system_buffer: 0,
        buffer: 0x1234_5678,
        actual_local_rank: -1,
        actual_global_rank: -1,
        actual_tag: 0,
        actual_length: 0,
        extra_text: lines(&["10 x MPI_INT"]),
    };
    assert_eq!(one_receive(Receive::new(0, 3, 17)), std::slice::from_ref(&expected));
    // A thread that waits for it does not make it complete.
    assert_eq!(one_receive(Receive { awaited: true, ..Receive::new(0, 3, 17) }), [expected]);
}

#[test]
fn wildcards_are_minus_one_and_a_flag() {
    let op = one_receive(Receive::new(0, -1, -1)).remove(0);
    assert_eq!((op.desired_local_rank, op.desired_global_rank), (-1, -1));
    assert_eq!((op.tag_wild, op.desired_tag), (1, 0));
}

#[test]
fn a_matched_receive_has_its_message() {
    for (progress, status) in
        [(Progress::Matched, mqs_st_matched), (Progress::Complete, mqs_st_complete)]
    {
        let op = one_receive(Receive { progress, message: (2, 99, 24), ..Receive::new(0, -1, -1) })
            .remove(0);
        assert_eq!((op.status, op.tag_wild, op.desired_local_rank), (status, 1, -1));
        assert_eq!(
            (op.actual_local_rank, op.actual_global_rank, op.actual_tag, op.actual_length),
            (2, 2, 99, 24)
        );
        assert_eq!(op.desired_length, 40);
    }
    let op =
        one_receive(Receive { progress: Progress::Cancelled, ..Receive::new(0, 2, 5) }).remove(0);
    assert_eq!((op.status, op.actual_local_rank, op.actual_tag), (mqs_st_complete, -1, 0));
    assert_eq!(op.extra_text, lines(&["10 x MPI_INT", "cancelled"]));
}

/// A receive from a process that has failed is complete, and has no message.
#[test]
fn a_receive_that_has_failed() {
    let failed =
        Receive { progress: Progress::Complete, message: (-1, -1, 0), ..Receive::new(0, 2, 7) };
    let receives = one_receive(failed);
    assert_eq!(receives[0].status, mqs_st_complete);
    assert_eq!((receives[0].desired_tag, receives[0].actual_local_rank), (7, -1));
}

#[test]
fn what_the_program_has_not_started_or_not_made_is_not_there() {
    let inactive =
        Receive { progress: Progress::Inactive, persistent: true, ..Receive::new(0, 2, 5) };
    assert_eq!(one_receive(inactive), []);
    assert_eq!(one_receive(Receive::new(0, 2, -10)), [], "of a collective");
    assert_eq!(
        one_send(Send { progress: Progress::Inactive, persistent: true, ..Send::new(0, 2, 5) }),
        []
    );
    assert_eq!(one_send(Send::new(0, 2, -10)), []);
    assert_eq!(one_send(Send::new(0, 2, -1)), [], "no send has any tag");
    let gone = Send { progress: Progress::Complete, freed: true, done: true, ..Send::new(0, 2, 5) };
    assert_eq!(one_send(gone), []);
}

#[test]
fn probes_wait_and_receive_nothing() {
    for kind in [ReceiveKind::Probe, ReceiveKind::MatchingProbe] {
        let op = one_receive(Receive { kind, ..Receive::new(0, -1, 40) }).remove(0);
        assert_eq!(
            (op.status, op.desired_tag, op.desired_length, op.buffer),
            (mqs_st_pending, 40, 0, 0)
        );
        assert_eq!(op.extra_text, lines(&["waits for a message, receives nothing"]));
    }
    // A message that MPI_Mprobe has taken.
    let taken = Receive {
        kind: ReceiveKind::MatchingProbe,
        progress: Progress::Complete,
        message: (2, 40, 8),
        ..Receive::new(0, -1, 40)
    };
    assert_eq!(one_receive(taken), []);
}

#[test]
fn a_send_is_desired_and_actual() {
    let expected = Op {
        status: mqs_st_pending,
        desired_local_rank: 2,
        desired_global_rank: 2,
        tag_wild: 0,
        desired_tag: 5,
        desired_length: 24,
        system_buffer: 0,
        buffer: 0x2345_6780,
        actual_local_rank: 2,
        actual_global_rank: 2,
        actual_tag: 5,
        actual_length: 24,
        extra_text: lines(&["3 x MPI_DOUBLE", "send mode: standard"]),
    };
    assert_eq!(one_send(Send::new(0, 2, 5)), [expected]);
    for (mode, name) in
        [(0, "synchronous"), (1, "standard"), (2, "buffered"), (3, "ready"), (4, "standard")]
    {
        let op = one_send(Send { mode, ..Send::new(0, 2, 5) }).remove(0);
        assert_eq!(op.extra_text[1], format!("send mode: {name}"));
    }
}

#[test]
fn the_status_of_a_send() {
    let status = |send: Send| one_send(send).remove(0).status;
    assert_eq!(status(Send { progress: Progress::Matched, ..Send::new(0, 2, 5) }), mqs_st_matched);
    assert_eq!(
        status(Send { progress: Progress::Complete, done: true, ..Send::new(0, 2, 5) }),
        mqs_st_complete
    );
    // Started again, with the traces of its former use.
    let again = Send { persistent: true, ..Send::new(0, 2, 5) };
    assert_eq!(status(again.clone()), mqs_st_pending);
    assert_eq!(one_send(again)[0].extra_text[2], "persistent request");
    // A buffered send goes on when MPI has finished with it.
    let buffered =
        Send { mode: 2, copy: Some(0x3000), progress: Progress::Complete, ..Send::new(0, 2, 5) };
    let op = one_send(buffered.clone()).remove(0);
    assert_eq!((op.status, op.system_buffer, op.buffer), (mqs_st_pending, 1, 0x3000));
    assert_eq!(status(Send { done: true, ..buffered.clone() }), mqs_st_complete);
    let given_up = one_send(Send { freed: true, ..buffered }).remove(0);
    assert_eq!(
        (given_up.status, given_up.extra_text[2].as_str()),
        (mqs_st_pending, "the program has freed its request")
    );
}

#[test]
fn an_unexpected_message_is_its_envelope() {
    let mut model = Model::world(1, 4);
    let rendezvous = Message { rendezvous: true, length: 1 << 33, ..Message::new(3, 12) };
    model.communicators[0].as_mut().expect("the world").unexpected =
        vec![Message::new(3, 11), rendezvous, Message::new(3, -20)];
    let unexpected = read(&model).remove(0).unexpected;
    assert_eq!(tags(&unexpected), [11, 12]);
    let op = &unexpected[0];
    assert_eq!(
        (op.status, op.system_buffer, op.desired_length, op.actual_length),
        (mqs_st_pending, 1, 16, 16)
    );
    assert_eq!((op.desired_local_rank, op.actual_global_rank, op.actual_tag), (3, 3, 11));
    assert_eq!(op.extra_text, lines(&["protocol: eager"]));
    let op = &unexpected[1];
    assert_eq!(
        (op.desired_length, op.buffer, op.extra_text[0].as_str()),
        (1 << 33, 0, "protocol: rendezvous")
    );
}

#[test]
fn receives_are_in_the_order_of_matching() {
    let mut model = Model::world(1, 4);
    let new = |source, tag| Receive::new(0, source, tag);
    model.receives = vec![
        new(2, 1),
        new(-1, 2),
        Receive { progress: Progress::Matched, message: (3, 3, 1), ..new(3, 3) },
        new(2, 4),
        Receive { kind: ReceiveKind::Probe, ..new(-1, 5) },
        new(0, 6),
        Receive { progress: Progress::Complete, message: (0, 7, 1), ..new(-1, 7) },
        new(2, 8),
    ];
    for first in [0, 5, u32::MAX - 3, 1 << 31] {
        model.first_sequence.0 = first;
        assert_eq!(tags(&read(&model)[0].receives), [3, 7, 1, 2, 4, 5, 6, 8], "from {first}");
    }
}

#[test]
fn sends_to_one_peer_are_in_their_order() {
    let mut model = Model::world(1, 4);
    model.sends = (0..12).map(|tag| Send::new(0, tag % 3, tag)).collect();
    for first in [1, u16::MAX - 1, 1 << 15] {
        model.first_sequence.1 = first;
        assert_eq!(
            tags(&read(&model)[0].sends),
            [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11],
            "from {first}"
        );
    }
}

#[test]
fn messages_are_in_the_order_of_receives_from_any_source() {
    let mut model = Model::world(1, 4);
    let world = model.communicators[0].as_mut().expect("the world");
    world.last_probed = 1;
    // The tens are the sender, the ones the order.
    world.unexpected =
        [0, 10, 1, 20, 2, 30, 31, 32].map(|tag| Message::new(tag / 10, tag)).to_vec();
    world.unexpected.push(Message { early: true, ..Message::new(1, 11) });
    let unexpected = read(&model).remove(0).unexpected;
    assert_eq!(tags(&unexpected), [20, 30, 0, 10, 31, 1, 11, 32, 2]);
    assert_eq!(
        unexpected[6].extra_text[1],
        "came early: an earlier message of its sender is missing"
    );
}

#[test]
fn early_messages_are_sorted_out() {
    for count in 1..7 {
        let mut model = Model::world(1, 4);
        let early = |tag| Message { early: true, ..Message::new(2, tag) };
        model.communicators[0].as_mut().expect("the world").unexpected =
            (0..count).map(early).collect();
        assert_eq!(tags(&read(&model)[0].unexpected), (0..count).collect::<Vec<_>>());
    }
}

#[test]
fn messages_of_a_communicator_that_is_being_made_are_not_shown_elsewhere() {
    for (series, shown) in [(Series::Four, vec![1]), (Series::Five, vec![1, 2])] {
        let mut model = Model { series, ..Model::world(1, 4) };
        let early = |foreign, tag| Message { early: true, foreign, ..Message::new(2, tag) };
        model.communicators[0].as_mut().expect("the world").unexpected =
            vec![early(false, 1), early(true, 2)];
        assert_eq!(tags(&read(&model)[0].unexpected), shown, "{series:?}");
    }
}

#[test]
fn names_are_those_the_program_has_given() {
    for series in BOTH {
        let mut model = Model { series, ..Model::world(1, 4) };
        let unnamed = Communicator { named: false, ..Communicator::new("", 1, vec![0, 1]) };
        let long = Communicator::new(&"ü".repeat(31), 1, vec![0, 1]);
        let invalid = Communicator { invalid: true, ..Communicator::new("no", 1, vec![0, 1]) };
        model.communicators.extend([Some(unnamed), None, Some(long), Some(invalid)]);
        let dump = read(&model);
        let names: Vec<_> =
            dump[2..].iter().map(|c| String::from_utf8(c.name.clone()).expect("UTF-8")).collect();
        assert_eq!(names, ["".to_owned(), "ü".repeat(31)]);
        assert_eq!(dump.iter().map(|c| c.unique_id).collect::<Vec<_>>(), [0, 1, 3, 5]);
    }
}

#[test]
fn an_intercommunicator_has_ranks_of_its_remote_group() {
    let mut model = Model::world(1, 4);
    let mut bridge = Communicator::new("bridge", 1, vec![3, 1]);
    bridge.remote = Some(Group::Dense(vec![2, 0]));
    bridge.internal = Some(4);
    bridge.unexpected = vec![Message::new(1, 7)];
    model.communicators.extend([Some(bridge), Some(Communicator::new("internal", 1, vec![3, 1]))]);
    model.receives = vec![Receive::new(3, 0, 5), Receive::new(4, 0, 6)];
    model.sends = vec![Send::new(3, 1, 5), Send::new(4, 1, 6)];
    let dump = read(&model);
    assert_eq!(dump.len(), 3, "the communicator inside is the library's own");
    let bridge = &dump[2];
    assert_eq!((bridge.group.as_slice(), bridge.local_rank), ([3, 1].as_slice(), 1));
    assert_eq!(
        (bridge.receives[0].desired_local_rank, bridge.receives[0].desired_global_rank),
        (0, 2)
    );
    assert_eq!((bridge.sends[0].desired_local_rank, bridge.sends[0].desired_global_rank), (1, 0));
    assert_eq!(
        (bridge.unexpected[0].desired_local_rank, bridge.unexpected[0].desired_global_rank),
        (1, 0)
    );
}

#[test]
fn a_process_of_sessions_has_no_world() {
    let mut model = Model {
        series: crate::support::open_mpi::Series::Five,
        sessions: true,
        state: 0,
        ..Model::world(1, 4)
    };
    (model.communicators[0], model.communicators[1]) = (None, None);
    model.communicators.push(Some(Communicator::new("from group", 0, vec![1, 3])));
    model.receives = vec![Receive::new(3, 1, 5)];
    let dump = read(&model);
    assert_eq!(
        (dump.len(), dump[0].name.as_slice(), dump[0].group.as_slice()),
        (1, b"from group".as_slice(), [1, 3].as_slice())
    );
    assert_eq!(dump[0].receives[0].desired_global_rank, 3);
}

#[test]
fn groups_in_all_representations() {
    let parent = || Box::new(Group::Dense(vec![9, 8, 7, 6, 5, 4, 3, 2, 1, 0]));
    let groups = [
        (Group::Strided(parent(), 1, 3, 3), vec![8, 5, 2]),
        (Group::Sporadic(parent(), vec![(7, 2), (0, 1)]), vec![2, 1, 9]),
        (Group::Bitmap(parent(), vec![0, 3, 8, 9]), vec![9, 6, 1, 0]),
        (Group::Strided(Box::new(Group::Bitmap(parent(), vec![1, 2, 5, 9])), 0, 2, 2), vec![8, 4]),
        (Group::Dense(vec![3, -1, 2]), vec![3, -1, 2]),
    ];
    for strangers in [vec![], vec![0, 2, 3, 5, 8, 9]] {
        let mut model = Model { strangers, ..Model::world(1, 10) };
        for (group, _) in &groups {
            model.communicators.push(Some(Communicator {
                local: group.clone(),
                ..Communicator::new("sub", 0, vec![])
            }));
        }
        let dump = read(&model);
        for (communicator, (_, ranks)) in dump[2..].iter().zip(&groups) {
            assert_eq!(communicator.group, *ranks);
        }
    }
}

#[test]
fn datatypes_have_their_whole_names() {
    let length = |datatype| {
        one_receive(Receive { datatype, count: 1000, ..Receive::new(0, 2, 5) }).remove(0)
    };
    assert_eq!(length(1).extra_text, lines(&["1000 x MPI_DOUBLE"]));
    assert_eq!(length(1).desired_length, 8000);
    assert_eq!(length(2).extra_text, lines(&["1000 x a datatype of 12 bytes"]));
}

#[test]
fn any_machine_and_any_state_are_read() {
    let mut operations = 0;
    for machine in Machine::ALL {
        for series in BOTH {
            for seed in 0..40 {
                let model = random(seed, series);
                let layouts = invented(&machine, series, seed);
                let expected = model.expected(&layouts);
                let session = Session::opened(Writer::write(&model, machine, layouts));
                let dump = session.read();
                assert_eq!(dump.len(), expected.len(), "{machine:?}, {series:?}, seed {seed}");
                for (shown, expected) in dump.iter().zip(&expected) {
                    assert_eq!(shown.group, expected.group, "{machine:?}, {series:?}, seed {seed}");
                    assert_eq!(shown.sends, expected.sends, "{machine:?}, {series:?}, seed {seed}");
                    assert_eq!(
                        shown.receives, expected.receives,
                        "{machine:?}, {series:?}, seed {seed}"
                    );
                    assert_eq!(
                        shown.unexpected, expected.unexpected,
                        "{machine:?}, {series:?}, seed {seed}"
                    );
                    assert_eq!(shown, expected, "{machine:?}, {series:?}, seed {seed}");
                }
                operations += dump
                    .iter()
                    .map(|c| c.sends.len() + c.receives.len() + c.unexpected.len())
                    .sum::<usize>();
            }
        }
    }
    assert!(operations > 10_000, "the models are not empty: {operations}");
}

#[test]
fn slabs_of_any_size_are_read() {
    let mut model = Model::world(1, 4);
    model.receives = (0..100).map(|tag| Receive::new(0, 2, tag)).collect();
    for slabs in [(1, 1), (1, 64), (100, 1), (7, 5), (300, 64)] {
        model.slabs = slabs;
        assert_eq!(
            tags(&open(&model).read()[0].receives),
            (0..100).collect::<Vec<_>>(),
            "{slabs:?}"
        );
    }
}
