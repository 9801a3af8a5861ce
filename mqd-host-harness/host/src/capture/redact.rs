//! Leaves paths and names of hosts out of an entry. [`Capture`](super::Capture) decides what is
//! kept of memory.
//!
//! A text keeps nothing that could be a path: paths that are known as data are replaced, and a text
//! that still has a slash is left out as a whole.

use std::path::Path;

use mqd_inspect::process::Recording;
use mqd_report::{Problem, Text};

use crate::snapshot::Entry;

/// Stands for a path.
const PATH: &str = "[path]";
/// Stands for a host.
const HOST: &str = "[host]";
/// Stands for a text.
const TEXT: &str = "[text left out: it may name a file]";

/// Leaves paths and hosts out of an entry.
pub(super) fn entry(entry: &mut Entry) {
    let process = &mut entry.process;
    let executable = process.executable.take();
    let library = process.library.take();
    let core = process.core.take();
    process.core = core.is_some().then(|| PATH.to_owned());
    process.host = None;
    // Jobs can still be told apart. A job's name may contain the name of a host. What an agent or
    // an earlier capture has redacted stays as it is.
    if let Some(job) = process.job.as_mut().filter(|job| !job.name.starts_with('[')) {
        job.name = format!("[{:08x}]", crc32fast::hash(job.name.as_bytes())).into();
    }
    // The library's name tells which MPI it is. The executable's is the user's own.
    let file_name = |path: &str| Some(Text::from(&*Path::new(path).file_name()?.to_string_lossy()));
    process.library =
        library.as_deref().filter(|path| executable.as_deref() != Some(path)).and_then(file_name);
    let recorded = entry.recording.iter().flat_map(|recording| &recording.images);
    let mut paths: Vec<String> = [executable.as_deref(), library.as_deref(), core.as_deref()]
        .into_iter()
        .flatten()
        .map(str::to_owned)
        .chain(recorded.map(|image| image.path.clone()))
        .filter(|path| !path.is_empty())
        .collect();
    // A path may be the beginning of another one.
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    process.errors.iter_mut().for_each(|error| problem(error, &paths));
    for frame in process.stacks.iter_mut().flatten().flat_map(|stack| &mut stack.frames) {
        frame.file = None;
        frame.module =
            frame.module.take().filter(|module| Some(module) == process.library.as_ref());
    }
    entry.warnings.iter_mut().for_each(|warning| text(warning, &paths, TEXT));
    if let Some(recording) = &mut entry.recording {
        let Recording { executable, images, warnings, gaps, .. } = &mut **recording;
        warnings.iter_mut().chain(gaps.values_mut()).for_each(|known| text(known, &paths, TEXT));
        *executable = None;
        for image in images {
            let name =
                process.library.clone().filter(|_| Some(image.path.as_str()) == library.as_deref());
            image.path = name.unwrap_or_default().into();
        }
        recording.keep_images_with_symbols();
    }
}

/// Leaves them out of a problem.
fn problem(problem: &mut Problem, paths: &[String]) {
    let (path, host) = (problem.path.take(), problem.host.take());
    let instead = problem.kind.describe();
    for known in [Some(&mut problem.text), problem.advice.as_mut()].into_iter().flatten() {
        if let Some(path) = path.as_deref().filter(|path| !path.is_empty()) {
            *known = known.replace(path, PATH);
        }
        if let Some(host) = host.as_deref().filter(|host| !host.is_empty()) {
            *known = known.replace(host, HOST);
        }
        text(known, paths, instead);
    }
    problem.path = path.map(|_| PATH.to_owned());
    problem.host = host.map(|_| HOST.to_owned());
}

/// Leaves paths out of a text. A text that may still name one is replaced with `instead`.
fn text(text: &mut String, paths: &[String], instead: &str) {
    for path in paths {
        *text = text.replace(path, PATH);
    }
    if text.contains('/') {
        instead.clone_into(text);
    }
}

#[cfg(test)]
mod tests {
    use mqd_report::ProblemKind;

    use super::*;

    #[test]
    fn texts_without_paths() {
        let paths = ["/home/jane doe/solver".to_owned()];
        let cases = [
            ("/home/jane doe/solver is not the file", "[path] is not the file"),
            ("cannot open \"/tmp/x y\": no such file", TEXT),
            ("libmpi.so (dir/libmpi.so), ./a:../b", TEXT),
            ("nothing to hide: 3 of 4", "nothing to hide: 3 of 4"),
        ];
        for (before, after) in cases {
            let mut known = before.to_owned();
            text(&mut known, &paths, TEXT);
            assert_eq!(known, after);
        }
    }

    #[test]
    fn problems_without_paths_and_hosts() {
        let mut known = Problem::new(ProblemKind::File, "cannot open /tmp/x y: no such file")
            .about("/tmp/x y")
            .on_host("login7")
            .advise("look on login7");
        problem(&mut known, &[]);
        assert_eq!(known.to_string(), "cannot open [path]: no such file; look on [host]");
        assert_eq!((known.path.as_deref(), known.host.as_deref()), (Some(PATH), Some(HOST)));

        let mut other = Problem::new(ProblemKind::NoDll, "cannot load /opt/a b/lib.so");
        problem(&mut other, &[]);
        assert_eq!(other.to_string(), ProblemKind::NoDll.describe());
    }
}
