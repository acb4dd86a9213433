//! Power cuts of guests with a real kernel.
//!
//! The failure: an admin read that his filesystem survives power cuts, switched flushes off because a
//! forum said that they only cost time, and found an empty database after the first outage. A tool that
//! drops what was never flushed must tell the two apart, and one whose own machine loses its power must
//! continue.

use std::process::Child;
use std::time::Instant;

use rustix::process::Signal;
use stripewise_results::{Run, RunState};
use stripewise_study::conditions::Flush;
use stripewise_study::cut::{Cut, Outcome};
use stripewise_study::world::WorldName;

use super::{cache, guests, until_in_guest};
use crate::support::{Bench, number, say, send, skip};

/// A mirror with a filesystem on which a file grows, so that the journal matters.
const STUDY: &str = r#"
[stack.mirror]
devices = { "sata-ssd" = 2 }
array = { level = "raid1", bitmap = "none" }
filesystem = { type = "ext4" }
[workload]
pattern = "randwrite"
block_size = "4K"
size = "1M"
fdatasync = 1
[conditions]
flush = ["honoured", "ignored"]
fill = false
[repeat]
sample = "500ms"
"#;

/// Returns the cuts of a run under these conditions.
fn cuts(run: &Run, flush: Flush) -> Vec<&Cut> {
    let of_cell = run.samples.iter().filter(|record| {
        let conditions = &run.cells[record.cell].conditions;
        conditions.flush == Some(flush)
    });
    of_cell
        .map(|record| record.sample.cut.as_ref().unwrap())
        .collect()
}

/// Waits for the first cut of run 2, as run 1 is the model's. Returns false if the command ended.
fn until_a_cut(bench: &Bench, child: &mut Child) -> bool {
    until_in_guest("a cut", || {
        if child.try_wait().unwrap().is_some() {
            return Some(false);
        }
        let is_there = std::fs::metadata(bench.store_path()).is_ok_and(|file| file.len() > 0);
        let runs = is_there.then(|| bench.store().runs().unwrap())?;
        let cuts = runs.iter().find(|run| run.origin.is(WorldName::Lab))?;
        (cuts.samples.all >= 1).then_some(true)
    })
}

pub(super) fn honoured_flushes_lose_nothing_and_ignored_ones_everything_that_a_drive_dropped() {
    let (Some(cache), Some(bench)) = (cache(), Bench::new()) else {
        return;
    };
    let began = Instant::now();
    let study = bench.write("study.toml", STUDY);
    let start = |more: &str| {
        let words = format!("pull-plug --cuts 1 --survive dropped --seed 1{more}");
        let mut command = bench.stored(&words);
        command.arg(&study).env("STRIPEWISE_LAB_CACHE", cache);
        bench.start(command)
    };
    let mut child = start("");
    if !until_a_cut(&bench, &mut child) {
        let done = bench.wait(child);
        assert!(
            done.stderr.contains("KVM on this machine failed"),
            "{}",
            done.transcript()
        );
        skip(
            "a power cut with KVM",
            "KVM of this machine stops the guest; cut without it",
        );
        std::fs::remove_dir_all(bench.store_path().parent().unwrap()).unwrap();
        child = start(" --clock wall");
        assert!(until_a_cut(&bench, &mut child), "the command ended");
    }
    send(number(&child), Signal::KILL);
    child.wait().unwrap();
    until_in_guest("the end of QEMU", || {
        guests(&bench).is_empty().then_some(())
    });
    bench.assert_clean();

    let mut command = bench.stored("resume 2");
    command.env("STRIPEWISE_LAB_CACHE", cache);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    bench.assert_clean();
    let run = bench.stored_run(2);
    assert_eq!(run.summary.state, RunState::Done);
    assert_eq!(run.samples.len(), 2);

    for cut in cuts(&run, Flush::Honoured) {
        assert_eq!(cut.lost_data(), Some(false), "{cut:?}");
        assert!(cut.acknowledged > 0);
    }
    for cut in cuts(&run, Flush::Ignored) {
        match &cut.outcome {
            Outcome::CameBack(loss) => assert_eq!(loss.records, cut.acknowledged, "{cut:?}"),
            Outcome::Unusable(_) => {}
            Outcome::Unknown { reason } => panic!("{reason}"),
        }
    }
    // The prediction of the same cells.
    let predicted = bench.stored_run(1);
    assert!(predicted.summary.origin.is(WorldName::Model));
    assert!(
        predicted
            .samples
            .iter()
            .all(|record| record.sample.risk.is_some())
    );
    say(&format!(
        "lab: 2 cuts, killed and resumed, in {:?}",
        began.elapsed()
    ));
}

#[test]
fn what_cannot_be_cut_is_refused_before_anything_is_started() {
    let Some(bench) = Bench::new() else {
        return;
    };
    let reads = STUDY
        .replace("randwrite", "randread")
        .replace("fdatasync = 1\n", "");
    let study = bench.write("reads.toml", &reads);
    let Some(cache) = cache() else {
        return;
    };
    let mut command = bench.stored("pull-plug");
    command.arg(study).env("STRIPEWISE_LAB_CACHE", cache);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr.contains("only writes can be lost"),
        "{}",
        done.transcript()
    );
    // No run was begun, not even of the model.
    assert!(!bench.store_path().exists() || bench.store().runs().unwrap().is_empty());

    let study = bench.write("study.toml", STUDY);
    let mut command = bench.stored("pull-plug --world model --cuts 3");
    command.arg(study);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr.contains("`--cuts` has no effect"),
        "{}",
        done.transcript()
    );
}
