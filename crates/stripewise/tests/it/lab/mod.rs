//! The lab with a real kernel, if this machine has the programs that it needs.
//!
//! The first test on a machine downloads packages and builds a guest; STRIPEWISE_LAB_CACHE names a
//! cache to keep it in. Tests that cannot run here print SKIPPED.

mod cuts;
mod kernels;
mod kills;
mod place;
mod runs;
mod stacks;
mod stops;

// Each prepares a guest if there is none. CI's seed draws the third: that of a run.
drawn_tests! {
    1 of "tests with a guest":
    runs::a_disk_of_a_guest_takes_exactly_as_long_as_its_profile_says,
    runs::a_killed_tool_ends_its_guest_and_the_run_resumes_with_another,
    runs::an_array_is_built_and_measured_in_a_guest_and_nothing_is_left,
    runs::a_shell_reads_a_pipe_and_ends_with_it,
    runs::every_layer_is_built_in_a_guest,
    runs::flushes_are_sent_where_they_are_honoured_whichever_cell_comes_first,
    runs::a_guest_without_memory_for_its_disks_gives_no_valid_sample,
    runs::a_member_that_fails_in_a_guest_is_rebuilt_and_the_data_is_intact,
    runs::the_model_counts_what_the_driver_counts,
    cuts::honoured_flushes_lose_nothing_and_ignored_ones_everything_that_a_drive_dropped,
    kills::a_run_in_the_lab_leaves_only_its_samples_however_it_ends,
    kernels::kernels_are_compared_in_one_run_which_a_kill_does_not_end,
    stops::a_signal_at_any_moment_ends_every_command_with_a_guest,
    stacks::stacks_are_killed_and_devices_refused_on_a_real_kernel,
    kernels::guests_of_one_release_are_compared_in_one_run,
}

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use stripewise_fixtures::drawn_tests;

use crate::support::{Bench, processes_with, say, skip, skip_unless_all};

/// The longest wait for a guest: without KVM, beside other tests, on a busy machine.
const WAIT_MAX: Duration = Duration::from_secs(600);

/// The memory of guests. Guests with the same memory and clock resume from the same saved boot, so
/// that only the first of them boots.
const MEMORY: [&str; 2] = ["--memory", "2G"];

/// Parts of the errors of `lab prepare` if a program is missing, or apt reaches no server.
const LACKS: [&str; 2] = ["failed to find", "apt-get"];
/// Part of its error on a machine with another processor. Any other error is a bug.
const UNABLE: &str = "on this machine";

/// Returns a cache with a guest in it, if one can be prepared here.
///
/// # Panics
/// If it fails although this machine lacks nothing, or if everything must be tested.
fn cache() -> Option<&'static Path> {
    static CACHE: OnceLock<Option<PathBuf>> = OnceLock::new();
    CACHE
        .get_or_init(|| {
            let named = std::env::var_os("STRIPEWISE_LAB_CACHE").map(PathBuf::from);
            let cache = named.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("lab"));
            let began = Instant::now();
            let output = Command::new(env!("CARGO_BIN_EXE_stripewise"))
                .args(["lab", "prepare", "--cache"])
                .arg(&cache)
                .output()
                .unwrap();
            if output.status.success() {
                say(&format!(
                    "lab: a guest was prepared in {:?}",
                    began.elapsed()
                ));
                return Some(cache);
            }
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            if why.contains(UNABLE) {
                skip("everything in the lab", why.trim());
            } else {
                assert!(LACKS.iter().any(|lack| why.contains(lack)), "{why}");
                skip_unless_all("everything in the lab", why.trim());
            }
            None
        })
        .as_deref()
}

/// Set to test ZFS in a guest even if that takes the six minutes of building it first.
const TEST_ZFS: &str = "STRIPEWISE_TEST_LAB_ZFS";

/// Returns a cache whose guest has ZFS: that of `STRIPEWISE_LAB_CACHE` if it was prepared so, or one
/// that is prepared now if [`TEST_ZFS`] asks for it.
///
/// # Panics
/// If ZFS is asked for and cannot be built.
fn cache_with_zfs() -> Option<&'static Path> {
    let cache = cache()?;
    let tool = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stripewise"));
        command.args(arguments).arg("--cache").arg(cache);
        command.output().unwrap()
    };
    let doctor = tool(&["lab", "doctor", "--json"]);
    let doctor: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let guests = doctor["guests"].as_array().unwrap();
    let has_zfs = guests
        .iter()
        .any(|guest| guest["is_default"] == true && !guest["zfs"].is_null());
    if has_zfs {
        return Some(cache);
    }
    if std::env::var_os(TEST_ZFS).is_none() {
        let why = std::format!(
            "no guest with ZFS is prepared; {TEST_ZFS}=1 builds one, which takes six minutes of two cores"
        );
        skip("ZFS in the lab", &why);
        return None;
    }
    let built = tool(&["lab", "prepare", "--with", "zfs"]);
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    Some(cache)
}

/// Asks until there is an answer, for at most [`WAIT_MAX`].
fn until_in_guest<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(began.elapsed() < WAIT_MAX, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the processes of a bench that are QEMU.
fn guests(bench: &Bench) -> Vec<i32> {
    let is_qemu = |process: &PathBuf| {
        let name = std::fs::read_to_string(process.join("comm")).unwrap_or_default();
        name.starts_with("qemu-system")
    };
    processes_with(bench.target().parent().unwrap())
        .into_iter()
        .filter(is_qemu)
        .filter_map(|process| process.file_name()?.to_str()?.parse().ok())
        .collect()
}
