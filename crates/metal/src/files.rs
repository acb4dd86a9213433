//! Which files a cell works on.
//!
//! Cells that want files of the same size and content share them: laying out takes time, and two
//! cells that are compared should not differ by where their file happens to lie.

use std::collections::BTreeMap;

use stripewise_fio::{JobFiles, LayoutItem};
use stripewise_study::cell::Cell;
use stripewise_study::units::Bytes;
use stripewise_study::workload::{Data, Load};

/// Returns the names of a cell's files, one a job.
pub(crate) fn job_files(cell: &Cell) -> JobFiles {
    let workload = &cell.workload;
    JobFiles {
        main: names("", &workload.load),
        neighbours: (0_usize..)
            .zip(&workload.neighbours)
            .map(|(index, neighbour)| names(&format!("beside{index}-"), &neighbour.load))
            .collect(),
    }
}

/// Returns the files of all `cells` with their sizes, each once: what will be written to the target.
pub fn files_of(cells: &[Cell]) -> BTreeMap<String, Bytes> {
    cells
        .iter()
        .flat_map(layout_items)
        .map(|item| {
            let bytes = item.file_bytes();
            (item.file, bytes)
        })
        .collect()
}

/// Returns the files of a cell as fio lays them out.
pub(crate) fn layout_items(cell: &Cell) -> Vec<LayoutItem> {
    let files = job_files(cell);
    LayoutItem::of(&cell.workload, &files).unwrap_or_default()
}

fn names(prefix: &str, load: &Load) -> Vec<String> {
    let content = match load.data {
        Data::Incompressible => "incompressible".to_owned(),
        Data::Zeroes => "zeroes".to_owned(),
        Data::Ratio(ratio) => format!("ratio{ratio}"),
    };
    (0..load.jobs)
        .map(|job| format!("{prefix}{}-{content}-{job}.dat", load.size_bytes))
        .collect()
}
