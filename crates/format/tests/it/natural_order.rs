//! Readers expect depth 2 between 1 and 4, and 1M after 64K, whatever the order in the study.

use proptest::prelude::*;
use stripewise_format::parse;
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::cell_words::{naming_axes, natural_order};

const AXES: [Axis; 2] = [Axis::BlockSize, Axis::Depth];

fn cells(sizes: &[u32], depths: &[u32]) -> Vec<Cell> {
    let sizes: Vec<String> = sizes.iter().map(|size| format!("\"{size}K\"")).collect();
    let text = format!(
        "[stack.b]\nfilesystem = \"existing\"\n[stack.a]\nfilesystem = \"existing\"\n[workload]\nsize = \"1G\"\ndirect = true\n\
         pattern = [\"randwrite\", \"randread\"]\nengine = \"libaio\"\nblock_size = [{}]\ndepth = {depths:?}\n",
        sizes.join(", ")
    );
    parse("study.toml", &text).expect("a study").cells
}

/// Some different values in any order.
fn shuffled(values: Vec<u32>) -> impl Strategy<Value = Vec<u32>> {
    let most = values.len();
    proptest::sample::subsequence(values, 2..=most).prop_shuffle()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_ascend_within_each_stack_and_pattern_in_any_order_of_the_study(
        sizes in shuffled(vec![4, 8, 16, 64, 128, 1024, 20_000]),
        depths in shuffled(vec![1, 2, 4, 8, 16, 32, 128]),
    ) {
        let cells = cells(&sizes, &depths);
        let shown: Vec<&Cell> = cells.iter().collect();
        let order = natural_order(&shown, &varying_axes(&cells));
        let mut sorted = order.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..cells.len()).collect::<Vec<_>>(), "each cell once");
        for pair in order.windows(2) {
            let [one, other] = [pair[0], pair[1]].map(|index| &cells[index]);
            let names = |cell: &Cell| [Axis::Stack, Axis::Pattern].map(|axis| cell.value(axis));
            if names(one) == names(other) {
                let numbers = |cell: &Cell| AXES.map(|axis| cell.number(axis));
                prop_assert!(numbers(one) < numbers(other), "{:?} before {:?}", numbers(one), numbers(other));
            }
        }
        // Names stay in the author's order.
        prop_assert_eq!(cells[order[0]].value(Axis::Stack), cells[0].value(Axis::Stack));
        prop_assert_eq!(cells[order[0]].value(Axis::Pattern), "randwrite");
    }
}

#[test]
fn a_mix_that_only_one_pattern_has_names_nothing() {
    let of = |mix: &str| {
        let text = format!(
            "[stack.a]\nfilesystem = \"existing\"\n[workload]\nsize = \"1G\"\npattern = [\"read\", \"randrw\"]\nblock_size = \"4K\"\n{mix}"
        );
        let cells = parse("study.toml", &text).expect("a study").cells;
        naming_axes(&cells.iter().collect::<Vec<_>>())
    };
    assert_eq!(of(""), [Axis::Pattern]);
}
