//! What is wrong with a study file, drawn the way a good compiler does: file, line, column, hint.

use std::fmt;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, as a sentence fragment.
    pub message: String,
    /// Where: a range of bytes of the file.
    pub span: Range<usize>,
    /// What stands under the marked text.
    pub label: String,
    /// What to do, where we know.
    pub hint: Option<String>,
}

/// A study file that cannot be used: every problem that was found, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyError {
    name: String,
    text: String,
    problems: Vec<Problem>,
}

impl StudyError {
    pub(crate) fn new(name: &str, text: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| problem.span.start);
        problems.dedup();
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            problems,
        }
    }

    /// Returns the problems in the order of the file; there is at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the problems drawn into the text of the file, with colours if `styled`.
    pub fn render(&self, styled: bool) -> String {
        let renderer = if styled {
            Renderer::styled().decor_style(DecorStyle::Unicode)
        } else {
            Renderer::plain()
        };
        let drawn: Vec<String> = self
            .problems
            .iter()
            .map(|problem| self.draw(&renderer, problem))
            .collect();
        drawn.join("\n\n")
    }

    fn draw(&self, renderer: &Renderer, problem: &Problem) -> String {
        let snippet = Snippet::source(self.text.as_str())
            .path(self.name.as_str())
            .annotation(
                AnnotationKind::Primary
                    .span(self.visible(&problem.span))
                    .label(problem.label.as_str()),
            );
        let mut group = Level::ERROR
            .primary_title(problem.message.as_str())
            .element(snippet);
        if let Some(hint) = &problem.hint {
            group = group.element(Level::HELP.message(hint.as_str()));
        }
        renderer.render(&[group]).to_string()
    }

    /// Returns `span` within the text and on character borders.
    fn visible(&self, span: &Range<usize>) -> Range<usize> {
        let mut start = span.start.min(self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = span.end.clamp(start, self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        start..end
    }
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for StudyError {}
