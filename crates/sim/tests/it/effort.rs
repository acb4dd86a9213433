//! The effort of a simulation is bounded, and a simulation ends when its watch stops it.
//!
//! The failure: an I/O of 1 GiB on 200 disks is 262,144 pieces. With 26 such I/Os, six simulations
//! took a minute and could not be stopped. With 64 of them in flight there were more requests than
//! an event can index.

use std::time::Duration;

use proptest::prelude::*;
use stripewise_fixtures::wants_all;
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_sim::engine::{Ending, Limits};
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::sample::Sample;
use stripewise_study::stack::Level;
use stripewise_study::warning::Warning;
use stripewise_study::workload::Pattern;
use stripewise_study::world::{NeverCancel, SampleRequest, Watch, World as _, WorldError};
use stripewise_units::Nanos;

use crate::support::{Case, GIB, KIB, MIB, flash};

/// A watch that stops the simulation after this many checks.
struct StopAfter(u64);

impl Watch for StopAfter {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        let keeps_going = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        keeps_going
    }
}

fn limits(ios_max: u64) -> Limits {
    Limits {
        ios_max,
        ..Limits::default()
    }
}

fn simulated(case: &Case, ios_max: u64) -> (Ending, Sample) {
    let mut simulation = case.build();
    let ending = simulation.run(&limits(ios_max), &mut NeverCancel);
    (ending, simulation.sample())
}

/// Large I/Os on small chunks: each is 1024 pieces plus the parity.
fn heavy() -> Case {
    let case = Case::array(Level::Raid5, None, 5).chunk(4 * KIB);
    case.pattern(Pattern::Write, 4 * MIB).depth(1, 4)
}

#[test]
fn a_limit_that_is_not_reached_changes_no_bit() {
    let lighter = heavy().pattern(Pattern::Write, 256 * KIB);
    for case in [lighter, Case::single()] {
        let (ending, sample) = simulated(&case, u64::MAX);
        assert_eq!(ending, Ending::Complete);
        assert_eq!(simulated(&case, 1 << 40), (Ending::Complete, sample));
    }
}

#[test]
fn a_simulation_that_reaches_its_limit_warns_and_gives_about_the_same_rate() {
    let (_, whole) = simulated(&heavy(), u64::MAX);
    let (ending, short) = simulated(&heavy(), 200_000);
    assert_eq!(ending, Ending::Bounded);
    assert!((4..whole.write.ios).contains(&short.write.ios), "{short:?}");
    let ios = short.write.ios;
    assert_eq!(short.warnings, [Warning::SimulationCutShort { ios }]);
    assert!(whole.warnings.is_empty());
    let rate =
        |sample: &Sample| sample.write.bytes.as_u64() * 1000 / sample.elapsed_ns.as_u64().max(1);
    let (rate, expected) = (rate(&short), rate(&whole));
    assert!(
        rate.abs_diff(expected) * 10 <= expected,
        "{rate} {expected}"
    );
}

#[test]
fn a_limit_below_one_round_of_the_queues_gives_no_sample() {
    assert_eq!(simulated(&heavy().depth(4, 32), 20_000).0, Ending::TooLarge);
}

#[test]
fn a_simulation_ends_when_its_watch_stops_it() {
    for looks in [0, 1, 5] {
        let mut watch = StopAfter(looks);
        let mut simulation = heavy().build();
        let endless = Limits {
            half_width: -1.0,
            ..Limits::default()
        };
        assert_eq!(simulation.run(&endless, &mut watch), Ending::Interrupted);
        assert!(simulation.host_ios() < 200, "{}", simulation.host_ios());
    }
}

/// The failure: a replay looked at its watch every 8192 events, and one event of an I/O of 1 GiB may
/// send 262,144 bios.
#[test]
fn a_replay_of_long_ios_ends_when_its_watch_stops_it() {
    let mut simulation = heavy().build();
    assert!(!simulation.run_replay(10_000, &mut StopAfter(5)));
    assert!(simulation.host_ios() < 50, "{}", simulation.host_ios());
}

#[test]
fn a_sample_of_the_world_ends_when_its_watch_stops_it() {
    let case = heavy();
    let mut profiles = Profiles::default();
    let device = case.devices[0].clone();
    profiles.devices.insert(device.name.clone(), device);
    profiles
        .hosts
        .insert(HOST_DEFAULT.to_owned(), case.host.clone());
    let mut model = Model {
        limits: Limits {
            half_width: -1.0,
            ..Limits::default()
        },
        ..Model::new(profiles, case.kernel)
    };
    let cell = Cell {
        stack: case.stack,
        workload: case.workload,
        conditions: case.conditions,
    };
    let request = SampleRequest {
        seed: 1,
        duration: Nanos::from_millis(100_000_000),
        replay: None,
    };
    let sample = model.measure(&cell, request, &mut StopAfter(5));
    assert!(matches!(sample, Err(WorldError::Interrupted)), "{sample:?}");
}

/// Returns a study of one cell with these numbers.
fn study(level: &str, [devices, chunk, size, block, jobs, depth, rate]: [u64; 7]) -> String {
    let chunk = match level {
        "raid1" | "linear" => String::new(),
        _ => format!(", chunk = {chunk}"),
    };
    format!(
        "[stack.a]\ndevices = {{ ssd = {devices} }}\narray = {{ level = \"{level}\"{chunk} }}\n\
         [workload]\npattern = \"randrw\"\nengine = \"libaio\"\nsize = {size}\nblock_size = {block}\n\
         jobs = {jobs}\ndepth = {depth}\nrate = {rate}\nfsync = 3\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds()))]

    /// The simulation of every accepted study ends, and neither overflows nor exhausts memory.
    #[test]
    fn every_accepted_study_ends(
        level in prop::sample::select(vec!["linear", "raid0", "raid1", "raid5", "raid6", "raid10"]),
        devices in prop_oneof![4..9_u64, 1..4096_u64],
        chunk in (12..31_u32).prop_map(|bits| 1_u64 << bits),
        block in (9..31_u32).prop_map(|bits| 1_u64 << bits),
        size in (30..51_u32).prop_map(|bits| 1_u64 << bits),
        jobs in prop_oneof![1..5_u64, 1..1025_u64],
        depth in prop_oneof![1..33_u64, 1..32_769_u64],
        rate in (0..51_u32).prop_map(|bits| 1_u64 << bits),
        capacity in (30..56_u32).prop_map(|bits| 1_u64 << bits),
    ) {
        let text = study(level, [devices, chunk, size, block, jobs, depth, rate]);
        let Ok(mut study) = stripewise_format::parse("drawn.toml", &text) else {
            return Ok(());
        };
        let case = Case::single();
        let mut device = case.devices[0].clone();
        device.capacity_bytes = capacity;
        let mut profiles = Profiles::default();
        profiles.devices.insert(device.name.clone(), device);
        profiles.hosts.insert(HOST_DEFAULT.to_owned(), case.host);
        let model = Model {
            limits: limits(20_000),
            ..Model::new(profiles, case.kernel)
        };
        // The model may refuse it, but must do so with an error.
        let _ = model.simulate(&study.cells.remove(0), 1, &mut NeverCancel);
    }
}

/// How many studies are drawn.
fn rounds() -> u32 {
    if wants_all() { 256 } else { 20 }
}

#[test]
fn filling_flash_ends_when_the_watch_stops_it() {
    // Building a thousand once took half a minute.
    let case = Case::array(Level::Raid0, None, 1000).on(1000, &flash());
    let mut simulation = case.build();
    let ending = simulation.run(&limits(u64::MAX), &mut StopAfter(3));
    assert_eq!(ending, Ending::Interrupted);
    assert_eq!(simulation.host_ios(), 0);
}

#[test]
fn more_pages_than_memory_holds_are_refused() {
    let case = Case::array(Level::Raid0, None, 4096).on(4096, &{
        let mut profile = flash();
        if let stripewise_profiles::device::Model::Flash(flash) = &mut profile.model {
            flash.simulated_bytes = 64 * GIB;
        }
        profile
    });
    let text = case.try_build().unwrap_err().to_string();
    assert!(text.contains("page by page"), "{text}");
}

#[test]
fn pieces_count_as_requests_in_flight() {
    let case = Case::array(Level::Raid0, None, 200).chunk(4 * KIB);
    let case = case.pattern(Pattern::Read, GIB).depth(1, 64);
    let text = case.try_build().unwrap_err().to_string();
    assert!(text.contains("16790016 requests"), "{text}");
    assert!(case.depth(1, 8).try_build().is_ok());
    let copies = Case::array(Level::Raid1, None, 200).pattern(Pattern::Write, GIB);
    assert!(copies.clone().depth(1, 64).try_build().is_err());
    assert!(copies.depth(1, 2).try_build().is_ok());
}

#[test]
fn large_ios_on_flash_count_for_their_pages() {
    // Half a million I/Os of 1 MiB were once simulated page by page: 10 s.
    let case = Case::single().on(1, &flash());
    let case = case.pattern(Pattern::Write, MIB).depth(1, 32);
    let mut simulation = case.build();
    let endless = Limits {
        half_width: -1.0,
        ios_max: 50_000,
        ..Limits::default()
    };
    let ending = simulation.run(&endless, &mut NeverCancel);
    assert_eq!(ending, Ending::Bounded);
    // The I/O, the bio, and 16 times 64 KiB.
    let ios = simulation.host_ios();
    assert!((50_000 / 18..50_000 / 17).contains(&ios), "{ios}");
}

#[test]
fn a_simulation_of_a_few_ios_does_not_claim_to_show_the_long_run() {
    let (ending, sample) = simulated(&heavy(), 20_000);
    assert_eq!(ending, Ending::Bounded);
    assert!(sample.write.ios < 16, "{}", sample.write.ios);
    let mut warnings = sample.warnings.iter();
    let is_not_stationary = |warning: &Warning| matches!(warning, Warning::NotStationary { .. });
    assert!(warnings.any(is_not_stationary), "{:?}", sample.warnings);
}
