//! Tests of the words of a question.

use super::*;

#[test]
fn parts_of_an_array_are_recognised_by_their_form() {
    let word: ArrayWord = "raid10:32K:4:n2".parse().unwrap();
    assert_eq!(
        word,
        ArrayWord {
            text: word.text.clone(),
            .."raid10:n2:4:32K".parse().unwrap()
        }
    );
    assert_eq!(word.devices, Some(4));
    let bytes: ArrayWord = "raid5:3:65536".parse().unwrap();
    assert_eq!(bytes.chunk, Some(Bytes::new(65536)));
    for bad in [
        "raid7",
        "",
        "raid10:n2:f2",
        "raid5:4:5",
        "raid0:2:64K:128K",
        "none:4",
        "raid10:",
        "raid5:a b",
        "raid5:0",
        "raid5:4097",
        "raid5:99999",
        "raid5:4000000000",
    ] {
        assert!(bad.parse::<ArrayWord>().is_err(), "{bad}");
    }
}

#[test]
fn several_devices_are_the_members_in_their_order() {
    let devices = ["b".to_owned(), "a".to_owned(), "b".to_owned()];
    let stack = |word: &str, devices: &[String], count| {
        let word: ArrayWord = word.parse().unwrap();
        word.stack(devices, count, None, None)
    };
    for (word, count) in [("raid5", None), ("raid5:3", None), ("raid5", Some(3))] {
        let section = stack(word, &devices, count).unwrap().section("s");
        let wanted = "devices = [\"b\", \"a\", \"b\"]\n";
        assert!(section.contains(wanted), "{word}: {section}");
    }
    let section = stack("raid5:3", &devices[..1], None).unwrap().section("s");
    assert!(section.contains("devices = { \"b\" = 3 }\n"), "{section}");
    for (word, count) in [("none", None), ("raid5:4", None), ("raid5", Some(2))] {
        assert!(stack(word, &devices, count).is_err(), "{word}");
    }
}

#[test]
fn colons_within_values_stay() {
    let word: WorkloadWord = "randrw:4K/60:64K/40:mix=70/30:distribution=zipf:1.2"
        .parse()
        .unwrap();
    let key = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(word.keys[1], key("block_size", "4K/60:64K/40"));
    assert_eq!(word.keys[3], key("distribution", "zipf:1.2"));
    assert!("randread:".parse::<WorkloadWord>().is_err());
    for twice in [
        "randread:4K:depth=3:depth=3",
        "randread:4K:pattern=read",
        "randread:4K:depth=3:block_size=8K",
    ] {
        let error = twice.parse::<WorkloadWord>().unwrap_err();
        assert!(error.contains("is given twice"), "{twice}: {error}");
    }
}

/// A word, and what it is in a study.
fn same_loads(words: &[&str], ours: &str) {
    let keys = |word: &str| {
        let read: WorkloadWord = word
            .parse()
            .unwrap_or_else(|error| panic!("{word}: {error}"));
        let lower = |(key, value): (String, String)| (key, value.to_lowercase());
        read.keys.into_iter().map(lower).collect::<Vec<_>>()
    };
    for word in words {
        assert_eq!(keys(word), keys(ours), "{word}");
    }
}

#[test]
fn loads_are_read_as_people_spell_them() {
    same_loads(
        &[
            "randread",
            "rand-read",
            "random_read:4k",
            "Randread 4k",
            "4k:randread",
            "randread:bs=4k",
            "rw=randread",
            "rw=randread,bs=4k",
            "--rw=randread --bs=4k",
        ],
        "randread:4k",
    );
    same_loads(
        &[
            "randrw:4k:70/30:qd8:jobs4",
            "randrw:4k:mix=70:qd=8:threads=4",
            "random-rw:4k:rwmixread=70:iodepth8:numjobs4",
            "rw=randrw,bs=4k,rwmixread=70,iodepth=8,numjobs=4",
            "randrw:4k:70/30:queue-depth=8:jobs=4",
        ],
        "randrw:4k:mix=70/30:depth=8:jobs=4",
    );
    same_loads(&["seq-write:1m", "Sequential-Write 1M"], "write:1m");
}

#[test]
fn arrays_are_read_as_people_spell_them() {
    let read = |word: &str| {
        let read: ArrayWord = word
            .parse()
            .unwrap_or_else(|error| panic!("{word}: {error}"));
        (read.level, read.layout, read.devices, read.chunk)
    };
    for (words, ours) in [
        (
            &[
                "raid-5:4:64K",
                "RAID5:4:64",
                "5:4:64k",
                "raid5x4:64K",
                "4 x raid5:64K",
                "raid5-4-64K",
                "raid5:4:chunk=64",
                "level=5,devices=4,chunk=64K",
                "raid5 4 64K",
            ][..],
            "raid5:4:64K",
        ),
        (
            &[
                "raid10:far2:4",
                "raid10:far:4",
                "1+0:f2:4",
                "RAID-10:4:layout=f2",
                "raid10-f2-4",
            ],
            "raid10:f2:4",
        ),
        (&["raid10:near=3:6", "striped-mirror:n3:6"], "raid10:n3:6"),
        (&["raid5:ls:4"], "raid5:left-symmetric:4"),
        (&["raid0-4"], "raid0:4"),
    ] {
        for word in words {
            assert_eq!(read(word), read(ours), "{word}");
        }
    }
    for (bad, expected) in [
        ("raidz2:4", "it belongs to ZFS"),
        ("raid50:8", "md nests no levels"),
        ("jbod:4", "it has two meanings"),
        ("raid5:4+1", "such as `raid5:5`"),
        ("raid5:4:5", "a second number of devices"),
    ] {
        let error = bad.parse::<ArrayWord>().unwrap_err();
        assert!(error.contains(expected), "{bad}: {error}");
    }
}

#[test]
fn devices_are_read_with_their_number() {
    for (word, profile, count) in [
        ("sata-ssd", "sata-ssd", None),
        ("4 x sata-ssd", "sata-ssd", Some(4)),
        ("4xsata-ssd", "sata-ssd", Some(4)),
        ("sata-ssd x 4", "sata-ssd", Some(4)),
        ("sata-ssd:4", "sata-ssd", Some(4)),
        ("x4-disk", "x4-disk", None),
        ("7200-rpm", "7200-rpm", None),
    ] {
        let read: DeviceWord = word.parse().unwrap();
        let wanted = DeviceWord {
            profile: profile.to_owned(),
            count,
        };
        assert_eq!(read, wanted, "{word}");
    }
    for bad in ["0 x sata-ssd", "4 x ", "99999 x sata-ssd"] {
        assert!(bad.parse::<DeviceWord>().is_err(), "{bad}");
    }
    let four: Vec<DeviceWord> = vec!["4 x sata-ssd".parse().unwrap()];
    let raid5: ArrayWord = "raid5".parse().unwrap();
    let stack = raid5.stack(&profiles_of(&four), None, None, None).unwrap();
    assert_eq!(stack.devices, [("sata-ssd".to_owned(), 4)]);
    let alone = ArrayWord::none().stack(&profiles_of(&four), None, None, None);
    assert!(alone.is_err(), "four devices are no array");
}

#[test]
fn words_of_fio_are_those_of_a_study() {
    let ours: WorkloadWord = "randrw:4k:mix=70/30:depth=32:jobs=2:direct=true"
        .parse()
        .unwrap();
    for fio in [
        "rw=randrw:bs=4k:rwmixread=70:iodepth=32:numjobs=2:direct=1",
        "randrw:4k:rwmixwrite=30:iodepth=32:numjobs=2:buffered=0",
    ] {
        let word: WorkloadWord = fio.parse().unwrap();
        assert_eq!(word.keys, ours.keys, "{fio}");
    }
    for (bad, expected) in [
        (
            "randread:4K:depth=3:iodepth=4",
            "`iodepth` is given twice: here it is `depth`",
        ),
        ("bs=4k:iodepth=4", "no pattern"),
        ("mysql", "did you mean `mysql-in-vm`?"),
        ("nothing", "expected PATTERN:BLOCK"),
        ("trim:4k", "no study discards blocks"),
        ("randrw:4k:70", "write `depth=70`"),
        ("randread:4k:far", "`far` has no key"),
    ] {
        let error = bad.parse::<WorkloadWord>().unwrap_err();
        assert!(error.contains(expected), "{bad}: {error}");
    }
    let shipped: WorkloadWord = "oltp:size=1G".parse().unwrap();
    assert_eq!(shipped.keys[0].0, "from");
    assert_eq!(chunk_word("32"), chunk_word("32K"));
}
