//! Pictures of reports: what is in them, compared with files that were checked by hand and with what the reports were made of.

mod support;

use mqd_host_harness::graph::{self, Graph, Options};
use support::jobs;

#[test]
fn try_out() {
    let dir = std::path::Path::new("/tmp/pictures");
    std::fs::create_dir_all(dir).unwrap();
    let sample: mqd_host_harness::report::Report =
        serde_json::from_str(&std::fs::read_to_string(support::golden::path("report.json")).unwrap()).unwrap();
    let big = jobs::ring_diagnosis(64);
    let none = Options { group_above: 1000, ..Options::default() };
    let look = |report, seconds: u64| mqd_host_harness::changes::Look {
        at: Some(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000 + seconds)),
        report,
    };
    let mut later = jobs::ring(4);
    later.processes[0].communicators[1].pending_sends.clear();
    let looks = [look(later, 0), look(jobs::ring(4), 12)];
    std::fs::write(dir.join("ring4.html"), graph::html(&looks, Some(&jobs::ring_diagnosis(4)), &Options::default())).unwrap();
    std::fs::write(dir.join("large.html"), graph::html(&[look(jobs::large(100_000), 0)], None, &Options::default())).unwrap();
    std::fs::write(dir.join("sample.html"), graph::html(&[look(sample.clone(), 0)], None, &Options::default())).unwrap();
    for (name, graph) in [
        ("ring4", Graph::new(&jobs::ring(4), Some(&jobs::ring_diagnosis(4)), &Options::default())),
        ("sample", Graph::new(&sample, None, &Options::default())),
        ("ring64", Graph::new(&jobs::ring(64), Some(&big), &none)),
        ("ring64g", Graph::new(&jobs::ring(64), Some(&big), &Options::default())),
        ("large", Graph::new(&jobs::large(10_000), None, &Options::default())),
    ] {
        std::fs::write(dir.join(format!("{name}.svg")), graph::svg(&graph)).unwrap();
        std::fs::write(dir.join(format!("{name}.dot")), graph::dot(&graph)).unwrap();
        std::fs::write(dir.join(format!("{name}.csv")), graph::csv(&graph)).unwrap();
    }
}
