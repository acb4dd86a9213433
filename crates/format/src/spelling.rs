//! Other spellings of the words that values of a study are: levels and layouts of md, patterns of fio.
//!
//! Sources: mdadm(8) 4.4 (`--level`, `--layout`), lvmraid(7) 2.03, zpoolconcepts(7) 2.2, mkfs.btrfs(8) 6.2,
//! fio 3.42's HOWTO. A word on the command line is read; a study file is answered with the word that
//! is meant.

use stripewise_study::stack::Level;
use stripewise_study::workload::Pattern;

/// What a word means where a level, layout or pattern stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelling {
    /// The word of a study.
    Is(String),
    /// Something that another place says, or that does not exist here: a sentence.
    Elsewhere(&'static str),
}

/// Words for levels, folded; numbers and `raid` with a number need no row.
const LEVELS: [(&[&str], &str); 4] = [
    (&["stripe", "striped", "striping"], "raid0"),
    (&["mirror", "mirrored", "mirroring"], "raid1"),
    (
        &["raid1+0", "1+0", "stripedmirror", "stripedmirrors"],
        "raid10",
    ),
    (&["concat", "concatenation", "span", "spanned"], "linear"),
];

/// Words that stand where a level does and are none of md.
const NO_LEVELS: [(&[&str], &str); 6] = [
    (
        &[
            "raidz", "raidz1", "raidz2", "raidz3", "z1", "z2", "z3", "draid", "zfs", "zpool",
        ],
        "it belongs to ZFS, which has no array below it: in a study, `filesystem = { type = \"zfs\", mkfs = [\"raidz1\"] }`",
    ),
    (
        &["raid1c3", "raid1c4", "dup", "single", "btrfs"],
        "it belongs to btrfs, which has no array below it: in a study, `filesystem = { type = \"btrfs\", mkfs = [\"-d\", \"raid1\"] }`",
    ),
    (
        &[
            "raid50", "raid60", "raid5+0", "raid6+0", "50", "60", "raid01", "raid0+1", "0+1",
            "raid51", "raid61", "raid100",
        ],
        "md nests no levels, and neither does a study; `raid10` is a level of its own",
    ),
    (
        &["jbod"],
        "it has two meanings: `linear` is one device behind the other, and `none` is a device alone",
    ),
    (
        &["raid2", "raid3", "2", "3"],
        "md has no such level; `raid4` is the nearest, with one device for parity",
    ),
    (
        &["lvm", "lv", "thin", "vdo"],
        "it is a volume: in a study, `volume = \"linear\"` or `volume = \"striped\"`",
    ),
];

/// mdadm's short names of layouts (`r5layout` in maps.c).
const LAYOUTS: [(&str, &str); 4] = [
    ("ls", "left-symmetric"),
    ("la", "left-asymmetric"),
    ("rs", "right-symmetric"),
    ("ra", "right-asymmetric"),
];

/// Words for patterns, folded. fio's own have no row.
const PATTERNS: [(&[&str], Pattern); 6] = [
    (&["seqread", "sequentialread", "readseq"], Pattern::Read),
    (&["seqwrite", "sequentialwrite", "writeseq"], Pattern::Write),
    (&["randomread", "readrandom", "rndrd"], Pattern::RandRead),
    (&["randomwrite", "writerandom", "rndwr"], Pattern::RandWrite),
    (
        &[
            "randomrw",
            "randreadwrite",
            "randomreadwrite",
            "rndrw",
            "randmixed",
        ],
        Pattern::RandRw,
    ),
    (&["readwrite", "seqrw", "sequentialrw"], Pattern::Rw),
];

/// Words that stand where a pattern does and are none of a study.
const NO_PATTERNS: [(&[&str], &str); 2] = [
    (
        &["trim", "randtrim", "trimwrite", "discard"],
        "no study discards blocks as a load; `state = \"fresh\"` in `[conditions]` begins with trimmed devices",
    ),
    (
        &["mixed", "mix"],
        "it is `randrw` or `rw`, with `mix = \"70/30\"`",
    ),
];

/// Returns whether people put a character between the parts of a word.
fn is_between(c: char) -> bool {
    matches!(c, '-' | '_' | ' ')
}

/// Returns a word in lower case and in one part.
fn folded(word: &str) -> String {
    word.to_lowercase().replace(is_between, "")
}

fn row<T: Copy>(rows: &[(&[&str], T)], word: &str) -> Option<T> {
    let is_it = |(words, _): &&(&[&str], T)| words.contains(&word);
    rows.iter().find(is_it).map(|(_, meant)| *meant)
}

/// Returns what a word means where a level of an array stands; `None` if nothing is known of it.
pub fn level(word: &str) -> Option<Spelling> {
    let plain = folded(word);
    let is = |name: &str| Some(Spelling::Is(name.to_owned()));
    if let Some(name) = row(&LEVELS, &plain) {
        return is(name);
    }
    if let Some(why) = row(&NO_LEVELS, &plain) {
        return Some(Spelling::Elsewhere(why));
    }
    // `raid0-4`, a name of a stack, is not RAID 4.
    let lower = word.to_lowercase();
    let number = lower
        .strip_prefix("raid")
        .or_else(|| lower.strip_prefix('r'));
    let number = number.map_or(lower.as_str(), |rest| rest.trim_start_matches(is_between));
    let is_number = number
        .parse::<u8>()
        .is_ok_and(|read| read.to_string() == number);
    match is_number {
        true => is(Level::of_name(&format!("raid{number}"))?.as_str()),
        false => is(Level::of_name(&lower)?.as_str()),
    }
}

/// Returns what a word means where a layout of an array stands; `None` if nothing is known of it.
pub fn layout(word: &str) -> Option<Spelling> {
    let word = word.to_lowercase().replace('_', "-");
    if let Some((_, long)) = LAYOUTS.iter().find(|(short, _)| *short == word) {
        return Some(Spelling::Is((*long).to_owned()));
    }
    for kind in ["near", "far", "offset"] {
        let Some(copies) = word.strip_prefix(kind) else {
            continue;
        };
        let copies = copies.trim_start_matches(['=', '-', ' ']);
        let copies = if copies.is_empty() { "2" } else { copies };
        let copies: u8 = copies.parse().ok()?;
        let letter = kind.get(..1)?;
        return Some(Spelling::Is(format!("{letter}{copies}")));
    }
    None
}

/// Returns what a word means where a pattern stands; `None` if nothing is known of it.
pub fn pattern(word: &str) -> Option<Spelling> {
    let word = folded(word);
    if let Some(why) = row(&NO_PATTERNS, &word) {
        return Some(Spelling::Elsewhere(why));
    }
    let pattern = Pattern::of_name(&word).or_else(|| row(&PATTERNS, &word));
    pattern.map(|pattern| Spelling::Is(pattern.as_str().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row is a word that a study has, and no word of a study means another.
    #[test]
    fn spellings_lead_to_words_of_a_study_and_those_mean_themselves() {
        for (words, name) in LEVELS {
            assert!(Level::of_name(name).is_some(), "{name}");
            for word in words {
                assert_eq!(level(word), Some(Spelling::Is(name.to_owned())), "{word}");
            }
        }
        for name in Level::ALL {
            let name = name.as_str();
            assert_eq!(level(name), Some(Spelling::Is(name.to_owned())));
        }
        for name in Pattern::ALL {
            let name = name.as_str();
            assert_eq!(pattern(name), Some(Spelling::Is(name.to_owned())));
        }
        for (_, long) in LAYOUTS {
            assert!(crate::RAID6_LAYOUTS.contains(&long), "{long}");
        }
    }

    #[test]
    fn words_of_other_programs_are_read_or_have_a_sentence() {
        for (word, name) in [
            ("raid-5", "raid5"),
            ("RAID 10", "raid10"),
            ("Raid_6", "raid6"),
            ("r5", "raid5"),
            ("5", "raid5"),
            ("1+0", "raid10"),
            ("striped", "raid0"),
        ] {
            assert_eq!(level(word), Some(Spelling::Is(name.to_owned())), "{word}");
        }
        for word in ["raidz2", "RAID-50", "raid0+1", "jbod", "dup", "raid3"] {
            assert!(
                matches!(level(word), Some(Spelling::Elsewhere(_))),
                "{word}"
            );
        }
        assert_eq!(
            ["raid7", "", "raid", "raid0-4", "raid5-10"].map(level),
            [const { None }; 5]
        );
        for (word, name) in [
            ("far2", "f2"),
            ("far", "f2"),
            ("near=3", "n3"),
            ("offset", "o2"),
            ("LS", "left-symmetric"),
        ] {
            assert_eq!(layout(word), Some(Spelling::Is(name.to_owned())), "{word}");
        }
        assert_eq!([layout("f2"), layout("farther")], [None, None]);
        for (word, name) in [
            ("rand-read", "randread"),
            ("Random Write", "randwrite"),
            ("seq_read", "read"),
            ("readwrite", "rw"),
            ("randomrw", "randrw"),
        ] {
            assert_eq!(pattern(word), Some(Spelling::Is(name.to_owned())), "{word}");
        }
        assert!(matches!(pattern("trim"), Some(Spelling::Elsewhere(_))));
        assert_eq!([pattern("r"), pattern("4k")], [None, None]);
    }
}
