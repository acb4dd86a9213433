//! Options that name the hosts of a run.

use std::path::{Path, PathBuf};

use stripewise_hosts::inventory;
use stripewise_results::world::HostsSpec;
use stripewise_study::hosts::{Host, LostHosts};
use stripewise_study::plan::Study;

use crate::failure::{Failure, Result};

/// The longest inventory: the largest lists of machines take a few MiB.
const INVENTORY_BYTES_MAX: u64 = 16 << 20;

/// Other machines.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FleetArgs {
    /// These hosts, all at the same time, instead of this machine: names that `ssh` knows, or groups and hosts of the inventory
    ///
    /// `ssh HOST true` must work without a question; see docs/hosts.md. `run` measures below `--target`
    /// on each, an absolute path that exists on all of them, and begins each load everywhere at once.
    #[arg(long, value_name = "HOST,...", value_delimiter = ',')]
    hosts: Vec<String>,

    /// An Ansible inventory with the hosts: INI, or what `ansible-inventory --list` prints
    #[arg(long, value_name = "FILE")]
    inventory: Option<PathBuf>,
}

/// The hosts of a run.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct HostArgs {
    #[command(flatten)]
    fleet: FleetArgs,

    /// What becomes of the run without a host: `refuse` ends it, `continue` goes on with those that are left [default: the study's, else refuse]
    #[arg(long, value_name = "WHAT", value_parser = lost_hosts)]
    lost_hosts: Option<LostHosts>,
}

fn lost_hosts(word: &str) -> std::result::Result<LostHosts, String> {
    match word {
        "refuse" => Ok(LostHosts::Refuse),
        "continue" => Ok(LostHosts::Continue),
        _ => Err("`refuse` or `continue`".to_owned()),
    }
}

impl FleetArgs {
    /// Returns whether the options name hosts.
    pub(crate) fn names_hosts(&self) -> bool {
        !self.hosts.is_empty() || self.inventory.is_some()
    }

    /// Returns the hosts that the options name; empty if they name none.
    pub(crate) fn hosts(&self) -> Result<Vec<Host>> {
        let hint = "docs/hosts.md says which names and inventories are read";
        match &self.inventory {
            Some(path) => {
                let text = read(path)?;
                inventory::read(&text, &self.hosts).map_err(|error| {
                    let attempted = format!("failed to read the inventory `{}`", path.display());
                    Failure::new(format!("{attempted}: {error}")).hint(hint)
                })
            }
            None if self.hosts.is_empty() => Ok(Vec::new()),
            None => inventory::of_names(self.hosts.iter().map(String::as_str))
                .map_err(|error| Failure::new(format!("`--hosts`: {error}")).hint(hint)),
        }
    }
}

impl HostArgs {
    /// Returns which options were given.
    pub(crate) fn given(&self) -> [(&'static str, bool); 3] {
        [
            ("--hosts", !self.fleet.hosts.is_empty()),
            ("--inventory", self.fleet.inventory.is_some()),
            ("--lost-hosts", self.lost_hosts.is_some()),
        ]
    }

    /// Returns whether the options name hosts.
    pub(crate) fn names_hosts(&self) -> bool {
        self.fleet.names_hosts()
    }

    /// Returns the hosts that a study is to be measured on; `None` for this machine.
    pub(crate) fn find(&self, study: &Study, target: Option<&Path>) -> Result<Option<HostsSpec>> {
        let hosts = match self.names_hosts() {
            true => self.fleet.hosts()?,
            false if study.hosts.is_empty() => Vec::new(),
            false => {
                inventory::of_names(study.hosts.iter().map(String::as_str)).map_err(|error| {
                    let hint = "docs/hosts.md says which names are read";
                    Failure::new(format!("`hosts` of the study: {error}")).hint(hint)
                })?
            }
        };
        if hosts.is_empty() {
            return Ok(None);
        }
        let target = target
            .filter(|target| target.is_absolute())
            .ok_or_else(|| {
                Failure::new(
                    "hosts are measured below `--target`, an absolute path of each of them",
                )
                .hint("for instance `--target /srv/test`")
            })?;
        Ok(Some(HostsSpec {
            hosts,
            target: target.to_owned(),
            lost: self.lost_hosts.unwrap_or(study.lost_hosts),
        }))
    }
}

fn read(path: &Path) -> Result<String> {
    use std::io::Read as _;
    let failed = |error: std::io::Error| {
        Failure::new(format!(
            "failed to read the inventory `{}`: {error}",
            path.display()
        ))
    };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut text = String::new();
    let length = file
        .take(INVENTORY_BYTES_MAX + 1)
        .read_to_string(&mut text)
        .map_err(failed)?;
    if u64::try_from(length).unwrap_or(u64::MAX) > INVENTORY_BYTES_MAX {
        let message = format!("the inventory `{}` is larger than 16 MiB", path.display());
        return Err(Failure::new(message));
    }
    Ok(text)
}
