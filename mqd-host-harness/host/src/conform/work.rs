//! The worker's side: it judges the DLL, and tells how far it is.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use super::bench::{Bench, Subject};
use super::{Judge, Part, Task, steps};
use crate::callbacks::heap;
use crate::dll::{self, Candidate, Dll};
use crate::worker::{self, Client};

/// Does the work of a worker process.
///
/// # Errors
/// This process was not started as a worker.
pub fn serve() -> io::Result<()> {
    let (task, client) = worker::begin::<Task>()?;
    let client = Rc::new(RefCell::new(client));
    work(&task, &client)?;
    match Rc::into_inner(client) {
        Some(client) => client.into_inner().end(),
        None => Ok(()),
    }
}

fn work(task: &Task, client: &Rc<RefCell<Client>>) -> io::Result<()> {
    let tell = |part: Part| client.borrow_mut().tell(&part);
    heap::watch();
    let dll = match Dll::load(&Candidate::of_user(&task.dll)) {
        Ok(dll) => dll,
        Err(error) => return tell(Part::Unusable(error.to_string())),
    };
    let own = dll::is_own(dll.path());
    let opened: Vec<_> =
        task.requests.iter().map(|request| Subject::open(request, &task.options, own)).collect();
    let names = opened.iter().map(|opened| match opened {
        Ok(subject) => Ok(subject.who.clone()),
        Err(problem) => Err(problem.clone()),
    });
    let version = Some(dll.version().to_owned());
    tell(Part::Opened { version, processes: names.collect() })?;
    let watcher = Rc::clone(client);
    let doing = move |text| {
        // If nobody listens, this process is about to be ended.
        let _ = watcher.borrow_mut().tell(&Part::Doing(text));
    };
    let bench = Bench::new(dll, opened.into_iter().flatten().collect(), Box::new(doing));
    for step in steps(bench.subjects.len()).into_iter().skip(task.first) {
        let judgement = match (step.rule.judge, step.subject) {
            (Judge::Each(judge), Some(subject)) => judge(&bench, &bench.subjects[subject]),
            (Judge::Once(judge), _) => judge(&bench),
            // `steps` gives such a rule a process.
            (Judge::Each(_), None) => continue,
        };
        tell(Part::Judged(judgement))?;
    }
    tell(Part::End)
}
