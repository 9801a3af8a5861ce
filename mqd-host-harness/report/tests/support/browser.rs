//! A headless Chromium, driven through its DevTools protocol over a pipe.
#![allow(dead_code, unreachable_pub, reason = "each test is a crate of its own and uses a part")]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long Chromium may take for an answer. Only a failing test waits so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A page in a browser of its own, with an empty profile. Dropped, the browser is ended.
pub struct Page {
    browser: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// What the page wrote to the console, and exceptions that it did not catch.
    pub complaints: Vec<String>,
    /// What it has asked the network or the file system for, itself included.
    pub requests: Vec<String>,
    loads: usize,
    profile: TempDir,
}

impl Page {
    /// Opens a file, as it looks to readers who want it `light` or `dark`. `hash` is what follows #
    /// in its address.
    pub fn open(file: &Path, scheme: &str, hash: &str) -> Page {
        let profile = tempfile::tempdir().unwrap();
        // The protocol is spoken on descriptors 3 and 4.
        let redirected = "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut browser = Command::new("sh")
            .args([
                "-c",
                redirected,
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
            ])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-dev-shm-usage",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            // Whatever it leaves behind goes with the profile.
            .env("HOME", profile.path())
            .env("TMPDIR", profile.path())
            .env_remove("LD_LIBRARY_PATH")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, messages) = channel();
        let mut answers = BufReader::new(browser.stdout.take().unwrap());
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                let value =
                    serde_json::from_slice(message.strip_suffix(&[0]).unwrap_or(&message)).unwrap();
                if sender.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let commands = browser.stdin.take().unwrap();
        let mut page = Page {
            browser,
            commands,
            messages,
            session: None,
            last: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
            loads: 0,
            profile,
        };
        let target =
            page.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session =
            page.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        page.session = Some(session["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        page.call("Emulation.setEmulatedMedia", json!({ "features": features }));
        page.resize(1280, 900);
        let hash = if hash.is_empty() { String::new() } else { format!("#{hash}") };
        page.call("Page.navigate", json!({ "url": format!("file://{}{hash}", file.display()) }));
        while page.loads == 0 {
            page.hear();
        }
        page
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result:#}");
        result["result"].get("value").cloned().unwrap_or(Value::Null)
    }

    /// Presses keys of the keyboard: characters, or `Tab`, `Enter`, `Space`, `ArrowDown`.
    pub fn press(&mut self, key: &str) {
        let (key, text, number) = match key {
            "Tab" => ("Tab", "", 9),
            "Enter" => ("Enter", "\r", 13),
            "Space" => (" ", " ", 32),
            "ArrowDown" => ("ArrowDown", "", 40),
            character => (
                character,
                character,
                u32::from(character.to_ascii_uppercase().bytes().next().unwrap()),
            ),
        };
        let event = |kind: &str, text: &str| {
            json!({
                "type": kind,
                "key": key,
                "text": text,
                "windowsVirtualKeyCode": number,
            })
        };
        self.call(
            "Input.dispatchKeyEvent",
            event(if text.is_empty() { "rawKeyDown" } else { "keyDown" }, text),
        );
        self.call("Input.dispatchKeyEvent", event("keyUp", ""));
    }

    /// Drags the element with this CSS selector by this many pixels, with the mouse.
    #[track_caller]
    pub fn drag(&mut self, selector: &str, (right, down): (f64, f64)) {
        let middle = self.evaluate(&format!(
            "(() => {{ const box = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        let (x, y): (f64, f64) = serde_json::from_value(middle).unwrap();
        let places = [
            ("mouseMoved", 0.0, 0),
            ("mousePressed", 0.0, 1),
            ("mouseMoved", 0.5, 1),
            ("mouseMoved", 1.0, 1),
            ("mouseReleased", 1.0, 0),
        ];
        for (kind, part, buttons) in places {
            let event = json!({
                "type": kind,
                "x": x + part * right,
                "y": y + part * down,
                "button": "left",
                "buttons": buttons,
                "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses Tab until the element with this CSS selector has the focus.
    #[track_caller]
    pub fn tab_to(&mut self, selector: &str) {
        for _ in 0..200 {
            if self.evaluate(&format!("document.activeElement.matches({selector:?})"))
                == Value::Bool(true)
            {
                return;
            }
            self.press("Tab");
        }
        panic!("Tab does not come to {selector}");
    }

    /// Sends a command and waits for its result.
    #[track_caller]
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let id = self.last;
        let mut command = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            command["sessionId"] = session.as_str().into();
        }
        let mut bytes = serde_json::to_vec(&command).unwrap();
        bytes.push(0);
        self.commands.write_all(&bytes).unwrap_or_else(|error| panic!("{MISSING} ({error})"));
        loop {
            let message = self.hear();
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{method}: {message:#}");
                return message["result"].clone();
            }
        }
    }

    /// The next message; events are noted.
    #[track_caller]
    fn hear(&mut self) -> Value {
        let message = self
            .messages
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("{MISSING} ({error})"));
        let of = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.consoleAPICalled" | "Runtime.exceptionThrown") => {
                self.complaints.push(of.to_string())
            }
            Some("Log.entryAdded") => self.complaints.push(of["entry"]["text"].to_string()),
            Some("Network.requestWillBeSent") => {
                self.requests.push(of["request"]["url"].as_str().unwrap().to_owned())
            }
            Some("Page.loadEventFired") => self.loads += 1,
            _ => {}
        }
        message
    }
}

const MISSING: &str =
    "Chromium does not answer: is it installed? On Debian and Ubuntu: apt-get install chromium";

/// Waits for five seconds at most.
fn wait_for(mut condition: impl FnMut() -> bool) {
    for _ in 0..500 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // Its own end takes its processes along; killed, they follow it too.
        let mut close = json!({ "id": u64::from(u32::MAX), "method": "Browser.close" })
            .to_string()
            .into_bytes();
        close.push(0);
        let _ = self.commands.write_all(&close);
        let group = Pid::from_child(&self.browser);
        wait_for(|| !matches!(self.browser.try_wait(), Ok(None)));
        // Its helpers outlive it for a moment, and write to the profile, which could not be removed
        // then.
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.browser.wait();
        wait_for(|| std::fs::remove_dir_all(self.profile.path()).is_ok());
    }
}
