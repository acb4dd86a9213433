//! A database that loses an acknowledged transaction when it is killed, or a changed byte that
//! no test notices, would make every measured loss worthless. So real servers are killed here.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stripewise_database::{Database, Kind, Load, ReadRow, Server, ServerError, Settings};
use stripewise_study::world::NeverCancel;

const TEST_ALL: &str = "STRIPEWISE_TEST_ALL";
const LIMIT: Duration = Duration::from_secs(120);
const LOAD: Load = Load {
    seed: 42,
    payload_bytes: 200,
};

fn say(text: &str) {
    // Nothing to report to if stderr is closed.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Returns an empty directory that every user may enter; `None` if a program is missing.
fn bench(what: &str, kind: Kind) -> Option<tempfile::TempDir> {
    let missing = kind.missing_programs();
    if let Some(program) = missing.first() {
        let why = format!("`{}` of `{}` is missing", program.name, program.package);
        let must_run = std::env::var_os(TEST_ALL).is_some();
        assert!(!must_run, "{TEST_ALL} is set, and {what}: {why}");
        say(&format!("SKIPPED: {what} with {kind}: {why}"));
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(directory.path(), everybody).unwrap();
    Some(directory)
}

fn database(kind: Kind, directory: &Path, settings: &[(&str, &str)]) -> Database {
    let settings = Settings::new(kind, settings.iter().copied()).unwrap();
    let database = Database::new(settings, LOAD, directory);
    let began = Instant::now();
    database.create(&mut NeverCancel).unwrap();
    say(&format!("{kind}: made in {:?}", began.elapsed()));
    database
}

fn start(database: &Database) -> Server {
    let began = Instant::now();
    let server = database.start(LIMIT, &mut NeverCancel).unwrap();
    say(&format!(
        "{}: started in {:?}",
        database.kind(),
        began.elapsed()
    ));
    server
}

/// Commits `count` records of each of two writers at the same time.
fn commit(server: &Server, count: u64) {
    let mut sessions = [1, 2].map(|writer| server.session(writer).unwrap());
    std::thread::scope(|scope| {
        for session in &mut sessions {
            scope.spawn(|| {
                for sequence in 0..count {
                    session.commit(sequence..sequence + 1).unwrap();
                }
            });
        }
    });
}

fn expected(count: u64) -> Vec<ReadRow> {
    let rows = [1, 2].map(|writer| {
        (0..count).map(move |sequence| ReadRow {
            writer,
            sequence,
            is_intact: true,
        })
    });
    rows.into_iter().flatten().collect()
}

/// Changes one byte of a payload in the data files, and returns how many copies it found.
fn flip(directory: &Path, payload: &[u8]) -> usize {
    let mut copies = 0;
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let entries = std::fs::read_dir(directory).unwrap();
        let paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        for path in paths {
            let is_log = ["pg_wal", "ib_logfile0"]
                .iter()
                .any(|name| path.ends_with(name));
            if path.is_dir() && !is_log {
                pending.push(path);
            } else if path.is_file() && !is_log {
                let mut bytes = std::fs::read(&path).unwrap();
                let found = bytes
                    .windows(payload.len())
                    .position(|part| part == payload);
                if let Some(place) = found {
                    bytes[place + payload.len() / 2] ^= 1;
                    std::fs::write(&path, bytes).unwrap();
                    copies += 1;
                }
            }
        }
    }
    copies
}

/// Kills the server after commits of two writers, and returns what the next one reads.
fn survives(kind: Kind, settings: &[(&str, &str)]) {
    let Some(directory) = bench("a killed server keeps what it acknowledged", kind) else {
        return;
    };
    let database = database(kind, directory.path(), settings);
    let server = start(&database);
    let began = Instant::now();
    commit(&server, 200);
    let rate = 400.0 / began.elapsed().as_secs_f64();
    say(&format!("{kind}: {rate:.0} commits/s with two sessions"));
    drop(server);

    let mut server = start(&database);
    let contents = server.read_all(&mut NeverCancel).unwrap();
    assert_eq!(contents.problems, Vec::<String>::new());
    assert_eq!(contents.rows, expected(200));
    assert_eq!(
        server.check(&mut NeverCancel).unwrap(),
        Vec::<String>::new()
    );

    // One transaction holds several records, and one that repeats a key is refused as a whole.
    let mut session = server.session(3).unwrap();
    session.commit(0..5).unwrap();
    let error = session.commit(4..6).unwrap_err().to_string();
    assert!(error.to_lowercase().contains("duplicate"), "{error}");
    server.stop(LIMIT, &mut NeverCancel).unwrap();
    let contents = start(&database).read_all(&mut NeverCancel).unwrap();
    let third = contents.rows.iter().filter(|row| row.writer == 3);
    let third: BTreeSet<u64> = third.map(|row| row.sequence).collect();
    assert_eq!(third, BTreeSet::from([0, 1, 2, 3, 4]));
}

#[test]
fn mariadb_keeps_what_it_acknowledged() {
    survives(Kind::MariaDb, &[]);
}

#[test]
fn mariadb_keeps_what_it_acknowledged_with_a_binary_log() {
    survives(Kind::MariaDb, &[("log_bin", "on"), ("sync_binlog", "1")]);
}

#[test]
fn postgresql_keeps_what_it_acknowledged() {
    survives(Kind::PostgreSql, &[]);
}

/// Changes a byte of record 17 of writer 2 while the server is down.
fn flipped(kind: Kind, settings: &[(&str, &str)]) -> Option<(Vec<ReadRow>, Vec<String>)> {
    let directory = bench("a changed byte is found", kind)?;
    let database = database(kind, directory.path(), settings);
    let server = start(&database);
    commit(&server, 40);
    server.stop(LIMIT, &mut NeverCancel).unwrap();
    let payload = LOAD.payload(2, 17);
    assert!(flip(database.data_directory(), payload.as_bytes()) > 0);
    let mut server = start(&database);
    let contents = server.read_all(&mut NeverCancel).unwrap();
    Some((contents.rows, contents.problems))
}

#[test]
fn a_changed_byte_in_mariadb_is_found_by_its_page_checksum() {
    let Some((rows, problems)) = flipped(Kind::MariaDb, &[]) else {
        return;
    };
    assert!(rows.len() < 80, "{} rows", rows.len());
    assert!(!problems.is_empty());
}

#[test]
fn a_changed_byte_in_postgresql_is_found_in_the_row() {
    let Some((rows, problems)) = flipped(Kind::PostgreSql, &[]) else {
        return;
    };
    assert_eq!(problems, Vec::<String>::new());
    let damaged: Vec<&ReadRow> = rows.iter().filter(|row| !row.is_intact).collect();
    let expected = ReadRow {
        writer: 2,
        sequence: 17,
        is_intact: false,
    };
    assert_eq!(damaged, [&expected]);
    assert_eq!(rows.len(), 80);
}

#[test]
fn a_changed_byte_in_postgresql_is_found_by_its_page_checksum() {
    let Some((_, problems)) = flipped(Kind::PostgreSql, &[("data_checksums", "on")]) else {
        return;
    };
    let text = problems.join("; ");
    assert!(text.contains("invalid page"), "{text}");
}

#[test]
fn a_server_that_cannot_start_gives_its_reason() {
    for kind in Kind::ALL {
        let Some(directory) = bench("a server without its files says why", kind) else {
            continue;
        };
        let database = database(kind, directory.path(), &[]);
        let file = match kind {
            Kind::MariaDb => "ibdata1",
            Kind::PostgreSql => "global/pg_control",
        };
        std::fs::write(database.data_directory().join(file), vec![0; 1 << 20]).unwrap();
        let error = database.start(LIMIT, &mut NeverCancel).unwrap_err();
        assert!(matches!(error, ServerError::NotStarted { .. }), "{error}");
        let text = error.to_string();
        say(&text);
        assert!(
            text.contains("ERROR") || text.contains("FATAL") || text.contains("PANIC"),
            "{text}"
        );
    }
}
