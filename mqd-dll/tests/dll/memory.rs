//! Memory comes from the debugger, which may refuse it at any time (5.6.2).

use crate::support::activity::{activity, expected_activity};
use crate::support::expected::{expected, random_model};
use crate::support::heap;
use crate::support::machine::{Machine, natural};
use crate::support::model::{Message, Model};
use crate::support::process::{Placement, SyntheticProcess};
use crate::support::session::{DumpedCommunicator, Session};

fn place(model: &Model) -> SyntheticProcess {
    let machine = Machine::LP64;
    SyntheticProcess::new(model, machine, natural(&machine), Placement::Slab)
}

/// A whole session; the text of the first refusal, and what could be dumped.
fn attempt(session: &mut Session) -> (Option<String>, Vec<DumpedCommunicator>) {
    if let Err(refusal) = session.open() {
        return (Some(refusal.text), Vec::new());
    }
    let result = session.update();
    (result.err().map(|refusal| refusal.text), session.dump())
}

#[test]
fn each_refusal_is_an_error_and_nothing_is_lost() {
    let mut model = random_model(7);
    // Enough for collections to grow several times.
    model.communicators[0].unexpected = (0..300).map(|tag| Message::eager(0, tag)).collect();
    let whole = expected(&model);
    let process = place(&model);
    let mut partial = 0;
    for count in 0.. {
        let mut session = Session::new(process.clone());
        heap::refuse_after(Some(count));
        let (refusal, dump) = attempt(&mut session);
        heap::refuse_after(None);
        match refusal {
            None => {
                assert_eq!(dump, whole);
                assert_eq!(activity(&session), expected_activity(&model));
                assert!(count > 50, "the sweep went over {count} allocations only");
                break;
            }
            Some(text) => {
                assert!(text.contains("no more memory"), "after {count}: {text}");
                partial += usize::from(!dump.is_empty());
                for communicator in &dump {
                    let full = whole
                        .iter()
                        .find(|full| full.unique_id == communicator.unique_id)
                        .expect("is in the model");
                    assert!(full.sends.starts_with(&communicator.sends), "what was read is right");
                    assert!(full.receives.starts_with(&communicator.receives));
                    assert!(full.unexpected.starts_with(&communicator.unexpected));
                }
            }
        }
        // The session can go on when there is memory again.
        session.close();
        session.open().expect("there are queues");
        assert_eq!(session.read(), whole);
    }
    assert!(partial > 10, "what was read before a refusal is kept: {partial}");
}

#[test]
fn an_update_gives_the_old_queues_back_first() {
    let session = Session::opened(place(&Model::busy(1, 20_000)));
    heap::take_peak();
    session.update().expect("everything can be read");
    let first = heap::take_peak();
    session.update().expect("everything can be read");
    let second = heap::take_peak();
    assert!(second <= first, "{first} {second}");
    assert!(first > 100_000, "the debugger's memory is what is used: {first}");
}

#[test]
fn memory_is_in_proportion_to_what_is_read() {
    let peak = |receives: usize| {
        let session = Session::opened(place(&Model::busy(1, receives)));
        heap::take_peak();
        session.update().expect("everything can be read");
        heap::take_peak()
    };
    let (small, large) = (peak(1_000), peak(100_000));
    assert!(large < 100_000 * 600, "{large} bytes for 100,000 operations");
    assert!(small < 2_000_000, "{small} bytes for 1,000 operations");
}

#[test]
fn memory_is_given_back() {
    // The end of each session checks that nothing is outstanding; this one checks that there was
    // something.
    let session = Session::opened(place(&Model::busy(2, 10)));
    let before = heap::given();
    assert_eq!(session.read().len(), 2);
    assert!(heap::given() > before && heap::outstanding() > 0);
}
