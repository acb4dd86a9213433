//! Every kind of finding about a host; a new one does not compile until it is listed.

use stripewise_study::facts::FactChange;
use stripewise_study::hosts::{HostFinding, LostWhy};
use stripewise_study::warning::Warning;
use stripewise_units::Nanos;

fn closed(printed: &str, code: Option<i32>) -> LostWhy {
    let printed = printed.to_owned();
    LostWhy::Closed { printed, code }
}

/// Returns one of each kind, as warnings.
pub(crate) fn host_findings() -> Vec<Warning> {
    let host = || "web1".to_owned();
    let lost = |why| HostFinding::Lost { host: host(), why };
    let clock = |is_ahead| HostFinding::Clock {
        host: host(),
        off_ns: Nanos::from_millis(90_000),
        within_ns: Nanos::new(1_500_000),
        is_ahead,
    };
    let all = vec![
        lost(closed("", None)),
        lost(closed("", Some(255))),
        lost(closed("Connection reset by peer", Some(255))),
        lost(closed("", Some(137))),
        lost(closed("no space", Some(2))),
        lost(LostWhy::Silent {
            for_ns: Nanos::from_millis(15_000),
        }),
        lost(LostWhy::Failed {
            error: "failed to measure with fio: no space".to_owned(),
        }),
        HostFinding::Without {
            hosts: vec![host(), "web2".to_owned()],
            why: Vec::new(),
            left: 6,
        },
        HostFinding::Without {
            hosts: vec![host()],
            why: vec![closed("Killed", Some(137))],
            left: 7,
        },
        HostFinding::Late {
            host: host(),
            late_ns: Nanos::from_millis(80),
            within_ns: Nanos::new(600_000),
        },
        HostFinding::Slow {
            host: host(),
            share: 0.31,
        },
        clock(true),
        clock(false),
        HostFinding::Busy {
            host: host(),
            load: 7.5,
            cpus: 4,
        },
        HostFinding::Unlike {
            host: host(),
            first: "web0".to_owned(),
            change: FactChange {
                fact: "kernel".to_owned(),
                before: "6.1.0".to_owned(),
                now: "6.12.1".to_owned(),
            },
        },
        HostFinding::Noticed {
            host: host(),
            warning: Box::new(Warning::Throttled { count: 3 }),
        },
    ];
    let mut kinds: Vec<u32> = all.iter().map(listed).collect();
    kinds.dedup();
    assert_eq!(kinds, (0..8).collect::<Vec<_>>());
    all.into_iter()
        .map(|finding| Warning::Host(Box::new(finding)))
        .collect()
}

const fn listed(finding: &HostFinding) -> u32 {
    match finding {
        HostFinding::Lost { .. } => 0,
        HostFinding::Without { .. } => 1,
        HostFinding::Late { .. } => 2,
        HostFinding::Slow { .. } => 3,
        HostFinding::Clock { .. } => 4,
        HostFinding::Busy { .. } => 5,
        HostFinding::Unlike { .. } => 6,
        HostFinding::Noticed { .. } => 7,
    }
}
