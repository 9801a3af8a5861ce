//! Stock Open MPI as Debian has it, stripped: the scenarios of the companion runtime, live, from core files by gdb, and from core files by the kernel.
//!
//! What Open MPI does not keep, and so nobody can show, is in `Profile::OPEN_MPI`: the rest is compared field by field.

use std::process::Command;

use mqd_tests::scenario::Scenario;
use xtask::mpi::{Mpi, without_single_copy};

/// Fixtures that do not run here, and why.
const NOT_HERE: [(&str, &str); 0] = [];

fn unchanged(launch: &mut Command) -> &mut Command {
    launch
}

macro_rules! scenarios {
    ($($name:ident: $ranks:literal ranks $(, arguments [$($argument:expr),*])? $(, with $configure:path)?;)*) => {
        $(
            #[test]
            fn $name() {
                let configure: fn(&mut Command) -> &mut Command = [unchanged $(, $configure)?].last().copied().expect("one");
                let arguments = &[$($($argument),*)?];
                Scenario::start_with(Mpi::debian_open_mpi(), stringify!($name), $ranks, arguments, configure).check();
            }
        )*

        /// A fixture that no test runs would be forgotten.
        #[test]
        fn every_scenario_is_here_or_has_a_reason() {
            let here = [$(stringify!($name)),*];
            for name in mqd_tests::scenario::fixtures() {
                let reasons = NOT_HERE.iter().filter(|(fixture, _)| *fixture == name).count();
                let tests = here.iter().filter(|test| **test == name).count();
                assert_eq!(tests + reasons, 1, "fixtures/{name}.c runs here, or NOT_HERE says why not");
            }
        }
    };
}

scenarios! {
    receives: 3 ranks;
    sends: 3 ranks;
    send_modes: 2 ranks;
    buffered: 2 ranks;
    persistent: 2 ranks;
    blocking: 6 ranks;
    sendrecv: 2 ranks;
    probes: 3 ranks;
    matched: 2 ranks, with without_single_copy;
    completed: 2 ranks;
    communicators: 4 ranks;
    subgroups: 6 ranks;
    intercommunicators: 5 ranks;
    names: 2 ranks;
    self_messages: 2 ranks;
    zero_bytes: 2 ranks;
    threads: 2 ranks;
    cancelled: 2 ranks;
    freed: 2 ranks;
    datatypes: 2 ranks;
    many: 3 ranks, arguments ["2000", "1"];
}
