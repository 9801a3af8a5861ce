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
  -merge-stderr-to-stdout
                     what processes write to stderr goes to stdout
  -grace SECONDS     time between asking processes to end and killing them (default 5)
  -initial-errhandler NAME
                     mpi_errors_are_fatal (default), mpi_errors_abort or mpi_errors_return
  -host, -hosts, -H NAMES
  -f, -hostfile, -machinefile FILE
                     the hosts of the job: this machine, by any of its names
  -usize N           what MPI_UNIVERSE_SIZE is (default: the processors)
  --                 what follows is the program
  -h, -help          this text
  -V, -version, -info
                     the version

After a `:` comes another program of the same job; its ranks follow those of the program before it.
Standard input goes to rank 0. SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP and \
                                SIGCONT go to every rank.
The exit code is that of the first rank that fails, 128+N if signal N killed it; the other ranks \
                                are then ended.
Options of other launchers that say where processes run (-ppn, -bind-to, -map-by, -oversubscribe), \
                                how they are started (-launcher, -prefix), what is told about it \
                                (-report-bindings, -v), and those for one library alone (-mca, \
                                -allow-run-as-root), are accepted. The system decides where \
                                processes run, and a job ends with the first rank that fails.
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
    /// Whether what ranks write to stderr goes to our stdout.
    pub(crate) merges_stderr: bool,
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
        merges_stderr: false,
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
            "V" | "version" | "info" => return Ok(Part::Version),
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
        "merge-stderr-to-stdout" => options.merges_stderr = true,
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

/// Where processes run, which the system decides.
const PLACEMENT: &[&str] = &[
    "oversubscribe",
    "nooversubscribe",
    "use-hwthread-cpus",
    "bind-to-core",
    "bind-to-socket",
    "bind-to-none",
    "bycore",
    "bynode",
    "byslot",
    "pernode",
    "nolocal",
    "skip-launch-node",
];

/// The same with a value.
const PLACEMENT_BY: &[&str] = &[
    "ppn",
    "perhost",
    "N",
    "npernode",
    "npersocket",
    "bind-to",
    "binding",
    "map-by",
    "rank-by",
    "soft",
    "membind",
    "topolib",
    "order-nodes",
    "cpus-per-proc",
    "cpus-per-rank",
    "cpu-list",
    "cpu-set",
    "gpus-per-proc",
];

/// How other launchers start processes, and what they say about it.
const ABOUT_LAUNCHER: &[&str] = &[
    "allow-run-as-root",
    "v",
    "verbose",
    "q",
    "quiet",
    "print-all-exitcodes",
    "disable-auto-cleanup",
    "enable-auto-cleanup",
    "disable-hostname-propagation",
    "disable-x",
    "report-bindings",
    "display-map",
    "display-allocation",
    "display-topo",
    "debug-daemons",
    "leave-session-attached",
    "noprefix",
    "novm",
];

/// The same with a value.
const OF_LAUNCHER: &[&str] = &[
    "launcher",
    "launcher-exec",
    "bootstrap",
    "bootstrap-exec",
    "rmk",
    "iface",
    "localhost",
    "demux",
    "prefix",
    "personality",
    "launch-agent",
];

/// Options of other launchers that have no effect here, since they ask for the default or for
/// something that the system decides. False for others.
fn without_effect<'a>(
    name: &str,
    value: &mut (impl FnMut() -> Result<&'a OsString, String> + ?Sized),
) -> Result<bool, String> {
    let values = match name {
        "genvall" | "envall" => 0,
        "envlist" | "genvlist" => 1,
        _ if PLACEMENT.contains(&name) || ABOUT_LAUNCHER.contains(&name) => 0,
        _ if PLACEMENT_BY.contains(&name) || OF_LAUNCHER.contains(&name) => 1,
        "mca" | "gmca" | "omca" | "gomca" | "prtemca" | "pmixmca" => 2,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn job(arguments: &str) -> Result<Options, String> {
        let arguments: Vec<OsString> = arguments.split(' ').map(OsString::from).collect();
        match parse(&arguments)? {
            Invocation::Run(options) => Ok(options),
            _ => Err("no job".into()),
        }
    }

    /// The options are written as in the manuals of the other launchers, with their values.
    #[test]
    fn options_of_other_launchers_take_their_values_along() {
        for options in [
            "-launcher ssh -launcher-exec /usr/bin/ssh -iface eth0 -print-all-exitcodes",
            "-bootstrap fork -bootstrap-exec x -rmk slurm -disable-auto-cleanup -verbose",
            "-order-nodes ascending -demux poll -binding user:0 -v -membind none -topolib hwloc",
            "--report-bindings --display-map --display-allocation -q --quiet --nooversubscribe",
            "--bind-to-core --bind-to-socket --bind-to-none --nolocal --debug-daemons",
            "--prefix /opt --cpus-per-proc 2 --allow-run-as-root --mca a b --gmca a b",
        ] {
            let job = job(&format!("{options} -n 3 program -launcher")).unwrap();
            let [program] = &job.programs[..] else { panic!("{options}: not one program") };
            assert_eq!((program.ranks, job.merges_stderr), (3, false), "{options}");
            assert_eq!(program.command, ["program", "-launcher"], "{options}");
        }
        assert!(job("--merge-stderr-to-stdout program").unwrap().merges_stderr);
    }

    /// What these ask for would be missed: another environment, output in other places.
    #[test]
    fn options_that_would_be_missed_are_refused() {
        for option in [
            "-genvnone",
            "-envnone",
            "-outfile-pattern",
            "--output-filename",
            "--stdin",
            "-prepend-pattern",
            "-s",
        ] {
            let refused = job(&format!("{option} x program")).err();
            assert_eq!(refused.unwrap_or_default(), format!("unknown option {option}"));
        }
    }
}
