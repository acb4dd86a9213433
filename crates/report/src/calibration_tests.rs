//! Guards against a report that hides how uncertain a calibration is, in any language.

use std::num::NonZeroU32;

use expect_test::expect;
use stripewise_calibrate::points::PointLatency;
use stripewise_calibrate::report::{FittedParameter, GroupError, LeftOutOfCurve, LeftOutOfHost};
use stripewise_catalogue::{Language, Words};
use stripewise_study::workload::Pattern;

use super::warnings::spread_warning;
use super::*;
use crate::render::terminal;
use crate::style::without_styles;
use crate::view::View;
use unicode_width::UnicodeWidthStr;

fn points() -> [Point; 2] {
    let point = |line, stack: &str, pattern, depth| Point {
        line,
        stack: stack.to_owned(),
        pattern,
        block_size_bytes: 4096,
        jobs: 1,
        depth,
        bandwidth_bytes_per_s: 1.5e6,
        latency: PointLatency::default(),
        read_percent: None,
        side: None,
        between_ns: 0.0,
        fsync_every: None,
        file_size_bytes: None,
    };
    let alone = point(1, "ssd", Pattern::RandRead, 1);
    let mixed = Point {
        read_percent: Some(70),
        fsync_every: NonZeroU32::new(8),
        ..point(2, "pair", Pattern::RandRw, 32)
    };
    [alone, mixed]
}

fn residual(point: &Point, error: f64, used_for: UsedFor) -> Residual {
    Residual {
        line: point.line,
        stack: point.stack.clone(),
        pattern: point.pattern.as_str(),
        side: point.side,
        block_size_bytes: point.block_size_bytes,
        jobs: point.jobs,
        depth: point.depth,
        measured_bytes_per_s: point.bandwidth_bytes_per_s,
        simulated_bytes_per_s: point.bandwidth_bytes_per_s * (1.0 + error),
        error,
        latency_errors: [None; 2],
        used_for,
    }
}

fn example(points: &[Point; 2]) -> CalibrationReport {
    let group = |used_for, pattern| GroupError {
        used_for,
        pattern,
        points: 1,
        mean_absolute_error: 0.0125,
    };
    let parameter = |key, value, is_identified| HostParameter {
        key,
        value,
        is_identified,
        growth: [1.0, 1.0],
    };
    CalibrationReport {
        devices: vec!["my-ssd".to_owned()],
        host: "desk".to_owned(),
        residuals: vec![
            residual(&points[0], 0.0125, UsedFor::Device),
            residual(&points[1], -0.125, UsedFor::Check),
        ],
        groups: vec![
            group(UsedFor::Device, "randread"),
            group(UsedFor::Host, "randread"),
            group(UsedFor::Check, "randrw"),
        ],
        moved: Vec::new(),
        left_out_of_curves: vec![LeftOutOfCurve {
            profile: "my-ssd".to_owned(),
            pattern: "randread",
            size_bytes: 4096,
            error: 0.05,
            is_extrapolated: true,
        }],
        left_out_of_loads: Vec::new(),
        left_out_of_host: vec![LeftOutOfHost {
            line: 2,
            error: -0.25,
        }],
        host_parameters: vec![
            parameter("cpu.bio_ns", Some(1234), true),
            parameter("uplink.bytes_per_s", None, false),
        ],
        assumptions: vec![
            Message::new("assumed-kernel").name("kernel", "6.12"),
            Message::new("assumed-device")
                .name("name", "my-ssd")
                .name("assumed", "link.full_duplex: by class (a SATA SSD)"),
        ],
        not_identified: Vec::new(),
        adapters: Vec::new(),
        fits: Vec::new(),
    }
}

fn shown(report: &CalibrationReport, points: &[Point], view: View) -> String {
    let file = |kind, name: &str| WrittenProfile {
        kind,
        name: name.to_owned(),
        path: format!("out/{name}.toml"),
    };
    let calibrated = Calibrated {
        schema: 1,
        study: "this-disk",
        source: "points.csv",
        run: None,
        files: vec![file("device", "my-ssd"), file("host", "desk")],
        spreads: Vec::new(),
        left_out: vec![
            Message::new("no-point")
                .digits("number", 3)
                .name("stack", "pair")
                .name("pattern", "randwrite")
                .name("block", "4K")
                .with("why", Message::new("no-point-samples")),
        ],
        warnings: vec![
            Message::new("calibrate-filesystem-unknown")
                .name("filesystem", "btrfs")
                .name("profile", "my-ssd"),
        ],
        report,
        points,
        next_measurement: None,
        next_measurement_words: Some(
            Message::new("calibrate-next-measurement")
                .name("question", "arrays")
                .name("load", "randread 64K")
                .digits("depth", 8)
                .name("profile", "my-ssd")
                .count("cells", 3_usize),
        ),
        next: "stripewise predict --device my-ssd".to_owned(),
    };
    without_styles(&terminal(&calibrated.blocks(), view))
}

#[test]
fn a_calibration_is_shown_in_german() {
    let points = points();
    let mut report = example(&points);
    let view = View::drawn(80).in_language(Language::German);
    expect![[r#"
        Profile von my-ssd, desk
        aus 2 Messpunkten von points.csv · Studie this-disk

        erstellt  Name    Datei
        Gerät     my-ssd  out/my-ssd.toml
        Host      desk    out/desk.toml

        Stapel  Muster              Größe  Tiefe  gemessen   simuliert   Fehler  Zweck
        ssd     randread               4K      1      1,43  1,45 MiB/s   +1,2 %  Gerät
        pair    randrw 70… fsync 8     4K     32      1,43  1,25 MiB/s  −12,5 %  Prüfung

        mittlerer |Fehler|                                          Punkte  Fehler
        für das Gerät benutzt         randread                           1   1,2 %
        für den Host benutzt          randread                           1   1,2 %
        nur geprüft                   randrw                             1   1,2 %
        ausgelassen und vorhergesagt  Kurve, außerhalb der übrigen       1   5,0 %
        ausgelassen und vorhergesagt  Host                               1  25,0 %

        Host desk
        cpu.bio_ns             1,23 µs  bestimmt
        uplink.bytes_per_s  unbegrenzt  durch diese Punkte nicht bestimmt

        Angenommen
        - Die Studie nennt keinen `kernel`: die Regeln von 6.12
        - my-ssd: link.full_duplex: by class (a SATA SSD)

        Zellen, die kein Messpunkt sind
        Zelle 3 (pair randwrite 4K): hat keine zählenden Messungen

        Warnung: Das Modell kennt btrfs nicht: Das Profil `my-ssd` enthält dessen
          Aufwand

        Von den Lasten, die Arrays aus diesem Laufwerk auf ein Laufwerk bringen, ist
        `randread 64K` mit Tiefe 8 am wenigsten bekannt: eine Messung auf `my-ssd`
        allein würde 3 Vorhersagen am stärksten einengen.

        Nächste Schritte:
          stripewise predict --device my-ssd
    "#]]
    .assert_eq(&shown(&report, &points, view));
    report.host_parameters.clear();
    let plain = shown(&report, &points, view);
    assert!(plain.contains("\nbleibt beim Profil `desk`."), "{plain}");
}

#[test]
fn no_line_of_a_calibration_is_too_wide() {
    let points = points();
    for language in Language::ALL {
        for columns in [40, 60, 80, 120] {
            let view = View::drawn(columns).in_language(language);
            for report in [example(&points), of_fit(&points)] {
                let text = shown(&report, &points, view);
                for line in text.lines() {
                    assert!(line.width() <= columns, "{columns}: {line}");
                }
            }
        }
    }
}

#[test]
fn points_that_vary_get_a_warning() {
    let spread = |line, samples, relative_half_width| Spread {
        line,
        samples,
        relative_half_width,
    };
    let said = |spreads: &[Spread]| {
        let message = spread_warning(spreads, &points());
        message.map(|message| Language::ALL.map(|language| message.in_language(language)))
    };
    let good = spread(1, 6, Some(0.02));
    assert_eq!(said(&[good]), None);
    let wide = spread(2, 6, Some(0.25));
    expect![[r#"
        1 of 2 points varies by more than ± 10 % or has too few samples; the worst is randrw 70/30 fsync 8, 4K, depth 32 with ± 25 %. Profiles made from them are as uncertain
        1 von 2 Punkten schwankt um mehr als ± 10 % oder hat zu wenige Messungen; am meisten randrw 70/30 fsync 8, 4K, Tiefe 32 mit ± 25 %. Profile daraus sind ebenso unsicher"#]].assert_eq(&said(&[good, wide]).unwrap().join("\n"));
    let single = spread(2, 1, None);
    expect![[r#"
        1 of 2 points varies by more than ± 10 % or has too few samples; the worst is randrw 70/30 fsync 8, 4K, depth 32 with 1 sample and no interval. Profiles made from them are as uncertain
        1 von 2 Punkten schwankt um mehr als ± 10 % oder hat zu wenige Messungen; am unsichersten ist randrw 70/30 fsync 8, 4K, Tiefe 32 mit 1 Messung und ohne Intervall. Profile daraus sind ebenso unsicher"#]].assert_eq(&said(&[good, single]).unwrap().join("\n"));
}

/// A report on a fitted disk.
fn of_fit(points: &[Point; 2]) -> CalibrationReport {
    let mut report = example(points);
    let number = |key, before, after, interval| FittedParameter {
        key,
        before,
        after,
        interval,
    };
    report.fits = vec![FittedDevice {
        device: "my-disk".to_owned(),
        like: "hdd-7200".to_owned(),
        parameters: vec![
            number("disk.seek_average_ns", 8.5e6, 11.25e6, Some([10.5e6, 12e6])),
            number("queue_depth", 32.0, 7.0, Some([5.0, 9.0])),
            number("disk.write_cache_bytes", 33_554_432.0, 33_554_432.0, None),
            number("disk.link.read_bytes_per_s", 550e6, 550e6, None),
            number("flash.over_provisioning_percent", 9.1, 9.1, None),
        ],
        rows: vec![FittedRow {
            line: 1,
            before: 0.43,
            left_out: Some(-0.055),
        }],
    }];
    report
}

#[test]
fn a_fitted_disk_shows_each_number_and_the_errors_before() {
    let report = of_fit(&points());
    for (language, expected) in [
        (
            Language::English,
            expect![[r#"
                mean |error|                                            points   error
                used for the device     randread                             1   1.2 %
                used for the host       randread                             1   1.2 %
                only checked            randrw                               1   1.2 %
                before the fit          randread                             1  43.0 %
                left out and predicted  device                               1   5.5 %
                left out and predicted  curve, beyond its other points       1   5.0 %
                left out and predicted  host                                 1  25.0 %

                device my-disk                    hdd-7200     fitted  95 % interval
                disk.seek_average_ns               8.50 ms    11.2 ms  10.5 ms to 12.0 ms
                queue_depth                             32          7  5 to 9
                disk.write_cache_bytes            32.0 MiB   32.0 MiB  not identified
                disk.link.read_bytes_per_s       525 MiB/s  525 MiB/s  not identified
                flash.over_provisioning_percent      9.1 %      9.1 %  not identified
            "#]],
        ),
        (
            Language::German,
            expect![[r#"
                mittlerer |Fehler|                                          Punkte  Fehler
                für das Gerät benutzt         randread                           1   1,2 %
                für den Host benutzt          randread                           1   1,2 %
                nur geprüft                   randrw                             1   1,2 %
                vor der Anpassung             randread                           1  43,0 %
                ausgelassen und vorhergesagt  Gerät                              1   5,5 %
                ausgelassen und vorhergesagt  Kurve, außerhalb der übrigen       1   5,0 %
                ausgelassen und vorhergesagt  Host                               1  25,0 %

                Gerät my-disk                     hdd-7200  angepasst  95-%-Intervall
                disk.seek_average_ns               8,50 ms    11,2 ms  10,5 ms bis 12,0 ms
                queue_depth                             32          7  5 bis 9
                disk.write_cache_bytes            32,0 MiB   32,0 MiB  nicht bestimmt
                disk.link.read_bytes_per_s       525 MiB/s  525 MiB/s  nicht bestimmt
                flash.over_provisioning_percent      9,1 %      9,1 %  nicht bestimmt
            "#]],
        ),
    ] {
        let view = View::drawn(80).in_language(language);
        let blocks = [
            errors(&report).into(),
            Block::Gap,
            fitted(&report.fits[0]).into(),
        ];
        let text = without_styles(&terminal(&blocks, view));
        expected.assert_eq(&text);
    }
}
