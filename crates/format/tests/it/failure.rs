//! Which members can fail.

use stripewise_format::parse;
use stripewise_study::failure::{ImpossibleDegradation, check_failed};
use stripewise_study::stack::Stack;

fn stack(array: &str) -> Stack {
    let text = format!(
        "[stack.a]\ndevices = {{ ssd = 4 }}\n{array}\n[workload]\npattern = \"read\"\n\
         block_size = \"64K\"\nsize = \"1G\"\n"
    );
    parse("study", &text).unwrap().cells[0].stack.clone()
}

#[test]
fn an_array_survives_as_many_failures_as_it_has_redundancy() {
    for (level, survives) in [
        ("linear", 0),
        ("raid0", 0),
        ("raid1", 3),
        ("raid4", 1),
        ("raid5", 1),
        ("raid6", 2),
        ("raid10", 2),
    ] {
        let stack = stack(&format!("array = {{ level = \"{level}\" }}"));
        let places: Vec<u16> = (0..4).collect();
        for count in 0..=4 {
            let checked = check_failed(&stack, &places[..count], false);
            assert_eq!(checked.is_ok(), count <= survives, "{level}: {count}");
        }
        assert!(check_failed(&stack, &[0, 0], false).is_ok() == (survives > 0));
    }
}

#[test]
fn unknown_members_cannot_fail_and_a_rebuild_needs_a_failed_member() {
    let stack = stack("array = { level = \"raid6\" }");
    assert_eq!(
        check_failed(&stack, &[1, 4], false),
        Err(ImpossibleDegradation::NoMember {
            place: 4,
            members: 4
        })
    );
    assert!(check_failed(&stack, &[1], true).is_ok());
    assert_eq!(
        check_failed(&stack, &[], true),
        Err(ImpossibleDegradation::NothingToRebuild)
    );
}
