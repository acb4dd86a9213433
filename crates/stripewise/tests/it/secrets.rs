//! No secret of whole files is in what `collect` writes.
//!
//! The failure: each form of a secret was tested alone in a line. In a file, a command went on after
//! a backslash, a comment kept an old password, and the rest of the password stood in the next line.
//! And the words that a user should look at were counted, but no test saw the sentence.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{Bench, skip, where_mounting_is_allowed, with};

/// Files of a host. Each secret has a number: `zx01q`.
const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/secrets");
/// The fewest secrets in them.
const SECRETS_MIN: usize = 70;
/// Puts the files in place of those of this machine, and collects them.
const SCRIPT: &str = "
    mount -t tmpfs none /etc
    cp -r \"$3\"/etc/. /etc
    mount --bind \"$3\"/proc/cmdline /proc/cmdline
    exec \"$1\" collect --out \"$4\" --language \"$5\"
";
/// What must be left of the files.
const KEPT: [&str; 13] = [
    "UUID=6e3fe5a1-2b1c-4f0e-9a35-1f6a2f7f3a11 / ext4 errors=remount-ro 0 1",
    "//nas/media2 /media2 cifs user=media%[redacted],vers=3.0 0 0",
    "/dev/sdb1 /srv xfs nobarrier 0 0",
    "[redacted]@10.0.0.1::3260:1:iqn.2003-01.org:x",
    "additional options to pass to the daemon.",
    "ARRAY /dev/md0 metadata=1.2 UUID=a26bf396:31389f83:0df1722d:f404fe4c",
    "DEVICESCAN -n standby",
    "MONITOR ups@localhost 1 upsmon [redacted] primary",
    "@one.example/debian",
    "  Require all denied",
    "<driver name='qemu' cache='none'/>",
    "5 4 * * * root",
    "GRUB_DISABLE_OS_PROBER=true",
];

/// Returns the text of all files below a directory.
fn text_below(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => text += &text_below(&path),
            false => text += &fs::read_to_string(&path).unwrap(),
        }
    }
    text
}

/// Returns the numbered secrets in a text.
fn secrets(text: &str) -> BTreeSet<&str> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_digits = |part: &str| part.len() == 2 && part.chars().all(|c| c.is_ascii_digit());
    let numbers = parts.flat_map(|part| part.match_indices("zx").map(|(at, _)| &part[at..]));
    let numbers = numbers.filter(|part| part.get(4..5) == Some("q") && is_digits(&part[2..4]));
    numbers.map(|part| &part[..5]).collect()
}

#[test]
fn no_secret_of_a_whole_file_is_collected_and_drawn_words_are_named() {
    let Some(bench) = Bench::new() else { return };
    let given = text_below(Path::new(FILES));
    let count = secrets(&given).len();
    assert!(count >= SECRETS_MIN, "{count}");
    for (language, sentence) in [
        (
            "en",
            "2 words look like passwords or keys (in /etc/fstab, /etc/mdadm/mdadm.conf): look at them before you send the result.",
        ),
        (
            "de",
            "2 Wörter sehen wie Passwörter oder Schlüssel aus (in /etc/fstab, /etc/mdadm/mdadm.conf): Sehen Sie sie an, bevor Sie das Ergebnis weitergeben.",
        ),
    ] {
        let Some(command) = where_mounting_is_allowed(&bench, SCRIPT) else {
            return skip("collect of whole files", "this user may not mount here");
        };
        let out = bench.path(language);
        let name = out.display().to_string();
        let done = bench.finish(with(command, [FILES, &name, language]));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        let collected = text_below(&out);
        let left = secrets(&collected);
        assert!(left.is_empty(), "{left:?}\n{collected}");
        for kept in KEPT {
            assert!(collected.contains(kept), "{kept}\n{collected}");
        }
        assert!(done.stderr.contains(sentence), "{}", done.transcript());
    }
}

/// A part of a listing would be judged as if it were all of it.
#[test]
fn a_listing_that_is_too_long_is_refused_whole() {
    let Some(bench) = Bench::new() else { return };
    let path = bench.path("listing.txt");
    let name = path.display().to_string();
    let words = ["site", "permissions", "--listing", &name, "--server-user"];
    for (bytes, reason) in [
        ((64 << 20) + 1, "is longer than 64 MiB"),
        // All of it is read, and its first line is too long.
        (64 << 20, "no line of `ls -l` has more than"),
    ] {
        // A hole: it occupies no space.
        fs::File::create(&path).unwrap().set_len(bytes).unwrap();
        let done = bench.finish(with(bench.command(), words.into_iter().chain(["a"])));
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(done.stderr.contains(reason), "{}", done.transcript());
        assert!(done.stdout.is_empty(), "{}", done.transcript());
    }
}
