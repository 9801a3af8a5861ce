//! The answers of the functions beyond the interface, and the expected answers for a [`Model`].

#![expect(
    non_upper_case_globals,
    reason = "the constants of the MQD interface keep their names in patterns"
)]

use super::contract::constant;
use super::dll::dll;
use super::model::{Communicator, Model, Request};
use super::session::{Session, filled_text};
use mqs_abi::extensions::{COLLECTIVES, mqd_call, mqd_stack_hints, mqd_traffic};
use mqs_abi::*;
use std::ffi::c_int;

/// What a process waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waits {
    NotKnown,
    Nothing,
    /// The call's name and how many operations it needs.
    Call(String, i64),
}

/// Of a communicator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Calls, and whether one is active, of each collective operation.
    pub collectives: Vec<Option<(c_int, c_int)>>,
    /// Rank, messages sent, messages received.
    pub traffic: Option<Vec<(i64, i64, i64)>>,
    /// Of each operation of the three queues.
    pub awaited: [Vec<Option<bool>>; 3],
}

/// Threads and progress function, if there are hints.
pub fn stack_hints(session: &Session) -> Option<(i64, String)> {
    // SAFETY: a live debugger; what is written is ours.
    unsafe {
        let mut hints = std::mem::zeroed::<mqd_stack_hints>();
        match (dll().mqd_get_stack_hints)(session.debugger.process(), &mut hints) {
            mqs_ok => Some((
                hints.threads,
                String::from_utf8_lossy(&filled_text(&hints.progress)).into_owned(),
            )),
            code => {
                assert_eq!(code, mqs_no_information);
                None
            }
        }
    }
}

/// Asks for everything.
pub fn activity(session: &Session) -> (Waits, Vec<State>) {
    let (dll, process) = (dll(), session.debugger.process());
    let mut states = Vec::new();
    // SAFETY: a live debugger; what is written is ours.
    unsafe {
        let mut call = std::mem::zeroed::<mqd_call>();
        let waits = match (dll.mqd_get_call)(process, &mut call) {
            mqs_ok => Waits::Call(
                String::from_utf8_lossy(&filled_text(&call.function)).into_owned(),
                call.needed,
            ),
            mqs_end_of_list => Waits::Nothing,
            code => {
                assert_eq!(code, mqs_no_information);
                Waits::NotKnown
            }
        };
        assert_eq!((dll.mqs_setup_communicator_iterator)(process), mqs_ok);
        while (dll.mqs_get_communicator)(process, std::ptr::null_mut()) == mqs_ok {
            let mut state = State::default();
            for number in 0..COLLECTIVES.len() as c_int {
                let (mut calls, mut active) = (-77, -77);
                let code = (dll.mqs_get_comm_coll_state)(process, number, &mut calls, &mut active);
                assert!(
                    code == mqs_ok || (code, calls, active) == (mqs_no_information, -77, -77),
                    "{code}"
                );
                state.collectives.push((code == mqs_ok).then_some((calls, active)));
            }
            for number in [-1, COLLECTIVES.len() as c_int, c_int::MIN, c_int::MAX] {
                let code = (dll.mqs_get_comm_coll_state)(process, number, &mut 0, &mut 0);
                assert_eq!(code, mqs_no_information, "there is no operation {number}");
            }
            let mut raw = std::mem::zeroed::<mqd_traffic>();
            let begun = (dll.mqd_setup_traffic_iterator)(process);
            assert!(begun == mqs_ok || begun == mqs_no_information, "{begun}");
            let mut traffic = Vec::new();
            while (dll.mqd_next_traffic)(process, &mut raw) == mqs_ok {
                traffic.push((raw.local_rank, raw.sent, raw.received));
            }
            assert_eq!((dll.mqd_next_traffic)(process, &mut raw), mqs_end_of_list);
            assert!(begun == mqs_ok || traffic.is_empty());
            state.traffic = (begun == mqs_ok).then_some(traffic);
            for (queue, awaited) in state.awaited.iter_mut().enumerate() {
                let mut operation = std::mem::zeroed();
                let begun = (dll.mqs_setup_operation_iterator)(process, queue as c_int);
                assert!(session.may_begin(begun), "{begun}");
                assert_eq!(
                    (dll.mqd_is_awaited)(process, &mut 0),
                    mqs_no_information,
                    "nothing was described"
                );
                while (dll.mqs_next_operation)(process, &mut operation) == mqs_ok {
                    awaited.push(session.is_awaited());
                }
            }
            states.push(state);
            (dll.mqs_next_communicator)(process);
        }
        (waits, states)
    }
}

fn is_done(request: &Request) -> bool {
    request.state == constant("COMPLETE") || request.system_buffer != 0
}

/// The activity of an undamaged model.
pub fn expected_activity(model: &Model) -> (Waits, Vec<State>) {
    let shown = model.wait.threads == 0;
    let is_marked =
        |request: &&Request| model.wait.call.is_some() && request.wait == model.wait.number;
    let of_all = model
        .communicators
        .iter()
        .flat_map(|communicator| communicator.posted.iter().chain(&communicator.matched));
    let requests =
        of_all.chain(model.sends.iter().chain(&model.probes).map(|(_, request)| request));
    let marked: Vec<&Request> = requests.filter(is_marked).collect();
    let done = marked.iter().filter(|request| is_done(request)).count() as i64;
    let waits = match model.wait.call {
        _ if !shown => Waits::NotKnown,
        None => Waits::Nothing,
        Some(call) => {
            let known = marked.len() as i64 == model.wait.awaited && model.wait.needed >= 0;
            Waits::Call(call.to_owned(), if known { (model.wait.needed - done).max(0) } else { -1 })
        }
    };
    let awaited = |request: &Request| shown.then_some(is_marked(&request) && !is_done(request));
    let mut states = Vec::new();
    for (index, communicator) in model.communicators.iter().enumerate() {
        let of = |requests: &[(usize, Request)]| -> Vec<Option<bool>> {
            requests
                .iter()
                .filter(|(owner, _)| *owner == index)
                .map(|(_, request)| awaited(request))
                .collect()
        };
        let receives = communicator
            .matched
            .iter()
            .chain(&communicator.posted)
            .map(awaited)
            .chain(of(&model.probes))
            .collect();
        let unexpected = vec![None; communicator.unexpected.len()];
        let state = State {
            collectives: collectives(communicator),
            traffic: traffic(communicator),
            awaited: [of(&model.sends), receives, unexpected],
        };
        let idle = state.awaited.iter().all(Vec::is_empty);
        if communicator.freed == 0 || !idle {
            states.push(state);
        }
    }
    (waits, states)
}

fn collectives(communicator: &Communicator) -> Vec<Option<(c_int, c_int)>> {
    match &communicator.collectives {
        None => vec![None; COLLECTIVES.len()],
        Some(counted) => counted
            .iter()
            // The interface counts in an int.
            .map(|(calls, active)| {
                Some((c_int::try_from(*calls).unwrap_or(-1), c_int::from(*active != 0)))
            })
            .collect(),
    }
}

fn traffic(communicator: &Communicator) -> Option<Vec<(i64, i64, i64)>> {
    let counted = communicator.traffic.as_ref()?.iter().enumerate();
    Some(
        counted
            .filter(|(_, (sent, received))| sent + received > 0)
            .map(|(rank, (sent, received))| (rank as i64, *sent, *received))
            .collect(),
    )
}
