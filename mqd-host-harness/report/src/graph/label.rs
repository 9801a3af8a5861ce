//! What nodes and arrows say, in words.

use super::parts::{Arrow, ArrowKind, Node, NodeKind, Relation};
use super::runs::Runs;
use crate::escape::printable;
use crate::model::{Queue, Status};
use crate::words::{bytes, count};

/// At most so many runs of ranks or tags are in a label; the others are counted.
const RUNS: usize = 3;
/// At most so many communicators are in a label.
const COMMUNICATORS: usize = 2;

impl Node {
    /// Its ranks, in a few words: `rank 3`, `ranks 1-9998`.
    pub(super) fn title(&self) -> String {
        match self.ranks.len() {
            _ if !self.name.is_empty() => self.name.clone(),
            1 => format!("rank {}", self.ranks),
            _ => format!("ranks {}", self.ranks.shortened(RUNS)),
        }
    }

    /// The other lines of its text.
    pub(super) fn facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        if self.ranks.len() > 1 && self.kind != NodeKind::Rest {
            facts.push(format!("{} ranks", self.ranks.len()));
        }
        match self.kind {
            NodeKind::Unreadable => facts.push("not read".to_owned()),
            NodeKind::NotInReport => facts.push("not looked at".to_owned()),
            NodeKind::Rest => facts.push("various".to_owned()),
            NodeKind::Ranks | NodeKind::AnySource | NodeKind::Unknown => {}
        }
        if let Some(activity) = &self.activity {
            facts.push(match &activity.function {
                Some(function) => format!("in {}", printable(function)),
                None => "in no MPI call".to_owned(),
            });
        }
        facts.extend(self.place.as_ref().map(|place| format!("at {place}")));
        if self.incomplete && self.kind != NodeKind::Unreadable {
            facts.push("not read completely".to_owned());
        }
        if self.deadlock {
            facts.push("in the deadlock".to_owned());
        }
        facts
    }
}

impl Arrow {
    /// What it is, in short: `send`, `receive`, `unexpected`, or a collective function.
    pub(super) fn verb(&self) -> &str {
        match &self.what {
            ArrowKind::Queue(Queue::Sends) => "send",
            ArrowKind::Queue(Queue::Receives) => "receive",
            ArrowKind::Queue(Queue::Unexpected) => "unexpected",
            ArrowKind::Collective(function) => function,
        }
    }

    /// All of it in a line: `3 x send, ring, tag 7, 4 bytes, to rank+1`.
    pub(super) fn label(&self) -> String {
        let communicators = || -> String {
            let names: Vec<_> =
                self.communicators.iter().take(COMMUNICATORS).map(|name| shortened(name)).collect();
            match self.communicators.len() {
                more if more > COMMUNICATORS => {
                    format!("{} and {} more", names.join(", "), more - COMMUNICATORS)
                }
                _ => names.join(", "),
            }
        };
        let ArrowKind::Queue(_) = self.what else {
            return format!("in {}, {}", self.verb(), communicators());
        };
        let mut words = vec![match self.count {
            1 => self.verb().to_owned(),
            count => format!("{count} x {}", self.verb()),
        }];
        words.push(communicators());
        words.push(self.tag_text());
        words.push(self.length_text());
        words.extend(self.relation_text());
        let statuses: Vec<_> = self
            .statuses
            .iter()
            .filter(|status| **status != Status::Pending || self.statuses.len() > 1)
            .map(Status::to_string)
            .collect();
        if !statuses.is_empty() {
            words.push(statuses.join(" or "));
        }
        words.join(", ")
    }

    /// Its tags as a set.
    pub(super) fn tags(&self) -> Runs {
        self.tags.iter().copied().collect()
    }

    fn tag_text(&self) -> String {
        let tags = self.tags().shortened(RUNS);
        match (self.any_tag, self.tags.len()) {
            (true, 0) => "any tag".to_owned(),
            (true, _) => format!("any tag or {tags}"),
            (false, 1) => format!("tag {tags}"),
            (false, _) => format!("tags {tags}"),
        }
    }

    fn length_text(&self) -> String {
        let Some((least, most, _)) = self.bytes else { return "length not known".to_owned() };
        match (least == most, self.count) {
            (true, 1) => size(least),
            (true, _) => format!("{} each", size(least)),
            // Rounded to a larger unit, the two may look the same.
            (false, _) if most < 1 << 20 => format!("{least} to {most} bytes each"),
            (false, _) => format!("{} to {} each", size(least), size(most)),
        }
    }

    /// Where the peer is, unless the arrow shows it.
    pub(super) fn relation_text(&self) -> Option<String> {
        let preposition = if self.what == ArrowKind::Queue(Queue::Sends) { "to" } else { "from" };
        match self.relation {
            Relation::Offset(distance) => Some(format!("{preposition} rank{distance:+}")),
            Relation::Local(local) => Some(format!("{preposition} rank {local} of it")),
            Relation::AnySource | Relation::Rank(_) | Relation::Several => None,
        }
    }

    /// A sentence for readers who cannot see the picture.
    pub(super) fn sentence(&self, nodes: &[Node]) -> String {
        let (from, to) = (nodes[self.from].title(), nodes[self.to].title());
        let way = match self.what {
            ArrowKind::Queue(Queue::Sends | Queue::Unexpected) => format!("from {from} to {to}"),
            ArrowKind::Queue(Queue::Receives) => format!("by {from}, which waits for {to}"),
            ArrowKind::Collective(_) => format!("{from} waits for {to}"),
        };
        let deadlock = if self.deadlock { "; part of the deadlock" } else { "" };
        let operations =
            count(usize::try_from(self.count).unwrap_or(usize::MAX), "operation", "operations");
        match self.what {
            ArrowKind::Collective(_) => format!("{}: {way}{deadlock}", self.label()),
            ArrowKind::Queue(_) => format!("{operations}: {}: {way}{deadlock}", self.label()),
        }
    }
}

/// A length in one unit, because there is no room for two. A length that would be rounded is in
/// bytes, unless it is very large.
fn size(length: i64) -> String {
    let text = bytes(length);
    match text.split_once(" (") {
        Some((exact, scaled)) if scaled.contains('.') && length < 1 << 20 => exact.to_owned(),
        Some((_, scaled)) => scaled.trim_end_matches(')').to_owned(),
        None => text,
    }
}

/// A name for a label, shortened if it is long.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 24;
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}
