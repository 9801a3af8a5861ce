//! MPICH with the device ch3.

use super::{assert_has_groups, communicators, named, of_world, read, session};
use crate::support::mpich::{
    Ch3, Ch3Kind, LIBRARY, LISTS, Mpich, Nemesis, OWN_DATATYPE, RECEIVED, USER,
};
use crate::support::process::SyntheticProcess;
use crate::support::session::{HiddenSends, Op};
use mqs_abi::*;

const TABLE: &str = include_str!("../../../../mqd-layout/tables/mpich-4.0-ch3.layout");

const EAGER: u64 = 1;
const RENDEZVOUS: u64 = 2;
const TO_ITSELF: u64 = 3;
const SYNCHRONOUS: u64 = 8;

/// Something of everything on `MPI_COMM_WORLD`, in its order.
pub fn model() -> Mpich {
    use Ch3Kind::{Matched, Message, New, Packet, Posted, Send};
    let own = |one: Ch3| Ch3 { context: 1, ..one };
    let ch3 = vec![
        Ch3::new(Posted, 3, 70, 5),
        Ch3::new(Message(EAGER), 2, 80, 3),
        Ch3::new(Matched(2, 71), -2, 71, 6),
        Ch3::new(Send(1), 0, 90, 1 << 20),
        own(Ch3::new(Posted, 0, 1, 0)),
        Ch3::new(Message(EAGER | SYNCHRONOUS), 0, 81, 0),
        Ch3::new(Matched(3, 75), 3, 75, 8),
        Ch3 { datatype: OWN_DATATYPE, ..Ch3::new(Posted, -2, -1, 2) },
        Ch3::new(Message(RENDEZVOUS), 3, 82, 1 << 18),
        own(Ch3::new(Message(EAGER), 3, 1, 0)),
        Ch3::new(Send(3), 2, 91, 2),
        Ch3::new(Send(2), 3, 92, 2),
        Ch3::new(Packet(0, true), 2, 93, 100),
        Ch3::new(Packet(1, true), 3, 94, 3),
        // An answer to a long message.
        Ch3::new(Packet(6, true), 0, 0, 0),
        Ch3::new(Message(TO_ITSELF), 1, 83, 7),
        Ch3::new(New, 2, 84, 7),
        own(Ch3::new(Send(1), 2, 1, 0)),
        Ch3::new(Posted, 2, -1, 1),
    ];
    Mpich { communicators: communicators(), ch3, ..Mpich::default() }
}

pub fn full() -> SyntheticProcess {
    Mpich { nemesis: Some(Nemesis::QUIET), ..model() }.write(TABLE)
}

fn numbers(operations: &[Op]) -> Vec<(i32, i64, i32, i64, i64, u64)> {
    let fields = |op: &Op| {
        let (rank, tag) = (op.desired_global_rank, op.desired_tag);
        (op.status, rank, op.tag_wild, tag, op.desired_length, op.buffer)
    };
    operations.iter().map(fields).collect()
}

fn lines(operations: &[Op]) -> Vec<String> {
    operations.iter().map(|one| one.extra_text.join("; ")).collect()
}

#[test]
fn communicators_and_their_groups() {
    assert_has_groups(&read(full()));
}

#[test]
fn receives_messages_and_sends() {
    let mut session = session(full());
    session.open().expect("the table fits");
    let dump = session.read();
    let world = named(&dump, "MPI_COMM_WORLD");
    let receives = [
        // Of a message that was there before its receive, only the message is known.
        (mqs_st_matched, 3, 0, 75, RECEIVED, USER),
        (mqs_st_matched, -1, 0, 71, 24, USER),
        (mqs_st_pending, 3, 0, 70, 20, USER),
        (mqs_st_pending, -1, 1, 0, 48, USER),
        (mqs_st_pending, 2, 1, 0, 4, USER),
    ];
    assert_eq!(numbers(&world.receives), receives);
    let matched = &world.receives[1];
    assert_eq!(
        (matched.actual_global_rank, matched.actual_tag, matched.actual_length),
        (2, 71, RECEIVED)
    );
    let messages = [
        (mqs_st_pending, 2, 0, 80, 12, LIBRARY),
        (mqs_st_pending, 0, 0, 81, 0, LIBRARY),
        (mqs_st_pending, 3, 0, 82, 1 << 20, 0),
        (mqs_st_pending, 1, 0, 83, 28, USER),
    ];
    assert_eq!(numbers(&world.unexpected), messages);
    let expected = [
        "protocol: eager",
        "send mode: synchronous; protocol: eager",
        "protocol: rendezvous",
        "protocol: self",
    ];
    assert_eq!(lines(&world.unexpected), expected);
    let mut sends: Vec<_> = numbers(&world.sends).into_iter().zip(lines(&world.sends)).collect();
    sends.sort_by_key(|(send, _)| send.3);
    let expected = [
        ((mqs_st_pending, 0, 0, 90, 1 << 22, USER), String::new()),
        ((mqs_st_pending, 2, 0, 91, 8, USER), "send mode: synchronous".into()),
        ((mqs_st_pending, 3, 0, 92, 8, USER), "send mode: ready".into()),
        ((mqs_st_pending, 2, 0, 93, 400, USER), String::new()),
        ((mqs_st_pending, 3, 0, 94, 12, 0), String::new()),
    ];
    assert_eq!(sends, expected);
}

/// The order is that of the lists, and does not depend on what is not shown or has left them.
#[test]
fn the_order_is_that_of_the_lists() {
    let receive = Ch3::new(Ch3Kind::Posted, -2, 0, 1);
    let message = Ch3::new(Ch3Kind::Message(EAGER), 2, 0, 1);
    let matched = Ch3::new(Ch3Kind::Matched(2, 71), -2, 71, 6);
    let own = |one: Ch3| Ch3 { context: 1, ..one };
    let ch3 = (0..1500)
        .flat_map(|tag| {
            let (receive, message) = (Ch3 { tag, ..receive }, Ch3 { tag, ..message });
            [own(receive), receive, matched, own(message), message]
        })
        .collect();
    let mut session = session(Mpich { ch3, ..model() }.write(TABLE));
    session.open().expect("the table fits");
    session.debugger.fetches.set(0);
    session.update().expect("everything can be read");
    assert!(session.debugger.fetches.get() < 1500, "{}", session.debugger.fetches.get());
    let dump = session.dump();
    let world = named(&dump, "MPI_COMM_WORLD");
    let tags = |operations: &[Op]| -> Vec<i64> {
        let pending = operations.iter().filter(|one| one.status == mqs_st_pending);
        pending.map(|one| one.desired_tag).collect()
    };
    let expected: Vec<i64> = (0..1500).collect();
    assert_eq!(tags(&world.receives), expected);
    assert_eq!(tags(&world.unexpected), expected);
}

/// Without the variables that name its ends, a list is not known, and no queue is empty.
#[test]
fn a_list_without_its_variables_is_not_known() {
    let receives = |one: &Ch3| one.kind == Ch3Kind::Posted;
    for (variable, posted) in LISTS.into_iter().zip([true, true, false, false]) {
        let mut model = model();
        let is_listed = |one: &Ch3| matches!(one.kind, Ch3Kind::Posted | Ch3Kind::Message(_));
        model.ch3.retain(|one| receives(one) == posted && is_listed(one));
        let mut process = model.write(TABLE);
        let at = process.object(variable, 0);
        process.bytes_mut(at, 8).fill(0);
        let mut session = session(process);
        session.open().expect("the table fits");
        let refusal = session.update().expect_err("a list is missing");
        assert!(refusal.text.contains("the list of"), "{variable}: {}", refusal.text);
        for queue in [mqs_pending_sends, mqs_pending_receives, mqs_unexpected_messages] {
            assert_eq!(of_world(&session, queue), mqs_no_information, "{variable}");
        }
    }
}

/// A receive that is on no list is being posted, or is being matched.
#[test]
fn a_receive_beside_its_list_is_not_shown() {
    let mut process = full();
    // The second receive of the list is passed by.
    let third = process.object("MPIR_Request", 7) as i64;
    process.set("MPIR_Request", 0, "next", third);
    process.set("MPIR_Request", 4, "dev.match.parts.context_id", 0);
    let mut session = session(process);
    session.open().expect("the table fits");
    let refusal = session.update().expect_err("a receive is missing");
    assert!(refusal.text.contains("just being posted or matched"), "{}", refusal.text);
    let dump = session.dump();
    assert_eq!(named(&dump, "MPI_COMM_WORLD").receives.len(), 5);
}

/// When its packet is sent, a send has no envelope any more.
#[test]
fn sends_without_a_packet_are_not_known() {
    let mut model = model();
    model.ch3[12].kind = Ch3Kind::Packet(0, false);
    let mut session = session(model.write(TABLE));
    session.open().expect("the table fits");
    let refusal = session.update().expect_err("there is a send");
    assert!(refusal.text.contains("of which a part is sent"), "{}", refusal.text);
    session.hidden_sends = HiddenSends::All;
    assert_eq!(of_world(&session, mqs_pending_sends), mqs_no_information);
    assert_eq!(of_world(&session, mqs_pending_receives), mqs_ok);
    assert_eq!(of_world(&session, mqs_unexpected_messages), mqs_ok);
}

/// Other processes of the job have their ranks; those of another job have none.
#[test]
fn connections_that_lead_elsewhere() {
    for (field, value) in [("pg_rank", 4), ("pg_rank", -1)] {
        let mut process = full();
        // That of the communicator "second" to rank 0.
        process.set("MPIDI_VC_t", 5, field, value);
        let mut session = session(process);
        session.open().expect("the table fits");
        session.update().expect_err("a rank that is none");
        let dump = session.dump();
        assert_eq!(named(&dump, "MPI_COMM_WORLD").receives.len(), 5);
    }
    let mut process = full();
    process.set("MPIDI_VC_t", 5, "pg", 0x9900);
    let mut session = session(process);
    session.open().expect("the table fits");
    let dump = session.read();
    assert_eq!(named(&dump, "second").group, [-1, 1, 2, 3]);
}

/// The first members of a larger communicator may have its table.
#[test]
fn a_table_of_a_larger_communicator() {
    let mut process = full();
    let table = process.object("MPIDI_VCRT_t", 3);
    // That of the communicator "from", which has 3 members.
    process.bytes_mut(table + 8, 4).copy_from_slice(&[4, 0, 0, 0]);
    let mut session = session(process);
    session.open().expect("the table fits");
    assert_eq!(named(&session.read(), "from").group, [1, 2, 3]);
}

/// Requests of another size are those of another channel, or of another configuration.
#[test]
fn another_channel_is_refused() {
    let mut process = full();
    process.set("MPIR_Object_alloc_t", 1, "size", 800);
    let refusal = session(process).open().expect_err("no table fits");
    assert!(refusal.text.contains("not initialised yet"), "{}", refusal.text);
    let mut process = full();
    let table = process.object("MPIDI_VCRT_t", 0);
    process.bytes_mut(table + 8, 4).fill(9);
    let refusal = session(process).open().expect_err("no table fits");
    assert!(refusal.text.contains("does not know the layout"), "{}", refusal.text);
}
