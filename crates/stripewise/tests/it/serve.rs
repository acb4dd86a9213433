//! The live page as a command: a script reads its address, and Ctrl-C ends it.
//!
//! The failure: a script started the server, read the address and stopped it at once. The signal
//! came before the handler was installed, and the script thought that the server had crashed.
//! `crates/serve` tests answers and refusals.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command};

use rustix::process::Signal;

use crate::characterize::blkparse;
use crate::support::{Bench, number, send, with};

/// Returns the answer to a request, its head included.
fn get(port: u16, token: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_first_line_is_the_address_and_ctrl_c_ends_the_server_cleanly() {
    let Some(bench) = Bench::new() else { return };
    for signal in [Signal::INT, Signal::TERM] {
        // The default store may be made later.
        let mut server = bench.start(with(bench.command(), ["serve"]));
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let address = lines.next().unwrap().unwrap();
        let rest = address.strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once("/#token=").unwrap();
        let answer = get(port.parse().unwrap(), token, "/api/runs");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        send(number(&server), signal);
        let done = bench.wait(server);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        assert!(lines.next().is_none(), "the address is all of the data");
    }
    assert!(
        !bench.path("home/data").exists(),
        "reading creates no store"
    );
}

#[test]
fn a_signal_right_after_the_address_is_not_missed() {
    let Some(bench) = Bench::new() else { return };
    for _ in 0..5 {
        let mut server = bench.start(with(bench.command(), ["serve", "--json"]));
        let mut line = String::new();
        let mut stdout = BufReader::new(server.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        send(number(&server), Signal::INT);
        stdout.read_to_string(&mut line).unwrap();
        let done = bench.wait(server);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        let document: serde_json::Value = serde_json::from_str(&line).unwrap();
        let (port, token) = (&document["port"], document["token"].as_str().unwrap());
        assert_eq!(
            document["address"],
            format!("http://127.0.0.1:{port}/#token={token}")
        );
        assert_eq!(token.len(), 32);
    }
}

/// Starts a server that prints its address as JSON; returns its port and token, too.
fn started(bench: &Bench, command: Command) -> (Child, u16, String) {
    let mut server = bench.start(command);
    let mut stdout = BufReader::new(server.stdout.take().unwrap());
    let mut text = String::new();
    while !text.ends_with("}\n") {
        assert!(stdout.read_line(&mut text).unwrap() > 0, "{text}");
    }
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let port = u16::try_from(document["port"].as_u64().unwrap()).unwrap();
    (server, port, document["token"].as_str().unwrap().to_owned())
}

/// The page said one thing of a host and the command another, or a name in a file became markup.
#[test]
fn named_facts_and_traces_have_the_answers_of_their_commands() {
    let Some(bench) = Bench::new() else { return };
    std::fs::create_dir_all(bench.path("host/etc")).unwrap();
    bench.write("host/etc/fstab", "UUID=1 /srv xfs nobarrier 0 0\n");
    bench.write("db.txt", &blkparse());
    let (server, port, token) = started(
        &bench,
        with(
            bench.command(),
            ["serve", "--json", "--check", "host", "--trace", "db.txt"],
        ),
    );
    let body = |path: &str| -> serde_json::Value {
        let answer = get(port, &token, path);
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let offers = body("/api/answers");
    assert_eq!(offers[0]["about"]["id"], "check-page-here");
    assert_eq!(offers.as_array().unwrap().len(), 3);
    for (number, words) in [
        (2, ["check", "--root", "host", "--json"]),
        (3, ["characterize", "--from", "db.txt", "--json"]),
    ] {
        let done = bench.finish(with(bench.command(), words));
        let printed: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        let shown = body(&format!("/api/answer?number={number}"));
        assert_eq!(shown["document"], printed, "{words:?}");
        assert!(shown["blocks"].as_array().unwrap().len() > 3, "{words:?}");
    }
    send(number(&server), Signal::INT);
    assert_eq!(bench.wait(server).code, Some(0));

    for words in [["serve", "--check", "no"], ["serve", "--trace", "no"]] {
        let done = bench.finish(with(bench.command(), words));
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(done.stderr.contains("`no`"), "{}", done.stderr);
        assert_eq!(done.stdout, "");
    }
}

#[test]
fn profiles_of_a_directory_are_offered_and_studies_beside_them_are_ignored() {
    let Some(bench) = Bench::new() else { return };
    let shipped = include_str!("../../../../devices/sata-ssd.toml");
    let folder = bench.path("own");
    std::fs::create_dir_all(folder.join("devices")).unwrap();
    for (file, name) in [
        ("own/loose.toml", "loose"),
        ("own/devices/kept.toml", "kept"),
    ] {
        let text = shipped.replace("name = \"sata-ssd\"", &format!("name = \"{name}\""));
        bench.write(file, &text);
    }
    bench.write("own/study.toml", "question = \"what?\"\n");
    let mut command = with(bench.command(), ["serve", "--json"]);
    command.arg("--profiles").arg(folder);
    let (server, port, token) = started(&bench, command);
    let choices = get(port, &token, "/api/choices");
    for name in ["loose", "kept", "sata-ssd"] {
        assert!(
            choices.contains(&format!("{{\"name\":\"{name}\"")),
            "{choices}"
        );
    }
    send(number(&server), Signal::INT);
    assert_eq!(bench.wait(server).code, Some(0));
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let Some(bench) = Bench::new() else { return };
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let done = bench.finish(with(
        bench.command(),
        ["serve", "--port", &port.to_string()],
    ));
    expect_test::expect![[r#"
        exit 2
        --- stderr
        error: failed to listen at 127.0.0.1:PORT: Address already in use (os error 98)

        hint: leave `--port` out to use any free port
    "#]]
    .assert_eq(&done.transcript().replace(&port.to_string(), "PORT"));

    let folder = bench.path("own");
    std::fs::create_dir_all(folder.join("devices")).unwrap();
    bench.write("own/devices/broken.toml", "schema = 1\n");
    let mut command = with(bench.command(), ["serve"]);
    command.arg("--profiles").arg(folder);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains("device profile `broken`"),
        "{}",
        done.stderr
    );
}

/// The page advised something else than the command that it shows.
#[test]
fn what_to_build_is_the_answer_of_the_command_that_the_page_shows() {
    let Some(bench) = Bench::new() else { return };
    let (server, port, token) = started(&bench, with(bench.command(), ["serve", "--json"]));
    let ask = |changes: serde_json::Value| -> Vec<serde_json::Value> {
        let mut question = serde_json::json!({
            "device": "sata-ssd", "count": 2, "spares": 0,
            "loads": [{"load": "randread:4K:depth=4", "weight": 1}],
            "survive": null, "capacity_bytes": null, "commit_p99_ns": null, "years": null,
            "rebuild_ns": null, "writes_per_day_bytes": null, "filesystem": "none",
        });
        let changed = question.as_object_mut().unwrap();
        changed.extend(changes.as_object().unwrap().clone());
        let body = question.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        write!(
            stream,
            "POST /api/ask/advise HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        // Each line is a chunk of its own, or follows another one.
        let lines = text.lines().filter(|line| line.starts_with('{'));
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let lines = ask(serde_json::json!({}));
    let answers: Vec<_> = lines
        .iter()
        .map(|line| &line["answer"])
        .filter(|one| !one.is_null())
        .collect();
    let [preview, answer] = answers[..] else {
        panic!("a decision and an answer: {lines:?}")
    };
    assert_eq!(
        (&preview["is_preview"], &answer["is_preview"]),
        (&true.into(), &false.into())
    );
    let blocks = answer["blocks"].as_array().unwrap();
    let command = blocks.last().unwrap()["code"].as_str().unwrap();
    let words: Vec<&str> = command
        .split(['\'', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    assert_eq!(
        words[..4],
        ["stripewise", "advise", "--devices", "2"],
        "{command}"
    );
    let asked = [
        "advise",
        "--json",
        "--devices=2 x sata-ssd",
        "--workload=randread:4K:depth=4",
    ];
    let kernel = words.windows(2).find(|pair| pair[0] == "--kernel").unwrap()[1];
    let done = bench.finish(with(
        bench.command(),
        asked.iter().chain(&["--kernel", kernel]),
    ));
    let printed: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    // The same designs stand on the front, with the same numbers.
    let designs = answer["picture"]["designs"].as_array().unwrap();
    let advised = designs.last().unwrap();
    assert_eq!(advised["mark"], "advised");
    let front = &printed["front"][0];
    let axes = answer["picture"]["axes"].as_array().unwrap();
    let place = axes
        .iter()
        .position(|axis| axis["name"]["message"]["id"] == "advise-name-holds");
    let place = place.unwrap_or_else(|| panic!("{axes:?}"));
    assert_eq!(advised["values"][place]["at"], front["usable_bytes"]);
    assert!(
        advised["blocks"].to_string().contains("mdadm --create"),
        "{advised}"
    );
    // What the command refuses is refused in its words; a value is never an option.
    for (load, said) in [
        ("--save=/tmp/x", "no pattern"),
        ("randread:4K:depth=4096", "more than 1024"),
        ("nosuch", "expected PATTERN:BLOCK"),
    ] {
        let lines = ask(serde_json::json!({"loads": [{"load": load, "weight": 1}]}));
        let refusal = lines[lines.len() - 1]["refusal"].to_string();
        assert!(refusal.contains(said), "{load}: {lines:?}");
    }
    send(number(&server), Signal::INT);
    assert_eq!(bench.wait(server).code, Some(0));
}
