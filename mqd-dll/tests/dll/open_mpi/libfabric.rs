//! The PML cm with the MTL ofi: queues of an endpoint of libfabric, read by the layout tables.

use crate::support::contract::Kind;
use crate::support::damage::{self, Limits};
use crate::support::libfabric::{Fabric, FabricMessage, FabricReceive, Provider};
use crate::support::machine::{Layouts, Machine};
use crate::support::open_mpi::{Communicator, Model, Series, Writer, of_table};
use crate::support::process::SyntheticProcess;
use crate::support::random::Random;
use crate::support::session::{DumpedCommunicator, HiddenSends, Op, Refusal, Session};
use crate::support::tables::{table, tables};

/// The place of the communicator that the queues are on, besides that of the world.
const SECOND: u64 = 3;
const PLACES: [u64; 2] = [0, SECOND];

/// A process of rank 1 of 4 with another communicator, whose queues are libfabric's.
fn process(fabric: &Fabric, layouts: &Layouts) -> SyntheticProcess {
    let mut model =
        Model { pml: "cm", request_class: Some("opal_free_list_item_t"), ..Model::world(1, 4) };
    model.communicators.push(Some(Communicator::new("second", 1, (0..4).collect())));
    let mut process = Writer::write(&model, Machine::LP64, of_table(Series::Four));
    fabric.write(&mut process, layouts);
    process
}

fn session(process: SyntheticProcess) -> Session {
    let mut session = Session::new(process);
    session.debugger.forget_all_types();
    session
}

/// Every provider of every table.
fn providers() -> Vec<(String, Provider, Layouts)> {
    let of_table = |(name, layouts): (String, Layouts)| {
        let all = Provider::of(&layouts).into_iter();
        all.map(move |provider| (name.clone(), provider, layouts.clone()))
    };
    tables("libfabric-").into_iter().flat_map(of_table).collect()
}

/// Something of everything in both communicators.
fn full(provider: Provider) -> Fabric {
    let mut fabric = Fabric::new(provider);
    for communicator in PLACES {
        let base = communicator as i64 * 100;
        let receive = |source, tag| FabricReceive { communicator, source, tag };
        let message = |peer, tag, length| FabricMessage { communicator, peer, tag, length };
        fabric.posted.extend([
            receive(Some(0), Some(base)),
            receive(None, Some(base + 1)),
            receive(Some(2), None),
            receive(Some(0), Some(base + 2)),
            // The library's own.
            receive(Some(3), Some(-17)),
        ]);
        fabric.messages.extend([
            message(2, base + 20, 16),
            message(0, base + 21, 100_000),
            message(2, base + 22, 0),
            message(0, -16, 0),
            message(2, base + 23, 40),
        ]);
        if provider.lists_sends() {
            fabric.sends.extend([message(2, base + 10, 8), message(0, base + 11, 9)]);
        }
    }
    fabric
}

/// Peer, tag and length of each operation; without a tag for any.
fn numbers(operations: &[Op]) -> Vec<(i64, Option<i64>, i64)> {
    let tag = |op: &Op| (op.tag_wild == 0).then_some(op.desired_tag);
    operations.iter().map(|op| (op.desired_global_rank, tag(op), op.desired_length)).collect()
}

/// The same of the messages of a communicator that are the program's own. Only those of one process
/// are in order.
fn of_messages(messages: &[FabricMessage], place: u64) -> Vec<(i64, Option<i64>, i64)> {
    let own = messages.iter().filter(|one| one.communicator == place && one.tag >= 0);
    let mut own: Vec<_> =
        own.map(|one| (one.peer as i64, Some(one.tag), one.length as i64)).collect();
    own.sort_by_key(|(peer, ..)| *peer);
    own
}

fn compare(fabric: &Fabric, dump: &[DumpedCommunicator], what: &str) {
    for place in PLACES {
        let shown = dump.iter().find(|shown| shown.unique_id == place).expect(what);
        let own = fabric.posted.iter().filter(|one| one.communicator == place);
        let posted: Vec<_> = own
            .filter(|one| one.tag.is_none_or(|tag| tag >= 0))
            .map(|one| (one.source.map_or(-1, |rank| rank as i64), one.tag, 40))
            .collect();
        assert_eq!(numbers(&shown.receives), posted, "{what}");
        let mut messages = numbers(&shown.unexpected);
        messages.sort_by_key(|(peer, ..)| *peer);
        assert_eq!(messages, of_messages(&fabric.messages, place), "{what}");
        assert_eq!(numbers(&shown.sends), of_messages(&fabric.sends, place), "{what}");
    }
}

/// If the provider does not tell of sends, an error says that they are missing.
fn update(session: &mut Session, provider: Provider, what: &str) {
    match provider.counts_sends() {
        true => session.update().unwrap_or_else(|refusal| panic!("{what}: {}", refusal.text)),
        false => update_without_sends(session, what),
    }
}

fn update_without_sends(session: &mut Session, what: &str) {
    session.hidden_sends = HiddenSends::All;
    let refusal = session.update().expect_err(what);
    assert!(refusal.text.contains("sends that libfabric"), "{what}: {}", refusal.text);
}

#[test]
fn every_provider_of_every_table() {
    let all = providers();
    assert!(all.len() >= 12, "{}", all.len());
    for (name, provider, layouts) in all {
        let what = format!("{name}, {provider:?}");
        let fabric = full(provider);
        let mut session = session(process(&fabric, &layouts));
        session.open().unwrap_or_else(|refusal| panic!("{what}: {}", refusal.text));
        update(&mut session, provider, &what);
        compare(&fabric, &session.dump(), &what);
    }
}

/// The provider sockets keeps sends, but not in each state.
#[test]
fn sends_of_sockets_that_are_not_known() {
    let layouts = table("libfabric-1.17");
    let fabric = full(Provider::Sockets);
    let shown = Fabric { sends: Vec::new(), ..fabric.clone() };
    for (ty, field, value, what) in [
        ("sock_tx_ctx", "rb.wcnt", 88, "a send that the thread has not taken"),
        ("sock_tx_ctx", "use_shared", 1, "a sending side of several endpoints"),
        ("sock_pe_entry", "pe.tx.send_done", 1, "a send whose tag is deleted"),
    ] {
        let mut process = process(&fabric, &layouts);
        put(&mut process, (ty, field), value);
        let mut session = session(process);
        session.open().expect(what);
        update_without_sends(&mut session, what);
        compare(&shown, &session.dump(), what);
    }
    // What is complete, or sends no message of MPI, is left out.
    for (field, value) in [("is_complete", 1), ("pe.tx.tx_op.op", 0), ("type", 0)] {
        let mut process = process(&fabric, &layouts);
        put(&mut process, ("sock_pe_entry", field), value);
        let mut session = session(process);
        session.open().expect(field);
        update(&mut session, Provider::Sockets, field);
        let sends = fabric.sends[1..].to_vec();
        compare(&Fabric { sends, ..fabric.clone() }, &session.dump(), field);
    }
}

/// Short sends of ofi_rxm are counted, and nothing else is known of them.
#[test]
fn sends_of_rxm_that_are_not_known() {
    for (name, provider, layouts) in providers() {
        if !matches!(provider, Provider::Rxm | Provider::RxmOld) {
            continue;
        }
        let fabric = full(provider);
        let mut process = process(&fabric, &layouts);
        put(&mut process, ("rxm_ep", "tx_credit"), 127);
        let mut session = session(process);
        session.open().expect(&name);
        update_without_sends(&mut session, &name);
        compare(&fabric, &session.dump(), &name);
    }
}

/// If ofi_rxm leaves the queues to the provider below it, they are not taken for empty.
#[test]
fn rxm_that_passes_through() {
    for (name, provider, layouts) in providers() {
        if matches!(provider, Provider::Rxm | Provider::RxmOld) {
            let mut process = process(&full(provider), &layouts);
            put(&mut process, ("fi_ep_attr", "protocol"), 22);
            let refusal = session(process).open().expect_err(&name);
            assert!(refusal.text.contains("ofi_rxm"), "{name}: {}", refusal.text);
        }
    }
}

/// Long sends of ofi_rxm are found. Their receivers are not, so they are shown only to those who
/// can complete them.
#[test]
fn sends_of_rxm_that_are_announced() {
    for (name, provider, layouts) in providers() {
        if !matches!(provider, Provider::Rxm | Provider::RxmOld) {
            continue;
        }
        let send = |tag| FabricMessage { communicator: 0, peer: 2, tag, length: 100_000 };
        // The library's own is not shown, and hides nothing.
        for (tag, is_hidden) in [(7, true), (-17, false)] {
            let announced = vec![(6, send(tag))];
            let fabric = Fabric { announced, named: Some(6), ..full(provider) };
            let mut session = session(process(&fabric, &layouts));
            session.open().expect(&name);
            if is_hidden {
                session.hidden_sends = HiddenSends::All;
                let refusal = session.update().expect_err(&name);
                assert!(refusal.text.contains("keeps no receiver"), "{name}: {}", refusal.text);
            } else {
                session.update().expect(&name);
            }
            let dump = session.dump();
            compare(&fabric, &dump, &name);
            let first = dump.iter().find(|one| one.unique_id == 0).expect(&name);
            let notes = first.unexpected.iter().flat_map(|one| &one.extra_text);
            let announced = notes.filter(|note| note.contains("rendezvous")).count();
            assert_eq!(announced, 1, "{name}");
        }
    }
}

/// A receive that is matched is on no list. An error says that receives are missing.
#[test]
fn receives_that_are_matched() {
    for (name, provider, layouts) in providers() {
        let what = format!("{name}, {provider:?}");
        let fabric = full(provider);
        let mut process = process(&fabric, &layouts);
        let in_use = (fabric.posted.len() + fabric.messages.len()) as u64;
        match provider {
            // With shm and efa the error names sends instead. With tcp no pool is counted.
            Provider::Tcp | Provider::Shm | Provider::Efa => continue,
            Provider::Sockets => put(&mut process, ("sock_rx_entry", "is_busy"), 1),
            Provider::Rxm => {
                put(&mut process, ("ofi_bufpool", "entry_cnt"), in_use + 6);
            }
            Provider::RxmOld => {
                let place = fabric_stack(&process);
                process.bytes_mut(place, 1)[0] += 1;
            }
        }
        let mut session = session(process);
        session.open().expect(&what);
        let refusal = session.update().expect_err(&what);
        assert!(refusal.text.contains("on their way"), "{what}: {}", refusal.text);
    }
}

/// The stack of receives that are free.
fn fabric_stack(process: &SyntheticProcess) -> u64 {
    let place = |ty: &str, field: &str| process.layouts[ty].offsets[field].0 as u64;
    let (_, endpoint) = process.objects.iter().find(|(ty, _)| ty == "rxm_ep").expect("one");
    let at = endpoint + place("rxm_ep", "trecv_queue") + place("rxm_recv_queue", "fs");
    let bytes = process.read(at, 8).expect("it is there");
    u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
}

/// Puts another value into a field of the first object of a type.
fn put(process: &mut SyntheticProcess, (ty, field): (&str, &str), value: u64) {
    let (offset, kind) = process.layouts[ty].offsets[field];
    let Kind::Chars(size) = kind else { panic!("{ty}.{field}") };
    let (_, object) = process.objects.iter().find(|(of, _)| of == ty).expect(ty);
    let place = object + offset as u64;
    process.bytes_mut(place, size).copy_from_slice(&value.to_le_bytes()[..size]);
}

#[test]
fn the_fetch_budget_is_kept() {
    const OPERATIONS: u64 = 10_000;
    for (name, provider, layouts) in providers() {
        let what = format!("{name}, {provider:?}");
        let mut fabric = Fabric::new(provider);
        for number in 0..OPERATIONS / 2 {
            let (tag, peer) = (number as i64 % 1000, number % 4);
            let source = (number % 3 != 0).then_some(peer);
            fabric.posted.push(FabricReceive { communicator: 0, source, tag: Some(tag) });
            let message = FabricMessage { communicator: SECOND, peer, tag, length: 16 };
            fabric.messages.push(message);
        }
        let mut session = session(process(&fabric, &layouts));
        session.open().expect(&what);
        session.debugger.fetches.set(0);
        update(&mut session, provider, &what);
        let fetches = session.debugger.fetches.get();
        compare(&fabric, &session.dump(), &what);
        let cost = fetches as f64 / OPERATIONS as f64;
        assert!(cost <= 0.2, "{what}: {fetches} fetches");
    }
}

const ROUNDS: u64 = 200;

/// Opens and reads a damaged process.
fn survive(session: &mut Session, seed: u64) -> bool {
    const LIMITS: Limits = Limits { fetches: 6_000, bytes: 300_000_000 };
    damage::survive(session, seed, LIMITS, open_and_update)
}

/// Without the error that is there without damage, too.
fn open_and_update(session: &mut Session) -> Result<(), Refusal> {
    session.open()?;
    match session.update() {
        Err(refusal) if refusal.text.contains("sends that libfabric") => Ok(()),
        result => result,
    }
}

#[test]
fn random_fields_are_survived() {
    let all = providers();
    let mut refused = 0;
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed ^ 0x0C);
        let (_, provider, layouts) = &all[seed as usize % all.len()];
        let mut process = process(&full(*provider), layouts);
        let of_fabric = |(ty, _): &&(String, u64)| layouts.contains_key(ty);
        let objects: Vec<_> = process.objects.iter().filter(of_fabric).cloned().collect();
        for _ in 0..1 + random.below(4) {
            let (ty, address) = random.pick(&objects);
            let fields: Vec<_> = process.layouts[&ty].offsets.values().copied().collect();
            let (offset, kind) = random.pick(&fields);
            let Kind::Chars(size) = kind else { continue };
            let other = random.pick(&objects).1;
            let bytes = damage::value(&mut random, other).to_le_bytes();
            let size = size.clamp(1, 8);
            process.bytes_mut(address + offset as u64, size).copy_from_slice(&bytes[..size]);
        }
        refused += u64::from(survive(&mut session(process), seed));
    }
    assert!(refused > ROUNDS / 5, "the damage is seen in {refused} rounds only");
}

#[test]
fn random_bytes_are_survived() {
    let all = providers();
    let mut refused = 0;
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed ^ 0xBEEF);
        let (_, provider, layouts) = &all[seed as usize % all.len()];
        let mut process = process(&full(*provider), layouts);
        for region in &mut process.regions {
            for _ in 0..random.below(40) {
                let at = random.below(region.bytes.len());
                region.bytes[at] = random.next() as u8;
            }
        }
        refused += u64::from(survive(&mut session(process), seed));
    }
    assert!(refused > ROUNDS / 20, "the damage is seen in {refused} rounds only");
}

#[test]
fn failing_and_lying_reads_are_survived() {
    let all = providers();
    let mut refused = 0;
    for seed in 0..ROUNDS / 2 {
        let (_, provider, layouts) = &all[seed as usize % all.len()];
        let mut session = session(process(&full(*provider), layouts));
        damage::fail_and_lie(&session.debugger, seed);
        refused += u64::from(survive(&mut session, seed));
    }
    assert!(refused > ROUNDS / 6, "the damage is seen in {refused} rounds only");
}

#[test]
fn memory_that_is_refused_is_an_error_code() {
    let mut session = session(process(&full(Provider::Tcp), &table("libfabric-2.5")));
    session.open().expect("the table fits");
    damage::refuse_memory(&mut session);
}
