//! SARIF 2.1.0, which code scanners and ticket systems read (OASIS, sections 3.27 and 3.49).

use serde_json::{Value, json};
use stripewise_message::Message;

use crate::report::CheckReport;
use crate::rule::{Outcome, Severity, Text};

/// Returns a report as a SARIF log, in the words of `speak`. A rule that was not run is a
/// notification, not a result.
pub fn sarif(report: &CheckReport, version: &str, speak: fn(&Message) -> String) -> Value {
    let rules: Vec<Value> = report
        .results
        .iter()
        .map(|result| {
            let rule = result.rule();
            let text = |text| speak(&rule.text(text));
            let (fix, risk) = (text(Text::Fix), text(Text::Risk));
            json!({
                "id": rule.id,
                "shortDescription": { "text": text(Text::Title) },
                "fullDescription": { "text": text(Text::Reason) },
                "help": { "text": format!("{fix} Risk: {risk} Source: {}", rule.source) },
                "defaultConfiguration": { "level": level(rule.severity) },
            })
        })
        .collect();
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    for (index, result) in report.results.iter().enumerate() {
        let findings = result
            .failed
            .iter()
            .map(|text| (text, level(result.severity), "fail"));
        let noted = result
            .noted
            .iter()
            .map(|text| (text, "note", "informational"));
        for (text, level, kind) in findings.chain(noted) {
            let level = if kind == "fail" { level } else { "none" };
            results.push(json!({
                "ruleId": result.id, "ruleIndex": index, "kind": kind, "level": level,
                "message": { "text": speak(text) },
            }));
        }
        if result.outcome == Outcome::NotRun {
            let facts: Vec<String> = result
                .missing
                .iter()
                .map(|one| format!("{}: {}", one.fact, one.why))
                .collect();
            notifications.push(json!({
                "level": "warning",
                "associatedRule": { "id": result.id, "index": index },
                "message": { "text": format!("not run: {}", facts.join("; ")) },
            }));
        }
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "stripewise check", "version": version, "rules": rules } },
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notifications }],
            "results": results,
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low => "note",
    }
}
