//! One row for each cell: its axes, how many samples count, and each estimate with its interval.

use stripewise_report::document::{CellPart, Document};
use stripewise_study::metric::Metric;

use crate::axes;
use crate::cuts;
use crate::rows;
use crate::table::Table;

/// Returns the cells of runs as a table. Metrics that no cell has are left out.
pub fn cells(documents: &[&Document]) -> Table {
    let rows: Vec<(&Document, &CellPart)> = documents
        .iter()
        .flat_map(|document| document.cells.iter().map(move |cell| (*document, cell)))
        .collect();
    let mut table = Table::default();
    rows::runs(&mut table, rows.iter().map(|row| row.0));
    table.counts("cell", rows.iter().map(|row| rows::count(row.1.index)));
    let cells: Vec<_> = rows.iter().map(|row| row.1.cell()).collect();
    axes::columns(&mut table, &cells.iter().collect::<Vec<_>>());
    table.counts(
        "samples",
        rows.iter().map(|row| rows::count(row.1.counted())),
    );
    for metric in Metric::ALL {
        let estimates: Vec<_> = rows.iter().map(|row| row.1.estimate(metric)).collect();
        if estimates.iter().all(Option::is_none) {
            continue;
        }
        let key = metric.key();
        let intervals = || estimates.iter().map(|estimate| (*estimate)?.interval);
        table.numbers(
            key,
            estimates.iter().map(|estimate| Some((*estimate)?.value)),
        );
        table.numbers(
            format!("{key}_low"),
            intervals().map(|interval| Some(interval?.low)),
        );
        table.numbers(
            format!("{key}_high"),
            intervals().map(|interval| Some(interval?.high)),
        );
    }
    cuts::of_cells(
        &mut table,
        &rows.iter().map(|row| row.1).collect::<Vec<_>>(),
    );
    table
}
