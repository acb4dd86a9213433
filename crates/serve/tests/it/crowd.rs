//! Clients that are slow or many, and questions that are heavy.
//!
//! The failure: sixty-four connections asked for the script and never read it. The server never
//! closed them, so no other client got an answer. Two heavy questions blocked every light one, and
//! kept running long after their pages were closed.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stripewise_results::Store;
use stripewise_serve::Deadlines;

use crate::client::{Served, begin, read};

/// More connections than the server keeps.
const CROWD: usize = 80;
/// The longest wait for an event on a machine that is busy with other tests.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Deadlines so long that a test only meets the limits of connections.
fn long() -> Deadlines {
    let hour = Duration::from_secs(3600);
    Deadlines {
        head: hour,
        body: hour,
        write: hour,
        simulation_steps: u64::MAX,
    }
}

fn short() -> Deadlines {
    let short = Duration::from_millis(200);
    Deadlines {
        head: short,
        body: short,
        write: short,
        ..Deadlines::default()
    }
}

/// Many requests for the largest file: more than the system buffers for a client that does not read.
fn much(served: &Served) -> String {
    let request = format!("GET /packages.js HTTP/1.1\r\n{}\r\n", served.head());
    request.repeat(40)
}

fn half_a_body(served: &Served) -> String {
    format!(
        "POST /api/ask HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{",
        served.head()
    )
}

/// Checks that a client gets answers beside a crowd that sends `text` and then does nothing.
fn check_crowd(text: impl Fn(&Served) -> String) {
    let served = Served::within(long());
    let text = text(&served);
    let crowd: Vec<TcpStream> = (0..CROWD)
        .map(|_| {
            let mut stream = served.connect();
            // The server may close it before all is sent.
            let _ = stream.write_all(text.as_bytes());
            stream
        })
        .collect();
    for _ in 0..3 {
        assert_eq!(served.get("/api/runs").status, 200);
    }
    drop(crowd);
}

#[test]
fn clients_that_do_not_read_block_no_others() {
    check_crowd(much);
}

#[test]
fn silent_clients_block_no_others() {
    check_crowd(|_| String::new());
}

#[test]
fn clients_with_half_a_head_block_no_others() {
    check_crowd(|_| "GET /api/runs HTTP/1.1\r\nHost: 127".to_owned());
}

#[test]
fn clients_with_half_a_body_block_no_others() {
    check_crowd(half_a_body);
}

/// Waits until the server has closed a connection; calls `meanwhile` again and again.
fn check_closed(stream: &mut TcpStream, mut meanwhile: impl FnMut(&mut TcpStream)) {
    let began = Instant::now();
    let pause = Some(Duration::from_millis(10));
    stream.set_write_timeout(pause).unwrap();
    stream.set_read_timeout(pause).unwrap();
    loop {
        meanwhile(stream);
        // The system buffers our data, so it reports the closed connection later.
        match stream.write(b"x") {
            Ok(_) => thread::sleep(Duration::from_millis(10)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
        assert!(began.elapsed() < WAIT_MAX, "the connection stays open");
    }
}

#[test]
fn clients_that_are_too_slow_are_closed() {
    let served = Served::within(short());
    let nothing = |_: &mut TcpStream| {};
    let one_byte = |stream: &mut TcpStream| {
        let _ = stream.read(&mut [0]);
    };
    // `check_closed` also sends a byte of a head from time to time.
    check_closed(&mut served.connect(), nothing);
    for text in [much(&served), half_a_body(&served)] {
        let mut stream = served.connect();
        let _ = stream.write_all(text.as_bytes());
        check_closed(&mut stream, nothing);
    }
    let mut stream = served.connect();
    let _ = stream.write_all(much(&served).as_bytes());
    check_closed(&mut stream, one_byte);

    let mut stream = served.connect();
    stream.write_all(half_a_body(&served).as_bytes()).unwrap();
    let answer = read(&mut stream);
    assert_eq!(answer.status, 408, "{answer:?}");
    assert!(answer.body.contains("did not arrive"), "{answer:?}");
}

#[test]
fn an_idle_watch_stays_open() {
    let served = Served::within(short());
    let mut store = Store::open(&served.store).unwrap();
    let run = begin(&mut store, "live");
    let mut watch = served.connect();
    let request = format!("GET /api/watch?run={run} HTTP/1.1\r\n{}\r\n", served.head());
    watch.write_all(request.as_bytes()).unwrap();
    let mut wait_for = |words: &str| {
        let (mut text, mut bytes) = (String::new(), [0; 1024]);
        while !text.contains(words) {
            let count = watch.read(&mut bytes).unwrap();
            assert_ne!(count, 0, "the stream ended: {text}");
            text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    };
    wait_for("\"samples_all\":8");
    // Other connections reach their deadlines meanwhile, and take all places.
    for _ in 0..3 {
        check_closed(&mut served.connect(), |_| {});
    }
    let crowd: Vec<TcpStream> = (0..CROWD).map(|_| served.connect()).collect();
    assert_eq!(served.get("/api/runs").status, 200);
    drop(crowd);
    crate::client::add_sample(&mut store, run, 0, 2);
    wait_for("\"samples_all\":9");
}

/// Returns a question whose changes take seconds.
fn heavy(first: &Value) -> String {
    let mut question = first.clone();
    let changes = json!({
        "level": "raid6", "layout": null, "count": 12, "chunk_bytes": 4096, "pattern": "randwrite",
        "block_size_bytes": 1 << 20, "jobs": 1, "depth": 2,
    });
    for (key, value) in changes.as_object().unwrap() {
        question[key] = value.clone();
    }
    question.to_string()
}

#[test]
fn a_light_question_does_not_wait_for_heavy_ones() {
    const HEAVY: usize = 8;
    let served = Served::within(long());
    let first = served.get("/api/choices").json()["question"].clone();
    let heavy = heavy(&first);
    let asked: Vec<TcpStream> = (0..HEAVY)
        .map(|_| {
            let mut stream = served.connect();
            let request = format!(
                "POST /api/ask/why HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{heavy}",
                served.head(),
                heavy.len()
            );
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    for _ in 0..3 {
        let preview = served.post("/api/ask?preview=true", &first.to_string());
        assert_eq!(preview.status, 200, "{preview:?}");
    }
    let is_answered = |stream: &&TcpStream| {
        stream.set_nonblocking(true).unwrap();
        stream.peek(&mut [0]).is_ok()
    };
    let before = asked.iter().filter(is_answered).count();
    assert!(before <= HEAVY / 2, "{before} heavy questions came first");
}

#[test]
fn a_question_that_takes_too_long_says_so() {
    let served = Served::within(Deadlines {
        simulation_steps: 0,
        ..Deadlines::default()
    });
    let first = served.get("/api/choices").json()["question"].to_string();
    for path in ["/api/ask", "/api/ask/curve", "/api/ask/why"] {
        let answer = served.post(path, &first);
        assert_eq!(answer.status, 503, "{answer:?}");
        let document = answer.json();
        let words = document["error"].as_str().unwrap();
        assert!(words.contains("simulation"), "{document}");
        assert!(document["hint"].is_string(), "{document}");
    }
    assert_eq!(served.post("/api/ask/study", &first).status, 200);
}
