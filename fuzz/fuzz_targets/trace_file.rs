//! Whatever bytes claim to be a trace: read to the end or refused, by detection and in each format,
//! never a panic, also not in what describes it. Events are in order of time, an end is not before its
//! beginning, there are no more ends than beginnings, and every I/O lies inside its device.

#![no_main]

#[cfg(not(test))]
use libfuzzer_sys::fuzz_target;
use stripewise_trace::fit::fit;
use stripewise_trace::profile::Profile;
use stripewise_trace::survey::Survey;
use stripewise_trace::{Event, FormatName, Names, Options, Reader};

fuzz_target!(|bytes: &[u8]| {
    let [kind, format, bytes @ ..] = bytes else {
        return;
    };
    let named = FormatName::ALL.get(usize::from(*format)).copied();
    // The format is named, or found from how the bytes begin.
    let is_found = kind & 0x10 != 0;
    let example = named
        .filter(|_| is_found)
        .map(|format| format.row().examples[0]);
    let bytes = &[example.unwrap_or_default().as_bytes(), bytes].concat();
    let device_bytes = (kind & 0x80 != 0).then_some(1 << 40);
    let options = Options {
        format: named.filter(|_| !is_found),
        device: (kind & 0x40 != 0).then(|| "8,0".to_owned()),
        device_bytes,
    };
    // Two inputs that belong together, or one.
    let half = if kind & 0x20 != 0 {
        bytes.len() / 2
    } else {
        bytes.len()
    };
    let (first, second) = bytes.split_at(half);
    let inputs = if second.is_empty() {
        vec![first]
    } else {
        vec![first, second]
    };
    let Ok(mut reader) = Reader::merge(inputs, options) else {
        return;
    };
    let mut events = Vec::new();
    let mut last = 0;
    let mut under_way = 0_u64;
    while let Ok(Some(event)) = reader.next_event() {
        let names = reader.names();
        let (at, device, process) = match event {
            Event::Begin(io) => {
                under_way += 1;
                let end = io.offset_bytes.checked_add(io.length_bytes);
                let end = end.expect("the end of an I/O fits into 64 bits");
                assert!(device_bytes.is_none_or(|bytes| end <= bytes));
                (io.at, io.device, io.process)
            }
            Event::End {
                at,
                began,
                device,
                process,
                ..
            } => {
                assert!(began <= at, "an end before its beginning");
                under_way = under_way
                    .checked_sub(1)
                    .expect("an end without a beginning");
                (at, device, process)
            }
        };
        assert!(at.as_u64() >= last, "time runs backwards");
        last = at.as_u64();
        assert!(names.devices.get(device.0 as usize).is_some());
        assert!(names.processes.get(process.0 as usize).is_some());
        events.push(event);
    }
    let _ = (
        reader.skipped().iter().count(),
        reader.facts(),
        reader.bytes_read(),
    );
    describe(&events, reader.names());
});

/// Describes the device with most I/Os, and fits a workload to it.
fn describe(events: &[Event], names: &Names) {
    let mut survey = Survey::default();
    events.iter().for_each(|event| survey.add(event, names));
    let devices = survey.devices(names);
    let Some(device) = devices.first() else {
        return;
    };
    let plan = survey.plan(device.device).expect("the device has I/Os");
    let mut profile = Profile::new(plan);
    for event in events {
        profile.add(event, names);
    }
    for fitted in fit(&profile) {
        assert!(fitted.workload.load.jobs > 0 && fitted.workload.load.depth > 0);
    }
}
