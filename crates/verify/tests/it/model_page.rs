//! The table of docs/model/against-the-driver.md is what the golden files give. It was stale once.

use std::path::Path;

use stripewise_verify::{AgreementRow, Table, check_golden};

use crate::golden::{goldens, host};

const BEGIN: &str = "<!-- made by: cargo test -p stripewise-verify model_page -->\n";
const END: &str = "<!-- end -->\n";

#[test]
fn the_models_page_has_the_table_of_all_golden_files() {
    let host = host();
    let mut all = Table::default();
    let mut files = String::new();
    for (name, golden) in goldens() {
        let table = check_golden(&golden, &host).unwrap().table;
        files.push_str(&format!("| `{name}` {}", columns(&table.all)));
        for (title, row) in &table.rows {
            all.rows.entry(title.clone()).or_default().add_all(row);
        }
        all.all.add_all(&table.all);
    }
    let mut text = String::from(
        "| level | cases | exact | blocks | sectors | not determined | different |\n|---|---|---|---|---|---|---|\n",
    );
    for (title, row) in &all.rows {
        text.push_str(&format!("| {title} {}", columns(row)));
    }
    text.push_str(&files);
    text.push_str(&format!("| all {}", columns(&all.all)));
    let all = &all.all;
    text.push_str(&format!(
        "\nOf {} cases, {} are compared fully, {} in blocks or sectors, and {} within limits.\n",
        all.drawn,
        all.exact,
        all.exact_blocks + all.exact_sectors,
        all.not_determined
    ));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/model/against-the-driver.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, format!("{before}{BEGIN}{text}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(
        written, text,
        "UPDATE_EXPECT=1 cargo test -p stripewise-verify writes it"
    );
}

fn columns(row: &AgreementRow) -> String {
    let AgreementRow {
        drawn,
        exact,
        exact_blocks,
        exact_sectors,
        not_determined,
        differs,
    } = row;
    format!(
        "| {drawn} | {exact} | {exact_blocks} | {exact_sectors} | {not_determined} | {differs} |\n"
    )
}
