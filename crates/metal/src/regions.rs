//! A block device under test: which part each job uses, and which data is there already.
//!
//! ```text
//! 0          size    2 x size
//! | job 0    | job 1    | neighbour's job 0 | not touched ...
//! ```
//!
//! Sizes are rounded up to whole MiB, as for files. The parts of two jobs never overlap, just as
//! their files on a filesystem. Each part has a link to the device, so that fio gets plain names.

use std::collections::BTreeMap;
use std::ops::Range;

use stripewise_fio::LayoutItem;
use stripewise_fio::job_file::LAYOUT_BLOCK;
use stripewise_study::workload::{Load, Workload};
use stripewise_units::Bytes;

/// Returns how many bytes of a device all jobs of a workload need.
pub(crate) fn needed_bytes(workload: &Workload) -> Bytes {
    let bytes = workload
        .loads()
        .map(|load| stride(load).saturating_mul(u64::from(load.jobs)));
    Bytes::new(bytes.fold(0, u64::saturating_add))
}

/// Returns the offset of each of `names`, which are the workload's jobs in order.
pub(crate) fn offsets(workload: &Workload, names: &[&Vec<String>]) -> BTreeMap<String, Bytes> {
    let mut offsets = BTreeMap::new();
    let mut next: u64 = 0;
    for (load, names) in workload.loads().zip(names) {
        for name in *names {
            offsets.insert(name.clone(), Bytes::new(next));
            next = next.saturating_add(stride(load));
        }
    }
    offsets
}

/// Returns the distance between the parts of two jobs of a load.
fn stride(load: &Load) -> u64 {
    let block = LAYOUT_BLOCK.as_u64();
    load.size_bytes
        .as_u64()
        .div_ceil(block)
        .saturating_mul(block)
}

/// The data that we wrote to a device.
#[derive(Debug, Default)]
pub(crate) struct Filled(Vec<(Range<u64>, String)>);

impl Filled {
    /// Returns whether the part of `item` has the right content.
    pub(crate) fn holds(&self, item: &LayoutItem) -> bool {
        let wanted = range(item);
        let covers = |part: &Range<u64>| part.start <= wanted.start && wanted.end <= part.end;
        let content = content(item);
        self.0
            .iter()
            .any(|(part, held)| covers(part) && *held == content)
    }

    /// Records that `item` was written and its previous content lost.
    pub(crate) fn write(&mut self, item: &LayoutItem) {
        let new = range(item);
        self.0
            .retain(|(part, _)| part.end <= new.start || new.end <= part.start);
        self.0.push((new, content(item)));
    }
}

fn content(item: &LayoutItem) -> String {
    match item.verify_block {
        Some(block) => format!("blocks of {block} with checksums"),
        None => item.data.to_string(),
    }
}

fn range(item: &LayoutItem) -> Range<u64> {
    let start = item.offset_bytes.as_u64();
    start..start.saturating_add(item.file_bytes().as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_study::workload::Data;

    fn item(offset_mib: u64, size_mib: u64, data: Data) -> LayoutItem {
        LayoutItem {
            exists: true,
            file: "x.dat".to_owned(),
            offset_bytes: Bytes::new(offset_mib << 20),
            size_bytes: Bytes::new(size_mib << 20),
            direct: true,
            data,
            verify_block: None,
        }
    }

    #[test]
    fn a_filled_part_covers_every_part_inside_it() {
        let mut filled = Filled::default();
        let large = item(0, 8, Data::Incompressible);
        assert!(!filled.holds(&large));
        filled.write(&large);
        assert!(filled.holds(&large));
        assert!(filled.holds(&item(2, 4, Data::Incompressible)));
        assert!(!filled.holds(&item(2, 4, Data::Zeroes)), "other content");
        assert!(
            !filled.holds(&item(4, 5, Data::Incompressible)),
            "it extends beyond the filled part"
        );
    }

    #[test]
    fn overwritten_content_is_forgotten() {
        let mut filled = Filled::default();
        filled.write(&item(0, 8, Data::Incompressible));
        filled.write(&item(8, 8, Data::Incompressible));
        filled.write(&item(4, 1, Data::Zeroes));
        assert!(!filled.holds(&item(0, 8, Data::Incompressible)));
        assert!(
            !filled.holds(&item(0, 1, Data::Incompressible)),
            "the whole part is forgotten"
        );
        assert!(
            filled.holds(&item(8, 8, Data::Incompressible)),
            "a neighbour"
        );
    }
}
