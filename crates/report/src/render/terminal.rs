//! Blocks for a terminal, or as plain text.

use stripewise_answer::{Block, Chart, Emphasis, Fold, Join, Sentence};
use stripewise_catalogue::Argument;

use super::grid;
use crate::table::Table;
use crate::text::{
    BOLD, DIM, dimmed, named_lines, paint, painted, strip_control, style_of, with_head, wrapped,
    wrapped_from,
};
use crate::view::View;

/// The indent of what is below a title.
const INDENT: usize = 4;

/// The width of a chart.
const CHART_COLUMNS: usize = 50;
/// The room for the highest value beside a chart.
const BESIDE: usize = 22;

/// Returns blocks as text with the marks of its styles, each line ended.
pub fn terminal(blocks: &[Block], view: View) -> String {
    blocks.iter().map(|block| one(block, view)).collect()
}

fn one(block: &Block, view: View) -> String {
    match block {
        Block::Heading(words) => painted(BOLD, &view.show(words), view),
        Block::Sentence(sentence) => prose(sentence, view),
        Block::Pairs(pairs) => named_lines(
            pairs.iter().map(|pair| {
                let name = pair.name.as_ref().map(|name| view.show(name));
                (name.unwrap_or_default(), view.show(&pair.value))
            }),
            view,
        ),
        Block::List(items) => {
            // One thing is no list, and a screen reader says the sign.
            let is_bare = items.len() == 1 || view.is_plain();
            let sign = if is_bare { "" } else { "- " };
            items.iter().map(|item| listed(sign, item, view)).collect()
        }
        Block::Table(table) if table.rows.is_empty() => String::new(),
        Block::Table(table) => {
            let caption = table.caption.as_ref().filter(|_| view.is_plain());
            let caption = caption.map(|caption| view.say(caption) + "\n");
            caption.unwrap_or_default() + &Table::of(table, view).finish(view)
        }
        Block::Grid(grid) => grid::drawn(grid, view),
        Block::Chart(chart) => charted(chart, view),
        Block::Code(text) => text
            .lines()
            .map(|line| strip_control(line) + "\n")
            .collect(),
        Block::Fold(fold) => unfolded(fold, view),
        Block::Gap => "\n".to_owned(),
        Block::Drawing(_) => String::new(),
        Block::Forms { told, .. } if view.is_plain() => terminal(told, view),
        Block::Forms { drawn, .. } => terminal(drawn, view),
    }
}

fn charted(chart: &Chart, view: View) -> String {
    let room = view.prose_columns().saturating_sub(BESIDE);
    let [heights, marks] = chart.lines(room.min(CHART_COLUMNS));
    let most = strip_control(&view.show(&chart.most));
    format!("{heights}  {most}\n{}\n", paint(DIM, &marks))
}

fn listed(sign: &str, item: &Argument, view: View) -> String {
    wrapped_from(sign, &strip_control(&view.show(item)), "  ", view)
}

/// Returns the words of prose on one line.
pub(super) fn words(sentence: &Sentence, view: View) -> String {
    let parts: Vec<String> = sentence.parts.iter().map(|part| view.show(part)).collect();
    let between = match sentence.join {
        Join::Space => " ",
        Join::Dot => view.separator(),
    };
    parts.join(between)
}

fn prose(sentence: &Sentence, view: View) -> String {
    let text = words(sentence, view);
    let style = style_of(sentence.tone);
    match &sentence.emphasis {
        Emphasis::All => painted(style, &text, view),
        Emphasis::Head => with_head(style, "", &text, "  ", view),
        Emphasis::Value(value) => {
            let value = strip_control(&view.show(value));
            let text = wrapped(&strip_control(&text), "", view);
            text.replacen(&value, &paint(style, &value), 1)
        }
    }
}

fn unfolded(fold: &Fold, view: View) -> String {
    if !fold.is_open {
        let hint = fold.hint.as_ref().map(|hint| dimmed(&view.say(hint), view));
        return hint.unwrap_or_default();
    }
    let inner = terminal(&fold.blocks, view.indented(INDENT));
    let indent = if view.is_plain() { 0 } else { INDENT };
    let lines = inner.lines().map(|line| match line.is_empty() {
        true => "\n".to_owned(),
        false => format!("{}{line}\n", " ".repeat(indent)),
    });
    prose(&fold.title, view) + &lines.collect::<String>()
}
