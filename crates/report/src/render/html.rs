//! Blocks as a page without a script, in both languages.

use std::fmt::Write as _;

use stripewise_answer::{
    Block, Cell, Chart, Column, Drawing, Emphasis, Fold, Grid, Ink, Pair, Sentence, Shape, Table,
    Tone,
};
use stripewise_catalogue::{Argument, Language, Message, NAME_TICK, Words};
use stripewise_study::sample::as_f64;

use crate::html::escaped;
use crate::static_page;
use crate::text::strip_control;

/// The plane of a chart, and of a small one in a table.
const CHART: [f64; 2] = [720.0, 90.0];
const SMALL_CHART: [f64; 2] = [96.0, 20.0];
/// The room for the signs below a chart.
const MARKS: f64 = 16.0;
/// The part of its room that a bar of a chart takes.
const FULL: f64 = 0.85;

/// Returns an answer as one HTML file: its title, what it is about, and its blocks.
///
/// `command` is the command that makes it.
pub fn page(
    command: &str,
    language: Language,
    (title, about): (&Message, Option<&Message>),
    blocks: &[Block],
) -> String {
    let body = format!("<main class=\"blocks\">\n{}</main>\n", html(blocks));
    static_page::page(command, language, (title, about), &body)
}

/// Returns a table as one HTML file, in which the first column of a row leads to a page. `links` are
/// those of the rows, in their order: names of files in the same directory.
pub fn index(
    command: &str,
    language: Language,
    title: &Message,
    table: &Table,
    links: &[Option<String>],
) -> String {
    let shown = columns(table, links, |column| !column.is_detail);
    let body = format!("<main class=\"blocks\">\n{shown}</main>\n");
    static_page::page(command, language, (title, None), &body)
}

/// Returns blocks as HTML.
pub fn html(blocks: &[Block]) -> String {
    blocks.iter().map(one).collect()
}

fn one(block: &Block) -> String {
    match block {
        Block::Heading(words) => format!("<h2>{}</h2>\n", say(words)),
        Block::Sentence(sentence) => format!("<p{}>{}</p>\n", whole(sentence), prose(sentence)),
        Block::Pairs(pairs) => format!(
            "<dl>\n{}</dl>\n",
            pairs.iter().map(pair).collect::<String>()
        ),
        Block::List(items) => {
            let items = items.iter().map(|item| format!("<li>{}</li>\n", say(item)));
            format!("<ul>\n{}</ul>\n", items.collect::<String>())
        }
        Block::Table(table) => rows(table),
        Block::Grid(grid) => places(grid),
        Block::Chart(chart) => charted(chart),
        Block::Drawing(drawing) => drawn(drawing),
        Block::Code(text) => {
            let lines: Vec<String> = text
                .lines()
                .map(|line| escaped(&strip_control(line)))
                .collect();
            format!("<pre><code>{}</code></pre>\n", lines.join("\n"))
        }
        Block::Fold(fold) => folded(fold),
        Block::Gap => String::new(),
        Block::Forms { drawn, .. } => html(drawn),
    }
}

/// Returns words in each language, or once if they are the same in all.
fn say(words: &Argument) -> String {
    in_each(|language| strip_control(&words.marked(language)), rich)
}

/// Returns text in each language, or once if it is the same in all.
fn in_each(text: impl Fn(Language) -> String, shown: impl Fn(&str) -> String) -> String {
    let texts = Language::ALL.map(|language| (language, text(language)));
    let [(_, first), others @ ..] = &texts;
    if others.iter().all(|(_, text)| text == first) {
        return shown(first);
    }
    let spans = texts.iter().map(|(language, text)| {
        format!(
            "<span class=\"say\" lang=\"{language}\">{}</span>",
            shown(text)
        )
    });
    spans.collect()
}

/// Escapes text ([`Words::marked`]); what stands between backticks becomes code.
fn rich(text: &str) -> String {
    let plain = |text: &str| escaped(text).replace(NAME_TICK, "`");
    let parts = text.split('`').collect::<Vec<_>>();
    if parts.len() % 2 == 0 {
        return plain(text);
    }
    let parts = parts.iter().enumerate().map(|(at, part)| match at % 2 {
        0 => plain(part),
        _ => format!("<code>{}</code>", plain(part)),
    });
    parts.collect()
}

/// Returns the class of a tone as an attribute.
fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Strong => " class=\"strong\"",
        Tone::Dim => " class=\"dim\"",
        Tone::Good => " class=\"good\"",
        Tone::Bad => " class=\"bad\"",
        Tone::Warn => " class=\"warn\"",
    }
}

/// Returns the class of a sentence that stands out as a whole.
fn whole(sentence: &Sentence) -> &'static str {
    match sentence.emphasis {
        Emphasis::All => class(sentence.tone),
        Emphasis::Head | Emphasis::Value(_) => "",
    }
}

fn prose(sentence: &Sentence) -> String {
    let text = |language: Language| {
        let parts = sentence.parts.iter();
        let parts: Vec<String> = parts.map(|part| part.marked(language)).collect();
        strip_control(&parts.join(sentence.join.text()))
    };
    let class = class(sentence.tone);
    in_each(text, |text| match &sentence.emphasis {
        Emphasis::All => rich(text),
        Emphasis::Head => match text.split_once(':') {
            Some((head, rest)) => format!("<b{class}>{}:</b>{}", rich(head), rich(rest)),
            None => rich(text),
        },
        // A number may have the decimal sign of either language.
        Emphasis::Value(value) => {
            let values = Language::ALL.map(|language| strip_control(&value.marked(language)));
            let found = values
                .iter()
                .find_map(|value| text.split_once(value.as_str()).zip(Some(value)));
            match found {
                Some(((before, after), value)) => {
                    format!(
                        "{}<b{class}>{}</b>{}",
                        rich(before),
                        rich(value),
                        rich(after)
                    )
                }
                None => rich(text),
            }
        }
    })
}

fn pair(pair: &Pair) -> String {
    let name = pair.name.as_ref().map(say).unwrap_or_default();
    format!("<dt>{name}</dt><dd>{}</dd>\n", say(&pair.value))
}

/// Returns a table, and folded the same with the columns that are details.
fn rows(table: &Table) -> String {
    let shown = columns(table, &[], |column| !column.is_detail);
    let bars = table.bars.clone().map(|bars| {
        let bars = Block::toned(Tone::Dim, bars);
        one(&bars)
    });
    let all = table
        .columns
        .iter()
        .any(|column| column.is_detail)
        .then(|| {
            let title = say(&Message::new("table-all-columns").into());
            let all = columns(table, &[], |column| !column.kind.is_drawn());
            format!("<details><summary>{title}</summary>\n{all}</details>\n")
        });
    format!(
        "{shown}{}{}",
        bars.unwrap_or_default(),
        all.unwrap_or_default()
    )
}

fn columns(table: &Table, links: &[Option<String>], is_shown: impl Fn(&Column) -> bool) -> String {
    let caption = table.caption.as_ref().map_or_else(String::new, |caption| {
        format!("<caption>{}</caption>\n", say(&caption.clone().into()))
    });
    let is_number = |at: usize| table.columns[at].is_number();
    let is_shown = |at: usize| is_shown(&table.columns[at]);
    let heads = table.columns.iter().enumerate();
    let heads = heads.filter(|(at, _)| is_shown(*at)).map(|(at, column)| {
        let class = if is_number(at) {
            " class=\"number\""
        } else {
            ""
        };
        let (title, head) = match &column.name {
            None => (String::new(), say(&column.head)),
            Some(name) => titled(&column.head, name),
        };
        match head.is_empty() {
            true => format!("<td{class}{title}></td>"),
            false => format!("<th scope=\"col\"{class}{title}>{head}</th>"),
        }
    });
    let heads: String = heads.collect();
    let lines = table.rows.iter().enumerate().map(|(line, row)| {
        let link = links.get(line).and_then(Option::as_deref);
        let cells = row.cells.iter().enumerate();
        let cells = cells.filter(|(at, _)| is_shown(*at));
        let cells = cells.map(|(at, cell)| {
            let value = match link.filter(|_| at == 0) {
                Some(link) => format!("<a href=\"{}\">{}</a>", escaped(link), value(cell)),
                None => value(cell),
            };
            match is_number(at) {
                true => format!("<td class=\"number\">{value}</td>"),
                false => format!("<td>{value}</td>"),
            }
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    let lines: String = lines.collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\"><table>{caption}<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody></table></div>\n"
    )
}

/// Returns the attribute that names a head and the head; with a name for each language, each head has
/// its own.
fn titled(head: &Argument, name: &Argument) -> (String, String) {
    let texts = Language::ALL.map(|language| {
        let words = |words: &Argument| strip_control(&words.in_language(language));
        let attribute = format!(" title=\"{}\"", escaped(&words(name)));
        (
            language,
            attribute,
            rich(&strip_control(&head.marked(language))),
        )
    });
    let [(_, first, _), others @ ..] = &texts;
    if others.iter().all(|(_, attribute, _)| attribute == first) || texts[0].2.is_empty() {
        return (first.clone(), say(head));
    }
    let spans = texts.iter().map(|(language, attribute, head)| {
        format!("<span class=\"say\" lang=\"{language}\"{attribute}>{head}</span>")
    });
    (String::new(), spans.collect())
}

/// Returns values as the path of upright bars in a plane.
fn bars(values: &[f64], [width, height]: [f64; 2]) -> String {
    let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let step = width / as_f64(values.len().max(1) as u64);
    let mut path = String::new();
    for (at, value) in (0_u64..).zip(values) {
        let (x, high) = (as_f64(at) * step, value / most * height);
        // Writing to a string does not fail.
        let _ = write!(
            path,
            "M{x:.1} {height}v-{high:.1}h{:.1}v{high:.1}z",
            step * FULL
        );
    }
    format!("<path class=\"first\" d=\"{path}\"/>")
}

fn charted(chart: &Chart) -> String {
    let [width, height] = CHART;
    let marks = chart.marks.iter().map(|mark| {
        let (x, y) = (mark.at * width, height + MARKS - 2.0);
        let sign = escaped(&mark.sign.to_string());
        format!("<text x=\"{x:.1}\" y=\"{y}\">{sign}</text>")
    });
    format!(
        "<figure tabindex=\"0\"><figcaption>{}</figcaption>\n<svg viewBox=\"0 0 {width} {}\" aria-hidden=\"true\">{}{}</svg></figure>\n",
        say(&chart.most),
        height + MARKS,
        bars(&chart.values, CHART),
        marks.collect::<String>()
    )
}

fn value(cell: &Cell) -> String {
    if let Some(heights) = &cell.chart {
        let [width, height] = SMALL_CHART;
        let bars = bars(heights, SMALL_CHART);
        return format!(
            "<svg class=\"small\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\">{bars}</svg>"
        );
    }
    if let Some(bar) = cell.bar {
        let percent = |share: f64| 100.0 * share;
        return format!(
            "<i class=\"length\"><i style=\"left:{:.1}%;width:{:.1}%\"></i><i class=\"shaded\" style=\"left:{:.1}%;width:{:.1}%\"></i></i>",
            percent(bar.start),
            percent(bar.solid_end - bar.start),
            percent(bar.solid_end),
            percent(bar.shaded_end - bar.solid_end),
        );
    }
    let words = cell.shown.as_ref().map(say).unwrap_or_default();
    let words = match &cell.branch {
        Some([before, _]) => format!("<span class=\"branch\">{}</span>{words}", escaped(before)),
        None => words,
    };
    match (cell.is_repeated, cell.tone) {
        (true, _) => format!("<span class=\"repeated\">{words}</span>"),
        (false, Tone::Plain) => words,
        (false, tone) => format!("<span{}>{words}</span>", class(tone)),
    }
}

fn places(grid: &Grid) -> String {
    let heads = grid.columns.iter();
    let heads: String = heads
        .map(|name| format!("<th scope=\"col\">{}</th>", escaped(name)))
        .collect();
    let rows = grid.rows.iter().map(|row| {
        let gap = if row.is_after_gap {
            " class=\"gap\""
        } else {
            ""
        };
        let cells = row.cells.iter();
        let cells =
            cells.map(|cell| format!("<td{}>{}</td>", class(cell.tone), escaped(cell.text.trim())));
        let cells: String = cells.collect();
        format!(
            "<tr{gap}><th scope=\"row\">{}</th>{cells}</tr>\n",
            say(&row.head)
        )
    });
    let rows: String = rows.collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\"><table class=\"grid\"><thead><tr><th>{}</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n\
         <p class=\"dim\">{}</p>\n<p>{}</p>\n",
        say(&grid.title),
        prose(&grid.legend),
        prose(&grid.meaning)
    )
}

fn drawn(drawing: &Drawing) -> String {
    let class = |ink: Ink| match ink {
        Ink::Axis => "axis",
        Ink::Border => "border",
        Ink::First => "first",
        Ink::Second => "second",
    };
    let shapes = drawing.shapes.iter().map(|shape| match shape {
        Shape::Line(ink, path) => format!("<path class=\"line {}\" d=\"{path}\"/>\n", class(*ink)),
        Shape::Area(ink, path, strength) => format!(
            "<path class=\"{}\" fill-opacity=\"{strength:.2}\" d=\"{path}\"/>\n",
            class(*ink)
        ),
        Shape::Words([x, y], side, words) => {
            let anchor = ["end", "middle", "start"][usize::from(side.signum().abs_diff(-1))];
            let attributes = format!(" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"");
            let texts = Language::ALL.map(|language| {
                let text = escaped(&strip_control(&words.in_language(language)));
                format!("<text class=\"say\" lang=\"{language}\"{attributes}>{text}</text>")
            });
            texts.concat()
        }
    });
    let shapes: String = shapes.collect();
    let legend = drawing.legend.iter();
    let legend =
        legend.map(|(ink, words)| format!("<b class=\"{}\"></b>{}", class(*ink), say(words)));
    format!(
        "<figure tabindex=\"0\"><figcaption>{}{}</figcaption>\n<svg viewBox=\"0 0 {:.0} {:.0}\" aria-hidden=\"true\">\n{shapes}</svg></figure>\n",
        say(&drawing.caption),
        legend.collect::<String>(),
        drawing.width,
        drawing.height
    )
}

fn folded(fold: &Fold) -> String {
    let (title, blocks) = (prose(&fold.title), html(&fold.blocks));
    match fold.is_open {
        true => format!(
            "<article{}>\n<h3>{title}</h3>\n{blocks}</article>\n",
            class(fold.title.tone)
        ),
        false => format!("<details><summary>{title}</summary>\n{blocks}</details>\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_stays_text() {
        let hostile = Argument::Name("</span>`<b>` \u{202e}a".to_owned());
        assert_eq!(say(&hostile), "&lt;/span&gt;`&lt;b&gt;` \u{fffd}a");
        assert_eq!(
            say(&Argument::Name("`<b>`".to_owned())),
            "<code>&lt;b&gt;</code>"
        );
        assert_eq!(rich("a ` b"), "a ` b");
    }

    #[test]
    fn words_stand_in_each_language_and_equal_ones_once() {
        let value = Message::new("predict-state").name("state", "fresh");
        let value = Argument::from(value);
        let html = say(&value);
        assert!(
            html.contains("lang=\"de\"") && html.contains("lang=\"en\""),
            "{html}"
        );
        assert_eq!(say(&Argument::Name("md0".to_owned())), "md0");
    }
}
