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
    assert!("randread".parse::<WorkloadWord>().is_err());
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
        ("randread", "expected PATTERN:BLOCK"),
    ] {
        let error = bad.parse::<WorkloadWord>().unwrap_err();
        assert!(error.contains(expected), "{bad}: {error}");
    }
    let shipped: WorkloadWord = "oltp:size=1G".parse().unwrap();
    assert_eq!(shipped.keys[0].0, "from");
    assert_eq!(chunk_word("32"), chunk_word("32K"));
}
