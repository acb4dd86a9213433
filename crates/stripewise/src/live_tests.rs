//! Tests of the screen's text: what a user reads at 80 columns while a run goes on.

use stripewise_format::parse;
use stripewise_stats::{Estimate, Interval, Level};
use stripewise_study::hosts::{HostProgress, HostState, LostWhy};
use stripewise_units::Nanos;

use super::*;

const STUDY: &str = r#"
question = "How fast is this filesystem?"
[stack.here]
[workload.load]
pattern = "randread"
block_size = ["4K", "64K", "1M"]
size = "1G"
"#;

fn live(cells: usize) -> Live {
    let study = parse("study", STUDY).unwrap();
    let words = Words {
        head: "block size".to_owned(),
        cells: (0..cells)
            .map(|cell| format!("{}K", 4_u64 << cell))
            .collect(),
        again: "stripewise resume 3".to_owned(),
    };
    Live::new(&study, words, None, View::drawn(80))
}

fn state(half: f64, end: Option<CellEnd>) -> CellState {
    let mib = f64::from(1 << 20);
    let [low, value, high] = [1.0 - half, 1.0, 1.0 + half].map(|share| 400.0 * mib * share);
    let estimate = Estimate {
        interval: Some(Interval { low, high }),
        value,
        of_samples: None,
        level: Level::P95,
        samples: 6,
        effective_samples: 6.0,
    };
    CellState {
        counted: 6,
        is_warm: true,
        estimate: Some(estimate),
        end,
        width: half / 0.05,
        missing: 3,
    }
}

fn text(live: &Live, (columns, rows): (usize, usize), now: Instant) -> String {
    let lines = live.frame(Size { columns, rows }, now);
    assert!(lines.len() <= rows, "{} lines", lines.len());
    let lines = lines.iter().map(|line| line.text(columns) + "\n");
    lines.collect()
}

#[test]
fn cells_show_how_far_their_intervals_have_closed() {
    let now = Instant::now();
    let mut live = live(3);
    let left = RunProgress {
        taken: 12,
        missing: 24,
        time_left: Duration::from_secs(95),
    };
    let bandwidth = |cell| (cell, Metric::Bandwidth);
    live.saved(
        bandwidth(0),
        &state(0.02, Some(CellEnd::NarrowEnough)),
        left,
        now,
    );
    live.saved(bandwidth(1), &state(0.25, None), left, now);
    live.begin(
        1,
        "randread, block size 8K".to_owned(),
        Some(Duration::from_secs(3)),
    );
    live.progress(Duration::from_secs(2), now);
    live.warn("another process used the disk".to_owned());
    let later = now + Duration::from_secs(5);
    let expected = expect_test::expect![[r#"
        How fast is this filesystem?
        ████████░░░░░░░░░░░░░░░░░░  12 of 36 samples · 1 min 30 s left

          block size  estimate         interval (target ┊ ┊)
          4K          400 ±8 MiB/s          ┊ ├●┤ ┊         ±2 %  done
        ▶ 8K          400 ±100 MiB/s   ◂───────●───────▸   ±25 %  6 so far
          16K

        randread, block size 8K · 2 s of 3 s
        another process used the disk

        Ctrl-C ends the run; `stripewise resume 3` continues it
    "#]];
    expected.assert_eq(&text(&live, (80, 24), later));
}

#[test]
fn a_small_terminal_shows_the_cells_around_the_current_one() {
    let mut live = live(20);
    for (current, [seen, unseen]) in [(0, [4_u64, 4 << 19]), (19, [4 << 19, 4])] {
        live.begin(current, "step".to_owned(), None);
        let text = text(&live, (60, 16), Instant::now());
        assert!(text.contains(&format!(" {seen}K\n")), "{text}");
        assert!(!text.contains(&format!(" {unseen}K\n")), "{text}");
        assert!(text.contains("15 more cells; 0 of 20 are done"), "{text}");
    }
}

#[test]
fn any_size_of_terminal_is_filled_and_no_more() {
    let mut live = live(20);
    live.begin(7, "step".to_owned(), None);
    for rows in 11..60 {
        text(&live, (40, rows), Instant::now());
    }
    assert!(!When::Auto.shows(
        Size {
            columns: 80,
            rows: 19
        },
        AUTO_AFTER
    ));
    assert!(When::Auto.shows(AUTO, AUTO_AFTER));
    assert!(!When::Auto.shows(AUTO, Duration::ZERO));
}

#[test]
fn an_interval_closes_to_its_middle() {
    assert_eq!(interval(f64::INFINITY), "◂───────●───────▸");
    assert_eq!(interval(2.0), "  ├─────●─────┤  ");
    assert_eq!(interval(1.0), "     ├──●──┤     ");
    assert_eq!(interval(0.5), "     ┊├─●─┤┊     ");
    assert_eq!(interval(0.0), "     ┊  ●  ┊     ");
}

#[test]
fn each_host_has_a_line_and_the_lost_ones_are_not_hidden() {
    let host = |name: &str, state, left: Option<u64>| HostProgress {
        host: name.to_owned(),
        state,
        left: left.map(Nanos::from_millis),
    };
    let lost = LostWhy::Silent {
        for_ns: Nanos::from_millis(15_000),
    };
    let hosts = [
        host("web3", HostState::Lost(lost), None),
        host("web1", HostState::Loading, Some(2500)),
        host("web2", HostState::Waiting, None),
        host("web4", HostState::Preparing, None),
    ];
    let view = View::drawn(80);
    let said: Vec<String> = hosts.iter().map(|host| view.say(&host.message())).collect();
    assert_eq!(
        said,
        [
            "web3: lost: nothing came from it for 15.0 s",
            "web1: load runs, 2.5 s left",
            "web2: ready, waits for the others",
            "web4: getting ready",
        ]
    );
    let mut live = live(3);
    live.hosts(&said);
    let now = Instant::now();
    assert!(
        said.iter()
            .all(|line| text(&live, (80, 24), now).contains(line))
    );
    let many: Vec<String> = (0..256)
        .map(|index| format!("web{index}: load runs"))
        .collect();
    live.hosts(&many);
    let shown = text(&live, (80, 24), now);
    assert!(shown.contains("web6: load runs"), "{shown}");
    assert!(shown.contains("249 more hosts"), "{shown}");
}
