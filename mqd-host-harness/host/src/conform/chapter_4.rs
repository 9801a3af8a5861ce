//! Chapter 4: how debugger and DLL work together.

use super::bench::{Bench, Subject};
use super::compare::refused;
use super::{Judge, Judgement, Rule};
use crate::dll::Calls;

/// The rule that fails if the DLL cannot be used at all.
pub(super) const LOADS: &str = "loads";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "callbacks-only",
        section: "4.1",
        sentence: "All calls from the debug DLL to the debugger are made through a table of \
                   function pointers: with the same answers the DLL shows the same",
        judge: Judge::Each(callbacks_only),
    },
    Rule {
        id: LOADS,
        section: "4.2",
        sentence: "The debugger loads the debug DLL, and finds the functions that it needs",
        judge: Judge::Once(|_| Judgement::PASS),
    },
];

/// The answers that the debugger gave are given again, and the process itself is not there.
fn callbacks_only(bench: &Bench, subject: &Subject) -> Judgement {
    let before = Calls::now();
    let reading = bench.read(subject);
    if !reading.accepted {
        return refused(&reading);
    }
    if let called @ [_, ..] = Calls::now().since(before).others.as_slice() {
        return Judgement::failed(format!("it calls {}", called.join(" and ")));
    }
    let Some(recording) = subject.take_recording() else {
        return Judgement::not_applicable("what the process was asked is not known any more");
    };
    let again = bench.read_in(&subject.replayed(recording));
    if again.numbers() == reading.numbers() && again.failures.len() == reading.failures.len() {
        Judgement::PASS
    } else {
        let why = again.trouble().map_or(String::new(), |trouble| format!(": {trouble}"));
        Judgement::failed(format!("with the same answers it shows something else{why}"))
    }
}
