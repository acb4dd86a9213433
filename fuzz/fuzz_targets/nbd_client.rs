//! Whatever bytes a client sends to the server of a recorded disk: served or refused, never a panic.
//! The log then explains what the disk holds.

#![no_main]

use std::io::{self, Read, Write};
use std::sync::Mutex;
use std::time::Duration;

#[cfg(not(test))]
use libfuzzer_sys::fuzz_target;
use stripewise_powercut::crash::{Drive, image};
use stripewise_powercut::disk::Disk;
use stripewise_powercut::nbd;
use stripewise_powercut::random::Random;
use stripewise_study::cut::Survival;

const DISK_BYTES: u32 = 64 << 10;

/// A client that sends these bytes and reads whatever comes.
struct Client<'a>(&'a [u8]);

impl Read for Client<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Client<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fuzz_target!(|bytes: &[u8]| {
    let disk = Mutex::new(Disk::new(DISK_BYTES.into()));
    let _refused = nbd::serve(Client(bytes), &disk);
    let disk = disk.into_inner().expect("no server panicked");
    let drive = Drive {
        is_volatile: true,
        cache_bytes: u64::MAX,
        sector_bytes: 512,
    };
    let mut random = Random::new(bytes.len() as u64, 0);
    let whole = |store: &stripewise_powercut::store::Store| {
        let mut data = vec![0; DISK_BYTES as usize];
        store.read(0, &mut data);
        data
    };
    let kept = image(&disk, drive, Survival::Kept, Duration::MAX, &mut random);
    assert_eq!(whole(&kept), whole(disk.content()));
    image(
        &disk,
        drive,
        Survival::Reordered,
        Duration::MAX,
        &mut random,
    );
});
