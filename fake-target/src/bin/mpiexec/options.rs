//! The command line: the options of the standard (MPI 5.0, section 11.5) and of the usual
//! launchers, with one dash or two, and `:` between programs.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use crate::config_file;
use crate::hosts;

/// What `mpiexec --help` prints.
pub(crate) const USAGE: &str = "\
usage: mpiexec [OPTIONS] PROGRAM [ARGUMENT…] [: [OPTIONS] PROGRAM [ARGUMENT…]]…
       mpiexec [OPTIONS] -configfile FILE

Starts a job of N processes of PROGRAM on this machine.

  -n, -np, -c N      number of processes (default 1)
  -wdir, -wd DIR     working directory of the processes
  -path DIRS         where to look for the program, besides PATH
  -x NAME[=VALUE]    a variable for the processes' environment
  -env NAME VALUE    the same; -genv: for all programs
  -envlist, -genvlist NAMES
                     variables of the environment here, which is passed on anyway
  -configfile FILE   a line for each program: options, program, arguments; # begins a comment
  -timeout SECONDS   end the job after this time, with exit code 124; also MPIEXEC_TIMEOUT
  -l, -tag-output    begin every line of output with [rank]
  -grace SECONDS     time between asking processes to end and killing them (default 5)
  -initial-errhandler NAME
                     mpi_errors_are_fatal (default), mpi_errors_abort or mpi_errors_return
  -host, -hosts, -H NAMES
  -f, -hostfile, -machinefile FILE
                     the hosts of the job: this machine, by any of its names
  -usize N           what MPI_UNIVERSE_SIZE is (default: the processors)
  --                 what follows is the program
  -h, -help          this text
  -V, -version       the version

After a `:` comes another program of the same job; its ranks follow those of the program before it.
Standard input goes to rank 0. SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP and \
                                SIGCONT go to every rank.
The exit code is that of the first rank that fails, 128+N if signal N killed it; the other ranks \
                                are then ended.
Options of other launchers that say where processes run (-ppn, -perhost, -bind-to, -map-by, \
                                -rank-by, -N, -oversubscribe, -soft), and those for one library \
                                alone (-mca, -allow-run-as-root), are accepted. The system \
                                decides where processes run.
";

/// One program of the job and its ranks.
pub(crate) struct Program {
    /// How many ranks run it.
    pub(crate) ranks: usize,
    /// The program and its arguments: at least one entry.
    pub(crate) command: Vec<OsString>,
    /// The working directory, if not the launcher's.
    pub(crate) directory: Option<PathBuf>,
    /// Directories to look for the program in, before those of PATH.
    pub(crate) path: OsString,
    /// Variables added to the launcher's environment.
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// A job as the command line describes it.
pub(crate) struct Options {
    /// In the order of the ranks.
    pub(crate) programs: Vec<Program>,
    /// Variables for all programs.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// Whether each line of output begins with its rank.
    pub(crate) tag_output: bool,
    /// How long ranks may take to end when asked to.
    pub(crate) grace: Duration,
    /// How long the job may run.
    pub(crate) timeout: Option<Duration>,
    /// There is no program: a process has started us in order to spawn others.
    pub(crate) serves: bool,
}

/// What the user asks for.
pub(crate) enum Invocation {
    /// The usage text.
    Help,
    /// The version.
    Version,
    /// A job.
    Run(Options),
}

/// Reads the arguments (without the command's own name). The error is a sentence for the user.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Invocation, String> {
    let mut options = Options {
        programs: Vec::new(),
        environment: Vec::new(),
        tag_output: false,
        grace: Duration::from_secs(5),
        timeout: timeout_of_environment()?,
        serves: arguments == ["-serve"],
    };
    if options.serves {
        return Ok(Invocation::Run(options));
    }
    for part in arguments.split(|argument| argument == ":") {
        match parse_part(part, &mut options)? {
            Part::Read => {}
            Part::Help => return Ok(Invocation::Help),
            Part::Version => return Ok(Invocation::Version),
        }
    }
    Ok(Invocation::Run(options))
}

fn timeout_of_environment() -> Result<Option<Duration>, String> {
    match std::env::var_os("MPIEXEC_TIMEOUT") {
        Some(text) if !text.is_empty() => seconds("MPIEXEC_TIMEOUT", &text).map(Some),
        _ => Ok(None),
    }
}

enum Part {
    /// Its programs are among the options now.
    Read,
    Help,
    Version,
}

/// What is between two colons, or on a line of a configuration file.
fn parse_part(arguments: &[OsString], options: &mut Options) -> Result<Part, String> {
    let mut program = Program {
        ranks: 1,
        command: Vec::new(),
        directory: None,
        path: OsString::new(),
        environment: Vec::new(),
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let name = match option_name(argument) {
            Some(name) => name,
            None if argument == "--" => {
                program.command = rest.cloned().collect();
                break;
            }
            None => {
                program.command = std::iter::once(argument).chain(rest).cloned().collect();
                break;
            }
        };
        let mut value = || rest.next().ok_or_else(|| format!("option -{name} needs a value"));
        match name {
            "h" | "help" | "?" => return Ok(Part::Help),
            "V" | "version" => return Ok(Part::Version),
            "configfile" => {
                for line in config_file::lines(value()?)? {
                    if let other @ (Part::Help | Part::Version) = parse_part(&line, options)? {
                        return Ok(other);
                    }
                }
                return match rest.next() {
                    None => Ok(Part::Read),
                    Some(more) => {
                        Err(format!("{}: nothing follows -configfile FILE", more.display()))
                    }
                };
            }
            _ if of_program(name, &mut value, &mut program)? => {}
            _ if of_job(name, &mut value, options)? => {}
            _ if without_effect(name, &mut value)? => {}
            _ => return Err(format!("unknown option {}", argument.display())),
        }
    }
    if program.command.is_empty() {
        return Err("no program to run".into());
    }
    options.programs.push(program);
    Ok(Part::Read)
}

/// The options of one program; false for others.
fn of_program<'a>(
    name: &str,
    value: &mut (impl FnMut() -> Result<&'a OsString, String> + ?Sized),
    program: &mut Program,
) -> Result<bool, String> {
    match name {
        "n" | "np" | "c" => {
            let text = value()?;
            program.ranks =
                text.to_str().and_then(|text| text.parse().ok()).filter(|&n| n > 0).ok_or_else(
                    || {
                        format!(
                            "-{name} {}: the number of processes is a whole number, 1 or more",
                            text.display()
                        )
                    },
                )?;
        }
        "wdir" | "wd" | "chdir" => program.directory = Some(value()?.into()),
        "path" => program.path = value()?.clone(),
        "x" => program.environment.push(assignment(value()?)?),
        "env" => program.environment.push((value()?.clone(), value()?.clone())),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The options of the whole job; false for others.
fn of_job<'a>(
    name: &str,
    value: &mut (impl FnMut() -> Result<&'a OsString, String> + ?Sized),
    options: &mut Options,
) -> Result<bool, String> {
    match name {
        "usize" | "universe-size" => {
            let text = value()?;
            text.to_str()
                .and_then(|text| text.parse::<i32>().ok())
                .filter(|n| *n > 0)
                .ok_or_else(|| format!("-{name} {}: a whole number, 1 or more", text.display()))?;
            options.environment.push(("MQDRT_UNIVERSE".into(), text.clone()));
        }
        "genv" => options.environment.push((value()?.clone(), value()?.clone())),
        "grace" => options.grace = seconds("-grace", value()?)?,
        "timeout" => options.timeout = Some(seconds("-timeout", value()?)?),
        "tag-output" | "l" | "prepend-rank" => options.tag_output = true,
        "initial-errhandler" => {
            let text = value()?;
            let known = ["mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"];
            if !known.iter().any(|known| text == known) {
                return Err(format!(
                    "-initial-errhandler {}: one of {}",
                    text.display(),
                    known.join(", ")
                ));
            }
            options.environment.push(("MQDRT_INITIAL_ERRHANDLER".into(), text.clone()));
        }
        "host" | "hosts" | "H" => hosts::check_list(value()?)?,
        "f" | "hostfile" | "machinefile" => hosts::check_file(value()?)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Options of other launchers that have no effect here, since they ask for the default or for
/// something that the system decides. False for others.
fn without_effect<'a>(
    name: &str,
    value: &mut (impl FnMut() -> Result<&'a OsString, String> + ?Sized),
) -> Result<bool, String> {
    let values = match name {
        "oversubscribe" | "allow-run-as-root" | "genvall" | "envall" | "use-hwthread-cpus" => 0,
        "ppn" | "perhost" | "N" | "npernode" | "bind-to" | "map-by" | "rank-by" | "soft"
        | "envlist" | "genvlist" => 1,
        "mca" | "gmca" | "prtemca" | "pmixmca" => 2,
        _ => return Ok(false),
    };
    (0..values).try_for_each(|_| value().map(drop))?;
    Ok(true)
}

fn seconds(what: &str, text: &OsStr) -> Result<Duration, String> {
    text.to_str()
        .and_then(|text| text.parse().ok())
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("{what} {}: not a number of seconds", text.display()))
}

/// `n` for `-n` and `--n`; nothing for what is not an option.
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
