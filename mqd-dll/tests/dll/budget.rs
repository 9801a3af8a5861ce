//! How much work an update is: fetch callbacks are counted, time is not.

use crate::support::machine::{Machine, natural};
use crate::support::model::*;
use crate::support::process::{Placement, SyntheticProcess};
use crate::support::session::Session;

/// Reads a model, checks that all of it was there, and gives fetches per operation.
fn fetches_per_operation(model: &Model, placement: Placement) -> f64 {
    let machine = Machine::LP64;
    let session =
        Session::opened(SyntheticProcess::new(model, machine, natural(&machine), placement));
    session.debugger.fetches.set(0);
    session.update().expect("everything can be read");
    let fetches = session.debugger.fetches.get();
    let expected: usize = model.sends.len()
        + model
            .communicators
            .iter()
            .map(|c| c.posted.len() + c.matched.len() + c.unexpected.len())
            .sum::<usize>();
    let operations: usize =
        session.dump().iter().map(|c| c.sends.len() + c.receives.len() + c.unexpected.len()).sum();
    assert_eq!(operations, expected);
    fetches as f64 / operations as f64
}

#[test]
fn objects_in_slabs_take_few_fetches() {
    let slabs = [
        Placement::Slab,
        Placement::Downwards,
        Placement::Shuffled,
        Placement::Islands(1 << 16),
        Placement::Islands(1 << 20),
    ];
    for placement in slabs {
        for (communicators, receives) in [(1, 1_000), (10, 100), (1, 10_000), (10, 1_000)] {
            let cost = fetches_per_operation(&Model::busy(communicators, receives), placement);
            assert!(
                cost <= 0.1,
                "{cost} with {placement:?}, {communicators} communicators, {receives} receives"
            );
        }
    }
}

#[test]
fn no_fragmentation_takes_more_than_the_budget() {
    let fragmented = [
        Placement::Apart(512),
        Placement::Apart(1024),
        Placement::Apart(4096),
        Placement::Apart(3 * 4096),
        Placement::Apart(1 << 16),
        Placement::Apart(3 << 16),
        Placement::Straddling(4096),
        Placement::Straddling(1 << 16),
        Placement::LonePages,
        Placement::Lone,
        Placement::Islands(4096),
        Placement::Islands(3 * 4096),
    ];
    for placement in fragmented {
        for (communicators, receives) in [(1, 1_000), (10, 100)] {
            let cost = fetches_per_operation(&Model::busy(communicators, receives), placement);
            assert!(cost <= 1.2, "{cost} with {placement:?}, {communicators} communicators");
        }
    }
}

#[test]
fn all_queues_are_within_the_budget() {
    let mut model = Model::busy(3, 200);
    for (index, communicator) in model.communicators.iter_mut().enumerate() {
        communicator.matched =
            (0..200).map(|tag| Request::matched(ANY_SOURCE, ANY_TAG, 2, tag)).collect();
        communicator.unexpected = (0..200).map(|tag| Message::eager(index as i64, tag)).collect();
    }
    model.sends = (0..600).map(|tag| (tag % 3, Request::send(2, tag as i64))).collect();
    for placement in [Placement::Slab, Placement::Shuffled, Placement::LonePages, Placement::Lone] {
        let cost = fetches_per_operation(&model, placement);
        let limit =
            if matches!(placement, Placement::Slab | Placement::Shuffled) { 0.1 } else { 1.2 };
        assert!(cost <= limit, "{cost} with {placement:?}");
    }
}

#[test]
fn the_number_of_communicators_does_not_multiply_the_work() {
    let one = fetches_per_operation(&Model::busy(1, 20_000), Placement::Slab);
    let ten = fetches_per_operation(&Model::busy(10, 2_000), Placement::Slab);
    let hundred = fetches_per_operation(&Model::busy(100, 200), Placement::Slab);
    assert!(ten <= 1.5 * one && hundred <= 1.5 * one, "{one} {ten} {hundred}");
}

#[test]
fn iterators_fetch_nothing() {
    let machine = Machine::LP64;
    let process =
        SyntheticProcess::new(&Model::busy(3, 50), machine, natural(&machine), Placement::Slab);
    let session = Session::opened(process);
    session.update().expect("everything can be read");
    let (fetches, look_ups) = (session.debugger.fetches.get(), session.debugger.look_ups.get());
    assert_eq!(session.dump().len(), 3);
    assert_eq!(session.dump().len(), 3);
    assert_eq!(
        (session.debugger.fetches.get(), session.debugger.look_ups.get()),
        (fetches, look_ups)
    );
}

#[test]
fn groups_are_read_once_and_in_large_pieces() {
    // One group of 200,000 processes, shared by 50 communicators.
    let mut model = Model::world(1, 200_000);
    for index in 1..50 {
        model.communicators.push(Communicator::new(index + 1, "", 1, (0..200_000).collect()));
    }
    // What is counted for each process is each communicator's own.
    model.communicators.iter_mut().for_each(|communicator| communicator.traffic = None);
    let machine = Machine::LP64;
    let session =
        Session::opened(SyntheticProcess::new(&model, machine, natural(&machine), Placement::Slab));
    session.debugger.fetches.set(0);
    session.debugger.bytes.set(0);
    let communicators = session.read();
    assert!(communicators.iter().all(|c| c.size == 200_000 && c.group[199_999] == 199_999));
    assert!(session.debugger.fetches.get() <= 16, "{}", session.debugger.fetches.get());
    assert!(session.debugger.bytes.get() <= 2_000_000, "{}", session.debugger.bytes.get());
}
