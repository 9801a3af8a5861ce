//! The HTML report in a real browser: headless Chromium.

mod support;

use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use mqd_report::changes::Look;
use mqd_report::check::Diagnosis;
use mqd_report::graph::{self, Graph, GraphOptions};
use mqd_report::{Activity, Operation, Problem, ProblemKind, Process, Queue, Report};
use serde_json::{Value, json};
use support::browser::Page;
use support::jobs;
use tempfile::TempDir;

/// A page in a file of its own.
struct Written {
    directory: TempDir,
    text: String,
}

impl Written {
    fn new(looks: &[Look], diagnosis: Option<&Diagnosis>) -> Written {
        Written::text(graph::html(looks, diagnosis, &GraphOptions::default()))
    }

    fn text(text: String) -> Written {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("page.html"), &text).unwrap();
        Written { directory, text }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("page.html")
    }

    fn open(&self, scheme: &str, hash: &str) -> Page {
        Page::open(&self.path(), scheme, hash)
    }
}

fn look(report: Report, seconds: u64) -> Look {
    Look { at: Some(UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)), report }
}

fn ring() -> Written {
    Written::new(&[look(jobs::ring(4), 0)], Some(&jobs::ring_diagnosis(4)))
}

/// The cells of the table of operations.
fn rows(page: &mut Page) -> Vec<Vec<String>> {
    let rows = page.evaluate(
        "[...document.querySelectorAll('#table tbody tr')].map(row => [...row.cells].map(cell => \
         cell.textContent))",
    );
    serde_json::from_value(rows).unwrap()
}

/// Nothing went wrong, and nothing but the file itself was asked for.
#[track_caller]
fn assert_quiet(page: &Page) {
    assert_eq!(page.complaints, Vec::<String>::new());
    assert!(
        page.requests
            .iter()
            .all(|request| request.starts_with("file:///") && request.contains("page.html")),
        "{:?}",
        page.requests
    );
    assert_eq!(page.requests.len(), 1, "{:?}", page.requests);
}

#[test]
fn the_table_is_the_report() {
    let report: Report = serde_json::from_str(
        &std::fs::read_to_string(support::golden::path("report.json")).unwrap(),
    )
    .unwrap();
    let page = Written::new(&[look(report.clone(), 0)], None);
    let mut page = page.open("light", "");
    let mut expected = Vec::new();
    for process in &report.processes {
        for communicator in &process.communicators {
            for queue in Queue::ALL {
                for operation in communicator.queue(queue) {
                    expected.push((
                        process.rank.unwrap().to_string(),
                        match queue {
                            Queue::Sends => "pending send",
                            Queue::Receives => "pending receive",
                            Queue::Unexpected => "unexpected message",
                        },
                        operation.desired_tag.map_or("ANY_TAG".to_owned(), |tag| tag.to_string()),
                        operation.desired_length.to_string(),
                        match operation.awaited {
                            Some(true) => format!("{}, waited for", operation.status),
                            _ => operation.status.to_string(),
                        },
                    ));
                }
            }
        }
    }
    let rows = rows(&mut page);
    let shown: Vec<_> = rows
        .iter()
        .map(|row| {
            (row[0].clone(), row[1].as_str(), row[4].clone(), row[5].clone(), row[6].clone())
        })
        .collect();
    assert_eq!(shown, expected);
    assert_eq!(rows[2][2], "from ANY_SOURCE");
    assert_eq!(rows[3][7], "MPI_Irecv, 192 x MPI_DOUBLE");
    assert_eq!(
        page.evaluate("document.getElementById('shown').textContent"),
        "14 of 14 operations"
    );
    // The processes that could not be read, and why.
    let ranks = page.evaluate("document.getElementById('ranks').parentElement.textContent");
    for error in [
        "rank 2",
        "it runs on host node8",
        "the list of requests is a circle",
        "no MPI library was found",
    ] {
        assert!(ranks.as_str().unwrap().contains(error), "{error}: {ranks}");
    }
    assert_quiet(&page);
}

#[test]
fn filters_by_keyboard_stay_in_the_address() {
    let written = ring();
    let mut page = written.open("light", "");
    page.tab_to("#filter-rank");
    "1-2,9".chars().for_each(|key| page.press(&key.to_string()));
    assert_eq!(
        rows(&mut page).iter().map(|row| row[0].as_str()).collect::<Vec<_>>(),
        ["1", "1", "2", "2"]
    );
    page.tab_to("#filter-queue");
    // The first letters of a choice.
    page.press("u");
    assert_eq!(
        rows(&mut page).iter().map(|row| row[1].as_str()).collect::<Vec<_>>(),
        ["unexpected message"; 2]
    );
    page.tab_to("#filter-text");
    ["R", "A", "N", "K", "Space", "1"].into_iter().for_each(|key| page.press(key));
    let of_rank_2 = rows(&mut page);
    assert_eq!(of_rank_2.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["2"]);
    let hash = page.evaluate("location.hash");
    assert_quiet(&page);

    let mut again = written.open("light", hash.as_str().unwrap().trim_start_matches('#'));
    assert_eq!(rows(&mut again), of_rank_2);
    assert_eq!(again.evaluate("document.getElementById('filter-rank').value"), "1-2,9");
    again.tab_to("#filters button");
    again.press("Enter");
    // A form is reset after the key is through.
    for _ in 0..500 {
        if again.evaluate("location.hash") == "" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(rows(&mut again).len(), 7);
    assert_eq!(again.evaluate("location.hash"), "");

    for (hash, count) in [
        ("tag=8", 1),
        ("tag=7-8", 7),
        ("rank=0-3:2", 3),
        ("comm=ring&queue=receives", 1),
        ("comm=none", 7),
        ("text=nothing", 0),
    ] {
        let mut page = written.open("light", hash);
        assert_eq!(rows(&mut page).len(), count, "{hash}");
    }
    // A text that is not a range is reported, and hides nothing.
    let mut page = written.open("light", "rank=x");
    assert_eq!(rows(&mut page).len(), 7);
    assert_eq!(
        page.evaluate("document.getElementById('filter-rank').getAttribute('aria-invalid')"),
        "true"
    );
}

#[test]
fn the_deadlock_is_marked_and_found_from_its_finding() {
    let mut page = ring().open("light", "");
    let texts = |page: &mut Page, selector: &str| {
        page.evaluate(&format!(
            "[...document.querySelectorAll({selector:?})].map(element => \
             element.querySelector('text').textContent)"
        ))
    };
    assert_eq!(texts(&mut page, ".mqd-graph .node.deadlock"), json!(["rank 2", "rank 3"]));
    assert_eq!(
        texts(&mut page, ".mqd-graph .label.deadlock"),
        json!(["send, ring, tag 7, 4 bytes", "receive, ring, tag 8, 4 bytes"])
    );
    assert_eq!(page.evaluate("document.querySelectorAll('.mqd-graph .arrow.deadlock').length"), 2);
    assert_eq!(
        page.evaluate("document.querySelector('.verdict').textContent"),
        "Deadlocked: 4 ranks wait for each other and can never go on"
    );

    page.tab_to("button[data-finding='1']");
    page.press("Enter");
    assert_eq!(page.evaluate("document.activeElement.getAttribute('aria-pressed')"), "true");
    assert_eq!(texts(&mut page, ".mqd-graph .node.shown"), json!(["rank 2", "rank 3"]));
    assert_eq!(
        texts(&mut page, ".mqd-graph .label.shown"),
        json!(["send, ring, tag 7, 4 bytes", "receive, ring, tag 8, 4 bytes"])
    );
    assert_eq!(page.evaluate("location.hash"), "#finding=1");
    page.press("Space");
    assert_eq!(page.evaluate("document.querySelectorAll('.shown').length"), 0);
    // A node is a link to the operations of its ranks.
    page.tab_to(".node a[href='#rank=3']");
    page.press("Enter");
    page.evaluate("new Promise(done => setTimeout(done))");
    assert_eq!(rows(&mut page).iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["3", "3"]);
    assert_quiet(&page);
}

/// The contrast of all text to its background (WCAG 2: at least 4.5), and that of arrows to the
/// page (at least 3).
const CONTRAST: &str = r#"(() => {
  const channel = (value) =>
    (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const parse = (text) => (text.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return parse(getComputedStyle(document.documentElement).backgroundColor);
  };
  const paper = parse(getComputedStyle(document.querySelector(".paper")).fill);
  const seen = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes]
      .some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    const hidden = ["SCRIPT", "STYLE", "NOSCRIPT", "title", "desc", "style"];
    if (!own || hidden.includes(element.tagName) || element.closest("noscript")) continue;
    const style = getComputedStyle(element);
    const box = element.closest(".node")?.querySelector("rect");
    const svg = element.closest("svg");
    const colour = parse(svg ? style.fill : style.color);
    const ground = svg ? (box ? parse(getComputedStyle(box).fill) : paper) : behind(element);
    const what = element.textContent.slice(0, 40);
    seen.push({ what, contrast: contrast(colour, ground), least: 4.5 });
  }
  for (const path of document.querySelectorAll(".arrow path, .node rect")) {
    const what = path.parentElement.getAttribute("class");
    const colour = parse(getComputedStyle(path).stroke);
    seen.push({ what, contrast: contrast(colour, paper), least: 3 });
  }
  return seen;
})()"#;

#[test]
fn contrast_in_light_and_dark() {
    let mut looks = vec![look(jobs::ring(4), 0)];
    looks[0].report.processes[0].communicators[1].pending_sends.clear();
    looks.push(look(jobs::ring(4), 9));
    let written = Written::new(&looks, Some(&jobs::ring_diagnosis(4)));
    let mut grounds = Vec::new();
    for scheme in ["light", "dark"] {
        for hash in ["", "finding=1"] {
            let mut page = written.open(scheme, hash);
            if hash.is_empty() {
                let seen = page.evaluate(CONTRAST);
                let seen = seen.as_array().unwrap();
                assert!(seen.len() > 60, "{}", seen.len());
                let pale: Vec<_> = seen
                    .iter()
                    .filter(|seen| seen["contrast"].as_f64() < seen["least"].as_f64())
                    .collect();
                assert_eq!(pale, Vec::<&Value>::new(), "{scheme}");
                grounds.push(page.evaluate("getComputedStyle(document.body).backgroundColor"));
            } else {
                // The pressed button has colours of its own.
                let button = "(() => { const style = \
                              getComputedStyle(document.querySelector('[aria-pressed=true]')); \
                              return [style.color, style.backgroundColor]; })()";
                let colours = page.evaluate(button);
                assert_ne!(colours[0], colours[1], "{scheme}");
            }
            assert_quiet(&page);
        }
    }
    assert_eq!(grounds, ["rgb(255, 255, 255)", "rgb(21, 24, 28)"]);
}

/// Kinds and marks differ in more than colour.
#[test]
fn nothing_is_told_by_colour_alone() {
    let mut page = ring().open("light", "");
    let style = |page: &mut Page, selector: &str, property: &str| {
        page.evaluate(&format!("getComputedStyle(document.querySelector({selector:?})).{property}"))
    };
    let kinds = ["send", "receive", "unexpected"].map(|kind| {
        let dashes = style(&mut page, &format!(".mqd-graph .arrow.{kind} path"), "strokeDasharray");
        let head = page
            .evaluate(&format!("document.querySelector('#head-{kind} path').getAttribute('d')"));
        (dashes.to_string(), head.to_string())
    });
    assert!(
        kinds[0].0 != kinds[1].0 && kinds[1].0 != kinds[2].0 && kinds[0].0 != kinds[2].0,
        "{kinds:?}"
    );
    assert!(
        kinds[0].1 != kinds[1].1 && kinds[1].1 != kinds[2].1 && kinds[0].1 != kinds[2].1,
        "{kinds:?}"
    );
    assert_ne!(
        style(&mut page, ".arrow.send.deadlock path", "strokeWidth"),
        style(&mut page, ".arrow.send:not(.deadlock) path", "strokeWidth")
    );
    assert!(
        page.evaluate("document.querySelector('.node.deadlock').textContent")
            .as_str()
            .unwrap()
            .contains("in the deadlock")
    );
    assert_eq!(
        page.evaluate("[...document.querySelectorAll('.severity')].map(e => e.textContent)"),
        json!(["Error", "Warning"])
    );
}

#[test]
fn for_screen_readers() {
    let mut page = ring().open("light", "");
    assert_eq!(page.evaluate("document.documentElement.lang"), "en");
    let headings = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3')].map(heading => Number(heading.tagName[1]))",
    );
    let headings: Vec<i64> = serde_json::from_value(headings).unwrap();
    assert_eq!(headings.iter().filter(|level| **level == 1).count(), 1);
    assert!(headings.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{headings:?}");
    let all = "[...document.querySelectorAll('input, select')].every(field => field.labels.length \
               === 1) && [...document.querySelectorAll('thead th')].every(head => head.scope === \
               'col') && [...document.querySelectorAll('tbody th')].every(head => head.scope === \
               'row') && [...document.querySelectorAll('table')].every(table => table.caption !== \
               null || table.closest('[aria-label]') !== null) && \
               [...document.querySelectorAll('[aria-labelledby]')].every(element => \
               element.getAttribute('aria-labelledby').split(' ').every(id => \
               document.getElementById(id))) && new \
               Set([...document.querySelectorAll('[id]')].map(element => element.id)).size === \
               document.querySelectorAll('[id]').length";
    assert_eq!(page.evaluate(all), true);
    let description = page.evaluate("document.querySelector('.mqd-graph desc').textContent");
    assert!(
        description.as_str().unwrap().contains(
            "receive, ring, tag 8, 4 bytes: by rank 3, which waits for rank 2; part of the \
             deadlock"
        ),
        "{description}"
    );
}

/// Names that would be markup, scripts, or turn the direction of text.
const HOSTILE: [&str; 5] = [
    "</script><script>window.hacked = 1</script>",
    "\"><img src=x onerror=\"window.hacked = 2\">",
    "'--><svg onload='window.hacked = 3'>",
    "\u{202e}drow\u{2066}",
    "]]>&lt;b>&amp;\u{1b}[31m\u{0}\\u003c",
];

#[test]
fn names_of_the_job_are_nothing_but_text() {
    let mut report = jobs::ring(3);
    for (index, name) in HOSTILE.iter().enumerate() {
        let mut communicator = jobs::communicator(name, 0x100 + index as u64, 0, 3);
        communicator.pending_sends.push(Operation {
            extra_text: [(*name).to_owned()].into_iter().collect(),
            ..jobs::operation(1, 1, 8)
        });
        report.processes[0].communicators.push(communicator);
    }
    report.processes[0].executable = Some(HOSTILE.concat().into());
    report.processes[1].activity =
        Some(Activity { function: Some(HOSTILE.concat().into()), ..Activity::NONE });
    report.processes[2].core = Some(HOSTILE.concat());
    report.processes.push(Process {
        core: Some(HOSTILE.concat()),
        errors: vec![Problem::new(ProblemKind::Other, HOSTILE.concat())],
        ..Process::default()
    });
    let mut diagnosis = jobs::ring_diagnosis(3);
    diagnosis.reason = HOSTILE.concat();
    diagnosis.missing = vec![HOSTILE.concat()];
    diagnosis.findings[0].text = HOSTILE.concat();
    diagnosis.findings[0].advice = HOSTILE.concat();
    diagnosis.findings[0].evidence = vec![HOSTILE.concat()];
    diagnosis.findings[0].waits[0].text = HOSTILE.concat();

    let mut before = report.clone();
    before.processes[0].communicators.truncate(2);
    before.processes[1].activity = None;
    let written = Written::new(&[look(before, 0), look(report.clone(), 1)], Some(&diagnosis));
    let mut page = written.open("light", "");
    page.evaluate("new Promise(done => setTimeout(done))");
    assert_eq!(page.evaluate("typeof window.hacked"), "undefined");
    assert_eq!(
        page.evaluate("document.querySelectorAll('img, b, svg svg, [onload], [onerror]').length"),
        0
    );
    assert_eq!(page.evaluate("document.scripts.length"), 2);
    let body = page.evaluate("document.documentElement.outerHTML").as_str().unwrap().to_owned();
    assert!(!body.contains(['\u{202e}', '\u{2066}', '\u{1b}', '\u{0}']));
    let names: Vec<String> =
        rows(&mut page).iter().filter(|row| row[4] == "1").map(|row| row[3].clone()).collect();
    let expected = [
        HOSTILE[0],
        HOSTILE[1],
        HOSTILE[2],
        "\\u{202e}drow\\u{2066}",
        "]]>&lt;b>&amp;\\u{1b}[31m\\u{0}\\u003c",
    ];
    assert_eq!(names, expected);
    // They can be filtered by, from the address too.
    let hash =
        page.evaluate(&format!("new URLSearchParams({{ comm: {:?} }}).toString()", HOSTILE[0]));
    assert_quiet(&page);
    assert_eq!(rows(&mut written.open("light", hash.as_str().unwrap())).len(), 1);

    let graph = Graph::new(&report, Some(&diagnosis), &GraphOptions::default());
    let svg = graph::svg(&graph);
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert!(
        document.descendants().all(|node| !["script", "img"].contains(&node.tag_name().name()))
    );
}

/// No label lies on another one, on a node or on an arrow, measured with the fonts of the browser.
const OVERLAPS: &str = r#"(() => {
  const texts = [...document.querySelectorAll(".mqd-graph .label text")]
    .map((text) => [text.textContent, text.getBBox()]);
  const boxes = [...document.querySelectorAll(".mqd-graph .node rect")]
    .map((rect) => ["node", rect.getBBox()]);
  const overlap = (a, b) => a.x < b.x + b.width - 1 && b.x < a.x + a.width - 1
    && a.y < b.y + b.height - 3 && b.y < a.y + a.height - 3;
  const found = [];
  texts.forEach(([text, box], index) => {
    for (const [other, otherBox] of [...texts.slice(index + 1), ...boxes])
      if (overlap(box, otherBox)) found.push([text, other]);
  });
  for (const node of document.querySelectorAll(".mqd-graph .node")) {
    const outer = node.querySelector("rect").getBBox();
    for (const text of node.querySelectorAll("text")) {
      const inner = text.getBBox();
      if (inner.x < outer.x || inner.x + inner.width > outer.x + outer.width)
        found.push([text.textContent, "its own node"]);
    }
  }
  const off = (point, box) => point.x < box.x || point.x > box.x + box.width
    || point.y < box.y || point.y > box.y + box.height;
  for (const arrow of document.querySelectorAll(".mqd-graph .arrow[data-arrow] path")) {
    const [length, around] = [arrow.getTotalLength(), arrow.getBBox()];
    const near = texts.filter(([, box]) => overlap(box, around));
    for (let at = 0; near.length > 0 && at <= length; at += 8) {
      const point = arrow.getPointAtLength(at);
      const crossed = near.find(([, box]) => !off(point, box));
      if (crossed === undefined) continue;
      found.push([crossed[0], "an arrow"]);
      break;
    }
  }
  return [texts.length, found];
})()"#;

#[test]
fn labels_do_not_overlap() {
    let each = GraphOptions { group_above: 1000, nodes: 1000, ..GraphOptions::default() };
    let sample: Report = serde_json::from_str(
        &std::fs::read_to_string(support::golden::path("report.json")).unwrap(),
    )
    .unwrap();
    let cases = [
        ("4 ranks", jobs::ring(4), Some(jobs::ring_diagnosis(4)), GraphOptions::default(), 7),
        ("64 ranks", jobs::ring(64), Some(jobs::ring_diagnosis(64)), each, 127),
        (
            "64 ranks in groups",
            jobs::ring(64),
            Some(jobs::ring_diagnosis(64)),
            GraphOptions::default(),
            9,
        ),
        ("10,000 ranks", jobs::large(10_000), None, GraphOptions::default(), 7),
        ("10 ranks, all to all", jobs::all_to_all(10), None, GraphOptions::default(), 90),
        ("the sample", sample, None, GraphOptions::default(), 12),
    ];
    for (name, report, diagnosis, options, labels) in cases {
        let written = Written::text(graph::html(&[look(report, 0)], diagnosis.as_ref(), &options));
        let mut page = written.open("light", "");
        assert_eq!(page.evaluate(OVERLAPS), json!([labels, []]), "{name}");
    }
}

/// Of the picture: the scale, and how far the boxes of these elements stick out of its frame, in
/// pixels of the screen.
fn view(page: &mut Page, selector: &str) -> (f64, f64) {
    let value = page.evaluate(&format!(
        r#"(() => {{
          const picture = document.querySelector(".mqd-graph");
          const frame = document.querySelector(".view").getBoundingClientRect();
          const out = [...document.querySelectorAll("{selector}")].map((element) => {{
            const box = element.getBoundingClientRect();
            return Math.max(frame.left - box.left, box.right - frame.right,
              frame.top - box.top, box.bottom - frame.bottom);
          }});
          return [picture.getScreenCTM().a, Math.max(...out)];
        }})()"#
    ));
    serde_json::from_value(value).unwrap()
}

/// The picture opens with the deadlock and its neighbourhood in view, and large enough to read.
#[test]
fn the_picture_opens_at_the_deadlock() {
    let each = GraphOptions { group_above: 1000, nodes: 1000, ..GraphOptions::default() };
    let cases = [
        (jobs::ring(4), jobs::ring_diagnosis(4), GraphOptions::default(), ".node, .label"),
        (jobs::ring(64), jobs::ring_diagnosis(3), each, ".node.deadlock"),
        (jobs::large(10_000), jobs::ring_diagnosis(3), GraphOptions::default(), ".node.deadlock"),
    ];
    for (report, diagnosis, options, selector) in cases {
        let ranks = report.processes.len();
        let written = Written::text(graph::html(&[look(report, 0)], Some(&diagnosis), &options));
        let mut page = written.open("light", "");
        let (scale, out) = view(&mut page, selector);
        assert!((0.7..=1.0).contains(&scale) && out <= 0.0, "{ranks}: {scale} {out}");
        page.evaluate("document.querySelector('[data-view=everything]').click()");
        let (_, out) = view(&mut page, ".node, .label, .legend");
        assert!(out <= 0.0, "{ranks}: {out}");
    }
}

#[test]
fn the_picture_can_be_moved_and_scaled() {
    let written = ring();
    let mut page = written.open("light", "");
    let (before, _) = view(&mut page, ".node");
    page.evaluate("document.querySelector('[data-view=larger]').click()");
    let (larger, _) = view(&mut page, ".node");
    assert!((larger / before - 1.25).abs() < 0.01, "{before} {larger}");
    page.tab_to(".view");
    page.press("-");
    let (smaller, _) = view(&mut page, ".node");
    assert!((smaller / before - 1.0).abs() < 0.01, "{before} {smaller}");
    let place = "document.querySelector('[data-node=\"0\"] rect').getBoundingClientRect().y";
    let top = page.evaluate(place).as_f64().unwrap();
    page.press("ArrowDown");
    assert!(page.evaluate(place).as_f64().unwrap() < top - 20.0);
    // The mouse drags the picture with it, and a node that is dragged is not followed as a link.
    page.evaluate("document.querySelector('.view').scrollIntoView()");
    let before = page.evaluate(place).as_f64().unwrap();
    page.drag("[data-node=\"1\"] rect", (0.0, 60.0));
    let after = page.evaluate(place).as_f64().unwrap();
    assert!((after - before - 60.0).abs() < 1.5, "{before} {after}");
    assert_eq!(page.evaluate("location.hash"), "");
    assert_quiet(&page);
}

#[test]
fn a_hundred_thousand_ranks() {
    let written = Written::new(&[look(jobs::large(100_000), 0)], None);
    assert!(written.text.len() < 2_000_000, "{} bytes", written.text.len());
    let mut page = written.open("light", "");
    let note = page.evaluate(
        "document.querySelector('#operations').parentElement.querySelector('.note').textContent",
    );
    assert!(
        note.as_str().unwrap().starts_with("20000 of 900000 operations are in this file: "),
        "{note}"
    );
    assert!(note.as_str().unwrap().contains("mqd dump --format csv"), "{note}");
    assert_eq!(rows(&mut page).len(), 500);
    assert_eq!(
        page.evaluate("document.getElementById('shown').textContent"),
        "20000 of 20000 operations, the first 500 of them shown"
    );
    page.tab_to("#more");
    page.press("Enter");
    assert_eq!(rows(&mut page).len(), 1000);
    let titles = page
        .evaluate("[...document.querySelectorAll('.node .title')].map(title => title.textContent)");
    assert_eq!(titles, json!(["rank 0", "ranks 1-99999", "any source"]));
    assert_quiet(&page);
}

#[test]
fn what_moved_between_looks() {
    let mut second = jobs::ring(4);
    second.processes[0].communicators[1].pending_sends.clear();
    second.processes[0].activity =
        Some(Activity { function: Some("MPI_Recv".into()), needed: Some(1), ..Activity::NONE });
    second.processes[1].communicators[1].unexpected_messages.clear();
    let looks = [look(jobs::ring(4), 0), look(second.clone(), 10), look(second, 25)];
    let mut page = Written::new(&looks, None).open("light", "");
    let table = "[...document.querySelector('#timeline').parentElement.querySelectorAll('tbody \
                 tr')].map(row => [...row.cells].map(cell => cell.textContent))";
    assert_eq!(
        page.evaluate(table),
        json!([
            ["1", "2023-11-14 22:13:20 UTC", "", "The first look"],
            ["2", "2023-11-14 22:13:30 UTC", "10 s", "0", "2", "0", "not counted", "2 of 4"],
            ["3", "2023-11-14 22:13:45 UTC", "15 s", "0", "0", "0", "not counted", "0 of 4"],
        ])
    );
    let moves = page.evaluate(
        "[...document.querySelectorAll('.moves > li')].map(item => \
         [...item.querySelectorAll('strong, li')].map(line => line.textContent))",
    );
    assert_eq!(
        moves,
        json!([
            [
                "rank 0",
                "in MPI_Recv, was in MPI_Ssend",
                "gone: send to rank 1, ring, tag 7, 4 bytes"
            ],
            ["rank 1", "gone: unexpected message from rank 0, ring, tag 7, 4 bytes"],
        ])
    );
    // Seen at all three looks.
    assert!(rows(&mut page).iter().all(|row| row[7] == "at least 25 s"), "{:?}", rows(&mut page));
}
