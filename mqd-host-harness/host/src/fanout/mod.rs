//! The ranks of other hosts: one client for each, an agent at its far end.
//!
//! ```text
//!   launcher ──job──> members, hosts
//!                          │ by host
//!          ┌───────────────┼───────────────┐
//!          v               v               v
//!       client          client          client        ssh, srun, mpiexec, a command
//!          │ Ask           │               │          on standard input
//!          v               v               v
//!       agent           agent           agent         reads the processes of its node
//!          │ snapshot      │               │          on standard output, in frames
//!          └───────────────┼───────────────┘
//!                          v
//!                   outcomes, one for each rank
//! ```
//!
//! If a host cannot be reached or does not answer in time, only its own ranks are missing.

mod agent;
mod answer;
mod client;
mod input;
mod protocol;
mod sent;
mod tally;
mod via;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use self::agent::serve;
use self::answer::outcomes;
pub use self::answer::{last_frame, read_answer, write_answer};
use self::client::{Client, ClientError};
use self::protocol::{Ask, Done, Look};
pub use self::sent::Sent;
pub use self::tally::Tally;
pub use self::via::{Agent, Via};
use crate::capture::Keep;
use crate::job::{Member, Wanted};
use crate::motion::Motion;
use crate::outcome::Outcome;
use crate::parallel;
use crate::request::{Options, Request};
use crate::snapshot::{Stream, StreamError};
use mqd_report::{JobIdentity, Problem, ProblemKind};

/// How to reach other hosts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What starts agents.
    pub via: Via,
    /// The agent.
    pub agent: Agent,
    /// How long a host may take to start the agent, and again for each answer.
    pub limit: Duration,
    /// How many clients run at a time.
    pub parallel: usize,
}

/// The hosts of a job.
#[derive(Debug)]
pub struct Fanout {
    settings: Settings,
    hosts: BTreeMap<String, Mutex<State>>,
    tally: Arc<Tally>,
}

/// What is known of a host.
#[derive(Debug, Default)]
enum State {
    /// No client runs.
    #[default]
    Idle,
    /// A client runs.
    Connected(Client),
    /// It failed, and is not tried again.
    Failed(Problem),
}

/// What was found on a host: ranks of the job, and what identifies the job.
pub type Found = Vec<(Member, JobIdentity)>;

impl Fanout {
    /// The hosts of a job. No agent is started yet.
    pub fn new(settings: Settings) -> Fanout {
        Fanout { settings, hosts: BTreeMap::new(), tally: Arc::default() }
    }

    /// How far the hosts are.
    pub fn tally(&self) -> Arc<Tally> {
        Arc::clone(&self.tally)
    }

    /// Starts agents on hosts, so that they can look at the same time. If there are more hosts than
    /// clients may run, they are started later.
    pub fn connect<'a>(&mut self, hosts: impl IntoIterator<Item = &'a str>) {
        for host in hosts {
            self.hosts.entry(host.to_owned()).or_default();
        }
        if self.all_at_once() {
            let hosts: Vec<&String> = self.hosts.keys().collect();
            self.each(&hosts, |host| drop(self.with_client(host, |_| Ok(()))));
        }
    }

    fn all_at_once(&self) -> bool {
        self.hosts.len() <= self.settings.parallel
    }

    /// The processes of a job on these hosts.
    pub fn find(&mut self, hosts: &[String], wanted: &Wanted) -> Vec<Result<Found, Problem>> {
        self.connect(hosts.iter().map(String::as_str));
        let wanted = Ask::Find(wanted.clone());
        let hosts: Vec<&String> = hosts.iter().collect();
        self.each(&hosts, |host| {
            let done = self.told(host, &wanted)?;
            let named = |(member, job)| (Member { host: (*host).clone(), ..member }, job);
            Ok(done.found.into_iter().map(named).collect())
        })
    }

    /// Reads processes of other hosts. The outcomes are in the order of the members. `keep` says
    /// what of their memory to keep if `options.record` is set.
    pub fn look(&mut self, members: &[Member], options: &Options, keep: Keep) -> Vec<Outcome> {
        let mut by_host: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, member) in members.iter().enumerate() {
            by_host.entry(&member.host).or_default().push(index);
        }
        self.connect(by_host.keys().copied());
        let hosts: Vec<_> = by_host.iter().collect();
        let looked = self.each(&hosts, |(host, indices)| {
            let mine = indices.iter().map(|index| &members[*index]);
            let outcomes = self.look_at(host, mine, options, keep);
            indices.iter().copied().zip(outcomes).collect::<Vec<_>>()
        });
        let mut outcomes: HashMap<usize, Outcome> = looked.into_iter().flatten().collect();
        let indices = members.iter().enumerate();
        let lost = |member: &Member| unread(member, &Problem::new(ProblemKind::Other, "no answer"));
        indices
            .map(|(index, member)| outcomes.remove(&index).unwrap_or_else(|| lost(member)))
            .collect()
    }

    /// What the kernels of other hosts have counted of these members up to now, as far as they
    /// tell. A host has both the name that members have for it and the one it has for itself.
    pub fn motion(&mut self, members: &[Member]) -> HashMap<(String, u32), Motion> {
        let mut by_host: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for member in members {
            by_host.entry(&member.host).or_default().push(member.pid);
        }
        self.connect(by_host.keys().copied());
        let hosts: Vec<_> = by_host.into_iter().collect();
        let told = self.each(&hosts, |(host, pids)| {
            let done = self.told(host, &Ask::Motion(pids.clone())).unwrap_or_default();
            let named = |name: &str, (pid, motion): (&u32, &Motion)| {
                ((name.to_owned(), *pid), motion.clone())
            };
            let names = [*host, &done.host];
            let all = names.iter().flat_map(|name| done.motion.iter().map(|one| named(name, one)));
            all.collect::<Vec<_>>()
        });
        told.into_iter().flatten().collect()
    }

    /// Reads the processes of one host.
    fn look_at<'a>(
        &self,
        host: &str,
        members: impl Iterator<Item = &'a Member> + Clone,
        options: &Options,
        keep: Keep,
    ) -> Vec<Outcome> {
        // The host may know itself by another name.
        let here =
            |member: &Member| Request::Member(Member { host: String::new(), ..member.clone() });
        let ask = Ask::Look(Box::new(Look {
            options: options.clone(),
            requests: members.clone().map(here).collect(),
            redact: keep.redact,
            report_only: keep.report_only || !options.record,
        }));
        let answer = self.with_client(host, |client| self.ask(client, &ask));
        let count = members.clone().count();
        let outcomes = answer.and_then(|answer| {
            let mut outcomes = outcomes(&answer).map_err(|why| unusable(host, &why.to_string()))?;
            let done: Done = answer.done().map_err(|why| unusable(host, &why.to_string()))?;
            outcomes.iter_mut().for_each(|outcome| outcome.process.held = done.held);
            let told = outcomes.len();
            let wrong = || unusable(host, &format!("it sent {told} processes instead of {count}"));
            if told == count { Ok(outcomes) } else { Err(wrong()) }
        });
        match outcomes {
            Ok(outcomes) => {
                let named = members.zip(outcomes).map(|(member, mut outcome)| {
                    outcome.process.host.get_or_insert_with(|| member.host.as_str().into());
                    outcome
                });
                named.collect()
            }
            Err(problem) => members.map(|member| unread(member, &problem)).collect(),
        }
    }

    /// What the agent of a host tells at the end of its answer.
    fn told(&self, host: &str, ask: &Ask) -> Result<Done, Problem> {
        self.with_client(host, |client| Ok(self.ask(client, ask)?.done()?))
    }

    fn ask(&self, client: &mut Client, ask: &Ask) -> Result<Stream, ClientError> {
        client.ask(ask, self.settings.via.name(), self.settings.limit)
    }

    /// Works with the client of a host, which is started if there is none.
    fn with_client<T>(
        &self,
        host: &str,
        work: impl FnOnce(&mut Client) -> Result<T, ClientError>,
    ) -> Result<T, Problem> {
        let Some(state) = self.hosts.get(host) else {
            return Err(unusable(host, "it is not connected"));
        };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        self.tally.ask(host);
        let worked = match std::mem::take(&mut *state) {
            State::Failed(problem) => Err(problem),
            State::Idle => self.start(host).and_then(|client| self.work(host, client, work)),
            State::Connected(client) => self.work(host, client, work),
        };
        self.tally.answer(host, worked.is_err());
        match worked {
            Ok((result, client)) => {
                // The number of clients that run is limited.
                if self.all_at_once() {
                    *state = State::Connected(client);
                }
                Ok(result)
            }
            Err(problem) => {
                *state = State::Failed(problem.clone());
                Err(problem)
            }
        }
    }

    fn work<T>(
        &self,
        host: &str,
        mut client: Client,
        work: impl FnOnce(&mut Client) -> Result<T, ClientError>,
    ) -> Result<(T, Client), Problem> {
        let result = work(&mut client).map_err(|error| self.problem(host, &error))?;
        Ok((result, client))
    }

    fn start(&self, host: &str) -> Result<Client, Problem> {
        let Settings { via, agent, limit, .. } = &self.settings;
        let command = via
            .command(host, agent, *limit)
            .map_err(|error| Problem::new(ProblemKind::Unreachable, error.to_string()))?;
        Client::start(command, via.name(), agent, *limit)
            .map_err(|error| self.problem(host, &error))
    }

    fn problem(&self, host: &str, error: &ClientError) -> Problem {
        let (kind, advice) = match error {
            ClientError::Late { .. } => {
                (ProblemKind::TimeLimit, "give more time with --node-timeout".to_owned())
            }
            ClientError::Stream(StreamError::TooMuch(_)) => {
                (ProblemKind::Limit, "read fewer ranks at a time, with --rank".to_owned())
            }
            ClientError::Version(_) => (
                ProblemKind::Unreachable,
                "name an mqd of this version there with --agent".to_owned(),
            ),
            _ if self.settings.agent.sent.is_some() => (
                ProblemKind::Unreachable,
                format!(
                    "run `{} {host} uname -m`: it has to print {}. --via names another way",
                    self.settings.via.name(),
                    std::env::consts::ARCH
                ),
            ),
            _ => (
                ProblemKind::Unreachable,
                format!(
                    "see whether `{} {host} {} --version` works; --via and --agent name others; \
                     --send-agent needs no mqd there",
                    self.settings.via.name(),
                    self.settings.agent.program.display()
                ),
            ),
        };
        Problem::new(kind, format!("host {host}: {error}")).on_host(host).advise(advice)
    }

    /// Does the work of all hosts, some of them at a time. The results are in the order of the
    /// hosts.
    fn each<H: Sync, T: Send>(&self, hosts: &[H], work: impl Fn(&H) -> T + Sync) -> Vec<T> {
        parallel::map(hosts, self.settings.parallel, work)
    }
}

impl Drop for Fanout {
    fn drop(&mut self) {
        // Each may take a moment to end.
        let hosts: Vec<&Mutex<State>> = self.hosts.values().collect();
        self.each(&hosts, |state| {
            drop(std::mem::take(&mut *state.lock().unwrap_or_else(PoisonError::into_inner)));
        });
    }
}

/// The outcome for a process of a host that did not answer.
fn unread(member: &Member, problem: &Problem) -> Outcome {
    Request::Member(member.clone()).unreadable(problem.clone())
}

fn unusable(host: &str, why: &str) -> Problem {
    let text = format!("host {host}: what the agent sent cannot be used: {why}");
    Problem::new(ProblemKind::Unreachable, text).on_host(host)
}
