//! `mqd layout learn`: a table from a known program under the user's own launcher.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mqd_host::tables::{Launch, LearnError, Shelf, learn};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::low_level::emulate_default_handler;

use super::super::args::LayoutLearn;
use super::super::exit::Exit;
use super::super::output::complain;
use super::{is_table, named, put_as};

/// The signals after which the program is ended first.
const SIGNALS: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Learns a table and writes it.
pub(super) fn run(args: &LayoutLearn) -> Result<Exit, Exit> {
    let shelf = Shelf::load();
    shelf.warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));
    let likes = match &args.like {
        Some(name) => {
            let like = named(&shelf, name)?;
            if like.table().is_err() {
                return Err(is_table(&like));
            }
            vec![like]
        }
        None => shelf.entries,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let came = signals(&stop).map_err(|error| {
        complain(&format!("signals cannot be handled: {error}"));
        Exit::NotRun
    })?;
    let mqd = std::env::current_exe().map_err(|error| {
        complain(&format!("mqd does not find itself: {error}"));
        Exit::NotRun
    })?;
    let launch = Launch {
        command: args.command.clone(),
        mpicc: args.mpicc.clone(),
        mqd,
        versions: args.versions.clone(),
    };
    match learn(&launch, &likes, &stop) {
        Ok(learned) => {
            complain(&format!("learned like {}, and verified", learned.like));
            Ok(put_as(&learned.text, &learned.remarks, args.output.as_deref(), &learned.file_name))
        }
        Err(LearnError::Stopped) => {
            let signal =
                SIGNALS.into_iter().zip(came).find(|(_, came)| came.load(Ordering::Relaxed));
            if let Some((signal, _)) = signal {
                // It ends this process.
                let _ = emulate_default_handler(signal);
            }
            Err(Exit::Unreadable)
        }
        Err(error) => {
            complain(&error.to_string());
            Err(match error {
                LearnError::Nothing { .. } => Exit::NoQueues,
                _ => Exit::Unreadable,
            })
        }
    }
}

/// Makes `stop` true when a signal comes. The result says which one it was, in the order of
/// [`SIGNALS`].
fn signals(stop: &Arc<AtomicBool>) -> std::io::Result<Vec<Arc<AtomicBool>>> {
    let mut came = Vec::new();
    for signal in SIGNALS {
        let this = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal, Arc::clone(&this))?;
        signal_hook::flag::register(signal, Arc::clone(stop))?;
        came.push(this);
    }
    Ok(came)
}
