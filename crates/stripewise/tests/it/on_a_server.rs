//! The commands on a store that a PostgreSQL server keeps: as on a file.
//!
//! The failure: a command opened the store by its path, and made a file called `postgres:`.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use stripewise_database::{Database, Kind, Load, Server, Settings};
use stripewise_results::{RunState, Store};
use stripewise_study::world::NeverCancel;

use crate::support::{Bench, LONG, QUICK, entries, skip_unless_all, until};

const LIMIT: Duration = Duration::from_secs(60);

/// Starts a server with an empty database in the bench.
fn server(bench: &Bench) -> Option<(Server, String)> {
    let what = "commands on a PostgreSQL server";
    if let Some(missing) = Kind::PostgreSql.missing_programs().first() {
        skip_unless_all(what, &format!("`{}` is missing", missing.name));
        return None;
    }
    let load = Load {
        seed: 1,
        payload_bytes: 10,
    };
    let settings = Settings::new(Kind::PostgreSql, [] as [(&str, &str); 0]).unwrap();
    let database = Database::new(settings, load, &bench.path(""));
    database.create(&mut NeverCancel).unwrap();
    let server = database.start(LIMIT, &mut NeverCancel).unwrap();
    let socket = server.socket_directory().display().to_string();
    let made = Command::new("createdb")
        .args([
            "-h",
            &socket,
            "-U",
            "stripewise",
            "-E",
            "UTF8",
            "-T",
            "template0",
            "runs",
        ])
        .status();
    assert!(made.unwrap().success());
    let address = format!("postgresql://stripewise@/runs?host={socket}");
    Some((server, address))
}

#[test]
fn every_command_takes_a_server_as_its_store() {
    let Some(bench) = Bench::new() else { return };
    let Some((_server, address)) = server(&bench) else {
        return;
    };
    let on = |words: &str| {
        let mut command = bench.command();
        command.args(words.split(' ')).args(["--store", &address]);
        bench.finish(command)
    };
    let done = |words: &str| {
        let done = on(words);
        assert_eq!(done.code, Some(0), "{words}: {}", done.transcript());
        done.stdout + &done.stderr
    };
    let study = bench.write("quick.toml", QUICK);
    let run = format!(
        "run {} --target {}",
        study.display(),
        bench.target().display()
    );
    done(&run);
    done(&run);
    assert!(done("runs").contains("Is it quick?"));
    let shown = done("show latest");
    assert!(shown.contains("randread"), "{shown}");
    done("show 1 --json");
    done("compare 1 2");
    done("rename 1 before");
    done("rename before --tag nightly");
    done("trend");
    done("drift");
    done("ack 2 known --by ops");
    done("report 1 -o one.html");
    done("export 1 -o runs.json");
    done("restore");
    done("store roles --apply");
    done("store migrate");
    done("pages --out web");
    assert_eq!(entries(&bench.path("web")).len(), 3);
    done("push 1 2 --to copy.db");
    assert!(done("pull latest --from copy.db").contains("is there already, as run 2"));
    done("delete 1 --yes");
    let refused = on("show 1");
    assert!(
        refused.stderr.contains("no run 1"),
        "{}",
        refused.transcript()
    );

    // Killed in the middle, on this machine: its run is taken over at once.
    let long = bench.write("long.toml", LONG);
    let mut command = bench.command();
    command
        .arg("run")
        .arg(long)
        .arg("--target")
        .arg(bench.target());
    command.args(["--store", &address]);
    let mut child = bench.start(command);
    let place = PathBuf::from(&address);
    let store = Store::open_existing(&place).unwrap();
    let id = until("a run with samples", || {
        let id = store.latest_run().unwrap()?;
        let counts = store.counts(id).unwrap();
        (id.0 > 2 && counts.samples > 2 && counts.state == RunState::Running).then_some(id)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let left = store.counts(id).unwrap().samples;
    bench.assert_no_process();
    done("resume");
    let counts = store.counts(id).unwrap();
    assert_eq!(counts.state, RunState::Done);
    assert!(counts.samples > left && counts.counted >= 100, "{counts:?}");
    bench.assert_clean();
    assert!(
        !bench.path("postgresql:").exists(),
        "a file was made instead"
    );
}
