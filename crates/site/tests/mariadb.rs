//! A server loads what was rewritten, and has row by row what the new site would have had.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use stripewise_site::{Options, Pair, Pairs, Policy, rewrite};

const NEW: &str = "https://www.new-site.example.org";

/// A server with data of its own, which ends with the test.
struct Server {
    child: Child,
    folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // Whatever it still does is in its own folder.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/usr/bin";
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

fn user() -> String {
    let done = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

impl Server {
    fn start() -> Option<Self> {
        let (server, install) = (program("mariadbd")?, program("mariadb-install-db")?);
        // Its package is another one.
        program("mariadb-dump")?;
        let folder = tempfile::tempdir().unwrap();
        let data = format!("--datadir={}", folder.path().join("data").display());
        let user = format!("--user={}", user());
        let small = ["--no-defaults", &data, &user];
        let made = Command::new(install)
            .args(small)
            .args(["--auth-root-authentication-method=normal", "--skip-test-db"])
            .output()
            .unwrap();
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        let socket = format!("--socket={}", folder.path().join("s").display());
        let child = Command::new(server)
            .args(small)
            .args([
                &socket,
                "--skip-networking",
                "--innodb-flush-log-at-trx-commit=0",
            ])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, folder };
        let begun = Instant::now();
        while !server
            .client("mariadb", &["-e", "SELECT 1"])
            .output()
            .unwrap()
            .status
            .success()
        {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "the server does not start"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(server)
    }

    fn client(&self, name: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program(name).unwrap());
        command.arg("--no-defaults");
        command.arg(format!(
            "--socket={}",
            self.folder.path().join("s").display()
        ));
        command
            .args(["--user=root", "--default-character-set=utf8mb4"])
            .args(words);
        command
    }

    fn load(&self, database: &str, dump: &Path) {
        let create = format!("CREATE DATABASE {database}");
        assert!(
            self.client("mariadb", &["-e", &create])
                .status()
                .unwrap()
                .success()
        );
        let loaded = self
            .client("mariadb", &[database])
            .stdin(File::open(dump).unwrap())
            .output()
            .unwrap();
        assert!(
            loaded.status.success(),
            "{}",
            String::from_utf8_lossy(&loaded.stderr)
        );
    }

    /// Dumps a database, one row a line.
    fn dump(&self, database: &str, words: &[&str]) -> Vec<u8> {
        let words = [words, &[database]].concat();
        let done = self.client("mariadb-dump", &words).output().unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        done.stdout
    }
}

fn generated(path: &Path, words: &[&str]) -> bool {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/gen_dump.py");
    let mut command = Command::new("python3");
    command
        .arg(script)
        .args(["--seed", "5", "--mb", "1", "--out"])
        .arg(path)
        .args(words);
    command
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn a_server_has_the_rows_of_the_new_site() {
    let Some(server) = Server::start() else {
        eprintln!("SKIPPED: a round trip through MariaDB: mariadb-server is not installed");
        return;
    };
    let folder = server.folder.path();
    let (old, new) = (folder.join("old.sql"), folder.join("new.sql"));
    if !generated(&old, &[]) {
        eprintln!("SKIPPED: a round trip through MariaDB: python3 is not installed");
        return;
    }
    assert!(generated(&new, &["--url", NEW, "--path", "/srv/new"]));
    server.load("old_site", &old);
    server.load("wanted", &new);
    let pair = |from: &str, to: &str| Pair {
        from: from.as_bytes().to_vec(),
        to: to.as_bytes().to_vec(),
    };
    let pairs = [
        pair("http://old.example.com", NEW),
        pair("/var/www/vhosts/old/htdocs", "/srv/new"),
        pair("old.example.com", "www.new-site.example.org"),
    ];
    let pairs = Pairs::new(&pairs, Policy::default()).unwrap();
    let wanted = server.dump("wanted", &["--skip-comments", "--skip-extended-insert"]);
    for (database, words) in [
        ("plain", &[][..]),
        ("hex", &["--hex-blob", "--skip-extended-insert"]),
    ] {
        let dump = server.dump("old_site", words);
        let path = folder.join("moved.sql");
        let file = File::create(&path).unwrap();
        rewrite(dump.as_slice(), file, &pairs, &Options::default()).unwrap();
        server.load(database, &path);
        let found = server.dump(database, &["--skip-comments", "--skip-extended-insert"]);
        assert!(found == wanted, "{database}");
    }
}
