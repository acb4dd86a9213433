//! A member that fails while the load runs, and its replacement.
//!
//! When a device fails, its outstanding requests complete with errors. md marks the member faulty
//! (`md_error`) and no longer sends it I/O. A read goes to another copy (`reschedule_retry` and
//! `raid1_read_request` in raid1.c, `handle_read_error` in raid10.c) or is reconstructed from the
//! other members (`retry_aligned_read` in raid5.c; `handle_stripe` for reads into the cache). A
//! write only loses a copy. Not modelled: the pause of all other I/O before md retries a read
//! (`freeze_array`), and the superblock writes that record the failure.
//!
//! A device is removed once the array has no I/O in flight to it (`remove_and_add_spares` waits for
//! `nr_pending`). A new device is rebuilt from end to end; the same device, if there is a bitmap,
//! only where its bits are set (`md_bitmap_start_sync`, `conf->fullsync`).

use stripewise_study::failure::{Failure, Repair, Replacement};
use stripewise_study::sample::Sample;
use stripewise_study::series::Happened;
use stripewise_units::Nanos;

use super::host_io::Kind;
use super::layers::{METADATA_TAG, Mapping};
use super::members::{NONE, Owner, Request};
use super::rebuild::{Rebuild, RebuildOf};
use super::{Limits, Simulation};
use crate::array::balance::{Raid1Read, choose_raid1, choose_raid10};
use crate::array::parity::Parity;
use crate::array::raid10::COPIES_MAX;
use crate::array::resync::SpeedLimits;
use crate::device::any::Device;
use crate::events::Event;
use crate::io::{Member, MemberBio, Operation, Place};
use crate::timeline::Timeline;
use crate::units::{Instant, Sectors};

/// The steps of a script, as numbered in events.
const FAIL: u32 = 0;
const REPAIR: u32 = 1;

/// How long to wait before checking again for outstanding requests.
const RETRY: Nanos = Nanos::from_millis(1);

/// The maximum I/Os of a sample that runs until its rebuild is done.
const IOS_MAX: u64 = 256_000_000;

/// The planned events of a sample, and those that have happened.
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
    /// The sectors rebuilt on the member.
    rebuilt: Sectors,
    is_rebuilt: bool,
    pub(super) timeline: Timeline,
}

impl Script {
    /// Returns the script of `failure`; `spare` is the device that may replace the failed one.
    pub(super) fn new(
        failure: &Failure,
        device: Member,
        spare: Device,
        rebuild: RebuildOf,
        speeds: SpeedLimits,
    ) -> Self {
        Self {
            device,
            at: failure.at_ns,
            repair: failure.repair,
            until_rebuilt: failure.until_rebuilt && failure.is_repaired(),
            spare: Some(spare),
            rebuild,
            speeds,
            rebuilt: Sectors::default(),
            is_rebuilt: false,
            timeline: Timeline::new(Limits::default().duration),
        }
    }

    /// Returns limits that leave time for all events: the sample does not end early on a steady
    /// estimate.
    pub(super) fn limits(&self, limits: &Limits) -> Limits {
        Limits {
            ios_max: limits.ios_max.max(IOS_MAX),
            ..*limits
        }
    }

    /// Returns the device that may replace the failed one, until it does.
    pub(super) fn spare_mut(&mut self) -> Option<&mut Device> {
        self.spare.as_mut()
    }

    /// Returns whether a sample of full length must continue for its rebuild.
    pub(super) fn extends_sample(&self, ios: u64) -> bool {
        self.until_rebuilt && !self.is_rebuilt && ios < IOS_MAX
    }

    /// Counts `length` as rebuilt on the member.
    pub(super) fn rebuilt(&mut self, at: Instant, length: Sectors) {
        self.rebuilt += length;
        self.timeline.rebuilt(at, length.bytes().as_u64());
    }

    /// Records the end of the rebuild.
    pub(super) fn rebuild_ended(&mut self, at: Instant) {
        self.is_rebuilt = true;
        let rebuilt_bytes = Some(self.rebuilt.bytes());
        self.timeline
            .happened(at, Happened::RebuildDone { rebuilt_bytes });
    }
}

impl Simulation {
    /// Begins the sample and schedules its events.
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

    /// Runs a step of the script.
    pub(super) fn run_script_step(&mut self, step: u32) {
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
        // Stripes that wait for the member continue without it.
        self.wake_thread(self.now);
    }

    /// Re-adds or replaces the device, as soon as the failed one has no outstanding requests.
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

    /// Handles a request that failed with its device: a read is retried elsewhere.
    pub(super) fn request_failed(&mut self, request: &Request) {
        if request.operation != Operation::Read || request.first_tag == METADATA_TAG {
            return;
        }
        match request.owner {
            Owner::Io(io) => self.read_other_copy(io, request),
            Owner::Parity => self.read_through_parity(request),
            Owner::Bitmap | Owner::Superblock | Owner::Rebuild | Owner::FlushQueue => {}
        }
    }

    /// Reads the data of the failed `request` from other copies.
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
                tag: request.first_tag,
                ..MemberBio::new(Operation::Read, other, part)
            });
            at += part;
            left = left - part;
        }
        let end = self.now + Nanos::new(self.bios.len() as u64 * self.costs.bio.as_u64());
        self.send_through_plug(Owner::Io(io), self.now, end, Operation::Read);
    }

    /// Retries a read that bypassed the stripe cache through the cache.
    fn read_through_parity(&mut self, request: &Request) {
        let Mapping::Parity(array) = &mut self.layers.mapping else {
            return;
        };
        // Only the last part of a bio is waited for, so the others need no retry.
        let io = array.io_of(request.first_tag);
        if request.parts == 0 || io == NONE || !Parity::is_bypass(request.first_tag) {
            return;
        }
        let retries = array
            .parity
            .retry_read(io, request.member, request.start, request.length);
        self.ios[io].expect_more(retries);
    }

    /// Records a completed I/O of the load in the timeline.
    #[inline]
    pub(super) fn record_in_script(&mut self, io: u32) {
        let Some(script) = &mut self.script else {
            return;
        };
        let io = &self.ios[io];
        if self.totals.recording.is_some() && io.kind != Kind::Sync {
            let latency_ns = self.now.since(io.submitted).as_u64();
            let bytes = io.length.bytes().as_u64();
            let is_write = io.kind == Kind::Write;
            script
                .timeline
                .record(self.now, is_write, bytes, latency_ns);
        }
    }

    /// Adds the timeline to a sample.
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
    /// Removes a member: it is neither read nor written from now on.
    fn fail_member(&mut self, member: Member) {
        self.heads[member.index()].readable = false;
        self.heads[member.index()].recovered = Sectors::default();
        self.written[member.index()] = false;
        if let Some(bitmap) = &mut self.bitmap {
            bitmap.set_degraded(true);
        }
        if let Mapping::Parity(array) = &mut self.mapping {
            // Setup has checked that the array survives this.
            let survived = array.parity.fail_member(member);
            debug_assert!(survived.is_ok(), "{survived:?}");
        }
    }

    /// Allows writes to a member again; reads are allowed when it is whole.
    fn begin_rebuild(&mut self, member: Member) {
        self.written[member.index()] = true;
        if let Some(bitmap) = &mut self.bitmap {
            bitmap.set_degraded(self.written.contains(&false));
        }
        if let Mapping::Parity(array) = &mut self.mapping {
            array.parity.replace_member(member);
        }
    }

    /// Allows reads of a member below `sector` (`recovery_offset`).
    pub(super) fn recovered(&mut self, member: Member, sector: Sectors) {
        self.heads[member.index()].recovered = sector;
        if let Mapping::Parity(array) = &mut self.mapping {
            array.parity.set_rebuilt(sector);
        }
    }

    /// Allows reads of a member that is whole again.
    pub(super) fn end_rebuild(&mut self, member: Member) {
        self.heads[member.index()].readable = true;
        if let Some(bitmap) = &mut self.bitmap {
            bitmap.forget_missed();
        }
        if let Mapping::Parity(array) = &mut self.mapping {
            array.parity.finish_rebuild();
        }
    }

    /// Returns how much of `length` from `at` a re-added member has missed, if it has missed the
    /// beginning: a request ends where the missed part ends (`sync_blocks` in
    /// `raid1_sync_request`), on raid10 with the bit (`raid10_sync_request`).
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

    /// Returns how many sectors of a member from `at` on are up to date according to the bitmap;
    /// `None` if `at` itself may not be (`md_bitmap_start_sync`).
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

    /// Returns another copy of `place`, and how much of `length` lies there.
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
