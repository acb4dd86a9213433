//! The link from a finding to the model: the question that `stripewise predict` answers about this
//! machine's stack, or the fact without which it cannot be asked.

use serde::Serialize;

use crate::facts::{arrays, level, member_disks, of_array};
use crate::snapshot::{Missing, Snapshot};

/// Rules about arrays whose cost the model can show, each with the load that shows it.
const LOADS: [(&str, &str); 6] = [
    ("md.degraded", "randread:4K"),
    ("md.write-hole", "randwrite:4K"),
    ("md.bitmap-chunk", "randwrite:4K"),
    ("md.stripe-cache", "write:1M"),
    ("blk.readahead", "read:1M"),
    ("fs.stripe", "write:1M"),
];

/// What the model can say about a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelLink {
    /// A command that predicts what this stack does under the load that the finding is about.
    Ask(String),
    /// The stack is not known well enough.
    Missing(Missing),
}

/// Returns the questions about the arrays of a host for a rule; none if the model cannot show its
/// cost.
pub(crate) fn links(facts: &Snapshot, rule: &str) -> Vec<ModelLink> {
    let Some((_, load)) = LOADS.iter().find(|(id, _)| *id == rule) else {
        return Vec::new();
    };
    let link = |md: &str| match question(facts, md) {
        Ok(stack) => ModelLink::Ask(format!("stripewise predict {stack} --workload {load}")),
        Err(missing) => ModelLink::Missing(missing),
    };
    match arrays(facts) {
        Ok(arrays) => arrays.into_iter().map(link).collect(),
        Err(missing) => vec![ModelLink::Missing(missing)],
    }
}

fn question(facts: &Snapshot, md: &str) -> Result<String, Missing> {
    let level = level(facts, md)?;
    let number = |file: &str| facts.need_number(&format!("/sys/block/{md}/md/{file}"));
    let mut array = level.to_owned();
    if let Some(layout) = layout(level, facts, md)? {
        array += &format!(":{layout}");
    }
    array += &format!(":{}", number("raid_disks")?);
    if level != "raid1" {
        array += &format!(":{}K", number("chunk_size")? / 1024);
    }
    let disks = member_disks(facts, md)?;
    let first = disks
        .first()
        .ok_or_else(|| Missing::new(md, "no member is known"))?;
    let mut words = format!("--device {} --array {array}", profile(facts, first)?);
    if level != "raid0" && level != "linear" {
        let location = facts.word(&format!("/sys/block/{md}/md/bitmap/location"))?;
        let has_bitmap = location.is_some_and(|location| location != "none");
        words += if has_bitmap {
            " --bitmap internal"
        } else {
            " --bitmap none"
        };
        // Which members failed does not matter to the model's answer for one of them.
        if facts
            .number(&format!("/sys/block/{md}/md/degraded"))?
            .unwrap_or(0)
            == 1
        {
            words += " --failed 0";
        }
    }
    let release = facts.need_word("/proc/sys/kernel/osrelease")?;
    let mut parts = release.split('.');
    if let (Some(major), Some(minor)) = (parts.next(), parts.next()) {
        words += &format!(" --kernel {major}.{minor}");
    }
    Ok(words)
}

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

/// Returns the generic profile of a disk's kind: `stripewise calibrate` makes one of the disk itself.
fn profile(facts: &Snapshot, disk: &str) -> Result<&'static str, Missing> {
    if disk.starts_with("nvme") {
        return Ok("nvme-ssd");
    }
    Ok(match crate::facts::is_rotational(facts, disk)? {
        true => "hdd-7200",
        false => "sata-ssd",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_the_stack_or_the_fact_that_is_missing() {
        let mut facts = Snapshot {
            is_complete: true,
            ..Snapshot::default()
        };
        for (path, text) in [
            ("/sys/block/md0/md/array_state", "clean"),
            ("/sys/block/md0/md/level", "raid5"),
            ("/sys/block/md0/md/layout", "2"),
            ("/sys/block/md0/md/raid_disks", "3"),
            ("/sys/block/md0/md/chunk_size", "65536"),
            ("/sys/block/md0/md/bitmap/location", "+8"),
            ("/sys/block/md0/md/dev-sda/state", "in_sync"),
            ("/sys/block/sda/size", "1"),
            ("/proc/sys/kernel/osrelease", "6.1.0-18-amd64"),
        ] {
            facts.files.insert(path.to_owned(), text.to_owned());
        }
        let [ModelLink::Missing(missing)] = &links(&facts, "md.bitmap-chunk")[..] else {
            unreachable!("rotational is not known");
        };
        assert_eq!(missing.fact, "/sys/block/sda/queue/rotational");
        facts
            .files
            .insert("/sys/block/sda/queue/rotational".to_owned(), "1".to_owned());
        let expected = "stripewise predict --device hdd-7200 --array raid5:3:64K --bitmap internal --kernel 6.1 --workload randwrite:4K";
        assert_eq!(
            links(&facts, "md.bitmap-chunk"),
            [ModelLink::Ask(expected.to_owned())]
        );
        assert_eq!(links(&facts, "vm.dirty"), []);
    }
}
