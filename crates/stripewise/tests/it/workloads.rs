//! The shipped workloads. The failure: a preset expanded to a load that the model refused, or to a
//! job that fio did not know, and nobody noticed until a user took it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use expect_test::expect_file;
use stripewise_fio::{JobFile, JobFiles};
use stripewise_format::parse;
use stripewise_format::preset::{PRESETS, Preset};
use stripewise_profiles::Profiles;
use stripewise_sim::world::Model;
use stripewise_study::plan::Study;
use stripewise_study::world::{SampleRequest, World as _};
use stripewise_units::Nanos;
use stripewise_units::kernel::KernelVersion;

use crate::support::{Bench, at, skip_unless_all, with};

/// Returns a study of every shipped workload, on one SSD and on a RAID 10 of four.
fn study_of_all() -> Study {
    let mut text = "[stack.ssd]\ndevices = { sata-ssd = 1 }\n\
        [stack.raid10]\ndevices = { sata-ssd = 4 }\narray = { level = \"raid10\" }\n"
        .to_owned();
    for Preset { name, .. } in PRESETS {
        text.push_str(&format!("[workload.{name}]\nfrom = \"{name}\"\n"));
    }
    parse("all.toml", &text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_workload_is_in_the_model_and_a_job_that_fio_accepts() {
    let study = study_of_all();
    let kernel = KernelVersion::parse("6.12").unwrap();
    Model::new(Profiles::shipped(), kernel)
        .check(&study.cells)
        .unwrap();
    let mut names: Vec<&str> = study
        .cells
        .iter()
        .filter_map(|cell| cell.workload.name.as_deref())
        .collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, Preset::names());

    let Some(bench) = Bench::new() else { return };
    if let Err(error) = stripewise_fio::Fio::find() {
        return skip_unless_all("everything with a real fio", &error.to_string());
    }
    // One call, because fio needs a tenth of a second to begin.
    let mut fio = Command::new("fio");
    fio.arg("--parse-only").stdin(Stdio::null());
    let cells = study.cells.iter().enumerate();
    for (index, cell) in cells.filter(|(_, cell)| cell.stack.name == "ssd") {
        let request = SampleRequest {
            seed: 1,
            duration: Nanos::from_millis(3000),
            replay: None,
        };
        let files = JobFiles::of(&cell.workload);
        let job = JobFile::measure(&cell.workload, request, &files).unwrap();
        let path = bench.path(&format!("{index}.fio"));
        fs::write(&path, job.text()).unwrap();
        fio.arg(path);
    }
    let done = fio.current_dir(bench.path("")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && said.is_empty(), "{said}");
}

#[test]
fn workloads_are_listed_and_one_is_printed_with_its_source() {
    let Some(bench) = Bench::new() else { return };
    let listed = bench.finish(with(bench.command(), ["workloads"]));
    expect_file!["../golden/workloads.txt"].assert_eq(&listed.transcript());
    let plain = bench.finish(with(bench.command(), ["workloads", "--plain"]));
    for preset in PRESETS {
        assert!(
            plain.stdout.contains(&preset.description()),
            "{}",
            preset.name
        );
    }

    let one = bench.finish(with(bench.command(), ["workloads", "oltp"]));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads/oltp.toml");
    assert_eq!(one.stdout, fs::read_to_string(file).unwrap());
    expect_test::expect![[r#"
        workload `oltp`, shipped as workloads/oltp.toml:
        a study takes it with `from = "oltp"` in `[workload.NAME]`; keys beside it override its own
    "#]]
    .assert_eq(&one.stderr);

    let document = bench.json(with(bench.command(), ["workloads", "oltp", "--json"]));
    assert_eq!(at(&document, "/schema"), 1);
    assert_eq!(at(&document, "/workload/workloads/0/read_percent"), 67);
    let log = at(&document, "/workload/workloads/0/neighbours/0");
    assert_eq!(at(log, "/name"), "oltp-log");
    assert_eq!(at(log, "/fdatasync_every"), 1);
    let all = bench.json(with(bench.command(), ["workloads", "--json"]));
    assert_eq!(
        at(&all, "/workloads").as_array().unwrap().len(),
        PRESETS.len()
    );

    let unknown = bench.finish(with(bench.command(), ["workloads", "otlp"]));
    expect_test::expect![[r#"
        exit 2
        --- stderr
        error: there is no shipped workload `otlp`

        hint: did you mean `oltp`? `stripewise workloads` lists all
    "#]]
    .assert_eq(&unknown.transcript());
}
