//! Trees that try to confuse, exhaust or block the reader.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;
use rustix::fs::{CWD, Mode};
use stripewise_machine::{
    DeviceCounters, HostState, ProcessIo, arrays_on_target_disks, busiest_other_process, facts,
    target, target_problem, target_warnings,
};
use stripewise_study::facts::Facts;
use stripewise_study::warning::Direction;

use crate::fixture::{Block, Fixture};

/// Calls every function of the crate; they must not panic.
fn read_everything(fixture: &Fixture) -> Facts {
    let root = fixture.root();
    let facts = facts(&root, Some(Path::new("/srv")));
    target_problem(&root, Path::new("/srv"));
    target_warnings(&facts);
    let names: Vec<String> = facts
        .devices
        .iter()
        .map(|device| device.name.clone())
        .collect();
    let counters = DeviceCounters::read(&root, &names);
    counters.delta(&counters);
    let state = HostState::read(&root, &arrays_on_target_disks(&facts));
    state.compare(&state);
    let processes = ProcessIo::read(&root);
    busiest_other_process(
        &root,
        &ProcessIo::default(),
        &processes,
        &BTreeSet::new(),
        Direction::Write,
    );
    facts
}

fn virtual_block<'a>(name: &'a str, number: &'a str, members: &'a [&'a str]) -> Block<'a> {
    Block {
        parent: "/sys/devices/virtual/block",
        name,
        number,
        sectors: 8,
        files: &[],
        members,
    }
}

#[test]
fn a_cycle_of_devices_ends_the_walk() {
    let fixture = Fixture::new();
    let (dm0, dm1) = (
        "/sys/devices/virtual/block/dm-0",
        "/sys/devices/virtual/block/dm-1",
    );
    fixture.block(&virtual_block("dm-0", "253:0", &[dm1, dm0]));
    fixture.block(&virtual_block("dm-1", "253:1", &[dm0]));
    fixture
        .folder("/srv")
        .mounts(&["1 0 253:0 / / rw - ext4 /dev/dm-0 rw"]);
    assert_eq!(
        target(&fixture.root(), Path::new("/srv")).unwrap().disks,
        [""; 0]
    );
    read_everything(&fixture);
}

#[test]
fn a_loop_device_on_itself_ends_the_walk() {
    let fixture = Fixture::new();
    fixture.block(&Block {
        files: &[("loop/backing_file", "/srv/image")],
        ..virtual_block("loop0", "7:0", &[])
    });
    fixture
        .folder("/srv")
        .mounts(&["1 0 7:0 / / rw - ext4 /dev/loop0 rw"]);
    assert_eq!(
        target(&fixture.root(), Path::new("/srv")).unwrap().disks,
        [""; 0]
    );
    read_everything(&fixture);
}

#[test]
fn each_device_of_many_layers_is_visited_once() {
    let fixture = Fixture::new();
    let name = |layer: usize, index: usize| format!("dm-{}", layer * 4 + index);
    let folder = |name: &String| format!("/sys/devices/virtual/block/{name}");
    for layer in 0..20 {
        let below: Vec<String> = (0..4)
            .map(|index| folder(&name(layer + 1, index)))
            .collect();
        let below: Vec<&str> = below.iter().map(String::as_str).collect();
        for index in 0..4 {
            let number = format!("253:{}", layer * 4 + index);
            let members = if layer < 19 { &below[..] } else { &[] };
            fixture.block(&virtual_block(&name(layer, index), &number, members));
        }
    }
    fixture
        .folder("/srv")
        .mounts(&["1 0 253:0 / / rw - ext4 /dev/dm-0 rw"]);
    let facts = read_everything(&fixture);
    assert_eq!(
        facts.target.expect("a target was named").disks,
        ["dm-76", "dm-77", "dm-78", "dm-79"]
    );
}

#[test]
fn a_pipe_in_place_of_a_file_does_not_block() {
    let fixture = Fixture::new();
    fixture.folder("/proc/sys/kernel");
    let pipe = fixture.real("/proc/sys/kernel/osrelease");
    rustix::fs::mkfifoat(CWD, pipe, Mode::RUSR | Mode::WUSR).expect("a pipe");
    assert_eq!(read_everything(&fixture).kernel, None);
}

#[test]
fn links_out_of_the_tree_stay_in_it() {
    let fixture = Fixture::new();
    fixture
        .folder("/proc/sys/kernel")
        .folder("/etc")
        .folder("/sys/block");
    let link = |target: &str, path: &str| symlink(target, fixture.real(path)).expect("a link");
    link("/proc/sys/kernel/ostype", "/proc/sys/kernel/osrelease");
    link(
        "../../../../../../../../../../../../proc/meminfo",
        "/etc/os-release",
    );
    link("/proc/self", "/sys/block/sda");
    let facts = read_everything(&fixture);
    assert_eq!((facts.kernel, facts.os), (None, None));
    fixture.file("/proc/sys/kernel/ostype", "inside");
    assert_eq!(read_everything(&fixture).kernel.as_deref(), Some("inside"));
}

#[test]
fn control_characters_are_removed_and_large_files_are_not_read() {
    let fixture = Fixture::new();
    fixture.file(
        "/proc/sys/kernel/osrelease",
        b"6.1\x1b[31m\x07 evil\xff\xe2\x80\xaetxt\n second\tline",
    );
    fixture.file(
        "/etc/os-release",
        format!("PRETTY_NAME=\"{}\"\n", "x".repeat(1 << 21)),
    );
    let meminfo = File::create(fixture.real("/proc/meminfo")).expect("a file");
    meminfo.set_len(1 << 40).expect("a sparse file");
    let facts = read_everything(&fixture);
    assert_eq!(
        facts.kernel.as_deref(),
        Some("6.1[31m evil\u{fffd}txt second line")
    );
    assert!(facts.os.is_none_or(|name| name.len() <= 512));
    assert_eq!(facts.memory_bytes, None);
}

/// Files whose content affects control flow.
const FILES: [&str; 20] = [
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/self/mountinfo",
    "/proc/7/io",
    "/proc/7/stat",
    "/etc/os-release",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq",
    "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
    "/sys/block/md0/md/chunk_size",
    "/sys/block/md0/md/level",
    "/sys/block/md0/md/raid_disks",
    "/sys/block/md0/md/metadata_version",
    "/sys/block/md0/size",
    "/sys/block/md0/stat",
    "/sys/block/md0/queue/scheduler",
    "/sys/block/md0/queue/max_sectors_kb",
    "/sys/block/md0/device/vpd_pg89",
    "/sys/block/md0/loop/backing_file",
];

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..64),
        "(18446744073709551615|-1|0|99999999999999999999)( [0-9]{1,20}){0,17}".prop_map(Vec::from),
        "(processor|CPU part|flags|MemTotal|read_bytes|PRETTY_NAME)[:= ]{1,3}\\PC{0,9}"
            .prop_map(Vec::from),
        "[0-9]{1,3} \\([ )(a-z]{0,5}\\)? S [0-9]{1,3} 1".prop_map(Vec::from),
        // A page 0x89 that may end too early.
        (0_usize..600).prop_map(|length| {
            let mut page = vec![b'A'; length];
            for (index, value) in [(1, 0x89), (56, 0xec)] {
                if let Some(byte) = page.get_mut(index) {
                    *byte = value;
                }
            }
            page
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_content_of_any_file_is_read_without_panic(
        contents in proptest::collection::vec(content(), FILES.len()),
    ) {
        let fixture = Fixture::new();
        fixture.folder("/srv");
        for (path, content) in FILES.iter().zip(&contents) {
            fixture.file(path, content);
        }
        read_everything(&fixture);
    }
}
