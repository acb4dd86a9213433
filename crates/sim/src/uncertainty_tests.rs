use stripewise_profiles::host::AdapterProfile;
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_study::sample::{Breakdown, PartTime, Transfer};
use stripewise_units::{Bytes, Nanos};

use super::*;

fn cell(stack: &str, load: &str) -> Cell {
    let text =
        format!("[stack.s]\n{stack}\n[workload]\nsize = \"1G\"\nengine = \"libaio\"\n{load}\n");
    stripewise_fixtures::cell(&text)
}

/// A point, and the model's rate over the measured one.
fn point(pattern: &str, kib: u64, depth: u32, rate: f64, model: f64) -> MeasuredPoint {
    MeasuredPoint {
        drive: None,
        steady: false,
        pattern: pattern.to_owned(),
        side: None,
        block_size_bytes: kib << 10,
        jobs: 1,
        depth,
        bandwidth_bytes_per_s: rate * 1e6,
        model_bandwidth_bytes_per_s: Some(rate * model * 1e6),
    }
}

fn ssd(points: Vec<MeasuredPoint>) -> DeviceProfile {
    DeviceProfile {
        points,
        basis: Some(Basis::Measured),
        ..Profiles::shipped().devices["sata-ssd"].clone()
    }
}

fn host(basis: Basis) -> HostProfile {
    HostProfile {
        basis: Some(basis),
        ..Profiles::shipped().hosts[HOST_DEFAULT].clone()
    }
}

/// An I/O that spends these shares of its time on the CPU, at the adapter and at the device.
fn spent(cpu: f64, adapter: f64) -> Sample {
    let parts = [
        (Part::Submit, cpu),
        (Part::Adapter, adapter),
        (Part::DeviceService, 1.0 - cpu - adapter),
    ];
    let mean = parts.map(|(part, share)| PartTime {
        part,
        time_ns: 100_000.0 * share,
    });
    Sample {
        elapsed_ns: Nanos::new(1_000_000_000),
        read: Transfer {
            bytes: Bytes::new(100_000_000),
            ..Transfer::default()
        },
        breakdown: Some(Breakdown {
            mean: mean.into(),
            ..Breakdown::default()
        }),
        ..Sample::default()
    }
}

/// One disk under 4K random reads of this depth.
fn of_one(points: Vec<MeasuredPoint>, depth: u32) -> Option<Uncertainty> {
    let load = format!("pattern = \"randread\"\nblock_size = \"4K\"\ndepth = {depth}");
    let cell = cell("devices = { sata-ssd = 1 }", &load);
    let host = host(Basis::Measured);
    uncertainty(&cell, &[&ssd(points)], &host, &spent(0.0, 0.0))
}

fn width(of: &Uncertainty, source: UncertaintySource) -> f64 {
    let part = of.sources.iter().find(|part| part.source == source);
    part.unwrap().half_width
}

fn curve() -> Vec<MeasuredPoint> {
    let rates = [
        (1, 40.0),
        (2, 80.0),
        (4, 150.0),
        (8, 240.0),
        (16, 290.0),
        (32, 300.0),
    ];
    rates
        .map(|(depth, rate)| point("randread", 4, depth, rate, 1.0))
        .into()
}

#[test]
fn nothing_is_known_without_a_point_of_the_kind_of_load() {
    assert_eq!(of_one(Vec::new(), 4), None);
    assert_eq!(of_one(vec![point("read", 4, 4, 100.0, 1.0)], 4), None);
    assert_eq!(of_one(vec![point("randwrite", 4, 4, 100.0, 1.0)], 4), None);
    let cell = cell(
        "devices = { sata-ssd = 1 }",
        "pattern = \"randwrite\"\nblock_size = \"4K\"\nfsync = 1",
    );
    let writes = point("randwrite", 4, 1, 80.0, 1.0);
    let (device, host) = (ssd(vec![writes]), host(Basis::Measured));
    assert_eq!(
        uncertainty(&cell, &[&device], &host, &spent(0.0, 0.0)),
        None
    );
}

#[test]
fn a_profile_is_off_by_its_error_at_the_nearest_points() {
    let mut points = curve();
    points[2] = point("randread", 4, 4, 150.0, 1.25);
    let off = of_one(points, 4).unwrap();
    let expected = NORMAL_95 * 1.25_f64.ln();
    assert!(
        (width(&off, UncertaintySource::Points) - expected).abs() < 1e-9,
        "{off:?}"
    );
    assert!(width(&of_one(curve(), 4).unwrap(), UncertaintySource::Points) < 1e-9);
}

#[test]
fn a_load_between_points_is_less_certain_and_one_beyond_them_least() {
    let between =
        |points, depth| width(&of_one(points, depth).unwrap(), UncertaintySource::Between);
    let shallow = || curve()[..4].to_vec();
    assert!(between(curve(), 3) > between(curve(), 1));
    assert!(between(shallow(), 32) > between(shallow(), 12));
    assert!(between(shallow(), 12) > between(curve(), 12));
    // No more than the queue's requests are at the device, and no more bytes on the link.
    assert!((between(shallow(), 64) - between(shallow(), 32)).abs() < 1e-9);
    let link = ssd(Vec::new()).model.link().read_bytes_per_s;
    let full = point("randread", 4, 4, as_f64(link) / 1e6, 1.0);
    assert!(between(vec![full], 32) < 1e-9);
}

#[test]
fn points_that_should_be_equal_but_are_not_count_if_they_differ_more_than_published_ones() {
    let repeat = |spread: f64| {
        let again = curve().into_iter().map(|mut point| {
            point.bandwidth_bytes_per_s *= spread;
            point
        });
        let points = curve().into_iter().chain(again).collect();
        width(&of_one(points, 4).unwrap(), UncertaintySource::Repeat)
    };
    let least = NORMAL_95 * REPEATED * 2.0_f64.sqrt();
    assert!((repeat(1.01) - least).abs() < 1e-9, "{}", repeat(1.01));
    // Two values of which one is 1.5 times the other have a variance of half the square of ln 1.5.
    let own = NORMAL_95 * 1.5_f64.ln() / 2.0_f64.sqrt() * 2.0_f64.sqrt();
    assert!((repeat(1.5) - own).abs() < 1e-9, "{}", repeat(1.5));
}

#[test]
fn a_part_counts_by_its_share_of_the_time() {
    let cell = cell(
        "devices = { sata-ssd = 1 }",
        "pattern = \"randread\"\nblock_size = \"4K\"",
    );
    let of =
        |host: &HostProfile, spent| uncertainty(&cell, &[&ssd(curve())], host, &spent).unwrap();
    let class = of(&host(Basis::Class), spent(0.5, 0.0));
    let half_of_a_factor_of_two = 0.5 * 2.0_f64.ln();
    let cpu = width(&class, UncertaintySource::Cpu);
    assert!((cpu - half_of_a_factor_of_two).abs() < 1e-9, "{cpu}");
    let measured = of(&host(Basis::Measured), spent(0.5, 0.0));
    assert!(width(&measured, UncertaintySource::Cpu) < 1e-9);
    assert!(class.slower > measured.slower);
    let mut behind = host(Basis::Measured);
    let adapter = AdapterProfile {
        outstanding_min: 1,
        delay_ns: 60_000,
        delay_ns_range: Some([40_000, 90_000]),
        command_ns: 0,
    };
    behind.adapter.insert("default".to_owned(), adapter);
    let open = width(&of(&behind, spent(0.0, 0.3)), UncertaintySource::Adapter);
    assert!((0.1..0.2).contains(&open), "{open}");
    assert!(
        of(&behind, spent(0.0, 0.3))
            .sources
            .is_sorted_by(|left, right| { left.half_width >= right.half_width })
    );
}

#[test]
fn writes_to_parity_need_points_of_reads_and_mixes_serve_both_directions() {
    let raid5 = cell(
        "devices = { sata-ssd = 4 }\narray = { level = \"raid5\", chunk = \"64K\" }",
        "pattern = \"randwrite\"\nblock_size = \"4K\"",
    );
    let host = host(Basis::Measured);
    let of = |points| uncertainty(&raid5, &[&ssd(points)], &host, &spent(0.0, 0.0));
    let writes = || vec![point("randwrite", 4, 1, 80.0, 1.0)];
    assert_eq!(of(writes()), None);
    assert!(of([writes(), curve()].concat()).is_some());
    let side = |side: &str| MeasuredPoint {
        drive: None,
        steady: false,
        side: Some(side.to_owned()),
        ..point("randrw", 4, 1, 40.0, 1.0)
    };
    assert_eq!(of(vec![side("write")]), None);
    assert!(of(vec![side("write"), side("read")]).is_some());
}

#[test]
fn a_delay_that_may_be_the_adapters_makes_arrays_perhaps_slower() {
    let mut device = ssd(curve());
    device.perhaps_adapter = Some(AdapterProfile {
        outstanding_min: 3,
        delay_ns: 50_000,
        delay_ns_range: None,
        command_ns: 0,
    });
    let slower = |disks: usize, depth: u32, host: &HostProfile| {
        let array = match disks {
            1 => "",
            _ => "\narray = { level = \"raid0\", chunk = \"64K\" }",
        };
        let stack = format!("devices = {{ sata-ssd = {disks} }}{array}");
        let load = format!("pattern = \"randread\"\nblock_size = \"4K\"\ndepth = {depth}");
        let devices = vec![&device; disks];
        let found = uncertainty(&cell(&stack, &load), &devices, host, &spent(0.0, 0.0));
        found.unwrap().by_adapter
    };
    let unknown = host(Basis::Measured);
    // Alone, and where each disk waits anyway, the profile says it; with few I/Os nothing waits.
    assert!(slower(1, 4, &unknown) <= 0.0);
    assert!(slower(4, 2, &unknown) <= 0.0);
    assert!(slower(4, 16, &unknown) <= 0.0);
    assert!((slower(4, 4, &unknown) - 1.5_f64.ln()).abs() < 1e-9);
    let mut known = unknown;
    known
        .adapter
        .insert("default".to_owned(), device.perhaps_adapter.unwrap());
    assert!(slower(4, 4, &known) <= 0.0);
}

#[test]
fn the_measurement_that_would_narrow_most_is_named() {
    let shallow = || curve()[..3].to_vec();
    let open = of_one(shallow(), 32).unwrap();
    let next = open.next.clone().unwrap();
    assert_eq!(
        (next.pattern.as_str(), next.block_size_bytes),
        ("randread", 4096)
    );
    assert_eq!((next.profile.as_str(), next.depth), ("sata-ssd", 32));
    let measured = [shallow(), vec![point("randread", 4, 32, 300.0, 1.0)]].concat();
    let narrowed = of_one(measured, 32).unwrap();
    assert!(
        (narrowed.slower - open.then_slower.unwrap()).abs() < 0.01,
        "{open:?} {narrowed:?}"
    );
    assert_eq!(narrowed.next, None);
    let arrays = |depth: u32| {
        let load = format!("pattern = \"randread\"\nblock_size = \"4K\"\ndepth = {depth}");
        let stack = "devices = { sata-ssd = 2 }\narray = { level = \"raid0\", chunk = \"64K\" }";
        cell(stack, &load)
    };
    let device = ssd(shallow());
    let useful = |cells: &[Cell]| next_measurement(cells, |_| Some(&device));
    assert_eq!(useful(&[arrays(2), arrays(4)]), None);
    let (found, cells) = useful(&[arrays(2), arrays(32), arrays(32), arrays(16)]).unwrap();
    assert_eq!((found.depth, cells), (16, 2));
}

#[test]
fn no_answer_is_faster_than_the_links_in_use() {
    let of = |disks: usize, depth: u32| {
        let stack = format!(
            "devices = {{ sata-ssd = {disks} }}\narray = {{ level = \"raid0\", chunk = \"64K\" }}"
        );
        let load = format!("pattern = \"randread\"\nblock_size = \"64K\"\ndepth = {depth}");
        let device = ssd(vec![point("randread", 4, 1, 40.0, 1.0)]);
        let devices = vec![&device; disks];
        let host = host(Basis::Measured);
        uncertainty(&cell(&stack, &load), &devices, &host, &spent(0.0, 0.0)).unwrap()
    };
    let link = as_f64(ssd(Vec::new()).model.link().read_bytes_per_s);
    let one = of(4, 1);
    assert!(
        (one.faster - (link / 100e6).ln().min(one.slower)).abs() < 1e-9,
        "{one:?}"
    );
    assert!(one.faster <= of(4, 2).faster && one.faster <= one.slower);
}
