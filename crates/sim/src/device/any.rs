//! A device of either kind: known from measurements, or from its data sheet.

use stripewise_study::units::Bytes;

use super::calibrated::{CalibratedDevice, ProfileProblem};
use super::disk::{Disk, DiskProfile};
use super::flash::{Flash, FlashProfile};
use super::limits::OutOfRange;
use super::profile::{DeviceProfile, Model};
use super::{Completed, DeviceRequest};
use crate::random::Stream;
use crate::units::{Instant, Sectors};

/// A device at work.
///
/// A calibrated device says at once when a request will be done; the others keep their own time.
#[derive(Debug)]
pub enum Device {
    /// Known from measurements.
    Calibrated(Box<CalibratedDevice>),
    /// A hard disk from its data sheet.
    Disk(Box<Disk>),
    /// Flash from its data sheet; addresses are folded into the part that is simulated.
    Flash(Box<Flash>, Sectors),
}

/// How the host has set the write cache of its devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSetting {
    /// Whether writes may be acknowledged from a volatile cache.
    pub is_on: bool,
    /// Whether a flush does anything.
    pub flushes: bool,
}

/// A device cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A number of a calibrated profile.
    #[error(transparent)]
    Calibrated(#[from] ProfileProblem),
    /// A number of a data sheet.
    #[error(transparent)]
    DataSheet(#[from] OutOfRange),
}

impl Device {
    /// Returns an idle device, to be prepared (`prepare`) before its first request; `stream` is its
    /// own.
    ///
    /// # Errors
    /// The first number of the profile that no device has.
    pub fn new(
        profile: &DeviceProfile,
        cache: CacheSetting,
        mut stream: Stream,
    ) -> Result<Self, DeviceError> {
        match &profile.model {
            Model::Calibrated(profile) => {
                let profile = profile.clone().with_cache(cache);
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

    /// Brings a device into its steady state, which may take seconds; `keeps_going` is asked meanwhile.
    /// Returns false if it said stop.
    pub(crate) fn prepare(&mut self, keeps_going: &mut dyn FnMut() -> bool) -> bool {
        match self {
            Device::Calibrated(_) | Device::Disk(_) => true,
            Device::Flash(flash, _) => flash.precondition_while(keeps_going),
        }
    }

    /// Takes a request at `now`; only for devices that keep their own time.
    pub(crate) fn submit(&mut self, now: Instant, request: DeviceRequest) {
        match self {
            Device::Calibrated(_) => {}
            Device::Disk(disk) => disk.submit(now, request),
            Device::Flash(flash, size) => {
                let room = size.get().saturating_sub(request.length.get()).max(1);
                let start = Sectors::new(request.start.get() % room / 8 * 8);
                flash.submit(now, DeviceRequest { start, ..request });
            }
        }
    }

    /// Returns when the device next has something to say; only for devices that keep their own time.
    pub(crate) fn next_event(&self) -> Instant {
        match self {
            Device::Calibrated(_) => Instant::NEVER,
            Device::Disk(disk) => disk.next_event(),
            Device::Flash(flash, _) => flash.next_event(),
        }
    }

    /// Advances to `now` and adds what is completed.
    pub(crate) fn advance(&mut self, now: Instant, completed: &mut Vec<Completed>) {
        match self {
            Device::Calibrated(_) => {}
            Device::Disk(disk) => disk.advance(now, completed),
            Device::Flash(flash, _) => flash.advance(now, completed),
        }
    }
}
