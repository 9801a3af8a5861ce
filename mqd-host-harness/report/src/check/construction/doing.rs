//! What a rank does, by the function that it is in.

use std::iter;

use super::{Construction, PENDING, carries_on, shows_internal};
use crate::check::collectives::active;
use crate::check::fifos::has_fifos_of_host;
use crate::check::fixpoint::NEVER;
use crate::check::functions::{
    Behaviour, CollectiveFunction, WorkWithin, behaviour, completes_requests, empties_buffers,
    is_init, is_listed, is_of_windows, is_probe, plain, work_within,
};
use crate::check::ids::{PartId, Slot};
use crate::check::job::{Presence, is_finalizing};
use crate::check::waits::{Awaited, Doing, Target};
use crate::check::{counts_messages, is_uncounted};
use crate::model::{
    ActiveRequests, Activity, Communicator, Operation, OtherThreads, Queue, Status,
};

/// Bytes of a message of a reduction. Fewer are combined in much less than a second.
const LONG_REDUCTION: i64 = 64 << 20;

impl Construction<'_, '_> {
    /// What a rank does, and how many of its alternatives it needs. Adds the alternatives.
    pub(super) fn doing(&mut self, slot: Slot) -> (Doing, usize) {
        let member = &self.job.members[slot];
        match member.presence {
            Presence::Ended => return (Doing::Over, NEVER),
            Presence::Unread => return unknown("not read"),
            // Whether its messages are on their way is asked where they are awaited.
            Presence::Partial if is_finalizing(member.process) => return (Doing::Over, NEVER),
            Presence::Partial => {
                return self.unknown_here(slot, "not read completely");
            }
            Presence::Read => {}
        }
        let Some(activity) = &member.process.activity else {
            return self.unknown_here(slot, "the activity in MPI is not known");
        };
        let Some(function) = &activity.function else {
            return match activity.others {
                Some(OtherThreads::Blocked) if activity.nothing_helps => {
                    self.own_threads(slot);
                    (Doing::Waits, 1)
                }
                Some(OtherThreads::Blocked) => unknown(
                    "outside MPI, where each thread waits for another one of its process: see \
                     the call stacks (mqd dump --threads)",
                ),
                _ => (Doing::Runs, 0),
            };
        };
        if activity.finds_nothing_new {
            return (Doing::Tests, 0);
        }
        if activity.left {
            return (Doing::Runs, 0);
        }
        let behaviour = behaviour(function);
        let waits = matches!(
            behaviour,
            Behaviour::Waits(_)
                | Behaviour::Collective(_)
                | Behaviour::Internal
                | Behaviour::FromGroups
                | Behaviour::Window
        );
        match (activity.concurrent, activity.others) {
            // It may be a helper that never calls MPI, so it is not known that the rank goes on.
            (Some(true) | None, Some(OtherThreads::Running)) if waits => {
                let why = "another thread is in the program, outside MPI, and may call MPI: \
                           see what it does (mqd dump --threads)";
                self.unknown_here(slot, why)
            }
            (Some(true) | None, Some(OtherThreads::InMpi)) if waits => self.threads(slot, activity),
            (Some(true), _) if waits => {
                self.unknown_here(slot, "other threads may be in MPI (`MPI_THREAD_MULTIPLE`)")
            }
            (None, _) if waits => self.unknown_here(slot, "other threads may be in MPI"),
            _ => self.doing_in(slot, function, behaviour, activity),
        }
    }

    /// Adds that all threads of a rank wait for each other, outside MPI, and no signal ends this.
    fn own_threads(&mut self, slot: Slot) {
        let sources = [self.rank_nodes[slot]];
        self.alternative(slot, Awaited::Threads, Some(Target::Rank(slot)), &sources);
    }

    /// What a rank does if several of its threads are in MPI and all others are blocked. It is not
    /// known which operation belongs to which thread, so the rank goes on if any operation comes
    /// true.
    fn threads(&mut self, slot: Slot, activity: &Activity) -> (Doing, usize) {
        let stacks = self.job.members[slot].process.stacks.iter().flatten();
        let functions: Vec<&str> = stacks.filter_map(|stack| stack.function()).collect();
        let all_wait = functions.iter().all(|function| {
            matches!(
                behaviour(function),
                Behaviour::Waits(_) | Behaviour::Collective(_) | Behaviour::Internal
            ) && !is_of_windows(function)
                && !completes_requests(function)
        });
        // The stack of each thread shows that it has started what it waits for.
        let surely =
            activity.begun == Some(true) && functions.iter().all(|function| is_listed(function));
        // If nothing counts messages, a thread may have received some, and be in its call again.
        let tells = activity.stayed || counts_messages(self.job.members[slot].process);
        let found = self.any_pending(slot, surely)
            && (surely || tells && self.each_has_operation(slot, &functions, activity.stayed));
        match found && all_wait {
            true => (Doing::WaitsForSome, 1),
            false => {
                let why = "several threads are in MPI, and what they wait for is not known";
                unknown(why)
            }
        }
    }

    /// Do the queues show the operation of each of the threads? If they show fewer operations, a
    /// thread may be about to return, or may not have begun. If they show more, it is not known
    /// which are those of the threads, and the same may hold. Adds the messages that probes may
    /// look for, which no queue shows.
    fn each_has_operation(&mut self, slot: Slot, functions: &[&str], stayed: bool) -> bool {
        let (mut sends, mut receives, mut internal, mut shown_probes) = (0, 0, 0, 0);
        for (_, part) in self.job.parts(slot) {
            for &queue in PENDING {
                let operations = part.queue(queue).iter();
                for one in operations.filter(|one| one.status != Status::Complete) {
                    *match (one.is_probe(), one.is_internal(), queue) {
                        (true, ..) => &mut shown_probes,
                        (_, true, _) => &mut internal,
                        (_, _, Queue::Sends) => &mut sends,
                        _ => &mut receives,
                    } += 1;
                }
            }
        }
        let of = |names: &[&str]| {
            functions.iter().filter(|function| names.contains(&plain(function))).count()
        };
        let both = of(&["MPI_Sendrecv", "MPI_Sendrecv_replace"]);
        let receivers = both + of(&["MPI_Recv", "MPI_Mrecv"]);
        let senders = of(&["MPI_Send", "MPI_Ssend", "MPI_Rsend"]);
        let probes = functions.iter().filter(|function| is_probe(function)).count();
        let others = functions.len() - receivers - senders - probes;
        let has_each = receives == receivers
            && (senders..=senders + both).contains(&sends)
            && internal >= others;
        if !has_each {
            return false;
        }
        let before = self.alternatives.len();
        if shown_probes < probes {
            self.probing_unseen(slot, stayed);
        }
        shown_probes >= probes || self.alternatives.len() > before
    }

    /// What a rank does in a function.
    fn doing_in(
        &mut self,
        slot: Slot,
        function: &str,
        behaviour: Behaviour,
        activity: &Activity,
    ) -> (Doing, usize) {
        match (behaviour, activity.needed) {
            (Behaviour::Ends, _) => (Doing::Over, NEVER),
            (Behaviour::Tests, _) => (Doing::Tests, 0),
            (Behaviour::Returns, _) => (Doing::Runs, 0),
            (_, Some(needed)) => {
                let awaited = self.awaited(slot);
                // A rank that stays in its call also waits for another one to do something.
                let stays =
                    behaviour == Behaviour::Window && activity.stayed && self.window(slot, None);
                match usize::try_from(needed) {
                    Ok(needed) if needed <= awaited => (Doing::Waits, needed + usize::from(stays)),
                    _ => unknown("waiting for operations that the queues do not show"),
                }
            }
            (Behaviour::Window, None) if activity.stayed && self.in_window(slot, function) => {
                (Doing::WaitsForSome, 1)
            }
            (Behaviour::Window, None) => {
                let why = "in a one-sided call: two looks did not show that it is still the same \
                           call";
                self.unknown_here(slot, why)
            }
            (Behaviour::Collective(collective), None)
                if self.is_counted(slot)
                    || !(collective.is_of_windows() || collective.is_of_files()) =>
            {
                self.in_collective(slot, collective, activity)
            }
            (Behaviour::Collective(_) | Behaviour::Internal, None) => {
                self.in_internal(slot, function, activity)
            }
            (Behaviour::FromGroups, None) if self.is_counted(slot) && self.internal(slot, true) => {
                (Doing::WaitsForSome, 1)
            }
            (Behaviour::Waits(_), None) if self.probing(slot, function, activity) => {
                (Doing::WaitsForSome, 1)
            }
            // It is not known which requests it waits for, since some kinds are in no queue. If
            // calls are counted, an active collective operation is one of them.
            (Behaviour::Waits(_), None)
                if completes_requests(function)
                    && activity.begun != Some(true)
                    && !(activity.stayed && activity.requests == ActiveRequests::Listed)
                    && !(self.is_counted(slot) && active(self.job, slot).next().is_some()) =>
            {
                if activity.stayed
                    && activity.requests == ActiveRequests::OrCollectives
                    && self.unseen_requests(slot)
                {
                    self.any_pending(slot, false);
                    return (Doing::WaitsForSome, 1);
                }
                let why = "waiting for requests; it is not known which";
                self.unknown_here(slot, why)
            }
            (Behaviour::Waits(queues), None) => self.waiting(slot, function, queues, activity),
            _ => unknown(match plain(function) {
                _ if is_init(function) => {
                    "in MPI_Init, which may wait until all ranks of the job have called it"
                }
                "MPI_Comm_accept" | "MPI_Comm_connect" | "MPI_Comm_join" => {
                    "waiting for another job to connect, as it may at any time"
                }
                _ => {
                    "in a function that may wait for more than the queues show: see whether the \
                     call stack changes (mqd stacks --samples)"
                }
            }),
        }
    }

    /// Adds what a rank waits for that stays in a function of one-sided communication. It may be
    /// transferring the data of its own accesses in `MPI_Win_complete`.
    fn in_window(&mut self, slot: Slot, function: &str) -> bool {
        let may_transfer = plain(function) == "MPI_Win_complete" && !self.is_without_work(slot);
        self.window(slot, may_transfer.then_some(self.special.transit))
    }

    /// What a rank does in a function that returns once operations of these queues are complete.
    fn waiting(
        &mut self,
        slot: Slot,
        function: &str,
        queues: &[Queue],
        activity: &Activity,
    ) -> (Doing, usize) {
        if self.may_be_busy(slot, function, activity) {
            let why = "perhaps busy copying or packing data: not seen in the waiting loop";
            return self.unknown_here(slot, why);
        }
        let before = self.alternatives.len();
        let is_listed = is_listed(function) || empties_buffers(function);
        let has_begun = activity.begun == Some(true) || activity.stayed;
        let with_internal = completes_requests(function);
        let found = self.some_of(slot, queues, has_begun && is_listed, with_internal);
        // It is in its loop although all that the queues show is complete. Either this was over a
        // moment ago, or it waits for something else, such as a request that another thread has
        // completed and freed.
        let is_elsewhere = with_internal && has_begun && self.are_over(slot, before);
        match found && !is_elsewhere {
            true => (Doing::WaitsForSome, 1),
            false => unknown("waiting for operations that the queues do not show"),
        }
    }

    /// Adds all operations of a rank, the library's own too. Returns false if there is none.
    /// `surely`: what the rank waits for is among them.
    fn any_pending(&mut self, slot: Slot, surely: bool) -> bool {
        let before = self.alternatives.len();
        let wanted = |operation: &Operation| !operation.is_generalized();
        let also = (!surely).then_some(self.special.momentary);
        self.operations(slot, PENDING, wanted, also);
        self.alternatives.len() > before
    }

    /// What a rank does in a function that waits for messages of the library itself.
    fn in_internal(&mut self, slot: Slot, function: &str, activity: &Activity) -> (Doing, usize) {
        let function = plain(function);
        // Windows may be waited for in memory that no queue shows. A rank that stays in its call
        // has come to the messages that a queue shows.
        let shows_internal = shows_internal(self.job.members[slot].process);
        let has_begun = activity.begun == Some(true) || activity.stayed && shows_internal;
        if is_of_windows(function) && !has_begun {
            return match self.unseen(slot, function, activity) {
                true => (Doing::WaitsForSome, 1),
                false => unknown("in a function of one-sided communication"),
            };
        }
        let surely = self.is_counted(slot);
        let found = match function {
            // The ranks of a group exchange messages with a tag of the program.
            "MPI_Comm_create_group" => self.any_pending(slot, surely),
            "MPI_Intercomm_create" => self.any_pending(slot, surely) && self.unlisted(slot),
            _ if is_of_windows(function) => self.internal(slot, surely) && self.unlisted(slot),
            _ => self.internal(slot, surely),
        };
        match found || self.unseen(slot, function, activity) {
            true => (Doing::WaitsForSome, 1),
            false => unknown("waiting for messages of the MPI library that were not read"),
        }
    }

    /// Adds what a rank may wait for beside the library's messages that queues show. If nothing
    /// counts messages, these may be of other operations. Queues then may not show what the leaders
    /// of two groups send each other, or what others do with a window. Returns false if it is not
    /// known which ranks may do it.
    fn unlisted(&mut self, slot: Slot) -> bool {
        counts_messages(self.job.members[slot].process) || self.window(slot, None)
    }

    /// What a rank does in a collective operation. The library's own messages tell whom it waits
    /// for; where they were not read, the numbers of calls tell.
    fn in_collective(
        &mut self,
        slot: Slot,
        function: CollectiveFunction,
        activity: &Activity,
    ) -> (Doing, usize) {
        let any = active(self.job, slot).next().is_some();
        if any && self.is_counted(slot) {
            return self.in_counted_collective(slot, function);
        }
        let begun = activity.begun == Some(true);
        if any && !begun && self.may_reduce_for_long(slot, function) {
            let why = "in a reduction of much data, perhaps still computing";
            return self.unknown_here(slot, why);
        }
        let moves_data = work_within(function.name()) != WorkWithin::None;
        if any && moves_data && self.may_be_busy(slot, function.name(), activity) {
            let why = "in a collective operation, perhaps busy copying or packing data: not seen \
                       in the waiting loop";
            return self.unknown_here(slot, why);
        }
        if any && self.internal(slot, begun) {
            return (Doing::WaitsForSome, 1);
        }
        // MPICH makes them of nonblocking operations, which its queues do not tell apart.
        if function.is_of_neighbours() && activity.stayed && self.internal(slot, false) {
            return (Doing::WaitsForSome, 1);
        }
        match self.collective(slot, function) {
            true => (Doing::Waits, 1),
            false if self.unseen(slot, function.name(), activity) => {
                // Messages may be shown, but not the operation that they belong to.
                self.internal(slot, false);
                (Doing::WaitsForSome, 1)
            }
            false => {
                let why = "in a collective operation, and the messages of the MPI library that it \
                           waits for were not read";
                unknown(why)
            }
        }
    }

    /// May a rank be packing or unpacking data for so long that two looks see no difference? With
    /// libfabric no queue shows a send before its data are packed, and with MPICH none shows a
    /// receive that is matched. Where messages are counted, the counts tell. A rank that stays in a
    /// wait for requests with the same queues waits. The stacks of Intel MPI often do not tell.
    fn may_be_busy(&self, slot: Slot, function: &str, activity: &Activity) -> bool {
        let process = self.job.members[slot].process;
        !activity.is_in_loop()
            && match is_listed(function) {
                true => !counts_messages(process) && !has_fifos_of_host(process),
                false => {
                    is_uncounted(process) && !(completes_requests(function) && activity.stayed)
                }
            }
    }

    /// May a rank be combining data for so long that two looks see no difference? Its next receive
    /// may have been posted already.
    fn may_reduce_for_long(&self, slot: Slot, function: CollectiveFunction) -> bool {
        let is_long = |operation: &Operation| {
            operation.is_internal()
                && operation.status == Status::Pending
                && operation.desired_length >= LONG_REDUCTION
        };
        let has_long = |(part, of): (PartId, CollectiveFunction)| {
            of == function && self.job.part(part).queue(Queue::Receives).iter().any(is_long)
        };
        work_within(function.name()) == WorkWithin::Reductions
            && active(self.job, slot).any(has_long)
    }

    /// What a rank does in a collective operation if its calls are counted. Other communicators may
    /// have messages of nonblocking operations, for which it does not wait.
    fn in_counted_collective(
        &mut self,
        slot: Slot,
        function: CollectiveFunction,
    ) -> (Doing, usize) {
        let first = self.alternatives.len();
        for (part, _) in active(self.job, slot).filter(|(_, other)| *other == function) {
            let before = self.alternatives.len();
            for part in iter::once(part).chain(self.job.made_for(part)) {
                self.operations_on(part, PENDING, carries_on, None);
            }
            if self.alternatives.len() == before {
                self.collective_on(part, function);
            }
        }
        match self.alternatives.len() == first {
            true => (Doing::Unknown("in a collective operation that is not known"), 1),
            false => (Doing::WaitsForSome, 1),
        }
    }

    /// Are the calls of a rank counted? Then the debug DLL knows each function that it waits in,
    /// and only once it waits.
    fn is_counted(&self, slot: Slot) -> bool {
        self.job.parts(slot).any(|(_, part)| {
            let known = part.collectives.as_ref();
            known.is_some_and(|known| known.iter().all(|collective| collective.calls.is_some()))
        })
    }

    /// Adds the library's own operations. The rank waits for one of them. Returns false if there is
    /// none.
    fn internal(&mut self, slot: Slot, surely: bool) -> bool {
        let before = self.alternatives.len();
        let also = (!surely).then_some(self.special.momentary);
        self.operations(slot, PENDING, carries_on, also);
        self.alternatives.len() > before
    }

    /// Adds the message that a rank probes for. A blocking probe is in the queue for as long as it
    /// waits. Returns false if it is not there.
    fn probing(&mut self, slot: Slot, function: &str, activity: &Activity) -> bool {
        let before = self.alternatives.len();
        if is_probe(function) {
            self.operations(slot, &[Queue::Receives], Operation::is_probe, None);
            // MPI_Mprobe may have taken the message, and then returns.
            let is_about_to = plain(function) == "MPI_Mprobe" && !activity.stayed;
            if self.alternatives.len() == before && !is_about_to {
                self.probing_unseen(slot, activity.stayed);
            }
        }
        self.alternatives.len() > before
    }

    /// Adds the messages that a probe which no queue shows may look for: any on any communicator. A
    /// message that has come and is not received may be the one, and the probe about to return. It
    /// is not the one if the rank stays in its call.
    fn probing_unseen(&mut self, slot: Slot, stayed: bool) {
        let has_message = |part: &Communicator| {
            let mut messages = part.queue(Queue::Unexpected).iter();
            part.not_known.contains(&Queue::Unexpected)
                || (!stayed && messages.any(|message| !message.is_internal()))
        };
        if self.job.parts(slot).any(|(_, part)| has_message(part)) {
            return;
        }
        for (part, _) in self.job.parts(slot) {
            let (target, mut sources) = self.receive_from_any(part);
            // A probe of no process returns at once.
            sources.push(self.special.momentary);
            self.alternative(slot, Awaited::Probe, target, &sources);
        }
    }

    /// Adds what the rank's call waits for, as the debug DLL tells. Returns how many these are.
    fn awaited(&mut self, slot: Slot) -> usize {
        let before = self.alternatives.len();
        self.operations(slot, PENDING, |operation| operation.awaited == Some(true), None);
        self.alternatives.len() - before
    }

    /// Adds what the rank's call may wait for, if only the function is known: it waits for at least
    /// one of these. If `surely` is false, the process may still be entering or leaving the call,
    /// and what it will wait for may be missing here. Returns false if there is nothing.
    /// `with_internal`: parts of nonblocking collective operations count, too.
    fn some_of(&mut self, slot: Slot, queues: &[Queue], surely: bool, with_internal: bool) -> bool {
        let before = self.alternatives.len();
        let buffered = self.job.members[slot].function().is_some_and(empties_buffers);
        // MPICH does not always keep which sends are from a buffer.
        let knows_buffered = buffered
            && self.job.parts(slot).any(|(_, part)| {
                queues.iter().flat_map(|queue| part.queue(*queue)).any(|one| one.system_buffer)
            });
        let is_momentary = !surely || buffered && !knows_buffered;
        let also = is_momentary.then_some(self.special.momentary);
        let wanted = |operation: &Operation| match operation.is_internal() {
            true => with_internal && carries_on(operation),
            false if knows_buffered => operation.system_buffer,
            false => operation.awaited != Some(false),
        };
        self.operations(slot, queues, wanted, also);
        if !surely && queues.len() > 1 {
            // A wait for requests may be for a nonblocking collective operation. Where the
            // library's own messages were read, they are among the operations.
            for (part, function) in active(self.job, slot) {
                if !self.has_internal(part) {
                    self.collective_on(part, function);
                }
            }
        }
        self.alternatives.len() > before
    }

    /// Are the alternatives of a rank from `first` on complete operations?
    fn are_over(&self, slot: Slot, first: usize) -> bool {
        self.alternatives[first..].iter().all(|alternative| {
            let operation = alternative.awaited.operation(slot);
            operation
                .is_some_and(|(queue, id)| self.job.operation(queue, id).status == Status::Complete)
        })
    }

    /// Does the library wait for messages of its own on a communicator?
    fn has_internal(&self, part: PartId) -> bool {
        let communicator = self.job.part(part);
        let mut operations = PENDING.iter().flat_map(|queue| communicator.queue(*queue));
        operations.any(|one| one.is_internal() && one.status == Status::Pending)
    }

    /// It is not known what a rank does. Adds what it would wait for if it waited.
    fn unknown_here(&mut self, slot: Slot, why: &'static str) -> (Doing, usize) {
        let also = Some(self.special.unknown);
        let is_pending =
            |operation: &Operation| operation.status == Status::Pending && !operation.is_internal();
        self.operations(slot, PENDING, is_pending, also);
        unknown(why)
    }
}

/// It is not known what a rank does.
fn unknown(why: &'static str) -> (Doing, usize) {
    (Doing::Unknown(why), 1)
}
