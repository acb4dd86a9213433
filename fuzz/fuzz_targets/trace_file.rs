//! Whatever bytes claim to be a trace: events in order of time, every end with a beginning before it,
//! and never a panic, also not in what describes them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stripewise_trace::Reader;
use stripewise_trace::event::Event;
use stripewise_trace::fit::fit;
use stripewise_trace::profile::Profile;
use stripewise_trace::survey::Survey;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut reader) = Reader::new(bytes) else {
        return;
    };
    let (mut events, mut survey) = (Vec::new(), Survey::default());
    let mut last = 0;
    while let Some(event) = reader.next_event().expect("memory can be read") {
        let (now, began) = match &event {
            Event::Begin(io) => (io.at.as_u64(), io.at.as_u64()),
            Event::End { at, began, .. } => (at.as_u64(), began.as_u64()),
        };
        assert!(last <= now && began <= now, "time goes on");
        last = now;
        survey.add(&event, reader.names());
        events.push(event);
    }
    let devices = survey.devices(reader.names());
    let Some(device) = devices.first() else {
        return;
    };
    let plan = survey.plan(device.device).expect("the device has I/Os");
    let mut profile = Profile::new(plan);
    for event in &events {
        profile.add(event, reader.names());
    }
    for fitted in fit(&profile) {
        assert!(fitted.workload.load.jobs > 0 && fitted.workload.load.depth > 0);
    }
});
