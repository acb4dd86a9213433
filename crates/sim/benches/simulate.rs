//! Simulated host I/Os per second of CPU time.
//!
//! `cargo bench -p stripewise-sim --bench simulate`; each case names its goal in millions per
//! second.

#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]

mod harness;

use stripewise_profiles::Profiles;
use stripewise_profiles::device::Model;
use stripewise_profiles::device::calibrated::LoadPoint;
use stripewise_sim::engine::{Setup, Simulation};
use stripewise_study::plan::Study;
use stripewise_units::kernel::KernelVersion;

/// The host I/Os of one measurement.
const IOS: u32 = 200_000;

/// Name, stack, workload; the goal in millions of host I/Os per second is in the name.
const CASES: [(&str, &str, &str); 8] = [
    (
        "one SSD, 4K random reads, depth 1 (goal 8)",
        "devices = { sata-ssd = 1 }",
        r#"pattern = "randread""#,
    ),
    (
        "one SSD, 4K random reads, depth 32 (goal 8)",
        "devices = { sata-ssd = 1 }",
        r#"pattern = "randread"
           depth = 32"#,
    ),
    (
        "one SSD measured under load, 4K random reads, depth 1 (goal 8)",
        "devices = { loaded-ssd = 1 }",
        r#"pattern = "randread""#,
    ),
    (
        "one SSD measured under load, 4K random reads, depth 32 (goal 8)",
        "devices = { loaded-ssd = 1 }",
        r#"pattern = "randread"
           depth = 32"#,
    ),
    (
        "RAID 10 of four, 64K random reads on 32K chunks, depth 1 (goal 4)",
        r#"devices = { sata-ssd = 4 }
           array = { level = "raid10", layout = "n2", chunk = "32K" }"#,
        r#"pattern = "randread"
           block_size = "64K""#,
    ),
    (
        "RAID 10 of four, 64K random reads on 32K chunks, depth 32 (goal 4)",
        r#"devices = { sata-ssd = 4 }
           array = { level = "raid10", layout = "n2", chunk = "32K" }"#,
        r#"pattern = "randread"
           block_size = "64K"
           depth = 32"#,
    ),
    (
        "RAID 5 of four, 4K random writes, depth 1 (goal 1.5)",
        r#"devices = { sata-ssd = 4 }
           array = { level = "raid5", chunk = "64K" }"#,
        r#"pattern = "randwrite""#,
    ),
    (
        "RAID 5 of four, 4K random writes, depth 32 (goal 1.5)",
        r#"devices = { sata-ssd = 4 }
           array = { level = "raid5", chunk = "64K" }"#,
        r#"pattern = "randwrite"
           depth = 32"#,
    ),
];

fn study(stack: &str, workload: &str) -> Study {
    let text = format!("[stack.one]\n{stack}\n[workload]\nsize = \"8G\"\n{workload}\n");
    stripewise_fixtures::study(&text)
}

fn build(study: &Study, profiles: &Profiles) -> Simulation {
    let cell = &study.cells[0];
    let setup = Setup {
        stack: &cell.stack,
        workload: &cell.workload,
        conditions: &cell.conditions,
        devices: profiles.devices_of(&cell.stack).expect("shipped"),
        host: profiles.host(None).expect("shipped"),
        kernel: KernelVersion::new(6, 1, 0),
        failed: Vec::new(),
        rebuilding: false,
        seed: 1,
        replay: None,
    };
    setup.build().expect("a stack")
}

/// Returns the shipped profiles, and `loaded-ssd`: `sata-ssd` with a rate that depends on the
/// requests in flight.
fn profiles() -> Profiles {
    let mut profiles = Profiles::shipped();
    let mut ssd = profiles.device("sata-ssd").expect("shipped").clone();
    let Model::Calibrated(model) = &mut ssd.model else {
        panic!("sata-ssd is calibrated");
    };
    let points = [(2, 1.9), (4, 3.6), (8, 6.4), (16, 8.8), (32, 9.6)];
    model.read.under_load = points
        .into_iter()
        .map(|(in_flight, gain)| LoadPoint {
            in_flight,
            gain,
            p99_over_p50: None,
            p50_over_mean: None,
        })
        .collect();
    profiles.devices.insert("loaded-ssd".to_owned(), ssd);
    profiles
}

fn main() {
    let profiles = &profiles();
    for (name, stack, workload) in CASES {
        let study = study(stack, workload);
        let took = harness::measure(
            name,
            10,
            || build(&study, profiles),
            |mut simulation| {
                simulation.run_ios(u64::from(IOS));
                simulation.host_ios()
            },
        );
        if let Some(took) = took {
            let millions = f64::from(IOS) / 1e6 / took.as_secs_f64();
            println!("  {millions:.2} million host I/Os per second");
        }
    }
}
