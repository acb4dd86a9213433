//! The files that a cell works on.
//!
//! Cells that need files of the same size and content share them: laying out takes time, and
//! compared cells should not differ by the place of their files.

use std::collections::BTreeMap;

use stripewise_fio::{JobFiles, LayoutItem};
use stripewise_study::cell::Cell;
use stripewise_study::workload::{Data, Load, Workload};
use stripewise_units::Bytes;

use crate::regions;

/// Returns the names of a cell's files, one for each job.
pub(crate) fn job_files(cell: &Cell) -> JobFiles {
    let workload = &cell.workload;
    JobFiles {
        main: names("", &workload.load),
        neighbours: (0_usize..)
            .zip(&workload.neighbours)
            .map(|(index, neighbour)| names(&format!("beside{index}-"), &neighbour.load))
            .collect(),
        offsets: BTreeMap::new(),
    }
}

/// Returns the names of a cell's jobs on a shared block device, and the offset of each.
pub(crate) fn job_regions(cell: &Cell) -> JobFiles {
    let files = job_files(cell);
    let names: Vec<&Vec<String>> = std::iter::once(&files.main)
        .chain(&files.neighbours)
        .collect();
    let offsets = regions::offsets(&cell.workload, &names);
    JobFiles { offsets, ..files }
}

/// Returns the files of all `cells` with their sizes, each once: the data that will be written to
/// the target.
pub fn files_of(cells: &[Cell]) -> BTreeMap<String, Bytes> {
    cells
        .iter()
        .flat_map(|cell| layout_items(&cell.workload, &job_files(cell)))
        .map(|item| {
            let bytes = item.file_bytes();
            (item.file, bytes)
        })
        .collect()
}

/// Returns the files of a workload as fio lays them out.
pub(crate) fn layout_items(workload: &Workload, files: &JobFiles) -> Vec<LayoutItem> {
    LayoutItem::of(workload, files).unwrap_or_default()
}

fn names(prefix: &str, load: &Load) -> Vec<String> {
    let content = match load.data {
        _ if load.verify => format!("checked{}", load.block_size.largest()),
        Data::Incompressible => "incompressible".to_owned(),
        Data::Zeroes => "zeroes".to_owned(),
        Data::Ratio(ratio) => format!("ratio{ratio}"),
    };
    (0..load.jobs)
        .map(|job| format!("{prefix}{}-{content}-{job}.dat", load.size_bytes))
        .collect()
}
