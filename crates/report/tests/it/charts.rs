//! Which figures a page has, and what stands for others of its kind.

use stripewise_catalogue::Words;
use stripewise_diagnose::why::{Finding, ReadRule};
use stripewise_fixtures::{cells, record};
use stripewise_fixtures_runs::{asked_of, run_of};
use stripewise_profiles::kernel::Raid1ReadBalance;
use stripewise_report::page::{Input, Page};
use stripewise_study::warning::{Direction, Warning};
use stripewise_study::world::NeverCancel;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

use crate::page::model;

const STUDY: &str = "[stack.one]\ndevices = { sata-ssd = 2 }\narray = { level = \"raid1\" }\n\
                     [workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"64M\"\n";

/// A run beside a build had ten warnings, one for each program that was busy in a sample.
#[test]
fn another_busy_program_is_no_other_kind_of_warning() {
    let of = |direction, process: Option<&str>| Warning::MoreBytesAtDevice {
        direction,
        asked_bytes: Bytes::new(0),
        device_bytes: Bytes::new(7 << 20),
        process: process.map(str::to_owned),
    };
    let kind = of(Direction::Write, Some("dd (pid 1)")).kind();
    assert_eq!(kind, of(Direction::Write, Some("cargo (pid 2)")).kind());
    assert_eq!(kind, of(Direction::Write, None).kind());
    assert_ne!(kind, of(Direction::Read, Some("dd (pid 1)")).kind());
}

/// "11 of 16 (70 %)": 11 of 16 are 69 %.
#[test]
fn a_count_out_of_sixteen_is_its_percentage() {
    let cell = &cells(STUDY)[0];
    let said = |share| {
        let finding = Finding::ReadsFavour {
            members: vec!["disk0".to_owned()],
            share,
            even_share: 0.25,
            rule: ReadRule::Raid1(Raid1ReadBalance::FirstIdle),
        };
        finding
            .sentence(cell, KernelVersion::new(6, 12, 0))
            .in_english()
    };
    assert!(
        said(0.7).contains("70 %") && !said(0.7).contains("of 16"),
        "{}",
        said(0.7)
    );
    assert!(said(0.6875).contains("11 of 16 (69 %)"), "{}", said(0.6875));
}

/// Returns the views of a page about these loads on one SSD that name axes or demand.
fn charts_of(loads: &str) -> Vec<String> {
    let study = format!("[stack.one]\ndevices = {{ sata-ssd = 1 }}\n{loads}");
    let model = model();
    let cells = cells(&study);
    let samples = cells.iter().enumerate().map(|(cell, asked)| {
        let sample = model.simulate(asked, 0, &mut NeverCancel).unwrap();
        record(cell, 0, sample)
    });
    let run = run_of(1, "loads", &study, samples.collect());
    let asked = asked_of(&run);
    let input = Input {
        run: &run,
        asked: &asked,
        model: None,
        fresh: None,
        store_option: "",
    };
    let page = serde_json::to_value(Page::new(&[input]).unwrap()).unwrap();
    let views = page["views"].as_array().unwrap().iter();
    let shown = views.map(|view| {
        let axes = [&view["x"], &view["panel"], &view["series"], &view["rows"]];
        let axes: Vec<String> = axes.iter().map(|axis| axis.to_string()).collect();
        format!("{} {}", view["kind"].as_str().unwrap(), axes.join(" "))
    });
    let of_axes = ["curve", "bars", "heat_map", "under_load"];
    let is_chart = |shown: &String| of_axes.iter().any(|kind| shown.starts_with(kind));
    shown.filter(is_chart).collect()
}

/// Two named loads made a curve with a lone point in each of two panels, a heat map of two fields, and a line
/// of latency under load from one load to the other.
#[test]
fn unrelated_loads_are_bars() {
    let load = |name: &str, keys: &str| format!("[workload.{name}]\nsize = \"64M\"\n{keys}\n");
    let random = "pattern = \"randread\"\nblock_size = \"4K\"";
    let two = load("small", &format!("{random}\ndepth = 4"))
        + &load("scan", "pattern = \"read\"\nblock_size = \"64K\"");
    assert_eq!(charts_of(&two), ["bars null null [\"workload\"] null"]);
    // Loads that differ in their depth alone are a curve.
    let depths = load("few", random) + &load("many", &format!("{random}\ndepth = 4"));
    let kinds = charts_of(&depths);
    let is_of = |kind: &str| kinds.iter().any(|shown| shown.starts_with(kind));
    assert!(is_of("curve \"depth\"") && is_of("under_load"), "{kinds:?}");
}
