//! Warnings about a measurement before it starts, from the facts alone.

use std::collections::BTreeSet;

use stripewise_study::facts::{DeviceFacts, Facts};
use stripewise_study::warning::Warning;

use crate::arrays::busy_with;
use crate::order::order_key;

/// Returns warnings about busy or degraded arrays on the target's disks.
pub fn target_warnings(facts: &Facts) -> Vec<Warning> {
    let concerned = arrays_on_target_disks(facts);
    let mut warnings = Vec::new();
    for array in facts
        .arrays
        .iter()
        .filter(|array| concerned.contains(&array.name))
    {
        if let Some(action) = busy_with(array.sync_action.as_deref()) {
            warnings.push(Warning::ArrayBusy {
                array: array.name.clone(),
                action: action.to_owned(),
            });
        }
        if let Some(missing_count) = array.degraded_count.filter(|count| *count > 0) {
            warnings.push(Warning::ArrayDegraded {
                array: array.name.clone(),
                missing_count,
            });
        }
    }
    warnings
}

/// Returns the arrays that share a disk with the target, in natural order.
///
/// This includes arrays that are not below the target: a resync of `/boot` on other partitions of
/// the same disks slows them as well. Empty without a target, or if its disks are unknown.
pub fn arrays_on_target_disks(facts: &Facts) -> Vec<String> {
    let Some(target) = &facts.target else {
        return Vec::new();
    };
    let mut names: Vec<String> = facts
        .arrays
        .iter()
        .map(|array| array.name.clone())
        .filter(|name| {
            let mut below = BTreeSet::new();
            collect_below(facts, name, &mut below);
            target
                .disks
                .iter()
                .any(|disk| below.contains(disk.as_str()))
        })
        .collect();
    names.sort_by_key(|name| order_key(name));
    names
}

/// Returns the devices and partitions that the target consists of, down to its disks. Empty without a
/// target.
pub fn devices_below_target(facts: &Facts) -> BTreeSet<&str> {
    let mut below = BTreeSet::new();
    for name in facts.target.iter().flat_map(|target| &target.devices) {
        collect_below(facts, name, &mut below);
    }
    below
}

/// Adds the device or partition `name` and all devices below it; each is visited once.
fn collect_below<'a>(facts: &'a Facts, name: &'a str, below: &mut BTreeSet<&'a str>) {
    let mut pending = vec![name];
    while let Some(name) = pending.pop() {
        if !below.insert(name) {
            continue;
        }
        match facts.device(name) {
            Some(device) => pending.extend(device.members.iter().map(String::as_str)),
            None => pending.extend(disk_of_partition(facts, name).map(|disk| disk.name.as_str())),
        }
    }
}

/// Returns the disk of `sda2` or `nvme0n1p2`: the kernel inserts a `p` if the disk's name ends in a
/// digit (`disk_name` in block/partitions/core.c).
fn disk_of_partition<'a>(facts: &'a Facts, partition: &str) -> Option<&'a DeviceFacts> {
    let stem = partition.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem == partition {
        return None;
    }
    let numbered = stem
        .strip_suffix('p')
        .filter(|disk| disk.ends_with(|c: char| c.is_ascii_digit()));
    facts.device(numbered.unwrap_or(stem))
}
