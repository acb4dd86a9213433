//! A MariaDB server for tests.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server with data of its own, which ends with the test.
pub struct Server {
    child: Child,
    pub folder: tempfile::TempDir,
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
    /// Starts it; nothing if its programs are not installed.
    pub fn start() -> Option<Self> {
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

    /// A client of it.
    pub fn client(&self, name: &str, words: &[&str]) -> Command {
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

    /// Makes a database of a dump.
    pub fn load(&self, database: &str, dump: &Path) {
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
    #[allow(dead_code, reason = "one of the tests that include this file uses it")]
    pub fn dump(&self, database: &str, words: &[&str]) -> Vec<u8> {
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
