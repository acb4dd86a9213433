//! The link from a finding to the model: what it costs on this machine's stack, as studies to
//! simulate and as the `stripewise predict` command; or the fact without which neither is known.

use serde::Serialize;

use crate::facts::{
    arrays, disks, full_stripe_bytes, is_drive, is_virtual, lacking, level, member_disks, of_array,
};
use crate::snapshot::{Missing, Snapshot};

/// Rules about arrays whose cost the model can show, each with the load that shows it.
const LOADS: [(&str, &str); 5] = [
    ("md.degraded", "randread:4K"),
    ("md.bitmap-chunk", "randwrite:4K"),
    ("md.stripe-cache", "write:1M"),
    ("blk.readahead", "read:1M:direct=false"),
    (CLOCK, "randwrite:4K"),
];

/// A rule about the machine, whose cost every array shows.
const CLOCK: &str = "cpu.clock";
/// A host profile whose clock the kernel sets.
const CLOCKED: &str = "i7-6700k-no-hwp";

/// What the model can say about a finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelLink {
    /// The stack is known.
    Ask(Question),
    /// The stack is not known well enough.
    Missing(Missing),
}

/// A question about an array.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Question {
    /// The array.
    pub array: String,
    /// The load that shows the cost.
    pub load: String,
    /// The command that shows the cost; `None` if `stripewise predict` has no option for it.
    pub command: Option<String>,
    /// This stack as it is, and then what it is compared with.
    pub variants: Vec<Variant>,
}

/// A stack to simulate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Variant {
    /// How it differs from the stack as it is: `without a bitmap`; empty for the stack as it is.
    pub words: String,
    /// One cell, for `stripewise run STUDY --world model`.
    pub study: String,
    /// Whether its first member failed.
    pub is_degraded: bool,
    /// The I/Os per second that the model answers; `None` before it is asked.
    pub iops: Option<f64>,
}

/// Returns whether the model can show the cost of a rule's findings.
pub(crate) fn is_simulated(rule: &str) -> bool {
    LOADS.iter().any(|(id, _)| *id == rule)
}

/// Returns the questions about the arrays of a host for a rule; none if the model cannot show its
/// cost. An array without the finding is left out.
pub(crate) fn links(facts: &Snapshot, rule: &str, found: &[String]) -> Vec<ModelLink> {
    let Some((_, load)) = LOADS.iter().find(|(id, _)| *id == rule) else {
        return Vec::new();
    };
    let link = |md: &str| match question(facts, rule, md, load) {
        Ok(question) => ModelLink::Ask(question),
        Err(missing) => ModelLink::Missing(missing),
    };
    let is_about = |md: &&str| {
        let names = found.iter().flat_map(|text| text.split([':', ' ']));
        rule == CLOCK || names.into_iter().any(|name| name == *md)
    };
    match arrays(facts) {
        Ok(arrays) if rule == CLOCK && arrays.is_empty() => of_disk(facts, load),
        Ok(arrays) => arrays.into_iter().filter(is_about).map(link).collect(),
        Err(missing) => vec![ModelLink::Missing(missing)],
    }
}

/// Returns what the clock costs on the first disk of a host without arrays; nothing on a host whose
/// disks a hypervisor makes.
fn of_disk(facts: &Snapshot, load: &str) -> Vec<ModelLink> {
    let ask = || -> Result<Option<Question>, Missing> {
        for disk in disks(facts)? {
            if !is_drive(disk) || is_virtual(facts, disk)? {
                continue;
            }
            let (device, _) = profile(facts, disk)?;
            let release = facts.need_word("/proc/sys/kernel/osrelease")?;
            let devices = format!("[stack.disk]\ndevices = {{ \"{device}\" = 1 }}\n");
            let study = study(&kernel_of(release), &devices, load, 8, "");
            return Ok(Some(Question {
                array: disk.to_owned(),
                load: load.to_owned(),
                command: None,
                variants: clock_variants(&study, false),
            }));
        }
        Ok(None)
    };
    match ask() {
        Ok(question) => question.into_iter().map(ModelLink::Ask).collect(),
        Err(missing) => vec![ModelLink::Missing(missing)],
    }
}

/// Returns the series of a kernel: 6.1 of `6.1.0-18-amd64`.
fn kernel_of(release: &str) -> String {
    release.split('.').take(2).collect::<Vec<_>>().join(".")
}

/// Returns a study of one cell: a stack under a load `PATTERN:BLOCK[:KEY=VALUE]`.
fn study(kernel: &str, stack: &str, load: &str, size_gib: u64, conditions: &str) -> String {
    let mut words = load.split(':');
    let (pattern, block) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    format!(
        "kernel = \"{kernel}\"\n{stack}[workload.load]\npattern = \"{pattern}\"\n\
         block_size = \"{block}\"\nsize = \"{size_gib}G\"\ndirect = {}\n{conditions}",
        !load.ends_with("direct=false"),
    )
}

/// The stack of an array as the model knows it.
struct Stack {
    device: &'static str,
    level: String,
    layout: Option<&'static str>,
    count: u64,
    chunk_kib: Option<u64>,
    /// The chunk of the bitmap; `None` without a bitmap.
    bitmap_kib: Option<u64>,
    is_degraded: bool,
    /// The part of the array that the load reaches.
    size_gib: u64,
    kernel: String,
}

fn stack(facts: &Snapshot, md: &str) -> Result<Stack, Missing> {
    let level = level(facts, md)?;
    let number = |file: &str| facts.need_number(&format!("/sys/block/{md}/md/{file}"));
    let disks = member_disks(facts, md)?;
    let first = disks
        .first()
        .ok_or_else(|| Missing::new(md, "no member is known"))?;
    let has_bitmap = facts
        .word(&format!("/sys/block/{md}/md/bitmap/location"))?
        .is_some_and(|location| location != "none");
    let (device, size_gib_max) = profile(facts, first)?;
    let sectors = facts.need_number(&format!("/sys/block/{md}/size"))?;
    let release = facts.need_word("/proc/sys/kernel/osrelease")?;
    Ok(Stack {
        device,
        level: level.to_owned(),
        layout: layout(level, facts, md)?,
        count: number("raid_disks")?,
        chunk_kib: match level {
            "raid1" => None,
            _ => Some(number("chunk_size")? / 1024),
        },
        bitmap_kib: match has_bitmap && !matches!(level, "raid0" | "linear") {
            true => Some(number("bitmap/chunksize")? / 1024),
            false => None,
        },
        // Which member failed does not matter to the model's answer for one of them.
        is_degraded: lacking(facts, md)? == 1,
        size_gib: (sectors >> 21).clamp(1, size_gib_max),
        kernel: kernel_of(release),
    })
}

impl Stack {
    /// Returns the command that predicts this stack with each of several bitmaps.
    fn command(&self, load: &str, bitmaps: &[String]) -> String {
        let parts = [
            Some(self.level.clone()),
            self.layout.map(str::to_owned),
            Some(self.count.to_string()),
            self.chunk_kib.map(|chunk| format!("{chunk}K")),
        ];
        let array = parts.into_iter().flatten().collect::<Vec<_>>().join(":");
        let bitmaps = bitmaps.iter().map(|one| format!(" --bitmap {one}"));
        let bitmaps: String = bitmaps.collect();
        let failed = if self.is_degraded { " --failed 0" } else { "" };
        format!(
            "stripewise predict --device {} --array {array}{bitmaps}{failed} --kernel {} --size {}G --workload {load}",
            self.device, self.kernel, self.size_gib
        )
    }

    /// Returns the bitmap as an option: its chunk, or `none`.
    fn bitmap(&self) -> String {
        self.bitmap_kib.map_or_else(|| "none".to_owned(), size)
    }

    /// Returns a study of this stack under a load `PATTERN:BLOCK[:KEY=VALUE]`, with more keys of its
    /// array and of `[conditions]`.
    fn study(&self, load: &str, array: &str, conditions: &str) -> String {
        let mut keys = vec![format!("level = \"{}\"", self.level)];
        keys.extend(self.layout.map(|layout| format!("layout = \"{layout}\"")));
        keys.extend(self.chunk_kib.map(|chunk| format!("chunk = \"{chunk}K\"")));
        keys.extend(
            self.bitmap_kib
                .map(|chunk| format!("bitmap = {{ chunk = \"{chunk}K\" }}")),
        );
        if !array.is_empty() {
            keys.push(array.to_owned());
        }
        let stack = format!(
            "[stack.array]\ndevices = {{ \"{}\" = {} }}\narray = {{ {} }}\n",
            self.device,
            self.count,
            keys.join(", "),
        );
        study(&self.kernel, &stack, load, self.size_gib, conditions)
    }
}

/// Returns a size in the notation of studies: `64M`.
fn size(kib: u64) -> String {
    match kib {
        kib if kib % (1 << 20) == 0 => format!("{}G", kib >> 20),
        kib if kib % (1 << 10) == 0 => format!("{}M", kib >> 10),
        kib => format!("{kib}K"),
    }
}

fn question(facts: &Snapshot, rule: &str, md: &str, load: &str) -> Result<Question, Missing> {
    let mut now = stack(facts, md)?;
    let mut other = stack(facts, md)?;
    if rule != "md.degraded" {
        // That a member is missing is a finding of its own; settings are judged with all of them.
        (now.is_degraded, other.is_degraded) = (false, false);
    }
    let variant = |words: &str, stack: &Stack, array: &str, conditions: &str| Variant {
        words: words.to_owned(),
        study: stack.study(load, array, conditions),
        is_degraded: stack.is_degraded,
        iops: None,
    };
    let mut command = None;
    let variants = match rule {
        "md.degraded" => {
            command = Some(now.command(load, &[]));
            other.is_degraded = false;
            vec![
                variant("", &now, "", ""),
                variant("with all members", &other, "", ""),
            ]
        }
        "md.bitmap-chunk" => {
            let mut bitmaps = vec![now.bitmap()];
            let mut variants = vec![variant("", &now, "", "")];
            for (words, chunk) in [("without a bitmap", None), LARGE_CHUNK] {
                other.bitmap_kib = chunk;
                bitmaps.push(other.bitmap());
                variants.push(variant(words, &other, "", ""));
            }
            command = Some(now.command(load, &bitmaps));
            variants
        }
        "md.stripe-cache" => {
            let stripes = facts.need_number(&format!("/sys/block/{md}/md/stripe_cache_size"))?;
            let key = |stripes| format!("stripe_cache_size = {stripes}");
            vec![
                variant("", &now, &key(stripes), ""),
                variant("with 4096 stripes", &now, &key(4096), ""),
            ]
        }
        CLOCK => clock_variants(&now.study(load, "", ""), now.is_degraded),
        _ => {
            let kib = facts.need_number(&format!("/sys/block/{md}/queue/read_ahead_kb"))?;
            let needed = 2 * full_stripe_bytes(facts, md)?.unwrap_or(0) / 1024;
            let key = |kib| format!("[conditions]\nread_ahead = \"{kib}K\"\n");
            vec![
                variant("", &now, "", &key(kib)),
                variant(&format!("with {needed} KiB"), &now, "", &key(needed)),
            ]
        }
    };
    Ok(Question {
        array: md.to_owned(),
        load: load.to_owned(),
        command,
        variants,
    })
}

/// Returns a stack at the highest clock and at the lowest: an active driver chooses between them, by
/// rules that the model does not know.
fn clock_variants(study: &str, is_degraded: bool) -> Vec<Variant> {
    let variant = |words: &str, governor: &str| Variant {
        words: words.to_owned(),
        study: format!("host = \"{CLOCKED}\"\n{study}[conditions]\ngovernor = \"{governor}\"\n"),
        is_degraded,
        iops: None,
    };
    vec![
        variant(
            "with performance, at 4.2 GHz on host profile i7-6700k-no-hwp",
            "performance",
        ),
        variant(
            "at its 0.8 GHz, the most that powersave can cost",
            "powersave",
        ),
    ]
}

/// The bitmap that `md.bitmap-chunk` advises, in KiB.
const LARGE_CHUNK: (&str, Option<u64>) = ("with bitmap chunks of 2 GiB", Some(2 << 20));

/// Returns mdadm's name of a layout that is not the default.
fn layout(level: &str, facts: &Snapshot, md: &str) -> Result<Option<&'static str>, Missing> {
    if !matches!(level, "raid5" | "raid6" | "raid10") {
        return Ok(None);
    }
    let unknown = |number: &str| {
        Missing::new(
            format!("layout of {md}"),
            format!("the model has no name for {number}"),
        )
    };
    let number = of_array(facts, md, "layout")?;
    match (level, number) {
        ("raid10", "258") => Ok(Some("n2")),
        ("raid10", "513") => Ok(Some("f2")),
        ("raid10", "66049") => Ok(Some("o2")),
        ("raid10", _) => Err(unknown(number)),
        (_, "0") => Ok(Some("left-asymmetric")),
        (_, "1") => Ok(Some("right-asymmetric")),
        (_, "2") => Ok(None),
        (_, "3") => Ok(Some("right-symmetric")),
        _ => Err(unknown(number)),
    }
}

/// Returns the generic profile of a disk's kind, and how many GiB it holds at least: `stripewise
/// calibrate` makes one of the disk itself.
fn profile(facts: &Snapshot, disk: &str) -> Result<(&'static str, u64), Missing> {
    if disk.starts_with("nvme") {
        return Ok(("nvme-ssd", 900));
    }
    Ok(match crate::facts::is_rotational(facts, disk)? {
        true => ("hdd-7200", 1800),
        false => ("sata-ssd", 900),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_the_stack_or_the_fact_that_is_missing() {
        let mut facts = Snapshot::of_files([
            ("/sys/block/md0/md/array_state", "clean"),
            ("/sys/block/md0/md/level", "raid5"),
            ("/sys/block/md0/md/layout", "2"),
            ("/sys/block/md0/md/raid_disks", "3"),
            ("/sys/block/md0/md/chunk_size", "65536"),
            ("/sys/block/md0/md/bitmap/location", "+8"),
            ("/sys/block/md0/md/bitmap/chunksize", "67108864"),
            ("/sys/block/md0/md/dev-sda/state", "in_sync"),
            ("/sys/block/md0/size", "209715200"),
            ("/sys/block/md1/md/array_state", "clean"),
            ("/sys/block/sda/size", "1"),
            ("/proc/sys/kernel/osrelease", "6.1.0-18-amd64"),
        ]);
        let found = ["md0: bitmap chunk 64 MiB".to_owned()];
        let [ModelLink::Missing(missing)] = &links(&facts, "md.bitmap-chunk", &found)[..] else {
            unreachable!("rotational is not known");
        };
        assert_eq!(missing.fact, "/sys/block/sda/queue/rotational");
        facts
            .files
            .insert("/sys/block/sda/queue/rotational".to_owned(), "1".to_owned());
        let expected = "stripewise predict --device hdd-7200 --array raid5:3:64K --bitmap 64M --bitmap none --bitmap 2G --kernel 6.1 --size 100G --workload randwrite:4K";
        let links_now = links(&facts, "md.bitmap-chunk", &found);
        let [ModelLink::Ask(question)] = &links_now[..] else {
            unreachable!("{links_now:?}");
        };
        assert_eq!(question.command.as_deref(), Some(expected));
        assert_eq!(question.variants.len(), 3);
        assert_eq!(links(&facts, "vm.dirty", &found), []);
        // The clock is everyone's: the finding names no array, and without arrays a disk shows it.
        let names = |facts: &Snapshot| -> Vec<String> {
            let links = links(facts, CLOCK, &["2 policies".to_owned()]);
            let ask = |link: &ModelLink| match link {
                ModelLink::Ask(question) => question.array.clone(),
                ModelLink::Missing(missing) => missing.fact.clone(),
            };
            links.iter().map(ask).collect()
        };
        assert_eq!(names(&facts), ["md0", "/sys/block/md1/md/level"]);
        facts.files.retain(|path, _| !path.contains("/md/"));
        assert_eq!(names(&facts), ["sda"]);
        let model = "/sys/block/sda/device/model".to_owned();
        facts.files.insert(model, "QEMU HARDDISK".to_owned());
        assert_eq!(names(&facts), Vec::<String>::new());
    }
}
