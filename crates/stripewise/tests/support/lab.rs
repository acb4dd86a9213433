//! Shared by the tests with real guests: the guest, the time to wait for it, and its processes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::{Bench, processes_with, say, skip, skip_unless_all};

/// The longest wait for a guest: without KVM, beside other tests, on a busy machine.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(600);

/// The memory of guests. Guests with the same memory and clock resume from the same saved boot, so
/// that only the first of them boots.
pub(crate) const MEMORY: [&str; 2] = ["--memory", "2G"];

/// Parts of the errors of `lab prepare` if a program is missing, or apt reaches no server.
const LACKS: [&str; 2] = ["failed to find", "apt-get"];
/// Part of its error on a machine with another processor. Any other error is a bug.
const UNABLE: &str = "on this machine";

/// Returns a cache with a guest in it, if one can be prepared here.
///
/// # Panics
/// If it fails although this machine lacks nothing, or if everything must be tested.
pub(crate) fn cache() -> Option<&'static Path> {
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

/// Asks until there is an answer, for at most [`WAIT_MAX`].
pub(crate) fn until_in_guest<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
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
pub(crate) fn guests(bench: &Bench) -> Vec<i32> {
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
