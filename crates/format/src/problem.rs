//! Problems in a study file, printed as a compiler does: file, line, column, hint.

use std::fmt;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use stripewise_units::visible::{visible, visible_line};

/// One problem and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The problem, as a sentence fragment.
    pub message: String,
    /// The place: a range of bytes of the file.
    pub span: Range<usize>,
    /// The label under the marked text.
    pub label: String,
    /// How to solve it, if known.
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
    /// Returns the error with control characters in its text made visible.
    pub(crate) fn new(name: &str, text: &str, problems: Vec<Problem>) -> Self {
        let shown = |problem| shown(problem, text);
        let mut problems: Vec<Problem> = problems.into_iter().map(shown).collect();
        problems.sort_by_key(|problem| problem.span.start);
        problems.dedup();
        Self {
            name: visible_line(name).into_owned(),
            text: visible(text).into_owned(),
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
                    .span(problem.span.clone())
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
}

/// Returns a problem as it is shown: hidden characters made visible, its span mapped to that text.
fn shown(problem: Problem, text: &str) -> Problem {
    let span = within(text, &problem.span);
    let place = |index: usize| visible(&text[..index]).len();
    Problem {
        message: visible(&problem.message).into_owned(),
        span: place(span.start)..place(span.end),
        label: visible(&problem.label).into_owned(),
        hint: problem.hint.map(|hint| visible(&hint).into_owned()),
    }
}

/// Returns `span` clipped to the text and moved to borders of characters; CR LF counts as one.
fn within(text: &str, span: &Range<usize>) -> Range<usize> {
    let is_border = |index: usize| {
        text.is_char_boundary(index)
            && !(text[..index].ends_with('\r') && text[index..].starts_with('\n'))
    };
    let mut start = span.start.min(text.len());
    while !is_border(start) {
        start -= 1;
    }
    let mut end = span.end.clamp(start, text.len());
    while !is_border(end) {
        end += 1;
    }
    start..end
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for StudyError {}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_units::visible::is_hidden;

    #[test]
    fn a_hostile_file_is_marked_at_the_right_place_and_controls_no_terminal() {
        let text = "# \u{1b}]0;x\u{7}\u{9b}31m\u{202e}\r\n\u{9b}\u{e0041}key = 1\r\n";
        let start = text.find("key").unwrap();
        let problem = Problem {
            message: "unknown \u{1b}[31mkey".to_owned(),
            span: start..start + 3,
            label: "no\u{9b}31m key".to_owned(),
            hint: Some("use\u{202e} another".to_owned()),
        };
        let error = StudyError::new("evil\u{1b}[2J\n.toml", text, vec![problem]);
        expect_test::expect![[r#"
            error: unknown ␛[31mkey
             --> evil␛[2J .toml:2:3
              |
            2 | ��key = 1
              |   ^^^ no�31m key
              |
              = help: use� another"#]]
        .assert_eq(&error.render(false));
        let ours = error.render(true).replace("\u{1b}[", "");
        assert!(!ours.contains(is_hidden), "{ours:?}");
    }

    #[test]
    fn any_span_of_any_text_can_be_drawn() {
        let text = "a\u{9b}\r\n字\u{202e}\r";
        for start in 0..=text.len() + 1 {
            for end in 0..=text.len() + 1 {
                let problem = Problem {
                    message: String::new(),
                    span: start..end,
                    label: String::new(),
                    hint: None,
                };
                let error = StudyError::new("study", text, vec![problem]);
                assert!(!error.to_string().contains(is_hidden));
            }
        }
    }
}
