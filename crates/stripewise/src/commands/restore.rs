//! `stripewise restore`: undo what a crashed run left behind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Words as _;
use stripewise_catalogue::{Argument, Message};
use stripewise_hosts::restore::Restored as HostRestored;
use stripewise_metal::capture::{self, Fate, LeftInstance};
use stripewise_metal::{Leftovers, Undone};
use stripewise_report::document::SCHEMA;
use stripewise_report::strip_control;
use stripewise_results::{Leftover, Origin, RunId, Store};
use stripewise_site::permissions;
use stripewise_study::world::{Change, Journal, PhysicalVolume};

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::lab_world::CacheArgs;
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Clean up after a crash:
    stripewise restore

  Drop the record of run 3, whose disk no longer exists:
    stripewise restore --forget 3
";

/// Undo what a crashed run left behind
///
/// Every change to the machine is recorded in the store before it is made. `restore` undoes the
/// recorded changes of runs whose process is gone, the latest first: mounts, filesystems, LVM
/// volumes and md arrays on devices under `[may_destroy]`, kernel settings, and directories of
/// test files. It also sets back the settings that `stripewise check --fix` wrote and the modes of
/// files that `stripewise site permissions --apply` changed, and removes unfinished files from the
/// lab's cache and the tracing instances of killed captures (`stripewise characterize --for`). A run
/// that is still being measured is not touched. Stacks and settings need root.
///
/// Only files that the run made are removed; others stay and are named. Settings and devices that
/// another program has changed since are not touched. With a disk's scheduler, `restore` also sets
/// back its number of requests and the scheduler's own settings, which the kernel resets; with its
/// cache, the kernel's view of it.
///
/// A change that cannot be undone now stays recorded, and the exit code is 2: its device is
/// missing, its filesystem is not mounted, a layer above it is in use, or it was made on another
/// machine. Fix that and run `restore` again, or drop the record with `--forget`.
///
/// `stripewise resume` also does this before it continues a run.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    cache: CacheArgs,

    /// Drop the record of this run's changes without undoing them, for devices that no longer exist
    #[arg(long, value_name = "RUN", conflicts_with = "cache")]
    forget: Option<RunName>,

    #[command(flatten)]
    format: FormatArgs,
}

/// What was undone, kept or dropped, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct Restored {
    schema: u32,
    /// In the order in which it was done.
    steps: Vec<Step>,
}

/// What became of one thing.
#[derive(Debug, Serialize)]
struct Step {
    /// The run that left it behind, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunId>,
    outcome: Outcome,
    words: Message,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// It is undone or removed now.
    Undone,
    /// There was nothing to undo.
    Already,
    /// It no longer is the run's, so it stays.
    Untouched,
    /// It cannot be undone now, and stays recorded.
    Kept,
    /// Its run or capture still goes on.
    InUse,
    /// Its record was dropped.
    Forgotten,
    /// It could not be undone.
    Failed,
}

impl Restored {
    pub(crate) fn new() -> Self {
        let (schema, steps) = (SCHEMA, Vec::new());
        Self { schema, steps }
    }

    /// Returns what was done, in words.
    pub(crate) fn words(&self) -> impl Iterator<Item = &Message> {
        self.steps.iter().map(|step| &step.words)
    }

    fn add(&mut self, run: impl Into<Option<RunId>>, outcome: Outcome, words: Message) {
        let run = run.into();
        let words = match run {
            Some(run) => words.name("run", run),
            None => words,
        };
        self.steps.push(Step {
            run,
            outcome,
            words,
        });
    }
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut restored = Restored::new();
    let done = match &args.forget {
        Some(name) => forget(&mut args.store.open_existing()?, name, &mut restored),
        None => restore(args, &mut restored),
    };
    let mut blocks: Vec<Block> = restored.words().cloned().map(Block::say).collect();
    match (blocks.is_empty(), &done) {
        (true, Ok(nothing)) => blocks.push(Block::say(nothing.clone())),
        (true, Err(_)) => return done.map(|_| Exit::Done),
        // What was done before a failure is said, too.
        (false, _) => {}
    }
    let answer = Answer::new(Message::new("restore-title"), restored, blocks);
    let printed = answers::print_aside("restore", &answer, args.format, printer);
    done.and(printed)
}

/// Undoes everything, and returns what to say if that is nothing.
fn restore(args: &Args, restored: &mut Restored) -> Result<Message> {
    // Before the store, which may be missing: a run may have been killed before it recorded
    // anything.
    let cache = args.cache.locate();
    for path in cache.map_or_else(|_| Vec::new(), |cache| cache.tidy()) {
        let message = Message::new("restore-removed").name("path", path.display());
        restored.add(None, Outcome::Undone, message);
    }
    let instances = restore_instances(restored);
    let mut store = args.store.open_existing()?;
    let kept = undo_outstanding(&mut store, Which::All, restored)?;
    for (run, process, is_out_of_sight) in store.changing_runs()? {
        let message = Message::new(match is_out_of_sight {
            true => "restore-in-use-elsewhere",
            false => "restore-in-use",
        });
        restored.add(run, Outcome::InUse, message.name("process", process));
    }
    if let Some(first) = kept.first() {
        let runs: Vec<String> = kept.iter().map(RunId::to_string).collect();
        let runs = runs.join(", ");
        let message = format!("run {runs}: not all changes could be undone: see above");
        let hint = format!(
            "run `stripewise restore` again once the device or filesystem is back or the obstacle is removed; `stripewise restore --forget {first}` drops the record of these changes"
        );
        return Err(Failure::new(message).hint(hint));
    }
    let stays = |left: &LeftInstance| matches!(left.fate, Fate::Stays(_));
    if instances.iter().any(stays) {
        let message = "a tracing instance could not be removed: see above";
        return Err(Failure::new(message).hint(
            "`fuser -v INSTANCE/*` shows the program that uses it; end that, then run `stripewise restore` again",
        ));
    }
    Ok(Message::new("restore-nothing"))
}

/// Removes the tracing instances of killed captures, and names those that stay.
fn restore_instances(restored: &mut Restored) -> Vec<LeftInstance> {
    let left = capture::restore_instances();
    for LeftInstance { shown, fate } in &left {
        let (outcome, message) = match fate {
            Fate::Removed => {
                let message = Message::new("restore-instance-removed");
                (Outcome::Undone, message)
            }
            Fate::OutOfSight(process) => {
                let message = Message::new("restore-instance-elsewhere");
                (Outcome::InUse, message.name("process", process))
            }
            Fate::Stays(why) => {
                let message = Message::new("restore-instance-stays");
                (Outcome::Failed, message.name("error", why))
            }
        };
        restored.add(None, outcome, message.name("path", shown));
    }
    left
}

fn forget(store: &mut Store, name: &RunName, restored: &mut Restored) -> Result<Message> {
    let id = name.resolve(store)?;
    let mut left = store.leftovers()?;
    left.retain(|left| left.run == id);
    if left.is_empty() {
        // A deleted run may have left something behind, too.
        store.summary(id)?;
    }
    for Leftover { change, .. } in left {
        record_undone(store, id, &change)?;
        let forgotten = Message::new("restore-forgotten").with("change", made(&change));
        restored.add(id, Outcome::Forgotten, forgotten);
    }
    Ok(Message::new("restore-nothing-of-run").name("run", id))
}

/// Which changes are undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those of measurements, and those that were meant to stay: of `check --fix` and
    /// `site permissions`.
    All,
    /// Those of measurements.
    Measured,
}

/// Undoes the changes of runs whose process is gone, and returns the runs with changes that could
/// not be undone now.
///
/// # Errors
/// If one of our changes could not be undone; all others are.
pub(crate) fn undo_outstanding(
    store: &mut Store,
    which: Which,
    restored: &mut Restored,
) -> Result<BTreeSet<RunId>> {
    let mut left = store.leftovers()?;
    if which == Which::Measured {
        left.retain(|left| left.is_measurement);
    }
    let mut sessions: Vec<Vec<Leftover>> = Vec::new();
    for one in left {
        let is_same = |session: &&mut Vec<Leftover>| {
            session[0].run == one.run && session[0].origin == one.origin
        };
        match sessions.iter_mut().find(is_same) {
            Some(session) => session.push(one),
            None => sessions.push(vec![one]),
        }
    }
    let before = restored.steps.len();
    let mut failures: Vec<Failure> = Vec::new();
    for session in &sessions {
        // A failure does not stop the others.
        if let Err(failure) = undo_session(store, session, &mut failures, restored) {
            failures.push(failure);
        }
    }
    if failures.len() > 1 {
        for failure in &failures {
            let message = Message::new("restore-failed").name("error", failure.message());
            restored.add(None, Outcome::Failed, message);
        }
    }
    if let Some(failure) = failures.into_iter().next() {
        return Err(failure);
    }
    let kept = restored.steps[before..].iter();
    let kept = kept.filter(|step| step.outcome == Outcome::Kept);
    Ok(kept.filter_map(|step| step.run).collect())
}

/// Undoes what one session of a run left behind, the latest change first.
fn undo_session(
    store: &mut Store,
    session: &[Leftover],
    failures: &mut Vec<Failure>,
    restored: &mut Restored,
) -> Result<()> {
    let run = session[0].run;
    let announced = match &session[0].origin {
        Origin::SinceStart => stripewise_metal::device::Announced::SinceStart,
        Origin::BeforeStart => stripewise_metal::device::Announced::BeforeStart,
        Origin::Elsewhere(name) => {
            let message = match name {
                Some(name) => {
                    Message::new("restore-elsewhere").name("machine", strip_control(name))
                }
                None => Message::new("restore-elsewhere-unnamed"),
            };
            restored.add(run, Outcome::Kept, message.count("count", session.len()));
            return Ok(());
        }
    };
    let changes = session.iter().map(|left| left.change.clone());
    let (modes, changes): (Vec<Change>, Vec<Change>) =
        changes.partition(|change| matches!(change, Change::SetModes { .. }));
    for change in &modes {
        note(store, run, change, &undo_modes(change), restored)?;
    }
    let (hosts, changes): (Vec<Change>, Vec<Change>) = changes
        .into_iter()
        .partition(|change| matches!(change, Change::OnHost { .. }));
    for change in &hosts {
        note(store, run, change, &undo_on_host(change), restored)?;
    }
    let mut leftovers = Leftovers::find(&changes, announced)?;
    for change in &changes {
        match leftovers.undo(change) {
            Ok(undone) => note(store, run, change, &undone, restored)?,
            Err(error) => failures.push(error.into()),
        }
    }
    Ok(())
}

/// Records what became of a change; one that is kept stays recorded.
fn note(
    store: &mut Store,
    run: RunId,
    change: &Change,
    undone: &Undone,
    restored: &mut Restored,
) -> Result<()> {
    let outcome = match undone {
        Undone::Done => Outcome::Undone,
        Undone::Already => Outcome::Already,
        Undone::Untouched { .. } => Outcome::Untouched,
        Undone::Kept { .. } => Outcome::Kept,
    };
    if outcome != Outcome::Kept {
        record_undone(store, run, change)?;
    }
    restored.add(run, outcome, in_words(undone, change));
    Ok(())
}

/// Sets the modes of a site's files back. A file that another program has replaced or changed since
/// stays as it is.
fn undo_modes(change: &Change) -> Undone {
    let Change::SetModes { root, files } = change else {
        return Undone::Already;
    };
    let (mut is_changed, mut denied, mut foreign) = (false, Vec::new(), Vec::new());
    for file in files {
        let to = (file.before, file.group_before);
        // With the mode of before, it was announced and never changed, or is back already, or the
        // program was killed between its group and its mode.
        let untouched = permissions::group_of(root, &file.path, (file.inode, file.before));
        let expected = match untouched {
            Some(group) if file.group_before.is_none_or(|before| before == group) => continue,
            Some(_) => file.before,
            None => file.after,
        };
        match permissions::set(root, &file.path, (file.inode, expected), to) {
            Ok(()) => is_changed = true,
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                denied.push(file.path.clone());
            }
            Err(_) => foreign.push(file.path.clone()),
        }
    }
    let why = |entry: &'static str, paths: &[PathBuf]| {
        let first = names(&paths[..paths.len().min(5)]);
        Message::new(entry)
            .with("files", first)
            .count("count", paths.len())
    };
    if !denied.is_empty() {
        return Undone::Kept {
            why: why("restore-why-modes-denied", &denied),
        };
    }
    match (foreign.is_empty(), is_changed) {
        (false, _) => Undone::Untouched {
            why: why("restore-why-modes-foreign", &foreign),
        },
        (true, true) => Undone::Done,
        (true, false) => Undone::Already,
    }
}

/// Undoes what a run left on another host, over `ssh`.
fn undo_on_host(change: &Change) -> Undone {
    let Change::OnHost {
        host,
        destination,
        token,
    } = change
    else {
        return Undone::Already;
    };
    let kept = |error: String| Undone::Kept {
        why: Message::new("restore-why-host").name("error", error),
    };
    match stripewise_hosts::restore::on_host(host, destination, token, |why| why.in_english()) {
        Ok(HostRestored::Done) => Undone::Done,
        Ok(HostRestored::Left(left)) => kept(left.join("; ")),
        Err(error) => kept(Failure::from(error).message().to_owned()),
    }
}

/// Describes the outcome of a change, for a run that the caller names.
fn in_words(undone: &Undone, change: &Change) -> Message {
    match undone {
        Undone::Done => Message::new("restore-done").with("done", done(change)),
        Undone::Already => Message::new("restore-already").with("change", made(change)),
        Undone::Untouched { why } => Message::new("restore-untouched").with("why", visible(why)),
        Undone::Kept { why } => Message::new("restore-kept")
            .with("change", made(change))
            .with("why", visible(why)),
    }
}

fn visible(why: &Message) -> Message {
    why.clone().with_names(&strip_control)
}

fn record_undone(store: &mut Store, run: RunId, change: &Change) -> Result<()> {
    let noted = store.journal(run).undone(change);
    noted.map_err(|error| Failure::new(format!("failed to record an undone change: {error}")))
}

fn names(paths: &[PathBuf]) -> Argument {
    let name = |path: &PathBuf| Argument::Name(format!("`{}`", path.display()));
    Argument::list(paths.iter().map(name))
}

/// Describes a change that a run made.
fn made(change: &Change) -> Message {
    described("made", change)
}

/// Describes the undone change; some of the named parts may have been absent before.
fn done(change: &Change) -> Message {
    described("undone", change)
}

fn described(state: &str, change: &Change) -> Message {
    let message = |thing: &str| Message::new(format!("restore-{state}-{thing}"));
    match change {
        Change::CreatedDirectory { path, .. } => message("directory").name("path", path.display()),
        Change::ClaimedDevice { path, .. } => message("marker").name("path", path.display()),
        Change::WroteSetting {
            path,
            before,
            after,
            disk,
            ..
        } => message("setting")
            .with("setting", setting(path, disk.as_deref()))
            .name("value", if state == "made" { after } else { before }),
        Change::BuiltArray {
            device, members, ..
        } => message("array")
            .name("device", device.display())
            .with("members", names(members)),
        Change::BuiltContainer {
            device, members, ..
        } => message("container")
            .name("device", device.display())
            .with("members", names(members)),
        Change::MadeVolumeGroup { name, physical } => message("volume-group")
            .name("name", name)
            .with("devices", names(&devices_of(physical))),
        Change::MadeFilesystem { identity, devices } => message("filesystem")
            .name("identity", identity)
            .with("devices", names(devices)),
        Change::MadePool { name, devices } => message("pool")
            .name("name", name)
            .with("devices", names(devices)),
        Change::Mounted { directory, .. } => message("mount").name("path", directory.display()),
        Change::OnHost { host, .. } => message("host").name("host", host),
        Change::SetModes { root, files } => message("modes")
            .name("path", root.display())
            .count("count", files.len()),
    }
}

fn devices_of(physical: &[PhysicalVolume]) -> Vec<PathBuf> {
    let devices = physical.iter().map(|volume| volume.device.clone());
    devices.collect()
}

/// Names a setting; one of a drive with the drive's identity, as its kernel name may have changed.
fn setting(path: &Path, disk: Option<&str>) -> Message {
    let message = match disk {
        Some(disk) => Message::new("restore-setting-of-disk").name("disk", strip_control(disk)),
        None => Message::new("restore-setting"),
    };
    message.name("path", path.display())
}

#[cfg(test)]
mod tests {
    use stripewise_catalogue::Language;

    use stripewise_catalogue::Words;

    use super::*;

    fn changes() -> Vec<Change> {
        let disks = || vec![PathBuf::from("/dev/sda"), PathBuf::from("/dev/sdb")];
        let setting = |disk: Option<&str>| Change::WroteSetting {
            path: PathBuf::from("/sys/block/sda/queue/scheduler"),
            before: "none".to_owned(),
            after: "kyber".to_owned(),
            disk: disk.map(str::to_owned),
            resets: Vec::new(),
        };
        let physical = |device: PathBuf| PhysicalVolume {
            device,
            uuid: "u".to_owned(),
        };
        vec![
            Change::directory("/srv/x"),
            Change::ClaimedDevice {
                path: PathBuf::from("/dev/sda"),
                size_bytes: stripewise_units::Bytes::new(1 << 30),
                serial: None,
                token: "t".to_owned(),
            },
            setting(None),
            setting(Some("S1")),
            Change::BuiltArray {
                device: PathBuf::from("/dev/md100"),
                uuid: "u".to_owned(),
                members: disks(),
            },
            Change::BuiltContainer {
                device: PathBuf::from("/dev/md100"),
                volumes: Vec::new(),
                members: disks(),
            },
            Change::MadeVolumeGroup {
                name: "vg".to_owned(),
                physical: disks().into_iter().map(physical).collect(),
            },
            Change::MadeFilesystem {
                identity: "LABEL=l".to_owned(),
                devices: disks(),
            },
            Change::MadePool {
                name: "pool".to_owned(),
                devices: disks(),
            },
            Change::Mounted {
                directory: PathBuf::from("/srv/x"),
                devices: disks(),
            },
            Change::SetModes {
                root: PathBuf::from("/srv/www"),
                files: vec![stripewise_study::world::SetMode {
                    path: PathBuf::from("wp-config.php"),
                    inode: 1,
                    before: 0o604,
                    after: 0o640,
                    group_before: None,
                }],
            },
        ]
    }

    fn said(undone: &Undone, language: Language) -> String {
        let changes = changes();
        let lines = changes.iter().map(|change| {
            let message = in_words(undone, change).name("run", 3);
            message.in_language(language) + "\n"
        });
        lines.collect()
    }

    #[test]
    fn every_change_has_words_in_both_languages() {
        expect_test::expect![[r#"
            run 3: removed `/srv/x`
            run 3: released `/dev/sda`, without any signature
            run 3: restored `/sys/block/sda/queue/scheduler` to `none`
            run 3: restored `/sys/block/sda/queue/scheduler` of disk `S1` to `none`
            run 3: removed array `/dev/md100`: nothing of it is left on `/dev/sda`, `/dev/sdb`
            run 3: removed container `/dev/md100` with its volumes: nothing of it is left on `/dev/sda`, `/dev/sdb`
            run 3: removed volume group `vg`: nothing of it is left on `/dev/sda`, `/dev/sdb`
            run 3: wiped filesystem LABEL=l: nothing of it is left on `/dev/sda`, `/dev/sdb`
            run 3: destroyed pool `pool`: nothing of it is left on `/dev/sda`, `/dev/sdb`
            run 3: unmounted `/srv/x`
            run 3: restored the mode of one file in `/srv/www`
        "#]]
        .assert_eq(&said(&Undone::Done, Language::English));
        let kept = Undone::Kept {
            why: Message::new("restore-why-carries")
                .name("device", "/dev/sdb")
                .with("found", Message::new("signature").name("kind", "ext4")),
        };
        expect_test::expect![[r#"
            Lauf 3: noch nicht rückgängig gemacht: Verzeichnis `/srv/x`: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
            Lauf 3: noch nicht rückgängig gemacht: Markierung auf `/dev/sda`: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
            Lauf 3: noch nicht rückgängig gemacht: `/sys/block/sda/queue/scheduler` auf `kyber` gesetzt: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
            Lauf 3: noch nicht rückgängig gemacht: `/sys/block/sda/queue/scheduler` der Platte `S1` auf `kyber` gesetzt: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
            Lauf 3: noch nicht rückgängig gemacht: Array `/dev/md100` aus `/dev/sda`, `/dev/sdb`: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
            Lauf 3: noch nicht rückgängig gemacht: Container `/dev/md100` aus `/dev/sda`, `/dev/sdb`: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
            Lauf 3: noch nicht rückgängig gemacht: Volume-Gruppe `vg` aus `/dev/sda`, `/dev/sdb`: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
            Lauf 3: noch nicht rückgängig gemacht: Dateisystem LABEL=l auf `/dev/sda`, `/dev/sdb`: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
            Lauf 3: noch nicht rückgängig gemacht: Pool `pool` auf `/dev/sda`, `/dev/sdb`: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
            Lauf 3: noch nicht rückgängig gemacht: Einhängung `/srv/x`: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
            Lauf 3: noch nicht rückgängig gemacht: Modus einer Datei in `/srv/www`: `/dev/sdb` enthält `ext4`; das stammt nicht vom Lauf
        "#]].assert_eq(&said(&kept, Language::German));
        for undone in [Undone::Done, Undone::Already] {
            let german = said(&undone, Language::German);
            assert!(!german.contains("run "), "{german}");
        }
    }
}
