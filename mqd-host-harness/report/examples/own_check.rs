//! Your own check over a report: which ranks have a message race?
//!
//! A posted receive with `MPI_ANY_SOURCE` can take a message that another posted receive of the
//! same rank expects from a named source. Which of the two receives gets it depends on the order in
//! which messages arrive.
//!
//! ```text
//! mqd dump --job PID --format json > report.json
//! cargo run -p mqd-report --example own_check report.json
//! ```

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

use mqd_report::check::check;
use mqd_report::{Communicator, Operation, Process, Queue, Report, Status};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("which report? own_check report.json")?;
    let report: Report = serde_json::from_reader(BufReader::new(File::open(path)?))?;
    println!("{}", check(&report).reason);
    let mut found = false;
    for process in &report.processes {
        // A queue that was not read is not known. It is not empty.
        for problem in &process.errors {
            println!("{}: not read completely: {problem}", title(process));
        }
        for communicator in &process.communicators {
            if communicator.not_known.contains(&Queue::Receives) {
                println!("{}, {}: receives not known", title(process), communicator.name);
            }
            for (any, named) in races(communicator) {
                found = true;
                println!(
                    "{}, {}: a receive from any source ({}) competes with one from rank {} ({})",
                    title(process),
                    communicator.name,
                    tag(any),
                    named.desired_local_rank,
                    tag(named)
                );
            }
        }
    }
    Ok(if found { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Pairs of posted receives: the first can take a message that the second one expects.
fn races(communicator: &Communicator) -> Vec<(&Operation, &Operation)> {
    let posted = || {
        let receives = communicator.queue(Queue::Receives).iter();
        receives.filter(|receive| receive.status == Status::Pending)
    };
    let mut races = Vec::new();
    for any in posted().filter(|receive| receive.desired_local_rank == -1) {
        for named in posted().filter(|receive| receive.desired_local_rank != -1) {
            let overlap = any.tag_wild || named.tag_wild || any.desired_tag == named.desired_tag;
            if overlap {
                races.push((any, named));
            }
        }
    }
    races
}

fn title(process: &Process) -> String {
    process.rank.map_or("a process".to_owned(), |rank| format!("rank {rank}"))
}

fn tag(receive: &Operation) -> String {
    receive.desired_tag.map_or("any tag".to_owned(), |tag| format!("tag {tag}"))
}
