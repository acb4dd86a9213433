//! In what two stacks differ.

use stripewise_format::parse;
use stripewise_study::difference::differences;
use stripewise_study::stack::Stack;

fn stacks(text: &str) -> Vec<Stack> {
    let text = format!("{text}\n[workload]\npattern = \"read\"\nsize = \"1M\"\n");
    let cells = parse("test", &text).unwrap().cells;
    cells.into_iter().map(|cell| cell.stack).collect()
}

fn words(text: &str) -> Vec<String> {
    let stacks = stacks(text);
    let found = differences(&stacks[1], &stacks[0]);
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn defaults_that_differ_between_md_and_imsm_are_listed() {
    let found = words(
        r#"
        [stack.md]
        devices = { ssd = 4 }
        array = { level = "raid10", size = "1G" }
        [stack.board]
        devices = { ssd = 4 }
        array = { level = "raid10", size = "1G", metadata = "imsm", beside = [{ level = "raid1" }] }
        "#,
    );
    assert_eq!(
        found,
        [
            "chunk (128K instead of 512K)",
            "metadata (imsm instead of 1.2)",
            "beside (raid1 instead of none)"
        ]
    );
}

#[test]
fn settings_of_the_running_array_are_listed() {
    let found = words(
        r#"
        [stack.plain]
        devices = { ssd = 4 }
        array = { level = "raid5" }
        [stack.set]
        devices = { ssd = 4 }
        array = { level = "raid5", stripe_cache_size = 4096, rmw_level = 0 }
        "#,
    );
    assert_eq!(
        found,
        [
            "stripe_cache_size (4096 instead of default)",
            "rmw_level (0 instead of default)"
        ]
    );
}

#[test]
fn names_and_assume_clean_are_no_differences() {
    let found = words(
        r#"
        [stack.synced]
        devices = { ssd = 4 }
        array = { level = "raid5" }
        [stack.assumed]
        devices = { ssd = 4 }
        array = { level = "raid5", assume_clean = true }
        "#,
    );
    assert_eq!(found, Vec::<String>::new());
}
