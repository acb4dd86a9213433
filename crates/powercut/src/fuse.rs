//! A FUSE filesystem with one file for each disk, for loop devices on this machine.
//!
//! A loop device turns a flush into `fsync` of its file, and a discard or a write of zeroes into
//! `fallocate` (drivers/block/loop.c, `do_req_filebacked`). It has no FUA: the block layer sends a
//! flush behind such a write. Files are opened with `FOPEN_DIRECT_IO`, so the kernel caches nothing
//! between the loop device and us. One thread serves the requests, one after the other, so what one
//! completes is in the log before the next begins.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use fuser::{
    Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite,
    Request, Session, SessionACL, WriteFlags,
};

use crate::disk::Disk;

/// How long the kernel may keep names and sizes: they never change.
const TTL: Duration = Duration::from_secs(3600);
/// The bytes of a block that `stat` counts in.
const STAT_BLOCK_BYTES: u64 = 512;
/// `FALLOC_FL_KEEP_SIZE`.
const KEEP_SIZE: i32 = 0x01;
/// `FALLOC_FL_PUNCH_HOLE`.
const PUNCH_HOLE: i32 = 0x02;
/// `FALLOC_FL_ZERO_RANGE`.
const ZERO_RANGE: i32 = 0x10;

/// A disk as a file.
#[derive(Debug, Clone)]
pub struct DiskFile {
    /// The name of the file.
    pub name: String,
    /// The disk.
    pub disk: Arc<Mutex<Disk>>,
}

/// Serves `files` on `device`, which is `/dev/fuse` and has been mounted, until the filesystem is
/// unmounted. With `ignores_flushes` an `fsync` does nothing, as a disk that lies.
///
/// # Errors
/// If the kernel speaks another version of FUSE, or the device fails.
pub fn serve(device: OwnedFd, files: Vec<DiskFile>, ignores_flushes: bool) -> io::Result<()> {
    let disks = Disks {
        files,
        ignores_flushes,
    };
    Session::from_fd(disks, device, SessionACL::All, Config::default())?.run()
}

struct Disks {
    files: Vec<DiskFile>,
    ignores_flushes: bool,
}

impl Disks {
    /// Returns the disk of a file: the root is number 1, and the files follow.
    fn disk(&self, number: INodeNo) -> Option<MutexGuard<'_, Disk>> {
        let place = usize::try_from(number.0.checked_sub(2)?).ok()?;
        let file = self.files.get(place)?;
        Some(file.disk.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn attributes(&self, number: INodeNo) -> Option<FileAttr> {
        let (kind, perm, nlink, size) = match number {
            INodeNo::ROOT => (FileType::Directory, 0o700, 2, 0),
            _ => (
                FileType::RegularFile,
                0o600,
                1,
                self.disk(number)?.size_bytes(),
            ),
        };
        Some(FileAttr {
            ino: number,
            size,
            blocks: size / STAT_BLOCK_BYTES,
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm,
            nlink,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    /// Returns the disk of a file if the range lies on it.
    fn disk_with(
        &self,
        number: INodeNo,
        offset: u64,
        length: u64,
    ) -> Result<MutexGuard<'_, Disk>, Errno> {
        let disk = self.disk(number).ok_or(Errno::ENOENT)?;
        match disk.has(offset, length) {
            true => Ok(disk),
            false => Err(Errno::ENOSPC),
        }
    }
}

impl Filesystem for Disks {
    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let place = self.files.iter().position(|file| *name == *file.name);
        let number = place.map(|place| INodeNo(place as u64 + 2));
        match number.and_then(|number| self.attributes(number)) {
            Some(attributes) => reply.entry(&TTL, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(number) {
            Some(attributes) => reply.attr(&TTL, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let Some(disk) = self.disk(number) else {
            return reply.error(Errno::ENOENT);
        };
        let length = u64::from(size).min(disk.size_bytes().saturating_sub(offset));
        let mut data = vec![0; usize::try_from(length).unwrap_or_default()];
        disk.read(offset, &mut data);
        drop(disk);
        reply.data(&data);
    }

    fn write(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.disk_with(number, offset, data.len() as u64) {
            Ok(mut disk) => disk.write(offset, data.into(), false),
            Err(error) => return reply.error(error),
        }
        reply.written(u32::try_from(data.len()).unwrap_or(u32::MAX));
    }

    /// `close` puts nothing on the medium.
    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, number: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        match self.disk(number) {
            Some(_) if self.ignores_flushes => {}
            Some(mut disk) => disk.flush(),
            None => return reply.error(Errno::ENOENT),
        }
        reply.ok();
    }

    fn fallocate(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        if ![PUNCH_HOLE, ZERO_RANGE].contains(&(mode & !KEEP_SIZE)) {
            return reply.error(Errno::EOPNOTSUPP);
        }
        match self.disk_with(number, offset, length) {
            Ok(mut disk) => disk.clear(offset, length, false),
            Err(error) => return reply.error(error),
        }
        reply.ok();
    }
}
