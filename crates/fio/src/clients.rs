//! The hosts that a `--client` run asked, and those whose results its file lacks.
//!
//! fio goes on without a host that it cannot reach or that stops answering, and writes the results
//! of the others (`client.c`). What its file still tells:
//!
//! - the options of `[global]` are a list with several hosts, and an object with one;
//! - with several hosts, the last entry is the sum of all, once all have answered;
//! - the disks have hosts, too;
//! - a message names a host that cannot be reached, or disconnects;
//! - each host prints that it starts its jobs, under its own name.

use std::collections::BTreeSet;

use stripewise_study::sample::StatedJob;

use crate::parse::{ParseError, host_name};
use crate::report::Report;

/// What a document tells of the hosts that were asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Clients {
    /// The hosts that the document names beside its results.
    pub asked: BTreeSet<String>,
    /// Whether fio asked several hosts.
    pub were_several: bool,
    /// Whether the document has the sum of all hosts.
    pub were_summed: bool,
}

/// Refuses a report that lacks the results of a host; `messages` is the text around the JSON.
///
/// # Errors
/// [`ParseError::MissingHosts`].
pub(crate) fn check(report: &Report, messages: &str) -> Result<(), ParseError> {
    let hosts = report.jobs.iter().filter_map(|job| job.host.as_deref());
    let hosts: BTreeSet<&str> = hosts.collect();
    if hosts.is_empty() {
        return Ok(());
    }
    let clients = &report.clients;
    let mut asked: Vec<String> = clients.asked.iter().cloned().collect();
    asked.extend(report.disks.iter().filter_map(host_of_disk));
    asked.extend(messages.lines().filter_map(host_without_answer));
    asked.retain(|host| !hosts.iter().any(|answered| is_host(answered, host)));
    let started = started(messages);
    let is_unsummed = !clients.were_summed && (clients.were_several || hosts.len() > 1);
    if asked.is_empty() && (is_unsummed || started.len() > hosts.len()) {
        // A host's own name may differ from the name that fio connected to.
        let is_known = |name: &&str| hosts.iter().any(|host| is_host(host, name));
        if started.iter().any(is_known) {
            asked.extend(
                started
                    .iter()
                    .filter(|name| !is_known(name))
                    .map(|name| (*name).to_owned()),
            );
        }
        asked.sort_unstable();
        asked.dedup();
        return Err(ParseError::MissingHosts { hosts: asked });
    }
    asked.sort_unstable();
    asked.dedup();
    match asked.is_empty() {
        true => Ok(()),
        false => Err(ParseError::MissingHosts { hosts: asked }),
    }
}

/// Returns whether results of `answered`, with or without a port, are those of `host`.
fn is_host(answered: &str, host: &str) -> bool {
    let rest = answered.strip_prefix(host);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Returns the host of an entry of `disk_util`.
pub(crate) fn host_of_disk(disk: &StatedJob) -> Option<String> {
    let host = disk.texts.iter().find(|(path, _)| path == "hostname");
    let port = disk.numbers.iter().find(|(path, _)| path == "port");
    let port = port.and_then(|(_, port)| crate::number::to_u64(*port));
    host.map(|(_, host)| host_name(host, port))
}

/// Returns the host that a message of fio's client reports as lost (`client.c`).
fn host_without_answer(line: &str) -> Option<String> {
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

/// Returns the own names of the hosts that started jobs, one for each host.
fn started(messages: &str) -> Vec<&str> {
    let name = |line: &'_ str| -> Option<(usize, usize)> {
        let rest = line.trim_start().strip_prefix('<')?;
        let (name, said) = rest.split_once("> ")?;
        let start = line.len() - rest.len();
        said.starts_with("Starting ")
            .then_some((start, start + name.len()))
    };
    let lines = messages.lines();
    lines
        .filter_map(|line| name(line).map(|(start, end)| &line[start..end]))
        .collect()
}
