//! The words of mkfs.btrfs and zpool.

use std::num::NonZeroU32;

use stripewise_format::parse;
use stripewise_study::pool::{Compression, Pool, Profile, SyncProperty, UnknownWord, Vdev};
use stripewise_units::Bytes;

fn pool(devices: u32, filesystem: &str) -> Result<Option<Pool>, UnknownWord> {
    let text = format!(
        "[stack.one]\ndevices = {{ \"disk\" = {devices} }}\nfilesystem = {filesystem}\n\
         [workload]\npattern = \"randread\"\nsize = \"1G\"\n"
    );
    let study = parse("pool.toml", &text).unwrap();
    study.cells[0].stack.pool()
}

#[test]
fn words_of_mkfs_btrfs_become_types() {
    let Ok(Some(Pool::Btrfs(made))) = pool(
        4,
        "{ type = \"btrfs\", mkfs = [\"-draid10\", \"--metadata=raid1c3\"], options = [\"compress=zstd:3\"] }",
    ) else {
        panic!("a btrfs");
    };
    assert_eq!(
        (made.data, made.metadata),
        (Profile::Raid10, Profile::Raid1c3)
    );
    assert_eq!(made.compression, Some(Compression::Zstd));
    let Ok(Some(Pool::Btrfs(made))) = pool(1, "\"btrfs\"") else {
        panic!("a btrfs");
    };
    assert_eq!((made.data, made.metadata), (Profile::Single, Profile::Dup));
    let refused = pool(3, "{ type = \"btrfs\", mkfs = [\"-d\", \"raid5\"] }");
    assert_eq!(refused.unwrap_err().to_string(), "`-d raid5` of btrfs");
}

#[test]
fn words_of_zpool_become_types() {
    let Ok(Some(Pool::Zfs(made))) = pool(
        4,
        "{ type = \"zfs\", mkfs = [\"-o\", \"ashift=12\", \"-O\", \"recordsize=16K\", \"-Osync=always\", \"mirror\"], group = 2 }",
    ) else {
        panic!("a pool");
    };
    assert_eq!((made.vdev, made.ashift), (Vdev::Mirror, Some(12)));
    assert_eq!(made.group.map(NonZeroU32::get), Some(2));
    assert_eq!(made.record_bytes, Bytes::new(16 << 10));
    assert_eq!(made.sync, SyncProperty::Always);
    let refused = pool(
        3,
        "{ type = \"zfs\", mkfs = [\"-O\", \"dedup=on\", \"raidz\"] }",
    );
    assert_eq!(refused.unwrap_err().to_string(), "`-O dedup=on` of zfs");
}
