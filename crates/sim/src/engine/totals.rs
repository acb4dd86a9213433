//! The totals of a simulation, and when they suffice.

use stripewise_study::sample::{
    Breakdown, CpuTime, DeviceDelta, Sample, SectorsSums, Sequentiality, Utilisation,
};
use stripewise_study::warning::Warning;
use stripewise_units::{Bytes, Nanos};

use super::host_io::{HostIo, Kind};
use super::{Limits, Simulation};
use crate::breakdown::Waterfall;
use crate::host::Uplink;
use crate::record::{Done, Latencies};
use crate::steady::Batches;
use crate::units::{Instant, Sectors};
use stripewise_study::sample::as_f64;

/// The totals of the jobs, mostly of the measured ones since the warm-up.
#[derive(Debug)]
pub(super) struct Totals {
    pub(super) host_ios: u64,
    /// I/Os that may still be issued.
    pub(super) ios_left: u64,
    /// Host I/Os in flight.
    pub(super) in_flight: u64,
    /// The I/Os after which the warm-up of a timed simulation ends; other warm-ups end in the
    /// steady state.
    pub(super) warm_up_ios: u64,
    /// The effort after which that warm-up ends early, once each queue slot had an I/O.
    pub(super) warm_up_effort: u64,
    /// The queue slots of all jobs (I/Os kept in flight), and those of the measured jobs.
    pub(super) places: u64,
    pub(super) measured_places: u64,
    /// Whether the limit on the effort ended the simulation.
    pub(super) is_bounded: bool,
    /// When the warm-up ended; `None` before that.
    pub(super) recording: Option<Instant>,
    /// All bios sent to members.
    pub(super) bios_sent: u64,
    /// Bios completed at members: all, and those before the recording.
    pub(super) bios: u64,
    pub(super) bios_before: u64,
    /// The extra effort for large bios on flash that is simulated page by page, in I/Os.
    pub(super) flash_effort: u64,
    /// Reads and writes of the measured jobs since the start, and their bytes.
    pub(super) transfers: u64,
    pub(super) bytes: u64,
    pub(super) read: Done,
    pub(super) write: Done,
    pub(super) sync: Latencies,
    /// The bytes that the neighbours wrote since the warm-up.
    pub(super) beside_bytes: u64,
    pub(super) waterfall: Waterfall,
    pub(super) batches: Batches,
    pub(super) batch_is_full: bool,
    pub(super) began_at: Instant,
    /// How long a recording lasts at least.
    pub(super) recorded_min: Nanos,
}

impl Totals {
    /// Records an I/O of a measured job.
    #[inline(always)]
    pub(super) fn record(&mut self, io: &HostIo, now: Instant) {
        let bytes = io.length.bytes().as_u64();
        if io.kind != Kind::Sync {
            self.transfers += 1;
            self.bytes += bytes;
            self.batch_is_full |= self.batches.add(bytes, now.as_nanos());
        }
        if self.recording.is_none() {
            return;
        }
        let latency_ns = now.since(io.submitted).as_u64();
        match io.kind {
            Kind::Read => self.read.record(bytes, latency_ns),
            Kind::Write => self.write.record(bytes, latency_ns),
            Kind::Sync => {
                self.sync.record(latency_ns);
                return;
            }
            Kind::ReadAhead => return,
        }
        self.waterfall.record(latency_ns, &io.parts);
    }

    /// Records an I/O of a neighbour.
    #[inline]
    pub(super) fn record_beside(&mut self, io: &HostIo) {
        if io.kind == Kind::Write {
            self.beside_bytes += io.length.bytes().as_u64();
        }
    }

    /// Returns whether the warm-up of a timed simulation is done. Beyond its share of the effort,
    /// one I/O for each queue slot is enough.
    #[inline]
    pub(super) fn is_warm(&self) -> bool {
        self.host_ios >= self.warm_up_ios
            || (self.ios() >= self.warm_up_effort && self.host_ios >= self.places)
    }

    /// Returns whether the time or the effort is used up.
    #[inline]
    pub(super) fn is_over(&mut self, limits: &Limits, now: Instant) -> bool {
        if !self.batch_is_full {
            return now.since(self.began_at) > limits.duration;
        }
        self.batch_is_full = false;
        let Some(began) = self.recording else {
            return false;
        };
        if now.since(began) >= limits.duration {
            return true;
        }
        // With fewer I/Os than queue slots, some slots would be missing.
        self.is_bounded =
            self.ios() >= limits.ios_max && self.batches.ios() >= self.measured_places;
        self.is_bounded
    }

    /// Returns the warning of a sample that the limit on the effort ended.
    fn cut_short(&self) -> Option<Warning> {
        self.is_bounded.then(|| Warning::SimulationCutShort {
            ios: self.read.latencies.count() + self.write.latencies.count(),
        })
    }
}

impl Simulation {
    /// Ends the warm-up: resets all counters; I/O in flight continues.
    pub(super) fn begin_recording(&mut self) {
        let now = self.now;
        let totals = &mut self.totals;
        totals.recording = Some(now);
        totals.began_at = now;
        totals.bios_before = totals.bios;
        totals.read.clear();
        totals.write.clear();
        totals.sync.clear();
        totals.beside_bytes = 0;
        totals.waterfall.clear();
        totals.batches.clear(now.as_nanos());
        self.uplink.reset(now);
        self.bounds.begin();
        for member in &mut self.members {
            member.reset_counters(now);
        }
        self.cores.reset(now);
        self.locks.reset(now);
        self.begin_risk(now);
        self.begin_script();
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.reset_counters(now);
        }
    }

    /// Returns the sample measured since the warm-up.
    pub fn sample(&self) -> Sample {
        let began = self.totals.recording.unwrap_or_default();
        let elapsed = self.now.since(began);
        let measured = self
            .jobs
            .iter()
            .enumerate()
            .filter(|(_, job)| job.is_measured);
        let cpu = measured.map(|(task, _)| self.cores.busy(task, self.now).as_u64());
        let cpu = cpu.sum();
        let has_neighbours = self.jobs.iter().any(|job| job.is_neighbour);
        let mut sample = Sample {
            elapsed_ns: self.long_run_time(elapsed),
            read: self.totals.read.transfer(),
            write: self.totals.write.transfer(),
            neighbours_write_bytes: has_neighbours.then(|| Bytes::new(self.totals.beside_bytes)),
            sync: self.totals.sync.latency(),
            cpu: Some(CpuTime {
                user_ns: Nanos::default(),
                system_ns: Nanos::new(cpu),
            }),
            devices: self.deltas(),
            breakdown: Some(self.breakdown(elapsed)),
            risk: self.data_at_risk(),
            warnings: self.warnings(),
            ..Sample::default()
        };
        self.add_timeline(&mut sample);
        sample
    }

    fn warnings(&self) -> Vec<Warning> {
        let cut_short = self.totals.cut_short().into_iter();
        let still_changing = self.stationarity.warning(self.totals.host_ios);
        let from_memory = self.memory_warning();
        let throttled = self.throttling_warning();
        let noticed = cut_short.chain(still_changing).chain(from_memory);
        noticed.chain(throttled).collect()
    }

    /// Returns which sectors of its data area each member read and wrote.
    pub fn sectors_sums(&self) -> Vec<SectorsSums> {
        let members = self.members.iter();
        members.map(|member| member.counters.sectors_sums).collect()
    }

    fn deltas(&self) -> Vec<DeviceDelta> {
        let members = self.members.iter();
        let delta = members.map(|member| {
            let counters = &member.counters;
            DeviceDelta {
                device: member.name.clone(),
                reads: counters.reads,
                read_merges: counters.read_merges,
                read_bytes: bytes(counters.read_sectors),
                writes: counters.writes,
                write_merges: counters.write_merges,
                write_bytes: bytes(counters.write_sectors),
                flushes: Some(counters.flushes),
                busy_ns: member.busy(self.now),
                sectors_sums: None,
            }
        });
        delta.collect()
    }

    /// Returns how long each component was busy, and by how much rounding may overstate it.
    pub(super) fn busy_times(&self) -> Vec<(String, Nanos, Nanos)> {
        let (now, exact) = (self.now, Nanos::default());
        let mut times = Vec::new();
        for member in &self.members {
            times.push((member.name.clone(), member.busy(now), exact));
            times.push((
                format!("link of {}", member.name),
                member.link_busy(),
                exact,
            ));
        }
        // Both directions run at once: the busier one limits.
        times.push(("uplink".to_owned(), self.uplink.busy(now), Uplink::SLACK));
        let lock = self.locks.busy(now);
        if lock > exact {
            times.push(("array lock".to_owned(), lock, exact));
        }
        let flusher = self.page_cache.flusher as usize;
        for job in 0..flusher {
            times.push((
                format!("cpu of job {job}"),
                self.cores.busy(job, now),
                exact,
            ));
        }
        let thread = self.layers.thread as usize;
        let is_parity = self.layers.is_parity();
        let busy = is_parity.then(|| self.cores.busy(thread, now));
        times.extend(busy.map(|busy| ("parity thread".to_owned(), busy, exact)));
        let shared = self.cores.shared_busy(now);
        times.extend(shared.map(|busy| ("all cores".to_owned(), busy, exact)));
        times
    }

    fn breakdown(&self, elapsed: Nanos) -> Breakdown {
        let share = |busy: Nanos| as_f64(busy.as_u64()) / as_f64(elapsed.as_u64().max(1));
        let busy_times = self.busy_times().into_iter();
        let utilisation = busy_times.map(|(component, busy, _)| Utilisation {
            component,
            busy_share: share(busy),
        });
        let sequentiality = self.members.iter().map(|member| Sequentiality {
            device: member.name.clone(),
            sequential_reads: member.counters.sequential_reads,
            sequential_writes: member.counters.sequential_writes,
        });
        Breakdown {
            onset: self.onset(),
            mean: self.totals.waterfall.mean(),
            slowest: self.totals.waterfall.slowest(),
            utilisation: utilisation.collect(),
            sequentiality: sequentiality.collect(),
            rebuild_bytes_per_s: self.rebuild_rate(),
            uncertainty: None,
            own_rate: None,
            room: self.room(),
            fresh: None,
        }
    }
}

fn bytes(sectors: u64) -> Bytes {
    Sectors::new(sectors).bytes()
}
