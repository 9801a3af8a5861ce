//! What a diagnosis adds to a picture.

use std::collections::{BTreeSet, HashSet};

/// What was found out about a report: what to mark, and what to say.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The verdict, a sentence; `None` if there is no diagnosis.
    pub verdict: Option<String>,
    /// What was found, the most important first.
    pub findings: Vec<Finding>,
}

/// Something that was found, in words, and where it is in the picture.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// What it is, in one line.
    pub title: String,
    /// The rest, a paragraph each.
    pub text: Vec<String>,
    /// The ranks that it is about.
    pub ranks: BTreeSet<i64>,
    /// Who waits for whom in a deadlock, as ranks; empty if it is none.
    pub waits: BTreeSet<(i64, i64)>,
}

impl Marks {
    /// Who waits for whom in a deadlock.
    pub(super) fn waits(&self) -> HashSet<(i64, i64)> {
        self.findings.iter().flat_map(|finding| &finding.waits).copied().collect()
    }
}
