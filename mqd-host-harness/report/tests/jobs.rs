//! Jobs that know each other are put together.

mod support;

use mqd_report::{
    Group, JobIdentity, NamedCommunicator, Names, Process, ProcessName, Traffic, renumber, unite,
};
use support::jobs::{communicator, operation, process};

const PARENTS: u64 = 0x7a_0001;
const CHILDREN: u64 = 0x7a_0002;

fn name(job: u64, rank: i64) -> ProcessName {
    ProcessName { job, rank }
}

fn group(ranks: &[i64]) -> Group {
    ranks.iter().copied().collect()
}

/// A rank of one of two jobs of two ranks. It waits for rank 1 of the other one.
fn rank(job: u64, other: u64, rank: i64) -> Process {
    let mut world = communicator("MPI_COMM_WORLD", 0, rank, 2);
    world.group = Some(group(&[0, 1]));
    let mut between = communicator("between", 4, rank, 2);
    between.group = world.group.clone();
    between.traffic = Some(vec![Traffic { local_rank: 1, sent: 3, received: 0 }]);
    let receive = operation(1, 7, 4);
    between
        .pending_receives
        .push(mqd_report::Operation { desired_global_rank: None, ..receive.clone() });
    let merged = communicator("merged", 5, rank, 4);
    let peers = vec![name(other, 0), name(other, 1)];
    let mut all = vec![name(PARENTS, 0), name(PARENTS, 1), name(CHILDREN, 0)];
    all.push(name(CHILDREN, 1));
    let identity = JobIdentity {
        launcher: "mpirun".into(),
        name: job.to_string().into(),
        size: Some(2),
        started: None,
    };
    Process {
        job: Some(identity),
        names: Some(Names {
            own: name(job, rank),
            communicators: vec![
                NamedCommunicator { index: 1, group: None, peers: Some(peers) },
                NamedCommunicator { index: 2, group: Some(all.clone()), peers: Some(all) },
            ],
        }),
        ..process(rank, "MPI_Recv", vec![world, between, merged])
    }
}

fn united(mut processes: Vec<Process>) -> Vec<Process> {
    unite(&mut processes.iter_mut().collect::<Vec<_>>());
    processes
}

#[test]
fn the_ranks_of_a_spawned_job_are_numbered_on() {
    let read = || {
        let parents = [0, 1].map(|one| rank(PARENTS, CHILDREN, one));
        let children = [0, 1].map(|one| rank(CHILDREN, PARENTS, one));
        (parents, children)
    };
    let (parents, children) = read();
    let both = united(children.into_iter().chain(parents).collect());
    for (process, expected, peer) in [(&both[0], 2, 1), (&both[1], 3, 1), (&both[3], 1, 3)] {
        assert_eq!(process.rank, Some(expected));
        let [world, between, merged] = &process.communicators[..] else { panic!("three") };
        let own = if expected < 2 { [0, 1] } else { [2, 3] };
        assert_eq!(world.group, Some(group(&own)));
        assert_eq!(between.group, Some(group(&own)));
        assert_eq!(merged.group, Some(group(&[0, 1, 2, 3])));
        assert_eq!(between.pending_receives[0].desired_global_rank, Some(peer));
        assert!(between.traffic.is_some());
        assert_eq!(process.names, None);
        assert_eq!(process.job, both[3].job);
    }
    // The launcher may have numbered them already.
    let (parents, mut children) = read();
    children.iter_mut().for_each(|child| renumber(child, 2));
    assert_eq!(united(children.into_iter().chain(parents).collect()), both);
}

#[test]
fn without_the_other_job_its_processes_keep_their_names() {
    let alone = united(vec![rank(CHILDREN, PARENTS, 1)]);
    let expected = rank(CHILDREN, PARENTS, 1);
    assert_eq!((alone[0].rank, &alone[0].names), (Some(1), &expected.names));
    assert_eq!(alone[0].communicators[1].pending_receives[0].desired_global_rank, None);
    // Nobody knows whose counts they are.
    assert_eq!(alone[0].communicators[1].traffic, None);
}

#[test]
fn an_impossible_name_is_nobody() {
    let mut parent = rank(PARENTS, CHILDREN, 0);
    let names = parent.names.as_mut().expect("it has some");
    names.communicators[0].peers = Some(vec![name(CHILDREN, 0), name(CHILDREN, 7)]);
    names.communicators[1].index = 9;
    let both = united(vec![parent, rank(CHILDREN, PARENTS, 0)]);
    assert_eq!(both[0].names.as_ref().map(|names| names.communicators.len()), Some(2));
    assert_eq!(both[0].communicators[1].pending_receives[0].desired_global_rank, None);
}
