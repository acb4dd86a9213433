//! The order in which a study names its devices is the order of the members, at every level.
//!
//! Guards against members sorted by name: a mirror with the SSD first was predicted as one with the
//! hard disk first, 186 reads a second where the real driver reads everything from the SSD (7.3, 6.12
//! and 6.1: all reads at depth 1 are of the first member, whichever it is).

use stripewise_format::parse;
use stripewise_profiles::Profiles;
use stripewise_sim::engine::Limits;
use stripewise_sim::world::Model;
use stripewise_study::sample::{DeviceDelta, Sample, as_f64};
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

const HDD: &str = "hdd-7200";
const SSD: &str = "sata-ssd";

fn answer(devices: &str, array: &str, load: &str) -> Sample {
    let text = format!(
        "[stack.s]\ndevices = {devices}\narray = {{ {array} }}\n\
         [workload]\nblock_size = \"4K\"\ndirect = true\n{load}\n"
    );
    let study = parse("study.toml", &text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let limits = Limits {
        ios_max: 20_000,
        ..Limits::default()
    };
    let model = Model {
        limits,
        ..Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0))
    };
    let sample = model.simulate(&study.cells[0], 1, &mut NeverCancel);
    sample.expect("it can be simulated")
}

/// Returns how long a member was busy for each of its I/Os; nothing if it had none.
fn busy_ns(member: &DeviceDelta) -> Option<f64> {
    let ios = member.reads + member.writes;
    (ios > 0).then(|| as_f64(member.busy_ns.as_u64()) / as_f64(ios))
}

#[test]
fn members_have_the_order_of_the_study_at_every_level() {
    let levels = [
        "level = \"linear\"",
        "level = \"raid0\", chunk = \"64K\"",
        "level = \"raid1\"",
        "level = \"raid10\", layout = \"n2\", chunk = \"64K\"",
        "level = \"raid10\", layout = \"f2\", chunk = \"64K\"",
        "level = \"raid10\", layout = \"o2\", chunk = \"64K\"",
        "level = \"raid4\", chunk = \"64K\"",
        "level = \"raid5\", chunk = \"64K\"",
        "level = \"raid6\", chunk = \"64K\"",
    ];
    for level in levels {
        for slow in 0..4 {
            let mut names = [SSD; 4];
            names[slow] = HDD;
            let load = "pattern = \"randread\"\nsize = \"1G\"\ndepth = 16\nengine = \"libaio\"";
            let sample = answer(&format!("{names:?}"), level, load);
            assert_eq!(sample.devices.len(), 4, "{level}");
            for (place, member) in sample.devices.iter().enumerate() {
                // An SSD serves many I/Os at a time, each within 0.1 ms.
                let Some(busy) = busy_ns(member) else {
                    continue;
                };
                let is_slow = busy > 1e6;
                assert_eq!(
                    is_slow,
                    place == slow,
                    "{level} {names:?} {place}: {busy} ns"
                );
            }
        }
    }
}

#[test]
fn raid1_reads_from_the_first_of_equals_and_raid10_from_the_ssd() {
    let load = "pattern = \"randread\"\nsize = \"1G\"";
    for devices in [
        "[\"sata-ssd\", \"hdd-7200\"]",
        "[\"hdd-7200\", \"sata-ssd\"]",
        "{ sata-ssd = 1, hdd-7200 = 1 }",
        "{ hdd-7200 = 1, sata-ssd = 1 }",
    ] {
        let ssd = usize::from(devices.find("hdd") < devices.find("ssd"));
        // `choose_best_rdev` in raid1.c counts all members, `read_balance` in raid10.c those that do not
        // rotate.
        for (level, reader) in [
            ("level = \"raid1\"", 0),
            ("level = \"raid10\", layout = \"n2\"", ssd),
        ] {
            let sample = answer(devices, level, load);
            assert_eq!(sample.devices[1 - reader].reads, 0, "{level} {devices}");
            let busy = busy_ns(&sample.devices[reader]).expect("it reads");
            assert_eq!(busy < 1e6, reader == ssd, "{level} {devices}: {busy} ns");
        }
    }
}

#[test]
fn linear_members_follow_one_another() {
    let load = "pattern = \"read\"\nsize = \"1G\"";
    let first = |devices: &str| answer(devices, "level = \"linear\"", load);
    for devices in [[SSD, HDD], [HDD, SSD]] {
        let sample = first(&format!("{devices:?}"));
        let reads: Vec<u64> = sample.devices.iter().map(|member| member.reads).collect();
        assert!(reads[0] > 0 && reads[1] == 0, "{devices:?} {reads:?}");
    }
}

#[test]
fn the_last_member_of_a_raid4_holds_the_parity() {
    let load = "pattern = \"randread\"\nsize = \"1G\"\ndepth = 4\nengine = \"libaio\"";
    let array = "level = \"raid4\", chunk = \"64K\"";
    let sample = answer("[\"sata-ssd\", \"sata-ssd\", \"hdd-7200\"]", array, load);
    assert_eq!(sample.devices[2].reads, 0);
    let other = answer("[\"hdd-7200\", \"sata-ssd\", \"sata-ssd\"]", array, load);
    assert_eq!(other.devices[2].reads, 0);
    let rate = |sample: &Sample| as_f64(sample.bytes().as_u64()) / sample.elapsed_ns.as_secs_f64();
    assert!(rate(&sample) > 10.0 * rate(&other));
}
