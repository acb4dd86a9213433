//! Writes fio job files, runs fio, and reads its JSON.
//!
//! ```text
//! Workload + SampleRequest + JobFiles --> JobFile --> Fio::run --> Output --> Sample
//! any fio JSON file -----------------------------------> import --> cells with samples
//! ```
//!
//! - [`job_file`] writes job files; [`program`] finds the installed fio.
//! - [`run`] runs it in a directory of ours. Job files and output are in-memory files.
//! - [`report`] holds fio's results, job by job; [`parse`] reads them from JSON; [`merge`] sums
//!   jobs.
//! - [`mod@import`] turns the output of fio runs that we did not start into cells, reading
//!   [`stripewise_units::fio`] and [`logs`].
//!
//! We use no shell. We read no fio formats but JSON and logs, and pass no user-written file name to
//! fio.
//!
//! # Example
//!
//! ```
//! let bytes = include_bytes!("../tests/data/numjobs.json");
//! let runs = stripewise_fio::import(bytes)?;
//! let cell = &runs[0].cells[0];
//! assert_eq!((cell.name.as_str(), cell.load.jobs), ("four", 4));
//! let p99 = cell.sample.read.latency.histogram.quantile(990);
//! assert!(p99.is_some());
//! # Ok::<(), stripewise_fio::ParseError>(())
//! ```
//!
//! Measuring needs a directory of our own and a [`Watch`](stripewise_study::world::Watch):
//!
//! ```no_run
//! # use std::path::Path;
//! # use stripewise_fio::{Fio, JobFile, JobFiles, LayoutItem};
//! # use stripewise_study::{sample::Sample, workload::Workload, world::{SampleRequest, Watch}};
//! # fn measure(workload: &Workload, request: SampleRequest, directory: &Path, watch: &mut dyn Watch)
//! #     -> Result<Sample, Box<dyn std::error::Error>> {
//! let fio = Fio::find()?;
//! let files = JobFiles::of(workload);
//! let layout = JobFile::layout(&LayoutItem::of(workload, &files)?)?;
//! fio.run(&layout, directory, watch)?;
//! let job_file = JobFile::measure(workload, request, &files)?;
//! let sample = fio.run(&job_file, directory, watch)?.to_sample(&job_file)?;
//! # Ok(sample)
//! # }
//! ```

pub mod job_file;
mod job_file_error;
mod job_options;
pub mod job_study;
pub mod job_text;
mod limit;
mod replay;
mod series;

pub mod program;
pub mod version;

pub mod clock;
pub mod run;

mod clients;
mod document;
mod encoding;
mod number;
pub mod parse;
mod raw;
pub mod report;
mod runs;
mod verbatim;

pub mod merge;

mod cause;
mod errors;
mod identity;
pub mod import;
mod load;
pub mod logs;

pub use cause::cause;
pub use clock::Clock;
pub use import::{Import, ImportedCell, import, import_with_logs};
pub use job_file::{JobFile, JobFiles, LayoutItem};
pub use job_file_error::JobFileError;
pub use job_study::{JobStudy, JobStudyError, OptionNote, Why, job_study};
pub use job_text::{JOB_TEXT_BYTES_MAX, JobTextError, looks_like_job_text, parse_jobs};
pub use logs::{Log, LogFile, LogName};
pub use merge::{Counted, SampleError};
pub use parse::{ParseError, parse_output};
pub use program::{FindError, Fio};
pub use report::{FioReport, Job, LatencyKind};
pub use run::{FailedJob, Output, RunError};
pub use series::log_names;
pub use version::Version;
