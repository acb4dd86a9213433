//! Values in layers of forms are what the new site would have written, whatever the layers are.
//!
//! The failure: an address was found in a form in which the lengths around it were not read, so the
//! value was broken, and nobody was told.

use crate::forms_kit::{Drawn, Draws, File, NEW, OLD, number, pairs};
use stripewise_site::{Format, InputReport, Options, rewrite};

fn run(input: &[u8], file: File) -> (Vec<u8>, InputReport) {
    let options = Options {
        format: (file == File::Text).then_some(Format::Text),
        ..Options::default()
    };
    let mut output = Vec::new();
    let report = rewrite(input, &mut output, &pairs(), &options).unwrap();
    (output, report)
}

#[test]
fn a_value_in_layers_is_what_the_new_site_would_have_written() {
    let seed = number("STRIPEWISE_TEST_SEED").unwrap_or(1);
    let count = number("STRIPEWISE_TEST_FORMS").unwrap_or(4_000);
    let mut draws = Draws(seed);
    let (mut wrong, mut silent) = (Vec::new(), 0);
    for index in 0..count {
        let drawn = Drawn::draw(&mut draws);
        let (found, report) = run(&drawn.written(OLD), drawn.file);
        let wanted = drawn.written(NEW);
        if found == wanted {
            continue;
        }
        // What stays must be said.
        let is_said = report.stuck() > 0 && found == drawn.written(OLD);
        silent += u64::from(!is_said);
        wrong.push(format!(
            "{index} said: {is_said} {drawn:?} {:?}\n old    {}\n wanted {}\n found  {}",
            report
                .broken
                .iter()
                .map(|one| one.fault)
                .collect::<Vec<_>>(),
            String::from_utf8_lossy(&drawn.written(OLD)),
            String::from_utf8_lossy(&wanted),
            String::from_utf8_lossy(&found)
        ));
    }
    let first = wrong
        .iter()
        .take(500)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        wrong.is_empty(),
        "seed {seed}: {} of {count} wrong, {silent} of them silently:\n{first}",
        wrong.len()
    );
}
