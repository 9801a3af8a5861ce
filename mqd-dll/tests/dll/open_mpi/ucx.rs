//! The PML ucx: queues of a UCX worker, read by the layout tables.

use crate::support::contract::Kind;
use crate::support::damage::{self, Limits};
use crate::support::machine::{Layouts, Machine};
use crate::support::open_mpi::{Communicator, Group, Model, Series, Writer, of_table};
use crate::support::process::SyntheticProcess;
use crate::support::random::Random;
use crate::support::session::{DumpedCommunicator, Op, Refusal, Session};
use crate::support::tables::{table, tables};
use crate::support::ucx::{Ucx, UcxMessage, UcxRequest};

/// A process of rank 1 of 4 with another communicator, whose queues are UCX's.
fn process(ucx: &Ucx, layouts: &Layouts) -> SyntheticProcess {
    let mut model =
        Model { pml: "ucx", request_class: Some("opal_free_list_item_t"), ..Model::world(1, 4) };
    model.communicators.push(Some(Communicator::new("second", 1, (0..4).collect())));
    let mut process = Writer::write(&model, Machine::LP64, of_table(Series::Four));
    ucx.write(&mut process, layouts);
    process
}

fn session(process: SyntheticProcess) -> Session {
    let mut session = Session::new(process);
    session.debugger.forget_all_types();
    session
}

/// Something of everything.
pub fn whole() -> Session {
    session(process(&full(), &table("ucx-1.18")))
}

/// Something of everything in both communicators.
fn full() -> Ucx {
    let mut ucx = Ucx::default();
    for place in [0, 3] {
        let base = place as i64 * 100;
        ucx.requests.extend([
            UcxRequest::receive(place, Some(0), Some(base)),
            UcxRequest::receive(place, None, Some(base + 1)),
            UcxRequest::receive(place, Some(2), None),
            UcxRequest { on_stack: true, ..UcxRequest::receive(place, Some(3), Some(base + 3)) },
            UcxRequest {
                message: Some((2, base + 4, 30)),
                ..UcxRequest::receive(place, None, Some(base + 4))
            },
            UcxRequest {
                message: Some((3, base + 5, 20)),
                complete: true,
                ..UcxRequest::receive(place, Some(3), None)
            },
            UcxRequest::send(place, 0, base + 10),
            UcxRequest { synchronous: true, ..UcxRequest::send(place, 2, base + 11) },
            UcxRequest { complete: true, ..UcxRequest::send(place, 3, base + 12) },
            UcxRequest { on_stack: true, ..UcxRequest::send(place, 3, base + 13) },
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
            message(0, base + 21, 100_000, "fragments"),
            message(3, base + 22, 1 << 20, "rendezvous"),
            message(0, -16, 0, "eager"),
            message(3, base + 23, 0, "eager"),
            message(2, base + 24, 40, "synchronous"),
        ]);
    }
    ucx
}

/// The receives of a communicator as they are shown: what is complete comes first, then what has
/// matched.
fn receives(ucx: &Ucx, place: u64) -> Vec<Op> {
    let own = |request: &&UcxRequest| {
        request.communicator == place
            && request.destination.is_none()
            && request.tag.is_none_or(|tag| tag >= 0)
    };
    let mut own: Vec<_> = ucx.requests.iter().filter(own).collect();
    own.sort_by_key(|request| match (request.complete, request.message) {
        (true, _) => 0,
        (false, Some(_)) => 1,
        (false, None) => 2,
    });
    own.into_iter().map(UcxRequest::shown).collect()
}

/// The sends, which have no order.
fn sends(ucx: &Ucx, place: u64) -> Vec<Op> {
    let own = |request: &&UcxRequest| {
        request.communicator == place
            && request.destination.is_some()
            && request.tag.is_some_and(|tag| tag >= 0)
    };
    ucx.requests.iter().filter(own).map(UcxRequest::shown).collect()
}

fn messages(ucx: &Ucx, place: u64) -> Vec<&UcxMessage> {
    let own = |message: &&UcxMessage| message.communicator == place && message.tag >= 0;
    ucx.messages.iter().filter(own).collect()
}

fn compare(ucx: &Ucx, dump: &[DumpedCommunicator], what: &str) {
    for shown in dump.iter().filter(|shown| shown.unique_id != 1) {
        let place = shown.unique_id;
        assert_eq!(shown.receives, receives(ucx, place), "{what}");
        let by_tag = |mut sends: Vec<Op>| {
            sends.sort_by_key(|send| send.desired_tag);
            sends
        };
        assert_eq!(by_tag(shown.sends.clone()), by_tag(sends(ucx, place)), "{what}");
        let expected = messages(ucx, place);
        assert_eq!(shown.unexpected.len(), expected.len(), "{what}");
        for (shown, expected) in shown.unexpected.iter().zip(expected) {
            let has_data = matches!(expected.protocol, "eager" | "synchronous");
            assert_eq!(shown.buffer != 0, has_data, "{what}");
            assert_eq!(*shown, expected.shown(shown.buffer), "{what}");
        }
    }
}

#[test]
fn every_table_reads_its_release() {
    let tables = tables("ucx-");
    assert!(tables.len() >= 18, "{}", tables.len());
    for (name, layouts) in &tables {
        let ucx = full();
        let mut session = session(process(&ucx, layouts));
        session.open().unwrap_or_else(|refusal| panic!("{name}: {}", refusal.text));
        let dump = session.read();
        assert_eq!(dump.len(), 3, "{name}");
        compare(&ucx, &dump, name);
    }
}

#[test]
fn empty_queues_are_empty() {
    let mut session = session(process(&Ucx::default(), &table("ucx-1.18")));
    session.open().expect("the table fits");
    let empty = |shown: &DumpedCommunicator| {
        shown.sends.is_empty() && shown.receives.is_empty() && shown.unexpected.is_empty()
    };
    assert!(session.read().iter().all(empty));
}

/// A process that no table fits is refused, and nothing is shown.
#[test]
fn a_worker_that_no_table_fits_is_refused() {
    type Damage = fn(&mut SyntheticProcess);
    let damages: [(&str, Damage); 6] = [
        ("another context", |process| process.set("ucp_worker_t", 0, "context", 0x4000)),
        ("another size of requests", |process| {
            process.set("ucs_mpool_data_t", 0, "elem_size", 8 + 264 + 160 + 16);
        }),
        ("more for the user", |process| {
            process.set("ucp_context_t", 0, "config.request.size", 168);
        }),
        ("a pool without a name", |process| process.set("ucs_mpool_data_t", 0, "name", 0)),
        ("no queues", |process| process.set("ucp_worker_t", 0, "tm.expected.hash", 0x10)),
        ("a pool that is none", |process| {
            let data = process.object("ucs_mpool_data_t", 0);
            process.bytes_mut(data, 88).fill(0);
        }),
    ];
    for (what, damage) in damages {
        let mut process = process(&full(), &table("ucx-1.18"));
        damage(&mut process);
        let mut session = session(process);
        let refusal = session.open().expect_err(what);
        assert!(refusal.text.contains("no layout table fits this UCX"), "{what}: {}", refusal.text);
        session.update().expect_err(what);
        let dump = session.dump();
        assert!(dump.iter().all(|shown| shown.receives.is_empty()), "{what}");
    }
}

#[test]
fn the_module_has_to_be_there() {
    let mut process = process(&full(), &table("ucx-1.13-assertions"));
    process.symbols.remove("ompi_pml_ucx");
    let refusal = session(process).open().expect_err("its worker cannot be found");
    assert!(refusal.text.contains("ompi_pml_ucx"), "{}", refusal.text);
}

fn damaged(damage: impl FnOnce(&mut SyntheticProcess)) -> (Refusal, Vec<DumpedCommunicator>) {
    let mut process = process(&full(), &table("ucx-1.13-assertions"));
    damage(&mut process);
    let mut session = session(process);
    // Whether there are queues may be known or not.
    let _ = session.open();
    session.debugger.fetches.set(0);
    let refusal = session.update().expect_err("the damage is seen");
    assert!(session.debugger.fetches.get() < 400, "{} fetches", session.debugger.fetches.get());
    (refusal, session.dump())
}

fn tags(operations: &[Op]) -> Vec<i64> {
    operations.iter().map(|op| op.desired_tag).collect()
}

#[test]
fn a_list_of_messages_ends_where_the_damage_is() {
    for (next, text) in
        [(0, "returns to an earlier"), (1, "cannot be read"), (2, "impossible value")]
    {
        let (refusal, dump) = damaged(|process| {
            let messages = process.objects.iter().filter(|(ty, _)| ty == "ucp_recv_desc_t");
            let messages: Vec<u64> = messages.map(|(_, address)| *address).collect();
            let other = process.object("ucs_mpool_data_t", 0);
            let value = [messages[0] + 16, 0x10, other][next];
            // The link of all messages is the second one.
            process.bytes_mut(messages[1] + 24, 8).copy_from_slice(&value.to_le_bytes());
        });
        assert!(refusal.text.contains(text), "{}", refusal.text);
        assert_eq!(tags(&dump[0].unexpected), [20, 21]);
        assert_eq!(dump[2].receives, receives(&full(), 3));
    }
}

/// One bad element costs itself, and no other one.
#[test]
fn a_bad_element_is_left_out() {
    let (refusal, dump) = damaged(|process| process.set("ucp_recv_desc_t", 1, "flags", 0));
    assert!(refusal.text.contains("ucp_recv_desc_t"), "{}", refusal.text);
    assert_eq!(tags(&dump[0].unexpected), [20, 22, 23, 24]);
    assert_eq!(dump[2].unexpected.len(), 5);
    let mut process = process(&full(), &table("ucx-1.18"));
    process.set("ucp_request_t", 6, "send.proto_config", 0x10);
    let mut session = session(process);
    session.open().expect("the table fits");
    let refusal = session.update().expect_err("the damage is seen");
    assert!(refusal.text.contains("ucp_request_t"), "{}", refusal.text);
    let mut sends = tags(&session.dump()[0].sends);
    sends.sort_unstable();
    assert_eq!(sends, [11, 12, 13]);
    assert_eq!(session.dump()[2].sends.len(), 4);
}

/// Where a queue of posted receives is damaged, receives that may be on it are not called matched.
#[test]
fn a_damaged_queue_leaves_nothing_wrong() {
    // On the stack: a receive of the first communicator. In the pool: one with others behind it.
    for (on_stack, field, value) in [
        (true, "recv.worker", 0x10_i64),
        (true, "flags", (1 << 17 | 1) << 32),
        (false, "recv.queue", 0x10),
        (false, "recv.queue", 0),
    ] {
        let (_, dump) = damaged(|process| {
            let requests = process.objects.iter().filter(|(ty, _)| ty == "ucp_request_t");
            let mut requests = requests.map(|(_, address)| *address);
            let address = if on_stack {
                requests.find(|address| *address > 0x7ffc_0000_0000)
            } else {
                requests.nth(1)
            };
            let (offset, _) = process.layouts["ucp_request_t"].offsets[field];
            // Flags stand behind four other bytes.
            let place = address.expect("there is one") + offset as u64 / 8 * 8;
            process.bytes_mut(place, 8).copy_from_slice(&value.to_le_bytes());
        });
        for shown in &dump {
            for receive in &shown.receives {
                let right = receives(&full(), shown.unique_id);
                assert!(right.contains(receive), "{field}: {receive:?}");
            }
        }
        assert_eq!(tags(&dump[0].unexpected), [20, 21, 22, 23, 24], "{field}");
    }
}

#[test]
fn operations_of_an_unknown_communicator_are_left_out() {
    let (refusal, dump) = damaged(|process| {
        let (offset, _) = process.layouts["ucp_request_t"].offsets["recv.tag.tag"];
        let address = process.object("ucp_request_t", 0) + offset as u64;
        process.bytes_mut(address, 3).copy_from_slice(&[0x77, 0x77, 0x07]);
    });
    assert!(refusal.text.contains("communicator that is freed"), "{}", refusal.text);
    assert_eq!(tags(&dump[0].receives), [5, 4, 1, 0, 3]);
}

#[test]
fn what_cannot_be_seen_is_said() {
    // Other threads have stacks of their own.
    let mut process = process(&full(), &table("ucx-1.18"));
    let flag = process.symbols["__libc_stack_end"];
    process.symbols.insert("ompi_mpi_thread_multiple".to_owned(), flag);
    let refusal = session_error(process);
    assert!(refusal.text.contains("cannot be seen"), "{}", refusal.text);
    // Without the place of the stack there is nothing to look through.
    let mut process = self::process(&full(), &table("ucx-1.18"));
    process.symbols.remove("__libc_stack_end");
    let refusal = session_error(process);
    assert!(refusal.text.contains("on a stack"), "{}", refusal.text);
    let process = self::process(&Ucx { offload: 0x4000, ..full() }, &table("ucx-1.18"));
    let refusal = session_error(process);
    assert!(refusal.text.contains("network card"), "{}", refusal.text);
}

/// A send to a process of another job names its rank in the communicator.
#[test]
fn a_receiver_of_another_job_has_its_rank() {
    let mut model =
        Model { pml: "ucx", request_class: Some("opal_free_list_item_t"), ..Model::world(1, 3) };
    let spawned = Communicator {
        remote: Some(Group::Dense(vec![-1])),
        ..Communicator::new("spawned", 1, (0..3).collect())
    };
    model.communicators.push(Some(spawned));
    let mut process = Writer::write(&model, Machine::LP64, of_table(Series::Four));
    // The process of the other job is its rank 3.
    let ucx = Ucx { requests: vec![UcxRequest::send(3, 3, 10)], ..Ucx::default() };
    ucx.write(&mut process, &table("ucx-1.18"));
    let mut session = session(process);
    session.open().expect("the table fits");
    let sends = &session.read()[2].sends;
    assert_eq!((sends[0].desired_local_rank, sends[0].desired_global_rank), (0, -1));
}

/// Where something may not be seen, an empty queue is not known.
#[test]
fn an_empty_queue_that_may_lack_something_is_not_known() {
    let known = |ucx: &Ucx, without: &str| {
        let mut process = process(ucx, &table("ucx-1.18"));
        process.symbols.remove(without);
        let mut session = session(process);
        session.open().expect("the table fits");
        let _ = session.update();
        session.are_known()
    };
    assert_eq!(known(&Ucx::default(), ""), [true, true, true]);
    assert_eq!(known(&Ucx::default(), "__libc_stack_end"), [false, true, true]);
    assert_eq!(known(&full(), "__libc_stack_end"), [true, true, true]);
    assert_eq!(known(&Ucx { offload: 0x4000, ..Ucx::default() }, ""), [true, true, false]);
}

/// The error of an update that shows everything except what cannot be seen.
fn session_error(process: SyntheticProcess) -> Refusal {
    let mut session = session(process);
    session.open().expect("the table fits");
    let refusal = session.update().expect_err("something is not seen");
    let dump = session.dump();
    assert_eq!(dump[0].receives, receives(&full(), 0));
    assert_eq!(dump[2].unexpected.len(), 5);
    refusal
}

#[test]
fn the_fetch_budget_is_kept() {
    let mut ucx = Ucx::default();
    for number in 0..3_400 {
        let (tag, peer) = (number % 1000, number % 4);
        let source = (number % 3 != 0).then_some(peer);
        ucx.requests.push(UcxRequest::receive(0, source, Some(tag)));
        ucx.requests.push(UcxRequest::send(3, peer, tag));
        ucx.messages.push(UcxMessage {
            communicator: 0,
            source: peer,
            tag,
            length: 16,
            protocol: "eager",
        });
    }
    let mut session = session(process(&ucx, &table("ucx-1.20")));
    session.open().expect("the table fits");
    session.debugger.fetches.set(0);
    session.update().expect("everything can be read");
    let fetches = session.debugger.fetches.get();
    let dump = session.dump();
    let shown: usize =
        dump.iter().map(|c| c.sends.len() + c.receives.len() + c.unexpected.len()).sum();
    assert_eq!(shown, 3 * 3_400);
    assert!(fetches as f64 / shown as f64 <= 0.2, "{fetches} fetches for {shown}");
}

const ROUNDS: u64 = 100;

/// Opens and reads a damaged process.
fn survive(session: &mut Session, seed: u64) -> bool {
    const LIMITS: Limits = Limits { fetches: 6_000, bytes: 300_000_000 };
    let read = |session: &mut Session| session.open().and_then(|()| session.update());
    damage::survive(session, seed, LIMITS, read)
}

#[test]
fn random_fields_are_survived() {
    let tables = tables("ucx-");
    let mut refused = 0;
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed ^ 0x0C);
        let (_, layouts) = &tables[seed as usize % tables.len()];
        let mut process = process(&full(), layouts);
        for _ in 0..1 + random.below(4) {
            let objects = process.objects.iter().filter(|(ty, _)| ty.starts_with("uc"));
            let objects: Vec<_> = objects.cloned().collect();
            let (ty, address) = random.pick(&objects);
            let fields: Vec<_> = process.layouts[&ty].offsets.values().copied().collect();
            let (offset, kind) = random.pick(&fields);
            let Kind::Chars(size) = kind else { continue };
            let other = random.pick(&objects).1;
            let value = damage::value(&mut random, other);
            let bytes = value.to_le_bytes();
            let size = size.min(8);
            process.bytes_mut(address + offset as u64, size).copy_from_slice(&bytes[..size]);
        }
        refused += u64::from(survive(&mut session(process), seed));
    }
    assert!(refused > ROUNDS / 5, "the damage is seen in {refused} rounds only");
}

#[test]
fn random_bytes_and_failing_reads_are_survived() {
    let tables = tables("ucx-");
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed ^ 0xBEEF);
        let (_, layouts) = &tables[seed as usize % tables.len()];
        let mut process = process(&full(), layouts);
        for region in &mut process.regions {
            for _ in 0..random.below(40) {
                let at = random.below(region.bytes.len());
                region.bytes[at] = random.next() as u8;
            }
        }
        let mut session = session(process);
        if seed % 3 == 0 {
            damage::fail_and_lie(&session.debugger, seed);
        }
        survive(&mut session, seed);
    }
}

#[test]
fn memory_that_is_refused_is_an_error_code() {
    let mut session = session(process(&full(), &table("ucx-1.18")));
    session.open().expect("the table fits");
    damage::refuse_memory(&mut session);
}
