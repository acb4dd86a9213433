//! The failures: an exported figure runs a script from the name of a study in the reader's browser,
//! or looks different on each machine. The tests use the public interface, with a tiny front end
//! and with the real one.

use std::path::Path;

use expect_test::{expect, expect_file};
use resvg::tiny_skia::Pixmap;
use stripewise_figure::{FigureError, Figures, FrontEnd, Options, Theme, png};

const TINY: &str = include_str!("tiny.js");

const PAGE: &str = r#"{"title": "chunk <b>\u001b[1m\u202e", "bars": [
    {"name": "RAID 10 n2, µs ≤ 4 KiB → Größe", "value": 40},
    {"name": "<script>alert(\"1\")</script> & \u202eevil\u202c\u0001\uffff", "value": 120}
], "raw": "<script>alert(1)</script>"}"#;

const LIGHT: Options = Options {
    width_px: 480,
    height_px: None,
    theme: Theme::Light,
};

const TINY_FRONT_END: FrontEnd<'static> = FrontEnd {
    scripts: &[TINY],
    messages_json: "{}",
};

fn tiny() -> Figures<'static> {
    Figures::new(TINY_FRONT_END, PAGE, "de").expect("the tiny front end keeps the contract")
}

#[test]
fn the_figures_are_listed_in_the_pages_order_and_language() {
    expect![[r#"
        [
            FigureName {
                id: "bars",
                title: "Balken: chunk <b>[1m",
                description: "One bar each.",
            },
            FigureName {
                id: "raw",
                title: "Markup of the page",
                description: "",
            },
        ]
    "#]]
    .assert_debug_eq(&tiny().list());
}

#[test]
fn a_figure_is_the_same_each_time_and_its_texts_stay_texts() {
    let figures = tiny();
    let svg = figures.svg("bars", &LIGHT).unwrap();
    expect_file!["golden/bars.svg"].assert_eq(&svg);
    assert_eq!(figures.svg("bars", &LIGHT).unwrap(), svg);
    let dark = Options {
        theme: Theme::Dark,
        ..LIGHT
    };
    let dark = figures.svg("bars", &dark).unwrap();
    assert_eq!(dark, svg.replace("\"black\"", "\"white\""));
}

#[test]
fn a_figure_of_one_cell_is_named_by_its_number_and_has_no_title() {
    let svg = tiny().svg("bars.1", &LIGHT).unwrap();
    assert!(
        svg.contains("&#60;script&#62;") && !svg.contains("RAID 10"),
        "{svg}"
    );
    assert!(!svg.contains("<title>"), "{svg}");
    for id in [
        "bars.",
        "bars.x",
        "bars.1234567",
        "bars.1.1",
        ".1",
        "lines.1",
    ] {
        let error = tiny().svg(id, &LIGHT).unwrap_err();
        assert!(
            matches!(error, FigureError::Unknown { .. }),
            "{id}: {error}"
        );
    }
}

#[test]
fn markup_of_the_page_is_refused() {
    let error = tiny().svg("raw", &LIGHT).unwrap_err();
    expect!["the drawing of `raw` is not a plain SVG: it holds an element `script`"]
        .assert_eq(&error.to_string());
}

#[test]
fn unknown_figures_and_invalid_sizes_are_errors() {
    let error = |id, options| tiny().svg(id, &options).unwrap_err().to_string();
    expect!["no figure `b[1m` here; the figures are `bars`, `raw`"]
        .assert_eq(&error("b\u{1b}[1m", LIGHT));
    let options = |width_px, height_px| Options {
        width_px,
        height_px: Some(height_px),
        ..LIGHT
    };
    expect!["width of 99 px is outside 100 to 8192 px"].assert_eq(&error("bars", options(99, 100)));
    expect!["height of 8193 px is outside 100 to 8192 px"]
        .assert_eq(&error("bars", options(100, 8193)));
}

#[test]
fn an_id_that_cannot_be_a_file_name_is_a_bug_of_the_front_end() {
    for id in ["", "../etc", "a b", "ü", &"x".repeat(101)] {
        let list = format!(r#"[{{"id": "{id}", "title": ""}}]"#);
        let bundle =
            format!("globalThis.stripewise = {{ figure() {{}}, figures: () => '{list}' }};");
        let front_end = FrontEnd {
            scripts: &[&bundle],
            ..TINY_FRONT_END
        };
        let error = Figures::new(front_end, "{}", "en").unwrap_err();
        assert!(matches!(error, FigureError::Bundle { .. }), "{id}: {error}");
    }
    let error = Figures::new(TINY_FRONT_END, "{", "en").unwrap_err();
    assert!(matches!(error, FigureError::Script { .. }), "{error}");
}

/// Returns the columns, in pixels, whose pixels are not all transparent, within the rows given.
fn inked_columns(picture: &[u8], rows: std::ops::Range<u32>) -> Vec<u32> {
    let pixmap = Pixmap::decode_png(picture).expect("a PNG");
    let is_inked = |x, y| pixmap.pixel(x, y).is_some_and(|pixel| pixel.alpha() > 0);
    (0..pixmap.width())
        .filter(|x| rows.clone().any(|y| is_inked(*x, y)))
        .collect()
}

#[test]
fn a_text_in_the_picture_ends_where_its_measured_width_says() {
    let svg = tiny().svg("bars", &LIGHT).unwrap();
    let without_rule = svg.replace("<path ", "<path display=\"none\" ");
    let (with, without) = (png(&svg, 1.0).unwrap(), png(&without_rule, 1.0).unwrap());
    for (index, rows) in [10..30, 40..60].into_iter().enumerate() {
        let rule = *inked_columns(&with, rows.clone()).last().unwrap();
        let text = *inked_columns(&without, rows).last().unwrap();
        assert!(
            text <= rule && rule - text <= 4,
            "{index}: text to {text}, rule at {rule}"
        );
    }
}

/// Compares pixels, with a tolerance, and not bytes: compression may change, and processors round
/// differently.
#[test]
fn the_picture_equals_the_reviewed_one() {
    let picture = png(&tiny().svg("bars", &LIGHT).unwrap(), 2.0).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/bars.png");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&golden, &picture).unwrap();
    }
    let seen = Pixmap::decode_png(&picture).unwrap();
    let expected = Pixmap::decode_png(&std::fs::read(golden).unwrap()).unwrap();
    assert_eq!((seen.width(), seen.height()), (960, 200));
    assert_eq!((expected.width(), expected.height()), (960, 200));
    let differences = seen.data().iter().zip(expected.data());
    let largest = differences.map(|(a, b)| a.abs_diff(*b)).max().unwrap();
    assert!(
        largest <= 8,
        "tests/golden/bars.png differs by {largest} of 255; UPDATE_EXPECT=1 and look at it"
    );
}

#[test]
fn a_family_that_the_svg_names_does_not_matter() {
    let svg = tiny().svg("bars", &LIGHT).unwrap();
    let other = svg.replace(
        "font-size:14px",
        "font-size:14px;font-family:'No Such Font',monospace",
    );
    assert_ne!(svg, other);
    assert!(png(&svg, 1.0).unwrap() == png(&other, 1.0).unwrap());
}

#[test]
fn a_picture_reads_no_files_and_has_a_bounded_size() {
    let around = |inside: &str, side: u32| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='{side}' height='{side}'>{inside}</svg>"
        )
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/bars.svg");
    let image = format!("<image href='{}' width='9' height='9'/>", path.display());
    assert!(png(&around(&image, 9), 1.0).unwrap() == png(&around("", 9), 1.0).unwrap());

    let error = |svg: &str, scale| png(svg, scale).unwrap_err().to_string();
    expect!["a picture of 16385 x 16385 px is too large: a side has 16384 px at most"]
        .assert_eq(&error(&around("", 16385), 1.0));
    expect!["a picture of 4294967295 x 4294967295 px is too large: a side has 16384 px at most"]
        .assert_eq(&error(&around("", 9), f32::INFINITY));
    for scale in [0.0, -1.0, 0.01, f32::NAN] {
        assert!(
            error(&around("", 9), scale).ends_with("the picture has no pixels"),
            "{scale}"
        );
    }
    assert!(error("no SVG", 1.0).starts_with("failed to read the SVG: "));
}

/// The tests of its pages cover its figures; this test only checks that it runs without a browser.
#[test]
fn the_reports_own_front_end_runs_without_a_browser() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/assets");
    let read = |name| std::fs::read_to_string(assets.join(name)).expect("a committed script");
    let front_end = FrontEnd {
        scripts: &[&read("packages.js"), &read("app.js")],
        ..TINY_FRONT_END
    };
    if let Err(error) = Figures::new(front_end, "{}", "en") {
        assert!(matches!(error, FigureError::Script { .. }), "{error}");
    }
}
