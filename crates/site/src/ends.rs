//! Where a value ends.

/// The longest mark behind a value: one of PostgreSQL's dollar quotes has a name.
pub(crate) const MARK_BYTES_MAX: usize = 66;

/// A text that ends a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    text: [u8; MARK_BYTES_MAX],
    length: usize,
}

impl Mark {
    /// Returns the mark; `None` if it is empty or too long.
    pub(crate) fn new(mark: &[u8]) -> Option<Self> {
        let mut text = [0; MARK_BYTES_MAX];
        text.get_mut(..mark.len())?.copy_from_slice(mark);
        (!mark.is_empty()).then_some(Self {
            text,
            length: mark.len(),
        })
    }

    fn text(&self) -> &[u8] {
        &self.text[..self.length]
    }
}

/// How a value ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    /// With this quote, which is doubled inside.
    Quote { quote: u8, backslash: bool },
    /// Before the first byte that is no hexadecimal digit.
    Digits,
    /// Before a tab or the end of the line.
    Field,
    /// Before this byte or the end of the line.
    Cell(u8),
    /// Before `]]>`, unless another section follows.
    Section,
    /// Before a byte, or at the end of the input.
    Before(u8),
    /// Before a mark, which must come; named for errors.
    Mark(Mark, &'static str),
    /// With the input.
    Input,
}

/// The result of looking for the end of a value.
pub(crate) enum EndSearch {
    At(usize),
    /// Not before this place.
    After(usize),
}

/// How a CDATA section begins.
pub(crate) const SECTION: &[u8] = b"<![CDATA[";

impl End {
    pub(crate) fn look(self, bytes: &[u8], from: usize, is_last: bool) -> EndSearch {
        let found = match self {
            End::Quote { quote, backslash } => {
                return look_quote(bytes, from, quote, backslash, is_last);
            }
            End::Field => return look_field(bytes, from),
            End::Section => return look_section(bytes, from, is_last),
            End::Mark(mark, _) => return look_text(bytes, from, mark.text()),
            End::Digits => {
                let is_digit = |byte: &u8| byte.is_ascii_hexdigit();
                bytes[from..].iter().position(|byte| !is_digit(byte))
            }
            End::Cell(byte) => memchr::memchr3(byte, b'\n', b'\r', &bytes[from..]),
            End::Before(byte) => memchr::memchr(byte, &bytes[from..]),
            End::Input => None,
        };
        found.map_or(EndSearch::After(bytes.len()), |at| EndSearch::At(from + at))
    }

    /// Returns what is cut off if the input ends first; `None` if that is how it may end.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            End::Quote { .. } => Some("a quoted value"),
            End::Section => Some("a CDATA section"),
            End::Mark(_, name) => Some(name),
            End::Digits | End::Field | End::Cell(_) | End::Before(_) | End::Input => None,
        }
    }
}

fn look_text(bytes: &[u8], from: usize, text: &[u8]) -> EndSearch {
    match memchr::memmem::find(&bytes[from..], text) {
        Some(at) => EndSearch::At(from + at),
        None => EndSearch::After(bytes.len().saturating_sub(text.len() - 1).max(from)),
    }
}

/// A section that holds `]]>` is written as two.
fn look_section(bytes: &[u8], from: usize, is_last: bool) -> EndSearch {
    let mut position = from;
    loop {
        let at = match look_text(bytes, position, b"]]>") {
            EndSearch::At(at) => at,
            after @ EndSearch::After(_) => return after,
        };
        let after = &bytes[at + 3..];
        if after.len() < SECTION.len() && SECTION.starts_with(after) && !is_last {
            return EndSearch::After(at);
        }
        if !after.starts_with(SECTION) {
            return EndSearch::At(at);
        }
        position = at + 3 + SECTION.len();
    }
}

/// Looks for quotes only: one after an odd number of `\` is escaped. Quotes are rarer than `\`.
fn look_quote(bytes: &[u8], from: usize, quote: u8, backslash: bool, is_last: bool) -> EndSearch {
    let mut position = from;
    loop {
        let Some(at) = memchr::memchr(quote, &bytes[position..]) else {
            // An odd `\` at the end is looked at again, with what follows.
            let open = if backslash {
                slashes(&bytes[position..]) % 2
            } else {
                0
            };
            return EndSearch::After(bytes.len() - open);
        };
        let at = position + at;
        if backslash && slashes(&bytes[position..at]) % 2 == 1 {
            position = at + 1;
            continue;
        }
        match bytes.get(at + 1) {
            Some(byte) if *byte != quote => return EndSearch::At(at),
            Some(_) => position = at + 2,
            None if is_last => return EndSearch::At(at),
            None => {
                return EndSearch::After(at);
            }
        }
    }
}

/// Returns the number of `\` at the end of a text.
fn slashes(text: &[u8]) -> usize {
    text.iter().rev().take_while(|byte| **byte == b'\\').count()
}

fn look_field(bytes: &[u8], from: usize) -> EndSearch {
    let mut position = from;
    loop {
        let Some(at) = memchr::memchr3(b'\t', b'\n', b'\\', &bytes[position..]) else {
            return EndSearch::After(bytes.len());
        };
        let at = position + at;
        if bytes[at] != b'\\' {
            return EndSearch::At(at);
        }
        if at + 1 >= bytes.len() {
            return EndSearch::After(at);
        }
        position = at + 2;
    }
}
