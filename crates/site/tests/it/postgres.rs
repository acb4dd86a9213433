//! PostgreSQL loads what was rewritten, and has what the new site would have had.
//!
//! The failure: rows of `COPY` were read as MySQL's, so their lengths were wrong or their addresses
//! stayed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::forms_kit::{Drawn, Draws, NEW, OLD, number, pairs};
use crate::programs::{succeeded, wait_for};
use crate::skip::skip_unless_all;
use stripewise_site::{Options, rewrite};

/// Programs of one version, in a root of their own or in that of the machine.
#[derive(Debug, Clone)]
struct Programs {
    root: PathBuf,
    folder: PathBuf,
}

/// Returns all versions: those of the machine, and those in the roots that
/// STRIPEWISE_TEST_POSTGRES names, each with a Debian's packages unpacked and `/tmp` mounted.
fn versions() -> Vec<Programs> {
    let more = std::env::var("STRIPEWISE_TEST_POSTGRES").unwrap_or_default();
    let roots = std::iter::once("/").chain(more.split(':').filter(|root| !root.is_empty()));
    let mut found = Vec::new();
    for root in roots.map(PathBuf::from) {
        let all = std::fs::read_dir(root.join("usr/lib/postgresql"));
        for entry in all.into_iter().flatten().flatten() {
            let folder = entry.path().join("bin");
            if folder.join("initdb").is_file() && folder.join("pg_dump").is_file() {
                let folder = Path::new("/").join(folder.strip_prefix(&root).unwrap());
                let root = root.clone();
                found.push(Programs { root, folder });
            }
        }
    }
    found
}

fn is_root() -> bool {
    let done = Command::new("id").arg("-u").output().unwrap();
    done.stdout.trim_ascii() == b"0"
}

impl Programs {
    /// A call of a program; a server does not run as root.
    fn call(&self, name: &str) -> Command {
        let program = self.folder.join(name);
        if !is_root() {
            return Command::new(program);
        }
        let mut command = Command::new("chroot");
        command.args(["--userspec=65534:65534", "--groups="]);
        command.arg(&self.root).arg(program);
        command.env("HOME", "/tmp").env("LC_ALL", "C.UTF-8");
        command
    }
}

/// A server with data of its own, which ends with the test.
struct Server {
    programs: Programs,
    child: Child,
    folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its other processes end with it: SIGQUIT to the first one.
        let _ = Command::new("kill")
            .args(["-QUIT", &self.child.id().to_string()])
            .status();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(programs: &Programs) -> Self {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        if is_root() {
            let done = Command::new("chown")
                .arg("65534:65534")
                .arg(folder.path())
                .status();
            assert!(done.unwrap().success());
        }
        let data = folder.path().join("data");
        let mut init = programs.call("initdb");
        init.args([
            "--no-sync",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--username=a",
        ]);
        succeeded(init.arg("--pgdata").arg(&data));
        let child = programs
            .call("postgres")
            .arg("-D")
            .arg(&data)
            .args([
                "-c",
                "fsync=off",
                "-c",
                "listen_addresses=",
                "-c",
                "unix_socket_permissions=0777",
            ])
            .arg("-k")
            .arg(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self {
            programs: programs.clone(),
            child,
            folder,
        };
        wait_for(server.client("psql", "postgres").args(["-c", "SELECT 1"]));
        server
    }

    fn client(&self, name: &str, database: &str) -> Command {
        let mut command = self.programs.call(name);
        command
            .arg("-h")
            .arg(self.folder.path())
            .args(["-U", "a", "-d", database]);
        if name == "psql" {
            command.args(["-q", "-X", "-v", "ON_ERROR_STOP=1"]);
        }
        command
    }

    fn load(&self, database: &str, dump: &[u8]) {
        succeeded(
            self.client("psql", "postgres")
                .args(["-c", &format!("CREATE DATABASE {database}")]),
        );
        let mut psql = self.client("psql", database);
        let mut child = psql
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(dump).unwrap();
        let done = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said}");
    }

    fn dump(&self, database: &str, words: &[&str]) -> Vec<u8> {
        succeeded(self.client("pg_dump", database).args(words))
    }

    /// Returns all rows, in hexadecimal digits.
    fn rows(&self, database: &str) -> Vec<u8> {
        let query = "SELECT id, encode(convert_to(v, 'UTF8'), 'hex'), encode(b, 'hex'), encode(convert_to(j::text, 'UTF8'), 'hex') FROM s.\"T t\" ORDER BY id";
        succeeded(
            self.client("psql", database)
                .args(["-A", "-t", "-c", query]),
        )
    }
}

/// Statements that make a database of drawn values.
fn statements(drawn: &[Drawn], address: &str) -> Vec<u8> {
    let mut out = b"CREATE SCHEMA s;\nCREATE TABLE s.\"T t\" (id int PRIMARY KEY, v text, b bytea, j jsonb);\nCREATE FUNCTION s.f() RETURNS text LANGUAGE sql AS $body$SELECT 'http://f.example'$body$;\n".to_vec();
    for (id, drawn) in drawn.iter().enumerate() {
        let value = drawn.value(address);
        let text = match value.contains(&0) {
            true => "NULL".to_owned(),
            false => format!("'{}'", String::from_utf8_lossy(&value).replace('\'', "''")),
        };
        let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
        let json = format!("{{\"u\": \"{address}/{id}\"}}");
        out.extend(
            format!("INSERT INTO s.\"T t\" VALUES ({id}, {text}, '\\x{hex}', '{json}');\n").bytes(),
        );
    }
    out
}

#[test]
fn a_server_has_the_rows_of_the_new_site() {
    let versions = versions();
    if versions.is_empty() {
        skip_unless_all("a round trip through PostgreSQL: postgresql is not installed");
        return;
    }
    let count = number("STRIPEWISE_TEST_FORMS_LOADED").unwrap_or(40);
    let mut draws = Draws(number("STRIPEWISE_TEST_SEED").unwrap_or(1));
    let drawn: Vec<Drawn> = (0..count).map(|_| Drawn::draw(&mut draws)).collect();
    for programs in versions {
        let server = Server::start(&programs);
        server.load("old", &statements(&drawn, OLD));
        server.load("wanted", &statements(&drawn, NEW));
        let wanted = server.rows("wanted");
        assert_ne!(server.rows("old"), wanted);
        for (database, words) in [
            ("plain", &[][..]),
            ("inserts", &["--inserts"]),
            ("named", &["--column-inserts"]),
            ("many", &["--inserts", "--rows-per-insert=7"]),
            ("quoted", &["--quote-all-identifiers"]),
        ] {
            let dump = server.dump("old", words);
            let mut moved = Vec::new();
            let report =
                rewrite(dump.as_slice(), &mut moved, &pairs(), &Options::default()).unwrap();
            assert_eq!(
                (report.stuck(), report.rows()),
                (0, count),
                "{programs:?} {words:?}"
            );
            server.load(database, &moved);
            assert!(server.rows(database) == wanted, "{programs:?} {words:?}");
            if drawn.len() < 100 && words.len() < 2 {
                crate::cuts::check(&dump, Some("-- PostgreSQL database dump complete"), 397);
            }
        }
        for form in ["custom", "tar"] {
            let archive = server.dump("old", &["--format", form]);
            let error = rewrite(
                archive.as_slice(),
                std::io::sink(),
                &pairs(),
                &Options::default(),
            );
            let error = error.unwrap_err();
            assert!(error.to_string().contains(form), "{error}");
            assert!(error.hint().unwrap().contains("pg_restore"), "{error}");
        }
    }
}
