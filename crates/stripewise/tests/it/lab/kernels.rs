//! Guests with several kernels in one run.
//!
//! The failure: two runs, one for each kernel, were compared, and one of them had been measured with
//! another study. And a killed run left one of its two guests behind.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;
use stripewise_results::RunState;
use stripewise_study::cell::Axis;
use stripewise_units::kernel::KernelVersion;

use super::{MEMORY, cache, guests, until_in_guest};
use crate::support::{Bench, entries, number, say, send, skip, with};

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

/// Makes a cache below `folder` with the first guest of `cache`, and the same once more as if its tools came
/// from a suite; returns the names of both.
fn with_a_second_guest(cache: &Path, folder: &Path) -> [String; 2] {
    let tag = "CACHEDIR.TAG";
    std::fs::create_dir_all(folder.join("guests")).unwrap();
    std::fs::copy(cache.join(tag), folder.join(tag)).unwrap();
    let guests = entries(&cache.join("guests"));
    let manifest = |guest: &PathBuf| -> Value {
        serde_json::from_slice(&std::fs::read(guest.join("manifest.json")).unwrap()).unwrap()
    };
    let is_own = |guest: &&PathBuf| {
        let manifest = manifest(guest);
        manifest["is_default"] == true && manifest["tools"].is_null()
    };
    let own = guests.iter().find(is_own).unwrap();
    let release = own.file_name().unwrap().to_str().unwrap().to_owned();
    let second = format!("{release}@tools-sid");
    for name in [&release, &second] {
        let place = folder.join("guests").join(name);
        std::fs::create_dir(&place).unwrap();
        for file in ["vmlinuz", "initramfs", "root.img"] {
            std::fs::copy(own.join(file), place.join(file)).unwrap();
        }
        let mut manifest = manifest(own);
        if *name == second {
            manifest["tools"] = "sid".into();
        }
        std::fs::write(place.join("manifest.json"), manifest.to_string()).unwrap();
    }
    [release, second]
}

/// The failure: guests were known by the version of their kernel, so a study could not name two of one release,
/// and a lab that got both measured each cell in the first.
pub(super) fn guests_of_one_release_are_compared_in_one_run() {
    let (Some(cache), Some(bench)) = (cache(), Bench::new()) else {
        return;
    };
    let folder = bench.path("cache");
    let [own, second] = with_a_second_guest(cache, &folder);
    let version = KernelVersion::parse(&own).unwrap();
    let short = format!("{version}@tools-sid");
    let text = format!("[conditions]\nkernel = [\"{own}\", \"{short}\"]\n{STUDY}");
    let study = bench.write("study.toml", &text);
    let command = |arguments: &str| {
        let mut command = bench.stored(arguments);
        command.env("STRIPEWISE_LAB_CACHE", &folder);
        command
    };
    let run = || {
        let mut command = command("run --world lab --continue");
        command.arg(&study);
        with(command, MEMORY)
    };
    // Ends after some samples of both guests, and goes on with the same command.
    let mut child = run()
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until_in_guest("samples", || {
        assert!(child.try_wait().unwrap().is_none(), "the run ended");
        let is_there = std::fs::metadata(bench.store_path()).is_ok_and(|file| file.len() > 0);
        let runs = match is_there {
            true => bench.store().runs().unwrap(),
            false => Vec::new(),
        };
        (runs.first()?.samples.all >= 3).then_some(())
    });
    assert_eq!(guests(&bench).len(), 2, "one for each name");
    send(number(&child), Signal::KILL);
    child.wait().unwrap();
    until_in_guest("the end of both guests", || {
        guests(&bench).is_empty().then_some(())
    });
    let done = bench.finish(run());
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    for name in [&own, &short] {
        assert!(done.stdout.contains(name.as_str()), "{}", done.transcript());
    }
    assert_eq!(bench.store().runs().unwrap().len(), 1);
    let stored = bench.stored_run(1);
    let kernels = stored.cells.iter().map(|cell| cell.value(Axis::Kernel));
    assert_eq!(kernels.collect::<Vec<_>>(), [own.clone(), short.clone()]);
    let guest = stored.world.as_ref().unwrap().guest().unwrap();
    let named: Vec<(&String, &String)> = guest.kernels.iter().collect();
    assert_eq!(named, [(&own, &own), (&short, &second)]);
    for fact in &stored.facts {
        assert_eq!(fact.facts.tools["lab guest"].split(' ').count(), 2);
    }
    // Another world refuses the name, and the model simulates its version.
    let model = bench.finish(with(command("run --world model"), [&study]));
    assert_eq!(model.code, Some(0), "{}", model.transcript());
    let one = bench.write("one.toml", &text.replace(&format!("\"{own}\", "), ""));
    let mut plan = bench.command();
    plan.arg("study").arg(&one).arg("--cache").arg(&folder);
    let plan = bench.finish(plan);
    assert!(plan.stdout.contains("lab: yes"), "{}", plan.transcript());
}
