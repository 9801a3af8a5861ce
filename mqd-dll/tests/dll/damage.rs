//! Damaged memory ends in an error code with a text, within bounded work, and what was read before
//! it is kept.

use crate::support::activity::activity;
use crate::support::contract::Kind;
use crate::support::damage::{self, Limits};
use crate::support::expected::{expected, random_model};
use crate::support::machine::{Machine, natural, shuffled};
use crate::support::model::*;
use crate::support::process::{Placement, SyntheticProcess};
use crate::support::random::Random;
use crate::support::session::{DumpedCommunicator, Op, Refusal, Session};
use mqs_abi::*;

fn place(model: &Model) -> SyntheticProcess {
    let machine = Machine::LP64;
    SyntheticProcess::new(model, machine, natural(&machine), Placement::Slab)
}

/// Two communicators with three entries on every list.
fn full() -> Model {
    let mut model = Model::world(1, 4);
    model.communicators.push(Communicator::new(2, "second", 1, vec![3, 1, 0]));
    for communicator in &mut model.communicators {
        communicator.posted = (0..3).map(|tag| Request::receive(0, tag)).collect();
        communicator.matched =
            (10..13).map(|tag| Request::matched(ANY_SOURCE, tag, 1, tag)).collect();
        communicator.unexpected = (20..23).map(|tag| Message::eager(2, tag)).collect();
    }
    model.sends = (30..36).map(|tag| (usize::from(tag % 2 == 1), Request::send(2, tag))).collect();
    model.probes = (40..43).map(|tag| (0, Request::probe(0, tag))).collect();
    model
}

/// Damages the full model; gives the refusal and what is shown.
fn damaged(damage: impl FnOnce(&mut SyntheticProcess)) -> (Refusal, Vec<DumpedCommunicator>) {
    let mut session = Session::opened(place(&full()));
    damage(&mut session.debugger.process);
    session.debugger.fetches.set(0);
    let refusal = session.update().expect_err("the damage is seen");
    assert!(session.debugger.fetches.get() < 100, "{} fetches", session.debugger.fetches.get());
    (refusal, session.dump())
}

fn tags(operations: &[Op]) -> Vec<i64> {
    operations.iter().map(|op| op.desired_tag).collect()
}

/// The tags of sends, receives and unexpected messages of a communicator.
fn all_tags(communicator: &DumpedCommunicator) -> [Vec<i64>; 3] {
    [tags(&communicator.sends), tags(&communicator.receives), tags(&communicator.unexpected)]
}

/// Places of requests of the full model in the order of writing: posted and matched of each
/// communicator, sends, probes.
const POSTED: usize = 0;
const MATCHED: usize = 3;
const SECOND_POSTED: usize = 6;
const SENDS: usize = 12;
const PROBES: usize = 18;

#[test]
fn the_full_model_is_whole() {
    let dump = Session::opened(place(&full())).read();
    assert_eq!(dump, expected(&full()));
    assert_eq!(all_tags(&dump[0])[1], [10, 11, 12, 0, 1, 2, 40, 41, 42]);
}

#[test]
fn a_cycle_ends_its_list() {
    // From the last element of a list back to each of its elements: everything is shown, once.
    for (first, ty, length) in [
        (POSTED, "mqdrt_request", 3),
        (MATCHED, "mqdrt_request", 3),
        (SENDS, "mqdrt_request", 6),
        (PROBES, "mqdrt_request", 3),
        (0, "mqdrt_message", 3),
        (0, "mqdrt_communicator", 2),
    ] {
        for back_to in 0..length {
            let (refusal, dump) = damaged(|process| {
                let target = process.object(ty, first + back_to);
                process.set(ty, first + length - 1, "next", target as i64);
            });
            assert!(
                refusal.text.contains("returns to an earlier") && refusal.text.contains(ty),
                "{}",
                refusal.text
            );
            assert_eq!(dump, expected(&full()), "{ty} {first} back to {back_to}");
        }
    }
}

#[test]
fn lists_that_run_into_each_other_are_seen() {
    let (refusal, dump) = damaged(|process| {
        let matched = process.object("mqdrt_request", MATCHED + 1);
        process.set("mqdrt_request", POSTED + 2, "next", matched as i64);
    });
    assert!(refusal.text.contains("returns to an earlier"), "{}", refusal.text);
    assert_eq!(dump, expected(&full()));
    // Into the list of another communicator: its elements are not this one's.
    let (refusal, dump) = damaged(|process| {
        let other = process.object("mqdrt_request", SECOND_POSTED);
        process.set("mqdrt_request", POSTED + 1, "next", other as i64);
    });
    assert!(refusal.text.contains("[mqdrt_request.communicator"), "{}", refusal.text);
    assert_eq!(all_tags(&dump[0])[1], [10, 11, 12, 0, 1, 40, 41, 42]);
}

#[test]
fn a_wild_pointer_ends_its_list_and_no_other() {
    for wild in [1, 0x1000, 0x7f13_0000_0000, 0x7FFF_FFFF_FFFF_FFF8, -1, -8, -4096, i64::MIN] {
        let (refusal, dump) =
            damaged(|process| process.set("mqdrt_request", POSTED + 1, "next", wild));
        assert!(refusal.text.contains("cannot be read"), "{wild:#x}: {}", refusal.text);
        assert_eq!(all_tags(&dump[0])[1], [10, 11, 12, 0, 1, 40, 41, 42]);
        assert_eq!(dump[1], expected(&full())[1]);
        assert_eq!(dump[0].sends, expected(&full())[0].sends);
    }
    // A 32-bit process has no addresses beyond its end.
    let mut session = Session::opened(SyntheticProcess::new(
        &full(),
        Machine::I386,
        natural(&Machine::I386),
        Placement::Slab,
    ));
    session.debugger.process.set("mqdrt_request", POSTED, "next", 0xFFFF_FFFC);
    let refusal = session.update().expect_err("the damage is seen");
    assert!(refusal.text.contains("at 0xfffffffc"), "{}", refusal.text);
}

#[test]
fn the_first_error_is_the_one_reported() {
    let (refusal, dump) = damaged(|process| {
        process.set("mqdrt_request", SENDS + 2, "next", 0x10);
        process.set("mqdrt_request", POSTED, "kind", 99);
        process.set("mqdrt_message", 1, "mode", 0);
    });
    assert!(refusal.text.contains("at 0x10"), "{}", refusal.text);
    assert_eq!(all_tags(&dump[0]), [vec![30, 32], vec![10, 11, 12, 40, 41, 42], vec![20]]);
    assert_eq!(all_tags(&dump[1]), [vec![31], vec![10, 11, 12, 0, 1, 2], vec![20, 21, 22]]);
}

#[test]
fn impossible_values_are_refused() {
    let request = [
        ("kind", vec![0, 8, -1, 1]),
        ("state", vec![0, 4, -1]),
        ("peer", vec![4, -2, -4, 1_000_000, i64::from(i32::MIN)]),
        ("tag", vec![]),
        ("count", vec![-1, i64::MIN]),
        ("length", vec![-1, i64::MIN]),
        ("protocol", vec![-1, 4]),
        ("communicator", vec![0, 8, -1]),
    ];
    for (field, values) in request {
        for value in values {
            let (refusal, dump) =
                damaged(|process| process.set("mqdrt_request", POSTED + 1, field, value));
            assert!(
                refusal.text.contains(&format!("[mqdrt_request.{field} at ")),
                "{value}: {}",
                refusal.text
            );
            assert_eq!(all_tags(&dump[0])[1], [10, 11, 12, 0, 40, 41, 42], "{field} {value}");
        }
    }
    for (field, values) in [
        ("source", vec![4, -1, -4]),
        ("length", vec![-1]),
        ("mode", vec![0, 5]),
        ("protocol", vec![4]),
        ("communicator", vec![0]),
    ] {
        for value in values {
            let (refusal, dump) = damaged(|process| process.set("mqdrt_message", 1, field, value));
            assert!(
                refusal.text.contains(&format!("[mqdrt_message.{field} at ")),
                "{value}: {}",
                refusal.text
            );
            assert_eq!(all_tags(&dump[0])[2], [20]);
        }
    }
    // A send to any process, with any tag.
    let (refusal, _) = damaged(|process| process.set("mqdrt_request", SENDS, "peer", ANY_SOURCE));
    assert!(refusal.text.contains("[mqdrt_request.peer at "), "{}", refusal.text);
    for (field, values) in [
        ("world_size", vec![0, -1, 1 << 25]),
        ("world_rank", vec![-1, 4]),
        ("phase", vec![-1, 3]),
        ("layout_version", vec![0, -1]),
    ] {
        for value in values {
            let (refusal, dump) = damaged(|process| process.set("mqdrt_process", 0, field, value));
            assert!(
                refusal.text.contains(&format!("[mqdrt_process.{field} at ")),
                "{value}: {}",
                refusal.text
            );
            assert!(dump.is_empty());
        }
    }
}

#[test]
fn a_communicator_without_its_group_is_still_shown() {
    let damage: [(&str, &str, i64); 8] = [
        ("mqdrt_communicator", "local_group", 0),
        ("mqdrt_communicator", "local_group", 0x999),
        ("mqdrt_group", "size", -1),
        ("mqdrt_group", "size", 5),
        ("mqdrt_group", "size", i32::MAX as i64),
        ("mqdrt_group", "rank", 4),
        ("mqdrt_group", "world_ranks", 0),
        ("mqdrt_group", "world_ranks", 0x999),
    ];
    for (ty, field, value) in damage {
        let (refusal, dump) = damaged(|process| process.set(ty, 0, field, value));
        assert!(refusal.text.contains("mqdrt_group"), "{ty}.{field} {value}: {}", refusal.text);
        assert_eq!((dump[0].size, dump[0].local_rank), (0, -1));
        assert_eq!(dump[0].name, b"MPI_COMM_WORLD");
        assert_eq!(all_tags(&dump[0])[1], [10, 11, 12, 0, 1, 2, 40, 41, 42]);
        assert_eq!(
            (dump[0].receives[3].desired_local_rank, dump[0].receives[3].desired_global_rank),
            (0, -1)
        );
        assert_eq!(dump[1], expected(&full())[1]);
    }
    // World ranks that nobody has.
    let (refusal, dump) = damaged(|process| {
        let ranks = process.object("mqdrt_group", 0) - 16;
        process.bytes_mut(ranks, 4).copy_from_slice(&77i32.to_le_bytes());
    });
    assert!(refusal.text.contains("[mqdrt_group.world_ranks at "), "{}", refusal.text);
    assert_eq!(dump[0].size, 0);
}

#[test]
fn an_operation_without_its_names_is_still_shown() {
    for (field, lines) in [("datatype", vec!["MPI_Irecv"]), ("call", vec!["10 x MPI_INT"])] {
        let (refusal, dump) =
            damaged(|process| process.set("mqdrt_request", POSTED + 1, field, 0x13));
        assert!(refusal.text.contains("at 0x13"), "{}", refusal.text);
        assert_eq!(all_tags(&dump[0]), all_tags(&expected(&full())[0]));
        assert_eq!(dump[0].receives[4].extra_text, lines);
        assert_eq!(dump[0].receives[5].extra_text, ["MPI_Irecv", "10 x MPI_INT"]);
    }
}

#[test]
fn a_send_of_no_known_communicator_is_left_out() {
    let (refusal, dump) =
        damaged(|process| process.set("mqdrt_request", SENDS + 2, "communicator", 0x77));
    assert!(refusal.text.contains("[mqdrt_request.communicator at "), "{}", refusal.text);
    assert_eq!(
        [all_tags(&dump[0])[0].clone(), all_tags(&dump[1])[0].clone()],
        [[30, 34].to_vec(), [31, 33, 35].to_vec()]
    );
    // So the sends of the communicators that are left are whole when the list of communicators
    // breaks off.
    let (refusal, dump) = damaged(|process| process.set("mqdrt_communicator", 0, "next", 0x77));
    assert!(refusal.text.contains("[mqdrt_communicator at 0x77"), "{}", refusal.text);
    assert_eq!(dump, expected(&full())[..1]);
}

/// A queue that seems empty after an error is not known to be empty.
#[test]
fn what_was_not_read_is_not_known() {
    let mut model = Model::world(1, 4);
    model.communicators[0].posted = vec![Request::receive(0, 1)];
    model.sends = vec![(0, Request::send(2, 1))];
    let damages: [(usize, &str, i64, [bool; 3]); 3] = [
        (0, "kind", 99, [true, false, false]),
        (1, "communicator", 0x77, [false, true, false]),
        // Without its datatype, an operation is shown all the same.
        (0, "datatype", 0x13, [true, true, true]),
    ];
    for (request, field, value, known) in damages {
        let mut session = Session::opened(place(&model));
        session.debugger.process.set("mqdrt_request", request, field, value);
        session.update().expect_err("the damage is seen");
        assert_eq!(session.are_known(), known, "{field}");
    }
}

#[test]
fn missing_memory_costs_what_is_in_it_only() {
    // A core file that lacks the pages from the middle of the posted receives on.
    let model = Model::busy(1, 1_000);
    let mut session = Session::opened(place(&model));
    let hole = session.debugger.process.object("mqdrt_request", 500) + 40;
    session.debugger.process.unmap(hole, hole + 8);
    let refusal = session.update().expect_err("the hole is seen");
    assert!(refusal.text.contains("cannot be read"), "{}", refusal.text);
    assert_eq!(tags(&session.dump()[0].receives), (0..500).collect::<Vec<_>>());
}

#[test]
fn an_endless_list_ends() {
    // Each receive has a next one, all the way through memory that has no end.
    let machine = Machine::LP64;
    let mut model = Model::world(1, 4);
    model.communicators[0].posted = vec![Request::receive(0, 1)];
    let mut process = place(&model);
    let size = process.layouts["mqdrt_request"].size;
    let pattern =
        process.read(process.object("mqdrt_request", 0), size).expect("is there").to_vec();
    let next = process.layouts["mqdrt_request"].offsets["next"].0;
    let start = 0x1000_0000u64;
    process.set("mqdrt_request", 0, "next", start as i64);
    let session = Session::opened(process);
    let end = 0x7000_0000_0000;
    *session.debugger.beyond.borrow_mut() = Some(Box::new(move |address, to| {
        if address < start || address > end {
            return mqs_no_information;
        }
        let mut element = pattern.clone();
        let mut offset = (address - start) % size as u64;
        let mut number = (address - start) / size as u64;
        let mut to = to;
        while !to.is_empty() {
            let following = start + (number + 1) * size as u64;
            element[next..next + 8].copy_from_slice(&machine.encode(following as i64, 8));
            let part = (size - offset as usize).min(to.len());
            let (now, rest) = to.split_at_mut(part);
            now.copy_from_slice(&element[offset as usize..offset as usize + part]);
            (to, offset, number) = (rest, 0, number + 1);
        }
        mqs_ok
    }));
    session.debugger.fetches.set(0);
    let refusal = session.update().expect_err("there is no end");
    assert!(refusal.text.contains("more to read than"), "{}", refusal.text);
    assert!(session.debugger.fetches.get() < 100_000, "{}", session.debugger.fetches.get());
    let receives = session.dump().remove(0).receives;
    assert!(receives.len() > 1_000_000, "{}", receives.len());
}

/// Reads a damaged process. What the functions beyond the interface say is well-formed too.
fn survive(session: &mut Session, seed: u64) -> bool {
    const LIMITS: Limits = Limits { fetches: 2_000, bytes: 200_000_000 };
    let is_seen = damage::survive(session, seed, LIMITS, |session| session.update());
    let dump = session.dump();
    assert!(dump.len() < 100, "seed {seed}");
    assert_eq!(activity(session).1.len(), dump.len());
    is_seen
}

const FUZZ_ROUNDS: u64 = 2_000;

fn fuzzed(seed: u64) -> (Random, SyntheticProcess) {
    let random = Random::new(seed ^ 0xD1CE);
    let machine = Machine::ALL[seed as usize % Machine::ALL.len()];
    let placement = [Placement::Slab, Placement::Lone, Placement::LonePages][seed as usize % 3];
    (
        random,
        SyntheticProcess::new(
            &random_model(seed % 50),
            machine,
            shuffled(&machine, seed),
            placement,
        ),
    )
}

#[test]
fn random_bytes_are_survived() {
    let mut refused = 0;
    for seed in 0..FUZZ_ROUNDS {
        let (mut random, process) = fuzzed(seed);
        let mut session = Session::opened(process);
        for _ in 0..1 + random.below(30) {
            let regions = &mut session.debugger.process.regions;
            let region = random.below(regions.len());
            let bytes = &mut regions[region].bytes;
            let index = random.below(bytes.len());
            bytes[index] = random.next() as u8;
        }
        refused += u64::from(survive(&mut session, seed));
    }
    assert!(refused > FUZZ_ROUNDS / 10, "the damage is seen in {refused} rounds only");
}

#[test]
fn random_fields_are_survived() {
    let mut refused = 0;
    for seed in 0..FUZZ_ROUNDS {
        let (mut random, process) = fuzzed(seed);
        let mut session = Session::opened(process);
        let process = &mut session.debugger.process;
        for _ in 0..1 + random.below(4) {
            let (ty, address) = random.pick(&process.objects);
            let fields: Vec<_> = process.layouts[&ty].offsets.values().copied().collect();
            let (offset, kind) = random.pick(&fields);
            if matches!(kind, Kind::Chars(_)) {
                continue;
            }
            let other = random.pick(&process.objects).1;
            let value = damage::value(&mut random, other);
            let bytes = process.machine.encode(value, process.machine.size_of(kind));
            process.bytes_mut(address + offset as u64, bytes.len()).copy_from_slice(&bytes);
        }
        refused += u64::from(survive(&mut session, seed));
    }
    // Some fields are of the library's own messages, which nobody has asked for here.
    assert!(refused > FUZZ_ROUNDS * 3 / 10, "the damage is seen in {refused} rounds only");
}

#[test]
fn failing_and_lying_reads_are_survived() {
    let mut refused = 0;
    for seed in 0..FUZZ_ROUNDS / 3 {
        let (_, process) = fuzzed(seed);
        let mut session = Session::opened(process);
        damage::fail_and_lie(&session.debugger, seed);
        refused += u64::from(survive(&mut session, seed));
    }
    assert!(refused > 50, "{refused}");
}
