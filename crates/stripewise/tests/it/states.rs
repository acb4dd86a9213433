//! Fresh devices and steady ones: both are shown where they differ, and the daily volume says which
//! applies.
//!
//! The failure: four stacks for a database of 50 GB a day were "the same, 170 MiB/s". That was true once
//! 41 GiB had been written without a pause, which such a database never does: it gets the rates of fresh
//! devices, at which the stacks differ.

use serde_json::Value;

use crate::support::Bench;

const STACKS: [&str; 6] = [
    "--device",
    "samsung-850-evo-500",
    "--array",
    "raid5:4:64K",
    "--array",
    "raid10:4:64K",
];

/// Returns the answer of a command about the database, as text and as JSON.
fn asked(bench: &Bench, command: &[&str], more: &[&str]) -> (String, Value) {
    let run = |format: &[&str]| {
        let mut words = bench.command();
        words.args(command).args(STACKS);
        words.args(["--workload", "mysql-in-vm", "--kernel", "6.12"]);
        words.args(more).args(format);
        if command[0] == "run" {
            words.arg("--store").arg(bench.store_path());
        }
        let done = bench.finish(words);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        done.stdout
    };
    let json = run(&["--json"]);
    (run(&[]), serde_json::from_str(&json).expect("valid JSON"))
}

/// Returns the fresh and the steady bandwidth of the cells.
fn both(document: &Value) -> Vec<(f64, f64)> {
    let of = |estimates: &Value| estimates["bandwidth_bytes_per_s"]["value"].as_f64();
    let cells = document["cells"].as_array().expect("cells");
    let both = cells.iter().map(|cell| {
        let fresh = of(&cell["fresh"]["estimates"]).expect("a fresh state");
        (fresh, of(&cell["estimates"]).expect("a steady state"))
    });
    both.collect()
}

/// The text on one line, as lines break anywhere.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const PREDICT: [&str; 1] = ["predict"];
const RUN: [&str; 3] = ["run", "--world", "model"];

#[test]
fn both_states_are_shown_with_the_same_difference_by_predict_and_run() {
    let Some(bench) = Bench::new() else { return };
    let (predicted, predictions) = asked(&bench, &PREDICT, &[]);
    let (ran, document) = asked(&bench, &RUN, &[]);
    for text in [&predicted, &ran] {
        assert!(text.contains("Fresh devices and steady ones"), "{text}");
        assert!(
            on_one_line(text).contains("Which state applies depends on"),
            "{text}"
        );
    }
    let (predicted, ran) = (both(&predictions), both(&document));
    for ((fresh, steady), (ran_fresh, ran_steady)) in predicted.iter().zip(&ran) {
        assert!(*fresh > 2.0 * steady, "{fresh} {steady}");
        assert_eq!(steady, ran_steady, "the same simulations");
        // One is a simulation of its own, the other the beginning of a longer one.
        assert!(
            (fresh / ran_fresh - 1.0).abs() < 0.15,
            "{fresh} {ran_fresh}"
        );
    }
    // Steady, the two are the same; fresh, RAID 10 is faster.
    assert!(ran[1].0 > 1.3 * ran[0].0, "{ran:?}");
    assert!((ran[1].1 / ran[0].1 - 1.0).abs() < 0.05, "{ran:?}");
    let text = on_one_line(&asked(&bench, &RUN, &[]).0);
    assert!(
        text.contains("Fresh devices: Stack raid10-4-64K gives the most bandwidth"),
        "{text}"
    );
    assert!(
        text.contains("Steady devices: raid5-4-64K and raid10-4-64K are the same"),
        "{text}"
    );
}

#[test]
fn the_daily_volume_decides_which_state_applies() {
    let Some(bench) = Bench::new() else { return };
    let decided = |volume: &str, state: &str| {
        let more = ["--writes-per-day", volume];
        let (predicted, document) = asked(&bench, &PREDICT, &more);
        assert_eq!(document["lifetime"]["years"], 5);
        let sentence = format!("written in a day, the {state} state applies to all of them");
        assert!(
            on_one_line(&predicted).contains(&sentence),
            "{volume}: {predicted}"
        );
        let (ran, _) = asked(&bench, &RUN, &more);
        assert!(on_one_line(&ran).contains(&sentence), "{volume}: {ran}");
        ran
    };
    // About 12 GiB of writes fill the fast areas, the log included.
    let fresh = decided("2G", "fresh");
    assert!(
        fresh.contains("Fresh devices: Stack raid10-4-64K gives the most"),
        "{fresh}"
    );
    assert!(!fresh.contains("Steady devices: raid5"), "{fresh}");
    let steady = decided("500G", "steady");
    assert!(
        steady.contains("Steady devices: raid5-4-64K and raid10-4-64K are the same"),
        "{steady}"
    );
    assert!(!steady.contains("Fresh devices: Stack"), "{steady}");
}

#[test]
fn the_wear_of_a_load_with_neighbours_counts_the_writes_of_all() {
    let Some(bench) = Bench::new() else { return };
    let (_, document) = asked(&bench, &RUN, &["--writes-per-day", "50G"]);
    let cells = document["cells"].as_array().expect("cells");
    // RAID 10 writes each byte twice, whichever load it belongs to; RAID 5 data and parity.
    for cell in cells {
        let life = &cell["lifetime"];
        let written = life["written_per_byte"].as_f64().expect("the wear");
        assert!((1.9..2.2).contains(&written), "{life}");
        assert!(life["years_to_rating"].as_f64().is_some(), "{life}");
    }
}

#[test]
fn a_daily_volume_is_a_size_above_zero() {
    let Some(bench) = Bench::new() else { return };
    for volume in ["0", "much"] {
        let mut command = bench.command();
        command.args(PREDICT).args(STACKS);
        command.args(["--workload", "oltp", "--writes-per-day", volume]);
        let done = bench.finish(command);
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(done.stderr.contains("--writes-per-day"), "{}", done.stderr);
    }
}
