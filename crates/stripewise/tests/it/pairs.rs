//! `explain` over pairs of real measurements whose causes are known (`tests/pairs`, made by `ci/pairs.sh`).
//!
//! What it names is scored beside three baselines: the change with the largest effect alone in the model, a
//! fixed list of usual suspects, and chance. `kinds.toml` lists the kinds of causes that no rule of
//! `explain` may come from. `score.txt` has the sums and each pair.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect_file;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{Bench, repository, with};

/// What an administrator looks at first, in this order.
const SUSPECTS: [&str; 12] = [
    "kernel",
    "governor",
    "scheduler",
    "filesystem",
    "mount_options",
    "read_ahead",
    "write_cache",
    "array",
    "bitmap",
    "block_size",
    "depth",
    "fsync",
];

#[derive(Deserialize)]
struct Kinds {
    held_out: BTreeSet<String>,
}

/// What is true of a pair.
#[derive(Deserialize)]
struct Truth {
    ratio: Ratio,
    #[serde(default)]
    cause: Vec<Cause>,
}

#[derive(Deserialize)]
struct Ratio {
    median: f64,
}

#[derive(Deserialize)]
struct Cause {
    kind: String,
    key: String,
    recorded: bool,
}

/// What a pair asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    /// The one cause.
    One,
    /// Both causes.
    Both,
    /// That there is no cause.
    Noise,
    /// That the cause is not among the facts.
    NotRecorded,
}

/// How often a way to name causes was right.
#[derive(Debug, Default, Clone, Copy)]
struct Right {
    pairs: u32,
    explain: u32,
    largest: u32,
    suspects: u32,
    chance: f64,
}

/// Returns the fact that `explain` calls so.
fn fact(key: &str) -> &str {
    match key {
        "fio:bs" => "block_size",
        "fio:iodepth" => "depth",
        "fio:ioengine" => "engine",
        "fio:fsync" => "fsync",
        "fio:rate_iops" => "rate_iops",
        "fio:thinktime" => "think_time",
        "options" => "mount_options",
        other => other,
    }
}

impl Truth {
    fn asks(&self) -> Asks {
        match &self.cause[..] {
            [] => Asks::Noise,
            causes if causes.iter().any(|cause| !cause.recorded) => Asks::NotRecorded,
            [_] => Asks::One,
            _ => Asks::Both,
        }
    }

    /// Returns whether these are right, the first to be named first.
    fn is_right(&self, named: &[String]) -> bool {
        let causes: BTreeSet<&str> = self.cause.iter().map(|cause| fact(&cause.key)).collect();
        let first = named.iter().take(causes.len()).map(String::as_str);
        match self.asks() {
            Asks::Noise | Asks::NotRecorded => named.is_empty(),
            Asks::One | Asks::Both => first.collect::<BTreeSet<&str>>() == causes,
        }
    }
}

/// Returns the chance that as many facts as there are causes, drawn of all that changed, are the causes.
fn chance(causes: usize, changes: usize) -> f64 {
    let ways = (0..causes).map(|taken| {
        let left = u32::try_from(changes - taken).unwrap();
        let wanted = u32::try_from(causes - taken).unwrap();
        f64::from(wanted) / f64::from(left)
    });
    ways.product()
}

fn texts<'a>(values: impl Iterator<Item = &'a Value>) -> Vec<String> {
    values
        .map(|value| value.as_str().unwrap().to_owned())
        .collect()
}

/// Returns what changed, what `explain` names, and the change with the largest effect alone.
fn explained(bench: &Bench, pair: &Path) -> [Vec<String>; 3] {
    let path = |name: &str| pair.join(name);
    let command = with(
        bench.command(),
        [
            Path::new("explain"),
            &path("before.json"),
            &path("after.json"),
            Path::new("--facts-before"),
            &path("before"),
            Path::new("--facts-after"),
            &path("after"),
            Path::new("--json"),
        ],
    );
    let document = bench.json(command);
    let pair = &document["pairs"][0];
    let changes = texts(
        pair["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["key"]),
    );
    let change =
        |one: &Value| changes[usize::try_from(one["change"].as_u64().unwrap()).unwrap()].clone();
    let causes = pair["conclusion"]["causes"].as_array().unwrap();
    let named = causes.iter().map(change).collect();
    let effects = pair["ablation"]["metrics"][0]["effects"].as_array();
    let size = |one: &&Value| one["alone"].as_f64().unwrap().abs();
    let mut effects: Vec<&Value> = effects.into_iter().flatten().collect();
    effects.sort_by(|one, other| size(other).total_cmp(&size(one)));
    let largest = effects.into_iter().map(change).collect();
    [changes, named, largest]
}

#[test]
fn the_causes_of_real_pairs_are_scored_beside_baselines() {
    let Some(bench) = Bench::new() else { return };
    let folder = repository().join("crates/stripewise/tests/pairs");
    let kinds = std::fs::read_to_string(folder.join("kinds.toml")).unwrap();
    let kinds: Kinds = toml_edit::de::from_str(&kinds).unwrap();
    let entries = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut pairs: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    pairs.sort();
    let mut rows = [
        ("true cause first", Asks::One, None, Right::default()),
        (
            "- kinds it was developed on",
            Asks::One,
            Some(false),
            Right::default(),
        ),
        ("- kinds held out", Asks::One, Some(true), Right::default()),
        (
            "both causes among the first two",
            Asks::Both,
            None,
            Right::default(),
        ),
        (
            "no cause named where only noise differs",
            Asks::Noise,
            None,
            Right::default(),
        ),
        (
            "\"nothing that was recorded\" where so",
            Asks::NotRecorded,
            None,
            Right::default(),
        ),
    ];
    let mut lines = String::new();
    for path in &pairs {
        let truth: Truth =
            toml_edit::de::from_str(&std::fs::read_to_string(path.join("truth.toml")).unwrap())
                .unwrap();
        let [changes, named, largest] = explained(&bench, path);
        let suspects = SUSPECTS
            .iter()
            .filter(|suspect| changes.iter().any(|one| one == *suspect));
        let suspects: Vec<String> = suspects.map(|suspect| (*suspect).to_owned()).collect();
        let is_held_out = truth
            .cause
            .iter()
            .any(|cause| kinds.held_out.contains(&cause.kind));
        let is_right = truth.is_right(&named);
        for (_, asks, held_out, right) in &mut rows {
            if truth.asks() != *asks || held_out.is_some_and(|one| one != is_held_out) {
                continue;
            }
            right.pairs += 1;
            right.explain += u32::from(is_right);
            right.largest += u32::from(truth.is_right(&largest));
            right.suspects += u32::from(truth.is_right(&suspects));
            if matches!(asks, Asks::One | Asks::Both) {
                right.chance += chance(truth.cause.len(), changes.len());
            }
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let percent = 100.0 * (truth.ratio.median - 1.0);
        let judged = if is_right { "right" } else { "WRONG" };
        let named = if named.is_empty() {
            "nothing".to_owned()
        } else {
            named.join(", ")
        };
        writeln!(lines, "# {name}: {percent:+.0} %, names {named}: {judged}").unwrap();
    }
    let mut text = format!(
        "{:<40} pairs  explain  largest  suspects  chance\n",
        "right"
    );
    for (title, _, _, right) in rows {
        let Right {
            pairs,
            explain,
            largest,
            suspects,
            chance,
        } = right;
        writeln!(
            text,
            "{title:<40} {pairs:>5}  {explain:>7}  {largest:>7}  {suspects:>8}  {chance:>6.1}"
        )
        .unwrap();
    }
    expect_file![folder.join("score.txt")].assert_eq(&(text + &lines));
}
