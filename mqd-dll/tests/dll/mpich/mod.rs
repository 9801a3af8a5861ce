//! MPICH's queues, read from synthetic processes without symbols or types.

use crate::support::dll::dll;
use crate::support::mpich::{Communicator, INT, Map, Mpich, OWN_DATATYPE, Own, Place};
use crate::support::process::{Region, SyntheticProcess};
use crate::support::session::{DumpedCommunicator, HiddenSends, Op, Session};
use crate::support::tables::table;
use crate::support::ucx::{Ucx, UcxMessage, UcxRequest, User};
use mqs_abi::*;

mod active;
mod ch3;
mod damage;
mod nemesis;

const TABLE: &str = include_str!("../../../../mqd-layout/tables/mpich-4.0.layout");

/// The context id of the communicator that the queues are on, besides that of the world.
const SECOND: u64 = 0x60;

fn communicator(name: &'static str, place: Place, context: u64, map: Map) -> Communicator {
    let size = match &map {
        Map::All(size)
        | Map::From(_, size)
        | Map::Strided(_, _, size)
        | Map::Blocks(_, _, _, size)
        | Map::NotYet(size) => *size,
        Map::List(ranks) => ranks.len() as i64,
        Map::Mixed(ranks) => ranks.len() as i64,
    };
    let contexts = (context, context);
    Communicator { name, place, rank: 1, size, contexts, map, remote: None }
}

/// Communicators of all kinds.
fn communicators() -> Vec<Communicator> {
    use Place::{Direct, Indirect};
    vec![
        communicator("second", Direct(0), SECOND, Map::All(4)),
        communicator("from", Direct(2), 0x70, Map::From(1, 3)),
        communicator("strided", Direct(3), 0x80, Map::Strided(3, -2, 2)),
        communicator("blocks", Direct(4), 0x90, Map::Blocks(0, 2, 1, 2)),
        communicator("list", Indirect(0), 0xa0, Map::List(vec![3, 1, 0])),
        communicator("", Indirect(700), 0xb0, Map::Mixed(vec![(0, 2), (0, 1), (1, 0)])),
        // `MPI_Comm_idup` is still making this one. It has no context id yet.
        communicator("", Direct(1), 0, Map::NotYet(4)),
        // The library's own: a part of another one, and the local group of the next one.
        communicator("part", Direct(5), SECOND | 2, Map::All(4)),
        communicator("local", Direct(6), 0xc8, Map::From(0, 2)),
        Communicator {
            contexts: (0xd0, 0xc0),
            remote: Some((2, Map::List(vec![3, 2]))),
            ..communicator("inter", Direct(7), 0, Map::From(0, 2))
        },
    ]
}

fn model() -> Mpich {
    let own = |is_send, tag, count, datatype| Own { is_send, tag, count, datatype };
    let own = vec![
        own(true, 5, 3, INT),
        own(false, 7, 2, OWN_DATATYPE),
        own(true, 6, 1, OWN_DATATYPE),
        own(false, -1, 0, INT),
    ];
    Mpich { communicators: communicators(), own, ..Mpich::default() }
}

/// Something of everything on two communicators.
fn queues() -> Ucx {
    let mut ucx = Ucx { user: User::Mpich, ..Ucx::default() };
    for place in [0, SECOND] {
        let base = place as i64 * 100;
        ucx.requests.extend([
            UcxRequest::receive(place, Some(0), Some(base)),
            UcxRequest::receive(place, None, Some(base + 1)),
            UcxRequest::receive(place, Some(2), None),
            UcxRequest {
                message: Some((2, base + 4, 30)),
                ..UcxRequest::receive(place, None, Some(base + 4))
            },
            UcxRequest::send(place, 0, base + 10),
            UcxRequest { synchronous: true, ..UcxRequest::send(place, 2, base + 11) },
            // The library's own.
            UcxRequest::send(place, 3, -17),
            UcxRequest::receive(place, Some(3), Some(-17)),
        ]);
        let message = |source, tag, length, protocol| UcxMessage {
            communicator: place,
            source,
            tag,
            length,
            protocol,
        };
        ucx.messages.extend([
            message(2, base + 20, 16, "eager"),
            message(3, base + 22, 1 << 20, "rendezvous"),
            message(0, -16, 0, "eager"),
            message(2, base + 24, 40, "synchronous"),
        ]);
    }
    ucx
}

fn process(model: &Mpich, ucx: &Ucx, layouts: &str) -> SyntheticProcess {
    let mut process = model.write(TABLE);
    ucx.write(&mut process, &table(layouts));
    process
}

pub fn session(process: SyntheticProcess) -> Session {
    let mut session = Session::new(process);
    session.debugger.forget_all_types();
    session
}

pub fn full() -> SyntheticProcess {
    process(&model(), &queues(), "ucx-1.13-assertions")
}

fn read(process: SyntheticProcess) -> Vec<DumpedCommunicator> {
    let mut session = session(process);
    session.open().expect("the tables fit");
    session.read()
}

fn named<'a>(dump: &'a [DumpedCommunicator], name: &str) -> &'a DumpedCommunicator {
    dump.iter().find(|shown| shown.name == name.as_bytes()).expect(name)
}

/// What the DLL says of a queue of `MPI_COMM_WORLD`.
fn of_world(session: &Session, queue: i32) -> i32 {
    let process = session.debugger.process();
    // SAFETY: a live debugger.
    unsafe {
        assert_eq!((dll().mqs_setup_communicator_iterator)(process), mqs_ok);
        (dll().mqs_setup_operation_iterator)(process, queue)
    }
}

/// Does a dump have the groups of [`communicators`]?
fn assert_has_groups(dump: &[DumpedCommunicator]) {
    let shown: Vec<_> = dump
        .iter()
        .map(|shown| {
            let name = String::from_utf8(shown.name.clone()).expect("a name");
            (name, shown.local_rank, shown.group.clone())
        })
        .collect();
    let expected: [(&str, i64, &[i32]); 9] = [
        ("MPI_COMM_WORLD", 1, &[0, 1, 2, 3]),
        ("MPI_COMM_SELF", 0, &[1]),
        ("second", 1, &[0, 1, 2, 3]),
        ("from", 1, &[1, 2, 3]),
        ("strided", 1, &[3, 1]),
        ("blocks", 1, &[0, 2]),
        ("inter", 1, &[0, 1]),
        ("list", 1, &[3, 1, 0]),
        ("", 1, &[2, 1, -1]),
    ];
    let expected = expected.map(|(name, rank, group)| (name.to_owned(), rank, group.to_vec()));
    assert_eq!(shown, expected);
}

#[test]
fn communicators_and_their_groups() {
    let dump = read(full());
    assert_has_groups(&dump);
    // Both sides have the two context ids, and the same number of them.
    assert_eq!(named(&dump, "inter").unique_id, 1 << 63 | 0xd0 << 32 | 0xc0);
}

#[test]
fn queues_of_ucx() {
    for layouts in ["ucx-1.13-assertions", "ucx-1.18", "ucx-1.20"] {
        let ucx = queues();
        let dump = read(process(&model(), &ucx, layouts));
        for (name, place) in [("MPI_COMM_WORLD", 0), ("second", SECOND)] {
            let shown = named(&dump, name);
            let own = |request: &&UcxRequest| {
                request.communicator == place && request.tag.is_none_or(|tag| tag >= 0)
            };
            let requests = || ucx.requests.iter().filter(own);
            let (mut matched, mut posted): (Vec<_>, Vec<_>) = requests()
                .filter(|request| request.destination.is_none())
                .partition(|request| request.message.is_some());
            matched.append(&mut posted);
            let receives: Vec<Op> = matched.into_iter().map(UcxRequest::shown).collect();
            assert_eq!(shown.receives, receives, "{layouts}");
            let sends = requests().filter(|request| request.destination.is_some());
            let sends: Vec<Op> = sends.map(UcxRequest::shown).collect();
            assert_eq!(shown.sends, sends, "{layouts}");
            let messages = ucx.messages.iter();
            let messages = messages.filter(|one| one.communicator == place && one.tag >= 0);
            assert_eq!(shown.unexpected.len(), 3, "{layouts}");
            for (shown, message) in shown.unexpected.iter().zip(messages) {
                assert_eq!(*shown, message.shown(shown.buffer), "{layouts}");
            }
        }
    }
}

#[test]
fn the_fetch_budget_is_kept() {
    const OPERATIONS: i64 = 10_000;
    /// Where the program has the data of its sends, one after the other.
    const DATA: u64 = 0x1234_0000;
    let mut ucx = Ucx { user: User::Mpich, ..Ucx::default() };
    for number in 0..OPERATIONS / 4 {
        let (tag, peer) = (number % 1000, number % 4);
        let source = (number % 3 != 0).then_some(peer);
        ucx.requests.extend([
            UcxRequest::receive(0, source, Some(tag)),
            UcxRequest::receive(SECOND, source, Some(tag)),
            UcxRequest { buffer: DATA + 40 * number as u64, ..UcxRequest::send(SECOND, peer, tag) },
        ]);
        let (source, length, protocol) = (peer, 16, "eager");
        ucx.messages.push(UcxMessage { communicator: 0, source, tag, length, protocol });
    }
    let mut process = process(&model(), &ucx, "ucx-1.13-assertions");
    // What is in front of data tells whether they are in the buffer for MPI_Bsend.
    process.regions.insert(2, Region { start: DATA - 4096, bytes: vec![0; 1 << 20] });
    let mut session = session(process);
    session.open().expect("the tables fit");
    session.debugger.fetches.set(0);
    session.update().expect("everything can be read");
    let fetches = session.debugger.fetches.get();
    let dump = session.dump();
    let number = |name| {
        let shown = named(&dump, name);
        (shown.sends.len(), shown.receives.len(), shown.unexpected.len())
    };
    let each = OPERATIONS as usize / 4;
    assert_eq!((number("MPI_COMM_WORLD"), number("second")), ((0, each, each), (each, each, 0)));
    assert!(fetches as f64 / OPERATIONS as f64 <= 0.2, "{fetches} fetches");
}

#[test]
fn messages_to_oneself_in_their_order() {
    let dump = read(full());
    let own = named(&dump, "MPI_COMM_SELF");
    let numbers = |operations: &[Op]| -> Vec<_> {
        operations
            .iter()
            .map(|op| (op.tag_wild, op.desired_tag, op.desired_length, op.desired_global_rank))
            .collect()
    };
    assert_eq!(numbers(&own.sends), [(0, 5, 12, 1), (0, 6, 24, 1)]);
    assert_eq!(numbers(&own.unexpected), [(0, 5, 12, 1), (0, 6, 24, 1)]);
    assert_eq!(numbers(&own.receives), [(0, 7, 48, 1), (1, 0, 0, 1)]);
    assert!(own.unexpected.iter().all(|message| message.system_buffer == 1));
}

#[test]
fn another_library_is_refused() {
    type Damage = fn(&mut SyntheticProcess);
    let damages: [(&str, Damage, &str); 6] = [
        (
            "communicators of another size",
            |process| process.set("MPIR_Object_alloc_t", 0, "size", 880),
            "does not know the layout",
        ),
        (
            "requests of another size",
            |process| process.set("MPIR_Object_alloc_t", 1, "size", 496),
            "not initialised yet",
        ),
        (
            "no predefined communicators",
            |process| {
                let world = process.object("predefined", 0);
                process.bytes_mut(world, 4).fill(0);
            },
            "not initialised yet",
        ),
        (
            "released communicators",
            |process| {
                let world = process.object("predefined", 0);
                process.bytes_mut(world + 4, 4).fill(0);
            },
            "MPI is finalised",
        ),
        (
            "a rank that is none",
            |process| process.set("MPIR_Comm", 0, "rank", 4),
            "does not know the layout",
        ),
        (
            "no worker",
            |process| {
                let worker = process.object("worker", 0);
                process.bytes_mut(worker, 8).fill(0);
            },
            "no layout table fits this UCX",
        ),
    ];
    for (what, damage, text) in damages {
        let mut process = full();
        damage(&mut process);
        let refusal = session(process).open().expect_err(what);
        assert!(refusal.text.contains(text), "{what}: {}", refusal.text);
    }
}

/// Damage is reported, and the rest is read.
#[test]
fn damage_does_not_spread() {
    type Damage = fn(&mut SyntheticProcess);
    let damages: [(&str, Damage); 6] = [
        ("a rank", |process| process.set("MPIR_Comm", 3, "rank", 100)),
        ("a kind", |process| process.set("MPIR_Comm", 3, "comm_kind", 7)),
        ("a size", |process| process.set("MPIR_Comm", 3, "remote_size", 1 << 30)),
        ("a block of communicators", |process| {
            process.set("MPIR_Object_alloc_t", 0, "indirect", 0x10);
        }),
        ("a number of blocks", |process| {
            process.set("MPIR_Object_alloc_t", 0, "indirect_size", i64::from(i32::MAX));
        }),
        ("a list that returns", |process| {
            let first = process.object("MPIR_Request", 0) as i64;
            process.set("MPIR_Request", 0, "next", first);
            process.set("MPIR_Request", 0, "dev.ch4.self.count", -3);
        }),
    ];
    for (what, damage) in damages {
        let mut process = full();
        damage(&mut process);
        let mut session = session(process);
        session.open().expect(what);
        session.debugger.fetches.set(0);
        session.update().expect_err(what);
        assert!(
            session.debugger.fetches.get() < 2000,
            "{} fetches",
            session.debugger.fetches.get()
        );
        let dump = session.dump();
        assert_eq!(named(&dump, "second").receives.len(), 4, "{what}");
    }
}

/// No receiver is guessed if the addresses of the processes are not found.
#[test]
fn receivers_by_their_addresses_only() {
    let mut process = full();
    let table = process.object("av_table0", 0);
    process.bytes_mut(table, 8).fill(0);
    let mut session = session(process);
    session.open().expect("the tables fit");
    let refusal = session.update().expect_err("the receivers are not known");
    assert!(refusal.text.contains("cannot be seen"), "{}", refusal.text);
    let dump = session.dump();
    let sends = &named(&dump, "second").sends;
    assert_eq!(sends.len(), 2);
    assert!(sends.iter().all(|send| send.desired_local_rank == -1));
}

/// The other side of an intercommunicator has chosen the context id of messages to it. Another
/// communicator may have the same id. The receiver tells which one a send belongs to.
#[test]
fn sends_with_the_number_of_two_communicators_are_told_apart() {
    const STRIDED: u64 = 0x80;
    let mut model = model();
    let inter = model.communicators.last_mut().expect("the intercommunicator");
    inter.contexts = (STRIDED, 0xc0);
    inter.remote = Some((1, Map::List(vec![2])));
    let mut ucx = queues();
    ucx.requests.extend([UcxRequest::send(STRIDED, 2, 31), UcxRequest::send(STRIDED, 3, 32)]);
    let dump = read(process(&model, &ucx, "ucx-1.13-assertions"));
    let sends = |name| {
        let sends = named(&dump, name).sends.iter();
        sends.map(|send| (send.desired_global_rank, send.desired_tag)).collect::<Vec<_>>()
    };
    assert_eq!(sends("inter"), [(2, 31)]);
    assert_eq!(sends("strided"), [(3, 32)]);
}

/// If the receiver is a member of both, it is not known which one a send belongs to.
#[test]
fn sends_that_may_be_of_two_communicators_are_not_known() {
    let mut model = model();
    model.communicators.last_mut().expect("the intercommunicator").contexts = (SECOND, 0xc0);
    let mut session = session(process(&model, &queues(), "ucx-1.13-assertions"));
    session.open().expect("the tables fit");
    let refusal = session.update().expect_err("some sends are not known");
    assert!(refusal.text.contains("which have the same number"), "{}", refusal.text);
    session.hidden_sends = HiddenSends::Of(&["second", "inter"]);
    let dump = session.dump();
    let number = |name| {
        let shown = named(&dump, name);
        (shown.sends.len(), shown.receives.len(), shown.unexpected.len())
    };
    assert_eq!(number("second"), (0, 4, 3));
    assert_eq!(number("inter"), (0, 0, 0));
    assert_eq!(number("MPI_COMM_WORLD"), (2, 4, 3));
}
