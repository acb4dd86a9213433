//! How quantities and choices are written in a study file, one place per kind.
//!
//! [`Notated<T>`] reads a TOML value by its notation and describes the notation in JSON Schema, so
//! that the reader, the schema and the reference page always agree.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};

use crate::cpus::LoadCpus;
use crate::sysctl;
use crate::workload::{BlockSize, Data, Distribution, SplitPart, SyncMode};
use stripewise_units::kernel::{KernelName, KernelVersion};
use stripewise_units::{Bytes, Nanos, Percent};

/// A TOML scalar before it is interpreted.
pub enum Scalar<'a> {
    /// A string.
    Text(&'a str),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// A flag.
    Bool(bool),
}

impl<'a> Scalar<'a> {
    fn text(&self) -> Option<&'a str> {
        match self {
            Scalar::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A type that has a notation in a study file.
pub trait Notation: Sized {
    /// The name of the notation in the schema.
    const NAME: &'static str;
    /// The accepted values, as the end of the sentence "expected ...".
    const EXPECTED: &'static str;

    /// Reads a value; for `None` the error states [`Self::EXPECTED`].
    fn read(scalar: &Scalar<'_>) -> Option<Self>;

    /// Describes the notation in JSON Schema.
    fn schema() -> Schema;
}

/// A value read from a study file by its notation.
#[derive(Debug, Clone, PartialEq)]
pub struct Notated<T>(pub T);

impl<'de, T: Notation> Deserialize<'de> for Notated<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor(PhantomData))
    }
}

impl<T: Notation> JsonSchema for Notated<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        T::schema()
    }
}

struct ScalarVisitor<T>(PhantomData<T>);

impl<T: Notation> ScalarVisitor<T> {
    fn read<E: de::Error>(scalar: &Scalar<'_>) -> Result<Notated<T>, E> {
        T::read(scalar)
            .map(Notated)
            .ok_or_else(|| E::custom(format_args!("expected {}", T::EXPECTED)))
    }
}

impl<T: Notation> Visitor<'_> for ScalarVisitor<T> {
    type Value = Notated<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Self::read(&Scalar::Text(text))
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<Self::Value, E> {
        Self::read(&Scalar::Integer(integer))
    }

    fn visit_f64<E: de::Error>(self, float: f64) -> Result<Self::Value, E> {
        Self::read(&Scalar::Float(float))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        Self::read(&Scalar::Bool(value))
    }
}

/// One value, or a list that expands to a matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct OneOrMany<T> {
    /// The values.
    pub values: Vec<T>,
    /// Whether it was written as a list.
    pub is_list: bool,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrManyVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({
            "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }]
        })
    }
}

struct OneOrManyVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> OneOrManyVisitor<T> {
    fn one<E: de::Error>(
        deserializer: impl Deserializer<'de, Error = E>,
    ) -> Result<OneOrMany<T>, E> {
        Ok(OneOrMany {
            values: vec![T::deserialize(deserializer)?],
            is_list: false,
        })
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrManyVisitor<T> {
    type Value = OneOrMany<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one value or a list of values")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Self::one(de::value::StrDeserializer::new(text))
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<Self::Value, E> {
        Self::one(de::value::I64Deserializer::new(integer))
    }

    fn visit_f64<E: de::Error>(self, float: f64) -> Result<Self::Value, E> {
        Self::one(de::value::F64Deserializer::new(float))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        Self::one(de::value::BoolDeserializer::new(value))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        if values.is_empty() {
            return Err(de::Error::custom("an empty list leaves nothing to run"));
        }
        Ok(OneOrMany {
            values,
            is_list: true,
        })
    }
}

impl Notation for Bytes {
    const NAME: &'static str = "Size";
    const EXPECTED: &'static str =
        "a size such as `512`, `\"8K\"`, `\"256M\"` or `\"1G\"` (powers of 1024, at least 1 byte)";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        let size = match scalar {
            Scalar::Text(text) => Bytes::parse(text).ok(),
            Scalar::Integer(integer) => u64::try_from(*integer).ok().map(Bytes::new),
            _ => None,
        };
        size.filter(|size| size.as_u64() > 0)
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "A number of bytes; suffixes are powers of 1024, as in fio.",
            "anyOf": [
                { "type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*([KkMmGgTt]?[Ii]?[Bb]?)\s*$" },
                { "type": "integer", "minimum": 1 }
            ],
            "examples": ["8K", "256M", "20000K", 4096]
        })
    }
}

/// A size that may be zero: a window of read-ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window(pub Bytes);

impl Notation for Window {
    const NAME: &'static str = "Window";
    const EXPECTED: &'static str = "a size such as `\"128K\"` or `\"4M\"` (powers of 1024), or `0`";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        let is_zero = match scalar {
            Scalar::Text(text) => text.trim() == "0",
            Scalar::Integer(integer) => *integer == 0,
            _ => false,
        };
        match is_zero {
            true => Some(Self(Bytes::default())),
            false => Bytes::read(scalar).map(Self),
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "A number of bytes, or zero; suffixes are powers of 1024, as in fio.",
            "anyOf": [
                { "type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*([KkMmGgTt]?[Ii]?[Bb]?)\s*$" },
                { "type": "integer", "minimum": 0 }
            ],
            "examples": ["128K", "4M", 0]
        })
    }
}

/// The value of a parameter of the kernel, as `/proc/sys` has it, or of a setting of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter(pub String);

impl Notation for Parameter {
    const NAME: &'static str = "Parameter";
    const EXPECTED: &'static str = "a number such as `10`, or a text of printable ASCII";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        match scalar {
            Scalar::Text(text) => sysctl::value(text).map(Self),
            Scalar::Integer(integer) => Some(Self(integer.to_string())),
            Scalar::Float(_) | Scalar::Bool(_) => None,
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "The value of a parameter of the kernel, or of a setting of a database.",
            "anyOf": [
                { "type": "string", "minLength": 1, "maxLength": 128 },
                { "type": "integer" }
            ],
            "examples": [10, "256 32000"]
        })
    }
}

impl Notation for LoadCpus {
    const NAME: &'static str = "Cpus";
    const EXPECTED: &'static str = "numbers of CPUs, such as `\"0-3,8\"` or `2`, or the words `\"one-per-core\"` or `\"cores-of:0-1\"`";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        match scalar {
            Scalar::Text(text) => text.parse().ok(),
            Scalar::Integer(integer) => integer.to_string().parse().ok(),
            Scalar::Float(_) | Scalar::Bool(_) => None,
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "Numbers of CPUs, as the kernel lists them, or a word for those that share a core or do not.",
            "anyOf": [
                { "type": "string", "pattern": r"^\s*(one-per-core|(cores-of:)?\s*[0-9]+(-[0-9]+)?(\s*,\s*[0-9]+(-[0-9]+)?)*)\s*$" },
                { "type": "integer", "minimum": 0, "maximum": 8191 }
            ],
            "examples": ["0-3", "one-per-core", "cores-of:0-1"]
        })
    }
}

impl Notation for Nanos {
    const NAME: &'static str = "Time";
    const EXPECTED: &'static str = "a time such as `\"500ms\"`, `\"3s\"`, `\"10m\"` or `\"1h\"`";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        Nanos::parse(scalar.text()?).ok()
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "A duration with its unit.",
            "type": "string",
            "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(ns|us|ms|s|m|min|h)$",
            "examples": ["500ms", "3s", "10m"]
        })
    }
}

impl Notation for Percent {
    const NAME: &'static str = "Share";
    const EXPECTED: &'static str = "a share such as `\"5%\"`, above 0 and at most 100";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        let share = Percent::parse(scalar.text()?).ok()?;
        (share.as_fraction() > 0.0 && share.as_fraction() <= 1.0).then_some(share)
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "A share in percent.",
            "type": "string",
            "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*%\s*$",
            "examples": ["5%", "2.5%"]
        })
    }
}

/// The share of reads of a mixed pattern, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mix(pub u8);

impl Notation for Mix {
    const NAME: &'static str = "Mix";
    const EXPECTED: &'static str =
        "reads and writes in percent, such as `\"70/30\"`, which sum to 100";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        let (reads, writes) = scalar.text()?.split_once('/')?;
        let reads: u8 = reads.trim().parse().ok()?;
        let writes: u8 = writes.trim().parse().ok()?;
        (reads.checked_add(writes)? == 100).then_some(Self(reads))
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "Reads and writes in percent.",
            "type": "string",
            "pattern": r"^\s*[0-9]{1,3}\s*/\s*[0-9]{1,3}\s*$",
            "examples": ["70/30"]
        })
    }
}

impl Notation for BlockSize {
    const NAME: &'static str = "BlockSize";
    const EXPECTED: &'static str =
        "a size such as `\"8K\"`, or a split such as `\"4K/60:64K/40\"` whose shares sum to 100";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        match scalar {
            Scalar::Text(text) if text.contains('/') => read_split(text),
            other => Bytes::read(other).map(BlockSize::Fixed),
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "The size of each I/O, or a split of sizes with their shares in percent.",
            "anyOf": [
                { "type": "string" },
                { "type": "integer", "minimum": 1 }
            ],
            "examples": ["8K", 4096, "4K/60:64K/40"]
        })
    }
}

fn read_split(text: &str) -> Option<BlockSize> {
    let mut parts = Vec::new();
    for part in text.split(':') {
        let (size, share) = part.split_once('/')?;
        parts.push(SplitPart {
            block_size_bytes: Bytes::read(&Scalar::Text(size))?,
            share_percent: share.trim().parse().ok().filter(|share| *share > 0)?,
        });
    }
    let sum: u32 = parts.iter().map(|part| u32::from(part.share_percent)).sum();
    (sum == 100).then_some(BlockSize::Split(parts))
}

impl Notation for Data {
    const NAME: &'static str = "Data";
    const EXPECTED: &'static str = "`\"incompressible\"`, `\"zeroes\"` or a compression ratio from 1.01 to 100 such as `2.0` or `\"2:1\"`";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        let ratio = |ratio: f64| {
            (1.01..=100.0)
                .contains(&ratio)
                .then_some(Data::Ratio(ratio))
        };
        match scalar {
            Scalar::Text("incompressible") => Some(Data::Incompressible),
            Scalar::Text("zeroes") => Some(Data::Zeroes),
            Scalar::Text(text) => ratio(text.trim().strip_suffix(":1")?.parse().ok()?),
            Scalar::Float(float) => ratio(*float),
            Scalar::Integer(integer) => i32::try_from(*integer).ok().map(f64::from).and_then(ratio),
            _ => None,
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "The content of write buffers; a number is their compression ratio.",
            "anyOf": [
                { "enum": ["incompressible", "zeroes"] },
                { "type": "number", "minimum": 1.01, "maximum": 100 },
                { "type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?:1\s*$" }
            ]
        })
    }
}

impl Notation for SyncMode {
    const NAME: &'static str = "Sync";
    const EXPECTED: &'static str =
        "`false`, `true` (`O_SYNC`), `\"none\"`, `\"sync\"` or `\"dsync\"`";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        match scalar {
            Scalar::Bool(false) | Scalar::Text("none") => Some(SyncMode::None),
            Scalar::Bool(true) | Scalar::Text("sync") => Some(SyncMode::Sync),
            Scalar::Text("dsync") => Some(SyncMode::Dsync),
            _ => None,
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "Whether each write is durable before it returns.",
            "anyOf": [{ "type": "boolean" }, { "enum": ["none", "sync", "dsync"] }]
        })
    }
}

impl Notation for Distribution {
    const NAME: &'static str = "Distribution";
    const EXPECTED: &'static str =
        "`\"uniform\"`, `\"zipf:1.2\"` (above 0, not 1) or `\"pareto:0.9\"` (above 0, below 1)";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        let text = scalar.text()?;
        if text == "uniform" {
            return Some(Distribution::Uniform);
        }
        let (kind, number) = text.split_once(':')?;
        let number: f64 = number.parse().ok()?;
        // fio refuses exactly these in `parse_zipf` and friends (fio's init.c and lib/zipf.c).
        match kind {
            "zipf" if number > 0.0 && number < 100.0 && (number - 1.0).abs() > f64::EPSILON => {
                Some(Distribution::Zipf(number))
            }
            "pareto" if number > 0.0 && number < 1.0 => Some(Distribution::Pareto(number)),
            _ => None,
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "How random offsets are spread over the file.",
            "type": "string",
            "pattern": r"^(uniform|(zipf|pareto):[0-9.]+)$",
            "examples": ["uniform", "zipf:1.2", "pareto:0.9"]
        })
    }
}

impl Notation for KernelVersion {
    const NAME: &'static str = "Kernel";
    const EXPECTED: &'static str = "a kernel version such as `\"4.1\"` or `\"6.1.0-18-amd64\"`; a guest of the lab is named under `[conditions]`";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        let version = scalar.text().filter(|text| !text.contains('@'))?;
        KernelVersion::parse(version)
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "A Linux kernel version; only the major and the minor number count.",
            "type": "string",
            "pattern": r"^[0-9]+\.[0-9]+",
            "examples": ["4.1", "6.1.0-18-amd64"]
        })
    }
}

impl Notation for KernelName {
    const NAME: &'static str = "KernelName";
    const EXPECTED: &'static str = "a kernel version such as `\"4.1\"` or `\"6.1.0-18-amd64\"`, or a guest of the lab such as `\"6.12.95@sid\"`";

    fn read(scalar: &Scalar<'_>) -> Option<Self> {
        KernelName::parse(scalar.text()?)
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "A Linux kernel: its version, its release, or the name of a guest of the lab.",
            "type": "string",
            "pattern": r"^[0-9]+\.[0-9]+[A-Za-z0-9.+~_-]*(@[A-Za-z0-9.+~_-]+)?$",
            "examples": ["4.1", "6.1.0-18-amd64", "6.12.95@sid"]
        })
    }
}
