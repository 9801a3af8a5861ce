//! How much work an update is.

use std::cell::Cell;
use std::rc::Rc;

use super::{BOTH, open};
use crate::support::open_mpi::{Communicator, Message, Model, Receive, Send};
use mqs_abi::*;

fn busy(communicators: usize, operations: usize) -> Model {
    let mut model = Model::world(1, 4);
    for _ in 1..communicators {
        model.communicators.push(Some(Communicator::new("", 1, vec![0, 1, 2, 3])));
    }
    let places: Vec<usize> =
        (0..model.communicators.len()).filter(|place| !(1..=2).contains(place)).collect();
    for number in 0..operations {
        let place = places[number % places.len()];
        let (peer, tag) = (number as i64 % 4, number as i64);
        model.receives.push(Receive::new(place, if number % 3 == 0 { -1 } else { peer }, tag));
        model.sends.push(Send::new(place, peer, tag));
        let communicator = model.communicators[place].as_mut().expect("is used");
        communicator.unexpected.push(Message::new(peer, tag));
    }
    model
}

#[test]
fn the_fetch_budget_is_kept() {
    for series in BOTH {
        let mut costs = Vec::new();
        for (communicators, operations) in
            [(1, 300), (10, 300), (1, 3_000), (10, 3_000), (100, 3_000)]
        {
            let session = open(&Model { series, ..busy(communicators, operations) });
            session.debugger.fetches.set(0);
            session.update().expect("everything can be read");
            let fetches = session.debugger.fetches.get();
            let shown: usize = session
                .dump()
                .iter()
                .map(|c| c.sends.len() + c.receives.len() + c.unexpected.len())
                .sum();
            assert_eq!(shown, 3 * operations);
            costs.push(fetches as f64 / shown as f64);
        }
        assert!(costs.iter().all(|cost| *cost <= 0.2), "{costs:?}");
        assert!(
            costs[2..].iter().all(|cost| *cost <= 0.1),
            "communicators do not multiply the work: {costs:?}"
        );
    }
}

#[test]
fn a_check_costs_little() {
    let mut session = open(&busy(10, 3_000));
    session.debugger.fetches.set(0);
    session.process_has_queues().expect("there are queues");
    assert!(session.debugger.fetches.get() <= 30, "{}", session.debugger.fetches.get());
}

/// A debugger that refuses whole pages learns what is needed: only reading ahead asks for whole
/// pages.
#[test]
fn nothing_needed_looks_like_reading_ahead() {
    const PAGE: usize = 4096;
    for (per_slab, start) in
        [64, 1024].into_iter().flat_map(|per_slab| (0..64).map(move |at| (per_slab, 64 * at)))
    {
        // Elements are at multiples of 64 bytes, so that many of them are pages, at one of these
        // starts from the first byte of a page on.
        let session = open(&Model { slabs: (per_slab, per_slab), start, ..busy(2, 10) });
        let whole = session.read();
        let refused = Rc::new(Cell::new(0));
        let count = Rc::clone(&refused);
        *session.debugger.tamper.borrow_mut() = Some(Box::new(move |address, bytes| {
            if address % PAGE as u64 != 0 || bytes.len() % PAGE != 0 {
                return mqs_ok;
            }
            count.set(count.get() + 1);
            mqs_no_information
        }));
        session
            .update()
            .unwrap_or_else(|refusal| panic!("slabs of {per_slab}, {start}: {}", refusal.text));
        assert_eq!(session.dump(), whole);
        assert!(refused.get() > 0, "it reads ahead elsewhere");
    }
}
