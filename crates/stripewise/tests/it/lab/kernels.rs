//! Guests with several kernels in one run.
//!
//! The failure: two runs, one for each kernel, were compared, and one of them had been measured with
//! another study. And a killed run left one of its two guests behind.

use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;
use stripewise_results::RunState;
use stripewise_units::kernel::KernelVersion;

use super::{MEMORY, cache, guests, until_in_guest};
use crate::support::{Bench, number, say, send, skip, with};

/// One stack on every kernel.
const STUDY: &str = r#"
[stack.striped]
devices = { "samsung-850-evo-500" = 2 }
array = { level = "raid0", chunk = "64K" }
filesystem = "none"
[workload]
pattern = "randread"
block_size = "4K"
size = "16M"
direct = true
[repeat]
sample = "50ms"
at_least = 6
at_most = 6
"#;

/// The kernel that is prepared beside the distribution's own: Debian 12 and 13 have it.
const OTHER: &str = "6.12";

/// Returns the kernels of two guests of different series, one of which is prepared if necessary.
fn two_kernels(cache: &Path) -> Option<[KernelVersion; 2]> {
    let tool = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stripewise"));
        command.args(arguments).arg("--cache").arg(cache);
        command.output().unwrap()
    };
    let found = || {
        let doctor = tool(&["lab", "doctor", "--json"]);
        let document: Value = serde_json::from_slice(&doctor.stdout).unwrap();
        let guests = document["guests"].as_array().unwrap().clone();
        let current = guests.iter().filter(|guest| guest["is_current"] == true);
        let mut kernels: Vec<KernelVersion> = current
            .map(|guest| KernelVersion::parse(guest["kernel"].as_str().unwrap()).unwrap())
            .map(|version| KernelVersion::new(version.major, version.minor, 0))
            .collect();
        kernels.dedup();
        kernels
    };
    if found().len() < 2 {
        let made = tool(&["lab", "prepare", "--kernel", OTHER]);
        if !made.status.success() {
            let why = String::from_utf8_lossy(&made.stderr).into_owned();
            skip("several kernels in the lab", why.trim());
            return None;
        }
    }
    let kernels = found();
    match kernels.as_slice() {
        [new, .., old] => Some([*old, *new]),
        _ => {
            skip("several kernels in the lab", "there is one kernel only");
            None
        }
    }
}

pub(super) fn kernels_are_compared_in_one_run_which_a_kill_does_not_end() {
    let (Some(cache), Some(bench)) = (cache(), Bench::new()) else {
        return;
    };
    let Some(kernels) = two_kernels(cache) else {
        return;
    };
    say(&format!("lab: kernels {} and {}", kernels[0], kernels[1]));
    let names = kernels.map(|kernel| format!("\"{kernel}\"")).join(", ");
    let study = format!("[conditions]\nkernel = [{names}]\n{STUDY}");
    let study = bench.write("study.toml", &study);
    let command = || {
        let mut command = bench.stored("run --world lab --continue");
        command.arg(&study).env("STRIPEWISE_LAB_CACHE", cache);
        with(command, MEMORY)
    };
    let mut child = command()
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let is_there = || std::fs::metadata(bench.store_path()).is_ok_and(|file| file.len() > 0);
    until_in_guest("samples", || {
        assert!(child.try_wait().unwrap().is_none(), "the run ended");
        let runs = if is_there() {
            bench.store().runs().unwrap()
        } else {
            Vec::new()
        };
        (runs.first()?.samples.all >= 3).then_some(())
    });
    assert_eq!(guests(&bench).len(), 2, "one for each kernel");
    send(number(&child), Signal::KILL);
    child.wait().unwrap();
    until_in_guest("the end of both guests, one of which rests", || {
        guests(&bench).is_empty().then_some(())
    });
    let kept = bench.stored_run(1).samples;

    // The same command goes on.
    let done = bench.finish(command());
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    bench.assert_clean();
    assert_eq!(bench.store().runs().unwrap().len(), 1);
    let run = bench.stored_run(1);
    assert_eq!(run.summary.state, RunState::Done);
    assert!(run.samples.starts_with(&kept));
    // Six samples and a warm-up of each session.
    let counts = [0, 1].map(|cell| run.samples.iter().filter(|one| one.cell == cell).count());
    assert!(counts.iter().all(|count| *count >= 7), "{counts:?}");
    let facts = &run.facts[0].facts;
    assert_eq!(facts.kernel.as_ref().unwrap().split(", ").count(), 2);
    for kernel in kernels {
        let exact = &facts.tools[&format!("kernel {kernel}")];
        assert!(exact.starts_with(&kernel.to_string()), "{exact}");
    }
}
