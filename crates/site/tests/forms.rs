//! Values in layers of forms are what the new site would have written, whatever the layers are.
//!
//! The failure: an address was found in a form in which the lengths around it were not read, so the
//! value was broken, and nobody was told.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

mod forms_kit;

use forms_kit::{Draws, FILES, File, WRAPS, Wrap};
use stripewise_site::{Format, Options, Pair, Pairs, Policy, Report, rewrite};

const OLD: &str = "http://old.example";
const NEW: &str = "https://www.new.example";

fn pairs() -> Pairs {
    let pair = Pair {
        from: OLD.into(),
        to: NEW.into(),
    };
    let policy = Policy {
        base64: true,
        ..Policy::default()
    };
    Pairs::new(&[pair], policy).unwrap()
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// What stands around the address.
const TEXTS: [&str; 8] = [
    "@",
    "@/a?b=c&d=1",
    "see @/x \"quoted\" it's",
    "Größe @/ü 日本",
    "line\n@/a\nline\t<b>",
    "a \\ b @",
    "<a href=\"@/a\">x</a>",
    "100% @ [@/b]",
];

/// A drawn text: what is around the address, and its layers, the innermost first.
#[derive(Debug, Clone)]
struct Drawn {
    text: &'static str,
    wraps: Vec<Wrap>,
    file: File,
}

impl Drawn {
    fn draw(draws: &mut Draws) -> Self {
        let count = draws.below(5);
        let mut wraps: Vec<Wrap> = (0..count).map(|_| draws.pick(&WRAPS)).collect();
        if draws.below(8) == 0 {
            wraps.push(Wrap::Base64);
        }
        let mut drawn = Self {
            text: draws.pick(&TEXTS),
            wraps,
            file: draws.pick(&FILES),
        };
        if !drawn.file.holds(&drawn.value(OLD)) {
            drawn.file = File::MySql;
        }
        drawn
    }

    fn value(&self, address: &str) -> Vec<u8> {
        let text = self.text.replace('@', address).into_bytes();
        self.wraps.iter().fold(text, |text, wrap| wrap.write(&text))
    }

    fn written(&self, address: &str) -> Vec<u8> {
        self.file.write(&self.value(address))
    }
}

fn run(input: &[u8], file: File) -> (Vec<u8>, Report) {
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
    let count = number("STRIPEWISE_TEST_FORMS").unwrap_or(10_000);
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
            report.broken.iter().map(|one| one.fault).collect::<Vec<_>>(),
            String::from_utf8_lossy(&drawn.written(OLD)),
            String::from_utf8_lossy(&wanted),
            String::from_utf8_lossy(&found)
        ));
    }
    let first = wrong.iter().take(500).cloned().collect::<Vec<_>>().join("\n");
    assert!(
        wrong.is_empty(),
        "seed {seed}: {} of {count} wrong, {silent} of them silently:\n{first}",
        wrong.len()
    );
}
