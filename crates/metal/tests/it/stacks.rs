//! A sample on a block device counts the requested I/O, and nothing else.
//!
//! The failure: the I/O counts of two worlds differed by two. One of them had counted its own
//! layout of the device, and a cache's writeback.

use std::collections::BTreeMap;
use std::sync::Arc;

use stripewise_fio::Fio;
use stripewise_metal::StacksWorld;
use stripewise_study::world::{
    NeverCancel, Prepared, Replay, ReplayedAction, ReplayedIo, SampleRequest, World,
};
use stripewise_units::{Bytes, Nanos};

use stripewise_fixtures::{Remembered, loops, skip_unless_all};

fn io(write: bool, offset_kib: u64, length_kib: u64) -> ReplayedIo {
    let action = match write {
        true => ReplayedAction::Write,
        false => ReplayedAction::Read,
    };
    let (offset, length) = (offset_kib << 10, length_kib << 10);
    ReplayedIo::new(action, Bytes::new(offset), Bytes::new(length))
}

#[test]
fn a_replay_on_a_block_device_counts_every_request_exactly() {
    const WHAT: &str = "a replay on a block device";
    if !loops::has_loops(WHAT) || !loops::has("blkid", WHAT) {
        return;
    }
    if let Err(error) = Fio::find() {
        return skip_unless_all(WHAT, &error.to_string());
    }
    let device = loops::Loop::new(64);
    let study = format!(
        r#"
[may_destroy]
"disk" = [{:?}]
[stack.it]
devices = {{ "disk" = 1 }}
[workload]
pattern = "randrw"
mix = "50/50"
block_size = "4K"
size = "8M"
jobs = 2
"#,
        device.name()
    );
    let study = stripewise_fixtures::study(&study);
    let cell = &study.cells[0];
    let mut world = StacksWorld::on_devices(study.may_destroy.clone()).unwrap();
    let mut journal = Remembered::default();
    world.check(&study.cells).unwrap();
    assert_eq!(journal.0, [], "the check changes nothing");
    let prepared = world.prepare(cell, &mut journal, &mut NeverCancel).unwrap();
    assert_eq!(prepared, Prepared::Made);
    let prepared = world.prepare(cell, &mut journal, &mut NeverCancel).unwrap();
    assert_eq!(prepared, Prepared::AlreadyThere);
    // The second job reads from the part of the first: offsets in a replay are those of the device.
    let jobs = vec![
        vec![io(false, 0, 4), io(true, 64, 16), io(true, 8192, 4)],
        vec![io(false, 16, 8), io(false, 1024, 64)],
    ];
    let request = SampleRequest {
        seed: 1,
        duration: Nanos::from_millis(1000),
        replay: Some(Arc::new(Replay {
            jobs,
            ..Replay::default()
        })),
    };
    let sample = world.measure(cell, request, &mut NeverCancel).unwrap();
    let name = device.name().strip_prefix("/dev/").unwrap();
    let counted: BTreeMap<&str, _> = sample
        .devices
        .iter()
        .map(|delta| {
            let kib = |bytes: Bytes| bytes.as_u64() >> 10;
            let reads = (delta.reads, kib(delta.read_bytes));
            (
                delta.device.as_str(),
                (reads, delta.writes, kib(delta.write_bytes)),
            )
        })
        .collect();
    assert_eq!(counted, BTreeMap::from([(name, ((3, 76), 2, 20))]));
    world.restore(&mut journal).unwrap();
    assert_eq!(journal.0, [], "all changes must be undone");
    assert_eq!(loops::run("wipefs", &["--no-act", device.name()]), "");
}
