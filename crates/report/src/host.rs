//! The state of the host during the samples of a run, in one line: the highest clock and temperature
//! that were read, and what the machine does not show.

use std::collections::BTreeSet;

use stripewise_answer::{Block, Sentence, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::host_during::HostDuring;

use crate::document::{CellPart, Document};

/// Returns the line; `None` if no sample knows its host.
pub(crate) fn host(document: &Document) -> Option<Block> {
    let samples = document.cells.iter().flat_map(|cell| &cell.samples);
    let hosts = samples.filter_map(|sample| sample.sample.host.as_ref());
    let sentences = sentences(hosts)
        .into_iter()
        .chain(meaning(load_cpus(document)));
    let sentences = Sentence::of(sentences).tone(Tone::Dim);
    (!sentences.parts.is_empty()).then(|| sentences.into())
}

/// Returns the CPUs that the samples' conditions asked for, and those on which their loads ran.
fn load_cpus(document: &Document) -> BTreeSet<(String, String)> {
    let of_cell = |cell: &CellPart| {
        let asked = cell.conditions.cpus.as_ref().map(ToString::to_string);
        let hosts = cell.samples.iter().filter_map(|it| it.sample.host.as_ref());
        let used = hosts.filter_map(|host| host.load_cpus.as_ref().map(ToString::to_string));
        let pairs: Vec<_> = used
            .filter_map(|used| asked.clone().zip(Some(used)))
            .collect();
        pairs
    };
    document.cells.iter().flat_map(of_cell).collect()
}

/// Says what the words of a study for CPUs meant on this machine.
fn meaning(load_cpus: BTreeSet<(String, String)>) -> impl Iterator<Item = Message> {
    let words = load_cpus.into_iter().filter(|(asked, used)| asked != used);
    words.map(|(asked, used)| {
        let message = Message::new("show-host-load-cpus").name("asked", asked);
        message.name("cpus", used)
    })
}

/// Returns what is known of the host during these samples.
fn sentences<'a>(hosts: impl Iterator<Item = &'a HostDuring>) -> Vec<Message> {
    let mut clock = None;
    let mut temperature = None;
    let (mut is_known, mut was_read, mut has_interrupts) = (false, false, false);
    for host in hosts {
        is_known |= host.cpus.is_some();
        was_read |= host.readings > 0;
        has_interrupts |= !host.cpu_interrupts.is_empty();
        clock = clock.max(host.clock_max_khz().zip(host.clock_file));
        temperature = temperature.max(host.temperature_max_millicelsius);
    }
    let mut sentences = Vec::new();
    if let Some((khz, file)) = clock {
        let clock = Argument::quantity(khz.div_ceil(1000).to_string(), "MHz");
        let message = Message::new("show-host-clock").with("clock", clock);
        sentences.push(message.name("file", file.file()));
    }
    if let Some(millicelsius) = temperature {
        let degrees = millicelsius.div_euclid(1000).to_string();
        let degrees = Argument::quantity(degrees, "°C");
        sentences.push(Message::new("show-host-temperature").with("temperature", degrees));
    }
    let hidden = [
        (was_read && clock.is_none(), "show-host-no-clock"),
        (
            was_read && temperature.is_none(),
            "show-host-no-temperature",
        ),
        (is_known && !has_interrupts, "show-host-no-interrupts"),
    ];
    let hidden: Vec<Argument> = hidden
        .into_iter()
        .filter(|(is_hidden, _)| *is_hidden)
        .map(|(_, id)| Message::new(id).into())
        .collect();
    if !hidden.is_empty() {
        let message = Message::new("show-host-hides");
        sentences.push(message.with("what", Argument::list_and(hidden)));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use stripewise_catalogue::Words;

    use super::*;
    use stripewise_study::host_during::ClockFile;

    fn words(hosts: &[HostDuring]) -> String {
        let sentences = sentences(hosts.iter());
        let words: Vec<String> = sentences.iter().map(Words::in_english).collect();
        words.join(" ")
    }

    fn host(khz: u64) -> HostDuring {
        HostDuring {
            cpus: "0-1".parse().ok(),
            cpu_clock_max_khz: vec![khz, 800_000],
            clock_file: Some(ClockFile::ScalingCurFreq),
            readings: 3,
            cpu_interrupts: vec![7, 8],
            temperature_max_millicelsius: Some(71_900),
            ..HostDuring::default()
        }
    }

    #[test]
    fn the_highest_clock_of_all_samples_is_shown() {
        expect_test::expect![[r#"No core's clock was read above 2300 MHz (`scaling_cur_freq`). The processor reached 71 °C."#]]
            .assert_eq(&words(&[host(2_299_999), host(1_000_000)]));
    }

    #[test]
    fn words_for_cpus_are_shown_with_what_they_meant() {
        let pairs = [
            ("0-3", "0-3"),
            ("cores-of:0", "0,4"),
            ("one-per-core", "0-3"),
        ];
        let pairs = pairs.map(|(asked, used)| (asked.to_owned(), used.to_owned()));
        let words: Vec<String> = meaning(pairs.into()).map(|it| it.in_english()).collect();
        expect_test::expect![[r#"The load with `cpus = "cores-of:0"` ran on CPU 0,4. The load with `cpus = "one-per-core"` ran on CPU 0-3."#]].assert_eq(&words.join(" "));
    }

    #[test]
    fn what_a_virtual_machine_hides_is_named() {
        let hidden = HostDuring {
            cpus: "0".parse().ok(),
            readings: 1,
            ..HostDuring::default()
        };
        expect_test::expect![[r#"This machine does not show the clock of its cores, the temperature of its processor and the interrupts of each core."#]]
            .assert_eq(&words(&[hidden]));
        // Samples too short for a reading say nothing of the machine.
        let short = HostDuring {
            cpu_interrupts: vec![1],
            cpus: "0".parse().ok(),
            ..HostDuring::default()
        };
        assert_eq!(words(&[short]), "");
        assert_eq!(words(&[]), "");
    }
}
