//! The command `mqd`: see `mqd --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mqd_host_harness::cli::main()
}
