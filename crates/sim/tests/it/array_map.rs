//! Guards against a map whose serving members differ from the members that the simulation reads.

use crate::support::*;
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::kernel::policy;
use stripewise_sim::array::map::{ArrayMap, MapMember};
use stripewise_sim::units::Sectors;
use stripewise_study::stack::Level;
use stripewise_study::workload::Pattern;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

const CHUNK: u64 = 32 * KIB;

/// Returns how many of `chunks` chunks each member serves according to the map.
fn served_by_map(case: &Case, chunks: u64) -> Vec<u64> {
    let member = |profile: &DeviceProfile| MapMember {
        size: Sectors::from_bytes(Bytes::new(profile.capacity_bytes)),
        is_rotational: profile.rotational,
    };
    let members: Vec<MapMember> = case.devices.iter().map(member).collect();
    let failed: Vec<usize> = case.failed.iter().map(|member| member.index()).collect();
    let array = case.stack.array.as_ref().unwrap();
    let map = ArrayMap::new(array, &members, &policy(case.kernel), &failed).unwrap();
    let pattern = usize::try_from(map.pattern_chunks.unwrap()).unwrap();
    assert_eq!(chunks % map.pattern_chunks.unwrap(), 0, "whole patterns");
    let mut served = vec![0; map.members];
    for chunk in &map.chunks[..pattern] {
        served[chunk.served_by.unwrap()] += chunks / map.pattern_chunks.unwrap();
    }
    served
}

#[test]
fn a_sequential_reader_is_served_as_the_map_says() {
    let chunks = 360;
    for (level, layout, members) in [
        (Level::Raid0, None, 3),
        (Level::Raid1, None, 3),
        (Level::Raid5, Some("left-symmetric"), 4),
        (Level::Raid6, Some("left-symmetric"), 5),
        (Level::Raid10, Some("n2"), 3),
        (Level::Raid10, Some("n2"), 4),
        (Level::Raid10, Some("n3"), 5),
        (Level::Raid10, Some("f2"), 4),
        (Level::Raid10, Some("f3"), 5),
        (Level::Raid10, Some("o2"), 4),
    ] {
        for profile in [ssd(), disk()] {
            for kernel in ["3.10", "4.1", "5.2", "6.1", "6.12"] {
                for failed in [None, Some(0), Some(2)] {
                    let mut case = Case::array(level, layout, members)
                        .on(members, &profile)
                        .pattern(Pattern::Read, CHUNK)
                        .size(chunks * CHUNK);
                    case.kernel = KernelVersion::parse(kernel).unwrap();
                    if matches!(level, Level::Raid1 | Level::Raid10) {
                        case = failed.into_iter().fold(case, Case::fail);
                    }
                    let read = each(&case.run(chunks), |device| device.reads);
                    assert_eq!(
                        read,
                        served_by_map(&case, chunks),
                        "{level} {layout:?} {members} {} {kernel} {failed:?}",
                        profile.name
                    );
                }
            }
        }
    }
}
