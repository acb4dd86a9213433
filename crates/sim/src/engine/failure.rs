//! A member that fails while the load runs, and what takes its place.
//!
//! When a device dies, what it has not answered comes back with an error. md writes the member off
//! (`md_error`), and from then on sends it nothing. A read goes to another copy (`reschedule_retry`
//! and `raid1_read_request` in raid1.c, `handle_read_error` in raid10.c) or is made up from the other
//! members (`retry_aligned_read` in raid5.c; `handle_stripe` for what was read into the cache). A
//! write has only lost a copy. Not modelled: that md stops everything else for a moment before it
//! reads again (`freeze_array`), and the superblocks that record the failure.
//!
//! A device is taken out once nothing of the array's is on its way to it (`remove_and_add_spares`
//! waits for `nr_pending`); a new one is rebuilt from end to end, the same one, where there is a
//! bitmap, where its bits say so (`md_bitmap_start_sync`, `conf->fullsync`).

use stripewise_study::failure::{Failure, Repair, Replacement};
use stripewise_study::sample::Sample;
use stripewise_study::series::Happened;
use stripewise_study::units::{Bytes, Nanos};

use super::host_io::Kind;
use super::layers::{Mapping, NOT_DATA};
use super::members::{NONE, Owner, Request};
use super::rebuild::{Rebuild, RebuildOf};
use super::{Limits, Simulation};
use crate::array::balance::{Raid1Read, choose_raid1, choose_raid10};
use crate::array::parity::Parity;
use crate::array::raid10::COPIES_MAX;
use crate::array::resync::SpeedLimits;
use crate::device::any::Device;
use crate::events::Event;
use crate::io::{Flags, Member, MemberBio, Operation, Place};
use crate::timeline::Timeline;
use crate::units::{Instant, Sectors};

/// The steps of a script, as events name them.
const FAIL: u32 = 0;
const REPAIR: u32 = 1;

/// How long a device that has not answered everything is waited for.
const RETRY: Nanos = Nanos::from_millis(1);

/// A sample that goes on until its rebuild is done ends after so many I/Os in any case.
const IOS_MAX: u64 = 256_000_000;

/// What is to happen in a sample, and what has.
#[derive(Debug)]
pub(super) struct Script {
    device: Member,
    at: Nanos,
    repair: Option<Repair>,
    until_rebuilt: bool,
    /// The device that replaces the failed one.
    spare: Option<Device>,
    rebuild: RebuildOf,
    speeds: SpeedLimits,
    /// What was rebuilt on the member.
    rebuilt: Sectors,
    is_rebuilt: bool,
    pub(super) timeline: Timeline,
}

impl Script {
    /// Returns the script of `failure`; `spare` is the device that may take the failed one's place.
    pub(super) fn new(
        failure: &Failure,
        device: Member,
        spare: Device,
        rebuild: RebuildOf,
    ) -> Self {
        Self {
            device,
            at: failure.at_ns,
            repair: failure.repair,
            until_rebuilt: failure.until_rebuilt && failure.is_repaired(),
            spare: Some(spare),
            rebuild,
            speeds: speed_limits(failure),
            rebuilt: Sectors::default(),
            is_rebuilt: false,
            timeline: Timeline::new(Limits::default().duration),
        }
    }

    /// Returns limits under which everything happens: an estimate that is steady early is no reason
    /// to end.
    pub(super) fn limits(&self, limits: &Limits) -> Limits {
        Limits {
            ios_max: limits.ios_max.max(IOS_MAX),
            ..*limits
        }
    }

    /// Returns the device that may take the failed one's place, while it has not.
    pub(super) fn spare_mut(&mut self) -> Option<&mut Device> {
        self.spare.as_mut()
    }

    /// Returns whether a sample that has lasted long enough has to go on.
    pub(super) fn goes_on(&self, ios: u64) -> bool {
        self.until_rebuilt && !self.is_rebuilt && ios < IOS_MAX
    }

    /// Takes note that so much of the member was rebuilt.
    pub(super) fn rebuilt(&mut self, at: Instant, length: Sectors) {
        self.rebuilt += length;
        self.timeline.rebuilt(at, length.bytes().as_u64());
    }

    /// Takes note that the rebuild is done.
    pub(super) fn rebuild_ended(&mut self, at: Instant) {
        self.is_rebuilt = true;
        let rebuilt_bytes = Some(self.rebuilt.bytes());
        self.timeline
            .happened(at, Happened::RebuildDone { rebuilt_bytes });
    }
}

/// Returns md's limits on the speed of a rebuild after `failure`.
fn speed_limits(failure: &Failure) -> SpeedLimits {
    let kib = |speed: Option<Bytes>, default: u64| {
        speed.map_or(default, |speed| (speed.as_u64() / 1024).max(1))
    };
    let default = SpeedLimits::DEFAULT;
    SpeedLimits {
        min_kib: kib(failure.sync_speed_min_bytes_per_s, default.min_kib),
        max_kib: kib(failure.sync_speed_max_bytes_per_s, default.max_kib),
    }
}

impl Simulation {
    /// The sample begins: what is to happen in it gets its time.
    pub(super) fn begin_script(&mut self) {
        let now = self.now;
        let Some(script) = &mut self.script else {
            return;
        };
        script.timeline.begin(now);
        match script.at {
            // It was missing from the start.
            at if at == Nanos::default() => {
                let device = u32::from(script.device.0);
                script.timeline.happened(now, Happened::Failed { device });
            }
            at => self.events.add(now + at, Event::Script(FAIL)),
        }
        if let Some(repair) = script.repair {
            self.events.add(now + repair.at_ns, Event::Script(REPAIR));
        }
    }

    /// The next thing happens.
    pub(super) fn script_goes_on(&mut self, step: u32) {
        match step {
            FAIL => self.fail_member(),
            _ => self.repair(),
        }
    }

    fn fail_member(&mut self) {
        let Some(script) = &mut self.script else {
            return;
        };
        let member = script.device;
        let device = u32::from(member.0);
        script
            .timeline
            .happened(self.now, Happened::Failed { device });
        self.members[member.index()].has_failed = true;
        self.layers.fail_member(member);
        // Stripes that wait for the member go on without it.
        self.wake_thread(self.now);
    }

    /// The device comes back, or another takes its place, as soon as the failed one has answered all.
    fn repair(&mut self) {
        let Some(script) = &mut self.script else {
            return;
        };
        let member = script.device;
        if !self.members[member.index()].is_quiet() {
            self.events.add(self.now + RETRY, Event::Script(REPAIR));
            return;
        }
        let state = &mut self.members[member.index()];
        state.has_failed = false;
        let device = u32::from(member.0);
        let is_new = script
            .repair
            .is_some_and(|repair| repair.with == Replacement::New);
        let what = match (is_new, script.spare.take()) {
            (true, Some(spare)) => {
                state.replace_device(spare);
                Happened::Replaced { device }
            }
            _ => Happened::ReAdded { device },
        };
        script.timeline.happened(self.now, what);
        let size_bytes = script.rebuild.size.bytes();
        script
            .timeline
            .happened(self.now, Happened::RebuildBegan { size_bytes });
        let rebuild = Rebuild::new(script.rebuild, script.speeds, member, self.now);
        self.rebuild = Some(match is_new {
            true => rebuild,
            false => rebuild.only_missed(),
        });
        self.layers.begin_rebuild(member);
        self.events.add(self.now, Event::Rebuild);
    }

    /// A request comes back from a device that has died: a read is made again elsewhere.
    pub(super) fn request_failed(&mut self, request: &Request) {
        if request.operation != Operation::Read || request.first_tag == NOT_DATA {
            return;
        }
        match request.owner {
            Owner::Io(io) => self.read_other_copy(io, request),
            Owner::Parity => self.read_through_parity(request),
            Owner::Rebuild => {}
        }
    }

    /// Reads what `request` did not give from other copies.
    fn read_other_copy(&mut self, io: u32, request: &Request) {
        self.bios.clear();
        let (mut at, mut left) = (request.start, request.length);
        while left > Sectors::default() {
            let place = Place {
                member: request.member,
                sector: at,
            };
            let Some((other, part)) = self.layers.other_copy(place, left) else {
                break;
            };
            self.layers.heads[other.member.index()].begin();
            self.bios.push(MemberBio {
                member: other.member,
                operation: Operation::Read,
                start: other.sector,
                length: part,
                flags: Flags::default(),
                tag: request.first_tag,
            });
            at += part;
            left = left - part;
        }
        let end = self.now + Nanos::new(self.bios.len() as u64 * self.costs.bio.as_u64());
        self.send_through_plug(Owner::Io(io), self.now, end, Operation::Read);
    }

    /// Reads what bypassed the stripe cache again through it.
    fn read_through_parity(&mut self, request: &Request) {
        let Mapping::Parity(array) = &mut self.layers.mapping else {
            return;
        };
        // A part that is not its bio's last one is not waited for, so nobody misses it.
        let io = array.io_of(request.first_tag);
        if request.parts == 0 || io == NONE || !Parity::is_bypass(request.first_tag) {
            return;
        }
        let retries = array
            .parity
            .retry_read(io, request.member, request.start, request.length);
        self.ios[io].expect_more(retries);
    }

    /// Writes an I/O of the load down that is done, step by step.
    #[inline]
    pub(super) fn record_in_script(&mut self, io: u32) {
        let Some(script) = &mut self.script else {
            return;
        };
        let io = &self.ios[io];
        if self.books.recording.is_some() && io.kind != Kind::Sync {
            let latency_ns = self.now.since(io.submitted).as_u64();
            let bytes = io.length.bytes().as_u64();
            let is_write = io.kind == Kind::Write;
            script
                .timeline
                .record(self.now, is_write, bytes, latency_ns);
        }
    }

    /// Adds what happened to a sample.
    pub(super) fn add_timeline(&self, sample: &mut Sample) {
        let Some(script) = &self.script else {
            return;
        };
        sample.series = Some(script.timeline.series(self.now));
        sample.events = script.timeline.events().to_vec();
        if let Some(rebuild) = &self.rebuild {
            sample.events.push(stripewise_study::series::SampleEvent {
                at_ns: self.now.since(script.timeline.began()),
                what: Happened::RebuildUnfinished {
                    reached_bytes: rebuild.reached().bytes(),
                    size_bytes: script.rebuild.size.bytes(),
                },
            });
        }
    }
}

impl super::layers::Layers {
    /// Takes a member out: it is neither read nor written from now on.
    fn fail_member(&mut self, member: Member) {
        self.heads[member.index()].readable = false;
        self.heads[member.index()].recovered = Sectors::default();
        self.written[member.index()] = false;
        if let Some(bitmap) = &mut self.bitmap {
            bitmap.set_degraded(true);
        }
        if let Mapping::Parity(array) = &mut self.mapping {
            // Whether the array survives it was checked when it was built.
            let survived = array.parity.fail_member(member);
            debug_assert!(survived.is_ok(), "{survived:?}");
        }
    }

    /// Lets a member be written again; it is read when it is whole.
    fn begin_rebuild(&mut self, member: Member) {
        self.written[member.index()] = true;
        if let Some(bitmap) = &mut self.bitmap {
            bitmap.set_degraded(self.written.contains(&false));
        }
        if let Mapping::Parity(array) = &mut self.mapping {
            array.parity.replace_member(member);
        }
    }

    /// Lets what a member holds before `sector` again be read (`recovery_offset`).
    pub(super) fn recovered(&mut self, member: Member, sector: Sectors) {
        self.heads[member.index()].recovered = sector;
        if let Mapping::Parity(array) = &mut self.mapping {
            array.parity.set_rebuilt(sector);
        }
    }

    /// Lets a member that is whole again be read.
    pub(super) fn end_rebuild(&mut self, member: Member) {
        self.heads[member.index()].readable = true;
        if let Some(bitmap) = &mut self.bitmap {
            bitmap.forget_missed();
        }
        if let Mapping::Parity(array) = &mut self.mapping {
            array.parity.finish_rebuild();
        }
    }

    /// Returns how much of `length` from `at` on a member that came back has missed, if it has missed
    /// the beginning: a request ends where that does (`sync_blocks` in `raid1_sync_request`), on
    /// raid10 with the bit (`raid10_sync_request`).
    pub(super) fn missed_length(&self, member: Member, at: Sectors, length: Sectors) -> Sectors {
        let Some(bitmap) = &self.bitmap else {
            return length;
        };
        if let Mapping::Raid10(map, _) = &self.mapping {
            let sector = map.find_virtual(Place { member, sector: at });
            return sector.map_or(length, |sector| bitmap.missed(sector).1.min(length));
        }
        let mut end = at;
        while end < at + length {
            let (missed, left) = bitmap.missed(end);
            if !missed {
                break;
            }
            end += left;
        }
        length.min(end - at)
    }

    /// Returns how much of a member from `at` on holds what it should, as far as the bitmap can tell
    /// at once; nothing if it may not (`md_bitmap_start_sync`).
    pub(super) fn not_missed(&self, member: Member, at: Sectors) -> Option<Sectors> {
        let bitmap = self.bitmap.as_ref()?;
        let (sector, length) = match &self.mapping {
            Mapping::Raid10(map, _) => {
                let place = Place { member, sector: at };
                let most = Sectors::new(u64::MAX / 2);
                match map.find_virtual(place) {
                    Some(sector) => (sector, map.first_length(sector, most)),
                    // A place in the last row that no chunk uses.
                    None => return Some(Sectors::new(8)),
                }
            }
            _ => (at, Sectors::new(u64::MAX / 2)),
        };
        let (missed, bit) = bitmap.missed(sector);
        (!missed).then_some(bit.min(length))
    }

    /// Returns where else what `place` holds can be read, and how much of `length` goes on there.
    fn other_copy(&self, place: Place, length: Sectors) -> Option<(Place, Sectors)> {
        match &self.mapping {
            Mapping::Raid1(_, rule) => {
                let read = Raid1Read {
                    rule: *rule,
                    start: place.sector,
                    is_unsynced: false,
                };
                let member = choose_raid1(read, &self.heads)?;
                let sector = place.sector;
                Some((Place { member, sector }, length))
            }
            Mapping::Raid10(map, read) => {
                let sector = map.find_virtual(place)?;
                let mut places = [Place::default(); COPIES_MAX];
                let copies = map.find(sector, &mut places);
                let slot = choose_raid10(*read, &self.heads, &places[..copies])?;
                Some((places[slot], map.first_length(sector, length)))
            }
            _ => None,
        }
    }
}
