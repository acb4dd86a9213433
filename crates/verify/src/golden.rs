//! Golden files: cases with what the real driver counted, so that the model is checked without a guest.
//!
//! JSON lines. The first names the schema and the versions that counted; each other one is a case with
//! one row of counts for each member: reads, merges, sectors, then the same of writes.

use serde::{Deserialize, Serialize};
use stripewise_study::kernel::KernelVersion;
use stripewise_study::limits::{JsonLimits, ListLimit, OURS};
use stripewise_study::visible::visible_line;

use crate::case::Case;
use crate::counts::MemberCounts;
use crate::io_list::IoList;

/// The version of the format.
pub const SCHEMA: u32 = 1;
/// The most cases that are read.
const CASES_MAX: usize = 100_000;
/// The most members of a case; a case is drawn with eight at most.
const MEMBERS_MAX: usize = 256;
/// The most jobs of a case, as many as fio takes on a host.
const JOBS_MAX: usize = 4096;
/// The longest list of I/Os as text; the longest that is drawn has 96 of them.
const TEXT_BYTES_MAX: usize = 16 << 20;

/// The limits of one line.
const LIMITS: JsonLimits = JsonLimits {
    lists: &[&[
        ListLimit::of::<MemberCounts>("counts", MEMBERS_MAX).of_lists_of::<u64>(6),
        ListLimit::of::<u16>("failed", MEMBERS_MAX),
        ListLimit::of::<IoList>("jobs", JOBS_MAX),
    ]],
    text_bytes: TEXT_BYTES_MAX,
    ..OURS
};

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the format.
    pub schema: u32,
    /// The kernel whose driver counted, as `uname -r` or the package says.
    pub kernel: String,
    /// The mdadm that made the arrays.
    pub mdadm: String,
    /// The fio that did the I/Os.
    pub fio: String,
}

/// A case and what was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The case.
    pub case: Case,
    /// What the driver counted for each member.
    pub counts: Vec<MemberCounts>,
    /// The mean latency of its I/Os in ns, where it was measured in virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_latency_ns: Option<u64>,
}

/// A golden file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Golden {
    /// Its first line.
    pub header: Header,
    /// The kernel whose rules the model is to follow.
    pub kernel: KernelVersion,
    /// Its cases.
    pub entries: Vec<Entry>,
}

/// A text is no golden file.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    /// There is not even a first line.
    #[error("the file is empty")]
    Empty,
    /// Nothing was counted: whoever wrote it was ended before the first case.
    #[error("the file has a header and no case: there is nothing to check")]
    NoCases,
    /// There are more cases than any file has.
    #[error("the file has more than {limit} cases, which is the limit")]
    Cases {
        /// How many are allowed.
        limit: usize,
    },
    /// A line is not what it should be.
    #[error("line {line} is no {expected}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What it should be.
        expected: &'static str,
        /// Why it is not.
        #[source]
        source: serde_json::Error,
    },
    /// The file is of a later program.
    #[error("the file has schema {found}, and this program knows {SCHEMA}")]
    Schema {
        /// What it says.
        found: u32,
    },
    /// The kernel's version cannot be read.
    #[error("`{kernel}` is no kernel version")]
    Kernel {
        /// What it says.
        kernel: String,
    },
    /// Members and rows of counts are not as many.
    #[error("line {line} has {rows} rows of counts for {members} members")]
    Rows {
        /// The line, from 1.
        line: usize,
        /// The rows.
        rows: usize,
        /// The members.
        members: u32,
    },
}

impl Golden {
    /// Reads a golden file.
    ///
    /// # Errors
    /// The first line that is not understood; that there is no case in it.
    pub fn parse(text: &str) -> Result<Self, GoldenError> {
        let mut lines = (1..).zip(text.lines());
        let (line, first) = lines.next().ok_or(GoldenError::Empty)?;
        let no = |line, expected| {
            move |source| GoldenError::Line {
                line,
                expected,
                source,
            }
        };
        let header: Header = LIMITS.parse(first.as_bytes()).map_err(no(line, "header"))?;
        if header.schema != SCHEMA {
            let found = header.schema;
            return Err(GoldenError::Schema { found });
        }
        let kernel = KernelVersion::parse(&header.kernel).ok_or_else(|| GoldenError::Kernel {
            kernel: visible_line(&header.kernel).chars().take(40).collect(),
        })?;
        let mut entries = Vec::new();
        for (line, text) in lines {
            if entries.len() == CASES_MAX {
                return Err(GoldenError::Cases { limit: CASES_MAX });
            }
            let entry: Entry = LIMITS.parse(text.as_bytes()).map_err(no(line, "case"))?;
            let (rows, members) = (entry.counts.len(), entry.case.members.get());
            if u32::try_from(rows) != Ok(members) {
                return Err(GoldenError::Rows {
                    line,
                    rows,
                    members,
                });
            }
            entries.push(entry);
        }
        if entries.is_empty() {
            return Err(GoldenError::NoCases);
        }
        Ok(Self {
            header,
            kernel,
            entries,
        })
    }
}
