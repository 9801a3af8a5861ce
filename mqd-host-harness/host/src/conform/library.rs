//! Section 5.7: the DLL as a whole.

use std::ffi::c_int;

use mqs_abi::mqs_taddr_t;

use super::bench::Bench;
use super::{Judge, Judgement, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "functions",
        section: "5.7",
        sentence: "All definitions are required: the DLL has each function of 5.7 to 5.10",
        judge: Judge::Once(functions),
    },
    Rule {
        id: "version-string",
        section: "5.7.2",
        sentence: "mqs_version_string returns the debug DLL version, a string that the DLL owns",
        judge: Judge::Once(version_string),
    },
    Rule {
        id: "compatibility",
        section: "5.7.3",
        sentence: "mqs_version_compatibility returns the value of MQS_INTERFACE_COMPATIBILITY \
                   when the debug DLL was compiled: 2, or 3 with FOR_MPI2",
        // Others cannot be loaded.
        judge: Judge::Once(compatibility),
    },
    Rule {
        id: "taddr-width",
        section: "5.7.4",
        sentence: "mqs_dll_taddr_width returns sizeof(mqs_taddr_t)",
        judge: Judge::Once(taddr_width),
    },
    Rule {
        id: "error-strings",
        section: "5.7.5",
        sentence: "mqs_dll_error_string returns a null-terminated string that is associated with \
                   the error code, for each code that the DLL returns",
        judge: Judge::Once(error_strings),
    },
];

fn functions(bench: &Bench) -> Judgement {
    let functions = bench.dll.functions();
    // Without one of the others it is no debug DLL.
    let missing: Vec<&str> = [
        ("mqs_dll_taddr_width", functions.dll_taddr_width.is_none()),
        ("mqs_get_comm_group", functions.get_comm_group.is_none()),
    ]
    .into_iter()
    .filter_map(|(name, missing)| missing.then_some(name))
    .collect();
    match missing.as_slice() {
        [] => Judgement::PASS,
        missing => Judgement::failed(format!("it lacks {}", missing.join(" and "))),
    }
}

fn version_string(bench: &Bench) -> Judgement {
    let first = bench.dll.version_now();
    match (&first, bench.dll.version_now()) {
        (None, _) => Judgement::failed("it is NULL"),
        (Some(text), _) if text.is_empty() => Judgement::failed("it is empty"),
        (Some(text), second) if first == second => Judgement::passed(text),
        _ => Judgement::failed("the second call returns another text than the first"),
    }
}

fn compatibility(bench: &Bench) -> Judgement {
    Judgement::passed(format!("it is {}", bench.dll.compatibility_now()))
}

fn taddr_width(bench: &Bench) -> Judgement {
    let Some(width) = bench.dll.width_now() else {
        return Judgement::not_applicable("the DLL does not have the function");
    };
    let expected = size_of::<mqs_taddr_t>() as c_int;
    match width == expected {
        true => Judgement::PASS,
        false => Judgement::failed(format!("{width}, not {expected}")),
    }
}

fn error_strings(bench: &Bench) -> Judgement {
    // A session with each process, so that codes are known also after a crash.
    bench.subjects.iter().for_each(|subject| drop(bench.read(subject)));
    let codes = bench.codes.borrow().clone();
    let without = codes.iter().filter(|code| bench.dll.error_text(**code).is_none());
    let reasons: Vec<String> = without.map(|code| format!("{code} has no text")).collect();
    if reasons.is_empty() && codes.is_empty() {
        return Judgement::not_applicable("the DLL has returned no error code so far");
    }
    // Whoever asks for another code must not crash.
    for code in [0, 1, 2, -1, 99, 100, c_int::MAX, c_int::MIN] {
        (bench.tell)(format!("mqs_dll_error_string({code})"));
        bench.dll.error_text(code);
    }
    match reasons.is_empty() {
        true => Judgement::passed(format!("{} codes have texts", codes.len())),
        false => Judgement::of(&reasons),
    }
}
