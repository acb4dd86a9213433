//! Drawn valid questions to the model: a pure function of seed and number, so that any question can be
//! named and repeated. Each is the same as a study and as the words of `stripewise predict`.

use stripewise_format::question::{ArrayQuestion, LoadQuestion, Question, StackQuestion};
use stripewise_study::stack::Level;

use crate::draw::Rng;

/// The device profiles that are drawn: calibrated ones, and disks from their data sheets.
const DEVICES: [&str; 8] = [
    "sata-ssd",
    "nvme-ssd",
    "hdd-7200",
    "four-ssd-sata",
    "samsung-850-evo-500",
    "intel-p4500",
    "micron-1100-m2",
    "hdd-5400",
];

/// A level, its layout, and the fewest and the most members that are drawn.
type Shape = (Level, Option<&'static str>, u64, u64);

/// The arrays that are drawn.
const SHAPES: [Shape; 10] = [
    (Level::Linear, None, 2, 3),
    (Level::Raid0, None, 2, 8),
    (Level::Raid1, None, 2, 4),
    (Level::Raid10, Some("n2"), 2, 8),
    (Level::Raid10, Some("f2"), 2, 6),
    (Level::Raid10, Some("o2"), 3, 6),
    (Level::Raid4, None, 3, 6),
    (Level::Raid5, None, 3, 8),
    (Level::Raid5, None, 3, 8),
    (Level::Raid6, None, 4, 8),
];

/// Returns question `number` of `seed`.
pub fn question(seed: u64, number: u64) -> Question {
    let mut rng = Rng::of(seed, number);
    let device = rng.one_of(&DEVICES);
    let shape = rng.one_of(&SHAPES);
    let array = (!rng.percent(15)).then(|| array(&mut rng, shape));
    let count = match array {
        Some(_) => rng.range(shape.2, shape.3),
        None => 1,
    };
    let kernel = rng.one_of(&["4.4", "5.4", "5.15", "6.1", "6.12"]);
    Question {
        kernel: Some(kernel.to_owned()),
        stacks: vec![StackQuestion {
            devices: vec![(
                device.to_owned(),
                u32::try_from(count).expect("members are few"),
            )],
            array,
            filesystem: None,
        }],
        loads: vec![load(&mut rng)],
        ..Question::default()
    }
}

fn array(rng: &mut Rng, (level, layout, ..): Shape) -> ArrayQuestion {
    let has_bitmap = level.has_bitmap() && rng.percent(25);
    let chunk = 16 << rng.below(6);
    ArrayQuestion {
        level: level.to_string(),
        layout: layout.map(str::to_owned),
        chunk: level.has_chunk().then(|| format!("{chunk}K")),
        bitmap: has_bitmap.then(|| "internal".to_owned()),
    }
}

fn load(rng: &mut Rng) -> LoadQuestion {
    let pattern = rng.one_of(&[
        "read",
        "write",
        "randread",
        "randread",
        "randwrite",
        "randwrite",
        "randrw",
        "randrw",
    ]);
    let block = rng.one_of(&["4K", "4K", "4K", "8K", "16K", "64K", "128K", "1M"]);
    let mut keys = vec![("pattern", pattern), ("block_size", block)];
    if pattern == "randrw" {
        keys.push(("mix", rng.one_of(&["70/30", "50/50", "95/5"])));
    }
    keys.push(("depth", rng.one_of(&["1", "1", "4", "16", "32"])));
    keys.push(("jobs", rng.one_of(&["1", "1", "1", "4"])));
    keys.push(("size", rng.one_of(&["1G", "4G", "15G"])));
    if pattern == "randwrite" && rng.percent(15) {
        keys.push(("fsync", rng.one_of(&["1", "8"])));
    }
    keys.push(("direct", "true"));
    let keys = keys.into_iter();
    LoadQuestion {
        keys: keys
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    }
}

/// Returns the words of `stripewise predict` that ask a drawn question.
pub fn predict_words(question: &Question) -> Vec<String> {
    let mut words = vec!["predict".to_owned()];
    let mut put = |option: &str, value: String| words.extend([format!("--{option}"), value]);
    put("kernel", question.kernel.clone().unwrap_or_default());
    for stack in &question.stacks {
        let (device, count) = &stack.devices[0];
        put("device", device.clone());
        let Some(array) = &stack.array else {
            continue;
        };
        let parts = [
            Some(array.level.clone()),
            array.layout.clone(),
            Some(count.to_string()),
            array.chunk.clone(),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        put("array", parts.join(":"));
        if let Some(bitmap) = &array.bitmap {
            put("bitmap", bitmap.clone());
        }
    }
    for load in &question.loads {
        let value = |wanted: &str| {
            let mut keys = load.keys.iter();
            let found = keys.find(|(key, _)| key == wanted);
            found.map_or(String::new(), |(_, value)| value.clone())
        };
        let mut word = format!("{}:{}", value("pattern"), value("block_size"));
        for (key, value) in &load.keys {
            if !["pattern", "block_size", "direct"].contains(&key.as_str()) {
                word.push_str(&format!(":{key}={value}"));
            }
        }
        put("workload", word);
    }
    words
}
