//! Reads job files that people write for fio, as fio does (`__parse_jobs_ini` in its `init.c`).
//!
//! ```text
//! ; a comment
//! [global]        options of all jobs that follow
//! bs=4k
//! [name]          a job, with the options so far and its own
//! rw=randread
//! stonewall       waits for the jobs before: a new group begins
//! ```
//!
//! What fio would do with a shell or another file (`include`, arithmetic on `$ncpus`) is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use stripewise_units::fio::parse_flag;

use crate::report::Options;

/// The size limit of a job file.
pub const JOB_TEXT_BYTES_MAX: usize = 1 << 20;
/// The most sections of a job file.
const SECTIONS_MAX: usize = 4096;
/// fio compares no more of a section's name to know that it is global.
const GLOBAL: &str = "global";

/// Names of options that fio takes for others (`options.c` of fio 3.42).
const ALIASES: [(&str, &str); 18] = [
    ("allrandrepeat", "randrepeat"),
    ("blockalign", "ba"),
    ("blocksize", "bs"),
    ("blocksize_range", "bsrange"),
    ("blocksize_unaligned", "bs_unaligned"),
    ("fileoffset", "offset"),
    ("fill_fs", "fill_device"),
    ("io_limit", "io_size"),
    ("iodepth_batch_submit", "iodepth_batch"),
    ("iomem", "mem"),
    ("mem_align", "iomem_align"),
    ("nr_files", "nrfiles"),
    ("ratemin", "rate_min"),
    ("readwrite", "rw"),
    ("ss", "steadystate"),
    ("ss_dur", "steadystate_duration"),
    ("timeout", "runtime"),
    ("wait_for_previous", "stonewall"),
];

/// A job file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct JobTextError {
    /// The line, from 1.
    pub line: usize,
    /// The problem.
    pub problem: String,
    /// What to do.
    pub hint: Option<&'static str>,
}

/// A job with the options that apply to it.
#[derive(Debug, Clone)]
pub struct TextJob {
    /// Its name.
    pub name: String,
    /// Its options, those of `[global]` before it included.
    pub options: Options,
    /// Whether it waits for all jobs before it.
    pub begins_group: bool,
}

/// Returns whether a text looks like a job file and is no TOML: a section comes first, and an option of
/// fio has a word without quotes.
pub fn looks_like_job_text(text: &str) -> bool {
    let mut lines = text.lines().map(stripped).filter(|line| !line.is_empty());
    let has_section = lines.next().is_some_and(|line| line.starts_with('['));
    let is_known = |line: &str| {
        let (name, value) = named(line);
        let is_bare = value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        is_bare && ["rw", "ioengine", "filename", "directory"].contains(&name)
    };
    has_section && lines.any(is_known)
}

/// Reads the jobs of a job file, in their order; `variable` returns those of the environment.
///
/// # Errors
/// [`JobTextError`] for a line that fio would refuse, or whose meaning another file or a program
/// decides. Never panics, whatever the text.
pub fn parse_jobs(
    text: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<TextJob>, JobTextError> {
    let mut reader = Reader {
        variable,
        global: BTreeMap::new(),
        section: None,
        jobs: Vec::new(),
    };
    for (line, text) in (1..).zip(text.lines()) {
        reader
            .line(stripped(text))
            .map_err(|(problem, hint)| JobTextError {
                line,
                problem,
                hint,
            })?;
    }
    reader.finish();
    if reader.jobs.is_empty() {
        return Err(JobTextError {
            line: text.lines().count().max(1),
            problem: "the file has no job".to_owned(),
            hint: Some("a job is a section other than `[global]`"),
        });
    }
    Ok(reader.jobs)
}

/// Returns a line without its comment and blanks.
fn stripped(line: &str) -> &str {
    let end = line.find([';', '#']).unwrap_or(line.len());
    line[..end].trim()
}

/// Returns the canonical name and the value of an option; one without value has an empty one.
fn named(line: &str) -> (&str, &str) {
    let (name, value) = line.split_once('=').unwrap_or((line, ""));
    let name = name.trim();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    (alias.map_or(name, |(_, name)| name), value.trim())
}

/// A problem of a line, and what to do.
type Problem = (String, Option<&'static str>);

/// The section whose options are read.
enum Section {
    Global,
    Job(String, BTreeMap<String, String>),
}

struct Reader<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    /// The options of `[global]` sections so far.
    global: BTreeMap<String, String>,
    section: Option<Section>,
    jobs: Vec<TextJob>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str) -> Result<(), Problem> {
        if line.is_empty() {
            return Ok(());
        }
        if line.starts_with('[') {
            return self.begin(line);
        }
        let line = self.expanded(line)?;
        let (name, value) = named(&line);
        if name.starts_with("include ") || name == "include" {
            let hint = "copy the lines of that file into this one";
            return Err((format!("`{line}` reads another file"), Some(hint)));
        }
        let options = match &mut self.section {
            Some(Section::Global) => &mut self.global,
            Some(Section::Job(_, options)) => options,
            None => return Err((format!("option `{line}` is outside of a section"), None)),
        };
        put(options, name, value);
        Ok(())
    }

    fn begin(&mut self, line: &str) -> Result<(), Problem> {
        let Some(name) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
        else {
            return Err((format!("`{line}` is not a section"), Some("write `[NAME]`")));
        };
        self.finish();
        if self.jobs.len() == SECTIONS_MAX {
            return Err((format!("a job file has at most {SECTIONS_MAX} jobs"), None));
        }
        self.section = Some(match name.starts_with(GLOBAL) {
            true => Section::Global,
            false => Section::Job(name.to_owned(), BTreeMap::new()),
        });
        Ok(())
    }

    /// Ends a section.
    fn finish(&mut self) {
        let Some(Section::Job(name, own)) = self.section.take() else {
            return;
        };
        let mut all = self.global.clone();
        for (option, value) in &own {
            put(&mut all, option, value);
        }
        let is_set = |name: &str| {
            let flag = all.get(name).and_then(|flag| parse_flag(flag));
            flag == Some(true)
        };
        let begins_group = is_set("stonewall");
        // fio calls every job by a name in `[global]`, which tells none apart: the sections do.
        if !own.contains_key("name") {
            all.remove("name");
        }
        self.jobs.push(TextJob {
            begins_group,
            name: own.get("name").cloned().unwrap_or(name),
            options: Options::new(all, Arc::new(BTreeMap::new())),
        });
    }

    /// Replaces `${NAME}` by the variable of the environment.
    fn expanded(&self, line: &str) -> Result<String, Problem> {
        for keyword in ["$pagesize", "$mb_memory", "$ncpus"] {
            if line.contains(keyword) {
                let hint = "write the number of the machine that you mean";
                return Err((format!("`{line}` depends on a machine"), Some(hint)));
            }
        }
        let mut expanded = String::new();
        let mut rest = line;
        while let Some((before, name)) = rest.split_once("${") {
            let Some((name, after)) = name.split_once('}') else {
                break;
            };
            let Some(value) = (self.variable)(name) else {
                let hint = "set it, as for fio: `SIZE=1G stripewise ...`";
                let problem = format!("the variable `{name}` of the environment is not set");
                return Err((problem, Some(hint)));
            };
            expanded.push_str(before);
            expanded.push_str(&value);
            rest = after;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }
}

/// Sets an option; of two that say the same, the later one counts.
fn put(options: &mut BTreeMap<String, String>, name: &str, value: &str) {
    const SAME: [[&str; 2]; 2] = [["direct", "buffered"], ["rwmixread", "rwmixwrite"]];
    for pair in SAME.iter().filter(|pair| pair.contains(&name)) {
        for other in pair {
            options.remove(*other);
        }
    }
    options.insert(name.to_owned(), value.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<TextJob>, JobTextError> {
        parse_jobs(text, &|name| (name == "SIZE").then(|| "64m".to_owned()))
    }

    #[test]
    fn sections_globals_aliases_and_comments_read_as_in_fio() {
        let jobs = read(
            "; first\n[global]\nbs = 4k  # small\ndirect=1\nsize=${SIZE}\n[one]\nreadwrite=randread\n\
             [global2]\nbuffered=1\n[two]\nname=renamed\nblocksize=8k\nwait_for_previous\nstonewall=0\n",
        )
        .unwrap();
        let option = |job: usize, name: &str| jobs[job].options.get(name);
        assert_eq!(jobs.len(), 2);
        assert_eq!((option(0, "bs"), option(1, "bs")), (Some("4k"), Some("8k")));
        assert_eq!(
            (option(0, "rw"), option(0, "size")),
            (Some("randread"), Some("64m"))
        );
        assert_eq!(
            (option(1, "direct"), option(1, "buffered")),
            (None, Some("1"))
        );
        assert_eq!(jobs[1].name, "renamed");
        assert!(!jobs[1].begins_group, "the later of two counts");
    }

    /// A `name` in `[global]` once was the name of every load.
    #[test]
    fn jobs_have_the_names_of_their_sections_beside_a_global_name() {
        let text = "[global]\nname=nightly\n[scan]\nrw=read\n[lookup]\nrw=randread\nname=own\n";
        let jobs = read(text).unwrap();
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["scan", "own"]);
        assert_eq!(
            jobs[0].options.get("name"),
            None,
            "it is no option of the job"
        );
    }

    #[test]
    fn what_another_file_or_program_decides_is_refused() {
        for (text, line, problem) in [
            ("[a]\nrw=read\ninclude b.fio", 3, "reads another file"),
            ("[a]\nsize=$mb_memory", 2, "depends on a machine"),
            (
                "[a]\nsize=${OTHER}",
                2,
                "`OTHER` of the environment is not set",
            ),
            ("rw=read", 1, "outside of a section"),
            ("[global]\nbs=4k", 2, "no job"),
            ("[a", 1, "not a section"),
            ("", 1, "no job"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.line, line, "{text}");
            assert!(error.problem.contains(problem), "{text}: {error}");
        }
    }

    #[test]
    fn a_study_is_no_job_file() {
        assert!(looks_like_job_text("# x\n[global]\nrw=read\n"));
        assert!(!looks_like_job_text(
            "[stack.here]\n[workload]\npattern = \"read\"\n"
        ));
        assert!(!looks_like_job_text("rw=read"));
    }
}
