//! The reference page of the rules is written from the rules.
use expect_test::expect_file;
use stripewise_check::{Severity, Text, rules};

use crate::english::english;

#[test]
fn the_reference_page_lists_every_rule() {
    let mut page = "# The rules of `stripewise check`\n\nGenerated from the rules by `UPDATE_EXPECT=1 cargo test -p stripewise-check`; do not edit.\n[check.md](check.md) says how to use them.\n".to_owned();
    for severity in Severity::ALL.into_iter().rev() {
        page += &format!("\n## Severity {severity}\n");
        for rule in rules::all().filter(|rule| rule.severity == severity) {
            let text = |text| english(&rule.text(text));
            let settings = match rule.settings {
                Some(_) => " `check --fix` can write it.",
                None => "",
            };
            page += &format!(
                "\n### `{}`: {}\n\n{}\n\n- Source: {}.\n- Prove it here: {}.\n- Fix: {}{settings}\n- Risk: {}\n- Undo: {}\n",
                rule.id,
                text(Text::Title),
                text(Text::Reason),
                rule.source,
                english(&rule.proof_in_words()),
                text(Text::Fix),
                text(Text::Risk),
                text(Text::Undo)
            );
        }
    }
    expect_file!["../../../../docs/check-rules.md"].assert_eq(&page);
}
