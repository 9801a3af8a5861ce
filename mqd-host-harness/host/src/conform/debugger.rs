//! Section 5.6: what the DLL does with the debugger's callbacks, and with their failures.

use super::bench::{Bench, Subject};
use super::compare::refused;
use super::reading::Reading;
use super::{Judge, Judgement, Rule};
use crate::callbacks::{Callback, Plan, heap};
use crate::dll::Calls;

/// How many calls of a callback fail, one in each session. If there are more, half of these are the
/// first ones, and the others are spread over the rest.
const MOST_FAULTS: u64 = 200;

macro_rules! failing {
    ($id:literal, $section:literal, $callback:ident, $sentence:literal) => {
        Rule {
            id: $id,
            section: $section,
            sentence: $sentence,
            judge: Judge::Each(|bench, subject| failing(bench, subject, Callback::$callback)),
        }
    };
}

pub(super) const RULES: &[Rule] = &[
    failing!(
        "no-memory",
        "5.6.2",
        Malloc,
        "If the allocation fails, mqs_malloc_fp returns NULL: the DLL survives it and says so"
    ),
    Rule {
        id: "allocation",
        section: "5.6.2",
        sentence: "The debug DLL cannot call any normal allocation routines, such as malloc or \
                   strdup",
        judge: Judge::Each(allocation),
    },
    Rule {
        id: "memory-given-back",
        section: "5.6.2",
        sentence: "Memory allocated by mqs_malloc_fp must be deallocated using mqs_free_fp",
        judge: Judge::Each(given_back),
    },
    Rule {
        id: "blocks",
        section: "5.6.3",
        sentence: "The DLL frees what mqs_malloc_fp has allocated, once, and writes nowhere else",
        judge: Judge::Each(blocks),
    },
    failing!(
        "no-function",
        "5.6.12",
        FindFunction,
        "mqs_find_function_fp returns mqs_no_information if the function cannot be found"
    ),
    failing!(
        "no-symbol",
        "5.6.13",
        FindSymbol,
        "mqs_find_symbol_fp returns mqs_no_information if the symbol cannot be found"
    ),
    failing!(
        "no-type",
        "5.6.14",
        FindType,
        "mqs_find_type_fp returns NULL if the type cannot be found"
    ),
    failing!(
        "no-field",
        "5.6.15",
        FieldOffset,
        "mqs_field_offset_fp returns -1 if the field cannot be found"
    ),
    failing!(
        "no-rank",
        "5.6.18",
        GetGlobalRank,
        "mqs_get_global_rank_fp returns MQS_INVALID_PROCESS if the rank is not known"
    ),
    failing!(
        "no-data",
        "5.6.20",
        FetchData,
        "mqs_fetch_data_fp returns mqs_no_information if the data could not be fetched: the DLL \
         shows no other data instead"
    ),
    Rule {
        id: "byte-order",
        section: "5.6.20",
        sentence: "The debug DLL must call mqs_target_to_host_fp to do any necessary byte \
                   reordering for multi-byte types",
        judge: Judge::Each(byte_order),
    },
];

/// Must a DLL notice that the callback has failed? A symbol, function or type may be one that the
/// library need not have.
fn must_notice(callback: Callback) -> bool {
    matches!(callback, Callback::Malloc | Callback::FetchData)
}

/// The calls that fail, of so many.
fn sample(calls: u64) -> Vec<u64> {
    if calls <= MOST_FAULTS {
        return (1..=calls).collect();
    }
    let first = MOST_FAULTS / 2;
    let others = MOST_FAULTS - first;
    (1..=first)
        .chain((0..others).map(|i| first + 1 + i * (calls - first - 1) / (others - 1)))
        .collect()
}

/// A callback fails at its n-th call, in a session for each n.
fn failing(bench: &Bench, subject: &Subject, callback: Callback) -> Judgement {
    let session = subject.session();
    let clean = bench.read_in(&session);
    let calls = session.faults.calls(callback);
    if calls == 0 {
        return Judgement::not_applicable("the DLL does not call it");
    }
    // Another rule judges a DLL that leaks anyway.
    bench.keep();
    bench.read(subject);
    let leak = bench.outstanding();
    let tried = sample(calls);
    for number in &tried {
        (bench.tell)(format!("call {number} of {calls} fails"));
        bench.keep();
        let session = subject.session();
        session.faults.plan(Plan { callbacks: only(callback), first: *number, last: *number });
        let reading = bench.read_in(&session);
        let more = bench.outstanding().saturating_sub(leak);
        if more > 0 {
            let why = format!("{more} blocks are not given back; they are if no call fails");
            return Judgement::failed(format!("after call {number} of {calls} has failed, {why}"));
        }
        if let Some(why) = after_fault(callback, &clean, &reading) {
            return Judgement::failed(format!("after call {number} of {calls} has failed, {why}"));
        }
    }
    let all = if tried.len() as u64 == calls { "all" } else { "a sample" };
    Judgement::passed(format!(
        "{} of {calls} calls failed, {all} of them, one each time",
        tried.len()
    ))
}

/// A list with one callback, for a plan.
fn only(callback: Callback) -> &'static [Callback] {
    match callback {
        Callback::Malloc => &[Callback::Malloc],
        Callback::FindFunction => &[Callback::FindFunction],
        Callback::FindSymbol => &[Callback::FindSymbol],
        Callback::FindType => &[Callback::FindType],
        Callback::FieldOffset => &[Callback::FieldOffset],
        Callback::GetGlobalRank => &[Callback::GetGlobalRank],
        Callback::FetchData => &[Callback::FetchData],
    }
}

/// What is wrong after a call has failed.
fn after_fault(callback: Callback, clean: &Reading, reading: &Reading) -> Option<String> {
    if reading.endless {
        return Some("a list does not end".to_owned());
    }
    // What an error code announces is not wrong.
    let is_silent = match clean.is_complete() {
        true => reading.is_complete(),
        false => reading.failures == clean.failures,
    };
    (must_notice(callback) && is_silent && reading.numbers() != clean.numbers())
        .then(|| "no function returns an error, and what is shown differs".to_owned())
}

fn allocation(bench: &Bench, subject: &Subject) -> Judgement {
    if !bench.watched {
        return Judgement::not_applicable("the calls of this library cannot be counted here");
    }
    let before = Calls::now();
    bench.read(subject);
    match Calls::now().since(before).allocations.as_slice() {
        [] => Judgement::PASS,
        called => Judgement::failed(format!("it calls {}", called.join(" and "))),
    }
}

/// Sessions one after the other: the DLL has no more blocks at the end of the last one than at the
/// end of the first one.
fn given_back(bench: &Bench, subject: &Subject) -> Judgement {
    bench.read(subject);
    let kept = bench.keep();
    for _ in 0..3 {
        bench.read(subject);
    }
    match (bench.outstanding(), kept) {
        (0, 0) => Judgement::PASS,
        (0, kept) => Judgement::passed(format!(
            "the DLL keeps {kept} blocks for itself, however often it is used"
        )),
        (more, _) => {
            bench.keep();
            Judgement::failed(format!("after 3 more sessions it has {more} blocks more"))
        }
    }
}

fn blocks(bench: &Bench, subject: &Subject) -> Judgement {
    // Those of rules before this one count, too.
    bench.read(subject);
    let mut misuses = heap::take_misuses();
    misuses.dedup();
    let reasons: Vec<String> = misuses.iter().map(|misuse| format!("it {misuse}")).collect();
    Judgement::of(&reasons)
}

fn byte_order(bench: &Bench, subject: &Subject) -> Judgement {
    let session = subject.session();
    let reading = bench.read_in(&session);
    if !reading.accepted {
        return refused(&reading);
    }
    match session.stats().conversions {
        0 => Judgement::failed("it has read the queues and converted nothing"),
        _ => Judgement::PASS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_in_order_and_reach_the_last_call() {
        assert_eq!(sample(3), [1, 2, 3]);
        for calls in [200, 201, 202, 299, 1000, 123_456] {
            let tried = sample(calls);
            assert_eq!(tried.len() as u64, MOST_FAULTS, "{calls}");
            assert!(tried.is_sorted_by(|a, b| a < b), "{calls}: {tried:?}");
            assert_eq!((tried[0], tried.last()), (1, Some(&calls)));
        }
    }
}
