//! probe
#![allow(warnings, clippy::all)]
use std::collections::BTreeMap;
use std::time::Instant as Wall;
use stripewise_sim::device::calibrated::*;
use stripewise_sim::device::curve::CurvePoint;
use stripewise_sim::device::profile::*;
use stripewise_sim::engine::*;
use stripewise_sim::host::*;

fn study() -> stripewise_study::plan::Study {
    let text = r#"
kernel="4.1"
[stack.ssd]
devices={x=1}
volume="linear"
filesystem="ext4"
[stack.chunk16]
devices={x=4}
array={level="raid10",layout="n2",chunk="16K"}
volume="linear"
filesystem="ext4"
[stack.chunk32]
devices={x=4}
array={level="raid10",layout="n2",chunk="32K"}
volume="linear"
filesystem="ext4"
[stack.chunk512]
devices={x=4}
array={level="raid10",layout="n2",chunk="512K"}
volume="linear"
filesystem="ext4"
[workload]
pattern=["randread","randwrite"]
block_size=["8K","16K","32K","64K","128K","512K","1024K","20000K"]
size="40000M"
engine="sync"
direct=true
"#;
    stripewise_study::format::parse("x", text).unwrap()
}

fn host(bio: u64, completion: u64, uplink: f64) -> HostProfile {
    let mut governor = BTreeMap::new();
    governor.insert(
        "performance".to_owned(),
        GovernorProfile {
            clock_percent: 100,
            wake_extra_ns: 0,
        },
    );
    HostProfile {
        schema: 1,
        name: "h".into(),
        description: String::new(),
        source: String::new(),
        assumed: vec![],
        cpu: CpuProfile {
            submit_ns: 2000,
            bio_ns: bio,
            page_ns: std::env::var("PAGE").map_or(40, |v| v.parse().unwrap()),
            completion_ns: completion,
            wake_ns: 2000,
            stripe_ns: 3000,
            xor_bytes_per_s: 10_000_000_000,
            copy_bytes_per_s: 10_000_000_000,
        },
        uplink: Some(UplinkProfile {
            bytes_per_s: (uplink * 1e9) as u64,
        }),
        memory: MemoryProfile {
            page_cache_bytes: 1 << 34,
            dirty_bytes_max: 1 << 31,
        },
        governor_default: "performance".into(),
        governor,
    }
}

fn device(read: &[(u64, f64)], write: &[(u64, f64)], rate: (f64, f64), p99: f64) -> DeviceProfile {
    let pts = |x: &[(u64, f64)]| {
        x.iter()
            .map(|&(s, t)| CurvePoint {
                size_bytes: s,
                time_ns: t as u64,
            })
            .collect::<Vec<_>>()
    };
    DeviceProfile {
        schema: 1,
        name: "x".into(),
        description: String::new(),
        source: String::new(),
        capacity_bytes: 500_000_000_000,
        rotational: false,
        queue_depth: 32,
        request_bytes_max: None,
        assumed: vec![],
        model: Model::Calibrated(CalibratedProfile {
            link: LinkProfile {
                read_bytes_per_s: rate.0 as u64,
                write_bytes_per_s: rate.1 as u64,
                command_ns: 0,
                full_duplex: false,
            },
            read: DirectionProfile {
                servers: 8,
                p99_over_p50: p99,
                random: pts(read),
                sequential: vec![],
            },
            write: DirectionProfile {
                servers: 2,
                p99_over_p50: p99,
                random: pts(write),
                sequential: vec![],
            },
            cache: CacheProfile {
                is_volatile: true,
                flush_ns: 3_000_000,
            },
            drain: None,
        }),
        points: vec![],
    }
}

fn run(
    cell: &stripewise_study::cell::Cell,
    dev: &DeviceProfile,
    host: &HostProfile,
    seed: u64,
) -> (f64, u64) {
    let n = cell.stack.device_count() as usize;
    let mut sim = Setup {
        stack: &cell.stack,
        workload: &cell.workload,
        devices: vec![dev; n],
        host,
        seed,
        conditions: &cell.conditions,
        kernel: stripewise_study::kernel::KernelVersion::new(4, 1, 0),
        failed: vec![],
        rebuilding: false,
    }
    .build()
    .unwrap();
    sim.run(&Limits::default());
    let s = sim.sample();
    (
        s.bytes().as_u64() as f64 / s.elapsed_ns.as_secs_f64(),
        sim.host_ios(),
    )
}

fn perf() {
    let read = vec![
        (4096, 92e3),
        (8192, 100e3),
        (65536, 220e3),
        (1048576, 2000e3),
    ];
    let write = vec![(4096, 25e3), (65536, 140e3), (1048576, 2000e3)];
    let d = device(&read, &write, (540e6, 520e6), 1.29);
    for (name, stack, load) in [
        ("ssd qd1", "devices={x=1}", "pattern='randread'"),
        ("ssd qd32", "devices={x=1}", "pattern='randread'\ndepth=32"),
        (
            "r10 64K/32K qd1",
            "devices={x=4}\narray={level='raid10',chunk='32K'}",
            "pattern='randread'\nblock_size='64K'",
        ),
        (
            "r10 64K/32K qd32",
            "devices={x=4}\narray={level='raid10',chunk='32K'}",
            "pattern='randread'\nblock_size='64K'\ndepth=32",
        ),
        (
            "r5 4K w qd1",
            "devices={x=4}\narray={level='raid5',chunk='64K'}",
            "pattern='randwrite'",
        ),
        (
            "r5 4K w qd32",
            "devices={x=4}\narray={level='raid5',chunk='64K'}",
            "pattern='randwrite'\ndepth=32",
        ),
    ] {
        let text = format!("[stack.a]\n{stack}\n[workload]\nsize='8G'\n{load}\n");
        let study = stripewise_study::format::parse("x", &text).unwrap();
        let cell = &study.cells[0];
        for up in [99.0f64, 0.0] {
            let mut h = host(700, 2500, up);
            if up == 0.0 {
                h.uplink = None;
            }
            let mut best = 0.0f64;
            for _ in 0..5 {
                let n = cell.stack.device_count() as usize;
                let mut sim = Setup {
                    stack: &cell.stack,
                    workload: &cell.workload,
                    devices: vec![&d; n],
                    host: &h,
                    seed: 1,
                    conditions: &cell.conditions,
                    kernel: stripewise_study::kernel::KernelVersion::new(6, 1, 0),
                    failed: vec![],
                    rebuilding: false,
                }
                .build()
                .unwrap();
                let clock = Wall::now();
                sim.run(&Limits {
                    half_width: 0.0,
                    ios_max: 500_000,
                    duration: stripewise_study::units::Nanos::from_millis(1 << 40),
                    ..Limits::default()
                });
                best = best.max(sim.host_ios() as f64 / clock.elapsed().as_secs_f64() / 1e6);
            }
            println!("{name:20} uplink {up}: {best:.2} M host I/O/s");
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.get(1).is_some_and(|a| a == "perf") {
        return perf();
    }
    let study = study();
    let csv = std::fs::read_to_string("/work/shared/data/four-ssd-random.csv").unwrap();
    let mut meas = BTreeMap::new();
    for l in csv.lines().skip(1) {
        let f: Vec<&str> = l.split(',').collect();
        meas.insert(
            (
                f[0].to_owned(),
                f[5].to_owned(),
                f[6].parse::<u64>().unwrap(),
            ),
            f[9].parse::<f64>().unwrap() * 1048576.0,
        );
    }
    let key = |c: &stripewise_study::cell::Cell| {
        (
            c.stack.name.clone(),
            c.workload.load.pattern.to_string(),
            c.workload.load.block_size.largest().as_u64() / 1024,
        )
    };
    let smooth = args.get(1).map_or("raw", |s| s.as_str());
    let conv = |p: &str| -> Vec<(u64, f64)> {
        let v: Vec<(u64, f64)> = match (smooth, p) {
            ("l1", "randread") => vec![
                (8, 122.1e3),
                (16, 124.0e3),
                (32, 156.2e3),
                (64, 224.8e3),
                (128, 357.7e3),
                (512, 1154.7e3),
            ],
            ("l1", _) | ("l1w", "randwrite") => vec![
                (8, 47.1e3),
                (16, 56.9e3),
                (32, 76.4e3),
                (64, 136.8e3),
                (128, 266.7e3),
                (512, 1046.0e3),
            ],
            ("l1w", _) => [8, 16, 32, 64, 128, 512, 1024, 20000]
                .iter()
                .map(|&s| {
                    (
                        s,
                        s as f64 * 1024.0 / meas[&("ssd".to_owned(), p.to_owned(), s)] * 1e9,
                    )
                })
                .collect(),
            ("raw", _) | ("mixed", "randread") => [8, 16, 32, 64, 128, 512, 1024, 20000]
                .iter()
                .map(|&s| {
                    (
                        s,
                        s as f64 * 1024.0 / meas[&("ssd".to_owned(), p.to_owned(), s)] * 1e9,
                    )
                })
                .collect(),
            (_, "randread") => vec![
                (8, 121.9e3),
                (16, 124.0e3),
                (32, 158.0e3),
                (64, 226.7e3),
                (128, 364.1e3),
                (512, 1188.5e3),
                (1024, 2190e3),
                (20000, 39300e3),
            ],
            _ => vec![
                (8, 49.3e3),
                (16, 59.2e3),
                (32, 79.2e3),
                (64, 137.7e3),
                (128, 268.7e3),
                (512, 1054.8e3),
                (1024, 2032e3),
                (20000, 38900e3),
            ],
        };
        v.into_iter().map(|(s, t)| (s * 1024, t)).collect()
    };
    let p99: f64 = std::env::var("P99").map_or(1.29, |v| v.parse().unwrap());
    let slope = |p: &str| {
        let t = |s: u64| s as f64 * 1024.0 / meas[&("ssd".to_owned(), p.to_owned(), s)];
        (20000.0 - 1024.0) * 1024.0 / (t(20000) - t(1024))
    };
    let rate = (slope("randread"), slope("randwrite"));
    let fit_dev = |h: &HostProfile| {
        let (mut r, mut w) = (conv("randread"), conv("randwrite"));
        let (tr, tw) = (r.clone(), w.clone());
        for _ in 0..2 {
            let d = device(&r, &w, rate, p99);
            for c in study.cells.iter().filter(|c| c.stack.name == "ssd") {
                let (_, p, s) = key(c);

                let (cur, target) = if p == "randread" {
                    (&mut r, &tr)
                } else {
                    (&mut w, &tw)
                };
                let i = cur.iter().position(|x| x.0 == s * 1024).unwrap();
                let (bw, _) = run(c, &d, h, 1);
                let t = (s * 1024) as f64 / bw * 1e9;
                cur[i].1 += target[i].1 - t;
            }
        }
        device(&r, &w, rate, p99)
    };
    let mut best = (f64::MAX, 0, 0, 0.0);
    let clock = Wall::now();
    let mut ios = 0;
    let grid = args.len() < 4;
    if grid {
        let l2 = std::env::var("L2").is_ok();
        let mut f = |x: [f64; 3]| -> f64 {
            let (bio, comp, up) = (x[0].exp() as u64, x[1].exp() as u64, x[2].exp());
            let d = fit_dev(&host(bio, comp, 99.0));
            let h = host(bio, comp, up);
            let mut e = 0.0;
            for c in study.cells.iter().filter(|c| c.stack.name == "chunk32") {
                let (bw, n) = run(c, &d, &h, 1);
                ios += n;
                let v = (bw / meas[&key(c)]).ln();
                e += if l2 { v * v } else { v.abs() };
            }
            e
        };
        let mut bestx = [0.0; 3];
        let mut bestf = f64::MAX;
        for start in [
            [500.0f64, 2000.0, 2.0f64],
            [1000.0, 500.0, 1.8],
            [300.0, 4000.0, 3.0],
        ] {
            let mut x = [start[0].ln(), start[1].ln(), start[2].ln()];
            let mut fx = f(x);
            let mut step = 0.4;
            while step > 0.02 {
                let mut improved = false;
                for i in 0..3 {
                    for s in [step, -step] {
                        let mut y = x;
                        y[i] += s;
                        let fy = f(y);
                        if fy < fx {
                            x = y;
                            fx = fy;
                            improved = true;
                        }
                    }
                }
                if !improved {
                    step /= 2.0;
                }
            }
            println!(
                "start {start:?} -> {fx:.4} {:?}",
                [x[0].exp(), x[1].exp(), x[2].exp()]
            );
            if fx < bestf {
                bestf = fx;
                bestx = x;
            }
        }
        best = (
            bestf,
            bestx[0].exp() as u64,
            bestx[1].exp() as u64,
            bestx[2].exp(),
        );
    } else {
        best = (
            0.0,
            args[2].parse().unwrap(),
            args[3].parse().unwrap(),
            args[4].parse().unwrap(),
        );
    }
    eprintln!("{:?} {} ios", clock.elapsed(), ios);
    println!("{best:?}");
    let h = host(best.1, best.2, best.3);
    let d = fit_dev(&h);
    let (mut all, mut reads, mut writes) = (vec![], vec![], vec![]);
    let clock = Wall::now();
    for c in &study.cells {
        let one = Wall::now();
        let (bw, n) = run(c, &d, &h, 2);
        let k = key(c);
        let err = bw / meas[&k] - 1.0;
        println!(
            "{:9} {:9} {:6} {:6.0} {:6.0} {:+.1}%  {} ios {:?}",
            k.0,
            k.1,
            k.2,
            bw / 1048576.0,
            meas[&k] / 1048576.0,
            err * 100.0,
            n,
            one.elapsed()
        );
        if k.0 != "ssd" {
            all.push(err.abs());
            if k.1 == "randread" {
                reads.push(err.abs())
            } else {
                writes.push(err.abs())
            }
        }
    }
    let m = |v: &[f64]| 100.0 * v.iter().sum::<f64>() / v.len() as f64;
    println!(
        "all {:.2} reads {:.2} writes {:.2}  {:?}",
        m(&all),
        m(&reads),
        m(&writes),
        clock.elapsed()
    );
}
