//! What `mqd check` finds, as plain data. Serialized, it is the JSON contract described in
//! `docs/check.md`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranks::Ranks;
use crate::model::{Address, Frame, Queue, Tool};

/// The version of the JSON contract of a diagnosis, `major.minor`.
pub const SCHEMA_VERSION: &str = "1.7";

/// The most waits that the steps of a finding tell one by one. The others are counted.
pub const STEPS_TOLD: usize = 8;

/// What is wrong with a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// Version of this format, `major.minor`. Readers accept any minor version of a major version
    /// they know.
    pub schema_version: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// Is the job deadlocked?
    pub verdict: Verdict,
    /// The verdict in a sentence.
    pub reason: String,
    /// How often the job was looked at: 1 to 4.
    pub looks: i64,
    /// Seconds between the last two looks; null after one.
    pub seconds: Option<f64>,
    /// The `spread_ms` of the report; after several looks, the longer one of the last two. Since
    /// 1.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread_ms: Option<u64>,
    /// Ranks that wait for each other, or for ranks that have ended: none of them can ever go on.
    /// With an `insufficient` verdict: those that seem to be stuck.
    pub stuck: Ranks,
    /// Ranks that can go on.
    pub moving: Ranks,
    /// Ranks that could not be read, or of which it is not known whether they can go on.
    pub unknown: Ranks,
    /// What is missing for a verdict, or for a more certain one, in sentences.
    pub missing: Vec<String>,
    /// What was found, the most important first.
    pub findings: Vec<Finding>,
    /// Where in the program ranks are that are not in the places of the findings, as far as their
    /// call stacks were read: with an `insufficient` verdict those that are not known to move, with
    /// `not_deadlocked` those that can go on (since 1.6). If there are many places, the first ones.
    /// Since 1.5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
}

/// Is a job deadlocked?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Some ranks can never go on.
    Deadlocked,
    /// All of them can go on, or wait for ones that can.
    NotDeadlocked,
    /// It is not known.
    Insufficient,
}

/// Something that is wrong, or worth knowing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// How certain it is.
    pub certainty: Certainty,
    /// The ranks that it is about. Of a deadlock: those of the cycle or knot.
    pub ranks: Ranks,
    /// Of a deadlock: the ranks that wait for these, directly or through others.
    pub waiting: Ranks,
    /// The ranks that are to blame, as far as the report shows it: those of a cycle, or the rank
    /// that others wait for in vain. Empty if the report does not show it. Since 1.2.
    #[serde(default)]
    pub culprits: Ranks,
    /// What is wrong, in a sentence: the title, and the steps if there are any.
    pub text: String,
    /// What is wrong, in short. Since 1.3.
    #[serde(default)]
    pub title: String,
    /// Of a deadlock: the first waits in sentences, and how many more there are. Since 1.3.
    #[serde(default)]
    pub steps: Vec<String>,
    /// What shows it, in sentences.
    pub evidence: Vec<String>,
    /// Where in the program these ranks and the culprits are, as far as their call stacks were
    /// read. If there are many places, the first ones. Since 1.1.
    #[serde(default)]
    pub places: Vec<Place>,
    /// What to do about it.
    pub advice: String,
    /// Of a deadlock: who waits for whom. If `cycle` is true, each wait is `on` the rank of the
    /// next one, and the last is on the rank of the first.
    pub waits: Vec<Wait>,
    /// Are the `waits` a cycle, in this order? If not, they are a knot: each waits for several
    /// ranks, all of which wait too.
    pub cycle: bool,
}

impl Finding {
    /// A finding without steps, waits and evidence.
    pub(super) fn new(
        kind: FindingKind,
        severity: Severity,
        certainty: Certainty,
        ranks: Ranks,
        title: String,
        advice: &str,
    ) -> Finding {
        Finding {
            kind,
            severity,
            certainty,
            ranks,
            waiting: Ranks::default(),
            culprits: Ranks::default(),
            text: title.clone(),
            title,
            steps: Vec::new(),
            evidence: Vec::new(),
            places: Vec::new(),
            advice: advice.to_owned(),
            waits: Vec::new(),
            cycle: false,
        }
    }

    /// Adds steps.
    pub(super) fn add_steps(&mut self, steps: impl IntoIterator<Item = String>) {
        self.steps.extend(steps);
        self.text = format!("{}: {}", self.title, self.steps.join("; "));
    }
}

/// A place in the program, and the ranks that are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The ranks.
    pub ranks: Ranks,
    /// What they do there: `in MPI_Recv, called from exchange (halo.c:87)`.
    pub text: String,
    /// The innermost frame of the program whose line is known; else the innermost one.
    pub frame: Option<Frame>,
}

/// The kinds of findings.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Kind")]
pub enum FindingKind {
    /// Ranks that wait for each other.
    Deadlock,
    /// A rank waits for a message or a process that will never come.
    NeverMatched,
    /// Ranks have called different collective operations on a communicator.
    CollectiveMismatch,
    /// Ranks are in a collective operation that others have not called.
    CollectiveIncomplete,
    /// A process has ended, and others have not.
    Exited,
    /// A receive waits, and an unexpected message nearly matches it.
    NearMiss,
    /// A message is longer than the buffer of its receive.
    Truncation,
    /// A message is sent and received with different datatypes.
    DatatypeMismatch,
    /// A message has arrived that nobody will receive.
    Orphan,
    /// Many messages have arrived that nobody has received yet.
    UnexpectedQueue,
    /// A rank is in a function that tests for completion and returns.
    Polling,
    /// A signal has stopped a process. Since 1.2.
    Stopped,
    /// Ranks wait for a few others that can go on. Since 1.7.
    Awaited,
}

/// How bad a finding is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It is wrong.
    Error,
    /// It may be wrong.
    Warning,
    /// It is worth knowing.
    Note,
}

/// How certain a finding is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// It follows from what was read.
    Certain,
    /// As far as two looks at the job can tell.
    TwoLooks,
    /// It seems so, but what was read does not prove it.
    Suspected,
}

impl Certainty {
    /// How serious it is that ranks are stuck.
    pub(super) fn severity(self) -> Severity {
        match self {
            Certainty::Certain | Certainty::TwoLooks => Severity::Error,
            Certainty::Suspected => Severity::Warning,
        }
    }
}

/// A rank that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Wait {
    /// Who waits.
    pub rank: i64,
    /// The ranks that it waits for. In a knot, any one of them is enough.
    pub on: Ranks,
    /// The MPI function that it is in; null if that is not known.
    pub function: Option<String>,
    /// The communicator's id in this rank's part of the report.
    pub communicator: Option<Address>,
    /// The communicator's name; empty if it has none.
    pub communicator_name: String,
    /// The queue of the operation that it waits for; null for a collective operation.
    pub queue: Option<Queue>,
    /// The place of the operation in that queue of this rank and communicator, from 0.
    pub index: Option<usize>,
    /// Why, as a sentence: `rank 0 waits in MPI_Recv for a message with tag 8 from rank 1 on
    /// ring`.
    pub text: String,
}

/// The JSON Schema of a [`Diagnosis`], as committed in `docs/check.schema.json`.
pub fn json_schema_text() -> String {
    crate::model::schema_text::<Diagnosis>()
}
