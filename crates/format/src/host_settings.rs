//! Checks of conditions: parameters of the kernel, the C-state limit, and what happens beside a load.

use crate::locate::Path;
use crate::raw::ConditionsTable;
use crate::source::{ProblemText, Source};
use stripewise_study::notation::{Notated, OneOrMany};
use stripewise_study::plan::Repeat;
use stripewise_study::sysctl;
use stripewise_units::Nanos;

/// The shortest interval of what happens beside a load.
const EVERY_NS_MIN: Nanos = Nanos::from_millis(10);
/// The largest time in `/dev/cpu_dma_latency`, a signed number (`pm_qos_power_write`).
const LATENCY_US_MAX: u32 = i32::MAX.unsigned_abs();

/// Refuses parameters that a study must not set, and intervals that a sample has no room for.
pub(crate) fn check(source: &mut Source, table: &ConditionsTable, repeat: &Repeat) {
    let all = Path::default().key("conditions");
    for name in table.sysctl.iter().flat_map(|names| names.keys()) {
        let Some(why) = sysctl::refusal(name) else {
            continue;
        };
        let report = ProblemText::new(
            format!("a study cannot set the kernel's parameter `{name}`"),
            "not this one",
        );
        source.problem(&all.key("sysctl").key(name), report.at_key().hint(why));
    }
    let latencies = table.cpu_dma_latency_us.iter();
    for (index, latency) in latencies.flat_map(|list| list.values.iter().enumerate()) {
        if *latency > LATENCY_US_MAX {
            let is_list = table.cpu_dma_latency_us.as_ref();
            let is_list = is_list.is_some_and(|list| list.is_list);
            let place = all.key("cpu_dma_latency_us");
            let place = place.element(is_list.then_some(index));
            let report = ProblemText::new(
                format!("`cpu_dma_latency_us` is at most {LATENCY_US_MAX}"),
                "the kernel does not take it",
            );
            source.problem(&place, report.hint("leave it out for no limit"));
        }
    }
    let lists = [
        ("sync_every", &table.sync_every),
        ("flush_every", &table.flush_every),
    ];
    for (key, list) in lists {
        if let Some(list) = list {
            check_intervals(source, &all.key(key), key, list, repeat.sample_ns);
        }
    }
}

fn check_intervals(
    source: &mut Source,
    place: &Path,
    key: &str,
    list: &OneOrMany<Notated<Nanos>>,
    sample: Nanos,
) {
    for (index, Notated(every)) in list.values.iter().enumerate() {
        let place = place.element(list.is_list.then_some(index));
        if *every < EVERY_NS_MIN {
            let report =
                ProblemText::new(format!("`{key}` is at least {EVERY_NS_MIN}"), "too often");
            source.problem(&place, report.hint("use a longer interval"));
        } else if *every >= sample {
            let report = ProblemText::new(
                format!("`{key}` is not shorter than a sample, which takes {sample}"),
                "never happens",
            );
            let hint = "shorten it, or raise `sample` in `[repeat]`";
            source.problem(&place, report.hint(hint));
        }
    }
}
