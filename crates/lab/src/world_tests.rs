//! The host against guests that answer, fail, die, print garbage and hang.
//!
//! The failure: a guest's kernel panicked in the middle of the night, the run waited for it until
//! morning, and its last console lines were lost. Here guests are threads at the other ends of the
//! sockets; the correct one is the real agent with a world that does nothing.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::durability_load::DurabilityLoad;
use stripewise_fixtures::{FakeWorld, transfer};
use stripewise_powercut::built_stack::{BuiltStack, Recovery};
use stripewise_powercut::load::{Acknowledged, DurableBy, Load, Target};
use stripewise_process::Program;
use stripewise_study::conditions::Conditions;
use stripewise_study::sample::Sample;
use stripewise_study::trace::{Trace, TraceProblem, TraceQuery, TracedIos};
use stripewise_study::world::{
    Change, JournalError, LOOK_INTERVAL, ReplayedAction, ReplayedIo, WorldName,
};
use stripewise_units::causes::chain;
use stripewise_units::{Bytes, Nanos};

use super::*;
use crate::disk::Seed;
use crate::guest::{Opening, PowerCuts, Serving, serve};
use crate::manifest::Manifest;
use crate::wire::{LoadOnStack, News};

const STUDY: &str = r#"
[stack.bare]
filesystem = "existing"
[workload]
pattern = "randread"
block_size = "4K"
size = "1M"
"#;

fn cell() -> Cell {
    let cell = stripewise_fixtures::cell(STUDY);
    assert_eq!(cell.conditions, Conditions::default());
    cell
}

fn request() -> SampleRequest {
    stripewise_fixtures::request(50)
}

fn sample() -> Sample {
    Sample {
        started_unix_ns: Some(7),
        elapsed_ns: Nanos::new(50),
        read: transfer(1, 4096),
        ..Sample::default()
    }
}

/// A world in a guest whose behaviour depends on the sample's seed.
fn fake() -> FakeWorld<'static> {
    FakeWorld {
        name: WorldName::Metal,
        facts: Facts {
            kernel: Some("6.1.0\u{1b}[31m".to_owned()),
            ..Facts::default()
        },
        check: Box::new(|cells| {
            assert_eq!(cells, [for_guest(&cell())]);
            Ok(vec![Warning::NoHistogram])
        }),
        change: Some(Change::directory("/mnt/x")),
        prepares_for: LOOK_INTERVAL,
        ..FakeWorld::new(|_, _, request, watch| match request.seed {
            1 => Ok(sample()),
            // Runs until the host stops it.
            2 => {
                let began = Instant::now();
                while watch.keep_going(began.elapsed()) {
                    assert!(began.elapsed() < Duration::from_secs(60), "no stop arrived");
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(WorldError::Interrupted)
            }
            _ => Err(WorldError::Failed {
                attempted: "failed to measure".to_owned(),
                hint: Some("do something".to_owned()),
                source: Some("no space left".into()),
            }),
        })
    }
}

struct NoJournal;

impl Journal for NoJournal {
    fn announce(&mut self, _change: &Change) -> Result<(), JournalError> {
        panic!("a guest's changes must not reach the host's journal")
    }

    fn undone(&mut self, _change: &Change) -> Result<(), JournalError> {
        panic!("a guest's changes must not reach the host's journal")
    }
}

/// Stops at the given number of polls.
struct StopAfter(usize);

impl Watch for StopAfter {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

/// The guest's ends of the sockets.
struct Ends {
    port: UnixStream,
    console: UnixStream,
}

/// Returns a lab whose guest runs `play` and has sent nothing yet.
fn lab(play: impl FnOnce(Ends) + Send + 'static) -> (Lab, JoinHandle<()>) {
    let nowhere = Path::new("/nonexistent");
    let mut lab = Lab::new(LabOptions {
        cache: Cache::at(nowhere).unwrap(),
        prepared: prepared(RELEASE),
        kernels: BTreeMap::new(),
        program: nowhere.to_owned(),
        clock: Clock::Virtual,
        memory_mib: 64,
        disks: Vec::new(),
    });
    let guest = add(&mut lab, RELEASE, play);
    (lab, guest)
}

/// Adds a running guest that runs `play` and has sent nothing yet.
fn add(lab: &mut Lab, release: &str, play: impl FnOnce(Ends) + Send + 'static) -> JoinHandle<()> {
    let (port, port_of_guest) = UnixStream::pair().unwrap();
    let (console, console_of_guest) = UnixStream::pair().unwrap();
    let machine = Machine::on(port, console).unwrap();
    lab.machines.insert(release.to_owned(), machine);
    std::thread::spawn(move || {
        play(Ends {
            port: port_of_guest,
            console: console_of_guest,
        });
    })
}

/// The kernel of a lab's guest.
const RELEASE: &str = "6.1.0-1-cloud-amd64";

/// Returns a guest with this name, which begins with its kernel.
fn prepared(name: &str) -> cache::Prepared {
    let (kernel, _) = name.split_once('@').unwrap_or((name, ""));
    cache::Prepared {
        directory: Path::new("/nonexistent").join(name),
        manifest: Manifest::of_kernel(kernel),
    }
}

/// Returns the only guest of a lab.
fn machine(lab: &mut Lab) -> &mut Machine {
    lab.machines.get_mut(RELEASE).unwrap()
}

/// The silence limit of labs [`with_short_silence_limit`]: far longer than a thread waits on a busy
/// machine.
const SILENCE: Duration = Duration::from_secs(2);

fn with_short_silence_limit(play: impl FnOnce(Ends) + Send + 'static) -> (Lab, JoinHandle<()>) {
    let (mut lab, guest) = lab(play);
    let machine = lab.machines.remove(RELEASE).unwrap();
    let machine = machine.silent_at_most(SILENCE);
    lab.machines.insert(RELEASE.to_owned(), machine);
    (lab, guest)
}

/// A guest without stacks whose power is cut, whose load goes on until it is stopped.
struct NoCuts;

impl PowerCuts for NoCuts {
    fn build(
        &mut self,
        _devices: &BTreeMap<String, Vec<PathBuf>>,
        _cell: &Cell,
        _work: &DurabilityLoad,
        _watch: &mut dyn Watch,
    ) -> Result<BuiltStack, WorldError> {
        Err(WorldError::plain("there are no disks"))
    }

    fn load(
        &mut self,
        _on: &LoadOnStack,
        stop: &AtomicBool,
        report: &(dyn Fn(News) + Sync),
    ) -> Result<Option<Recovery>, WorldError> {
        let began = Instant::now();
        for sequence in 1.. {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "not stopped");
            report(News::Acknowledged(Acknowledged {
                writer: 0,
                sequence,
            }));
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(None)
    }

    fn look(&mut self, _on: &LoadOnStack) -> Result<Recovery, WorldError> {
        Err(WorldError::plain("there are no disks"))
    }
}

/// Returns a lab with the real agent, which has opened its world.
fn served() -> (Lab, JoinHandle<()>) {
    let (mut lab, guest) = lab(|ends| serve_world(ends, fake()));
    open_world(machine(&mut lab));
    (lab, guest)
}

/// Runs the real agent with a world.
fn serve_world(ends: Ends, world: FakeWorld<'static>) {
    let mut world = Some(world);
    let mut factory = |opening: &Opening| {
        assert!(opening.is_virtual_time && opening.disks.is_empty());
        Ok(Box::new(world.take().unwrap()) as Box<dyn World>)
    };
    let serving = Serving {
        factory: &mut factory,
        disk_seed: |_, _| Seed::new(1),
        power_cuts: &mut NoCuts,
    };
    serve(ends.port, serving).unwrap();
}

/// Lets the agent of a guest open its world.
fn open_world(machine: &mut Machine) {
    let hello = ToGuest::Hello {
        disks: Vec::new(),
        held: Vec::new(),
        is_virtual_time: true,
    };
    await_agent(machine, &mut NeverCancel).unwrap();
    assert!(matches!(
        ask(machine, &hello, &mut NeverCancel),
        Ok(Answer::Nothing)
    ));
}

#[test]
fn the_lab_passes_on_the_answers_of_the_guests_world() {
    let (mut lab, guest) = served();
    let facts = lab.facts().unwrap();
    assert_eq!(facts.kernel.as_deref(), Some("6.1.0␛[31m"));
    assert_eq!(facts.tools["lab clock"], "virtual");
    assert_eq!(facts.tools["lab guest"].len(), 12);
    assert_eq!(lab.check(&[cell()]).unwrap(), [Warning::NoHistogram]);
    let prepared = lab
        .prepare(&cell(), &mut NoJournal, &mut NeverCancel)
        .unwrap();
    assert_eq!(prepared, Prepared::Made);
    let taken = lab.measure(&cell(), request(), &mut NeverCancel).unwrap();
    assert_eq!(taken.read.bytes.as_u64(), 4096);
    assert!(
        taken.started_unix_ns.unwrap() > 7,
        "the host's calendar, not the guest's"
    );
    assert!(taken.real_ns.is_some_and(|real| real > Nanos::new(0)));
    assert_eq!(taken.elapsed_ns, Nanos::new(50));
    lab.restore(&mut NoJournal).unwrap();
    assert!(lab.machines.is_empty());
    lab.restore(&mut NoJournal).unwrap();
    guest.join().unwrap();
}

/// Returns a world in a guest with this kernel, which refuses cells that name another one; its
/// samples have this many reads.
fn world_of(kernel: &'static str, source: &'static str, reads: u64) -> FakeWorld<'static> {
    let is_its = move |cell: &Cell| cell.conditions.kernel == KernelName::parse(kernel);
    FakeWorld {
        name: WorldName::Metal,
        facts: Facts {
            kernel: Some(kernel.to_owned()),
            kernel_source: Some(source.to_owned()),
            ..Facts::default()
        },
        check: Box::new(move |cells| {
            assert!(cells.len() == 1 && is_its(&cells[0]));
            Ok(vec![Warning::NoHistogram])
        }),
        ..FakeWorld::new(move |cell, _, _, _| {
            assert!(is_its(cell));
            Ok(Sample {
                read: transfer(reads, 4096),
                ..sample()
            })
        })
    }
}

fn name(text: &str) -> KernelName {
    KernelName::parse(text).unwrap()
}

/// Returns the cell on this kernel.
fn on(kernel: KernelName) -> Cell {
    let mut cell = cell();
    cell.conditions.kernel = Some(kernel);
    cell
}

#[test]
fn each_cell_is_measured_in_the_guest_with_its_kernel() {
    let (old, new) = (name("6.1"), name("7.3.4"));
    const OTHER: &str = "7.3.4+deb13-cloud-amd64";
    let (mut lab, first) = lab(|ends| serve_world(ends, world_of("6.1.0", "6.1.192", 1)));
    lab.options.kernels = [
        (old.clone(), prepared(RELEASE)),
        (new.clone(), prepared(OTHER)),
    ]
    .into();
    let second = add(&mut lab, OTHER, |ends| {
        serve_world(ends, world_of("7.3.4", "7.3.4-1", 2));
    });
    lab.machines.values_mut().for_each(open_world);
    let cells = [on(new), on(old)];
    assert_eq!(lab.check(&cells).unwrap().len(), 2);
    for (cell, reads) in [(&cells[0], 2), (&cells[1], 1), (&cells[0], 2)] {
        lab.prepare(cell, &mut NoJournal, &mut NeverCancel).unwrap();
        let taken = lab.measure(cell, request(), &mut NeverCancel).unwrap();
        assert_eq!(taken.read.ios, transfer(reads, 4096).ios);
    }
    let facts = lab.facts().unwrap();
    assert_eq!(facts.kernel.as_deref(), Some("6.1.0, 7.3.4"));
    assert_eq!(facts.tools["kernel 6.1"], "6.1.0 (6.1.192)");
    assert_eq!(facts.tools["kernel 7.3.4"], "7.3.4 (7.3.4-1)");
    // Another guest of either kernel is another machine.
    assert_eq!(facts.tools["lab guest"].split(' ').count(), 2);
    lab.restore(&mut NoJournal).unwrap();
    assert!(lab.machines.is_empty());
    first.join().unwrap();
    second.join().unwrap();
}

/// Guests were known by their release: the second one of a release was never started, and both cells were
/// measured in the first.
#[test]
fn guests_of_one_release_are_two_guests() {
    const TREE: &str = "6.1.0-1-cloud-amd64@tree-1a2b3c4d";
    let (mut lab, first) = lab(|ends| serve_world(ends, world_of("6.1.0", "6.1.192", 1)));
    let (own, tree) = (name(RELEASE), name("6.1.0@tree-1a2b3c4d"));
    lab.options.kernels = [
        (own.clone(), prepared(RELEASE)),
        (tree.clone(), prepared(TREE)),
    ]
    .into();
    let second = add(&mut lab, TREE, |ends| {
        serve_world(ends, world_of("6.1.0", "6.1.192", 2));
    });
    lab.machines.values_mut().for_each(open_world);
    let cells = [on(tree), on(own)];
    assert_eq!(lab.check(&cells).unwrap().len(), 2);
    for (cell, reads) in [(&cells[0], 2), (&cells[1], 1)] {
        let taken = lab.measure(cell, request(), &mut NeverCancel).unwrap();
        assert_eq!(taken.read.ios, transfer(reads, 4096).ios);
    }
    let facts = lab.facts().unwrap();
    assert_eq!(facts.kernel.as_deref(), Some("6.1.0, 6.1.0"));
    for kernel in [RELEASE, "6.1.0@tree-1a2b3c4d"] {
        assert_eq!(facts.tools[&format!("kernel {kernel}")], "6.1.0 (6.1.192)");
    }
    assert_eq!(facts.tools["lab guest"].split(' ').count(), 2);
    lab.restore(&mut NoJournal).unwrap();
    assert!(lab.machines.is_empty());
    first.join().unwrap();
    second.join().unwrap();
}

#[test]
fn a_guest_that_dies_does_not_take_the_others_with_it() {
    let (mut lab, first) = lab(drop);
    let kernel = name("7.3");
    lab.options.kernels = [(kernel, prepared("7.3.4"))].into();
    let second = add(&mut lab, "7.3.4", |ends| {
        serve_world(ends, world_of("7.3", "7.3.4", 2));
    });
    open_world(lab.machines.get_mut("7.3.4").unwrap());
    first.join().unwrap();
    lab.measure(&cell(), request(), &mut NeverCancel)
        .unwrap_err();
    let left: Vec<&str> = lab.machines.keys().map(String::as_str).collect();
    assert_eq!(left, ["7.3.4"]);
    drop(lab);
    second.join().unwrap();
}

#[test]
fn a_load_that_acknowledges_all_the_time_stops_when_the_host_asks() {
    let (mut lab, guest) = served();
    let machine = machine(&mut lab);
    let load = ToGuest::Load(Box::new(LoadOnStack {
        cell: cell(),
        standing: BuiltStack {
            changes: Vec::new(),
            target: Target::Directory(PathBuf::from("/nonexistent")),
        },
        work: DurabilityLoad::Records(Load {
            seed: 1,
            order_seed: 1,
            writers: 1,
            record_bytes: 4096,
            places: 1,
            is_random: false,
            is_filled: true,
            durable_by: DurableBy::Nothing,
            is_direct: false,
        }),
        without_member: None,
        force: false,
    }));
    machine.send(&load).unwrap();
    let mut acknowledged = 0;
    loop {
        let Received::Message(message) = machine.receive(WATCH_INTERVAL).unwrap() else {
            continue;
        };
        match *message {
            FromGuest::Acknowledged { .. } => acknowledged += 1,
            FromGuest::Done { answer } => break assert_eq!(answer, Answer::Nothing),
            FromGuest::Tick => {}
            other => panic!("{other:?}"),
        }
        if acknowledged == 3 {
            machine.send(&ToGuest::Stop).unwrap();
        }
    }
    drop(lab);
    guest.join().unwrap();
}

#[test]
fn content_is_zeroes_unless_verification_or_compression_needs_it() {
    let data = |cell: &Cell| for_guest(cell).workload.load.data;
    assert_eq!(data(&cell()), Data::Zeroes);
    let mut checked = cell();
    checked.workload.load.verify = true;
    assert_eq!(data(&checked), Data::Incompressible);
    let mut compressed = cell();
    compressed.stack.filesystem = Filesystem::Made {
        kind: "btrfs".to_owned(),
        mkfs: Vec::new(),
        options: Vec::new(),
        group: None,
        log: None,
    };
    assert_eq!(data(&compressed), Data::Incompressible);
}

#[test]
fn an_error_of_the_guests_world_keeps_hint_cause_and_guest() {
    let (mut lab, guest) = served();
    let failing = SampleRequest {
        seed: 3,
        ..request()
    };
    let error = lab.measure(&cell(), failing, &mut NeverCancel).unwrap_err();
    assert_eq!(chain(&error), "failed to measure: no space left");
    assert_eq!(error.hint(), Some("do something"));
    lab.measure(&cell(), request(), &mut NeverCancel).unwrap();
    drop(lab);
    guest.join().unwrap();
}

#[test]
fn a_stop_reaches_the_guest_and_the_next_request_is_answered() {
    let (mut lab, guest) = served();
    for _ in 0..3 {
        let endless = SampleRequest {
            seed: 2,
            ..request()
        };
        let error = lab
            .measure(&cell(), endless, &mut StopAfter(1))
            .unwrap_err();
        assert!(matches!(error, WorldError::Interrupted), "{error:?}");
        lab.measure(&cell(), request(), &mut NeverCancel).unwrap();
    }
    drop(lab);
    guest.join().unwrap();
}

#[test]
fn the_error_of_a_dead_guest_shows_its_last_output() {
    let (mut lab, guest) = lab(|mut ends| {
        ends.console
            .write_all(b"[    1.0] Kernel panic - not syncing\x1b[0m\r\n[    1.1] the end\r\n")
            .unwrap();
    });
    guest.join().unwrap();
    let error = lab
        .measure(&cell(), request(), &mut NeverCancel)
        .unwrap_err();
    let text = chain(&error);
    assert_eq!(
        text,
        "failed in the lab: the guest ended unexpectedly; its last output: [    1.0] Kernel panic - not syncing␛[0m | [    1.1] the end"
    );
    assert!(error.hint().unwrap().contains("gets a new guest"));
    assert!(lab.machines.is_empty(), "the next cell gets a new guest");
}

#[test]
fn a_silent_guest_is_killed_and_one_that_ticks_is_not() {
    let (mut quiet, guest) = with_short_silence_limit(|mut ends| {
        // It reads, and is silent until the host gives up.
        let mut all = Vec::new();
        let _ = ends.port.read_to_end(&mut all);
        drop(ends.console);
    });
    let error = quiet
        .measure(&cell(), request(), &mut NeverCancel)
        .unwrap_err();
    assert!(
        chain(&error).contains("sent nothing for 2 s"),
        "{}",
        chain(&error)
    );
    guest.join().unwrap();

    let (mut slow, guest) = with_short_silence_limit(|mut ends| {
        for _ in 0..30 {
            ends.port.write_all(b"{\"say\":\"tick\"}\n").unwrap();
            std::thread::sleep(Duration::from_millis(75));
        }
        let done = FromGuest::Done {
            answer: Answer::Sample {
                sample: Box::new(sample()),
            },
        };
        ends.port
            .write_all(&crate::wire::line(&done).unwrap())
            .unwrap();
        let _ = ends.port.read_to_end(&mut Vec::new());
    });
    let began = Instant::now();
    slow.measure(&cell(), request(), &mut NeverCancel).unwrap();
    assert!(began.elapsed() > SILENCE, "longer than the silence limit");
    drop(slow);
    guest.join().unwrap();
}

#[test]
fn a_guest_that_only_fills_its_console_is_killed() {
    let (mut lab, guest) = with_short_silence_limit(|mut ends| {
        ends.port
            .set_read_timeout(Some(Duration::from_millis(100)))
            .unwrap();
        // Until the host is gone.
        while ends
            .console
            .write_all(b"[ 1.0] rcu: INFO: self-detected stall\n")
            .is_ok()
        {
            let mut buffer = [0; 4096];
            if ends.port.read(&mut buffer).is_ok_and(|length| length == 0) {
                break;
            }
        }
    });
    let error = lab
        .measure(&cell(), request(), &mut NeverCancel)
        .unwrap_err();
    let text = chain(&error);
    assert!(text.contains("sent nothing for 2 s"), "{text}");
    assert!(text.contains("self-detected stall"), "{text}");
    guest.join().unwrap();
}

#[test]
fn a_guest_with_another_version_is_refused() {
    let (mut lab, guest) = lab(|mut ends| {
        ends.port
            .write_all(b"{\"say\":\"ready\",\"version\":\"0.0\"}\n")
            .unwrap();
        let _ = ends.port.read_to_end(&mut Vec::new());
    });
    let machine = machine(&mut lab);
    let error = await_agent(machine, &mut NeverCancel).unwrap_err();
    assert!(
        chain(&error).contains("it sent `Ready"),
        "{}",
        chain(&error)
    );
    drop(lab);
    guest.join().unwrap();
}

#[test]
fn a_flood_of_ticks_does_not_fill_memory() {
    let (mut lab, guest) = lab(|mut ends| {
        let flood = b"{\"say\":\"tick\"}\n".repeat(4096);
        while ends.port.write_all(&flood).is_ok() {}
    });
    let mut machine = lab.machines.remove(RELEASE).unwrap();
    for _ in 0..20_000 {
        machine.poll_port().unwrap();
    }
    // At most one read and one message.
    assert!(machine.pending_bytes() < 1 << 17);
    drop(machine);
    guest.join().unwrap();
}

#[test]
fn a_guest_that_prints_garbage_is_killed() {
    for (sent, expected) in [
        ("hello\u{1b}[2J\n", "cannot parse a message: `hello␛[2J`"),
        (
            "{\"say\":\"done\",\"answer\":{\"kind\":\"nothing\"}}\n",
            "it sent `Nothing`",
        ),
        ("{\"say\":\"ready\",\"version\":\"1\"}\n", "it sent `Ready"),
        (
            "{\"say\":\"done\",\"answer\":{\"kind\":\"sample\",\"sample\":{}}}\n",
            "cannot parse a message",
        ),
    ] {
        let (mut lab, guest) = lab(move |mut ends| {
            ends.port.write_all(sent.as_bytes()).unwrap();
            let _ = ends.port.read_to_end(&mut Vec::new());
        });
        let error = lab
            .measure(&cell(), request(), &mut NeverCancel)
            .unwrap_err();
        assert!(chain(&error).contains(expected), "{}", chain(&error));
        drop(lab);
        guest.join().unwrap();
    }
}

#[test]
fn a_flooded_console_takes_no_memory_and_does_not_hide_the_answer() {
    let (mut lab, guest) = lab(|mut ends| {
        let noise = vec![b'x'; 1 << 20];
        for _ in 0..20 {
            ends.console.write_all(&noise).unwrap();
        }
        ends.console.write_all(b"\nlast\n").unwrap();
        drop(ends.port);
    });
    let error = lab
        .measure(&cell(), request(), &mut NeverCancel)
        .unwrap_err();
    let text = chain(&error);
    assert!(text.ends_with("| last"), "{}", &text[text.len() - 40..]);
    assert!(text.len() < 70_000);
    drop(lab);
    guest.join().unwrap();
}

/// Answers every question with a trace of so many reads.
struct Reads(u64);

impl stripewise_study::trace::TraceSource for Reads {
    fn read(&mut self, query: &TraceQuery) -> Result<Trace, TraceProblem> {
        Ok(Trace {
            query: query.clone(),
            sha256: String::new(),
            reads: self.0,
            writes: 0,
            flushes: 0,
            left_out: BTreeMap::new(),
            last_at_ns: Nanos::new(u64::MAX),
            largest_bytes: Bytes::new(4096),
            size_bytes: Bytes::new(4096),
            ios: TracedIos::default(),
        })
    }
}

#[test]
fn a_trace_that_is_longer_than_a_message_is_refused() {
    let cells = |reads| {
        let text = STUDY.replace("pattern = \"randread\"", "trace = \"t\"");
        let text = text.replace("block_size = \"4K\"\nsize = \"1M\"", "");
        let study = stripewise_format::parse_with("test", &text, &mut Reads(reads));
        study.unwrap().cells
    };
    assert!(refuse_long_traces(&cells(TRACED_IOS_MAX)).is_ok());
    let refusal = refuse_long_traces(&cells(TRACED_IOS_MAX + 1)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "world `lab` cannot replay a trace of 131073 I/Os; the limit is 131072"
    );
    let widest = ReplayedIo::new(
        ReplayedAction::DurableWrite,
        Bytes::new(u64::MAX),
        Bytes::new(u64::MAX),
    );
    let text = serde_json::to_string(&widest.at(Nanos::new(u64::MAX))).unwrap();
    assert!(text.len() < 128, "{text}");
}

#[test]
fn a_guest_that_kvm_stopped_is_an_error_at_once_and_not_silence() {
    let script = "echo 'KVM internal error. Suberror: 1' >&2; exec sleep 600";
    let agent = Program::new("sh", "dash").call(["-c", script]);
    let mut machine = Machine::without_guest(agent).unwrap();
    let error = loop {
        if let Err(error) = machine.receive(Duration::from_millis(20)) {
            break error;
        }
    };
    assert!(matches!(error, MachineError::Stopped { .. }), "{error}");
    let error = RequestError::Machine(error).into_world_error();
    assert!(format!("{error:?}").contains("--clock wall"), "{error:?}");
}
