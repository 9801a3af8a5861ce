//! The command line, in the spelling that MPI users know: `-n`, `-np`, `-wdir`, … with one dash or
//! two; `:` between programs.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// What `mpiexec --help` prints.
pub(crate) const USAGE: &str = "\
usage: mpiexec [OPTIONS] PROGRAM [ARGUMENT…] [: [OPTIONS] PROGRAM [ARGUMENT…]]…

Starts a job of N processes of PROGRAM on this machine.

  -n, -np N          number of processes (default 1)
  -wdir DIR          working directory of the processes
  -x NAME[=VALUE]    a variable for the processes' environment
  -env NAME VALUE    the same
  -tag-output        begin every line of output with [rank]
  -grace SECONDS     time between asking processes to end and killing them (default 5)
  -h, -help          this text
  -V, -version       the version

After a `:` comes another program of the same job; its ranks follow those of the program before it.
Standard input goes to rank 0. SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP and \
                                SIGCONT go to every rank.
The exit code is that of the first rank that fails, 128+N if signal N killed it; the other ranks \
                                are then ended.
";

/// One program of the job and its ranks.
pub(crate) struct Program {
    /// How many ranks run it.
    pub(crate) ranks: usize,
    /// The program and its arguments: at least one entry.
    pub(crate) command: Vec<OsString>,
    /// The working directory, if not the launcher's.
    pub(crate) directory: Option<PathBuf>,
    /// Variables added to the launcher's environment.
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// A job as the command line describes it.
pub(crate) struct Options {
    /// In the order of the ranks.
    pub(crate) programs: Vec<Program>,
    /// Whether each line of output begins with its rank.
    pub(crate) tag_output: bool,
    /// How long ranks may take to end when asked to.
    pub(crate) grace: Duration,
}

/// What the user asks for.
pub(crate) enum Request {
    /// The usage text.
    Help,
    /// The version.
    Version,
    /// A job.
    Run(Options),
}

/// Reads the arguments (without the command's own name). The error is a sentence for the user.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Request, String> {
    let mut options =
        Options { programs: Vec::new(), tag_output: false, grace: Duration::from_secs(5) };
    for part in arguments.split(|argument| argument == ":") {
        match parse_program(part, &mut options)? {
            Part::Program(program) => options.programs.push(program),
            Part::Help => return Ok(Request::Help),
            Part::Version => return Ok(Request::Version),
        }
    }
    Ok(Request::Run(options))
}

enum Part {
    Program(Program),
    Help,
    Version,
}

fn parse_program(arguments: &[OsString], options: &mut Options) -> Result<Part, String> {
    let mut program =
        Program { ranks: 1, command: Vec::new(), directory: None, environment: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(name) = option_name(argument) else {
            program.command = std::iter::once(argument).chain(rest).cloned().collect();
            return Ok(Part::Program(program));
        };
        let mut value = || rest.next().ok_or_else(|| format!("option -{name} needs a value"));
        match name {
            "n" | "np" => {
                let text = value()?;
                program.ranks = text
                    .to_str()
                    .and_then(|text| text.parse().ok())
                    .filter(|&n| n > 0)
                    .ok_or_else(|| {
                        format!(
                            "-{name} {}: the number of processes is a whole number, 1 or more",
                            text.display()
                        )
                    })?;
            }
            "wdir" => program.directory = Some(value()?.into()),
            "x" => program.environment.push(assignment(value()?)?),
            "env" => program.environment.push((value()?.clone(), value()?.clone())),
            "grace" => {
                let text = value()?;
                options.grace = text
                    .to_str()
                    .and_then(|text| text.parse().ok())
                    .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                    .ok_or_else(|| format!("-grace {}: not a number of seconds", text.display()))?;
            }
            "tag-output" => options.tag_output = true,
            // What scripts for other launchers say and what is so here anyway.
            "oversubscribe" | "allow-run-as-root" => {}
            "h" | "help" => return Ok(Part::Help),
            "V" | "version" => return Ok(Part::Version),
            _ => return Err(format!("unknown option {}", argument.display())),
        }
    }
    Err("no program to run".into())
}

/// `n` of `-n` and of `--n`; nothing of what is no option.
fn option_name(argument: &OsStr) -> Option<&str> {
    let text = argument.to_str()?.strip_prefix('-')?;
    Some(text.strip_prefix('-').unwrap_or(text)).filter(|name| !name.is_empty())
}

/// `NAME=VALUE`, or `NAME` with the value it has in our own environment.
fn assignment(text: &OsStr) -> Result<(OsString, OsString), String> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = text.as_bytes();
    match bytes.iter().position(|&byte| byte == b'=') {
        Some(at) => {
            Ok((OsStr::from_bytes(&bytes[..at]).into(), OsStr::from_bytes(&bytes[at + 1..]).into()))
        }
        None => match std::env::var_os(text) {
            Some(value) => Ok((text.into(), value)),
            None => Err(format!(
                "-x {0}: there is no variable {0} here; give its value: -x {0}=VALUE",
                text.display()
            )),
        },
    }
}
