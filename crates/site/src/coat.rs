//! All layers around a value, which its format tells.

use crate::escape::Escape;

/// The most layers that a format has around a value.
pub(crate) const COATS_MAX: usize = 5;

/// Layers, the outermost first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coat {
    list: [Escape; COATS_MAX],
    count: usize,
}

impl Default for Coat {
    #[inline]
    fn default() -> Self {
        Self {
            list: [Escape::None; COATS_MAX],
            count: 0,
        }
    }
}

impl From<Escape> for Coat {
    #[inline]
    fn from(escape: Escape) -> Self {
        Self::default().with(escape)
    }
}

impl Coat {
    /// Returns it with another layer inside. The caller keeps to the most that fit.
    #[inline]
    pub(crate) fn with(mut self, escape: Escape) -> Self {
        if escape != Escape::None && self.count < COATS_MAX {
            self.list[self.count] = escape;
            self.count += 1;
        }
        self
    }

    pub(crate) fn layers(&self) -> &[Escape] {
        &self.list[..self.count]
    }

    /// Decodes a value layer by layer, and returns the layers that changed it; a `bytea` of PostgreSQL
    /// is one, too. What is left after each of them is in `levels`.
    pub(crate) fn decode(
        &self,
        quoted: &[u8],
        levels: &mut Vec<Vec<u8>>,
        is_postgres: bool,
    ) -> Self {
        let mut worn = Self::default();
        for escape in self.layers() {
            worn = worn.step(*escape, quoted, levels);
        }
        if is_postgres && is_bytea(worn.text(quoted, levels)) {
            worn = worn.step(Escape::Hex, quoted, levels);
        }
        worn
    }

    /// Decodes the next layer, unless that changes nothing.
    fn step(self, escape: Escape, quoted: &[u8], levels: &mut Vec<Vec<u8>>) -> Self {
        if levels.len() <= self.count {
            levels.push(Vec::new());
        }
        let (before, after) = levels.split_at_mut(self.count);
        let text = self.text(quoted, before);
        if escape.is_plain(text) {
            return self;
        }
        after[0].clear();
        escape.decode(text, &mut after[0]);
        self.with(escape)
    }

    /// Returns the decoded text.
    pub(crate) fn text<'a>(&self, quoted: &'a [u8], levels: &'a [Vec<u8>]) -> &'a [u8] {
        match self.count {
            0 => quoted,
            count => &levels[count - 1],
        }
    }
}

/// Returns whether a text is a `bytea` as PostgreSQL writes it: `\x` and pairs of digits.
pub(crate) fn is_bytea(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"\\x");
    digits.is_some_and(|digits| digits.len() % 2 == 0 && digits.iter().all(u8::is_ascii_hexdigit))
}
