//! One signal ends every command that starts a guest, at any moment.
//!
//! The failure: an admin ended `pull-plug` while its guest booted. The command ended, and QEMU kept its
//! memory until he found it.
//!
//! SIGTERM or SIGINT comes at a random moment: before there is a guest, while the program's disk is made,
//! while a guest boots or is saved, and while it measures or loses its power. The command begins nothing
//! new, and ends within the limit of `stripewise help run`. Nothing is left then, before any `restore`.
//! `stopping.rs` does the same to the commands without a guest.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use stripewise_results::RunState;
use stripewise_study::world::WorldName;

use super::place::{Place, wait_for};
use super::{MEMORY, guests, until_in_guest};
use crate::support::{Numbers, number, say, seed, send, skip, with};

/// How many signals are sent at random moments. Each costs a guest, so none is sent by default.
const STOPS: &str = "STRIPEWISE_TEST_LAB_STOPS";
/// How long undoing may take.
const UNDONE: Duration = Duration::from_secs(45);
/// How many times its limit a command is waited for.
const PATIENCE: u32 = 3;
/// The latest moment of a signal: a guest that boots and is saved takes about half of it.
const MOMENT_MS: u64 = 20_000;
/// The latest moment where a saved guest resumes.
const RESUMED_MOMENT_MS: u64 = 6_000;

/// The latest moment after the first sample or cut.
const WORKING_MOMENT_MS: u64 = 3_000;

/// Commands that end only by a signal, or after minutes.
const COMMANDS: [&str; 3] = [
    "run --world lab --seed 1 --clock wall",
    "pull-plug --cuts 100 --survive dropped --seed 1 --clock wall",
    "lab shell --clock wall",
];

/// A mirror with a filesystem, measured again and again.
const STUDY: &str = r#"
[stack.mirror]
devices = { "sata-ssd" = 2 }
array = { level = "raid1", bitmap = "none" }
filesystem = { type = "ext4" }
[workload]
pattern = "randwrite"
block_size = "4K"
size = "1M"
fdatasync = 1
[conditions]
fill = false
[repeat]
sample = "200ms"
at_least = 500
at_most = 500
"#;

/// How the commands ended.
#[derive(Debug, Default)]
struct Tally {
    by_signal: usize,
    cleaned_up: usize,
    before_guest: usize,
    /// Samples or cuts that were kept.
    kept: usize,
    longest: Duration,
}

/// Returns the number of samples and cuts in the store. Predictions are saved in batches, the last one
/// after the signal.
fn samples(place: &Place) -> usize {
    let is_begun = fs::metadata(place.bench.store_path()).is_ok_and(|file| file.len() > 0);
    let runs = is_begun.then(|| place.bench.store().runs().unwrap());
    let of_guests = runs
        .iter()
        .flatten()
        .filter(|run| run.origin.is(WorldName::Lab));
    let counts = of_guests.map(|run| run.samples.all);
    counts.map(|count| usize::try_from(count).unwrap()).sum()
}

/// When a signal comes.
#[derive(Debug)]
enum Moment {
    /// While the disk with the program is made.
    HalfDisk,
    /// So long after the start of a command that may resume a saved guest, or have to boot one.
    Starting,
    /// After the first sample or cut.
    Working,
}

fn stop(place: &Place, words: &str, when: &Moment, numbers: &mut Numbers, tally: &mut Tally) {
    let boots = numbers.below(3) == 0;
    let makes_disk = matches!(when, Moment::HalfDisk) || numbers.below(3) == 0;
    for (directory, is_made_anew) in [("states", boots), ("agents", makes_disk)] {
        if is_made_anew {
            // Absent before the first guest.
            let _absent = fs::remove_dir_all(place.bench.path("cache").join(directory));
        }
    }
    let study = place.bench.write("study.toml", STUDY);
    let mut command = match words.starts_with("lab ") {
        true => place.apart(with(place.bench.command(), words.split(' '))),
        false => place.command(words),
    };
    command.arg(study).args(MEMORY).stdin(Stdio::piped());
    let kept = samples(place);
    let mut child = place.bench.start(command);
    // Its end would end the shell.
    let stdin = child.stdin.take();
    let latest = if boots { MOMENT_MS } else { RESUMED_MOMENT_MS };
    let moment = match when {
        Moment::Starting => Duration::from_millis(numbers.below(latest)),
        Moment::Working => {
            until_in_guest("a sample", || {
                let is_over = child.try_wait().unwrap().is_some();
                (is_over || samples(place) > kept).then_some(())
            });
            Duration::from_millis(numbers.below(WORKING_MOMENT_MS))
        }
        Moment::HalfDisk => {
            place.wait_for_half("agents", &mut child);
            Duration::ZERO
        }
    };
    let signal = [Signal::TERM, Signal::INT][usize::try_from(numbers.below(2)).unwrap()];
    let is_over = wait_for(moment, &mut child);
    if is_over {
        let done = place.bench.wait(child);
        panic!("`{words}` did not take long: {}", done.transcript());
    }
    tally.before_guest += usize::from(guests(&place.bench).is_empty());
    send(number(&child), signal);
    let asked = Instant::now();
    let before = samples(place);
    while child.try_wait().unwrap().is_none() {
        let waited = asked.elapsed();
        if waited > PATIENCE * UNDONE {
            let _gone = child.kill();
            panic!("`{words}` runs {waited:?} after {signal:?} at {moment:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let waited = asked.elapsed();
    drop(stdin);
    let done = place.bench.wait(child);
    let said = format!(
        "`{words}`, {signal:?} {moment:?} after {when:?}: {}",
        done.transcript()
    );
    say(&format!("{waited:?} after {said}"));
    place.bench.assert_no_process();
    // Removes the log of a store that a signal ended.
    let after = samples(place);
    assert_eq!(place.strays(), Vec::<String>::new(), "{said}");
    match done.signal {
        Some(number) => {
            assert_eq!(number, signal.as_raw(), "{said}");
            tally.by_signal += 1;
        }
        None => {
            assert_eq!(done.code, Some(2), "{said}");
            assert!(done.stderr.contains("interrupted"), "{said}");
            tally.cleaned_up += 1;
        }
    }
    assert!(after <= before + 1, "it went on: {said}");
    if let Some(run) = place.latest() {
        assert_ne!(run.summary.state, RunState::Running, "{said}");
        assert_eq!(place.bench.store().outstanding_changes().unwrap(), []);
    }
    tally.kept = after;
    tally.longest = tally.longest.max(waited);
}

pub(super) fn a_signal_at_any_moment_ends_every_command_with_a_guest() {
    let stops = std::env::var(STOPS).map_or(0, |text| text.parse().unwrap());
    if stops == 0 {
        let why = format!("each costs a guest: {STOPS}=18, as in `make soak`, sends as many");
        skip("signals to commands with a guest", &why);
    }
    let Some(place) = Place::new() else {
        return;
    };
    let seed = seed();
    say(&format!(
        "lab stops: {STOPS}={stops} STRIPEWISE_TEST_SEED={seed}"
    ));
    let mut numbers = Numbers::of(seed);
    let mut tally = Tally::default();
    let cuts = COMMANDS[1];
    stop(&place, cuts, &Moment::HalfDisk, &mut numbers, &mut tally);
    for words in COMMANDS.iter().cycle().take(stops) {
        let has_samples = !words.starts_with("lab ");
        let when = match has_samples && numbers.below(2) == 0 {
            true => Moment::Working,
            false => Moment::Starting,
        };
        stop(&place, words, &when, &mut numbers, &mut tally);
    }
    say(&format!("lab stops: {tally:?}"));
}
