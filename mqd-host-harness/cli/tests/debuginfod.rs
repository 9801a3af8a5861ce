//! Debug files from debuginfod servers: that of Debian, and test servers with wrong answers.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use support::mqd::{self, Run};
use support::toy::{Running, Workshop};

/// A program without debug information, and its debug file.
struct Toy {
    workshop: Workshop,
    program: PathBuf,
    debug_file: PathBuf,
    build_id: String,
    dll: PathBuf,
}

impl Toy {
    /// `name` is the file name of the program. mqd asks servers only for names of MPI libraries.
    fn new(name: &str) -> Toy {
        let workshop = Workshop::new();
        let whole =
            workshop.compile("toy_process.c", "whole", &["-pthread", "-Wl,--build-id"], &[]);
        let served = workshop.path().join("served");
        fs::create_dir(&served).unwrap();
        let (program, debug_file) = (workshop.path().join(name), served.join("toy.debug"));
        for (option, output) in [("--only-keep-debug", &debug_file), ("--strip-debug", &program)] {
            assert!(
                Command::new("objcopy")
                    .arg(option)
                    .args([&whole, output])
                    .status()
                    .unwrap()
                    .success()
            );
        }
        let notes = Command::new("readelf").arg("-n").arg(&program).output().unwrap();
        let notes = String::from_utf8(notes.stdout).unwrap();
        let build_id =
            notes.split_once("Build ID: ").unwrap().1.split_whitespace().next().unwrap().to_owned();
        let dll = workshop.dll(&[]);
        Toy { workshop, program, debug_file, build_id, dll }
    }

    fn cache(&self) -> PathBuf {
        self.workshop.path().join("cache")
    }

    /// Dumps the program with these servers.
    fn dump(&self, servers: &str) -> Run {
        let process = Running::start(&self.program, &[]);
        let pid = process.pid().to_string();
        let run = self.run(
            servers,
            &["dump", "--format", "json", "--pid", &pid, "--dll", self.dll.to_str().unwrap()],
        );
        process.finish();
        run
    }

    fn run(&self, servers: &str, arguments: &[&str]) -> Run {
        let mut command = mqd::small_command();
        command.env("DEBUGINFOD_URLS", servers).env("DEBUGINFOD_CACHE_PATH", self.cache());
        command.env("DEBUGINFOD_TIMEOUT", "1").env_remove("http_proxy").args(arguments);
        mqd::result(&mut command)
    }

    #[track_caller]
    fn assert_read(&self, run: &Run) {
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
        assert_eq!(run.report().processes[0].communicators[0].pending_receives.len(), 3);
    }

    #[track_caller]
    fn assert_no_types(&self, run: &Run) {
        assert_eq!(run.code, Some(4), "{run:?}");
        assert!(run.stderr.contains("there is no debug information for the types"), "{run:?}");
    }
}

/// Debian's debuginfod, serving a directory.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(toy: &Toy) -> Server {
        // The server does not accept port 0. This port was free a moment ago.
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let mut command = Command::new("debuginfod");
        command
            .args(["-v", "-d", ":memory:", "-t", "1", "-p", &port.to_string(), "-F"])
            .arg(toy.debug_file.parent().unwrap());
        // The server must not ask other servers.
        command.env_remove("DEBUGINFOD_URLS").env("HOME", toy.workshop.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("debuginfod: install the package of this name");
        let mut server = Server { child, port };
        // Wait until the server has found the file. The deadline is for a broken server.
        let deadline = Instant::now() + Duration::from_secs(120);
        while !server.has(&toy.build_id) {
            assert_eq!(server.child.try_wait().unwrap(), None, "debuginfod has ended");
            assert!(Instant::now() < deadline, "debuginfod does not find the file");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn has(&self, build_id: &str) -> bool {
        let ask = || {
            let mut connection = TcpStream::connect(("127.0.0.1", self.port))?;
            write!(connection, "GET /buildid/{build_id}/debuginfo HTTP/1.0\r\n\r\n")?;
            let mut line = String::new();
            BufReader::new(connection).read_line(&mut line)?;
            std::io::Result::Ok(line.contains(" 200 "))
        };
        ask().unwrap_or(false)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_has_the_debug_file() {
    let toy = Toy::new("libmpi-toy");
    toy.assert_no_types(&toy.dump(""));
    let server = Server::start(&toy);
    toy.assert_read(&toy.dump(&server.url()));
    let cached = toy.cache().join(&toy.build_id).join("debuginfo");
    assert_eq!(fs::read(&cached).unwrap(), fs::read(&toy.debug_file).unwrap());
    assert_eq!(
        fs::read_dir(cached.parent().unwrap()).unwrap().count(),
        1,
        "nothing else is left in the cache"
    );

    // The list also has a server without files, extra blanks, and words that are not servers.
    fs::remove_dir_all(toy.cache()).unwrap();
    let empty = Servant::start(|_| b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec());
    toy.assert_read(&toy.dump(&format!("ima:ignore  {} {}/", empty.url(), server.url())));
    assert!(empty.paths().contains(&format!("/buildid/{}/debuginfo", toy.build_id)));

    // Now the cache has it.
    drop(server);
    toy.assert_read(&toy.dump("http://127.0.0.1:1"));
    // The content of a file in the cache is checked. Clients leave an empty file if no server has
    // the debug file.
    fs::copy("/bin/true", &cached).unwrap();
    toy.assert_no_types(&toy.dump("http://127.0.0.1:1"));
    fs::write(&cached, "").unwrap();
    let run = toy.dump("http://127.0.0.1:1");
    toy.assert_no_types(&run);
    assert!(
        run.stderr
            .contains("the debuginfod server http://127.0.0.1:1 (DEBUGINFOD_URLS) is of no use: "),
        "{run:?}"
    );
}

#[test]
fn tables_can_be_made_with_a_server() {
    // The user names this file, so it may have any name.
    let toy = Toy::new("any-name");
    let server = Server::start(&toy);
    let arguments = [
        "layout",
        "extract",
        "--library",
        "toy",
        "--struct",
        "toy_operation",
        toy.program.to_str().unwrap(),
    ];
    let run = toy.run(&server.url(), &arguments);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("\nstruct toy_operation 48\n"), "{run:?}");
}

/// A server that gives a fixed answer and records the requests.
struct Servant {
    port: u16,
    paths: Arc<Mutex<Vec<String>>>,
}

impl Servant {
    fn start(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Servant {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let paths = Arc::new(Mutex::new(Vec::new()));
        let asked = Arc::clone(&paths);
        // The thread ends with the test process.
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                let mut reader = BufReader::new(connection.try_clone().unwrap());
                let mut request = String::new();
                while reader.read_line(&mut request).is_ok_and(|length| length > 2) {}
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let text = answer(&path);
                asked.lock().unwrap().push(path);
                // The client may have closed the connection.
                let _ = connection.write_all(&text);
                if text.is_empty() {
                    // Send nothing until the client closes the connection.
                    let _ = connection.read(&mut [0]);
                }
            }
        });
        Servant { port, paths }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn paths(&self) -> Vec<String> {
        self.paths.lock().unwrap().clone()
    }
}

#[test]
fn servers_of_no_use_are_named_and_left_alone() {
    let toy = Toy::new("libmpi-toy");
    let cases: [(&str, &[u8]); 4] = [
        ("it has been silent for 1 seconds (DEBUGINFOD_TIMEOUT)", b""),
        ("it answers 500 ", b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"),
        (
            "the transfer failed (",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\nshort",
        ),
        ("is of no use: ", b"SSH-2.0-OpenSSH_9.2\r\n"),
    ];
    for (why, answer) in cases {
        let server = Servant::start(|_| answer.to_vec());
        let run = toy.dump(&server.url());
        toy.assert_no_types(&run);
        assert!(
            run.stderr
                .contains(&format!("the debuginfod server {} (DEBUGINFOD_URLS)", server.url())),
            "{run:?}"
        );
        assert!(run.stderr.contains(why), "{why}: {run:?}");
        assert_eq!(server.paths().len(), 1, "{why}: it is asked once");
        let left: Vec<_> = walk(&toy.cache());
        assert_eq!(left, Vec::<PathBuf>::new(), "{why}: a part of a file is none");
    }

    // The server sends a complete file, but the wrong one.
    let other = fs::read("/bin/true").unwrap();
    let server = Servant::start(move |_| {
        let mut answer =
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", other.len()).into_bytes();
        answer.extend(&other);
        answer
    });
    let run = toy.dump(&server.url());
    toy.assert_no_types(&run);
    assert!(run.stderr.contains("it sent something else than the debug file"), "{run:?}");
    assert_eq!(walk(&toy.cache()), Vec::<PathBuf>::new());

    // The address is https, but the server does not support TLS.
    fs::remove_dir_all(toy.cache()).unwrap();
    let server = Servant::start(|_| b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec());
    let run = toy.dump(&server.url().replace("http:", "https:"));
    toy.assert_no_types(&run);
    assert!(run.stderr.contains("is of no use: "), "{run:?}");

    // A cache that cannot be written.
    fs::write(toy.cache(), "a file").unwrap();
    let server = Server::start(&toy);
    let run = toy.dump(&server.url());
    toy.assert_no_types(&run);
    assert!(run.stderr.contains("DEBUGINFOD_CACHE_PATH names another directory"), "{run:?}");
}

/// A server that sends a byte now and then is given up after DEBUGINFOD_TIMEOUT.
#[test]
fn a_server_that_drips_is_given_up() {
    let toy = Toy::new("libmpi-toy");
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    let server = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";
        connection.write_all(head.as_bytes()).unwrap();
        // Until the client closes the connection.
        while connection.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let run = toy.dump(&url);
    toy.assert_no_types(&run);
    assert!(run.stderr.contains("it has sent less than 102400 bytes in 1 seconds"), "{run:?}");
    assert_eq!(walk(&toy.cache()), Vec::<PathBuf>::new(), "nothing half-done is left");
    server.join().unwrap();
}

/// The files under a directory.
fn walk(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .flat_map(
            |entry| if entry.path().is_dir() { walk(&entry.path()) } else { vec![entry.path()] },
        )
        .collect()
}

#[test]
fn servers_are_not_asked_for_everything_that_a_process_has_loaded() {
    let toy = Toy::new("solver");
    let server =
        Servant::start(|_| b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec());
    toy.assert_no_types(&toy.dump(&server.url()));
    assert_eq!(server.paths(), Vec::<String>::new());
}

/// A launcher is stopped while its table is read. A slow server must not make that longer.
#[test]
fn servers_are_not_asked_for_a_launcher() {
    let toy = Toy::new("solver");
    let process = Running::start(&toy.program, &[]);
    let table = ["localhost".to_owned(), process.pid().to_string()];
    let options = ["-g0", "-Wl,--build-id"];
    let program = toy.workshop.compile("toy_launcher.c", "libmpi-launcher", &options, &[]);
    let launcher = Running::start(&program, &table);
    let server =
        Servant::start(|_| b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec());
    let job = launcher.pid().to_string();
    let run = toy.run(&server.url(), &["ranks", &job, "--format", "human"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains(&format!("pid {}", process.pid())), "{run:?}");
    assert_eq!(server.paths(), Vec::<String>::new());
    launcher.finish();
    process.finish();
}
