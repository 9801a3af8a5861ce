//! The clients by which launchers start their helpers on other hosts: ssh, or srun in a Slurm job.
//! If there is no table of processes, their command lines tell the hosts.

use super::environment::{command_line, control_port};
use super::tree;

/// Options of ssh that take an argument of their own.
const SSH_OPTIONS: &str = "BbcDEeFIiJLlmOoPpQRSWw";

/// The most hosts that are taken from a list.
const MOST_HOSTS: usize = 1 << 16;

/// The hosts that a launcher has started helpers on, in the order of their names, each once.
pub(super) fn hosts(launcher: u32) -> Vec<String> {
    let mut hosts: Vec<String> =
        below(launcher).flat_map(|pid| hosts_in(&command_line(pid))).collect();
    hosts.sort();
    hosts.dedup();
    hosts
}

/// The port in the command lines of a launcher of the family of hydra: its name for the job.
pub(super) fn port(launcher: u32) -> Option<String> {
    below(launcher).find_map(control_port)
}

/// The processes under a process.
fn below(ancestor: u32) -> impl Iterator<Item = u32> {
    tree::walk(ancestor, &mut tree::processes()).into_iter().map(|(pid, ..)| pid)
}

/// The hosts in a command line of ssh or srun.
fn hosts_in(words: &[String]) -> Vec<String> {
    let name = words.first().and_then(|program| program.rsplit('/').next()).unwrap_or_default();
    match name {
        "ssh" | "rsh" => ssh_host(&words[1..]).into_iter().collect(),
        "srun" => {
            let list = words.iter().zip(words.iter().skip(1)).find_map(|(word, next)| {
                let long = word.strip_prefix("--nodelist=").map(str::to_owned);
                long.or_else(|| ["--nodelist", "-w"].contains(&word.as_str()).then(|| next.clone()))
            });
            list.map(|list| host_list(&list)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// The first word that is neither an option nor the argument of one.
fn ssh_host(words: &[String]) -> Option<String> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix('-') else {
            return Some(word.rsplit('@').next().unwrap_or(word).to_owned());
        };
        // An option with its argument in the next word is one letter, or the last of several.
        let takes = option.find(|letter| SSH_OPTIONS.contains(letter));
        if takes.is_some_and(|at| at + 1 == option.len()) {
            words.next();
        }
    }
    None
}

/// The hosts of a list as Slurm writes it: `login,node[0-2,7]`.
pub fn host_list(list: &str) -> Vec<String> {
    let mut hosts = Vec::new();
    for part in split_outside_brackets(list) {
        match part.split_once('[').and_then(|(name, rest)| Some((name, rest.split_once(']')?))) {
            Some((prefix, (numbers, suffix))) => {
                for range in numbers.split(',') {
                    let (first, last) = range.split_once('-').unwrap_or((range, range));
                    let (Ok(from), Ok(to)) = (first.parse::<u64>(), last.parse::<u64>()) else {
                        continue;
                    };
                    let width = first.len();
                    let room = MOST_HOSTS.saturating_sub(hosts.len());
                    let names = (from..=to).take(room);
                    hosts.extend(names.map(|number| format!("{prefix}{number:0width$}{suffix}")));
                }
            }
            None if !part.is_empty() => hosts.push(part.to_owned()),
            None => {}
        }
    }
    hosts
}

fn split_outside_brackets(list: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut inside) = (Vec::new(), 0, false);
    for (at, letter) in list.char_indices() {
        match letter {
            '[' => inside = true,
            ']' => inside = false,
            ',' if !inside => {
                parts.push(&list[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn command_lines_of_launchers() {
        for (line, expected) in [
            ("ssh node1 orted -mca ess env", &["node1"][..]),
            ("/usr/bin/ssh -x -p 2222 me@node1 hydra_pmi_proxy --control-port a:1", &["node1"]),
            ("ssh -xoBatchMode=yes node2 prted", &["node2"]),
            ("srun --ntasks-per-node=1 --nodelist=node1,node2 prted", &["node1", "node2"]),
            ("srun --nodelist node[1-2] -N 2 -n 2 hydra_pmi_proxy", &["node1", "node2"]),
            ("ssh", &[]),
            ("prted --leader", &[]),
        ] {
            assert_eq!(hosts_in(&words(line)), expected, "{line}");
        }
    }

    #[test]
    fn lists_of_hosts() {
        assert_eq!(host_list("a,b[08-10,3]c,d"), ["a", "b08c", "b09c", "b10c", "b3c", "d"]);
        assert_eq!(host_list("node0"), ["node0"]);
        assert_eq!(host_list(""), Vec::<String>::new());
        assert_eq!(host_list("x[0-99999999999]").len(), MOST_HOSTS);
    }
}
