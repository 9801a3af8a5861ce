//! What the ranks of a scenario have written down, compared with what `mqd` shows.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

/// What an MPI library keeps of its operations, and so what can be shown of them.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Which MPI function has made an operation.
    pub calls: bool,
    /// How the message of a send or receive travels; of unexpected messages it is always known.
    pub protocols: bool,
    /// In which order sends to different destinations were started.
    pub order_of_sends: bool,
    /// In which order sends to one destination were started.
    pub order_to_one: bool,
    /// Count and datatype of an operation; else only of some.
    pub elements: bool,
    /// Where the data are that are not in one piece.
    pub scattered_buffers: bool,
    /// What a receive asked for, when it has its message.
    pub call_of_received: bool,
    /// How many messages went to and came from each peer.
    pub traffic: bool,
    /// A request for every operation; else those that are complete at once may share one that is
    /// ready-made, and leave nothing to be shown.
    pub requests: bool,
    /// A message of a rank to itself is told by its protocol, `self`.
    pub self_protocol: bool,
    /// What a rank waits in, which operations that call awaits, its collective operations and its
    /// messages to each peer, all counted. Else the function is known by the stack, operations
    /// where several are awaited at once, collective operations that it is in, and messages with
    /// those that the library sends for itself.
    pub state: bool,
}

impl Profile {
    /// The companion runtime, whose structures are made to be read.
    pub const COMPANION: Profile = Profile {
        calls: true,
        protocols: true,
        order_of_sends: true,
        order_to_one: true,
        elements: true,
        scattered_buffers: true,
        call_of_received: true,
        traffic: true,
        requests: true,
        self_protocol: true,
        state: true,
    };
    /// Open MPI, with the PML ob1.
    pub const OPEN_MPI: Profile = Profile {
        calls: false,
        protocols: false,
        order_of_sends: false,
        order_to_one: true,
        elements: true,
        scattered_buffers: true,
        call_of_received: true,
        traffic: true,
        requests: false,
        self_protocol: false,
        state: false,
    };
    /// Open MPI, with the PML ucx.
    pub const OPEN_MPI_UCX: Profile = Profile {
        order_to_one: false,
        elements: false,
        scattered_buffers: false,
        call_of_received: false,
        traffic: false,
        ..Profile::OPEN_MPI
    };
}

/// The record of one rank: `expect.json`, written by `fixtures/expect.c`.
#[derive(Clone, Debug, Deserialize)]
pub struct Record {
    /// Of the rank that wrote it, in `MPI_COMM_WORLD`.
    pub rank: i64,
    /// Operations come from several threads and have no order.
    unordered: bool,
    /// Several of its threads may be in MPI.
    threads: bool,
    /// What it stays in; none: it does not say.
    stays: Option<Stay>,
    communicators: Vec<Communicator>,
    /// Messages that this rank has sent and that nobody receives.
    unreceived: Vec<Message>,
}

/// What a rank stays in: no function, or one that needs so many of the awaited operations; none:
/// other things decide.
#[derive(Clone, Debug, Deserialize)]
struct Stay {
    function: Option<String>,
    needed: Option<i64>,
}

impl Stay {
    /// Does every library count what the function waits for?
    fn is_counted(&self) -> bool {
        matches!(self.function.as_deref(), Some("MPI_Waitall" | "MPI_Waitany" | "MPI_Waitsome"))
    }
}

#[derive(Clone, Debug, Deserialize)]
struct Communicator {
    name: String,
    size: i64,
    local_rank: i64,
    group: Vec<i64>,
    remote_group: Option<Vec<i64>>,
    sends: Vec<Operation>,
    receives: Vec<Operation>,
    /// Messages to each rank of those that operations name.
    sent: Vec<i64>,
    collectives: Vec<Collective>,
}

#[derive(Clone, Debug, Deserialize)]
struct Collective {
    function: String,
    calls: i64,
    active: bool,
}

impl Collective {
    /// As a reader shows it that cannot tell how often it was called.
    fn uncounted(&self) -> Value {
        json!({ "function": self.function, "calls": null, "active": self.active })
    }
}

/// An operation; null is what the scenario cannot know.
#[derive(Clone, Debug, Deserialize)]
struct Operation {
    call: String,
    status: String,
    local_rank: i64,
    global_rank: i64,
    tag_wild: bool,
    tag: Option<i64>,
    buffer: Option<String>,
    length: Option<i64>,
    count: Option<i64>,
    datatype: Option<String>,
    system_buffer: bool,
    protocol: Option<String>,
    ready_made: bool,
    awaited: bool,
    #[serde(default)]
    cancelled: bool,
    actual: Option<Actual>,
}

/// The message that a receive has matched.
#[derive(Clone, Debug, Deserialize)]
struct Actual {
    local_rank: i64,
    global_rank: i64,
    tag: i64,
    length: i64,
}

#[derive(Clone, Debug, Deserialize)]
struct Message {
    communicator: String,
    /// World rank of the receiver.
    to: i64,
    /// The sender.
    local_rank: i64,
    global_rank: i64,
    tag: i64,
    length: i64,
    protocol: Option<String>,
}

/// The records of all ranks, once they are all there.
pub fn records(directory: &Path, ranks: usize) -> Option<Vec<Record>> {
    (0..ranks)
        .map(|rank| {
            // Written under another name first: what is there is whole.
            let bytes = fs::read(directory.join(format!("rank-{rank}/expect.json"))).ok()?;
            // MPI may have cut a long name within a character: then this is what it is called, and
            // JSON has this sign for the rest.
            let text = String::from_utf8_lossy(&bytes);
            Some(serde_json::from_str(&text).expect("scenarios write JSON as expected here"))
        })
        .collect()
}

/// What differs between the records and a report of `mqd dump --format json`: a line for each
/// field. None: they agree.
pub fn differences(profile: Profile, records: &[Record], report: &Value) -> Vec<String> {
    let mut found = Differences::default();
    let processes = array(&report["processes"]);
    if processes.len() != records.len() {
        found.say("", format!("{} processes, expected {}", processes.len(), records.len()));
    }
    for record in records {
        let place = format!("rank {}", record.rank);
        match processes.iter().find(|process| process["rank"] == record.rank) {
            Some(process) => rank(&mut found, profile, &place, records, record, process),
            None => found.say(&place, "is not there".into()),
        }
    }
    if !profile.state && profile.traffic {
        numbered_messages(&mut found, records, processes);
    }
    found.lines
}

/// Messages counted with those that the library sends for itself: what one rank has sent another
/// one has received, and the program's are among them. Who is in a collective operation may have
/// sent what nobody looks for yet.
fn numbered_messages(found: &mut Differences, records: &[Record], processes: &[Value]) {
    let busy = |communicator: &Communicator| {
        communicator.collectives.iter().any(|collective| collective.active)
    };
    let quiet = !records.iter().flat_map(|record| &record.communicators).any(busy);
    let world = |rank: i64| {
        let process = processes.iter().find(|process| process["rank"] == rank)?;
        array(&process["communicators"])
            .iter()
            .find(|communicator| communicator["name"] == "MPI_COMM_WORLD")
    };
    let count = |rank: i64, peer: i64, field: &str| {
        let traffic =
            array(&world(rank)?["traffic"]).iter().find(|traffic| traffic["local_rank"] == peer);
        world(rank)?["traffic"]
            .is_array()
            .then(|| traffic.map_or(0, |traffic| traffic[field].as_i64().unwrap_or(-1)))
    };
    for record in records {
        let Some(own) =
            record.communicators.iter().find(|communicator| communicator.name == "MPI_COMM_WORLD")
        else {
            continue;
        };
        for (peer, program) in (0..).zip(&own.sent) {
            let (sent, received) =
                (count(record.rank, peer, "sent"), count(peer, record.rank, "received"));
            let fits = match (sent, received) {
                (Some(sent), Some(received)) => {
                    *program <= received && received <= sent && (!quiet || received == sent)
                }
                _ => false,
            };
            if !fits {
                let place = format!("rank {} to {peer}", record.rank);
                found.say(
                    &place,
                    format!(
                        "{sent:?} messages sent, {received:?} received, {program} by the program"
                    ),
                );
            }
        }
    }
}

/// How much of a rank's record a report shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Operations and messages in the record.
    pub expected: usize,
    /// Of these, the ones that are not shown.
    pub missing: usize,
    /// What is shown though it is not in the record.
    pub extra: usize,
    /// Fields of those that are shown that are wrong.
    pub wrong_fields: usize,
}

/// Counts what is right and wrong of one rank, whatever its order. For reports that may be wrong by
/// much; operations are told apart by their buffers, messages by their order.
pub fn tally(profile: Profile, records: &[Record], rank: i64, report: &Value) -> Tally {
    let mut tally = Tally::default();
    let record = records.iter().find(|record| record.rank == rank);
    let process = array(&report["processes"]).iter().find(|process| process["rank"] == rank);
    for communicator in record.into_iter().flat_map(|record| &record.communicators) {
        let shown = process.into_iter().flat_map(|process| array(&process["communicators"]));
        let mut shown = shown;
        let shown =
            shown.find(|shown| shown["name"] == cut(&communicator.name)).unwrap_or(&Value::Null);
        for (queue, expected) in
            [("pending_sends", &communicator.sends), ("pending_receives", &communicator.receives)]
        {
            let mut by_buffer: BTreeMap<&str, &Value> = BTreeMap::new();
            for operation in array(&shown[queue]) {
                if by_buffer
                    .insert(operation["buffer"].as_str().unwrap_or_default(), operation)
                    .is_some()
                {
                    tally.extra += 1;
                }
            }
            for operation in
                expected.iter().filter(|operation| profile.requests || !operation.ready_made)
            {
                tally.expected += 1;
                match operation.buffer.as_deref().and_then(|buffer| by_buffer.remove(buffer)) {
                    Some(shown) => {
                        tally.wrong_fields +=
                            operation.compare(profile, queue == "pending_sends", shown).lines.len();
                    }
                    None => tally.missing += 1,
                }
            }
            tally.extra += by_buffer.len();
        }
        let messages = records.iter().flat_map(|sender| &sender.unreceived);
        let messages: Vec<_> = messages
            .filter(|message| message.to == rank && message.communicator == communicator.name)
            .collect();
        let shown = array(&shown["unexpected_messages"]);
        tally.expected += messages.len();
        tally.missing += messages.len().saturating_sub(shown.len());
        tally.extra += shown.len().saturating_sub(messages.len());
        let compared = messages.iter().zip(shown);
        tally.wrong_fields += compared
            .map(|(message, shown)| message.compare(profile, shown).lines.len())
            .sum::<usize>();
    }
    tally
}

/// The ranks' communicators and queues alone: what does not depend on where they were read from.
pub fn queues(report: &Value) -> Vec<(&Value, &Value)> {
    array(&report["processes"])
        .iter()
        .map(|process| (&process["rank"], &process["communicators"]))
        .collect()
}

#[derive(Default)]
struct Differences {
    lines: Vec<String>,
}

impl Differences {
    fn say(&mut self, place: &str, what: String) {
        self.lines.push(format!("{place}: {what}"));
    }

    fn same(&mut self, place: &str, field: &str, expected: impl Into<Value>, shown: &Value) {
        let expected = expected.into();
        if *shown != expected {
            self.say(place, format!("{field} is {shown}, expected {expected}"));
        }
    }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// As in a debugger's `char[64]`, which ends with a zero byte. What MPI has cut is short enough.
fn cut(name: &str) -> &str {
    if name.ends_with(char::REPLACEMENT_CHARACTER) {
        return name;
    }
    let mut end = name.len().min(63);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

fn rank(
    found: &mut Differences,
    profile: Profile,
    place: &str,
    records: &[Record],
    record: &Record,
    process: &Value,
) {
    found.same(place, "errors", Value::Array(Vec::new()), &process["errors"]);
    let mut shown: Vec<&Value> = array(&process["communicators"]).iter().collect();
    for communicator in &record.communicators {
        let name = cut(&communicator.name);
        let place = format!("{place}, {name:?}");
        match shown.iter().position(|shown| shown["name"] == name) {
            // Names may occur more than once: each stands for one communicator, in their order.
            Some(at) => {
                communicator.compare(found, profile, &place, records, record, shown.remove(at))
            }
            None => found.say(&place, "is not there".into()),
        }
    }
    activity(found, profile, place, record, &process["activity"]);
    for communicator in shown {
        found.say(place, format!("the communicator {} should not be there", communicator["name"]));
    }
}

/// What a rank waits in.
fn activity(
    found: &mut Differences,
    profile: Profile,
    place: &str,
    record: &Record,
    shown: &Value,
) {
    if record.threads {
        // Nobody can tell what the other threads will do; a stack tells what the main thread does.
        if profile.state {
            found.same(place, "activity", Value::Null, shown);
        }
        return;
    }
    let Some(stay) = &record.stays else { return };
    found.same(place, "function", stay.function.clone(), &shown["function"]);
    if profile.state || stay.is_counted() || !shown["needed"].is_null() {
        found.same(place, "needed", stay.needed, &shown["needed"]);
    }
    // A value that is missing is null, too.
    if shown.is_null() {
        found.say(place, "its activity is not known".into());
    }
}

impl Communicator {
    /// World ranks of the group that operations name.
    fn peers(&self) -> &[i64] {
        self.remote_group.as_ref().unwrap_or(&self.group)
    }

    /// The messages to and from each peer. What a peer has sent to this rank, the peer has counted.
    fn traffic(&self, records: &[Record], record: &Record) -> Value {
        // Names may occur more than once: as the how many-eth of that name.
        let same_name = |communicator: &&Communicator| communicator.name == self.name;
        let earlier = record.communicators.iter().take_while(|other| !std::ptr::eq(*other, self));
        let number = earlier.filter(same_name).count();
        let sent_by = |peer: i64| {
            let peer = records.iter().find(|record| record.rank == peer)?;
            let theirs = peer.communicators.iter().filter(same_name).nth(number)?;
            let own = theirs.peers().iter().position(|rank| *rank == record.rank)?;
            theirs.sent.get(own).copied()
        };
        let each = self.peers().iter().zip(&self.sent).enumerate();
        let counted = each.map(|(rank, (peer, sent))| (rank, *sent, sent_by(*peer).unwrap_or(0)));
        let any = counted.filter(|(_, sent, received)| sent + received > 0);
        any.map(|(rank, sent, received)| json!({ "local_rank": rank, "sent": sent, "received": received })).collect()
    }

    fn compare_state(
        &self,
        found: &mut Differences,
        place: &str,
        records: &[Record],
        record: &Record,
        shown: &Value,
    ) {
        found.same(place, "traffic", self.traffic(records, record), &shown["traffic"]);
        let shown = array(&shown["collectives"]);
        for expected in &self.collectives {
            let Collective { function, calls, active } = expected;
            let expected = json!({ "function": function, "calls": calls, "active": active });
            if !shown.contains(&expected) {
                found.say(
                    place,
                    format!(
                        "the collective operations are {shown:?}, expected {expected} among them"
                    ),
                );
            }
        }
        if shown.len() != self.collectives.len() {
            found.say(
                place,
                format!(
                    "{} kinds of collectives, expected {}",
                    shown.len(),
                    self.collectives.len()
                ),
            );
        }
    }

    fn compare(
        &self,
        found: &mut Differences,
        profile: Profile,
        place: &str,
        records: &[Record],
        record: &Record,
        shown: &Value,
    ) {
        found.same(place, "size", self.size, &shown["size"]);
        found.same(place, "local_rank", self.local_rank, &shown["local_rank"]);
        found.same(place, "group", self.group.clone(), &shown["group"]);
        if profile.state {
            self.compare_state(found, place, records, record, shown);
        } else {
            // Those that it is in, by the library's own messages.
            let active: Vec<Value> = self
                .collectives
                .iter()
                .filter(|collective| collective.active)
                .map(Collective::uncounted)
                .collect();
            found.same(
                place,
                "collectives",
                Some(active).filter(|active| !active.is_empty()),
                &shown["collectives"],
            );
        }

        let counted = record.stays.as_ref().map(|stay| profile.state || stay.is_counted());
        let compare = |operation: &Operation, is_send: bool, shown: &Value| {
            let mut against = operation.compare(profile, is_send, shown);
            if counted.is_some_and(|counted| counted || !shown["awaited"].is_null()) {
                let awaited = (!record.threads).then_some(operation.awaited);
                against.same("", "awaited", awaited, &shown["awaited"]);
            }
            against
        };
        let send = |operation: &Operation, shown: &Value| compare(operation, true, shown);
        let receive = |operation: &Operation, shown: &Value| compare(operation, false, shown);
        let ordered = !record.unordered;
        let sends = self
            .sends
            .iter()
            .filter(|operation| profile.requests || !operation.ready_made)
            .collect::<Vec<_>>();
        let shown_sends = refs(array(&shown["pending_sends"]));
        let place_of_sends = format!("{place}, pending_sends");
        if profile.order_of_sends {
            list(found, &place_of_sends, &sends, &shown_sends, ordered, send);
        } else {
            let mut destinations: BTreeMap<i64, (Vec<&Operation>, Vec<&Value>)> = BTreeMap::new();
            for operation in sends {
                destinations.entry(operation.local_rank).or_default().0.push(operation);
            }
            for shown in shown_sends {
                destinations
                    .entry(shown["desired_local_rank"].as_i64().unwrap_or(-1))
                    .or_default()
                    .1
                    .push(shown);
            }
            for (to, (expected, shown)) in destinations {
                let ordered = ordered && profile.order_to_one;
                list(found, &format!("{place_of_sends} to {to}"), &expected, &shown, ordered, send);
            }
        }
        // Of those that wait the order is that of matching; of those that have matched it depends
        // on what came first.
        let waits = |value: &&Value| value["status"] == "pending";
        let (waiting, matched) =
            refs(array(&shown["pending_receives"])).into_iter().partition::<Vec<_>, _>(waits);
        let (expected_waiting, expected_matched) = refs(&self.receives)
            .into_iter()
            .partition::<Vec<&Operation>, _>(|operation| operation.status == "pending");
        let place_of_receives = format!("{place}, pending_receives");
        list(
            found,
            &format!("{place_of_receives} (pending)"),
            &expected_waiting,
            &waiting,
            ordered,
            receive,
        );
        list(
            found,
            &format!("{place_of_receives} (matched)"),
            &expected_matched,
            &matched,
            false,
            receive,
        );

        // Messages of one sender arrive in the order they were sent; between senders there is none.
        let mut senders: BTreeMap<i64, (Vec<&Message>, Vec<&Value>)> = BTreeMap::new();
        let messages = records.iter().flat_map(|sender| &sender.unreceived);
        for message in messages
            .filter(|message| message.to == record.rank && message.communicator == self.name)
        {
            senders.entry(message.global_rank).or_default().0.push(message);
        }
        for message in array(&shown["unexpected_messages"]) {
            senders
                .entry(message["desired_global_rank"].as_i64().unwrap_or(-1))
                .or_default()
                .1
                .push(message);
        }
        for (sender, (expected, shown)) in senders {
            list(
                found,
                &format!("{place}, unexpected_messages from {sender}"),
                &expected,
                &shown,
                ordered,
                |message: &Message, shown| message.compare(profile, shown),
            );
        }
    }
}

fn refs<T>(items: &[T]) -> Vec<&T> {
    items.iter().collect()
}

/// Compares a queue. Without an order each expected element takes the shown one that it has least
/// against.
fn list<T: std::fmt::Debug>(
    found: &mut Differences,
    place: &str,
    expected: &[&T],
    shown: &[&Value],
    ordered: bool,
    compare: impl Fn(&T, &Value) -> Differences,
) {
    if expected.len() != shown.len() {
        found.say(place, format!("{} elements, expected {}", shown.len(), expected.len()));
        for element in shown.iter().take(20) {
            found.say(place, format!("  shown: {element}"));
        }
        for element in expected.iter().take(20) {
            found.say(place, format!("  expected: {element:?}"));
        }
        return;
    }
    let mut shown: Vec<&Value> = shown.to_vec();
    for (number, expected) in expected.iter().enumerate() {
        let candidates = if ordered { 1 } else { shown.len() };
        let best = (0..candidates)
            .map(|at| (compare(expected, shown[at]), at))
            .min_by_key(|(against, _)| against.lines.len());
        if let Some((against, at)) = best {
            shown.remove(at);
            found
                .lines
                .extend(against.lines.into_iter().map(|line| format!("{place}[{number}]{line}")));
        }
    }
}

impl Operation {
    /// Compares a receive of which only the message is known.
    fn compare_message(&self, shown: &Value) -> Differences {
        let mut found = Differences::default();
        found.same("", "status", self.status.clone(), &shown["status"]);
        let Some(message) = &self.actual else {
            found.say("", "a message is shown, none expected".into());
            return found;
        };
        for (field, expected) in [
            ("local_rank", message.local_rank),
            ("global_rank", message.global_rank),
            ("tag", message.tag),
            ("length", message.length),
        ] {
            for which in ["desired", "actual"] {
                let field = format!("{which}_{field}");
                found.same("", &field, expected, &shown[&field]);
            }
        }
        found
    }

    fn compare(&self, profile: Profile, is_send: bool, shown: &Value) -> Differences {
        let lines = array(&shown["extra_text"]);
        let is_gone = !profile.call_of_received
            && lines
                .iter()
                .any(|line| line == "the message that it has; what it asked for is gone");
        if is_gone {
            return self.compare_message(shown);
        }
        let mut found = Differences::default();
        let mut same =
            |field: &str, expected: Value| found.same("", field, expected, &shown[field]);
        same("status", self.status.clone().into());
        same("desired_local_rank", self.local_rank.into());
        same("desired_global_rank", self.global_rank.into());
        same("tag_wild", self.tag_wild.into());
        same("desired_tag", self.tag.into());
        same("system_buffer", self.system_buffer.into());
        if let Some(length) = self.length {
            same("desired_length", length.into());
        }
        let scattered = !profile.scattered_buffers && shown["buffer"] == "0x0";
        if let Some(buffer) = self.buffer.as_ref().filter(|_| !self.system_buffer && !scattered) {
            same("buffer", buffer.clone().into());
        }
        let message = match &self.actual {
            _ if is_send => [Some(self.local_rank), Some(self.global_rank), self.tag, self.length],
            Some(actual) => [
                Some(actual.local_rank),
                Some(actual.global_rank),
                Some(actual.tag),
                Some(actual.length),
            ],
            None => [None; 4],
        };
        if !self.cancelled {
            for (field, expected) in
                ["local_rank", "global_rank", "tag", "length"].iter().zip(message)
            {
                same(&format!("actual_{field}"), expected.into());
            }
        }
        let elements =
            self.count.zip(self.datatype.as_deref()).map(|(count, datatype)| match datatype {
                // It has no name that could be shown.
                "" => format!("{count} x "),
                name => format!("{count} x {name}"),
            });
        // What is shown of them is compared where the library does not always keep them.
        let is_shown = array(&shown["extra_text"])
            .iter()
            .any(|line| line.as_str().is_some_and(|line| line.contains(" x ")));
        let elements = elements.filter(|_| profile.elements || is_shown);
        let call = profile.calls.then(|| self.call.clone());
        let protocol = self.protocol.as_ref().filter(|_| profile.protocols);
        text(
            &mut found,
            shown,
            [call, elements, protocol.map(|protocol| format!("protocol: {protocol}"))],
        );
        found
    }
}

impl Message {
    fn compare(&self, profile: Profile, shown: &Value) -> Differences {
        let mut found = Differences::default();
        let mut same =
            |field: &str, expected: Value| found.same("", field, expected, &shown[field]);
        same("status", "pending".into());
        same("tag_wild", false.into());
        same("system_buffer", true.into());
        for which in ["desired", "actual"] {
            same(&format!("{which}_local_rank"), self.local_rank.into());
            same(&format!("{which}_global_rank"), self.global_rank.into());
            same(&format!("{which}_tag"), self.tag.into());
            same(&format!("{which}_length"), self.length.into());
        }
        let nowhere = shown["buffer"] == "0x0";
        match self.protocol.as_deref() {
            Some("eager") if nowhere && self.length > 0 => {
                found.say("", "the data are here, but no buffer is shown".into())
            }
            Some("rendezvous") if !nowhere => {
                found.say("", "a buffer is shown, but the data are not here".into())
            }
            _ => {}
        }
        let protocol =
            self.protocol.as_ref().filter(|protocol| profile.self_protocol || *protocol != "self");
        text(
            &mut found,
            shown,
            [protocol.map(|protocol| format!("protocol: {protocol}")), None, None],
        );
        found
    }
}

/// Looks for what has to be in `extra_text`. Long names go on in the next line.
fn text(found: &mut Differences, shown: &Value, expected: [Option<String>; 3]) {
    let lines: Vec<&str> = array(&shown["extra_text"]).iter().filter_map(Value::as_str).collect();
    let whole = lines.concat();
    for expected in expected.into_iter().flatten() {
        let continued = expected.len() > 63 && whole.contains(&expected);
        if !continued && !lines.contains(&expected.as_str()) && !unnamed(&expected, &lines) {
            found.say("", format!("extra_text is {lines:?}, expected {expected:?} in it"));
        }
    }
}

/// `3 x ` of a datatype without a name: something stands there, nobody can expect what.
fn unnamed(expected: &str, lines: &[&str]) -> bool {
    expected.ends_with(" x ") && lines.iter().any(|line| line.starts_with(expected))
}
