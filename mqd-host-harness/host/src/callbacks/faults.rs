//! Callbacks that fail on purpose: how does a DLL take it?

use std::cell::Cell;

/// A callback for which the interface says what it returns when it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callback {
    /// NULL (5.6.2).
    Malloc,
    /// `mqs_no_information` (5.6.12).
    FindFunction,
    /// `mqs_no_information` (5.6.13).
    FindSymbol,
    /// NULL (5.6.14).
    FindType,
    /// -1 (5.6.15).
    FieldOffset,
    /// `MQS_INVALID_PROCESS` (5.6.18).
    GetGlobalRank,
    /// `mqs_no_information` (5.6.20).
    FetchData,
}

impl Callback {
    /// How many there are.
    const COUNT: usize = Callback::FetchData as usize + 1;
}

/// Which calls fail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The callbacks.
    pub(crate) callbacks: &'static [Callback],
    /// The first call of each that fails, counted from 1.
    pub(crate) first: u64,
    /// The last one.
    pub(crate) last: u64,
}

/// Counts the callbacks of a session that can fail, and says which calls do.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    plan: Cell<Option<Plan>>,
    calls: [Cell<u64>; Callback::COUNT],
}

impl Faults {
    /// From now on these calls fail. They are counted from here.
    pub(crate) fn plan(&self, plan: Plan) {
        self.calls.iter().for_each(|calls| calls.set(0));
        self.plan.set(Some(plan));
    }

    /// How often a callback has been called.
    pub(crate) fn calls(&self, callback: Callback) -> u64 {
        self.calls[callback as usize].get()
    }

    /// Counts a call. Does it fail?
    pub(super) fn fails(&self, callback: Callback) -> bool {
        let calls = &self.calls[callback as usize];
        calls.set(calls.get() + 1);
        self.plan.get().is_some_and(|plan| {
            plan.callbacks.contains(&callback) && (plan.first..=plan.last).contains(&calls.get())
        })
    }
}
