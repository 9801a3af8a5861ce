//! What programs are told of a control variable.

use super::value::Value;
use std::ffi::c_int;

/// When a variable can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writable {
    /// At any time.
    Always,
    /// Until `MPI_Init`.
    BeforeInit,
    /// While no collective operation of this process is under way, since all processes of one must
    /// use the same algorithm.
    OutsideCollectives,
}

/// A control variable.
pub(crate) struct Cvar {
    /// Its name.
    pub(crate) name: &'static str,
    /// Other names in the environment, without prefixes.
    pub(crate) alternatives: &'static [&'static str],
    /// Its category's index.
    pub(crate) category: usize,
    /// Where its value is.
    pub(crate) value: Value,
    /// One of `MPI_T_VERBOSITY_…`.
    pub(crate) verbosity: c_int,
    /// One of `MPI_T_SCOPE_…`.
    pub(crate) scope: c_int,
    /// When it can be written.
    pub(crate) writable: Writable,
    /// It belongs to the transport.
    pub(crate) device: bool,
    /// Its default value, as described.
    pub(crate) default: &'static str,
    /// What it controls.
    pub(crate) description: &'static str,
}

impl Cvar {
    /// The description that the program gets: what it controls, its possible values, its default,
    /// and when it can be written.
    pub(crate) fn full_description(&self) -> String {
        let when = match self.writable {
            Writable::Always => "can be written at any time",
            Writable::BeforeInit => "can be written until MPI_Init",
            Writable::OutsideCollectives => {
                "can be written while no collective operation is under way"
            }
        };
        let whose = if self.device { "of the transport" } else { "above the transport" };
        format!(
            "{} ({}; default {}; {when}; {whose}.)",
            self.description,
            self.value.describe(),
            self.default
        )
    }
}
