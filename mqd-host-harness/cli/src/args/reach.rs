//! How ranks on other hosts are reached: arguments of all commands that read processes.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::values::seconds;

/// How to reach other hosts.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Reach {
    /// How to start mqd on the other hosts of a job: ssh, srun, mpiexec, none, or a command
    ///
    /// Without this option, mqd uses srun for Slurm jobs, and ssh otherwise. In a command, {host}
    /// stands for the host; mqd adds its path and arguments. Example: --via 'rsh {host}'. With
    /// none, the ranks of other hosts are not read.
    #[arg(long, value_name = "HOW", help_heading = "Other hosts")]
    pub(crate) via: Option<ViaName>,

    /// The path of mqd on the other hosts, if it differs from that on this one
    #[arg(long, value_name = "PATH", help_heading = "Other hosts")]
    pub(crate) agent: Option<PathBuf>,

    /// Send mqd to the other hosts, which need not have it
    ///
    /// There, it is in a temporary file for a moment. The machines must be of the same kind as this
    /// one. With --agent, the file with that path on this machine is sent.
    #[arg(long, help_heading = "Other hosts")]
    pub(crate) send_agent: bool,

    /// Other hosts that have ranks of the job, such as node1,node[3-7]
    ///
    /// Needed only for launchers without a table of processes that have not started their helpers
    /// with ssh or srun.
    #[arg(long, value_name = "HOSTS", help_heading = "Other hosts")]
    pub(crate) hosts: Option<String>,

    /// How long a host may take to start mqd, and to answer
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "10",
        value_parser = seconds,
        help_heading = "Other hosts"
    )]
    pub(crate) node_timeout: Duration,

    /// How many hosts are read at a time
    ///
    /// The ranks of these hosts are read at about the same instant. Further hosts follow as others
    /// finish.
    #[arg(long, value_name = "N", default_value_t = 64, help_heading = "Other hosts")]
    pub(crate) parallel: usize,
}

/// What the user says about how to reach hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ViaName {
    /// `ssh`.
    Ssh,
    /// `srun`, in the Slurm job that the ranks run in.
    Srun,
    /// `mpiexec`.
    Mpiexec,
    /// Not at all.
    None,
    /// A command with `{host}` in it.
    Command(Vec<String>),
}

impl FromStr for ViaName {
    type Err = String;

    fn from_str(text: &str) -> Result<ViaName, String> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        match text {
            "ssh" => Ok(ViaName::Ssh),
            "srun" => Ok(ViaName::Srun),
            "mpiexec" => Ok(ViaName::Mpiexec),
            "none" => Ok(ViaName::None),
            _ if words.iter().skip(1).any(|word| word.contains("{host}")) => {
                Ok(ViaName::Command(words))
            }
            _ => {
                Err("it must be ssh, srun, mpiexec, none, or a command that contains {host}"
                    .to_owned())
            }
        }
    }
}
