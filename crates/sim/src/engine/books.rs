//! What is written down, and when it is enough.

use stripewise_study::sample::{
    Breakdown, CpuTime, DeviceDelta, Sample, Sequentiality, Utilisation,
};
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::warning::Warning;

use super::host_io::{HostIo, Kind};
use super::{Limits, Simulation};
use crate::breakdown::Waterfall;
use crate::record::{Done, Latencies};
use crate::steady::{Batches, as_f64};
use crate::units::{Instant, Sectors};

/// What the measured jobs did since the warm-up.
#[derive(Debug)]
pub(super) struct Books {
    pub(super) host_ios: u64,
    /// How many more may be issued.
    pub(super) ios_left: u64,
    /// Sectors of host I/Os that are done.
    pub(super) done_sectors: u64,
    /// Host I/Os under way.
    pub(super) in_flight: u64,
    pub(super) warm_up_ios: u64,
    /// The steps after which a warm-up ends early, once each place of the queues had an I/O.
    pub(super) warm_up_steps: u64,
    /// How many I/Os all jobs keep under way, and how many the measured ones do.
    pub(super) places: u64,
    pub(super) measured_places: u64,
    /// Whether the bound of the effort ended the simulation.
    pub(super) is_bounded: bool,
    /// When the warm-up ended; nothing before.
    pub(super) recording: Option<Instant>,
    /// Bios completed at members since the warm-up.
    pub(super) bios: u64,
    pub(super) read: Done,
    pub(super) write: Done,
    pub(super) sync: Latencies,
    pub(super) waterfall: Waterfall,
    pub(super) batches: Batches,
    pub(super) batch_is_full: bool,
    pub(super) began_at: Instant,
    /// Whether the state of the stack changes with what was written, so that only the whole
    /// duration is the answer.
    pub(super) changes: bool,
}

impl Books {
    /// Writes an I/O of a measured job down.
    #[inline]
    pub(super) fn record(&mut self, io: &HostIo, now: Instant) {
        if self.recording.is_none() {
            return;
        }
        let latency_ns = now.since(io.submitted).as_u64();
        let bytes = io.length.bytes().as_u64();
        match io.kind {
            Kind::Read => self.read.record(bytes, latency_ns),
            Kind::Write => self.write.record(bytes, latency_ns),
            Kind::Sync => {
                self.sync.record(latency_ns);
                return;
            }
        }
        self.waterfall.record(latency_ns, &io.parts);
        self.batch_is_full |= self.batches.add(bytes, now.as_nanos());
    }

    /// Returns whether the warm-up is done; beyond its share of the effort it is one I/O for each place
    /// of the queues.
    #[inline]
    pub(super) fn is_warm(&self, steps: u64) -> bool {
        self.host_ios >= self.warm_up_ios
            || (steps >= self.warm_up_steps && self.host_ios >= self.places)
    }

    /// Returns whether the estimate is steady, or a limit is reached.
    #[inline]
    pub(super) fn is_enough(&mut self, limits: &Limits, now: Instant, steps: u64) -> bool {
        if !self.batch_is_full {
            return now.since(self.began_at) > limits.duration;
        }
        self.batch_is_full = false;
        let Some(began) = self.recording else {
            return false;
        };
        if now.since(began) >= limits.duration || self.batches.ios() >= limits.ios_max {
            return true;
        }
        // Fewer I/Os than places would be no fair share of a round.
        if steps >= limits.steps_max && self.batches.ios() >= self.measured_places {
            self.is_bounded = true;
            return true;
        }
        !self.changes
            && self.bios >= limits.bios_min
            && self
                .batches
                .relative_half_width()
                .is_some_and(|width| width <= limits.half_width)
    }

    /// Returns the warning of a sample that the bound of the effort ended.
    fn cut_short(&self) -> Option<Warning> {
        self.is_bounded.then(|| Warning::SimulationCutShort {
            ios: self.batches.ios(),
        })
    }
}

impl Simulation {
    /// Ends the warm-up: everything counted so far is forgotten, everything under way goes on.
    pub(super) fn begin_recording(&mut self) {
        let now = self.now;
        let books = &mut self.books;
        books.recording = Some(now);
        books.began_at = now;
        books.bios = 0;
        books.read.clear();
        books.write.clear();
        books.sync.clear();
        books.waterfall.clear();
        books.batches = Batches::new(now.as_nanos());
        self.uplink.busy = [Nanos::default(); 2];
        for member in &mut self.members {
            member.reset_counters(now);
        }
        for job in &mut self.jobs {
            job.cpu_busy = Nanos::default();
        }
        self.begin_script();
        self.layers.reset_counters();
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.reset_counters(now);
        }
    }

    /// Returns what was measured since the warm-up.
    pub fn sample(&self) -> Sample {
        let began = self.books.recording.unwrap_or_default();
        let elapsed = self.now.since(began);
        let measured = self.jobs.iter().filter(|job| job.is_measured);
        let cpu = measured.fold(0, |sum, job| sum + job.cpu_busy.as_u64());
        let mut sample = Sample {
            started_unix_ns: None,
            elapsed_ns: elapsed,
            read: self.books.read.transfer(),
            write: self.books.write.transfer(),
            sync: self.books.sync.latency(),
            cpu: Some(CpuTime {
                user_ns: Nanos::default(),
                system_ns: Nanos::new(cpu),
            }),
            devices: self.deltas(),
            breakdown: Some(self.breakdown(elapsed)),
            series: None,
            events: Vec::new(),
            warnings: self.books.cut_short().into_iter().collect(),
        };
        self.add_timeline(&mut sample);
        sample
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
            }
        });
        delta.collect()
    }

    fn breakdown(&self, elapsed: Nanos) -> Breakdown {
        let share =
            |busy: Nanos| (as_f64(busy.as_u64()) / as_f64(elapsed.as_u64().max(1))).clamp(0.0, 1.0);
        let mut utilisation: Vec<Utilisation> = Vec::new();
        let mut add = |component: String, busy: Nanos| {
            utilisation.push(Utilisation {
                component,
                busy_share: share(busy),
            });
        };
        for member in &self.members {
            add(member.name.clone(), member.busy(self.now));
            add(
                format!("link of {}", member.name),
                member.counters.link_busy,
            );
        }
        // Both directions carry at once: the busier one limits.
        add(
            "uplink".to_owned(),
            self.uplink.busy[0].max(self.uplink.busy[1]),
        );
        let flusher = self.page_cache.flusher as usize;
        for (index, job) in self.jobs[..flusher].iter().enumerate() {
            add(format!("cpu of job {index}"), job.cpu_busy);
        }
        if let Some(busy) = self.layers.thread_busy() {
            add("parity thread".to_owned(), busy);
        }
        let sequentiality = self.members.iter().map(|member| Sequentiality {
            device: member.name.clone(),
            sequential_reads: member.counters.sequential_reads,
            sequential_writes: member.counters.sequential_writes,
        });
        Breakdown {
            mean: self.books.waterfall.mean(),
            slowest: self.books.waterfall.slowest(),
            utilisation,
            sequentiality: sequentiality.collect(),
            rebuild_bytes_per_s: self.rebuild_rate(),
        }
    }
}

fn bytes(sectors: u64) -> Bytes {
    Sectors::new(sectors).bytes()
}
