//! Runs of root in directories of other users.
//!
//! The failure: root measured in another user's directory. That user put a link to one of root's
//! files where fio was about to write. (`workspace_race_tests.rs` in `metal` tests the race.)

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use expect_test::{Expect, expect};

use crate::support::{Bench, QUICK, entries, is_root, skip, with};

/// Asserts that no run begins in `target`.
fn assert_refused(bench: &Bench, target: &Path, expected: &Expect) {
    let done = bench.finish(bench.run_on(QUICK, target));
    done.refused(expected);
    assert!(!bench.store_path().exists(), "a store was made");
    assert_eq!(entries(target), [] as [std::path::PathBuf; 0]);
}

#[test]
fn root_refuses_a_target_that_another_user_could_rename() {
    const ANOTHER: u32 = 65534;
    if !is_root() {
        return skip("directories of other users", "only root can make them");
    }
    let Some(bench) = Bench::new() else { return };
    let shared = bench.path("shared");
    let theirs = shared.join("theirs");
    std::fs::create_dir_all(&theirs).unwrap();
    std::os::unix::fs::chown(&theirs, Some(ANOTHER), None).unwrap();
    let expected = expect![[r#"
        error: failed to use `--target`: `[BENCH]/shared/theirs` belongs to user 65534, who could redirect root's writes

        hint: run as the owner of the directory, or name one that only root can change: `install -d -m 700 DIR` creates one inside a directory of root's
    "#]];
    assert_refused(&bench, &theirs, &expected);
    let calibrate = with(bench.command(), ["calibrate", "--target"]);
    let calibrate = with(
        calibrate,
        [theirs.as_os_str(), "--out".as_ref(), "out".as_ref()],
    );
    let done = bench.finish(calibrate);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains("belongs to user 65534"),
        "{}",
        done.stderr
    );
    // Root's own directory, but with a parent that others can write.
    std::os::unix::fs::chown(&theirs, Some(0), None).unwrap();
    std::fs::set_permissions(&shared, PermissionsExt::from_mode(0o777)).unwrap();
    assert_refused(
        &bench,
        &theirs,
        &expect![[r#"
        error: failed to use `--target`: other users can write to `[BENCH]/shared` (mode 0777) and could redirect root's writes

        hint: run as the owner of the directory, or name one that only root can change: `install -d -m 700 DIR` creates one inside a directory of root's
    "#]],
    );
    std::fs::set_permissions(&shared, PermissionsExt::from_mode(0o1777)).unwrap();
    let done = bench.finish(bench.run_on(QUICK, &theirs));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
}
