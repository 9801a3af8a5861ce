//! `mqd agent`: the far end of a client.

use super::args::Agent as Args;
use super::exit::Exit;
use super::output::complain;
use super::requests;
use mqd_host::fanout;
use mqd_host::request::Workers;

pub(super) fn run(args: &Args) -> Result<Exit, Exit> {
    if args.sent {
        let removed = std::fs::read_link("/proc/self/exe").and_then(std::fs::remove_file);
        if let Err(error) = removed {
            complain(&format!("agent: cannot remove its file: {error}"));
        }
    }
    if let Some(value) = &args.internal {
        requests::internal_as(value);
    }
    let workers = Workers { program: "/proc/self/exe".into(), timeout: args.dll_timeout };
    match fanout::serve(workers) {
        Ok(()) => Ok(Exit::Complete),
        Err(error) => {
            complain(&format!("agent: {error}"));
            Err(Exit::Output)
        }
    }
}
