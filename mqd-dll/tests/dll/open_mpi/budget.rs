//! How much work an update is.

use super::{BOTH, open};
use crate::support::open_mpi::{Communicator, Message, Model, Receive, Send};

fn busy(communicators: usize, operations: usize) -> Model {
    let mut model = Model::world(1, 4);
    for _ in 1..communicators {
        model.communicators.push(Some(Communicator::new("", 1, vec![0, 1, 2, 3])));
    }
    let places: Vec<usize> = (0..model.communicators.len()).filter(|place| !(1..=2).contains(place)).collect();
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
        for (communicators, operations) in [(1, 300), (10, 300), (1, 3_000), (10, 3_000), (100, 3_000)] {
            let session = open(&Model { series, ..busy(communicators, operations) });
            session.debugger.fetches.set(0);
            session.update().expect("everything can be read");
            let fetches = session.debugger.fetches.get();
            let shown: usize =
                session.dump().iter().map(|c| c.sends.len() + c.receives.len() + c.unexpected.len()).sum();
            assert_eq!(shown, 3 * operations);
            costs.push(fetches as f64 / shown as f64);
        }
        assert!(costs.iter().all(|cost| *cost <= 0.2), "{costs:?}");
        assert!(costs[2..].iter().all(|cost| *cost <= 0.1), "communicators do not multiply the work: {costs:?}");
    }
}

#[test]
fn a_check_costs_little() {
    let mut session = open(&busy(10, 3_000));
    session.debugger.fetches.set(0);
    session.process_has_queues().expect("there are queues");
    assert!(session.debugger.fetches.get() <= 30, "{}", session.debugger.fetches.get());
}
