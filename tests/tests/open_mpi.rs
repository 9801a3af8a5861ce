//! Stock Open MPI, stripped: Debian's, and the releases on PyPI, whose components are part of the
//! library. The scenarios of the companion runtime, live, from core files by gdb, and from core
//! files by the kernel.
//!
//! `Coverage::OPEN_MPI` says what Open MPI does not keep. Everything else is compared field by
//! field.

use mqd_tests::scenario::Scenario;
use mqd_tests::{Running, run, wait_for};
use serde_json::Value;

/// A module of tests for each MPI, with a test for each scenario.
macro_rules! scenarios {
    ($($mpi:ident $name:literal)* => $scenarios:tt) => {
        $(
            mod $mpi {
                use super::*;

                scenarios! { @ $name $scenarios }
            }
        )*

        scenarios! { complete $scenarios }
    };
    (@ $mpi:literal { $($scenario:ident)* }) => {
        $(
            #[test]
            fn $scenario() {
                Scenario::named(mqd_tests::mpi($mpi), stringify!($scenario)).check();
            }
        )*
    };
    (complete { $($scenario:ident)* }) => {
        /// A fixture that no test runs would be forgotten.
        #[test]
        fn every_scenario_is_here() {
            mqd_tests::scenario::each_is_tested_once(&[$(stringify!($scenario)),*]);
        }
    };
}

/// Open MPI's own messages are shown on request: here those of a rank that waits in a barrier.
#[test]
fn internal_traffic_on_demand() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let (source, mpi) = (directory.path().join("barrier.c"), mqd_tests::mpi("openmpi"));
    let program = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            int rank;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            printf("pid%d %d\n", rank, getpid());
            fflush(stdout);
            if (rank == 1)
                for (;;)
                    pause();
            MPI_Barrier(MPI_COMM_WORLD);
        }"#;
    std::fs::write(&source, program).expect("the directory is writable");
    let executable = mpi.compile_file(&source, directory.path()).expect("the program compiles");
    let job = Running::start(&mut mpi.launch(2, &executable, &[], directory.path()));
    let pid = job.wait_for_numbers("pid0", 1)[0].to_string();
    let operations = |arguments: &[&str]| {
        let mut mqd = mqd_tests::prefix().command("mqd");
        let (code, stdout, stderr) =
            run(mqd.args(["dump", "--format", "json", "--pid", &pid]).args(arguments));
        assert_eq!(code, 0, "{stdout}{stderr}");
        let report: Value = serde_json::from_str(&stdout).expect("mqd writes JSON");
        let communicators =
            report["processes"][0]["communicators"].as_array().expect("communicators").clone();
        let queues = ["pending_sends", "pending_receives", "unexpected_messages"];
        let tags = communicators.iter().flat_map(|communicator| {
            queues
                .iter()
                .flat_map(|queue| communicator[*queue].as_array().expect("a queue"))
                .cloned()
        });
        tags.map(|operation| operation["desired_tag"].as_i64().expect("a tag")).collect::<Vec<_>>()
    };
    let internal = wait_for("the barrier", || {
        Some(operations(&["--internal"])).filter(|tags| !tags.is_empty())
    });
    assert!(internal.iter().all(|tag| *tag < 0), "{internal:?}");
    assert_eq!(operations(&[]), Vec::<i64>::new());
}

/// UCX keeps the request of a blocking receive on the stack.
#[test]
fn matched_receives_over_ucx() {
    for name in ["openmpi-ucx", "openmpi-5.0.11-ucx"] {
        Scenario::named(mqd_tests::mpi(name), "matched").check();
    }
}

scenarios! {
    debian "openmpi"
    pypi_4_1_8 "openmpi-4.1.8"
    pypi_5_0_11 "openmpi-5.0.11"
    => {
        receives sends send_modes buffered persistent blocking sendrecv waits collective probes
        matched completed communicators subgroups intercommunicators names self_messages zero_bytes
        threads cancelled freed datatypes many
    }
}
