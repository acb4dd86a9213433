//! An answer in GitHub's Markdown, for a ticket.

use stripewise_answer::{Block, Cell, Emphasis, Grid, Sentence, Table, Tone};
use stripewise_catalogue::{Argument, Language, Message, Words};

use crate::markdown::{aligned, block, fenced};
use crate::text::{markdown as escaped, markdown_line, markdown_words};

/// Returns an answer with its title.
pub fn markdown(title: &Message, blocks: &[Block], language: Language) -> String {
    let title = escaped(&title.in_language(language));
    format!("## {title}\n\n{}", parts(blocks, language))
}

/// Returns blocks, with an empty line between them.
fn parts(blocks: &[Block], language: Language) -> String {
    blocks
        .iter()
        .map(|block| one(block, language))
        .filter(|text| !text.is_empty())
        .map(|text| text + "\n")
        .collect::<Vec<_>>()
        .join("\n")
}

fn one(part: &Block, language: Language) -> String {
    let say = |words: &Argument| markdown_line(&words.marked(language));
    let lines = |lines: Vec<String>| lines.join("\n");
    match part {
        Block::Heading(words) => format!("### {}", say(words)),
        Block::Sentence(sentence) => prose(sentence, language),
        Block::Pairs(pairs) => lines(
            pairs
                .iter()
                .map(|pair| match &pair.name {
                    Some(name) => format!("- {}: {}", say(name), say(&pair.value)),
                    None => format!("  {}", say(&pair.value)),
                })
                .collect(),
        ),
        Block::List(items) => lines(
            items
                .iter()
                .map(|item| format!("- {}", say(item)))
                .collect(),
        ),
        Block::Table(table) => rows(table, language),
        Block::Grid(grid) => places(grid, language),
        Block::Chart(chart) => {
            let [heights, marks] = chart.lines(60);
            let most = chart.most.in_language(language);
            fenced("text", &format!("{heights}  {most}\n{marks}"))
        }
        Block::Code(text) => block(&flush_left(text)),
        Block::Fold(fold) => {
            let (title, inner) = (prose(&fold.title, language), parts(&fold.blocks, language));
            match fold.is_open {
                true => format!("{title}\n\n{inner}").trim_end().to_owned(),
                // What only a page draws leaves nothing to open.
                false if inner.is_empty() => String::new(),
                false => format!("<details><summary>{title}</summary>\n\n{inner}\n</details>"),
            }
        }
        Block::Gap | Block::Drawing(_) => String::new(),
        Block::Forms { drawn, told } => {
            let shown = if drawn.is_empty() { told } else { drawn };
            parts(shown, language).trim_end().to_owned()
        }
    }
}

/// Returns lines without the spaces that all of them begin with.
fn flush_left(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let least = lines().map(indent).min().unwrap_or(0);
    let lines = text
        .lines()
        .map(|line| line.get(least..).unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn prose(sentence: &Sentence, language: Language) -> String {
    let parts = sentence.parts.iter();
    let parts: Vec<String> = parts
        .map(|part| markdown_line(&part.marked(language)))
        .collect();
    let text = parts.join(sentence.join.text());
    match (&sentence.emphasis, sentence.tone) {
        (Emphasis::All, Tone::Strong) => format!("**{text}**"),
        (Emphasis::All, Tone::Dim) => format!("<sub>{text}</sub>"),
        (Emphasis::All, _) => text,
        (Emphasis::Head, _) => match text.split_once(':') {
            Some((head, rest)) => format!("**{head}:**{rest}"),
            None => text,
        },
        (Emphasis::Value(value), _) => {
            let value = markdown_line(&value.marked(language));
            text.replacen(&value, &format!("**{value}**"), 1)
        }
    }
}

fn rows(table: &Table, language: Language) -> String {
    let columns = table.columns.iter().enumerate();
    let shown: Vec<usize> = columns
        .filter(|(_, column)| !column.kind.is_drawn())
        .map(|(at, _)| at)
        .collect();
    let text = |words: Option<&Argument>| match words {
        // A name may be anything, however long; a sentence is ours.
        Some(Argument::Name(name)) => escaped(name),
        Some(words) => in_cell(&markdown_words(&words.marked(language))),
        None => String::new(),
    };
    let heads = shown.iter().map(|at| text(Some(&table.columns[*at].head)));
    let mut all = vec![heads.collect::<Vec<_>>()];
    for row in &table.rows {
        let cells = shown.iter().map(|at| row.cells.get(*at));
        all.push(
            cells
                .map(|cell| text(cell.and_then(|cell: &Cell| cell.shown.as_ref())))
                .collect(),
        );
    }
    let is_number = |at: usize| table.columns[shown[at]].is_number();
    let rows = aligned(&all, is_number);
    match &table.caption {
        Some(caption) => format!("{}\n\n{rows}", markdown_line(&caption.marked(language))),
        None => rows,
    }
}

/// Returns a line for a cell of a table: a bar ends a cell even in code.
fn in_cell(line: &str) -> String {
    let mut cell = String::new();
    for c in line.chars() {
        if c == '|' && !cell.ends_with('\\') {
            cell.push('\\');
        }
        cell.push(c);
    }
    cell
}

fn places(grid: &Grid, language: Language) -> String {
    let heads = std::iter::once(escaped(&grid.title.in_language(language)));
    let heads = heads.chain(grid.columns.iter().map(|name| escaped(name)));
    let mut all = vec![heads.collect::<Vec<_>>()];
    for row in &grid.rows {
        let head = std::iter::once(escaped(&row.head.in_language(language)));
        all.push(
            head.chain(row.cells.iter().map(|cell| escaped(&cell.text)))
                .collect(),
        );
    }
    let below = [&grid.legend, &grid.meaning].map(|sentence| prose(sentence, language));
    format!("{}\n\n{}", aligned(&all, |_| false), below.join("\n\n"))
}
