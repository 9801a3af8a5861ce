//! The expected dump of a [`Model`], and random models.

use super::contract::constant;
use super::model::*;
use super::random::Random;
use super::session::{DumpedCommunicator, Op};
use mqs_abi::*;
use std::ffi::c_int;

/// The dump of an undamaged model.
pub fn expected(model: &Model) -> Vec<DumpedCommunicator> {
    let of = |index: usize, requests: &[(usize, Request)]| -> Vec<Request> {
        requests
            .iter()
            .filter(|(owner, _)| *owner == index)
            .map(|(_, request)| request.clone())
            .collect()
    };
    let mut dump = Vec::new();
    for (index, communicator) in model.communicators.iter().enumerate() {
        let peers = communicator.remote.as_ref().unwrap_or(&communicator.local);
        let (sends, probes) = (of(index, &model.sends), of(index, &model.probes));
        let receives = communicator.matched.iter().chain(&communicator.posted).chain(&probes);
        let dumped = DumpedCommunicator {
            unique_id: communicator.context_id as u64,
            local_rank: communicator.local.rank,
            size: communicator.local.world_ranks.len() as i64,
            name: communicator.name.clone(),
            group: communicator.local.world_ranks.iter().map(|rank| *rank as i32).collect(),
            sends: sends.iter().map(|request| operation(model, peers, request)).collect(),
            receives: receives.map(|request| operation(model, peers, request)).collect(),
            unexpected: communicator
                .unexpected
                .iter()
                .map(|message| unexpected(peers, message))
                .collect(),
        };
        let idle =
            dumped.sends.is_empty() && dumped.receives.is_empty() && dumped.unexpected.is_empty();
        if communicator.freed == 0 || !idle {
            dump.push(dumped);
        }
    }
    dump
}

fn world_rank(peers: &Group, rank: i64) -> i64 {
    if rank < 0 { -1 } else { peers.world_ranks[rank as usize] }
}

fn protocol(value: i64) -> Option<String> {
    let names = [("EAGER", "eager"), ("RENDEZVOUS", "rendezvous"), ("SELF", "self")];
    names
        .iter()
        .find(|(name, _)| constant(name) == value)
        .map(|(_, name)| format!("protocol: {name}"))
}

fn operation(model: &Model, peers: &Group, request: &Request) -> Op {
    let is_send = request.kind <= constant("SEND_READY");
    let any_tag = request.tag == ANY_TAG && !is_send;
    let matched = request.state != constant("PENDING");
    let status = [mqs_st_pending, mqs_st_matched, mqs_st_complete]
        [(request.state - constant("PENDING")) as usize];
    let actual = match (is_send, matched) {
        (true, _) => (request.peer, request.tag, request.length),
        (false, true) => (request.actual_source, request.actual_tag, request.actual_length),
        (false, false) => (-1, 0, 0),
    };
    let mut extra_text = vec![request.call.to_owned()];
    match request.datatype {
        Some(index) => {
            let name = String::from_utf8(model.datatypes[index].0.clone()).expect("UTF-8");
            extra_text.push(format!("{} x {name}", request.count));
            extra_text.extend(protocol(request.protocol));
        }
        None => extra_text.push("waits for a message, receives nothing".to_owned()),
    }
    Op {
        status,
        desired_local_rank: request.peer,
        desired_global_rank: world_rank(peers, request.peer),
        tag_wild: any_tag.into(),
        desired_tag: if any_tag { 0 } else { request.tag },
        desired_length: request.length,
        system_buffer: request.system_buffer as c_int,
        buffer: request.buffer as u64,
        actual_local_rank: actual.0,
        actual_global_rank: world_rank(peers, actual.0),
        actual_tag: actual.1,
        actual_length: actual.2,
        extra_text,
    }
}

fn unexpected(peers: &Group, message: &Message) -> Op {
    let modes = ["standard", "buffered", "synchronous", "ready"];
    let mode = modes[(message.mode - constant("SEND_STANDARD")) as usize];
    let mut extra_text = vec![format!("send mode: {mode}")];
    extra_text.extend(protocol(message.protocol));
    Op {
        status: mqs_st_pending,
        desired_local_rank: message.source,
        desired_global_rank: world_rank(peers, message.source),
        tag_wild: 0,
        desired_tag: message.tag,
        desired_length: message.length,
        system_buffer: 1,
        buffer: message.buffer as u64,
        actual_local_rank: message.source,
        actual_global_rank: world_rank(peers, message.source),
        actual_tag: message.tag,
        actual_length: message.length,
        extra_text,
    }
}

/// A model with a bit of everything. Its values fit a machine of 32 bits.
pub fn random_model(seed: u64) -> Model {
    let mut random = Random::new(seed);
    let size = 2 + random.below(30);
    let mut model = Model::world(random.below(size) as i64, size as i64);
    for _ in 0..random.below(4) {
        let name = format!("type {}", random.below(1000));
        model.datatypes.push((name.into_bytes(), random.below(100) as i64));
    }
    for id in 0..random.below(5) {
        let mut communicator =
            Communicator::new(10 + id as i64, random.pick(&["", "ring", "größer"]), 0, Vec::new());
        communicator.local = random_group(&mut random, size);
        communicator.remote = (random.below(3) == 0).then(|| random_group(&mut random, size));
        let peers = communicator.remote.as_ref().unwrap_or(&communicator.local).world_ranks.len();
        let mut some =
            |limit: usize| if random.below(2) == 0 { 0 } else { random.below(limit) as i64 };
        communicator.traffic = Some((0..peers).map(|_| (some(1 << 40), some(100))).collect());
        communicator
            .collectives
            .iter_mut()
            .flatten()
            .for_each(|counters| *counters = (some(5_000_000_000), some(2)));
        communicator.freed = i64::from(random.below(4) == 0);
        model.communicators.push(communicator);
    }
    for index in 0..model.communicators.len() {
        let communicator = &model.communicators[index];
        let peers = communicator.remote.as_ref().unwrap_or(&communicator.local).world_ranks.len();
        let request =
            |random: &mut Random, state: &str| random_request(random, &model, peers, state);
        let posted = (0..random.below(6)).map(|_| request(&mut random, "PENDING")).collect();
        let state = random.pick(&["MATCHED", "COMPLETE"]);
        let matched = (0..random.below(4)).map(|_| request(&mut random, state)).collect();
        let unexpected = (0..random.below(5)).map(|_| random_message(&mut random, peers)).collect();
        let send = |random: &mut Random| Request {
            kind: constant(random.pick(&[
                "SEND_STANDARD",
                "SEND_BUFFERED",
                "SEND_SYNCHRONOUS",
                "SEND_READY",
            ])),
            peer: random.below(peers) as i64,
            tag: random.below(1 << 20) as i64,
            call: random.pick(&["MPI_Send", "MPI_Isend", "MPI_Issend"]),
            ..random_request(random, &model, peers, "PENDING")
        };
        let sends: Vec<_> = (0..random.below(6)).map(|_| (index, send(&mut random))).collect();
        let probes =
            (0..random.below(2)).map(|_| Request::probe(random.below(peers) as i64, ANY_TAG));
        let probes: Vec<_> = probes.map(|probe| (index, probe)).collect();
        let communicator = &mut model.communicators[index];
        (communicator.posted, communicator.matched, communicator.unexpected) =
            (posted, matched, unexpected);
        model.sends.extend(sends);
        model.probes.extend(probes);
    }
    // All communicators share the list of sends.
    random.shuffle(&mut model.sends);
    random_wait(&mut random, &mut model);
    model
}

fn random_group(random: &mut Random, world: usize) -> Group {
    let mut world_ranks: Vec<i64> = (0..world as i64).collect();
    random.shuffle(&mut world_ranks);
    world_ranks.truncate(1 + random.below(world));
    Group { rank: random.below(world_ranks.len()) as i64, world_ranks }
}

fn random_request(random: &mut Random, model: &Model, peers: usize, state: &str) -> Request {
    Request {
        state: constant(state),
        peer: if random.below(3) == 0 { ANY_SOURCE } else { random.below(peers) as i64 },
        tag: if random.below(3) == 0 { ANY_TAG } else { random.below(1 << 30) as i64 },
        buffer: random.below(1 << 31) as i64,
        count: random.below(1 << 31) as i64,
        datatype: Some(random.below(model.datatypes.len())),
        length: (random.next() >> 20) as i64,
        system_buffer: random.below(2) as i64,
        protocol: random.below(4) as i64,
        actual_source: random.below(peers) as i64,
        actual_tag: random.below(1 << 30) as i64,
        actual_length: (random.next() >> 20) as i64,
        call: random.pick(&["MPI_Recv", "MPI_Irecv", "MPI_Start"]),
        wait: random.below(3) as i64,
        ..Request::receive(0, 0)
    }
}

fn random_message(random: &mut Random, peers: usize) -> Message {
    Message {
        source: random.below(peers) as i64,
        tag: random.below(1 << 30) as i64,
        length: (random.next() >> 20) as i64,
        buffer: random.below(1 << 31) as i64,
        protocol: 1 + random.below(3) as i64,
        mode: 1 + random.below(4) as i64,
    }
}

/// Most of the time a wait that fits its requests.
fn random_wait(random: &mut Random, model: &mut Model) {
    let number = random.below(3) as i64;
    let of_all = model
        .communicators
        .iter()
        .flat_map(|communicator| communicator.posted.iter().chain(&communicator.matched));
    let requests =
        of_all.chain(model.sends.iter().chain(&model.probes).map(|(_, request)| request));
    let marked = requests.filter(|request| request.wait == number).count() as i64;
    model.wait = Wait {
        call: random.pick(&[None, Some("MPI_Waitany"), Some("MPI_Waitall"), Some("MPI_Barrier")]),
        threads: i64::from(random.below(8) == 0),
        awaited: marked + i64::from(random.below(4) == 0),
        needed: random.pick(&[-1, 1, marked]),
        number,
    };
}
