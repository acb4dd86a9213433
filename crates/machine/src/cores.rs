//! What each CPU did during a sample: its time, its interrupts, its clock; and the processor's heat.
//!
//! `/proc/stat` has the times (proc(5)), and `/proc/interrupts` one column for each online CPU
//! (`show_interrupts` in kernel/irq/proc.c). Both are counters, read before and after.
//!
//! A clock is only meaningful under load, so clocks and temperatures are read *during* a sample,
//! once a second. On x86 `scaling_cur_freq` is an average of the last ticks (`arch_freq_get_on_cpu`
//! in arch/x86/kernel/cpu/aperfmperf.c). The highest reading counts: the last one may be of an idle
//! CPU, after the load ended.

use std::collections::BTreeMap;

use stripewise_study::cpus::CpuSet;
use stripewise_study::host_during::{ClockFile, HostDuring};

use crate::cpu::cpu_policies;
use crate::cpu_times::{CpuTimes, times_of};
use crate::root::Root;

/// The drivers of hwmon whose sensors are in the processor.
const SENSORS: [&str; 5] = [
    "coretemp",
    "k10temp",
    "zenpower",
    "cpu_thermal",
    "scpi_sensors",
];
const HWMON: &str = "/sys/class/hwmon";

/// The counters of each CPU at one time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoreCounters {
    times: BTreeMap<u32, CpuTimes>,
    interrupts: BTreeMap<u32, u64>,
}

impl CoreCounters {
    /// Reads the counters. Cost: two files, whose length grows with the CPUs.
    pub fn read(root: &Root) -> Self {
        let times = root.text("/proc/stat").unwrap_or_default();
        let interrupts = root.text("/proc/interrupts").unwrap_or_default();
        Self {
            times: times.lines().filter_map(times_of_cpu).collect(),
            interrupts: interrupts_of_cpus(&interrupts),
        }
    }

    /// Returns what happened between `self` and `later`, with the readings taken meanwhile. CPUs
    /// that are not in both are skipped.
    pub fn until(&self, later: &Self, readings: &CoreReadings, root: &Root) -> HostDuring {
        let cpus: Vec<u32> = self
            .times
            .keys()
            .copied()
            .filter(|cpu| later.times.contains_key(cpu))
            .collect();
        let times = |cpu: &u32| {
            let (before, after) = (self.times.get(cpu), later.times.get(cpu));
            let both = before.zip(after);
            both.map_or_else(CpuTimes::default, |(before, after)| after.since(before))
        };
        let interrupts = |cpu: &u32| {
            let before = self.interrupts.get(cpu)?;
            Some(later.interrupts.get(cpu)?.saturating_sub(*before))
        };
        let clock = |cpu: &u32| readings.clock_max_khz.get(cpu).copied().unwrap_or(0);
        let has_clocks = readings.clock_file.is_some();
        HostDuring {
            cpu_user_ns: cpus.iter().map(|cpu| times(cpu).user_ns).collect(),
            cpu_system_ns: cpus.iter().map(|cpu| times(cpu).system_ns).collect(),
            cpu_interrupts: cpus
                .iter()
                .map(interrupts)
                .collect::<Option<_>>()
                .unwrap_or_default(),
            cpu_clock_max_khz: match has_clocks {
                true => cpus.iter().map(clock).collect(),
                false => Vec::new(),
            },
            clock_file: readings.clock_file,
            readings: readings.count,
            temperature_max_millicelsius: readings.temperature_max_millicelsius,
            load_average_hundredths: load_average(root),
            cpus: CpuSet::of(&cpus),
            load_cpus: None,
            syncs: 0,
            flushes: 0,
        }
    }
}

fn times_of_cpu(line: &str) -> Option<(u32, CpuTimes)> {
    let (name, rest) = line.split_once(' ')?;
    let cpu = name.strip_prefix("cpu")?.parse().ok()?;
    Some((cpu, times_of(rest.split_ascii_whitespace())?))
}

/// Sums the columns. Lines with fewer numbers than CPUs (`ERR`, `MIS`) count nothing of a CPU.
fn interrupts_of_cpus(text: &str) -> BTreeMap<u32, u64> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default().split_ascii_whitespace();
    let cpus: Option<Vec<u32>> = header
        .map(|name| name.strip_prefix("CPU")?.parse().ok())
        .collect();
    let cpus = cpus.unwrap_or_default();
    let mut sums = vec![0_u64; cpus.len()];
    for line in lines {
        let Some((_, counts)) = line.split_once(':') else {
            continue;
        };
        let counts = counts.split_ascii_whitespace().take(cpus.len());
        let counts: Option<Vec<u64>> = counts.map(|count| count.parse().ok()).collect();
        let counts = counts.filter(|counts| counts.len() == cpus.len());
        for (sum, count) in sums.iter_mut().zip(counts.unwrap_or_default()) {
            *sum = sum.saturating_add(count);
        }
    }
    cpus.into_iter().zip(sums).collect()
}

/// Returns the load average of the last minute, in hundredths: `0.52` is 52.
fn load_average(root: &Root) -> Option<u64> {
    let line = root.word("/proc/loadavg")?;
    let (whole, hundredths) = line.split(' ').next()?.split_once('.')?;
    let hundredths: u64 = (hundredths.len() == 2).then(|| hundredths.parse().ok())??;
    let whole: u64 = whole.parse().ok()?;
    Some(whole.saturating_mul(100).saturating_add(hundredths))
}

/// The highest clocks and temperatures that were read during a sample.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoreReadings {
    count: u32,
    clock_file: Option<ClockFile>,
    clock_max_khz: BTreeMap<u32, u64>,
    temperature_max_millicelsius: Option<i64>,
}

impl CoreReadings {
    /// Reads all clocks and temperatures once more. Cost: some small files for each CPU.
    pub fn read(&mut self, root: &Root) {
        self.count = self.count.saturating_add(1);
        for policy in cpu_policies(root) {
            let files = match self.clock_file {
                Some(file) => vec![file],
                None => ClockFile::ALL.to_vec(),
            };
            let found = files.into_iter().find_map(|file| {
                let khz = root.number(format!("{policy}/{}", file.file()))?;
                (khz > 0).then_some((file, khz))
            });
            let Some((file, khz)) = found else {
                continue;
            };
            self.clock_file = Some(file);
            let affected = root.word(format!("{policy}/affected_cpus"));
            for cpu in affected.unwrap_or_default().split(' ') {
                if let Ok(cpu) = cpu.parse() {
                    let highest = self.clock_max_khz.entry(cpu).or_default();
                    *highest = khz.max(*highest);
                }
            }
        }
        self.temperature_max_millicelsius = self.temperature_max_millicelsius.max(hottest(root));
    }
}

/// Returns the highest temperature of the processor's sensors (Documentation/hwmon/sysfs-interface).
fn hottest(root: &Root) -> Option<i64> {
    let folders = root.list(HWMON).into_iter();
    let folders = folders.map(|name| format!("{HWMON}/{name}"));
    let of_processor = folders.filter(|folder| {
        let name = root.word(format!("{folder}/name"));
        name.is_some_and(|name| SENSORS.contains(&name.as_str()))
    });
    let values = of_processor.flat_map(|folder| {
        let mut files = root.list(&folder);
        files.retain(|file| file.starts_with("temp") && file.ends_with("_input"));
        let read = |file: String| root.word(format!("{folder}/{file}"))?.parse().ok();
        files.into_iter().filter_map(read).collect::<Vec<i64>>()
    });
    values.max()
}
