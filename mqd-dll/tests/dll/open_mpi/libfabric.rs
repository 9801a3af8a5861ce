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
    let mut fabric =
        Fabric { provider, posted: Vec::new(), messages: Vec::new(), sends: Vec::new() };
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
        if provider == Provider::Tcp {
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

/// Only the provider tcp keeps sends. With the others an error says that they are missing.
fn update(session: &mut Session, provider: Provider, what: &str) {
    if provider != Provider::Tcp {
        session.hidden_sends = HiddenSends::All;
    }
    match (session.update(), provider) {
        (Ok(()), Provider::Tcp) => {}
        (Err(refusal), provider) if provider != Provider::Tcp => {
            assert!(refusal.text.contains("sends that libfabric"), "{what}: {}", refusal.text);
        }
        (result, _) => panic!("{what}: {:?}", result.map_err(|refusal| refusal.text)),
    }
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

#[test]
fn the_fetch_budget_is_kept() {
    const OPERATIONS: u64 = 10_000;
    for (name, provider, layouts) in providers() {
        let what = format!("{name}, {provider:?}");
        let mut fabric =
            Fabric { provider, posted: Vec::new(), messages: Vec::new(), sends: Vec::new() };
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
