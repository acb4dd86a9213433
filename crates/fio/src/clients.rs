//! The hosts that a `--client` run asked, and those whose results its file lacks.
//!
//! fio goes on without a host that it cannot reach or that stops answering, and writes the results
//! of the others (`client.c`). Its file still shows which hosts it asked:
//!
//! - the options of `[global]` are a list with several hosts, and an object with one;
//! - with several hosts, the last entry is the sum of all, once all have answered;
//! - the disks have hosts, too;
//! - a message names a host that cannot be reached, or disconnects;
//! - each host prints that it starts its jobs, under its own name.

use std::collections::BTreeSet;

use stripewise_study::sample::VerbatimJob;

use crate::parse::{ParseError, host_name};
use crate::report::FioReport;
use crate::verbatim::text_of;

/// The hosts that fio asked, as far as a document names them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Clients {
    /// The hosts that the document names beside its results.
    pub asked: BTreeSet<String>,
    /// Whether fio asked several hosts.
    pub were_several: bool,
    /// Whether the document has the sum of all hosts.
    pub were_summed: bool,
}

/// The hosts in fio's messages: the text around the JSON, which all reports of a file share.
pub(crate) struct Messages<'a> {
    /// The hosts that fio's client reports as lost.
    lost: Vec<String>,
    /// The own names of the hosts that started jobs, one for each message.
    started: Vec<&'a str>,
}

impl<'a> Messages<'a> {
    /// Finds the hosts in a text.
    pub(crate) fn of(text: &'a str) -> Self {
        Self {
            lost: text.lines().filter_map(lost_host).collect(),
            started: text.lines().filter_map(started_host).collect(),
        }
    }
}

/// Refuses reports that lack the results of a host. They are those of one file, whose messages do
/// not show which run they belong to.
///
/// # Errors
/// [`ParseError::MissingHosts`].
pub(crate) fn check(reports: &[FioReport], messages: &Messages<'_>) -> Result<(), ParseError> {
    let answered = reports.iter().map(|report| answered(report).len()).sum();
    let mut of_clients = reports.iter();
    of_clients.try_for_each(|report| check_one(report, messages, answered))
}

/// Returns the hosts whose results a report has.
fn answered(report: &FioReport) -> BTreeSet<&str> {
    let hosts = report.jobs.iter().filter_map(|job| job.host.as_deref());
    hosts.collect()
}

/// Refuses a report that lacks the results of a host; all reports of its file together have those of
/// `count` hosts.
fn check_one(report: &FioReport, messages: &Messages<'_>, count: usize) -> Result<(), ParseError> {
    let hosts = answered(report);
    if hosts.is_empty() {
        return Ok(());
    }
    let clients = &report.clients;
    let mut missing = clients.asked.clone();
    missing.extend(report.disks.iter().filter_map(host_of_disk));
    missing.extend(messages.lost.iter().cloned());
    missing.retain(|host| !hosts.iter().any(|answered| is_host(answered, host)));
    let started = &messages.started;
    if missing.is_empty() {
        let is_unsummed = !clients.were_summed && (clients.were_several || hosts.len() > 1);
        if !is_unsummed && started.len() <= count {
            return Ok(());
        }
        // A host's own name may differ from the name that fio connected to.
        let is_known = |name: &&str| hosts.iter().any(|host| is_host(host, name));
        let (known, unknown): (Vec<&str>, Vec<&str>) =
            started.iter().partition(|name| is_known(name));
        if !known.is_empty() {
            missing.extend(unknown.into_iter().map(str::to_owned));
        }
    }
    Err(ParseError::MissingHosts {
        hosts: missing.into_iter().collect(),
    })
}

/// Returns whether results of `answered`, with or without a port, are those of `host`.
fn is_host(answered: &str, host: &str) -> bool {
    let rest = answered.strip_prefix(host);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Returns the host of an entry of `disk_util`.
pub(crate) fn host_of_disk(disk: &VerbatimJob) -> Option<String> {
    let host = text_of(disk, "hostname")?;
    let port = disk.numbers.iter().find(|(path, _)| path == "port");
    let port = port.and_then(|(_, port)| crate::number::to_u64(*port));
    Some(host_name(host, port))
}

/// Returns the host that a message of fio's client reports as lost (`client.c`).
fn lost_host(line: &str) -> Option<String> {
    let after = |mark: &str| Some(line.split_once(mark)?.1);
    let word = |text: &str| {
        text.split([' ', ',', '>'])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    if let Some(address) = after("fio: failed to connect to ") {
        let (host, port) = address.trim().rsplit_once(':')?;
        return Some(host_name(host, port.parse().ok()));
    }
    let disconnected = after("client: host=").filter(|rest| rest.contains(" disconnected"));
    let exited = after("client <").filter(|rest| rest.contains(">: exited with error"));
    let timed_out = after("fio: client ")
        .filter(|rest| rest.contains("timed out") || rest.contains(", timeout"));
    let host = disconnected.or(exited).or(timed_out).map(word);
    host.filter(|host| !host.is_empty())
}

/// Returns the own name of the host that reports in a message that it starts its jobs.
fn started_host(line: &str) -> Option<&str> {
    let (name, message) = line.trim_start().strip_prefix('<')?.split_once("> ")?;
    message.starts_with("Starting ").then_some(name)
}
