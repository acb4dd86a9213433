use stripewise_answer::{Cell, Column, Table as Answered, Tone};
use stripewise_catalogue::Argument;

use super::*;
use crate::style::without_styles;

fn name(text: &str) -> Argument {
    Argument::Name(text.to_owned())
}

fn drawn(table: &Answered, view: View) -> String {
    without_styles(&Table::of(table, view).finish(view))
}

/// A table with every kind of part that may shrink or disappear.
fn table() -> Answered {
    let mut table = Answered::new(
        "",
        [
            Column::group("", name("stack")),
            Column::group("", name("block_size")).named(name("block size")),
            Column::number("", name("MiB/s"))
                .named(name("bandwidth"))
                .unit("MiB/s"),
            Column::interval(""),
            Column::bar(),
            Column::number("", name("IOPS")).optional(1),
            Column::number("", name("p99"))
                .named(name("99 % latency"))
                .optional(3),
            Column::words("", name("against one")),
        ],
    );
    let sizes = ["4K", "64K", "1M"];
    for stack in ["one", "raid10-of-four"] {
        for (size, share) in sizes.iter().zip([0.1, 0.4, 1.0]) {
            let value = share * 1000.0;
            let row = [
                Cell::name(stack),
                Cell::name(size),
                Cell::digits(format!("{value:.0}")),
                Cell::digits("±12"),
                Cell::bar(Bar::of_part(0.0, share, 1.0)),
                Cell::digits("12.3k"),
                Cell::name("1.02 ms"),
                Cell::name("3.7 to 4.9 times as fast").tone(Tone::Good),
            ];
            table.row_of_height(row, value);
        }
    }
    table
}

#[test]
fn columns_line_up_and_nothing_trails() {
    let heads = [
        Column::words("", name("name")),
        Column::number("", name("µs")),
        Column::words("", name("")),
    ];
    let mut table = Answered::new("", heads);
    table.row(["a", "12", "x"].map(Cell::name));
    table.row(["longer\n", "1", ""].map(Cell::name));
    let text = drawn(&table, View::drawn(80));
    assert_eq!(text, "name     µs\na        12  x\nlonger    1\n");
}

/// Three designs were one: `4 x raid1…2K bitmap` stood for n2, f2 and o2.
#[test]
fn unlike_names_stay_unlike_however_narrow_the_table_is() {
    let heads = [
        Column::words("", name("stack")),
        Column::number("", name("IOPS")),
    ];
    let mut table = Answered::new("", heads);
    let layouts = ["n2", "f2", "o2"];
    for layout in layouts {
        let stack = format!("4 x raid10 {layout} 512K bitmap");
        table.row([Cell::name(stack), Cell::digits("85.3k")]);
    }
    for columns in 2..60 {
        let drawn = drawn(&table, View::drawn(columns));
        let text: String = drawn.split_whitespace().collect();
        let are_there = layouts.iter().all(|layout| text.contains(layout));
        assert!(are_there, "{columns}\n{drawn}");
    }
}

#[test]
fn implied_columns_give_way_first_and_numbers_never() {
    let drawn = |columns| drawn(&table(), View::drawn(columns));
    expect_test::expect![[r#"
        stack           block_size  MiB/s ±                                       IOPS      p99  against one
        one             4K            100 ±12  ███▏                              12.3k  1.02 ms  3.7 to 4.9 times as fast
                        64K           400 ±12  ████████████▊                     12.3k  1.02 ms  3.7 to 4.9 times as fast
                        1M           1000 ±12  ████████████████████████████████  12.3k  1.02 ms  3.7 to 4.9 times as fast
        raid10-of-four  4K            100 ±12  ███▏                              12.3k  1.02 ms  3.7 to 4.9 times as fast
                        64K           400 ±12  ████████████▊                     12.3k  1.02 ms  3.7 to 4.9 times as fast
                        1M           1000 ±12  ████████████████████████████████  12.3k  1.02 ms  3.7 to 4.9 times as fast
    "#]].assert_eq(&drawn(120));
    expect_test::expect![[r#"
        stack           block_size  MiB/s ±                p99  against one
        one             4K            100 ±12  ▌       1.02 ms  3.7 to 4.9 times as fast
                        64K           400 ±12  ██▍     1.02 ms  3.7 to 4.9 times as fast
                        1M           1000 ±12  ██████  1.02 ms  3.7 to 4.9 times as fast
        raid10-of-four  4K            100 ±12  ▌       1.02 ms  3.7 to 4.9 times as fast
                        64K           400 ±12  ██▍     1.02 ms  3.7 to 4.9 times as fast
                        1M           1000 ±12  ██████  1.02 ms  3.7 to 4.9 times as fast
        no room for IOPS: a wider terminal shows it
    "#]]
    .assert_eq(&drawn(80));
    expect_test::expect![[r#"
          block_size  MiB/s ±        p99  against one
        one  ▁▃█
          4K            100 ±12  1.02 ms  3.7 to 4.9 times as fast
          64K           400 ±12  1.02 ms  3.7 to 4.9 times as fast
          1M           1000 ±12  1.02 ms  3.7 to 4.9 times as fast
        raid10-of-four  ▁▃█
          4K            100 ±12  1.02 ms  3.7 to 4.9 times as fast
          64K           400 ±12  1.02 ms  3.7 to 4.9 times as fast
          1M           1000 ±12  1.02 ms  3.7 to 4.9 times as fast
        no room for IOPS: a wider terminal shows it
    "#]]
    .assert_eq(&drawn(60));
    expect_test::expect![[r#"
          block_size  MiB/s ±    against one
        one  ▁▃█
          4K            100 ±12  3.7 to 4.9
                                 times as fast
          64K           400 ±12  3.7 to 4.9
                                 times as fast
          1M           1000 ±12  3.7 to 4.9
                                 times as fast
        raid10-of-four  ▁▃█
          4K            100 ±12  3.7 to 4.9
                                 times as fast
          64K           400 ±12  3.7 to 4.9
                                 times as fast
          1M           1000 ±12  3.7 to 4.9
                                 times as fast
        no room for IOPS, p99: a wider terminal
        shows them
    "#]]
    .assert_eq(&drawn(40));
}

#[test]
fn at_every_width_each_line_fits_and_each_number_is_whole() {
    for columns in 40..200 {
        let text = drawn(&table(), View::drawn(columns));
        assert!(text.lines().all(|line| line.width() <= columns), "{text}");
        for number in ["100 ±12", "400 ±12", "1000 ±12"] {
            assert_eq!(text.matches(number).count(), 2, "{columns}: {text}");
        }
    }
}

#[test]
fn a_row_in_sentences_names_every_value_and_writes_repeated_ones_again() {
    let text = drawn(&table(), View::PLAIN);
    assert_eq!(text.lines().count(), 6);
    assert_eq!(
        text.lines().nth(1),
        Some(
            "stack: one, block size: 64K, bandwidth: 400 ±12 MiB/s, IOPS: 12.3k, \
             99 % latency: 1.02 ms, against one: 3.7 to 4.9 times as fast"
        )
    );
}

#[test]
fn long_names_lose_their_middle_before_a_line_is_too_wide() {
    let heads = [
        Column::words("", name("name")),
        Column::number("", name("value")),
    ];
    let mut table = Answered::new("", heads);
    let long = format!("begin{}end", "字".repeat(200));
    table.row([long.as_str(), "1234567"].map(Cell::name));
    let text = drawn(&table, View::drawn(40));
    assert!(text.contains("begin字") && text.contains("字end"), "{text}");
    assert!(text.contains('…') && text.contains("  1234567"), "{text}");
    assert!(text.lines().all(|line| line.width() <= 40), "{text}");
}

#[test]
fn a_table_that_fits_no_terminal_becomes_sentences() {
    let heads = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];
    let mut table = Answered::new("", heads.map(|head| Column::number("", name(head))));
    table.row(heads.map(|_| Cell::digits("12345678")));
    let text = drawn(&table, View::drawn(40));
    assert_eq!(
        text,
        "alpha: 12345678, beta: 12345678, gamma:\n  12345678, delta: 12345678, epsilon:\n  12345678, zeta: 12345678\n"
    );
}
