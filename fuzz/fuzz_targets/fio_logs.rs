//! Whatever bytes claim to be a log of fio's, beside a file whose job wrote one: a sample that adds
//! up, and never a panic.

#![no_main]

#[cfg(not(test))]
use libfuzzer_sys::fuzz_target;
use stripewise_fio::{Log, LogName, import_with_logs};
use stripewise_study::series::STEPS_MAX;

const JSON: &[u8] = include_bytes!("../../crates/fio/tests/data/logs/logs.json");

const NAMES: [&str; 5] = [
    "plot_bw.1.log",
    "plot_iops.1.log",
    "plot_lat.1.log",
    "plot_clat.1.log",
    "plot_clat_hist.1.log",
];

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.split(|byte| *byte == 0);
    let mut logs: Vec<Log> = NAMES
        .iter()
        .map(|name| Log {
            name: LogName::parse(name).expect("the name of a log"),
            bytes: parts.next().unwrap_or_default().to_vec(),
        })
        .collect();
    let runs = import_with_logs(JSON, &mut logs).expect("the file is good");
    assert!(logs.is_empty(), "all logs are the job's");
    let sample = &runs[0].cells[0].sample;
    let steps = sample.series.as_ref().map_or(0, |series| series.len());
    assert!(steps <= STEPS_MAX);
    for transfer in [&sample.read, &sample.write] {
        assert!(transfer.latency.histogram.count() <= transfer.ios);
    }
});
