//! The server of the live page, and requests like those of its front end.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;
use stripewise_profiles::Profiles;
use stripewise_serve::{AdviceRefusal, Config, Deadlines, Reading, Server};
use stripewise_units::kernel::KernelVersion;

/// The page's server, in this process; it ends with the test.
pub struct Page {
    port: u16,
    token: String,
}

impl Page {
    /// Starts it with the shipped profiles; a question may take as long as it needs.
    pub fn new() -> Self {
        let server = Server::bind(Config {
            store: "/nonexistent/store.db".into(),
            store_option: String::new(),
            profiles: Profiles::shipped(),
            kernel: KernelVersion::new(6, 12, 0),
            port: 0,
            reader: |_, _| Reading::default(),
            offers: Vec::new(),
            advisor: |_, _, _| {
                Err(AdviceRefusal {
                    error: "no test asks this server what to build".to_owned(),
                    hint: None,
                })
            },
            deadlines: Deadlines {
                simulation_steps: u64::MAX,
                ..Deadlines::default()
            },
        })
        .unwrap();
        let (port, token) = (server.port(), server.token().to_owned());
        std::thread::spawn(move || server.run_until(std::future::pending()));
        Self { port, token }
    }

    /// Returns the status and the body of an answer.
    pub fn send(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            self.token,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap())
    }

    /// Asks `question`.
    pub fn post(&self, path: &str, question: &Value) -> (u16, Value) {
        self.send("POST", path, &question.to_string())
    }
}
