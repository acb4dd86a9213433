//! A published table of ZFS pools, against the model.
//!
//! Guards against changes of the ZFS layer that nobody compares with a measurement. Nothing is fitted
//! to the table: `studies/zfs-scaling.toml` has a class as its disk, and the default host.
//!
//! The table is of calomel.org, "ZFS Raidz Performance, Capacity and Integrity", as quoted in
//! <https://gist.github.com/duongkai/593d41cafd4f49bf5b0229665b6e2b5f>: bonnie++ on pools of SSDs of
//! 256 GB, sequential writes and reads in MB/s. Disks, host, version of ZFS and its settings are not
//! in the quotation, so each pool is compared by how many times as fast as one disk it is.

use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect_file;
use stripewise_profiles::Profiles;
use stripewise_sim::world::Model;
use stripewise_study::sample::as_f64;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

use crate::mean_and_most;

/// The stacks of the study, with the published MB/s of writes and reads.
const PUBLISHED: [(&str, f64, f64); 11] = [
    ("one", 441.0, 506.0),
    ("stripe-2", 933.0, 1020.0),
    ("mirror-2", 430.0, 990.0),
    ("raidz1-3", 751.0, 1427.0),
    ("raidz2-4", 565.0, 1925.0),
    ("raidz1-5", 817.0, 1881.0),
    ("raidz3-5", 424.0, 1209.0),
    ("raidz2-6", 721.0, 1754.0),
    ("raidz3-7", 591.0, 1713.0),
    ("raidz1-9", 868.0, 1978.0),
    ("raidz2-10", 806.0, 1730.0),
];

#[test]
fn pools_of_a_published_table_are_compared_by_their_ratio_to_one_disk() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/zfs-scaling.toml");
    let text = std::fs::read_to_string(path).expect("a shipped study");
    let study = stripewise_fixtures::study(&text);
    let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0));
    let rate = |stack: &str, load: &str| {
        let mut cells = study.cells.iter();
        let cell = cells
            .find(|cell| cell.stack.name == stack && cell.workload.name.as_deref() == Some(load));
        let cell = cell.expect("the study has it");
        let sample = model.simulate(cell, 1, &mut NeverCancel);
        let sample = sample.expect("the model can simulate it");
        as_f64(sample.bytes().as_u64()) / sample.elapsed_ns.as_secs_f64() / 1e6
    };
    let one = [rate("one", "write"), rate("one", "read")];
    let (_, one_write, one_read) = PUBLISHED[0];
    let mut table =
        String::from("times one disk  write: table model error  read: table model error\n");
    let mut errors = [Vec::new(), Vec::new()];
    for (stack, write, read) in PUBLISHED.iter().skip(1) {
        write!(table, "{stack:14}").expect("a string");
        for (side, (load, published)) in [("write", write / one_write), ("read", read / one_read)]
            .into_iter()
            .enumerate()
        {
            let simulated = rate(stack, load) / one[side];
            let error = simulated / published - 1.0;
            errors[side].push(error);
            let percent = error * 100.0;
            write!(table, "  {published:12.2} {simulated:5.2} {percent:+4.0}%").expect("a string");
        }
        table.push('\n');
    }
    for (load, errors) in ["write", "read"].into_iter().zip(errors) {
        let (mean, most) = mean_and_most(errors);
        writeln!(table, "{load}: {mean:.0} % on average, {most:.0} % at most").expect("a string");
    }
    expect_file!["../golden/zfs-scaling.txt"].assert_eq(&table);
}
