//! The hosts that a command line names. Only names of this machine are accepted.

use std::ffi::OsStr;
use std::path::Path;

/// Checks a list of hosts, with or without numbers of processes: `localhost:4,127.0.0.1`.
pub(crate) fn check_list(list: &OsStr) -> Result<(), String> {
    let list = list.to_string_lossy();
    list.split(',').filter(|host| !host.is_empty()).try_for_each(check)
}

/// Checks the hosts of a file: the first word of each line; `#` begins a comment.
pub(crate) fn check_file(file: &OsStr) -> Result<(), String> {
    let text = std::fs::read_to_string(Path::new(file))
        .map_err(|error| format!("the file of hosts {}: {error}", file.display()))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.filter_map(|line| line.split_whitespace().next()).try_for_each(check)
}

fn check(host: &str) -> Result<(), String> {
    let name = match host.rsplit_once(':') {
        Some((name, slots)) if slots.bytes().all(|byte| byte.is_ascii_digit()) && host != "::1" => {
            name
        }
        _ => host,
    };
    let own = nix::unistd::gethostname().unwrap_or_default();
    let own = own.to_string_lossy();
    let short = own.split('.').next().unwrap_or_default();
    let here = ["localhost", "::1", &own, short];
    if here.contains(&name) || name.starts_with("127.") {
        return Ok(());
    }
    Err(format!("{name} is not this machine ({own}): processes are started on this machine only"))
}
