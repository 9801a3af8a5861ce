//! For random programs, `mqd`, the performance variables of MPI_T and a PERUSE tool give the same
//! figures at the same moment.

use std::collections::BTreeMap;
use std::fs;

use mqd_tests::{Running, fixture, mpiexec, prefix, run, text, wait_for};
use serde_json::Value;

const RANKS: usize = 3;

/// Figures by their source (`mpi_t`, `peruse`), the communicator or `process`, and what they are
/// of.
type Figures = BTreeMap<(String, String, String), i64>;

#[test]
fn all_interfaces_tell_the_same() {
    // What was compared, so that nothing is always zero.
    let mut sums: BTreeMap<String, i64> = BTreeMap::new();
    for seed in 1..=12 {
        let directory = tempfile::tempdir().expect("there is room for temporary files");
        let seed = seed.to_string();
        let program = fixture("story");
        let mut launch = mpiexec(&["-n", &RANKS.to_string(), text(&program), &seed]);
        let mut job = Running::start(launch.env("MQD_EXPECT_DIR", directory.path()));
        let stories: Vec<Figures> = wait_for("all ranks tell their story", || {
            if let Some(status) = job.child.try_wait().expect("it is our child") {
                panic!("seed {seed}: the job ended ({status}): {}{}", job.stdout(), job.stderr());
            }
            (0..RANKS)
                .map(|rank| fs::read_to_string(directory.path().join(format!("story-{rank}"))).ok())
                .collect::<Option<Vec<_>>>()
        })
        .iter()
        .map(|story| story.lines().map(figure).collect())
        .collect();

        let pid = job.child.id().to_string();
        let (code, stdout, stderr) =
            run(prefix().command("mqd").args(["dump", "--format", "json", "--job", &pid]));
        assert_eq!(code, 0, "seed {seed}: {stderr}");
        let report: Value = serde_json::from_str(&stdout).expect("mqd writes JSON");
        for (rank, story) in stories.iter().enumerate() {
            let process = &report["processes"][rank];
            assert_eq!(process["rank"], rank);
            for ((source, of, what), told) in story {
                let seen = seen(process, of, what);
                assert_eq!(
                    seen, *told,
                    "seed {seed}, rank {rank}: {source} has {told} {what} of {of}, mqd sees {seen}"
                );
                *sums.entry(what.clone()).or_default() += told;
            }
        }
    }
    assert_eq!(sums.len(), 7, "{sums:?}");
    assert!(sums.values().all(|sum| *sum > 0), "{sums:?}");
}

fn figure(line: &str) -> ((String, String, String), i64) {
    let words: Vec<&str> = line.split(' ').collect();
    let [source, of, what, value] = words[..] else { panic!("{line}") };
    ((source.to_owned(), of.to_owned(), what.to_owned()), value.parse().expect("a count"))
}

/// The figure as `mqd` has it: of a communicator, or of all.
fn seen(process: &Value, of: &str, what: &str) -> i64 {
    let all = process["communicators"].as_array().expect("communicators");
    let communicators =
        all.iter().filter(|communicator| of == "process" || communicator["name"] == of);
    let queue = |name: &str| {
        communicators
            .clone()
            .flat_map(|it| it[name].as_array().expect("a queue").clone())
            .collect::<Vec<_>>()
    };
    let receives = queue("pending_receives");
    let (waiting, matched): (Vec<_>, Vec<_>) =
        receives.iter().partition(|receive| receive["status"] == "pending");
    let count = match what {
        "communicators" => communicators.count(),
        "posted_receives" => waiting.len(),
        "matched_receives" => matched.len(),
        "pending_receives" => receives.len(),
        "pending_sends" => queue("pending_sends").len(),
        "unexpected_messages" => queue("unexpected_messages").len(),
        "unexpected_bytes" => {
            let lengths = queue("unexpected_messages")
                .iter()
                .map(|message| message["actual_length"].as_i64())
                .collect::<Option<Vec<_>>>();
            return lengths.expect("lengths").iter().sum();
        }
        _ => panic!("what is {what}?"),
    };
    count as i64
}
