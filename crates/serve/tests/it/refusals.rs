//! Refused requests, and the security headers of every answer.

use std::io::Write as _;
use std::time::Duration;

use crate::client::{Served, read};

/// Checks the status of a refusal, and that it has a reason.
fn check(served: &Served, request: &str, status: u16) {
    let answer = served.send(request);
    assert_eq!(answer.status, status, "{request}\n{answer:?}");
    let document = answer.json();
    assert!(document["error"].is_string(), "{document}");
    assert!(document.get("hint").is_some(), "{document}");
    check_headers(&answer);
}

fn check_headers(answer: &crate::client::Answer) {
    for (name, value) in [
        (
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src-elem 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; \
             connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
        (
            "permissions-policy",
            "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        ),
    ] {
        assert_eq!(answer.header(name), Some(value), "{}", answer.head);
    }
}

fn get(path: &str, head: &str) -> String {
    format!("GET {path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n")
}

const PATHS: [&str; 6] = [
    "/api/runs",
    "/api/page?runs=1",
    "/api/choices",
    "/api/answers",
    "/api/answer?number=1",
    "/api/nothing",
];

#[test]
fn data_needs_the_token() {
    let served = Served::new();
    let host = format!("Host: 127.0.0.1:{}\r\n", served.port);
    let wrong = format!("{}0", &served.token[1..]);
    for path in PATHS {
        check(&served, &get(path, &host), 401);
        for value in [
            format!("Bearer {wrong}"),
            format!("Basic {}", served.token),
            served.token.clone(),
            "Bearer ".to_owned(),
            format!("Bearer {}x", served.token),
        ] {
            let head = format!("{host}Authorization: {value}\r\n");
            check(&served, &get(path, &head), 401);
        }
        let twice = format!(
            "{host}Authorization: Bearer {wrong}\r\nAuthorization: Bearer {}\r\n",
            served.token
        );
        check(&served, &get(path, &twice), 401);
    }
    // Neither a cookie nor the query can replace the header.
    let head = format!("{host}Cookie: token={}\r\n", served.token);
    let path = format!("/api/runs?token={}", served.token);
    check(&served, &get(&path, &head), 401);
    assert_eq!(served.get("/api/runs").status, 200);
}

#[test]
fn another_name_for_this_address_is_refused() {
    let served = Served::new();
    let (port, other) = (served.port, served.port.wrapping_add(1));
    let token = format!("Authorization: Bearer {}\r\n", served.token);
    for host in [
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{other}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("evil@127.0.0.1:{port}"),
        format!("10.0.0.1:{port}"),
        String::new(),
    ] {
        for path in ["/", "/packages.js", "/app.js", "/api/runs"] {
            let head = format!("Host: {host}\r\n{token}");
            check(&served, &get(path, &head), 421);
        }
    }
    check(&served, &get("/api/runs", &token), 421);
    let twice = format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n{token}");
    check(&served, &get("/api/runs", &twice), 421);
    let good = format!("Host: 127.0.0.1:{port}\r\n{token}");
    check(&served, &get("http://evil.example/api/runs", &good), 421);
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let head = format!("Host: {host}:{port}\r\n{token}");
        assert_eq!(served.send(&get("/api/runs", &head)).status, 200, "{host}");
    }
}

#[test]
fn another_origin_is_refused() {
    let served = Served::new();
    let port = served.port;
    for origin in [
        "http://evil.example".to_owned(),
        "null".to_owned(),
        format!("https://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        "http://127.0.0.1".to_owned(),
        String::new(),
    ] {
        let head = format!("{}Origin: {origin}\r\n", served.head());
        check(&served, &get("/api/runs", &head), 403);
        check(&served, &get("/", &head), 403);
    }
    let head = format!("{}Origin: http://127.0.0.1:{port}\r\n", served.head());
    assert_eq!(served.send(&get("/api/runs", &head)).status, 200);
}

#[test]
fn only_the_methods_of_the_contract_are_allowed() {
    let served = Served::new();
    let head = served.head();
    for (method, path) in [
        ("POST", "/api/runs"),
        ("DELETE", "/api/runs"),
        ("OPTIONS", "/api/ask"),
        ("GET", "/api/ask"),
        ("PUT", "/api/ask/study"),
        ("POST", "/"),
    ] {
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{head}Content-Length: 0\r\nConnection: close\r\n\r\n"
        );
        check(&served, &request, 405);
    }
    check(&served, &get("/api/nothing", &head), 404);
    check(&served, &get("/../../etc/passwd", &head), 404);
}

#[test]
fn bodies_are_json_and_bounded() {
    let served = Served::new();
    let post = |kind: &str, length: usize, body: &str| {
        format!(
            "POST /api/ask HTTP/1.1\r\n{}{kind}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}",
            served.head()
        )
    };
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
        "Content-Type: application/jsonp\r\n",
    ] {
        check(&served, &post(kind, 2, "{}"), 415);
    }
    let json = "Content-Type: application/json; charset=utf-8\r\n";
    // A body that is announced as too large is refused at once.
    check(&served, &post(json, 65_537, ""), 413);
    let chunked = format!(
        "POST /api/ask HTTP/1.1\r\n{}{json}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n11000\r\n{}\r\n0\r\n\r\n",
        served.head(),
        " ".repeat(0x11000)
    );
    check(&served, &chunked, 413);
    for body in ["", "{", "[]", "{}", "null", "\u{0}", "{\"device\":1}"] {
        check(&served, &post(json, body.len(), body), 400);
    }
    let deep = "[".repeat(60_000);
    check(&served, &post(json, deep.len(), &deep), 400);
}

#[test]
fn a_page_takes_only_a_few_valid_run_numbers() {
    let served = Served::new();
    for path in [
        "/api/page",
        "/api/page?runs=",
        "/api/page?runs=0",
        "/api/page?runs=-1",
        "/api/page?runs=1;2",
        "/api/page?runs=1&runs=2",
        "/api/page?runs=99999999999999999999",
        "/api/page?runs=1,2,3,4,5,6,7,8,9",
        "/api/watch",
        "/api/watch?run=1,2",
        "/api/watch?run=x",
    ] {
        check(&served, &get(path, &served.head()), 400);
    }
}

#[test]
fn the_page_itself_needs_no_token_and_does_not_reveal_it() {
    let served = Served::new();
    let host = format!("Host: 127.0.0.1:{}\r\n", served.port);
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/packages.js", "text/javascript; charset=utf-8"),
        ("/app.js", "text/javascript; charset=utf-8"),
        ("/app.css", "text/css; charset=utf-8"),
        ("/LICENSES.txt", "text/plain; charset=utf-8"),
    ] {
        let answer = served.send(&get(path, &host));
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some(kind));
        assert!(!answer.body.contains(&served.token), "{path}");
        assert!(!answer.body.is_empty(), "{path}");
        check_headers(&answer);
    }
    let icon = served.send(&get("/favicon.ico", &host));
    assert_eq!(icon.status, 204);
}

#[test]
fn invalid_http_ends_the_connection() {
    let served = Served::new();
    for rubbish in [
        "\u{16}\u{3}\u{1}\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1 << 20)),
        format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(1000)),
    ] {
        let mut stream = served.connect();
        // The server may hang up while we still write.
        let _ = stream.write_all(rubbish.as_bytes());
        let answer = read(&mut stream);
        assert_ne!(answer.status, 200, "{answer:?}");
    }
    assert_eq!(
        served.get("/api/runs").status,
        200,
        "the server keeps running"
    );
}

#[test]
fn many_idle_connections_do_not_stop_the_page_forever() {
    let served = Served::new();
    let idle: Vec<_> = (0..63).map(|_| served.connect()).collect();
    assert_eq!(served.get("/api/runs").status, 200);
    let more: Vec<_> = (0..20).map(|_| served.connect()).collect();
    std::thread::sleep(Duration::from_millis(50));
    drop((idle, more));
    assert_eq!(served.get("/api/runs").status, 200);
}
