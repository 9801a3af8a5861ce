//! `mqd watch`: reads live processes repeatedly.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::time::SystemTime;

use super::args::Watch;
use super::exit::Exit;
use super::look::{Looker, diagnose, look_of, since};
use super::output::{complain, print};
use super::screen::{Next, Screen};
use mqd_report::changes::{Look, Tracker};
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
    let mut looks: VecDeque<Look> = VecDeque::new();
    let (mut number, mut reading) = (0, first);
    loop {
        number += 1;
        let mut exit = reading.exit;
        if looker.all_ended() {
            return Ok(face.end("the job has ended", Exit::Complete));
        }
        looks.push_back(look_of(reading, Some(SystemTime::now())));
        let look = &looks[looks.len() - 1];
        let changes = tracker.look(look.at, &look.report);
        let diagnosis = diagnose(looks.iter());
        exit = face.show(&render::look(number, look, &changes, &diagnosis), exit);
        if exit == Exit::Output || args.count == Some(number) {
            return Ok(exit);
        }
        match face.wait(args) {
            Next::End => return Ok(Exit::Complete),
            Next::Look => {}
        }
        // Older ones than the next look is compared with are not needed.
        while looks.get(1).is_some_and(|second| since(second, &looks[looks.len() - 1]).is_some()) {
            looks.pop_front();
        }
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
