//! Which format a trace has, from its first bytes.
//!
//! The output of other programs about block I/O is refused by name if it lacks a field that each I/O needs:
//! its time, its place, its length, and its action.

use memchr::memmem::find;

use super::numbers::time;
use super::tracepoints::has_time;
use super::{Format, FormatName, perf_trace, snoop};
use crate::reader::{RECORD_IOS, ReadError};

/// How many lines are looked at; a trace may begin with comments, and with damage.
const LINES_MAX: usize = 256;
/// How much of the first line an error shows.
const SHOWN_BYTES: usize = 80;

/// Returns the format of a trace that begins with these bytes.
pub(crate) fn detect(head: &[u8]) -> Result<FormatName, ReadError> {
    if head.is_empty() {
        return Err(ReadError::Empty);
    }
    let found = |shows: &dyn Fn(&Format) -> bool| {
        let mut formats = FormatName::ALL.into_iter();
        formats.find(|format| shows(format.row()))
    };
    if let Some(format) = found(&|row| (row.begins)(head)) {
        return Ok(format);
    }
    refuse_others(head)?;
    let lines = head.split(|byte| *byte == b'\n');
    for line in lines.take(LINES_MAX).map(<[u8]>::trim_ascii_end) {
        if let Some(refused) = without_ios(line) {
            return Err(refused);
        }
        if let Some(format) = found(&|row| (row.looks_like)(line)) {
            return Ok(format);
        }
    }
    let lines = head.split(|byte| *byte == b'\n');
    if lines.take(LINES_MAX).any(is_of_own_format) {
        return Err(ReadError::NoIos {
            what: "these are events whose columns are in an unknown order, such as `blkparse -f` prints",
            recipe: "print them without `-f` and `-F`: `blkparse -i FILE`",
        });
    }
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(&first[..first.len().min(SHOWN_BYTES)]);
    Err(ReadError::UnknownFormat {
        first: first.trim_end().to_owned(),
    })
}

/// Refuses files that another program must convert first.
fn refuse_others(head: &[u8]) -> Result<(), ReadError> {
    let refused = |what, command| Err(ReadError::NotATrace { what, command });
    if head.starts_with(b"damon_recfmt_ver") {
        return Err(ReadError::NoIos {
            what: "these are records of DAMON: accesses to memory, and not I/Os of a device",
            recipe: RECORD_IOS,
        });
    }
    if head.starts_with(b"PERFILE2") || head.starts_with(b"2ELIFREP") {
        return refused("a recording of perf", "perf script -i FILE");
    }
    if head.starts_with(b"\x17\x08\x44tracing") {
        return refused("a recording of trace-cmd", "trace-cmd report -i FILE");
    }
    if head.get(257..262) == Some(b"ustar") {
        return refused("an archive of tar", "tar -xO -f FILE");
    }
    Ok(())
}

/// What other programs print, by words of a line: all of them are in it.
const WITHOUT_IOS: [(&[&[u8]], &str, &str); 9] = [
    (
        &[b"TIME(ms)", b"COMM", b"LAT(ms)"],
        "this is a table of bpftrace's biosnoop.bt, which does not say where I/Os are",
        "use the program of bcc or libbpf-tools, `biosnoop -Q`, or `blktrace -d DEV -w 60 -o -`",
    ),
    (
        &[b"interval-start"],
        "this is a histogram, such as `biolatency -j` prints, and not a trace",
        RECORD_IOS,
    ),
    (
        &[b": count", b"distribution"],
        "this is a histogram, such as biolatency, bitesize and biostacks print, and not a trace",
        RECORD_IOS,
    ),
    (
        &[b") ", b"|@"],
        "this is a histogram of bpftrace, and not a trace",
        RECORD_IOS,
    ),
    (
        &[b"PID", b"COMM", b"I/O", b"AVGms"],
        "this is a table of biotop, and not a trace",
        RECORD_IOS,
    ),
    (
        &[b"DISK", b"%RND", b"%SEQ"],
        "this is a table of biopattern, and not a trace",
        RECORD_IOS,
    ),
    (
        &[b"Device", b"r/s", b"w/s"],
        "this is a table of iostat, and not a trace",
        RECORD_IOS,
    ),
    (
        &[b"damon_"],
        "these are records of DAMON: accesses to memory, and not I/Os of a device",
        RECORD_IOS,
    ),
    (
        &[b"monitoring_start:"],
        "these are records of DAMON: accesses to memory, and not I/Os of a device",
        RECORD_IOS,
    ),
];

/// Returns why a line cannot be of a trace: another program wrote it, or left out what is needed.
fn without_ios(line: &[u8]) -> Option<ReadError> {
    let has = |word: &&[u8]| find(line, word).is_some();
    let known = WITHOUT_IOS.iter().find(|(words, ..)| words.iter().all(has));
    if let Some((_, what, recipe)) = known {
        return Some(ReadError::NoIos { what, recipe });
    }
    if snoop::header(line) == Some(snoop::Header::NoTimes) {
        return Some(ReadError::NoIos {
            what: "this is a table of iosnoop without times",
            recipe: "let it print when I/Os begin and end: `iosnoop -ts`",
        });
    }
    let at = find(line, b" block:block_")?;
    let event = &line[at + 1..];
    let colon = event.iter().skip(6).position(|byte| *byte == b':');
    let body = &event[(6 + colon?)..];
    let what = match (has_time(&line[..at]), body.trim_ascii() == b":") {
        (false, _) if perf_trace::looks_like(line) => return None,
        (false, _) => "`perf script` has printed events without their times",
        (true, true) => "`perf script` has printed events without what they say",
        (true, false) => return None,
    };
    let recipe = "print all that is needed: `perf script -F comm,tid,cpu,time,event,trace`";
    Some(ReadError::NoIos { what, recipe })
}

/// Returns whether a line has a time, letters of RWBS and a step of blktrace, each as a word.
fn is_of_own_format(line: &[u8]) -> bool {
    const STEPS: [&[u8]; 12] = [
        b"Q", b"G", b"I", b"D", b"C", b"M", b"F", b"R", b"P", b"U", b"X", b"A",
    ];
    let separators = [b' ', b'\t', b',', b';', b'|'];
    let words = || line.split(|byte| separators.contains(byte));
    let is_letters = |word: &[u8]| {
        let operation = word.first().is_some_and(|byte| b"RWDFN".contains(byte));
        operation && word.iter().all(|byte| b"RWDFNASME".contains(byte))
    };
    let steps = words().filter(|word| STEPS.contains(word)).count();
    // `R` and `F` are steps, too.
    let letters = words().filter(|word| is_letters(word)).count();
    let both = words().filter(|word| STEPS.contains(word) && is_letters(word));
    words().any(|word| time(word, 1).is_some())
        && steps > 0
        && letters > 0
        && steps + letters - both.count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_ios_is_refused_by_name() {
        for (line, what) in REFUSED {
            let Err(ReadError::NoIos { what: found, .. }) = detect(line.as_bytes()) else {
                panic!("{line}: {:?}", detect(line.as_bytes()));
            };
            assert!(found.contains(what), "{line}: {found}");
        }
    }

    /// A line of what other programs print, and the word by which it is named.
    const REFUSED: [(&str, &str); 15] = [
        // bpftrace, tools/biosnoop_example.txt.
        (
            "Attaching 4 probes...\nTIME(ms)     DISK    COMM             PID    LAT(ms)\n",
            "biosnoop.bt",
        ),
        // bcc, tools/biolatency_example.txt.
        (
            "{'ts': '2020-12-30 14:33:03', 'val_type': 'usecs', 'data': [{'interval-start': 0, 'interval-end': 1, 'count': 2}]}\n",
            "biolatency -j",
        ),
        (
            "Tracing block device I/O... Hit Ctrl-C to end.\n^C\n     usecs           : count     distribution\n",
            "biolatency",
        ),
        // bpftrace, tools/biolatency_example.txt.
        (
            "@usecs:\n[256, 512)             2 |                      |\n[512, 1K)             10 |@                     |\n",
            "bpftrace",
        ),
        (
            "PID    COMM             D MAJ MIN DISK       I/O  Kbytes  AVGms\n",
            "biotop",
        ),
        (
            "TIME     DISK     %RND  %SEQ    COUNT     KBYTES\n",
            "biopattern",
        ),
        (
            "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s\n",
            "iostat",
        ),
        (
            "kdamond.0  4568 [001] 1.106: damon:damon_aggregated: target_id=0 nr_regions=11 122509119488-135708762112: 0 864\n",
            "DAMON",
        ),
        ("damon_recfmt_ver\x02\x00", "DAMON"),
        (
            "base_time_absolute: 8 m 59.809 s\nmonitoring_start: 0 ns\n",
            "DAMON",
        ),
        // perf-tools, iosnoop.
        (
            "Tracing block I/O. Ctrl-C to end.\nCOMM             PID    TYPE DEV      BLOCK        BYTES     LATms\n",
            "iosnoop",
        ),
        (
            "             fio 21721 [001]      block:block_bio_queue: 7,0 WS 7808 + 128 [fio]\n",
            "without their times",
        ),
        (
            "19609.137451:      block:block_bio_queue: \n",
            "without what they say",
        ),
        // blkparse -f "%T.%t %a %d %S %n\\n" and "%5T.%9t,%D,%a,%d,%S,%n\\n".
        ("0.000000000 Q WS 7808 128\n", "blkparse -f"),
        ("    0.000000000,  8,0,D,R,7808,128\n", "blkparse -f"),
    ];

    #[test]
    fn each_format_by_examples_of_its_documentation() {
        for format in FormatName::ALL {
            let row = format.row();
            assert!(!row.examples.is_empty(), "{format}");
            assert_eq!(FormatName::parse(row.name), Some(format));
            for example in row.examples {
                let found = detect(example.as_bytes());
                assert!(
                    matches!(found, Ok(name) if name == format),
                    "{example}: {found:?}"
                );
            }
        }
        assert!(matches!(detect(b""), Err(ReadError::Empty)));
        assert!(matches!(
            detect(b"a,b\n1,2\n"),
            Err(ReadError::UnknownFormat { .. })
        ));
        let refused = detect(b"PERFILE2....");
        assert!(matches!(refused, Err(ReadError::NotATrace { .. })));
    }
}
