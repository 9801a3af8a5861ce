//! Control variables in the environment. The variable `MQDRT_CVAR_X` can be set by three names, in
//! ascending order of precedence: `MQDRT_X`, `MQDRT_PARAM_X`, `MQDRT_CVAR_X`. Alternative names
//! (`alt_env`) have the same three prefixes, and lower precedence than all of the variable's own
//! names.

use super::table::TABLE;
use super::variable::Cvar;
use crate::process;
use std::sync::Once;

/// What comes before a name, in ascending order of precedence.
const PREFIXES: [&str; 3] = ["MQDRT_", "MQDRT_PARAM_", "MQDRT_CVAR_"];

/// Reads the environment once, when MPI or the tool information interface is initialized for the
/// first time. So a value that is written later stays.
pub(crate) fn read() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for cvar in TABLE {
            set(
                cvar,
                |name| std::env::var(name).ok(),
                |complaint| eprintln!("{}{complaint}", process::prefix()),
            );
        }
    });
}

/// Sets a variable from the environment, whose values `look` finds. An invalid value is reported
/// and does not change the variable.
fn set(cvar: &Cvar, look: impl Fn(&str) -> Option<String>, complain: impl Fn(String)) {
    let own = cvar.name.trim_start_matches(PREFIXES[2]);
    for name in cvar.alternatives.iter().copied().chain([own]) {
        for name in PREFIXES.map(|prefix| format!("{prefix}{name}")) {
            let Some(text) = look(&name) else { continue };
            if let Err(why) = cvar.value.parse(&text) {
                complain(format!(
                    "the environment variable {name} is {text:?}: {why}; it is ignored"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi_t::cvar::value::Value;
    use crate::mpi_t::cvar::variable::Writable;
    use crate::variables::control::{Int, Range};

    fn variable(value: Value) -> Cvar {
        Cvar {
            name: "MQDRT_CVAR_SAMPLE",
            alternatives: &["OLD_SAMPLE"],
            category: 0,
            value,
            verbosity: 0,
            scope: 0,
            writable: Writable::Always,
            device: false,
            default: "1",
            description: "",
        }
    }

    /// The order of the three prefixes, and of alternative names below them (the design's
    /// "ascending priority order").
    #[test]
    fn later_prefixes_win() {
        static SAMPLE: Int = Int::new(1);
        let cvar = variable(Value::Int(&SAMPLE, 0, 100));
        let order = [
            "MQDRT_OLD_SAMPLE",
            "MQDRT_PARAM_OLD_SAMPLE",
            "MQDRT_CVAR_OLD_SAMPLE",
            "MQDRT_SAMPLE",
            "MQDRT_PARAM_SAMPLE",
            "MQDRT_CVAR_SAMPLE",
        ];
        for present in 1..=order.len() {
            let look = |name: &str| {
                let at = order[..present].iter().position(|known| *known == name)?;
                Some((at + 10).to_string())
            };
            set(&cvar, look, |complaint| panic!("{complaint}"));
            assert_eq!(SAMPLE.get(), present as i32 + 9, "{:?}", &order[..present]);
        }
    }

    #[test]
    fn a_wrong_value_is_complained_of_and_ignored() {
        static SAMPLE: Range = Range::new(1, 5);
        let cvar = variable(Value::Range(&SAMPLE, 0, 10));
        for wrong in ["", "3", "5:3", "1:11", "a:b"] {
            let complaints = std::cell::RefCell::new(Vec::new());
            let look = |name: &str| (name == "MQDRT_SAMPLE").then(|| wrong.to_owned());
            set(&cvar, look, |complaint| complaints.borrow_mut().push(complaint));
            assert!(complaints.borrow()[0].contains("MQDRT_SAMPLE"), "{wrong}");
            assert_eq!(SAMPLE.get(), (1, 5), "{wrong}");
        }
    }
}
