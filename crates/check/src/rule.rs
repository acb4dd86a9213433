//! What a rule is, and what it returns.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use stripewise_message::Message;

use crate::snapshot::{Missing, Snapshot};
use crate::stack::ModelLink;

/// How bad it is when a rule fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something could be better.
    Low,
    /// Slower than it needs to be.
    Medium,
    /// Breaks at the next reboot, upgrade or move.
    High,
    /// Data is at risk.
    Critical,
}

impl Severity {
    /// All severities, the least first.
    pub const ALL: [Severity; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Severity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|one| one.as_str() == text);
        found.ok_or_else(|| "expected `low`, `medium`, `high` or `critical`".to_owned())
    }
}

/// A text of a rule, in the catalogue: `rule-md-degraded-title`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// What is wrong when it fails, in a few words.
    Title,
    /// Why it matters.
    Reason,
    /// What to do.
    Fix,
    /// What can go wrong with the fix.
    Risk,
    /// How to go back.
    Undo,
}

impl Text {
    /// All texts of a rule.
    pub const ALL: [Text; 5] = [Self::Title, Self::Reason, Self::Fix, Self::Risk, Self::Undo];
}

/// One rule: its name, by which the catalogue has its texts, and the function that judges.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its name, an API: `md.degraded`.
    pub id: &'static str,
    /// How bad it is when it fails.
    pub severity: Severity,
    /// The manual page, kernel document or release notes that say so.
    pub source: &'static str,
    /// A command of this program that shows the effect, if there is one. Studies have their
    /// shipped names.
    pub proof: Option<&'static str>,
    /// Judges the facts.
    pub judge: fn(&Snapshot) -> Judged,
    /// The settings of the kernel that fix it, if they can be written and restored.
    pub settings: Option<fn(&Snapshot) -> Settings>,
    /// Asks the model what these findings cost, if it can show that: questions about the stacks of
    /// the host.
    pub cost: Option<Cost>,
}

impl Rule {
    /// What a rule has that no command proves, no setting fixes and no model shows.
    pub(crate) const PLAIN: Self = Self {
        id: "",
        severity: Severity::Low,
        source: "",
        proof: None,
        judge: |_| {
            Ok(Findings {
                failed: Vec::new(),
                noted: Vec::new(),
                missing: Vec::new(),
            })
        },
        settings: None,
        cost: None,
    };

    /// Returns one of its texts.
    pub fn text(&self, text: Text) -> Message {
        let rule = self.id.replace('.', "-");
        Message::new(match text {
            Text::Title => format!("rule-{rule}-title"),
            Text::Reason => format!("rule-{rule}-reason"),
            Text::Fix => format!("rule-{rule}-fix"),
            Text::Risk => format!("rule-{rule}-risk"),
            Text::Undo => format!("rule-{rule}-undo"),
        })
    }

    /// Returns how to see the effect on this machine.
    pub fn proof_in_words(&self) -> Message {
        let proof = match self.proof {
            Some(command) => Message::new("check-proof").name("command", command),
            None => Message::new("check-no-proof"),
        };
        match self.cost.is_some() {
            true => Message::new("check-proof-simulated").with("proof", proof),
            false => proof,
        }
    }
}

/// A setting of the kernel that fixes a finding: a file in `/sys` or `/proc/sys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The file.
    pub path: String,
    /// The value to write.
    pub value: String,
}

/// The settings that fix what a rule found, or the fact without which they are not known.
pub type Settings = Result<Vec<Setting>, Missing>;

/// Returns what to ask the model about findings, each in a sentence.
pub type Cost = fn(&Snapshot, &[Message]) -> Vec<ModelLink>;

/// What a rule returns: findings, or the fact without which it cannot judge anything.
pub type Judged = Result<Findings, Missing>;

/// What a rule found, one sentence each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// What fails.
    pub failed: Vec<Message>,
    /// What is worth knowing, and no failure.
    pub noted: Vec<Message>,
    /// Facts about single things that could not be read.
    pub missing: Vec<Missing>,
}

/// What a rule says of one thing: a disk, an array, a line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is wrong.
    Fine,
    /// It fails, and why.
    Fail(Message),
    /// Worth knowing.
    Note(Message),
}

impl Verdict {
    /// Fails if `is_bad`.
    pub fn fail_if(is_bad: bool, why: impl FnOnce() -> Message) -> Self {
        match is_bad {
            true => Self::Fail(why()),
            false => Self::Fine,
        }
    }
}

impl Findings {
    /// Judges each of several things; one that cannot be judged does not hide the others.
    pub fn each<T>(
        things: impl IntoIterator<Item = T>,
        judge: impl Fn(T) -> Result<Verdict, Missing>,
    ) -> Self {
        let mut findings = Self::default();
        for thing in things {
            findings.add(judge(thing));
        }
        findings
    }

    /// Adds a verdict.
    pub fn add(&mut self, verdict: Result<Verdict, Missing>) {
        match verdict {
            Ok(Verdict::Fine) => {}
            Ok(Verdict::Fail(why)) => self.failed.push(why),
            Ok(Verdict::Note(why)) => self.noted.push(why),
            Err(missing) if self.missing.contains(&missing) => {}
            Err(missing) => self.missing.push(missing),
        }
    }

    /// Adds the findings of another part of the rule.
    #[must_use]
    pub fn and(mut self, other: Judged) -> Self {
        match other {
            Ok(other) => {
                self.failed.extend(other.failed);
                self.noted.extend(other.noted);
                for missing in other.missing {
                    self.add(Err(missing));
                }
            }
            Err(missing) => self.add(Err(missing)),
        }
        self
    }
}

/// The outcome of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It failed.
    Fail,
    /// Worth knowing, and no failure.
    Info,
    /// It could not be judged, because a fact is missing.
    NotRun,
    /// Nothing is wrong.
    Pass,
}

impl Outcome {
    /// Returns the outcome of a judgement. A failure counts even if other facts are missing; a pass
    /// needs all of them.
    pub fn of(judged: &Judged) -> Self {
        match judged {
            Err(_) => Self::NotRun,
            Ok(findings) if !findings.failed.is_empty() => Self::Fail,
            Ok(findings) if !findings.missing.is_empty() => Self::NotRun,
            Ok(findings) if !findings.noted.is_empty() => Self::Info,
            Ok(_) => Self::Pass,
        }
    }

    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Info => "info",
            Self::NotRun => "not run",
            Self::Pass => "pass",
        }
    }
}
