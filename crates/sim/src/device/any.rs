//! A device of any kind: calibrated by measurements, or modelled from its data sheet.

use stripewise_profiles::device::calibrated::CacheSetting;
use stripewise_profiles::device::disk::DiskProfile;
use stripewise_profiles::device::flash::FlashProfile;
use stripewise_profiles::device::limits::OutOfRange;
use stripewise_profiles::device::{DeviceProfile, Model};
use stripewise_units::Bytes;

use super::calibrated::{CalibratedDevice, ProfileProblem};
use super::disk::Disk;
use super::drain::Drain;
use super::fill_level::FillLevels;
use super::flash::Flash;
use super::loaded::LoadedDevice;
use super::{Completed, DeviceRequest};
use crate::random::Stream;
use crate::units::{Instant, Sectors};

/// A device under load.
///
/// A device calibrated with one request in flight returns the completion time of a request at once;
/// the others are event-driven.
#[derive(Debug)]
pub enum Device {
    /// Calibrated by measurements with one request in flight.
    Calibrated(Box<CalibratedDevice>),
    /// Calibrated by measurements under several loads; event-driven.
    Loaded(Box<LoadedDevice>),
    /// A hard disk from its data sheet.
    Disk(Box<Disk>),
    /// Flash from its data sheet; addresses are folded into the part that is simulated.
    Flash(Box<Flash>, Sectors),
}

/// A device cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A calibrated profile has an invalid number.
    #[error(transparent)]
    Calibrated(#[from] ProfileProblem),
    /// A data sheet has an invalid number.
    #[error(transparent)]
    DataSheet(#[from] OutOfRange),
}

impl Device {
    /// Returns an idle device, which needs `prepare` before its first request; it alone draws from
    /// `stream`.
    ///
    /// # Errors
    /// The first number of the profile that is out of range.
    pub fn new(
        profile: &DeviceProfile,
        cache: CacheSetting,
        mut stream: Stream,
    ) -> Result<Self, DeviceError> {
        match &profile.model {
            Model::Calibrated(profile) => {
                let profile = profile.clone().with_cache(cache);
                if profile.depends_on_load() {
                    let device = LoadedDevice::new(&profile, stream)?;
                    return Ok(Device::Loaded(Box::new(device)));
                }
                let device = CalibratedDevice::new(&profile, stream)?;
                Ok(Device::Calibrated(Box::new(device)))
            }
            Model::Disk(profile) => {
                let profile = DiskProfile {
                    write_cache_bytes: if cache.is_on {
                        profile.write_cache_bytes
                    } else {
                        0
                    },
                    ..profile.clone()
                };
                profile.check()?;
                Ok(Device::Disk(Box::new(Disk::new(&profile, stream.bits()))))
            }
            Model::Flash(profile) => {
                let profile = FlashProfile {
                    write_buffer_is_volatile: profile.write_buffer_is_volatile && cache.flushes,
                    ..profile.clone()
                };
                profile.check()?;
                let size = Sectors::from_bytes(Bytes::new(profile.simulated_bytes));
                let flash = Flash::new(&profile, stream.bits());
                Ok(Device::Flash(Box::new(flash), size))
            }
        }
    }

    /// Brings a device into the state to measure, fresh or used. This may take seconds; returns
    /// false as soon as `keeps_going` returns false.
    pub(crate) fn prepare(
        &mut self,
        is_fresh: bool,
        keeps_going: &mut dyn FnMut() -> bool,
    ) -> bool {
        match self {
            Device::Calibrated(_) | Device::Loaded(_) | Device::Disk(_) => true,
            Device::Flash(flash, _) if is_fresh => flash.fill_while(keeps_going),
            Device::Flash(flash, _) => flash.precondition_while(keeps_going),
        }
    }

    /// Adds the fill levels of its memories at `now`.
    pub(crate) fn add_levels(&self, now: Instant, levels: &mut FillLevels) {
        match self {
            Device::Calibrated(_) | Device::Loaded(_) => {
                if let Some(drain) = self.drain() {
                    drain.add_levels(now, levels);
                }
            }
            Device::Disk(disk) => disk.add_levels(levels),
            Device::Flash(flash, _) => flash.add_levels(levels),
        }
    }

    /// Returns whether a cache or area in it has filled up, so that it is slower than at first.
    pub(crate) fn has_filled(&self) -> bool {
        match self {
            Device::Calibrated(_) | Device::Loaded(_) => {
                self.drain().is_some_and(Drain::has_filled)
            }
            Device::Disk(disk) => disk.has_filled(),
            Device::Flash(flash, _) => flash.has_filled(),
        }
    }

    /// Returns whether acknowledged writes are lost with the power, until a flush.
    pub(crate) fn has_volatile_cache(&self) -> bool {
        match self {
            Device::Calibrated(device) => device.has_volatile_cache(),
            Device::Loaded(device) => device.has_volatile_cache(),
            Device::Disk(disk) => disk.has_volatile_cache(),
            Device::Flash(flash, _) => flash.has_volatile_cache(),
        }
    }

    /// Returns the state of acknowledged writes of a calibrated device, where its profile has one.
    fn drain(&self) -> Option<&Drain> {
        match self {
            Device::Calibrated(device) => device.drain(),
            Device::Loaded(device) => device.drain(),
            Device::Disk(_) | Device::Flash(..) => None,
        }
    }

    /// Returns the used bytes and the capacity of its fast area; `None` without one.
    pub(crate) fn fast_area(&self) -> Option<(u64, u64)> {
        self.drain().map(Drain::fast_area)
    }

    fn drain_mut(&mut self) -> Option<&mut Drain> {
        match self {
            Device::Calibrated(device) => device.drain_mut(),
            Device::Loaded(device) => device.drain_mut(),
            Device::Disk(_) | Device::Flash(..) => None,
        }
    }

    /// Sets the used bytes of its fast area.
    pub(crate) fn set_fast_used(&mut self, bytes: u64) {
        if let Some(drain) = self.drain_mut() {
            drain.set_fast_used(bytes);
        }
    }

    /// Returns the used bytes and the capacity of the buffer behind its fast area; `None` without one.
    pub(crate) fn buffer(&self, now: Instant) -> Option<(u64, u64)> {
        self.drain().map(|drain| drain.buffer(now))
    }

    /// Sets the used bytes of that buffer.
    pub(crate) fn set_buffered(&mut self, now: Instant, bytes: u64) {
        if let Some(drain) = self.drain_mut() {
            drain.set_buffered(now, bytes);
        }
    }

    /// Returns the size of its flash that is simulated page by page; `None` for other devices.
    pub(crate) fn simulated(&self) -> Option<Sectors> {
        match self {
            Device::Flash(_, size) => Some(*size),
            Device::Calibrated(_) | Device::Loaded(_) | Device::Disk(_) => None,
        }
    }

    /// Writes without advancing time, on flash that is simulated page by page; other devices ignore
    /// it.
    pub(crate) fn wear(&mut self, start: Sectors, length: Sectors) {
        if let Device::Flash(flash, size) = self {
            let room = size.get().saturating_sub(length.get()).max(1);
            flash.wear(Sectors::new(start.get() % room / 8 * 8), length);
        }
    }

    /// Resets the program counters of flash.
    pub(crate) fn reset_counters(&mut self) {
        if let Device::Flash(flash, _) = self {
            flash.reset_counters();
        }
    }

    /// Adds the parts of a run of sectors that are in its cache and not on the platter; only a disk
    /// knows.
    pub(crate) fn add_cached(&self, run: [u64; 2], parts: &mut Vec<[u64; 2]>) {
        if let Device::Disk(disk) = self {
            disk.add_cached(run, parts);
        }
    }

    /// Moves the runs that a disk has written back since the last call to `runs`.
    pub(crate) fn take_destaged(&mut self, runs: &mut Vec<[u64; 2]>) {
        if let Device::Disk(disk) = self {
            disk.take_destaged(runs);
        }
    }

    /// Makes a disk remember what it writes back.
    pub(crate) fn watch_cache(&mut self) {
        if let Device::Disk(disk) = self {
            disk.watch_cache();
        }
    }

    /// Takes a request at `now`; only for event-driven devices.
    pub(crate) fn submit(&mut self, now: Instant, request: DeviceRequest) {
        match self {
            Device::Calibrated(_) => {}
            Device::Loaded(device) => device.submit(now, request),
            Device::Disk(disk) => disk.submit(now, request),
            Device::Flash(flash, size) => {
                let room = size.get().saturating_sub(request.length.get()).max(1);
                let start = Sectors::new(request.start.get() % room / 8 * 8);
                flash.submit(now, DeviceRequest { start, ..request });
            }
        }
    }

    /// Returns when the device's next event is; only for event-driven devices.
    pub(crate) fn next_event(&self) -> Instant {
        match self {
            Device::Calibrated(_) => Instant::NEVER,
            Device::Loaded(device) => device.next_event(),
            Device::Disk(disk) => disk.next_event(),
            Device::Flash(flash, _) => flash.next_event(),
        }
    }

    /// Advances to `now` and adds the completed requests.
    pub(crate) fn advance(&mut self, now: Instant, completed: &mut Vec<Completed>) {
        match self {
            Device::Calibrated(_) => {}
            Device::Loaded(device) => device.advance(now, completed),
            Device::Disk(disk) => disk.advance(now, completed),
            Device::Flash(flash, _) => flash.advance(now, completed),
        }
    }
}
