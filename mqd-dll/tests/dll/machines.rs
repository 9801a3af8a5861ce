//! Nothing about the target's machine is assumed: word sizes, byte order, structure layouts.

use crate::support::activity::{activity, expected_activity};
use crate::support::expected::{expected, random_model};
use crate::support::machine::{Machine, natural, shuffled};
use crate::support::model::Model;
use crate::support::process::{Placement, SyntheticProcess};
use crate::support::session::Session;

const PLACEMENTS: [Placement; 4] =
    [Placement::Slab, Placement::Shuffled, Placement::LonePages, Placement::Lone];

#[test]
fn any_machine_shows_the_same_queues() {
    let mut operations = 0;
    for machine in Machine::ALL {
        for seed in 0..40 {
            let model = random_model(seed);
            let expected = expected(&model);
            let layouts = if seed == 0 { natural(&machine) } else { shuffled(&machine, seed) };
            let placement = PLACEMENTS[seed as usize % PLACEMENTS.len()];
            let session =
                Session::opened(SyntheticProcess::new(&model, machine, layouts, placement));
            let dump = session.read();
            assert_eq!(dump, expected, "{machine:?}, seed {seed}");
            assert_eq!(activity(&session), expected_activity(&model), "{machine:?}, seed {seed}");
            operations += dump
                .iter()
                .map(|c| c.sends.len() + c.receives.len() + c.unexpected.len())
                .sum::<usize>();
        }
    }
    assert!(operations > 5_000, "the models are not empty: {operations}");
}

#[test]
fn addresses_in_the_upper_half_are_not_negative() {
    let machine = Machine::I386;
    let mut model = Model::busy(1, 1);
    model.communicators[0].posted[0].buffer = 0xC000_1000;
    let session =
        Session::opened(SyntheticProcess::new(&model, machine, natural(&machine), Placement::Slab));
    assert_eq!(session.read()[0].receives[0].buffer, 0xC000_1000);
}

#[test]
fn five_type_sizes_are_enough_and_seven_do_no_harm() {
    // A debugger built with another header writes more than the five ints of the interface. Only
    // those five are believed.
    let machine = Machine::PPC32;
    let model = Model::busy(2, 3);
    for ints in [5, 7] {
        let mut session = Session::new(SyntheticProcess::new(
            &model,
            machine,
            shuffled(&machine, 3),
            Placement::Slab,
        ));
        session.debugger.ints_written = ints;
        session.open().expect("there are queues");
        assert_eq!(session.read(), expected(&model));
    }
}

#[test]
fn impossible_type_sizes_are_refused() {
    let machine = Machine::LP64;
    let place =
        || SyntheticProcess::new(&Model::busy(1, 1), machine, natural(&machine), Placement::Slab);
    for sizes in [
        [0; 5],
        [2, 3, 8, 8, 8],
        [2, 4, 8, 8, 0],
        [2, 4, 8, -8, 8],
        [2, 4, 8, 16, 8],
        [2, 4, 8, 8, i32::MAX],
    ] {
        let mut session = Session::new(place());
        session.debugger.sizes = Some(sizes);
        let refusal = session.open().expect_err("no such machine");
        assert!(refusal.text.contains("impossible sizes"), "{sizes:?}: {}", refusal.text);
        assert!(refusal.message.is_some());
    }
}
