//! Named columns of one type each, shared by CSV and Parquet.

/// A table; all columns have the same number of rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The columns, from left to right.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name, which ends in the unit if it has one.
    pub name: String,
    /// Its values, from top to bottom.
    pub values: Values,
}

/// The values of a column; `None` if a row has none.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Yes or no.
    Flags(Vec<Option<bool>>),
    /// Counts, sizes and times.
    Counts(Vec<Option<u64>>),
    /// 64 bits that are not a quantity, such as seeds.
    Words(Vec<Option<u64>>),
    /// Numbers with a fraction.
    Numbers(Vec<Option<f64>>),
    /// Text, which may have come from outside.
    Texts(Vec<Option<String>>),
}

impl Values {
    /// Returns how many rows the column has.
    pub fn len(&self) -> usize {
        match self {
            Values::Flags(values) => values.len(),
            Values::Counts(values) | Values::Words(values) => values.len(),
            Values::Numbers(values) => values.len(),
            Values::Texts(values) => values.len(),
        }
    }

    /// Returns whether the column has no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// Returns how many rows there are.
    pub fn row_count(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Adds a column to the right.
    pub(crate) fn push(&mut self, name: impl Into<String>, values: Values) {
        let name = name.into();
        debug_assert!(
            self.columns.is_empty() || values.len() == self.row_count(),
            "column `{name}` must be as long as the others"
        );
        self.columns.push(Column { name, values });
    }

    /// Adds a column of flags.
    pub(crate) fn flags(
        &mut self,
        name: impl Into<String>,
        values: impl Iterator<Item = Option<bool>>,
    ) {
        self.push(name, Values::Flags(values.collect()));
    }

    /// Adds a column of counts.
    pub(crate) fn counts(
        &mut self,
        name: impl Into<String>,
        values: impl Iterator<Item = Option<u64>>,
    ) {
        self.push(name, Values::Counts(values.collect()));
    }

    /// Adds a column of numbers. Infinities and NaN become `None`: formats write them differently.
    pub(crate) fn numbers(
        &mut self,
        name: impl Into<String>,
        values: impl Iterator<Item = Option<f64>>,
    ) {
        let finite = values.map(|value| value.filter(|value| value.is_finite()));
        self.push(name, Values::Numbers(finite.collect()));
    }

    /// Adds a column of text.
    pub(crate) fn texts(
        &mut self,
        name: impl Into<String>,
        values: impl Iterator<Item = Option<String>>,
    ) {
        self.push(name, Values::Texts(values.collect()));
    }
}
