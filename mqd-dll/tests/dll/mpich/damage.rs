//! Damaged memory of MPICH ends in an error, within bounded work.

use super::{active, ch3, full, session};
use crate::support::contract::Kind;
use crate::support::damage::{self, Limits};
use crate::support::process::SyntheticProcess;
use crate::support::random::Random;
use crate::support::session::{Refusal, Session};

const ROUNDS: u64 = 90;
/// Bytes of the library's variables and the heap that hold something.
const USED: usize = 64 * 1024;

/// All messages through UCX, most of them through shared memory, or all of the device ch3.
fn process(seed: u64) -> SyntheticProcess {
    match seed % 3 {
        0 => full(),
        1 => active::full(),
        _ => ch3::full(),
    }
}

/// Reads a damaged process.
fn survive(session: &mut Session, seed: u64) -> bool {
    const LIMITS: Limits = Limits { fetches: 20_000, bytes: 400_000_000 };
    let is_seen = damage::survive(session, seed, LIMITS, open_and_update);
    assert!(is_seen || session.dump().len() < 100, "seed {seed}");
    is_seen
}

fn open_and_update(session: &mut Session) -> Result<(), Refusal> {
    session.open().and_then(|()| session.update())
}

/// The same with nothing damaged, so that the other tests mean something.
#[test]
fn whole_memory_is_read() {
    for seed in 0..3 {
        assert!(!survive(&mut session(process(seed)), seed));
    }
}

#[test]
fn random_bytes_are_survived() {
    let mut refused = 0;
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed ^ 0xD1CE);
        let mut process = process(seed);
        for region in &mut process.regions {
            let used = region.bytes.len().min(USED);
            for _ in 0..random.below(40) {
                let at = random.below(used);
                region.bytes[at] = random.next() as u8;
            }
        }
        refused += u64::from(survive(&mut session(process), seed));
    }
    assert!(refused > ROUNDS / 20, "the damage is seen in {refused} rounds only");
}

#[test]
fn random_fields_are_survived() {
    let mut refused = 0;
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed ^ 0x0C);
        let mut process = process(seed);
        for _ in 0..1 + random.below(6) {
            let (ty, address) = random.pick(&process.objects);
            let Some(layout) = process.layouts.get(&ty) else { continue };
            let fields: Vec<_> = layout.offsets.values().copied().collect();
            let (offset, kind) = random.pick(&fields);
            let size = process.machine.size_of(kind);
            if size > 8 || matches!(kind, Kind::Chars(0)) {
                continue;
            }
            let other = random.pick(&process.objects).1;
            let value = damage::value(&mut random, other);
            let bytes = process.machine.encode(value, size);
            process.bytes_mut(address + offset as u64, bytes.len()).copy_from_slice(&bytes);
        }
        refused += u64::from(survive(&mut session(process), seed));
    }
    assert!(refused > ROUNDS / 5, "the damage is seen in {refused} rounds only");
}

#[test]
fn failing_and_lying_reads_are_survived() {
    let mut refused = 0;
    for seed in 0..ROUNDS / 3 {
        let mut session = session(process(seed));
        damage::fail_and_lie(&session.debugger, seed);
        refused += u64::from(survive(&mut session, seed));
    }
    assert!(refused > ROUNDS / 6, "the damage is seen in {refused} rounds only");
}
