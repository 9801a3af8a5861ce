//! Opens a core file and prints the message queues of its process.
//!
//! ```text
//! cargo run -p mqd-host --example open_core -- core.1234 [libmqd.so]
//! ```
//!
//! The second argument names the debug DLL. Without it the program looks for `libmqd.so` beside
//! itself.

use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use mqd_host::dump::Dumper;
use mqd_host::request::{Options, Request};
use mqd_report::Queue;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let core = arguments.next().ok_or("usage: open_core CORE [DLL]")?;
    let options = Options { dll: arguments.next(), ..Options::default() };

    let outcome = Dumper::new(options).dump(&Request::Core(core), &AtomicU64::new(0));
    for problem in &outcome.process.errors {
        eprintln!("{problem}");
    }
    for communicator in &outcome.process.communicators {
        println!(
            "{}: rank {} of {}",
            communicator.name, communicator.local_rank, communicator.size
        );
        for queue in Queue::ALL {
            let name = queue.plural_name();
            if communicator.not_known.contains(&queue) {
                println!("  {name}: not known");
                continue;
            }
            println!("  {name}: {}", communicator.queue(queue).len());
            for operation in communicator.queue(queue) {
                println!(
                    "    peer {}, tag {:?}, {} bytes",
                    operation.desired_local_rank, operation.desired_tag, operation.desired_length
                );
            }
        }
    }
    Ok(())
}
