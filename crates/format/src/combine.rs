//! One study of two: the loads of one on the stacks of another.

use toml_edit::{DocumentMut, Item, TomlError};

/// Returns the study `loads` on what the study `asked` says of stacks and everything around them: its
/// stacks stand in place of those of `loads`, and of a key that both have, its value counts. Its loads
/// are left out. Comments stay.
///
/// # Errors
/// If one of the texts is no TOML.
pub fn on_stacks(loads: &str, asked: &str) -> Result<String, TomlError> {
    let mut study: DocumentMut = loads.parse()?;
    let mut asked: DocumentMut = asked.parse()?;
    asked.remove("workload");
    let place = study.remove("stack").and_then(|stacks| position(&stacks));
    if let (Some(place), Some(stacks)) = (place, asked.get_mut("stack")) {
        move_to(stacks, place);
    }
    let asked = std::mem::take(asked.as_table_mut());
    for (key, item) in asked {
        match study.get_mut(&key).and_then(Item::as_table_like_mut) {
            Some(table) => {
                let keys = item.into_table().unwrap_or_default();
                for (key, value) in keys {
                    table.insert(&key, value);
                }
            }
            None => {
                let mut item = item;
                if let Some(table) = item.as_table_mut() {
                    table.decor_mut().set_prefix("\n");
                }
                study.insert(&key, item);
            }
        }
    }
    Ok(study.to_string())
}

/// Returns the place in the file of the first table below `item`.
fn position(item: &Item) -> Option<isize> {
    let tables = item.as_table()?.iter();
    tables
        .filter_map(|(_, item)| item.as_table()?.position())
        .min()
}

/// Writes the tables below `item` at a place of a file, one behind the other.
fn move_to(item: &mut Item, place: isize) {
    let tables = item
        .as_table_mut()
        .into_iter()
        .flat_map(|table| table.iter_mut());
    for table in tables.filter_map(|(_, item)| item.as_table_mut()) {
        table.set_position(Some(place));
        table.decor_mut().set_prefix("\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn stacks_and_their_surroundings_come_from_one_study_and_loads_from_the_other() {
        let loads = "# The jobs.\nquestion = \"What?\" # of fio\n\n[stack.here]\n\n[workload.db]\npattern = \"read\"\nblock_size = \"4K\"\nsize = \"1G\"\n\n[conditions]\ncpus = \"0-1\" # both\n";
        let asked = "kernel = \"6.1\"\n[stack.a]\ndevices = { \"sata-ssd\" = 4 }\narray = { level = \"raid5\" }\n[stack.b]\ndevices = [\"sata-ssd\"]\n[workload.none]\npattern = \"read\"\n[lifetime]\nwrites_per_day = \"50G\"\n[conditions]\nstate = \"fresh\"\n";
        let text = on_stacks(loads, asked).unwrap();
        expect_test::expect![[r#"
            # The jobs.
            question = "What?" # of fio
            kernel = "6.1"

            [stack.a]
            devices = { "sata-ssd" = 4 }
            array = { level = "raid5" }

            [stack.b]
            devices = ["sata-ssd"]

            [workload.db]
            pattern = "read"
            block_size = "4K"
            size = "1G"

            [conditions]
            cpus = "0-1" # both
            state = "fresh"

            [lifetime]
            writes_per_day = "50G"
        "#]]
        .assert_eq(&text);
        let study = parse("study", &text).unwrap();
        assert_eq!(study.cells.len(), 2);
        assert!(on_stacks(loads, "a = ").is_err());
    }
}
