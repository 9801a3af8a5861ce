//! `mqd doctor`: checks whether everything is there that is needed to read queues.

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;

use super::args::Doctor;
use super::exit::Exit;
use super::output::{Output, complain};
use super::requests;
use super::wanted::Wanted;
use mqd_host::doctor::{self, Check, State};
use mqd_report::escape::printable;
use mqd_report::render;

pub(super) fn run(args: &Doctor) -> Result<Exit, Exit> {
    let output = Output::open(None, ColorChoice::Auto)?;
    requests::transports();
    let mut checks = doctor::machine();
    let options = args.options();
    let Wanted { jobs, requests, snapshots, reports, slurm, failed, .. } = args.targets.wanted();
    if slurm.is_some() {
        complain(
            "--slurm: mqd doctor looks at this host alone, so it did not look at that job: run \
             mqd doctor --job PID on a host of the job, with the process id of its launcher",
        );
    }
    failed.iter().for_each(|why| complain(why));
    for report in reports {
        complain(&format!("{} is a report: mqd needs nothing else to read it", report.display()));
    }
    jobs.iter().for_each(|pid| checks.extend(doctor::launcher(*pid, &options)));
    requests.iter().for_each(|request| checks.extend(doctor::process(request, &options)));
    snapshots.iter().for_each(|path| checks.extend(doctor::snapshot(path, &options)));

    let is_ready =
        failed.is_empty() && slurm.is_none() && checks.iter().all(|check| check.state == State::Ok);
    let text = if args.json { render::json(&checks) } else { human(&checks, output.color) };
    Ok(output.write(&text, if is_ready { Exit::Complete } else { Exit::Some }))
}

fn human(checks: &[Check], color: bool) -> String {
    let styled = |style: Style| if color { style } else { Style::new() };
    let bold = styled(Style::new().bold());
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut subject = "";
    let mut text = String::new();
    let mut line = |line: &str| text.extend([line, "\n"]);
    for check in checks {
        if check.subject != subject {
            subject = &check.subject;
            line(&format!("{bold}{}{bold:#}", printable(subject)));
        }
        let (word, style) = match check.state {
            State::Ok => ("ok", AnsiColor::Green.on_default()),
            State::Missing => ("missing", AnsiColor::Red.on_default().bold()),
        };
        let (style, found) = (styled(style), printable(&check.found));
        line(&format!("  {style}{word:7}{style:#}  {:width$}  {found}", check.name));
        if let Some(fix) = &check.fix {
            line(&format!("  {:7}  {:width$}  to fix it: {}", "", "", printable(fix)));
        }
    }
    match checks.iter().filter(|check| check.state == State::Missing).count() {
        0 => line("everything is there"),
        missing => line(&format!("{missing} of {} missing", checks.len())),
    }
    text
}
