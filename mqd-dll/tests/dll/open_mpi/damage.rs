//! Damaged memory ends in an error, within bounded work, and what was read before it is kept.

use super::{BOTH, open, read};
use crate::support::contract::Kind;
use crate::support::damage::{self, Limits};
use crate::support::machine::Machine;
use crate::support::open_mpi::{
    Communicator, Message, Model, Receive, Send, Writer, invented, random,
};
use crate::support::process::SyntheticProcess;
use crate::support::random::Random;
use crate::support::session::{DumpedCommunicator, Op, Refusal, Session};

/// A second communicator, and something in every queue of both.
pub fn full() -> Model {
    let mut model = Model::world(1, 4);
    model.communicators.push(Some(Communicator::new("second", 1, vec![3, 1, 0])));
    for place in [0, 3] {
        let tag = place as i64 * 100;
        model.receives.extend((0..3).map(|number| Receive::new(place, 0, tag + number)));
        model.sends.extend((10..13).map(|number| Send::new(place, 2, tag + number)));
        let communicator = model.communicators[place].as_mut().expect("is there");
        communicator.unexpected = (20..23).map(|number| Message::new(2, tag + number)).collect();
    }
    model
}

fn damaged(damage: impl FnOnce(&mut SyntheticProcess)) -> (Refusal, Vec<DumpedCommunicator>) {
    let mut session = open(&full());
    damage(&mut session.debugger.process);
    session.debugger.fetches.set(0);
    let refusal = session.update().expect_err("the damage is seen");
    assert!(session.debugger.fetches.get() < 200, "{} fetches", session.debugger.fetches.get());
    (refusal, session.dump())
}

fn tags(operations: &[Op]) -> Vec<i64> {
    operations.iter().map(|op| op.desired_tag).collect()
}

/// The place of an object that a test of its bytes finds.
fn place(process: &SyntheticProcess, ty: &str, holds: impl Fn(u64) -> bool) -> usize {
    let objects = process.objects.iter().filter(|(name, _)| name == ty);
    objects.map(|(_, address)| *address).position(holds).expect("there is one")
}

fn number(process: &SyntheticProcess, ty: &str, address: u64, field: &str) -> i64 {
    let (offset, kind) = process.layouts[ty].offsets[field];
    let bytes =
        process.read(address + offset as u64, process.machine.size_of(kind)).expect("is there");
    bytes.iter().rev().fold(0, |value, byte| value << 8 | i64::from(*byte))
}

#[test]
fn a_request_with_an_impossible_value_is_left_out() {
    for (ty, field, value) in [
        ("mca_pml_base_request_t", "req_peer", 4),
        ("mca_pml_base_request_t", "req_peer", -2),
        ("mca_pml_base_request_t", "req_comm", 0x40),
        ("mca_pml_base_request_t", "req_count", i64::MIN),
        ("ompi_request_t", "req_type", 5),
    ] {
        let (refusal, dump) = damaged(|process| {
            let is_it =
                |address| number(process, "mca_pml_base_request_t", address, "req_tag") == 1;
            let at = place(process, "mca_pml_ob1_recv_request_t", is_it);
            let address = process.object("mca_pml_ob1_recv_request_t", at);
            let (offset, kind) = process.layouts[ty].offsets[field];
            let bytes = process.machine.encode(value, process.machine.size_of(kind));
            process.bytes_mut(address + offset as u64, bytes.len()).copy_from_slice(&bytes);
        });
        assert!(
            refusal.text.contains("impossible value") && refusal.text.contains(field),
            "{field}: {}",
            refusal.text
        );
        assert_eq!(tags(&dump[0].receives), [0, 2], "{field}");
        assert_eq!(
            (tags(&dump[0].sends), tags(&dump[2].receives)),
            (vec![10, 11, 12], vec![300, 301, 302])
        );
    }
}

#[test]
fn a_list_ends_where_the_damage_is() {
    // A message that points back, into nothing, or to something else.
    for (next, text) in
        [(0, "returns to an earlier"), (1, "cannot be read"), (2, "impossible value")]
    {
        let (refusal, dump) = damaged(|process| {
            let first = process.object("mca_pml_ob1_recv_frag_t", 0);
            let other = process.object("ompi_group_t", 0);
            let (offset, _) = process.layouts["opal_list_item_t"].offsets["opal_list_next"];
            let value = [first, 0x10, other][next];
            let second = process.object("mca_pml_ob1_recv_frag_t", 1);
            process.bytes_mut(second + offset as u64, 8).copy_from_slice(&value.to_le_bytes());
        });
        assert!(refusal.text.contains(text), "{}", refusal.text);
        assert_eq!(tags(&dump[0].unexpected), [20, 21]);
        assert_eq!(tags(&dump[2].unexpected), [320, 321, 322]);
        assert_eq!(tags(&dump[0].receives), [0, 1, 2]);
    }
}

#[test]
fn a_communicator_without_its_group_is_still_shown() {
    for (field, value) in
        [("grp_proc_count", -1), ("grp_proc_count", 1 << 25), ("grp_proc_pointers", 0x13)]
    {
        let (refusal, dump) = damaged(|process| {
            let is_it = |address| number(process, "ompi_group_t", address, "grp_proc_count") == 3;
            let at = place(process, "ompi_group_t", is_it);
            process.set("ompi_group_t", at, field, value);
        });
        assert!(refusal.text.contains("ompi_group_t"), "{}", refusal.text);
        assert_eq!((dump[2].size, dump[2].name.as_slice()), (0, b"second".as_slice()));
        assert_eq!(tags(&dump[2].receives), [300, 301, 302]);
        assert_eq!(dump[2].receives[0].desired_global_rank, -1);
    }
}

#[test]
fn a_free_list_that_does_not_add_up_is_refused() {
    for (field, value) in [
        ("fl_frag_size", 8),
        ("fl_frag_size", 1 << 40),
        ("fl_frag_alignment", 3),
        ("fl_num_allocated", 1 << 40),
        ("fl_num_allocated", 1_000),
    ] {
        let (refusal, dump) = damaged(|process| process.set("opal_free_list_t", 0, field, value));
        let places = ["[opal_free_list", "[ompi_request_t"];
        assert!(
            places.iter().any(|place| refusal.text.contains(place)),
            "{field}: {}",
            refusal.text
        );
        assert_eq!(tags(&dump[0].sends), [10, 11, 12], "{field}");
        assert_eq!(tags(&dump[0].unexpected), [20, 21, 22]);
    }
}

#[test]
fn a_free_list_that_is_being_grown_is_whole() {
    for slabs in [(4, 64), (64, 64), (2, 2)] {
        let whole = Model { slabs, ..full() };
        let growing = Model { growing: true, ..whole.clone() };
        let shown = read(&growing);
        assert_eq!(shown, read(&whole), "{slabs:?}");
    }
}

/// A queue that seems empty after an error is not known to be empty.
#[test]
fn what_was_not_read_is_not_known() {
    let mut model = Model::world(1, 4);
    model.receives = vec![Receive::new(0, 0, 1)];
    model.sends = vec![Send::new(0, 2, 1)];
    let damages: [(&str, usize, &str, i64, [bool; 3]); 2] = [
        ("opal_free_list_t", 1, "fl_frag_size", 8, [false, true, false]),
        // Without the name of its datatype, an operation is shown all the same.
        ("ompi_communicator_t", 0, "c_name", 0x10, [true, true, true]),
    ];
    for (ty, number, field, value, known) in damages {
        let mut session = open(&Model { series: BOTH[1], ..model.clone() });
        session.debugger.process.set(ty, number, field, value);
        session.update().expect_err("the damage is seen");
        assert_eq!(session.are_known(), known, "{field}");
    }
}

/// Reads a damaged process.
fn survive(session: &mut Session, seed: u64) -> bool {
    const LIMITS: Limits = Limits { fetches: 4_000, bytes: 200_000_000 };
    let is_seen = damage::survive(session, seed, LIMITS, |session| session.update());
    assert!(session.dump().len() < 100, "seed {seed}");
    is_seen
}

const ROUNDS: u64 = 600;

fn fuzzed(seed: u64) -> (Random, Session) {
    let machine = Machine::ALL[seed as usize % Machine::ALL.len()];
    let series = BOTH[seed as usize % 2];
    let model = random(seed % 60, series);
    (
        Random::new(seed ^ 0xD1CE),
        Session::opened(Writer::write(&model, machine, invented(&machine, series, seed))),
    )
}

#[test]
fn random_bytes_are_survived() {
    let mut refused = 0;
    for seed in 0..ROUNDS {
        let (mut random, mut session) = fuzzed(seed);
        let bytes = &mut session.debugger.process.regions[0].bytes;
        for _ in 0..1 + random.below(60) {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        refused += u64::from(survive(&mut session, seed));
    }
    assert!(refused > ROUNDS / 20, "the damage is seen in {refused} rounds only");
}

#[test]
fn random_fields_are_survived() {
    let mut refused = 0;
    for seed in 0..ROUNDS {
        let (mut random, mut session) = fuzzed(seed);
        let process = &mut session.debugger.process;
        for _ in 0..1 + random.below(6) {
            let (ty, address) = random.pick(&process.objects);
            // In requests and fragments, the fields of what they extend too.
            let ty = random
                .pick(&[
                    ty.as_str(),
                    "opal_list_item_t",
                    "ompi_request_t",
                    "mca_pml_base_request_t",
                ])
                .to_owned();
            let fields: Vec<_> = process.layouts[&ty].offsets.values().copied().collect();
            let (offset, kind) = random.pick(&fields);
            let size = process.machine.size_of(kind);
            if size > 8 || matches!(kind, Kind::Chars(0)) {
                continue;
            }
            let other = random.pick(&process.objects).1;
            let value = damage::value(&mut random, other);
            let bytes = process.machine.encode(value, size);
            let region = &mut process.regions[0];
            let start = (address - region.start) as usize + offset;
            if let Some(room) = region.bytes.get_mut(start..start + bytes.len()) {
                room.copy_from_slice(&bytes);
            }
        }
        refused += u64::from(survive(&mut session, seed));
    }
    assert!(refused > ROUNDS / 5, "the damage is seen in {refused} rounds only");
}

#[test]
fn failing_and_lying_reads_are_survived() {
    let mut refused = 0;
    for seed in 0..ROUNDS / 3 {
        let (_, mut session) = fuzzed(seed);
        damage::fail_and_lie(&session.debugger, seed);
        refused += u64::from(survive(&mut session, seed));
    }
    assert!(refused > 30, "{refused}");
}

#[test]
fn memory_that_is_refused_is_an_error_code() {
    let mut session = open(&full());
    damage::refuse_memory(&mut session);
}
