//! What each field holds (5.5), against expectations written by hand.

use crate::support::contract::constant;
use crate::support::machine::{Machine, natural};
use crate::support::model::*;
use crate::support::process::{Placement, SyntheticProcess};
use crate::support::session::{DumpedCommunicator, Op, Session};
use mqs_abi::*;

fn read(model: &Model) -> Vec<DumpedCommunicator> {
    let machine = Machine::LP64;
    Session::opened(SyntheticProcess::new(model, machine, natural(&machine), Placement::Slab))
        .read()
}

/// Rank 1 of a world of 4 with one posted receive, and changes to it.
fn one_receive(request: Request) -> Op {
    let mut model = Model::world(1, 4);
    model.communicators[0].posted = vec![request];
    read(&model).remove(0).receives.remove(0)
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn an_idle_process_has_communicators_with_empty_queues() {
    let communicators = read(&Model::world(1, 4));
    let expected = DumpedCommunicator {
        unique_id: 1,
        local_rank: 1,
        size: 4,
        name: b"MPI_COMM_WORLD".to_vec(),
        group: vec![0, 1, 2, 3],
        sends: vec![],
        receives: vec![],
        unexpected: vec![],
    };
    assert_eq!(communicators, [expected]);
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
        extra_text: lines(&["MPI_Irecv", "10 x MPI_INT"]),
    };
    assert_eq!(one_receive(Request::receive(3, 17)), expected);
}

#[test]
fn wildcards_are_minus_one_and_a_flag() {
    let op = one_receive(Request::receive(ANY_SOURCE, ANY_TAG));
    assert_eq!((op.desired_local_rank, op.desired_global_rank), (-1, -1));
    assert_eq!((op.tag_wild, op.desired_tag), (1, 0));
    let op = one_receive(Request::receive(ANY_SOURCE, 5));
    assert_eq!((op.desired_local_rank, op.tag_wild, op.desired_tag), (-1, 0, 5));
}

#[test]
fn a_matched_receive_has_its_message() {
    let mut model = Model::world(1, 4);
    model.communicators[0].matched = vec![
        Request::matched(ANY_SOURCE, ANY_TAG, 2, 99),
        Request {
            state: constant("COMPLETE"),
            protocol: constant("SELF"),
            ..Request::matched(1, 7, 1, 7)
        },
    ];
    let receives = read(&model).remove(0).receives;
    assert_eq!(receives.len(), 2);
    let op = &receives[0];
    assert_eq!((op.status, op.tag_wild, op.desired_local_rank), (mqs_st_matched, 1, -1));
    assert_eq!(
        (op.actual_local_rank, op.actual_global_rank, op.actual_tag, op.actual_length),
        (2, 2, 99, 24)
    );
    assert_eq!(op.desired_length, 40);
    assert_eq!(op.extra_text, lines(&["MPI_Irecv", "10 x MPI_INT", "protocol: rendezvous"]));
    assert_eq!(receives[1].status, mqs_st_complete);
    assert_eq!(receives[1].extra_text[2], "protocol: self");
}

#[test]
fn a_receive_from_no_process_has_no_global_rank() {
    let mut model = Model::world(1, 4);
    let complete = Request {
        state: constant("COMPLETE"),
        ..Request::matched(PROC_NULL, 7, PROC_NULL, ANY_TAG)
    };
    model.communicators[0].matched = vec![complete];
    let op = &read(&model)[0].receives[0];
    assert_eq!((op.desired_local_rank, op.desired_global_rank), (-3, -1));
    assert_eq!((op.actual_local_rank, op.actual_global_rank, op.actual_tag), (-3, -1, -2));
}

#[test]
fn a_send_is_desired_and_actual() {
    let mut model = Model::world(1, 4);
    model.sends = vec![(0, Request { buffer: -16, ..Request::send(2, 5) })];
    let expected = Op {
        status: mqs_st_pending,
        desired_local_rank: 2,
        desired_global_rank: 2,
        tag_wild: 0,
        desired_tag: 5,
        desired_length: 24,
        system_buffer: 0,
        buffer: 0xFFFF_FFFF_FFFF_FFF0,
        actual_local_rank: 2,
        actual_global_rank: 2,
        actual_tag: 5,
        actual_length: 24,
        extra_text: lines(&["MPI_Isend", "3 x MPI_DOUBLE", "protocol: rendezvous"]),
    };
    assert_eq!(read(&model).remove(0).sends, [expected]);
}

#[test]
fn all_send_modes_are_sends() {
    let mut model = Model::world(1, 4);
    let modes = ["SEND_STANDARD", "SEND_BUFFERED", "SEND_SYNCHRONOUS", "SEND_READY"];
    let calls = ["MPI_Send", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend"];
    for (mode, call) in modes.iter().zip(calls) {
        let system_buffer = i64::from(*mode == "SEND_BUFFERED");
        model.sends.push((
            0,
            Request { kind: constant(mode), call, system_buffer, ..Request::send(0, 1) },
        ));
    }
    let sends = read(&model).remove(0).sends;
    assert_eq!(sends.iter().map(|op| op.extra_text[0].as_str()).collect::<Vec<_>>(), calls);
    assert_eq!(sends.iter().map(|op| op.system_buffer).collect::<Vec<_>>(), [0, 1, 0, 0]);
}

#[test]
fn an_unexpected_message_is_its_envelope() {
    let mut model = Model::world(1, 4);
    model.communicators[0].unexpected = vec![
        Message::eager(3, 11),
        Message {
            length: 5_000_000_000,
            buffer: 0,
            protocol: constant("RENDEZVOUS"),
            mode: constant("SEND_SYNCHRONOUS"),
            ..Message::eager(0, 12)
        },
    ];
    let unexpected = read(&model).remove(0).unexpected;
    let expected = Op {
        status: mqs_st_pending,
        desired_local_rank: 3,
        desired_global_rank: 3,
        tag_wild: 0,
        desired_tag: 11,
        desired_length: 16,
        system_buffer: 1,
        buffer: 0x7654_3210,
        actual_local_rank: 3,
        actual_global_rank: 3,
        actual_tag: 11,
        actual_length: 16,
        extra_text: lines(&["send mode: standard", "protocol: eager"]),
    };
    assert_eq!(unexpected[0], expected);
    let expected = Op {
        desired_local_rank: 0,
        desired_global_rank: 0,
        desired_tag: 12,
        desired_length: 5_000_000_000,
        buffer: 0,
        actual_local_rank: 0,
        actual_global_rank: 0,
        actual_tag: 12,
        actual_length: 5_000_000_000,
        extra_text: lines(&["send mode: synchronous", "protocol: rendezvous"]),
        ..expected
    };
    assert_eq!(unexpected[1], expected);
}

#[test]
fn receives_are_in_the_order_of_matching() {
    let mut model = Model::world(1, 4);
    model.communicators[0].matched =
        vec![Request::matched(0, 1, 0, 1), Request::matched(0, 2, 0, 2)];
    model.communicators[0].posted = vec![Request::receive(0, 3), Request::receive(0, 4)];
    model.communicators.push(Communicator::new(2, "", 1, vec![0, 1, 2, 3]));
    model.probes = vec![(1, Request::probe(0, 6)), (0, Request::probe(ANY_SOURCE, 5))];
    let communicators = read(&model);
    let tags = |index: usize| {
        communicators[index].receives.iter().map(|op| op.desired_tag).collect::<Vec<_>>()
    };
    assert_eq!(tags(0), [1, 2, 3, 4, 5]);
    assert_eq!(tags(1), [6]);
}

#[test]
fn a_waiting_probe_is_a_receive_of_nothing() {
    let mut model = Model::world(1, 4);
    model.probes = vec![(0, Request::probe(ANY_SOURCE, 5))];
    let op = read(&model).remove(0).receives.remove(0);
    assert_eq!((op.status, op.desired_length, op.buffer), (mqs_st_pending, 0, 0));
    assert_eq!(op.extra_text, lines(&["MPI_Probe", "waits for a message, receives nothing"]));
}

#[test]
fn ranks_of_a_subgroup_are_translated() {
    let mut model = Model::world(6, 8);
    model.communicators.push(Communicator::new(9, "odd ones, reversed", 1, vec![7, 6, 3, 1]));
    model.communicators[1].posted = vec![Request::receive(0, 1), Request::receive(3, 1)];
    model.communicators[1].unexpected = vec![Message::eager(2, 1)];
    model.sends = vec![(1, Request::send(2, 1)), (0, Request::send(2, 1))];
    let communicators = read(&model);
    let sub = &communicators[1];
    assert_eq!((sub.local_rank, sub.size, sub.group.as_slice()), (1, 4, [7, 6, 3, 1].as_slice()));
    let ranks = |ops: &[Op]| {
        ops.iter().map(|op| (op.desired_local_rank, op.desired_global_rank)).collect::<Vec<_>>()
    };
    assert_eq!(ranks(&sub.receives), [(0, 7), (3, 1)]);
    assert_eq!(ranks(&sub.unexpected), [(2, 3)]);
    assert_eq!(ranks(&sub.sends), [(2, 3)]);
    assert_eq!(ranks(&communicators[0].sends), [(2, 2)]);
}

#[test]
fn an_intercommunicators_peers_are_in_the_remote_group() {
    let mut model = Model::world(2, 6);
    let mut inter = Communicator::new(5, "inter", 2, vec![0, 1, 2, 3]);
    inter.remote = Some(Group { rank: UNDEFINED, world_ranks: vec![5, 4] });
    inter.posted = vec![Request::receive(0, 1)];
    inter.matched = vec![Request::matched(ANY_SOURCE, 1, 1, 1)];
    inter.unexpected = vec![Message::eager(1, 1)];
    model.communicators.push(inter);
    model.sends = vec![(1, Request::send(1, 1))];
    let inter = read(&model).remove(1);
    assert_eq!(
        (inter.local_rank, inter.size, inter.group.as_slice()),
        (2, 4, [0, 1, 2, 3].as_slice())
    );
    assert_eq!((inter.receives[0].actual_local_rank, inter.receives[0].actual_global_rank), (1, 4));
    assert_eq!(
        (inter.receives[1].desired_local_rank, inter.receives[1].desired_global_rank),
        (0, 5)
    );
    assert_eq!(
        (inter.unexpected[0].desired_local_rank, inter.unexpected[0].desired_global_rank),
        (1, 4)
    );
    assert_eq!((inter.sends[0].actual_local_rank, inter.sends[0].actual_global_rank), (1, 4));
}

#[test]
fn freed_communicators_are_shown_while_something_is_pending() {
    let mut model = Model::world(1, 4);
    for (id, pending) in [(2, false), (3, true), (4, false)] {
        let mut communicator = Communicator::new(id, "", 1, vec![0, 1, 2, 3]);
        communicator.freed = 1;
        communicator.posted = if pending { vec![Request::receive(0, 1)] } else { vec![] };
        model.communicators.push(communicator);
    }
    model.sends = vec![(3, Request::send(0, 1))];
    let ids: Vec<u64> = read(&model).iter().map(|communicator| communicator.unique_id).collect();
    assert_eq!(ids, [1, 3, 4]);
}

#[test]
fn names_are_cut_between_characters() {
    let name = |text: &str| {
        let mut model = Model::world(0, 1);
        model.communicators[0].name = text.as_bytes().to_vec();
        String::from_utf8(read(&model).remove(0).name).expect("UTF-8")
    };
    assert_eq!(name(""), "");
    assert_eq!(name(&"x".repeat(63)), "x".repeat(63));
    assert_eq!(name(&"x".repeat(64)), "x".repeat(63));
    assert_eq!(name(&"é".repeat(60)), "é".repeat(31));
    assert_eq!(name(&("x".to_owned() + &"é".repeat(60))), "x".to_owned() + &"é".repeat(31));
    assert_eq!(name(&"計算".repeat(20)), "計算".repeat(10) + "計");
    assert_eq!(name(&"🧮".repeat(31)), "🧮".repeat(15));
    assert_eq!(
        name(&"n".repeat(128)),
        "n".repeat(63),
        "a name without its zero ends with the array"
    );
}

#[test]
fn datatype_names_are_shown_in_full() {
    let op = |name: &str, count: i64| {
        let mut model = Model::world(1, 4);
        model.datatypes.push((name.as_bytes().to_vec(), 24));
        model.communicators[0].posted =
            vec![Request { datatype: Some(2), count, ..Request::receive(0, 1) }];
        read(&model).remove(0).receives.remove(0).extra_text
    };
    assert_eq!(op("a row", 0), lines(&["MPI_Irecv", "0 x a row"]));
    assert_eq!(op("", 5), lines(&["MPI_Irecv", "5 x a datatype of 24 bytes"]));
    let long = "ü".repeat(63);
    let text = op(&long, i64::MAX);
    assert_eq!(text[1..].concat(), format!("{} x {long}", i64::MAX));
    assert_eq!(text.len(), 4);
}

#[test]
fn each_update_reads_anew() {
    let machine = Machine::LP64;
    let place =
        |model: &Model| SyntheticProcess::new(model, machine, natural(&machine), Placement::Slab);
    let mut session = Session::opened(place(&Model::busy(2, 3)));
    assert_eq!(
        session.read().iter().map(|communicator| communicator.receives.len()).collect::<Vec<_>>(),
        [3, 3]
    );
    session.debugger.process = place(&Model::busy(1, 5));
    assert_eq!(session.dump().len(), 2, "the iterators serve what the last update read");
    assert_eq!(
        session.read().iter().map(|communicator| communicator.receives.len()).collect::<Vec<_>>(),
        [5]
    );
}
