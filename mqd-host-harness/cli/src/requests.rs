//! What the debug DLL shall show beside the queues. The interface has no way to ask for it, so the
//! environment says it.

use mqd_host::dump::INTERNAL_WHERE_KEPT;

/// The library's own operations and communicators: all.
pub(super) fn internal() {
    ask("MQD_INTERNAL", "1");
}

/// The same, of snapshots only where they have them. They tell whom a rank waits for in a
/// collective operation.
pub(super) fn internal_where_kept() {
    ask("MQD_INTERNAL", INTERNAL_WHERE_KEPT);
}

/// As another `mqd` has been asked.
pub(super) fn internal_as(value: &str) {
    ask("MQD_INTERNAL", value);
}

/// The transports that carry the messages.
pub(super) fn transports() {
    ask("MQD_TRANSPORTS", "1");
}

fn ask(variable: &str, value: &str) {
    // SAFETY: commands ask before they start a thread, and nothing reads the environment meanwhile.
    unsafe { std::env::set_var(variable, value) };
}
