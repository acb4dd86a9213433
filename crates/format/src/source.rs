//! A parsed study file that collects its problems.

use serde::de::{DeserializeOwned, IntoDeserializer as _};
use toml_edit::{Document, Item, TableLike};

use crate::locate::{self, Path};
use crate::misfit;
use crate::problem::Problem;

/// The size limit of a study file.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// The document and the problems found so far.
pub(crate) struct Source {
    document: Document<String>,
    problems: Vec<Problem>,
}

impl Source {
    /// Parses `text` as TOML.
    pub(crate) fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(vec![Problem {
                message: format!("a study file may have {TEXT_BYTES_MAX} bytes at most"),
                span: 0..0,
                label: format!("this one has {}", text.len()),
                hint: None,
            }]);
        }
        let document = Document::parse(text.to_owned()).map_err(|error| {
            vec![Problem {
                message: "this is not TOML".to_owned(),
                span: error.span().unwrap_or(0..0),
                label: error.message().to_owned(),
                hint: None,
            }]
        })?;
        Ok(Self {
            document,
            problems: Vec::new(),
        })
    }

    /// Returns the whole document.
    pub(crate) fn root(&self) -> &Item {
        self.document.as_item()
    }

    /// Reports keys that must be sections but are not: `stack = 4` instead of `[stack.NAME]`.
    pub(crate) fn check_sections(&mut self, keys: &[&str]) {
        for key in keys {
            let is_wrong = |item: &Item| !item.is_table_like();
            if self.root().get(key).is_some_and(is_wrong) {
                let report =
                    ProblemText::new(format!("`{key}` is not a table"), "expected sections");
                let hint = format!("write it as a section: `[{key}.NAME]`");
                self.problem(&Path::default().key(key), report.at_key().hint(hint));
            }
        }
    }

    /// Returns the table at the top level with the name `key`.
    pub(crate) fn table(&self, key: &str) -> Option<&dyn TableLike> {
        self.document.get(key)?.as_table_like()
    }

    /// Returns the entries of the top-level table `key`, in the order of the file; reports names
    /// that cannot be used elsewhere.
    pub(crate) fn entries(&mut self, key: &str) -> Vec<Entry> {
        let all = Path::default().key(key);
        let entries: Vec<Entry> = self
            .table(key)
            .into_iter()
            .flat_map(|table| table.iter())
            .map(|(name, item)| Entry {
                path: all.key(name),
                name: name.to_owned(),
                item: item.clone(),
            })
            .collect();
        for entry in entries.iter().filter(|entry| !is_name(&entry.name)) {
            let report =
                ProblemText::new(format!("`{}` is not a valid name", entry.name), "here").at_key();
            let hint = "use letters, digits, `-`, `_` and `.`, at most 64";
            self.problem(&entry.path, report.hint(hint));
        }
        entries
    }

    /// Records a problem with the value at `path`.
    pub(crate) fn problem(&mut self, path: &Path, report: ProblemText) {
        let span = if report.at_key {
            locate::key_span(self.root(), path)
        } else {
            locate::span(self.root(), path)
        };
        self.problems.push(Problem {
            message: report.message,
            span,
            label: report.label,
            hint: report.hint,
        });
    }

    /// Reads `item`, found at `path`, into a type; records the problem if it does not fit.
    pub(crate) fn read<T: DeserializeOwned>(&mut self, path: &Path, item: &Item) -> Option<T> {
        let value = match item.clone().into_value() {
            Ok(value) => value,
            Err(_) => {
                self.problem(
                    path,
                    ProblemText::new("expected a value or a table", "not this"),
                );
                return None;
            }
        };
        let fallback = locate::span(self.root(), path);
        match T::deserialize(value.into_deserializer()) {
            Ok(value) => Some(value),
            Err(error) => {
                let span = error.span().unwrap_or(fallback);
                let text = self.document.raw();
                let problem = misfit::problem(self.document.as_item(), text, span, error.message());
                self.problems.push(problem);
                None
            }
        }
    }

    /// Fails if a problem was recorded.
    pub(crate) fn stop_if_problems(&mut self) -> Result<(), Vec<Problem>> {
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(std::mem::take(&mut self.problems))
        }
    }
}

/// A named table: `[stack.NAME]` and the like.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) path: Path,
    pub(crate) item: Item,
}

/// Returns whether `text` may name a stack, a workload or a neighbour.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// A problem to record for a place.
pub(crate) struct ProblemText {
    message: String,
    label: String,
    hint: Option<String>,
    at_key: bool,
}

impl ProblemText {
    pub(crate) fn new(message: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            label: label.into(),
            hint: None,
            at_key: false,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says that a key is not in the file, but in a shipped workload.
    pub(crate) fn comes_from(self, name: &str, key: &str, value: &str) -> Self {
        Self {
            message: self.message,
            label: format!("{}: `{key} = {value}` comes from `{name}`", self.label),
            hint: Some(format!(
                "write another `{key}` beside `from`, or the keys of `{name}` instead of it: `stripewise workloads {name}` prints them"
            )),
            at_key: false,
        }
    }

    /// Marks the key, not the value.
    pub(crate) fn at_key(mut self) -> Self {
        self.at_key = true;
        self
    }
}
