//! Clients and the server are killed at random moments: what was acknowledged is there, counted by
//! `psql`, and no run is half there.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use stripewise_fixtures::{Numbers, seed, share};
use stripewise_results::{RunId, Store};

use super::Place;
use crate::common::{cells, facts, new_run, record_with_bins};

const CELLS: u64 = 3;
const STORE_OF_THE_CHILD: &str = "STRIPEWISE_TEST_KILLED_SERVER";
/// How many clients write at once.
const WRITERS: usize = 2;

/// The process to be killed: begins a run, or continues one that nobody executes, and adds for ever.
#[test]
fn client() {
    let Some(address) = std::env::var_os(STORE_OF_THE_CHILD) else {
        return;
    };
    let say = |text: String| {
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "\n{text}").unwrap();
        stdout.flush().unwrap();
    };
    let mut store = Store::open(Path::new(&address)).unwrap();
    let unfinished = store.unfinished_runs().unwrap();
    let resumed = unfinished
        .into_iter()
        .find(|run| run.0 % 3 != 0 && store.claim_run(*run).is_ok());
    let run = resumed.unwrap_or_else(|| {
        store
            .begin_run(&new_run(), &cells(CELLS), &facts())
            .unwrap()
    });
    say(format!("run {run}"));
    for number in store.counts(run).unwrap().samples.. {
        store
            .add_sample(run, &record_with_bins(number, CELLS, 100))
            .unwrap();
        say(format!("sample {run} {}", number + 1));
    }
}

#[test]
fn nothing_acknowledged_is_lost_when_clients_and_the_server_are_killed() {
    let all: Vec<u64> = (0..100).collect();
    let kills = share("kills of clients and of a PostgreSQL server", &all, 3);
    let Some(mut place) = Place::new("kills of clients and of a PostgreSQL server") else {
        return;
    };
    drop(Store::open(&place.database("kills")).unwrap());
    let mut numbers = Numbers::of(seed());
    // How many samples of each run were acknowledged.
    let mut acknowledged: BTreeMap<i64, u64> = BTreeMap::new();
    for kill in &kills {
        let address = place.address("kills", "stripewise");
        let clients: Vec<_> = (0..WRITERS).map(|_| start(&address)).collect();
        std::thread::sleep(Duration::from_millis(150 + numbers.below(500)));
        // The server in every third round; then the clients end by themselves.
        if kill % 3 == 0 {
            place.kill();
        }
        for mut client in clients {
            client.kill().unwrap();
            for line in BufReader::new(client.stdout.take().unwrap()).lines() {
                note(&line.unwrap(), &mut acknowledged);
            }
            client.wait().unwrap();
        }
        if kill % 3 == 0 {
            place.start();
        }
        count(&place, &acknowledged);
    }
    let samples: u64 = acknowledged.values().sum();
    assert!(samples > 0, "no client has added a sample");
    stripewise_fixtures::say(&format!(
        "{} kills, {} runs, {samples} samples acknowledged, 0 lost",
        kills.len(),
        acknowledged.len()
    ));
    let store = Store::open_existing(&place.address("kills", "stripewise")).unwrap();
    store.check().unwrap();
    for run in acknowledged.keys() {
        for (number, found) in (0..).zip(store.run(RunId(*run)).unwrap().samples) {
            assert_eq!(found, record_with_bins(number, CELLS, 100));
        }
    }
}

fn start(address: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "server::kills::client", "--nocapture"])
        .env(STORE_OF_THE_CHILD, address)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn note(line: &str, acknowledged: &mut BTreeMap<i64, u64>) {
    let mut words = line.split(' ');
    let kind = words.next();
    let mut number = || words.next().and_then(|word| word.parse::<i64>().ok());
    match (kind, number(), number()) {
        (Some("run"), Some(run), None) => _ = acknowledged.entry(run).or_default(),
        (Some("sample"), Some(run), Some(count)) => {
            let known = acknowledged.entry(run).or_default();
            *known = (*known).max(count.unsigned_abs());
        }
        _ => {}
    }
}

/// Counts from outside: every acknowledged sample is there, numbers have no gap, and each run has all
/// its cells and facts.
fn count(place: &Place, acknowledged: &BTreeMap<i64, u64>) {
    let rows = place.psql(
        "kills",
        "SELECT r.id, (SELECT count(*) FROM stripewise.sample s WHERE s.run = r.id),
             (SELECT coalesce(max(number) + 1, 0) FROM stripewise.sample s WHERE s.run = r.id),
             (SELECT count(*) FROM stripewise.cell c WHERE c.run = r.id),
             (SELECT count(*) FROM stripewise.facts f WHERE f.run = r.id)
         FROM stripewise.run r ORDER BY r.id",
    );
    let mut found = BTreeMap::new();
    for row in rows.lines() {
        let numbers: Vec<u64> = row.split('|').map(|word| word.parse().unwrap()).collect();
        let [run, samples, next, cells, facts] = numbers[..] else {
            panic!("{row}");
        };
        assert_eq!(samples, next, "run {run} has a gap");
        assert_eq!((cells, facts), (CELLS, 1), "run {run} is half there");
        found.insert(run.cast_signed(), samples);
    }
    for (run, count) in acknowledged {
        let there = found.get(run).copied();
        assert!(
            there >= Some(*count),
            "run {run}: {count} acknowledged, {there:?} there"
        );
    }
}
