//! The programs between a user and the ranks of a job, by their names.

/// Bytes that the kernel keeps of a process's name.
const KEPT: usize = 15;

const LAUNCHERS: [&str; 8] =
    ["mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "mpiexec.hydra", "mpirun.openmpi"];

/// The programs that launchers start on each host, and that start the ranks there.
const DAEMONS: [&str; 6] =
    ["orted", "prted", "prte", "hydra_pmi_proxy", "hydra_bstrap_proxy", "pmi_proxy"];

/// Those of them that MPICH starts.
const OF_MPICH: [&str; 2] = ["hydra_pmi_proxy", "pmi_proxy"];

/// Slurm's program above the processes of a step. It may also be above a launcher.
const STEP_DAEMON: &str = "slurmstepd";

/// Programs through which ranks are often started.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh"];

/// Is this the name of a launcher, whole or as the kernel keeps it?
pub(super) fn is_launcher(name: &str) -> bool {
    is_one_of(&LAUNCHERS, name)
}

/// Is this the name of a program that launchers start on each host?
pub(super) fn is_daemon(name: &str) -> bool {
    is_one_of(&DAEMONS, name)
}

/// Is this the name of a program that MPICH starts on each host?
pub(super) fn is_helper_of_mpich(name: &str) -> bool {
    is_one_of(&OF_MPICH, name)
}

/// Is this the name of a program that starts ranks and is not a rank itself? It may have inherited
/// a rank.
pub(super) fn is_helper(name: &str) -> bool {
    is_launcher(name) || is_daemon(name) || is_one_of(&[STEP_DAEMON], name)
}

/// Is this the name of a shell?
pub(super) fn is_shell(name: &str) -> bool {
    is_one_of(&SHELLS, name)
}

fn is_one_of(programs: &[&str], name: &str) -> bool {
    programs.iter().any(|program| kept(program) == kept(name))
}

fn kept(name: &str) -> &[u8] {
    &name.as_bytes()[..name.len().min(KEPT)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_the_kernel_cuts_them() {
        for name in ["hydra_bstrap_proxy", "hydra_bstrap_pr", "hydra_pmi_proxy", "orted"] {
            assert!(is_daemon(name) && is_helper(name) && !is_launcher(name), "{name}");
        }
        for name in ["mpiexec", "mpirun.openmpi"] {
            assert!(is_launcher(name) && is_helper(name) && !is_daemon(name), "{name}");
        }
        assert!(is_helper("slurmstepd") && !is_daemon("slurmstepd"));
        for name in ["solver", "hydra_bstrap", "", "mpirun.openmpi2"] {
            assert!(!is_helper(name), "{name}");
        }
    }
}
