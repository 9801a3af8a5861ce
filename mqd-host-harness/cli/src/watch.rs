//! `mqd watch`: reads live processes repeatedly.

use std::io::IsTerminal;
use std::time::SystemTime;

use super::args::Watch;
use super::exit::Exit;
use super::look::{Looker, look_of};
use super::output::{complain, print};
use super::screen::{Next, Screen};
use mqd_report::changes::{Look, Tracker};
use mqd_report::check::{check, check_again};
use mqd_report::render;

pub(super) fn run(args: &Watch) -> Result<Exit, Exit> {
    let mut looker = Looker::new(&args.targets, args.options())?;
    let first = looker.look();
    first.tell(true, false);
    if first.all_failed() {
        return Err(first.exit);
    }
    let mut face = Face::open(args)?;
    let mut tracker = Tracker::default();
    let mut before: Option<Look> = None;
    let (mut number, mut reading) = (0, first);
    loop {
        number += 1;
        let mut exit = reading.exit;
        if looker.all_ended() {
            return Ok(face.end("the job has ended", Exit::Complete));
        }
        let look = look_of(reading, Some(SystemTime::now()));
        let changes = tracker.look(look.at, &look.report);
        let diagnosis = match (&before, changes.since) {
            (Some(before), Some(since)) => {
                check_again(&before.report, &look.report, since.as_secs_f64())
            }
            _ => check(&look.report),
        };
        exit = face.show(&render::look(number, &look, &changes, &diagnosis), exit);
        if exit == Exit::Output || args.count == Some(number) {
            return Ok(exit);
        }
        match face.wait(args) {
            Next::End => return Ok(Exit::Complete),
            Next::Look => {}
        }
        before = Some(look);
        reading = looker.look();
    }
}

/// Where looks are shown.
enum Face {
    Terminal(Screen),
    Text,
}

impl Face {
    fn open(args: &Watch) -> Result<Face, Exit> {
        if args.plain || !std::io::stdout().is_terminal() {
            return Ok(Face::Text);
        }
        Screen::open().map(Face::Terminal).map_err(|error| {
            complain(&format!("cannot use the terminal: {error}; use --plain"));
            Exit::Output
        })
    }

    fn show(&mut self, lines: &[String], exit: Exit) -> Exit {
        match self {
            Face::Terminal(screen) => match screen.show(lines) {
                Ok(()) => exit,
                Err(_) => Exit::Output,
            },
            Face::Text => print(&format!("{}\n\n", lines.join("\n")), exit),
        }
    }

    fn wait(&mut self, args: &Watch) -> Next {
        match self {
            // The terminal fails only if it has gone.
            Face::Terminal(screen) => screen.wait(args.every).unwrap_or(Next::End),
            Face::Text => {
                std::thread::sleep(args.every);
                Next::Look
            }
        }
    }

    /// Closes the screen and prints the last line.
    fn end(self, text: &str, exit: Exit) -> Exit {
        drop(self);
        print(&format!("{text}\n"), exit)
    }
}
