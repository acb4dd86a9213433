//! Arrays in every state, in a fake `/sys`.

use super::*;

/// An array `md100` of `sda`, `sdb` and `sdc`.
struct Sysfs {
    folder: tempfile::TempDir,
}

impl Sysfs {
    fn whole() -> Self {
        let sysfs = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (file, text) in [
            ("array_state", "clean\n"),
            ("sync_action", "idle\n"),
            ("degraded", "0\n"),
            ("resync_start", "none\n"),
            ("mismatch_cnt", "0\n"),
            ("dev-sda/state", "in_sync\n"),
            ("dev-sdb/state", "in_sync,write_mostly\n"),
            ("dev-sdc/state", "in_sync\n"),
        ] {
            sysfs.write(file, text);
        }
        sysfs
    }

    fn path(&self, file: &str) -> std::path::PathBuf {
        self.folder.path().join("sys/block/md100/md").join(file)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn remove(&self, file: &str) {
        fs::remove_file(self.path(file)).unwrap();
    }

    /// Removes a member from the array.
    fn take_out(&self, device: &str) {
        fs::remove_dir_all(self.path(&format!("dev-{device}"))).unwrap();
    }

    /// Overwrites these files.
    fn with(self, files: &[(&str, &str)]) -> Self {
        for (file, text) in files {
            self.write(file, text);
        }
        self
    }

    fn array(&self) -> OurArray {
        OurArray {
            md: Md::new(&Root(self.folder.path().to_owned()), "md100"),
            members: ["sda", "sdb", "sdc"].map(str::to_owned).to_vec(),
            settings: ArraySettings::default(),
        }
    }
}

/// Runs a step of the fake machine at every check of a wait.
struct Meanwhile<'a>(&'a mut dyn FnMut());

impl Watch for Meanwhile<'_> {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        (self.0)();
        true
    }
}

const LONG: Duration = Duration::from_secs(60);

fn no_change() -> impl FnMut() {
    || {}
}

/// Returns the message and the hint for an array that does not become whole.
fn message_and_hint(error: &WorldError) -> String {
    let source = std::error::Error::source(error).map_or(String::new(), |why| format!(": {why}"));
    format!("{error}{source}\nhint: {}\n", error.hint().unwrap())
}

fn ours(members: &[(&str, MemberState)]) -> OurFailures {
    let members = members.iter();
    members
        .map(|(device, member_state)| ((*device).to_owned(), *member_state))
        .collect()
}

#[test]
fn an_array_is_whole_only_after_its_first_sync() {
    let state = |files: &[(&str, &str)]| Sysfs::whole().with(files).array().md.state();
    assert_eq!(state(&[]), State::Whole);
    assert_eq!(state(&[("sync_action", "resync\n")]), State::Busy);
    // Between the moment at which a sync is due and its start.
    assert_eq!(state(&[("resync_start", "0\n")]), State::Idle);
    assert_eq!(state(&[("degraded", "1\n")]), State::Idle);
    let failed = ("dev-sdb/state", "faulty,blocked\n");
    for more in [("degraded", "1\n"), ("sync_action", "recover\n")] {
        assert_eq!(
            state(&[failed, more]),
            State::Faulty(vec!["sdb".to_owned()]),
            "{more:?}"
        );
    }
}

#[test]
fn an_array_without_redundancy_is_whole_at_once() {
    let sysfs = Sysfs::whole().with(&[("resync_start", "0\n")]);
    sysfs.remove("sync_action");
    sysfs.remove("degraded");
    assert_eq!(sysfs.array().md.state(), State::Whole);
}

#[test]
fn an_array_whose_state_cannot_be_read_is_not_whole() {
    let sysfs = Sysfs::whole().with(&[("degraded", "many\n")]);
    let md = sysfs.array().md;
    let missing = Missing::new("/sys/block/md100/md/degraded", "`many` is not a number");
    assert_eq!(md.state(), State::Unknown(missing));
    let waited = Wait {
        latest: Some(md.state()),
        ..Wait::default()
    };
    assert_eq!(
        message_and_hint(&md.not_whole(waited, LONG)),
        "failed to wait until `md100` is in sync: `/sys/block/md100/md/degraded`: `many` is not a number\nhint: `dmesg` and `cat /proc/mdstat` show what happened\n"
    );
}

#[test]
fn an_array_that_is_gone_is_not_whole() {
    let sysfs = Sysfs::whole();
    fs::remove_dir_all(sysfs.folder.path().join("sys")).unwrap();
    let md = sysfs.array().md;
    assert_eq!(md.state(), State::Gone);
    let error = md.wait_until_whole(LONG, &mut Meanwhile(&mut no_change()));
    expect_test::expect![[r"
        failed to wait until `md100` is in sync: it is not running
        hint: `dmesg` and `cat /proc/mdstat` show what happened
    "]]
    .assert_eq(&message_and_hint(&error.unwrap_err()));
}

#[test]
fn the_wait_includes_a_first_sync_that_has_not_started() {
    let sysfs = Sysfs::whole().with(&[("resync_start", "0\n")]);
    let mut texts = [
        ("sync_action", "resync\n"),
        ("resync_start", "none\n"),
        ("sync_action", "idle\n"),
    ]
    .into_iter();
    let md = sysfs.array().md;
    md.wait_until_whole(
        LONG,
        &mut Meanwhile(&mut || {
            let (file, text) = texts.next().unwrap();
            sysfs.write(file, text);
        }),
    )
    .unwrap();
    assert!(texts.next().is_none(), "the wait ended early");
}

#[test]
fn a_member_that_fails_in_a_sync_ends_the_wait_and_is_named() {
    let sysfs = Sysfs::whole().with(&[("sync_action", "resync\n"), ("resync_start", "0\n")]);
    let mut fail = || {
        sysfs.write("sync_action", "idle\n");
        sysfs.write("degraded", "1\n");
        sysfs.write("dev-sdc/state", "faulty\n");
    };
    let md = sysfs.array().md;
    let error = md.wait_until_whole(LONG, &mut Meanwhile(&mut fail));
    expect_test::expect![[r"
        failed to wait until `md100` is in sync: `sdc` failed
        hint: check `dmesg`, then replace the device or name another one under `[may_destroy]`
    "]]
    .assert_eq(&message_and_hint(&error.unwrap_err()));
}

#[test]
fn the_wait_gives_up_on_an_idle_array_that_is_not_whole() {
    let mut wait = Wait::default();
    for _ in 1..IDLE_CHECKS_MAX {
        assert!(!wait.is_over(State::Idle));
    }
    // Work began after all.
    assert!(!wait.is_over(State::Busy));
    for _ in 1..IDLE_CHECKS_MAX {
        assert!(!wait.is_over(State::Idle));
    }
    assert!(wait.is_over(State::Idle));
    let sysfs = Sysfs::whole().with(&[("degraded", "1\n"), ("array_state", "read-auto\n")]);
    let error = sysfs.array().md.not_whole(wait, LONG);
    expect_test::expect![[r"
        failed to wait until `md100` is in sync: it lacks 1 member(s), its sync is at `none`, its state is `read-auto`, and md is not repairing it
        hint: `dmesg` and `cat /proc/mdstat` show what happened
    "]]
    .assert_eq(&message_and_hint(&error));
}

#[test]
fn a_wait_that_takes_too_long_says_so() {
    let sysfs = Sysfs::whole().with(&[("sync_action", "resync\n")]);
    let md = sysfs.array().md;
    let error = md.wait_until_whole(Duration::ZERO, &mut Meanwhile(&mut no_change()));
    expect_test::expect![[r"
        failed to wait until `md100` is in sync: it was not in sync after 0 h
        hint: `cat /proc/mdstat` shows its progress; `assume_clean = true` in `array` skips the first sync
    "]]
    .assert_eq(&message_and_hint(&error.unwrap_err()));
}

#[test]
fn a_check_runs_at_full_speed_and_counts_in_sectors() {
    let sysfs = Sysfs::whole().with(&[("sync_speed_max", "1000 (local)\n")]);
    let mut end = || {
        assert_eq!(
            fs::read_to_string(sysfs.path("sync_speed_max")).unwrap(),
            "system"
        );
        sysfs.write("sync_action", "idle\n");
        sysfs.write("mismatch_cnt", "128\n");
    };
    let md = sysfs.array().md;
    let checked = md.check(LONG, &mut Meanwhile(&mut end));
    assert_eq!(checked.unwrap(), Bytes::new(65536));
}

#[test]
fn a_check_without_a_result_is_an_error() {
    let why = |limit: Duration, change: &dyn Fn(&Sysfs)| {
        let sysfs = Sysfs::whole();
        let md = sysfs.array().md;
        let checked = md.check(limit, &mut Meanwhile(&mut || change(&sysfs)));
        let error = checked.unwrap_err();
        assert_eq!(
            error.to_string(),
            "failed to check that the members of `md100` agree"
        );
        std::error::Error::source(&error).unwrap().to_string()
    };
    let end = |sysfs: &Sysfs| sysfs.write("sync_action", "idle\n");
    assert_eq!(why(Duration::ZERO, &|_| {}), "it did not end within 0 h");
    assert_eq!(
        why(LONG, &|sysfs| {
            end(sysfs);
            sysfs.remove("mismatch_cnt");
        }),
        "`/sys/block/md100/md/mismatch_cnt`: it does not exist"
    );
    assert_eq!(
        why(LONG, &|sysfs| {
            end(sysfs);
            sysfs.write("degraded", "1\n");
        }),
        "the array lacks 1 member(s)"
    );
    assert_eq!(
        why(LONG, &|sysfs| {
            fs::remove_dir_all(sysfs.path("")).unwrap();
        }),
        "the array is not running"
    );
}

#[test]
fn a_member_that_we_failed_is_no_loss() {
    use MemberState::{Failed, ReAdded};
    let sysfs = Sysfs::whole();
    let array = sysfs.array();
    assert_eq!(array.loss(&ours(&[])), None);

    let out = ours(&[("sdb", Failed)]);
    sysfs.write("dev-sdb/state", "faulty\n");
    sysfs.write("degraded", "1\n");
    assert_eq!(array.loss(&out), None, "not removed yet");
    sysfs.take_out("sdb");
    assert_eq!(array.loss(&out), None);

    sysfs.write("dev-sdb/state", "spare\n");
    assert_eq!(
        array.loss(&ours(&[("sdb", ReAdded)])),
        None,
        "being rebuilt"
    );
}

#[test]
fn a_member_that_fails_on_its_own_is_a_loss_and_not_re_added() {
    use MemberState::{Failed, ReAdded};
    let lost = |missing_count: u32| {
        Some(Warning::ArrayLostMembers {
            array: "md100".to_owned(),
            missing_count,
        })
    };
    let one = Sysfs::whole().with(&[("degraded", "1\n"), ("dev-sdb/state", "faulty\n")]);
    assert_eq!(one.array().loss(&ours(&[])), lost(1));

    let gone = Sysfs::whole().with(&[("degraded", "1\n")]);
    gone.take_out("sdc");
    assert_eq!(gone.array().loss(&ours(&[])), lost(1));
    let error = gone.array().check_losses(&ours(&[])).unwrap_err();
    expect_test::expect![[r"
        array `md100` lost a member during the measurement, and now lacks 1: `sdc` failed or was removed
        hint: check `dmesg`, then replace the device or name another one under `[may_destroy]`; finished samples are kept, and `stripewise resume` creates the array again
    "]]
    .assert_eq(&message_and_hint(&error));

    // A second member fails, beside the one in the script.
    let two = Sysfs::whole().with(&[("degraded", "2\n"), ("dev-sdc/state", "faulty\n")]);
    two.take_out("sdb");
    let out = ours(&[("sdb", Failed)]);
    assert_eq!(two.array().loss(&out), lost(2));
    let error = two.array().check_losses(&out).unwrap_err().to_string();
    assert!(error.contains("now lacks 2: `sdc` failed"), "{error}");

    // The re-added member fails or is removed again, on its own.
    let back = ours(&[("sdb", ReAdded)]);
    let again = Sysfs::whole().with(&[("degraded", "1\n"), ("dev-sdb/state", "faulty\n")]);
    assert_eq!(again.array().loss(&back), lost(1));
    again.take_out("sdb");
    assert_eq!(again.array().loss(&back), lost(1));
    let error = again.array().check_losses(&back).unwrap_err().to_string();
    assert!(error.contains("now lacks 1: `sdb` failed"), "{error}");
}
