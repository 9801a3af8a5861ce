//! What the ranks of a scenario have written down, compared with what `mqd` shows.

mod coverage;
mod difference;
mod element;
mod queues;
mod tally;
mod traffic;

use serde_json::{Value, json};

pub use self::coverage::Coverage;
pub use self::difference::{Difference, Kind, Queue, Subject};
pub use self::tally::{Tally, tally};
use crate::record::{Collective, Communicator, Record, Stay};

/// The differences between the records and a report of `mqd dump --format json`.
pub fn differences(coverage: Coverage, records: &[Record], report: &Value) -> Vec<Difference> {
    let mut all = Vec::new();
    let mut found = Findings { all: &mut all, subject: Subject::default() };
    let processes = array(&report["processes"]);
    if processes.len() != records.len() {
        found.say(Kind::Processes { expected: records.len(), shown: processes.len() });
    }
    for record in records {
        let mut found = found.within(|subject| subject.rank = Some(record.rank));
        match processes.iter().find(|process| process["rank"] == record.rank) {
            Some(process) => Comparison { coverage, records, record }.process(&mut found, process),
            None => found.say(Kind::Missing),
        }
    }
    if !coverage.state && coverage.traffic {
        traffic::numbered_messages(&mut found, records, processes);
    }
    all
}

/// Only the ranks' communicators and queues: they do not depend on what they were read from.
pub fn queues(report: &Value) -> Vec<(&Value, &Value)> {
    array(&report["processes"])
        .iter()
        .map(|process| (&process["rank"], &process["communicators"]))
        .collect()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The ranks of a group, from its runs. Null if the runs do not follow one another.
fn members(runs: &Value) -> Value {
    let mut ranks: Vec<i64> = Vec::new();
    for run in array(runs) {
        let field = |name| run[name].as_i64();
        let [Some(local), Some(global), Some(count)] = ["local", "global", "count"].map(field)
        else {
            return runs.clone();
        };
        if usize::try_from(local) != Ok(ranks.len()) || count < 1 {
            return runs.clone();
        }
        ranks.extend(global..global + count);
    }
    if runs.is_null() { Value::Null } else { ranks.into() }
}

/// The differences found so far, and what is being looked at.
struct Findings<'a> {
    all: &'a mut Vec<Difference>,
    subject: Subject,
}

impl Findings<'_> {
    /// Looks at a part of the subject.
    fn within(&mut self, narrow: impl FnOnce(&mut Subject)) -> Findings<'_> {
        let mut subject = self.subject.clone();
        narrow(&mut subject);
        Findings { all: self.all, subject }
    }

    fn say(&mut self, kind: Kind) {
        self.all.push(Difference { subject: self.subject.clone(), kind });
    }

    /// A list may be empty, but it must be there: null would say that it is not known.
    fn list(&mut self, name: &str, shown: &Value) {
        if !shown.is_array() {
            self.say(Kind::NoList { name: name.to_owned(), shown: shown.clone() });
        }
    }

    fn same(&mut self, field: &str, expected: impl Into<Value>, shown: &Value) {
        self.all.extend(
            Kind::field(field, expected, shown)
                .map(|kind| Difference { subject: self.subject.clone(), kind }),
        );
    }
}

/// One rank's record, with those of the others.
#[derive(Clone, Copy)]
struct Comparison<'a> {
    coverage: Coverage,
    records: &'a [Record],
    record: &'a Record,
}

impl Comparison<'_> {
    fn process(self, found: &mut Findings<'_>, process: &Value) {
        found.same("errors", Value::Array(Vec::new()), &self.errors(process));
        let mut shown: Vec<&Value> = array(&process["communicators"]).iter().collect();
        for communicator in &self.record.communicators {
            let name = communicator.shown_name();
            let mut found = found.within(|subject| subject.communicator = Some(name.to_owned()));
            match shown.iter().position(|shown| shown["name"] == name) {
                // Names may occur more than once: each stands for one communicator, in their order.
                Some(at) => self.communicator(&mut found, communicator, shown.remove(at)),
                None => found.say(Kind::Missing),
            }
        }
        self.activity(found, &process["activity"]);
        for communicator in shown {
            found.say(Kind::ExtraCommunicator(communicator["name"].clone()));
        }
    }

    /// The errors of a process, except those that say that its sends are not known.
    fn errors(self, process: &Value) -> Value {
        let allowed = [
            "cannot be seen, for the reason named here. What is shown is right, but there may be \
             more [sends ",
            "[sends, as Intel MPI keeps no envelopes]",
            "no information about pending sends",
        ];
        let is_allowed = |error: &&Value| {
            let text = error["text"].as_str().unwrap_or_default();
            !self.coverage.sends && allowed.iter().any(|allowed| text.contains(allowed))
        };
        match &process["errors"] {
            Value::Array(errors) => {
                errors.iter().filter(|error| !is_allowed(error)).cloned().collect()
            }
            other => other.clone(),
        }
    }

    /// What the rank waits in.
    fn activity(self, found: &mut Findings<'_>, shown: &Value) {
        if self.record.threads {
            // A stack shows what the main thread does. It cannot show what the others will do.
            if self.coverage.state && !shown.is_null() {
                found.same("concurrent", true, &shown["concurrent"]);
            }
            return;
        }
        let Some(stay) = &self.record.stays else { return };
        found.same("function", stay.function.clone(), &shown["function"]);
        if self.tells(stay) || !shown["needed"].is_null() {
            found.same("needed", stay.needed, &shown["needed"]);
        }
        // A value that is missing is null, too.
        if shown.is_null() {
            found.say(Kind::ActivityNotKnown);
        }
    }

    /// Must it be known what a rank waits for?
    fn tells(self, stay: &Stay) -> bool {
        self.coverage.state || self.coverage.waits && stay.is_counted()
    }

    fn communicator(self, found: &mut Findings<'_>, expected: &Communicator, shown: &Value) {
        found.same("size", expected.size, &shown["size"]);
        found.same("local_rank", expected.local_rank, &shown["local_rank"]);
        found.same("group", expected.group.clone(), &members(&shown["group"]));
        let has_sends = self.coverage.sends || shown["not_known"] != json!(["sends"]);
        if has_sends {
            // The field is there only if a queue could not be read.
            found.same("not_known", Value::Null, &shown["not_known"]);
            found.list("pending_sends", &shown["pending_sends"]);
            self.sends(found, expected, shown);
        }
        for name in ["pending_receives", "unexpected_messages"] {
            found.list(name, &shown[name]);
        }
        if self.coverage.state {
            let traffic = expected.traffic(self.records, self.record);
            found.same("traffic", traffic, &shown["traffic"]);
            found.list("collectives", &shown["collectives"]);
            collectives(found, expected, array(&shown["collectives"]));
        } else {
            // Those that the rank is in, according to the library's own messages.
            let active = expected.collectives.iter().filter(|collective| collective.active);
            let active: Vec<Value> = active.map(Collective::uncounted).collect();
            let active = Some(active).filter(|active| !active.is_empty());
            if self.coverage.collectives || !shown["collectives"].is_null() {
                found.same("collectives", active, &shown["collectives"]);
            }
        }
        self.receives(found, expected, shown);
        self.unexpected_messages(found, expected, shown);
    }
}

fn collectives(found: &mut Findings<'_>, communicator: &Communicator, shown: &[Value]) {
    for expected in communicator.collectives.iter().map(Collective::counted) {
        if !shown.contains(&expected) {
            found.say(Kind::Collective { expected, shown: shown.to_vec() });
        }
    }
    if shown.len() != communicator.collectives.len() {
        let expected = communicator.collectives.len();
        found.say(Kind::Collectives { expected, shown: shown.len() });
    }
}
