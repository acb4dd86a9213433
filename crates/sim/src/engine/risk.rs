//! Tells the [`Ledger`] of data at risk what happens to the writes of the measured load.
//!
//! Off unless the study asks (`risk` in a workload).

use stripewise_profiles::device::{DeviceProfile, Model};
use stripewise_study::load::Load;
use stripewise_study::risk::Risk;
use stripewise_units::Nanos;

use super::host_io::{Durable, Kind};
use super::layers::{Layers, Mapping};
use super::{Setup, SetupError, Simulation};
use crate::durability::{Cache, Extent, Ledger, Writes};
use crate::flush_queue::WriteCache;
use crate::io::{Member, MemberBio};
use crate::units::{Instant, Sectors};

/// A recording lasts for at least this many intervals of what happens beside the load: the highest
/// age is reached once in each.
const INTERVALS_MIN: u64 = 4;
/// A recording of bursts lasts for at least so many of their pauses.
const BURSTS_MIN: u64 = 32;

/// The data at risk of a simulation.
#[derive(Debug)]
pub(super) struct AtRisk {
    ledger: Ledger,
    /// The writes that each I/O carries, by its number.
    carried: Vec<Writes>,
    bios: Vec<MemberBio>,
    extents: Vec<Extent>,
    runs: Vec<[u64; 2]>,
}

impl AtRisk {
    fn carries(&mut self, io: u32, writes: Writes) {
        let place = io as usize;
        if place >= self.carried.len() {
            self.carried.resize(place + 1, Writes::NONE);
        }
        self.carried[place] = writes;
    }

    fn carried(&self, io: u32) -> Writes {
        let carried = self.carried.get(io as usize);
        carried.copied().unwrap_or(Writes::NONE)
    }
}

impl Setup<'_> {
    /// Returns the account of data at risk, if the study asks for it.
    pub(super) fn risk(&self, jobs: usize) -> Result<Option<Box<AtRisk>>, SetupError> {
        if !self.workload.load.risk {
            return Ok(None);
        }
        let is_whole = self.failed.is_empty() && self.conditions.failure.is_none();
        let is_pool = self.stack.pool().is_ok_and(|pool| pool.is_some());
        if !is_whole || self.rebuilding || is_pool {
            let what = match is_pool {
                true => "`risk` on btrfs or ZFS",
                false => "`risk` with a failed device",
            };
            let what = what.to_owned();
            return Err(SetupError::Unsupported { what });
        }
        let caches = self.devices.iter().map(|profile| self.keeps(profile));
        let caches: Vec<Cache> = caches.collect();
        Ok(Some(Box::new(AtRisk {
            ledger: Ledger::new(&caches, jobs),
            carried: Vec::new(),
            bios: Vec::new(),
            extents: Vec::new(),
            runs: Vec::new(),
        })))
    }

    /// Returns how a device keeps what it has acknowledged, whether or not the kernel sends flushes.
    fn keeps(&self, profile: &DeviceProfile) -> Cache {
        let is_on = self.cache_setting().is_on;
        match &profile.model {
            Model::Calibrated(model) if model.cache.is_volatile && is_on => Cache::UntilFlushed,
            Model::Flash(model) if model.write_buffer_is_volatile => Cache::UntilFlushed,
            Model::Disk(model)
                if is_on && model.write_cache_bytes > 0 && model.write_cache_runs_count > 0 =>
            {
                Cache::UntilDestaged
            }
            Model::Calibrated(_) | Model::Flash(_) | Model::Disk(_) => Cache::Durable,
        }
    }

    /// Returns how long a recording lasts at least.
    pub(super) fn recorded_min(&self) -> Nanos {
        let beside = self.beside().into_iter().map(|beside| beside.every);
        let bursts = self.workload.loads().filter_map(Load::burst);
        let times = |time: Option<Nanos>, count: u64| {
            let ns = time.unwrap_or_default().as_u64();
            Nanos::new(ns.saturating_mul(count))
        };
        times(beside.max(), INTERVALS_MIN).max(times(bursts.max(), BURSTS_MIN))
    }
}

impl Layers {
    /// Adds where the data of a write is that md needs after a power cut: all copies of a mirror, and
    /// not the parity.
    fn data_places(&mut self, start: Sectors, length: Sectors, bios: &mut Vec<MemberBio>) {
        let Mapping::Parity(array) = &self.mapping else {
            self.write_places(start, length, bios);
            return;
        };
        let geometry = *array.parity.geometry();
        let chunk = geometry.chunk_sectors();
        let (mut at, end) = (start.get(), (start + length).get());
        while at < end {
            let taken = (chunk - at % chunk).min(end - at);
            let found = geometry.locate(at);
            bios.push(MemberBio {
                member: found.member,
                operation: crate::io::Operation::Write,
                start: Sectors::new(found.sector),
                length: Sectors::new(taken),
                flags: crate::io::Flags::default(),
                tag: super::layers::METADATA_TAG,
            });
            at += taken;
        }
    }
}

impl Simulation {
    /// Notes that a job issues an I/O.
    pub(super) fn note_issue(&mut self, io: u32) {
        let (kind, job) = (self.ios[io].kind, &self.jobs[self.ios[io].job as usize]);
        let Some(risk) = &mut self.risk else {
            return;
        };
        let is_tracked = kind == Kind::Write && job.is_measured && !job.is_buffered;
        let writes = match is_tracked {
            true => Writes::one(risk.ledger.issue(self.ios[io].length.bytes().as_u64())),
            false => Writes::NONE,
        };
        risk.carries(io, writes);
    }

    /// Notes that a buffered write dirties its pages; returns it.
    pub(super) fn note_dirty(&mut self, io: u32) -> Writes {
        let is_measured = self.jobs[self.ios[io].job as usize].is_measured;
        let Some(risk) = self.risk.as_mut().filter(|_| is_measured) else {
            return Writes::NONE;
        };
        let writes = Writes::one(risk.ledger.issue(self.ios[io].length.bytes().as_u64()));
        risk.carries(io, writes);
        writes
    }

    /// Notes that the write-back of `writes` begins.
    pub(super) fn note_write_back(&mut self, io: u32, writes: Writes) {
        if let Some(risk) = &mut self.risk {
            risk.carries(io, writes);
        }
    }

    /// Notes that the data of an I/O is on its members.
    pub(super) fn note_written(&mut self, io: u32) {
        let Some(risk) = &mut self.risk else {
            return;
        };
        let writes = risk.carried(io);
        if self.ios[io].kind != Kind::Write || writes.is_empty() {
            return;
        }
        risk.bios.clear();
        risk.extents.clear();
        let (start, length) = (self.ios[io].start, self.ios[io].length);
        let is_fua = self.ios[io].durable == Durable::Fua;
        self.layers.data_places(start, length, &mut risk.bios);
        for bio in &risk.bios {
            let member = bio.member.index();
            let whole = [bio.start.get(), (bio.start + bio.length).get()];
            // With FUA, or with the flush after the data that stands for it.
            if is_fua && self.members[member].write_cache != WriteCache::Durable {
                continue;
            }
            risk.runs.clear();
            match risk.ledger.cache(member) {
                Cache::Durable => {}
                Cache::UntilFlushed => risk.runs.push(whole),
                Cache::UntilDestaged => {
                    let device = &self.members[member].device;
                    device.add_cached(whole, &mut risk.runs);
                }
            }
            let extents = risk.runs.iter().map(|[start, end]| Extent {
                member,
                start: *start,
                end: *end,
            });
            risk.extents.extend(extents);
        }
        risk.ledger.written(writes, &risk.extents, self.now);
    }

    /// Notes that an I/O of the measured load returned to its job.
    pub(super) fn note_return(&mut self, io: u32) {
        let Some(risk) = &mut self.risk else {
            return;
        };
        let host_io = &self.ios[io];
        let job = host_io.job as usize;
        match host_io.kind {
            Kind::Write => {
                let number = risk.carried(io).first;
                let is_promised = host_io.is_durable();
                risk.ledger.acknowledge(number, job, is_promised, self.now);
            }
            Kind::Sync => risk.ledger.synced(job, host_io.submitted, self.now),
            Kind::Read | Kind::ReadAhead => {}
        }
    }

    /// Notes that a flush is sent to a member's device.
    pub(super) fn note_flush_sent(&mut self, place: Member) {
        if let Some(risk) = &mut self.risk {
            risk.ledger.flush_sent(place.index());
        }
    }

    /// Notes that a member's device has done a flush.
    pub(super) fn note_flush_ended(&mut self, place: Member) {
        if let Some(risk) = &mut self.risk {
            risk.ledger.flush_ended(place.index(), self.now);
        }
    }

    /// Notes what a member's device has written back.
    pub(super) fn note_destaged(&mut self, place: Member) {
        let Some(risk) = &mut self.risk else {
            return;
        };
        let member = place.index();
        risk.runs.clear();
        self.members[member].device.take_destaged(&mut risk.runs);
        for run in risk.runs.drain(..) {
            risk.ledger.destaged(member, run, self.now);
        }
    }

    /// Begins to count.
    pub(super) fn begin_risk(&mut self, now: Instant) {
        if let Some(risk) = &mut self.risk {
            risk.ledger.begin(now);
        }
    }

    /// Returns the data at risk since the warm-up.
    pub(super) fn data_at_risk(&self) -> Option<Risk> {
        let risk = self.risk.as_ref()?;
        Some(risk.ledger.risk(self.now))
    }

    /// Returns whether the recording is long enough for what happens beside the load.
    pub(super) fn is_recorded_long(&self) -> bool {
        let began = self.totals.recording.unwrap_or_default();
        self.now.since(began) >= self.totals.recorded_min
    }
}
