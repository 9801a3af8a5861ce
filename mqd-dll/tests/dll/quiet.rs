//! x
pub const CHILD: &str = "LIBMQD_QUIET_CHILD";
