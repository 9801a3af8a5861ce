//! Two ranks in one process: every protocol step by step, without the timing of real jobs.

use super::context::{Context, Purpose};
use super::payload::Payload;
use super::request::{Operation, Owner, Request};
use super::state::{Engine, Settings};
use crate::abi::{MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ERR_TRUNCATE, MPI_SUCCESS};
use crate::debug::queues::{OperationKind, OperationState, Protocol, mqdrt_process};
use crate::transport::bootstrap::Job;
use crate::variables::control::{Boolean, Int};
use std::ffi::c_int;

/// Larger than any eager message of these tests, in bytes.
const LARGE: usize = 300_000;
const EAGER: usize = 4096;

struct Rank {
    engine: &'static Engine,
    root: &'static mqdrt_process,
    context: &'static Context,
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn pair(single_copy: bool) -> [Rank; 2] {
    // SAFETY: makes a descriptor, and copies of it that the ranks close.
    let descriptor = unsafe { libc::memfd_create(c"mqdrt-test".as_ptr(), 0) };
    [0, 1].map(|rank| {
        let root = leak(mqdrt_process::new());
        // SAFETY: as above.
        let job = Job { rank, size: 2, segment: Some(unsafe { libc::dup(descriptor) }), first: 0 };
        let settings = Settings {
            eager_limit: leak(Int::new(EAGER as i32)),
            single_copy: leak(Boolean::new(single_copy)),
        };
        let engine = leak(Engine::new(&job, settings, root).unwrap());
        let mut context = Context::new(7, Purpose::Program, rank as c_int);
        context.count(2);
        let context = leak(context);
        engine.open(context);
        Rank { engine, root, context }
    })
}

impl Rank {
    fn operation(&self, kind: OperationKind, peer: c_int, tag: c_int, data: &[u8]) -> Operation {
        let payload = Payload::bytes(data.as_ptr().cast_mut(), data.len());
        Operation { call: c"MPI_Test_of_engine", kind, context: self.context, peer, tag, payload }
    }

    fn send_as(
        &self,
        kind: OperationKind,
        to: usize,
        tag: c_int,
        data: &'static [u8],
    ) -> &'static Request {
        self.engine.send(&self.operation(kind, to as c_int, tag, data), to, Owner::Program)
    }

    fn send(&self, to: usize, tag: c_int, data: &'static [u8]) -> &'static Request {
        self.send_as(OperationKind::SendStandard, to, tag, data)
    }

    fn receive(&self, from: c_int, tag: c_int, room: usize) -> Receive {
        let data = vec![0u8; room].leak();
        let (address, room) = (data.as_mut_ptr(), data.len());
        let payload = Payload::bytes(address, room);
        let operation =
            Operation { payload, ..self.operation(OperationKind::Receive, from, tag, &[]) };
        Receive { request: self.engine.receive(&operation, Owner::Program), address, room }
    }

    /// The tags on the three lists and the list of sends.
    fn shown(&self) -> [Vec<c_int>; 4] {
        let tags = |list: super::list::List<'_, Request>| {
            list.iter().map(|request| request.head.tag.get()).collect()
        };
        let unexpected =
            self.context.unexpected().iter().map(|message| message.head.tag.get()).collect();
        [
            tags(self.context.posted()),
            tags(self.context.matched()),
            unexpected,
            tags(self.engine.sends()),
        ]
    }

    /// The messages sent to and received from each rank, as debuggers see them.
    fn traffic(&self) -> [(i64, i64); 2] {
        self.traffic_in(self.context)
    }

    fn traffic_in(&self, context: &Context) -> [(i64, i64); 2] {
        // SAFETY: the context counts for two processes.
        let peers = unsafe { std::slice::from_raw_parts(context.head.peers.get(), 2) };
        [0, 1].map(|rank| (peers[rank].sent.get(), peers[rank].received.get()))
    }

    fn is_empty(&self) -> bool {
        self.shown().iter().all(Vec::is_empty)
            && self.context.uses.get() == 0
            && self.root.sends.get().is_null()
    }
}

struct Receive {
    request: &'static Request,
    address: *const u8,
    room: usize,
}

impl Receive {
    fn data(&self) -> Vec<u8> {
        assert_eq!(self.request.state(), OperationState::Complete);
        // SAFETY: leaked by `Rank::receive`, and complete.
        unsafe { std::slice::from_raw_parts(self.address, self.room) }.to_vec()
    }
}

fn run(ranks: &[Rank; 2]) {
    while ranks[0].engine.progress() | ranks[1].engine.progress() {}
}

fn pattern(bytes: usize) -> &'static [u8] {
    (0..bytes).map(|index| (index * 7 + index / 251) as u8).collect::<Vec<_>>().leak()
}

#[test]
fn messages_match_in_order() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    let first = b.receive(0, MPI_ANY_TAG, 1);
    let second = b.receive(MPI_ANY_SOURCE, 2, 1);
    let third = b.receive(0, 2, 1);
    assert_eq!(b.shown(), [vec![MPI_ANY_TAG, 2, 2], vec![], vec![], vec![]]);
    let sends = [(2, b"a"), (2, b"b"), (1, b"x"), (2, b"c"), (3, b"y")]
        .map(|(tag, data)| a.send(1, tag, data));
    run(&ranks);
    assert_eq!([first.data(), second.data(), third.data()], [b"a", b"b", b"c"]);
    assert_eq!(b.shown(), [vec![], vec![MPI_ANY_TAG, 2, 2], vec![1, 3], vec![]]);
    let status = first.request.status();
    assert_eq!((status.MPI_SOURCE, status.MPI_TAG, status.bytes()), (0, 2, 1));
    let wild = b.receive(MPI_ANY_SOURCE, MPI_ANY_TAG, 1);
    assert_eq!((wild.data(), wild.request.status().MPI_TAG), (b"x".to_vec(), 1));
    let last = b.receive(0, 3, 1);
    assert_eq!(last.data(), b"y");
    assert_eq!(a.shown()[3], [2, 2, 1, 2, 3]);
    sends.into_iter().for_each(|send| a.engine.release(send));
    [first, second, third, wild, last]
        .into_iter()
        .for_each(|receive| b.engine.release(receive.request));
    assert!(a.is_empty() && b.is_empty());
}

#[test]
fn unexpected_messages_of_two_senders_keep_their_order() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    // Tags 1, 3 and 5 come from rank 0, the others from rank 1 itself.
    for tag in 1..=6 {
        let sender = if tag % 2 == 1 { a } else { b };
        let send = sender.send(1, tag, b"");
        run(&ranks);
        sender.engine.release(send);
    }
    let take = |source, tag| {
        let receive = b.receive(source, tag, 0);
        receive.data();
        let status = receive.request.status();
        b.engine.release(receive.request);
        (status.MPI_SOURCE, status.MPI_TAG)
    };
    assert_eq!(b.shown()[2], [1, 2, 3, 4, 5, 6]);
    assert_eq!(take(0, 3), (0, 3));
    assert_eq!(take(1, MPI_ANY_TAG), (1, 2));
    assert_eq!(b.shown()[2], [1, 4, 5, 6]);
    assert_eq!(take(MPI_ANY_SOURCE, 6), (1, 6));
    assert_eq!(take(MPI_ANY_SOURCE, MPI_ANY_TAG), (0, 1));
    assert_eq!(take(0, MPI_ANY_TAG), (0, 5));
    assert_eq!(take(1, 4), (1, 4));
    assert!(a.is_empty() && b.is_empty());
}

#[test]
fn a_wildcard_posted_before_a_specific_receive_goes_first() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    let wild = b.receive(MPI_ANY_SOURCE, MPI_ANY_TAG, 1);
    let specific = b.receive(0, 5, 1);
    a.send(1, 5, b"1");
    a.send(1, 5, b"2");
    run(&ranks);
    assert_eq!([wild.data(), specific.data()], [b"1", b"2"]);
}

#[test]
fn large_messages_arrive_whole_by_both_ways() {
    for single_copy in [true, false] {
        for receive_first in [true, false] {
            let ranks = pair(single_copy);
            let [a, b] = &ranks;
            let data = pattern(LARGE);
            let early = receive_first.then(|| b.receive(0, 1, LARGE));
            let send = a.send(1, 1, data);
            b.engine.progress();
            let receive = early.unwrap_or_else(|| {
                let message = b.context.unexpected().first().unwrap();
                assert_eq!(
                    (message.head.protocol.get(), message.head.length.get()),
                    (Protocol::Rendezvous, LARGE as i64)
                );
                assert!(message.head.buffer.get().is_null());
                b.receive(0, 1, LARGE)
            });
            // Nothing moves through the rings while the sender is not in MPI.
            while b.engine.progress() {}
            let expected =
                if single_copy { OperationState::Complete } else { OperationState::Matched };
            assert_eq!(
                (receive.request.state(), send.state()),
                (expected, OperationState::Pending)
            );
            run(&ranks);
            assert_eq!(
                (receive.request.state(), send.state()),
                (OperationState::Complete, OperationState::Complete)
            );
            assert!(receive.data() == data);
            assert_eq!(receive.request.status().bytes(), LARGE as i64);
        }
    }
}

#[test]
fn a_stream_that_waits_for_room_is_matched() {
    let ranks = pair(false);
    let [a, b] = &ranks;
    let send = a.send(1, 1, pattern(LARGE));
    let receive = b.receive(0, 1, LARGE);
    b.engine.progress();
    while a.engine.progress() {}
    assert_eq!(
        (send.state(), receive.request.state()),
        (OperationState::Matched, OperationState::Matched)
    );
    assert!(!a.engine.is_drained());
    run(&ranks);
    assert_eq!(
        (send.state(), receive.request.state()),
        (OperationState::Complete, OperationState::Complete)
    );
    assert!(a.engine.is_drained());
}

#[test]
fn short_buffers_get_what_fits_and_an_error() {
    for (single_copy, bytes) in [(true, 100), (true, LARGE), (false, LARGE)] {
        let ranks = pair(single_copy);
        let [a, b] = &ranks;
        let data = pattern(bytes);
        let send = a.send(1, 1, data);
        let receive = b.receive(0, 1, 60);
        run(&ranks);
        assert_eq!((send.state(), send.error.get()), (OperationState::Complete, MPI_SUCCESS));
        assert_eq!(
            (receive.request.error.get(), receive.request.status().bytes()),
            (MPI_ERR_TRUNCATE, 60)
        );
        assert_eq!(receive.request.head.actual_length.get(), bytes as i64);
        assert!(receive.data() == data[..60]);
    }
}

#[test]
fn synchronous_sends_wait_for_the_match() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    for to in [0, 1] {
        let send = a.send_as(OperationKind::SendSynchronous, to, 1, b"abc");
        run(&ranks);
        assert_eq!(send.state(), OperationState::Pending);
        let receive = ranks[to].receive(0, 1, 3);
        run(&ranks);
        assert_eq!((send.state(), receive.data()), (OperationState::Complete, b"abc".to_vec()));
        assert_eq!(b.shown()[2], [] as [c_int; 0]);
    }
}

#[test]
fn messages_to_oneself() {
    let ranks = pair(true);
    let a = &ranks[0];
    for bytes in [3, LARGE] {
        let data = pattern(bytes);
        let send = a.send(0, 1, data);
        assert_eq!(
            send.state(),
            if bytes > EAGER { OperationState::Pending } else { OperationState::Complete }
        );
        let message = a.context.unexpected().first().unwrap();
        assert_eq!(
            (message.head.protocol.get(), message.head.source.get()),
            (Protocol::SelfMessage, 0)
        );
        let receive = a.receive(MPI_ANY_SOURCE, 1, bytes);
        assert!(receive.data() == data && send.state() == OperationState::Complete);
        let posted = a.receive(0, 2, bytes);
        let send = a.send(0, 2, data);
        assert!(posted.data() == data && send.state() == OperationState::Complete);
    }
}

#[test]
fn sends_wait_in_order_when_the_ring_is_full() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    let mut sends: Vec<_> = (0..100).map(|tag| a.send(1, tag, pattern(EAGER))).collect();
    assert!(sends.iter().any(|send| send.state() == OperationState::Pending));
    // Must not overtake.
    assert!(!a.engine.send_at_once(&a.operation(OperationKind::SendStandard, 1, 100, b"z"), 1));
    sends.push(a.send(1, 100, b"z"));
    run(&ranks);
    assert_eq!(b.shown()[2], (0..=100).collect::<Vec<_>>());
    assert!(sends.iter().all(|send| send.state() == OperationState::Complete));
    assert!(a.engine.is_drained());
}

#[test]
fn receives_can_be_cancelled() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    let (cancelled, kept) = (b.receive(0, 1, 1), b.receive(0, 1, 1));
    b.engine.cancel(cancelled.request);
    a.send(1, 1, b"a");
    run(&ranks);
    assert!(cancelled.request.status().cancelled() && cancelled.request.is_done());
    assert_eq!(kept.data(), b"a");
    b.engine.cancel(kept.request);
    assert!(!kept.request.status().cancelled());
}

#[test]
fn sends_can_be_cancelled_until_they_match() {
    for (bytes, kind) in [(5, OperationKind::SendSynchronous), (LARGE, OperationKind::SendStandard)]
    {
        for to in [0, 1] {
            let ranks = pair(true);
            let (a, b) = (&ranks[0], &ranks[to]);
            let send = a.send_as(kind, to, 1, pattern(bytes));
            run(&ranks);
            a.engine.cancel(send);
            run(&ranks);
            assert!(send.is_done() && send.status().cancelled());
            assert_eq!(b.shown()[2], [] as [c_int; 0]);

            let send = a.send_as(kind, to, 2, pattern(bytes));
            let receive = b.receive(0, 2, bytes);
            b.engine.progress();
            a.engine.cancel(send);
            run(&ranks);
            assert!(send.is_done() && !send.status().cancelled());
            assert!(receive.data() == pattern(bytes));
        }
    }
}

#[test]
fn a_send_that_waits_for_room_can_be_cancelled() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    let sends: Vec<_> = (0..40).map(|tag| a.send(1, tag, pattern(EAGER))).collect();
    let last = sends[39];
    assert_eq!(last.state(), OperationState::Pending);
    a.engine.cancel(last);
    assert!(last.is_done() && last.status().cancelled());
    run(&ranks);
    assert_eq!(b.shown()[2], (0..39).collect::<Vec<_>>());
}

#[test]
fn a_matched_probe_takes_the_message_out_of_matching() {
    for bytes in [3, LARGE] {
        let ranks = pair(false);
        let [a, b] = &ranks;
        a.send(1, 1, pattern(bytes));
        let other = a.send(1, 1, b"next");
        run(&ranks);
        let status = b.engine.probe(b.context, 0, 1).unwrap();
        assert_eq!((status.MPI_SOURCE, status.MPI_TAG, status.bytes()), (0, 1, bytes as i64));
        let (handle, status) =
            b.engine.probe_and_take(b.context, MPI_ANY_SOURCE, MPI_ANY_TAG).unwrap();
        assert_eq!(status.bytes(), bytes as i64);
        assert_eq!(b.receive(0, 1, 4).data(), b"next");
        assert_eq!(other.state(), OperationState::Complete);
        let (message, context) = b.engine.message(handle).unwrap();
        let data = vec![0u8; bytes].leak();
        let payload = Payload::bytes(data.as_mut_ptr(), bytes);
        let operation =
            Operation { payload, context, ..b.operation(OperationKind::MatchedReceive, 0, 1, &[]) };
        let request = b.engine.receive_message(&operation, message, Owner::Program);
        run(&ranks);
        assert_eq!(
            (request.state(), request.status().bytes()),
            (OperationState::Complete, bytes as i64)
        );
        assert!(data == pattern(bytes));
        assert!(b.engine.message(handle).is_none());
    }
}

#[test]
fn messages_wait_for_a_communicator_to_be_made() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    let counting = |rank| {
        let mut context = Context::new(9, Purpose::Program, rank);
        context.count(2);
        leak(context)
    };
    let ours = counting(0);
    a.engine.open(ours);
    let sends = [1, 2].map(|tag| {
        a.engine.send(
            &Operation { context: ours, ..a.operation(OperationKind::SendStandard, 1, tag, b"hi") },
            1,
            Owner::Program,
        )
    });
    run(&ranks);
    assert!(sends.iter().all(|send| send.is_done()));
    assert_eq!(b.shown()[2], [] as [c_int; 0]);
    assert_eq!(
        a.traffic_in(ours)[1],
        (2, 0),
        "they are on their way until the communicator is there"
    );
    let theirs = counting(1);
    b.engine.open(theirs);
    assert_eq!(b.traffic_in(theirs)[0], (0, 2));
    assert_eq!(
        theirs.unexpected().iter().map(|message| message.head.tag.get()).collect::<Vec<_>>(),
        [1, 2]
    );
}

#[test]
fn what_nobody_waits_for_ends_by_itself() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    let send = a.send(1, 1, pattern(LARGE));
    let handle = send.handle();
    a.engine.detach(send);
    assert!(!a.engine.is_drained());
    assert!(a.engine.request(handle).is_some());
    b.receive(0, 1, LARGE);
    run(&ranks);
    assert!(a.engine.request(handle).is_none() && a.engine.is_drained() && a.is_empty());
}

#[test]
fn many_receives_complete_in_their_order() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    let receives: Vec<_> = (0..20_000).map(|tag| b.receive(0, tag, 1)).collect();
    for tag in 0..20_000 {
        if !a.engine.send_at_once(&a.operation(OperationKind::SendStandard, 1, tag, b"m"), 1) {
            a.send(1, tag, b"m");
        }
        if tag % 512 == 0 {
            run(&ranks);
        }
    }
    run(&ranks);
    assert!(receives.iter().all(|receive| receive.data() == b"m"));
    assert_eq!(b.shown()[1], (0..20_000).collect::<Vec<_>>());
}

#[test]
fn messages_are_counted_when_they_leave_and_when_they_are_in() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    let small = b.receive(0, 1, 1);
    a.send(1, 1, b"m");
    a.send(1, 2, pattern(LARGE));
    a.send_as(OperationKind::SendSynchronous, 1, 3, b"m");
    assert!(a.engine.send_at_once(&a.operation(OperationKind::SendStandard, 1, 4, b"m"), 1));
    assert_eq!(
        (a.traffic(), b.traffic()),
        ([(0, 0), (4, 0)], [(0, 0); 2]),
        "they are on their way"
    );
    run(&ranks);
    // Whether they are matched or not, and whether their data are here or not.
    assert_eq!((small.data(), b.shown()[2].len()), (b"m".to_vec(), 3));
    assert_eq!((a.traffic(), b.traffic()), ([(0, 0), (4, 0)], [(0, 4), (0, 0)]));
    let large = b.receive(0, 2, LARGE);
    run(&ranks);
    assert_eq!(large.request.state(), OperationState::Complete);
    assert_eq!(b.traffic(), [(0, 4), (0, 0)], "once each");
    // To itself: matched, unexpected, with and without a request.
    let own = a.receive(0, 5, 1);
    a.send(0, 5, b"m");
    a.send(0, 6, pattern(LARGE));
    assert!(a.engine.send_at_once(&a.operation(OperationKind::SendStandard, 0, 7, b"m"), 0));
    assert_eq!((own.data(), a.traffic()), (b"m".to_vec(), [(3, 3), (4, 0)]));
}

#[test]
fn messages_that_wait_for_room_have_not_left() {
    let ranks = pair(true);
    let [a, b] = &ranks;
    let mut left = 0;
    while a.engine.send_at_once(&a.operation(OperationKind::SendStandard, 1, 0, pattern(EAGER)), 1)
    {
        left += 1;
    }
    assert_eq!(a.traffic()[1].0, left);
    let waiting = [a.send(1, 1, pattern(EAGER)), a.send(1, 2, b"m")];
    assert!(!a.engine.send_at_once(&a.operation(OperationKind::SendStandard, 1, 3, b"m"), 1));
    assert_eq!(a.traffic()[1].0, left);
    // One that is taken back never leaves.
    a.engine.cancel(waiting[0]);
    run(&ranks);
    assert_eq!((a.traffic()[1].0, b.traffic()[0].1), (left + 1, left + 1));
}
