//! Conditions on a fake machine: planned, written, restored and refused.

use std::cell::RefCell;

use stripewise_study::facts::TargetFacts;
use stripewise_study::world::JournalError;
use stripewise_units::Bytes;

use super::*;

const GOVERNOR: &str = "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor";
const GOVERNOR_1: &str = "/sys/devices/system/cpu/cpufreq/policy1/scaling_governor";
const PREFERENCE: &str = "/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference";
const SCHEDULER: &str = "/sys/block/sda/queue/scheduler";
const VIEW: &str = "/sys/block/sda/queue/write_cache";
const CACHE: &str = "/sys/block/sda/device/scsi_disk/0:0:0:0/cache_type";

const WINDOW: &str = "/sys/block/md100/queue/read_ahead_kb";
const REQUESTS: &str = "/sys/block/sda/queue/nr_requests";
const LONGEST: &str = "/sys/block/sda/queue/max_sectors_kb";
const THROTTLE: &str = "/sys/block/sda/queue/wbt_lat_usec";

/// A machine with one SATA disk and two CPU frequency policies.
pub(super) struct Machine {
    _folder: tempfile::TempDir,
    pub(super) root: Root,
}

impl Machine {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Root(folder.path().to_owned());
        let machine = Self {
            _folder: folder,
            root,
        };
        let available = |file| format!("/sys/devices/system/cpu/cpufreq/policy0/{file}");
        for (path, text) in [
            (GOVERNOR, "powersave"),
            (GOVERNOR_1, "performance"),
            (
                &available("scaling_available_governors"),
                "performance powersave",
            ),
            (PREFERENCE, "balance_performance"),
            (SCHEDULER, "[none] mq-deadline bfq"),
            (VIEW, "write back"),
            (CACHE, "write back"),
            (DROP_CACHES, "0"),
            (WINDOW, "128"),
            (REQUESTS, "64"),
            (LONGEST, "1280"),
            ("/sys/block/sda/queue/max_hw_sectors_kb", "4096"),
            ("/sys/block/sda/mq/0/nr_tags", "32"),
            (THROTTLE, "2000"),
        ] {
            machine.write(path, text);
        }
        machine
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let real = self.root.real(Path::new(path));
        std::fs::create_dir_all(real.parent().unwrap()).unwrap();
        std::fs::write(real, format!("{text}\n")).unwrap();
    }

    pub(super) fn remove(&self, path: &str) {
        std::fs::remove_file(self.root.real(Path::new(path))).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        setting::read(&self.root, Path::new(path)).unwrap()
    }

    /// Checks that conditions are refused with a message that contains `words`.
    pub(super) fn refuses(&self, conditions: &Conditions, is_ours: bool, words: &[&str]) {
        let text = self.refusal(conditions, &place(is_ours));
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
    }

    /// Returns why conditions are refused, with the hint; panics if they are not.
    fn refusal(&self, conditions: &Conditions, place: &MeasuredDisks) -> String {
        let error = check(&self.root, conditions, place).unwrap_err();
        format!("{error}; {}", error.hint().unwrap())
    }
}

pub(super) fn place(is_ours: bool) -> MeasuredDisks {
    MeasuredDisks {
        disks: vec!["sda".to_owned()],
        is_ours,
        sends_flushes: true,
        trim: Trim::Devices(vec![PathBuf::from("/dev/sda")]),
        reads_ahead: ReadsAhead::Device(vec!["md100".to_owned()]),
    }
}

/// The changes announced and not undone, in order.
#[derive(Default)]
pub(super) struct Notes(pub(super) RefCell<Vec<Change>>);

impl Journal for Notes {
    fn announce(&mut self, change: &Change) -> Result<(), JournalError> {
        self.0.get_mut().push(change.clone());
        Ok(())
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        let notes = self.0.get_mut();
        let index = notes.iter().rposition(|note| note == change);
        notes.remove(index.expect("undone without having been announced"));
        Ok(())
    }
}

fn fast() -> Conditions {
    Conditions {
        governor: Some("performance".to_owned()),
        energy_preference: Some("performance".to_owned()),
        scheduler: Some("bfq".to_owned()),
        flush: Some(Flush::Ignored),
        ..Conditions::default()
    }
}

#[test]
fn differing_settings_are_announced_written_and_restored_in_reverse() {
    let machine = Machine::new();
    let mut notes = Notes::default();
    let mut setter = Setter::default();
    check(&machine.root, &fast(), &place(true)).unwrap();
    let mut set = |notes: &mut Notes| setter.set(&machine.root, &fast(), &place(true), notes);
    assert!(set(&mut notes).unwrap());
    assert!(!set(&mut notes).unwrap(), "nothing differs any more");
    let written: Vec<String> = notes.0.borrow().iter().map(note).collect();
    // policy1 was at `performance` already.
    assert_eq!(
        written,
        [
            format!("{GOVERNOR} powersave->performance"),
            format!("{PREFERENCE} balance_performance->performance"),
            format!("{SCHEDULER} none->bfq"),
            format!("{VIEW} write back->write through"),
        ]
    );
    assert_eq!(machine.read(SCHEDULER), "bfq");
    assert_eq!(
        machine.read(CACHE),
        "write back",
        "the drive's cache is unchanged"
    );
    setter.put_back(&machine.root, &mut notes).unwrap();
    assert_eq!(notes.0.borrow().len(), 0);
    let now = [GOVERNOR, GOVERNOR_1, PREFERENCE, SCHEDULER, VIEW].map(|path| machine.read(path));
    assert_eq!(
        now,
        [
            "powersave",
            "performance",
            "balance_performance",
            "none",
            "write back"
        ]
    );
}

pub(super) fn note(change: &Change) -> String {
    match change {
        Change::WroteSetting {
            path,
            before,
            after,
            ..
        } => format!("{} {before}->{after}", path.display()),
        other => panic!("{other:?}"),
    }
}

/// A file with this text reads as `bfq`: as if the kernel had set that instead.
const KEPT_AT_BFQ: &str = "none [bfq]";

#[test]
fn the_value_after_a_refused_write_is_restored_too() {
    let machine = Machine::new();
    let mut notes = Notes::default();
    let mut setter = Setter::default();
    let mut written = AppliedSetting {
        path: SCHEDULER.into(),
        before: "none".to_owned(),
        after: KEPT_AT_BFQ.to_owned(),
        disk: None,
        resets: Vec::new(),
    };
    written.announce(&mut notes).unwrap();
    let tried = written.write(&machine.root, &mut notes).unwrap();
    assert!(tried.unwrap_err().to_string().contains("kept it at `bfq`"));
    setter.written.push(written);
    let noted: Vec<String> = notes.0.borrow().iter().map(note).collect();
    assert_eq!(noted, [format!("{SCHEDULER} none->bfq")]);
    setter.put_back(&machine.root, &mut notes).unwrap();
    assert_eq!(machine.read(SCHEDULER), "none");
    assert_eq!(notes.0.borrow().len(), 0);
}

/// The failure: the kernel rounded a value of `check --fix`, and `restore` took that for the choice of
/// another program and left it.
#[test]
fn a_setting_that_the_kernel_changed_is_journalled_as_it_is() {
    let machine = Machine::new();
    let (mut notes, path) = (Notes::default(), Path::new(SCHEDULER));
    let error = write_setting(&machine.root, path, KEPT_AT_BFQ, &mut notes).unwrap_err();
    assert!(error.to_string().starts_with("failed to set"), "{error}");
    let changes = notes.0.take();
    let noted: Vec<String> = changes.iter().map(note).collect();
    assert_eq!(noted, [format!("{SCHEDULER} none->bfq")]);
    let written = WrittenSetting {
        path,
        before: "none",
        after: "bfq",
        disk: None,
        resets: &[],
    };
    let undone = undo_setting(&machine.root, &written, Announced::SinceStart);
    assert_eq!(undone.unwrap(), Undone::Done);
    assert_eq!(machine.read(SCHEDULER), "none");
}

#[test]
fn between_cells_only_differing_settings_change() {
    let machine = Machine::new();
    let mut notes = Notes::default();
    let mut setter = Setter::default();
    let mut set = |conditions: &Conditions, notes: &mut Notes| {
        setter
            .set(&machine.root, conditions, &place(true), notes)
            .unwrap()
    };
    set(&fast(), &mut notes);
    let slow = Conditions {
        scheduler: Some("bfq".to_owned()),
        governor: Some("powersave".to_owned()),
        ..Conditions::default()
    };
    assert!(set(&slow, &mut notes));
    let written: Vec<String> = notes.0.borrow().iter().map(note).collect();
    assert_eq!(
        written,
        [
            format!("{SCHEDULER} none->bfq"),
            format!("{GOVERNOR_1} performance->powersave"),
        ]
    );
    // An absent key gets the original value, not that of the cell before.
    assert!(set(&Conditions::default(), &mut notes));
    assert_eq!(machine.read(GOVERNOR_1), "performance");
    assert_eq!(machine.read(SCHEDULER), "none");
    assert_eq!(notes.0.borrow().len(), 0);
}

#[test]
fn a_setting_changed_by_another_program_is_reported_and_kept() {
    let machine = Machine::new();
    let mut notes = Notes::default();
    let mut setter = Setter::default();
    setter
        .set(&machine.root, &fast(), &place(true), &mut notes)
        .unwrap();
    machine.write(GOVERNOR, "schedutil");
    let error = setter
        .set(&machine.root, &fast(), &place(true), &mut notes)
        .unwrap_err();
    assert!(error.to_string().contains("is now `schedutil`"), "{error}");
    setter.put_back(&machine.root, &mut notes).unwrap();
    assert_eq!(machine.read(GOVERNOR), "schedutil");
    assert_eq!(machine.read(SCHEDULER), "none");
    assert_eq!(notes.0.borrow().len(), 0);
}

/// A journal that removes the file to be written during the second announcement.
struct Sabotage<'a> {
    machine: &'a Machine,
    notes: Notes,
}

impl Journal for Sabotage<'_> {
    fn announce(&mut self, change: &Change) -> Result<(), JournalError> {
        self.notes.announce(change)?;
        if note(change).starts_with(PREFERENCE) {
            self.machine.remove(PREFERENCE);
            std::fs::create_dir(self.machine.root.real(Path::new(PREFERENCE)))?;
        }
        Ok(())
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        self.notes.undone(change)
    }
}

#[test]
fn a_half_failed_setting_stays_in_the_journal_and_others_are_restored() {
    let machine = Machine::new();
    let mut journal = Sabotage {
        machine: &machine,
        notes: Notes::default(),
    };
    let mut setter = Setter::default();
    let error = setter
        .set(&machine.root, &fast(), &place(true), &mut journal)
        .unwrap_err();
    assert!(error.to_string().starts_with("failed to set"), "{error}");
    assert!(error.hint().unwrap().contains("`energy_preference`"));
    assert_eq!(journal.notes.0.borrow().len(), 2, "both must be announced");
    assert_eq!(
        machine.read(SCHEDULER),
        "none",
        "nothing after it may be set"
    );
    setter.put_back(&machine.root, &mut journal).unwrap();
    assert_eq!(machine.read(GOVERNOR), "powersave");
    assert_eq!(journal.notes.0.borrow().len(), 0);
}

#[test]
fn write_cache_switches_the_drive_and_flush_only_the_kernels_view() {
    let machine = Machine::new();
    let plan = |conditions: &Conditions, is_ours: bool| {
        let found = |path: &Path| setting::read(&machine.root, path);
        let planned = plan(&machine.root, &found, conditions, &place(is_ours)).unwrap();
        let words = planned
            .iter()
            .map(|wanted| format!("{} {}", wanted.path.display(), wanted.value));
        words.collect::<Vec<String>>()
    };
    let of = |write_cache, flush| Conditions {
        write_cache,
        flush,
        ..Conditions::default()
    };
    let (on, off) = (Some(WriteCache::On), Some(WriteCache::Off));
    let (honoured, ignored) = (Some(Flush::Honoured), Some(Flush::Ignored));
    let through = |path: &str| vec![format!("{path} write through")];
    assert_eq!(plan(&of(on, honoured), false), Vec::<String>::new());
    assert_eq!(plan(&of(off, honoured), false), through(CACHE));
    assert_eq!(plan(&of(on, ignored), true), through(VIEW));
    // The kernel itself stops sending flushes to a drive without a cache.
    assert_eq!(plan(&of(off, ignored), false), through(CACHE));
    machine.write(CACHE, "write through");
    machine.write(VIEW, "write through");
    assert_eq!(plan(&of(off, honoured), false), Vec::<String>::new());
    assert_eq!(plan(&of(None, ignored), false), Vec::<String>::new());
    assert_eq!(
        plan(&of(on, ignored), true),
        [
            format!("{CACHE} write back"),
            format!("{VIEW} write through")
        ]
    );
}

#[test]
fn unsupported_values_are_refused_with_a_hint() {
    let machine = Machine::new();
    let none = Conditions::default;
    let governor = |name: &str| Conditions {
        governor: Some(name.to_owned()),
        ..none()
    };
    let refused = |conditions: &Conditions, is_ours: bool, words: &[&str]| {
        machine.refuses(conditions, is_ours, words);
    };
    refused(
        &governor("turbo"),
        true,
        &[
            "set `governor` to `turbo`",
            "supports performance, powersave",
        ],
    );
    let ignored = Conditions {
        flush: Some(Flush::Ignored),
        ..none()
    };
    refused(&ignored, false, &["on `sda`", "lose its flushes"]);
    machine.remove(CACHE);
    let off = Conditions {
        write_cache: Some(WriteCache::Off),
        ..none()
    };
    refused(
        &off,
        true,
        &["of `sda` to `off` (it is `on`)", "nvme set-feature"],
    );
    machine.write("/sys/block/sda/cache_type", "write through");
    let on = Conditions {
        write_cache: Some(WriteCache::On),
        ..none()
    };
    refused(&on, false, &["less safe"]);
    let trim = Conditions {
        trim_before: Some(true),
        ..none()
    };
    refused(
        &trim,
        true,
        &["`sda` does not support discard", "remove `trim_before`"],
    );
}

/// Guards against a measurement that is filed under a kernel that did not run.
#[test]
fn any_kernel_but_the_running_one_is_refused_by_name() {
    let machine = Machine::new();
    machine.write("/proc/sys/kernel/osrelease", "6.1.0-18-amd64");
    let on = |kernel: &str| Conditions {
        kernel: stripewise_units::kernel::KernelName::parse(kernel),
        ..Conditions::default()
    };
    let words = &[
        "run on Linux 6.12: Linux 6.1 is running",
        "stripewise lab prepare --kernel 6.12",
    ];
    machine.refuses(&on("6.12"), true, words);
    machine.refuses(&on("6.1.53"), true, &["run on Linux 6.1.53"]);
    assert!(check(&machine.root, &on("6.1"), &place(true)).is_ok());
    let words = &[
        "run on `6.1@sid`, which is a guest of the lab",
        "measure it with `--world lab`",
    ];
    machine.refuses(&on("6.1@sid"), true, words);
}

#[test]
fn settings_that_the_kernel_lacks_are_refused_with_a_hint() {
    let machine = Machine::new();
    let none = Conditions::default;
    let refused = |conditions: &Conditions, is_ours: bool, words: &[&str]| {
        machine.refuses(conditions, is_ours, words);
    };
    let ignored = Conditions {
        flush: Some(Flush::Ignored),
        ..none()
    };
    machine.remove(SCHEDULER);
    let scheduler = Conditions {
        scheduler: Some("bfq".to_owned()),
        ..none()
    };
    refused(&scheduler, true, &["`sda` has no `queue/scheduler`"]);
    let nowhere = MeasuredDisks {
        disks: Vec::new(),
        ..place(false)
    };
    let text = machine.refusal(&scheduler, &nowhere);
    assert!(text.contains("cannot determine"), "{text}");
    machine.remove(GOVERNOR);
    machine.remove(GOVERNOR_1);
    refused(
        &Conditions {
            governor: Some("performance".to_owned()),
            ..none()
        },
        true,
        &["there is no", "remove the key"],
    );
    machine.remove(DROP_CACHES);
    let drop_caches = Conditions {
        drop_caches: Some(true),
        ..none()
    };
    refused(&drop_caches, true, &["run as root"]);
    let quiet = MeasuredDisks {
        sends_flushes: false,
        ..place(false)
    };
    let honoured = Conditions {
        flush: Some(Flush::Honoured),
        ..none()
    };
    let text = machine.refusal(&honoured, &quiet);
    assert!(text.contains("without barriers"), "{text}");
    check(&machine.root, &ignored, &quiet).unwrap();
}

#[test]
fn caches_are_dropped_right_before_a_sample() {
    let machine = Machine::new();
    let conditions = Conditions {
        drop_caches: Some(true),
        ..Conditions::default()
    };
    check(&machine.root, &conditions, &place(false)).unwrap();
    before_sample(&machine.root, &conditions, &place(false)).unwrap();
    assert_eq!(machine.read(DROP_CACHES), "3");
}

#[test]
fn a_layer_that_does_not_pass_flushes_on_is_found() {
    let machine = Machine::new();
    let link = |name: &str| {
        let real = machine
            .root
            .real(Path::new(&format!("/sys/class/block/{name}")));
        std::fs::create_dir_all(real.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(format!("../../block/{name}"), real).unwrap();
    };
    // A filesystem on two volumes, one of them of a drive without a cache.
    for (above, below) in [("dm-0", "sda"), ("dm-1", "dm-2"), ("dm-2", "sdb")] {
        machine.write(&format!("/sys/block/{above}/slaves/{below}/dev"), "0:0");
        machine.write(&format!("/sys/block/{above}/queue/write_cache"), WRITE_BACK);
        link(above);
    }
    let set = |name: &str, what: &str| {
        machine.write(&format!("/sys/block/{name}/queue/write_cache"), what);
    };
    set("sdb", WRITE_THROUGH);
    ["sda", "sdb"].into_iter().for_each(link);
    let facts = Facts {
        target: Some(TargetFacts {
            devices: vec!["dm-0".to_owned(), "dm-1".to_owned()],
            ..TargetFacts::default()
        }),
        ..Facts::default()
    };
    let check = |flush, write_cache| {
        let conditions = Conditions {
            flush,
            write_cache,
            ..Conditions::default()
        };
        check_flushes(&machine.root, &conditions, &facts)
    };
    let honoured = Some(Flush::Honoured);
    check(honoured, None).unwrap();
    set("dm-1", WRITE_THROUGH);
    set("dm-2", WRITE_THROUGH);
    check(honoured, None).unwrap();
    set("sdb", WRITE_BACK);
    let error = check(honoured, Some(WriteCache::Off)).unwrap_err();
    assert!(
        error.to_string().contains("`write through` for `dm-2`"),
        "{error}"
    );
    assert!(error.to_string().contains("none to `sdb`"), "{error}");
    assert!(check(None, Some(WriteCache::On)).is_err());
    check(None, None).unwrap();
    check(Some(Flush::Ignored), Some(WriteCache::On)).unwrap();
}

/// All settings of queues that are numbers.
fn queues() -> Conditions {
    Conditions {
        scheduler: Some("mq-deadline".to_owned()),
        read_ahead_bytes: Some(Bytes::new(4 << 20)),
        nr_requests: Some(256),
        max_sectors_kib: Some(512),
        wbt_lat_us: Some(0),
        ..Conditions::default()
    }
}

#[test]
fn settings_of_queues_are_announced_written_and_restored() {
    let machine = Machine::new();
    let mut notes = Notes::default();
    let mut setter = Setter::default();
    check(&machine.root, &queues(), &place(false)).unwrap();
    setter
        .set(&machine.root, &queues(), &place(false), &mut notes)
        .unwrap();
    let written: Vec<String> = notes.0.borrow().iter().map(note).collect();
    assert_eq!(
        written,
        [
            format!("{SCHEDULER} none->mq-deadline"),
            format!("{WINDOW} 128->4096"),
            format!("{REQUESTS} 64->256"),
            format!("{LONGEST} 1280->512"),
            format!("{THROTTLE} 2000->0"),
        ]
    );
    // As a run that was killed leaves it: `restore` has the journal only.
    for change in notes.0.borrow().iter().rev() {
        let Change::WroteSetting {
            path,
            before,
            after,
            disk,
            resets,
        } = change
        else {
            panic!("{change:?}");
        };
        let disk = disk.as_deref();
        let written = WrittenSetting {
            path,
            before,
            after,
            disk,
            resets,
        };
        let undone = undo_setting(&machine.root, &written, Announced::SinceStart);
        assert_eq!(undone.unwrap(), Undone::Done, "{}", path.display());
    }
    let now = [SCHEDULER, WINDOW, REQUESTS, LONGEST, THROTTLE].map(|path| machine.read(path));
    assert_eq!(now, ["none", "128", "64", "1280", "2000"]);
}

/// What the kernel makes of the requests of a disk when its scheduler is set.
const RESET: &str = "256";

/// A journal that resets them as soon as a scheduler is announced, as the kernel does a moment later.
struct ResetsRequests<'a>(&'a Machine, Notes);

impl Journal for ResetsRequests<'_> {
    fn announce(&mut self, change: &Change) -> Result<(), JournalError> {
        if note(change).starts_with(SCHEDULER) {
            self.0.write(REQUESTS, RESET);
        }
        self.1.announce(change)
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        self.1.undone(change)
    }
}

/// The failure: an admin had limited the requests of a disk. `check --fix blk.scheduler` and `restore`
/// set the old scheduler, and left the disk with six times as many.
#[test]
fn what_the_kernel_resets_with_a_setting_is_restored_with_it() {
    let machine = Machine::new();
    let path = Path::new(SCHEDULER);
    let mut journal = ResetsRequests(&machine, Notes::default());
    write_setting(&machine.root, path, "mq-deadline", &mut journal).unwrap();
    let changes = journal.1.0.take();
    let [Change::WroteSetting { resets, .. }] = &changes[..] else {
        unreachable!("one setting was written: {changes:?}");
    };
    let [reset] = &resets[..] else {
        unreachable!("it resets one other: {resets:?}");
    };
    assert_eq!(
        (&*reset.before, reset.after.as_deref()),
        ("64", Some(RESET))
    );
    let written = WrittenSetting {
        path,
        before: "none",
        after: "mq-deadline",
        disk: None,
        resets,
    };
    for (scheduler, requests, undone, restored) in [
        ("mq-deadline", RESET, Undone::Done, "64"),
        // `restore` was killed in between.
        ("none", "32", Undone::Done, "64"),
        ("none", "64", Undone::Already, "64"),
        // Another program has set it since.
        ("mq-deadline", "99", Undone::Done, "99"),
    ] {
        machine.write(SCHEDULER, scheduler);
        machine.write(REQUESTS, requests);
        let done = undo_setting(&machine.root, &written, Announced::SinceStart).unwrap();
        assert_eq!(done, undone, "{scheduler}, {requests}");
        assert_eq!(machine.read(SCHEDULER), "none");
        assert_eq!(machine.read(REQUESTS), restored, "{scheduler}, {requests}");
    }
}

#[test]
fn a_new_scheduler_resets_the_requests_and_they_are_set_again() {
    let machine = Machine::new();
    let mut notes = Notes::default();
    let mut setter = Setter::default();
    let of = |scheduler: &str| Conditions {
        scheduler: Some(scheduler.to_owned()),
        nr_requests: Some(16),
        ..Conditions::default()
    };
    setter
        .set(&machine.root, &of("mq-deadline"), &place(true), &mut notes)
        .unwrap();
    let mut journal = ResetsRequests(&machine, notes);
    // A plain file keeps the chosen word only.
    machine.write(SCHEDULER, "none [mq-deadline] bfq");
    setter
        .set(&machine.root, &of("bfq"), &place(true), &mut journal)
        .unwrap();
    assert_eq!(machine.read(REQUESTS), "16");
    setter.put_back(&machine.root, &mut journal).unwrap();
    assert_eq!(machine.read(REQUESTS), "64");
    assert_eq!(journal.1.0.borrow().len(), 0);
}

#[test]
fn numbers_beyond_a_disk_are_refused_before_anything_is_written() {
    let machine = Machine::new();
    let none = Conditions::default;
    let long = Conditions {
        max_sectors_kib: Some(8192),
        ..none()
    };
    let words = [
        "`max_sectors_kb` of `sda` to `8192`: 4096 is",
        "use 4096 or less",
    ];
    machine.refuses(&long, true, &words);
    let many = |scheduler: Option<&str>, nr_requests| Conditions {
        scheduler: scheduler.map(str::to_owned),
        nr_requests: Some(nr_requests),
        ..none()
    };
    let words = ["`nr_requests` of `sda` to `64`: 32 is the depth", "use 32"];
    machine.refuses(&many(None, 64), true, &words);
    let words = ["2048 is the most that a scheduler takes"];
    machine.refuses(&many(Some("bfq"), 4096), true, &words);
    check(&machine.root, &many(Some("bfq"), 64), &place(true)).unwrap();
    machine.remove(THROTTLE);
    let throttled = Conditions {
        wbt_lat_us: Some(2000),
        ..none()
    };
    machine.refuses(&throttled, true, &["`sda` has no `queue/wbt_lat_usec`"]);
}

#[test]
fn read_ahead_waits_for_its_stack_and_is_refused_where_it_has_no_effect() {
    let machine = Machine::new();
    let window = Conditions {
        read_ahead_bytes: Some(Bytes::new(1 << 20)),
        ..Conditions::default()
    };
    let on = |reads_ahead| MeasuredDisks {
        reads_ahead,
        ..place(false)
    };
    check(&machine.root, &window, &on(ReadsAhead::NotBuilt)).unwrap();
    let of_btrfs = ReadsAhead::of_filesystem(Some("btrfs"), vec!["sda".to_owned()]);
    let text = machine.refusal(&window, &on(of_btrfs));
    assert!(text.contains("`btrfs` reads ahead on its own"), "{text}");
    let text = machine.refusal(&window, &on(ReadsAhead::Device(Vec::new())));
    assert!(text.contains("cannot determine"), "{text}");
    // A stack that was taken down takes its setting along.
    let mut notes = Notes::default();
    let mut setter = Setter::default();
    let built = on(ReadsAhead::Device(vec!["md100".to_owned()]));
    setter
        .set(&machine.root, &window, &built, &mut notes)
        .unwrap();
    let next = on(ReadsAhead::NotBuilt);
    setter
        .set(&machine.root, &window, &next, &mut notes)
        .unwrap();
    assert_eq!(machine.read(WINDOW), "128");
    assert_eq!(notes.0.borrow().len(), 0);
}

#[test]
fn a_setting_that_stays_is_journalled_first_and_only_if_restore_knows_it() {
    let machine = Machine::new();
    let (mut notes, path) = (Notes::default(), Path::new(GOVERNOR));
    assert!(write_setting(&machine.root, path, "performance", &mut notes).unwrap());
    assert!(!write_setting(&machine.root, path, "performance", &mut notes).unwrap());
    let changes = notes.0.take();
    let [Change::WroteSetting { before, after, .. }] = &changes[..] else {
        unreachable!("one setting was written: {changes:?}");
    };
    let written = WrittenSetting {
        path,
        before,
        after,
        disk: None,
        resets: &[],
    };
    let undone = undo_setting(&machine.root, &written, Announced::SinceStart);
    assert_eq!(undone.unwrap(), Undone::Done);
    assert_eq!(
        setting::read(&machine.root, path).as_deref(),
        Some("powersave")
    );
    for refused in ["/etc/passwd", "/sys/block/sda/queue/../../sdb/size"] {
        assert!(write_setting(&machine.root, Path::new(refused), "x", &mut notes).is_err());
    }
    assert!(notes.0.take().is_empty());
}
