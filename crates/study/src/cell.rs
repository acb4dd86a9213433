//! Cells: one stack, one workload, one set of conditions; and the axes along which they differ.

use serde::{Deserialize, Serialize};

use crate::conditions::{CONDITION_KEYS, Conditions, Flush, WriteCache};
use crate::failure;
use crate::keys::{Key, Kind, Value};
use crate::load::{LOAD_KEYS, Load};
use crate::stack::Stack;
use crate::workload::Workload;
use crate::{condition_keys, load_keys};
use stripewise_units::Nanos;

/// One stack, one workload, one set of conditions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The stack under test.
    pub stack: Stack,
    /// The load on it.
    pub workload: Workload,
    /// The requested state of the host.
    pub conditions: Conditions,
}

impl Cell {
    /// Returns how long a sample of the cell takes if one of any other load takes `sample`: a replay
    /// that keeps the times of its trace takes what it takes.
    pub fn sample_time(&self, sample: Nanos) -> Nanos {
        match &self.workload.trace {
            Some(trace) if trace.is_timed() => trace.last_at_ns,
            _ => sample,
        }
    }

    /// Returns the parts of a cell that a built stack depends on. Cells with equal build keys share
    /// one build.
    ///
    /// The device mapper checks whether the devices below have a cache to flush when it loads its
    /// table, and never again (`dm_table_set_restrictions` in Linux 6.1, `BLK_FEAT_INHERIT_MASK`
    /// since 6.11). If it sends no flushes then, no later setting of a disk changes that. md always
    /// accepts flushes (`md_alloc` calls `blk_queue_write_cache(..., true, true)`, or sets
    /// `BLK_FEAT_WRITE_CACHE` since 6.11), and checks each member when a flush arrives.
    ///
    /// Both take the longest request of the devices below at the same moment (`blk_stack_limits`).
    pub fn build_key(&self) -> BuildKey<'_> {
        let is_mapped = self.stack.volume.is_some() && self.stack.array.is_none();
        let has_layers = self.stack.volume.is_some() || self.stack.array.is_some();
        let conditions = &self.conditions;
        BuildKey {
            stack: &self.stack,
            cache: is_mapped.then_some((conditions.flush, conditions.write_cache)),
            max_sectors_kib: conditions.max_sectors_kib.filter(|_| has_layers),
        }
    }
}

/// The parts of a cell that a built stack depends on: see [`Cell::build_key`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BuildKey<'a> {
    stack: &'a Stack,
    /// The cache settings that the stack read from its devices when it was built.
    cache: Option<(Option<Flush>, Option<WriteCache>)>,
    /// The longest request of the devices when it was built.
    max_sectors_kib: Option<u32>,
}

/// Makes [`Axis`] from the scalar keys of loads and conditions, and the axes beside them.
macro_rules! axes {
    ({ $( $(#[$load_attribute:meta])* $load_axis:ident $load:ident: $load_written:ty {
        set: $load_set:expr,
        get: $load_get:expr,
        $(row: $($load_row:tt)*)?
    } )* } { $( $(#[$host_attribute:meta])* $host_axis:ident $host:ident: $host_written:ty {
        set: $host_set:expr,
        get: $host_get:expr,
        $(row: $($host_row:tt)*)?
    } )* } { $( $(#[$attribute:meta])* $axis:ident $name:ident: $written:ty {
        set: $set:expr,
        get: $get:expr,
        $(row: $($row:tt)*)?
    } )* }) => {
        /// A key of a study along which cells may differ, named as in the file.
        #[derive(
            Debug,
            Clone,
            Copy,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            Serialize,
            Deserialize,
            schemars::JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum Axis {
            /// The name of the stack.
            Stack,
            /// The name of the workload.
            Workload,
            $(#[doc = concat!("`", stringify!($load), "`.")] $load_axis,)*
            /// `neighbours`.
            Neighbours,
            /// The options of another program that no other key expresses.
            Options,
            $(#[doc = concat!("`", stringify!($host), "`.")] $host_axis,)*
            /// `sysctl`.
            Sysctl,
            $(#[doc = concat!("`", stringify!($name), "`.")] $axis,)*
            /// `failure`.
            Failure,
        }

        impl Axis {
            /// All axes, in the order in which tables show them.
            const ALL: &[Axis] = &[
                Axis::Stack,
                Axis::Workload,
                $(Axis::$load_axis,)*
                Axis::Neighbours,
                Axis::Options,
                $(Axis::$host_axis,)*
                Axis::Sysctl,
                $(Axis::$axis,)*
                Axis::Failure,
            ];
        }
    };
}

load_keys! { condition_keys axes }

/// What stands behind an axis.
enum Source {
    /// A scalar key of the load.
    Load(&'static Key<Load>),
    /// A scalar key of the conditions.
    Conditions(&'static Key<Conditions>),
    /// Code of its own, and the name of its key.
    Own(&'static str),
}

impl Axis {
    /// Returns all axes, in the order in which tables show them.
    pub fn all() -> impl Iterator<Item = Axis> + Clone {
        Axis::ALL.iter().copied()
    }

    fn source(self) -> Source {
        let own = match self {
            Axis::Stack => "stack",
            Axis::Workload => "workload",
            Axis::Neighbours => "neighbours",
            Axis::Options => "options",
            Axis::Sysctl => "sysctl",
            Axis::Failure => "failure",
            _ => {
                let of_load = LOAD_KEYS.iter().find(|key| key.axis == self);
                let of_conditions = CONDITION_KEYS.iter().find(|key| key.axis == self);
                return match (of_load, of_conditions) {
                    (Some(key), _) => Source::Load(key),
                    (None, Some(key)) => Source::Conditions(key),
                    (None, None) => unreachable!("each axis is made from a row"),
                };
            }
        };
        Source::Own(own)
    }

    /// Returns the key as it is written in a study.
    pub fn key(self) -> &'static str {
        match self.source() {
            Source::Load(key) => key.name,
            Source::Conditions(key) => key.name,
            Source::Own(name) => name,
        }
    }

    /// Returns what the values along the axis are.
    pub fn kind(self) -> Kind {
        match self.source() {
            Source::Load(key) => key.kind,
            Source::Conditions(key) => key.kind,
            Source::Own(_) => Kind::Words,
        }
    }

    /// Returns how useful the axis is as the x of a curve, 1 the most; `None`: not at all.
    pub fn x_rank(self) -> Option<u8> {
        match self.source() {
            Source::Load(key) => key.x,
            Source::Conditions(key) => key.x,
            Source::Own(_) => None,
        }
    }

    /// Returns whether the axis says how much is asked for at once.
    pub fn is_demand(self) -> bool {
        matches!(self.source(), Source::Load(key) if key.is_demand)
    }

    /// Returns how useful the axis is to have a chart for each value, 1 the most; `None`: not at all.
    pub fn panel_rank(self) -> Option<u8> {
        match self.source() {
            Source::Load(key) => key.panel,
            Source::Conditions(key) => key.panel,
            Source::Own(_) if self == Axis::Workload => Some(u8::MAX),
            Source::Own(_) => None,
        }
    }

    /// Returns the axis with the key `key`.
    pub fn from_key(key: &str) -> Option<Axis> {
        Axis::all().find(|axis| axis.key() == key)
    }
}

impl Cell {
    /// Returns the cell's value along `axis`; `None` where it has none.
    pub fn at(&self, axis: Axis) -> Option<Value> {
        let words = match axis.source() {
            // A program has its own load.
            Source::Load(_) if self.workload.program.is_some() => None,
            Source::Load(key) => return (key.get)(&self.workload.load),
            Source::Conditions(key) => return (key.get)(&self.conditions),
            Source::Own(_) => self.words(axis),
        };
        words.map(|text| Value { text, number: None })
    }

    /// Returns the value along an axis that is no scalar key.
    fn words(&self, axis: Axis) -> Option<String> {
        let joined = |parts: Vec<String>, with: &str| (!parts.is_empty()).then(|| parts.join(with));
        let workload = &self.workload;
        match axis {
            Axis::Stack => Some(self.stack.name.clone()),
            Axis::Workload => workload.name.clone(),
            Axis::Neighbours => {
                let names = workload.neighbours.iter().map(|beside| beside.name.clone());
                joined(names.collect(), "+")
            }
            Axis::Options => joined(workload.options.iter().map(option_words).collect(), " "),
            Axis::Sysctl => self.conditions.sysctl_words(),
            Axis::Failure => {
                let failure = self.conditions.failure.as_ref();
                failure.map(|failure| failure.name.clone())
            }
            _ => None,
        }
    }

    /// Returns the cell's value along `axis` as it is written in a study, or `-` where it has none.
    pub fn value(&self, axis: Axis) -> String {
        let missing = match axis {
            Axis::Failure => failure::NONE,
            _ => "-",
        };
        let value = self.at(axis).map(|value| value.text);
        value.unwrap_or_else(|| missing.to_owned())
    }
}

/// Returns the axes along which `cells` differ, in the order in which tables show them.
///
/// A single cell and equal cells have none.
pub fn varying_axes<'a>(cells: impl IntoIterator<Item = &'a Cell> + Clone) -> Vec<Axis> {
    let differs = |axis: &Axis| {
        let mut values = cells.clone().into_iter().map(|cell| cell.value(*axis));
        values
            .next()
            .is_some_and(|first| values.any(|value| value != first))
    };
    Axis::all().filter(differs).collect()
}

/// Writes an option as in a command: `runtime=60`, or `time_based` without a value.
fn option_words((name, value): (&String, &String)) -> String {
    match value.is_empty() {
        true => name.clone(),
        false => format!("{name}={value}"),
    }
}
