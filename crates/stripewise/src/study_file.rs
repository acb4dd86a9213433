//! The study that a command is about: a file, a shipped study by its name, a job file of fio, or the
//! words of the command line.

use std::path::{Path, PathBuf};

use stripewise_fio::{JobStudyError, JobTextError, OptionNote, job_study, looks_like_job_text};
use stripewise_format::studies::{ShippedStudy, is_shipped, shipped_text};
use stripewise_format::{TEXT_BYTES_MAX, on_stacks, parse_with};
use stripewise_study::plan::Study;
use stripewise_units::suggest::nearest;
use stripewise_units::visible::{shell_word, visible, visible_line};

use crate::commands::parse_time;
use crate::failure::{Failure, Result};
use crate::input_file::read_text;
use crate::load_word::WorkloadWord;
use crate::output_file::{OutputFile, Replaces};
use crate::question::{AskedOf, OtherWords, QuestionArgs};
use crate::question_words::Says;
use crate::trace_file::TraceFiles;

/// The name of a study of words, in messages and in the store.
pub(crate) const QUESTION: &str = "your question as a study";

/// The most loads that the name of a run of words names.
const NAMED_MAX: usize = 3;

/// A study as a command takes it: its file or name, or words that say the same.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct StudyArgs {
    /// The study: a file, the name of a shipped one (`stripewise studies`), or `-` for standard input; a job file of fio (`.fio`) is read as one, on the filesystem of `--target` or on `--device` and `--array`
    pub(crate) study: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) question: QuestionArgs,

    /// Length of a sample (fio's runtime), such as `10s`, beside `--workload` [default: 3s]
    #[arg(long, alias = "runtime", value_name = "TIME", value_parser = sample_word)]
    pub(crate) sample: Option<String>,

    /// Write the study that the words, the name or the job file stand for into this new file, too
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
}

impl StudyArgs {
    /// Returns whether the length of a sample is named for this command alone, and for no study that it
    /// writes.
    pub(crate) fn names_sample(&self) -> bool {
        self.sample.is_some() && self.save.is_none()
    }

    /// Reads the study. The caller writes it to [`save`](Self::save) once nothing refuses the rest.
    pub(crate) fn read(&self, asked_of: AskedOf) -> Result<StudyFile> {
        self.read_with(asked_of, &[])
    }

    /// The same, for a command that takes the options `own` beside a study, too.
    pub(crate) fn read_with(&self, asked_of: AskedOf, own: &[&str]) -> Result<StudyFile> {
        let file = self.read_all(asked_of, own)?;
        file.refuse_other_loads()?;
        if let Some(path) = &self.save {
            OutputFile::new(path, Replaces::never()).check()?;
        }
        Ok(file)
    }

    /// The same, also of a job file with options that a study cannot say: see [`StudyFile::read_all`].
    pub(crate) fn read_all(&self, asked_of: AskedOf, own: &[&str]) -> Result<StudyFile> {
        let file = match &self.study {
            Some(path) => {
                let file = StudyFile::read_all(path)?;
                let is_job = file.job_notes.is_some();
                self.question.refuse_beside(path, |word| {
                    own.contains(&word.option) || is_job && word.says == Says::Stack
                })?;
                if self.sample.is_some() {
                    let message = "`--sample` has no effect beside a study, which has `[repeat]`";
                    return Err(Failure::new(message).hint("write `sample` there"));
                }
                match self.question.stacks(asked_of) {
                    Some(stacks) if is_job => file.on_stacks(&stacks?)?,
                    _ => file,
                }
            }
            None => {
                self.question.require_load()?;
                let words = OtherWords {
                    sample: self.sample.clone(),
                    ..OtherWords::default()
                };
                StudyFile::of_words(self.question.study(asked_of, words)?)?
            }
        };
        Ok(file)
    }

    /// Writes the text of the study to `--save`.
    pub(crate) fn save(&self, text: &str) -> Result<()> {
        if let Some(path) = &self.save {
            let output = OutputFile::new(path, Replaces::never());
            output.write_bytes(text.as_bytes())?;
        }
        Ok(())
    }
}

/// Returns the names of the loads of a study: the name of a run of words.
fn names_of_loads(study: &Study) -> String {
    let mut names: Vec<&str> = Vec::new();
    for cell in &study.cells {
        let name = cell.workload.name.as_deref().unwrap_or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let left = names.len().saturating_sub(NAMED_MAX);
    names.truncate(NAMED_MAX);
    match left {
        0 => names.join(", "),
        left => format!("{} and {left} more", names.join(", ")),
    }
}

/// Reads the length of a sample; as with fio, a number without unit is in seconds.
fn sample_word(text: &str) -> std::result::Result<String, String> {
    let time = match text.parse::<u64>() {
        Ok(seconds) => format!("{seconds}s"),
        Err(_) => text.to_owned(),
    };
    parse_time(&time).map(|_| time)
}

/// A study with the file it came from.
#[derive(Clone)]
pub(crate) struct StudyFile {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) study: Study,
    /// Its file, beside which profiles are searched; `None` if it has none.
    pub(crate) path: Option<PathBuf>,
    /// The options of a job file that it does not say; `None` if it comes from none.
    pub(crate) job_notes: Option<Vec<OptionNote>>,
    /// The directory of its traces, if it names any.
    pub(crate) traces: Option<PathBuf>,
}

impl StudyFile {
    /// Reads and checks a study: a file, a shipped one by its name, or a job file of fio whose loads a
    /// study can say.
    pub(crate) fn read(named: &Path) -> Result<Self> {
        let file = Self::read_all(named)?;
        file.refuse_other_loads()?;
        Ok(file)
    }

    /// The same, also of a job file with options that a study cannot say: see `notes`.
    pub(crate) fn read_all(named: &Path) -> Result<Self> {
        let path = located(named)?;
        if path.is_dir() {
            let shown = visible_line(&path.to_string_lossy()).into_owned();
            let message = format!("failed to read study `{shown}`: it is a directory, not a study");
            return Err(Failure::new(message).hint(format!(
                "`stripewise run --workload randread:4K --target {}` measures it",
                shell_word(&shown)
            )));
        }
        let text = read_text("study", &path, TEXT_BYTES_MAX)?;
        let shown = path.display().to_string();
        let name = path
            .file_stem()
            .map_or_else(|| shown.clone(), |stem| stem.to_string_lossy().into_owned());
        if !is_job_file(&path, &text) {
            return Self::parsed(name, &shown, text, Some(path));
        }
        let file_name = path.file_name().unwrap_or(path.as_os_str());
        let file_name = file_name.to_string_lossy();
        let variable = |name: &str| std::env::var(name).ok();
        let made = job_study(&file_name, &text, &variable).map_err(|error| {
            let failure = Failure::new(format!("failed to read job file `{shown}`: {error}"));
            match error {
                JobStudyError::Text(JobTextError {
                    hint: Some(hint), ..
                }) => failure.hint(hint),
                _ => failure,
            }
        })?;
        let shown = format!("{shown} as a study");
        Ok(Self {
            job_notes: Some(made.notes),
            ..Self::parsed(name, &shown, made.text, Some(path))?
        })
    }

    /// Returns the loads of a job file, which says nothing of stacks, on other ones than the filesystem of
    /// a directory.
    fn on_stacks(self, stacks: &str) -> Result<Self> {
        let text = on_stacks(&self.text, stacks)
            .map_err(|error| Failure::new(format!("the stacks as a study: {error}")))?;
        let shown = format!("{} on the stacks of the command line", self.name);
        let mut job_notes = self.job_notes;
        // The stacks stand in place of its devices.
        let devices = |note: &&mut OptionNote| note.option.starts_with("filename=/dev/");
        for note in job_notes.iter_mut().flatten().filter(devices) {
            note.changes_load = false;
        }
        Ok(Self {
            job_notes,
            ..Self::parsed(self.name, &shown, text, self.path)?
        })
    }

    /// Refuses a job file with options that change its loads, and that a study cannot say.
    fn refuse_other_loads(&self) -> Result<()> {
        let notes = self.job_notes.iter().flatten();
        let changes: Vec<String> = notes
            .filter(|note| note.changes_load)
            .map(|note| format!("  {note}"))
            .collect();
        let count = match changes.len() {
            0 => return Ok(()),
            1 => "an option".to_owned(),
            count => format!("{count} options"),
        };
        let message = format!(
            "the job file has {count} that no study says, and without which its loads are others:\n{}",
            changes.join("\n")
        );
        Err(Failure::list(visible(&message)).hint(
            "`stripewise study JOB.fio --save mine.toml` writes the study without them: look at it, and run that",
        ))
    }

    /// Returns the shipped study `name`.
    pub(crate) fn shipped(name: &str) -> Result<&'static ShippedStudy> {
        ShippedStudy::named(name).ok_or_else(|| no_such_study(name))
    }

    /// Reads and checks a study that words stand for.
    pub(crate) fn of_words(text: String) -> Result<Self> {
        let mut file = Self::parsed(String::new(), QUESTION, text, None)?;
        file.name = names_of_loads(&file.study);
        Ok(file)
    }

    fn parsed(name: String, shown: &str, text: String, path: Option<PathBuf>) -> Result<Self> {
        let mut traces = match &path {
            Some(path) => TraceFiles::beside(path),
            None => TraceFiles::in_directory(Path::new("")),
        };
        let study =
            parse_with(shown, &text, &mut traces).map_err(|error| Failure::study(shown, error))?;
        let traces = match traces.is_used() {
            true => Some(traces.directory()?),
            false => None,
        };
        Ok(Self {
            name,
            text,
            study,
            path,
            job_notes: None,
            traces,
        })
    }
}

/// Returns whether a text is a job file of fio: by its name, or because it looks like one and is no TOML.
fn is_job_file(path: &Path, text: &str) -> bool {
    path.extension().is_some_and(|end| end == "fio") || looks_like_job_text(text)
}

/// Returns the path of a study: that of a shipped one for a name, which has neither `/` nor `.`.
fn located(named: &Path) -> Result<PathBuf> {
    let word = named.to_str().filter(|word| is_name(word));
    let Some(word) = word else {
        return match is_shipped(named) && shipped_text(named).is_none() {
            true => Err(
                Failure::new(format!("`{}` is no shipped study", named.display()))
                    .hint("`stripewise studies` lists them"),
            ),
            false => Ok(named.to_owned()),
        };
    };
    StudyFile::shipped(word).map(ShippedStudy::path)
}

/// Returns that no shipped study has a name, and which it could be.
fn no_such_study(word: &str) -> Failure {
    let exists = Path::new(word).exists();
    let word = &*visible_line(word);
    let hint = if word.parse::<WorkloadWord>().is_ok() {
        format!("it is a load: write `--workload {}`", shell_word(word))
    } else if exists {
        format!("a file of that name is `./{word}`; `stripewise studies` lists the shipped ones")
    } else if let Some(near) = nearest(word, ShippedStudy::names()) {
        format!("did you mean `{near}`? `stripewise studies` lists all")
    } else {
        format!("`stripewise studies` lists all; a file is `{word}.toml` or `./{word}`")
    };
    Failure::new(format!("there is no shipped study `{word}`")).hint(hint)
}

/// Returns whether a word names a shipped study, and no file.
fn is_name(word: &str) -> bool {
    word != "-" && !word.is_empty() && !word.contains(['/', '.'])
}
