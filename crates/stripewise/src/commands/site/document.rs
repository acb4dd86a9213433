//! What `stripewise site` found, as documents for programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use stripewise_site::InputReport;
use stripewise_site::permissions::{Plan, shown};
use stripewise_site::verify::SearchedFiles;

/// The version of these documents' format.
const SCHEMA: u32 = 2;

/// The most files that are listed with a reason; all are counted.
const LISTED_MAX: usize = 1000;

/// What one command found.
#[derive(Debug, Serialize)]
pub(super) struct SiteDocument {
    pub(super) schema: u32,
    /// Dumps and databases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) dumps: Vec<Dump>,
    /// The files of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) files: Option<Files>,
    /// Their modes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permissions: Option<Permissions>,
    /// The database of the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) configuration: Option<Configuration>,
    /// Whether nothing is left or wrong; only of commands that judge. `null` if nothing was found,
    /// and something was not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_right: Option<Option<bool>>,
}

/// What was found in a dump.
#[derive(Debug, Serialize)]
pub(super) struct Dump {
    pub(super) name: String,
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
    pub(super) rows: u64,
    /// Values that were looked at.
    pub(super) looked_at: u64,
    /// Addresses.
    pub(super) addresses: u64,
    /// Values with addresses.
    pub(super) values: u64,
    pub(super) recounted: u64,
    pub(super) serialized: u64,
    pub(super) left_base64: u64,
    pub(super) left_keys: u64,
    pub(super) broken_count: u64,
    /// Values in which an address stays, because it cannot be replaced safely.
    pub(super) stuck: u64,
    /// Values that hold something packed, which was not looked at; only of commands that look.
    pub(super) packed_count: u64,
    pub(super) columns: Vec<Column>,
    /// The first broken values.
    pub(super) broken: Vec<Broken>,
    /// How many files it reads when it is loaded, which were not looked at.
    pub(super) included_count: u64,
    /// The first of them.
    pub(super) included: Vec<String>,
    /// The first values that hold something packed.
    pub(super) packed: Vec<Packed>,
    pub(super) hosts: BTreeMap<String, u64>,
    pub(super) paths: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Column {
    pub(super) table: String,
    pub(super) column: String,
    pub(super) addresses: BTreeMap<&'static str, u64>,
    pub(super) values: u64,
    pub(super) recounted: u64,
    pub(super) left_base64: u64,
    pub(super) left_keys: u64,
    pub(super) broken: u64,
    pub(super) stuck: u64,
    pub(super) packed: u64,
    pub(super) samples: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Broken {
    pub(super) table: String,
    pub(super) column: String,
    pub(super) row: u64,
    pub(super) fault: &'static str,
    pub(super) has_address: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Packed {
    pub(super) table: String,
    pub(super) column: String,
    pub(super) row: u64,
    pub(super) packing: &'static str,
}

/// Old addresses in files.
#[derive(Debug, Serialize)]
pub(super) struct Files {
    /// How many files were looked at.
    pub(super) looked_at: u64,
    pub(super) left: Vec<FileLeft>,
    /// How many files were not, for each reason.
    pub(super) not_looked_at: BTreeMap<&'static str, u64>,
    /// The first of them.
    pub(super) not_looked_at_files: Vec<FileUnlooked>,
}

/// A file with old addresses.
#[derive(Debug, Serialize)]
pub(super) struct FileLeft {
    pub(super) path: String,
    pub(super) addresses: u64,
}

/// A file that was not looked at or judged.
#[derive(Debug, Serialize)]
pub(super) struct FileUnlooked {
    pub(super) path: String,
    pub(super) reason: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) detail: String,
}

/// A plan for modes.
#[derive(Debug, Serialize)]
pub(super) struct Permissions {
    pub(super) entries: u64,
    pub(super) with_acl: u64,
    /// Directories whose contents were not judged, and files that were not.
    pub(super) not_judged: u64,
    /// The first of them.
    pub(super) not_judged_files: Vec<FileUnlooked>,
    /// Directories above the root that the server cannot enter.
    pub(super) closed_above: Vec<PathBuf>,
    pub(super) steps: Vec<ModeChangePart>,
    /// How many of the changes were made.
    pub(super) applied: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct ModeChangePart {
    pub(super) path: String,
    /// A number; a name in a listing.
    pub(super) owner: String,
    pub(super) group: String,
    /// In octal digits.
    pub(super) mode: String,
    /// In octal digits.
    pub(super) mode_needed: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group_needed: Option<String>,
    /// The class of bits that decides for the server.
    pub(super) class: &'static str,
    pub(super) reasons: Vec<&'static str>,
    /// Whether a hard link lies outside of the site, so that the file stays as it is.
    pub(super) is_shared: bool,
}

/// Whether a configured database answers.
#[derive(Debug, Serialize)]
pub(super) struct Configuration {
    pub(super) database: String,
    pub(super) answers: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl SiteDocument {
    /// Returns a document with nothing in it.
    pub(super) fn new() -> Self {
        Self {
            schema: SCHEMA,
            dumps: Vec::new(),
            files: None,
            permissions: None,
            configuration: None,
            is_right: None,
        }
    }

    /// Returns the document of dumps, one for each path.
    pub(super) fn of_dumps(paths: &[PathBuf], reports: &[InputReport]) -> Self {
        let dumps = paths.iter().zip(reports);
        let dumps = dumps.map(|(path, report)| Dump::new(path, report));
        Self {
            dumps: dumps.collect(),
            ..Self::new()
        }
    }
}

impl Files {
    pub(super) fn new(looked: &SearchedFiles) -> Self {
        let left = looked.left.iter().map(|one| FileLeft {
            path: shown(&one.path),
            addresses: one.count,
        });
        let files = looked.unlooked.iter().map(|(path, reason)| FileUnlooked {
            path: shown(path),
            reason: reason.key(),
            detail: reason.detail().to_owned(),
        });
        Self {
            looked_at: looked.files,
            left: left.collect(),
            not_looked_at: looked.unlooked_counts.clone(),
            not_looked_at_files: files.collect(),
        }
    }
}

impl Dump {
    /// `name` is that of its file as it was given, or of the database.
    pub(super) fn new(name: &Path, report: &InputReport) -> Self {
        let columns = report.columns().map(|(place, column)| Column {
            table: place.table,
            column: place.column,
            addresses: column
                .replaced
                .iter()
                .map(|(form, count)| (form.key(), *count))
                .collect(),
            values: column.values,
            recounted: column.recounted,
            left_base64: column.left_base64,
            left_keys: column.left_keys,
            broken: column.broken,
            stuck: column.stuck,
            packed: column.packed,
            samples: column.samples.clone(),
        });
        let broken = report.broken.iter().map(|one| Broken {
            table: one.place.table.clone(),
            column: one.place.column.clone(),
            row: one.row,
            fault: one.fault.key(),
            has_address: one.has_address,
        });
        let packed = report.packed.iter().map(|one| Packed {
            table: one.place.table.clone(),
            column: one.place.column.clone(),
            row: one.row,
            packing: one.packing,
        });
        Self {
            name: name.to_string_lossy().into_owned(),
            bytes_in: report.bytes_in,
            bytes_out: report.bytes_out,
            rows: report.rows(),
            looked_at: report.looked_at,
            addresses: report.replaced(),
            values: report.values(),
            recounted: report.recounted(),
            serialized: report.serialized,
            left_base64: report.left_base64(),
            left_keys: report.left_keys(),
            broken_count: report.broken_count,
            stuck: report.stuck(),
            packed_count: report.packed_count(),
            columns: columns.collect(),
            broken: broken.collect(),
            included_count: report.included_count,
            included: report.included.clone(),
            packed: packed.collect(),
            hosts: report.hosts.clone(),
            paths: report.paths.clone(),
        }
    }
}

impl Permissions {
    pub(super) fn new(plan: &Plan, applied: usize) -> Self {
        let steps = plan.steps.iter().map(|step| ModeChangePart {
            path: shown(&step.entry.path),
            owner: step.entry.owner.clone(),
            group: step.entry.group.clone(),
            mode: format!("{:04o}", step.entry.mode),
            mode_needed: format!("{:04o}", step.mode),
            group_needed: step.group.clone(),
            class: step.class.key(),
            reasons: step.reasons.iter().map(|reason| reason.key()).collect(),
            is_shared: step.is_shared,
        });
        let unjudged = plan.unjudged.iter().take(LISTED_MAX);
        let unjudged = unjudged.map(|(path, reason)| FileUnlooked {
            path: shown(path),
            reason: reason.key(),
            detail: reason.detail().to_owned(),
        });
        Self {
            entries: plan.entries,
            with_acl: plan.with_acl,
            not_judged: plan.unjudged.len() as u64,
            not_judged_files: unjudged.collect(),
            closed_above: plan.above.clone(),
            steps: steps.collect(),
            applied,
        }
    }
}
