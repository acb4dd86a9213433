//! A server with a store of its own, and a client that sends requests byte for byte.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use stripewise_profiles::Profiles;
use stripewise_results::{NewRun, RunId, Store};
use stripewise_serve::{Advisor, Config, Deadlines, Offer, Reading, Server};
use stripewise_sim::engine::Limits;
use stripewise_sim::world::Model;
use stripewise_study::facts::Facts;
use stripewise_study::sample::SampleRecord;
use stripewise_study::world::NeverCancel;
use stripewise_study::world::WorldName;
use stripewise_units::kernel::KernelVersion;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// The longest wait for an answer on a machine that is busy with other tests.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// A server that ends when it is dropped.
pub(crate) struct Served {
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) store: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _folder: TempDir,
}

/// The answer of the server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Served {
    /// Serves a store that does not exist yet.
    pub(crate) fn new() -> Self {
        Self::within(Deadlines::default())
    }

    /// Serves with these deadlines.
    pub(crate) fn within(deadlines: Deadlines) -> Self {
        Self::with(deadlines, Vec::new())
    }

    /// Serves with what answers the question what to build.
    pub(crate) fn advised(advisor: Advisor, deadlines: Deadlines) -> Self {
        Self::serving(deadlines, Vec::new(), advisor)
    }

    /// Serves with these deadlines, and offers answers of other commands.
    pub(crate) fn with(deadlines: Deadlines, offers: Vec<Offer>) -> Self {
        Self::serving(deadlines, offers, |_, _, _| {
            Err(stripewise_serve::AdviceRefusal {
                error: "nobody advises here".to_owned(),
                hint: None,
            })
        })
    }

    fn serving(deadlines: Deadlines, offers: Vec<Offer>, advisor: Advisor) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store.db");
        let server = Server::bind(Config {
            store: store.clone(),
            store_option: " --store x.db".to_owned(),
            profiles: Profiles::shipped(),
            kernel: KernelVersion::new(6, 12, 0),
            port: 0,
            reader: |_, _| Reading::default(),
            offers,
            advisor,
            deadlines,
        })
        .unwrap();
        let (port, token) = (server.port(), server.token().to_owned());
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let stop = async {
                // A dropped sender ends the server too.
                let _ = stopped.await;
            };
            server.run_until(stop).unwrap();
        });
        Self {
            port,
            token,
            store,
            stop: Some(stop),
            thread: Some(thread),
            _folder: folder,
        }
    }

    /// Sends a request unchanged and returns the answer up to the end of the connection.
    pub(crate) fn send(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        read(&mut stream)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(WAIT_MAX)).unwrap();
        stream
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&format!(
            "GET {path} HTTP/1.1\r\n{}Connection: close\r\n\r\n",
            self.head()
        ))
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        self.send(&format!(
            "POST {path} HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.head(),
            body.len()
        ))
    }

    /// Returns the headers of a good request.
    pub(crate) fn head(&self) -> String {
        format!(
            "Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n",
            self.port, self.token
        )
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.take();
        if self
            .thread
            .take()
            .is_some_and(|thread| thread.join().is_err())
        {
            eprintln!("the server panicked");
        }
    }
}

pub(crate) fn read(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // The server may close before it has read all that was sent.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let is_chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    Answer {
        status: status.unwrap_or(0),
        head: head.to_owned(),
        body: if is_chunked {
            joined(body)
        } else {
            body.to_owned()
        },
    }
}

/// Returns the data of a chunked body; all texts here are ASCII or short.
fn joined(mut body: &str) -> String {
    let mut data = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        data.push_str(&rest[..size]);
        body = &rest[(size + 2).min(rest.len())..];
    }
    data
}

/// Two stacks at two sizes: an array like the first question's, and one of another chunk.
pub(crate) const STUDY: &str = r#"
question = "Which chunk?"
kernel = "6.12"
[stack.small]
devices = { "samsung-850-evo-500" = 4 }
array = { level = "raid10", layout = "n2", chunk = "64K" }
[stack.large]
devices = { "samsung-850-evo-500" = 4 }
array = { level = "raid10", layout = "n2", chunk = "512K" }
[workload]
pattern = "randread"
block_size = ["16K", "64K"]
size = "1G"
depth = 8
engine = "libaio"
"#;

/// Begins a run of [`STUDY`], with two samples of each cell.
pub(crate) fn begin(store: &mut Store, name: &str) -> RunId {
    let study = stripewise_fixtures::study(STUDY);
    let new = NewRun {
        origin: WorldName::Metal.into(),
        world: None,
        study_name: name.to_owned(),
        question: study.question.clone(),
        study_text: STUDY.to_owned(),
        seed: 1,
        options: Value::Null,
        tool_version: "0.1.0".to_owned(),
        started_unix_ns: 7,
    };
    let run = store
        .begin_run(&new, &study.cells, &Facts::default())
        .unwrap();
    for block in 0..2 {
        for cell in 0..study.cells.len() {
            add_sample(store, run, cell, block);
        }
    }
    run
}

pub(crate) fn add_sample(store: &mut Store, run: RunId, cell: usize, block: u32) {
    let study = stripewise_fixtures::study(STUDY);
    let model = Model {
        limits: Limits {
            ios_max: 64,
            ..Limits::default()
        },
        ..Model::new(Profiles::shipped(), KernelVersion::new(6, 12, 0))
    };
    let sample = model
        .simulate(&study.cells[cell], u64::from(block), &mut NeverCancel)
        .unwrap();
    let record = SampleRecord {
        seed: Some(u64::from(block)),
        ..stripewise_fixtures::record(cell, block, sample)
    };
    store.add_sample(run, &record).unwrap();
}
