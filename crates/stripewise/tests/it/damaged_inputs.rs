//! A damaged input is refused, or all later commands can show its results.
//!
//! The failure: an export with one changed digit was imported with exit code 0. A week later `show`
//! printed a bandwidth of thirty digits, and `export` wrote a file that `import export` refused.
//!
//! The inputs are exported runs, results of fio, measured points and device profiles. Each copy is
//! damaged in one to three places. The program reads it in a process of its own, with bounded memory
//! and time. All later commands must read the inputs that it accepts.
//!
//! `STRIPEWISE_TEST_DAMAGED=N` damages N copies of each file: 60 in `make soak`; CI damages two of one
//! file of each kind. `fuzz_targets.rs` damages thousands in one process.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::fuzz_targets::{change_number, damage};
use crate::support::{Bench, Done, Numbers, say, seed, with};

/// The default number of copies of each kind.
const COPIES: usize = 2;

/// The longest time of a command on a busy machine, in seconds.
const SECONDS_MAX: &str = "120";

/// The most address space of a command, in KiB: the program's code alone takes 0.1 GiB.
const ADDRESSES_KIB_MAX: &str = "4194304";

/// The commands that show run 1; each must succeed.
const SHOWN: [&str; 11] = [
    "show 1",
    "show 1 --json",
    "show 1 --plain",
    "show 1 --count",
    "list",
    "report 1 -o store/1.html",
    "export 1 -o store/1.csv",
    "export 1 -o store/1.json",
    "export 1 -o store/1.parquet",
    "export 1 --format markdown",
    "export 1 --format openmetrics",
];

/// Returns the number of copies of each kind.
fn copies() -> usize {
    std::env::var("STRIPEWISE_TEST_DAMAGED").map_or(COPIES, |text| text.parse().unwrap())
}

/// Returns both files, or in CI one of them.
fn chosen(names: [&'static str; 2]) -> Vec<&'static str> {
    let one = names[usize::from(seed() % 2 == 1)];
    match copies() > COPIES {
        true => names.to_vec(),
        false => vec![one],
    }
}

/// Counts of the copies, of those that were accepted, and of the commands on them.
#[derive(Debug, Default)]
struct Tally {
    copies: usize,
    accepted: usize,
    commands: usize,
}

/// Commands on damaged files.
struct Place {
    bench: Bench,
    tally: Tally,
}

impl Place {
    fn new() -> Option<Self> {
        Some(Self {
            bench: Bench::new()?,
            tally: Tally::default(),
        })
    }

    /// Runs a command within its limits: it exits by itself, and prints no NaN or infinity.
    fn run(&mut self, words: &str) -> Done {
        self.tally.commands += 1;
        let script = "ulimit -v \"$0\"; exec \"$@\"";
        let mut command = self.bench.isolate(Command::new("timeout"));
        command.args([SECONDS_MAX, "sh", "-c", script, ADDRESSES_KIB_MAX]);
        command.arg(env!("CARGO_BIN_EXE_stripewise"));
        let done = self.bench.finish(with(command, words.split(' ')));
        let has_ended = matches!(done.code, Some(0..=2)) && done.signal.is_none();
        assert!(has_ended, "{words}: {}", done.transcript());
        let is_panic = done.stderr.contains("panicked");
        assert!(!is_panic, "{words}: {}", done.transcript());
        let mut shown = done.stdout.split(|c: char| !c.is_ascii_alphanumeric());
        let is_shown = shown.any(|word| matches!(word, "NaN" | "inf" | "Inf" | "Infinity"));
        assert!(!is_shown, "{words}: {}", done.transcript());
        done
    }

    /// Runs a command that must succeed.
    fn must(&mut self, words: &str) {
        let done = self.run(words);
        assert_eq!(done.code, Some(0), "{words}: {}", done.transcript());
    }

    /// Empties the store.
    fn forget(&self) {
        let _absent = fs::remove_dir_all(self.bench.path("store"));
    }

    /// Shows run 1 in every form, imports its exports again, and compares it with `whole`.
    fn show_everything(&mut self, whole: &str) {
        let store = "--store store/runs.db";
        for words in SHOWN {
            self.must(&format!("{words} {store}"));
        }
        self.must(&format!(
            "import export store/1.json store/1.parquet {store}"
        ));
        self.must(&format!("{whole} {store}"));
        self.run(&format!("compare 1 4 {store}"));
        self.run(&format!("compare 4 1 --json {store}"));
        // It takes as long as thirty other commands.
        if copies() > COPIES {
            self.run(&format!("calibrate --run 1 --out profiles {store}"));
            let _absent = fs::remove_dir_all(self.bench.path("profiles"));
        }
    }
}

/// A study whose run in the model has all that an export can hold.
const STUDY: &str = r#"
question = "Which array?"
[stack.one]
devices = { sata-ssd = 1 }
[stack.three]
devices = { sata-ssd = 3 }
array = { level = "raid5", chunk = "64K" }
[workload]
pattern = ["randread", "randwrite"]
block_size = "4K"
size = "64M"
[compare]
baseline = { stack = "one" }
"#;

/// Returns an export of a run of the model.
fn exported(name: &str) -> Option<Vec<u8>> {
    let bench = Bench::new()?;
    let study = bench.write("study.toml", STUDY);
    let run = with(bench.stored("run --world model"), [study]);
    assert_eq!(bench.finish(run).code, Some(0));
    let export = bench.finish(bench.stored(&format!("export 1 -o {name}")));
    assert_eq!(export.code, Some(0), "{}", export.transcript());
    Some(fs::read(bench.path(name)).unwrap())
}

/// Returns a seed of a fuzz target.
fn seed_of(target: &str, name: &str) -> Vec<u8> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    fs::read(seeds.join(target).join(name)).unwrap()
}

/// Damages copies of a file, and calls `read` with each: it returns whether the program accepted it.
fn damaged(
    name: &str,
    whole: &[u8],
    count: usize,
    mut read: impl FnMut(&mut Place, &Path) -> bool,
) {
    let Some(mut place) = Place::new() else {
        return;
    };
    let seed = seed();
    let path = place.bench.path(name);
    fs::write(place.bench.path("whole"), whole).unwrap();
    // The file itself is accepted, or the test is one of refusals.
    fs::write(&path, whole).unwrap();
    assert!(read(&mut place, &path), "{name}");
    let mut numbers = Numbers::of(seed);
    for copy in 0..count {
        say(&format!("{name}, copy {copy}: STRIPEWISE_TEST_SEED={seed}"));
        let mut bytes = whole.to_vec();
        for _ in 0..numbers.below(3) + 1 {
            // Few copies that were damaged in any way can be read at all.
            match numbers.below(4) {
                0 => damage(&mut bytes, &[whole.to_vec()], &mut numbers),
                _ => change_number(&mut bytes, &mut numbers),
            }
        }
        fs::write(&path, &bytes).unwrap();
        place.tally.copies += 1;
        place.tally.accepted += usize::from(read(&mut place, &path));
    }
    say(&format!("damaged {name}: {:?}", place.tally));
}

/// Imports a damaged file and shows it.
fn imported(place: &mut Place, command: &str, name: &str) -> bool {
    place.forget();
    let done = place.run(&format!("{command} {name} --store store/runs.db"));
    let is_accepted = done.code == Some(0);
    if is_accepted {
        place.show_everything(&format!("{command} whole"));
    }
    is_accepted
}

#[test]
fn damaged_exports_are_refused_or_can_be_shown() {
    for name in chosen(["model.json", "model.parquet"]) {
        let Some(whole) = exported(name) else { return };
        damaged(name, &whole, copies(), |place, _| {
            imported(place, "import export", name)
        });
    }
}

#[test]
fn damaged_results_of_fio_are_refused_or_can_be_shown() {
    for name in chosen(["fio-3.42.json", "fio-2.21.json"]) {
        damaged(name, &seed_of("fio_json", name), copies(), |place, _| {
            imported(place, "import fio", name)
        });
    }
}

#[test]
fn damaged_points_are_refused_or_make_a_profile_that_predicts() {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/four-ssd-random.toml");
    let study = study.canonicalize().unwrap();
    let load = "--array raid5:4:64K --workload randwrite:4K";
    // A calibration takes as long as thirty other commands.
    damaged(
        "plain.csv",
        &seed_of("points_csv", "plain.csv"),
        copies().div_ceil(4),
        |place, path| {
            let folder = place.bench.path("profiles");
            let _absent = fs::remove_dir_all(&folder);
            let (study, path) = (study.display(), path.display());
            let done = place.run(&format!("calibrate {study} --points {path} --out profiles"));
            let is_accepted = done.code == Some(0);
            if is_accepted && folder.join("devices/four-ssd-sata.toml").is_file() {
                place.must(&format!(
                    "predict --profiles profiles --device four-ssd-sata {load}"
                ));
                place.must("profiles --profiles profiles");
            }
            is_accepted
        },
    );
}

#[test]
fn damaged_profiles_are_refused_or_predict() {
    damaged(
        "calibrated.toml",
        &seed_of("profile_file", "calibrated.toml"),
        copies(),
        |place, path| {
            fs::copy(path, place.bench.path("small.toml")).unwrap();
            let predict = "predict --profiles . --device small --workload";
            let read = place.run(&format!("{predict} randread:8K"));
            let written = place.run(&format!("{predict} randwrite:64K --array raid5:3:64K"));
            read.code == Some(0) && written.code == Some(0)
        },
    );
}
