//! A load of records: writers that overwrite places in files of their own, make them durable as the
//! study says, and report what they believe to be safe.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::record::{PlaceContent, Record, SECTOR_BYTES};

/// How memory for direct I/O is aligned.
const ALIGNMENT: usize = 4096;
/// How much is written at once before a recording.
const LAYOUT_BYTES: usize = 1 << 20;

/// A load of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// The seed of the content.
    pub seed: u64,
    /// The seed of the order of places; each recording has its own.
    pub order_seed: u64,
    /// How many writers there are.
    pub writers: u32,
    /// The size of a record: a multiple of 512.
    pub record_bytes: u32,
    /// The records in each writer's file.
    pub places: u64,
    /// Whether places are written at random, or one after the other.
    pub is_random: bool,
    /// Whether every place holds a record before the recording. If not, files grow: their sizes and
    /// the places of their blocks must become durable, too.
    pub is_filled: bool,
    /// What makes records durable.
    pub durable_by: DurableBy,
    /// Whether writes go past the page cache.
    pub is_direct: bool,
}

/// What makes records durable: a record is *acknowledged* when it returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DurableBy {
    /// Nothing: the write itself acknowledges.
    Nothing,
    /// `fsync` after so many writes.
    Fsync(u32),
    /// `fdatasync` after so many writes.
    Fdatasync(u32),
    /// Files opened with `O_SYNC`.
    Sync,
    /// Files opened with `O_DSYNC`.
    Dsync,
}

/// Where a load writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Files in a directory.
    Directory(PathBuf),
    /// Parts of a block device, one behind the other.
    Device(PathBuf),
}

/// A writer believes that all of its records up to this one are safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledged {
    /// The writer.
    pub writer: u32,
    /// The sequence of the latest record.
    pub sequence: u64,
}

/// What a place holds, if it is something else than before the recording. In JSON a list of numbers:
/// there may be many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ChangedFields", into = "ChangedFields")]
pub struct Changed {
    /// The writer.
    pub writer: u32,
    /// The place.
    pub place: u64,
    /// Its content.
    pub found: PlaceContent,
}

/// Writer, place, lowest and highest sequence, blank and foreign sectors.
type ChangedFields = (u32, u64, u64, u64, u32, u32);

impl From<ChangedFields> for Changed {
    fn from((writer, place, lowest, highest, blank, foreign): ChangedFields) -> Self {
        let found = PlaceContent {
            lowest,
            highest,
            blank,
            foreign,
        };
        Self {
            writer,
            place,
            found,
        }
    }
}

impl From<Changed> for ChangedFields {
    fn from(one: Changed) -> Self {
        let PlaceContent {
            lowest,
            highest,
            blank,
            foreign,
        } = one.found;
        (one.writer, one.place, lowest, highest, blank, foreign)
    }
}

/// A load failed.
#[derive(Debug, thiserror::Error)]
#[error("failed to {attempted} `{}`", path.display())]
pub struct LoadError {
    attempted: &'static str,
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl LoadError {
    fn of(attempted: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self {
            attempted,
            path: path.to_owned(),
            source,
        }
    }
}

impl Load {
    /// Returns the bytes of each writer's file.
    pub fn file_bytes(&self) -> u64 {
        self.places.saturating_mul(u64::from(self.record_bytes))
    }

    /// Returns the place of a writer's record with this sequence, counted from 1.
    pub fn place_of(&self, writer: u32, sequence: u64) -> u64 {
        match self.is_random {
            true => Random::new(self.order_seed ^ sequence, u64::from(writer)).below(self.places),
            false => sequence.saturating_sub(1) % self.places.max(1),
        }
    }

    fn record(&self, writer: u32, sequence: u64, place: u64) -> Record {
        Record {
            seed: self.seed,
            writer,
            sequence,
            place,
        }
    }

    fn record_length(&self) -> usize {
        usize::try_from(self.record_bytes).unwrap_or(usize::MAX)
    }

    /// Returns where the part of a writer begins, and its path.
    fn part(&self, target: &Target, writer: u32) -> (PathBuf, u64) {
        match target {
            Target::Directory(directory) => (directory.join(format!("records.{writer}")), 0),
            Target::Device(device) => (device.clone(), u64::from(writer) * self.file_bytes()),
        }
    }

    /// Creates the files of all writers, writes record 0 to every place if the load is to be filled,
    /// and makes that durable.
    ///
    /// # Errors
    /// If a file cannot be created, or there is no room for it.
    pub fn lay_out(&self, target: &Target) -> Result<(), LoadError> {
        for writer in 0..self.writers {
            let (path, start) = self.part(target, writer);
            let mut options = OpenOptions::new();
            options
                .write(true)
                .create(matches!(target, Target::Directory(_)));
            let file = options
                .open(&path)
                .map_err(LoadError::of("create", &path))?;
            let filled = match self.is_filled {
                true => self.fill(&file, writer, start),
                false => Ok(()),
            };
            filled
                .and_then(|()| file.sync_all())
                .map_err(LoadError::of("write", &path))?;
        }
        if let Target::Directory(directory) = target {
            let synced = File::open(directory).and_then(|directory| directory.sync_all());
            synced.map_err(LoadError::of("sync", directory))?;
        }
        Ok(())
    }

    fn fill(&self, file: &File, writer: u32, start: u64) -> io::Result<()> {
        let length = self.record_length();
        let at_once = (LAYOUT_BYTES / length).max(1);
        let mut data = vec![0; at_once * length];
        let mut place = 0;
        while place < self.places {
            let count = (self.places - place).min(at_once as u64);
            for number in 0..count {
                let from = usize::try_from(number).unwrap_or_default() * length;
                let record = self.record(writer, 0, place + number);
                record.fill(&mut data[from..from + length]);
            }
            let bytes = usize::try_from(count).unwrap_or_default() * length;
            file.write_all_at(&data[..bytes], start + place * u64::from(self.record_bytes))?;
            place += count;
        }
        Ok(())
    }

    /// Runs all writers, each in a thread, until `stop` is set or one fails. `acknowledge` is called
    /// from their threads.
    ///
    /// # Errors
    /// The first error of a writer.
    pub fn run(
        &self,
        target: &Target,
        stop: &AtomicBool,
        acknowledge: &(dyn Fn(Acknowledged) + Sync),
    ) -> Result<(), LoadError> {
        thread::scope(|scope| {
            let writers = (0..self.writers).map(|writer| {
                scope.spawn(move || {
                    let (path, start) = self.part(target, writer);
                    let ended = self.write(&path, start, writer, stop, acknowledge);
                    if ended.is_err() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    ended.map_err(LoadError::of("write", &path))
                })
            });
            let writers: Vec<_> = writers.collect();
            let mut ended = Ok(());
            for writer in writers {
                let joined = writer.join();
                ended = ended.and(joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            ended
        })
    }

    fn write(
        &self,
        path: &Path,
        start: u64,
        writer: u32,
        stop: &AtomicBool,
        acknowledge: &(dyn Fn(Acknowledged) + Sync),
    ) -> io::Result<()> {
        let file = self.open(path)?;
        let mut buffer = Aligned::new(self.record_length());
        let mut sequence = 0;
        while !stop.load(Ordering::Relaxed) {
            sequence += 1;
            let place = self.place_of(writer, sequence);
            self.record(writer, sequence, place).fill(buffer.data());
            let offset = start + place * u64::from(self.record_bytes);
            file.write_all_at(buffer.data(), offset)?;
            if self.make_durable(&file, sequence)? {
                acknowledge(Acknowledged { writer, sequence });
            }
        }
        Ok(())
    }

    fn open(&self, path: &Path) -> io::Result<File> {
        let mut flags = OFlags::empty();
        flags.set(OFlags::DIRECT, self.is_direct);
        flags.set(OFlags::SYNC, self.durable_by == DurableBy::Sync);
        flags.set(
            OFlags::DSYNC,
            matches!(self.durable_by, DurableBy::Sync | DurableBy::Dsync),
        );
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        OpenOptions::new()
            .write(true)
            .custom_flags(flags)
            .open(path)
    }

    /// Makes the records durable after a write, if it is time; returns whether all of them are
    /// acknowledged now.
    fn make_durable(&self, file: &File, sequence: u64) -> io::Result<bool> {
        let is_due = |every: u32| sequence.is_multiple_of(u64::from(every.max(1)));
        match self.durable_by {
            DurableBy::Nothing | DurableBy::Sync | DurableBy::Dsync => Ok(true),
            DurableBy::Fsync(every) if is_due(every) => file.sync_all().map(|()| true),
            DurableBy::Fdatasync(every) if is_due(every) => file.sync_data().map(|()| true),
            DurableBy::Fsync(_) | DurableBy::Fdatasync(_) => Ok(false),
        }
    }

    /// Returns what a place holds before the recording.
    fn before(&self) -> PlaceContent {
        let sectors = self.record_length() / SECTOR_BYTES;
        PlaceContent {
            blank: match self.is_filled {
                true => 0,
                false => u32::try_from(sectors).unwrap_or(u32::MAX),
            },
            ..PlaceContent::default()
        }
    }

    /// Reads every place, and returns those that hold something else than before the recording.
    ///
    /// # Errors
    /// If a file is missing, or the kernel reports an error instead of data. A shorter file is no error:
    /// its places are blank.
    pub fn look(&self, target: &Target) -> Result<Vec<Changed>, LoadError> {
        let before = self.before();
        let mut changed = Vec::new();
        let mut data = vec![0; self.record_length()];
        for writer in 0..self.writers {
            let (path, start) = self.part(target, writer);
            let file = File::open(&path).map_err(LoadError::of("open", &path))?;
            for place in 0..self.places {
                let offset = start + place * u64::from(self.record_bytes);
                read_at(&file, &mut data, offset).map_err(LoadError::of("read", &path))?;
                let found = self.record(writer, 0, place).find(&data);
                if found != before {
                    changed.push(Changed {
                        writer,
                        place,
                        found,
                    });
                }
            }
        }
        Ok(changed)
    }
}

/// Reads into all of `data`; what lies behind the end of the file is zero.
fn read_at(file: &File, data: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < data.len() {
        match file.read_at(&mut data[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(length) => done += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    data[done..].fill(0);
    Ok(())
}

/// Memory that direct I/O accepts.
struct Aligned {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Aligned {
    fn new(length: usize) -> Self {
        let memory = vec![0; length + ALIGNMENT];
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        Self {
            memory,
            start,
            length,
        }
    }

    fn data(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn load(durable_by: DurableBy) -> Load {
        Load {
            seed: 11,
            order_seed: 12,
            writers: 2,
            record_bytes: 4096,
            places: 32,
            is_random: true,
            is_filled: true,
            durable_by,
            is_direct: false,
        }
    }

    #[test]
    fn what_writers_acknowledge_is_there_and_the_rest_is_as_before() {
        for durable_by in [
            DurableBy::Nothing,
            DurableBy::Fsync(1),
            DurableBy::Fdatasync(4),
            DurableBy::Dsync,
        ] {
            let folder = tempfile::tempdir().unwrap();
            let target = Target::Directory(folder.path().to_owned());
            let load = load(durable_by);
            load.lay_out(&target).unwrap();
            assert_eq!(load.look(&target).unwrap(), []);

            let stop = AtomicBool::new(false);
            let latest = Mutex::new([0; 2]);
            load.run(&target, &stop, &|acknowledged: Acknowledged| {
                let mut latest = latest.lock().unwrap();
                latest[usize::try_from(acknowledged.writer).unwrap()] = acknowledged.sequence;
                stop.store(
                    latest.iter().all(|sequence| *sequence >= 20),
                    Ordering::Relaxed,
                );
            })
            .unwrap();
            let changed = load.look(&target).unwrap();
            for writer in 0..2_u32 {
                let latest = latest.lock().unwrap()[usize::try_from(writer).unwrap()];
                for sequence in 1..=latest {
                    let place = load.place_of(writer, sequence);
                    let found = changed
                        .iter()
                        .find(|one| (one.writer, one.place) == (writer, place));
                    let found = found.unwrap().found;
                    assert!(found.lowest >= sequence && found.foreign + found.blank == 0);
                }
            }
        }
    }

    #[test]
    fn a_shorter_file_is_blank_and_a_missing_one_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::Directory(folder.path().to_owned());
        let load = load(DurableBy::Fsync(1));
        load.lay_out(&target).unwrap();
        let file = File::options()
            .write(true)
            .open(folder.path().join("records.1"))
            .unwrap();
        file.set_len(31 * 4096 + 512).unwrap();
        let changed = load.look(&target).unwrap();
        assert_eq!(changed.len(), 1);
        assert_eq!((changed[0].writer, changed[0].place), (1, 31));
        assert_eq!(changed[0].found.blank, 7);
        std::fs::remove_file(folder.path().join("records.0")).unwrap();
        let error = load.look(&target).unwrap_err();
        assert!(error.to_string().contains("records.0"), "{error}");
    }

    #[test]
    fn a_file_that_grows_is_blank_before_and_behind_its_records() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::Directory(folder.path().to_owned());
        let load = Load {
            is_filled: false,
            is_random: false,
            writers: 1,
            ..load(DurableBy::Fsync(1))
        };
        load.lay_out(&target).unwrap();
        assert_eq!(load.look(&target).unwrap(), []);
        let stop = AtomicBool::new(false);
        load.run(&target, &stop, &|acknowledged: Acknowledged| {
            stop.store(acknowledged.sequence == 3, Ordering::Relaxed);
        })
        .unwrap();
        let changed = load.look(&target).unwrap();
        let found: Vec<(u64, u64)> = changed
            .iter()
            .map(|one| (one.place, one.found.lowest))
            .collect();
        assert_eq!(found, [(0, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn writers_share_a_device_without_touching_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let device = folder.path().join("device");
        std::fs::write(&device, vec![0; 1 << 20]).unwrap();
        let target = Target::Device(device);
        let load = Load {
            is_random: false,
            ..load(DurableBy::Nothing)
        };
        load.lay_out(&target).unwrap();
        assert_eq!(load.look(&target).unwrap(), []);
        assert_eq!(
            [1, 2, 32, 33].map(|sequence| load.place_of(0, sequence)),
            [0, 1, 31, 0]
        );
    }
}
