//! MPICH 4.3: messages through shared memory.

use super::{communicators, named, of_world, session};
use crate::support::mpich::{Active, BYTE, CELLS, INT, Map, Mpich, Own};
use crate::support::process::SyntheticProcess;
use crate::support::session::Op;
use crate::support::tables::table;
use crate::support::ucx::{Ucx, UcxRequest, User};
use mqs_abi::*;

const TABLE: &str = include_str!("../../../../mqd-layout/tables/mpich-4.3.layout");

const UNEXPECTED: u64 = 4 | 0x100;

/// Receives and messages on `MPI_COMM_WORLD`, in their order.
fn model() -> Mpich {
    let receive = |status, context, source, tag, count| Active {
        is_send: false,
        status,
        context,
        source,
        tag,
        count,
        datatype: INT,
    };
    let message = |status, source, tag, count| Active {
        datatype: BYTE,
        ..receive(status | UNEXPECTED, 0, source, tag, count)
    };
    let active = vec![
        receive(0, 0, 3, 70, 5),
        message(0, 2, 80, 12),
        receive(0x100, 0, 2, 71, 9),
        message(2, 0, 81, 0),
        receive(0, 0, -2, -1, 1),
        // The library's own.
        receive(0, 1, 0, 3, 1),
        message(0x80, 3, 82, 1 << 20),
    ];
    let own = vec![Own { is_send: false, tag: 7, count: 2, datatype: INT }];
    Mpich { communicators: communicators(), own, active, ..Mpich::default() }
}

fn process(model: &Mpich, ucx: &Ucx) -> SyntheticProcess {
    let mut process = model.write(TABLE);
    ucx.write(&mut process, &table("ucx-1.18"));
    process
}

/// Something on every list, and cells, of which some are in use.
pub fn full() -> SyntheticProcess {
    let ucx = Ucx { user: User::Mpich4_3, ..Ucx::default() };
    process(&Mpich { free_cells: Some(CELLS - 1), ..model() }, &ucx)
}

fn numbers(operations: &[Op]) -> Vec<(i32, i64, i32, i64, i64)> {
    let fields = |op: &Op| {
        (op.status, op.desired_global_rank, op.tag_wild, op.desired_tag, op.desired_length)
    };
    operations.iter().map(fields).collect()
}

#[test]
fn receives_and_messages() {
    let ucx = Ucx { user: User::Mpich4_3, ..Ucx::default() };
    let mut session = session(process(&model(), &ucx));
    session.open().expect("the tables fit");
    let dump = session.read();
    let world = named(&dump, "MPI_COMM_WORLD");
    // What is matched comes first; of it, only the message is known.
    let receives = [
        (mqs_st_matched, 2, 0, 71, 21),
        (mqs_st_pending, 3, 0, 70, 20),
        (mqs_st_pending, -1, 1, 0, 4),
    ];
    assert_eq!(numbers(&world.receives), receives);
    let messages = [
        (mqs_st_pending, 2, 0, 80, 12),
        (mqs_st_pending, 0, 0, 81, 0),
        (mqs_st_pending, 3, 0, 82, 1 << 20),
    ];
    assert_eq!(numbers(&world.unexpected), messages);
    let lines: Vec<_> = world.unexpected.iter().map(|one| one.extra_text.join("; ")).collect();
    let expected =
        ["protocol: eager", "send mode: synchronous; protocol: eager", "protocol: rendezvous"];
    assert_eq!(lines, expected);
    assert_eq!(numbers(&named(&dump, "MPI_COMM_SELF").receives), [(mqs_st_pending, 1, 0, 7, 8)]);
}

/// Lists have elements that are not shown, and name elements that were on them. The order of the
/// others is that of the list all the same.
#[test]
fn the_order_does_not_depend_on_what_is_shown() {
    let ucx = Ucx { user: User::Mpich4_3, ..Ucx::default() };
    let mut model = model();
    let [receive, message, matched] = [model.active[0], model.active[1], model.active[2]];
    let own = |one: Active| Active { context: 1, ..one };
    model.active = (0..16)
        .flat_map(|tag| {
            let (receive, message) = (Active { tag, ..receive }, Active { tag, ..message });
            [own(receive), receive, matched, own(message), message]
        })
        .collect();
    let mut session = session(process(&model, &ucx));
    session.open().expect("the tables fit");
    let dump = session.read();
    let world = named(&dump, "MPI_COMM_WORLD");
    let tags = |operations: &[Op]| -> Vec<i64> {
        numbers(operations).iter().filter(|one| one.0 == mqs_st_pending).map(|one| one.3).collect()
    };
    let expected: Vec<i64> = (0..16).collect();
    assert_eq!(tags(&world.receives), expected);
    assert_eq!(tags(&world.unexpected), expected);
}

/// The place of the receive from any source among the requests of [`model`], without own messages.
const FROM_ANY: usize = 4;

/// The process of [`model`] with these requests of UCX. MPICH has a request for the one with the
/// number `network`, with these fields.
fn with_network_request(
    requests: Vec<UcxRequest>,
    network: usize,
    fields: impl Fn(&SyntheticProcess) -> Vec<(&'static str, i64)>,
) -> SyntheticProcess {
    let ucx = Ucx { user: User::Mpich4_3, requests, ..Ucx::default() };
    let mut process = process(&Mpich { own: Vec::new(), ..model() }, &ucx);
    let size = process.layouts["ucp_request_t"].size as u64;
    let user = process.object("ucp_request_t", network) + size;
    // The last request of the pool has no type.
    let request = process.object("MPIR_Request", 6) - 496;
    process.objects.push(("MPIR_Request".to_owned(), request));
    let fixed = [("kind", 2), ("cc", 1), ("dev.ch4.netmod.ucx.ucp_request", user as i64)];
    for (field, value) in fixed.into_iter().chain(fields(&process)) {
        process.set("MPIR_Request", 7, field, value);
    }
    process.bytes_mut(request + 4, 4).copy_from_slice(&[2, 0, 0, 0]);
    process
}

/// MPICH's request for the network belongs to the receive from any source of [`model`].
fn posted_twice(requests: Vec<UcxRequest>, network: usize) -> SyntheticProcess {
    with_network_request(requests, network, |process| {
        vec![("dev.anysrc_partner", process.object("MPIR_Request", FROM_ANY) as i64)]
    })
}

fn receives(process: SyntheticProcess) -> Vec<Op> {
    let mut session = session(process);
    session.open().expect("the tables fit");
    let mut dump = session.read();
    let world = dump.iter().position(|one| one.name == b"MPI_COMM_WORLD").expect("it is there");
    std::mem::take(&mut dump[world].receives)
}

/// A receive from any source is posted for the network, too. It is shown once, at its place among
/// those of the network.
#[test]
fn receives_from_any_source_are_shown_once() {
    let requests = vec![
        UcxRequest::receive(0, Some(3), Some(40)),
        UcxRequest::receive(0, None, None),
        UcxRequest::receive(0, Some(2), Some(41)),
    ];
    let receives = numbers(&receives(posted_twice(requests, 1)));
    let shown: Vec<_> = receives.iter().map(|one| (one.0, one.1, one.3)).collect();
    let expected = [
        (mqs_st_matched, 2, 71),
        // It is not known whether this one through shared memory was before the next.
        (mqs_st_pending, 3, 70),
        (mqs_st_pending, 3, 40),
        (mqs_st_pending, -1, 0),
        (mqs_st_pending, 2, 41),
    ];
    assert_eq!(shown, expected);
}

/// The network has a message for a receive from any source. It is no longer pending.
#[test]
fn receives_from_any_source_that_the_network_has_matched() {
    let requests =
        vec![UcxRequest { message: Some((2, 44, 30)), ..UcxRequest::receive(0, None, Some(44)) }];
    let receives = numbers(&receives(posted_twice(requests, 0)));
    let shown: Vec<_> = receives.iter().map(|one| (one.0, one.1, one.3)).collect();
    let expected = [(mqs_st_matched, 2, 71), (mqs_st_matched, -1, 44), (mqs_st_pending, 3, 70)];
    assert_eq!(shown, expected);
}

/// Data that are not contiguous come to a buffer of MPICH first. The program's is shown.
#[test]
fn the_buffer_is_that_of_the_program() {
    const LATER: i64 = 1;
    let buffer = |type_, pending, first: u64| {
        let requests = vec![UcxRequest::receive(0, Some(3), Some(40))];
        let process = with_network_request(requests, 0, |_| {
            vec![
                ("cc", pending),
                ("dev.ch4.netmod.ucx.s.type", type_),
                ("dev.ch4.netmod.ucx.s.u.pack.pack_buf", first as i64),
                ("dev.ch4.netmod.ucx.s.u.pack.user_buf", 0xabc0),
            ]
        });
        receives(process).iter().find(|one| one.desired_tag == 40).expect("it is there").buffer
    };
    let first = buffer(0, 1, 0);
    assert_eq!(buffer(LATER, 1, first), 0xabc0);
    // What an earlier receive has left there.
    assert_eq!(buffer(0, 1, first), first);
    assert_eq!(buffer(LATER, 1, first + 8), first);
    assert_eq!(buffer(LATER, 0, first), first);
}

/// A send whose tag is not kept: then no queue of sends is known.
#[test]
fn sends_are_not_known() {
    let mut model = model();
    model.active[6].is_send = true;
    model.active[6].status = 0;
    let ucx = Ucx { user: User::Mpich4_3, ..Ucx::default() };
    let mut session = session(process(&model, &ucx));
    session.open().expect("the tables fit");
    let refusal = session.update().expect_err("there is a send");
    assert!(refusal.text.contains("does not keep their tags"), "{}", refusal.text);
    let queue = |queue| of_world(&session, queue);
    assert_eq!(queue(mqs_pending_sends), mqs_no_information);
    assert_eq!(queue(mqs_pending_receives), mqs_ok);
    assert_eq!(queue(mqs_unexpected_messages), mqs_ok);
}

/// Of the network no library is known, or its queues have no layout: what seems empty may have
/// messages.
#[test]
fn without_a_network_that_is_known_no_queue_is_empty() {
    let nothing = Mpich { own: Vec::new(), active: Vec::new(), ..model() };
    let mut session = session(nothing.write(TABLE));
    session.open().expect("the tables fit");
    let refusal = session.update().expect_err("messages may be missing");
    assert!(refusal.text.contains("no UCX or libfabric that libmqd knows"), "{}", refusal.text);
    for queue in [mqs_pending_sends, mqs_pending_receives, mqs_unexpected_messages] {
        assert_eq!(of_world(&session, queue), mqs_no_information);
    }
}

/// The same without processes of another job.
fn model_alone() -> Mpich {
    let mut model = model();
    model.communicators.retain(|one| !matches!(one.map, Map::Mixed(_)));
    model
}

/// How many parts of messages are on their way, as the DLL tells.
fn on_the_way(model: &Mpich) -> Option<i64> {
    let mut session = session(process(model, &Ucx { user: User::Mpich4_3, ..Ucx::default() }));
    session.open().expect("the tables fit");
    session.read();
    let fifos = session.fifos()?;
    assert!(fifos.iter().all(|(id, rank, _)| (*id, *rank) == (0, -1)));
    assert_eq!(fifos.len(), 1);
    Some(fifos[0].2)
}

#[test]
fn cells_that_are_not_free() {
    for free in 0..=CELLS {
        let model = Mpich { free_cells: Some(free), ..model_alone() };
        assert_eq!(on_the_way(&model), Some((CELLS - free) as i64));
    }
    assert_eq!(on_the_way(&model_alone()), None);
    // With processes of another job.
    assert_eq!(on_the_way(&Mpich { free_cells: Some(CELLS), ..model() }), None);
}

#[test]
fn free_cells_that_lead_elsewhere() {
    let ucx = Ucx { user: User::Mpich4_3, ..Ucx::default() };
    let full = process(&Mpich { free_cells: Some(CELLS), ..model_alone() }, &ucx);
    for (ty, field, value) in [
        ("MPIDU_genqi_shmem_cell_header_s", "handle", 65),
        ("MPIDU_genqi_shmem_cell_header_s", "u.nem_queue.next_m", 1),
        ("MPIDU_genqi_shmem_pool_s", "rank", 2),
        ("MPIDU_genqi_shmem_pool_s", "num_proc", 1),
        ("MPIDU_genqi_shmem_pool_s", "num_proc", 1 << 40),
        ("MPIDU_genqi_shmem_pool_s", "num_free_queue", 1 << 40),
        ("MPIDU_genqi_shmem_pool_s", "cell_size", 64),
        ("MPIDU_genq_shmem_queue_u", "q.head", 1 << 50),
    ] {
        let mut process = full.clone();
        process.set(ty, 0, field, value);
        let mut session = session(process);
        session.open().expect("the tables fit");
        session.read();
        assert_eq!(session.fifos(), None, "{ty}.{field}");
    }
}

/// Only some processes of the job share cells: those of this host.
#[test]
fn cells_of_one_host() {
    let ucx = Ucx { user: User::Mpich4_3, ..Ucx::default() };
    let mut process = process(&Mpich { free_cells: Some(CELLS - 1), ..model_alone() }, &ucx);
    process.set("MPIDU_genqi_shmem_pool_s", 0, "num_proc", 3);
    let mut session = session(process);
    session.open().expect("the tables fit");
    session.read();
    assert_eq!(session.fifos(), Some(vec![(3, -3, 1)]));
}

/// Requests are read block by block. What each of them has apart takes more.
#[test]
fn the_fetch_budget_is_kept() {
    const OPERATIONS: usize = 10_000;
    let of_model = model().active;
    let (receive, message) = (of_model[0], of_model[1]);
    let active = (0..OPERATIONS / 2)
        .flat_map(|tag| [receive, message].map(|one| Active { tag: tag as i64, ..one }))
        .collect();
    let ucx = Ucx { user: User::Mpich4_3, ..Ucx::default() };
    let mut session = session(process(&Mpich { own: Vec::new(), active, ..model() }, &ucx));
    session.open().expect("the tables fit");
    session.debugger.fetches.set(0);
    session.update().expect("everything can be read");
    let fetches = session.debugger.fetches.get();
    let dump = session.dump();
    let world = named(&dump, "MPI_COMM_WORLD");
    let tags =
        |operations: &[Op]| -> Vec<_> { operations.iter().map(|op| op.desired_tag).collect() };
    let all: Vec<i64> = (0..OPERATIONS as i64 / 2).collect();
    assert_eq!((tags(&world.receives), tags(&world.unexpected)), (all.clone(), all));
    assert!(fetches as f64 / OPERATIONS as f64 <= 0.2, "{fetches} fetches");
}
