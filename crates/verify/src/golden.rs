//! Golden files: cases with the real driver's counts, to check the model without a guest.
//!
//! JSON lines. The first has the schema and the versions of kernel and tools. Each further line is
//! a case with one row of counts per member: reads, merges, sectors, then the same for writes.

use serde::{Deserialize, Serialize};
use stripewise_study::limits::{JsonLimits, ListLimit, OURS};
use stripewise_study::sample::as_f64;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::visible::visible_line;

use crate::case::Case;
use crate::check::Counted;
use crate::counts::MemberCounts;
use crate::io_list::IoList;

/// The version of the format.
pub const SCHEMA: u32 = 1;
/// The most cases that we read.
const CASES_MAX: usize = 100_000;
/// The most members of a case; drawn cases have at most eight.
const MEMBERS_MAX: usize = 256;
/// The most jobs of a case: fio's limit on one host.
const JOBS_MAX: usize = 4096;
/// The longest list of I/Os as text; drawn lists have at most 96 I/Os.
const TEXT_BYTES_MAX: usize = 16 << 20;

/// The limits of one line.
const LIMITS: JsonLimits = JsonLimits {
    lists: &[&[
        ListLimit::of::<MemberCounts>("counts", MEMBERS_MAX).of_lists_of::<u64>(6),
        ListLimit::of::<[u64; 2]>("sectors_sums", MEMBERS_MAX).of_lists_of::<u64>(2),
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
    /// The kernel of the driver, from `uname -r` or the package.
    pub kernel: String,
    /// The version of mdadm.
    pub mdadm: String,
    /// The version of fio.
    pub fio: String,
}

/// A case and its counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The case.
    pub case: Case,
    /// The driver's counts of each member.
    pub counts: Vec<MemberCounts>,
    /// The mean latency of its I/Os in ns, if measured in virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_latency_ns: Option<u64>,
    /// The sums of the numbers of the sectors that each member read and wrote, from the start of the
    /// disk; without superblocks of an array that was built meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sectors_sums: Option<Vec<[u64; 2]>>,
}

impl Entry {
    /// Returns the driver's results.
    pub fn counted(&self) -> Counted {
        Counted {
            counts: self.counts.clone(),
            mean_latency_ns: self.mean_latency_ns.map(as_f64),
            sectors_sums: self.sectors_sums.clone(),
        }
    }
}

/// A golden file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Golden {
    /// Its first line.
    pub header: Header,
    /// The kernel whose rules the model follows.
    pub kernel: KernelVersion,
    /// Its cases.
    pub entries: Vec<Entry>,
}

/// A text is not a valid golden file.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// There are no cases: the writer was killed before the first one.
    #[error("the file has a header but no cases: nothing to check")]
    NoCases,
    /// There are too many cases.
    #[error("the file has more than {limit} cases, which is the limit")]
    Cases {
        /// How many are allowed.
        limit: usize,
    },
    /// A line is malformed.
    #[error("line {line} is not a valid {expected}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The expected content.
        expected: &'static str,
        /// The problem.
        #[source]
        source: serde_json::Error,
    },
    /// A newer program wrote the file.
    #[error("the file has schema {found}, this program supports {SCHEMA}")]
    Schema {
        /// The value in the file.
        found: u32,
    },
    /// The kernel's version cannot be parsed.
    #[error("`{kernel}` is not a kernel version")]
    Kernel {
        /// The value in the file.
        kernel: String,
    },
    /// The number of rows of counts differs from the number of members.
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
    /// Parses a golden file.
    ///
    /// # Errors
    /// The first malformed line, or that there are no cases.
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
            let members = entry.case.members.get();
            let sums = entry.sectors_sums.as_ref().map(Vec::len);
            for rows in [Some(entry.counts.len()), sums].into_iter().flatten() {
                if u32::try_from(rows) != Ok(members) {
                    return Err(GoldenError::Rows {
                        line,
                        rows,
                        members,
                    });
                }
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
