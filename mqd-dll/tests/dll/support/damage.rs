//! Damage at random, and what a reader owes to somebody who meets it.

use super::debugger::Debugger;
use super::heap;
use super::random::Random;
use super::session::{Refusal, Session};
use mqs_abi::*;

/// The work that reading damaged memory may take.
#[derive(Clone, Copy)]
pub struct Limits {
    pub fetches: u64,
    pub bytes: u64,
}

/// Reads a damaged process. Whatever the result is, it comes soon, its text helps, and what is
/// shown is well-formed, as the walk in [`Session::dump`] checks. Gives whether the damage is seen.
pub fn survive(
    session: &mut Session,
    seed: u64,
    limits: Limits,
    read: impl FnOnce(&mut Session) -> Result<(), Refusal>,
) -> bool {
    session.debugger.fetches.set(0);
    session.debugger.bytes.set(0);
    let result = read(session);
    let (fetches, bytes) = (session.debugger.fetches.get(), session.debugger.bytes.get());
    assert!(fetches < limits.fetches, "seed {seed}: {fetches} fetches");
    assert!(bytes < limits.bytes, "seed {seed}: {bytes} bytes");
    if let Err(refusal) = &result {
        assert!(
            refusal.text.len() > 20 && !refusal.text.contains("bug in libmqd"),
            "seed {seed}: {}",
            refusal.text
        );
    }
    result.is_err()
}

/// Lets some reads fail, and others lie: they claim success and have read only the beginning.
pub fn fail_and_lie(debugger: &Debugger, seed: u64) {
    let mut random = Random::new(seed ^ 0xBAD);
    let rate = 1 + random.below(60);
    *debugger.tamper.borrow_mut() = Some(Box::new(move |_, bytes| match random.below(rate) {
        0 => mqs_no_information,
        1 => {
            let kept = random.below(bytes.len());
            bytes[kept..].iter_mut().for_each(|byte| *byte = random.next() as u8);
            mqs_ok
        }
        2 => -1,
        _ => mqs_ok,
    }));
}

/// What a damaged field holds: a number that is none, or the address of another object.
pub fn value(random: &mut Random, other: u64) -> i64 {
    let other = other as i64;
    random.pick(&[0, 1, -1, 2, i64::MAX, i64::MIN, 1 << 31, 1 << 20, other, other + 8, other])
}

/// Refuses memory at each block that an update takes. The result is an error code, and what is
/// read when there is memory again is whole.
pub fn refuse_memory(session: &mut Session) {
    let whole = session.read();
    for blocks in 0.. {
        heap::refuse_after(Some(blocks));
        let result = session.update();
        heap::refuse_after(None);
        match result {
            Ok(()) => {
                assert!(blocks > 20, "{blocks}");
                break;
            }
            Err(refusal) => assert!(refusal.text.contains("no more memory"), "{}", refusal.text),
        }
        assert!(session.dump().len() <= whole.len());
    }
    assert_eq!(session.dump(), whole);
    session.process_has_queues().expect("there are queues");
}
