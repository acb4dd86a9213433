//! The real machine: checks that hold anywhere.

use std::collections::BTreeSet;
use std::path::Path;

use stripewise_machine::{
    DeviceCounters, HostState, ProcessIo, Root, arrays_on_target_disks, busiest_other_process,
    facts, target_problem, target_warnings,
};
use stripewise_study::warning::Direction;

#[test]
fn this_machine_has_a_kernel_memory_and_a_temporary_directory() {
    let root = Root::live();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let facts = facts(&root, Some(directory.path()));
    assert!(facts.kernel.is_some());
    assert!(facts.memory_bytes.is_some_and(|bytes| bytes.as_u64() > 0));
    assert!(facts.cpu.logical_count.is_some_and(|count| count > 0));
    let target = facts.target.as_ref().expect("a target was named");
    assert!(target.mount_point.is_some());
    assert!(target.filesystem.is_some());
    assert!(target.size_bytes.is_some_and(|bytes| bytes.as_u64() > 0));
    for disk in &target.disks {
        assert!(
            facts.device(disk).is_some(),
            "`{disk}` is not in /sys/block"
        );
    }
    for warning in target_warnings(&facts) {
        assert!(!warning.message().id.is_empty());
    }

    let counters = DeviceCounters::read(&root, &target.disks);
    let deltas = counters.delta(&DeviceCounters::read(&root, &target.disks));
    assert_eq!(deltas.len(), target.disks.len());

    let arrays = arrays_on_target_disks(&facts);
    let state = HostState::read(&root, &arrays);
    assert_eq!(state.clone(), state);
}

#[test]
fn our_own_process_is_excluded() {
    let root = Root::live();
    let before = ProcessIo::default();
    let after = ProcessIo::read(&root);
    let ours = BTreeSet::from([std::process::id()]);
    if let Some(busiest) = busiest_other_process(&root, &before, &after, &ours, Direction::Write) {
        assert_ne!(busiest.pid, std::process::id());
    }
}

#[test]
fn kernel_filesystems_are_no_targets() {
    let root = Root::live();
    for path in ["/proc", "/sys"] {
        assert!(target_problem(&root, Path::new(path)).is_some(), "{path}");
    }
}
