//! Jobs are not harmed by being read, nor by a `mqd` that is killed. `cargo xtask soak` does the
//! same for longer.

use std::time::Duration;

use mqd_tests::{mpi, prefix};
use testkit::soak::{self, Plan};

const PLAN: Plan = Plan { reads: 20, kills: 10, time: Duration::ZERO };

fn disturb(name: &str) {
    let counted = soak::disturb(prefix(), &mpi(name), PLAN).expect("the job is not harmed");
    assert!(counted.messages > 0);
}

#[test]
fn companion() {
    disturb("companion");
}

#[test]
fn debian_open_mpi() {
    disturb("openmpi");
}

/// Three ranks and the launcher, once each.
#[test]
fn nothing_is_left_of_a_job_whose_process_is_killed() {
    soak::kill_processes(&mpi("companion"), 4).expect("nothing is left");
}
