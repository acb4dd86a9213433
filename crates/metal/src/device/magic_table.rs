//! The magic numbers of on-disk formats and the places where each format keeps them.
//!
//! The kinds have the names that util-linux prints. If util-linux knows a format, the number is the
//! one that `wipefs --all` overwrites: a device emptied that way is empty for us too. Each group
//! cites the source of its numbers: `linux` is the kernel's source, `libblkid` is util-linux 2.38,
//! `libblkid/src/superblocks`.
//!
//! A place depends on nothing but the size of the device. Backup copies at places that depend on
//! the geometry in the first superblock are not listed: ext2, ext3 and ext4 groups, XFS allocation
//! groups. They survive `wipefs` on every device that once had such a filesystem. Numbers shorter
//! than 4 bytes are listed only together with other fixed bytes.

use Extra::{BootFlags, Bytes, None as Alone};
use Identity::{Nothing, Text, Text16, Uuid, UuidText, UuidWords, ZfsName};
use MagicOffset::{Aligned, End, Start, ZfsUberblocks};

/// Where a format stores a magic number.
#[derive(Debug, Clone, Copy)]
pub(super) enum MagicOffset {
    /// At this byte of the device.
    Start(u64),
    /// This many bytes before the end of the device.
    End(u64),
    /// This many bytes before the last multiple of a unit.
    Aligned { unit: u64, back: u64 },
    /// In each slot of the ring of uberblocks of each of the four labels.
    ZfsUberblocks,
}

/// Bytes that must accompany the magic number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Extra {
    /// Nothing.
    None,
    /// These bytes, at this distance from the start of the magic number.
    Bytes(i64, &'static [u8]),
    /// Boot indicators of 0 or 0x80 in at least three of the four entries of the table.
    BootFlags,
}

/// Which identifier of a run a superblock can carry, and its distance from the start of the magic
/// number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Identity {
    /// None that a run sets.
    Nothing,
    /// A UUID of 16 bytes.
    Uuid(i64),
    /// A UUID of four words: one, and three adjacent ones.
    UuidWords(i64, i64),
    /// A UUID as text of this many bytes.
    UuidText(i64, usize),
    /// A label as text, up to this many bytes.
    Text(i64, usize),
    /// A label of UTF-16, up to this many bytes.
    Text16(i64, usize),
    /// The name of the pool, in the label that the uberblock belongs to.
    ZfsName,
}

/// One magic number in one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct MagicEntry {
    /// The name of the format, as util-linux writes it.
    pub(super) kind: &'static str,
    /// Which version or copy is at this place; empty if there is only one.
    pub(super) which: &'static str,
    pub(super) place: MagicOffset,
    pub(super) magic: &'static [u8],
    pub(super) extra: Extra,
    pub(super) identity: Identity,
}

const fn row(
    kind: &'static str,
    which: &'static str,
    place: MagicOffset,
    magic: &'static [u8],
    identity: Identity,
) -> MagicEntry {
    MagicEntry {
        kind,
        which,
        place,
        magic,
        extra: Alone,
        identity,
    }
}

/// Returns a row for a format that carries no identifier of a run.
const fn bare(
    kind: &'static str,
    which: &'static str,
    place: MagicOffset,
    magic: &'static [u8],
) -> MagicEntry {
    row(kind, which, place, magic, Nothing)
}

impl MagicEntry {
    const fn with(mut self, extra: Extra) -> Self {
        self.extra = extra;
        self
    }
}

/// linux, `include/uapi/linux/raid/md_p.h`: `MD_SB_MAGIC`; the places: `drivers/md/md.c`,
/// `super_90_load` (`calc_dev_sboffset`) and `super_1_load`.
const MD: &[u8] = b"\xfc\x4e\x2b\xa9";
const MD_SWAPPED: &[u8] = b"\xa9\x2b\x4e\xfc";
const MD_UUID: Identity = Uuid(16);
const MD_0_UUID: Identity = UuidWords(20, 52);
const MD_0_PLACE: MagicOffset = Aligned {
    unit: 65536,
    back: 65536,
};
const MD_1_0_PLACE: MagicOffset = Aligned {
    unit: 4096,
    back: 8192,
};

/// mdadm, `super-intel.c`: `MPB_SIGNATURE`, two sectors before the end.
const IMSM: &[u8] = b"Intel Raid ISM Cfg Sig. ";
/// mdadm, `super-ddf.c`: `DDF_HEADER_MAGIC`; the anchor is the last sector.
const DDF: &[u8] = b"\xde\x11\xde\x11";
const DDF_SWAPPED: &[u8] = b"\x11\xde\x11\xde";
/// libblkid, `promise_raid.c`.
const PROMISE: &[u8] = b"Promise Technology, Inc.";

/// lvm2, `lib/format_text/layout.h`: `LVM2_LABEL`, in one of the first four sectors
/// (`LABEL_SCAN_SECTORS`); the UUID of the physical volume follows the header of the label.
const LVM2: &[u8] = b"LVM2 001";
const LVM2_UUID: Identity = UuidText(8, 32);

/// cryptsetup, `lib/luks2/luks2_disk.h`: `LUKS2_MAGIC_1ST`, `LUKS2_MAGIC_2ND`,
/// `LUKS2_HDR2_OFFSETS`.
const LUKS: &[u8] = b"LUKS\xba\xbe";
const LUKS_SECOND: &[u8] = b"SKUL\xba\xbe";

/// linux, `drivers/md/bcache/bcache_ondisk.h` (`SB_OFFSET`) and `fs/bcachefs/bcachefs_format.h`
/// (`BCHFS_MAGIC`, `BCH_SB_SECTOR`); libblkid, `bcache.c`, for the copies.
const BCACHE: &[u8] = b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81";
const BCACHEFS: &[u8] = b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef";
const BCACHEFS_UUID: Identity = Uuid(32);

/// linux, `include/linux/swap.h`: `union swap_header`, at the end of the first page, of which
/// kernels have five sizes.
const SWAP: &[u8] = b"SWAPSPACE2";
const SWAP_OLD: &[u8] = b"SWAP-SPACE";
const SUSPENDED: &[u8] = b"S1SUSPEND";

/// linux, `fs/btrfs/disk-io.h` and `include/uapi/linux/btrfs_tree.h`: `BTRFS_MAGIC`,
/// `btrfs_sb_offset`.
const BTRFS: &[u8] = b"_BHRfS_M";
const BTRFS_UUID: Identity = Uuid(-32);

/// linux, `include/linux/f2fs_fs.h`: `F2FS_SUPER_OFFSET`, one in each of the first two blocks.
const F2FS: &[u8] = b"\x10\x20\xf5\xf2";
const F2FS_LABEL: Identity = Text16(0x7c, 1024);
/// linux, `fs/jfs/jfs_filsys.h`: `SUPER1_OFF`, `SUPER2_OFF`.
const JFS_LABEL: Identity = Text(152, 16);
/// linux, `include/uapi/linux/nilfs2_ondisk.h`: `NILFS_SUPER_MAGIC`, `NILFS_SB2_OFFSET_BYTES`; the
/// revision is before the magic number.
const NILFS2: &[u8] = b"\x34\x34";
const NILFS2_REVISION: Extra = Bytes(-6, b"\x02\x00\x00\x00\x00\x00");
const NILFS2_LABEL: Identity = Text(162, 80);
const NILFS2_SECOND: MagicOffset = Aligned {
    unit: 4096,
    back: 4090,
};

/// OpenZFS, `include/sys/uberblock_impl.h` (`UBERBLOCK_MAGIC`) and `include/sys/vdev_impl.h`
/// (`vdev_label_t`).
const ZFS: &[u8] = b"\x0c\xb1\xba\x00\x00\x00\x00\x00";
const ZFS_SWAPPED: &[u8] = b"\x00\x00\x00\x00\x00\xba\xb1\x0c";

/// UEFI specification 2.10, section 5.3.2: at block 1 and in the last block, of 512 or 4096 bytes.
const GPT: &[u8] = b"EFI PART";

/// linux, `fs/ext4/ext4.h`: `EXT4_SUPER_MAGIC`, `struct ext4_super_block`. Also checks the high
/// byte of the error behaviour, and the minor revision, which are zero.
const EXT: &[u8] = b"\x53\xef";
const EXT_MINOR_REVISION: Extra = Bytes(5, b"\x00\x00\x00");

/// Every magic number at every place where we look for it.
pub(super) const ROWS: &[MagicEntry] = &[
    row("linux_raid_member", "md 1.1", Start(0), MD, MD_UUID),
    row("linux_raid_member", "md 1.2", Start(4096), MD, MD_UUID),
    row("linux_raid_member", "md 1.0", MD_1_0_PLACE, MD, MD_UUID),
    row("linux_raid_member", "md 0.90", MD_0_PLACE, MD, MD_0_UUID),
    row(
        "linux_raid_member",
        "md 0.90, other byte order",
        MD_0_PLACE,
        MD_SWAPPED,
        MD_0_UUID,
    ),
    bare("isw_raid_member", "", End(1024), IMSM),
    bare("isw_raid_member", "4096-byte sectors", End(8192), IMSM),
    bare("ddf_raid_member", "", End(512), DDF),
    bare("ddf_raid_member", "", End(512), DDF_SWAPPED),
    bare("ddf_raid_member", "copy 2", End(257 * 512), DDF),
    bare("ddf_raid_member", "copy 2", End(257 * 512), DDF_SWAPPED),
    // libblkid, `lsi_raid.c`, `nvidia_raid.c`, `highpoint_raid.c`, `adaptec_raid.c`.
    bare("lsi_mega_raid_member", "", End(512), b"$XIDE$"),
    bare("nvidia_raid_member", "", End(1024), b"NVIDIA"),
    bare("hpt37x_raid_member", "", Start(4640), b"\xf0\x16\x78\x5a"),
    bare("hpt45x_raid_member", "", End(11 * 512), b"\xf3\x16\x78\x5a"),
    bare("adaptec_raid_member", "", End(512), b"\x37\xfc\x4d\x1e"),
    bare("promise_fasttrack_raid_member", "", End(63 * 512), PROMISE),
    // linux, `include/linux/drbd.h` (`DRBD_MAGIC`) and `drivers/block/drbd/drbd_main.c`
    // (`struct meta_data_on_disk`), in the last 4 KiB.
    bare("drbd", "8.3", End(4096 - 60), b"\x83\x74\x02\x6b"),
    bare("drbd", "8.4, in use", End(4096 - 60), b"\x83\x74\x02\x6c"),
    bare("drbd", "9", End(4096 - 60), b"\x83\x74\x02\x6d"),
    // libblkid, `drbdmanage.c`, `drbdproxy_datalog.c`.
    bare("drbdmanage_control_volume", "", Start(0), b"$DRBDmgr=q"),
    bare("drbdproxy_datalog", "", Start(0), b"DRBDdlh*"),
    row("LVM2_member", "sector 0", Start(0x018), LVM2, LVM2_UUID),
    row("LVM2_member", "sector 1", Start(0x218), LVM2, LVM2_UUID),
    row("LVM2_member", "sector 2", Start(0x418), LVM2, LVM2_UUID),
    row("LVM2_member", "sector 3", Start(0x618), LVM2, LVM2_UUID),
    // libblkid, `lvm.c`.
    bare("LVM1_member", "", Start(0), b"HM\x01\x00"),
    bare("DM_snapshot_cow", "", Start(0), b"SnAp"),
    bare("DM_verity_hash", "", Start(0), b"verity\0\0"),
    bare("DM_integrity", "", Start(0), b"integrt\0"),
    // linux, `drivers/md/dm-vdo/vdo-layout.c`; libblkid, `vdo.c`.
    bare("vdo", "", Start(0), b"dmvdo001"),
    // stratisd, `src/engine/strat_engine/metadata/sizes.rs`; libblkid, `stratis.c`.
    bare(
        "stratis",
        "",
        Start(512 + 4),
        b"!Stra0tis\x86\xff\x02^\x41rh",
    ),
    bare(
        "stratis",
        "copy 2",
        Start(9 * 512 + 4),
        b"!Stra0tis\x86\xff\x02^\x41rh",
    ),
    bare("crypto_LUKS", "", Start(0), LUKS),
    bare("crypto_LUKS", "copy 2", Start(0x4000), LUKS_SECOND),
    bare("crypto_LUKS", "copy 2", Start(0x8000), LUKS_SECOND),
    bare("crypto_LUKS", "copy 2", Start(0x1_0000), LUKS_SECOND),
    bare("crypto_LUKS", "copy 2", Start(0x2_0000), LUKS_SECOND),
    bare("crypto_LUKS", "copy 2", Start(0x4_0000), LUKS_SECOND),
    bare("crypto_LUKS", "copy 2", Start(0x8_0000), LUKS_SECOND),
    bare("crypto_LUKS", "copy 2", Start(0x10_0000), LUKS_SECOND),
    bare("crypto_LUKS", "copy 2", Start(0x20_0000), LUKS_SECOND),
    bare("crypto_LUKS", "copy 2", Start(0x40_0000), LUKS_SECOND),
    // libblkid, `bitlocker.c`.
    bare("BitLocker", "Vista", Start(0), b"\xeb\x52\x90-FVE-FS-"),
    bare("BitLocker", "", Start(0), b"\xeb\x58\x90-FVE-FS-"),
    bare("BitLocker", "To Go", Start(0), b"\xeb\x58\x90MSWIN4.1"),
    bare("bcache", "", Start(4096 + 24), BCACHE),
    row("bcachefs", "", Start(4096 + 24), BCACHEFS, BCACHEFS_UUID),
    row(
        "bcachefs",
        "copy 2",
        Start((2 << 20) + 24),
        BCACHEFS,
        BCACHEFS_UUID,
    ),
    row(
        "bcachefs",
        "last copy",
        End((1 << 20) - 24),
        BCACHEFS,
        BCACHEFS_UUID,
    ),
    // ceph, `src/os/bluestore/bluestore_common.h` and `BlueStore.h` (`BDEV_LABEL_BLOCK_SIZE`).
    bare("ceph_bluestore", "", Start(0), b"bluestore block device"),
    // libblkid, `vmfs.c`.
    bare(
        "VMFS_volume_member",
        "",
        Start(1 << 20),
        b"\x0d\xd0\x01\xc0",
    ),
    bare("VMFS", "", Start(2 << 20), b"\x5e\xf1\xab\x2f"),
    bare("swap", "4 KiB pages", Start(0x0ff6), SWAP),
    bare("swap", "8 KiB pages", Start(0x1ff6), SWAP),
    bare("swap", "16 KiB pages", Start(0x3ff6), SWAP),
    bare("swap", "32 KiB pages", Start(0x7ff6), SWAP),
    bare("swap", "64 KiB pages", Start(0xfff6), SWAP),
    bare("swap", "version 0", Start(0x0ff6), SWAP_OLD),
    bare("swsuspend", "4 KiB pages", Start(0x0ff6), SUSPENDED),
    bare("swsuspend", "64 KiB pages", Start(0xfff6), SUSPENDED),
    // linux, `fs/xfs/libxfs/xfs_format.h`: `XFS_SB_MAGIC`; `xfs_log_format.h`:
    // `XLOG_HEADER_MAGIC_NUM`.
    row("xfs", "", Start(0), b"XFSB", Uuid(32)),
    bare("xfs_external_log", "", Start(0), b"\xfe\xed\xba\xbe"),
    row("ext", "ext2, ext3 or ext4", Start(0x438), EXT, Uuid(48)).with(EXT_MINOR_REVISION),
    row("btrfs", "", Start((64 << 10) + 64), BTRFS, BTRFS_UUID),
    row("btrfs", "copy 2", Start((64 << 20) + 64), BTRFS, BTRFS_UUID),
    row(
        "btrfs",
        "copy 3",
        Start((256 << 30) + 64),
        BTRFS,
        BTRFS_UUID,
    ),
    row("zfs_member", "uberblock", ZfsUberblocks, ZFS, ZfsName),
    row(
        "zfs_member",
        "uberblock, other byte order",
        ZfsUberblocks,
        ZFS_SWAPPED,
        ZfsName,
    ),
    row("f2fs", "", Start(1024), F2FS, F2FS_LABEL),
    row("f2fs", "copy 2", Start(4096 + 1024), F2FS, F2FS_LABEL),
    row("jfs", "", Start(0x8000), b"JFS1", JFS_LABEL),
    row("jfs", "copy 2", Start(0xf000), b"JFS1", JFS_LABEL),
    row("nilfs2", "", Start(1024 + 6), NILFS2, NILFS2_LABEL).with(NILFS2_REVISION),
    row("nilfs2", "copy 2", NILFS2_SECOND, NILFS2, NILFS2_LABEL).with(NILFS2_REVISION),
    // linux, `include/uapi/linux/reiserfs_fs.h`; libblkid, `reiserfs.c`.
    bare("reiserfs", "3.5", Start(0x1_0034), b"ReIsErFs"),
    bare("reiserfs", "3.6", Start(0x1_0034), b"ReIsEr2Fs"),
    bare("reiserfs", "journal", Start(0x1_0034), b"ReIsEr3Fs"),
    bare("reiserfs", "old", Start(0x2034), b"ReIsErFs"),
    bare("reiser4", "", Start(0x1_0000), b"ReIsEr4"),
    // linux, `include/uapi/linux/gfs2_ondisk.h`: `GFS2_MAGIC`, `GFS2_SB_ADDR`.
    bare("gfs2", "", Start(0x1_0000), b"\x01\x16\x19\x70"),
    // linux, `fs/ocfs2/ocfs2_fs.h`: `OCFS2_SUPER_BLOCK_SIGNATURE`, block 2 of four sizes.
    bare("ocfs2", "512-byte blocks", Start(1024), b"OCFSV2"),
    bare("ocfs2", "1 KiB blocks", Start(2048), b"OCFSV2"),
    bare("ocfs2", "2 KiB blocks", Start(4096), b"OCFSV2"),
    bare("ocfs2", "4 KiB blocks", Start(8192), b"OCFSV2"),
    bare("oracleasm", "", Start(32), b"ORCLDISK"),
    // linux, `fs/ntfs3/ntfs.h`: the boot sector, and its copy in the last sector.
    bare("ntfs", "", Start(3), b"NTFS    "),
    bare("ntfs", "copy 2", End(512 - 3), b"NTFS    "),
    bare("ntfs", "copy 2", End(4096 - 3), b"NTFS    "),
    bare("ReFS", "", Start(0), b"\0\0\0ReFS\0"),
    // linux, `fs/exfat/exfat_raw.h`: the boot sector, and its copy 12 sectors later.
    bare("exfat", "", Start(3), b"EXFAT   "),
    bare("exfat", "copy 2", Start(12 * 512 + 3), b"EXFAT   "),
    bare("exfat", "copy 2", Start(12 * 4096 + 3), b"EXFAT   "),
    // Microsoft, "FAT: General Overview of On-Disk Format": `BS_FilSysType`; FAT32 keeps a copy in
    // sector 6.
    bare("vfat", "FAT12", Start(0x36), b"FAT12   "),
    bare("vfat", "FAT16", Start(0x36), b"FAT16   "),
    bare("vfat", "FAT32", Start(0x52), b"FAT32   "),
    bare("vfat", "copy 2", Start(6 * 512 + 0x52), b"FAT32   "),
    // Apple, "Apple File System Reference", `nx_superblock_t`; "HFS Plus Volume Format", TN1150.
    bare("apfs", "", Start(32), b"NXSB"),
    bare("hfsplus", "", Start(1024), b"H+\x00\x04"),
    bare("hfsplus", "HFSX", Start(1024), b"HX\x00\x05"),
    // libblkid, `iso9660.c`, `udf.c`, `zonefs.c`, `erofs.c`, `squashfs.c`.
    bare("iso9660", "", Start(0x8001), b"CD001"),
    bare("udf", "", Start(0x8001), b"BEA01"),
    bare("zonefs", "", Start(0), b"SFOZ"),
    bare("erofs", "", Start(1024), b"\xe2\xe1\xf5\xe0"),
    bare("squashfs", "", Start(0), b"hsqs"),
    bare("gpt", "512-byte blocks", Start(512), GPT),
    bare("gpt", "4096-byte blocks", Start(4096), GPT),
    bare("gpt", "copy at the end", End(512), GPT),
    bare("gpt", "copy at the end", End(4096), GPT),
    bare("dos", "", Start(510), b"\x55\xaa").with(BootFlags),
    // libblkid, `partitions/sgi.h`, `partitions/sun.h` (with the sanity word of its table).
    bare("sgi", "", Start(0), b"\x0b\xe5\xa9\x41"),
    bare("sun", "", Start(508), b"\xda\xbe").with(Bytes(188 - 508, b"\x60\x0d\xde\xee")),
];
