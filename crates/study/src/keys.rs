//! The scalar keys of a study: what every part of the program has to know about one, in one row.
//!
//! [`crate::load`] and [`crate::conditions`] hold the rows. Whatever treats all keys alike is a loop
//! over them: reading and checking a study, the axes of cells, tables and exports, the options of fio
//! in both directions, studies that are written, the candidates for the axes of a chart. A new key is
//! a field and a row; what the simulator does with it is the rest.
//!
//! Values that are not scalar keep their code: splits of block sizes, distributions, the content of
//! buffers, neighbours, failures, parameters of the kernel.

use std::num::NonZeroU32;

use serde::de::value::{
    BoolDeserializer, Error, F64Deserializer, I64Deserializer, StrDeserializer,
};
use serde::de::{Deserialize, IntoDeserializer};

use crate::cell::Axis;
use crate::notation::Mix;
use crate::workload::{BlockSize, Pattern};
use stripewise_units::{Bytes, Nanos};

/// The value of a cell along a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The value as a study has it.
    pub text: String,
    /// The number behind it, in the unit of the key's [`Kind`]; `None` for words, flags, and values
    /// of several numbers.
    pub number: Option<u64>,
}

/// What the values of a key are, and the unit of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A number without a unit, or whose unit is in the name of the key.
    Count,
    /// Bytes.
    Bytes,
    /// Bytes per second.
    Rate,
    /// Nanoseconds.
    Time,
    /// `true` or `false`.
    Flag,
    /// Words.
    Words,
}

impl Kind {
    /// Returns the end of a column's name that states the unit: `_bytes`.
    pub const fn suffix(self) -> &'static str {
        match self {
            Kind::Bytes => "_bytes",
            Kind::Rate => "_bytes_per_s",
            Kind::Time => "_ns",
            Kind::Count | Kind::Flag | Kind::Words => "",
        }
    }
}

/// A value in a row, whose type says what the values of the key are.
pub(crate) trait Shown {
    const KIND: Kind;

    fn shown(self) -> Value;
}

/// Makes types of numbers values of a kind.
macro_rules! numbers {
    ($($type:ty: $kind:ident, $number:expr;)*) => {$(
        impl Shown for $type {
            const KIND: Kind = Kind::$kind;

            fn shown(self) -> Value {
                let number: fn($type) -> u64 = $number;
                Value {
                    text: self.to_string(),
                    number: Some(number(self)),
                }
            }
        }
    )*};
}

numbers! {
    u32: Count, u64::from;
    NonZeroU32: Count, |count| count.get().into();
    Bytes: Bytes, Bytes::as_u64;
    Nanos: Time, Nanos::as_u64;
}

/// Bytes per second.
pub(crate) struct Rate(pub(crate) Bytes);

impl Shown for Rate {
    const KIND: Kind = Kind::Rate;

    fn shown(self) -> Value {
        self.0.shown()
    }
}

/// A word, or several.
pub(crate) struct Words<W>(pub(crate) W);

impl<W: ToString> Shown for Words<W> {
    const KIND: Kind = Kind::Words;

    fn shown(self) -> Value {
        Value {
            text: self.0.to_string(),
            number: None,
        }
    }
}

impl Shown for bool {
    const KIND: Kind = Kind::Flag;

    fn shown(self) -> Value {
        Words(self).shown()
    }
}

impl Shown for BlockSize {
    const KIND: Kind = Kind::Bytes;

    fn shown(self) -> Value {
        match self {
            BlockSize::Fixed(size) => size.shown(),
            split @ BlockSize::Split(_) => Words(split).shown(),
        }
    }
}

/// The number is the share of reads.
impl Shown for Mix {
    const KIND: Kind = Kind::Words;

    fn shown(self) -> Value {
        let Mix(reads) = self;
        Value {
            text: format!("{reads}/{}", 100 - reads),
            number: Some(reads.into()),
        }
    }
}

/// Returns what the values that a row's function returns are.
pub(crate) const fn kind_of<T, V: Shown>(_: fn(&T) -> Option<V>) -> Kind {
    V::KIND
}

/// What becomes of a key of a load if a trace is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WithTrace {
    /// It applies to the I/Os of the trace.
    Applies,
    /// The trace has it.
    Decided,
    /// It has no effect on a list of I/Os.
    Listed,
    /// It would change the times, which the trace has.
    Paced,
    /// A trace is replayed by one job.
    Alone,
}

/// Something that a cell can run in and that refuses some keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The model.
    Model,
    /// The lab's guest, where the processor is virtual.
    Lab,
    /// A power cut, whose loss the key does not change, or which cannot set it.
    PowerCut,
}

/// Which patterns a key has an effect on.
#[derive(Debug, Clone, Copy)]
pub struct Acts {
    /// Whether it has one on a pattern.
    pub on: fn(Pattern) -> bool,
    /// Why it has none on the others.
    pub else_why: &'static str,
}

impl Acts {
    /// Patterns that write.
    pub const ON_WRITES: Self = Self {
        on: Pattern::writes,
        else_why: "no pattern writes",
    };
    /// Patterns that read and write.
    pub const ON_MIXES: Self = Self {
        on: Pattern::is_mixed,
        else_why: "only `rw` and `randrw` are mixed",
    };
    /// Patterns with random offsets.
    pub const ON_RANDOM: Self = Self {
        on: Pattern::is_random,
        else_why: "no pattern is random",
    };
}

/// The option of fio that has the values of a key.
#[derive(Debug, Clone, Copy)]
pub struct FioOption {
    /// Its name.
    pub name: &'static str,
    /// The unit of a time without one.
    pub unit: Nanos,
    /// Whether fio's value is read as it is written; otherwise `crates/fio` has a reader for it.
    pub is_read_alike: bool,
}

/// A scalar key of a `T`: of a load, or of the conditions.
#[derive(Debug)]
pub struct Key<T: 'static> {
    /// Its name in a study.
    pub name: &'static str,
    /// Cells that differ in it differ along this axis.
    pub axis: Axis,
    /// What its values are.
    pub kind: Kind,
    /// Returns the value; `None` where there is none.
    pub get: fn(&T) -> Option<Value>,
    /// Takes a value as a study has it; `false` if it is none.
    pub put: fn(&mut T, &str) -> bool,
    /// The patterns it has an effect on; `None`: all.
    pub acts: Option<Acts>,
    /// Returns why a value is impossible.
    pub impossible: fn(&T) -> Option<String>,
    /// What becomes of it in a replay.
    pub with_trace: WithTrace,
    /// What refuses it.
    pub refused_by: &'static [Backend],
    /// The option of fio that has the same values, if one has.
    pub fio: Option<FioOption>,
    /// How useful it is as the x of a curve, 1 the most; `None`: not at all.
    pub x: Option<u8>,
    /// Whether it says how much is asked for at once, so that its values are points on a curve of load.
    pub is_demand: bool,
    /// How useful a chart for each of its values is, 1 the most; `None`: not at all.
    pub panel: Option<u8>,
}

impl<T> Key<T> {
    pub(crate) const fn new(
        name: &'static str,
        axis: Axis,
        kind: Kind,
        get: fn(&T) -> Option<Value>,
        put: fn(&mut T, &str) -> bool,
    ) -> Self {
        Self {
            name,
            axis,
            kind,
            get,
            put,
            acts: None,
            impossible: |_| None,
            with_trace: WithTrace::Applies,
            refused_by: &[],
            fio: None,
            x: None,
            is_demand: false,
            panel: None,
        }
    }

    pub(crate) const fn acts(mut self, acts: Acts) -> Self {
        self.acts = Some(acts);
        self
    }

    pub(crate) const fn impossible(mut self, why: fn(&T) -> Option<String>) -> Self {
        self.impossible = why;
        self
    }

    pub(crate) const fn with_trace(mut self, with_trace: WithTrace) -> Self {
        self.with_trace = with_trace;
        self
    }

    pub(crate) const fn refused_by(mut self, backends: &'static [Backend]) -> Self {
        self.refused_by = backends;
        self
    }

    const fn with_fio(mut self, name: &'static str, unit: Nanos, is_read_alike: bool) -> Self {
        self.fio = Some(FioOption {
            name,
            unit,
            is_read_alike,
        });
        self
    }

    pub(crate) const fn fio(self, name: &'static str) -> Self {
        self.with_fio(name, Nanos::new(1_000), true)
    }

    pub(crate) const fn fio_in_seconds(self, name: &'static str) -> Self {
        self.with_fio(name, Nanos::new(1_000_000_000), true)
    }

    /// An option that has aliases in fio, several values, or some that no key has: reading it is code
    /// of its own.
    pub(crate) const fn fio_written(self, name: &'static str) -> Self {
        self.with_fio(name, Nanos::new(1_000), false)
    }

    pub(crate) const fn x(mut self, rank: u8) -> Self {
        self.x = Some(rank);
        self
    }

    pub(crate) const fn demand(mut self) -> Self {
        self.is_demand = true;
        self
    }

    pub(crate) const fn panel(mut self, rank: u8) -> Self {
        self.panel = Some(rank);
        self
    }

    /// Returns the key with a value as a line of a study: `cpus = "0-3"`.
    pub fn line(&self, value: &Value) -> String {
        let written = match self.kind {
            Kind::Count | Kind::Flag => value.text.clone(),
            Kind::Bytes | Kind::Rate | Kind::Time | Kind::Words => quoted(&value.text),
        };
        format!("{} = {written}", self.name)
    }

    /// Returns whether the key has an effect on a pattern.
    pub fn acts_on(&self, pattern: Pattern) -> bool {
        self.acts.is_none_or(|acts| (acts.on)(pattern))
    }
}

/// Returns the first key of `of` with a value, other than that of `default`, that `backend` refuses,
/// and the value.
pub(crate) fn refused<T>(
    keys: &'static [Key<T>],
    of: &T,
    default: &T,
    backend: Backend,
) -> Option<(&'static Key<T>, Value)> {
    let mut refused = keys.iter().filter(|key| key.refused_by.contains(&backend));
    refused.find_map(|key| {
        let value = (key.get)(of).filter(|value| Some(value) != (key.get)(default).as_ref())?;
        Some((key, value))
    })
}

/// Reads a value as a study has it, without the quotes of a string.
pub(crate) fn read<W: for<'de> Deserialize<'de>>(text: &str) -> Option<W> {
    let words: StrDeserializer<'_, Error> = text.into_deserializer();
    if let Ok(value) = W::deserialize(words) {
        return Some(value);
    }
    if let Ok(number) = text.parse::<i64>() {
        return W::deserialize(I64Deserializer::<Error>::new(number)).ok();
    }
    if let Ok(flag) = text.parse::<bool>() {
        return W::deserialize(BoolDeserializer::<Error>::new(flag)).ok();
    }
    let number = text.parse::<f64>().ok()?;
    W::deserialize(F64Deserializer::<Error>::new(number)).ok()
}

/// Returns a text as a TOML string: JSON escapes all that TOML does, except DEL.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

/// Returns at most `chars_max` characters of a text as the name of a table in a study: what a name cannot
/// have becomes `-`.
pub fn plain_name(text: &str, chars_max: usize) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let plain = text.chars().map(|c| if is_plain(c) { c } else { '-' });
    plain.take(chars_max).collect()
}

/// Returns a name that is not `taken`: itself, or with a number from 2 on.
pub fn distinct_name(name: &str, taken: &[String]) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut free = std::iter::once(name.to_owned()).chain(numbered);
    let found = free.find(|name| !taken.contains(name));
    found.unwrap_or_else(|| name.to_owned())
}

/// Makes the table of the keys of `$of` from their rows.
macro_rules! key_table {
    ($table:ident $of:ident $({ $( $(#[$attribute:meta])* $axis:ident $name:ident: $written:ty {
        set: $set:expr,
        get: $get:expr,
        $(row: $($row:tt)*)?
    } )* })*) => {
        /// The scalar keys, in the order in which tables show them.
        pub static $table: &[Key<$of>] = &[$($(
            Key::new(
                stringify!($name),
                Axis::$axis,
                $crate::keys::kind_of::<$of, _>($get),
                |of| {
                    let get: fn(&$of) -> Option<_> = $get;
                    get(of).map($crate::keys::Shown::shown)
                },
                |of, text| {
                    let set: fn(&mut $of, &$written) = $set;
                    let value = $crate::keys::read::<$written>(text);
                    value.is_some_and(|value| { set(of, &value); true })
                },
            ) $($($row)*)?,
        )*)*];
    };
}
pub(crate) use key_table;
