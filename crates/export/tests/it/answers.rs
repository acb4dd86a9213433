//! Answers as CSV. The failure: an interval from 93 to 530 was written as a half width of 227, so its
//! low end was below zero; and a comparison had its numbers only in words.

use stripewise_answer::{Cell, Column, Table};
use stripewise_catalogue::Argument;
use stripewise_export::answer::csv;

#[test]
fn an_interval_has_both_ends_and_a_verdict_its_number() {
    let name = |text: &str| Argument::Name(text.to_owned());
    let columns = [
        Column::words("stack", name("stack")),
        Column::number("iops", name("IOPS")),
        Column::interval("iops"),
        Column::verdict("difference", name("difference")).measured("ratio"),
    ];
    let mut table = Table::new("cells", columns);
    let interval = Cell::digits("(93–530)").ends(93.0, 530.0);
    let verdict = Cell::name("+16 %").exact(1.16).ends(1.1, 1.25);
    let iops = Cell::digits("303").exact(303.5);
    table.row([Cell::name("a"), iops, interval, verdict]);
    let unknown = Cell::digits("±?");
    table.row([
        Cell::name("b"),
        Cell::none(),
        unknown,
        Cell::name("baseline"),
    ]);
    let text = String::from_utf8(csv(&[table.into()]).unwrap()).unwrap();
    assert_eq!(
        text,
        "stack,iops,iops_low,iops_high,difference,ratio,ratio_low,ratio_high\r\n\
         a,303.5,93,530,'+16 %,1.16,1.1,1.25\r\n\
         b,,,,baseline,,,\r\n"
    );
}
