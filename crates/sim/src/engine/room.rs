//! How much of a load fills what makes fresh devices fast.
//!
//! The areas that a profile states fill with what the devices are given: parity, copies, journals and
//! neighbours included. So the counters of any simulation of the load say when they are full, whether or
//! not it came that far, or settled.

use stripewise_study::sample::{Room, as_f64};
use stripewise_units::Bytes;

use super::Simulation;
use super::stationarity::{HELD_SHARE, MeasuredPhase, whole};
use crate::units::Sectors;

impl Simulation {
    /// Returns the room for the load, as if it never paused for so long that an area empties; `None` if the
    /// devices have none, get no writes, or what they get is not in proportion: the page cache takes some.
    pub(super) fn room(&self) -> Option<Room> {
        self.totals.recording?;
        let writes = self.members.iter().map(|one| one.counters.write_sectors);
        let to_devices = Sectors::new(writes.sum()).bytes().as_u64();
        let caches = self.page_cache.level().holds * HELD_SHARE > to_devices;
        let is_settled = self.stationarity.still_changing.is_none();
        match self.stationarity.phase {
            MeasuredPhase::Timed => return None,
            MeasuredPhase::Fresh if caches => return None,
            MeasuredPhase::Steady if caches && !is_settled => return None,
            MeasuredPhase::Fresh | MeasuredPhase::Steady => {}
        }
        let moved = as_f64(self.totals.read.bytes + self.totals.write.bytes);
        let mut room: Option<Room> = None;
        for member in &self.members {
            let written = Sectors::new(member.counters.write_sectors).bytes().as_u64();
            let area = member.device.fast_area();
            let (Some((_, fast)), true) = (area, written > 0 && moved > 0.0) else {
                continue;
            };
            let (_, buffer) = member.device.buffer(self.now).unwrap_or_default();
            let of_load = |bytes: u64| Bytes::new(whole(as_f64(bytes) * moved / as_f64(written)));
            let (fast, buffer) = (of_load(fast), of_load(buffer));
            let (first, last) = room.map_or((fast, fast), |room| (room.first, room.last));
            room = Some(Room {
                first: first.min(fast),
                last: last.max(fast),
                buffer: room.map_or(buffer, |room| room.buffer.min(buffer)),
            });
        }
        room
    }
}
