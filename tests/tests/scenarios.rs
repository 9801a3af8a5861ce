//! The queues of real jobs: for every scenario in `fixtures/`, what `mqd` shows is compared field
//! by field with what the ranks have written down, live, from core files by gdb, and from core
//! files by the kernel.

use mqd_tests::scenario::Scenario;

macro_rules! scenarios {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                Scenario::named(mqd_tests::mpi("companion"), stringify!($name)).check();
            }
        )*

        /// A fixture that no test runs would be forgotten.
        #[test]
        fn every_scenario_is_here() {
            mqd_tests::scenario::each_is_tested_once(&[$(stringify!($name)),*]);
        }
    };
}

scenarios! {
    receives sends send_modes buffered persistent blocking sendrecv waits collective probes matched
    completed communicators subgroups intercommunicators names self_messages zero_bytes threads
    cancelled freed datatypes many
}
