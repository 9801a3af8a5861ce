//! The queues of real jobs: for every scenario in `fixtures/`, what `mqd` shows is compared field
//! by field with what the ranks have written down, live, from core files by gdb, and from core
//! files by the kernel.

use mqd_tests::scenario::Scenario;

macro_rules! scenarios {
    ($(
        $name:ident: $ranks:literal ranks
        $(, arguments [$($argument:expr),*])?
        $(, environment [$($variable:expr),*])?;
    )*) => {
        $(
            #[test]
            fn $name() {
                let arguments = &[$($($argument),*)?];
                let environment = &[$($($variable),*)?];
                Scenario::start(stringify!($name), $ranks, arguments, environment).check();
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
    receives: 3 ranks;
    sends: 3 ranks;
    send_modes: 2 ranks;
    buffered: 2 ranks;
    persistent: 2 ranks;
    blocking: 6 ranks;
    sendrecv: 2 ranks;
    waits: 6 ranks;
    collective: 4 ranks;
    probes: 3 ranks;
    matched: 2 ranks, environment [("MQDRT_SINGLE_COPY", "0")];
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
