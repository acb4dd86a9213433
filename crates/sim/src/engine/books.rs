//! What is written down, and when it is enough.

use stripewise_study::sample::{
    Breakdown, CpuTime, DeviceDelta, Sample, Sequentiality, Utilisation,
};
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::warning::Warning;

use super::host_io::{HostIo, Kind};
use super::{Limits, Simulation};
use crate::breakdown::Waterfall;
use crate::host::Uplink;
use crate::record::{Done, Latencies};
use crate::steady::Batches;
use crate::units::{Instant, Sectors};
use stripewise_study::sample::as_f64;

/// What the measured jobs did since the warm-up.
#[derive(Debug)]
pub(super) struct Books {
    pub(super) host_ios: u64,
    /// How many more may be issued.
    pub(super) ios_left: u64,
    /// Host I/Os under way.
    pub(super) in_flight: u64,
    /// The I/Os after which a warm-up of a stated time ends; the others end when nothing changes.
    pub(super) warm_up_ios: u64,
    /// The effort after which it ends early, once each place of the queues had an I/O.
    pub(super) warm_up_effort: u64,
    /// How many I/Os all jobs keep under way, and how many the measured ones do.
    pub(super) places: u64,
    pub(super) measured_places: u64,
    /// Whether the bound of the effort ended the simulation.
    pub(super) is_bounded: bool,
    /// When the warm-up ended; nothing before.
    pub(super) recording: Option<Instant>,
    /// Bios sent to members, all in all.
    pub(super) bios_sent: u64,
    /// Bios completed at members, all in all and before the recording.
    pub(super) bios: u64,
    pub(super) bios_before: u64,
    /// What large bios cost beside their number where flash is simulated page by page, in I/Os.
    pub(super) flash_effort: u64,
    /// Reads and writes of the measured jobs since the beginning, and their bytes.
    pub(super) transfers: u64,
    pub(super) bytes: u64,
    pub(super) read: Done,
    pub(super) write: Done,
    pub(super) sync: Latencies,
    pub(super) waterfall: Waterfall,
    pub(super) batches: Batches,
    pub(super) batch_is_full: bool,
    pub(super) began_at: Instant,
}

impl Books {
    /// Writes an I/O of a measured job down.
    #[inline]
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
        }
        self.waterfall.record(latency_ns, &io.parts);
    }

    /// Returns whether a warm-up of a stated time is done; beyond its share of the effort it is one I/O
    /// for each place of the queues.
    #[inline]
    pub(super) fn is_warm(&self) -> bool {
        self.host_ios >= self.warm_up_ios
            || (self.ios() >= self.warm_up_effort && self.host_ios >= self.places)
    }

    /// Returns whether the time is over, or the effort spent.
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
        // Fewer I/Os than places would be no fair share of a round.
        self.is_bounded =
            self.ios() >= limits.ios_max && self.batches.ios() >= self.measured_places;
        self.is_bounded
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
        books.bios_before = books.bios;
        books.read.clear();
        books.write.clear();
        books.sync.clear();
        books.waterfall.clear();
        books.batches.clear(now.as_nanos());
        self.uplink.reset(now);
        self.bounds.begin();
        for member in &mut self.members {
            member.reset_counters(now);
        }
        for job in &mut self.jobs {
            job.cpu.reset(now);
        }
        self.begin_script();
        self.layers.reset_counters(now);
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.reset_counters(now);
        }
    }

    /// Returns what was measured since the warm-up.
    pub fn sample(&self) -> Sample {
        let began = self.books.recording.unwrap_or_default();
        let elapsed = self.now.since(began);
        let measured = self.jobs.iter().filter(|job| job.is_measured);
        let cpu = measured.fold(0, |sum, job| sum + job.cpu.busy(self.now).as_u64());
        let mut sample = Sample {
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
            warnings: self.warnings(),
            ..Sample::default()
        };
        self.add_timeline(&mut sample);
        sample
    }

    fn warnings(&self) -> Vec<Warning> {
        let cut_short = self.books.cut_short().into_iter();
        let unproved = self.proof.warning(self.books.host_ios);
        cut_short.chain(unproved).collect()
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

    /// Returns how long each component worked, and by how much rounding may exceed the truth.
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
        // Both directions carry at once: the busier one limits.
        times.push(("uplink".to_owned(), self.uplink.busy(now), Uplink::SLACK));
        let flusher = self.page_cache.flusher as usize;
        for (index, job) in self.jobs[..flusher].iter().enumerate() {
            times.push((format!("cpu of job {index}"), job.cpu.busy(now), exact));
        }
        let thread = self.layers.thread_busy(now);
        times.extend(thread.map(|busy| ("parity thread".to_owned(), busy, exact)));
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
            mean: self.books.waterfall.mean(),
            slowest: self.books.waterfall.slowest(),
            utilisation: utilisation.collect(),
            sequentiality: sequentiality.collect(),
            rebuild_bytes_per_s: self.rebuild_rate(),
        }
    }
}

fn bytes(sectors: u64) -> Bytes {
    Sectors::new(sectors).bytes()
}
