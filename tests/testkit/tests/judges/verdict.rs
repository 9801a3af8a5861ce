//! False verdicts.

use serde_json::{Value, json};
use testkit::verdict::{Answer, False, Found, Judge, Ranks, Score, Verdict, Worth};

use crate::recorded::{Checked, recording};

const NAMES: [&str; 2] = ["companion", "openmpi"];

/// An answer as `mqd check` wrote it, with another verdict and other ranks.
fn changed(checked: &Checked, verdict: &str, stuck: &str) -> Answer {
    let mut said = checked.answer.clone();
    said["verdict"] = verdict.into();
    said["stuck"] = stuck.into();
    answer(said)
}

fn answer(said: Value) -> Answer {
    serde_json::from_value(said).expect("an answer has a verdict and ranks")
}

fn judge(checked: &Checked) -> Judge {
    Judge::new(checked.stuck.iter().copied().collect())
}

#[test]
fn what_mqd_said_is_right() {
    for name in NAMES {
        let recording = recording(name);
        for checked in [&recording.deadlock, &recording.slow] {
            let mut judge = judge(checked);
            assert_eq!(judge.hear(&answer(checked.answer.clone())), Ok(Worth::Right), "{name}");
            assert_eq!(judge.conclude(), Ok(Found::Right), "{name}");
        }
        assert!(!recording.deadlock.stuck.is_empty() && recording.slow.stuck.is_empty());
        assert_eq!(answer(recording.deadlock.answer).verdict, Verdict::Deadlocked);
        assert_eq!(answer(recording.slow.answer).verdict, Verdict::NotDeadlocked);
    }
}

#[test]
fn a_false_deadlocked_is_rejected() {
    for name in NAMES {
        let recording = recording(name);
        // About a slow job, in any state.
        for judge in [judge(&recording.slow), judge(&recording.slow).settled()] {
            let said = changed(&recording.slow, "deadlocked", "0-1");
            let named = Ranks::from([0, 1]);
            let error = False::Deadlocked { named, stuck: Ranks::new() };
            assert_eq!(judge.clone().hear(&said), Err(error), "{name}");
            let nobody = changed(&recording.slow, "deadlocked", "");
            let error = False::Nobody { stuck: Ranks::new() };
            assert_eq!(judge.clone().hear(&nobody), Err(error), "{name}");
        }
        // About a deadlocked job: each rank that is not stuck.
        let deadlock = &recording.deadlock;
        let mut moving = (0..8).filter(|rank| !deadlock.stuck.contains(rank)).peekable();
        assert!(moving.peek().is_some(), "{name}: a rank is not stuck");
        for rank in moving {
            let said = changed(deadlock, "deadlocked", &list(deadlock.stuck.iter().chain([&rank])));
            let heard = judge(deadlock).hear(&said);
            assert!(matches!(heard, Err(False::Deadlocked { .. })), "{name}: {heard:?}");
        }
    }
}

#[test]
fn too_few_ranks_are_not_the_whole_answer() {
    let recording = recording("companion");
    let deadlock = &recording.deadlock;
    let mut judge = judge(deadlock);
    let said = changed(deadlock, "deadlocked", &list(&deadlock.stuck[1..]));
    assert_eq!(judge.hear(&said), Ok(Worth::Partial));
    assert_eq!(judge.conclude(), Ok(Found::Undecided));
}

#[test]
fn a_false_not_deadlocked_is_rejected() {
    for name in NAMES {
        let recording = recording(name);
        let deadlock = &recording.deadlock;
        let stuck: Ranks = deadlock.stuck.iter().copied().collect();
        let error = False::NotDeadlocked { stuck };
        let not = changed(deadlock, "not_deadlocked", "");

        // Where the ranks are known to be in their calls.
        assert_eq!(judge(deadlock).settled().hear(&not), Err(error.clone()), "{name}");
        // After some of them were named.
        let mut named = judge(deadlock);
        let said = changed(deadlock, "deadlocked", &list(&deadlock.stuck[..1]));
        assert_eq!(named.hear(&said), Ok(Worth::Partial), "{name}");
        assert_eq!(named.hear(&not), Err(error.clone()), "{name}");
        // As the last answer.
        let mut early = judge(deadlock);
        assert_eq!(early.hear(&not), Ok(Worth::Early), "{name}");
        assert_eq!(early.conclude(), Err(error), "{name}");
        // No error if it was too early to tell.
        assert_eq!(early.hear(&answer(deadlock.answer.clone())), Ok(Worth::Right), "{name}");
        assert_eq!(early.conclude(), Ok(Found::Right), "{name}");
    }
}

#[test]
fn undecided_is_not_right() {
    let recording = recording("companion");
    for checked in [&recording.deadlock, &recording.slow] {
        let mut judge = judge(checked);
        assert_eq!(judge.conclude(), Ok(Found::Undecided), "nothing was said");
        let said = changed(checked, "insufficient", "0-7");
        assert_eq!(judge.hear(&said), Ok(Worth::Undecided));
        assert_eq!(judge.conclude(), Ok(Found::Undecided));
    }
}

#[test]
fn ranks_that_get_stuck_with_some_libraries_may_be_named() {
    let hear = |stuck: &str| {
        let said = answer(json!({ "verdict": "deadlocked", "stuck": stuck }));
        Judge::new(Ranks::from([0])).perhaps(Ranks::from([2])).hear(&said)
    };
    assert_eq!(
        [hear("0"), hear("0,2"), hear("2")],
        [Ok(Worth::Right), Ok(Worth::Right), Ok(Worth::Partial)]
    );
    assert!(hear("0-2").is_err());
}

#[test]
fn undecided_seeds_count_against_the_floor() {
    let score = |right, undecided, failed| Score { right, undecided, failed };
    assert_eq!(score(vec![1, 2, 3, 4], vec![5], vec![]).require(80), Ok(()));
    assert!(score(vec![1, 2, 3], vec![4], vec![]).require(80).is_err());
    assert!(score(vec![1, 2, 3], vec![4], vec![]).require(100).is_err());
    assert!(score(vec![1, 2, 3, 4, 6, 7, 8, 9], vec![], vec![5]).require(80).is_err());
    assert!(score(vec![], vec![1, 2], vec![]).require(80).is_err());
    assert!(score(vec![], vec![], vec![]).require(0).is_err(), "no seeds say nothing");
}

#[test]
fn answers_that_cannot_be_read_are_errors() {
    let said = [
        json!({ "verdict": "deadlock", "stuck": "0-1" }),
        json!({ "verdict": "deadlocked", "stuck": "0-x" }),
        json!({ "verdict": "deadlocked", "stuck": [0, 1] }),
        json!({ "stuck": "0-1" }),
        json!({ "verdict": "deadlocked" }),
    ];
    for said in said {
        assert!(serde_json::from_value::<Answer>(said.clone()).is_err(), "{said}");
    }
    let said = answer(json!({ "verdict": "deadlocked", "stuck": "0-2,5,7-8" }));
    assert_eq!(said.stuck, Ranks::from([0, 1, 2, 5, 7, 8]));
}

fn list<'a>(ranks: impl IntoIterator<Item = &'a i64>) -> String {
    ranks.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
