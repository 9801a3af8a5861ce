//! Ranks that can go on, and that others wait for.

use mqd_report::check::{self, Certainty, Diagnosis, Finding, FindingKind, Verdict};

use crate::reports::*;

fn awaited(diagnosis: &Diagnosis) -> Option<&Finding> {
    assert_eq!(diagnosis.verdict, Verdict::NotDeadlocked);
    diagnosis.findings.iter().find(|finding| finding.kind == FindingKind::Awaited)
}

#[test]
fn who_waits_for_a_rank_that_computes() {
    // Rank 0 waits for 1, and 1 for 3. Nobody waits for 2.
    let mut report = job(4);
    receive(&mut report, 0, HALO, Some(1), Some(7));
    receive(&mut report, 1, HALO, Some(3), Some(7));
    let diagnosis = check("awaited", &report);
    let finding = awaited(&diagnosis).unwrap();
    assert_eq!(
        (finding.ranks.to_string(), finding.culprits.to_string()),
        ("0-1".into(), "3".into())
    );
    assert_eq!(finding.certainty, Certainty::Certain);
    // Any of the two that compute may send it.
    let mut report = job(3);
    receive(&mut report, 0, HALO, None, Some(7));
    let diagnosis = check::check(&report);
    assert_eq!(awaited(&diagnosis).unwrap().culprits.to_string(), "1-2");
    // Nobody counts the messages.
    report.processes[0].communicators.iter_mut().for_each(|part| part.traffic = None);
    let diagnosis = check::check(&report);
    assert_eq!(awaited(&diagnosis).unwrap().certainty, Certainty::Suspected);
}

#[test]
fn what_else_tells_it() {
    // They have not called the barrier.
    let mut report = job(4);
    (0..3).for_each(|rank| collective(&mut report, rank, "MPI_Barrier", 2, true));
    collective(&mut report, 3, "MPI_Barrier", 1, false);
    assert!(awaited(&check::check(&report)).is_none());
    // All compute, or very many do.
    assert!(awaited(&check::check(&job(4))).is_none());
    let mut report = job(40);
    receive(&mut report, 0, HALO, Some(1), Some(7));
    assert!(awaited(&check::check(&report)).is_none());
}
