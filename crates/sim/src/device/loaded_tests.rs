use stripewise_profiles::device::calibrated::{LinkProfile, LoadPoint, MixPoint};
use stripewise_profiles::device::curve::CurvePoint;

use super::*;
use crate::random::Component;

/// Reads of 4 KiB in 100 us; two in flight are served 1.5 times as fast, four and more twice.
fn profile() -> CalibratedProfile {
    let point = |in_flight, gain| LoadPoint {
        in_flight,
        gain,
        p99_over_p50: None,
        p50_over_mean: None,
    };
    let direction = |time_ns| DirectionProfile {
        servers: 1,
        p99_over_p50: 1.0,
        p50_over_mean: None,
        random: vec![CurvePoint {
            size_bytes: 4096,
            time_ns,
        }],
        sequential: Vec::new(),
        under_load: vec![point(2, 1.5), point(4, 2.0)],
        under_mix: Vec::new(),
    };
    CalibratedProfile {
        link: LinkProfile {
            read_bytes_per_s: 1_000_000_000,
            write_bytes_per_s: 1_000_000_000,
            command_ns: 0,
            full_duplex: false,
        },
        read: direction(100_000),
        write: direction(50_000),
        cache: CacheProfile {
            is_volatile: true,
            flush_ns: 1_000_000,
        },
        drain: None,
    }
}

fn device(profile: &CalibratedProfile) -> LoadedDevice {
    LoadedDevice::new(profile, Stream::child(1, Component::Device(0))).unwrap()
}

fn request(id: u32, operation: Operation) -> DeviceRequest {
    DeviceRequest {
        id,
        operation,
        start: Sectors::new(u64::from(id) * 1_000_000),
        length: Sectors::new(if operation == Operation::Flush { 0 } else { 8 }),
        fua: false,
    }
}

/// Submits these at the start, and returns when each completes.
fn completions(device: &mut LoadedDevice, requests: &[DeviceRequest]) -> Vec<(u32, u64)> {
    for request in requests {
        device.submit(Instant::START, *request);
    }
    let mut done = Vec::new();
    while device.next_event() != Instant::NEVER {
        device.advance(device.next_event(), &mut done);
    }
    done.iter().map(|one| (one.id, one.at.as_nanos())).collect()
}

/// Keeps so many reads in flight and returns the rate per second and the mean latency in ns.
fn kept_in_flight(device: &mut LoadedDevice, in_flight: u32, count: u32) -> (f64, f64) {
    for id in 0..in_flight {
        device.submit(Instant::START, request(id, Operation::Read));
    }
    let (mut next, mut latency_ns, mut done) = (in_flight, 0, Vec::new());
    let (mut now, mut completed) = (Instant::START, 0);
    while completed < count {
        now = device.next_event();
        device.advance(now, &mut done);
        for one in done.drain(..) {
            completed += 1;
            latency_ns += one.queued_ns.as_u64() + one.service_ns.as_u64();
            device.submit(now, request(next, Operation::Read));
            next += 1;
        }
    }
    let rate = f64::from(completed) * 1e9 / as_f64(now.as_nanos());
    (rate, as_f64(latency_ns) / f64::from(completed))
}

#[test]
fn one_request_takes_its_time_and_several_share_the_measured_rate() {
    for (in_flight, rate) in [(1, 10_000.0), (2, 15_000.0), (4, 20_000.0), (9, 20_000.0)] {
        let (found, latency_ns) = kept_in_flight(&mut device(&profile()), in_flight, 2000);
        assert!((found / rate - 1.0).abs() < 0.005, "{in_flight}: {found}");
        let littles = f64::from(in_flight) * 1e9 / rate;
        assert!(
            (latency_ns / littles - 1.0).abs() < 0.01,
            "{in_flight}: {latency_ns}"
        );
    }
}

#[test]
fn the_rate_holds_whatever_the_spread_of_single_times() {
    let mut profile = profile();
    profile.read.under_load[1].p99_over_p50 = Some(20.0);
    let (rate, _) = kept_in_flight(&mut device(&profile), 4, 200_000);
    assert!((rate / 20_000.0 - 1.0).abs() < 0.02, "{rate}");
}

#[test]
fn a_burst_is_served_at_the_rates_of_what_is_left_in_flight() {
    let all: Vec<_> = (0..4).map(|id| request(id, Operation::Read)).collect();
    // Equal shares: all four end together, after four times 100 us at twice the rate.
    let done = completions(&mut device(&profile()), &all);
    assert!(
        done.iter().all(|one| one.1.abs_diff(200_000) <= 2),
        "{done:?}"
    );
}

#[test]
fn reads_and_writes_share_the_device_by_their_number() {
    let both = [request(0, Operation::Read), request(1, Operation::Write)];
    // Both advance at 0.75. The write ends first; the read does its last third alone.
    let done = completions(&mut device(&profile()), &both);
    assert_eq!(done, [(1, 66_667), (0, 66_667 + 50_000)]);
}

#[test]
fn in_a_mix_a_request_takes_the_time_measured_in_that_mix() {
    let mut mixed = profile();
    let point = |gain| MixPoint {
        in_flight: 2,
        others: 0.5,
        gain,
        p99_over_p50: None,
        p50_over_mean: None,
    };
    // With one of each in flight a read takes 200 us and a write 80.
    mixed.read.under_mix = vec![point(2.0 * 100.0 / 200.0)];
    mixed.write.under_mix = vec![point(2.0 * 50.0 / 80.0)];
    let both = [request(0, Operation::Read), request(1, Operation::Write)];
    let done = completions(&mut device(&mixed), &both);
    // The read has 60 us of its work left when the write ends, and does them alone.
    assert_eq!(done, [(1, 80_000), (0, 140_000)]);
    // Among its own kind the mix does not matter.
    let (rate, _) = kept_in_flight(&mut device(&mixed), 2, 2000);
    assert!((rate / 15_000.0 - 1.0).abs() < 0.005, "{rate}");
}

#[test]
fn the_link_limits_the_bytes_of_all_in_flight() {
    let mut slow = profile();
    slow.link.read_bytes_per_s = 61_440_000; // 15,000 reads of 4 KiB
    let (rate, _) = kept_in_flight(&mut device(&slow), 4, 2000);
    assert!((rate / 15_000.0 - 1.0).abs() < 0.005, "{rate}");
}

#[test]
fn a_flush_waits_for_what_is_in_flight_and_holds_back_what_follows() {
    let all = [
        request(0, Operation::Write),
        request(1, Operation::Flush),
        request(2, Operation::Read),
        request(3, Operation::Flush),
    ];
    let done = completions(&mut device(&profile()), &all);
    // The second flush finds nothing written.
    let read = 50_000 + 1_000_000 + 100_000;
    assert_eq!(done, [(0, 50_000), (1, 1_050_000), (2, read), (3, read)]);
}

#[test]
fn between_two_points_the_latency_is_a_straight_line() {
    let gains = gains(&profile().read);
    // 2 / 1.5 and 4 / 2 times the latency of one alone.
    let three = 3.0 / ((2.0 / 1.5 + 4.0 / 2.0) / 2.0);
    assert_eq!(gains.len(), 5);
    assert!((gains[3] - three).abs() < 1e-12);
}

#[test]
fn a_gain_between_points_is_no_more_than_the_requests_in_flight() {
    let mut profile = profile().read;
    profile.under_load = vec![LoadPoint {
        in_flight: 8,
        gain: 6.8,
        p99_over_p50: None,
        p50_over_mean: None,
    }];
    let gains = gains(&profile);
    let is_possible = |(number, gain): (u32, &f64)| *gain <= f64::from(number);
    assert!((0..).zip(&gains).all(is_possible), "{gains:?}");
}
