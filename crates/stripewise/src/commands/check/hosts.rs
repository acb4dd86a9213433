//! `check --hosts`: facts collected from many hosts at once, judged here, in one table.

use std::io::Write as _;

use serde::Serialize;
use stripewise_answer::{Answer, Block, Cell, Column, Table, Tone};
use stripewise_catalogue::Words as _;
use stripewise_catalogue::{Argument, Message};
use stripewise_check::{CheckReport, Outcome};
use stripewise_hosts::collect::{Collected, collect};
use stripewise_report::document::SCHEMA;

use super::{Args, read};
use crate::answers;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stop::deferred;

/// The answer for programs.
#[derive(Serialize)]
struct Fleet {
    schema: u32,
    /// In the order in which they were named.
    hosts: Vec<HostReport>,
}

/// What the rules found on one host.
#[derive(Serialize)]
struct HostReport {
    host: String,
    /// Why there is no report.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<CheckReport>,
}

/// Judges the hosts. A host that could not be read is named first, and the exit is that of a failure.
pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    if args.root.is_some() || args.before.is_some() || args.fix.is_some() || args.sarif {
        let message = "`--hosts` goes with neither `--root`, `--before`, `--fix` nor `--sarif`";
        return Err(Failure::new(message).hint("`collect --hosts` writes facts for those"));
    }
    let named = args.fleet.hosts()?;
    let mut hosts = Vec::new();
    for (host, collected) in deferred(|| collect(&named, |why| why.in_english()))? {
        let (error, report) = match report(&collected) {
            Ok(report) => (None, Some(report)),
            Err(error) => (Some(error), None),
        };
        hosts.push(HostReport {
            host,
            error,
            report,
        });
    }
    let lost: Vec<String> = hosts
        .iter()
        .filter_map(|one| Some(format!("`{}`: {}", one.host, one.error.as_ref()?)))
        .collect();
    let reports = || hosts.iter().filter_map(|one| one.report.as_ref());
    let is_no = reports().any(|report| report.fails_at(args.fail_on));
    let blocks = blocks(&hosts);
    let fleet = Fleet {
        schema: SCHEMA,
        hosts,
    };
    let answer = Answer::new(Message::new("check-page-title"), fleet, blocks).no_if(is_no);
    let page = args.page.as_deref();
    let exit = answers::give("check", &answer, page, args.format, printer)?;
    match lost.is_empty() {
        true => Ok(exit),
        false => Err(Failure::new(format!(
            "{} of {} hosts were not judged: {}",
            lost.len(),
            named.len(),
            lost.join("; ")
        ))
        .hint("`ssh HOST true` must work without a question; docs/hosts.md has more")),
    }
}

fn report(collected: &Collected) -> std::result::Result<CheckReport, String> {
    let archive = collected.as_ref().map_err(Clone::clone)?;
    let failed = |error: std::io::Error| format!("failed to keep its facts: {error}");
    let file = tempfile::Builder::new().suffix(".tar.zst").tempfile();
    let mut file = file.map_err(failed)?;
    file.write_all(archive).map_err(failed)?;
    let facts = read(file.path()).map_err(|failure| failure.message().to_owned())?;
    Ok(CheckReport::of(&facts))
}

/// Returns a row for each rule that failed on a host, and for each host the counts.
fn blocks(hosts: &[HostReport]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for one in hosts {
        if let Some(error) = &one.error {
            let lost = Message::new("check-host-lost").name("host", &one.host);
            blocks.push(Block::toned(Tone::Bad, lost.name("error", error)));
        }
    }
    let head = |id: &'static str| Message::new(id);
    let mut table = Table::new(
        "findings",
        [
            Column::words("host", head("hosts-column-host")),
            Column::words("rule", head("check-column-rule")),
            Column::words("severity", head("check-column-severity")),
            Column::words("title", head("check-column-title")),
            Column::words("found", head("check-column-found")),
        ],
    );
    let mut is_empty = true;
    for (one, report) in hosts
        .iter()
        .filter_map(|one| Some((one, one.report.as_ref()?)))
    {
        for result in report
            .results
            .iter()
            .filter(|result| result.outcome == Outcome::Fail)
        {
            is_empty = false;
            let severity = Message::new("check-severity").name("severity", result.severity);
            table.row([
                Cell::name(&one.host),
                Cell::name(result.id),
                Cell::of(severity),
                Cell::of(result.title.clone()),
                Cell::of(Argument::semicolons(result.failed.clone())),
            ]);
        }
    }
    if !is_empty {
        blocks.push(table.into());
    }
    for (one, report) in hosts
        .iter()
        .filter_map(|one| Some((one, one.report.as_ref()?)))
    {
        let counts = Message::new("check-host-summary").name("host", &one.host);
        blocks.push(Block::toned(
            Tone::Dim,
            counts.with("counts", report.summary.message()),
        ));
    }
    blocks
}
