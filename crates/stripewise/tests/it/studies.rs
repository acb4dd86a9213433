//! The shipped studies and their pages. The failure: a page named an option that was gone, and the
//! reader's first command ended with an error.
//!
//! `terminal.rs` runs a brief form of each study; here each is planned as it stands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use stripewise_format::parse;
use stripewise_profiles::Profiles;
use stripewise_profiles::profile_file::device_from_toml;
use stripewise_sim::world::Model;
use stripewise_study::world::World as _;
use stripewise_units::kernel::KernelVersion;

use crate::support::{Bench, repository, with};

/// Returns the files of a folder with this ending, by name.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(repository().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    paths.sort();
    paths
}

/// Returns the shipped profiles, those beside the studies, and one for the disk of the demo.
fn profiles() -> Profiles {
    let mut profiles = Profiles::shipped();
    let mut disk = profiles.device("samsung-850-evo-500").unwrap().clone();
    disk.name = "this-disk".to_owned();
    profiles.devices.insert(disk.name.clone(), disk);
    let folders = ["studies/devices", "studies/lab/devices"];
    for path in folders.iter().flat_map(|folder| files(folder, "toml")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let profile = device_from_toml(name, &fs::read_to_string(&path).unwrap()).unwrap();
        profiles.devices.insert(profile.name.clone(), profile);
    }
    profiles
}

/// The slowed SSDs of the lab: what each is a slower copy of, and how many times as slow.
const SLOWED: [(&str, &str, u64); 2] = [
    ("slow-nvme", "cell-nvme", 256),
    ("slow-sata", "cell-sata", 32),
];

#[test]
fn slowed_disks_are_the_others_with_longer_times_alone() {
    let profiles = profiles();
    for (slow, fast, times) in SLOWED {
        let slow = profiles.device(slow).unwrap();
        let mut expected = profiles.device(fast).unwrap().clone();
        expected.name.clone_from(&slow.name);
        expected.description.clone_from(&slow.description);
        expected.source.clone_from(&slow.source);
        let stripewise_profiles::device::Model::Calibrated(disk) = &mut expected.model else {
            panic!("{fast} is calibrated")
        };
        disk.link.command_ns *= times;
        for rate in [
            &mut disk.link.read_bytes_per_s,
            &mut disk.link.write_bytes_per_s,
        ] {
            *rate = (*rate + times / 2) / times;
        }
        for service in [&mut disk.read, &mut disk.write] {
            service
                .random
                .iter_mut()
                .for_each(|point| point.time_ns *= times);
        }
        disk.cache.flush_ns *= times;
        assert_eq!(slow, &expected);
    }
}

/// Stacks of studies that only `pull-plug` takes, and which the model refuses by name.
pub(crate) const NOT_SIMULATED: [(&str, &str); 1] = [("write-hole.toml", "raid5-ppl")];

/// Replays a trace, which only the program reads: `traces.rs` runs it in the model.
const REPLAYS: &str = "trace.toml";

#[test]
fn the_model_can_simulate_every_cell_of_every_study_but_the_named_ones() {
    let mut refused = Vec::new();
    let profiles = profiles();
    // Those for the lab are compared with the model.
    for path in [files("studies", "toml"), files("studies/lab", "toml")].concat() {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name == REPLAYS {
            continue;
        }
        let study = parse(name, &text).unwrap_or_else(|error| panic!("{error}"));
        let mut cells = study.cells;
        // An existing filesystem is the machine's own.
        cells.retain(|cell| !cell.stack.devices.is_empty());
        // What throttled writes cost is a question to the lab.
        cells.retain(|cell| cell.conditions.wbt_lat_us.unwrap_or(0) == 0);
        let mut model = Model::new(
            profiles.clone(),
            study.kernel.unwrap_or(KernelVersion::new(6, 12, 0)),
        );
        model.host = study.host;
        let (not_simulated, cells): (Vec<_>, Vec<_>) = cells
            .into_iter()
            .partition(|cell| NOT_SIMULATED.contains(&(name, cell.stack.name.as_str())));
        let checked = model.check(&cells);
        assert!(checked.is_ok(), "{name}: {checked:?}");
        for cell in not_simulated {
            let stack = cell.stack.name.clone();
            assert!(model.check(&[cell]).is_err(), "{name}: {stack}");
            refused.push((name.to_owned(), stack));
        }
    }
    let listed = NOT_SIMULATED.map(|(study, stack)| (study.to_owned(), stack.to_owned()));
    assert_eq!(refused, listed);
}

/// Returns the commands of a page: the lines of its blocks that begin with the program's name, without
/// comments behind them.
fn commands(page: &str) -> Vec<&str> {
    let lines = page.lines().map(|line| line.trim_start_matches("$ "));
    lines
        .filter(|line| line.starts_with("stripewise "))
        .filter_map(|line| line.split("  #").next())
        .collect()
}

#[test]
fn every_page_about_a_study_names_it_and_its_commands_can_be_typed() {
    let Some(bench) = Bench::new() else { return };
    let own = Path::new(env!("CARGO_BIN_EXE_stripewise"));
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", own.parent().unwrap().display());
    let pages = files("docs/studies", "md");
    let index = fs::read_to_string(repository().join("docs/studies/README.md")).unwrap();
    for page in pages.iter().filter(|page| !page.ends_with("README.md")) {
        let name = page.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(page).unwrap();
        let study = format!("studies/{name}.toml");
        assert!(repository().join(&study).exists(), "{study}");
        let run = format!("stripewise run {study} --world model");
        assert!(text.contains(&run), "{name}: no `{run}`");
        assert!(index.contains(&format!("({name}.md)")), "{name}");
        for command in commands(&text) {
            // The help comes after everything before it was understood.
            let mut shell = bench.isolate(Command::new("sh"));
            shell.env("PATH", &path);
            let typed = bench.finish(with(shell, ["-c", &format!("{command} --help")]));
            assert_eq!(typed.code, Some(0), "{command}\n{}", typed.stderr);
        }
    }
}
