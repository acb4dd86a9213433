//! Over a network a store is only used on the server that its certificate names.
//!
//! The failure: a team wrote its results to whoever answered under the server's name.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use stripewise_fixtures::skip_unless_all;
use stripewise_results::{RunEnd, Store, StoreError};

use super::Place;
use crate::common::begin_with_samples;

/// A server that listens on loopback.
struct Listening {
    child: Child,
    port: u16,
}

impl Drop for Listening {
    fn drop(&mut self) {
        // `setpriv` has become the server, whose other processes end with it.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns the program of the newest server of the distribution.
fn postgres() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").unwrap().flatten();
    let mut programs: Vec<_> = versions
        .map(|version| version.path().join("bin/postgres"))
        .filter(|program| program.exists())
        .collect();
    programs.sort();
    programs.pop().unwrap()
}

/// Makes a key and a certificate for `localhost` that nobody else signed.
fn certificate(folder: &Path, name: &str) -> (PathBuf, PathBuf) {
    let (key, certificate) = (
        folder.join(format!("{name}.key")),
        folder.join(format!("{name}.crt")),
    );
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt"])
        .args(["ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-addext"])
        .args(["subjectAltName=DNS:localhost", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    (key, certificate)
}

/// Starts the server of a place with a key, and waits until it answers.
fn listen(data: &Path, key: &Path, certificate: &Path) -> Listening {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let owner = std::fs::metadata(data).unwrap();
    for file in [key, certificate] {
        chown(file, Some(owner.uid()), Some(owner.gid())).unwrap();
        std::fs::set_permissions(file, PermissionsExt::from_mode(0o600)).unwrap();
    }
    let mut command = Command::new("setpriv");
    if owner.uid() != 0 {
        command
            .arg(format!("--reuid={}", owner.uid()))
            .arg(format!("--regid={}", owner.gid()))
            .arg("--clear-groups");
    }
    command.arg(postgres()).arg("-D").arg(data);
    for setting in [
        "listen_addresses=127.0.0.1".to_owned(),
        format!("port={port}"),
        "unix_socket_directories=".to_owned(),
        "ssl=on".to_owned(),
        format!("ssl_key_file={}", key.display()),
        format!("ssl_cert_file={}", certificate.display()),
    ] {
        command.arg("-c").arg(setting);
    }
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    Listening {
        child: child.unwrap(),
        port,
    }
}

#[test]
fn only_a_server_with_the_right_certificate_is_used() {
    let what = "a store over TLS";
    if Command::new("openssl").arg("version").output().is_err() {
        return skip_unless_all(what, "`openssl` is missing");
    }
    let Some(mut place) = Place::new(what) else {
        return;
    };
    place.database("runs");
    place.kill();
    let data = place.database.data_directory().to_owned();
    let (key, ours) = certificate(&data, "ours");
    let (_, of_others) = certificate(&data, "others");
    // The client reads it as another user may.
    let known = tempfile::tempdir().unwrap();
    let copy = |from: &Path, name: &str| {
        let to = known.path().join(name);
        std::fs::copy(from, &to).unwrap();
        to
    };
    let (right, wrong) = (copy(&ours, "right.crt"), copy(&of_others, "wrong.crt"));
    let server = listen(&data, &key, &ours);
    let address = |host: &str, root: &Path| {
        PathBuf::from(format!(
            "postgresql://stripewise@{host}:{}/runs?sslmode=verify-full&sslrootcert={}",
            server.port,
            root.display()
        ))
    };
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut store = loop {
        match Store::open(&address("localhost", &right)) {
            Ok(store) => break store,
            Err(error) => assert!(Instant::now() < deadline, "{error:?}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let run = begin_with_samples(&mut store, 2, 5);
    // Every connection of the program is encrypted, also the one that renews leases.
    let psql = Command::new("psql")
        .args(["-XAtqc"])
        .arg("SELECT bool_and(ssl), count(*) > 0 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = 'runs' AND pid <> pg_backend_pid()")
        .arg(address("localhost", &right))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&psql.stdout).trim(), "t|t");
    store.finish_run(run, RunEnd::Done).unwrap();

    for (host, root, why) in [
        ("localhost", &wrong, "certificate verify failed"),
        ("127.0.0.1", &right, "does not match host name"),
    ] {
        let refused = Store::open_existing(&address(host, root)).unwrap_err();
        assert!(matches!(refused, StoreError::Connect { .. }), "{refused:?}");
        let chain = format!("{refused:?}");
        assert!(chain.contains(why), "{host}: {chain}");
    }
}
