//! What `verify-model` answers, as blocks.

use stripewise_answer::{Block, Cell, Column, Sentence, Table, Tone, Verdict};
use stripewise_catalogue::{Argument, Message};
use stripewise_verify::{
    AgreementRow, Disagreement, Distance, Reason, Spread, Table as Agreement, VerifyReport,
};

use super::Checked;

/// Returns the result of one golden file, or of a guest.
pub(super) fn blocks(checked: &Checked) -> Vec<Block> {
    let report = &checked.report;
    let title = Message::new("verify-title").name("kernel", checked.kernel);
    let mut blocks = vec![
        Block::heading(title),
        Block::Gap,
        table(&report.table).into(),
    ];
    blocks.extend(because_of(&report.table, &report.spread));
    for disagreement in &report.disagreements {
        blocks.extend([Block::Gap, difference(disagreement)]);
    }
    // A guest's cases were printed while it counted.
    if checked.golden.is_some() {
        blocks.extend([Block::Gap, Block::List(nearness(&report.spread))]);
    }
    blocks.extend(latencies(report));
    for class in report.spread.together() {
        if let Some(limits) = class.limits.filter(|_| class.is_beyond) {
            let per_root = |number: f64| format!("{number:.3}");
            let message = Message::new("verify-class-beyond")
                .name("class", class.class)
                .digits("median", per_root(class.median))
                .digits("median_limit", per_root(limits.median))
                .digits("quartile", per_root(class.quartile))
                .digits("quartile_limit", per_root(limits.quartile));
            blocks.push(Block::toned(Tone::Bad, message));
        }
    }
    blocks
}

/// Returns how near the mean latencies are, and those that are not.
fn latencies(report: &VerifyReport) -> Vec<Block> {
    let latencies = &report.latencies;
    let mut blocks = Vec::new();
    if latencies.compared > 0 {
        let apart = Argument::quantity(format!("{:.1}", latencies.apart_percent_max), "%");
        let message = Message::new("verify-latencies").count("count", latencies.compared);
        blocks.extend([Block::Gap, Block::say(message.with("apart", apart))]);
    }
    let us = |ns: f64| Argument::quantity(format!("{:.1}", ns / 1e3), "us");
    blocks.extend(latencies.beyond.iter().map(|apart| {
        let message = Message::new("verify-latency")
            .digits("number", apart.number)
            .name("title", &apart.title)
            .with("model", us(apart.model_mean_ns))
            .with("driver", us(apart.real_mean_ns));
        Block::toned(Tone::Bad, message)
    }));
    blocks
}

/// Returns how near each case that is not determined is to its limit.
fn nearness(spread: &Spread) -> Vec<Argument> {
    let cases = spread.cases.chunk_by(|one, next| one.number == next.number);
    let near = cases.filter_map(|case| {
        let distances: Vec<Distance> = case.iter().map(|one| one.distance).collect();
        let (first, nearest) = case.first().zip(nearest_of(&distances))?;
        let message = Message::new("verify-near-case")
            .digits("number", first.number)
            .name("title", &first.title)
            .with("reason", reasons(nearest))
            .with("distance", distance(nearest));
        Some(message.into())
    });
    near.collect()
}

/// Returns how many cases of each level agree, and their sum.
fn table(agreement: &Agreement) -> Table {
    let number = |key: &'static str, id: &'static str| Column::number(key, Message::new(id));
    let mut table = Table::new(
        "levels",
        [
            Column::group("level", Message::new("verify-column-level")),
            number("cases", "verify-column-cases"),
            number("exact", "verify-column-exact"),
            number("exact_blocks", "verify-column-blocks"),
            number("exact_sectors", "verify-column-sectors"),
            number("not_determined", "verify-column-open"),
            number("differs", "verify-column-different"),
            Column::verdict("verdict", Message::new("verify-column-verdict")),
        ],
    );
    let mut row = |title: Argument, row: &AgreementRow| {
        let counts = [
            row.drawn,
            row.exact,
            row.exact_blocks,
            row.exact_sectors,
            row.not_determined,
            row.differs,
        ];
        let (verdict, id) = match row.differs {
            0 => (Verdict::Pass, "verify-agrees"),
            _ => (Verdict::Fail, "verify-differs-word"),
        };
        let counts = counts.map(Cell::name).into_iter();
        let verdict = Cell::verdict(verdict, Message::new(id));
        table.row(
            std::iter::once(Cell::of(title))
                .chain(counts)
                .chain([verdict]),
        );
    };
    for (title, one) in &agreement.rows {
        row(Argument::Name(title.clone()), one);
    }
    row(Message::new("verify-row-all").into(), &agreement.all);
    table
}

/// Returns why counts are not determined, and in how many cases.
fn because_of(agreement: &Agreement, spread: &Spread) -> Vec<Block> {
    if agreement.because.is_empty() {
        return Vec::new();
    }
    let reasons = agreement.because.iter().map(|(reason, cases)| {
        let nearest = nearest(spread, *reason).map(Argument::from);
        let nearest = nearest.unwrap_or_else(|| Argument::Name(String::new()));
        let message = Message::new("verify-because-line").digits("cases", cases);
        let message = message.with("reason", because(*reason));
        message.with("nearest", nearest).into()
    });
    let title = Sentence::new(Message::new("verify-because"));
    vec![
        Block::Gap,
        Block::open(title, vec![Block::List(reasons.collect())]),
    ]
}

/// Returns which case of a reason is nearest to its limit.
fn nearest(spread: &Spread, reason: Reason) -> Option<Message> {
    let cases = spread.cases.iter();
    let of_reason = cases.filter(|case| case.distance.class.because == reason);
    let shares = of_reason.filter_map(|case| Some((case.distance.share()?, case.number)));
    let (share, number) = shares.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let share = Argument::quantity(format!("{:.0}", share * 100.0), "%");
    let message = Message::new("verify-nearest").with("share", share);
    Some(message.digits("number", number))
}

/// Returns how far a case is from the driver.
pub(super) fn distance(distance: &Distance) -> Message {
    let pieces = format!("{:.1}", distance.pieces);
    match distance.limit_pieces {
        Some(limit) => Message::new("verify-distance")
            .digits("pieces", pieces)
            .digits("limit", format!("{limit:.1}")),
        None => Message::new("verify-distance-unlimited").digits("pieces", pieces),
    }
}

/// Returns the distance that is nearest to its limit.
pub(super) fn nearest_of(distances: &[Distance]) -> Option<&Distance> {
    let share = |distance: &Distance| distance.share().unwrap_or_default();
    distances
        .iter()
        .max_by(|one, other| share(one).total_cmp(&share(other)))
}

/// Returns why the counts of a distance are not determined.
pub(super) fn reasons(distance: &Distance) -> Message {
    let first = because(distance.class.because);
    match distance.and_memory {
        true => Message::new("verify-reasons")
            .with("first", first)
            .with("second", because(Reason::MemoryDecides)),
        false => first,
    }
}

fn because(reason: Reason) -> Message {
    Message::new(match reason {
        Reason::ReadsChoose => "verify-reads-choose",
        Reason::PiecesRace => "verify-pieces-race",
        Reason::PagesShared => "verify-pages-shared",
        Reason::StripesShared => "verify-stripes-shared",
        Reason::StripesRace => "verify-stripes-race",
        Reason::StripesMeet => "verify-stripes-meet",
        Reason::MemoryDecides => "verify-memory-decides",
    })
}

/// Returns a case that differs, and both worlds' counts of each member side by side.
fn difference(found: &Disagreement) -> Block {
    let case = &found.case;
    let members = Message::new("verify-members")
        .name("title", case.title())
        .digits("members", case.members);
    let chunk = case.chunk_bytes;
    let chunk = chunk.map(|chunk| Message::new("map-unit-chunk").name("chunk", chunk));
    let bitmap = case.bitmap_chunk_bytes;
    let bitmap = bitmap.map(|chunk| Message::new("verify-bitmap-chunk").name("chunk", chunk));
    let failed = (!case.failed.is_empty())
        .then(|| Message::new("verify-failed").with("members", Argument::names(&case.failed)));
    let engine = Message::new("verify-engine")
        .name("engine", case.engine)
        .digits("depth", case.depth);
    let parts = [Some(members), chunk, bitmap, failed];
    let mut parts: Vec<Argument> = parts.into_iter().flatten().map(Argument::from).collect();
    parts.extend([Argument::Name(case.disk.profile_name()), engine.into()]);
    let head = Message::new("verify-differs")
        .digits("number", found.number)
        .with("case", Argument::list(parts));
    let jobs = case.jobs.iter().enumerate().map(|(number, job)| {
        let message = Message::new("verify-job").digits("number", number);
        message.name("ios", job)
    });
    let counts = found.model.iter().zip(&found.real).enumerate();
    let members = counts.map(|(place, (model, real))| {
        let mark = if found.member == Some(place) {
            " <"
        } else {
            ""
        };
        Message::new("verify-member")
            .digits("place", place)
            .name("model", model)
            .name("driver", format!("{real}{mark}"))
    });
    let lines = jobs.chain([Message::new("verify-counts")]).chain(members);
    let lines = Block::List(lines.map(Argument::from).collect());
    Block::open(Sentence::new(head).tone(Tone::Bad).by_head(), vec![lines])
}
