//! A MariaDB server for tests.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::programs::{succeeded, wait_for};

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
    /// Starts it; `None` if its programs are not installed.
    pub fn start() -> Option<Self> {
        let (server, install) = (program("mariadbd")?, program("mariadb-install-db")?);
        // Its package is another one.
        program("mariadb-dump")?;
        let folder = tempfile::tempdir().unwrap();
        let data = format!("--datadir={}", folder.path().join("data").display());
        let user = format!("--user={}", user());
        let small = ["--no-defaults", &data, &user];
        let mut install = Command::new(install);
        install.args(small);
        install.args(["--auth-root-authentication-method=normal", "--skip-test-db"]);
        succeeded(&mut install);
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
        wait_for(&mut server.client("mariadb", &["-e", "SELECT 1"]));
        Some(server)
    }

    /// A client of it.
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

    /// Does a statement of SQL.
    pub fn sql(&self, statement: &str) {
        succeeded(&mut self.client("mariadb", &["-e", statement]));
    }

    /// Makes a database of a dump.
    pub fn load(&self, database: &str, dump: &Path) {
        self.sql(&format!("CREATE DATABASE {database}"));
        let mut client = self.client("mariadb", &[database]);
        succeeded(client.stdin(File::open(dump).unwrap()));
    }

    /// Dumps a database, one row a line.
    #[allow(dead_code, reason = "one of the tests that include this file uses it")]
    pub fn dump(&self, database: &str, words: &[&str]) -> Vec<u8> {
        let words = [words, &[database]].concat();
        succeeded(&mut self.client("mariadb-dump", &words))
    }
}
