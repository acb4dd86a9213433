//! Reports of `check` for people. The texts of rules are English in every language: they are data.

use stripewise_check::compare::{Change, Comparison, Kind};
use stripewise_check::{CheckReport, ModelLink, Outcome, Question, Rule, RuleResult};
use stripewise_report::strip_control;

/// Returns what the rules found; rules that passed are only counted.
pub(super) fn report(report: &CheckReport) -> String {
    let shown = report
        .results
        .iter()
        .filter(|result| result.outcome != Outcome::Pass);
    shown.map(one).collect()
}

fn one(result: &RuleResult) -> String {
    let word = result.outcome.as_str();
    let mut text = match result.outcome {
        Outcome::Fail => format!(
            "{word} ({}): {}: {}\n",
            result.severity, result.id, result.title
        ),
        Outcome::NotRun => format!("{word}: {}\n", result.id),
        Outcome::Info | Outcome::Pass => format!("{word}: {}: {}\n", result.id, result.title),
    };
    for found in result.failed.iter().chain(&result.noted) {
        text += &format!("    {}\n", strip_control(found));
    }
    for missing in &result.missing {
        let (fact, why) = (strip_control(&missing.fact), strip_control(&missing.why));
        text += &format!("    missing: {fact}: {why}\n");
    }
    for link in &result.model {
        text += &match link {
            ModelLink::Ask(question) => cost(question),
            ModelLink::Missing(missing) => {
                let (fact, why) = (strip_control(&missing.fact), strip_control(&missing.why));
                format!("    the model cannot tell the cost: {fact}: {why}\n")
            }
        };
    }
    if result.outcome == Outcome::Fail {
        text += &format!("    fix: {}\n", result.rule().fix);
    }
    text
}

/// Returns what a finding costs in the model: the I/Os per second of this stack, and of others.
fn cost(question: &Question) -> String {
    let mut text = format!(
        "    cost on {} under {}, simulated:\n",
        strip_control(&question.array),
        question.load
    );
    let now = question.variants.first().and_then(|now| now.iops);
    for variant in &question.variants {
        let words = match variant.words.as_str() {
            "" => "as it is",
            words => words,
        };
        let Some(iops) = variant.iops else { continue };
        let iops_now = now.unwrap_or(iops);
        let times = match variant.words.is_empty() {
            true => String::new(),
            false => format!(", ×{:.2}", iops / iops_now),
        };
        text += &format!("        {words}: {iops:.0} IOPS{times}\n");
    }
    if let Some(command) = &question.command {
        text += &format!("        {}\n", strip_control(command));
    }
    text
}

/// Returns all texts of a rule.
pub(super) fn explanation(rule: &Rule) -> String {
    let here = match rule.settings {
        Some(_) => format!("Fix here: stripewise check --fix {}\n", rule.id),
        None => String::new(),
    };
    format!(
        "{}: {}\nSeverity: {}\nWhy: {}\nSource: {}\nProve it here: {}\nFix: {}\n{here}Risk: {}\nUndo: {}\n",
        rule.id,
        rule.title,
        rule.severity,
        rule.reason,
        rule.source,
        rule.proof_in_words(),
        rule.fix,
        rule.risk,
        rule.undo
    )
}

/// Returns what changed, and which rules turned.
pub(super) fn comparison(compared: &Comparison) -> String {
    // The clock first: it changes the speed of everything, and no other line explains that.
    let clock = compared.changes.iter().filter(|one| one.is_about_clock());
    let mut text: String = clock.map(change).collect();
    for turned in &compared.turned {
        let (before, after) = (turned.before.as_str(), turned.after.as_str());
        text += &format!(
            "{} ({}): {before} -> {after}: {}\n",
            turned.id, turned.severity, turned.title
        );
        for finding in &turned.findings {
            text += &format!("    {}\n", strip_control(finding));
        }
    }
    let others = compared.changes.iter().filter(|one| !one.is_about_clock());
    text.extend(others.map(change));
    text
}

fn change(change: &Change) -> String {
    let word = match change.kind {
        Kind::Added => "added",
        Kind::Removed => "removed",
        Kind::Changed => "changed",
        Kind::Unknown => "unknown on one side",
    };
    let mut text = format!("{word}: {}\n", strip_control(&change.fact));
    for (mark, line) in [("-", &change.before), ("+", &change.after)] {
        if let Some(line) = line.as_deref().filter(|line| !line.is_empty()) {
            text += &format!("    {mark} {}\n", strip_control(line));
        }
    }
    text
}
