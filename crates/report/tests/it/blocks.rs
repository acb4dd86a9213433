//! Blocks of every kind, for the page with a script: `web/tests/blocks.test.ts` draws them, too, and
//! compares.

use expect_test::expect_file;
use stripewise_answer::{
    Bar, Block, Cell, Chart, Column, Drawing, Grid, GridCell, GridRow, Ink, Mark, Sentence, Shape,
    Table, Tone, Verdict,
};
use stripewise_catalogue::{Argument, Message};
use stripewise_report::render::html;

fn name(text: &str) -> Argument {
    Argument::Name(text.to_owned())
}

fn table() -> Table {
    let columns = [
        Column::group("group", name("group")),
        Column::words("storage", name("storage")),
        Column::number("iops", name("IOPS")).named(name("I/Os per second")),
        Column::interval("iops"),
        Column::bar(),
        Column::chart("gaps", Message::new("column-share")),
        Column::verdict("verdict", Message::new("column-verdict")),
    ];
    let mut table = Table::new("t", columns).caption(Message::new("facts-changed"));
    for (device, verdict) in [("sda", Verdict::Pass), ("<b>`sdb`", Verdict::NotJudged)] {
        table.row([
            Cell::name("group"),
            Cell::name(device).branch("├ ".to_owned(), "│ ".to_owned()),
            Cell::digits("30.5").exact(30.5),
            Cell::digits("1.5").tone(Tone::Dim),
            Cell::bar(Bar::of_range(1.0, 2.0, 4.0)),
            Cell::chart(vec![1.0, 0.0, 3.0]),
            Cell::verdict(verdict, name("judged")),
        ]);
    }
    table
}

fn grid() -> Grid {
    let cell = |text: &str, tone| GridCell {
        text: text.to_owned(),
        tone,
    };
    Grid {
        title: name("stripe"),
        columns: vec!["sda".to_owned(), "sdb".to_owned()],
        rows: vec![GridRow {
            head: name("0"),
            cells: vec![cell("D0", Tone::Strong), cell("P", Tone::Plain)],
            is_after_gap: true,
        }],
        legend: Sentence::remarks([name("D data"), name("P parity")]),
        meaning: Sentence::new(name("Both are written.")),
    }
}

fn drawing() -> Drawing {
    Drawing {
        caption: Message::new("facts-changed-note").into(),
        legend: vec![(Ink::First, Message::new("column-reads").into())],
        width: 960.0,
        height: 100.0,
        shapes: vec![
            Shape::Line(Ink::Axis, "M0 0H9".to_owned()),
            Shape::Area(Ink::Second, "M0 0h9v9z".to_owned(), 0.5),
            Shape::Words([9.0, 9.0], -1, name("1 s")),
        ],
    }
}

/// Every kind of block; a new one belongs in here.
fn blocks() -> Vec<Block> {
    let told = vec![Block::say(name("told"))];
    vec![
        Block::heading(Message::new("view-facts")),
        Sentence::remarks([name("one `code`"), name("two")])
            .tone(Tone::Dim)
            .into(),
        Sentence::new(name("head: rest"))
            .tone(Tone::Bad)
            .by_head()
            .into(),
        Sentence::new(name("it is 7 now"))
            .tone(Tone::Good)
            .by_value(name("7"))
            .into(),
        Block::Pairs(vec![Block::pair(
            Message::new("machine-kernel"),
            name("6.12"),
        )]),
        Block::List(vec![name("<b>"), name("b")]),
        table().into(),
        Block::Grid(grid()),
        Block::Chart(Chart {
            values: vec![2.0, 1.0],
            most: name("2 MiB/s"),
            marks: vec![Mark {
                at: 0.5, sign: '▲'
            }],
        }),
        Block::Drawing(drawing()),
        Block::Code("a\nb".to_owned()),
        Block::open(
            Sentence::new(name("open")).tone(Tone::Warn),
            vec![Block::say(name("in"))],
        ),
        Block::closed(Sentence::new(name("closed")), vec![Block::Gap]),
        Block::Forms {
            drawn: vec![Block::say(name("drawn"))],
            told,
        },
    ]
}

#[test]
fn blocks_are_drawn_the_same_in_both_pages() {
    let blocks = blocks();
    let json = serde_json::to_string_pretty(&blocks).unwrap();
    let html = serde_json::to_string(&html(&blocks)).unwrap();
    expect_file!["../../../../web/tests/golden/blocks.ts"].assert_eq(&format!(
        "// Written by crates/report/tests/it/blocks.rs: UPDATE_EXPECT=1 cargo test -p stripewise-report\n\
         import type {{ Block }} from \"../../src/generated\";\n\n\
         export const blocks: Block[] = {json};\n\n\
         export const html = {html};\n"
    ));
}
