//! Any answer in formats of other programs: Markdown, CSV, JUnit and OpenMetrics.

mod csv;
mod junit;
mod markdown;
mod openmetrics;

pub use self::csv::csv;
pub use junit::junit;
pub use markdown::markdown;
pub use openmetrics::openmetrics;

#[cfg(test)]
mod tests {
    use stripewise_answer::{Block, Cell, Column, Sentence, Table, Tone, Verdict};
    use stripewise_catalogue::{Argument, Language, Message};

    use super::*;

    fn table(key: &'static str, name: &str, verdict: Verdict) -> Block {
        let head = |text: &str| Argument::Name(text.to_owned());
        let columns = [
            Column::words("name", head("name")),
            Column::number("iops", head("IOPS")),
            Column::bar(),
            Column::verdict("verdict", head("verdict")),
        ];
        let mut table = Table::new(key, columns);
        let verdict = Cell::verdict(verdict, head("judged"));
        let iops = Cell::digits("30.5k").exact(30459.5);
        table.row([Cell::name(name), iops, Cell::empty(), verdict]);
        table.into()
    }

    #[test]
    fn a_table_has_exact_numbers_and_no_formulas() {
        let one = csv(&[table("a", "=1,2", Verdict::Pass)]).unwrap();
        let one = String::from_utf8(one).unwrap();
        assert_eq!(one, "name,iops,verdict\r\n\"'=1,2\",30459.5,judged\r\n");
        let other = Table::new("b", [Column::words("other", Argument::Name(String::new()))]);
        let mut other = other;
        other.row([Cell::name("x")]);
        let fold = Block::closed(
            Sentence::new(Argument::Name(String::new())),
            vec![other.into()],
        );
        let two = csv(&[table("a", "n", Verdict::Pass), fold]).unwrap();
        let two = String::from_utf8(two).unwrap();
        assert_eq!(
            two,
            "table,name,iops,verdict,other\r\na,n,30459.5,judged,\r\nb,,,,x\r\n"
        );
        assert_eq!(csv(&[Block::Gap]), None);
    }

    /// Signs for "nothing" stood in columns of numbers, and the tables of two runs could not be told apart.
    #[test]
    fn a_field_is_a_number_or_empty_and_a_row_names_its_run() {
        let head = |text: &str| Argument::Name(text.to_owned());
        let columns = [
            Column::words("stack", head("stack")),
            Column::number("lost", head("lost")),
            Column::range("share", head("95 %")),
        ];
        let mut table = Table::new("cuts", columns);
        let lost = Cell::of(head("1 of 5")).exact(1.0).of_all(5.0);
        let share = Cell::of(head("[1–70 %]")).ends(0.01, 0.7);
        table.row([Cell::name("a `b`"), lost, share]);
        table.row([Cell::none(), Cell::none(), Cell::empty()]);
        let unbounded = Cell::of(head("no limit")).exact(f64::INFINITY);
        table.row([Cell::of(head("words")).key("key"), unbounded, Cell::none()]);
        let mut blocks = [Block::from(table)];
        Block::share(&mut blocks, "run", "7");
        let table = String::from_utf8(csv(&blocks).unwrap()).unwrap();
        assert_eq!(
            table,
            "run,stack,lost,lost_of,share_low,share_high\r\n\
             7,a `b`,1,5,0.01,0.7\r\n7,,,,,\r\n7,key,inf,,,\r\n"
        );
    }

    #[test]
    fn each_verdict_is_a_case_and_hostile_names_end_no_attribute() {
        let blocks = [
            table("a", "\"><x>\u{1b}", Verdict::Fail),
            table("b", "n", Verdict::NotJudged),
            table("c", "n", Verdict::Pass),
        ];
        let cases = junit("check", &blocks).unwrap();
        let failed =
            "name=\"&quot;&gt;&lt;x&gt;␛\"><failure message=\"IOPS: 30.5k; verdict: judged\"/>";
        assert!(cases.contains(failed), "{cases}");
        assert!(
            cases.contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""),
            "{cases}"
        );
        assert_eq!(cases.matches("<testcase").count(), 3);
        assert_eq!(junit("check", &[Block::Gap]), None);
    }

    #[test]
    fn rows_with_labels_are_gauges_and_hostile_names_end_no_label() {
        let mut shown = table("a", "\"}\n\u{1b}", Verdict::Fail);
        assert_eq!(openmetrics("trend", &[Block::Gap]), None);
        if let Block::Table(table) = &mut shown {
            table.columns[0].is_label = true;
            let same = table.rows[0].cells.clone();
            table.row(same);
        }
        let text = openmetrics("site verify", &[shown]).unwrap();
        let labels = "name=\"\\\"} ␛\",verdict=\"fail\"";
        assert_eq!(
            text,
            format!(
                "# HELP stripewise_site_verify_a_iops IOPS.\n\
                 # TYPE stripewise_site_verify_a_iops gauge\n\
                 stripewise_site_verify_a_iops{{{labels}}} 30459.5\n\
                 stripewise_site_verify_a_iops{{{labels},row=\"1\"}} 30459.5\n\
                 # HELP stripewise_site_verify_a_verdict verdict.\n\
                 # TYPE stripewise_site_verify_a_verdict gauge\n\
                 stripewise_site_verify_a_verdict{{{labels}}} 1\n\
                 stripewise_site_verify_a_verdict{{{labels},row=\"1\"}} 1\n\
                 # EOF\n"
            )
        );
    }

    #[test]
    fn a_ticket_has_every_part_in_its_language() {
        let name = |text: &str| Argument::Name(text.to_owned());
        let blocks = [
            Block::heading(name("a | b")),
            Sentence::new(name("# x: say `a*b`"))
                .tone(Tone::Bad)
                .by_head()
                .into(),
            Block::Pairs(vec![Block::pair(
                name("`k*`"),
                Argument::Digits("1.5".to_owned()),
            )]),
            table("a", "n|m", Verdict::Pass),
            Block::closed(
                Sentence::new(name("more")),
                vec![Block::Code("a ``` b".to_owned())],
            ),
        ];
        let title = Message::new("none");
        let text = markdown(&title, &blocks, Language::German);
        for part in [
            "### a \\| b\n",
            "**\\# x:** say \\`a\\*b\\`\n",
            "- `k*`: 1,5\n",
            "| n\\|m | 30,5k | judged  |\n",
            "<details><summary>more</summary>\n\n``````sh\na ``` b\n``````\n",
        ] {
            assert!(text.contains(part), "{part:?} in {text}");
        }
    }
}
