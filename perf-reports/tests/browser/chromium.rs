//! A headless Chromium, driven over its DevTools protocol: JSON texts with a zero byte behind each, on
//! two pipes. The crates that do this bring the whole protocol, a minute of building; five methods of it
//! are all that is wanted here.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The programs that it may be.
const NAMES: [&str; 4] = [
    "chromium",
    "google-chrome",
    "google-chrome-stable",
    "chromium-browser",
];

/// Longer than it ever takes, on a loaded machine too.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    /// What came before it was asked for.
    events: VecDeque<Value>,
    calls: u64,
    session: Option<String>,
}

impl Browser {
    /// Starts one with a profile of its own; `None` where this machine has none.
    pub(crate) fn start(profile: &Path) -> Option<Self> {
        let runs = |name: &&str| {
            let asked = Command::new(name).arg("--version").output();
            asked.is_ok_and(|output| output.status.success())
        };
        let name = NAMES.into_iter().find(runs)?;
        // Descriptors 3 and 4 are the two pipes.
        let script = r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null >/dev/null 2>&1"#;
        let mut child = Command::new("sh")
            .args(["-c", script, name])
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(["--remote-debugging-pipe", "about:blank"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        let commands = child.stdin.take().expect("it is a pipe");
        let mut answers = BufReader::new(child.stdout.take().expect("it is a pipe"));
        let (sender, messages) = channel();
        // A thread of its own, so that waiting can end.
        thread::spawn(move || {
            let mut text = Vec::new();
            while answers.read_until(0, &mut text).is_ok_and(|read| read > 1) {
                let message = serde_json::from_slice(&text[..text.len() - 1]);
                if sender.send(message.expect("it is JSON")).is_err() {
                    return;
                }
                text.clear();
            }
        });
        let mut browser = Self {
            child,
            commands,
            messages,
            events: VecDeque::new(),
            calls: 0,
            session: None,
        };
        let targets = browser.call("Target.getTargets", json!({}));
        let targets = targets["targetInfos"].as_array().expect("there are some");
        let page = targets.iter().find(|target| target["type"] == "page");
        let id = &page.expect("it begins with a page")["targetId"];
        let session = browser.call(
            "Target.attachToTarget",
            json!({"targetId": id, "flatten": true}),
        );
        browser.session = session["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method and waits for its result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut command = json!({"id": self.calls, "method": method, "params": params});
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        let sent = self.commands.write_all(format!("{command}\0").as_bytes());
        sent.expect("the browser lives");
        loop {
            let mut message = self.next();
            if message["id"] == self.calls {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].take();
            }
            self.events.push_back(message);
        }
    }

    fn next(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        message.expect("the browser answers")
    }

    /// Opens a file in a window of so many pixels in width, in the dark or not.
    pub(crate) fn open(&mut self, file: &Path, width: u32, dark: bool) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}),
        );
        let scheme = if dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
        let url = format!("file://{}", file.display());
        let opened = self.call("Page.navigate", json!({"url": url}));
        assert!(opened.get("errorText").is_none(), "{opened}");
        loop {
            let message = self.next();
            let loaded = message["method"] == "Page.loadEventFired";
            self.events.push_back(message);
            if loaded {
                return;
            }
        }
    }

    /// The value of an expression on the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true});
        let mut answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{answer}");
        answer["result"]["value"].take()
    }

    /// What came since the last time: complaints, and the addresses that were asked for.
    pub(crate) fn heard(&mut self) -> (Vec<Value>, Vec<String>) {
        // What the page did before this is heard before its answer.
        self.evaluate("0");
        let (mut complaints, mut addresses) = (Vec::new(), Vec::new());
        for event in self.events.drain(..) {
            let params = &event["params"];
            let bad = |word: &Value| ["error", "warning", "assert"].iter().any(|it| word == *it);
            match event["method"].as_str().unwrap_or_default() {
                "Log.entryAdded" if bad(&params["entry"]["level"]) => complaints.push(event),
                "Runtime.consoleAPICalled" if bad(&params["type"]) => complaints.push(event),
                "Runtime.exceptionThrown" | "Network.loadingFailed" => complaints.push(event),
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str().expect("it has one");
                    addresses.push(url.into());
                }
                _ => {}
            }
        }
        (complaints, addresses)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its children end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
