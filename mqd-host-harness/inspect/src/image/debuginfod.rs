//! Debug files from debuginfod servers, by build-id.
//!
//! The environment variables and the cache are those of the debuginfod client of elfutils:
//! `DEBUGINFOD_URLS`, `DEBUGINFOD_CACHE_PATH`, `DEBUGINFOD_TIMEOUT`, `DEBUGINFOD_MAXTIME`.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, process};

use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use crate::arch::hex;
use crate::elf::ElfFile;
use crate::files;

/// How long a server may be silent, unless `DEBUGINFOD_TIMEOUT` says otherwise.
const TIMEOUT: Duration = Duration::from_secs(90);

/// The least that a server must send in that time, in bytes; the same as that of elfutils.
const LEAST: u64 = 100 << 10;

/// How long the transfer of a file may take, unless `DEBUGINFOD_MAXTIME` says otherwise.
const MAXTIME: Duration = Duration::from_secs(300);

/// The servers that the environment names.
#[derive(Debug)]
pub(super) struct Debuginfod {
    servers: Vec<String>,
    cache: Option<PathBuf>,
    timeout: Duration,
    maxtime: Duration,
    agent: Agent,
    state: Mutex<State>,
}

/// What is known so far, so that nothing is asked twice.
#[derive(Debug, Default)]
struct State {
    /// Servers that failed.
    failed: HashSet<String>,
    /// Build-ids that no server has.
    missing: HashSet<String>,
    warnings: Vec<String>,
}

/// The result of asking a server.
enum Answer {
    Found,
    Missing,
    Failed(String),
}

/// Why a transfer ended before the file was whole.
enum Interrupted {
    /// The server sends too slowly.
    Slow,
    /// The file takes too long.
    Late,
    /// The connection or the cache failed.
    Failed(io::Error),
}

impl From<io::Error> for Interrupted {
    fn from(error: io::Error) -> Interrupted {
        Interrupted::Failed(error)
    }
}

impl Debuginfod {
    /// The servers in the environment; `None` if it names none.
    pub(super) fn from_environment() -> Option<Debuginfod> {
        let urls = env::var("DEBUGINFOD_URLS").ok()?;
        // Words such as `ima:enforcing` are for clients that check signatures.
        let servers: Vec<_> = urls
            .split_whitespace()
            .filter(|word| !word.starts_with("ima:"))
            .map(str::to_owned)
            .collect();
        if servers.is_empty() {
            return None;
        }
        let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = set("DEBUGINFOD_CACHE_PATH")
            .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("debuginfod_client")))
            .or_else(|| set("HOME").map(|home| home.join(".cache/debuginfod_client")));
        let seconds = |name, default| {
            let seconds = env::var(name).ok().and_then(|seconds| seconds.trim().parse().ok());
            seconds.filter(|seconds| *seconds > 0).map_or(default, Duration::from_secs)
        };
        let timeout = seconds("DEBUGINFOD_TIMEOUT", TIMEOUT);
        let maxtime = seconds("DEBUGINFOD_MAXTIME", MAXTIME);
        let config = Agent::config_builder()
            .user_agent(concat!("mqd/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            // What the system trusts, since a site's own server may have a certificate of its own
            // authority.
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .timeout_resolve(Some(timeout))
            .timeout_connect(Some(timeout))
            .timeout_recv_response(Some(timeout))
            .timeout_per_read(Some(timeout))
            .build();
        let (agent, state) = (config.into(), Mutex::default());
        Some(Debuginfod { servers, cache, timeout, maxtime, agent, state })
    }

    /// The debug file of a build-id: from the cache, or else from the first server that has it.
    pub(super) fn find(&self, build_id: &[u8]) -> Option<PathBuf> {
        let id = hex(build_id);
        let directory = self.cache.as_ref()?.join(&id);
        let cached = directory.join("debuginfo");
        // An empty file in the cache says that no server had the build-id some time ago.
        if has_build_id(&cached, build_id) {
            return Some(cached);
        }
        // The lock is held while a server is asked, so that no other thread asks the same.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if id.is_empty() || state.missing.contains(&id) {
            return None;
        }
        for server in &self.servers {
            if state.failed.contains(server) {
                continue;
            }
            match self.ask(server, build_id, &cached) {
                Ok(Answer::Found) => return Some(cached),
                Ok(Answer::Missing) => {}
                Ok(Answer::Failed(why)) => {
                    state.warnings.push(format!(
                        "the debuginfod server {server} (DEBUGINFOD_URLS) is of no use: {why}; it \
                         is not asked again, and debug information may be missing"
                    ));
                    state.failed.insert(server.clone());
                }
                Err(error) => {
                    state.warnings.push(format!(
                        "debug files from debuginfod servers cannot be kept in {}: {error}; \
                         DEBUGINFOD_CACHE_PATH names another directory",
                        directory.display()
                    ));
                    break;
                }
            }
        }
        state.missing.insert(id);
        None
    }

    /// Warnings, in sentences.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).warnings.clone()
    }

    /// Asks a server, and stores what it sends in `cached`. An error is one of the cache.
    fn ask(&self, server: &str, build_id: &[u8], cached: &Path) -> io::Result<Answer> {
        let base = server.trim_end_matches('/').trim_end_matches("/buildid");
        let mut response =
            match self.agent.get(format!("{base}/buildid/{}/debuginfo", hex(build_id))).call() {
                Ok(response) => response,
                Err(error) => return Ok(Answer::Failed(self.explain(&error))),
            };
        match response.status().as_u16() {
            200 => {}
            404 => return Ok(Answer::Missing),
            _ => return Ok(Answer::Failed(format!("it answers {}", response.status()))),
        }
        if let Some(directory) = cached.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        }
        // Another client may do the same at this moment: the file gets its name when it is whole.
        let partial = cached.with_extension(format!("mqd-{}", process::id()));
        let mut file = File::create(&partial)?;
        let failure = match self.transfer(&mut response.body_mut().as_reader(), &mut file) {
            Ok(()) if has_build_id(&partial, build_id) => {
                fs::rename(&partial, cached)?;
                return Ok(Answer::Found);
            }
            Ok(()) => "it sent something else than the debug file with this build-id".to_owned(),
            Err(Interrupted::Slow) => format!(
                "it has sent less than {LEAST} bytes in {} seconds (DEBUGINFOD_TIMEOUT)",
                self.timeout.as_secs()
            ),
            Err(Interrupted::Late) => format!(
                "the transfer takes more than {} seconds (DEBUGINFOD_MAXTIME)",
                self.maxtime.as_secs()
            ),
            Err(Interrupted::Failed(error)) => {
                format!("the transfer failed ({})", self.explain(&ureq::Error::from(error)))
            }
        };
        // A partial file is of no use.
        fs::remove_file(&partial)?;
        Ok(Answer::Failed(failure))
    }

    /// Copies a file as long as the server is fast enough.
    fn transfer(&self, from: &mut impl Read, to: &mut impl Write) -> Result<(), Interrupted> {
        let begin = Instant::now();
        // When the present interval began, and what has come in it.
        let (mut since, mut received) = (begin, 0);
        let mut buffer = [0; 16 << 10];
        loop {
            let length = from.read(&mut buffer)?;
            if length == 0 {
                return Ok(());
            }
            to.write_all(&buffer[..length])?;
            received += length as u64;
            if begin.elapsed() > self.maxtime {
                return Err(Interrupted::Late);
            }
            if since.elapsed() > self.timeout {
                if received < LEAST {
                    return Err(Interrupted::Slow);
                }
                (since, received) = (Instant::now(), 0);
            }
        }
    }

    fn explain(&self, error: &ureq::Error) -> String {
        match error {
            ureq::Error::Timeout(_) => {
                format!(
                    "it has been silent for {} seconds (DEBUGINFOD_TIMEOUT)",
                    self.timeout.as_secs()
                )
            }
            error => error.to_string(),
        }
    }
}

/// Is this the file that is wanted?
fn has_build_id(path: &Path, build_id: &[u8]) -> bool {
    let elf = files::open(path).ok().and_then(|file| ElfFile::new(path, &file).ok());
    elf.is_some_and(|elf| elf.build_id() == Some(build_id))
}
