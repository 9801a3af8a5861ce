//! Debug DLLs of every kind, well-behaved and not, on a live process: the library side.

mod support;

use std::sync::atomic::AtomicU64;

use mqd_host::dump::Dumper;
use mqd_host::job::Member;
use mqd_host::outcome::Outcome;
use mqd_host::request::{Options, Request};
use mqd_host::walk::Limits;
use mqd_report::{Address, Extent, Operation, Process, Queue, Status};
use support::toy::{Running, Workshop};

/// What comes of the toy process when a DLL compiled with these macros reads it.
fn dump(macros: &[&str]) -> Outcome {
    dump_with(macros, Limits::default())
}

fn dump_with(macros: &[&str], limits: Limits) -> Outcome {
    let workshop = Workshop::new();
    let mut process = Running::start(&workshop.process(&[]), &[]);
    let options = Options { dll: Some(workshop.dll(macros)), limits, ..Options::default() };
    let outcome = Dumper::new(options).dump(&Request::Pid(process.pid()), &AtomicU64::new(0));
    // Whatever the DLL did, the process has not suffered.
    process.assert_running();
    process.finish();
    outcome
}

#[track_caller]
fn only_error(outcome: &Outcome) -> &str {
    match outcome.process.errors.as_slice() {
        [error] => &error.text,
        errors => panic!("expected one error: {errors:#?}"),
    }
}

fn names(process: &Process) -> Vec<&str> {
    process.communicators.iter().map(|communicator| communicator.name.as_str()).collect()
}

fn operation(status: Status, rank: i64, tag: Option<i64>, length: i64) -> Operation {
    Operation {
        status,
        desired_local_rank: rank,
        // The toy gives the local rank for both.
        desired_global_rank: Some(rank),
        tag_wild: tag.is_none(),
        desired_tag: tag,
        desired_length: length,
        system_buffer: false,
        buffer: Address(0),
        actual_local_rank: None,
        actual_global_rank: None,
        actual_tag: None,
        actual_length: None,
        awaited: None,
        extra_text: ["toy", &"x".repeat(64)].into_iter().collect(),
    }
}

fn with_actual(operation: Operation, rank: i64, tag: i64, length: i64) -> Operation {
    Operation {
        actual_local_rank: Some(rank),
        actual_tag: Some(tag),
        actual_length: Some(length),
        ..operation
    }
}

/// Addresses differ from run to run.
fn without_addresses(operations: &[Operation]) -> Vec<Operation> {
    assert!(operations.iter().all(|operation| operation.buffer != Address(0)));
    operations
        .iter()
        .map(|operation| Operation { buffer: Address(0), ..operation.clone() })
        .collect()
}

#[test]
fn a_dll_that_behaves() {
    let outcome = dump(&[]);
    let process = &outcome.process;
    assert_eq!((outcome.extent, &process.errors), (Extent::Complete, &vec![]), "{outcome:#?}");
    assert_eq!(outcome.warnings, Vec::<String>::new());
    assert_eq!(process.dll_version.as_deref(), Some("toy 1"));
    assert_eq!(process.rank, Some(3));
    assert!(process.executable.as_deref().is_some_and(|path| path.ends_with("/toy_process")));
    assert_eq!(process.core, None);
    assert_eq!(names(process), ["MPI_COMM_WORLD", "MPI_COMM_SELF"]);

    let world = &process.communicators[0];
    assert_eq!((world.size, world.local_rank), (4, 3));
    assert_eq!(world.group, Some([0, 1, 2, 3].into_iter().collect()));
    assert_eq!(
        without_addresses(&world.pending_sends),
        [with_actual(operation(Status::Matched, 1, Some(7), 16), 1, 7, 8)]
    );
    assert_eq!(
        without_addresses(&world.pending_receives),
        [
            operation(Status::Pending, 2, Some(17), 4_000_000_000),
            operation(Status::Pending, -1, None, 4),
            // The DLL does not know the sender's rank in MPI_COMM_WORLD.
            with_actual(operation(Status::Complete, -1, None, 800), 2, 12, 400),
        ]
    );
    let unexpected = without_addresses(&world.unexpected_messages);
    let expected = with_actual(operation(Status::Pending, 1, Some(9), 1), 1, 9, 0);
    assert_eq!(unexpected, [Operation { system_buffer: true, ..expected }]);

    let own = &process.communicators[1];
    assert_eq!(own.group, Some([3].into_iter().collect()));
    assert!(
        own.pending_sends.is_empty()
            && own.pending_receives.is_empty()
            && own.unexpected_messages.is_empty()
    );
}

#[test]
fn callbacks_are_counted() {
    let cost = dump(&[]).cost;
    assert_eq!((cost.communicators, cost.operations), (2, 5));
    let counts = cost.callbacks;
    assert!(counts.fetches > 50 && counts.bytes_fetched > 4 * counts.fetches, "{counts:?}");
    // Names are text: they are fetched and not converted.
    assert_eq!(counts.conversions, counts.fetches - 2);
    assert_eq!((counts.failed_fetches, counts.symbol_lookups, counts.function_lookups), (0, 1, 0));
    assert_eq!((counts.type_lookups, counts.field_lookups, counts.size_lookups), (2, 12, 0));
    assert_eq!((counts.mallocs, counts.mallocs_outstanding), (2, 0));
    assert_eq!(dump(&["TOY_LEAK"]).cost.callbacks.mallocs_outstanding, 1);
}

#[test]
fn callbacks_take_what_dlls_in_use_pass() {
    let outcome = dump(&["TOY_PROBE"]);
    assert_eq!((outcome.extent, outcome.process.errors), (Extent::Complete, vec![]));
    assert_eq!(outcome.messages, ["probing"]);
    // Wrong objects are refused, and a warning says so.
    let about = |what: &str| outcome.warnings.iter().any(|warning| warning.contains(what));
    assert!(
        about("an image that is not")
            && about("a process that is not")
            && about("a type that mqd never gave")
    );
}

#[test]
fn old_dlls_lack_functions() {
    let outcome = dump(&["TOY_OLD"]);
    assert_eq!((outcome.extent, &outcome.process.errors), (Extent::Complete, &vec![]));
    assert_eq!(outcome.process.communicators[0].group, None);
    assert_eq!(outcome.process.communicators[0].pending_receives.len(), 3);
}

#[test]
fn dlls_that_cannot_be_used() {
    let outcome = dump(&["TOY_NO_NEXT"]);
    assert_eq!(outcome.extent, Extent::NoQueues);
    assert!(only_error(&outcome).contains("no function mqs_next_operation"), "{outcome:?}");

    for version in [1, 4] {
        let outcome = dump(&[&format!("TOY_COMPATIBILITY={version}")]);
        assert_eq!(outcome.extent, Extent::NoQueues);
        assert!(
            only_error(&outcome).contains(&format!("version {version} of the MQD interface")),
            "{outcome:?}"
        );
    }
    assert_eq!(dump(&["TOY_COMPATIBILITY=3"]).extent, Extent::Complete);

    let outcome = dump(&["TOY_WIDTH=4"]);
    assert_eq!(outcome.extent, Extent::NoQueues);
    assert!(only_error(&outcome).contains("addresses of 4 bytes, mqd for 8"), "{outcome:?}");
}

#[test]
fn a_dll_that_refuses_says_why() {
    let refused = |text: &str| {
        let outcome = dump(&[&format!("TOY_REFUSE={text}")]);
        assert_eq!((outcome.extent, outcome.process.communicators.len()), (Extent::NoQueues, 0));
        only_error(&outcome).to_owned()
    };
    // A text that occurs twice is shown once.
    let error = refused("\"%s: the toy is broken, alas\"");
    assert_eq!(error.matches("the toy is broken").count(), 1, "{error}");
    assert!(error.ends_with("/toy_process: the toy is broken, alas"), "{error}");
    let error = refused("NULL");
    assert!(
        error.ends_with("mqs_image_has_queues failed with code 100: the toy is broken"),
        "{error}"
    );
    let error = refused("\"opal_list_item_t\"");
    assert!(
        error.ends_with("failed with code 100: the toy is broken: opal_list_item_t"),
        "{error}"
    );
    let error = refused("\"%s has no %s, 100%% sure\"");
    assert!(
        error.contains("the toy is broken: /")
            && error.ends_with("/toy_process has no %s, 100% sure"),
        "{error}"
    );

    let outcome = dump(&["TOY_REFUSE_PROCESS"]);
    assert_eq!(outcome.extent, Extent::NoQueues);
    let error = only_error(&outcome);
    assert!(
        error.contains(
            "mqs_process_has_queues failed with code 100: the toy is broken: switched off in /"
        ),
        "{error}"
    );
    assert!(error.ends_with("/toy_process"), "{error}");
    assert_eq!(outcome.cost.callbacks.mallocs_outstanding, 0);
}

#[test]
fn types_that_are_missing_are_named() {
    let workshop = Workshop::new();
    let stripped = workshop.compile("toy_process.c", "stripped", &["-pthread", "-g0"], &[]);
    let process = Running::start(&stripped, &[]);
    let options = Options { dll: Some(workshop.dll(&[])), ..Options::default() };
    let outcome = Dumper::new(options).dump(&Request::Pid(process.pid()), &AtomicU64::new(0));
    process.finish();
    assert_eq!(outcome.extent, Extent::NoQueues);
    let error = only_error(&outcome);
    assert!(error.contains("failed with code 101: the toy has no types;"), "{error}");
    assert!(
        error.contains("the types struct toy_communicator, struct toy_operation: install"),
        "{error}"
    );
}

#[test]
fn lists_without_end() {
    let limits = Limits { communicators: 5, operations: 7, ..Limits::default() };
    let outcome = dump_with(&["TOY_ENDLESS_OPERATIONS"], limits);
    assert_eq!(outcome.extent, Extent::Partial);
    // The first queue is endless: the limit stops it, and nothing is read after it.
    assert_eq!(outcome.process.communicators.len(), 1);
    let world = &outcome.process.communicators[0];
    assert_eq!(world.pending_sends.len(), 7);
    assert_eq!(world.not_known, [Queue::Receives, Queue::Unexpected]);
    assert!(
        only_error(&outcome).starts_with("MPI_COMM_WORLD, pending sends: stopped"),
        "{outcome:?}"
    );

    let outcome = dump_with(&["TOY_ENDLESS_COMMUNICATORS"], Limits { operations: 1000, ..limits });
    assert_eq!(outcome.extent, Extent::Partial);
    assert_eq!(outcome.process.communicators.len(), 5);
    assert!(only_error(&outcome).starts_with("stopped after 5 communicators"), "{outcome:?}");
}

#[test]
fn a_limit_that_is_just_reached_is_no_error() {
    let outcome = dump_with(&[], Limits { communicators: 2, operations: 5, group: 4 });
    assert_eq!((outcome.extent, outcome.process.errors), (Extent::Complete, vec![]));
    let outcome = dump_with(&[], Limits { communicators: 2, operations: 4, group: 4 });
    assert_eq!(outcome.extent, Extent::Partial);
    assert_eq!(outcome.cost.operations, 4);
}

#[test]
fn errors_in_the_middle_keep_what_came_before() {
    let outcome = dump(&["TOY_ERROR_OPERATION"]);
    assert_eq!(outcome.extent, Extent::Partial);
    assert_eq!(names(&outcome.process), ["MPI_COMM_WORLD", "MPI_COMM_SELF"]);
    let world = &outcome.process.communicators[0];
    assert_eq!(
        (world.pending_sends.len(), world.pending_receives.len(), world.unexpected_messages.len()),
        (1, 1, 1)
    );
    assert_eq!(
        outcome.process.errors[1].text,
        "MPI_COMM_WORLD, pending receives: mqs_next_operation failed with code 100: the toy is \
         broken"
    );

    let outcome = dump(&["TOY_ERROR_UPDATE"]);
    assert_eq!(outcome.extent, Extent::Partial);
    assert_eq!(names(&outcome.process), ["MPI_COMM_WORLD", "MPI_COMM_SELF"]);
    assert!(
        only_error(&outcome)
            .starts_with("mqs_update_communicator_list failed with code 100: the toy is broken"),
        "{outcome:?}"
    );

    let outcome = dump(&["TOY_ERROR_COMMUNICATOR"]);
    assert_eq!(outcome.extent, Extent::Partial);
    assert_eq!(names(&outcome.process), ["MPI_COMM_WORLD"]);
    assert!(only_error(&outcome).starts_with("mqs_next_communicator failed"), "{outcome:?}");
}

#[test]
fn memory_that_cannot_be_read_is_named() {
    let outcome = dump(&["TOY_WILD_POINTER"]);
    assert_eq!(outcome.extent, Extent::Partial);
    // The DLL's own text is what `mqs_errorstring` told it; it is not said twice.
    let error = only_error(&outcome);
    assert_eq!(error.matches("at 0x40").count(), 1, "{error}");
    assert_eq!(outcome.cost.callbacks.failed_fetches, 1);
}

#[test]
fn a_queue_that_the_dll_knows_nothing_about_is_not_called_empty() {
    let outcome = dump(&["TOY_NO_UNEXPECTED"]);
    assert_eq!(outcome.extent, Extent::Partial);
    assert_eq!(only_error(&outcome), "the debug DLL has no information about unexpected messages");
    assert_eq!(outcome.process.communicators[0].pending_receives.len(), 3);
}

/// The debug DLL of Open MPI finds nothing where another component than `ob1` matches messages.
#[test]
fn queues_of_another_component_are_not_called_empty() {
    let workshop = Workshop::new();
    let dll = workshop.path().join("libompi_dbg_msgq.so");
    std::fs::rename(workshop.dll(&[]), &dll).unwrap();
    for (macros, known) in [
        (vec!["TOY_PML=\"ob1\""], true),
        (vec!["TOY_PML=\"ucx\""], false),
        (vec!["TOY_PML=\"cm\""], false),
        (vec![], false),
    ] {
        let process = Running::start(&workshop.process(&macros), &[]);
        let options = Options { dll: Some(dll.clone()), ..Options::default() };
        let outcome = Dumper::new(options).dump(&Request::Pid(process.pid()), &AtomicU64::new(0));
        process.finish();
        let world = &outcome.process.communicators[0];
        if known {
            assert_eq!((outcome.extent, world.pending_receives.len()), (Extent::Complete, 3));
            continue;
        }
        assert_eq!((outcome.extent, world.pending_receives.len()), (Extent::Partial, 0));
        for communicator in &outcome.process.communicators {
            assert_eq!(communicator.not_known, Queue::ALL, "{macros:?}");
        }
        assert!(only_error(&outcome).contains("component"), "{outcome:?}");
    }
}

#[test]
fn a_process_of_another_rank_may_be_of_another_job() {
    let workshop = Workshop::new();
    let process = Running::start(&workshop.process(&[]), &[]);
    let member = |rank| {
        Request::Member(Member {
            rank,
            host: String::new(),
            executable: String::new(),
            pid: process.pid(),
            spawned: None,
        })
    };
    let options = Options { dll: Some(workshop.dll(&[])), ..Options::default() };
    let mut dumper = Dumper::new(options);
    let mut warnings = |rank| dumper.dump(&member(rank), &AtomicU64::new(0)).warnings;
    // The toy has rank 3.
    assert_eq!(warnings(3), Vec::<String>::new());
    assert!(warnings(2)[0].contains("may belong to another job"));
    process.finish();
}

#[test]
fn values_that_make_no_sense() {
    let outcome = dump(&["TOY_BAD_STATUS"]);
    assert_eq!(outcome.extent, Extent::Partial);
    assert_eq!(outcome.cost.operations, 0);
    assert!(outcome.process.errors[0].text.contains("status 9"), "{outcome:?}");
    let world = &outcome.process.communicators[0];
    assert_eq!(world.not_known, Queue::ALL);

    for size in ["-1", "2000000000"] {
        let outcome = dump(&[&format!("TOY_SIZE={size}")]);
        assert_eq!(outcome.extent, Extent::Partial);
        assert_eq!(outcome.process.communicators[0].group, None);
        assert!(
            outcome.process.errors[0].text.contains(&format!("{size} cannot be the number")),
            "{outcome:?}"
        );
        assert_eq!(outcome.process.communicators[0].pending_receives.len(), 3);
    }
}

#[test]
fn either_code_ends_an_iteration() {
    let outcome = dump(&["TOY_END=mqs_no_information"]);
    assert_eq!((outcome.extent, outcome.cost.operations), (Extent::Complete, 5));
}
