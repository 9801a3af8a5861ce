//! Callbacks and what they are told, by the kind of object that an event is registered with.

use super::types::*;
use crate::communicator;
use crate::file;
use crate::window;

/// A callback that is there.
#[derive(Clone, Copy)]
pub(super) enum Callback {
    Communicator(CallbackFunction<peruse_comm_spec_t>),
    Window(CallbackFunction<peruse_win_spec_t>),
    File(CallbackFunction<peruse_file_spec_t>),
    Spawn(CallbackFunction<peruse_spawn_spec_t>),
}

/// What a callback of one kind is told.
pub(super) trait Specification: Copy {
    /// The function of a callback of that kind.
    fn function(callback: Callback) -> Option<CallbackFunction<Self>>;

    /// The callback with that function.
    fn callback(function: CallbackFunction<Self>) -> Callback;

    /// The name of the object concerned, empty if it has none.
    fn name(&self) -> String;
}

macro_rules! specifications {
    ($($spec:ty: $kind:ident, $name:expr;)*) => {$(
        impl Specification for $spec {
            fn function(callback: Callback) -> Option<CallbackFunction<$spec>> {
                match callback {
                    Callback::$kind(function) => Some(function),
                    _ => None,
                }
            }

            fn callback(function: CallbackFunction<$spec>) -> Callback {
                Callback::$kind(function)
            }

            fn name(&self) -> String {
                ($name)(self)
            }
        }
    )*};
}

specifications! {
    peruse_comm_spec_t: Communicator, |spec: &peruse_comm_spec_t| {
        let found = communicator::resolve(spec.comm);
        found.map(|communicator| communicator.name_in_engine()).unwrap_or_default()
    };
    peruse_win_spec_t: Window, |spec: &peruse_win_spec_t| {
        window::resolve(spec.win).map(|window| window.name()).unwrap_or_default()
    };
    peruse_file_spec_t: File, |spec: &peruse_file_spec_t| {
        let found = file::resolve(spec.file);
        found.map(|file| file.name().to_string_lossy().into_owned()).unwrap_or_default()
    };
    peruse_spawn_spec_t: Spawn, |_: &peruse_spawn_spec_t| String::new();
}
