//! The edits of a text: what is replaced where, by what.

use std::io;

use crate::pairs::Form;

/// A place of the text and what replaces it: a range of the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    text: (usize, usize),
    /// How many addresses it replaces, and how they are written; none for a length.
    pub(crate) found: Option<(Form, u32)>,
}

impl Edit {
    /// Returns by how many bytes the text grows.
    fn growth(&self) -> i64 {
        bytes_of(self.text.1 - self.text.0) - bytes_of(self.end - self.start)
    }
}

/// Returns a number of bytes with a sign.
pub(crate) fn bytes_of(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Edits in the order of their places.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    pub(crate) list: Vec<Edit>,
    arena: Vec<u8>,
}

impl Edits {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.arena.clear();
    }

    pub(crate) fn push(
        &mut self,
        start: usize,
        end: usize,
        text: &[u8],
        found: Option<(Form, u32)>,
    ) {
        let text = self.kept(self.list.len(), text);
        self.list.push(Edit {
            start,
            end,
            text,
            found,
        });
    }

    pub(crate) fn text(&self, edit: &Edit) -> &[u8] {
        &self.arena[edit.text.0..edit.text.1]
    }

    /// Replaces the text of an edit.
    pub(crate) fn set(&mut self, index: usize, text: &[u8]) {
        self.list[index].text = self.kept(index, text);
    }

    /// Keeps the text of an edit. Most write the same length and the same address again and again,
    /// which are kept once.
    fn kept(&mut self, index: usize, text: &[u8]) -> (usize, usize) {
        let mut last = self.list[..index].iter().rev().take(2);
        if let Some(same) = last.find(|last| self.text(last) == text) {
            return same.text;
        }
        let from = self.arena.len();
        self.arena.extend_from_slice(text);
        (from, self.arena.len())
    }

    /// Returns by how many bytes the edits from one on let a text grow.
    pub(crate) fn growth(&self, from: usize) -> i64 {
        self.list[from..].iter().map(Edit::growth).sum()
    }

    /// Writes a text with the edits made.
    pub(crate) fn apply(&self, text: &[u8], out: &mut impl io::Write) -> io::Result<()> {
        let mut position = 0;
        for edit in &self.list {
            out.write_all(&text[position..edit.start])?;
            out.write_all(self.text(edit))?;
            position = edit.end;
        }
        out.write_all(&text[position..])
    }

    /// Returns a text with the edits made.
    pub(crate) fn applied(&self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len() + self.arena.len());
        // Memory can always be written.
        let _ = self.apply(text, &mut out);
        out
    }
}
