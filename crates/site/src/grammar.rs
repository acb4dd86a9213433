//! The grammar of PHP's `serialize`, as `unserialize` reads it (`ext/standard/var_unserializer.re`).
//!
//! Only the structure is checked here: strings are skipped by their length. What is in them is the
//! walker's business.

use std::io;

use crate::source::Source;
use crate::steps::Steps;

/// The depth at which PHP gives up (`unserialize_max_depth`).
const DEPTH_MAX: usize = 4096;
/// Longer than every number of the grammar; a class name may follow it.
const HEADER_BYTES: usize = 48;
/// The most digits of a length or a count.
const DIGITS_MAX: usize = 18;
/// The most bytes of a float.
const FLOAT_BYTES_MAX: usize = 40;

/// Why a value is not serialized data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A string is longer or shorter than its length says.
    Length,
    /// It ends too early.
    End,
    /// Something else stands where a value or a key must be, or the count is wrong.
    Token,
    /// It is nested too deep.
    Depth,
    /// So many values begin in it and overlap that it was not looked at to its end.
    Tangled,
    /// What would have to be written cannot be, in the form that the rest has.
    Form,
}

impl Fault {
    /// Returns its key in documents; the entry of the catalogue is `site-fault-KEY`.
    pub fn key(self) -> &'static str {
        match self {
            Fault::Length => "length",
            Fault::End => "end",
            Fault::Token => "token",
            Fault::Depth => "depth",
            Fault::Tangled => "tangled",
            Fault::Form => "form",
        }
    }
}

/// A token: a scalar, a string, or the beginning of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// Without content: `i`, `b`, `d`, `N`, `r`, `R`, `E`.
    Scalar { end: usize, is_key: bool },
    /// `s`, `S` or `C`: digits of the length, the content, and the end of the token.
    Content {
        digits: (usize, usize),
        content: (usize, usize),
        end: usize,
        kind: u8,
    },
    /// `a` or `O`: the number of pairs, and where the first begins.
    Open { pairs: u64, end: usize },
}

/// An open container.
#[derive(Debug, Clone, Copy)]
struct Frame {
    start: usize,
    /// Keys and values that are still missing.
    missing: u64,
}

/// Checks values; keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct Grammar {
    stack: Vec<Frame>,
    /// Starts of containers that are known to be broken, the last first, with what is wrong, and
    /// where. So no byte is looked at many times: values are asked for from left to right.
    broken: Vec<(usize, (Fault, usize))>,
    pub(crate) steps: Steps,
}

type Parsed<T> = Result<T, Fault>;

/// Reads `:digits` and returns the number and the range of the digits.
fn number(window: &[u8], from: usize) -> Option<(u64, usize)> {
    let digits = window.get(from..)?;
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let count = count.take(DIGITS_MAX + 1).count();
    if count == 0 || count > DIGITS_MAX {
        return None;
    }
    let value = digits[..count]
        .iter()
        .fold(0, |sum, byte| sum * 10 + u64::from(byte - b'0'));
    Some((value, from + count))
}

fn missing(window: &[u8]) -> Fault {
    match window.len() < HEADER_BYTES {
        true => Fault::End,
        false => Fault::Token,
    }
}

/// Returns the bytes from `position` on, none of them behind `end`: at least `want`, or all there are.
pub(crate) fn before<S: Source>(
    source: &mut S,
    position: usize,
    want: usize,
    end: usize,
) -> io::Result<&[u8]> {
    let window = source.at(position, want)?;
    Ok(&window[..window.len().min(end - position)])
}

/// Reads the token at `position`, which must end before `end`.
pub(crate) fn token<S: Source>(
    source: &mut S,
    position: usize,
    end: usize,
    steps: &mut Steps,
) -> io::Result<Parsed<Token>> {
    steps.token();
    let window = before(source, position, HEADER_BYTES, end)?;
    let &[kind, second, ..] = window else {
        return Ok(Err(Fault::End));
    };
    if kind == b'N' && second == b';' {
        return Ok(Ok(Token::Scalar {
            end: position + 2,
            is_key: false,
        }));
    }
    if second != b':' {
        return Ok(Err(Fault::Token));
    }
    match kind {
        b'i' | b'b' | b'd' | b'r' | b'R' => Ok(scalar(kind, window, position)),
        b's' | b'S' => string(source, position, end, (kind, steps)),
        b'a' => Ok(array(window, position)),
        b'O' | b'C' | b'E' => class(source, position, end, kind),
        _ => Ok(Err(Fault::Token)),
    }
}

fn scalar(kind: u8, window: &[u8], position: usize) -> Parsed<Token> {
    let body = &window[2..window.len().min(2 + FLOAT_BYTES_MAX)];
    let length = memchr::memchr(b';', body).ok_or_else(|| missing(window))?;
    let text = &body[..length];
    let is_whole = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let unsigned = match text.first() {
        Some(b'+' | b'-') => &text[1..],
        _ => text,
    };
    let is_right = match kind {
        b'b' => matches!(text, b"0" | b"1"),
        b'i' => is_whole(unsigned),
        b'd' => is_float(text, unsigned),
        _ => is_whole(text),
    };
    match is_right {
        true => Ok(Token::Scalar {
            end: position + 2 + length + 1,
            is_key: kind == b'i',
        }),
        false => Err(Fault::Token),
    }
}

fn is_float(text: &[u8], unsigned: &[u8]) -> bool {
    if matches!(text, b"NAN" | b"INF" | b"-INF") {
        return true;
    }
    let begins = unsigned.first();
    let begins = begins.is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.');
    begins && std::str::from_utf8(unsigned).is_ok_and(|text| text.parse::<f64>().is_ok())
}

fn array(window: &[u8], position: usize) -> Parsed<Token> {
    let (pairs, after) = number(window, 2).ok_or_else(|| missing(window))?;
    match window.get(after..after + 2) {
        Some(b":{") => Ok(Token::Open {
            pairs,
            end: position + after + 2,
        }),
        Some(_) => Err(Fault::Token),
        None => Err(Fault::End),
    }
}

fn string<S: Source>(
    source: &mut S,
    position: usize,
    end: usize,
    (kind, steps): (u8, &mut Steps),
) -> io::Result<Parsed<Token>> {
    let window = before(source, position, HEADER_BYTES, end)?;
    let Some((length, after)) = number(window, 2) else {
        return Ok(Err(missing(window)));
    };
    match window.get(after..after + 2) {
        Some(b":\"") => {}
        Some(_) => return Ok(Err(Fault::Token)),
        None => return Ok(Err(Fault::End)),
    }
    let start = position + after + 2;
    let stop = match kind {
        b'S' => match escaped_end(source, start, end, (length, steps))? {
            Some(stop) => stop,
            None => return Ok(Err(Fault::Length)),
        },
        _ => start.saturating_add(usize::try_from(length).unwrap_or(usize::MAX)),
    };
    if stop.saturating_add(2) > end {
        return Ok(Err(Fault::End));
    }
    Ok(match source.at(stop, 2)?.starts_with(b"\";") {
        true => Ok(Token::Content {
            digits: (position + 2, position + after),
            content: (start, stop),
            end: stop + 2,
            kind,
        }),
        false => Err(Fault::Length),
    })
}

/// Returns where the content of an `S` ends: `\` and two hexadecimal digits are one byte of it.
fn escaped_end<S: Source>(
    source: &mut S,
    start: usize,
    end: usize,
    (length, steps): (u64, &mut Steps),
) -> io::Result<Option<usize>> {
    let mut position = start;
    let mut left = usize::try_from(length).unwrap_or(usize::MAX);
    while left > 0 {
        if position >= end {
            return Ok(None);
        }
        let window = before(source, position, 3, end)?;
        let near = &window[..window.len().min(left)];
        let plain = memchr::memchr(b'\\', near).unwrap_or(near.len());
        steps.bytes(plain);
        if plain > 0 {
            position += plain;
            left -= plain;
            continue;
        }
        let is_hex = window.len() >= 3 && window[1..3].iter().all(u8::is_ascii_hexdigit);
        if !is_hex {
            return Ok(None);
        }
        position += 3;
        left -= 1;
    }
    Ok(Some(position))
}

/// Reads `O:8:"stdClass":1:{`, `C:3:"Old":5:{...}` or `E:11:"Suit:Hearts";`.
fn class<S: Source>(
    source: &mut S,
    position: usize,
    end: usize,
    kind: u8,
) -> io::Result<Parsed<Token>> {
    let window = before(source, position, HEADER_BYTES, end)?;
    let Some((length, after)) = number(window, 2) else {
        return Ok(Err(missing(window)));
    };
    if !window[after..].starts_with(b":\"") {
        return Ok(Err(missing(window)));
    }
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let name_end = (position + after + 2).saturating_add(length);
    if name_end.saturating_add(2) > end {
        return Ok(Err(Fault::End));
    }
    let rest = before(source, name_end, HEADER_BYTES, end)?;
    if kind == b'E' {
        return Ok(match rest.starts_with(b"\";") {
            true => Ok(Token::Scalar {
                end: name_end + 2,
                is_key: false,
            }),
            false => Err(Fault::Length),
        });
    }
    if !rest.starts_with(b"\":") {
        return Ok(Err(Fault::Length));
    }
    let Some((count, after)) = number(rest, 2) else {
        return Ok(Err(missing(rest)));
    };
    if !rest[after..].starts_with(b":{") {
        return Ok(Err(missing(rest)));
    }
    let start = name_end + after + 2;
    if kind == b'O' {
        return Ok(Ok(Token::Open {
            pairs: count,
            end: start,
        }));
    }
    let stop = start.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
    if stop >= end {
        return Ok(Err(Fault::End));
    }
    let digits = (name_end + 2, name_end + after);
    Ok(match source.at(stop, 1)?.first() {
        Some(b'}') => Ok(Token::Content {
            digits,
            content: (start, stop),
            end: stop + 1,
            kind,
        }),
        _ => Err(Fault::Length),
    })
}

impl Grammar {
    /// Forgets what it knows of the last bytes; the next text may take so many steps.
    pub(crate) fn begin(&mut self, steps: Steps) {
        self.broken.clear();
        self.steps = steps;
    }

    /// Returns the end of the value that begins at `start`, or why there is none, and where.
    pub(crate) fn value_end<S: Source>(
        &mut self,
        source: &mut S,
        start: usize,
        end: usize,
    ) -> io::Result<Result<usize, (Fault, usize)>> {
        while self.broken.last().is_some_and(|known| known.0 < start) {
            self.broken.pop();
        }
        if let Some((known, fault)) = self.broken.last()
            && *known == start
        {
            return Ok(Err(*fault));
        }
        self.stack.clear();
        let mut position = start;
        let fault = loop {
            if self.steps.is_spent() {
                return Ok(Err((Fault::Tangled, position)));
            }
            match self.step(source, position, end)? {
                Ok(next) => position = next,
                Err(fault) => break fault,
            }
            if self.stack.is_empty() {
                return Ok(Ok(position));
            }
        };
        // No caller asks for the first one again.
        if self.stack.len() > 1 {
            let open = self.stack[1..].iter();
            self.broken
                .extend(open.map(|frame| (frame.start, (fault, position))));
            self.broken.sort_by_key(|known| std::cmp::Reverse(known.0));
            self.broken.dedup_by_key(|known| known.0);
        }
        Ok(Err((fault, position)))
    }

    /// Reads one token, or the end of a container.
    fn step<S: Source>(
        &mut self,
        source: &mut S,
        position: usize,
        end: usize,
    ) -> io::Result<Parsed<usize>> {
        let mut needs_key = false;
        if let Some(frame) = self.stack.last_mut() {
            if frame.missing == 0 {
                if position >= end {
                    return Ok(Err(Fault::End));
                }
                self.steps.token();
                if source.at(position, 1)?.first() != Some(&b'}') {
                    return Ok(Err(Fault::Token));
                }
                self.stack.pop();
                return Ok(Ok(position + 1));
            }
            needs_key = frame.missing.is_multiple_of(2);
        }
        if position >= end {
            return Ok(Err(Fault::End));
        }
        let found = match token(source, position, end, &mut self.steps)? {
            Ok(found) => found,
            Err(fault) => return Ok(Err(fault)),
        };
        let can_be_key = match found {
            Token::Scalar { is_key, .. } => is_key,
            Token::Content { kind, .. } => kind != b'C',
            Token::Open { .. } => false,
        };
        if needs_key && !can_be_key {
            return Ok(Err(Fault::Token));
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.missing -= 1;
        }
        Ok(match found {
            Token::Scalar { end, .. } | Token::Content { end, .. } => Ok(end),
            Token::Open { pairs, end } => {
                self.stack.push(Frame {
                    start: position,
                    missing: pairs.saturating_mul(2),
                });
                match self.stack.len() > DEPTH_MAX {
                    true => Err(Fault::Depth),
                    false => Ok(end),
                }
            }
        })
    }
}
