//! The link from a finding to the model: what it costs on this machine's stack, as studies to
//! simulate and as the `stripewise predict` command; or the fact without which neither is known.
//! Which stacks and which load show the cost of a rule is said by the rule ([`crate::Rule::cost`]).

use serde::{Serialize, Serializer};
use stripewise_message::Message;

use crate::facts::{Array, arrays, is_rotational, member_disks};
use crate::snapshot::{Missing, Snapshot};

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
    /// How it differs from the stack as it is: `without a bitmap`; `None` for the stack as it is.
    #[serde(serialize_with = "or_empty")]
    pub words: Option<Message>,
    /// One cell, for `stripewise run STUDY --world model`.
    pub study: String,
    /// Whether its first member failed.
    pub is_degraded: bool,
    /// The I/Os per second that the model answers; `None` before it is asked.
    pub iops: Option<f64>,
}

/// Writes no words as an empty text.
fn or_empty<S: Serializer>(words: &Option<Message>, serializer: S) -> Result<S::Ok, S::Error> {
    match words {
        Some(words) => words.serialize(serializer),
        None => serializer.serialize_str(""),
    }
}

impl ModelLink {
    /// Returns a question, or the fact without which it cannot be asked.
    pub(crate) fn of(question: Result<Question, Missing>) -> Self {
        match question {
            Ok(question) => Self::Ask(question),
            Err(missing) => Self::Missing(missing),
        }
    }
}

/// Asks about the stack of each array that findings name.
pub(crate) fn of_arrays<'a>(
    facts: &'a Snapshot,
    found: &[Message],
    ask: impl Fn(&Array<'a>, Stack) -> Result<Question, Missing>,
) -> Vec<ModelLink> {
    let is_about = |md: &Array<'_>| found.iter().any(|found| is_about(found, md.name));
    of_each(arrays(facts), is_about, |md| {
        ask(md, Stack::read(facts, md)?)
    })
}

/// Returns whether a finding names a device.
fn is_about(found: &Message, device: &str) -> bool {
    found
        .arguments()
        .any(|(variable, _)| found.has(variable, device))
}

/// Asks about each of several arrays; about none, if they are not known.
pub(crate) fn of_each<'a>(
    arrays: Result<Vec<Array<'a>>, Missing>,
    is_about: impl Fn(&Array<'a>) -> bool,
    ask: impl Fn(&Array<'a>) -> Result<Question, Missing>,
) -> Vec<ModelLink> {
    match arrays {
        Ok(arrays) => {
            let about = arrays.iter().filter(|md| is_about(md));
            about.map(|md| ModelLink::of(ask(md))).collect()
        }
        Err(missing) => vec![ModelLink::Missing(missing)],
    }
}

/// Returns the series of the running kernel: 6.1 of `6.1.0-18-amd64`.
fn kernel(facts: &Snapshot) -> Result<String, Missing> {
    let release = facts.need_word("/proc/sys/kernel/osrelease")?;
    Ok(release.split('.').take(2).collect::<Vec<_>>().join("."))
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

/// Returns a study of one disk.
pub(crate) fn study_of_disk(facts: &Snapshot, disk: &str, load: &str) -> Result<String, Missing> {
    let (device, _) = profile(facts, disk)?;
    let stack = format!("[stack.disk]\ndevices = {{ \"{device}\" = 1 }}\n");
    Ok(study(&kernel(facts)?, &stack, load, 8, ""))
}

/// The stack of an array as the model knows it.
#[derive(Debug, Clone)]
pub(crate) struct Stack {
    array: String,
    device: &'static str,
    level: String,
    /// mdadm's name of a layout that is not the default.
    layout: Option<String>,
    count: u64,
    chunk_kib: Option<u64>,
    /// The chunk of the bitmap; `None` without a bitmap.
    pub(crate) bitmap_kib: Option<u64>,
    /// Whether one member is missing. Which one does not matter to the model's answer.
    is_degraded: bool,
    /// The part of the array that the load reaches.
    size_gib: u64,
    kernel: String,
}

impl Stack {
    pub(crate) fn read<'a>(facts: &'a Snapshot, md: &Array<'a>) -> Result<Self, Missing> {
        let level = md.level()?;
        let disks = member_disks(facts, md)?;
        let first = disks.first();
        let first = first.ok_or_else(|| Missing::new(md.name, "no member is known"))?;
        let (device, size_gib_max) = profile(facts, first)?;
        let sectors = facts.need_number(&format!("/sys/block/{md}/size"))?;
        Ok(Self {
            array: md.name.to_owned(),
            device,
            level: level.to_owned(),
            layout: md.layout()?.filter(|layout| layout != "left-symmetric"),
            count: md.need_number("raid_disks")?,
            chunk_kib: match level {
                "raid1" => None,
                _ => Some(md.need_number("chunk_size")? / 1024),
            },
            bitmap_kib: md.bitmap_chunk_bytes()?.map(|bytes| bytes / 1024),
            is_degraded: md.missing_count()? == 1,
            size_gib: (sectors >> 21).clamp(1, size_gib_max),
            kernel: kernel(facts)?,
        })
    }

    /// Returns the stack with all members: that one is missing is a finding of its own, and settings
    /// are judged without it.
    pub(crate) fn whole(self) -> Self {
        Self {
            is_degraded: false,
            ..self
        }
    }

    /// Returns the command that predicts this stack with each of several bitmaps.
    pub(crate) fn command(&self, load: &str, bitmaps: &[Option<u64>]) -> String {
        let parts = [
            Some(self.level.clone()),
            self.layout.clone(),
            Some(self.count.to_string()),
            self.chunk_kib.map(|chunk| format!("{chunk}K")),
        ];
        let array = parts.into_iter().flatten().collect::<Vec<_>>().join(":");
        let bitmap = |chunk: &Option<u64>| chunk.map_or_else(|| "none".to_owned(), size);
        let bitmaps = bitmaps
            .iter()
            .map(|one| format!(" --bitmap {}", bitmap(one)));
        let bitmaps: String = bitmaps.collect();
        let failed = if self.is_degraded { " --failed 0" } else { "" };
        format!(
            "stripewise predict --device {} --array {array}{bitmaps}{failed} --kernel {} --size {}G --workload {load}",
            self.device, self.kernel, self.size_gib
        )
    }

    /// Returns a study of this stack under a load `PATTERN:BLOCK[:KEY=VALUE]`, with more keys of its
    /// array and of `[conditions]`.
    pub(crate) fn study(&self, load: &str, array: &str, conditions: &str) -> String {
        let mut keys = vec![format!("level = \"{}\"", self.level)];
        let layout = self.layout.as_ref();
        keys.extend(layout.map(|layout| format!("layout = \"{layout}\"")));
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

    /// Returns a variant of a question: this stack with more keys, as [`Stack::study`].
    pub(crate) fn variant(
        &self,
        words: Option<Message>,
        load: &str,
        array: &str,
        conditions: &str,
    ) -> Variant {
        Variant {
            words,
            study: self.study(load, array, conditions),
            is_degraded: self.is_degraded,
            iops: None,
        }
    }

    /// Returns a question about this stack.
    pub(crate) fn question(&self, load: &str, variants: Vec<Variant>) -> Question {
        Question {
            array: self.array.clone(),
            load: load.to_owned(),
            command: None,
            variants,
        }
    }
}

/// Returns a size in the notation of studies: `64M`.
pub(crate) fn size(kib: u64) -> String {
    match kib {
        kib if kib % (1 << 20) == 0 => format!("{}G", kib >> 20),
        kib if kib % (1 << 10) == 0 => format!("{}M", kib >> 10),
        kib => format!("{kib}K"),
    }
}

/// Returns the generic profile of a disk's kind; `None` if that is not known. `stripewise calibrate` makes
/// a profile of the disk itself.
pub fn class(disk: &str, is_rotational: Option<bool>) -> Option<&'static str> {
    match (disk.starts_with("nvme"), is_rotational) {
        (true, _) => Some("nvme-ssd"),
        (false, Some(true)) => Some("hdd-7200"),
        (false, Some(false)) => Some("sata-ssd"),
        (false, None) => None,
    }
}

/// Returns the generic profile of a disk's kind, and how many GiB it holds at least.
pub(crate) fn profile(facts: &Snapshot, disk: &str) -> Result<(&'static str, u64), Missing> {
    if let Some(class) = class(disk, None) {
        return Ok((class, 900));
    }
    let is_rotational = is_rotational(facts, disk)?;
    let class = class(disk, Some(is_rotational)).unwrap_or_default();
    Ok((class, if is_rotational { 1800 } else { 900 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    fn cost(facts: &Snapshot, rule: &str, found: &[Message]) -> Vec<ModelLink> {
        let cost = rules::named(rule).and_then(|rule| rule.cost);
        cost.expect("a rule with a cost")(facts, found)
    }

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
        let found = [Message::new("found-bitmap").name("md", "md0")];
        let [ModelLink::Missing(missing)] = &cost(&facts, "md.bitmap-chunk", &found)[..] else {
            unreachable!("rotational is not known");
        };
        assert_eq!(missing.fact, "/sys/block/sda/queue/rotational");
        facts
            .files
            .insert("/sys/block/sda/queue/rotational".to_owned(), "1".to_owned());
        let expected = "stripewise predict --device hdd-7200 --array raid5:3:64K --bitmap 64M --bitmap none --bitmap 2G --kernel 6.1 --size 100G --workload randwrite:4K";
        let links_now = cost(&facts, "md.bitmap-chunk", &found);
        let [ModelLink::Ask(question)] = &links_now[..] else {
            unreachable!("{links_now:?}");
        };
        assert_eq!(question.command.as_deref(), Some(expected));
        assert_eq!(question.variants.len(), 3);
        // The clock is everyone's: the finding names no array, and without arrays a disk shows it.
        let names = |facts: &Snapshot| -> Vec<String> {
            let links = cost(facts, "cpu.clock", &[Message::new("found-policies")]);
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

    #[test]
    fn each_layout_of_mdadm_is_a_stack_and_no_other_number() {
        let files = [
            ("/sys/block/md0/md/array_state", "clean"),
            ("/sys/block/md0/md/level", "raid10"),
            ("/sys/block/md0/md/raid_disks", "6"),
            ("/sys/block/md0/md/chunk_size", "65536"),
            ("/sys/block/md0/md/degraded", "1"),
            ("/sys/block/md0/md/dev-sda/state", "in_sync"),
            ("/sys/block/md0/size", "209715200"),
            ("/sys/block/sda/size", "1"),
            ("/sys/block/sda/queue/rotational", "0"),
            ("/proc/sys/kernel/osrelease", "6.1.0-18-amd64"),
        ];
        let found = [Message::new("found-members-missing").name("md", "md0")];
        for (number, name) in [
            ("258", Some("n2")),
            ("259", Some("n3")),
            ("513", Some("f2")),
            ("769", Some("f3")),
            ("66049", Some("o2")),
            // `f2` in sets of devices.
            ("131585", None),
        ] {
            let layout = ("/sys/block/md0/md/layout", number);
            let facts = Snapshot::of_files(files.into_iter().chain([layout]));
            let link = cost(&facts, "md.degraded", &found).remove(0);
            let told = match &link {
                ModelLink::Ask(question) => question.command.clone().unwrap_or_default(),
                ModelLink::Missing(missing) => format!("{}: {}", missing.fact, missing.why),
            };
            let expected = match name {
                Some(name) => format!(
                    "stripewise predict --device sata-ssd --array raid10:{name}:6:64K --failed 0 --kernel 6.1 --size 100G --workload randread:4K"
                ),
                None => {
                    "/sys/block/md0/md/layout: mdadm has no name for 131585 at raid10".to_owned()
                }
            };
            assert_eq!(told, expected);
        }
    }
}
