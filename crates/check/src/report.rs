//! All rules judged on one snapshot.

use serde::Serialize;
use stripewise_message::Message;

use crate::redact::redact;
use crate::rule::{Outcome, Rule, Severity, Text};
use crate::rules;
use crate::snapshot::{Missing, Snapshot};
use crate::stack::ModelLink;

/// The version of the JSON document.
pub const SCHEMA: u32 = 1;

/// The result of one rule.
#[derive(Debug, Clone, Serialize)]
pub struct RuleResult {
    /// The rule's name.
    pub id: &'static str,
    /// What is wrong when it fails.
    pub title: Message,
    /// How bad that is.
    pub severity: Severity,
    /// What came out.
    pub outcome: Outcome,
    /// What failed.
    pub failed: Vec<Message>,
    /// What is worth knowing.
    pub noted: Vec<Message>,
    /// Facts that could not be read.
    pub missing: Vec<Missing>,
    /// What the model can say about what was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub model: Vec<ModelLink>,
    #[serde(skip)]
    pub(crate) rule: &'static Rule,
}

/// How many rules had each outcome; the four together are all rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Rules that passed.
    pub pass: usize,
    /// Rules that failed.
    pub fail: usize,
    /// Rules that found something worth knowing.
    pub info: usize,
    /// Rules that could not be judged.
    pub not_run: usize,
}

/// The results of all rules.
#[derive(Debug, Clone, Serialize)]
pub struct CheckReport {
    /// The version of this document.
    pub schema: u32,
    /// The count of each outcome.
    pub summary: Summary,
    /// The results: failures first, the most severe first.
    pub results: Vec<RuleResult>,
}

impl RuleResult {
    /// Judges one rule. Its findings hold no secrets, although the facts do.
    pub fn of(rule: &'static Rule, facts: &Snapshot) -> Self {
        let judged = (rule.judge)(facts);
        let outcome = Outcome::of(&judged);
        let (failed, noted, missing) = match judged {
            Ok(findings) => (findings.failed, findings.noted, findings.missing),
            Err(missing) => (Vec::new(), Vec::new(), vec![missing]),
        };
        let clean = |found: Vec<Message>| {
            let clean = found.into_iter().map(|one| one.with_names(&redact));
            clean.collect()
        };
        let model = match (outcome, rule.cost) {
            (Outcome::Fail, Some(cost)) => cost(facts, &failed),
            (Outcome::Info, Some(cost)) => cost(facts, &noted),
            _ => Vec::new(),
        };
        Self {
            id: rule.id,
            title: rule.text(Text::Title),
            severity: rule.severity,
            outcome,
            failed: clean(failed),
            noted: clean(noted),
            missing: missing.iter().map(redacted).collect(),
            model,
            rule,
        }
    }

    /// Returns the rule.
    pub fn rule(&self) -> &'static Rule {
        self.rule
    }
}

/// A fact or a reason may be a line of a file, or what a program printed.
fn redacted(missing: &Missing) -> Missing {
    Missing::new(redact(&missing.fact), redact(&missing.why))
}

impl CheckReport {
    /// Judges all rules.
    pub fn of(facts: &Snapshot) -> Self {
        let mut results: Vec<RuleResult> = rules::all()
            .map(|rule| RuleResult::of(rule, facts))
            .collect();
        results.sort_by_key(|result| (result.outcome, std::cmp::Reverse(result.severity)));
        let mut summary = Summary::default();
        for result in &results {
            let count = match result.outcome {
                Outcome::Pass => &mut summary.pass,
                Outcome::Fail => &mut summary.fail,
                Outcome::Info => &mut summary.info,
                Outcome::NotRun => &mut summary.not_run,
            };
            *count += 1;
        }
        Self {
            schema: SCHEMA,
            summary,
            results,
        }
    }

    /// Returns whether a rule failed that is at least this severe.
    pub fn fails_at(&self, severity: Severity) -> bool {
        let is_bad =
            |result: &RuleResult| result.outcome == Outcome::Fail && result.severity >= severity;
        self.results.iter().any(is_bad)
    }
}
