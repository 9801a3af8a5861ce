//! The protocol: how a debugger asks a debug DLL for the queues of one process (MQD 4.2).
//!
//! Whatever was read before something failed is kept. Every iteration is bounded, since a DLL can
//! be wrong about a list that never ends.

#![expect(
    non_upper_case_globals,
    reason = "the constants of the MQD interface keep their names in patterns"
)]

use std::ffi::{c_char, c_int};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use mqd_inspect::process::Waiting;
use mqs_abi::extensions::{
    COLLECTIVES, mqd_group_names, mqd_own_name, mqd_peer_names, mqd_process_name,
};
use mqs_abi::{
    mqs_end_of_list, mqs_no_information, mqs_ok, mqs_op_class, mqs_pending_operation,
    mqs_pending_receives, mqs_pending_sends, mqs_st_complete, mqs_st_matched, mqs_st_pending,
    mqs_unexpected_messages,
};
use serde::{Deserialize, Serialize};

use crate::callbacks::{Missing, Session};
use crate::calls::entry_function;
use crate::dll::{self, Bound, Dll};
use crate::stacks::is_quiet;
use mqd_report::{
    Activity, Address, Background, Collective, Communicator, Fifo, Group, NamedCommunicator, Names,
    Operation, Problem, ProblemKind, ProcessName, Queue, Status, Traffic, check,
};

/// Limits on what is read of a process. A list that exceeds them is taken for endless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The most communicators of a process.
    pub communicators: usize,
    /// The most operations of a process, in all queues together.
    pub operations: usize,
    /// The most processes in a communicator.
    pub group: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { communicators: 100_000, operations: 2_000_000, group: 1 << 24 }
    }
}

/// The most lines about what the queues were read from.
const MOST_SOURCES: c_int = 16;

/// What a DLL told about a process.
#[derive(Debug, Default)]
pub struct Walk {
    /// The communicators, with their queues.
    pub communicators: Vec<Communicator>,
    /// What the process is doing.
    pub activity: Option<Activity>,
    /// What the DLL knows about call stacks.
    pub hints: StackHints,
    /// What the MPI library does by itself.
    pub background: Option<Background>,
    /// Was it taking in a message? Then its queues may lack what it waits for.
    pub takes_in: bool,
    /// The queues in shared memory that carry messages.
    pub fifos: Option<Vec<Fifo>>,
    /// Names of processes of other jobs, if it knows any.
    pub names: Option<Names>,
    /// What the DLL read the queues from and how, in lines for people.
    pub sources: Vec<String>,
    /// What is missing from them, and why.
    pub errors: Vec<Problem>,
}

impl Walk {
    /// Discards all queues, since what the DLL said about them is not reliable.
    pub(crate) fn forget_queues(&mut self, why: String) {
        for communicator in &mut self.communicators {
            for queue in Queue::ALL {
                communicator.queue_mut(queue).clear();
            }
            communicator.not_known = Queue::ALL.to_vec();
        }
        self.errors.push(Problem::new(ProblemKind::Queues, why));
    }
}

/// All elements of an optional list. None if it does not come to its end, or has more than `most`.
fn whole<T>(most: usize, next: impl Fn() -> Option<(c_int, T)>) -> Option<Vec<T>> {
    let mut all = Vec::new();
    loop {
        match next()? {
            (mqs_ok, one) if all.len() < most => all.push(one),
            (mqs_end_of_list, _) => return Some(all),
            _ => return None,
        }
    }
}

/// Stands among the names of progress functions for any loop of the library.
const LOOPS: &str = "*";

/// A name of [`mqd_stack_hints`] that stands for collective operations that no queue shows.
const UNSEEN_COLLECTIVES: &str = "&";

/// Begins the names of functions that only show that a call looks for messages.
const LOOKS: char = '?';

/// What helps to understand the call stacks of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackHints {
    /// May several threads be in MPI? None: not known.
    pub several_threads: Option<bool>,
    /// A call is in one of these only after it has started the operations that it waits for.
    pub waits: Marks,
    /// A call that is in one of these looks for messages. What it waits for may be complete.
    pub looks: Marks,
    /// Does a loop of the library tell the same as `waits` of functions that wait for requests?
    pub loops: bool,
    /// Are there nonblocking collective operations that no queue shows?
    pub collectives: bool,
}

/// Functions by which call stacks show what a call does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The library's progress functions, and others that it calls in their place.
    pub functions: Vec<String>,
    /// Functions that only count while no code of a library runs within them: the function, and the
    /// beginning of the library's name.
    pub apart: Vec<(String, String)>,
    /// Functions that another library calls: the beginning of its name, and the function.
    pub calls: Vec<(String, String)>,
}

impl Marks {
    /// Are there none?
    fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.apart.is_empty() && self.calls.is_empty()
    }

    /// Adds what an extension has as `FUNCTION`, `FUNCTION^LIBRARY` or `LIBRARY:FUNCTION:FUNCTION`.
    fn add(&mut self, mark: &str) {
        if let Some((function, library)) = mark.split_once('^') {
            self.apart.push((function.to_owned(), library.to_owned()));
            return;
        }
        match mark.split_once(':') {
            None => self.functions.push(mark.to_owned()),
            Some((library, functions)) => {
                let calls = functions.split(':').map(|name| (library.to_owned(), name.to_owned()));
                self.calls.extend(calls);
            }
        }
    }
}

impl StackHints {
    /// Do they tell when a call has started what it waits for, or when it looks for messages?
    pub(crate) fn tell(&self) -> bool {
        self.loops || !self.waits.is_empty() || !self.looks.is_empty()
    }

    /// Do calls of other libraries tell it?
    pub(crate) fn tell_in_network(&self) -> bool {
        !self.waits.calls.is_empty() || !self.looks.calls.is_empty()
    }
}

/// A DLL said that it cannot read the queues of a process.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct NoQueues {
    text: String,
    /// What the DLL returned.
    pub(crate) code: c_int,
}

/// A DLL that has accepted a process; dropping it has the DLL free what it keeps about the process.
#[derive(Debug)]
pub struct Walker<'a> {
    bound: Bound<'a>,
}

impl<'a> Walker<'a> {
    /// Shows the process to the DLL: image first, then process (4.2, steps 5 to 7).
    ///
    /// # Errors
    /// The DLL does not know this MPI library, or lacks something in it.
    pub fn new(dll: &'a Dll, session: &'a Rc<Session>) -> Result<Walker<'a>, NoQueues> {
        session.take_missing();
        let walker = Walker { bound: Bound::new(dll, session) };
        let bound = &walker.bound;
        walker.accepted("mqs_setup_image", (bound.setup_image(), None))?;
        walker.accepted("mqs_image_has_queues", bound.image_has_queues())?;
        walker.accepted("mqs_setup_process", (bound.setup_process(), None))?;
        walker.accepted("mqs_process_has_queues", bound.process_has_queues())?;
        Ok(walker)
    }

    /// Has the DLL look at the process: what it is doing. False: no communicators can be asked for.
    ///
    /// Our own DLL reads everything that it needs now. Others read the queues as they are asked.
    pub fn look(&self, limits: &Limits) -> (Walk, bool) {
        let bound = &self.bound;
        let mut walk = Walk::default();
        bound.session().take_missing();
        let waiting = self.tell_awaited_word();
        self.tell_no_other_senders();
        let code = bound.update_communicator_list();
        if code != mqs_ok {
            // A DLL may still have the part that it could read.
            walk.errors.push(self.problem("mqs_update_communicator_list", code));
        }
        if !self.step(
            "mqs_setup_communicator_iterator",
            bound.setup_communicator_iterator(),
            &mut walk.errors,
        ) {
            return (walk, false);
        }
        walk.activity = self.activity();
        walk.hints = self.stack_hints();
        walk.background = self.background(waiting.as_ref());
        walk.takes_in = waiting.is_some_and(|waiting| waiting.takes_in);
        walk.fifos = self.fifos(limits);
        walk.sources = self.sources();
        (walk, true)
    }

    /// Reads all communicators and queues after [`Walker::look`]. `progress` counts the operations
    /// as they come.
    pub fn read(&self, mut walk: Walk, limits: &Limits, progress: &AtomicU64) -> Walk {
        let bound = &self.bound;
        let mut budget = Budget { left: limits.operations, exceeded: false };
        let own = self.process_names(mqd_own_name, limits).and_then(|names| names.first().copied());
        loop {
            if walk.communicators.len() == limits.communicators {
                let text = format!(
                    "stopped after {} communicators: the list that the debug DLL gives seems \
                     endless",
                    limits.communicators
                );
                walk.errors.push(Problem::new(ProblemKind::Limit, text));
                return walk;
            }
            let (code, raw) = bound.get_communicator();
            if !self.step("mqs_get_communicator", code, &mut walk.errors) {
                return walk;
            }
            let mut communicator = Communicator {
                unique_id: Address(raw.unique_id),
                parent: self.parent(),
                name: fixed_text(&raw.name).into(),
                size: raw.size,
                local_rank: raw.local_rank,
                group: None,
                remote_group: None,
                pending_sends: Vec::new(),
                pending_receives: Vec::new(),
                unexpected_messages: Vec::new(),
                collectives: self.collectives(),
                traffic: None,
                not_known: Vec::new(),
            };
            if let Some(own) = own
                && let Some(named) = self.named(walk.communicators.len(), limits)
            {
                let nothing = || Names { own, communicators: Vec::new() };
                walk.names.get_or_insert_with(nothing).communicators.push(named);
            }
            // A DLL tells that of other jobs if it has told their names.
            communicator.traffic = self.traffic(limits);
            communicator.group = self.group(&communicator, limits, &mut walk.errors);
            communicator.remote_group = self.remote_group(limits);
            for queue in Queue::ALL {
                match self.queue(queue, &communicator, &mut budget, progress, &mut walk.errors) {
                    Some(operations) => *communicator.queue_mut(queue) = operations,
                    None => communicator.not_known.push(queue),
                }
            }
            walk.communicators.push(communicator);
            if budget.exceeded
                || !self.step("mqs_next_communicator", bound.next_communicator(), &mut walk.errors)
            {
                return walk;
            }
        }
    }

    /// Finds out from call stacks and machine code which word of memory the process waits for in a
    /// loop, and tells the DLL. None: the DLL knows no such loops.
    fn tell_awaited_word(&self) -> Option<Waiting> {
        let (mqs_ok, function) = self.bound.get_loop_function()? else { return None };
        let session = self.bound.session();
        let function = fixed_text(&function);
        let waiting =
            session.target().waiting(session.library()?, entry_function, &function, is_quiet);
        if let (Some(word), Some(function)) = (waiting.word, &waiting.function)
            && !check::is_told_by_queues(function)
        {
            self.bound.set_awaited_word(word);
        }
        Some(waiting)
    }

    /// Finds out from the call stacks whether threads other than the first one are in a blocking
    /// send whose request is on the stack, and tells the DLL if none is.
    fn tell_no_other_senders(&self) {
        let Some((mqs_ok, function)) = self.bound.get_send_function() else { return };
        let target = self.bound.session().target();
        if target.has_no_others_in(&fixed_text(&function)) {
            self.bound.set_no_other_senders();
        }
    }

    /// What the DLL read the queues from and how.
    fn sources(&self) -> Vec<String> {
        let line = |number| match self.bound.get_source(number)? {
            (mqs_ok, text) => Some(fixed_text(&text)),
            _ => None,
        };
        (0..MOST_SOURCES).map_while(line).collect()
    }

    /// What the MPI library does by itself. That it does nothing is known only together with the
    /// loop in which the process waits.
    fn background(&self, waiting: Option<&Waiting>) -> Option<Background> {
        let (mqs_ok, state) = self.bound.get_background()? else { return None };
        match (state, waiting) {
            (0, Some(_)) => Some(Background::Idle),
            (1, Some(waiting)) if waiting.at_rest => Some(Background::Waiting),
            (0 | 1, None) => None,
            _ => Some(Background::Working),
        }
    }

    /// Is there another element? In practice 0 says yes (5.10 speaks of `mqs_true`), and everything
    /// else says no. A code of the DLL's own is an error.
    fn step(&self, function: &str, code: c_int, errors: &mut Vec<Problem>) -> bool {
        if !matches!(code, mqs_ok | mqs_end_of_list | mqs_no_information) {
            errors.push(self.problem(function, code));
        }
        code == mqs_ok
    }

    /// The ranks of the current communicator's processes in `MPI_COMM_WORLD`.
    fn group(
        &self,
        communicator: &Communicator,
        limits: &Limits,
        errors: &mut Vec<Problem>,
    ) -> Option<Group> {
        let size = usize::try_from(communicator.size).ok().filter(|size| *size <= limits.group);
        let Some(size) = size else {
            let text = format!(
                "{}: {} cannot be the number of its processes; its group is left out",
                described(communicator),
                communicator.size
            );
            errors.push(Problem::new(ProblemKind::DllFailed, text));
            return None;
        };
        let (code, ranks) = self.bound.get_comm_group(size)?;
        match code {
            mqs_ok => Some(ranks.into_iter().map(i64::from).collect()),
            mqs_no_information => None,
            code => {
                let why = self.failure("mqs_get_comm_group", code);
                let text = format!("{}: {why}", described(communicator));
                errors.push(Problem::new(ProblemKind::Queues, text));
                None
            }
        }
    }

    /// The remote group of the current communicator, empty for an intracommunicator; `None` if the
    /// DLL does not tell.
    fn remote_group(&self, limits: &Limits) -> Option<Group> {
        let ranks = all_of(limits, |room| self.bound.get_remote_group(room))?;
        Some(ranks.into_iter().map(i64::from).collect())
    }

    /// The communicator of the program that the current one is a part of, as far as the DLL tells.
    fn parent(&self) -> Option<Address> {
        let (mqs_ok, id) = self.bound.get_parent()? else { return None };
        Some(Address(id))
    }

    /// The current communicator, if it has processes of other jobs.
    fn named(&self, index: usize, limits: &Limits) -> Option<NamedCommunicator> {
        let group = self.process_names(mqd_group_names, limits);
        let peers = self.process_names(mqd_peer_names, limits);
        let is_known = group.is_some() || peers.is_some();
        is_known.then_some(NamedCommunicator { index, group, peers })
    }

    /// Names of processes; `None` if all are of the process's own job, or the DLL does not tell.
    fn process_names(&self, which: c_int, limits: &Limits) -> Option<Vec<ProcessName>> {
        let names = all_of(limits, |room| self.bound.get_process_names(which, room))?;
        let name = |raw: mqd_process_name| ProcessName { job: raw.job, rank: raw.rank };
        Some(names.into_iter().map(name).collect())
    }

    /// The MPI call that the process waits in.
    fn activity(&self) -> Option<Activity> {
        match self.bound.get_call()? {
            // A DLL says nothing where other threads may be in MPI.
            (mqs_ok, call) => Some(Activity {
                function: Some(fixed_text(&call.function).into()),
                needed: count(call.needed),
                concurrent: Some(false),
                ..Activity::NONE
            }),
            (mqs_end_of_list, _) => Some(Activity::NONE),
            _ => None,
        }
    }

    /// What the DLL knows about call stacks.
    fn stack_hints(&self) -> StackHints {
        let Some((mqs_ok, hints)) = self.bound.get_stack_hints() else {
            return StackHints::default();
        };
        let several_threads = match hints.threads {
            1 => Some(false),
            2 => Some(true),
            _ => None,
        };
        let mut known = StackHints { several_threads, ..StackHints::default() };
        for mark in fixed_text(&hints.progress).split(',').filter(|mark| !mark.is_empty()) {
            match (mark, mark.strip_prefix(LOOKS)) {
                (LOOPS, _) => known.loops = true,
                (UNSEEN_COLLECTIVES, _) => known.collectives = true,
                (_, Some(mark)) => known.looks.add(mark),
                (mark, None) => known.waits.add(mark),
            }
        }
        known
    }

    /// The collective operations on the current communicator that were called at all.
    fn collectives(&self) -> Option<Vec<Collective>> {
        let mut known = None;
        for (number, function) in (0..).zip(COLLECTIVES) {
            let (mqs_ok, calls, active) = self.bound.get_comm_coll_state(number)? else { continue };
            let known = known.get_or_insert_with(Vec::new);
            let (calls, active) = (count(calls.into()), active > 0);
            if active || calls.is_some_and(|calls| calls > 0) {
                known.push(Collective { function: function.into(), calls, active });
            }
        }
        known
    }

    /// How many messages this process has exchanged with the others of the current communicator.
    fn traffic(&self, limits: &Limits) -> Option<Vec<Traffic>> {
        if self.bound.setup_traffic_iterator()? != mqs_ok {
            return None;
        }
        let traffic = whole(limits.group, || self.bound.next_traffic())?.into_iter();
        let traffic = traffic.map(|raw| Traffic {
            local_rank: raw.local_rank,
            sent: raw.sent,
            received: raw.received,
        });
        Some(traffic.collect())
    }

    /// The queues in shared memory.
    fn fifos(&self, limits: &Limits) -> Option<Vec<Fifo>> {
        if self.bound.setup_fifo_iterator()? != mqs_ok {
            return None;
        }
        let fifos = whole(limits.group, || self.bound.next_fifo())?.into_iter();
        let fifos = fifos.map(|raw| Fifo {
            id: Address(raw.id),
            rank: Some(raw.rank).filter(|rank| *rank != -1),
            elements: raw.elements,
        });
        Some(fifos.collect())
    }

    /// The operations of a queue of the current communicator; `None` if the queue was not read.
    fn queue(
        &self,
        queue: Queue,
        communicator: &Communicator,
        budget: &mut Budget,
        progress: &AtomicU64,
        errors: &mut Vec<Problem>,
    ) -> Option<Vec<Operation>> {
        let mut operations = Vec::new();
        if budget.exceeded {
            return None;
        }
        match self.bound.setup_operation_iterator(class(queue)) {
            mqs_ok => {}
            mqs_end_of_list => return Some(operations),
            mqs_no_information => {
                // Not the same as an empty queue. Said once, as it holds for all communicators.
                let text =
                    format!("the debug DLL has no information about {}", queue.plural_name());
                let problem = Problem::new(ProblemKind::Queues, text);
                if !errors.contains(&problem) {
                    errors.push(problem);
                }
                return None;
            }
            code => {
                let text = self.failure("mqs_setup_operation_iterator", code);
                errors.push(in_queue(ProblemKind::Queues, communicator, queue, &text));
                return None;
            }
        }
        loop {
            let (code, raw) = self.bound.next_operation();
            let (kind, why) = match code {
                mqs_end_of_list | mqs_no_information => return Some(operations),
                mqs_ok if budget.left == 0 => {
                    budget.exceeded = true;
                    let why = "stopped: the process has more operations than the limit \
                               (--max-operations), or the debug DLL repeats itself";
                    (ProblemKind::Limit, why.to_owned())
                }
                mqs_ok => match operation(queue, &raw) {
                    Some(mut operation) => {
                        operation.awaited = self.awaited();
                        operations.push(operation);
                        progress.fetch_add(1, Ordering::Relaxed);
                        budget.left -= 1;
                        continue;
                    }
                    None => {
                        let status = raw.status;
                        let why =
                            format!("stopped: the debug DLL reports the unknown status {status}");
                        (ProblemKind::DllFailed, why)
                    }
                },
                code => (ProblemKind::Queues, self.failure("mqs_next_operation", code)),
            };
            errors.push(in_queue(kind, communicator, queue, &why));
            // What was read before counts. If nothing was read, something may be there.
            return (!operations.is_empty()).then_some(operations);
        }
    }

    /// Does the process wait for the operation that was described last?
    fn awaited(&self) -> Option<bool> {
        match self.bound.is_awaited()? {
            (mqs_ok, awaited) => Some(awaited != 0),
            _ => None,
        }
    }

    fn accepted(
        &self,
        function: &'static str,
        (code, message): (c_int, Option<String>),
    ) -> Result<(), NoQueues> {
        if code == mqs_ok {
            return Ok(());
        }
        let target = self.bound.session().target();
        let subject =
            target.executable().map_or("the process".to_owned(), |path| path.display().to_string());
        let text = self.explain(function, code, dll::fill_in(message, &subject));
        Err(NoQueues { text, code })
    }

    fn problem(&self, function: &str, code: c_int) -> Problem {
        Problem::new(ProblemKind::Queues, self.failure(function, code))
    }

    fn failure(&self, function: &str, code: c_int) -> String {
        self.explain(function, code, None)
    }

    /// Explains a failure: with the DLL's text for the code, its message, and what the callbacks
    /// could not answer. Nothing is said twice.
    fn explain(&self, function: &str, code: c_int, message: Option<String>) -> String {
        let reason = match (self.bound.error_text(code), message) {
            (Some(text), Some(message)) if message.contains(&text) => message,
            (Some(text), Some(message)) if !text.contains(&message) => format!("{text}: {message}"),
            (Some(text), _) => text,
            (None, Some(message)) => message,
            (None, None) => "no reason given".to_owned(),
        };
        let mut text = format!("{function} failed with code {code}: {reason}");
        let Missing { mut memory, mut types, lacking } = self.bound.session().take_missing();
        if !lacking.is_empty() {
            text.push_str(&format!("; the snapshot lacks {}", lacking.join(", ")));
        }
        // Our own DLL says what it lacks. It tries many addresses that may be nothing, and does not
        // need types, since it has layout tables.
        if dll::is_own(self.bound.dll().path()) {
            memory = None;
            types.clear();
        }
        if let Some(memory) = memory.filter(|memory| !text.contains(memory.as_str())) {
            text.push_str(&format!("; {memory}"));
        }
        types.retain(|name| !text.contains(name.as_str()));
        if !types.is_empty() {
            text.push_str(&format!(
                "; there is no debug information for the type{} {}: install the debug symbols of \
                 the MPI library, name their directory with --debug-dir, or make a layout table \
                 (mqd layout extract)",
                if types.len() == 1 { "" } else { "s" },
                types.join(", ")
            ));
        }
        text
    }
}

/// How many operations may still be read.
struct Budget {
    left: usize,
    exceeded: bool,
}

pub(crate) fn class(queue: Queue) -> mqs_op_class {
    match queue {
        Queue::Sends => mqs_pending_sends,
        Queue::Receives => mqs_pending_receives,
        Queue::Unexpected => mqs_unexpected_messages,
    }
}

/// All elements of a list for which `ask` gives a code, how many there are, and the first `room`.
fn all_of<T>(
    limits: &Limits,
    ask: impl Fn(usize) -> Option<(c_int, c_int, Vec<T>)>,
) -> Option<Vec<T>> {
    let (mqs_ok, number, _) = ask(0)? else { return None };
    let room = usize::try_from(number).ok().filter(|number| *number <= limits.group)?;
    if room == 0 {
        return Some(Vec::new());
    }
    let (mqs_ok, _, all) = ask(room)? else { return None };
    Some(all)
}

/// An operation as the report has it; None if its status is not one of MQD.
fn operation(queue: Queue, raw: &mqs_pending_operation) -> Option<Operation> {
    let status = match raw.status {
        mqs_st_pending => Status::Pending,
        mqs_st_matched => Status::Matched,
        mqs_st_complete => Status::Complete,
        _ => return None,
    };
    // 5.5.2: "only meaningful if the message is a send or [...] matched or completed"; an
    // unexpected message is all actual.
    let actual = queue != Queue::Receives || status != Status::Pending;
    let tag_wild = raw.tag_wild != 0;
    Some(Operation {
        status,
        desired_local_rank: raw.desired_local_rank,
        desired_global_rank: global(raw.desired_local_rank, raw.desired_global_rank),
        tag_wild,
        desired_tag: (!tag_wild).then_some(raw.desired_tag),
        desired_length: raw.desired_length,
        system_buffer: raw.system_buffer != 0,
        buffer: Address(raw.buffer),
        actual_local_rank: actual.then_some(raw.actual_local_rank),
        actual_global_rank: global(raw.actual_local_rank, raw.actual_global_rank)
            .filter(|_| actual),
        actual_tag: actual.then_some(raw.actual_tag),
        actual_length: actual.then_some(raw.actual_length),
        awaited: None,
        extra_text: raw
            .extra_text
            .iter()
            .map(|line| fixed_text(line))
            .filter(|line| !line.is_empty())
            .collect(),
    })
}

/// A rank in `MPI_COMM_WORLD`; None where a DLL knows the local rank and not this one.
fn global(local: i64, global: i64) -> Option<i64> {
    (global >= 0 || local < 0).then_some(global)
}

/// A count; None for the value that stands for an unknown count.
fn count(number: i64) -> Option<i64> {
    (number >= 0).then_some(number)
}

/// The text in a fixed-size field, up to its zero if it has one.
fn fixed_text(field: &[c_char]) -> String {
    let bytes: Vec<u8> =
        field.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A problem with a queue of a communicator.
fn in_queue(kind: ProblemKind, communicator: &Communicator, queue: Queue, why: &str) -> Problem {
    let queue = queue.plural_name();
    Problem::new(kind, format!("{}, {queue}: {why}", described(communicator)))
}

fn described(communicator: &Communicator) -> String {
    if communicator.name.is_empty() {
        format!("communicator {}", communicator.unique_id)
    } else {
        communicator.name.to_string()
    }
}
