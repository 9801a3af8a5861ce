//! What starts an agent on another host.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::sent::Sent;

/// How to reach the hosts of a job. One client is started for each host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// `ssh HOST`.
    Ssh,
    /// A step in the job of Slurm with this number.
    Srun(String),
    /// `mpiexec` with one process.
    Mpiexec,
    /// A command in which `{host}` stands for the host. The program of the agent and its arguments
    /// follow.
    Command(Vec<String>),
}

/// The program at the far end.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The path of `mqd` there.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The program itself, if it is to be sent to a shell there.
    pub sent: Option<Sent>,
}

impl Agent {
    /// What a client starts.
    fn command(&self) -> (&Path, &[String]) {
        match self.sent {
            Some(_) => (Path::new("sh"), &[]),
            None => (&self.program, &self.arguments),
        }
    }
}

/// A host cannot be named on a command line.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a valid host name")]
pub(super) struct NoHost(String);

impl Via {
    /// The command that starts an agent on a host. `limit`: how long connecting may take.
    ///
    /// # Errors
    /// This is not a valid name of a host. Names come from launchers and their tables, and a name
    /// such as `-oX` would be an option.
    pub(super) fn command(
        &self,
        host: &str,
        agent: &Agent,
        limit: Duration,
    ) -> Result<Command, NoHost> {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "._:-".contains(letter);
        if host.is_empty() || host.starts_with('-') || !host.chars().all(is_letter) {
            return Err(NoHost(host.to_owned()));
        }
        let mut command = match self {
            Via::Ssh => return Ok(ssh(host, agent, limit)),
            Via::Srun(job) => srun(job, host),
            Via::Mpiexec => {
                let mut command = Command::new("mpiexec");
                command.args(["-n", "1", "--host", host]);
                command
            }
            Via::Command(words) => {
                let words = words.iter().map(|word| word.replace("{host}", host));
                let words: Vec<String> = words.collect();
                let mut command = Command::new(words.first().map_or("", String::as_str));
                command.args(words.iter().skip(1));
                command
            }
        };
        let (program, arguments) = agent.command();
        command.arg(program).args(arguments);
        Ok(command)
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        match self {
            Via::Ssh => "ssh",
            Via::Srun(_) => "srun",
            Via::Mpiexec => "mpiexec",
            Via::Command(words) => words.first().map_or("", String::as_str),
        }
    }
}

/// Without a terminal, which would change bytes, and without questions to the user.
fn ssh(host: &str, agent: &Agent, limit: Duration) -> Command {
    let mut command = Command::new("ssh");
    let seconds = limit.as_secs().max(1);
    command.args(["-T", "-o", "BatchMode=yes", "-o"]).arg(format!("ConnectTimeout={seconds}"));
    // A shell reads the rest there.
    let (program, arguments) = agent.command();
    let words = std::iter::once(shown(program)).chain(arguments.iter().cloned());
    let words: Vec<String> = words.map(|word| quoted(&word)).collect();
    command.args(["--", host]).arg(format!("exec {}", words.join(" ")));
    command
}

/// A step beside those of the job. Its output is not kept back until a line ends.
fn srun(job: &str, host: &str) -> Command {
    let mut command = Command::new("srun");
    command.arg(format!("--jobid={job}")).arg(format!("--nodelist={host}"));
    command.args(["--overlap", "--quiet", "--unbuffered", "--mpi=none"]);
    command.args(["--nodes=1", "--ntasks=1"]);
    // Variables that the user has set for the job's own steps.
    for variable in ["SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NTASKS_PER_NODE", "SLURM_LABELIO"] {
        command.env_remove(variable);
    }
    command
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A word for a shell.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(via: &Via, host: &str) -> Option<String> {
        let agent = Agent {
            program: "/opt/it's/mqd".into(),
            arguments: vec!["agent".to_owned()],
            sent: None,
        };
        let command = via.command(host, &agent, Duration::from_secs(7)).ok()?;
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        Some(words.join(" "))
    }

    #[test]
    fn commands() {
        assert_eq!(
            line(&Via::Ssh, "node1").as_deref(),
            Some(concat!(
                "ssh -T -o BatchMode=yes -o ConnectTimeout=7 -- node1 ",
                r"exec '/opt/it'\''s/mqd' 'agent'"
            ))
        );
        let words = ["rsh", "-l", "me", "{host}"].map(str::to_owned).to_vec();
        assert_eq!(
            line(&Via::Command(words), "10.0.0.1").as_deref(),
            Some("rsh -l me 10.0.0.1 /opt/it's/mqd agent")
        );
    }

    #[test]
    fn hosts_that_would_be_something_else() {
        for host in ["", "-oProxyCommand=x", "a b", "a;b", "a'b", "$x", "a\nb"] {
            assert_eq!(line(&Via::Ssh, host), None, "{host:?}");
        }
    }
}
