//! What `check` answers, as blocks.

use stripewise_answer::{Bar, Block, Cell, Column, Sentence, Table, Tone, Verdict};
use stripewise_message::{Argument, Message};

use crate::compare::{Change, ChangedOutcome, Comparison, Kind};
use crate::reasons::reason;
use crate::report::{CheckReport, RuleResult, Summary};
use crate::rule::{Outcome, Rule, Severity, Text};
use crate::snapshot::Missing;
use crate::stack::{ModelLink, Question};

/// More rules that lack a fact are named together, and each missing fact once.
const NOT_RUN_MAX: usize = 6;

/// Returns a named text: `Fix: replace the disk`.
fn line(id: &'static str, text: impl Into<Argument>) -> Message {
    let message = Message::new("check-line");
    message.with("name", Message::new(id)).with("text", text)
}

fn severity(severity: Severity) -> Message {
    Message::new("check-severity").name("severity", severity)
}

fn outcome(outcome: Outcome) -> Message {
    Message::new("check-outcome").name("outcome", outcome.as_str())
}

fn missing(missing: &Missing) -> Message {
    let message = Message::new("check-missing").name("fact", &missing.fact);
    message.with("why", reason(&missing.why))
}

impl Summary {
    /// Returns the counts of all four outcomes.
    pub fn message(&self) -> Message {
        Message::new("check-summary")
            .count("pass", self.pass)
            .count("fail", self.fail)
            .count("info", self.info)
            .count("not_run", self.not_run)
    }
}

impl CheckReport {
    /// Returns what the rules found, with all rules in a table that a reader opens. In it, a rule that is
    /// less severe than `fail_on` passes as a test, though it failed.
    pub fn blocks(&self, fail_on: Severity) -> Vec<Block> {
        let is_lacking = |result: &&RuleResult| result.outcome == Outcome::NotRun;
        let lacking: Vec<&RuleResult> = self.results.iter().filter(is_lacking).collect();
        let is_many = lacking.len() > NOT_RUN_MAX;
        let found = self.results.iter();
        let found = found.filter(|result| result.outcome != Outcome::Pass);
        let found = found.filter(|result| !is_many || !is_lacking(result));
        let mut blocks: Vec<Block> = found.map(RuleResult::block).collect();
        if is_many {
            let names = Argument::names(lacking.iter().map(|result| result.id));
            let names = Message::new("check-not-run-many").with("rules", names);
            blocks.push(Block::toned(Tone::Dim, names));
            let mut facts: Vec<&Missing> = Vec::new();
            for fact in lacking.iter().flat_map(|result| &result.missing) {
                if !facts.contains(&fact) {
                    facts.push(fact);
                }
            }
            let title = Sentence::new(Message::new("check-not-run-why")).tone(Tone::Dim);
            let facts = facts.into_iter().map(missing).map(Argument::from);
            blocks.push(Block::open(title, vec![Block::List(facts.collect())]));
        }
        let title = Message::new("check-all-rules").count("count", self.results.len());
        let all = vec![
            rules(&self.results, fail_on).into(),
            Block::say(Message::new("check-page-foot")),
        ];
        blocks.push(Block::closed(Sentence::new(title), all));
        blocks
    }
}

/// Returns the outcome of a rule as a verdict: it fails as a test if it is at least as severe as
/// `fail_on`.
fn judged(found: Outcome, of_rule: Severity, fail_on: Severity) -> Cell {
    let verdict = match found {
        Outcome::Fail if of_rule >= fail_on => Verdict::Fail,
        Outcome::NotRun => Verdict::NotJudged,
        Outcome::Fail | Outcome::Pass | Outcome::Info => Verdict::Pass,
    };
    let cell = Cell::verdict(verdict, outcome(found));
    match found {
        Outcome::Fail => cell.tone(Tone::Bad),
        _ => cell,
    }
}

/// Returns a row for each rule.
fn rules(results: &[RuleResult], fail_on: Severity) -> Table {
    let head = |id: &'static str| Message::new(id);
    let mut table = Table::new(
        "rules",
        [
            Column::words("rule", head("check-column-rule")),
            Column::verdict("outcome", head("check-column-outcome")),
            Column::words("severity", head("check-column-severity")),
            Column::words("title", head("check-column-title")),
            Column::words("found", head("check-column-found")),
        ],
    );
    for result in results {
        let found = result.found().chain(result.missing.iter().map(missing));
        table.row([
            Cell::name(result.id),
            judged(result.outcome, result.severity, fail_on),
            Cell::of(severity(result.severity)),
            Cell::of(result.title.clone()),
            // Findings have commas of their own.
            Cell::of(Argument::semicolons(found)),
        ]);
    }
    table
}

impl RuleResult {
    /// Returns what failed and what is worth knowing.
    fn found(&self) -> impl Iterator<Item = Message> {
        self.failed.iter().chain(&self.noted).cloned()
    }

    /// Returns a rule that did not pass.
    fn block(&self) -> Block {
        let (id, tone) = match self.outcome {
            Outcome::Fail => ("check-failed", Tone::Bad),
            Outcome::NotRun => ("check-not-run", Tone::Dim),
            Outcome::Info | Outcome::Pass => ("check-noted", Tone::Strong),
        };
        let mut title = Message::new(id).name("rule", self.id);
        if self.outcome != Outcome::NotRun {
            title = title.with("title", self.title.clone());
        }
        if self.outcome == Outcome::Fail {
            title = title.with("severity", severity(self.severity));
        }
        let found = self.found().chain(self.missing.iter().map(missing));
        let mut blocks = vec![Block::List(found.map(Argument::from).collect())];
        blocks.extend(self.model.iter().flat_map(cost));
        let rule = self.rule();
        if self.outcome == Outcome::Fail {
            blocks.push(Block::say(line("check-page-fix", rule.text(Text::Fix))));
        }
        if self.outcome != Outcome::NotRun {
            let more = Sentence::new(Message::new("check-page-more"));
            blocks.push(Block::closed(more, rule.about().to_vec()));
        }
        Block::open(Sentence::new(title).tone(tone).by_head(), blocks)
    }
}

/// Returns what a finding costs in the model: the I/Os per second of this stack, and of others.
fn cost(link: &ModelLink) -> Vec<Block> {
    let question = match link {
        ModelLink::Ask(question) => question,
        ModelLink::Missing(missing) => {
            let message = Message::new("check-page-no-cost").name("fact", &missing.fact);
            return vec![Block::toned(
                Tone::Dim,
                message.with("why", reason(&missing.why)),
            )];
        }
    };
    let title = Message::new("check-page-cost").name("array", &question.array);
    let title = title.name("load", &question.load);
    let mut blocks = vec![Block::say(title), costs(question).into()];
    blocks.extend(question.command.clone().map(Block::Code));
    blocks
}

fn costs(question: &Question) -> Table {
    let name = |name: &str| Argument::Name(name.to_owned());
    let mut table = Table::new(
        "costs",
        [
            Column::words("stack", Message::new("axis-stack")),
            Column::bar(),
            Column::number("iops", name("IOPS")).unit("IOPS"),
            Column::number("times", name("×")),
        ],
    );
    let known = || {
        let variants = question.variants.iter();
        variants.filter_map(|variant| Some((variant, variant.iops?)))
    };
    let most = known().map(|(_, iops)| iops).fold(0.0, f64::max);
    let now = question.variants.first().and_then(|now| now.iops);
    for (variant, iops) in known() {
        let (words, times) = match (&variant.words, now) {
            (None, _) => (Message::new("check-page-as-it-is"), Cell::empty()),
            (Some(words), now) => {
                let times = iops / now.unwrap_or(iops);
                (
                    words.clone(),
                    Cell::digits(format!("{times:.2}")).exact(times),
                )
            }
        };
        table.row([
            Cell::of(words),
            Cell::bar(Bar::of_range(iops, iops, most)),
            Cell::digits(format!("{iops:.0}")).exact(iops),
            times,
        ]);
    }
    table
}

impl Rule {
    /// Returns a text of the rule behind its name: `Risk: None.`
    pub fn named(&self, name: &'static str, text: Text) -> Message {
        line(name, self.text(text))
    }

    /// Returns all texts of the rule.
    pub fn blocks(&self) -> Vec<Block> {
        let title = Message::new("check-rule").name("rule", self.id);
        let title = Sentence::new(title.with("title", self.text(Text::Title)));
        let severity = Message::new("check-line")
            .with("name", Message::new("check-column-severity"))
            .with("text", severity(self.severity));
        let named =
            |message: Message| Block::from(Sentence::new(message).tone(Tone::Strong).by_head());
        let mut blocks = vec![title.tone(Tone::Strong).by_head().into(), named(severity)];
        let fix = line("check-page-fix", self.text(Text::Fix));
        let here = self.settings.map(|_| {
            let command = format!("stripewise check --fix {}", self.id);
            line("check-page-fix-here", Argument::Name(command))
        });
        let [why, source, proof, risk, undo] = self.about();
        blocks.extend([why, source, proof]);
        blocks.extend(std::iter::once(fix).chain(here).map(named));
        blocks.extend([risk, undo]);
        blocks
    }

    /// Returns the reason, the source, the proof, the risk of the fix, and the way back.
    fn about(&self) -> [Block; 5] {
        [
            ("check-page-why", self.text(Text::Reason).into()),
            ("check-page-source", Argument::Name(self.source.to_owned())),
            ("check-page-proof", self.proof_in_words().into()),
            ("check-page-risk", self.text(Text::Risk).into()),
            ("check-page-undo", self.text(Text::Undo).into()),
        ]
        .map(|(id, text)| {
            Sentence::new(line(id, text))
                .tone(Tone::Strong)
                .by_head()
                .into()
        })
    }
}

impl Comparison {
    /// Returns what changed, and which rules turned; one that failed before, or is less severe than
    /// `fail_on`, passes as a test.
    pub fn blocks(&self, fail_on: Severity) -> Vec<Block> {
        // The clock first: it changes the speed of everything, and no other line explains that.
        let clock = self.changes.iter().filter(|one| one.is_about_clock());
        let others = self.changes.iter().filter(|one| !one.is_about_clock());
        let turned = self.turned.iter().map(ChangedOutcome::block);
        let blocks = clock.map(Change::block).chain(turned);
        let blocks = blocks.chain(others.map(Change::block));
        let turned = tabled("check-turned-rules", self.turned(fail_on));
        blocks
            .chain([turned, tabled("check-changed-facts", self.changed())])
            .collect()
    }

    /// Returns a row for each rule that turned.
    fn turned(&self, fail_on: Severity) -> Table {
        let head = |id: &'static str| Message::new(id);
        let columns = [
            Column::words("rule", head("check-column-rule")),
            Column::verdict("outcome", head("check-column-outcome")),
            Column::words("before", head("check-column-before")),
            Column::words("severity", head("check-column-severity")),
            Column::words("title", head("check-column-title")),
            Column::words("found", head("check-column-found")),
        ];
        let mut table = Table::new("turned", columns);
        for turned in &self.turned {
            table.row([
                Cell::name(turned.id),
                judged(turned.after, turned.severity, fail_on),
                Cell::of(outcome(turned.before)),
                Cell::of(severity(turned.severity)),
                Cell::of(turned.title.clone()),
                Cell::of(Argument::semicolons(turned.findings.iter().cloned())),
            ]);
        }
        table
    }

    /// Returns a row for each fact that changed.
    fn changed(&self) -> Table {
        let head = |id: &'static str| Message::new(id);
        let columns = [
            Column::words("fact", head("check-column-fact")),
            Column::words("kind", head("check-column-change")),
            Column::words("line_before", head("check-column-before")),
            Column::words("line_after", head("check-column-after")),
        ];
        let mut table = Table::new("facts", columns);
        for change in &self.changes {
            let line = |line: &Option<String>| line.as_ref().map_or_else(Cell::empty, Cell::name);
            table.row([
                Cell::name(&change.fact),
                Cell::of(kind_words(change.kind)),
                line(&change.before),
                line(&change.after),
            ]);
        }
        table
    }
}

/// Returns a table that a reader opens; an empty one is for programs only.
fn tabled(title: &'static str, table: Table) -> Block {
    match table.rows.is_empty() {
        true => Block::Forms {
            drawn: vec![Block::Gap],
            told: vec![table.into()],
        },
        false => Block::closed(Sentence::new(Message::new(title)), vec![table.into()]),
    }
}

fn kind_words(kind: Kind) -> Message {
    let kind = match kind {
        Kind::Added => "added",
        Kind::Removed => "removed",
        Kind::Changed => "changed",
        Kind::Unknown => "unknown",
    };
    Message::new("check-change-kind").name("kind", kind)
}

impl ChangedOutcome {
    fn block(&self) -> Block {
        let title = Message::new("check-turned")
            .name("rule", self.id)
            .with("severity", severity(self.severity))
            .with("before", outcome(self.before))
            .with("after", outcome(self.after))
            .with("title", self.title.clone());
        let tone = match self.after {
            Outcome::Fail => Tone::Bad,
            Outcome::Pass => Tone::Good,
            Outcome::Info | Outcome::NotRun => Tone::Strong,
        };
        let found = self.findings.iter().cloned().map(Argument::from).collect();
        Block::open(
            Sentence::new(title).tone(tone).by_head(),
            vec![Block::List(found)],
        )
    }
}

impl Change {
    fn block(&self) -> Block {
        let title = Message::new("check-change")
            .with("kind", kind_words(self.kind))
            .name("fact", &self.fact);
        let lines = [("-", &self.before), ("+", &self.after)];
        let lines = lines.into_iter().filter_map(|(mark, line)| {
            let line = line.as_deref().filter(|line| !line.is_empty())?;
            Some(format!("{mark} {line}"))
        });
        let lines: Vec<String> = lines.collect();
        let title = Sentence::new(title).tone(Tone::Strong).by_head();
        let mut blocks = vec![Block::Code(lines.join("\n"))];
        let speed = self.speed.map(|_| Message::new("check-change-speed"));
        blocks.extend(speed.map(|message| Block::toned(Tone::Dim, message)));
        Block::open(title, blocks)
    }
}
