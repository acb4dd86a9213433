//! `check --page`: the results as one HTML file, without a script.
//!
//! What rules say is English, and marked as such.

use stripewise_catalogue::{Language, Message};
use stripewise_check::{CheckReport, ModelLink, Outcome, Question, RuleResult};
use stripewise_report::html::escaped;
use stripewise_report::static_page::{self, bilingual};
use stripewise_report::strip_control;

const STYLE: &str = include_str!("page.css");

/// Returns the page; `about` names the facts: this machine, or a directory.
pub(super) fn page(report: &CheckReport, about: &Message, language: Language) -> String {
    let of = |outcome: Outcome| -> Vec<&RuleResult> {
        let results = report.results.iter();
        results.filter(|one| one.outcome == outcome).collect()
    };
    let mut body = format!("<main>\n<nav>\n{}</nav>\n", tiles(report));
    for (outcome, id) in SECTIONS {
        let results = of(outcome);
        if results.is_empty() {
            continue;
        }
        let title = bilingual(&Message::new(id).count("count", results.len()));
        let key = key(outcome);
        let parts: String = match outcome {
            Outcome::Fail | Outcome::Info => results.iter().map(|one| card(one)).collect(),
            Outcome::NotRun => list(results.iter().map(|one| not_run(one))),
            Outcome::Pass => list(results.iter().map(|one| passed(one))),
        };
        body += &match outcome {
            Outcome::Fail | Outcome::Info | Outcome::NotRun => {
                format!("<section id=\"{key}\">\n<h2>{title}</h2>\n{parts}</section>\n")
            }
            Outcome::Pass => format!(
                "<section id=\"{key}\">\n<details><summary><h2>{title}</h2></summary>\n{parts}</details></section>\n"
            ),
        };
    }
    body += &format!(
        "</main>\n<footer>{}</footer>\n",
        bilingual(&Message::new("check-page-foot"))
    );
    let title = Message::new("check-page-title");
    static_page::page("check", language, (&title, about), STYLE, &body)
}

/// The sections, the most urgent first.
const SECTIONS: [(Outcome, &str); 4] = [
    (Outcome::Fail, "check-page-failed"),
    (Outcome::Info, "check-page-info"),
    (Outcome::NotRun, "check-page-not-run"),
    (Outcome::Pass, "check-page-passed"),
];

fn key(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Fail => "fail",
        Outcome::Info => "info",
        Outcome::NotRun => "not-run",
        Outcome::Pass => "pass",
    }
}

/// Returns English text, which may come from outside.
fn english(text: &str) -> String {
    format!("<span lang=\"en\">{}</span>", rich(&strip_control(text)))
}

/// Escapes text; what stands between backticks becomes code.
fn rich(text: &str) -> String {
    let parts = text.split('`').collect::<Vec<_>>();
    if parts.len() % 2 == 0 {
        return escaped(text);
    }
    let parts = parts.iter().enumerate().map(|(at, part)| match at % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    });
    parts.collect()
}

/// Returns how many rules had each outcome.
fn tiles(report: &CheckReport) -> String {
    let counts = report.summary;
    let tiles = [
        (Outcome::Fail, counts.fail, "check-page-tile-failed"),
        (Outcome::Info, counts.info, "check-page-tile-info"),
        (Outcome::NotRun, counts.not_run, "check-page-tile-not-run"),
        (Outcome::Pass, counts.pass, "check-page-tile-passed"),
    ];
    let tiles = tiles.map(|(outcome, count, id)| {
        let (key, words) = (key(outcome), bilingual(&Message::new(id)));
        format!("<a class=\"{key}\" href=\"#{key}\"><b>{count}</b> {words}</a>\n")
    });
    tiles.concat()
}

/// Returns a rule that found something.
fn card(result: &RuleResult) -> String {
    let rule = result.rule();
    let found = result.failed.iter().chain(&result.noted);
    let found = list(found.map(|text| format!("<li>{}</li>\n", english(text))));
    let severity = match result.outcome {
        Outcome::Fail => {
            let message = Message::new("check-severity").name("severity", result.severity);
            format!(
                "<span class=\"{0}\">{1}</span>",
                result.severity,
                bilingual(&message)
            )
        }
        _ => String::new(),
    };
    let costs: String = result.model.iter().map(link).collect();
    let rows = [
        ("check-page-why", english(rule.reason)),
        ("check-page-source", english(rule.source)),
        ("check-page-proof", english(&rule.proof_in_words())),
        ("check-page-risk", english(rule.risk)),
        ("check-page-undo", english(rule.undo)),
    ];
    let row = |id: &'static str, text: &str| {
        format!("<dt>{}</dt><dd>{text}</dd>\n", bilingual(&Message::new(id)))
    };
    let rows = rows.map(|(id, text)| row(id, &text));
    format!(
        "<article class=\"{} {}\">\n<h3>{severity} {} <code>{}</code></h3>\n{found}{}{costs}<dl class=\"fix\">{}</dl>\n\
         <details><summary>{}</summary><dl>{}</dl></details>\n</article>\n",
        key(result.outcome),
        result.severity,
        english(rule.title),
        escaped(rule.id),
        missing(result),
        row("check-page-fix", &english(rule.fix)),
        bilingual(&Message::new("check-page-more")),
        rows.concat(),
    )
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("<ul>\n{}</ul>\n", items.collect::<String>())
}

/// Returns the facts that a rule lacks.
fn missing(result: &RuleResult) -> String {
    if result.missing.is_empty() {
        return String::new();
    }
    let items = result.missing.iter().map(|missing| {
        let fact = escaped(strip_control(&missing.fact).trim_matches('`'));
        format!("<li><code>{fact}</code>: {}</li>\n", english(&missing.why))
    });
    format!("<div class=\"missing\">{}</div>\n", list(items))
}

fn not_run(result: &RuleResult) -> String {
    let rule = result.rule();
    format!(
        "<li><details><summary><code>{}</code> {}</summary>{}</details></li>\n",
        escaped(rule.id),
        english(rule.title),
        missing(result)
    )
}

/// Returns a rule that passed. Its title says what would be wrong.
fn passed(result: &RuleResult) -> String {
    let rule = result.rule();
    format!(
        "<li><code>{}</code> {}</li>\n",
        escaped(rule.id),
        english(rule.title)
    )
}

fn link(link: &ModelLink) -> String {
    match link {
        ModelLink::Ask(question) => cost(question),
        ModelLink::Missing(missing) => {
            let message = Message::new("check-page-no-cost");
            let message = message
                .name("fact", &missing.fact)
                .name("why", &missing.why);
            format!("<p class=\"missing\">{}</p>\n", bilingual(&message))
        }
    }
}

/// Returns the simulated speeds as bars.
fn cost(question: &Question) -> String {
    let all = question.variants.iter();
    let all = all.filter_map(|variant| Some((variant, variant.iops?)));
    let most = all
        .clone()
        .map(|(_, iops)| iops)
        .fold(f64::MIN_POSITIVE, f64::max);
    let rows = all.map(|(variant, iops)| {
        let words = match variant.words.as_str() {
            "" => bilingual(&Message::new("check-page-as-it-is")),
            words => english(words),
        };
        format!(
            "<tr><th scope=\"row\">{words}</th><td class=\"bar\"><i style=\"width:{:.1}%\"></i></td><td>{iops:.0} IOPS</td></tr>\n",
            100.0 * iops / most
        )
    });
    let rows: String = rows.collect();
    let message = Message::new("check-page-cost");
    let message = message
        .name("array", &question.array)
        .name("load", &question.load);
    let command = question
        .command
        .as_ref()
        .map_or_else(String::new, |command| {
            format!(
                "<pre><code>{}</code></pre>\n",
                escaped(&strip_control(command))
            )
        });
    format!(
        "<table><caption>{}</caption>\n{rows}</table>\n{command}",
        bilingual(&message)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_stays_text() {
        assert_eq!(
            english("</span>`<b>` \u{202e}a"),
            "<span lang=\"en\">&lt;/span&gt;<code>&lt;b&gt;</code> \u{fffd}a</span>"
        );
        assert_eq!(rich("a ` b"), "a ` b");
    }
}
