//! However a run in the lab ends, only its samples are left.
//!
//! The failure: a laptop's lid was closed during a run in the lab. QEMU kept running for a week
//! with two gigabytes of memory. The cache was full of unfinished disks, and the run could not be
//! resumed, because the file that it had been writing was truncated.
//!
//! Here the tool, QEMU, the agent in the guest and the guest's kernel end at random moments, in the
//! first run and in those that resume it. After each, `restore` runs, and then nothing may be left:
//! no process, mount, loop device, array, file or lock. All durable samples must still exist, and
//! in the end the run finishes. The test prints the counts.
//!
//! `STRIPEWISE_TEST_KILLS=N` sets how often (5), `STRIPEWISE_TEST_SEED=N` repeats a test. Set, as in
//! `make soak`, it also draws the clock of each run, and new disks whatever ends: more guests boot.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use stripewise_results::{Run, RunState};
use stripewise_study::sample::SampleRecord;

use super::place::{Place, wait_for};
use super::{MEMORY, guests, until_in_guest};
use crate::support::{Done, Numbers, number, processes_with, say, seed, send, skip};

/// The default number of ends.
const KILLS: u64 = 5;

/// An array on modelled disks, so that a kill can hit work on several layers.
const STUDY: &str = r#"
[stack.mirrors]
devices = { "samsung-850-evo-500" = 2 }
array = { level = "raid1", bitmap = "none", assume_clean = true }
filesystem = "none"
[workload]
pattern = "randread"
block_size = "4K"
size = "16M"
direct = true
[repeat]
sample = "50ms"
at_least = 10
at_most = 10
"#;

/// The process that ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Victim {
    /// The tool, at once.
    Tool,
    /// The tool, by Ctrl-C: it may clean up.
    Interrupt,
    Qemu,
    /// The agent in the guest.
    Agent,
    /// The guest's kernel.
    Panic,
}

impl Victim {
    const ALL: [Self; 5] = [
        Self::Tool,
        Self::Qemu,
        Self::Agent,
        Self::Panic,
        Self::Interrupt,
    ];
}

/// The results of all ends.
#[derive(Debug, Default)]
struct Tally {
    ended: BTreeMap<Victim, u64>,
    /// Sessions that finished before their moment.
    finished: u64,
    /// Ends before the run was in the store.
    before_begin: u64,
    /// Ends while no guest ran yet.
    before_guest: u64,
    /// Ends of sessions that had to make the disk with the program.
    disks_made: u64,
    /// Ends of sessions that were saving the guest that they had booted.
    saving: u64,
    /// Unfinished disks and saved guests that `restore` removed.
    unfinished: usize,
    /// Samples that survived the end of their session.
    kept: usize,
    runs: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let victims = self
            .ended
            .iter()
            .map(|(victim, count)| format!("{victim:?} {count}"));
        let victims: Vec<String> = victims.collect();
        write!(
            f,
            "{} ends ({}), {} before the run began, {} before its guest, {} in sessions that made the guest's disk, {} in one that booted it to save it ({} unfinished ones removed); \
             {} sessions finished before; {} samples kept, none lost; no process, mount, loop device, array, file or lock left; {} runs finished",
            self.ended.values().sum::<u64>(),
            victims.join(", "),
            self.before_begin,
            self.before_guest,
            self.disks_made,
            self.saving,
            self.unfinished,
            self.finished,
            self.kept,
            self.runs,
        )
    }
}

/// The known state of a run at some moment.
#[derive(Default)]
struct Before {
    run: i64,
    samples: Vec<SampleRecord>,
}

impl Before {
    fn of(run: Run) -> Self {
        Self {
            run: run.summary.id.0,
            samples: run.samples,
        }
    }
}

struct Test {
    place: Place,
    numbers: Numbers,
    /// Whether runs have either clock, and sessions new disks whatever ends.
    draws_all: bool,
    tally: Tally,
    /// How long a session takes until it has taken a few samples.
    span: Duration,
}

impl Test {
    /// Returns the command of the next session, which resumes a run or begins one.
    fn session(&mut self, before: &Before) -> Command {
        if before.run > 0 {
            return self.place.command("resume latest");
        }
        // Counting instructions takes a guest half as long again.
        let is_virtual = self.numbers.below(2) == 0 && self.draws_all;
        let clock = if is_virtual { "virtual" } else { "wall" };
        let study = self.place.bench.write("study.toml", STUDY);
        let words = format!("run --world lab --seed 1 --clock {clock}");
        let mut command = self.place.command(&words);
        command.arg(study).args(MEMORY);
        command
    }

    /// Lets `victim` end a session at a random moment; returns how the tool ended, and which samples
    /// were durable right before.
    fn end(
        &mut self,
        mut command: Command,
        victim: Victim,
        makes_disk: bool,
    ) -> (Done, Option<Before>) {
        if let Victim::Agent | Victim::Panic = victim {
            let word = if victim == Victim::Agent {
                "agent"
            } else {
                "panic"
            };
            // In the guest's own time, since its agent began.
            let moment = format!("{word}:{}", self.numbers.below(5000));
            command.env("STRIPEWISE_TEST_GUEST_END", moment);
        }
        let mut child = self.place.bench.start(command);
        let span_ms = u64::try_from(self.span.as_millis()).unwrap();
        let moment = Duration::from_millis(self.numbers.below(span_ms));
        let root = self.place.root();
        let mut durable = None;
        match victim {
            Victim::Tool | Victim::Interrupt => {
                let is_over = match makes_disk && victim == Victim::Tool {
                    true => self.wait_for_half("agents", 300, &mut child),
                    false => wait_for(moment, &mut child),
                };
                durable = self.place.latest().map(Before::of);
                self.tally.before_guest += u64::from(guests(&self.place.bench).is_empty());
                if !is_over {
                    let signal = if victim == Victim::Tool {
                        Signal::KILL
                    } else {
                        Signal::INT
                    };
                    send(number(&child), signal);
                }
            }
            Victim::Qemu => {
                until_in_guest("a guest", || {
                    let is_over = child.try_wait().unwrap().is_some();
                    (is_over || !guests(&self.place.bench).is_empty()).then_some(())
                });
                wait_for(moment, &mut child);
                durable = self.place.latest().map(Before::of);
                for guest in guests(&self.place.bench) {
                    let guest = rustix::process::Pid::from_raw(guest).unwrap();
                    // It may have ended by itself.
                    let _ = rustix::process::kill_process(guest, Signal::KILL);
                }
            }
            // It ends by itself.
            Victim::Agent | Victim::Panic => {}
        }
        until_in_guest("the tool to end", || child.try_wait().unwrap());
        let done = self.place.bench.wait(child);
        until_in_guest("all processes to end", || {
            processes_with(&root).is_empty().then_some(())
        });
        (done, durable)
    }

    /// Waits until something is being made in this directory of the cache, and up to `longer_ms`
    /// more; returns whether the session was over before.
    fn wait_for_half(&mut self, directory: &str, longer_ms: u64, child: &mut Child) -> bool {
        self.place.wait_for_half(directory, child);
        let moment = Duration::from_millis(self.numbers.below(longer_ms));
        wait_for(moment, child)
    }

    /// Ends one session, runs `restore`, and checks everything.
    fn round(&mut self, before: Before, victim: Victim) -> Before {
        // Only the tool can end while it makes a disk. A guest with a new one must boot.
        let is_tool = matches!(victim, Victim::Tool | Victim::Interrupt);
        let makes_disk = self.numbers.below(2) == 0 && (is_tool || self.draws_all);
        if makes_disk {
            let _ = fs::remove_dir_all(self.place.bench.path("cache/agents"));
        }
        let command = self.session(&before);
        let runs_before = self.place.latest().map_or(0, |run| run.summary.id.0);
        let (done, durable) = self.end(command, victim, makes_disk);
        let is_finished = done.code == Some(0);
        match victim {
            _ if is_finished => self.tally.finished += 1,
            Victim::Tool => assert_eq!(done.signal, Some(9), "{}", done.transcript()),
            Victim::Interrupt => {
                let is_reported = done.code == Some(2) || done.signal == Some(2);
                assert!(is_reported, "{}", done.transcript());
            }
            Victim::Qemu | Victim::Agent | Victim::Panic => {
                assert_eq!(done.code, Some(2), "{}", done.transcript());
                assert!(
                    done.stderr.contains("the guest ended"),
                    "{}",
                    done.transcript()
                );
            }
        }
        if !is_finished {
            *self.tally.ended.entry(victim).or_default() += 1;
            self.tally.disks_made += u64::from(makes_disk);
        }
        self.restore();
        let strays = self.place.strays();
        assert_eq!(
            strays,
            Vec::<String>::new(),
            "{victim:?}: {}",
            done.transcript()
        );

        let run = self.place.latest();
        let is_ours = |run: &Run| run.summary.id.0 > runs_before || before.run > 0;
        let Some(run) = run.filter(is_ours) else {
            self.tally.before_begin += u64::from(!is_finished);
            return Before::default();
        };
        assert_ne!(run.summary.state, RunState::Running);
        for earlier in durable
            .iter()
            .chain([&before])
            .filter(|earlier| earlier.run == run.summary.id.0)
        {
            assert!(
                run.samples.starts_with(&earlier.samples),
                "a sample was lost"
            );
        }
        self.tally.kept += run.samples.len() - before.samples.len();
        match run.summary.state {
            RunState::Done => {
                self.tally.runs += 1;
                Before::default()
            }
            _ => Before::of(run),
        }
    }

    /// Kills a session that boots a guest to save it: nothing is left of its file.
    fn kill_while_saving(&mut self) {
        let command = self.session(&Before::default());
        let mut child = self.place.bench.start(command);
        let is_over = self.wait_for_half("states", 3000, &mut child);
        assert!(!is_over, "the run ended");
        self.kill(child);
        self.tally.saving += 1;
        assert!(self.tally.unfinished > 0, "there was no unfinished file");
    }

    /// Kills a session after a few samples, and then the next. Records how long the second took: it
    /// used the guest that the first had saved.
    fn measure_span(&mut self) -> Before {
        let mut before = Before::default();
        for _ in 0..2 {
            let command = self.session(&before);
            let began = Instant::now();
            let mut child = self.place.bench.start(command);
            until_in_guest("samples", || {
                assert!(child.try_wait().unwrap().is_none(), "the run ended");
                let count = self.place.latest()?.samples.len();
                (count >= before.samples.len() + 3).then_some(())
            });
            self.span = began.elapsed().mul_f64(1.2);
            self.kill(child);
            before = self.place.latest().map(Before::of).unwrap();
        }
        before
    }

    /// Kills a session, and searches for leftovers.
    fn kill(&mut self, child: Child) {
        send(number(&child), Signal::KILL);
        self.place.bench.wait(child);
        self.place.bench.assert_no_process();
        self.restore();
        assert_eq!(self.place.strays(), Vec::<String>::new());
    }

    fn restore(&mut self) {
        if !self.place.bench.store_path().exists() {
            // Without a store, `restore` still cleans the cache.
            let done = self.place.bench.finish(self.place.command("restore"));
            self.tally.unfinished += done.stderr.matches("removed unfinished").count();
            return;
        }
        let done = self.place.bench.finish(self.place.command("restore"));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        self.tally.unfinished += done.stderr.matches("removed unfinished").count();
        assert_eq!(self.place.bench.store().outstanding_changes().unwrap(), []);
    }
}

/// Returns the number of ends, and whether it was asked for.
fn kills() -> (u64, bool) {
    let asked = std::env::var("STRIPEWISE_TEST_KILLS").ok();
    let kills = asked.as_ref().map_or(KILLS, |text| text.parse().unwrap());
    (kills, asked.is_some())
}

pub(super) fn a_run_in_the_lab_leaves_only_its_samples_however_it_ends() {
    let Some(place) = Place::new() else {
        return;
    };
    let ((kills, draws_all), seed) = (kills(), seed());
    if !draws_all {
        let why = "guests with the virtual clock, and those that boot with a new disk before they, their agent or their kernel end: STRIPEWISE_TEST_KILLS=10 draws them";
        skip("some ends of runs in the lab", why);
    }
    say(&format!(
        "lab kills: STRIPEWISE_TEST_KILLS={kills} STRIPEWISE_TEST_SEED={seed}"
    ));
    let mut test = Test {
        place,
        numbers: Numbers::of(seed),
        draws_all,
        tally: Tally::default(),
        span: Duration::ZERO,
    };
    test.kill_while_saving();
    let mut before = test.measure_span();
    for victim in Victim::ALL
        .iter()
        .cycle()
        .take(usize::try_from(kills).unwrap())
    {
        before = test.round(before, *victim);
        say(&format!("lab kills: {}", test.tally));
    }
    let command = test.session(&before);
    let done = test.place.bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let run = test.place.latest().unwrap();
    assert_eq!(run.summary.state, RunState::Done);
    if run.summary.id.0 == before.run {
        assert!(
            run.samples.starts_with(&before.samples),
            "a sample was lost"
        );
    }
    test.tally.runs += 1;
    test.restore();
    assert_eq!(test.place.strays(), Vec::<String>::new());
    say(&format!("lab kills: {}", test.tally));
}
